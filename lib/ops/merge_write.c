#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "ops/merge.h"
#include "ops/merge_engine.h"

enum { TOLD_ONE_BY_ONE = 8 };

static void __attribute__((format(printf, 2, 3)))
warn(const struct merge *m, const char *format, ...)
{
	struct prof_error e = { .where = PROF_NOWHERE };
	va_list ap;

	if (m->warn == NULL)
		return;
	va_start(ap, format);
	vsnprintf(e.reason, sizeof(e.reason), format, ap);
	va_end(ap);
	m->warn(m->warn_arg, &e);
}

static int
compare_entries(const void *a, const void *b)
{
	const struct merge_entry *x = *(const struct merge_entry *const *)a;
	const struct merge_entry *y = *(const struct merge_entry *const *)b;
	int order = prof_span_compare(x->name, y->name);

	if (order != 0)
		return order;
	if (x->guid != y->guid)
		return x->guid < y->guid ? -1 : 1;
	return (x->hash > y->hash) - (x->hash < y->hash);
}

static struct merge_entry **
sorted_entries(const struct merge *m)
{
	struct merge_entry **sorted = calloc(m->size + 1, sizeof(*sorted));

	if (sorted == NULL)
		return NULL;
	for (size_t i = 0; i < m->size; i++)
		sorted[i] = &m->entries[i];
	qsort(sorted, m->size, sizeof(*sorted), compare_entries);
	return sorted;
}

/* What llvm-profdata's --sparse looks at: counters and bitmaps, no values. */
static bool
is_zero(const struct merge_entry *e)
{
	for (size_t i = 0; i < e->counts_size; i++) {
		if (e->counts[i] != 0)
			return false;
	}
	for (size_t i = 0; i < e->bitmap_size; i++) {
		if (e->bitmap[i] != 0)
			return false;
	}
	return true;
}

static bool
is_misfit(const struct merge_entry *e)
{
	return e->misfit;
}

static bool
is_saturated(const struct merge_entry *e)
{
	return e->saturated;
}

static bool
is_unsubtracted(const struct merge_entry *e)
{
	return e->unsubtracted;
}

static void
warn_each(const struct merge *m, struct merge_entry **sorted,
    bool (*applies)(const struct merge_entry *), const char *what)
{
	char name[ERR_NAME_SIZE];
	size_t n = 0;

	for (size_t i = 0; i < m->size; i++) {
		const struct merge_entry *e = sorted[i];

		if (!applies(e) || n++ >= TOLD_ONE_BY_ONE)
			continue;
		warn(m, "%s, hash 0x%016llx: %s", err_name(name, e->name),
		    (unsigned long long)e->hash, what);
	}
	if (n > TOLD_ONE_BY_ONE)
		warn(m, "%zu more functions: %s", n - TOLD_ONE_BY_ONE, what);
}

static void
warn_all(const struct merge *m, struct merge_entry **sorted)
{
	warn_each(m, sorted, is_misfit, "records of another shape were dropped "
	    "(numbers of counters, bitmap bytes or value sites differ)");
	warn_each(m, sorted, is_saturated, "counters are at their limit");
	warn_each(m, sorted, is_unsubtracted, "nothing was subtracted: the "
	    "other record has another shape");
	if (m->head.extra_dropped)
		warn(m, "unknown keys that are not the same in all profiles "
		    "were dropped");
	if (m->others != 0)
		warn(m, "%llu records of unknown types were left out",
		    (unsigned long long)m->others);
}

static enum prof_status
put_binaries(const struct merge *m, struct prof_writer *w,
    struct prof_error *err)
{
	size_t n = m->build_ids.size;
	struct prof_span *ids = calloc(n + 1, sizeof(*ids));
	enum prof_status status = PROF_OK;

	if (ids == NULL)
		return err_memory(err);
	for (size_t i = 0; i < n; i++)
		ids[i] = m->build_ids.symbols[i].name;
	prof_span_sort(ids, n);
	for (size_t i = 0; i < n && status == PROF_OK; i++)
		status = prof_put(w, &(struct prof_record){
		    .kind = PROF_REC_BINARY, .u.build_id = ids[i] }, err);
	free(ids);
	return status;
}

static struct prof_symbol
symbol(const struct merge *m, uint64_t guid)
{
	return (struct prof_symbol){ symtab_name(&m->names, guid), guid };
}

static int
compare_symbols(const void *a, const void *b)
{
	const struct prof_symbol *x = a, *y = b;
	int order = prof_span_compare(x->name, y->name);

	return order != 0 ? order : (x->guid > y->guid) - (x->guid < y->guid);
}

static enum prof_status
put_vtables(const struct merge *m, struct prof_writer *w,
    struct prof_error *err)
{
	size_t n = m->vtables.size;
	struct prof_symbol *s = calloc(n + 1, sizeof(*s));
	enum prof_status status = PROF_OK;

