/* prof-show --heap: the order of the parts. */
#include "config.h"

#include <stdlib.h>

#include "base/error.h"
#include "cmd/show/heap.h"

enum { FLUSH_SIZE = 65536 };

struct heap_printer {
	struct show_heap *s;
	const struct show_heap_face *face;
	show_flush *flush;
	void *arg;
};

static enum prof_status
heap_printer_flush(const struct heap_printer *w, struct prof_error *err)
{
	return w->s->text->size < FLUSH_SIZE ? PROF_OK : w->flush(w->arg, err);
}

static enum prof_status
print_site_callers(const struct heap_printer *w, const struct heap_site *site,
    struct prof_error *err)
{
	const struct show_heap *s = w->s;
	enum prof_status status = PROF_OK;
	struct heap_callers tree;
	size_t *levels;

	if (!heap_callers_make(&tree, &s->heap, site, s->style->by,
	    s->style->hot)) {
		heap_callers_free(&tree);
		return err_memory(err);
	}
	levels = calloc(tree.size + 1, sizeof(*levels));
	if (levels == NULL)
		status = err_memory(err);
	/* The first caller of the tree is the site itself. */
	for (size_t i = 1; status == PROF_OK && i < tree.size; i++) {
		size_t parent = tree.callers[i].parent;
		bool among = tree.callers[parent].children > 1;

		levels[i] = levels[parent] + among;
		w->face->caller(s, &tree.callers[i], levels[i], among);
		status = heap_printer_flush(w, err);
	}
	free(levels);
	heap_callers_free(&tree);
	return status;
}

static enum prof_status
print_heap_site(const struct heap_printer *w, const struct heap_site *site,
    struct prof_error *err)
{
	const struct show_heap *s = w->s;
	enum prof_status status = PROF_OK;

	w->face->site(s, site);
	if (s->style->callers)
		status = print_site_callers(w, site, err);
	if (!s->style->stacks && !s->style->histograms)
		return status;
	for (size_t i = 0; status == PROF_OK && i < site->size; i++) {
		w->face->context(s, &s->heap.contexts[site->contexts[i]]);
		status = heap_printer_flush(w, err);
	}
	return status;
}

static size_t
count_shown_sites(const struct show_heap *s)
{
	size_t top = s->style->top;

	return top == 0 || top > s->sites.size ? s->sites.size : top;
}

static void
print_other_sites(const struct heap_printer *w)
{
	const struct show_heap *s = w->s;
	size_t shown = count_shown_sites(s);
	struct heap_figures rest = { .contexts = 0 };

	for (size_t i = shown; i < s->sites.size; i++) {
		const struct heap_site *site = &s->sites.sites[i];

		for (size_t k = 0; k < site->size; k++)
			heap_figures_add(&rest,
			    &s->heap.contexts[site->contexts[k]],
			    s->style->hot);
	}
	if (shown < s->sites.size)
		w->face->others(s, &rest, s->sites.size - shown);
}

enum prof_status
show_heap(struct show_heap *s, const struct show_heap_face *face,
    show_flush *flush, void *arg, struct prof_error *err)
{
	struct heap_printer w = { s, face, flush, arg };
	enum prof_status status = PROF_OK;

	s->figures = (struct heap_figures){ .contexts = 0 };
	for (size_t i = 0; i < s->heap.contexts_size; i++)
		heap_figures_add(&s->figures, &s->heap.contexts[i],
		    s->style->hot);
	if (!heap_sites_make(&s->sites, &s->heap, s->style->by,
	    s->style->hot)) {
		heap_sites_free(&s->sites);
		return err_memory(err);
	}
	face->summary(s);
	for (size_t i = 0; status == PROF_OK && i < count_shown_sites(s); i++)
		status = print_heap_site(&w, &s->sites.sites[i], err);
	if (status == PROF_OK)
		print_other_sites(&w);
	heap_sites_free(&s->sites);
	return status == PROF_OK ? flush(arg, err) : status;
}
