/*
 * Totals over contexts, sites and callers.  Sorted by site, a site is a run of
 * contexts; sorted by frames, contexts that share callers are neighbours, so
 * that each adds only the nodes that its predecessor lacks.
 */
#include "ops/heap/view.h"

#include <stdlib.h>
#include <string.h>

#include "model/mib.h"

/*
 * Defaults of the options -memprof-lifetime-access-density-cold-threshold,
 * -memprof-ave-lifetime-cold-threshold (200 s, here in ms) and
 * -memprof-min-ave-lifetime-access-density-hot-threshold in MemProfCommon.cpp.
 */
static const float cold_density = 0.05f, cold_lifetime = 200 * 1000,
    hot_density = 1000;

/*
 * Densities are stored times 100.  LLVM computes in single precision; the casts
 * round so on hosts that compute with more bits.
 */
enum heap_class
heap_classify(const struct prof_mib *m, bool hot)
{
	float allocs = (float)m->value[PROF_MIB_ALLOC_COUNT];
	float density, lifetime;

	if (!mib_has(m, PROF_MIB_ALLOC_COUNT) ||
	    !mib_has(m, PROF_MIB_TOTAL_LIFETIME) ||
	    !mib_has(m, PROF_MIB_TOTAL_LIFETIME_ACCESS_DENSITY))
		return HEAP_UNKNOWN;
	if (m->value[PROF_MIB_ALLOC_COUNT] == 0)
		return HEAP_WARM;
	density = (float)
	    ((float)m->value[PROF_MIB_TOTAL_LIFETIME_ACCESS_DENSITY] / allocs);
	density = (float)(density / 100);
	lifetime = (float)((float)m->value[PROF_MIB_TOTAL_LIFETIME] / allocs);
	if (density < cold_density && lifetime >= cold_lifetime)
		return HEAP_COLD;
	return hot && density > hot_density ? HEAP_HOT : HEAP_WARM;
}

void
heap_figures_add(struct heap_figures *g, const struct heap_context *c,
    bool hot)
{
	enum heap_class class = heap_classify(&c->info, hot);
	uint64_t bytes = c->info.value[PROF_MIB_TOTAL_SIZE];

	g->contexts++;
	for (int i = 0; i < HEAP_VALUES; i++) {
		g->values[i] = saturating_add(g->values[i],
		    c->info.value[heap_fields[i]]);
		g->known[i] = g->known[i] || mib_has(&c->info, heap_fields[i]);
	}
	g->class_contexts[class]++;
	g->class_bytes[class] = saturating_add(g->class_bytes[class], bytes);
	if (bytes > g->class_max[class])
		g->class_max[class] = bytes;
}

struct heap_figures
heap_figures_of(const struct heap *h, bool hot)
{
	struct heap_figures g = { .contexts = 0 };

	for (size_t i = 0; i < h->contexts_size; i++)
		heap_figures_add(&g, &h->contexts[i], hot);
	return g;
}

double
heap_average_lifetime(const struct heap_figures *g)
{
	if (g->values[HEAP_COUNT] == 0)
		return 0;
	return (double)g->values[HEAP_LIFETIME] /
	    (double)g->values[HEAP_COUNT];
}

/* A context to be sorted by site, then value, then index. */
struct site_context {
	uint32_t site, context;
	uint64_t value;
};

static int
sites_by_frame(const void *a, const void *b)
{
	const struct site_context *x = a, *y = b;

	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	return x->context < y->context ? -1 : x->context > y->context;
}

/* Frames are numbered in the order of the profile, which breaks ties. */
static int
sites_by_value(const void *a, const void *b)
{
	const struct heap_site *x = a, *y = b;

	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	return x->frame < y->frame ? -1 : x->frame > y->frame;
}

