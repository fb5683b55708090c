#include "format/raw/check.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "model/rust.h"
#include "format/raw/stride.h"
#include "model/variants.h"

/* Claims of so many things, or so many times what there is, are fine. */
enum { CLAIMS_FEW = 1 << 14, CLAIMS_MAX = 4 };

/* A half-open run of bytes of the counter section. */
struct range {
	size_t start, end;
};

struct key {
	uint64_t name, hash;
};

struct check {
	const struct raw_image *im;
	const struct symtab *names;
	const struct raw_visitor *visitor;	/* or NULL */
	struct range *ranges;		/* of counters, while they ascend */
	size_t last_end;
	bool ascending;
	uint32_t *first;		/* by name: record + 1 that had it */
	struct key *repeated;		/* records whose name was there */
	size_t repeated_size, repeated_room;
	uint64_t nameless, first_nameless;
	uint64_t claimed_counters, claimed_bitmap, claimed_names;
};

static bool
remember(struct check *c, uint64_t name, uint64_t hash)
{
	struct key *p = array_room(c->repeated, c->repeated_size,
	    &c->repeated_room, sizeof(*p));

	if (p == NULL)
		return false;
	c->repeated = p;
	c->repeated[c->repeated_size++] = (struct key){ name, hash };
	return true;
}

/* Notes names that two records share; there are few of them. */
static enum prof_status
note_name(struct check *c, uint64_t i, const struct raw_record *r, size_t s,
    struct raw_facts *facts, struct prof_error *err)
{
	struct raw_record before;

	if (s == SYMTAB_NONE) {
		if (c->nameless++ == 0)
			c->first_nameless = i;
		return PROF_OK;
	}
	c->claimed_names += c->names->symbols[s].name.size;
	if (!facts->any_rust)
		facts->any_rust = rust_mangled(c->names->symbols[s].name);
	if (c->first[s] == 0) {
		c->first[s] = (uint32_t)i + 1;
		return PROF_OK;
	}
	if (c->first[s] != UINT32_MAX) {
		raw_record_get(c->im, c->first[s] - 1, &before);
		c->first[s] = UINT32_MAX;
		if (!remember(c, s, before.func_hash))
			return err_memory(err);
	}
	if (!remember(c, s, r->func_hash))
		return err_memory(err);
	return PROF_OK;
}

static int
compare_keys(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	if (x->name != y->name)
		return x->name < y->name ? -1 : 1;
	return (x->hash > y->hash) - (x->hash < y->hash);
}

static void
warn_repeated(struct check *c, struct prof_context *context,
    struct raw_facts *facts)
{
	uint64_t n = 0;

	if (c->repeated_size == 0)
		return;
	qsort(c->repeated, c->repeated_size, sizeof(*c->repeated),
	    compare_keys);
	for (size_t i = 1; i < c->repeated_size; i++)
		n += compare_keys(&c->repeated[i - 1], &c->repeated[i]) == 0;
	if (n == 0)
		return;
	facts->odd = true;
	warn_at(context, c->im->at[RAW_S_DATA], "%llu records repeat the name "
	    "and hash of another", (unsigned long long)n);
}

static void
warn_nameless(const struct check *c, struct prof_context *context,
    struct raw_facts *facts)
{
	if (c->nameless == 0)
		return;
	facts->odd = true;
	warn_at(context, raw_member_at(c->im, c->first_nameless, RAW_NAME_REF),
	    "%llu records have a NameRef without a name",
	    (unsigned long long)c->nameless);
}

