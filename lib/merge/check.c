#include "merge/check.h"

#include <stdlib.h>

#include "base/error.h"
#include "merge/core/correlated.h"
#include "model/account_line.h"
#include "model/heap_refs.h"

struct merge_check {
	unsigned rules;
	bool begun;			/* the ids of the profile have ended */
	bool correlated;		/* the profile has raw counters */
	struct merge_profile_state start;
	struct heap_refs refs;
};

struct merge_check *
merge_check_new(unsigned rules)
{
	struct merge_check *k = calloc(1, sizeof(*k));

	if (k != NULL)
		k->rules = rules;
	return k;
}

enum prof_status
merge_check_late_id(struct prof_error *err)
{
	return err_set(err, PROF_E_CORRUPT, "a binary id after other records "
	    "comes too late for --group-by");
}

/* Called with each record that contradicts none before it. */
static enum prof_status
merge_check_rules(struct merge_check *k, const struct prof_record *r,
    struct prof_error *err)
{
	bool late = k->begun && r->kind == PROF_REC_BINARY;

	if (r->kind == PROF_REC_PROFILE)
		k->begun = k->correlated = false;
	else if (r->kind != PROF_REC_BINARY)
		k->begun = true;
	if (r->kind == PROF_REC_RAW_COUNTERS)
		k->correlated = true;
	if (late && (k->rules & MERGE_CHECK_IDS_FIRST) != 0)
		return merge_check_late_id(err);
	if (r->kind == PROF_REC_END && k->correlated &&
	    (k->rules & MERGE_CHECK_FUNCTIONS) != 0)
		return err_set(err, PROF_E_UNSUPPORTED, "a correlated profile: "
		    "its functions are known only from the binary: run "
		    "prof-symbolize first");
	return PROF_OK;
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
	if (merge_correlated_check(&k->start, r, err) != PROF_OK ||
	    heap_refs_check(&k->refs, r, err) != PROF_OK)
		return PROF_FAIL;
	return merge_check_rules(k, r, err);
}

void
merge_check_free(struct merge_check *k)
{
	if (k == NULL)
		return;
	heap_refs_free(&k->refs);
	free(k);
}