static struct site_context *
sites_sort_contexts(const struct heap *h, enum heap_value by)
{
	struct site_context *list = calloc(h->contexts_size + 1, sizeof(*list));

	for (size_t i = 0; list != NULL && i < h->contexts_size; i++) {
		const struct heap_context *c = &h->contexts[i];

		list[i] = (struct site_context){
		    .site = c->size == 0 ? HEAP_NO_FRAME : c->frames[c->site],
		    .context = (uint32_t)i,
		    .value = c->info.value[heap_fields[by]] };
	}
	if (list != NULL)
		qsort(list, h->contexts_size, sizeof(*list), sites_by_frame);
	return list;
}

bool
heap_sites_make(struct heap_sites *s, const struct heap *h,
    enum heap_value by, bool hot)
{
	const size_t n = h->contexts_size;
	struct site_context *list = sites_sort_contexts(h, by);
	struct heap_site *site = NULL;

	*s = (struct heap_sites){ .size = 0 };
	s->contexts = calloc(n + 1, sizeof(*s->contexts));
	s->sites = calloc(n + 1, sizeof(*s->sites));
	if (list == NULL || s->contexts == NULL || s->sites == NULL) {
		free(list);
		return false;
	}
	/* Each run of contexts with one frame is a site. */
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || list[i].site != list[i - 1].site) {
			site = &s->sites[s->size++];
			site->frame = list[i].site;
			site->contexts = s->contexts + i;
		}
		s->contexts[i] = list[i].context;
		site->size++;
		heap_figures_add(&site->figures,
		    &h->contexts[list[i].context], hot);
		site->value = site->figures.values[by];
	}
	qsort(s->sites, s->size, sizeof(*s->sites), sites_by_value);
	free(list);
	return true;
}

void
heap_sites_free(struct heap_sites *s)
{
	free(s->sites);
	free(s->contexts);
}

/* The frames of a context from its site to the root. */
struct caller_path {
	const uint32_t *frames;
	size_t size;
	const struct heap_context *context;
};

static int
callers_by_frames(const void *a, const void *b)
{
	const struct caller_path *x = a, *y = b;
	size_t n = x->size < y->size ? x->size : y->size;

	for (size_t i = 0; i < n; i++) {
		if (x->frames[i] != y->frames[i])
			return x->frames[i] < y->frames[i] ? -1 : 1;
	}
	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	return x->context < y->context ? -1 : x->context > y->context;
}

static struct caller_path *
callers_sort_paths(const struct heap *h, const struct heap_site *s)
{
	struct caller_path *paths = calloc(s->size + 1, sizeof(*paths));

	for (size_t i = 0; paths != NULL && i < s->size; i++) {
		const struct heap_context *c = &h->contexts[s->contexts[i]];

		paths[i].context = c;
		if (c->size == 0)
			continue;
		paths[i].frames = c->frames + c->site;
		paths[i].size = c->size - c->site;
	}
	if (paths != NULL)
		qsort(paths, s->size, sizeof(*paths), callers_by_frames);
	return paths;
}

/* How many frames both paths begin with. */
static size_t
callers_common_size(const struct caller_path *a, const struct caller_path *b)
{
	size_t n = 0;

	while (n < a->size && n < b->size && a->frames[n] == b->frames[n])
		n++;
	return n;
}

/*
 * Number of nodes of the tree, or SIZE_MAX if it overflows; *deepest is the
 * size of the longest path.
 */
static size_t
callers_count_nodes(const struct caller_path *paths, size_t size,
    size_t *deepest)
{
	size_t nodes = 0;

	*deepest = 0;
	for (size_t i = 0; i < size; i++) {
		size_t shared = i == 0 ? 0 : callers_common_size(&paths[i - 1],
		    &paths[i]);

		if (__builtin_add_overflow(nodes, paths[i].size - shared,
		    &nodes))
			return SIZE_MAX;
		if (paths[i].size > *deepest)
			*deepest = paths[i].size;
	}
	return nodes;
}

/* Cuts the paths: frames behind the depth get no nodes. */
static void
callers_cut_paths(struct caller_path *paths, size_t size, size_t depth)
{
	for (size_t i = 0; i < size; i++) {
		if (paths[i].size > depth)
			paths[i].size = depth + 1;
	}
}

