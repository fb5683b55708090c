/*
 * A heap of clusters, by their next function.  Those whose next functions are
 * the same one are a list, which stands in the heap once: inputs of one program
 * mostly go on together.
 */
#include "merge/sorted/walk.h"

#include <stdlib.h>

#include "format/lprf/write2.h"
#include "merge/functions/entries.h"
#include "merge/functions/function.h"
#include "merge/functions/sum.h"
#include "merge/sorted/cluster.h"
#include "model/value_sites.h"

/* Lists that a cluster which goes on is compared with before the heap is. */
enum { NEAR = 4 };

struct sorted_walk {
	struct sorted_cluster **heap;	/* heads of lists */
	size_t size;
	struct sorted_cluster *near[NEAR];	/* lists, not in the heap yet */
	size_t near_size;
	struct sorted_cluster *idle;	/* a list, without functions */
	struct sorted_input *ended;	/* a list: their blocks ended */
	struct merge *sum;		/* of a function of several clusters */
	struct sorted_scratch *scratch;
	struct prof_writer *writer;
};

static int
sorted_compare(const struct sorted_cluster *a, const struct sorted_cluster *b)
{
	return lprf2_compare(sorted_cluster_function(a),
	    sorted_cluster_function(b));
}

static void
sorted_heap_push(struct sorted_walk *w, struct sorted_cluster *c)
{
	size_t i = w->size++;

	for (; i != 0; i = (i - 1) / 2) {
		struct sorted_cluster *up = w->heap[(i - 1) / 2];

		if (sorted_compare(up, c) <= 0)
			break;
		w->heap[i] = up;
	}
	w->heap[i] = c;
}

static struct sorted_cluster *
sorted_heap_pop(struct sorted_walk *w)
{
	struct sorted_cluster *top = w->heap[0], *last = w->heap[--w->size];
	size_t i = 0;

	for (size_t down; (down = 2 * i + 1) < w->size; i = down) {
		if (down + 1 < w->size && sorted_compare(w->heap[down + 1],
		    w->heap[down]) < 0)
			down++;
		if (sorted_compare(last, w->heap[down]) <= 0)
			break;
		w->heap[i] = w->heap[down];
	}
	w->heap[i] = last;
	return top;
}

/* Prepends a list to another one. */
static struct sorted_cluster *
sorted_join_lists(struct sorted_cluster *list, struct sorted_cluster *more)
{
	struct sorted_cluster *end = more;

	while (end->same != NULL)
		end = end->same;
	end->same = list;
	return more;
}

/* All clusters whose next function comes first. */
static struct sorted_cluster *
sorted_take_first(struct sorted_walk *w)
{
	struct sorted_cluster *list = sorted_heap_pop(w);

	while (w->size != 0 && sorted_compare(list, w->heap[0]) == 0)
		list = sorted_join_lists(list, sorted_heap_pop(w));
	return list;
}

/* A cluster that goes on is put to those that have the same function. */
static void
sorted_go_on(struct sorted_walk *w, struct sorted_cluster *c)
{
	c->same = NULL;
	for (size_t i = w->near_size; i-- > 0; ) {
		if (sorted_compare(w->near[i], c) == 0) {
			c->same = w->near[i]->same;
			w->near[i]->same = c;
			return;
		}
	}
	if (w->near_size < NEAR)
		w->near[w->near_size++] = c;
	else
		sorted_heap_push(w, c);
}

static void
sorted_push_near(struct sorted_walk *w)
{
	while (w->near_size != 0)
		sorted_heap_push(w, w->near[--w->near_size]);
}

/* Adds the counters of all clusters to those of the first. */
static enum prof_status
sorted_add_counts(struct sorted_cluster *list)
{
	const struct prof_function *f = sorted_cluster_function(list);
	uint64_t *sums = (uint64_t *)(uintptr_t)f->counts, any = 0;

	for (const struct sorted_cluster *c = list->same; c != NULL;
	    c = c->same) {
		const struct prof_function *g = sorted_cluster_function(c);

		if (g->counts_size != f->counts_size || sorted_has_more(g))
			return PROF_FAIL;
		for (size_t i = 0; i < f->counts_size; i++) {
			any |= sums[i] | g->counts[i];
			sums[i] += g->counts[i];
		}
		if (any >= SORTED_SMALL)
			return PROF_FAIL;
	}
	return PROF_OK;
}

/* A target known by its guid may have a name in another function. */
static bool
sorted_names_targets(const struct prof_function *f)
{
	struct value_walk walk = { 0 };
	const struct prof_value *v;

	while ((v = value_next_target(&walk, f->values)) != NULL) {
		if (v->name.size == 0 && v->value != 0)
			return false;
	}
	return true;
}

static enum prof_status
sorted_put_entry(struct sorted_walk *w, struct merge *sum,
    const struct merge_entry *e)
{
	struct prof_record r;

	return merge_entry_record(sum, e, &r, NULL) == PROF_OK &&
	    sorted_names_targets(&r.u.function) ?
	    prof_put(w->writer, &r, NULL) : PROF_FAIL;
}

