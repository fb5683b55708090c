#include "config.h"

#include "ops/order/order.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
#include "model/symtab.h"
#include "model/value_sites.h"
#include "ops/order/partition.h"

#define ORDER_NO_NODE UINT32_MAX

struct order_trace {
	size_t first, size;		/* range in what all traces enter */
};

/* All zero is empty. */
struct order_graph {
	struct partition_node *nodes;
	uint32_t *groups;		/* those of all nodes */
	uint32_t group_count;
};

/* A function in a trace: it is in the groups from first to last. */
struct visit {
	uint32_t node, first, last;
};

/*
 * How many groups of a trace end before a place, from 0, in it: 0, 1, 2, 2, 3,
 * 3, 3, 3, 4 and so on.
 */
static uint32_t
graph_groups_before(size_t place)
{
	uint32_t n = 0;

	for (; place != 0; place /= 2)
		n++;
	return n;
}

/* Number of the last group of a trace, from 0; each trace has one. */
static uint32_t
graph_last_group(const struct order_trace *t)
{
	return t->size == 0 ? 0 : graph_groups_before(t->size - 1);
}

enum { FUNCTIONS_ON_A_PAGE = 32 };

struct order {
	struct arena names;
	struct guid_cache guids;	/* of names in traces */
	struct symtab in_profile;
	struct symtab in_traces;	/* all that traces enter; they give */
					/* functions their numbers */
	uint32_t *entered;		/* by all traces */
	size_t entered_size, entered_room;
	struct order_trace *traces;
	size_t trace_count, trace_room;

	/* Of order_run: nodes are the functions in the traces it uses. */
	size_t used;			/* traces */
	uint32_t *nodes;		/* of numbers, or ORDER_NO_NODE */
	uint32_t *numbers;		/* of nodes, by place, then guid */
	uint32_t node_count;
	uint32_t *order;		/* result: nodes */
};

struct order *
order_new(void)
{
	return calloc(1, sizeof(struct order));
}

void
order_free(struct order *o)
{
	if (o == NULL)
		return;
	symtab_free(&o->in_profile);
	symtab_free(&o->in_traces);
	guid_cache_free(&o->guids);
	arena_free(&o->names);
	free(o->entered);
	free(o->traces);
	free(o->nodes);
	free(o->numbers);
	free(o->order);
	free(o);
}

/* Adds a name to a table that lacks its guid.  False: out of memory. */
static bool
order_add_name(struct order *o, struct symtab *t, struct prof_span name,
    uint64_t guid)
{
	return name.data == NULL || symtab_keep(t, &o->names, name, guid);
}

static bool
order_add_symbol(struct order *o, struct symtab *t, const struct prof_symbol *s)
{
	return order_add_name(o, t, s->name, prof_symbol_guid(s));
}

/* Names of value targets count: LLVM's symbol table has them, too. */
static bool
order_add_function(struct order *o, const struct prof_function *f)
{
	struct value_walk walk = { 0 };
	const struct prof_value *v;

	if (!order_add_symbol(o, &o->in_profile, &f->symbol))
		return false;
	while ((v = value_next_target(&walk, f->values)) != NULL) {
		if (!order_add_name(o, &o->in_profile, v->name, v->value))
			return false;
	}
	return true;
}

static uint64_t
order_guid(struct order *o, const struct prof_symbol *s)
{
	return s->guid != 0 || s->name.data == NULL ? s->guid :
	    guid_cache_of(&o->guids, s->name);
}

/* Appends what a trace enters; the name may become known later. */
static bool
order_enter(struct order *o, const struct prof_symbol *s, size_t *hint)
{
	const struct prof_span none = { NULL, 0 };
	struct symtab *t = &o->in_traces;
	uint64_t guid = order_guid(o, s);
	size_t at = symtab_find(t, guid, hint);

	if (at == SYMTAB_NONE) {
		at = t->size;
		if (!symtab_add(t, none, guid))
			return false;
	}
	if (t->symbols[at].name.data == NULL && s->name.data != NULL) {
		struct prof_span name = s->name;

		if (!arena_keep(&o->names, &name))
			return false;
		t->symbols[at].name = name;
	}
	o->entered[o->entered_size++] = (uint32_t)at;
	return true;
}

static bool
order_add_trace(struct order *o, const struct prof_trace *t)
{
	size_t hint = 0;

	if (!ARRAY_RESERVE(o->entered, o->entered_size, t->size,
	    o->entered_room) || !ARRAY_ADD(o->traces, o->trace_count,
	    o->trace_room, (struct order_trace){ o->entered_size, t->size }))
		return false;
	for (size_t i = 0; i < t->size; i++) {
		if (!order_enter(o, &t->functions[i], &hint))
			return false;
	}
	return true;
}

