#include "format/lprf/lookup.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"

/* The highest level of an index, where the path begins. */
enum { ROOT = LPRF2_LEVELS - 2 };

/* Reads a block, unless it is the last one that was read. */
static enum prof_status
lprf2_load(struct lprf2_lookup *l, uint64_t at, struct lprf2_block *b,
    struct prof_error *err)
{
	if (b->stored != 0 && b->at == at)
		return PROF_OK;
	if (at < LPRF2_HEADER || at >= l->image.size)
		return err_at(err, PROF_E_CORRUPT, at, "index: a block is "
		    "listed at 0x%llx, outside the file", ull(at));
	if (lprf2_get_block_within(l->image, at, b, err) == PROF_OK &&
	    lprf2_take_memory(&l->memory, b, 0, l->image.size, err) == PROF_OK)
		return PROF_OK;
	b->stored = 0;
	return PROF_FAIL;
}

enum prof_status
lprf2_check_root(struct lprf2_lookup *l, struct prof_error *err)
{
	const struct lprf2_block *root = &l->path[ROOT];
	struct lprf2_block b;

	if (lprf2_load(l, l->root, &l->path[ROOT], err) != PROF_OK)
		return PROF_FAIL;
	for (uint64_t at = l->root + root->stored; at < l->image.size;
	    at += b.stored) {
		if (lprf2_get_block_within(l->image, at, &b, err) != PROF_OK)
			return PROF_FAIL;
		if (b.kind < LPRF2_SKIPPED)
			return err_at(err, PROF_E_CORRUPT, at, "index: a block "
			    "of kind %u follows the root at 0x%llx",
			    (unsigned)b.kind, ull(l->root));
	}
	return PROF_OK;
}

/* Descends to the block that may have the name; each level is lower. */
static enum prof_status
lprf2_descend(struct lprf2_lookup *l, struct prof_span name, uint64_t *at,
    struct prof_error *err)
{
	unsigned limit = ROOT + 1;
	struct lprf2_entry e = { .at = l->root };
	enum prof_status status;

	do {
		struct lprf2_block *b = &l->path[limit - 1];

		if (lprf2_load(l, e.at, b, err) != PROF_OK ||
		    lprf2_inflate(b, l->packer, &l->arena, err) != PROF_OK)
			return PROF_FAIL;
		if (b->kind != LPRF2_INDEX || b->level >= limit)
			return err_at(err, PROF_E_CORRUPT, e.at, "index: there "
			    "is no block of a level below %u", limit);
		limit = b->level;
		status = lprf2_index_search(b, name, &e, err);
		if (status != PROF_OK)
			return status;
	} while (limit != 0);
	*at = e.at;
	return e.kind == LPRF2_NAMES ? PROF_OK : PROF_END;
}

/* Reads the functions between two names of the block, unless they were read. */
static enum prof_status
lprf2_load_functions(struct lprf2_lookup *l, uint64_t at,
    struct prof_span first, struct prof_span last, struct prof_error *err)
{
	if (l->items != NULL && l->block.at == at)
		return PROF_OK;
	l->items = NULL;
	if (lprf2_load(l, at, &l->block, err) != PROF_OK)
		return PROF_FAIL;
	if (l->block.kind != LPRF2_NAMES)
		return err_at(err, PROF_E_CORRUPT, at, "block: there are no "
		    "functions where the index has some");
	l->items = lprf2_decode_between(&l->block, first, last,
	    &l->items_size, l->packer, &l->arena, err);
	if (l->items == NULL)
		return PROF_FAIL;
	l->memory += l->block.members;
	for (size_t i = 0; i < l->items_size; i++)
		l->memory += LPRF2_MEMORY_COUNTER *
		    (uint64_t)l->items[i].counts_size +
		    l->items[i].symbol.name.size;
	return PROF_OK;
}

/* The first function that was read and is not below the name. */
static size_t
lprf2_lower_bound(const struct lprf2_lookup *l, struct prof_span name)
{
	size_t low = 0, high = l->items_size;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (prof_span_compare(l->items[middle].symbol.name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Finds the functions of a name; others are looked for up to the last one. */
static enum prof_status
lprf2_find_name(struct lprf2_lookup *l, struct prof_span name,
    struct prof_span last, struct prof_error *err)
{
	size_t before = l->size;
	enum prof_status status;
	uint64_t at = 0;

	status = name.size == 0 ? PROF_END : lprf2_descend(l, name, &at, err);
	if (status == PROF_OK)
		status = lprf2_load_functions(l, at, name, last, err);
	if (status != PROF_OK)
		return status;
	for (size_t i = lprf2_lower_bound(l, name); i < l->items_size &&
	    prof_span_equal(l->items[i].symbol.name, name); i++) {
		if (!ARRAY_ADD(l->found, l->size, l->room, l->items[i]))
			return err_memory(err);
	}
	return l->size == before ? PROF_END : PROF_OK;
}

enum prof_status
lprf2_look_up(struct lprf2_lookup *l, const struct prof_span *names, size_t n,
    struct prof_error *err)
{
	enum prof_status status = PROF_OK;

	for (size_t i = 0; i < n && status == PROF_OK; i++)
		status = lprf2_find_name(l, names[i], names[n - 1], err);
	return status;
}

static int
lprf2_compare_ranges(const void *a, const void *b)
{
	const struct lprf2_range *x = a, *y = b;

	return prof_span_compare(x->text, y->text);
}

bool
lprf2_set_ranges(struct lprf2_lookup *l, const struct prof_reader *r)
{
	l->ranges_size = r->selected_size + r->prefixes_size;
	l->ranges = calloc(l->ranges_size, sizeof(*l->ranges));
	if (l->ranges == NULL)
		return false;
	for (size_t i = 0; i < r->selected_size; i++)
		l->ranges[i].text = r->selected[i];
	for (size_t i = 0; i < r->prefixes_size; i++)
		l->ranges[r->selected_size + i] = (struct lprf2_range){
		    r->prefixes[i], true };
	qsort(l->ranges, l->ranges_size, sizeof(*l->ranges),
	    lprf2_compare_ranges);
	return true;
}

/* Whether no name of the range is above the last one that was read. */
static bool
lprf2_range_ends(const struct lprf2_range *r, struct prof_span last)
{
	return prof_span_compare(r->text, last) <= 0 &&
	    !(r->prefix && prof_span_begins_in(last, &r->text, 1));
}

enum prof_status
lprf2_next_range(struct lprf2_lookup *l, const struct prof_span *last,
    uint64_t *at, struct prof_error *err)
{
	for (; l->range < l->ranges_size; l->range++) {
		const struct lprf2_range *r = &l->ranges[l->range];
		enum prof_status status;
		uint64_t found = 0;

		if (last != NULL && lprf2_range_ends(r, *last))
			continue;
		if (last != NULL && prof_span_compare(r->text, *last) <= 0)
			return PROF_OK;
		status = lprf2_descend(l, r->text, &found, err);
		if (status == PROF_FAIL)
			return status;
		if (status == PROF_END || found < *at)
			continue;
		*at = found;
		return PROF_OK;
	}
	return PROF_END;
}

void
lprf2_lookup_free(struct lprf2_lookup *l)
{
	free(l->ranges);
	arena_free(&l->arena);
	free(l->found);
}
