#include "format/raw/check.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "model/rust.h"
#include "format/raw/stride.h"

/* Limits of raw_check_declared. */
enum { DECLARED_FEW = 1 << 14, DECLARED_RATIO_MAX = 4 };

/* Bytes of the counter section, half-open. */
struct raw_counter_range {
	size_t start, end;
};

struct raw_name_and_hash {
	uint64_t name, hash;
};

struct raw_checker {
	const struct raw_image *im;
	const struct symtab *names;
	const struct raw_visitor *visitor;	/* or NULL */
	struct raw_facts *facts;
	struct raw_counter_range *ranges;	/* of all records */
	size_t last_end;		/* of the counters of the last record */
	bool ascending;			/* no counters begin before last_end */
	uint32_t *first;		/* by name: record + 1 that had it */
	struct raw_name_and_hash *repeated;	/* records of known names */
	size_t repeated_size, repeated_room;
	uint64_t nameless, first_nameless;
	uint64_t total_counters, total_bitmap, total_names;
};

static bool
raw_check_add_repeated(struct raw_checker *c, uint64_t name, uint64_t hash)
{
	return ARRAY_ADD(c->repeated, c->repeated_size, c->repeated_room,
	    (struct raw_name_and_hash){ name, hash });
}

/* Collects the records that share a name with another. */
static enum prof_status
raw_check_name(struct raw_checker *c, uint64_t i, uint64_t func_hash, size_t s,
    struct prof_error *err)
{
	struct raw_record before;

	if (s == SYMTAB_NONE) {
		if (c->nameless++ == 0)
			c->first_nameless = i;
		return PROF_OK;
	}
	c->total_names += c->names->symbols[s].name.size;
	if (!c->facts->any_rust)
		c->facts->any_rust = rust_mangled(c->names->symbols[s].name);
	if (c->first[s] == 0) {
		c->first[s] = (uint32_t)i + 1;
		return PROF_OK;
	}
	if (c->first[s] != UINT32_MAX) {
		raw_record_get(c->im, c->first[s] - 1, &before);
		c->first[s] = UINT32_MAX;
		if (!raw_check_add_repeated(c, s, before.func_hash))
			return err_memory(err);
	}
	if (!raw_check_add_repeated(c, s, func_hash))
		return err_memory(err);
	return PROF_OK;
}

static int
raw_check_compare_keys(const void *a, const void *b)
{
	const struct raw_name_and_hash *x = a, *y = b;

	if (x->name != y->name)
		return x->name < y->name ? -1 : 1;
	return (x->hash > y->hash) - (x->hash < y->hash);
}

static void
raw_check_warn_repeated(struct raw_checker *c, struct prof_context *context,
    struct raw_facts *facts)
{
	uint64_t n = 0;

	if (c->repeated_size == 0)
		return;
	qsort(c->repeated, c->repeated_size, sizeof(*c->repeated),
	    raw_check_compare_keys);
	for (size_t i = 1; i < c->repeated_size; i++)
		n += raw_check_compare_keys(&c->repeated[i - 1],
		    &c->repeated[i]) == 0;
	if (n == 0)
		return;
	facts->warned = true;
	warn_at(context, c->im->at[RAW_S_DATA], "%llu records repeat the name "
	    "and hash of another", (unsigned long long)n);
}

static void
raw_check_warn_nameless(const struct raw_checker *c,
    struct prof_context *context, struct raw_facts *facts)
{
	if (c->nameless == 0)
		return;
	facts->warned = true;
	warn_at(context, raw_member_at(c->im, c->first_nameless, RAW_NAME_REF),
	    "%llu records have a NameRef without a name",
	    (unsigned long long)c->nameless);
}

static int
raw_check_compare_ranges(const void *a, const void *b)
{
	const struct raw_counter_range *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* Counters of ascending records cannot overlap: nothing is sorted for these. */
static enum prof_status
raw_check_warn_overlaps(struct raw_checker *c, struct prof_context *context,
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
		c->ranges[i] = (struct raw_counter_range){ place.counters,
		    place.counters + (size_t)r.num_counters *
		    raw_counter_width(c->im) };
	}
	qsort(c->ranges, n, sizeof(*c->ranges), raw_check_compare_ranges);
	for (size_t i = 0; i < n; i++) {
		overlaps += c->ranges[i].start < end;
		if (c->ranges[i].end > end)
			end = c->ranges[i].end;
	}
	if (overlaps == 0)
		return PROF_OK;
	facts->warned = true;
	warn_at(context, c->im->at[RAW_S_DATA], "%llu records share counters "
	    "with another", (unsigned long long)overlaps);
	return PROF_OK;
}

