#include "format/indexed/record.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/value_data.h"

/* Reads n words; `at` is the offset of n, for the error.  NULL on error. */
static const uint8_t *
record_read_words(struct cursor *c, uint64_t n, size_t at, const char *field,
    struct prof_error *err)
{
	if (n > cur_left(c) / 8) {
		err_at(err, PROF_E_CORRUPT, at, "%s %llu exceeds the %zu bytes "
		    "left of DataLength", field, (unsigned long long)n,
		    cur_left(c));
		return NULL;
	}
	return cur_bytes(c, n * 8);
}

static enum prof_status
record_read_bitmap(struct cursor *c, struct indexed_record *record,
    struct prof_error *err)
{
	size_t at = c->pos;
	uint64_t n = cur_u64(c);

	if (c->failed)
		return err_at(err, PROF_E_CORRUPT, at, "NumBitmapBytes is cut "
		    "off by DataLength");
	record->bitmap = record_read_words(c, n, at, "NumBitmapBytes", err);
	record->num_bitmap_bytes = (size_t)n;
	return record->bitmap == NULL ? PROF_FAIL : PROF_OK;
}

/* Checks the size of the value data only. */
static enum prof_status
record_skip_values(struct cursor *c, struct indexed_record *record,
    struct prof_error *err)
{
	size_t at = c->pos, left = cur_left(c);
	uint32_t size = cur_u32(c);

	record->values = at;
	if (c->failed || size < 8 || size % 8 != 0 ||
	    cur_bytes(c, size - 4) == NULL)
		return err_at(err, PROF_E_CORRUPT, at, "value data: TotalSize "
		    "%u is not a multiple of 8 from 8 to the %zu bytes left of "
		    "DataLength", size, left);
	return PROF_OK;
}

enum prof_status
indexed_record_read(const struct indexed_row *row, struct cursor *c,
    struct indexed_record *record, struct prof_error *err)
{
	size_t at = c->pos;
	uint64_t n;

	*record = (struct indexed_record){ .hash = cur_u64(c) };
	n = row->num_counts ? cur_u64(c) : cur_left(c) / 8;
	if (c->failed)
		return err_at(err, PROF_E_CORRUPT, at, "a record begins in "
		    "the last %zu bytes of DataLength", c->size - at);
	if (record->hash >= INDEXED_HASH_RESERVED)
		return err_at(err, PROF_E_CORRUPT, at, "function hash "
		    "0x%016llx is not one that a function can have",
		    (unsigned long long)record->hash);
	if (n == 0)
		return err_at(err, PROF_E_CORRUPT, at, "a record has no "
		    "counters");
	record->counts = record_read_words(c, n, at + 8, "NumCounts", err);
	record->num_counts = (size_t)n;
	if (record->counts == NULL ||
	    (row->bitmap && record_read_bitmap(c, record, err) != PROF_OK))
		return PROF_FAIL;
	return row->value_kinds == 0 ? PROF_OK : record_skip_values(c, record,
	    err);
}

enum prof_status
indexed_check_kinds(const struct indexed_row *row,
    const struct indexed_record *record,
    const struct prof_sites sites[PROF_VALUE_KINDS], struct prof_error *err)
{
	for (unsigned k = row->value_kinds; k < PROF_VALUE_KINDS; k++) {
		if (sites[k].size != 0)
			return err_at(err, PROF_E_CORRUPT, record->values,
			    "value data: Kind %u is not one of the %u of "
			    "version %u", k, row->value_kinds, row->version);
	}
	return PROF_OK;
}

bool
indexed_count_sites(struct cursor *c, const struct indexed_row *row,
    struct indexed_site_counts *out)
{
	unsigned kinds = row->value_kinds;
	uint64_t head = cur_u64(c), size = head & UINT32_MAX, last = 0;
	struct cursor block = *c;

	*out = (struct indexed_site_counts){ { 0 } };
	if (c->failed || size < 8 || size % 8 != 0 ||
	    cur_bytes(c, size - 8) == NULL || head >> 32 > kinds)
		return false;
	block.size = c->pos;
	for (uint64_t i = 0; i < head >> 32; i++) {
		uint64_t kind = cur_u32(&block), n = cur_u32(&block);
		const uint8_t *values = cur_bytes(&block, n);
		uint64_t total = 0;

		if (values == NULL || n == 0 || kind >= kinds ||
		    (i != 0 && kind <= last))
			return false;
		for (uint64_t k = 0; k < n; k++)
			total += values[k];
		cur_bytes(&block, pad8(n));
		cur_bytes(&block, total * 16);
		out->sites[kind] = (uint32_t)n;
		last = kind;
	}
	return !block.failed && cur_left(&block) == 0;
}

