/*
 * cover/decisions.c - decisions, and which of their conditions mattered
 *
 * Modified condition/decision coverage (MCDCRecord in CoverageMapping.h, LLVM
 * 19 to 22): each way through the conditions of a decision has a number, whose
 * bit in the bitmap of the function says that it was taken.
 */
#include "config.h"

#include "base/bytes.h"
#include "base/error.h"
#include "cover/mapping.h"

/* A condition in the graph of its decision. */
struct node {
	const struct decoded *condition;
	uint32_t position;		/* in the order of output */
	uint32_t incoming;		/* edges that are not done yet */
	uint64_t width;			/* ways that lead here */
	/* Of the edges if it is false and true: the first number of a way. */
	uint64_t index[2];
	/* The edges that lead here, each as node * 2 + value, one more. */
	uint32_t edges, next_edge[2];
};

/* A last edge, with the numbers of all ways that end with it. */
struct last_edge {
	uint64_t width, index;
	uint32_t edge;
};

/* A decision whose conditions are not all there yet. */
struct open_decision {
	const struct decoded *decision;
	const struct decoded **list;	/* in the order of output */
	size_t size, room;
	struct id_map ids;		/* of the list */
	struct id_map files;		/* expanded inside it */
};

struct finder {
	struct arena *arena;
	struct prof_span bitmap;
	struct open_decision *open;
	size_t open_size, open_room;
	struct cover_decision *found;
	size_t found_size, found_room;
	uint64_t steps;
	bool failed;			/* out of memory */
};

/* Whether a region stands in a decision, or in what it expands. */
static bool
decision_has(const struct open_decision *o, const struct cover_region *r)
{
	const struct cover_region *d = &o->decision->region;

	return (r->file == d->file && cover_place_number(r->start) >=
	    cover_place_number(d->start) && cover_place_number(r->end) <=
	    cover_place_number(d->end)) ||
	    id_map_find(&o->files, r->file) != NULL;
}

static void
open_free(struct open_decision *o)
{
	free(o->list);
	id_map_free(&o->ids);
	id_map_free(&o->files);
}

/*
 * Gives a condition to the first decision that lacks one of its number.
 * Returns the decision if it has all, or NULL.
 */
static struct open_decision *
finder_add_condition(struct finder *f, const struct decoded *d)
{
	struct open_decision *o = f->open;

	for (size_t i = f->open_size; i > 0; i--, o++) {
		f->steps++;
		if (o->size == o->decision->conditions ||
		    id_map_find(&o->ids, d->id) != NULL ||
		    !decision_has(o, &d->region))
			continue;
		if (id_map_add(&o->ids, d->id, 0) == NULL ||
		    !ARRAY_ADD(o->list, o->size, o->room, d)) {
			f->failed = true;
			return NULL;
		}
		/* The condition that comes first is the first of the list. */
		if (d->id == 0) {
			memmove(o->list + 1, o->list, (o->size - 1) *
			    sizeof(*o->list));
			o->list[0] = d;
		}
		return o->size == o->decision->conditions ? o : NULL;
	}
	return NULL;
}

static void
finder_add_expansion(struct finder *f, const struct cover_region *r)
{
	struct open_decision *o = f->open;

	for (size_t i = f->open_size; i > 0; i--, o++) {
		f->steps++;
		if (!decision_has(o, r))
			continue;
		f->failed |= id_map_add(&o->files, r->expanded, 0) == NULL;
		return;
	}
}

/* More vectors than LLVM allows (mcdc::TVIdxBuilder, HardMaxTVs). */
#define WAYS_MAX	(UINT64_C(1) << 31)

/*
 * Numbers the ways through the graph: each edge adds its index.  False if the
 * graph is none, or has too many ways.
 */
static bool
graph_number(struct node *nodes, size_t size, uint32_t *queue,
    struct last_edge *last, size_t *last_size, uint64_t *ways)
{
	size_t head = 0, tail = 1;
	struct node *n, *to;
	uint32_t next;

	for (size_t i = 0; i < size; i++) {
		for (unsigned v = 0; v < 2; v++) {
			next = nodes[i].condition->next[v];
			if (next == CONDITION_NONE)
				continue;
			if (next == 0 || next >= size)
				return false;
			nodes[next].incoming++;
		}
	}
	*last_size = 0;
	nodes[0].width = 1;
	queue[0] = 0;
	while (head < tail) {
		n = &nodes[queue[head++]];
		for (unsigned v = 0; v < 2; v++) {
			next = n->condition->next[v];
			if (next == CONDITION_NONE) {
				last[*last_size] = (struct last_edge){
				    n->width, 0, queue[head - 1] * 2 + v };
				++*last_size;
				continue;
			}
			to = &nodes[next];
			n->index[v] = to->width;
			n->next_edge[v] = to->edges;
			to->edges = queue[head - 1] * 2 + v + 1;
			to->width += n->width;
			if (to->width > WAYS_MAX)
				return false;
			if (--to->incoming == 0)
				queue[tail++] = next;
		}
	}
	/* By width, the largest first, then in the order found: a stable sort
	 * by insertion; there are two edges a condition. */
	for (size_t i = 1; i < *last_size; i++) {
		struct last_edge moved = last[i];
		size_t k = i;

		for (; k > 0 && last[k - 1].width < moved.width; k--)
			last[k] = last[k - 1];
		last[k] = moved;
	}
	*ways = 0;
	for (size_t i = 0; i < *last_size; i++) {
		last[i].index = *ways;
		*ways += last[i].width;
	}
	return tail == size && *ways <= WAYS_MAX;
}

