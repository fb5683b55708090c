#include "merge/sorted/cluster.h"

#include <stdlib.h>

#include "base/md5.h"
#include "base/vector_add.h"
#include "merge/core/weight.h"
#include "merge/functions/function.h"
#include "merge/functions/sum.h"
#include "model/value_sites.h"

/* A section T as it is stored, and what it holds. */
struct sorted_targets {
	struct prof_span stored;
	uint32_t raw;
	struct lprf2_targets read;
	struct sorted_targets *next;
};

struct sorted_cluster *
sorted_cluster_new(void)
{
	return calloc(1, sizeof(struct sorted_cluster));
}

void
sorted_cluster_begin(struct sorted_cluster *c, struct sorted_input *in)
{
	in->next = NULL;
	c->inputs = in;
	c->inputs_size = 1;
	c->stored = in->block;
}

bool
sorted_cluster_join(struct sorted_cluster *c, struct sorted_input *in)
{
	const struct lprf2_block *a = &c->stored, *b = &in->block;

	if (a->size != b->size)
		return false;
	for (size_t i = LPRF2_N; i < LPRF2_SAME; i++) {
		if (a->raw[i] != b->raw[i] ||
		    !prof_span_equal(a->sections[i], b->sections[i]))
			return false;
	}
	in->next = c->inputs->next;
	c->inputs->next = in;
	c->inputs_size++;
	return true;
}

bool
sorted_has_more(const struct prof_function *f)
{
	return value_sites_count(f->values) != 0 || f->bitmap.size != 0 ||
	    f->uniform_size != 0 || f->extra.size != 0;
}

/*
 * Adds a function that has more than counters to a sum of its own.  Decoders of
 * blocks leave it to their callers to check unknown keys.
 */
static enum prof_status
sorted_add_more(struct sorted_cluster *c, const struct sorted_input *in,
    const struct prof_function *f, struct sorted_scratch *s)
{
	if (f->extra.size != 0 && lprf2_check_extra(&s->lines, 0, f->extra,
	    NULL) != PROF_OK)
		return PROF_FAIL;
	if (c->sum == NULL)
		c->sum = merge_sum_of_functions(NULL);
	return c->sum == NULL ? PROF_FAIL : merge_add_function(
	    &c->sum->main_worker, f, &in->file.weight, NULL);
}

/* False if a counter is too large for sums that nobody checks. */
static bool
sorted_weigh(uint64_t *counts, size_t n, bool large,
    const struct merge_factor *w)
{
	if (large && vector_any_bits(counts, n) >= SORTED_SMALL)
		return false;
	if (merge_is_unscaled(w))
		return true;
	for (size_t i = 0; i < n; i++)
		counts[i] = merge_weigh(w, counts[i]);
	return vector_any_bits(counts, n) < SORTED_SMALL;
}

/* The counters of all functions, which are one array. */
static uint64_t *
sorted_counts(const struct sorted_cluster *c, size_t *n)
{
	const struct prof_function *last = &c->functions[c->size - 1];
	const uint64_t *counts = c->functions[0].counts;

	*n = (size_t)(last->counts + last->counts_size - counts);
	return (uint64_t *)(uintptr_t)counts;
}

/*
 * The targets of a block, whose section T is mostly that of another input.
 * NULL on failure.
 */
static const struct lprf2_targets *
sorted_read_targets(struct sorted_cluster *c, const struct lprf2_block *block,
    struct sorted_scratch *s)
{
	const struct prof_span *stored = &block->sections[LPRF2_T];
	struct lprf2_block b = *block;
	struct sorted_targets *t = c->targets;

	while (t != NULL && (t->raw != b.raw[LPRF2_T] ||
	    !prof_span_equal(t->stored, *stored)))
		t = t->next;
	if (t != NULL)
		return &t->read;
	t = arena_alloc(&c->arena, sizeof(*t));
	if (t == NULL)
		return NULL;
	*t = (struct sorted_targets){ .stored = arena_copy(&c->arena, *stored),
	    .raw = b.raw[LPRF2_T], .next = c->targets };
	b.sections[LPRF2_T] = t->stored;
	if (t->stored.data == NULL || lprf2_inflate_section(&b, LPRF2_T,
	    &s->packer, &c->arena, NULL) != PROF_OK ||
	    lprf2_get_targets(&b, &c->arena, &t->read, NULL) != PROF_OK)
		return NULL;
	c->targets = t;
	return &t->read;
}

/* Digests the names of functions that have more than counters, all at once. */
static bool
sorted_set_guids(struct sorted_cluster *c, struct sorted_scratch *s)
{
	struct prof_span *names = arena_array(&s->shapes, c->size,
	    sizeof(*names));
	uint64_t *guids = arena_array(&s->shapes, c->size, sizeof(*guids));
	size_t n = 0;

	if (names == NULL || guids == NULL)
		return false;
	for (size_t i = 0; i < c->size; i++) {
		if (sorted_has_more(&c->functions[i]))
			names[n++] = c->functions[i].symbol.name;
	}
	md5_u64_many(names, n, guids);
	n = 0;
	for (size_t i = 0; i < c->size; i++) {
		if (sorted_has_more(&c->functions[i]))
			c->functions[i].symbol.guid = guids[n++];
	}
	return true;
}

