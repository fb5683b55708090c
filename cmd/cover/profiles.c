/* cmd/cover/profiles.c - the counts of profiles, by the programs that ran */
#include "config.h"

#include "base/error.h"
#include "cmd/cover/run.h"
#include "merge/merge.h"
#include "model/record.h"

/* A set of ids is text: each with its size before it. */
static void
ids_add(struct buf *b, struct prof_span id)
{
	buf_u8(b, (uint8_t)(id.size > UINT8_MAX ? UINT8_MAX : id.size));
	buf_put(b, id.data, id.size > UINT8_MAX ? UINT8_MAX : id.size);
}

static bool
ids_have(struct prof_span ids, struct prof_span id)
{
	for (size_t at = 0; at < ids.size; at += 1u + ids.data[at]) {
		if (prof_span_equal(id, (struct prof_span){
		    ids.data + at + 1, ids.data[at] }))
			return true;
	}
	return false;
}

/* The sum of the profiles with the ids of the current one. */
static struct cover_sum *
profiles_find_sum(struct cover_profiles *p, struct prof_error *err)
{
	struct cover_sum new = { .ids = buf_span(&p->ids) };

	for (size_t i = 0; i < p->size; i++) {
		if (prof_span_equal(p->sums[i].ids, new.ids))
			return &p->sums[i];
	}
	if (p->ids.failed || !arena_keep(&p->arena, &new.ids) ||
	    !ARRAY_ROOM(p->sums, p->size, p->room) ||
	    (new.merge = merge_new(NULL, NULL)) == NULL) {
		err_memory(err);
		return NULL;
	}
	p->sums[p->size] = new;
	return &p->sums[p->size++];
}

/* The head is added once the build ids behind it are known. */
static enum prof_status
profiles_begin_records(struct cover_profiles *p, struct prof_error *err)
{
	struct prof_record head = { .kind = PROF_REC_PROFILE,
	    .u.profile = p->head };

	if (p->current != NULL)
		return PROF_OK;
	p->current = profiles_find_sum(p, err);
	return p->current == NULL ? PROF_FAIL :
	    merge_add(p->current->merge, &head, NULL, err);
}

/*
 * Refuses profiles other than of front ends and of rustc, since a mapping names
 * counters that only these insert.
 */
static enum prof_status
profiles_check_head(const struct prof_header *h, struct prof_error *err)
{
	if (h->kind == PROF_MEMPROF)
		return err_set(err, PROF_E_MISMATCH, "a heap profile, which "
		    "has no coverage");
	return h->level != PROF_LEVEL_IR ? PROF_OK : err_set(err,
	    PROF_E_MISMATCH, "an IR profile (-fprofile-generate), which has no "
	    "coverage: that needs -fprofile-instr-generate");
}

enum prof_status
cover_profiles_add(void *profiles, const struct prof_record *r,
    struct prof_error *err)
{
	struct cover_profiles *p = profiles;

	switch (r->kind) {
	case PROF_REC_PROFILE:
		p->current = NULL;
		p->ids.size = 0;
		p->head = r->u.profile;
		arena_reset(&p->head_arena);
		if (profiles_check_head(&p->head, err) != PROF_OK)
			return PROF_FAIL;
		return record_copy(&p->head_arena, r->kind, &p->head) ?
		    PROF_OK : err_memory(err);
	case PROF_REC_BINARY:
		ids_add(&p->ids, r->u.build_id);
		return PROF_OK;
	case PROF_REC_FUNCTION:
		if (profiles_begin_records(p, err) != PROF_OK)
			return PROF_FAIL;
		if (p->tests != NULL && !cover_counts_add_test(p->tests,
		    &r->u.function, p->test, (uint32_t)(p->current - p->sums)))
			return err_memory(err);
		return merge_add(p->current->merge, r, NULL, err);
	case PROF_REC_BLOCK:
	case PROF_REC_RAW_COUNTERS:	/* which are refused */
	case PROF_REC_NAME:
	case PROF_REC_END:
		return profiles_begin_records(p, err) == PROF_OK ?
		    merge_add(p->current->merge, r, NULL, err) : PROF_FAIL;
	default:
		return PROF_OK;
	}
}

enum prof_status
cover_profiles_finish(struct cover_profiles *p, struct prof_error *err)
{
	enum prof_status status = PROF_OK;
	struct prof_writer *w;
	struct cover_sum *s;

	p->counts = calloc(p->size + 1, sizeof(*p->counts));
	p->chosen = calloc(p->size + 1, sizeof(*p->chosen));
	if (p->counts == NULL || p->chosen == NULL)
		return err_memory(err);
	for (size_t i = 0; i < p->size && status == PROF_OK; i++) {
		s = &p->sums[i];
		s->counts = cover_counts_new();
		if (s->counts == NULL)
			return err_memory(err);
		p->counts[i] = s->counts;
		w = cover_counts_writer(s->counts, err);
		status = w == NULL ? PROF_FAIL : merge_write(s->merge,
		    &(struct merge_output){ 0 }, w, err);
		prof_writer_free(w);
		merge_free(s->merge);
		s->merge = NULL;
	}
	return status;
}

void
cover_profiles_claim(struct cover_profiles *p, struct prof_span build_id)
{
	for (size_t i = 0; i < p->size; i++) {
		if (build_id.size != 0 && p->sums[i].ids.size != 0 &&
		    !ids_have(p->sums[i].ids, build_id))
			continue;
		p->sums[i].claimed = true;
		p->any_claimed |= p->sums[i].ids.size > 0;
	}
}

struct cover_sums
cover_profiles_choose(struct cover_profiles *p, struct prof_span build_id)
{
	for (size_t i = 0; i < p->size; i++)
		p->chosen[i] = build_id.size == 0 || !p->any_claimed ||
		    p->sums[i].ids.size == 0 || ids_have(p->sums[i].ids,
		    build_id);
	return (struct cover_sums){ p->counts, p->size, p->chosen, p->tests };
}

void
cover_profiles_free(struct cover_profiles *p)
{
	for (size_t i = 0; i < p->size; i++) {
		merge_free(p->sums[i].merge);
		cover_counts_free(p->sums[i].counts);
	}
	cover_counts_free(p->tests);
	free(p->sums);
	free(p->counts);
	free(p->chosen);
	buf_free(&p->ids);
	arena_free(&p->arena);
	arena_free(&p->head_arena);
}
