/* What changed from the profiles of one side to those of the other. */
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "libprof/private.h"
#include "model/words.h"
#include "ops/diff/changes.h"
#include "ops/diff/heap.h"
#include "ops/heap/view.h"

enum { DIFF_CLASSES = PROF_DIFF_HEAP, DIFF_SUBJECTS };

struct prof_change {
	enum prof_change_state state;
	struct prof_span name;
	uint64_t guid, hash;
	uint64_t count[OVERLAP_SIDES];
	double share[OVERLAP_SIDES];
};

struct diff_list {
	struct prof_change *items;
	size_t size, room;
};

struct prof_diff {
	struct prof *p;
	struct diff_table functions;
	struct heap_view *views[OVERLAP_SIDES];
	struct heap heaps[OVERLAP_SIDES];
	struct item_order orders[OVERLAP_SIDES];
	enum prof_level level;		/* of the first profile with one */
	enum prof_level added[OVERLAP_SIDES];	/* of profiles being added */
	struct overlap overlap[DIFF_CLASSES];
	struct diff_heap heap;
	struct diff_list changes[DIFF_SUBJECTS];
	bool compared;
};

struct prof_diff *
prof_diff_new(struct prof *p)
{
	struct prof_diff *d = calloc(1, sizeof(*d));
	bool failed = d == NULL;

	problem_begin(p);
	if (d != NULL)
		d->p = p;
	for (int side = 0; side < OVERLAP_SIDES && !failed; side++) {
		d->views[side] = heap_view_new(false);
		failed = d->views[side] == NULL;
	}
	if (failed) {
		prof_diff_free(d);
		problem_memory(p);
		return NULL;
	}
	return d;
}

/* Hashes of front-end and IR profiles have nothing to do with each other. */
static enum prof_status
diff_add_record(struct prof_diff *d, int side, const struct prof_record *r,
    struct prof_error *err)
{
	enum prof_level *level = &d->added[side];

	if (r->kind == PROF_REC_PROFILE)
		*level = r->u.profile.level;
	if (r->kind == PROF_REC_FUNCTION && *level != PROF_LEVEL_UNKNOWN) {
		if (d->level == PROF_LEVEL_UNKNOWN)
			d->level = *level;
		if (d->level != *level)
			return err_set(err, PROF_E_MISMATCH,
			    "%s cannot be compared with %s",
			    words_level_profile[*level],
			    words_level_profile[d->level]);
	}
	if (diff_table_add(&d->functions, side, r, err) != PROF_OK)
		return PROF_FAIL;
	return heap_view_add(d->views[side], r, err);
}

int
prof_diff_add(struct prof_diff *d, int side, const struct prof_item *item)
{
	struct prof *p = d->p;

	problem_begin(p);
	if (d->compared)
		return problem_use(p, "the sides have already been compared");
	if (side < 0 || side >= OVERLAP_SIDES)
		return problem_use(p, "there are side 0 and side 1");
	if (item_check(&d->orders[side], item, &p->problem.error) != PROF_OK)
		return problem_fail(p);
	return problem_result(p, diff_add_record(d, side, item_record(item),
	    &p->problem.error));
}

static const enum prof_change_state change_states[] = {
	[OVERLAP_CHANGED] = PROF_CHANGED, [OVERLAP_MISFIT] = PROF_MISFIT,
	[OVERLAP_STALE] = PROF_STALE, [OVERLAP_LOST] = PROF_LOST,
	[OVERLAP_NEW] = PROF_NEW
};

static enum prof_status
diff_list_function(struct diff_list *list, const struct overlap_change *from,
    struct prof_error *err)
{
	const struct diff_function *f = diff_change_function(from);
	const struct prof_change c = { .state = change_states[from->state],
	    .name = f->symbol.name, .guid = f->symbol.guid, .hash = f->hash,
	    .count = { from->count[OVERLAP_A], from->count[OVERLAP_B] },
	    .share = { from->share[OVERLAP_A], from->share[OVERLAP_B] } };

	return ARRAY_ADD(list->items, list->size, list->room, c) ? PROF_OK :
	    err_memory(err);
}

static enum prof_status
diff_list_context(struct diff_list *list, const struct prof_diff *d,
    const struct diff_context *from, struct prof_error *err)
{
	int side = diff_context_side(from);
	const struct heap_context *context = from->context[side];
	struct prof_change c = {
	    .state = change_states[diff_context_state(from)],
	    .count = { from->bytes[OVERLAP_A], from->bytes[OVERLAP_B] },
	    .share = { from->share[OVERLAP_A], from->share[OVERLAP_B] } };

	if (context->site < context->size) {
		const struct prof_symbol *s = &d->heaps[side].frames[
		    context->frames[context->site]].source.function;

		c.name = s->name;
		c.guid = s->guid;
	}
	return ARRAY_ADD(list->items, list->size, list->room, c) ? PROF_OK :
	    err_memory(err);
}