enum prof_status
order_add(struct order *o, const struct prof_record *r,
    struct prof_error *err)
{
	bool done = true;

	if (r->kind == PROF_REC_FUNCTION)
		done = order_add_function(o, &r->u.function);
	else if (r->kind == PROF_REC_VTABLE)
		done = order_add_symbol(o, &o->in_profile, &r->u.vtable.symbol);
	else if (r->kind == PROF_REC_TRACE)
		done = order_add_trace(o, &r->u.trace);
	return done ? PROF_OK : err_memory(err);
}

size_t
order_traces(const struct order *o)
{
	return o->trace_count;
}

/* A function and where traces enter it. */
struct first {
	uint64_t guid;
	size_t place;			/* the least of all traces */
	uint32_t number;
};

static int
order_by_place(const void *a, const void *b)
{
	const struct first *x = a, *y = b;

	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return (x->guid > y->guid) - (x->guid < y->guid);
}

/*
 * Fills a struct for each number, and moves those of functions in the used
 * traces to the front; gives how many these are.  A guid of 0 is an external
 * symbol.
 */
static uint32_t
order_find_firsts(const struct order *o, struct first *firsts)
{
	size_t count = o->in_traces.size;
	uint32_t found = 0;

	for (size_t i = 0; i < count; i++)
		firsts[i] = (struct first){ o->in_traces.symbols[i].guid,
		    SIZE_MAX, (uint32_t)i };
	for (size_t i = 0; i < o->used; i++) {
		const struct order_trace *t = &o->traces[i];

		for (size_t k = 0; k < t->size; k++) {
			struct first *f = &firsts[o->entered[t->first + k]];

			if (k < f->place)
				f->place = k;
		}
	}
	for (size_t i = 0; i < count; i++) {
		if (firsts[i].guid != 0 && firsts[i].place != SIZE_MAX)
			firsts[found++] = firsts[i];
	}
	return found;
}

static bool
order_number_nodes(struct order *o)
{
	size_t count = o->in_traces.size;
	struct first *f = reallocarray(NULL, count + 1, sizeof(*f));

	o->nodes = reallocarray(NULL, count + 1, sizeof(*o->nodes));
	o->numbers = reallocarray(NULL, count + 1, sizeof(*o->numbers));
	if (f == NULL || o->nodes == NULL || o->numbers == NULL) {
		free(f);
		return false;
	}
	o->node_count = order_find_firsts(o, f);
	qsort(f, o->node_count, sizeof(*f), order_by_place);
	for (size_t i = 0; i < count; i++)
		o->nodes[i] = ORDER_NO_NODE;
	for (uint32_t i = 0; i < o->node_count; i++) {
		o->numbers[i] = f[i].number;
		o->nodes[f[i].number] = i;
	}
	free(f);
	return true;
}

/*
 * Appends the visits of a trace, and counts the nodes of its groups.  Only the
 * first entry of a function counts.  mark is one above the number of the trace:
 * it fits 32 bits, since numbers of groups do and there are more of them.
 */
static size_t
order_visit(const struct order *o, uint32_t mark, uint32_t group,
    struct visit *visits, uint32_t *visited, uint32_t *sizes)
{
	const struct order_trace *t = &o->traces[mark - 1];
	const uint32_t last = group + graph_last_group(t);
	size_t count = 0;

	for (size_t i = 0; i < t->size; i++) {
		uint32_t node = o->nodes[o->entered[t->first + i]];
		struct visit v = { node, group + graph_groups_before(i), last };

		if (node == ORDER_NO_NODE || visited[node] == mark)
			continue;
		visited[node] = mark;
		visits[count++] = v;
		for (uint32_t k = v.first; k <= last; k++)
			sizes[k]++;
	}
	return count;
}

/* Gives each node its part of the array of groups, ascending. */
static bool
order_link_groups(const struct order *o, struct order_graph *g,
    const struct visit *visits, size_t count, uint32_t *sizes)
{
	uint32_t *groups;
	size_t links = 0;

	/* Groups of one function, or of more than half of all, do not help. */
	for (uint32_t k = 0; k < g->group_count; k++) {
		if (sizes[k] == 1 || 2 * (uint64_t)sizes[k] > o->node_count)
			sizes[k] = 0;
		links += sizes[k];
	}
	g->nodes = calloc((size_t)o->node_count + 1, sizeof(*g->nodes));
	g->groups = groups = reallocarray(NULL, links + 1, sizeof(*g->groups));
	if (g->nodes == NULL || g->groups == NULL)
		return false;
	for (size_t i = 0; i < count; i++) {
		for (uint32_t k = visits[i].first; k <= visits[i].last; k++)
			g->nodes[visits[i].node].size += sizes[k] != 0;
	}
	for (size_t i = 0; i < o->node_count; i++) {
		g->nodes[i].groups = groups;
		groups += g->nodes[i].size;
		g->nodes[i].size = 0;
	}
	for (size_t i = 0; i < count; i++) {
		struct partition_node *n = &g->nodes[visits[i].node];

		for (uint32_t k = visits[i].first; k <= visits[i].last; k++) {
			if (sizes[k] != 0)
				n->groups[n->size++] = k;
		}
	}
	return true;
}