static int
compare_ranges(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* Only an image whose records do not ascend needs the sorting. */
static enum prof_status
warn_overlaps(struct check *c, struct prof_context *context,
    struct raw_facts *facts, struct prof_error *err)
{
	size_t n = (size_t)c->im->field[RAW_NUM_DATA], end = 0;
	uint64_t overlaps = 0;

	if (c->ascending)
		return PROF_OK;
	c->ranges = calloc(n, sizeof(*c->ranges));
	if (c->ranges == NULL)
		return err_memory(err);
	for (size_t i = 0; i < n; i++) {
		struct raw_record r;
		struct raw_place place;

		raw_record_get(c->im, i, &r);
		if (raw_place(c->im, i, &r, &place, err) != PROF_OK)
			return PROF_FAIL;
		c->ranges[i] = (struct range){ place.counters,
		    place.counters + (size_t)r.num_counters *
		    raw_counter_width(c->im) };
	}
	qsort(c->ranges, n, sizeof(*c->ranges), compare_ranges);
	for (size_t i = 0; i < n; i++) {
		overlaps += c->ranges[i].start < end;
		if (c->ranges[i].end > end)
			end = c->ranges[i].end;
	}
	if (overlaps == 0)
		return PROF_OK;
	facts->odd = true;
	warn_at(context, c->im->at[RAW_S_DATA], "%llu records share counters "
	    "with another", (unsigned long long)overlaps);
	return PROF_OK;
}

static void
warn_variants(const struct raw_image *im, struct prof_context *context)
{
	uint64_t odd = im->version_word & ~(uint64_t)UINT32_MAX &
	    ~im->row->variants;

	if (odd != 0)
		warn_at(context, im->start + 8, "Version has variant bits "
		    "0x%016llx, which version %u does not know",
		    (unsigned long long)odd, im->row->version);
}

static void
warn_padding(const struct raw_image *im, struct prof_context *context)
{
	for (int s = RAW_S_IDS; s < RAW_S_VALUES; s++) {
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

/* The time stamp takes the first 8 bytes of a function's counters. */
static enum prof_status
check_stamp(const struct raw_image *im, uint64_t i,
    const struct raw_record *r, struct prof_error *err)
{
	unsigned stamp = 8 / raw_counter_width(im);

	if (im->version_word & VARIANT_TEMPORAL && r->num_counters < stamp)
		return err_at(err, PROF_E_CORRUPT,
		    raw_member_at(im, i, RAW_NUM_COUNTS), "record %llu: "
		    "NumCounters %u has no room for the %u of a time stamp",
		    (unsigned long long)i, r->num_counters, stamp);
	return PROF_OK;
}

static enum prof_status
check_record(struct check *c, uint64_t i, size_t *hint,
    struct raw_facts *facts, struct prof_error *err)
{
	struct raw_record r;
	struct raw_place place;
	uint64_t guid;
	size_t symbol;

	raw_record_get(c->im, i, &r);
	if (raw_place(c->im, i, &r, &place, err) != PROF_OK ||
	    check_stamp(c->im, i, &r, err) != PROF_OK ||
	    raw_guid(c->im, i, &r, &guid, err) != PROF_OK)
		return PROF_FAIL;
	symbol = symtab_find(c->names, guid, hint);
	if (place.counters < c->last_end)
		c->ascending = false;
	c->last_end = place.counters +
	    (size_t)r.num_counters * raw_counter_width(c->im);
	for (unsigned k = 0; k < c->im->value_kinds; k++) {
		facts->sites += raw_value_sites(c->im, &r, k);
	}
	if (r.func_hash >> 60 != 0)
		facts->any_hash_flags = true;
	if (r.num_bitmap_bytes != 0)
		facts->any_bitmap = true;
	if (r.wave_size > facts->wave_size)
		facts->wave_size = r.wave_size;
	c->claimed_counters += r.num_counters;
	c->claimed_bitmap += r.num_bitmap_bytes;
	if (c->visitor != NULL)
		c->visitor->visit(c->visitor->arg, i, &r, &place, symbol);
	return note_name(c, i, &r, symbol, facts, err);
}

enum prof_status
raw_check_program(const struct raw_image *im, uint64_t claimed, const char *what,
    uint64_t there, const char *of, struct prof_error *err)
{
	if (claimed <= CLAIMS_FEW || claimed / CLAIMS_MAX <= there)
		return PROF_OK;
	return err_at(err, PROF_E_LIMIT, im->at[RAW_S_DATA], "records claim "
	    "%llu %s, more than %d times the %llu of %s",
	    (unsigned long long)claimed, what, CLAIMS_MAX,
	    (unsigned long long)there, of);
}

static enum prof_status
check_claims(const struct check *c, struct prof_error *err)
{
	const struct raw_image *im = c->im;
	uint64_t names = 0;

	for (size_t i = 0; i < c->names->size; i++)
		names += c->names->symbols[i].name.size;
	if (raw_check_program(im, c->claimed_counters, "counters",
	    im->field[RAW_NUM_COUNTERS], "NumCounters", err) != PROF_OK ||
	    raw_check_program(im, c->claimed_bitmap, "bitmap bytes",
	    im->field[RAW_NUM_BITMAP_BYTES], "NumBitmapBytes", err) != PROF_OK)
		return PROF_FAIL;
	return raw_check_program(im, c->claimed_names, "bytes of names", names,
	    "all names", err);
}

/* What is wrong with many records may be one thing. */
static enum prof_status
explain(const struct raw_image *im, const struct symtab *names,
    enum prof_status status, struct prof_error *err)
{
	struct prof_error stride = { 0 };

	if (raw_stride_check(im, names, &stride) == PROF_OK)
		return status;
	if (err != NULL && err->code != PROF_E_MEMORY)
		*err = stride;
	return PROF_FAIL;
}

void
raw_check_rest(const struct raw_image *im, struct prof_context *context)
{
	warn_variants(im, context);
	warn_padding(im, context);
}

enum prof_status
raw_check(const struct raw_image *im, const struct symtab *names,
    struct prof_context *context, const struct raw_visitor *visitor,
    struct raw_facts *facts, struct prof_error *err)
{
	struct check c = { .im = im, .names = names, .visitor = visitor,
	    .ascending = true };
	enum prof_status status = PROF_OK;
	size_t hint = 0;

	*facts = (struct raw_facts){ 0 };
	c.first = calloc(names->size + 1, sizeof(*c.first));
	if (c.first == NULL)
		return err_memory(err);
	for (uint64_t i = 0; i < im->field[RAW_NUM_DATA] &&
	    status == PROF_OK; i++)
		status = check_record(&c, i, &hint, facts, err);
	if (status == PROF_FAIL || c.nameless != 0)
		status = explain(im, names, status, err);
	if (status == PROF_OK)
		status = check_claims(&c, err);
	if (status == PROF_OK)
		status = warn_overlaps(&c, context, facts, err);
	if (status == PROF_OK) {
		raw_check_rest(im, context);
		warn_repeated(&c, context, facts);
		warn_nameless(&c, context, facts);
	}
	facts->ascending = c.ascending;
	free(c.first);
	free(c.repeated);
	free(c.ranges);
	return status;
}
