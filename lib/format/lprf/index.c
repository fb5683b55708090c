#include "format/lprf/index.h"

#include "base/error.h"
#include "format/lprf/names.h"

struct prof_symbol
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

/* The first entry of a block stands for it on the next level. */
static bool
lprf2_index_note_first(struct lprf2_index *x, unsigned level,
    const struct lprf2_entry *e)
{
	struct buf *name = &x->levels[level].first_name;

	name->size = 0;
	buf_put(name, e->separator.name.data, e->separator.name.size);
	x->levels[level].first = *e;
	x->levels[level].first.separator.name = buf_span(name);
	return !name->failed;
}

bool
lprf2_index_add(struct lprf2_index *x, unsigned level,
    const struct lprf2_entry *e)
{
	struct lprf2_building *b = &x->levels[level].block;
	struct buf *n = &b->sections[LPRF2_N];

	b->kind = LPRF2_INDEX;
	if (b->size == 0) {
		if (!lprf2_index_note_first(x, level, e))
			return false;
		x->levels[level].last = 0;
		x->levels[level].last_name.size = 0;
	}
	b->level = (uint8_t)level;
	buf_u8(n, (uint8_t)e->kind);
	buf_uleb(n, e->at - x->levels[level].last);
	if (e->kind == LPRF2_GUIDS) {
		buf_u64le(n, e->separator.guid);
	} else if (e->kind == LPRF2_NAMES) {
		lprf2_put_suffix(n, &x->levels[level].last_name,
		    e->separator.name);
	}
	x->levels[level].last = e->at;
	b->size++;
	return !n->failed && !x->levels[level].last_name.failed;
}

bool
lprf2_index_close(struct lprf2_index *x, unsigned level, uint64_t at)
{
	struct lprf2_entry e = x->levels[level].first;

	x->levels[level].block.sections[LPRF2_N].size = 0;
	x->levels[level].block.size = 0;
	e.at = at;
	return lprf2_index_add(x, level + 1, &e);
}

unsigned
lprf2_index_height(const struct lprf2_index *x)
{
	unsigned level = LPRF2_LEVELS;

	while (level != 0 && x->levels[level - 1].block.size == 0)
		level--;
	return level;
}

void
lprf2_index_free(struct lprf2_index *x)
{
	for (size_t i = 0; i < LPRF2_LEVELS && x->levels[i].block.kind != 0;
	    i++) {
		lprf2_building_free(&x->levels[i].block);
		buf_free(&x->levels[i].first_name);
		buf_free(&x->levels[i].last_name);
	}
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

enum prof_status
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
