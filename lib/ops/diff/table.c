#include "ops/diff/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
#include "model/record.h"

static int
record_by_target(const void *a, const void *b)
{
	const struct diff_value *x = a, *y = b;

	return compare_u64(x->target, y->target);
}

/*
 * Appends a value, of which so many more may come.  The arena keeps the old
 * array: doubling limits that to as much as the new one takes.
 */
static bool
record_append_value(struct arena *a, struct diff_site *into, size_t more,
    struct diff_value value)
{
	size_t room = into->size + (more > into->size ? more : into->size);
	struct diff_value *v;

	if (into->size == into->room) {
		v = arena_array(a, room, sizeof(*v));
		if (v == NULL)
			return false;
		if (into->size != 0)
			memcpy(v, into->values, into->size * sizeof(*v));
		into->values = v;
		into->room = room;
	}
	into->values[into->size++] = value;
	return true;
}

/* Adds values by target.  The site that is added may repeat targets. */
static bool
record_add_site(struct arena *a, struct diff_site *into,
    const struct prof_site *site)
{
	const size_t sorted = into->size;
	struct diff_value *v;
	size_t kept = 0;

	for (size_t i = 0; i < site->size; i++) {
		const struct diff_value new = { site->values[i].value,
		    site->values[i].count };

		v = sorted == 0 ? NULL : bsearch(&new, into->values, sorted,
		    sizeof(new), record_by_target);
		if (v != NULL)
			v->count = saturating_add(v->count, new.count);
		else if (!record_append_value(a, into, site->size - i, new))
			return false;
	}
	if (into->size == sorted)
		return true;
	v = into->values;
	qsort(v, into->size, sizeof(*v), record_by_target);
	for (size_t i = 0; i < into->size; i++) {
		if (kept != 0 && v[kept - 1].target == v[i].target)
			v[kept - 1].count = saturating_add(v[kept - 1].count,
			    v[i].count);
		else
			v[kept++] = v[i];
	}
	into->size = kept;
	return true;
}

/* Adds a function of the record's class; the counters saturate. */
static bool
record_add(struct arena *a, struct diff_record *r,
    const struct prof_function *from)
{
	r->used = r->used || !function_is_empty(from);
	for (size_t i = 0; i < r->counts_size && !prof_is_pseudo(from); i++) {
		if (!add_u64(r->counts[i], from->counts[i], &r->counts[i]) ||
		    r->counts[i] > PROF_COUNT_MAX)
			r->counts[i] = PROF_COUNT_MAX;
	}
	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		for (size_t i = 0; i < diff_sites_size(r, k); i++) {
			if (!record_add_site(a, &r->sites[k][i],
			    &from->values[k].sites[i]))
				return false;
		}
	}
	return true;
}

/* NULL if out of memory. */
static struct diff_record *
record_new(struct diff_table *t, const struct prof_function *from)
{
	struct arena *a = &t->arena;
	struct diff_record *r = arena_alloc(a, sizeof(*r));

	if (r == NULL)
		return NULL;
	*r = (struct diff_record){ .class = function_class_of(from),
	    .counts_size = from->counts_size, .hash_only = t->binary,
	    .counts = arena_array(a, from->counts_size, sizeof(*r->counts)) };
	if (r->counts == NULL)
		return NULL;
	memset(r->counts, 0, r->counts_size * sizeof(*r->counts));
	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		size_t n = diff_sites_size(r, k);

		r->sites[k] = arena_array(a, n, sizeof(*r->sites[k]));
		if (r->sites[k] == NULL)
			return NULL;
		memset(r->sites[k], 0, n * sizeof(*r->sites[k]));
	}
	return record_add(a, r, from) ? r : NULL;
}

uint64_t
diff_count_sum(const struct diff_record *r)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < r->counts_size; i++)
		sum = saturating_add(sum, r->counts[i]);
	return sum;
}

uint64_t
diff_value_sum(const struct diff_record *r, int kind)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < diff_sites_size(r, kind); i++) {
		const struct diff_site *site = &r->sites[kind][i];

		for (size_t j = 0; j < site->size; j++)
			sum = saturating_add(sum, site->values[j].count);
	}
	return sum;
}

bool
diff_records_fit(const struct diff_record *a, const struct diff_record *b)
{
	bool fit = a->counts_size == b->counts_size;

	for (int k = 0; k < PROF_VALUE_KINDS; k++)
		fit = fit && diff_sites_size(a, k) == diff_sites_size(b, k);
	return fit || a->hash_only;
}

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
 * NEW often come in the order of OLD, so that the function behind the
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

	if ((side == OVERLAP_NEW || f->records[OVERLAP_NEW] == NULL) &&
	    !table_set_name(t, f, from->symbol.name))
		return false;
	f->records[side] = record_new(t, from);
	return f->records[side] != NULL &&
	    ARRAY_ADD(s->order, s->size, s->room, number);
}

/* Adds one more record to a function, or takes it instead, or drops it. */
static bool
table_add_again(struct diff_table *t, int side, struct diff_function *f,
    const struct prof_function *from)
{
	const struct function_class class = function_class_of(from);
	struct diff_record *r = f->records[side];
	int order;

	if (f->symbol.name.data == NULL &&
	    (side == OVERLAP_NEW || f->records[OVERLAP_NEW] == NULL) &&
	    !table_set_name(t, f, from->symbol.name))
		return false;
	order = function_class_compare(&class, &r->class);
	if (order == 0)
		return record_add(&t->arena, r, from);
	t->sides[side].misfits += !f->misfits[side];
	f->misfits[side] = true;
	/* Those that are not empty come first (function_is_empty). */
	if (!t->as_llvm && r->used == function_is_empty(from))
		order = r->used ? -1 : 1;
	if (t->as_llvm ? from->counts_size > r->counts_size : order > 0)
		f->records[side] = record_new(t, from);
	return f->records[side] != NULL;
}

enum prof_status
diff_table_add(struct diff_table *t, int side, const struct prof_record *r,
    struct prof_error *err)
{
	const struct prof_function *from = &r->u.function;
	struct diff_function *f;
	struct table_key key;

	if (r->kind == PROF_REC_PROFILE)
		t->sides[side].ir = r->u.profile.level == PROF_LEVEL_IR;
	if (r->kind != PROF_REC_FUNCTION)
		return PROF_OK;
	key = (struct table_key){ .guid = prof_symbol_guid(&from->symbol),
	    .hash = from->hash, .context_sensitive = t->sides[side].ir &&
	    record_context_sensitive(PROF_LEVEL_IR, from->hash) };
	f = table_function(t, &key);
	return f != NULL && (f->records[side] == NULL ?
	    table_add_first(t, side, f, from) :
	    table_add_again(t, side, f, from)) ? PROF_OK : err_memory(err);
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
