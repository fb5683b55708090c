/* cmd/show/heap.c - which sites and callers prof-show --heap prints */
#include "config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "cmd/show/show.h"

/* What a line of the output stands for; node 0 is the site itself. */
struct shown_line {
	uint64_t value;			/* by which lines are chosen */
	size_t site, node;		/* indices, of a site and in its tree */
	size_t depth;			/* of the site: 0 */
};

/*
 * The lines with the largest values, of which ties go to the first.  A caller
 * has no larger value than its own caller has, so that the chosen lines are
 * trees.
 *
 * All lines are added, then heap_choice_end is called, then each is asked for:
 * so that memory does not grow with the lines but with the limit.
 */
struct heap_choice {
	/* Set by the caller. */
	size_t depth;			/* the deepest callers; SIZE_MAX: all */
	double min_share;		/* percent of the total; 0: any */
	double total;			/* value of the profile */
	size_t limit;			/* lines; SIZE_MAX: all */

	struct shown_line *lines;
	size_t size, room;
};

static int
compare_lines(const void *a, const void *b)
{
	const struct shown_line *x = a, *y = b;

	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

static bool
heap_choice_admits(const struct heap_choice *c, const struct shown_line *l)
{
	return l->depth <= c->depth && (c->total < 1 ||
	    100 * (double)l->value / c->total >= c->min_share);
}

static void
heap_choice_cut(struct heap_choice *c)
{
	if (c->size != 0)
		qsort(c->lines, c->size, sizeof(*c->lines), compare_lines);
	if (c->size > c->limit)
		c->size = c->limit;
}

/* False if out of memory. */
static bool
heap_choice_add(struct heap_choice *c, const struct shown_line *l)
{
	if (c->limit == SIZE_MAX || !heap_choice_admits(c, l))
		return true;
	if (c->size / 2 >= c->limit)
		heap_choice_cut(c);
	return ARRAY_ADD(c->lines, c->size, c->room, *l);
}

static void
heap_choice_end(struct heap_choice *c)
{
	if (c->size != 0)
		heap_choice_cut(c);
}

static bool
heap_choice_has(const struct heap_choice *c, const struct shown_line *l)
{
	return heap_choice_admits(c, l) && (c->size < c->limit ||
	    compare_lines(l, &c->lines[c->size - 1]) <= 0);
}

static void
heap_choice_free(struct heap_choice *c)
{
	free(c->lines);
}

/* prof-show --heap: the order of the parts. */

enum { FLUSH_SIZE = 65536 };

/*
 * Lines of sites and callers in a pipe; and the lines behind them, which say
 * how many are left out.
 */
enum { PIPE_LINES = 40, LAST_LINES = 2 };

struct heap_printer {
	struct show_heap *s;
	struct heap_choice choice;
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

static struct shown_line
line_of_site(const struct show_heap *s, size_t site)
{
	return (struct shown_line){ .site = site,
	    .value = s->sites.sites[site].figures.values[s->style->by] };
}

static struct shown_line
line_of_caller(const struct show_heap *s, size_t site,
    const struct heap_callers *tree, size_t node)
{
	const struct heap_caller *c = &tree->callers[node];

	return (struct shown_line){ .site = site, .node = node,
	    .depth = c->depth, .value = c->figures.values[s->style->by] };
}

/* Prints the callers that are chosen, the callers of a site. */
static enum prof_status
print_tree(struct heap_printer *w, size_t site,
    const struct heap_callers *tree, struct prof_error *err)
{
	const struct show_heap *s = w->s;
	enum prof_status status = PROF_OK;
	size_t *levels = calloc(tree->size + 1, sizeof(*levels));

	if (levels == NULL)
		return err_memory(err);
	w->left_out += tree->deeper;
	/* The first caller of the tree is the site itself. */
	for (size_t i = 1; status == PROF_OK && i < tree->size; i++) {
		const struct shown_line line = line_of_caller(s, site, tree, i);
		size_t parent = tree->callers[i].parent;
		bool among = tree->callers[parent].children > 1;

		levels[i] = levels[parent] + among;
		if (!heap_choice_has(&w->choice, &line)) {
			w->left_out++;
			continue;
		}
		w->face->caller(s, &tree->callers[i], levels[i], among);
		status = heap_printer_flush(w, err);
	}
	free(levels);
	return status;
}

typedef enum prof_status tree_function(struct heap_printer *, size_t site,
    const struct heap_callers *, struct prof_error *);

/* Makes the tree of a site's callers for a function. */
static enum prof_status
with_tree(struct heap_printer *w, size_t site, tree_function *function,
    struct prof_error *err)
{
	const struct show_heap *s = w->s;
	const struct heap_callers_options o = { .by = s->style->by,
	    .hot = s->style->hot, .depth = s->style->depth };
	struct heap_callers tree;
	enum prof_status status;

	if (heap_callers_make(&tree, &s->heap, &s->sites.sites[site], &o))
		status = function(w, site, &tree, err);
	else
		status = err_memory(err);
	heap_callers_free(&tree);
	return status;
}

static enum prof_status
print_heap_site(struct heap_printer *w, size_t n, struct prof_error *err)
{
	const struct show_heap *s = w->s;
	const struct heap_site *site = &s->sites.sites[n];
	enum prof_status status = PROF_OK;

	w->face->site(s, site);
	if (s->style->callers)
		status = with_tree(w, n, print_tree, err);
	if (!s->style->stacks && !s->style->histograms)
		return status;
	for (size_t i = 0; status == PROF_OK && i < site->size; i++) {
		w->face->context(s, &s->heap.contexts[site->contexts[i]]);
		status = heap_printer_flush(w, err);
	}
	return status;
}

static size_t
count_top_sites(const struct show_heap *s)
{
	size_t top = s->style->top;

	return top == 0 || top > s->sites.size ? s->sites.size : top;
}

static enum prof_status
add_tree(struct heap_printer *w, size_t site, const struct heap_callers *tree,
    struct prof_error *err)
{
	for (size_t i = 1; i < tree->size; i++) {
		const struct shown_line line = line_of_caller(w->s, site, tree,
		    i);

		if (!heap_choice_add(&w->choice, &line))
			return err_memory(err);
	}
	return PROF_OK;
}

static enum prof_status
choose_lines(struct heap_printer *w, struct prof_error *err)
{
	const struct show_heap *s = w->s;
	const struct show_heap_style *style = s->style;
	enum prof_status status = PROF_OK;

	w->choice = (struct heap_choice){ .depth = style->depth,
	    .min_share = style->min_share,
	    .total = (double)s->figures.values[style->by],
	    .limit = SIZE_MAX };
	if (style->fits)
		w->choice.limit = terminal_rows(style->terminal, LAST_LINES +
		    terminal_count_lines(s->text, 0), PIPE_LINES);
	if (w->choice.limit == SIZE_MAX)
		return PROF_OK;
	for (size_t i = 0; status == PROF_OK && i < count_top_sites(s); i++) {
		const struct shown_line line = line_of_site(s, i);

		if (!heap_choice_add(&w->choice, &line))
			return err_memory(err);
		if (style->callers)
			status = with_tree(w, i, add_tree, err);
	}
	heap_choice_end(&w->choice);
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

/* Sites are sorted by value: those that are chosen stand first. */
static enum prof_status
print_sites(struct heap_printer *w, struct prof_error *err)
{
	enum prof_status status = choose_lines(w, err);
	const size_t top = count_top_sites(w->s);
	size_t i;

	for (i = 0; status == PROF_OK && i < top; i++) {
		const struct shown_line line = line_of_site(w->s, i);

		if (!heap_choice_has(&w->choice, &line))
			break;
		status = print_heap_site(w, i, err);
	}
	if (status != PROF_OK)
		return status;
	print_other_sites(w, i);
	if (w->left_out != 0)
		w->face->left_out(w->s, w->left_out);
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
	heap_choice_free(&w.choice);
	heap_sites_free(&s->sites);
	return status == PROF_OK ? flush(arg, err) : status;
}
