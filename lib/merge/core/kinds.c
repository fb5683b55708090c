#include "merge/core/kinds.h"

#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/error.h"
#include "merge/core/locks.h"
#include "model/record_copy.h"

/* The first kind that does not mix with the kinds before it, or the size. */
static size_t
merge_first_conflict(const struct merge_kinds *kinds, struct prof_error *err)
{
	struct merge_head head = { 0 };
	struct arena labels = { 0 };
	size_t i = 0;

	for (; i < kinds->size; i++) {
		if (merge_head_begin(&head, &labels, &kinds->kinds[i].head,
		    err) != PROF_OK ||
		    merge_head_function(&head, err) != PROF_OK)
			break;
	}
	merge_head_free(&head);
	arena_free(&labels);
	return i;
}

enum prof_status
merge_two_kinds(const struct prof_header *a, const struct prof_header *later,
    struct prof_error *err)
{
	struct merge_kind kinds[] = { { .head = *a }, { .head = *later } };
	const struct merge_kinds two = { .kinds = kinds, .size = 2 };

	return merge_first_conflict(&two, err) == 2 ? PROF_OK : PROF_FAIL;
}

static bool
merge_same_kind(const struct prof_header *a, const struct prof_header *b)
{
	return a->level == b->level && a->flags == b->flags &&
	    a->frontend_first == b->frontend_first &&
	    a->frontend_last == b->frontend_last;
}

/*
 * Copies the members that decide whether inputs may be merged (level, byte
 * coverage, hash rules), and the source for the message if they may not.
 */
static enum prof_status
merge_copy_kind(struct merge_kinds *kinds, const struct prof_header *h,
    struct prof_header *out, struct prof_error *err)
{
	*out = (struct prof_header){ .level = h->level,
	    .flags = h->flags & PROF_BYTE_COVERAGE,
	    .frontend_first = h->frontend_first,
	    .frontend_last = h->frontend_last,
	    .source = { .file = h->source.file, .member = h->source.member } };
	return record_copy(&kinds->arena, PROF_REC_PROFILE, out) ? PROF_OK :
	    err_memory(err);
}

/* Notes a kind; *added is false if an earlier input is of the same kind. */
static enum prof_status
merge_add_kind(struct merge_kinds *kinds, const struct prof_header *h,
    uint64_t number, bool *added, struct prof_error *err)
{
	struct merge_kind *list, own = { .number = number };
	size_t i = 0, end;

	if (!ARRAY_ROOM(kinds->kinds, kinds->size, kinds->room))
		return err_memory(err);
	list = kinds->kinds;
	own.head = *h;
	own.head.flags &= PROF_BYTE_COVERAGE;
	while (i < kinds->size && !merge_same_kind(&list[i].head, &own.head))
		i++;
	*added = i == kinds->size || list[i].number > number;
	if (!*added)
		return PROF_OK;
	if (merge_copy_kind(kinds, h, &own.head, err) != PROF_OK)
		return PROF_FAIL;
	end = i == kinds->size ? kinds->size++ : i;
	for (; end > 0 && list[end - 1].number > number; end--)
		list[end] = list[end - 1];
	list[end] = own;
	return PROF_OK;
}

/* Notes the kind of the worker's profile, and what conflicts from now on. */
static enum prof_status
merge_note_kind(struct merge_worker *worker, struct prof_error *err)
{
	struct merge_kinds *kinds = &worker->merge->shared->kinds;
	struct prof_header head = worker->head->own;
	enum prof_status status;
	struct prof_error reason = { 0 };
	bool added = false;
	size_t first;

	/* The source's names were the reader's; the label is a copy. */
	head.source = (struct prof_source){ .file =
	    span_of_text(worker->head->label) };
	merge_lock_rest(worker);
	status = merge_add_kind(kinds, &head, worker->number, &added, err);
	if (status == PROF_OK && added) {
		first = merge_first_conflict(kinds, &reason);
		if (first < kinds->size) {
			kinds->conflict = kinds->kinds[first].number;
			kinds->reason = reason;
		}
	}
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

static void
merge_remove_kind(struct merge_kinds *kinds, uint64_t number)
{
	size_t left = 0;

	for (size_t i = 0; i < kinds->size; i++) {
		if (kinds->kinds[i].number != number)
			kinds->kinds[left++] = kinds->kinds[i];
	}
	kinds->size = left;
}

enum prof_status
merge_admit_kind(struct merge_worker *worker, const struct prof_header *h,
    struct prof_error *err)
{
	struct merge_kinds *kinds = &worker->merge->shared->kinds;
	enum prof_status status;
	bool added = false;

	merge_lock_rest(worker);
	status = merge_add_kind(kinds, h, worker->number, &added, err);
	if (status == PROF_OK && added &&
	    merge_first_conflict(kinds, err) < kinds->size) {
		merge_remove_kind(kinds, worker->number);
		status = PROF_FAIL;
	}
	merge_unlock_rest(worker);
	return status;
}
