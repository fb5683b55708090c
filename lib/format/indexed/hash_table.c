#include "format/indexed/hash_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/prefetch.h"
#include "format/indexed/map_order.h"
#include "format/indexed/record.h"

/* Bytes that are collected before they go to the sink. */
enum { OUT_SIZE = 1 << 18 };

/* Prefetch distance in buckets, and at most so many bytes of an item. */
enum { AHEAD = 16, AHEAD_BYTES = 1024 };

static int
table_compare_entries(const void *a, const void *b)
{
	const struct indexed_entry *x = a, *y = b;
	int names = prof_span_compare(x->name, y->name);

	return names != 0 ? names : (x->hash > y->hash) - (x->hash < y->hash);
}

static int
table_compare_arrivals(const void *a, const void *b)
{
	const struct indexed_entry *x = a, *y = b;
	int names = prof_span_compare(x->name, y->name);

	return names != 0 ? names :
	    (x->arrival > y->arrival) - (x->arrival < y->arrival);
}

static enum prof_status
table_grow(struct indexed_table *t, struct prof_error *err)
{
	size_t room = t->room == 0 ? 256 : t->room * 2;
	struct indexed_entry *p;

	/* Indices are 32 bits wide. */
	if (t->size >= UINT32_MAX / 2)
		return err_set(err, PROF_E_LIMIT, "more than %zu functions",
		    t->size);
	if (room > SIZE_MAX / sizeof(*p) ||
	    (p = realloc(t->entries, room * sizeof(*p))) == NULL)
		return err_memory(err);
	t->entries = p;
	t->room = room;
	return PROF_OK;
}

/* A name is stored behind the first of its records. */
static enum prof_status
table_store_name(struct indexed_table *t, struct indexed_entry *e,
    const struct prof_symbol *symbol, struct prof_error *err)
{
	struct prof_span name = symbol->name;

	e->guid = prof_symbol_guid(symbol);
	e->name.size = name.size;
	buf_put(&t->store.bytes, name.data, name.size);
	t->last.size = 0;
	buf_put(&t->last, name.data, name.size);
	return t->last.failed ? err_memory(err) : PROF_OK;
}

/* Borrowed functions come in order, so names need not be compared. */
static void
table_entry_borrow(struct indexed_entry *e, const struct prof_function *f)
{
	e->name = f->symbol.name;
	e->guid = prof_symbol_guid(&f->symbol);
	e->counts = f->counts;
	e->counts_size = f->counts_size;
}

static enum prof_status
table_entry_store(struct indexed_table *t, struct indexed_entry *e,
    const struct prof_function *f, struct prof_error *err)
{
	const struct indexed_entry *last = t->size == 0 ? NULL : e - 1;
	int order = last == NULL ? -1 : prof_span_compare((struct prof_span){
	    t->last.data, t->last.size }, f->symbol.name);

	if (order > 0 || (order == 0 && last->hash >= f->hash))
		t->unsorted = true;
	if (order != 0)
		return table_store_name(t, e, &f->symbol, err);
	e->guid = last->guid;
	return PROF_OK;
}

enum prof_status
indexed_table_add(struct indexed_table *t, const struct prof_function *f,
    size_t start, bool second_pass, struct prof_error *err)
{
	struct indexed_entry *e;

	if (t->store.bytes.failed || t->plain.failed)
		return err_memory(err);
	if (t->size == t->room && table_grow(t, err) != PROF_OK)
		return PROF_FAIL;
	e = &t->entries[t->size];
	*e = (struct indexed_entry){ .hash = f->hash,
	    .record = t->store.written + start,
	    .record_size = t->store.bytes.size - start,
	    .arrival = (uint32_t)t->size, .second_pass = second_pass };
	if (t->borrows)
		table_entry_borrow(e, f);
	else if (table_entry_store(t, e, f, err) != PROF_OK)
		return PROF_FAIL;
	t->size++;
	return indexed_store_drain(&t->store, false, err);
}

enum prof_status
indexed_table_omit(struct indexed_table *t, const struct prof_symbol *symbol,
    struct prof_error *err)
{
	const struct prof_function f = { .symbol = *symbol };

	if (t->row->sorted_names || symbol->name.size == 0)
		return PROF_OK;
	if (indexed_table_add(t, &f, t->store.bytes.size, false, err) !=
	    PROF_OK)
		return PROF_FAIL;
	t->entries[t->size - 1].omitted = true;
	return PROF_OK;
}

/* Names stored in memory are not copied: the store does not grow any more. */
static enum prof_status
table_load_name(struct indexed_table *t, struct indexed_entry *e, struct buf *b,
    struct prof_error *err)
{
	if (t->store.scratch == NULL) {
		e->name.data = t->store.bytes.data + e->record +
		    e->record_size;
		return PROF_OK;
	}
	b->size = 0;
	if (indexed_store_get(&t->store, e->record + e->record_size,
	    e->name.size, b, err) != PROF_OK)
		return PROF_FAIL;
	e->name = arena_copy(&t->arena, (struct prof_span){ b->data,
	    b->size });
	return e->name.data == NULL ? err_memory(err) : PROF_OK;
}

