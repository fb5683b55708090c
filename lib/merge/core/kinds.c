#include "merge/core/kinds.h"

#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "merge/core/locks.h"

static bool
merge_same_constraints(const struct merge_constraints *a,
    const struct merge_constraints *b)
{
	return a->level.label == b->level.label &&
	    a->coverage.label == b->coverage.label &&
	    a->hash_rule == b->hash_rule &&
	    a->frontend_first == b->frontend_first &&
	    a->frontend_last == b->frontend_last;
}

/* Inserts a kind whose label is the caller's.  False if out of memory. */
static bool
merge_insert_kind(struct merge_kinds *kinds, size_t at,
    const struct prof_header *h, const char *label, uint64_t number)
{
	struct prof_span copy = arena_copy(&kinds->arena, (struct prof_span){
	    (const uint8_t *)label, strlen(label) + 1 });
	struct merge_kind *place;

	if (copy.data == NULL ||
	    !ARRAY_ROOM(kinds->kinds, kinds->size, kinds->room))
		return false;
	place = &kinds->kinds[at];
	memmove(place + 1, place, (kinds->size++ - at) * sizeof(*place));
	*place = (struct merge_kind){ .head = { .level = h->level,
	    .flags = h->flags & PROF_BYTE_COVERAGE,
	    .frontend_first = h->frontend_first,
	    .frontend_last = h->frontend_last },
	    .label = (const char *)copy.data, .number = number };
	return true;
}

/*
 * Updates the constraints of the kinds from `at` on.  If one conflicts, the
 * kinds behind it do not matter, because their inputs are refused, too.
 */
static void
merge_follow_kinds(struct merge_kinds *kinds, size_t at)
{
	struct merge_constraints all = { .frontend_first = 0 };
	struct prof_error reason = { 0 };

	if (at != 0)
		all = kinds->kinds[at - 1].all;
	for (; at < kinds->size; at++) {
		struct merge_kind *k = &kinds->kinds[at];

		if (merge_constrain(&all, &k->head, k->label, &reason) !=
		    PROF_OK) {
			kinds->conflict = k->number;
			kinds->reason = reason;
			kinds->size = at + 1;
			return;
		}
		k->all = all;
	}
}

/*
 * Notes a kind of an input before the one that is refused, unless the inputs
 * before it have the same constraints.
 */
static enum prof_status
merge_add_kind(struct merge_kinds *kinds, const struct prof_header *h,
    const char *label, uint64_t number, struct prof_error *err)
{
	struct merge_constraints all = { .frontend_first = 0 }, before;
	struct prof_error conflict = { 0 };
	size_t at = kinds->size;

	/* Inputs come nearly in order. */
	while (at != 0 && kinds->kinds[at - 1].number > number)
		at--;
	if (at != 0)
		all = kinds->kinds[at - 1].all;
	before = all;
	if (merge_constrain(&all, h, label, &conflict) == PROF_OK &&
	    merge_same_constraints(&all, &before))
		return PROF_OK;
	if (!merge_insert_kind(kinds, at, h, label, number))
		return err_memory(err);
	merge_follow_kinds(kinds, at);
	return PROF_OK;
}

/* Notes the kind of the worker's profile, and what conflicts from now on. */
static enum prof_status
merge_note_kind(struct merge_worker *worker, struct prof_error *err)
{
	struct merge_kinds *kinds = &worker->merge->shared->kinds;
	const struct merge_head *head = worker->head;
	enum prof_status status = PROF_OK;

	merge_lock_rest(worker);
	if (worker->number < kinds->conflict)
		status = merge_add_kind(kinds, &head->own, head->label,
		    worker->number, err);
	if (status == PROF_OK && kinds->conflict <= worker->number) {
		*err = kinds->reason;
		status = PROF_FAIL;
	}
	merge_unlock_rest(worker);
	return status;
}

enum prof_status
merge_note_function(struct merge_worker *worker, struct prof_error *err)
{
	struct prof_error own = { 0 };

	if (worker->head->own_functions)
		return PROF_OK;
	if (worker->merge->shared == NULL)
		return merge_head_function(worker->head, err);
	/* A conflict in this worker's head is found among all kinds, too. */
	merge_head_function(worker->head, &own);
	if (own.code == PROF_E_MEMORY)
		return err_memory(err);
	return merge_note_kind(worker, err);
}
