#include "ops/merge.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "ops/merge_engine.h"
#include "ops/merge_values.h"

struct merge *
merge_new(prof_warn *warn, void *warn_arg)
{
	struct merge *m = calloc(1, sizeof(*m));

	if (m != NULL) {
		m->warn = warn;
		m->warn_arg = warn_arg;
	}
	return m;
}

void
merge_free(struct merge *m)
{
	if (m == NULL)
		return;
	arena_free(&m->arena);
	arena_free(&m->scratch);
	symtab_free(&m->names);
	symtab_free(&m->build_ids);
	symtab_free(&m->vtables);
	free(m->entries);
	free(m->slots);
	free(m->traces);
	free(m);
}

static size_t
slot_of(const struct merge *m, uint64_t guid, uint64_t hash)
{
	size_t mask = m->slot_count - 1;
	uint64_t mixed = guid ^ hash * 0x9E3779B97F4A7C15;
	size_t i = (size_t)(mixed * 0x9E3779B97F4A7C15 >> 32) & mask;

	for (; m->slots[i] != 0; i = (i + 1) & mask) {
		const struct merge_entry *e = &m->entries[m->slots[i] - 1];

		if (e->guid == guid && e->hash == hash)
			break;
	}
	return i;
}

/* At most half of the slots are in use. */
static bool
grow_slots(struct merge *m)
{
	size_t count = m->slot_count == 0 ? 128 : m->slot_count * 2;

	if (m->size < m->slot_count / 2)
		return true;
	free(m->slots);
	m->slots = calloc(count, sizeof(*m->slots));
	if (m->slots == NULL)
		return false;
	m->slot_count = count;
	for (size_t i = 0; i < m->size; i++)
		m->slots[slot_of(m, m->entries[i].guid, m->entries[i].hash)] =
		    (uint32_t)i + 1;
	return true;
}

/* Functions mostly come in the order of the profile before. */
static struct merge_entry *
expected(struct merge *m, const struct prof_function *f)
{
	struct merge_entry *e;

	if (m->next >= m->size)
		return NULL;
	e = &m->entries[m->next];
	if (e->hash != f->hash)
		return NULL;
	if (f->symbol.guid != 0 ? e->guid != f->symbol.guid :
	    e->name.data == NULL || !prof_span_equal(e->name, f->symbol.name))
		return NULL;
	return e;
}

static enum prof_status
name_clash(struct prof_span a, struct prof_span b, struct prof_error *err)
{
	char x[ERR_NAME_SIZE], y[ERR_NAME_SIZE];

	return err_set(err, PROF_E_MISMATCH, "%s and %s have the same MD5 "
	    "prefix and cannot be told apart", err_name(x, a),
	    err_name(y, b));
}

enum prof_status
merge_entry_of(struct merge *m, const struct prof_function *f,
    struct merge_entry **out, struct prof_error *err)
{
	struct merge_entry *e = expected(m, f), *entries;
	uint64_t guid;
	size_t slot;

	if (e == NULL) {
		guid = prof_symbol_guid(&f->symbol);
		entries = array_room(m->entries, m->size, &m->room,
		    sizeof(*entries));
		if (entries == NULL)
			return err_memory(err);
		m->entries = entries;
		if (!grow_slots(m))
			return err_memory(err);
		slot = slot_of(m, guid, f->hash);
		if (m->slots[slot] == 0) {
			if (m->size == UINT32_MAX)
				return err_set(err, PROF_E_LIMIT,
				    "more than 2^32 functions");
			m->entries[m->size] = (struct merge_entry){
			    .guid = guid, .hash = f->hash };
			m->slots[slot] = (uint32_t)++m->size;
		}
		e = &m->entries[m->slots[slot] - 1];
	}
	m->next = (size_t)(e - m->entries) + 1;
	if (e->name.data == NULL && f->symbol.name.data != NULL) {
		if (!merge_keep_name(&m->names, &m->arena, f->symbol.name,
		    e->guid))
			return err_memory(err);
		e->name = symtab_name(&m->names, e->guid);
	}
	if (f->symbol.name.data != NULL &&
	    !prof_span_equal(e->name, f->symbol.name))
		return name_clash(e->name, f->symbol.name, err);
	*out = e;
	return PROF_OK;
}

void
merge_next_input(struct merge *m)
{
	m->input++;
}

struct merge_entry *
merge_find(const struct merge *m, uint64_t guid, uint64_t hash)
{
	size_t slot;

	if (m->size == 0)
		return NULL;
	slot = slot_of(m, guid, hash);
	return m->slots[slot] == 0 ? NULL : &m->entries[m->slots[slot] - 1];
}

static enum prof_status
add_binary(struct merge *m, struct prof_span id, struct prof_error *err)
{
	return merge_keep_name(&m->build_ids, &m->arena, id, prof_guid(id)) ?
	    PROF_OK : err_memory(err);
}

/* Addresses belong to one run and are not kept. */
static enum prof_status
add_vtable(struct merge *m, const struct prof_vtable *v,
    struct prof_error *err)
{
	uint64_t guid = prof_symbol_guid(&v->symbol);

	if (!merge_keep_name(&m->names, &m->arena, v->symbol.name, guid) ||
	    !symtab_add(&m->vtables, (struct prof_span){ NULL, 0 }, guid))
		return err_memory(err);
	return PROF_OK;
}

static enum prof_status
add_trace(struct merge *m, const struct prof_trace *t,
    const struct merge_factor *w, struct prof_error *err)
{
	uint64_t *guids = arena_array(&m->arena, t->size, sizeof(*guids));
	struct merge_trace *traces = array_room(m->traces, m->traces_size,
	    &m->traces_room, sizeof(*traces));

	if (guids == NULL || traces == NULL)
		return err_memory(err);
	m->traces = traces;
	for (size_t i = 0; i < t->size; i++) {
		guids[i] = prof_symbol_guid(&t->functions[i]);
		if (!merge_keep_name(&m->names, &m->arena,
		    t->functions[i].name, guids[i]))
			return err_memory(err);
	}
	if (m->own_traces++ == 0)
		m->profiles_with_traces++;
	m->traces[m->traces_size++] = (struct merge_trace){
	    merge_weigh(w, t->weight), guids, t->size };
	return PROF_OK;
}

enum prof_status
merge_add(struct merge *m, const struct prof_record *r,
    const struct merge_factor *weight, struct prof_error *err)
{
	static const struct merge_factor once = { 1, 1 };
	const struct merge_factor *w = weight == NULL ? &once : weight;

	switch (r->kind) {
	case PROF_REC_PROFILE:
		m->next = 0;
		m->own_traces = 0;
		return merge_head_begin(&m->head, &m->arena, &r->u.profile,
		    err);
	case PROF_REC_BINARY:
		return add_binary(m, r->u.build_id, err);
	case PROF_REC_VTABLE:
		return add_vtable(m, &r->u.vtable, err);
	case PROF_REC_FUNCTION:
		return merge_function(m, &r->u.function, w, err);
	case PROF_REC_RAW_COUNTERS:
		return err_set(err, PROF_E_UNSUPPORTED, "a correlated profile: "
		    "its functions are known only to the binary");
	case PROF_REC_TRACE:
		return add_trace(m, &r->u.trace, w, err);
	case PROF_REC_END:
		merge_head_end(&m->head, m->own_traces);
		return PROF_OK;
	default:
		m->others++;
		return PROF_OK;
	}
}
