/* What holds of an image before its first record is returned. */
#include "format/raw/raw.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "model/releases.h"
#include "model/symtab.h"

bool
raw_has_values(const struct raw_image *im, size_t at)
{
	struct raw_image next;

	at = raw_skip_zeros(im->file, at);
	return im->row->values != RAW_VALUES_NONE && at < im->file.size &&
	    !raw_magic((struct prof_span){ im->file.data + at,
	    im->file.size - at }, &next);
}

bool
raw_counts_sites(const struct raw_image *im)
{
	struct raw_record r;

	for (uint64_t i = 0; i < im->field[RAW_NUM_DATA]; i++) {
		raw_record_get(im, i, &r);
		if (r.sites_size != 0)
			return true;
	}
	return false;
}

enum prof_status
raw_extent(const struct raw_image *im, size_t *end, struct prof_error *err)
{
	struct cursor c = { .data = im->file.data, .big = im->big,
	    .pos = im->at[RAW_S_VALUES],
	    .size = im->at[RAW_S_VALUES] + im->size[RAW_S_VALUES] };
	struct prof_sites sites[PROF_VALUE_KINDS];
	enum prof_status status = PROF_OK;
	struct arena arena = { 0 };
	struct raw_record r;

	*end = im->row->values == RAW_VALUES_SIZED ? c.size : c.pos;
	if (im->row->values != RAW_VALUES_BLOCKS ||
	    !raw_has_values(im, c.pos))
		return PROF_OK;
	for (uint64_t i = 0; i < im->field[RAW_NUM_DATA] && status == PROF_OK;
	    i++) {
		raw_record_get(im, i, &r);
		if (r.sites_size == 0)
			continue;
		arena_reset(&arena);
		status = values_read(&c, &arena, NULL, sites, err);
		if (status == PROF_OK)
			*end = c.pos;
	}
	arena_free(&arena);
	if (status != PROF_OK && err != NULL && err->code == PROF_E_MEMORY)
		return PROF_FAIL;
	/* Without an intact first block, the image has no value data. */
	return *end == im->at[RAW_S_VALUES] ? PROF_OK : status;
}

/* Images of one file have one byte order and word size. */
size_t
raw_length(struct prof_span bytes, uint64_t *looked, struct prof_error *err)
{
	struct raw_image im, first = { 0 };
	size_t length = 0, at = 0, end;
	enum prof_status status;
	uint32_t failed;

	do {
		if (raw_image_open(&im, bytes, at, err) != PROF_OK)
			break;
		if (at == 0)
			first = im;
		if (im.magic != first.magic || im.big != first.big)
			break;
		*looked += im.at[RAW_S_VALUES] - at;
		status = raw_extent(&im, &end, err);
		*looked += end - im.at[RAW_S_VALUES];
		/* The block at which raw_extent failed was read, too. */
		failed = bytes.size - end < 4 ? 0 :
		    load_u32(bytes.data + end, im.big);
		*looked += failed <= bytes.size - end ? failed : 0;
		if (status != PROF_OK)
			break;
		length = end;
		at = raw_skip_zeros(bytes, end);
		*looked += at - end;
	} while (bytes.size - at >= 16 && (!im.row->aligned || at % 8 == 0));
	return length;
}

enum prof_status
raw_ids_next(const struct raw_image *im, bool padded, size_t *at,
    struct prof_span *id, struct prof_error *err)
{
	struct cursor c = { .data = im->file.data, .pos = *at,
	    .size = im->at[RAW_S_IDS] + im->size[RAW_S_IDS],
	    .big = im->big };
	uint64_t length;
	const uint8_t *bytes;

