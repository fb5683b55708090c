#include "merge/check.h"

#include <stdlib.h>

#include "merge/core/correlated.h"
#include "model/account_line.h"
#include "model/heap_refs.h"

struct merge_check {
	struct merge_profile_state start;
	struct heap_refs refs;
};

struct merge_check *
merge_check_new(void)
{
	return calloc(1, sizeof(struct merge_check));
}

enum prof_status
merge_check_add(struct merge_check *k, const struct prof_record *r,
    struct prof_error *err)
{
	/* It is not added (merge/worker.c). */
	if (r->kind == PROF_REC_OTHER && is_account_line(r->u.other))
		return PROF_OK;
	if (r->kind == PROF_REC_PROFILE)
		heap_refs_begin(&k->refs, r->u.profile.inputs);
	return merge_correlated_check(&k->start, r, err) == PROF_OK ?
	    heap_refs_check(&k->refs, r, err) : PROF_FAIL;
}

void
merge_check_free(struct merge_check *k)
{
	if (k == NULL)
		return;
	heap_refs_free(&k->refs);
	free(k);
}
