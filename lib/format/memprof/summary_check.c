#include "format/memprof/summary_check.h"

#include <inttypes.h>

#include "base/array.h"
#include "base/error.h"
#include "base/id_map.h"
#include "model/mib.h"
#include "format/memprof/read.h"
#include "model/memprof/summary.h"

struct check {
	uint64_t sums[MEMPROF_SUMMARY_FIELDS];
	struct id_map stacks;		/* one above an index into first */
	struct prof_mib *first;		/* the info that was met first */
	size_t size, room;
	bool ambiguous;			/* a stack has others too */
};

/* What makes a context cold, and how large it is. */
static const uint8_t fields[] = {
	PROF_MIB_ALLOC_COUNT, PROF_MIB_TOTAL_SIZE, PROF_MIB_TOTAL_LIFETIME,
	PROF_MIB_TOTAL_LIFETIME_ACCESS_DENSITY,
};

static bool
is_same(const struct prof_mib *a, const struct prof_mib *b)
{
	bool same = true;

	for (size_t i = 0; i < sizeof(fields); i++)
		same = same && a->value[fields[i]] == b->value[fields[i]];
	return same;
}

/* Of a stack, only one info counts. */
static bool
add(struct check *c, const struct prof_allocation *a)
{
	struct prof_mib *p = array_room(c->first, c->size, &c->room,
	    sizeof(*p));
	uint64_t *n;

	if (p == NULL)
		return false;
	c->first = p;
	n = id_map_add(&c->stacks, a->stack, c->size + 1);
	if (n == NULL)
		return false;
	if (*n <= c->size) {
		c->ambiguous = c->ambiguous || !is_same(&p[*n - 1], &a->info);
		return true;
	}
	p[c->size++] = a->info;
	memprof_summary_add(c->sums, &a->info);
	return true;
}

static enum prof_status
add_all(struct check *c, const struct memprof_section *s,
    struct prof_error *err)
{
	struct memprof_section_reader r;
	struct arena arena = { 0 };
	struct prof_record record;
	enum prof_status status = memprof_section_read(&r, s->image, s->start,
	    err);

	while (status == PROF_OK && (status = memprof_section_next(&r, &arena,
	    &record, err)) == PROF_OK) {
		const struct prof_memprof_function *f =
		    &record.u.memprof_function;

		if (record.kind != PROF_REC_MEMPROF_FUNCTION)
			continue;
		for (size_t i = 0; i < f->allocs_size; i++) {
			if (!add(c, &f->alloc_sites[i]))
				status = err_memory(err);
		}
	}
	arena_free(&arena);
	memprof_section_close(&r);
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

/*
 * What is hot depends on an option, and what is cold on fields that a schema
 * may lack; then nothing but the number of contexts is known.
 */
static void
compare(const struct check *c, const struct memprof_section *s,
    struct prof_context *context)
{
	static const char *const names[MEMPROF_SUMMARY_FIELDS] = {
		"NumContexts", "NumColdContexts", "NumHotContexts",
		"MaxColdTotalSize", "MaxWarmTotalSize", "MaxHotTotalSize",
	};
	bool all = !c->ambiguous && s->summary[MEMPROF_HOT_CONTEXTS] == 0;

	for (size_t i = 0; i < sizeof(fields); i++)
		all = all && (s->schema >> fields[i] & 1) != 0;
	for (int i = 0; i < (all ? MEMPROF_SUMMARY_FIELDS :
	    MEMPROF_COLD_CONTEXTS); i++) {
		if (s->summary[i] != c->sums[i])
			warn_at(context, s->start, "MemProf summary: %s is %"
			    PRIu64 ", but the records come to %" PRIu64,
			    names[i], s->summary[i], c->sums[i]);
	}
}

enum prof_status
memprof_summary_check(const struct memprof_section *s,
    struct prof_context *context, struct prof_error *err)
{
	struct check c = { .size = 0 };
	enum prof_status status = PROF_OK;

	if (s->row->summary) {
		status = add_all(&c, s, err);
		if (status == PROF_OK)
			compare(&c, s, context);
	}
	id_map_free(&c.stacks);
	free(c.first);
	return status;
}
