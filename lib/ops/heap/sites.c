/* Groups contexts by site: sorted by site, a site is a run of contexts. */
#include "ops/heap/view.h"

#include <stdlib.h>

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

/* A site to be sorted by value. */
struct site_entry {
	uint64_t value;
	struct heap_site site;
};

/* Frames are numbered in the order of the profile, which breaks ties. */
static int
sites_by_value(const void *a, const void *b)
{
	const struct site_entry *x = a, *y = b;

	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	return x->site.frame < y->site.frame ? -1 :
	    x->site.frame > y->site.frame;
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

/* Makes an entry of each run of contexts with one site; gives their number. */
static size_t
sites_group(struct site_entry *entries, const struct site_context *list,
    uint32_t *contexts, const struct heap *h, bool hot)
{
	struct site_entry *p = entries - 1;

	for (size_t i = 0; i < h->contexts_size; i++) {
		if (i == 0 || list[i].site != list[i - 1].site) {
			*++p = (struct site_entry){ .site = {
			    .frame = list[i].site,
			    .contexts = contexts + i } };
		}
		contexts[i] = list[i].context;
		p->site.size++;
		heap_figures_add(&p->site.figures,
		    &h->contexts[list[i].context], hot);
	}
	return (size_t)(p + 1 - entries);
}

bool
heap_sites_make(struct heap_sites *s, const struct heap *h,
    enum heap_value by, bool hot)
{
	struct site_context *list = sites_sort_contexts(h, by);
	struct site_entry *entries = calloc(h->contexts_size + 1,
	    sizeof(*entries));

	*s = (struct heap_sites){ .size = 0 };
	s->contexts = calloc(h->contexts_size + 1, sizeof(*s->contexts));
	if (list != NULL && entries != NULL && s->contexts != NULL) {
		s->size = sites_group(entries, list, s->contexts, h, hot);
		for (size_t i = 0; i < s->size; i++)
			entries[i].value =
			    entries[i].site.figures.values[by];
		qsort(entries, s->size, sizeof(*entries), sites_by_value);
		s->sites = calloc(s->size + 1, sizeof(*s->sites));
	}
	for (size_t i = 0; s->sites != NULL && i < s->size; i++)
		s->sites[i] = entries[i].site;
	free(list);
	free(entries);
	return s->sites != NULL;
}

void
heap_sites_free(struct heap_sites *s)
{
	free(s->sites);
	free(s->contexts);
}
