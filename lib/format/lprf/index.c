#include "format/lprf/index.h"

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
	x->levels[level].first.separator.name = (struct prof_span){
	    name->data, name->size };
	return !name->failed;
}

bool
lprf2_index_add(struct lprf2_index *x, unsigned level,
    const struct lprf2_entry *e)
{
	struct lprf2_building *b = &x->levels[level].block;
	struct buf *n = &b->sections[LPRF2_N];

	if (b->size == 0) {
		if (!lprf2_index_note_first(x, level, e))
			return false;
		x->levels[level].last = 0;
	}
	b->kind = LPRF2_INDEX;
	b->level = (uint8_t)level;
	buf_u8(n, (uint8_t)e->kind);
	buf_uleb(n, e->at - x->levels[level].last);
	if (e->kind == LPRF2_GUIDS) {
		buf_u64le(n, e->separator.guid);
	} else if (e->kind == LPRF2_NAMES) {
		buf_uleb(n, e->separator.name.size);
		buf_put(n, e->separator.name.data, e->separator.name.size);
	}
	x->levels[level].last = e->at;
	b->size++;
	return !n->failed;
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
	for (size_t i = 0; i < LPRF2_LEVELS; i++) {
		lprf2_building_free(&x->levels[i].block);
		buf_free(&x->levels[i].first_name);
	}
}

enum prof_status
lprf2_entry_read(struct cursor *c, struct lprf2_entry *e)
{
	uint64_t last = e->at, distance, size;

	*e = (struct lprf2_entry){ .kind = (enum lprf2_kind)cur_u8(c) };
	distance = cur_uleb(c);
	if (c->failed || !add_u64(last, distance, &e->at) ||
	    e->kind < LPRF2_HEAD || e->kind > LPRF2_TAIL)
		return PROF_END;
	if (e->kind == LPRF2_GUIDS) {
		e->separator.guid = cur_u64(c);
	} else if (e->kind == LPRF2_NAMES) {
		size = cur_uleb(c);
		e->separator.name.data = cur_bytes(c, size);
		e->separator.name.size = (size_t)size;
	}
	return c->failed ? PROF_END : PROF_OK;
}

int
lprf2_entry_compare(const struct lprf2_entry *a, const struct lprf2_entry *b)
{
	int order = (a->kind > b->kind) - (a->kind < b->kind);

	return order != 0 ? order :
	    lprf2_compare_symbols(&a->separator, &b->separator);
}
