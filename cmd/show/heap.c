/* cmd/show/heap.c - which sites and callers prof-show --heap prints */
#include "config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "cmd/show/show.h"

enum { FLUSH_SIZE = 65536 };

struct heap_printer {
	struct show_heap *s;
	size_t left_out;		/* callers of sites that are printed */
	const struct show_heap_face *face;
	show_flush *flush;
	void *arg;
};

static enum prof_status
heap_printer_flush(const struct heap_printer *w, struct prof_error *err)
{
	return w->s->text->size < FLUSH_SIZE ? PROF_OK : w->flush(w->arg, err);
}

/* Prints the callers of a site that have the least share of the total. */
static enum prof_status
print_tree(struct heap_printer *w, const struct heap_callers *tree,
    struct prof_error *err)
{
	const struct show_heap *s = w->s;
	const double total = (double)s->figures.values[s->style->by];
	enum prof_status status = PROF_OK;
	size_t *levels = calloc(tree->size + 1, sizeof(*levels));

	if (levels == NULL)
		return err_memory(err);
	w->left_out += tree->deeper;
	/* The first caller of the tree is the site itself. */
	for (size_t i = 1; status == PROF_OK && i < tree->size; i++) {
		const struct heap_caller *c = &tree->callers[i];
		bool among = tree->callers[c->parent].children > 1;

		levels[i] = levels[c->parent] + among;
		if (total >= 1 && 100 * (double)c->figures.values[s->style->by]
		    / total < s->style->min_share) {
			w->left_out++;
			continue;
		}
		w->face->caller(s, c, levels[i], among);
		status = heap_printer_flush(w, err);
	}
	free(levels);
	return status;
}

static enum prof_status
print_callers(struct heap_printer *w, const struct heap_site *site,
    struct prof_error *err)
{
	const struct show_heap *s = w->s;
	const struct heap_callers_options o = { .by = s->style->by,
	    .hot = s->style->hot, .depth = s->style->depth };
	struct heap_callers tree;
	enum prof_status status = heap_callers_make(&tree, &s->heap, site,
	    &o) ? print_tree(w, &tree, err) : err_memory(err);

	heap_callers_free(&tree);
	return status;
}

static enum prof_status
print_heap_site(struct heap_printer *w, const struct heap_site *site,
    struct prof_error *err)
{
	const struct show_heap *s = w->s;
	enum prof_status status = PROF_OK;

	w->face->site(s, site);
	if (s->style->callers)
		status = print_callers(w, site, err);
	if (!s->style->stacks && !s->style->histograms)
		return status;
	for (size_t i = 0; status == PROF_OK && i < site->size; i++) {
		w->face->context(s, &s->heap.contexts[site->contexts[i]]);
		status = heap_printer_flush(w, err);
	}
	return status;
}

/* The sites from `first` on, which are not printed. */
static void
print_other_sites(const struct heap_printer *w, size_t first)
{
	const struct show_heap *s = w->s;
	struct heap_figures rest = { .contexts = 0 };

	for (size_t i = first; i < s->sites.size; i++) {
		const struct heap_site *site = &s->sites.sites[i];

		for (size_t k = 0; k < site->size; k++)
			heap_figures_add(&rest,
			    &s->heap.contexts[site->contexts[k]],
			    s->style->hot);
	}
	if (first < s->sites.size)
		w->face->others(s, &rest, s->sites.size - first);
}

static enum prof_status
print_sites(struct heap_printer *w, struct prof_error *err)
{
	const struct show_heap *s = w->s;
	const size_t top = s->style->top == 0 ||
	    s->style->top > s->sites.size ? s->sites.size : s->style->top;
	enum prof_status status = PROF_OK;

	for (size_t i = 0; status == PROF_OK && i < top; i++)
		status = print_heap_site(w, &s->sites.sites[i], err);
	if (status != PROF_OK)
		return status;
	print_other_sites(w, top);
	if (w->left_out != 0)
		w->face->left_out(s, w->left_out);
	return PROF_OK;
}

enum prof_status
show_heap(struct show_heap *s, const struct show_heap_face *face,
    show_flush *flush, void *arg, struct prof_error *err)
{
	struct heap_printer w = { .s = s, .face = face, .flush = flush,
	    .arg = arg };
	enum prof_status status;

	s->figures = heap_figures_of(&s->heap, s->style->hot);
	if (!heap_sites_make(&s->sites, &s->heap, s->style->by,
	    s->style->hot)) {
		heap_sites_free(&s->sites);
		return err_memory(err);
	}
	face->summary(s);
	status = print_sites(&w, err);
	heap_sites_free(&s->sites);
	return status == PROF_OK ? flush(arg, err) : status;
}
