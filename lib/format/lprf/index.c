#include "format/lprf/index.h"

#include "base/error.h"

bool
lprf2_index_add(struct lprf2_index *x, enum lprf2_kind kind, uint64_t at,
    const struct prof_symbol *first)
{
	struct lprf2_building *b = &x->block;
	struct buf *n = &b->sections[LPRF2_N];

	buf_u8(n, (uint8_t)kind);
	if (kind == LPRF2_NAMES)
		lprf2_put_name(b, first->name);
	else if (kind == LPRF2_GUIDS)
		buf_u64le(n, first->guid);
	buf_uleb(&b->sections[LPRF2_H], at - x->last);
	x->last = at;
	b->size++;
	return !n->failed && !b->last.failed && !b->sections[LPRF2_H].failed;
}

void
lprf2_index_take(struct lprf2_index *x, struct lprf2_building *b)
{
	*b = x->block;
	b->kind = LPRF2_INDEX;
	*x = (struct lprf2_index){ 0 };
}

void
lprf2_index_free(struct lprf2_index *x)
{
	lprf2_building_free(&x->block);
}

/* One entry; `last` is the last name, of which it may share a prefix. */
static enum prof_status
lprf2_entry_read(struct cursor *n, struct cursor *h, struct arena *arena,
    struct prof_span *last, struct lprf2_entry *e)
{
	e->kind = (enum lprf2_kind)cur_u8(n);
	e->at += cur_uleb(h);
	if (e->kind == LPRF2_GUIDS)
		e->first.guid = cur_u64(n);
	else if (e->kind == LPRF2_NAMES) {
		enum prof_status status = lprf2_get_front(n, arena, *last,
		    &e->first.name);

		if (status != PROF_OK)
			return status;
		*last = e->first.name;
	}
	return !n->failed && !h->failed && e->kind >= LPRF2_NAMES &&
	    e->kind <= LPRF2_RECORDS ? PROF_OK : PROF_END;
}

struct lprf2_entry *
lprf2_index_read(const struct lprf2_block *b, struct arena *arena,
    struct prof_error *err)
{
	struct cursor n = { .data = b->sections[LPRF2_N].data,
	    .size = b->sections[LPRF2_N].size };
	struct cursor h = { .data = b->sections[LPRF2_H].data,
	    .size = b->sections[LPRF2_H].size };
	struct prof_span last = { NULL, 0 };
	bool fits = b->kind == LPRF2_INDEX && b->size <= n.size;
	enum prof_status status = fits ? PROF_OK : PROF_END;
	struct lprf2_entry *all = arena_array(arena, fits ? b->size : 0,
	    sizeof(*all));

	if (all == NULL)
		status = PROF_FAIL;
	for (size_t i = 0; status == PROF_OK && i < b->size; i++) {
		all[i] = (struct lprf2_entry){ .at = i == 0 ? 0 :
		    all[i - 1].at };
		status = lprf2_entry_read(&n, &h, arena, &last, &all[i]);
	}
	if (status == PROF_OK && cur_left(&n) == 0 && cur_left(&h) == 0)
		return all;
	if (status == PROF_FAIL)
		err_memory(err);
	else
		err_at(err, PROF_E_CORRUPT, b->at,
		    "index: it does not hold its %u blocks", b->size);
	return NULL;
}
