#include "ops/rename.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/error.h"
#include "model/heap.h"

bool
rename_to_guid(void *arg, struct arena *arena, struct prof_span *name,
    uint64_t *guid)
{
	(void)arg;
	(void)arena;
	if (name->data != NULL)
		*guid = prof_guid(*name);
	*name = (struct prof_span){ NULL, 0 };
	return true;
}

static bool
rename_symbol(const struct rename *r, struct prof_symbol *s)
{
	return r->name(r->arg, r->arena, &s->name, &s->guid);
}

/* Of one guid, values with a name come before those without. */
static int
rename_by_value(const void *a, const void *b)
{
	const struct prof_value *x = a, *y = b;
	bool named_x = x->name.data != NULL, named_y = y->name.data != NULL;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	if (named_x != named_y)
		return named_x ? -1 : 1;
	return (x->count < y->count) - (x->count > y->count);
}

static int
rename_by_count(const void *a, const void *b)
{
	const struct prof_value *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return rename_by_value(x, y);
}

/*
 * Adds the counts of targets that have become one by the renaming; gives the
 * number of values left.  Targets known only by guid were not renamed, and stay
 * as they are.  Values are sorted as merged sites are, by count, so that
 * renaming before a merge and after it gives the same profile.
 */
static size_t
rename_merge_values(struct prof_value *v, size_t n)
{
	size_t kept = 0;

	qsort(v, n, sizeof(*v), rename_by_value);
	for (size_t i = 0; i < n; i++) {
		if (kept > 0 && v[i].name.data != NULL &&
		    v[kept - 1].name.data != NULL &&
		    v[kept - 1].value == v[i].value)
			v[kept - 1].count = saturating_add(v[kept - 1].count,
			    v[i].count);
		else
			v[kept++] = v[i];
	}
	qsort(v, kept, sizeof(*v), rename_by_count);
	return kept;
}

static bool
rename_site(const struct rename *r, struct prof_site *s)
{
	struct prof_value *v = arena_array(r->arena, s->size, sizeof(*v));
	bool changed = false;

	if (v == NULL)
		return false;
	for (size_t i = 0; i < s->size; i++) {
		v[i] = s->values[i];
		if (!r->name(r->arg, r->arena, &v[i].name, &v[i].value))
			return false;
		changed = changed || v[i].value != s->values[i].value;
	}
	s->values = v;
	if (changed)
		s->size = rename_merge_values(v, s->size);
	return true;
}

static bool
rename_targets(const struct rename *r, struct prof_sites *s)
{
	struct prof_site *sites;

	if (s->size == 0)
		return true;
	sites = arena_array(r->arena, s->size, sizeof(*sites));
	if (sites == NULL)
		return false;
	for (size_t i = 0; i < s->size; i++) {
		sites[i] = s->sites[i];
		if (!rename_site(r, &sites[i]))
			return false;
	}
	s->sites = sites;
	return true;
}

static bool
rename_trace(const struct rename *r, struct prof_trace *t)
{
	struct prof_symbol *f = arena_array(r->arena, t->size, sizeof(*f));

	if (f == NULL)
		return false;
	for (size_t i = 0; i < t->size; i++) {
		f[i] = t->functions[i];
		if (!rename_symbol(r, &f[i]))
			return false;
	}
	t->functions = f;
	return true;
}

enum prof_status
rename_record(const struct prof_record *in, struct prof_record *out,
    const struct rename *r, struct prof_error *err)
{
	struct prof_function *f = &out->u.function;
	uint64_t guid = 0;
	bool done = true;

	*out = *in;
	if (in->kind == PROF_REC_FUNCTION)
		done = rename_symbol(r, &f->symbol) &&
		    rename_targets(r, &f->values[PROF_INDIRECT_CALL_TARGET]) &&
		    rename_targets(r, &f->values[PROF_VTABLE_TARGET]);
	else if (in->kind == PROF_REC_VTABLE)
		done = rename_symbol(r, &out->u.vtable.symbol);
	else if (in->kind == PROF_REC_TRACE)
		done = rename_trace(r, &out->u.trace);
	else if (in->kind == PROF_REC_NAME)
		done = r->name(r->arg, r->arena, &out->u.name, &guid);
	return done ? PROF_OK : err_memory(err);
}

static void
rename_heap_symbol(struct prof_symbol *s)
{
	*s = (struct prof_symbol){ { NULL, 0 }, memprof_symbol_guid(s) };
}

enum prof_status
rename_heap_to_guids(const struct prof_record *in, struct prof_record *out,
    struct arena *arena, struct prof_error *err)
{
	struct prof_stack *s = &out->u.stack;
	struct prof_frame *frames;

	*out = *in;
	if (in->kind == PROF_REC_MEMPROF_FUNCTION)
		rename_heap_symbol(&out->u.memprof_function.symbol);
	if (in->kind != PROF_REC_STACK || s->frames_size == 0)
		return PROF_OK;
	frames = arena_array(arena, s->frames_size, sizeof(*frames));
	if (frames == NULL)
		return err_memory(err);
	for (size_t i = 0; i < s->frames_size; i++) {
		frames[i] = s->frames[i];
		frames[i].file = (struct prof_span){ NULL, 0 };
		rename_heap_symbol(&frames[i].function);
	}
	s->frames = frames;
	return PROF_OK;
}
