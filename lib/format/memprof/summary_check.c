#include "format/memprof/summary_check.h"

#include <inttypes.h>

#include "base/array.h"
#include "base/error.h"
#include "base/id_map.h"
#include "model/mib.h"
#include "format/memprof/read.h"
#include "model/memprof/summary.h"

struct summary_check {
	uint64_t sums[MEMPROF_SUMMARY_FIELDS];
	struct id_map stacks;		/* id to index into first, + 1 */
	struct prof_mib *first;		/* the first info of each stack */
	size_t size, room;
	bool ambiguous;			/* a stack has different infos */
};

/* The fields that the summary depends on. */
static const uint8_t summary_inputs[] = {
	PROF_MIB_ALLOC_COUNT, PROF_MIB_TOTAL_SIZE, PROF_MIB_TOTAL_LIFETIME,
	PROF_MIB_TOTAL_LIFETIME_ACCESS_DENSITY,
};

static bool
summary_same_info(const struct prof_mib *a, const struct prof_mib *b)
{
	bool same = true;

	for (size_t i = 0; i < sizeof(summary_inputs); i++)
		same = same &&
		    a->value[summary_inputs[i]] == b->value[summary_inputs[i]];
	return same;
}

/* Adds an allocation site; only the first info of a stack counts. */
static bool
summary_check_context(struct summary_check *c, const struct prof_allocation *a)
{
	uint64_t *n;

	if (!ARRAY_ROOM(c->first, c->size, c->room))
		return false;
	n = id_map_add(&c->stacks, a->stack, c->size + 1);
	if (n == NULL)
		return false;
	if (*n <= c->size) {
		c->ambiguous =
		c->ambiguous || !summary_same_info(&c->first[*n - 1], &a->info);
		return true;
	}
	c->first[c->size++] = a->info;
	memprof_summary_add(c->sums, &a->info);
	return true;
}

static enum prof_status
summary_check_records(struct summary_check *c, const struct memprof_section *s,
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
			if (!summary_check_context(c, &f->alloc_sites[i]))
				status = err_memory(err);
		}
	}
	arena_free(&arena);
	memprof_section_close(&r);
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

/*
 * Which contexts are hot depends on an option of LLVM, and which are cold on
 * fields that the schema may lack.  In such cases only the number of contexts
 * is compared.
 */
static void
summary_compare(const struct summary_check *c, const struct memprof_section *s,
    struct prof_context *context)
{
	static const char *const names[MEMPROF_SUMMARY_FIELDS] = {
		"NumContexts", "NumColdContexts", "NumHotContexts",
		"MaxColdTotalSize", "MaxWarmTotalSize", "MaxHotTotalSize",
	};
	bool all = !c->ambiguous && s->summary[MEMPROF_HOT_CONTEXTS] == 0;

	for (size_t i = 0; i < sizeof(summary_inputs); i++)
		all = all && (s->schema >> summary_inputs[i] & 1) != 0;
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
	struct summary_check c = { .size = 0 };
	enum prof_status status = PROF_OK;

	if (s->row->summary) {
		status = summary_check_records(&c, s, err);
		if (status == PROF_OK)
			summary_compare(&c, s, context);
	}
	id_map_free(&c.stacks);
	free(c.first);
	return status;
}
