#include "ops/diff/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/error.h"
#include "model/value_sites.h"

/* InstrProf.h, NamedInstrProfRecord::CS_FLAG_IN_FUNC_HASH. */
#define HASH_CONTEXT_SENSITIVE ((uint64_t)1 << 60)

/* Adds up to a maximum, at which the sum stays. */
static void
diff_add_count(uint64_t *sum, uint64_t n, uint64_t max)
{
	if (!add_u64(*sum, n, sum) || *sum > max)
		*sum = max;
}

static int
diff_by_target(const void *a, const void *b)
{
	const struct prof_value *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

/* The value of the site with that target, or NULL. */
static struct prof_value *
diff_find_value(const struct diff_site *s, const struct prof_value *like)
{
	return s->size == 0 ? NULL : bsearch(like, s->values, s->size,
	    sizeof(*like), diff_by_target);
}

/* False, and nothing is added, if some target is new to the site. */
static bool
diff_add_in_place(struct diff_site *into, const struct prof_site *site)
{
	for (size_t i = 0; i < site->size; i++) {
		if (diff_find_value(into, &site->values[i]) == NULL)
			return false;
	}
	for (size_t i = 0; i < site->size; i++)
		diff_add_count(&diff_find_value(into, &site->values[i])->count,
		    site->values[i].count, UINT64_MAX);
	return true;
}

/* Adds values by target.  The site that is added may repeat targets. */
static bool
diff_add_site(struct arena *a, struct diff_site *into,
    const struct prof_site *site)
{
	size_t n = into->size + site->size, kept = 0;
	struct prof_value *v;

	if (diff_add_in_place(into, site))
		return true;
	v = arena_array(a, n, sizeof(*v));
	if (v == NULL)
		return false;
	if (into->size != 0)
		memcpy(v, into->values, into->size * sizeof(*v));
	for (size_t i = 0; i < site->size; i++)
		v[into->size + i] = (struct prof_value){
		    .value = site->values[i].value,
		    .count = site->values[i].count };
	if (n > 1)
		qsort(v, n, sizeof(*v), diff_by_target);
	for (size_t i = 0; i < n; i++) {
		if (kept != 0 && v[kept - 1].value == v[i].value)
			diff_add_count(&v[kept - 1].count, v[i].count,
			    UINT64_MAX);
		else
			v[kept++] = v[i];
	}
	*into = (struct diff_site){ v, kept };
	return true;
}

static bool
diff_add_sites(struct diff_table *t, struct diff_function *f,
    const struct prof_function *from)
{
	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		for (size_t i = 0; i < f->sites_size[k]; i++) {
			if (!diff_add_site(&t->arena, &f->sites[k][i],
			    &from->values[k].sites[i]))
				return false;
		}
	}
	return true;
}

/* Zero counters and empty sites, in the same numbers as in a record. */
static bool
diff_copy_sizes(struct diff_table *t, struct diff_function *f,
    const struct prof_function *from)
{
	f->counts_size = from->counts_size;
	f->counts = arena_array(&t->arena, f->counts_size, sizeof(*f->counts));
	if (f->counts == NULL)
		return false;
	memset(f->counts, 0, f->counts_size * sizeof(*f->counts));
	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		size_t n = from->values[k].size;

		f->sites_size[k] = n;
		f->sites[k] = arena_array(&t->arena, n, sizeof(*f->sites[k]));
		if (f->sites[k] == NULL)
			return false;
		for (size_t i = 0; i < n; i++)
			f->sites[k][i] = (struct diff_site){ NULL, 0 };
	}
	f->pseudo = prof_is_pseudo(from);
	return true;
}

static bool
diff_has_sizes(const struct diff_function *f, const struct prof_function *from)
{
	return f->counts_size == from->counts_size &&
	    f->pseudo == prof_is_pseudo(from) &&
	    value_sites_fit(from->values, f->sites_size);
}

static void
diff_sum_function(struct diff_function *f)
{
	f->count_sum = 0;
	for (size_t i = 0; i < f->counts_size; i++)
		diff_add_count(&f->count_sum, f->counts[i], UINT64_MAX);
	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		f->value_sums[k] = 0;
		for (size_t i = 0; i < f->sites_size[k]; i++) {
			const struct diff_site *s = &f->sites[k][i];

			for (size_t j = 0; j < s->size; j++)
				diff_add_count(&f->value_sums[k],
				    s->values[j].count, UINT64_MAX);
		}
	}
}

