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
#include "base/numbers.h"
#include "cover/mapping.h"

/* A condition in the graph of its decision. */
struct node {
	const struct decoded *condition;
	uint32_t position;		/* in the order of output */
	uint32_t incoming;		/* edges that are not done yet */
	uint64_t width;			/* ways that lead here */
	/* Added to the number of a way that leaves here by false, by true. */
	uint64_t index[2];
};

/* A node on the way that is walked, and the edge that comes next. */
struct step {
	uint32_t node, value;
	uint64_t number;		/* of the way up to here */
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
	unsigned release;
	bool failed;			/* out of memory */
};

/* In LLVM 22, but not in 19, ways are in the order of their bits. */
enum { RELEASE_BITS_ORDER = 20 };

/* Whether the way that a bit is about was executed. */
static bool
finder_has_way(const struct finder *f, uint64_t bit)
{
	return f->bitmap.data[bit / 8] >> (bit % 8) & 1;
}

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
 * Numbers the ways through the graph.  False if the graph is none, or has too
 * many ways, or if memory is out.
 */
static bool
graph_number(struct finder *f, struct node *nodes, size_t size, uint64_t *ways)
{
	uint32_t *queue = calloc(size, sizeof(*queue)), next;
	struct number_sort_item *last = calloc(2 * size, sizeof(*last));
	size_t head = 0, tail = 1, last_size = 0;
	bool done = false;
	struct node *n;

	f->failed = queue == NULL || last == NULL;
	if (f->failed)
		goto out;
	for (size_t i = 0; i < 2 * size; i++) {
		next = nodes[i / 2].condition->next[i % 2];
		if (next == 0 || (next >= size && next != CONDITION_NONE))
			goto out;
		if (next != CONDITION_NONE)
			nodes[next].incoming++;
	}
	nodes[0].width = 1;
	queue[0] = 0;
	for (; head < tail; head++) {
		n = &nodes[queue[head]];
		for (unsigned v = 0; v < 2; v++) {
			next = n->condition->next[v];
			if (next == CONDITION_NONE) {
				last[last_size++] = (struct number_sort_item){
				    UINT64_MAX - n->width,
				    queue[head] * 2 + v };
				continue;
			}
			n->index[v] = nodes[next].width;
			nodes[next].width += n->width;
			if (nodes[next].width > WAYS_MAX)
				goto out;
			if (--nodes[next].incoming == 0)
				queue[tail++] = next;
		}
	}
	/*
	 * Last edges of nodes with more ways are first; among equals, those
	 * that were found first.
	 */
	f->failed = !number_sort(last, last_size);
	*ways = 0;
	for (size_t i = 0; i < last_size; i++) {
		n = &nodes[last[i].item / 2];
		n->index[last[i].item % 2] = *ways;
		*ways += n->width;
	}
	done = !f->failed && tail == size && *ways <= WAYS_MAX;
out:
	free(queue);
	free(last);
	return done;
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

/*
 * Collects the ways whose bits are set, those with a false result first: walks
 * all ways depth first.  The last condition of a way has its result.
 */
static enum prof_status
decision_collect(struct finder *f, struct cover_decision *d,
    const struct node *nodes, uint64_t first, uint64_t ways,
    struct prof_error *err)
{
	size_t n = d->conditions_size, count = 0, size = 0, depth = 1;
	struct number_sort_item *list;
	uint8_t *rows, *way, *out;
	const struct node *node;
	struct step *steps, *s;
	uint64_t number;
	uint32_t value;

	for (uint64_t i = 0; i < ways; i++)
		count += finder_has_way(f, first + i);
	if (count > COVER_WAYS_MAX)
		return err_set(err, PROF_E_LIMIT, "a decision with %zu ways "
		    "that were executed exceeds the limit of %d", count,
		    COVER_WAYS_MAX);
	out = arena_array(f->arena, count, n);
	rows = calloc(count, n);
	list = calloc(count, sizeof(*list));
	way = calloc(n, 1);
	steps = calloc(n, sizeof(*steps));
	f->failed = out == NULL || way == NULL || steps == NULL ||
	    (count > 0 && (rows == NULL || list == NULL));
	if (f->failed)
		goto out;
	memset(way, COVER_NOT_EVALUATED, n);
	while (size < count) {
		s = &steps[depth - 1];
		node = &nodes[s->node];
		value = s->value++;
		if (value == 2) {
			way[node->position] = COVER_NOT_EVALUATED;
			depth--;
			continue;
		}
		way[node->position] = (uint8_t)value;
		number = s->number + node->index[value];
		if (node->condition->next[value] != CONDITION_NONE) {
			steps[depth++] = (struct step){
			    node->condition->next[value], 0, number };
		} else if (finder_has_way(f, first + number)) {
			memcpy(rows + size * n, way, n);
			if (f->release < RELEASE_BITS_ORDER)
				number = size;
			list[size] = (struct number_sort_item){
			    (uint64_t)value << 63 | number, (uint32_t)size };
			size++;
			d->false_ways += value == 0;
		}
	}
	f->failed = !number_sort(list, size);
	for (size_t i = 0; i < size; i++)
		memcpy(out + i * n, rows + list[i].item * n, n);
	d->outcomes = out;
	d->ways = count;
out:
	free(rows);
	free(list);
	free(way);
	free(steps);
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
	uint64_t ways = 0, end = o->decision->bitmap;
	enum prof_status status = PROF_OK;

	d.conditions = arena_array(f->arena, o->size, sizeof(*d.conditions));
	f->failed = nodes == NULL || d.conditions == NULL;
	for (size_t i = 0; i < o->size && status == PROF_OK && !f->failed;
	    i++) {
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
	if (status == PROF_OK && !f->failed && (!graph_number(f, nodes,
	    o->size, &ways) || ways > end || (f->bitmap.data != NULL &&
	    end > (uint64_t)f->bitmap.size * 8)))
		status = err_set(err, PROF_E_CORRUPT, "a decision of %zu "
		    "conditions and bitmap index %llu", o->size, ull(end));
	if (status == PROF_OK && !f->failed && f->bitmap.data != NULL)
		status = decision_collect(f, &d, nodes, end - ways, ways, err);
	if (status == PROF_OK && !f->failed) {
		decision_find_pairs(&d);
		f->failed = !ARRAY_ADD(f->found, f->found_size, f->found_room,
		    d);
	}
	free(nodes);
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
    struct prof_span bitmap, unsigned release, struct arena *a,
    struct cover_function *out, struct prof_error *err)
{
	struct finder f = { .arena = a, .bitmap = bitmap, .release = release };
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