const uint64_t *
indexed_record_counts(const struct indexed_record *record, struct arena *a)
{
	const uint8_t *p = record->counts;
	uint64_t *counts;

	if (host_order(false) && (uintptr_t)p % _Alignof(uint64_t) == 0)
		return (const void *)p;
	counts = arena_array(a, record->num_counts, sizeof(*counts));
	if (counts == NULL)
		return NULL;
	indexed_copy_words(counts, p, record->num_counts);
	return counts;
}

enum prof_status
indexed_record_bitmap(const struct indexed_record *record,
    const uint8_t *start, struct arena *a, struct prof_span *out,
    struct prof_error *err)
{
	size_t size = record->num_bitmap_bytes;
	uint8_t *bytes;

	if (size == 0)
		return PROF_OK;
	bytes = arena_alloc(a, size);
	if (bytes == NULL)
		return err_memory(err);
	for (size_t i = 0; i < size; i++) {
		const uint8_t *p = record->bitmap + 8 * i;
		uint64_t word = load_u64(p, false);

		if (word > UINT8_MAX)
			return err_at(err, PROF_E_CORRUPT,
			    (uint64_t)(p - start), "bitmap byte 0x%llx is "
			    "more than 8 bits", (unsigned long long)word);
		bytes[i] = (uint8_t)word;
	}
	*out = (struct prof_span){ bytes, size };
	return PROF_OK;
}

static void
record_write_bitmap(struct buf *b, struct prof_span bitmap)
{
	buf_u64le(b, bitmap.size);
	for (size_t i = 0; i < bitmap.size; i++)
		buf_u64le(b, bitmap.data[i]);
}

/* Descending; values of equal counts keep their order in the array. */
static int
record_compare_counts(const void *a, const void *b)
{
	const struct prof_value *const *x = a, *const *y = b;

	if ((*x)->count != (*y)->count)
		return (*x)->count > (*y)->count ? -1 : 1;
	return (*x > *y) - (*x < *y);
}

static bool
site_is_sorted(const struct prof_site *site)
{
	for (size_t i = 1; i < site->size; i++) {
		if (site->values[i - 1].count < site->values[i].count)
			return false;
	}
	return true;
}

static bool
site_sort(struct arena *a, struct prof_site *site)
{
	const struct prof_value **order;
	struct prof_value *sorted;

	if (site_is_sorted(site))
		return true;
	order = arena_array(a, site->size, sizeof(*order));
	sorted = arena_array(a, site->size, sizeof(*sorted));
	if (order == NULL || sorted == NULL)
		return false;
	for (size_t i = 0; i < site->size; i++)
		order[i] = &site->values[i];
	qsort(order, site->size, sizeof(*order), record_compare_counts);
	for (size_t i = 0; i < site->size; i++)
		sorted[i] = *order[i];
	site->values = sorted;
	return true;
}

/* Most sites are sorted already and are not copied. */
static bool
sites_sort(struct arena *a, struct prof_sites *sites)
{
	struct prof_site *sorted;
	size_t i = 0;

	while (i < sites->size && site_is_sorted(&sites->sites[i]))
		i++;
	if (i == sites->size)
		return true;
	sorted = arena_array(a, sites->size, sizeof(*sorted));
	if (sorted == NULL)
		return false;
	for (i = 0; i < sites->size; i++) {
		sorted[i] = sites->sites[i];
		if (!site_sort(a, &sorted[i]))
			return false;
	}
	sites->sites = sorted;
	return true;
}

static enum prof_status
record_write_values(struct indexed_encoder *e, const struct prof_function *f,
    struct buf *b, struct prof_error *err)
{
	unsigned kinds = e->row->value_kinds;
	struct prof_sites sites[PROF_VALUE_KINDS];
	size_t start = b->size;

	if (kinds == 0)
		return PROF_OK;
	for (unsigned k = 0; k < kinds; k++) {
		sites[k] = f->values[k];
		if (!sites_sort(&e->scratch, &sites[k]))
			return err_memory(err);
	}
	values_write(b, sites, kinds, false, &e->cut);
	if (b->size - start > UINT32_MAX)
		return err_set(err, PROF_E_LIMIT, "value data of a function: "
		    "%zu bytes exceed 32 bits", b->size - start);
	return PROF_OK;
}

size_t
indexed_head_size(const struct indexed_row *row, size_t counts_size)
{
	return 8 * ((row->num_counts ? 2 : 1) + counts_size);
}

void
indexed_head_write(const struct indexed_row *row, uint64_t hash,
    const uint64_t *counts, size_t counts_size, struct buf *out)
{
	buf_u64le(out, hash);
	if (row->num_counts)
		buf_u64le(out, counts_size);
	buf_words(out, counts, counts_size, false);
}

enum prof_status
indexed_tail_write(struct indexed_encoder *e, const struct prof_function *f,
    struct buf *out, struct prof_error *err)
{
	if (e->row->bitmap)
		record_write_bitmap(out, f->bitmap);
	return record_write_values(e, f, out, err);
}