/*
 * Finds the groups of each node.  A trace has a group of its first function, of
 * its first 2, 4, 8 and so on, up to all of them.  False if out of memory, or
 * if there are more groups than 32 bits can number.
 */
static bool
order_graph_build(const struct order *o, struct order_graph *g)
{
	size_t most = 0, count = 0;
	uint64_t groups = 0;
	uint32_t *visited, *sizes, group = 0;
	struct visit *visits;
	bool done;

	for (size_t i = 0; i < o->used; i++) {
		most += o->traces[i].size;
		groups += 1 + graph_last_group(&o->traces[i]);
	}
	if (groups >= UINT32_MAX)
		return false;
	g->group_count = (uint32_t)groups;
	visits = reallocarray(NULL, most + 1, sizeof(*visits));
	visited = calloc((size_t)o->node_count + 1, sizeof(*visited));
	sizes = calloc((size_t)g->group_count + 1, sizeof(*sizes));
	done = visits != NULL && visited != NULL && sizes != NULL;
	for (size_t i = 0; i < o->used && done; i++) {
		count += order_visit(o, (uint32_t)i + 1, group,
		    visits + count, visited, sizes);
		group += 1 + graph_last_group(&o->traces[i]);
	}
	done = done && order_link_groups(o, g, visits, count, sizes);
	free(visits);
	free(visited);
	free(sizes);
	return done;
}

static bool
order_find(struct order *o, unsigned threads)
{
	struct order_graph g = { 0 };
	bool done = false;

	if (order_number_nodes(o))
		o->order = calloc((size_t)o->node_count + 1,
		    sizeof(*o->order));
	if (o->order != NULL)
		done = order_graph_build(o, &g) && partition(threads, g.nodes,
		    o->node_count, g.group_count, o->order);
	free(g.nodes);
	free(g.groups);
	return done;
}

enum prof_status
order_run(struct order *o, size_t test_traces, unsigned threads,
    struct prof_error *err)
{
	o->used = o->trace_count - test_traces;
	free(o->nodes);
	free(o->numbers);
	free(o->order);
	o->nodes = o->numbers = o->order = NULL;
	return order_find(o, threads) ? PROF_OK : err_memory(err);
}

size_t
order_size(const struct order *o)
{
	return o->node_count;
}

struct order_function
order_get(const struct order *o, size_t place)
{
	struct prof_symbol s =
	    o->in_traces.symbols[o->numbers[o->order[place]]];
	struct prof_span name = symtab_name(&o->in_profile, s.guid);
	bool in_profile = name.data != NULL;

	if (in_profile)
		s.name = name;
	return (struct order_function){ s, in_profile };
}

/*
 * pages[node] is the page of a node; touched[page] is one above the number of
 * the last trace that touched a page.
 */
static uint64_t
order_sum_area(const struct order *o, const uint32_t *pages, size_t *touched)
{
	uint64_t area = 0;

	for (size_t i = o->used; i < o->trace_count; i++) {
		const struct order_trace *t = &o->traces[i];
		uint64_t faults = 0;

		for (size_t k = 0; k < t->size; k++) {
			uint32_t node = o->nodes[o->entered[t->first + k]];

			if (node == ORDER_NO_NODE)
				continue;
			faults += touched[pages[node]] != i + 1;
			touched[pages[node]] = i + 1;
			area += faults;
		}
	}
	return area;
}

bool
order_area(const struct order *o, uint64_t *area)
{
	size_t count = o->node_count;
	uint32_t *pages = calloc(count + 1, sizeof(*pages));
	size_t *touched = calloc(count / FUNCTIONS_ON_A_PAGE + 1,
	    sizeof(*touched));
	bool done = pages != NULL && touched != NULL;

	for (size_t i = 0; done && i < count; i++)
		pages[o->order[i]] = (uint32_t)(i / FUNCTIONS_ON_A_PAGE);
	if (done)
		*area = order_sum_area(o, pages, touched);
	free(pages);
	free(touched);
	return done;
}