/* Only the first entry of a name has stored it; the others get it here. */
static enum prof_status
table_load_names(struct indexed_table *t, struct prof_error *err)
{
	struct buf b = { 0 };
	enum prof_status status = PROF_OK;

	for (size_t i = 0; i < t->size && status == PROF_OK; i++) {
		struct indexed_entry *e = &t->entries[i];

		if (e->name.size == 0)
			e->name = e[-1].name;
		else
			status = table_load_name(t, e, &b, err);
	}
	buf_free(&b);
	return status;
}

static bool
table_same_name(const struct indexed_table *t, const struct indexed_entry *a,
    const struct indexed_entry *b)
{
	if (t->borrows)
		return a->guid == b->guid;
	return a->name.data == NULL ? b->name.size == 0 :
	    prof_span_equal(a->name, b->name);
}

/* Refuses two entries of one name that a file of the version cannot hold. */
static enum prof_status
table_check_pair(const struct indexed_table *t, const struct indexed_entry *e,
    struct prof_error *err)
{
	char name[ERR_NAME_SIZE];

	if (e[0].hash == e[1].hash)
		return err_set(err, PROF_E_MISMATCH, "function %s with hash "
		    "0x%016llx stands twice: use prof-merge",
		    err_name(name, e->name), (unsigned long long)e->hash);
	if (!t->row->num_counts)
		return err_set(err, PROF_E_UNSUPPORTED, "indexed version %u "
		    "cannot hold the two hashes of function %s",
		    t->row->version, err_name(name, e->name));
	return PROF_OK;
}

static enum prof_status
table_group_names(struct indexed_table *t, struct prof_error *err)
{
	const struct indexed_entry *e = t->entries;

	t->first = arena_array(&t->arena, t->size + 1, sizeof(*t->first));
	if (t->first == NULL)
		return err_memory(err);
	for (uint32_t i = 0; i < t->size; i++) {
		if (i == 0 || !table_same_name(t,
		    &t->entries[t->first[t->names - 1]], &e[i]))
			t->first[t->names++] = i;
		else if (table_check_pair(t, &e[i - 1], err) != PROF_OK)
			return PROF_FAIL;
	}
	t->first[t->names] = (uint32_t)t->size;
	return PROF_OK;
}

/* Omitted names have a place in LLVM's map and none in the file. */
static void
table_drop_omitted(struct indexed_table *t)
{
	for (uint32_t i = 0; i < t->names; i++) {
		if (!t->entries[t->first[t->order[i]]].omitted)
			t->order[t->items++] = t->order[i];
	}
}

static bool
table_order_names(struct indexed_table *t)
{
	uint32_t *hashes;

	t->order = arena_array(&t->arena, t->names, sizeof(*t->order));
	if (t->order == NULL)
		return false;
	if (t->row->sorted_names) {
		for (uint32_t i = 0; i < t->names; i++)
			t->order[i] = i;
		t->items = t->names;
		return true;
	}
	hashes = arena_array(&t->scratch, t->names, sizeof(*hashes));
	if (hashes == NULL)
		return false;
	for (uint32_t i = 0; i < t->names; i++)
		hashes[i] = string_map_hash(t->entries[t->first[i]].name);
	if (!string_map_order(&t->scratch, hashes, t->names, t->order))
		return false;
	table_drop_omitted(t);
	return true;
}

static bool
plan(struct indexed_table *t)
{
	uint64_t *hashes =
	    arena_array(&t->arena, t->items, sizeof(*hashes));

	if (hashes == NULL)
		return false;
	for (uint32_t i = 0; i < t->items; i++)
		hashes[i] = t->entries[t->first[t->order[i]]].guid;
	return disk_hash_plan(&t->plan, &t->arena, hashes, t->items,
	    t->row->shrinks);
}

/*
 * Size of a record in the file.  Entries that borrow their counters store
 * bitmap and values only: hash and counters are added here.
 */
static uint64_t
table_record_size(const struct indexed_table *t, const struct indexed_entry *e)
{
	if (!t->borrows)
		return e->record_size;
	return indexed_head_size(t->row, e->counts_size) +
	    (e->record_size != 0 ? e->record_size : t->plain.size);
}

static uint64_t
table_data_size(const struct indexed_table *t, uint32_t name)
{
	uint64_t size = 0;

	for (uint32_t i = t->first[name]; i < t->first[name + 1]; i++)
		size += table_record_size(t, &t->entries[i]);
	return size;
}

/* The first entry of the bucket, or NULL. */
static const struct indexed_entry *
table_bucket_head(const struct indexed_table *t, uint64_t bucket)
{
	uint32_t i = bucket < t->plan.buckets ? t->plan.first[bucket] : 0;

	return i == 0 ? NULL : &t->entries[t->first[t->order[i - 1]]];
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
	const struct indexed_entry *e = table_bucket_head(t, bucket + 2 *
	    AHEAD);

	if (e != NULL)
		__builtin_prefetch(e);
	e = contents ? table_bucket_head(t, bucket + AHEAD) : NULL;
	if (e == NULL || t->store.scratch != NULL)
		return;
	if (t->borrows) {
		table_prefetch_range(e->name.data, e->name.size);
		table_prefetch_range(e->counts, 8 * e->counts_size);
	}
	if (t->store.bytes.size != 0)
		table_prefetch_range(t->store.bytes.data + e->record,
		    e->record_size + (t->borrows ? 0 : e->name.size));
}

