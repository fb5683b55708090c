#include "ops/diff/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/numbers.h"
#include "model/record.h"
#include "model/value_sites.h"

/* Behind the sites of a record: what only decides its class. */
struct record_rare {
	size_t bitmap_size, uniform_size;
};

static size_t
record_sites_offset(const struct diff_record *r)
{
	size_t n = r->counts_size * (r->wide ? sizeof(uint64_t) :
	    sizeof(uint32_t));

	return DIFF_RECORD_HEAD + n + (size_t)pad8(n);
}

struct diff_sites *
diff_record_sites(const struct diff_record *r)
{
	return r->flags & DIFF_SITES ? (void *)((char *)r +
	    record_sites_offset(r)) : NULL;
}

static struct record_rare *
record_rare(const struct diff_record *r)
{
	size_t offset = record_sites_offset(r) + (r->flags & DIFF_SITES ?
	    sizeof(struct diff_sites) : 0);

	return r->flags & DIFF_RARE ? (void *)((char *)r + offset) : NULL;
}

/* Bytes of the record behind its counters. */
static size_t
record_parts_size(const struct diff_record *r)
{
	return (r->flags & DIFF_SITES ? sizeof(struct diff_sites) : 0) +
	    (r->flags & DIFF_RARE ? sizeof(struct record_rare) : 0);
}

/* A record without values; its counters are not set. */
static struct diff_record *
record_alloc(struct arena *a, const struct diff_record *head)
{
	size_t offset = record_sites_offset(head);
	size_t size = offset + record_parts_size(head);
	struct diff_record *r = arena_alloc(a, size);

	if (r != NULL) {
		*r = *head;
		memset((char *)r + offset, 0, size - offset);
	}
	return r;
}

static int
record_by_target(const void *a, const void *b)
{
	const struct diff_value *x = a, *y = b;

	return (x->target > y->target) - (x->target < y->target);
}

/* The value of the site with that target, or NULL. */
static struct diff_value *
record_find_value(const struct diff_site *s, uint64_t target)
{
	const struct diff_value like = { .target = target };

	return s->size == 0 ? NULL : bsearch(&like, s->values, s->size,
	    sizeof(like), record_by_target);
}

static void
record_add_value(struct diff_value *v, uint64_t count)
{
	v->count = saturating_add(v->count, count);
}

/* False, and nothing is added, if some target is new to the site. */
static bool
record_add_in_place(struct diff_site *into, const struct prof_site *site)
{
	for (size_t i = 0; i < site->size; i++) {
		if (record_find_value(into, site->values[i].value) == NULL)
			return false;
	}
	for (size_t i = 0; i < site->size; i++)
		record_add_value(record_find_value(into,
		    site->values[i].value), site->values[i].count);
	return true;
}

static bool
record_is_sorted(const struct diff_value *v, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (v[i - 1].target >= v[i].target)
			return false;
	}
	return true;
}

/* Sorts values and adds up those of one target; returns how many are left. */
static size_t
record_sort_values(struct diff_value *v, size_t n)
{
	size_t kept = 0;

	if (record_is_sorted(v, n))
		return n;
	qsort(v, n, sizeof(*v), record_by_target);
	for (size_t i = 0; i < n; i++) {
		if (kept != 0 && v[kept - 1].target == v[i].target)
			record_add_value(&v[kept - 1], v[i].count);
		else
			v[kept++] = v[i];
	}
	return kept;
}

/*
 * Copies the values whose targets are new to `into`, and adds the others to it.
 * Returns how many are new, sorted by target, each once.
 */
static size_t
record_take_new(struct diff_site *into, const struct prof_site *site,
    struct diff_value *new)
{
	size_t n = 0;

	for (size_t i = 0; i < site->size; i++) {
		const struct prof_value *v = &site->values[i];
		struct diff_value *found = record_find_value(into, v->value);

		if (found != NULL)
			record_add_value(found, v->count);
		else
			new[n++] = (struct diff_value){ v->value, v->count };
	}
	return record_sort_values(new, n);
}

/*
 * Makes room for more values.  The arena keeps the old ones: doubling limits
 * that to as much as the new ones take.
 */