static bool
diff_add_record(struct diff_table *t, struct diff_function *f,
    const struct prof_function *from)
{
	for (size_t i = 0; i < f->counts_size && !f->pseudo; i++)
		diff_add_count(&f->counts[i], from->counts[i], PROF_COUNT_MAX);
	if (!diff_add_sites(t, f, from))
		return false;
	diff_sum_function(f);
	return true;
}

enum { KEY = 3 };

static void
diff_make_key(uint64_t key[KEY], uint64_t guid, uint64_t hash, bool sensitive)
{
	key[0] = guid;
	key[1] = hash;
	key[2] = sensitive;
}

/* Gives the number of a guid, added if it is new.  False: no memory. */
static bool
diff_name_number(struct diff_table *t, uint64_t guid, uint32_t *out)
{
	uint64_t *n;

	if (!ARRAY_ROOM(t->names, t->names_size, t->names_room))
		return false;
	n = id_map_add(&t->by_guid, guid, t->names_size + 1);
	if (n == NULL)
		return false;
	*out = (uint32_t)(*n - 1);
	if (*out == t->names_size)
		t->names[t->names_size++] = (struct diff_name){ .count = 0 };
	return true;
}

/* Appends a function whose key was just added.  NULL: no memory. */
static struct diff_function *
diff_append_function(struct diff_table *t, const struct prof_function *from,
    uint64_t guid, bool sensitive)
{
	struct diff_function *f;

	if (!ARRAY_ROOM(t->functions, t->size, t->room))
		return NULL;
	f = &t->functions[t->size];
	*f = (struct diff_function){ .symbol.guid = guid, .hash = from->hash,
	    .context_sensitive = sensitive };
	if (from->symbol.name.data != NULL) {
		f->symbol.name = arena_copy(&t->arena, from->symbol.name);
		if (f->symbol.name.data == NULL)
			return NULL;
	}
	if (!diff_copy_sizes(t, f, from) || !diff_name_number(t, guid,
	    &f->name))
		return NULL;
	t->size++;
	return f;
}

static enum prof_status
diff_add_function(struct diff_table *t, const struct prof_function *from,
    struct prof_error *err)
{
	bool sensitive = t->ir && (from->hash & HASH_CONTEXT_SENSITIVE) != 0;
	uint64_t guid = prof_symbol_guid(&from->symbol), key[KEY];
	struct diff_function *f;
	uint32_t n;

	diff_make_key(key, guid, from->hash, sensitive);
	n = intern_add(&t->keys, key, sizeof(key));
	if (n == INDEX_NONE)
		return err_memory(err);
	if (n == t->size)
		f = diff_append_function(t, from, guid, sensitive);
	else
		f = &t->functions[n];
	if (f != NULL && !diff_has_sizes(f, from)) {
		t->misfits++;
		if (from->counts_size <= f->counts_size)
			return PROF_OK;
		if (!diff_copy_sizes(t, f, from))
			f = NULL;
	}
	return f != NULL && diff_add_record(t, f, from) ? PROF_OK :
	    err_memory(err);
}

enum prof_status
diff_table_add(struct diff_table *t, const struct prof_record *r,
    struct prof_error *err)
{
	if (r->kind == PROF_REC_PROFILE)
		t->ir = r->u.profile.level == PROF_LEVEL_IR;
	if (r->kind != PROF_REC_FUNCTION)
		return PROF_OK;
	return diff_add_function(t, &r->u.function, err);
}

struct diff_function *
diff_table_find(const struct diff_table *t, const struct diff_function *f)
{
	uint64_t key[KEY];
	uint32_t n;

	diff_make_key(key, f->symbol.guid, f->hash, f->context_sensitive);
	n = intern_find(&t->keys, key, sizeof(key));
	return n == INDEX_NONE ? NULL : &t->functions[n];
}

struct diff_name *
diff_table_name(const struct diff_table *t, const struct diff_function *f)
{
	const uint64_t *n = id_map_find(&t->by_guid, f->symbol.guid);

	return n == NULL ? NULL : &t->names[*n - 1];
}

bool
diff_fits(const struct diff_function *a, const struct diff_function *b)
{
	return a->counts_size == b->counts_size && memcmp(a->sites_size,
	    b->sites_size, sizeof(a->sites_size)) == 0;
}

void
diff_table_free(struct diff_table *t)
{
	intern_free(&t->keys);
	id_map_free(&t->by_guid);
	arena_free(&t->arena);
	free(t->names);
	free(t->functions);
	*t = (struct diff_table){ .functions = NULL };
}