/* Puts a function that has more than counters. */
static enum prof_status
sorted_put_more(struct sorted_walk *w, const struct sorted_cluster *list)
{
	static const struct merge_factor once = { 1, 1 };
	const struct merge_entry *e = sorted_cluster_entry(list);
	struct prof_record r;

	if (e == NULL || list->same == NULL)
		return e == NULL ? PROF_FAIL :
		    sorted_put_entry(w, list->sum, e);
	merge_sum_clear(w->sum);
	for (const struct sorted_cluster *c = list; c != NULL; c = c->same) {
		e = sorted_has_more(sorted_cluster_function(c)) ?
		    sorted_cluster_entry(c) : NULL;
		if (e == NULL || merge_entry_record(c->sum, e, &r, NULL) !=
		    PROF_OK || merge_add_function(&w->sum->main_worker,
		    &r.u.function, &once, NULL) != PROF_OK)
			return PROF_FAIL;
	}
	e = merge_entry_at(w->sum, 0);
	return e->conflict || e->saturated || w->sum->head.extra_dropped ?
	    PROF_FAIL : sorted_put_entry(w, w->sum, e);
}

/* Puts the next function of the clusters, which is the same one. */
static enum prof_status
sorted_put(struct sorted_walk *w, struct sorted_cluster *list)
{
	struct prof_record r = { .kind = PROF_REC_FUNCTION };

	for (const struct sorted_cluster *c = list; c != NULL; c = c->same) {
		if (c->next == 0)
			lprf2_writer_offer(w->writer, &c->stored);
	}
	if (sorted_has_more(sorted_cluster_function(list)))
		return sorted_put_more(w, list);
	if (sorted_add_counts(list) != PROF_OK)
		return PROF_FAIL;
	r.u.function = *sorted_cluster_function(list);
	return prof_put(w->writer, &r, NULL);
}

/* The cluster's blocks have ended. */
static void
sorted_retire(struct sorted_walk *w, struct sorted_cluster *c)
{
	struct sorted_input *last = c->inputs;

	while (last->next != NULL)
		last = last->next;
	last->next = w->ended;
	w->ended = c->inputs;
	c->same = w->idle;
	w->idle = c;
}

/* Puts an input whose block was read to a cluster of the list. */
static bool
sorted_place_input(struct sorted_walk *w, struct sorted_cluster **list,
    struct sorted_input *in)
{
	struct sorted_cluster *c = *list;

	while (c != NULL && !sorted_cluster_join(c, in))
		c = c->same;
	if (c != NULL)
		return true;
	c = w->idle;
	if (c != NULL)
		w->idle = c->same;
	else
		c = sorted_cluster_new();
	if (c == NULL)
		return false;
	sorted_cluster_begin(c, in);
	c->same = *list;
	*list = c;
	return true;
}

/* Reads the next blocks of inputs whose blocks ended, and adds them up. */
static enum prof_status
sorted_load(struct sorted_walk *w)
{
	struct sorted_cluster *list = NULL, *next;
	enum prof_status status = PROF_OK;

	for (struct sorted_input *in = w->ended, *after; in != NULL &&
	    status == PROF_OK; in = after) {
		after = in->next;
		status = sorted_input_next(in, w->scratch);
		if (status == PROF_OK && !sorted_place_input(w, &list, in))
			status = PROF_FAIL;
		if (status == PROF_END)
			status = PROF_OK;
	}
	w->ended = NULL;
	for (; list != NULL; list = next) {
		next = list->same;
		if (status == PROF_OK)
			status = sorted_cluster_add(list, w->scratch);
		if (status == PROF_OK)
			sorted_go_on(w, list);
		else
			sorted_cluster_free(list);
	}
	return status;
}

static enum prof_status
sorted_walk_functions(struct sorted_walk *w)
{
	struct sorted_cluster *list, *next;

	if (sorted_load(w) != PROF_OK)
		return PROF_FAIL;
	for (sorted_push_near(w); w->size != 0; sorted_push_near(w)) {
		list = sorted_take_first(w);
		if (sorted_put(w, list) != PROF_OK) {
			sorted_heap_push(w, list);
			return PROF_FAIL;
		}
		for (; list != NULL; list = next) {
			next = list->same;
			if (sorted_cluster_skip(list))
				sorted_go_on(w, list);
			else
				sorted_retire(w, list);
		}
		if (w->ended != NULL && sorted_load(w) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

static void
sorted_free_list(struct sorted_cluster *c)
{
	struct sorted_cluster *next;

	for (; c != NULL; c = next) {
		next = c->same;
		sorted_cluster_free(c);
	}
}

enum prof_status
sorted_walk(struct sorted_input *inputs, size_t size,
    struct sorted_scratch *scratch, struct prof_writer *writer)
{
	struct sorted_walk w = { .scratch = scratch, .writer = writer,
	    .heap = calloc(size + 1, sizeof(*w.heap)),
	    .sum = merge_sum_of_functions(NULL) };
	enum prof_status status = PROF_FAIL;

	for (size_t i = 0; i < size; i++) {
		inputs[i].next = w.ended;
		w.ended = &inputs[i];
	}
	if (w.heap != NULL && w.sum != NULL)
		status = sorted_walk_functions(&w);
	sorted_push_near(&w);
	for (size_t i = 0; i < w.size; i++)
		sorted_free_list(w.heap[i]);
	sorted_free_list(w.idle);
	merge_sum_free(w.sum);
	free(w.heap);
	return status;
}