static void
raw_check_variants(const struct raw_image *im, struct prof_context *context)
{
	uint64_t unknown = im->version_word & ~(uint64_t)UINT32_MAX &
	    ~im->row->variants;

	if (unknown != 0)
		warn_at(context, im->start + 8, "Version has variant bits "
		    "0x%016llx, which version %u does not know",
		    (unsigned long long)unknown, im->row->version);
}

static void
raw_check_padding(const struct raw_image *im, struct prof_context *context)
{
	for (const uint8_t *s = im->row->sections; s[0] != RAW_S_END &&
	    s[0] != RAW_S_VALUES; s++) {
		size_t end = im->at[s[1] == RAW_S_END ? RAW_S_VALUES : s[1]];

		for (size_t i = im->at[s[0]] + im->size[s[0]]; i < end; i++) {
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
raw_check_stamp(const struct raw_image *im, uint64_t i,
    const struct raw_record *r, struct prof_error *err)
{
	unsigned stamp = raw_stamp_counters(im);

	if (r->num_counters < stamp)
		return err_at(err, PROF_E_CORRUPT,
		    raw_member_at(im, i, RAW_NUM_COUNTS), "record %llu: "
		    "NumCounters %u has no room for the %u of a time stamp",
		    (unsigned long long)i, r->num_counters, stamp);
	return PROF_OK;
}

static enum prof_status
raw_check_record(struct raw_checker *c, uint64_t i, size_t *hint,
    struct prof_error *err)
{
	struct raw_facts *facts = c->facts;
	struct raw_record r;
	struct raw_place place;
	uint64_t guid;
	size_t symbol;

	raw_record_get(c->im, i, &r);
	if (raw_place(c->im, i, &r, &place, err) != PROF_OK ||
	    raw_check_stamp(c->im, i, &r, err) != PROF_OK ||
	    raw_guid(c->im, i, &r, &guid, err) != PROF_OK)
		return PROF_FAIL;
	symbol = symtab_find(c->names, guid, hint);
	if (place.counters < c->last_end)
		c->ascending = false;
	c->last_end = place.counters +
	    (size_t)r.num_counters * raw_counter_width(c->im);
	for (unsigned k = 0; k < c->im->value_kinds; k++)
		facts->sites += raw_value_sites(c->im, &r, k);
	if (r.func_hash >> 60 != 0)
		facts->any_hash_flags = true;
	if (r.num_bitmap_bytes != 0)
		facts->any_bitmap = true;
	if (r.wave_size > facts->wave_size)
		facts->wave_size = r.wave_size;
	c->total_counters += r.num_counters;
	c->total_bitmap += r.num_bitmap_bytes;
	if (c->visitor != NULL)
		c->visitor->visit(c->visitor->arg, i, &r, &place, symbol);
	return raw_check_name(c, i, r.func_hash, symbol, err);
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
	    (unsigned long long)d->declared, d->what, DECLARED_RATIO_MAX,
	    (unsigned long long)d->available, d->of);
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

/* Errors in many records may have one cause, which is reported instead. */
static enum prof_status
raw_check_explain(const struct raw_image *im, const struct symtab *names,
    enum prof_status status, struct prof_error *err)
{
	struct prof_error stride = { 0 };

	if (raw_stride_check(im, names, status == PROF_OK, &stride) == PROF_OK)
		return status;
	if (err != NULL && err->code != PROF_E_MEMORY)
		*err = stride;
	return PROF_FAIL;
}

void
raw_check_rest(const struct raw_image *im, struct prof_context *context)
{
	raw_check_variants(im, context);
	raw_check_padding(im, context);
}

enum prof_status
raw_check(const struct raw_check_input *in, struct raw_facts *facts,
    struct prof_error *err)
{
	const struct raw_image *im = in->im;
	struct raw_checker c = { .im = im, .names = in->names,
	    .visitor = in->visitor, .facts = facts, .ascending = true };
	enum prof_status status = PROF_OK;
	size_t hint = 0;

	*facts = (struct raw_facts){ 0 };
	c.first = calloc(in->names->size + 1, sizeof(*c.first));
	if (c.first == NULL)
		return err_memory(err);
	for (uint64_t i = 0; i < im->field[RAW_NUM_DATA] &&
	    status == PROF_OK; i++)
		status = raw_check_record(&c, i, &hint, err);
	if (status == PROF_FAIL || c.nameless != 0)
		status = raw_check_explain(im, in->names, status, err);
	if (status == PROF_OK)
		status = raw_check_totals(&c, err);
	if (status == PROF_OK)
		status = raw_check_warn_overlaps(&c, in->context, facts, err);
	if (status == PROF_OK) {
		raw_check_rest(im, in->context);
		raw_check_warn_repeated(&c, in->context, facts);
		raw_check_warn_nameless(&c, in->context, facts);
	}
	facts->ascending = c.ascending;
	free(c.first);
	free(c.repeated);
	free(c.ranges);
	return status;
}