/* A node to be sorted by parent, then value, then frame. */
struct caller_key {
	uint64_t value;
	size_t parent, node;
	uint32_t frame;
};

static int
callers_by_parent(const void *a, const void *b)
{
	const struct caller_key *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	return x->frame < y->frame ? -1 : x->frame > y->frame;
}

/*
 * Makes the nodes in the order of the paths, and adds each context to all nodes
 * of its path.  line[d] is the node at depth d of the path at hand.
 */
static void
callers_build(struct heap_caller *nodes, size_t *line,
    const struct caller_path *paths, size_t size, bool hot)
{
	size_t count = 0;

	for (size_t i = 0; i < size; i++) {
		const struct caller_path *p = &paths[i];
		size_t d = i == 0 ? 0 : callers_common_size(&paths[i - 1], p);

		for (; d < p->size; d++) {
			nodes[count] = (struct heap_caller){
			    .frame = p->frames[d], .depth = d,
			    .parent = d == 0 ? SIZE_MAX : line[d - 1] };
			if (d != 0)
				nodes[line[d - 1]].children++;
			line[d] = count++;
		}
		for (d = 0; d < p->size; d++)
			heap_figures_add(&nodes[line[d]].figures,
			    p->context, hot);
	}
}

/*
 * Copies the nodes so that siblings are sorted by value, depth first.  It keeps
 * a stack of its own instead of recursing: a path may have a million frames.
 */
static bool
callers_sort_nodes(struct heap_callers *out, const struct heap_caller *nodes,
    size_t size, enum heap_value by)
{
	struct caller_key *keys = calloc(size + 1, sizeof(*keys));
	size_t *first = calloc(size + 1, sizeof(*first));
	size_t *todo = calloc(size + 1, sizeof(*todo)), *at = NULL;
	size_t open = 0;

	at = calloc(size + 1, sizeof(*at));
	out->callers = calloc(size + 1, sizeof(*out->callers));
	if (keys == NULL || first == NULL || todo == NULL || at == NULL ||
	    out->callers == NULL)
		goto out;
	for (size_t i = 0; i < size; i++)
		keys[i] = (struct caller_key){ nodes[i].figures.values[by],
		    nodes[i].parent, i, nodes[i].frame };
	qsort(keys, size, sizeof(*keys), callers_by_parent);
	for (size_t i = size; i-- > 0;) {
		if (keys[i].parent != SIZE_MAX)
			first[keys[i].parent] = i;
		else
			todo[open++] = keys[i].node;
	}
	while (open > 0) {
		size_t n = todo[--open];
		struct heap_caller *c = &out->callers[out->size];

		*c = nodes[n];
		if (c->parent != SIZE_MAX)
			c->parent = at[c->parent];
		at[n] = out->size++;
		for (size_t i = c->children; i-- > 0;)
			todo[open++] = keys[first[n] + i].node;
	}
out:
	free(keys);
	free(first);
	free(todo);
	free(at);
	return out->size == size;
}

bool
heap_callers_make(struct heap_callers *out, const struct heap *h,
    const struct heap_site *s, const struct heap_callers_options *o)
{
	struct caller_path *paths = callers_sort_paths(h, s);
	struct heap_caller *nodes = NULL;
	size_t all, size, deepest, *line = NULL;
	bool ok = false;

	*out = (struct heap_callers){ .size = 0 };
	if (paths == NULL)
		return false;
	all = callers_count_nodes(paths, s->size, &deepest);
	callers_cut_paths(paths, s->size, o->depth);
	size = callers_count_nodes(paths, s->size, &deepest);
	out->deeper = all - size;
	if (all < SIZE_MAX) {
		nodes = calloc(size + 1, sizeof(*nodes));
		line = calloc(deepest + 1, sizeof(*line));
	}
	if (nodes != NULL && line != NULL) {
		callers_build(nodes, line, paths, s->size, o->hot);
		ok = callers_sort_nodes(out, nodes, size, o->by);
	}
	free(paths);
	free(nodes);
	free(line);
	return ok;
}

void
heap_callers_free(struct heap_callers *c)
{
	free(c->callers);
}