/*
 * Writes the outcome of each condition on the way of a number, and returns the
 * result of the decision.
 */
static bool
graph_way(const struct node *nodes, const struct last_edge *last,
    size_t last_size, uint64_t number, uint8_t *outcomes)
{
	uint32_t edge = 0, from;
	bool result;

	for (size_t i = 0; i < last_size; i++) {
		if (number >= last[i].index &&
		    number - last[i].index < last[i].width) {
			edge = last[i].edge;
			number -= last[i].index;
			break;
		}
	}
	result = edge & 1;
	for (;;) {
		from = edge / 2;
		outcomes[nodes[from].position] = edge & 1;
		for (edge = nodes[from].edges; edge != 0;
		    edge = nodes[(edge - 1) / 2].next_edge[(edge - 1) & 1]) {
			const struct node *p = &nodes[(edge - 1) / 2];
			uint64_t index = p->index[(edge - 1) & 1];

			if (number >= index && number - index < p->width) {
				number -= index;
				break;
			}
		}
		if (edge == 0)
			return result;
		edge--;
	}
}

/* The only condition that both ways evaluated and that differs, or NONE. */
static uint32_t
ways_differ_in(const uint8_t *a, const uint8_t *b, size_t size)
{
	uint32_t only = CONDITION_NONE;

	for (size_t i = 0; i < size; i++) {
		if (a[i] == b[i] || a[i] == COVER_NOT_EVALUATED ||
		    b[i] == COVER_NOT_EVALUATED)
			continue;
		if (only != CONDITION_NONE)
			return CONDITION_NONE;
		only = (uint32_t)i;
	}
	return only;
}

/* Marks the conditions that changed the result by themselves. */
static void
decision_find_pairs(struct cover_decision *d)
{
	struct cover_condition *c;
	const uint8_t *a, *b;
	uint32_t only;

	for (size_t i = d->false_ways; i < d->ways; i++) {
		a = d->outcomes + i * d->conditions_size;
		for (size_t k = 0; k < d->false_ways; k++) {
			b = d->outcomes + k * d->conditions_size;
			only = ways_differ_in(a, b, d->conditions_size);
			if (only == CONDITION_NONE ||
			    d->conditions[only].covered)
				continue;
			c = &d->conditions[only];
			c->covered = true;
			c->pair[0] = (uint32_t)k + 1;
			c->pair[1] = (uint32_t)i + 1;
		}
	}
}

/*
 * Inserts a way among sorted ones, unless it is one of them; returns how many
 * there are.
 */
static size_t
ways_insert(uint8_t *ways, size_t size, const uint8_t *way, size_t n)
{
	size_t low = 0, high = size, mid;
	int order;

	while (low < high) {
		mid = low + (high - low) / 2;
		order = memcmp(way, ways + mid * n, n);
		if (order == 0)
			return size;
		if (order < 0)
			high = mid;
		else
			low = mid + 1;
	}
	memmove(ways + (low + 1) * n, ways + low * n, (size - low) * n);
	memcpy(ways + low * n, way, n);
	return size + 1;
}

bool
cover_decision_add(struct arena *a, struct cover_decision *d,
    const struct cover_decision *other)
{
	size_t n = d->conditions_size, size = 0, false_ways = 0, i, end;
	const struct cover_decision *sides[] = { d, other };
	uint8_t *out = arena_array(a, d->ways + other->ways + 1, n);

	if (out == NULL)
		return false;
	for (unsigned result = 0; result < 2; result++) {
		for (unsigned k = 0; k < 2; k++) {
			i = result ? sides[k]->false_ways : 0;
			end = result ? sides[k]->ways : sides[k]->false_ways;
			for (; i < end; i++)
				size = ways_insert(out + false_ways * n, size,
				    sides[k]->outcomes + i * n, n);
		}
		if (result == 0) {
			false_ways = size;
			size = 0;
		}
	}
	d->outcomes = out;
	d->ways = false_ways + size;
	d->false_ways = false_ways;
	decision_find_pairs(d);
	return true;
}

