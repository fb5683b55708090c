/* Writing the table of functions: entries, their order, items and buckets. */
#include "format/indexed/indexed.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"

enum { PIECE = 1 << 18 };

/* Writes `bytes` to the scratch file once they are many, or if all is set. */
static enum prof_status
indexed_store_drain(struct indexed_store *s, bool all, struct prof_error *err)
{
	int e;

	if (s->bytes.failed)
		return err_memory(err);
	if (s->scratch == NULL || s->bytes.size < (all ? 1 : PIECE))
		return PROF_OK;
	e = s->scratch->write(s->scratch->arg, s->bytes.data, s->bytes.size);
	if (e != 0)
		return err_system(err, e, "write");
	s->written += s->bytes.size;
	s->bytes.size = 0;
	return PROF_OK;
}

/* Appends a stored part, from memory or the scratch file, to a buffer. */
static enum prof_status
indexed_store_get(const struct indexed_store *s, uint64_t offset, size_t size,
    struct buf *out, struct prof_error *err)
{
	int e;

	if (size == 0)
		return PROF_OK;
	if (s->scratch == NULL) {
		buf_put(out, s->bytes.data + offset, size);
		return PROF_OK;
	}
	if (buf_reserve(out, size) == NULL)
		return err_memory(err);
	e = s->scratch->read(s->scratch->arg, offset, out->data + out->size,
	    size);
	if (e != 0)
		return err_system(err, e, "read");
	out->size += size;
	return PROF_OK;
}

static int
entries_compare(const void *a, const void *b)
{
	const struct indexed_entry *x = a, *y = b;
	int names = prof_span_compare(x->name, y->name);

	return names != 0 ? names : (x->hash > y->hash) - (x->hash < y->hash);
}

static int
entries_compare_arrivals(const void *a, const void *b)
{
	const struct indexed_entry *x = a, *y = b;
	int names = prof_span_compare(x->name, y->name);

	return names != 0 ? names :
	    (x->arrival > y->arrival) - (x->arrival < y->arrival);
}

/* A name is stored behind the first of its records. */
static enum prof_status
entries_store_name(struct indexed_entries *t, struct indexed_entry *e,
    const struct prof_function *f, struct prof_error *err)
{
	const struct indexed_entry *last = t->size == 0 ? NULL : e - 1;
	struct prof_span name = f->symbol.name;
	int order = last == NULL ? -1 :
	    prof_span_compare(buf_span(&t->last), name);

	if (order > 0 || (order == 0 && last->hash >= f->hash))
		t->unsorted = true;
	if (order == 0) {
		e->guid = last->guid;
		return PROF_OK;
	}
	e->guid = prof_symbol_guid(&f->symbol);
	e->name.size = name.size;
	buf_put(&t->store.bytes, name.data, name.size);
	t->last.size = 0;
	buf_put(&t->last, name.data, name.size);
	return t->last.failed ? err_memory(err) : PROF_OK;
}

enum prof_status
indexed_entries_add(struct indexed_entries *t, const struct prof_function *f,
    size_t start, bool second_pass, struct prof_error *err)
{
	struct indexed_entry *e;

	if (t->store.bytes.failed || t->plain.failed)
		return err_memory(err);
	/* Indices are 32 bits wide. */
	if (t->size == t->room && t->size >= UINT32_MAX / 2)
		return err_set(err, PROF_E_LIMIT, "more than %zu functions",
		    t->size);
	if (!ARRAY_ROOM(t->list, t->size, t->room))
		return err_memory(err);
	e = &t->list[t->size];
	*e = (struct indexed_entry){ .hash = f->hash,
	    .record = t->store.written + start,
	    .record_size = t->store.bytes.size - start,
	    .arrival = (uint32_t)t->size, .second_pass = second_pass };
	/* Borrowed functions come in order: names need not be compared. */
	if (t->borrows) {
		e->name = f->symbol.name;
		e->guid = prof_symbol_guid(&f->symbol);
		e->counts = f->counts;
		e->counts_size = f->counts_size;
	} else if (entries_store_name(t, e, f, err) != PROF_OK) {
		return PROF_FAIL;
	}
	t->size++;
	return indexed_store_drain(&t->store, false, err);
}

enum prof_status
indexed_entries_omit(struct indexed_entries *t,
    const struct prof_symbol *symbol, struct prof_error *err)
{
	const struct prof_function f = { .symbol = *symbol };

	if (t->row->sorted_names || symbol->name.size == 0)
		return PROF_OK;
	if (indexed_entries_add(t, &f, t->store.bytes.size, false, err) !=
	    PROF_OK)
		return PROF_FAIL;
	t->list[t->size - 1].omitted = true;
	return PROF_OK;
}

