#include "config.h"

#include "ops/order/order.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/bytes.h"
#include "base/error.h"
#include "model/symtab.h"
#include "model/value_sites.h"
#include "ops/order/graph.h"

enum { FUNCTIONS_ON_A_PAGE = 32 };

struct order {
	struct arena names;
	struct symtab in_profile, in_traces;
	uint64_t *entered;		/* guids of all traces */
	size_t entered_size, entered_room;
	struct order_trace *traces;
	size_t trace_count, trace_room;

	/* Of order_run: nodes are the functions in the traces it uses. */
	size_t used;			/* traces */
	struct symtab nodes;		/* by least place, then guid */
	uint32_t *order;		/* result: numbers of nodes */
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
	symtab_free(&o->nodes);
	arena_free(&o->names);
	free(o->entered);
	free(o->traces);
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

static bool
order_add_trace(struct order *o, const struct prof_trace *t)
{
	if (!ARRAY_RESERVE(o->entered, o->entered_size, t->size,
	    o->entered_room) || !ARRAY_ADD(o->traces, o->trace_count,
	    o->trace_room, (struct order_trace){ o->entered_size, t->size }))
		return false;
	for (size_t i = 0; i < t->size; i++) {
		const struct prof_symbol *s = &t->functions[i];

		o->entered[o->entered_size++] = prof_symbol_guid(s);
		if (!order_add_symbol(o, &o->in_traces, s))
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
 * Appends a struct first to firsts for each function of the used traces, and
 * its guid to seen, under the same number.  A guid of 0 is an external symbol.
 */
static bool
order_find_firsts(const struct order *o, struct symtab *seen,
    struct buf *firsts)
{
	const struct prof_span none = { NULL, 0 };

	for (size_t i = 0; i < o->used; i++) {
		const struct order_trace *t = &o->traces[i];

		for (size_t k = 0; k < t->size; k++) {
			struct first f = { o->entered[t->first + k], k };
			size_t at = symtab_find(seen, f.guid, NULL);
			struct first *known = (void *)firsts->data;

			if (f.guid == 0)
				continue;
			if (at != SYMTAB_NONE) {
				if (k < known[at].place)
					known[at].place = k;
				continue;
			}
			buf_put(firsts, &f, sizeof(f));
			if (firsts->failed || !symtab_add(seen, none, f.guid))
				return false;
		}
	}
	return true;
}

static bool
order_number_nodes(struct order *o)
{
	const struct prof_span none = { NULL, 0 };
	struct symtab seen = { 0 };
	struct buf firsts = { 0 };
	bool done = order_find_firsts(o, &seen, &firsts);
	struct first *f = (void *)firsts.data;

	if (done && seen.size != 0)
		qsort(f, seen.size, sizeof(*f), order_by_place);
	for (size_t i = 0; done && i < seen.size; i++)
		done = symtab_add(&o->nodes, none, f[i].guid);
	symtab_free(&seen);
	buf_free(&firsts);
	return done;
}

static bool
order_find(struct order *o, enum partition_rule rule)
{
	struct order_graph g = { 0 };
	bool done = false;

	if (order_number_nodes(o))
		o->order = calloc(o->nodes.size + 1, sizeof(*o->order));
	if (o->order != NULL)
		done = order_graph_build(&g, &o->nodes, o->entered, o->traces,
		    o->used) && partition(rule, g.nodes,
		    (uint32_t)o->nodes.size, g.group_count, o->order);
	order_graph_free(&g);
	return done;
}

enum prof_status
order_run(struct order *o, size_t test_traces, enum partition_rule rule,
    struct prof_error *err)
{
	o->used = o->trace_count - test_traces;
	symtab_free(&o->nodes);
	free(o->order);
	o->order = NULL;
	return order_find(o, rule) ? PROF_OK : err_memory(err);
}

size_t
order_size(const struct order *o)
{
	return o->nodes.size;
}

struct order_function
order_get(const struct order *o, size_t place)
{
	uint64_t guid = o->nodes.symbols[o->order[place]].guid;
	struct prof_span name = symtab_name(&o->in_profile, guid);
	bool in_profile = name.data != NULL;

	if (!in_profile)
		name = symtab_name(&o->in_traces, guid);
	return (struct order_function){ { name, guid }, in_profile };
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
			size_t node = symtab_find(&o->nodes,
			    o->entered[t->first + k], NULL);

			if (node == SYMTAB_NONE)
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
	size_t count = o->nodes.size;
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