	if (cur_left(&c) == 0)
		return PROF_END;
	length = cur_u64(&c);
	if (c.failed)
		return err_at(err, PROF_E_CORRUPT, *at, "binary id: 8 bytes "
		    "of a length exceed the %zu left of BinaryIdsSize",
		    c.size - *at);
	if (length == 0)
		return err_at(err, PROF_E_CORRUPT, *at,
		    "binary id: length is 0");
	bytes = cur_bytes(&c, length);
	if (padded)
		cur_bytes(&c, pad8(length));
	if (c.failed)
		return err_at(err, PROF_E_CORRUPT, *at, "binary id: length "
		    "%llu exceeds the %zu bytes left of BinaryIdsSize",
		    (unsigned long long)length, c.size - *at - 8);
	*at = c.pos;
	*id = (struct prof_span){ bytes, (size_t)length };
	return PROF_OK;
}

static size_t
raw_ids_intact(const struct raw_image *im, bool padded)
{
	size_t at = im->at[RAW_S_IDS];
	struct prof_span id;

	while (raw_ids_next(im, padded, &at, &id, NULL) == PROF_OK)
		;
	return at - im->at[RAW_S_IDS];
}

bool
raw_ids_padded(const struct raw_image *im)
{
	return im->row->ids != RAW_IDS_MAYBE_PADDED ||
	    raw_ids_intact(im, false) != im->size[RAW_S_IDS];
}

size_t
raw_ids_intact_size(const struct raw_image *im)
{
	return raw_ids_intact(im, raw_ids_padded(im));
}

/*
 * A record begins with its NameRef: the guid of a function at an offset that is
 * no multiple of the record's size belongs to a record of another size.  But
 * the FuncHash of a sound record may be any number, also a guid.
 */
static enum prof_status
raw_stride_check(const struct raw_image *im, const struct symtab *names,
    bool sound, struct prof_error *err)
{
	size_t start = im->at[RAW_S_DATA], before = start;
	size_t size = im->size[RAW_S_DATA], hash, apart;

	if (im->row->addressed_names || im->layout.size == 0)
		return PROF_OK;
	hash = (size_t)raw_member_at(im, 0, RAW_FUNC_HASH) - start;
	for (size_t i = 0; i + 8 <= size; i += 8) {
		uint64_t ref = load_u64(im->file.data + start + i, im->big);

		if ((sound && i % im->layout.size == hash) ||
		    symtab_find(names, ref, NULL) == SYMTAB_NONE)
			continue;
		apart = start + i - before;
		if (apart % im->layout.size != 0)
			return err_at(err, PROF_E_CORRUPT, before, "this "
			    "record and the next are %zu bytes apart, not %u "
			    "as in version %u: objects of two LLVMs were "
			    "linked into one binary", apart, im->layout.size,
			    im->row->version);
		before = start + i;
	}
	return PROF_OK;
}

/* Which function a record is of, and where its counters are. */
struct raw_use {
	uint64_t guid, hash, counters, num_counters;
	uint64_t record;
};

/* 0 also if only the numbers of the records differ. */
static int
raw_compare_function(const struct raw_use *x, const struct raw_use *y)
{
	int order = compare_u64(x->counters, y->counters);

	if (order == 0)
		order = compare_u64(x->guid, y->guid);
	if (order == 0)
		order = compare_u64(x->hash, y->hash);
	return order != 0 ? order :
	    compare_u64(x->num_counters, y->num_counters);
}

static int
raw_compare_uses(const void *a, const void *b)
{
	const struct raw_use *x = a, *y = b;
	int order = raw_compare_function(x, y);

	return order != 0 ? order : compare_u64(x->record, y->record);
}

/* Warns of functions that have counters of others; the uses are sorted. */
static void
raw_warn_of_sharing(const struct raw_reader *r, const struct raw_use *uses,
    size_t n)
{
	const struct raw_use *last = uses, *first = NULL, *of = NULL;
	char name[ERR_NAME_SIZE], other[ERR_NAME_SIZE];
	uint64_t shared = 0, last_end = 0;

	for (const struct raw_use *u = uses; u < uses + n; u++) {
		uint64_t end = u->counters + u->num_counters *
		    raw_counter_width(&r->im);

		if (u > uses && raw_compare_function(u - 1, u) == 0)
			continue;
		if (u->counters < last_end && shared++ == 0)
			first = u, of = last;
		if (end > last_end)
			last = u, last_end = end;
	}
	if (shared != 0)
		context_warn(r->base.context, (struct prof_error){
		    .code = PROF_E_CORRUPT, .where = PROF_AT_BYTE,
		    .offset = raw_member_at(&r->im, first->record,
		    RAW_COUNTER_PTR) }, "%s has counters of %s (functions "
		    "that share some: %llu)",
		    symbol_words(name, &(struct prof_symbol){
		    raw_name(r, first->guid), first->guid }),
		    symbol_words(other, &(struct prof_symbol){
		    raw_name(r, of->guid), of->guid }), ull(shared));
}

