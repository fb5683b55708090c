#include "ops/diff/table.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"

struct table_key {
	const struct diff_function *functions;
	uint64_t guid, hash;
	bool context_sensitive;
};

static bool
table_same(const void *arg, uint32_t item)
{
	const struct table_key *k = arg;
	const struct diff_function *f = &k->functions[item];

	return f->symbol.guid == k->guid && f->hash == k->hash &&
	    f->context_sensitive == k->context_sensitive;
}

/*
 * The function of the key, added without records if it is new.  Functions of
 * side B often come in the order of side A, so that the function behind the
 * one found before is tried first.  NULL: no memory.
 */
static struct diff_function *
table_function(struct diff_table *t, struct table_key *k)
{
	struct hash_index_slot *s;
	uint64_t hash;

	k->functions = t->functions;
	if (t->next < t->size && table_same(k, (uint32_t)t->next))
		return &t->functions[t->next++];
	if (!hash_index_reserve(&t->index, t->size + 1) ||
	    !ARRAY_ROOM(t->functions, t->size, t->room))
		return NULL;
	k->functions = t->functions;
	hash = hash_mix(hash_mix(t->index.seed, k->guid), k->hash);
	s = hash_index_slot(&t->index, hash, table_same, k);
	if (s->item == 0) {
		hash_index_fill(&t->index, s, hash);
		t->functions[t->size++] = (struct diff_function){
		    .symbol.guid = k->guid, .hash = k->hash,
		    .context_sensitive = k->context_sensitive };
	}
	t->next = s->item;
	return &t->functions[s->item - 1];
}

/* Copies a name that is not there yet. */
static bool
table_set_name(struct diff_table *t, struct diff_function *f,
    struct prof_span name)
{
	if (f->symbol.name.data == NULL || name.data == NULL ||
	    !prof_span_equal(f->symbol.name, name)) {
		f->symbol.name = name;
		return arena_keep(&t->arena, &f->symbol.name);
	}
	return true;
}

/* Adds the first record that a side has of a function. */
static bool
table_add_first(struct diff_table *t, int side, struct diff_function *f,
    const struct prof_function *from)
{
	struct diff_table_side *s = &t->sides[side];
	uint32_t number = (uint32_t)(f - t->functions);

	if ((side == OVERLAP_B || f->records[OVERLAP_B] == NULL) &&
	    !table_set_name(t, f, from->symbol.name))
		return false;
	f->records[side] = diff_record_new(&t->arena, from);
	return f->records[side] != NULL &&
	    ARRAY_ADD(s->order, s->size, s->room, number);
}

/* Whether a function stays instead of a record to which it cannot be added. */
static bool
table_replaces(const struct diff_table *t, const struct diff_record *r,
    const struct prof_function *from)
{
	return t->as_llvm ? from->counts_size > r->counts_size :
	    diff_record_compare_class(r, from) < 0;
}

/* Adds one more record to a function, or takes it instead, or drops it. */
static bool
table_add_again(struct diff_table *t, int side, struct diff_function *f,
    const struct prof_function *from)
{
	struct diff_record **record = &f->records[side];

	if (f->symbol.name.data == NULL &&
	    (side == OVERLAP_B || f->records[OVERLAP_B] == NULL) &&
	    !table_set_name(t, f, from->symbol.name))
		return false;
	if (diff_record_accepts(*record, from))
		return diff_record_add(&t->arena, record, from);
	t->sides[side].misfits += !f->misfits[side];
	f->misfits[side] = true;
	if (table_replaces(t, *record, from))
		*record = diff_record_new(&t->arena, from);
	return *record != NULL;
}

static enum prof_status
table_add_function(struct diff_table *t, int side,
    const struct prof_function *from, struct prof_error *err)
{
	struct table_key key = { .guid = prof_symbol_guid(&from->symbol),
	    .hash = from->hash, .context_sensitive = diff_context_sensitive(
	    t->sides[side].ir, from->hash) };
	struct diff_function *f;

	if ((uint32_t)from->counts_size != from->counts_size)
		return err_set(err, PROF_E_LIMIT, "a function has %zu "
		    "counters: too many to compare", from->counts_size);
	f = table_function(t, &key);
	if (f == NULL || !(f->records[side] == NULL ?
	    table_add_first(t, side, f, from) :
	    table_add_again(t, side, f, from)))
		return err_memory(err);
	return PROF_OK;
}

enum prof_status
diff_table_add(struct diff_table *t, int side, const struct prof_record *r,
    struct prof_error *err)
{
	if (r->kind == PROF_REC_PROFILE)
		t->sides[side].ir = r->u.profile.level == PROF_LEVEL_IR;
	if (r->kind != PROF_REC_FUNCTION)
		return PROF_OK;
	return table_add_function(t, side, &r->u.function, err);
}

void
diff_table_free(struct diff_table *t)
{
	for (int s = 0; s < OVERLAP_SIDES; s++)
		free(t->sides[s].order);
	hash_index_free(&t->index);
	arena_free(&t->arena);
	free(t->functions);
	*t = (struct diff_table){ .functions = NULL };
}