/* Collects the ways whose bits are set: those with a false result first. */
static enum prof_status
decision_collect(struct finder *f, struct cover_decision *d,
    const struct node *nodes, const struct last_edge *last, size_t last_size,
    uint64_t first, uint64_t ways, struct prof_error *err)
{
	size_t n = d->conditions_size, count = 0;
	uint8_t *out, *one;
	uint64_t bit;

	for (uint64_t i = 0; i < ways; i++) {
		bit = first + i;
		count += f->bitmap.data[bit / 8] >> (bit % 8) & 1;
	}
	if (count > COVER_WAYS_MAX)
		return err_set(err, PROF_E_LIMIT, "a decision with %zu ways "
		    "that were executed exceeds the limit of %d", count,
		    COVER_WAYS_MAX);
	out = arena_array(f->arena, count + 1, n);
	if (out == NULL)
		return err_memory(err);
	d->outcomes = out;
	d->ways = count;
	one = out + count * n;
	for (unsigned result = 0; result < 2; result++) {
		for (uint64_t i = 0; i < ways; i++) {
			bit = first + i;
			if ((f->bitmap.data[bit / 8] >> (bit % 8) & 1) == 0)
				continue;
			memset(one, COVER_NOT_EVALUATED, n);
			if (graph_way(nodes, last, last_size, i, one) !=
			    result)
				continue;
			memmove(out, one, n);
			out += n;
			d->false_ways += result == 0;
		}
	}
	return PROF_OK;
}

/* Evaluates a decision that has all its conditions. */
static enum prof_status
finder_complete(struct finder *f, const struct open_decision *o,
    struct prof_error *err)
{
	struct cover_decision d = { .region = o->decision->region,
	    .conditions_size = o->size };
	struct node *nodes = calloc(o->size, sizeof(*nodes));
	uint32_t *queue = calloc(o->size, sizeof(*queue));
	struct last_edge *last = calloc(2 * o->size, sizeof(*last));
	enum prof_status status = PROF_OK;
	uint64_t ways = 0, end = o->decision->bitmap;
	size_t last_size = 0;

	d.conditions = arena_array(f->arena, o->size, sizeof(*d.conditions));
	if (nodes == NULL || queue == NULL || last == NULL ||
	    d.conditions == NULL)
		status = err_memory(err);
	for (size_t i = 0; i < o->size && status == PROF_OK; i++) {
		const struct decoded *c = o->list[i];

		d.conditions[i] = (struct cover_condition){ c->region.start,
		    c->region.folded, c->region.other_folded, false,
		    { 0, 0 } };
		if (c->id < o->size) {
			nodes[c->id].condition = c;
			nodes[c->id].position = (uint32_t)i;
		} else
			status = err_set(err, PROF_E_CORRUPT, "condition %llu "
			    "of a decision of %zu", ull(c->id), o->size);
	}
	if (status == PROF_OK && (!graph_number(nodes, o->size, queue, last,
	    &last_size, &ways) || ways > end || (f->bitmap.data != NULL &&
	    end > (uint64_t)f->bitmap.size * 8)))
		status = err_set(err, PROF_E_CORRUPT, "a decision of %zu "
		    "conditions and bitmap index %llu", o->size, ull(end));
	if (status == PROF_OK && f->bitmap.data != NULL)
		status = decision_collect(f, &d, nodes, last, last_size,
		    end - ways, ways, err);
	if (status == PROF_OK)
		decision_find_pairs(&d);
	if (status == PROF_OK && !ARRAY_ADD(f->found, f->found_size,
	    f->found_room, d))
		status = err_memory(err);
	free(nodes);
	free(queue);
	free(last);
	return status;
}

/* Steps that matching may take for each region, besides a good many. */
enum { STEPS_FREE = 1 << 20, STEPS_PER_REGION = 256 };

static enum prof_status
finder_run(struct finder *f, const struct decoded *d, size_t size,
    struct prof_error *err)
{
	const struct decoded *end = d + size;
	struct open_decision *o;
	enum prof_status status = PROF_OK;

	for (; d != end && status == PROF_OK && !f->failed; d++) {
		o = NULL;
		if (d->region.kind == COVER_DECISION)
			f->failed = !ARRAY_ADD(f->open, f->open_size,
			    f->open_room, (struct open_decision){
			    .decision = d });
		else if (d->region.kind == COVER_EXPANSION)
			finder_add_expansion(f, &d->region);
		else if (d->region.kind == COVER_CONDITION)
			o = finder_add_condition(f, d);
		if (f->steps > STEPS_FREE + (uint64_t)STEPS_PER_REGION * size)
			return err_set(err, PROF_E_LIMIT, "%zu decisions of a "
			    "function lack conditions", f->open_size);
		if (o == NULL)
			continue;
		status = finder_complete(f, o, err);
		open_free(o);
		memmove(o, o + 1, (size_t)(f->open + f->open_size - o - 1) *
		    sizeof(*o));
		f->open_size--;
	}
	return f->failed ? err_memory(err) : status;
}

enum prof_status
cover_find_decisions(const struct decoded *d, size_t size,
    struct prof_span bitmap, struct arena *a, struct cover_function *out,
    struct prof_error *err)
{
	struct finder f = { .arena = a, .bitmap = bitmap };
	enum prof_status status = finder_run(&f, d, size, err);

	if (status == PROF_OK && f.found_size > 0) {
		out->decisions = arena_array(a, f.found_size,
		    sizeof(*f.found));
		if (out->decisions == NULL)
			status = err_memory(err);
		else
			memcpy(out->decisions, f.found, f.found_size *
			    sizeof(*f.found));
		out->decisions_size = f.found_size;
	}
	for (size_t i = 0; i < f.open_size; i++)
		open_free(&f.open[i]);
	free(f.open);
	free(f.found);
	return status;
}