static bool
record_reserve_values(struct arena *a, struct diff_site *into, size_t more)
{
	size_t need = into->size + more;
	size_t room = need < 2 * into->size ? 2 * into->size : need;
	struct diff_value *v;

	if (need <= into->room)
		return true;
	v = arena_array(a, room, sizeof(*v));
	if (v == NULL)
		return false;
	memcpy(v, into->values, into->size * sizeof(*v));
	into->values = v;
	into->room = room;
	return true;
}

/* Merges n values, sorted and new to the site, from the end on. */
static void
record_merge_values(struct diff_site *into, const struct diff_value *new,
    size_t n)
{
	struct diff_value *v = into->values;
	size_t old = into->size;

	into->size += n;
	while (n != 0) {
		if (old != 0 && v[old - 1].target > new[n - 1].target) {
			v[old + n - 1] = v[old - 1];
			old--;
		} else {
			v[old + n - 1] = new[n - 1];
			n--;
		}
	}
}

/* Adds values by target.  The site that is added may repeat targets. */
static bool
record_add_site(struct arena *a, struct diff_site *into,
    const struct prof_site *site)
{
	struct diff_value *new;
	size_t n;

	if (record_add_in_place(into, site))
		return true;
	new = arena_array(a, site->size, sizeof(*new));
	if (new == NULL)
		return false;
	n = record_take_new(into, site, new);
	if (into->size == 0) {
		*into = (struct diff_site){ new, n, n };
		return true;
	}
	if (!record_reserve_values(a, into, n))
		return false;
	record_merge_values(into, new, n);
	return true;
}

static bool
record_add_sites(struct arena *a, struct diff_record *r,
    const struct prof_function *from)
{
	struct diff_sites *into = diff_record_sites(r);

	for (int k = 0; into != NULL && k < PROF_VALUE_KINDS; k++) {
		for (size_t i = 0; i < into->sizes[k]; i++) {
			if (!record_add_site(a, &into->sites[k][i],
			    &from->values[k].sites[i]))
				return false;
		}
	}
	return true;
}

static bool
record_make_sites(struct arena *a, struct diff_sites *s,
    const struct prof_sites from[PROF_VALUE_KINDS])
{
	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		size_t n = from[k].size;

		s->sizes[k] = n;
		s->sites[k] = arena_array(a, n, sizeof(*s->sites[k]));
		if (s->sites[k] == NULL)
			return false;
		memset(s->sites[k], 0, n * sizeof(*s->sites[k]));
	}
	return true;
}

/* A count as records have it. */
static uint64_t
record_count(uint64_t n)
{
	return n < PROF_COUNT_MAX ? n : PROF_COUNT_MAX;
}

static void
record_copy_counts(struct diff_record *r, const uint64_t *from)
{
	uint32_t *narrow = diff_counters(r);
	uint64_t *wide = diff_counters(r);

	for (size_t i = 0; i < r->counts_size; i++) {
		uint64_t n = r->pseudo ? 0 : from[i];

		if (!r->wide)
			narrow[i] = (uint32_t)n;
		else
			wide[i] = record_count(n);
	}
}

struct diff_record *
diff_record_new(struct arena *a, const struct prof_function *from)
{
	struct diff_record head = {
		.counts_size = (uint32_t)from->counts_size,
		.pseudo = prof_is_pseudo(from),
		.flags = (uint8_t)((value_sites_count(from->values) != 0 ?
		DIFF_SITES : 0) | (from->bitmap.size != 0 ||
		from->uniform_size != 0 ? DIFF_RARE : 0)) };
	uint64_t any = vector_any_bits(from->counts, from->counts_size);
	struct diff_record *r;

	head.wide = !head.pseudo && any > UINT32_MAX;
	if (any != 0 || !function_is_empty(from))
		head.flags |= DIFF_USED;
	r = record_alloc(a, &head);
	if (r == NULL || (head.flags & DIFF_SITES && !record_make_sites(a,
	    diff_record_sites(r), from->values)))
		return NULL;
	record_copy_counts(r, from->counts);
	if (head.flags & DIFF_RARE)
		*record_rare(r) = (struct record_rare){ from->bitmap.size,
		    from->uniform_size };
	return record_add_sites(a, r, from) ? r : NULL;
}