static enum prof_status
table_place_buckets(struct indexed_table *t, uint64_t at, struct prof_error
    *err)
{
	t->offsets = arena_array(&t->arena, (size_t)t->plan.buckets,
	    sizeof(*t->offsets));
	if (t->offsets == NULL)
		return err_memory(err);
	for (uint64_t b = 0; b < t->plan.buckets; b++) {
		uint32_t i = t->plan.first[b], count = 0;

		table_prefetch_ahead(t, b, false);
		t->offsets[b] = i == 0 ? 0 : at;
		at += i == 0 ? 0 : DISK_HASH_BUCKET;
		for (; i != 0; i = t->plan.next[i - 1], count++) {
			uint32_t name = t->order[i - 1];

			at += DISK_HASH_ITEM + table_data_size(t, name) +
			    t->entries[t->first[name]].name.size;
		}
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

/*
 * Names are loaded from the scratch file only if they are compared, hashed or
 * needed for messages.
 */
static bool
table_needs_names(const struct indexed_table *t)
{
	return t->store.scratch == NULL || t->unsorted ||
	    !t->row->sorted_names || !t->row->num_counts;
}

enum prof_status
indexed_table_arrange(struct indexed_table *t, uint64_t payload,
    struct prof_error *err)
{
	if (indexed_store_drain(&t->store, true, err) != PROF_OK)
		return PROF_FAIL;
	if (!t->borrows && table_needs_names(t) && table_load_names(t, err) !=
	    PROF_OK)
		return PROF_FAIL;
	if (t->size > 1 &&
	    (t->as_arrived ? t->row->sorted_names : t->unsorted))
		qsort(t->entries, t->size, sizeof(*t->entries), t->as_arrived ?
		    table_compare_arrivals : table_compare_entries);
	if (table_group_names(t, err) != PROF_OK)
		return PROF_FAIL;
	if (!table_order_names(t) || !plan(t))
		return err_memory(err);
	return table_place_buckets(t, payload, err);
}

static enum prof_status
table_write_record(struct indexed_table *t, const struct indexed_entry *e,
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
table_write_records(struct indexed_table *t, const struct indexed_entry *e,
    size_t n, struct buf *out, struct prof_error *err)
{
	enum prof_status status = PROF_OK;
	uint32_t *hashes, *order;

	if (n == 1)
		return table_write_record(t, e, out, err);
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
		status = table_write_record(t, &e[order[i]], out, err);
	return status;
}

static uint8_t *
append_words(uint8_t *p, const uint64_t *words, size_t n)
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
append_bytes(uint8_t *p, const void *bytes, size_t size)
{
	memcpy(p, bytes, size);
	return p + size;
}

/* The usual item: a name with one record without bitmap and values. */
static void
table_write_plain_item(const struct indexed_table *t, const struct indexed_entry
    *e, struct buf *out)
{
	uint64_t size = table_record_size(t, e);
	uint64_t head[] = { e->guid, e->name.size, size };
	size_t whole = sizeof(head) + e->name.size + (size_t)size;
	uint8_t *p = buf_reserve(out, whole);

	if (p == NULL)
		return;
	p = append_words(p, head, 3);
	p = append_bytes(p, e->name.data, e->name.size);
	p = append_words(p, &e->hash, 1);
	if (t->row->num_counts)
		p = append_words(p, &(uint64_t){ e->counts_size }, 1);
	p = append_words(p, e->counts, e->counts_size);
	append_bytes(p, t->plain.data, t->plain.size);
	out->size += whole;
}

static enum prof_status
table_write_item(struct indexed_table *t, uint32_t name, struct buf *out,
    struct prof_error *err)
{
	const struct indexed_entry *e = &t->entries[t->first[name]];
	enum prof_status status = PROF_OK;

	if (t->borrows && e->record_size == 0 && t->plain.size != 0 &&
	    t->first[name + 1] - t->first[name] == 1) {
		table_write_plain_item(t, e, out);
		return PROF_OK;
	}

	buf_u64le(out, e->guid);
	buf_u64le(out, e->name.size);
	buf_u64le(out, table_data_size(t, name));
	if (e->name.data != NULL)
		buf_put(out, e->name.data, e->name.size);
	else
		status = indexed_store_get(&t->store,
		    e->record + e->record_size, e->name.size, out, err);
	return status == PROF_OK ? table_write_records(t, e,
	    t->first[name + 1] - t->first[name], out, err) : PROF_FAIL;
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
		if (table_write_item(t, t->order[i - 1], out, err) != PROF_OK)
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

void
indexed_table_free(struct indexed_table *t)
{
	free(t->entries);
	buf_free(&t->store.bytes);
	buf_free(&t->plain);
	buf_free(&t->last);
	arena_free(&t->arena);
	arena_free(&t->scratch);
}