/* Makes the functions of the first input the sum. */
static enum prof_status
sorted_add_first(struct sorted_cluster *c, struct sorted_scratch *s)
{
	uint64_t *counts;
	size_t n;

	if (!sorted_set_guids(c, s))
		return PROF_FAIL;
	for (size_t i = 0; i < c->size; i++) {
		if (sorted_has_more(&c->functions[i]) && sorted_add_more(c,
		    c->inputs, &c->functions[i], s) != PROF_OK)
			return PROF_FAIL;
	}
	counts = sorted_counts(c, &n);
	return sorted_weigh(counts, n, true, &c->inputs->file.weight) ?
	    PROF_OK : PROF_FAIL;
}

static enum prof_status
sorted_add_data(struct sorted_cluster *c, const struct sorted_input *in,
    struct sorted_scratch *s)
{
	const struct lprf2_data *d = &s->data;
	uint64_t *sums;
	size_t n;

	for (size_t i = 0; i < d->more_size; i++) {
		if (sorted_add_more(c, in, &d->more[i], s) != PROF_OK)
			return PROF_FAIL;
	}
	sums = sorted_counts(c, &n);
	return sorted_weigh(d->counts, n, d->large, &in->file.weight) &&
	    vector_add(sums, d->counts, n) < SORTED_SMALL ? PROF_OK :
	    PROF_FAIL;
}

/* Adds the data of another input; `shapes` has sections N and H inflated. */
static enum prof_status
sorted_add_input(struct sorted_cluster *c, struct sorted_input *in,
    const struct lprf2_block *shapes, struct sorted_scratch *s)
{
	struct lprf2_block b = in->block;
	const struct lprf2_targets *targets = sorted_read_targets(c, &b, s);

	b.sections[LPRF2_N] = shapes->sections[LPRF2_N];
	b.sections[LPRF2_H] = shapes->sections[LPRF2_H];
	arena_reset(&s->block);
	if (targets == NULL || lprf2_inflate_section(&b, LPRF2_C, &s->packer,
	    &s->block, NULL) != PROF_OK || lprf2_inflate_section(&b, LPRF2_M,
	    &s->packer, &s->block, NULL) != PROF_OK || lprf2_decode_data(&b,
	    c->functions, targets, &s->block, &s->data, NULL) != PROF_OK ||
	    lprf2_outline_block(&in->blocks.outline, &b, c->functions, NULL) !=
	    PROF_OK)
		return PROF_FAIL;
	return sorted_add_data(c, in, s);
}

/* Whether the sum has those functions that have more in the first input. */
static bool
sorted_sum_is_whole(const struct sorted_cluster *c)
{
	size_t more = 0;

	for (size_t i = 0; i < c->size; i++)
		more += sorted_has_more(&c->functions[i]);
	return c->sum == NULL || (c->sum->size == more &&
	    !c->sum->head.extra_dropped);
}

enum prof_status
sorted_cluster_add(struct sorted_cluster *c, struct sorted_scratch *s)
{
	struct lprf2_block b = c->stored;
	const struct lprf2_targets *targets;

	if (c->sum != NULL)
		merge_sum_clear(c->sum);
	c->size = b.size;
	c->next = c->sum_next = 0;
	c->targets = NULL;
	arena_reset(&c->arena);
	arena_reset(&s->shapes);
	targets = sorted_read_targets(c, &b, s);
	if (targets == NULL ||
	    lprf2_inflate(&b, &s->packer, &s->shapes, NULL) != PROF_OK)
		return PROF_FAIL;
	c->functions = lprf2_decode(&b, targets, &c->arena, NULL);
	if (c->functions == NULL || lprf2_outline_block(
	    &c->inputs->blocks.outline, &b, c->functions, NULL) != PROF_OK ||
	    sorted_add_first(c, s) != PROF_OK)
		return PROF_FAIL;
	for (struct sorted_input *in = c->inputs->next; in != NULL;
	    in = in->next) {
		if (sorted_add_input(c, in, &b, s) != PROF_OK)
			return PROF_FAIL;
	}
	return sorted_sum_is_whole(c) ? PROF_OK : PROF_FAIL;
}

const struct merge_entry *
sorted_cluster_entry(const struct sorted_cluster *c)
{
	const struct merge_entry *e = c->sum_next == c->sum->size ? NULL :
	    merge_entry_at(c->sum, c->sum_next);

	return e == NULL || e->conflict || e->saturated ||
	    e->records != c->inputs_size ||
	    !prof_span_equal(e->name, sorted_cluster_function(c)->symbol.name)
	    || e->hash != sorted_cluster_function(c)->hash ? NULL : e;
}

bool
sorted_cluster_skip(struct sorted_cluster *c)
{
	if (sorted_has_more(sorted_cluster_function(c)))
		c->sum_next++;
	c->next++;
	return c->next < c->size;
}

void
sorted_cluster_free(struct sorted_cluster *c)
{
	if (c == NULL)
		return;
	arena_free(&c->arena);
	merge_sum_free(c->sum);
	free(c);
}
