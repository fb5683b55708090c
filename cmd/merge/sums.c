#include "config.h"

#include "cmd/merge/sums.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/error.h"
#include "merge/worker.h"
#include "model/record_copy.h"
#include "model/words.h"

struct sum_kind {
	/* Members that decide what mixes, and the source of its first input. */
	struct prof_header head;
	bool functions;			/* without them, it mixes with all */
	uint64_t profiles;		/* as many have functions */
	uint64_t heads;			/* as many were read */
	struct merge *sum;		/* NULL after sums_join */
};

static struct merge *
sums_new_merge(struct sums *s)
{
	struct merge *m = merge_new(cli_warn, s->cli);

	if (m == NULL)
		return NULL;
	merge_limit_traces(m, &s->terms.traces);
	if (s->buffer != 0)
		cli_spill_begin(s->cli, s->spill, m, s->buffer);
	return m;
}

void
sums_init(struct sums *s, struct cli *c, struct cli_spill *spill,
    const struct sum_terms *terms, uint64_t buffer)
{
	*s = (struct sums){ .cli = c, .spill = spill, .terms = *terms,
	    .buffer = buffer };
	s->first = sums_new_merge(s);
	if (s->first == NULL)
		cli_out_of_memory(c);
}

void
sums_free(struct sums *s)
{
	merge_free(s->first);
	for (size_t i = 0; i < s->size; i++)
		merge_free(s->kinds[i].sum);
	free(s->kinds);
	arena_free(&s->arena);
}

struct merge *
sums_at(const struct sums *s, size_t kind)
{
	return s->kinds[kind].sum;
}

/* The kind of a profile that mixes with both, which mix. */
static void
kind_narrow(struct prof_header *h, const struct prof_header *other)
{
	if (h->level == PROF_LEVEL_UNKNOWN)
		h->level = other->level;
	if (other->frontend_first == 0)
		return;
	if (h->frontend_first < other->frontend_first)
		h->frontend_first = other->frontend_first;
	if (h->frontend_last == 0 || h->frontend_last > other->frontend_last)
		h->frontend_last = other->frontend_last;
}

enum prof_status
sum_check_level(const struct sum_terms *t, enum prof_level level,
    struct prof_error *err)
{
	return t->level == PROF_LEVEL_UNKNOWN || level == PROF_LEVEL_UNKNOWN ||
	    level == t->level ? PROF_OK : err_set(err, PROF_E_MISMATCH,
	    "%s cannot be merged with %s (the level of the plan)",
	    words_level_profile[level], words_level_profile[t->level]);
}

/* The kind of an input; its number of profiles counts those with functions. */
static enum prof_status
kind_of(const struct sum_terms *terms, const struct cli_head *heads,
    size_t size, struct sum_kind *out, struct prof_error *err)
{
	*out = (struct sum_kind){ .heads = size };
	for (size_t i = 0; i < size; i++) {
		const struct prof_header *h = &heads[i].header;
		struct prof_header own = { .level = h->level,
		    .flags = h->flags & PROF_BYTE_COVERAGE,
		    .frontend_first = h->frontend_first,
		    .frontend_last = h->frontend_last,
		    .source = { .file = h->source.file,
		    .member = h->source.member } };

		if (!heads[i].functions)
			continue;
		if (sum_check_level(terms, h->level, err) != PROF_OK)
			return PROF_FAIL;
		out->profiles = saturating_add(out->profiles,
		    h->inputs == 0 ? 1 : h->inputs);
		if (!out->functions)
			out->head = own;
		else if (merge_heads_mix(&out->head, &own, err) != PROF_OK)
			return PROF_FAIL;
		kind_narrow(&out->head, &own);
		out->functions = true;
	}
	return PROF_OK;
}

static bool
kinds_equal(const struct sum_kind *a, const struct sum_kind *b)
{
	return a->functions == b->functions &&
	    a->head.level == b->head.level && a->head.flags == b->head.flags &&
	    a->head.frontend_first == b->head.frontend_first &&
	    a->head.frontend_last == b->head.frontend_last;
}

enum prof_status
sums_place(struct sums *s, const struct cli_head *heads, size_t size,
    size_t *kind, struct prof_error *err)
{
	struct sum_kind own;
	size_t i = 0;

	if (kind_of(&s->terms, heads, size, &own, err) != PROF_OK)
		return PROF_FAIL;
	while (i < s->size && !kinds_equal(&s->kinds[i], &own))
		i++;
	*kind = i;
	if (i < s->size) {
		s->kinds[i].profiles = saturating_add(s->kinds[i].profiles,
		    own.profiles);
		s->kinds[i].heads += size;
		return PROF_OK;
	}
	if (!record_copy(&s->arena, PROF_REC_PROFILE, &own.head) ||
	    !ARRAY_ROOM(s->kinds, s->size, s->room))
		return err_memory(err);
	own.sum = s->first != NULL ? s->first : sums_new_merge(s);
	if (own.sum == NULL)
		return err_memory(err);
	s->first = NULL;
	s->kinds[s->size++] = own;
	return PROF_OK;
}

/* Whether profiles of the kind are part of a sum of the chosen kind. */
static bool
choice_takes(const struct prof_header *choice, const struct sum_kind *k)
{
	const struct prof_header *h = &k->head;

	return !k->functions || (h->flags == choice->flags &&
	    (h->level == PROF_LEVEL_UNKNOWN || h->level == choice->level) &&
	    (h->frontend_first == 0 ||
	    (h->frontend_first <= choice->frontend_first &&
	    h->frontend_last >= choice->frontend_first)));
}

