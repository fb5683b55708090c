#include "format/lprf/outline.h"

#include "base/error.h"

/* Stores the last function of a block. */
static enum prof_status
lprf2_outline_last(struct lprf2_outline *o, const struct prof_function *last,
    struct prof_error *err)
{
	struct prof_span name = last->symbol.name;

	o->last = *last;
	o->last_name.size = 0;
	buf_put(&o->last_name, name.data, name.size);
	o->last.symbol.name = buf_span(&o->last_name);
	return o->last_name.failed ? err_memory(err) : PROF_OK;
}

bool
lprf2_has_names_only(const struct lprf2_block *b)
{
	for (size_t i = LPRF2_N + 1; i < LPRF2_SECTIONS; i++) {
		if (b->raw[i] != 0)
			return false;
	}
	return true;
}

/*
 * Counts the memory of a block.  Functions of one name that follow one another
 * have the same bytes.
 */
static enum prof_status
lprf2_outline_memory(struct lprf2_outline *o, const struct lprf2_block *b,
    const struct prof_function *items, struct prof_error *err)
{
	const uint8_t *last = NULL;
	uint64_t more = 0;

	for (size_t i = 0; items != NULL && i < b->size; i++) {
		const struct prof_span *name = &items[i].symbol.name;

		more += LPRF2_MEMORY_COUNTER * (uint64_t)items[i].counts_size;
		if (name->data != last)
			more += name->size;
		last = name->data;
	}
	return lprf2_take_memory(&o->memory, b, more, b->at + b->stored, err);
}

enum prof_status
lprf2_outline_block(struct lprf2_outline *o, const struct lprf2_block *b,
    const struct prof_function *items, struct prof_error *err)
{
	bool same = o->kind == b->kind;
	struct lprf2_entry e = { .kind = b->kind, .at = b->at };

	if (o->kind > b->kind || (same && items != NULL &&
	    lprf2_compare_symbols(&o->last.symbol, &items[0].symbol) >= 0))
		return err_at(err, PROF_E_CORRUPT, b->at, "block: it does not "
		    "follow the one before it");
	if (items == NULL && !lprf2_has_names_only(b))
		return err_at(err, PROF_E_CORRUPT, b->at,
		    "block: records have other sections than N");
	if (lprf2_outline_memory(o, b, items, err) != PROF_OK)
		return PROF_FAIL;
	if (items != NULL)
		e.separator = lprf2_separator(same ? &o->last.symbol : NULL,
		    &items[0].symbol);
	if (!lprf2_index_add(&o->index, 0, &e))
		return err_memory(err);
	o->kind = b->kind;
	if (o->kind == LPRF2_TAIL && o->seen.tail == 0)
		o->seen.tail = b->at;
	if (items == NULL)
		return PROF_OK;
	o->seen.functions += b->size;
	return lprf2_outline_last(o, &items[b->size - 1], err);
}

/* A block of the index lists the blocks since the last one of its level. */
enum prof_status
lprf2_outline_index(struct lprf2_outline *o, const struct lprf2_block *b,
    struct prof_error *err)
{
	const struct lprf2_building *own = b->level + 1 < LPRF2_LEVELS ?
	    &o->index.levels[b->level].block : NULL;

	if (own == NULL || own->size != b->size ||
	    !lprf2_has_names_only(b) ||
	    !prof_span_equal(b->sections[LPRF2_N],
	    buf_span(&own->sections[LPRF2_N])))
		return err_at(err, PROF_E_CORRUPT, b->at, "index: it does not "
		    "match the blocks before it, on level %u", b->level);
	o->seen.root = b->at;
	if (lprf2_outline_memory(o, b, NULL, err) != PROF_OK)
		return PROF_FAIL;
	return lprf2_index_close(&o->index, b->level, b->at) ? PROF_OK :
	    err_memory(err);
}

/* One entry is left, of the root, which no block lists. */
enum prof_status
lprf2_outline_end(const struct lprf2_outline *o, const struct lprf2_trailer *t,
    uint64_t at, struct prof_error *err)
{
	unsigned height = lprf2_index_height(&o->index);
	size_t left = 0;

	for (unsigned i = 0; i < height; i++)
		left += o->index.levels[i].block.size;
	if (left != 1 || o->seen.root != t->root ||
	    o->index.levels[height - 1].last != t->root)
		return err_at(err, PROF_E_CORRUPT, at, "trailer: "
		    "the root of the index is not at 0x%llx, or does not list "
		    "all blocks", ull(t->root));
	if (o->seen.functions != t->functions || o->seen.tail != t->tail)
		return err_at(err, PROF_E_CORRUPT, at, "trailer: %llu "
		    "functions and records at 0x%llx, but %llu and at 0x%llx "
		    "were found", ull(t->functions), ull(t->tail),
		    ull(o->seen.functions), ull(o->seen.tail));
	return PROF_OK;
}

void
lprf2_outline_free(struct lprf2_outline *o)
{
	lprf2_index_free(&o->index);
	buf_free(&o->last_name);
}