uint8_t *
raw_find_repeated(const struct raw_reader *reader)
{
	const struct raw_image *im = &reader->im;
	size_t n = (size_t)im->field[RAW_NUM_DATA];
	struct raw_use *uses = calloc(n + 1, sizeof(*uses));
	uint8_t *repeated = calloc(n + 1, 1);
	struct raw_record r;
	struct raw_place place = { 0 };

	for (size_t i = 0; i < n && uses != NULL; i++) {
		raw_record_get(im, i, &r);
		raw_place(im, i, &r, &place, NULL);
		uses[i] = (struct raw_use){ .hash = r.func_hash,
		    .counters = place.counters,
		    .num_counters = r.num_counters, .record = i };
		raw_guid(im, i, &r, &uses[i].guid, NULL);
	}
	if (uses != NULL && repeated != NULL) {
		qsort(uses, n, sizeof(*uses), raw_compare_uses);
		for (size_t i = 1; i < n; i++)
			repeated[uses[i].record] = raw_compare_function(
			    &uses[i - 1], &uses[i]) == 0;
		raw_warn_of_sharing(reader, uses, n);
	} else {
		free(repeated);
		repeated = NULL;
	}
	free(uses);
	return repeated;
}

/* Limits of raw_check_declared. */
enum { DECLARED_FEW = 1 << 14, DECLARED_RATIO_MAX = 4 };

struct raw_checker {
	const struct raw_image *im;
	const struct symtab *names;
	struct prof_context *context;	/* of warnings */
	struct raw_program *program;	/* or NULL */
	struct raw_facts *facts;
	size_t last_end;		/* of the counters of the last record */
	uint64_t nameless, first_nameless;
	uint64_t total_counters, total_bitmap, total_names;
};

void
raw_check_rest(const struct raw_image *im, struct prof_context *context)
{
	uint64_t unknown = im->version_word & ~(uint64_t)UINT32_MAX &
	    ~im->row->variants;

	if (unknown != 0)
		warn_at(context, im->start + 8, "Version has variant bits "
		    "0x%016llx, which version %u does not know",
		    ull(unknown), im->row->version);
	for (int s = 0; s < RAW_S_VALUES; s++) {
		for (size_t i = im->at[s] + im->size[s]; i < im->at[s + 1];
		    i++) {
			if (im->file.data[i] == 0)
				continue;
			warn_at(context, i, "padding between sections is not "
			    "zero");
			return;
		}
	}
}

static enum prof_status
raw_check_record(struct raw_checker *c, uint64_t i, size_t *hint,
    struct prof_error *err)
{
	struct raw_facts *facts = c->facts;
	unsigned stamp = raw_stamp_counters(c->im);
	struct raw_record r;
	struct raw_place place;
	struct prof_span name;
	uint64_t guid;
	size_t symbol;