	if (s == NULL)
		return err_memory(err);
	for (size_t i = 0; i < n; i++)
		s[i] = symbol(m, m->vtables.symbols[i].guid);
	qsort(s, n, sizeof(*s), compare_symbols);
	for (size_t i = 0; i < n && status == PROF_OK; i++)
		status = prof_put(w, &(struct prof_record){
		    .kind = PROF_REC_VTABLE, .u.vtable.symbol = s[i] }, err);
	free(s);
	return status;
}

static enum prof_status
put_function(struct merge *m, const struct merge_entry *e,
    struct prof_writer *w, struct prof_error *err)
{
	struct prof_record r = { .kind = PROF_REC_FUNCTION };
	struct prof_function *f = &r.u.function;

	*f = (struct prof_function){ .symbol = { e->name, e->guid },
	    .hash = e->hash, .counts = e->counts,
	    .counts_size = e->counts_size,
	    .bitmap = { e->bitmap, e->bitmap_size },
	    .uniform_counts = e->uniform, .uniform_size = e->uniform_size,
	    .extra = e->extra };
	arena_reset(&m->scratch);
	if (!merge_values_get(e->values, e->merged, &m->names, &m->scratch,
	    f->values))
		return err_memory(err);
	return prof_put(w, &r, err);
}

/* Entries from start that have the same name. */
static size_t
name_run(const struct merge *m, struct merge_entry **sorted, size_t start)
{
	size_t end = start + 1;

	while (end < m->size && sorted[end]->guid == sorted[start]->guid)
		end++;
	return end;
}

static enum prof_status
put_functions(struct merge *m, struct merge_entry **sorted,
    const struct merge_output *o, struct prof_writer *w,
    struct prof_error *err)
{
	for (size_t i = 0, end; i < m->size; i = end) {
		bool keep = !o->sparse;

		end = name_run(m, sorted, i);
		for (size_t k = i; k < end && !keep; k++)
			keep = !is_zero(sorted[k]);
		for (size_t k = i; k < end && keep; k++) {
			if (o->intersect && sorted[k]->inputs != m->input)
				continue;
			if (put_function(m, sorted[k], w, err) != PROF_OK)
				return PROF_FAIL;
		}
	}
	return PROF_OK;
}

struct sorted_trace {
	struct prof_symbol *functions;
	size_t size;
	uint64_t weight;
};

static int
compare_traces(const void *a, const void *b)
{
	const struct sorted_trace *x = a, *y = b;

	for (size_t i = 0; i < x->size && i < y->size; i++) {
		int order = compare_symbols(&x->functions[i],
		    &y->functions[i]);

		if (order != 0)
			return order;
	}
	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	return (x->weight > y->weight) - (x->weight < y->weight);
}

static enum prof_status
put_traces(const struct merge *m, struct prof_writer *w,
    struct prof_error *err)
{
	struct arena a = { 0 };
	struct sorted_trace *t = arena_array(&a, m->traces_size, sizeof(*t));
	enum prof_status status = t == NULL ? err_memory(err) : PROF_OK;

	for (size_t i = 0; i < m->traces_size && status == PROF_OK; i++) {
		const struct merge_trace *from = &m->traces[i];

		t[i] = (struct sorted_trace){ arena_array(&a, from->size,
		    sizeof(*t[i].functions)), from->size, from->weight };
		if (t[i].functions == NULL) {
			status = err_memory(err);
			break;
		}
		for (size_t k = 0; k < from->size; k++)
			t[i].functions[k] = symbol(m, from->guids[k]);
	}
	if (status == PROF_OK && m->profiles_with_traces > 1)
		qsort(t, m->traces_size, sizeof(*t), compare_traces);
	for (size_t i = 0; i < m->traces_size && status == PROF_OK; i++)
		status = prof_put(w, &(struct prof_record){
		    .kind = PROF_REC_TRACE, .u.trace = { t[i].weight,
		    t[i].functions, t[i].size } }, err);
	arena_free(&a);
	return status;
}

enum prof_status
merge_write(struct merge *m, const struct merge_output *o,
    struct prof_writer *w, struct prof_error *err)
{
	struct prof_record r = { .kind = PROF_REC_PROFILE };
	enum prof_status status = PROF_FAIL;
	struct merge_entry **sorted;

	if (!m->head.any)
		return err_set(err, PROF_E_FORMAT, "no profile in the input");
	sorted = sorted_entries(m);
	if (sorted == NULL)
		return err_memory(err);
	warn_all(m, sorted);
	r.u.profile = merge_head_sum(&m->head);
	if (prof_put(w, &r, err) == PROF_OK &&
	    put_binaries(m, w, err) == PROF_OK &&
	    put_vtables(m, w, err) == PROF_OK &&
	    put_functions(m, sorted, o, w, err) == PROF_OK &&
	    put_traces(m, w, err) == PROF_OK)
		status = prof_put(w, &(struct prof_record){
		    .kind = PROF_REC_END }, err);
	free(sorted);
	return status;
}
