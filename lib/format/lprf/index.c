#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "format/lprf/v2.h"

/* The separator of a block behind a function, which is NULL for the first. */
static struct prof_symbol
lprf2_separator(const struct prof_symbol *last, const struct prof_symbol *first)
{
	struct prof_symbol s = *first;
	size_t shared = 0;

	if (first->name.size == 0)
		return s;
	while (last != NULL && shared < last->name.size &&
	    shared < first->name.size &&
	    last->name.data[shared] == first->name.data[shared])
		shared++;
	if (shared < s.name.size)
		s.name.size = shared + 1;
	return s;
}

/* Adds an entry to a level; false if out of memory. */
static bool
lprf2_index_add(struct lprf2_index *x, unsigned level,
    const struct lprf2_entry *e)
{
	struct lprf2_building *b = &x->levels[level].block;
	struct buf *n = &b->sections[LPRF2_N];
	struct buf *first = &x->levels[level].first_name;

	b->kind = LPRF2_INDEX;
	/* The first entry of a block stands for it on the next level. */
	if (b->size == 0) {
		first->size = 0;
		buf_put(first, e->separator.name.data, e->separator.name.size);
		if (first->failed)
			return false;
		x->levels[level].first = *e;
		x->levels[level].first.separator.name = buf_span(first);
		x->levels[level].last = 0;
		x->levels[level].last_name.size = 0;
	}
	b->level = (uint8_t)level;
	buf_u8(n, (uint8_t)e->kind);
	buf_uleb(n, e->at - x->levels[level].last);
	if (e->kind == LPRF2_GUIDS) {
		buf_u64le(n, e->separator.guid);
	} else if (e->kind == LPRF2_NAMES) {
		struct buf *last = &x->levels[level].last_name;

		lprf2_put_suffix(n, buf_span(last), e->separator.name);
		last->size = 0;
		buf_put(last, e->separator.name.data, e->separator.name.size);
	}
	x->levels[level].last = e->at;
	b->size++;
	return !n->failed && !x->levels[level].last_name.failed;
}

/*
 * The block of a level was written, or read, at an offset: empties it, and adds
 * it to the next level.  False if out of memory.
 */
static bool
lprf2_index_close(struct lprf2_index *x, unsigned level, uint64_t at)
{
	struct lprf2_entry e = x->levels[level].first;

	x->levels[level].block.sections[LPRF2_N].size = 0;
	x->levels[level].block.size = 0;
	e.at = at;
	return lprf2_index_add(x, level + 1, &e);
}

/*
 * Reads the next entry, *e being the one before it or all zero, and compares it
 * with a name; PROF_END if it is wrong.
 */
static enum prof_status
lprf2_index_next(struct lprf2_names *in, struct lprf2_place *place,
    struct lprf2_entry *e, int *order)
{
	struct lprf2_suffix s;
	uint64_t distance;

	e->kind = (enum lprf2_kind)cur_u8(&in->in);
	distance = cur_uleb(&in->in);
	if (in->in.failed || !add_u64(e->at, distance, &e->at) ||
	    e->kind < LPRF2_HEAD || e->kind > LPRF2_TAIL)
		return PROF_END;
	*order = e->kind < LPRF2_NAMES ? -1 : 1;
	if (e->kind == LPRF2_GUIDS)
		cur_u64(&in->in);
	if (e->kind != LPRF2_NAMES)
		return in->in.failed ? PROF_END : PROF_OK;
	if (lprf2_next_suffix(in, &s) != NULL)
		return PROF_END;
	*order = lprf2_place_next(place, &s);
	return PROF_OK;
}

/*
 * Finds the last entry of an inflated block of the index that is not above a
 * name: its kind and offset.  PROF_END if all entries are above the name.
 */
static enum prof_status
lprf2_index_search(const struct lprf2_block *b, struct prof_span name,
    struct lprf2_entry *found, struct prof_error *err)
{
	struct lprf2_names in = { .in = { .data = b->sections[LPRF2_N].data,
	    .size = b->sections[LPRF2_N].size } };
	struct lprf2_place place = { .name = name };
	struct lprf2_entry e = { .at = 0 };
	int order = 0;

	found->kind = 0;
	for (size_t i = 0; i < b->size; i++) {
		if (lprf2_index_next(&in, &place, &e, &order) != PROF_OK)
			return err_at(err, PROF_E_CORRUPT, b->at, "index: "
			    "entry %zu of %u exceeds its section, or its kind "
			    "is unknown", i + 1, b->size);
		if (order > 0)
			break;
		*found = e;
	}
	return found->kind == 0 ? PROF_END : PROF_OK;
}

static uint64_t
lprf2_file_at(const struct lprf2_file *f)
{
	return f->taken + f->out.size;
}

bool
lprf2_file_is_full(const struct lprf2_file *f)
{
	return f->memory + LPRF2_MEMORY_BLOCK >
	    lprf2_memory_max(lprf2_file_at(f));
}

/*
 * Puts a block.  It is not packed if a reader could not take what it holds from
 * fewer bytes, which may be so if it has many value sites.
 */
static enum prof_status
lprf2_file_put(struct lprf2_file *f, struct lprf2_building *b,
    struct prof_error *err)
{
	struct lprf2_block block = { .kind = b->kind, .size = b->size };