bool
diff_record_accepts(const struct diff_record *r,
    const struct prof_function *from)
{
	static const size_t none[PROF_VALUE_KINDS];
	const struct diff_sites *s = diff_record_sites(r);
	const struct record_rare *rare = record_rare(r);

	return r->counts_size == from->counts_size &&
	    r->pseudo == prof_is_pseudo(from) &&
	    from->bitmap.size == (rare == NULL ? 0 : rare->bitmap_size) &&
	    from->uniform_size == (rare == NULL ? 0 : rare->uniform_size) &&
	    value_sites_fit(from->values, s == NULL ? none : s->sizes);
}

static struct function_class
record_class(const struct diff_record *r)
{
	const struct diff_sites *s = diff_record_sites(r);
	const struct record_rare *rare = record_rare(r);
	struct function_class c = { {
		[CLASS_COUNTERS] = r->counts_size,
		[CLASS_BITMAP] = rare == NULL ? 0 : rare->bitmap_size,
		[CLASS_UNIFORM] = rare == NULL ? 0 : rare->uniform_size,
		[CLASS_ORDINARY] = !r->pseudo,
	} };

	if (s != NULL)
		function_class_set_sites(&c, s->sizes);
	return c;
}

int
diff_record_compare_class(const struct diff_record *r,
    const struct prof_function *from)
{
	const struct function_class a = record_class(r);
	const struct function_class b = function_class_of(from);
	int order = function_is_empty(from) - ((r->flags & DIFF_USED) == 0);

	return order != 0 ? order : function_class_compare(&a, &b);
}

/* A copy with counters of 64 bits, which shares the sites. */
static struct diff_record *
record_widen(struct arena *a, const struct diff_record *narrow)
{
	struct diff_record head = *narrow, *r;
	uint64_t *counts;

	head.wide = true;
	r = record_alloc(a, &head);
	if (r == NULL)
		return NULL;
	counts = diff_counters(r);
	for (size_t i = 0; i < r->counts_size; i++)
		counts[i] = diff_count(narrow, i);
	memcpy((char *)r + record_sites_offset(r), (const char *)narrow +
	    record_sites_offset(narrow), record_parts_size(r));
	return r;
}

bool
diff_record_add(struct arena *a, struct diff_record **record,
    const struct prof_function *from)
{
	struct diff_record *r = *record;
	uint64_t *counts;

	if (!r->wide && (r = record_widen(a, r)) == NULL)
		return false;
	*record = r;
	counts = diff_counters(r);
	for (size_t i = 0; i < r->counts_size && !r->pseudo; i++) {
		if (!add_u64(counts[i], from->counts[i], &counts[i]) ||
		    counts[i] > PROF_COUNT_MAX)
			counts[i] = PROF_COUNT_MAX;
	}
	if ((r->flags & DIFF_USED) == 0 && !function_is_empty(from))
		r->flags |= DIFF_USED;
	return record_add_sites(a, r, from);
}

uint64_t
diff_count_sum(const struct diff_record *r)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < r->counts_size; i++)
		sum = saturating_add(sum, diff_count(r, i));
	return sum;
}

uint64_t
diff_value_sum(const struct diff_record *r, int kind)
{
	const struct diff_sites *s = diff_record_sites(r);
	uint64_t sum = 0;

	for (size_t i = 0; s != NULL && i < s->sizes[kind]; i++) {
		const struct diff_site *site = &s->sites[kind][i];

		for (size_t j = 0; j < site->size; j++)
			sum = saturating_add(sum, site->values[j].count);
	}
	return sum;
}

bool
diff_records_fit(const struct diff_record *a, const struct diff_record *b)
{
	const struct diff_sites *x = diff_record_sites(a);
	const struct diff_sites *y = diff_record_sites(b);

	return a->counts_size == b->counts_size &&
	    (x == NULL) == (y == NULL) && (x == NULL ||
	    memcmp(x->sizes, y->sizes, sizeof(x->sizes)) == 0);
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