	raw_record_get(c->im, i, &r);
	if (raw_place(c->im, i, &r, &place, err) != PROF_OK)
		return PROF_FAIL;
	/* The time stamp takes the first 8 bytes of a function's counters. */
	if (r.num_counters < stamp)
		return err_at(err, PROF_E_CORRUPT,
		    raw_member_at(c->im, i, RAW_NUM_COUNTS), "record %llu: "
		    "NumCounters %u has no room for the %u of a time stamp",
		    ull(i), r.num_counters, stamp);
	if (raw_guid(c->im, i, &r, &guid, err) != PROF_OK)
		return PROF_FAIL;
	symbol = symtab_find(c->names, guid, hint);
	if (place.counters < c->last_end)
		facts->ascending = false;
	c->last_end = place.counters +
	    (size_t)r.num_counters * raw_counter_width(c->im);
	facts->sites += r.sites_size;
	hash_facts_add(&facts->hashes, r.func_hash);
	if (r.num_bitmap_bytes != 0)
		facts->any_bitmap = true;
	if (r.wave_size > facts->wave_size)
		facts->wave_size = r.wave_size;
	c->total_counters += r.num_counters;
	c->total_bitmap += r.num_bitmap_bytes;
	if (c->program != NULL)
		raw_program_add(c->program, i, &r, &place, symbol);
	if (symbol == SYMTAB_NONE) {
		if (c->nameless++ == 0)
			c->first_nameless = i;
		return PROF_OK;
	}
	name = c->names->symbols[symbol].name;
	c->total_names += name.size;
	if (!facts->any_rust)
		facts->any_rust = rust_mangled(name);
	return PROF_OK;
}

enum prof_status
raw_check_declared(const struct raw_image *im, const struct raw_declared *d,
    struct prof_error *err)
{
	if (d->declared <= DECLARED_FEW ||
	    d->declared / DECLARED_RATIO_MAX <= d->available)
		return PROF_OK;
	return err_at(err, PROF_E_LIMIT, im->at[RAW_S_DATA], "records claim "
	    "%llu %s, more than %d times the %llu of %s",
	    ull(d->declared), d->what, DECLARED_RATIO_MAX, ull(d->available),
	    d->of);
}

static enum prof_status
raw_check_totals(const struct raw_checker *c, struct prof_error *err)
{
	const struct raw_image *im = c->im;
	uint64_t names = 0;

	for (size_t i = 0; i < c->names->size; i++)
		names += c->names->symbols[i].name.size;
	if (raw_check_declared(im, &(struct raw_declared){ c->total_counters,
	    "counters", im->field[RAW_NUM_COUNTERS], "NumCounters" }, err)
	    != PROF_OK || raw_check_declared(im, &(struct raw_declared){
	    c->total_bitmap, "bitmap bytes", im->field[RAW_NUM_BITMAP_BYTES],
	    "NumBitmapBytes" }, err) != PROF_OK)
		return PROF_FAIL;
	return raw_check_declared(im, &(struct raw_declared){ c->total_names,
	    "bytes of names", names, "all names" }, err);
}

enum prof_status
raw_check(struct raw_reader *r, struct raw_program *program,
    struct prof_error *err)
{
	const struct raw_image *im = &r->im;
	struct raw_checker c = { .im = im, .names = &r->names->names.table,
	    .context = r->base.context, .program = program,
	    .facts = &r->facts };
	enum prof_status status = PROF_OK;
	struct prof_error stride = { 0 };
	size_t hint = 0;

	r->facts = (struct raw_facts){ .ascending = true };
	for (uint64_t i = 0; i < im->field[RAW_NUM_DATA] &&
	    status == PROF_OK; i++)
		status = raw_check_record(&c, i, &hint, err);
	/* Errors in many records may have one cause: it is reported instead. */
	if ((status == PROF_FAIL || c.nameless != 0) && raw_stride_check(im,
	    c.names, status == PROF_OK, &stride) != PROF_OK) {
		if (err != NULL && err->code != PROF_E_MEMORY)
			*err = stride;
		status = PROF_FAIL;
	}
	if (status == PROF_OK)
		status = raw_check_totals(&c, err);
	if (status == PROF_OK)
		raw_check_rest(im, c.context);
	if (status == PROF_OK && c.nameless != 0) {
		r->facts.warned = true;
		warn_at(c.context, raw_member_at(im, c.first_nameless,
		    RAW_NAME_REF), "NameRefs without a name: %llu",
		    ull(c.nameless));
	}
	return status;
}