	if (!lprf2_join(b))
		return err_memory(err);
	f->memory += lprf2_memory(&block, b->memory);
	for (size_t i = 0; i < LPRF2_SECTIONS; i++)
		f->memory += b->sections[i].size;
	b->plain = b->plain || f->memory > lprf2_memory_max(lprf2_file_at(f));
	return lprf2_put_block(b, f->packer, &f->out, err);
}

/* Puts the block of a level of the index. */
static enum prof_status
lprf2_file_put_index(struct lprf2_file *f, unsigned level, uint64_t *at,
    struct prof_error *err)
{
	*at = lprf2_file_at(f);
	return lprf2_file_put(f, &f->index.levels[level].block, err);
}

/* Lists a block, and puts the blocks of the index that are full. */
static enum prof_status
lprf2_file_list_block(struct lprf2_file *f, const struct lprf2_entry *e,
    struct prof_error *err)
{
	uint64_t at;

	if (e->kind == LPRF2_TAIL && f->trailer.tail == 0)
		f->trailer.tail = e->at;
	if (!lprf2_index_add(&f->index, 0, e))
		return err_memory(err);
	for (unsigned i = 0; f->index.levels[i].block.size == LPRF2_FAN_OUT;
	    i++) {
		if (lprf2_file_put_index(f, i, &at, err) != PROF_OK)
			return PROF_FAIL;
		if (!lprf2_index_close(&f->index, i, at))
			return err_memory(err);
	}
	return PROF_OK;
}

enum prof_status
lprf2_file_put_block(struct lprf2_file *f, struct lprf2_building *b,
    struct prof_error *err)
{
	struct lprf2_entry e = { .kind = b->kind, .at = lprf2_file_at(f) };
	const size_t n = b->functions_size;
	struct prof_symbol last;

	if (n != 0)
		e.separator = lprf2_separator(f->last_kind == b->kind ?
		    &f->last : NULL, &b->functions[0].symbol);
	if (lprf2_file_put(f, b, err) != PROF_OK ||
	    lprf2_file_list_block(f, &e, err) != PROF_OK)
		return PROF_FAIL;
	if (n == 0)
		return PROF_OK;
	f->trailer.functions += n;
	f->last_kind = e.kind;
	last = b->functions[n - 1].symbol;
	f->last_name.size = 0;
	buf_put(&f->last_name, last.name.data, last.name.size);
	f->last = (struct prof_symbol){ buf_span(&f->last_name), last.guid };
	return f->last_name.failed ? err_memory(err) : PROF_OK;
}

/* Puts each level that has entries, and lists it in the next, up to a root. */
enum prof_status
lprf2_file_end(struct lprf2_file *f, struct prof_error *err)
{
	uint64_t *root = &f->trailer.root;
	unsigned height = LPRF2_LEVELS;

	while (height != 0 && f->index.levels[height - 1].block.size == 0)
		height--;
	for (unsigned i = 0; i < height; i++) {
		if (f->index.levels[i].block.size == 0)
			continue;
		if (lprf2_file_put_index(f, i, root, err) != PROF_OK)
			return PROF_FAIL;
		if (i + 1 == height)
			break;
		if (!lprf2_index_close(&f->index, i, *root))
			return err_memory(err);
	}
	lprf2_put_trailer(&f->out, &f->trailer);
	return f->out.failed ? err_memory(err) : PROF_OK;
}

void
lprf2_file_free(struct lprf2_file *f)
{
	struct lprf2_index *x = &f->index;

	lprf2_packer_free(f->packer);
	for (size_t i = 0; i < LPRF2_LEVELS && x->levels[i].block.kind != 0;
	    i++) {
		lprf2_building_free(&x->levels[i].block);
		buf_free(&x->levels[i].first_name);
		buf_free(&x->levels[i].last_name);
	}
	buf_free(&f->out);
	buf_free(&f->last_name);
}

/* The highest level of an index, where the path begins. */
enum { ROOT = LPRF2_LEVELS - 2 };

enum prof_status
lprf2_load(struct lprf2_lookup *l, uint64_t at, struct lprf2_block *b,
    struct prof_error *err)
{
	if (b->stored != 0 && b->at == at)
		return PROF_OK;
	if (at < LPRF2_HEADER || at >= l->image.size)
		return err_at(err, PROF_E_CORRUPT, at, "index: a block is "
		    "listed at 0x%llx, outside the file", ull(at));
	if (lprf2_get_block(l->image, at, b, err) == PROF_OK &&
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
		if (lprf2_get_block(l->image, at, &b, err) != PROF_OK)
			return PROF_FAIL;
		if (b.kind < LPRF2_SKIPPED)
			return err_at(err, PROF_E_CORRUPT, at, "index: a block "
			    "of kind %u follows the root at 0x%llx",
			    (unsigned)b.kind, ull(l->root));
	}
	return PROF_OK;
}

/* Each level is lower. */
enum prof_status
lprf2_descend(struct lprf2_lookup *l, struct prof_span name, uint64_t *at,
    struct prof_error *err)
{
	unsigned limit = ROOT + 1;
	struct lprf2_entry e = { .at = l->root };
	enum prof_status status;

	do {
		struct lprf2_block *b = &l->path[limit - 1];

		if (lprf2_load(l, e.at, b, err) != PROF_OK || lprf2_inflate(b,
		    true, l->packer, &l->arena, err) != PROF_OK)
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