static enum prof_status
diff_compare_functions(struct prof_diff *d, int class, struct prof_error *err)
{
	struct diff_changes found = { .most = SIZE_MAX };
	enum prof_status status = PROF_OK;

	if (!overlap_compare(&d->functions,
	    class == PROF_DIFF_CONTEXT_SENSITIVE, &d->overlap[class],
	    diff_changes_add, &found))
		status = err_memory(err);
	diff_changes_sort(&found);
	for (size_t i = 0; i < found.size && status == PROF_OK; i++)
		status = diff_list_function(&d->changes[class],
		    &found.items[i], err);
	diff_changes_free(&found);
	return status;
}

static enum prof_status
diff_compare_heaps(struct prof_diff *d, struct prof_error *err)
{
	enum prof_status status;

	for (int side = 0; side < OVERLAP_SIDES; side++)
		d->heaps[side] = heap_view_get(d->views[side]);
	status = diff_heap_compare(&d->heap, &d->heaps[OVERLAP_A],
	    &d->heaps[OVERLAP_B], err);
	for (size_t i = 0; status == PROF_OK && i < d->heap.changed; i++)
		status = diff_list_context(&d->changes[PROF_DIFF_HEAP], d,
		    &d->heap.changes[i], err);
	return status;
}

int
prof_diff_compare(struct prof_diff *d)
{
	struct prof_error *err = &d->p->problem.error;
	enum prof_status status = PROF_OK;

	problem_begin(d->p);
	if (d->compared || d->orders[OVERLAP_A].inside ||
	    d->orders[OVERLAP_B].inside)
		return problem_use(d->p, d->compared ? "the sides have already "
		    "been compared" : "the last profile has not ended");
	d->compared = true;
	for (int class = 0; class < DIFF_CLASSES && status == PROF_OK; class++)
		status = diff_compare_functions(d, class, err);
	if (status == PROF_OK)
		status = diff_compare_heaps(d, err);
	return problem_result(d->p, status);
}

/* NULL if there is no such subject. */
static const struct overlap *
diff_result(const struct prof_diff *d, enum prof_diff_subject subject)
{
	if (subject == PROF_DIFF_HEAP)
		return &d->heap.overlap;
	return (unsigned)subject < DIFF_CLASSES ? &d->overlap[subject] : NULL;
}

double
prof_diff_overlap(const struct prof_diff *d, enum prof_diff_subject subject)
{
	const struct overlap *o = diff_result(d, subject);

	return o == NULL ? 0 : overlap_shares_sum(&o->counts.overlap);
}

uint64_t
prof_diff_number(const struct prof_diff *d, enum prof_diff_subject subject,
    enum prof_diff_number number)
{
	const struct overlap *o = diff_result(d, subject);

	if (o == NULL)
		return 0;
	switch (number) {
	case PROF_DIFF_OF_A:
		return o->records[OVERLAP_A];
	case PROF_DIFF_OF_B:
		return o->records[OVERLAP_B];
	case PROF_DIFF_COMMON:
		return o->common;
	case PROF_DIFF_MISFITS:
		return o->misfit;
	case PROF_DIFF_STALE_A:
		return o->stale[OVERLAP_A];
	case PROF_DIFF_STALE_B:
		return o->stale[OVERLAP_B];
	case PROF_DIFF_LOST:
		return o->unmatched[OVERLAP_A];
	case PROF_DIFF_NEW:
		return o->unmatched[OVERLAP_B];
	default:
		return 0;
	}
}

const struct prof_change *
prof_diff_change(const struct prof_diff *d, enum prof_diff_subject subject,
    size_t index)
{
	return (unsigned)subject < DIFF_SUBJECTS &&
	    index < d->changes[subject].size ?
	    &d->changes[subject].items[index] : NULL;
}

enum prof_change_state
prof_change_state(const struct prof_change *c)
{
	return c->state;
}

const char *
prof_change_name(const struct prof_change *c, size_t *size)
{
	*size = c->name.data == NULL ? 0 : c->name.size;
	return (const char *)c->name.data;
}

uint64_t
prof_change_guid(const struct prof_change *c)
{
	return c->guid;
}

uint64_t
prof_change_hash(const struct prof_change *c)
{
	return c->hash;
}

uint64_t
prof_change_count(const struct prof_change *c, int side)
{
	return side == 0 || side == 1 ? c->count[side] : 0;
}

double
prof_change_share(const struct prof_change *c, int side)
{
	return side == 0 || side == 1 ? c->share[side] : 0;
}

void
prof_diff_free(struct prof_diff *d)
{
	if (d == NULL)
		return;
	diff_table_free(&d->functions);
	diff_heap_free(&d->heap);
	for (int side = 0; side < OVERLAP_SIDES; side++)
		heap_view_free(d->views[side]);
	for (int i = 0; i < DIFF_SUBJECTS; i++)
		free(d->changes[i].items);
	free(d);
}
