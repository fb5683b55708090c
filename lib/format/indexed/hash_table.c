#include "format/indexed/hash_table.h"

#include "base/error.h"
#include "base/prefetch.h"
#include "format/indexed/items.h"
#include "format/indexed/map_order.h"

/* Bytes that are collected before they go to the sink. */
enum { OUT_SIZE = 1 << 18 };

/* Prefetch distance in buckets, and at most so many bytes of an item. */
enum { AHEAD = 16, AHEAD_BYTES = 1024 };

/* Omitted names have a place in LLVM's map and none in the file. */
static void
table_drop_omitted(struct indexed_table *t)
{
	const struct indexed_entries *s = t->entries;

	for (uint32_t i = 0; i < s->names; i++) {
		if (!s->list[s->first[t->order[i]]].omitted)
			t->order[t->items++] = t->order[i];
	}
}

static bool
table_order_names(struct indexed_table *t)
{
	struct indexed_entries *s = t->entries;
	uint32_t *hashes;

	t->order = arena_array(&s->arena, s->names, sizeof(*t->order));
	if (t->order == NULL)
		return false;
	if (s->row->sorted_names) {
		for (uint32_t i = 0; i < s->names; i++)
			t->order[i] = i;
		t->items = s->names;
		return true;
	}
	hashes = arena_array(&s->scratch, s->names, sizeof(*hashes));
	if (hashes == NULL)
		return false;
	for (uint32_t i = 0; i < s->names; i++)
		hashes[i] = string_map_hash(s->list[s->first[i]].name);
	if (!string_map_order(&s->scratch, hashes, s->names, t->order))
		return false;
	table_drop_omitted(t);
	return true;
}

static bool
table_plan(struct indexed_table *t)
{
	struct indexed_entries *s = t->entries;
	uint64_t *hashes = arena_array(&s->arena, t->items, sizeof(*hashes));

	if (hashes == NULL)
		return false;
	for (uint32_t i = 0; i < t->items; i++)
		hashes[i] = s->list[s->first[t->order[i]]].guid;
	return disk_hash_plan(&t->plan, &s->arena, hashes, t->items,
	    s->row->shrinks);
}

/* The first entry of the bucket, or NULL. */
static const struct indexed_entry *
table_bucket_head(const struct indexed_table *t, uint64_t bucket)
{
	const struct indexed_entries *s = t->entries;
	uint32_t i = bucket < t->plan.buckets ? t->plan.first[bucket] : 0;

	return i == 0 ? NULL : &s->list[s->first[t->order[i - 1]]];
}

PREFETCH_INLINE void
table_prefetch_range(const void *p, size_t size)
{
	for (size_t i = 0; i < size && i < AHEAD_BYTES; i += 64)
		__builtin_prefetch((const char *)p + i);
}

/*
 * Items of a bucket lie at random places of the memory.  Prefetches the entry
 * two steps ahead, and its name and counters one step ahead.
 */
PREFETCH_INLINE void
table_prefetch_ahead(const struct indexed_table *t, uint64_t bucket,
    bool contents)
{
	const struct indexed_entries *s = t->entries;
	const struct indexed_entry *e =
	    table_bucket_head(t, bucket + 2 * AHEAD);

	if (e != NULL)
		__builtin_prefetch(e);
	e = contents ? table_bucket_head(t, bucket + AHEAD) : NULL;
	if (e == NULL || s->store.scratch != NULL)
		return;
	if (s->borrows) {
		table_prefetch_range(e->name.data, e->name.size);
		table_prefetch_range(e->counts, 8 * e->counts_size);
	}
	if (s->store.bytes.size != 0)
		table_prefetch_range(s->store.bytes.data + e->record,
		    e->record_size + (s->borrows ? 0 : e->name.size));
}

static enum prof_status
table_place_buckets(struct indexed_table *t, uint64_t at, struct prof_error
    *err)
{
	t->offsets = arena_array(&t->entries->arena, (size_t)t->plan.buckets,
	    sizeof(*t->offsets));
	if (t->offsets == NULL)
		return err_memory(err);
	for (uint64_t b = 0; b < t->plan.buckets; b++) {
		uint32_t i = t->plan.first[b], count = 0;

		table_prefetch_ahead(t, b, false);
		t->offsets[b] = i == 0 ? 0 : at;
		at += i == 0 ? 0 : DISK_HASH_BUCKET;
		for (; i != 0; i = t->plan.next[i - 1], count++)
			at += indexed_item_size(t->entries, t->order[i - 1]);
		if (count > UINT16_MAX)
			return err_set(err, PROF_E_LIMIT, "%u names fall into "
			    "one bucket of the hash table, which holds %d",
			    count, UINT16_MAX);
	}
	t->payload_end = at;
	t->head = at + pad8(at);
	t->end = t->head + DISK_HASH_HEAD + 8 * t->plan.buckets;
	return PROF_OK;
}

enum prof_status
indexed_table_arrange(struct indexed_table *t, uint64_t payload,
    struct prof_error *err)
{
	if (indexed_entries_arrange(t->entries, err) != PROF_OK)
		return PROF_FAIL;
	if (!table_order_names(t) || !table_plan(t))
		return err_memory(err);
	return table_place_buckets(t, payload, err);
}

static enum prof_status
table_write_bucket(struct indexed_table *t, uint32_t first, struct buf *out,
    struct prof_error *err)
{
	uint16_t count = 0;

	for (uint32_t i = first; i != 0; i = t->plan.next[i - 1])
		count++;
	buf_u16le(out, count);
	for (uint32_t i = first; i != 0; i = t->plan.next[i - 1]) {
		if (indexed_item_write(t->entries, t->order[i - 1], out, err) !=
		    PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

static enum prof_status
table_drain(struct prof_writer *w, struct buf *out, struct prof_error *err)
{
	if (out->failed)
		return err_memory(err);
	if (out->size < OUT_SIZE)
		return PROF_OK;
	if (sink_write(w, out->data, out->size, err) != PROF_OK)
		return PROF_FAIL;
	out->size = 0;
	return PROF_OK;
}

enum prof_status
indexed_table_write(struct indexed_table *t, struct prof_writer *w,
    struct buf *out, struct prof_error *err)
{
	for (uint64_t b = 0; b < t->plan.buckets; b++) {
		table_prefetch_ahead(t, b, true);
		if (t->plan.first[b] == 0)
			continue;
		if (table_write_bucket(t, t->plan.first[b], out, err) != PROF_OK
		    || table_drain(w, out, err) != PROF_OK)
			return PROF_FAIL;
	}
	buf_zeros(out, (size_t)pad8(t->payload_end));
	buf_u64le(out, t->plan.buckets);
	buf_u64le(out, t->items);
	for (uint64_t b = 0; b < t->plan.buckets; b++) {
		buf_u64le(out, t->offsets[b]);
		if (table_drain(w, out, err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}