static bool
choice_is_preferred(const struct prof_header *a, const struct prof_header *b)
{
	static const int rank[] = { [PROF_LEVEL_IR] = 2,
	    [PROF_LEVEL_FRONTEND] = 1, [PROF_LEVEL_UNKNOWN] = 0 };

	if (a->level != b->level)
		return rank[a->level] > rank[b->level];
	if (a->flags != b->flags)
		return a->flags < b->flags;
	return a->frontend_first > b->frontend_first;
}

static void
sums_consider(struct sums *s, const struct prof_header *choice)
{
	uint64_t taken = 0;

	for (size_t i = 0; i < s->size; i++) {
		if (choice_takes(choice, &s->kinds[i]))
			taken = saturating_add(taken, s->kinds[i].profiles);
	}
	if (taken < s->chosen || (taken == s->chosen && taken != 0 &&
	    !choice_is_preferred(choice, &s->choice)))
		return;
	s->chosen = taken;
	s->choice = *choice;
}

/*
 * The rules of hashes are ranges of versions: if any version is in all ranges
 * of a choice, the first version of one of them is.
 */
static void
sums_choose(struct sums *s)
{
	for (size_t i = 0; i < s->size; i++) {
		struct prof_header choice = s->kinds[i].head;

		s->all = saturating_add(s->all, s->kinds[i].profiles);
		for (size_t k = 0; k < s->size; k++) {
			choice.frontend_first =
			    s->kinds[k].head.frontend_first;
			sums_consider(s, &choice);
		}
	}
	s->decided = true;
}

/* One of the kinds that are used does not mix with this one. */
static enum prof_status
err_other_kind(const struct sums *s, const struct prof_header *own,
    struct prof_error *err)
{
	struct prof_error why = { 0 };
	size_t i = 0;

	while (i < s->size && (!choice_takes(&s->choice, &s->kinds[i]) ||
	    !s->kinds[i].functions ||
	    merge_heads_mix(&s->kinds[i].head, own, &why) == PROF_OK))
		i++;
	if (why.code == PROF_E_MEMORY)
		return err_memory(err);
	return err_set(err, PROF_E_MISMATCH, "%s, the kind of %llu of %llu "
	    "profiles", why.reason, (unsigned long long)s->chosen,
	    (unsigned long long)s->all);
}

enum prof_status
sums_decide(struct sums *s, const struct commit_entry *e,
    struct prof_error *err)
{
	struct prof_header own = s->kinds[e->kind].head;

	if (!s->decided)
		sums_choose(s);
	if (choice_takes(&s->choice, &s->kinds[e->kind]))
		return PROF_OK;
	own.source = (struct prof_source){ .file = span_of_text(e->file) };
	if (e->member != NULL)
		own.source.member = span_of_text(e->member);
	return err_other_kind(s, &own, err);
}

/* Heap data of one profile keep their order (merge_output.heap_as_read). */
static enum prof_status
sum_write(const struct sums *s, const struct sum_kind *from, void *file,
    struct prof_error *err)
{
	static const struct prof_target stream = { .format = "stream" };
	const struct merge_output whole = { .correlated = true,
	    .heap_as_read = from->heads == 1 };
	const struct merge_files *files = &s->spill->files;
	struct prof_writer *w = prof_writer_new(s->cli->context, &stream,
	    files->write, file, err);
	enum prof_status status = w == NULL ? PROF_FAIL :
	    merge_write(from->sum, &whole, w, err);

	if (status == PROF_OK)
		status = prof_finish(w, err);
	prof_writer_free(w);
	return status == PROF_OK ? files->rewind(file, err) : PROF_FAIL;
}

static enum prof_status
sum_read(const struct sums *s, struct merge *into, void *file,
    struct prof_error *err)
{
	struct prof_reader *reader = prof_open_stream(s->cli->context,
	    s->spill->files.pull, file, err);
	enum prof_status status = PROF_FAIL;
	struct prof_record r;

	while (reader != NULL &&
	    (status = prof_next(reader, &r, err)) == PROF_OK) {
		status = merge_add(into, &r, NULL, err);
		if (status != PROF_OK)
			break;
	}
	prof_close(reader);
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

/* Adds a sum as a partial merge, by way of a temporary file. */
static enum prof_status
sum_add(const struct sums *s, struct merge *into, const struct sum_kind *from,
    struct prof_error *err)
{
	const struct merge_files *files = &s->spill->files;
	void *file = files->create(files->arg, err);
	enum prof_status status;

	if (file == NULL)
		return PROF_FAIL;
	status = sum_write(s, from, file, err);
	if (status == PROF_OK)
		status = sum_read(s, into, file, err);
	files->close(file);
	return status;
}

/* Of the kinds that are used, the one that the others are added to. */
static struct sum_kind *
sums_largest(const struct sums *s)
{
	struct sum_kind *best = NULL;

	for (size_t i = 0; i < s->size; i++) {
		if (choice_takes(&s->choice, &s->kinds[i]) && (best == NULL ||
		    best->profiles < s->kinds[i].profiles))
			best = &s->kinds[i];
	}
	return best;
}

enum prof_status
sums_join(struct sums *s, struct merge **sum, struct prof_error *err)
{
	struct sum_kind *into = sums_largest(s);
	enum prof_status status = merge_join_workers(into->sum, err);

	*sum = into->sum;
	for (size_t i = 0; i < s->size; i++) {
		struct sum_kind *k = &s->kinds[i];

		if (k == into)
			continue;
		if (status == PROF_OK && choice_takes(&s->choice, k)) {
			status = merge_join_workers(k->sum, err);
			if (status == PROF_OK)
				status = sum_add(s, into->sum, k, err);
		}
		merge_free(k->sum);
		k->sum = NULL;
	}
	return status;
}