/*
 * Only the first entry of a name has stored it; the others get it here.  Names
 * stored in memory are not copied: the store does not grow any more.
 */
static enum prof_status
entries_load_names(struct indexed_entries *t, struct prof_error *err)
{
	struct buf b = { 0 };
	enum prof_status status = PROF_OK;

	for (size_t i = 0; i < t->size && status == PROF_OK; i++) {
		struct indexed_entry *e = &t->list[i];
		uint64_t at = e->record + e->record_size;

		if (e->name.size == 0) {
			e->name = e[-1].name;
		} else if (t->store.scratch == NULL) {
			e->name.data = t->store.bytes.data + at;
		} else {
			b.size = 0;
			status = indexed_store_get(&t->store, at, e->name.size,
			    &b, err);
			e->name = arena_copy(&t->arena, buf_span(&b));
			if (status == PROF_OK && e->name.data == NULL)
				status = err_memory(err);
		}
	}
	buf_free(&b);
	return status;
}

/* Refuses two entries of one name that a file of the version cannot hold. */
static enum prof_status
entries_group_names(struct indexed_entries *t, struct prof_error *err)
{
	const struct indexed_entry *e = t->list;
	char name[ERR_NAME_SIZE];

	t->first = arena_array(&t->arena, t->size + 1, sizeof(*t->first));
	if (t->first == NULL)
		return err_memory(err);
	for (uint32_t i = 0; i < t->size; i++) {
		const struct indexed_entry *a =
		    i == 0 ? NULL : &e[t->first[t->names - 1]];

		/* Names that were not loaded are there once, in the first. */
		if (a == NULL || !(t->borrows ? a->guid == e[i].guid :
		    a->name.data == NULL ? e[i].name.size == 0 :
		    prof_span_equal(a->name, e[i].name)))
			t->first[t->names++] = i;
		else if (e[i - 1].hash == e[i].hash)
			return err_set(err, PROF_E_MISMATCH, "function %s with "
			    "hash 0x%016llx occurs twice: use prof-merge",
			    err_name(name, e[i - 1].name), ull(e[i].hash));
		else if (!t->row->num_counts)
			return err_set(err, PROF_E_UNSUPPORTED, "indexed "
			    "version %u cannot hold the two hashes of function "
			    "%s", t->row->version,
			    err_name(name, e[i - 1].name));
	}
	t->first[t->names] = (uint32_t)t->size;
	return PROF_OK;
}

/*
 * Called when all functions were added: sorts the entries and refuses two of
 * one name and hash, or of one name if the version cannot hold them.
 */
static enum prof_status
indexed_entries_arrange(struct indexed_entries *t, struct prof_error *err)
{
	if (indexed_store_drain(&t->store, true, err) != PROF_OK)
		return PROF_FAIL;
	/* The scratch file's are loaded to compare, hash or report them. */
	if (!t->borrows && (t->store.scratch == NULL || t->unsorted ||
	    !t->row->sorted_names || !t->row->num_counts) &&
	    entries_load_names(t, err) != PROF_OK)
		return PROF_FAIL;
	if (t->size > 1 &&
	    (t->as_arrived ? t->row->sorted_names : t->unsorted))
		qsort(t->list, t->size, sizeof(*t->list), t->as_arrived ?
		    entries_compare_arrivals : entries_compare);
	return entries_group_names(t, err);
}

void
indexed_entries_free(struct indexed_entries *t)
{
	free(t->list);
	buf_free(&t->store.bytes);
	buf_free(&t->plain);
	buf_free(&t->last);
	arena_free(&t->arena);
	arena_free(&t->scratch);
}

/*
 * LLVM writes records in these orders, so the same bytes need the same orders.
 * Readers accept any order.
 */

/*
 * Each takes the hashes of n keys in the order of their insertion and fills
 * order[0 .. n-1] with the indices of the keys as the map lists them.  False if
 * out of memory.  Working memory stays in the arena.
 */

/* Both maps probe in steps of 1, 2, 3 and so on from the slot of the hash. */
struct order_map {
	const uint32_t *hashes;
	uint32_t *slots;	/* index + 1 into hashes, 0 is empty */
	uint32_t *steps;	/* probes of the last key, by first slot */
	size_t size;		/* a power of two */
};

/*
 * The slots that the last key of the same first slot found occupied stay
 * occupied.  The search begins behind them, so that many keys of one hash do
 * not take quadratic time.
 */
