#include "format/indexed/items.h"

#include <string.h>

#include "base/error.h"
#include "format/indexed/map_order.h"
#include "format/indexed/record.h"

/*
 * Size of a record in the file.  Entries that borrow their counters store
 * bitmap and values only: hash and counters are added here.
 */
static uint64_t
item_record_size(const struct indexed_entries *t, const struct indexed_entry *e)
{
	if (!t->borrows)
		return e->record_size;
	return indexed_head_size(t->row, e->counts_size) +
	    (e->record_size != 0 ? e->record_size : t->plain.size);
}

static uint64_t
item_data_size(const struct indexed_entries *t, uint32_t name)
{
	uint64_t size = 0;

	for (uint32_t i = t->first[name]; i < t->first[name + 1]; i++)
		size += item_record_size(t, &t->list[i]);
	return size;
}

uint64_t
indexed_item_size(const struct indexed_entries *t, uint32_t name)
{
	return DISK_HASH_ITEM + t->list[t->first[name]].name.size +
	    item_data_size(t, name);
}

static enum prof_status
item_write_record(struct indexed_entries *t, const struct indexed_entry *e,
    struct buf *out, struct prof_error *err)
{
	if (t->borrows)
		indexed_head_write(t->row, e->hash, e->counts, e->counts_size,
		    out);
	if (t->borrows && e->record_size == 0) {
		buf_put(out, t->plain.data, t->plain.size);
		return PROF_OK;
	}
	return indexed_store_get(&t->store, e->record, e->record_size, out,
	    err);
}

/* The records of entries e[0 .. n-1] in the order of LLVM's map of them. */
static enum prof_status
item_write_records(struct indexed_entries *t, const struct indexed_entry *e,
    size_t n, struct buf *out, struct prof_error *err)
{
	enum prof_status status = PROF_OK;
	uint32_t *hashes, *order;

	if (n == 1)
		return item_write_record(t, e, out, err);
	arena_reset(&t->scratch);
	hashes = arena_array(&t->scratch, n, sizeof(*hashes));
	order = arena_array(&t->scratch, n, sizeof(*order));
	if (hashes == NULL || order == NULL)
		return err_memory(err);
	for (size_t i = 0; i < n; i++)
		hashes[i] = t->row->map_hash(e[i].hash);
	if (!dense_map_order(&t->scratch, hashes, n, order))
		return err_memory(err);
	for (size_t i = 0; i < n && status == PROF_OK; i++)
		status = item_write_record(t, &e[order[i]], out, err);
	return status;
}

static uint8_t *
item_append_words(uint8_t *p, const uint64_t *words, size_t n)
{
	if (host_order(false)) {
		memcpy(p, words, n * sizeof(*words));
		return p + n * sizeof(*words);
	}
	for (size_t i = 0; i < n; i++, p += sizeof(*words))
		store_u64le(p, words[i]);
	return p;
}

static uint8_t *
item_append_bytes(uint8_t *p, const void *bytes, size_t size)
{
	memcpy(p, bytes, size);
	return p + size;
}

/* The usual item: a name with one record without bitmap and values. */
static void
item_write_plain(const struct indexed_entries *t, const struct indexed_entry
    *e, struct buf *out)
{
	uint64_t size = item_record_size(t, e);
	uint64_t head[] = { e->guid, e->name.size, size };
	size_t whole = sizeof(head) + e->name.size + (size_t)size;
	uint8_t *p = buf_reserve(out, whole);

	if (p == NULL)
		return;
	p = item_append_words(p, head, 3);
	p = item_append_bytes(p, e->name.data, e->name.size);
	p = item_append_words(p, &e->hash, 1);
	if (t->row->num_counts)
		p = item_append_words(p, &(uint64_t){ e->counts_size }, 1);
	p = item_append_words(p, e->counts, e->counts_size);
	item_append_bytes(p, t->plain.data, t->plain.size);
	out->size += whole;
}

enum prof_status
indexed_item_write(struct indexed_entries *t, uint32_t name, struct buf *out,
    struct prof_error *err)
{
	const struct indexed_entry *e = &t->list[t->first[name]];
	enum prof_status status = PROF_OK;

	if (t->borrows && e->record_size == 0 && t->plain.size != 0 &&
	    t->first[name + 1] - t->first[name] == 1) {
		item_write_plain(t, e, out);
		return PROF_OK;
	}
	buf_u64le(out, e->guid);
	buf_u64le(out, e->name.size);
	buf_u64le(out, item_data_size(t, name));
	if (e->name.data != NULL)
		buf_put(out, e->name.data, e->name.size);
	else
		status = indexed_store_get(&t->store,
		    e->record + e->record_size, e->name.size, out, err);
	return status == PROF_OK ? item_write_records(t, e,
	    t->first[name + 1] - t->first[name], out, err) : PROF_FAIL;
}
