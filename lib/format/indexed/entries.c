#include "format/indexed/entries.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"

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

static enum prof_status
entries_grow(struct indexed_entries *t, struct prof_error *err)
{
	/* Indices are 32 bits wide. */
	if (t->size >= UINT32_MAX / 2)
		return err_set(err, PROF_E_LIMIT, "more than %zu functions",
		    t->size);
	return ARRAY_ROOM(t->list, t->size, t->room) ? PROF_OK :
	    err_memory(err);
}

/* A name is stored behind the first of its records. */
static enum prof_status
entries_store_name(struct indexed_entries *t, struct indexed_entry *e,
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
entry_borrow(struct indexed_entry *e, const struct prof_function *f)
{
	e->name = f->symbol.name;
	e->guid = prof_symbol_guid(&f->symbol);
	e->counts = f->counts;
	e->counts_size = f->counts_size;
}

static enum prof_status
entries_store(struct indexed_entries *t, struct indexed_entry *e,
    const struct prof_function *f, struct prof_error *err)
{
	const struct indexed_entry *last = t->size == 0 ? NULL : e - 1;
	int order = last == NULL ? -1 : prof_span_compare(buf_span(
	    &t->last), f->symbol.name);

	if (order > 0 || (order == 0 && last->hash >= f->hash))
		t->unsorted = true;
	if (order != 0)
		return entries_store_name(t, e, &f->symbol, err);
	e->guid = last->guid;
	return PROF_OK;
}

enum prof_status
indexed_entries_add(struct indexed_entries *t, const struct prof_function *f,
    size_t start, bool second_pass, struct prof_error *err)
{
	struct indexed_entry *e;

	if (t->store.bytes.failed || t->plain.failed)
		return err_memory(err);
	if (t->size == t->room && entries_grow(t, err) != PROF_OK)
		return PROF_FAIL;
	e = &t->list[t->size];
	*e = (struct indexed_entry){ .hash = f->hash,
	    .record = t->store.written + start,
	    .record_size = t->store.bytes.size - start,
	    .arrival = (uint32_t)t->size, .second_pass = second_pass };
	if (t->borrows)
		entry_borrow(e, f);
	else if (entries_store(t, e, f, err) != PROF_OK)
		return PROF_FAIL;
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

/* Names stored in memory are not copied: the store does not grow any more. */
static enum prof_status
entries_load_name(struct indexed_entries *t, struct indexed_entry *e,
    struct buf *b, struct prof_error *err)
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
	e->name = arena_copy(&t->arena, buf_span(b));
	return e->name.data == NULL ? err_memory(err) : PROF_OK;
}

/* Only the first entry of a name has stored it; the others get it here. */
static enum prof_status
entries_load_names(struct indexed_entries *t, struct prof_error *err)
{
	struct buf b = { 0 };
	enum prof_status status = PROF_OK;

	for (size_t i = 0; i < t->size && status == PROF_OK; i++) {
		struct indexed_entry *e = &t->list[i];

		if (e->name.size == 0)
			e->name = e[-1].name;
		else
			status = entries_load_name(t, e, &b, err);
	}
	buf_free(&b);
	return status;
}

static bool
entries_same_name(const struct indexed_entries *t,
    const struct indexed_entry *a, const struct indexed_entry *b)
{
	if (t->borrows)
		return a->guid == b->guid;
	return a->name.data == NULL ? b->name.size == 0 :
	    prof_span_equal(a->name, b->name);
}

/* Refuses two entries of one name that a file of the version cannot hold. */
static enum prof_status
entries_check_pair(const struct indexed_entries *t,
    const struct indexed_entry *e, struct prof_error *err)
{
	char name[ERR_NAME_SIZE];

	if (e[0].hash == e[1].hash)
		return err_set(err, PROF_E_MISMATCH, "function %s with hash "
		    "0x%016llx occurs twice: use prof-merge", err_name(name,
		    e->name), (unsigned long long)e->hash);
	if (!t->row->num_counts)
		return err_set(err, PROF_E_UNSUPPORTED, "indexed version %u "
		    "cannot hold the two hashes of function %s",
		    t->row->version, err_name(name, e->name));
	return PROF_OK;
}

static enum prof_status
entries_group_names(struct indexed_entries *t, struct prof_error *err)
{
	const struct indexed_entry *e = t->list;

	t->first = arena_array(&t->arena, t->size + 1, sizeof(*t->first));
	if (t->first == NULL)
		return err_memory(err);
	for (uint32_t i = 0; i < t->size; i++) {
		if (i == 0 || !entries_same_name(t,
		    &t->list[t->first[t->names - 1]], &e[i]))
			t->first[t->names++] = i;
		else if (entries_check_pair(t, &e[i - 1], err) != PROF_OK)
			return PROF_FAIL;
	}
	t->first[t->names] = (uint32_t)t->size;
	return PROF_OK;
}

/*
 * Names are loaded from the scratch file only if they are compared, hashed or
 * needed for messages.
 */
static bool
entries_need_names(const struct indexed_entries *t)
{
	return t->store.scratch == NULL || t->unsorted ||
	    !t->row->sorted_names || !t->row->num_counts;
}

enum prof_status
indexed_entries_arrange(struct indexed_entries *t, struct prof_error *err)
{
	if (indexed_store_drain(&t->store, true, err) != PROF_OK)
		return PROF_FAIL;
	if (!t->borrows && entries_need_names(t) &&
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