static void
map_insert(struct order_map *m, uint32_t key)
{
	size_t own = m->hashes[key] & (m->size - 1);
	uint64_t step = m->steps[own];
	size_t i = (size_t)(own + step * (step + 1) / 2) & (m->size - 1);

	while (m->slots[i] != 0)
		i = (size_t)(i + ++step) & (m->size - 1);
	m->slots[i] = key + 1;
	m->steps[own] = (uint32_t)step;
}

/* Keys move to the new slots in the order of the old ones. */
static bool
map_resize(struct order_map *m, struct arena *a, size_t size)
{
	struct order_map old = *m;

	m->slots = arena_array(a, size, sizeof(*m->slots));
	m->steps = arena_array(a, size, sizeof(*m->steps));
	if (m->slots == NULL || m->steps == NULL)
		return false;
	memset(m->slots, 0, size * sizeof(*m->slots));
	memset(m->steps, 0, size * sizeof(*m->steps));
	m->size = size;
	for (size_t i = 0; i < old.size; i++) {
		if (old.slots[i] != 0)
			map_insert(m, old.slots[i] - 1);
	}
	return true;
}

static void
map_list_keys(const struct order_map *m, uint32_t *order)
{
	for (size_t i = 0; i < m->size; i++) {
		if (m->slots[i] != 0)
			*order++ = m->slots[i] - 1;
	}
}

/* llvm/ADT/StringMap.h and llvm/lib/Support/StringMap.cpp, LLVM 3.5 to 16. */
static bool
string_map_order(struct arena *a, const uint32_t *hashes, size_t n,
    uint32_t *order)
{
	struct order_map m = { .hashes = hashes };

	if (!map_resize(&m, a, 16))
		return false;
	for (size_t i = 0; i < n; i++) {
		map_insert(&m, (uint32_t)i);
		if ((i + 1) * 4 > m.size * 3 && !map_resize(&m, a, m.size * 2))
			return false;
	}
	map_list_keys(&m, order);
	return true;
}

/* llvm/ADT/DenseMap.h, a SmallDenseMap of 4, LLVM 3.6 to 22. */
static bool
dense_map_order(struct arena *a, const uint32_t *hashes, size_t n,
    uint32_t *order)
{
	struct order_map m = { .hashes = hashes };

	if (!map_resize(&m, a, 4))
		return false;
	for (size_t i = 0; i < n; i++) {
		if ((i + 1) * 4 >= m.size * 3 &&
		    !map_resize(&m, a, m.size < 64 ? 64 : m.size * 2))
			return false;
		map_insert(&m, (uint32_t)i);
	}
	map_list_keys(&m, order);
	return true;
}

/* Hash of a string map's key, until LLVM 16: djbHash with seed 0. */
static uint32_t
string_map_hash(struct prof_span name)
{
	uint32_t h = 0;

	for (size_t i = 0; i < name.size; i++)
		h = h * 33 + name.data[i];
	return h;
}

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

static uint64_t
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

static enum prof_status
indexed_item_write(struct indexed_entries *t, uint32_t name, struct buf *out,
    struct prof_error *err)
{
	const struct indexed_entry *e = &t->list[t->first[name]];
	enum prof_status status = PROF_OK;

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

/* Bytes that are collected before they go to the sink. */
enum { OUT_SIZE = 1 << 18 };

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
	/* Omitted names have a place in LLVM's map and none in the file. */
	for (uint32_t i = 0; i < s->names; i++) {
		if (!s->list[s->first[t->order[i]]].omitted)
			t->order[t->items++] = t->order[i];
	}
	return true;
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
	struct indexed_entries *s = t->entries;
	uint64_t *hashes;

	if (indexed_entries_arrange(s, err) != PROF_OK)
		return PROF_FAIL;
	if (!table_order_names(t))
		return err_memory(err);
	hashes = arena_array(&s->arena, t->items, sizeof(*hashes));
	if (hashes == NULL)
		return err_memory(err);
	for (uint32_t i = 0; i < t->items; i++)
		hashes[i] = s->list[s->first[t->order[i]]].guid;
	if (!disk_hash_plan(&t->plan, &s->arena, hashes, t->items,
	    s->row->shrinks))
		return err_memory(err);
	return table_place_buckets(t, payload, err);
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
		uint32_t first = t->plan.first[b];
		uint16_t count = 0;

		if (first == 0)
			continue;
		for (uint32_t i = first; i != 0; i = t->plan.next[i - 1])
			count++;
		buf_u16le(out, count);
		for (uint32_t i = first; i != 0; i = t->plan.next[i - 1]) {
			if (indexed_item_write(t->entries, t->order[i - 1], out,
			    err) != PROF_OK)
				return PROF_FAIL;
		}
		if (table_drain(w, out, err) != PROF_OK)
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
