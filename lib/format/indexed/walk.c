#include "format/indexed/walk.h"

#include "base/prefetch.h"

/* Whether the record of the item is decoded; without prefixes, always. */
static bool
indexed_wants_item(const struct indexed_walk *w)
{
	const struct prof_reader *base = w->base;

	return base->prefixes_size == 0 ||
	    prof_span_begins_in(w->item.key, base->prefixes,
	    base->prefixes_size) || prof_span_in(w->item.key, base->selected,
	    base->selected_size);
}

/*
 * Reports the bytes before the next item; at the end, all items once more,
 * since look-ups of value targets have touched most of them again.
 */
static void
walk_report_consumed(struct indexed_walk *w, enum prof_status status)
{
	const struct prof_span file = w->image->file;

	if (status == PROF_OK) {
		consumed_to(&w->consumed, file.data + w->records.pos);
		return;
	}
	consumed_start(&w->consumed, w->base->context, file.data);
	consumed_end(&w->consumed, file.data + w->image->table.head);
}

static enum prof_status
indexed_walk_item(struct indexed_walk *w, struct prof_error *err)
{
	enum prof_status status;

	do
		status = disk_hash_next(&w->items, &w->item, err);
	while (status == PROF_OK && !indexed_wants_item(w));
	walk_report_consumed(w, status);
	return status;
}

/* The next item: of those that prof_select has named if all exist, or any. */
static enum prof_status
indexed_next_item(struct indexed_walk *w, struct arena *a,
    struct prof_error *err)
{
	struct indexed_selection *selection = &w->selection;

	if (w->lookup && selection->items == NULL) {
		if (indexed_look_up(selection, w->image, a, err) != PROF_OK)
			return PROF_FAIL;
		w->lookup = selection->size == selection->names_size;
	}
	if (!w->lookup)
		return indexed_walk_item(w, err);
	if (selection->next == selection->size)
		return PROF_END;
	w->item = selection->items[selection->next++];
	return PROF_OK;
}

/* The accesses jump, so that hardware prefetching does not help. */
PREFETCH_INLINE void
walk_prefetch(struct indexed_walk *w)
{
	enum { AHEAD = 2048, LINE = 64 };
	size_t at = w->records.pos, end = w->image->table.head;

	if (w->prefetched < at)
		w->prefetched = at;
	for (; w->prefetched < at + AHEAD && w->prefetched < end;
	    w->prefetched += LINE)
		__builtin_prefetch(w->image->file.data + w->prefetched);
}

enum prof_status
indexed_walk_next(struct indexed_walk *w, struct arena *a,
    struct indexed_record *record, struct prof_error *err)
{
	enum prof_status status;

	do {
		if (cur_left(&w->records) == 0) {
			status = indexed_next_item(w, a, err);
			if (status != PROF_OK)
				return status;
			w->records = indexed_item_data(w->image, &w->item);
		}
		walk_prefetch(w);
		status = indexed_record_read(w->image->row, &w->records,
		    record, err);
		if (status != PROF_OK)
			return status;
	} while (w->seen++ < w->skip);
	return PROF_OK;
}
