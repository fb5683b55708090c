/* prof-show - what is in a profile, for people */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "cmd/common/pipeline.h"
#include "io/output.h"
#include "model/record_copy.h"
#include "ops/heap/view.h"
#include "cmd/show/show.h"
#include "cmd/show/heap.h"
#include "cmd/show/selection.h"

enum { FLUSH_SIZE = 65536, SITES = 10 };

struct show {
	struct cli cli;
	const struct show_face *face;
	struct show_style style;
	bool functions, json;
	bool heap;
	bool sorted;			/* --sort was given */
	struct show_heap_style heap_style;
	struct show_selection wanted;
	size_t top_size;
	struct output *out;

	/* Of the profile being read. */
	struct prof_header header;	/* copied to header_arena */
	struct arena header_arena;
	struct figures figures;
	struct top *top;
	struct heap_view *view;
	bool headed, found;
	bool any;			/* a profile was read */
	struct buf text;
};

static enum prof_status
show_write_text(void *arg, struct prof_error *err)
{
	struct show *s = arg;
	int e;

	if (s->text.failed)
		return err_memory(err);
	e = output_write(s->out, s->text.data, s->text.size);
	s->text.size = 0;
	if (e == 0)
		return PROF_OK;
	s->cli.output.failed = true;
	return err_system(err, e, "write");
}

static void
show_list_function(struct show *s, const struct prof_function *f)
{
	if (!s->headed)
		s->face->heading(&s->text, &s->header);
	s->headed = true;
	s->face->function(&s->text, &s->style, &s->header, f);
}

static enum prof_status
show_function(struct show *s, const struct prof_function *f,
    struct prof_error *err)
{
	if (!show_selection_has(&s->wanted, f->symbol.name))
		return PROF_OK;
	s->found = true;
	if (s->top != NULL)
		return top_add(s->top, f) ? PROF_OK : err_memory(err);
	show_list_function(s, f);
	return s->text.size < FLUSH_SIZE ? PROF_OK : show_write_text(s, err);
}

static enum prof_status
show_begin_profile(struct show *s, const struct prof_record *r,
    struct prof_error *err)
{
	/* The header and its source are printed at the profile's end. */
	arena_reset(&s->header_arena);
	s->header = r->u.profile;
	if (!record_copy(&s->header_arena, PROF_REC_PROFILE, &s->header))
		return err_memory(err);
	s->any = true;
	s->headed = false;
	figures_free(&s->figures);
	s->figures.summary.totals_only = !s->style.cutoffs;
	heap_view_free(s->view);
	s->view = NULL;
	if (!s->functions && (s->view =
	    heap_view_new(s->heap_style.histograms)) == NULL)
		return err_memory(err);
	if (s->view != NULL && heap_view_add(s->view, r, err) != PROF_OK)
		return PROF_FAIL;
	if (s->functions && s->top_size != 0 &&
	    (s->top = top_new(s->top_size)) == NULL)
		return err_memory(err);
	return PROF_OK;
}

static enum prof_status
show_end_heap(struct show *s, struct prof_error *err)
{
	struct show_heap h = { .text = &s->text, .header = &s->header,
	    .heap = heap_view_get(s->view), .style = &s->heap_style,
	    .others = &s->figures };

	if (heap_view_saturated(s->view) != 0 && !s->cli.options.quiet)
		fprintf(stderr, "%s: %s: warning: %llu sums are larger than "
		    "their fields\n", s->cli.name, s->cli.inputs.file,
		    (unsigned long long)heap_view_saturated(s->view));
	s->found = s->found || h.heap.contexts_size != 0;
	return show_heap(&h, s->json ? &show_heap_json : &show_heap_people,
	    show_write_text, s, err);
}

/* Adds up the heap contexts.  False if the profile has no heap data. */
static bool
show_sum_heap(const struct show *s, struct heap_figures *g)
{
	struct heap heap = heap_view_get(s->view);

	*g = (struct heap_figures){ .contexts = 0 };
	for (size_t i = 0; i < heap.contexts_size; i++)
		heap_figures_add(g, &heap.contexts[i], false);
	return g->contexts != 0 || s->header.kind != PROF_INSTR;
}

static enum prof_status
show_end_profile(struct show *s, struct prof_error *err)
{
	struct summary_entry entries[SUMMARY_CUTOFFS];
	struct heap_figures heap;

	for (size_t i = 0; s->top != NULL && i < top_count(s->top); i++)
		show_list_function(s, top_get(s->top, i));
	top_free(s->top);
	s->top = NULL;
	if (s->functions)
		return show_write_text(s, err);
	if (s->heap)
		return show_end_heap(s, err);
	if (s->style.cutoffs && !summary_entries(&s->figures.summary,
	    summary_cutoffs, SUMMARY_CUTOFFS, entries))
		return err_memory(err);
	s->face->summary(&s->text, &s->header, &s->figures,
	    show_sum_heap(s, &heap) ? &heap : NULL,
	    s->style.cutoffs ? entries : NULL);
	return show_write_text(s, err);
}

static enum prof_status
show_add_record(void *arg, const struct prof_record *r, struct prof_error *err)
{
	struct show *s = arg;

	if (r->kind == PROF_REC_PROFILE)
		return show_begin_profile(s, r, err);
	if (r->kind == PROF_REC_END)
		return show_end_profile(s, err);
	if (s->functions)
		return r->kind == PROF_REC_FUNCTION ?
		    show_function(s, &r->u.function, err) : PROF_OK;
	if (heap_view_add(s->view, r, err) != PROF_OK)
		return PROF_FAIL;
	if (!figures_add(&s->figures, &s->header, r))
		return err_memory(err);
	return PROF_OK;
}

static void
show_set_top(const struct cli_given *g)
{
	struct show *s = g->run;
	uint64_t n = 0;

	if (!cli_is_number(g->argument, 1, 1000000, &n))
		cli_usage_error(g->cli, "--top takes a number from 1 to "
		    "1000000");
	s->top_size = (size_t)n;
}

static void
show_select(struct show *s, const char *name, size_t size, bool listed)
{
	if (!show_selection_add(&s->wanted, (struct prof_span){
	    (const uint8_t *)name, size }, listed))
		cli_out_of_memory(&s->cli);
}

static void
show_select_listed(void *arg, const char *line, size_t size)
{
	show_select(arg, line, size, true);
}

static void
show_set_function(const struct cli_given *g)
{
	show_select(g->run, g->argument, strlen(g->argument), false);
}

static void
show_add_list(const struct cli_given *g)
{
	struct show *s = g->run;

	s->wanted.any = true;
	cli_lines(g->cli, g->argument, show_select_listed, s);
}

static void
show_set_sort(const struct cli_given *g)
{
	struct show *s = g->run;

	s->sorted = true;
	if (!heap_value_named(g->argument, &s->heap_style.by))
		cli_usage_error(g->cli, "--sort takes bytes, count, lifetime "
		    "or accesses");
}

static const struct cli_option options[] = {
	{ 0, "functions", NULL, "all functions, a line each",
	    CLI_SETS(struct show, functions) },
	{ 0, "function", "NAME",
	    "the functions of that name; may be repeated",
	    CLI_CALLS(show_set_function) },
	{ 0, "functions-from", "LIST",
	    "the functions that LIST names, a line each",
	    CLI_CALLS(show_add_list) },
	{ 0, "top", "N",
	    "the N functions, or sites, with the largest values",
	    CLI_CALLS(show_set_top) },
	{ 0, "counts", NULL, "functions with their counters",
	    CLI_SETS(struct show, style.counts) },
	{ 0, "values", NULL, "functions with their value sites",
	    CLI_SETS(struct show, style.values) },
	{ 0, "cutoffs", NULL,
	    "how few counters make up how much of the total",
	    CLI_SETS(struct show, style.cutoffs) },
	{ 0, "heap", NULL,
	    "where memory was allocated; N is 10 of --top then",
	    CLI_SETS(struct show, heap) },
	{ 0, "sort", "VALUE",
	    "--heap by bytes (default), count, lifetime, accesses",
	    CLI_CALLS(show_set_sort) },
	{ 0, "stacks", NULL, "--heap with all call stacks of each site",
	    CLI_SETS(struct show, heap_style.stacks) },
	{ 0, "callers", NULL,
	    "--heap with the callers of each site, as a tree",
	    CLI_SETS(struct show, heap_style.callers) },
	{ 0, "histograms", NULL,
	    "--heap with the access histogram of each stack",
	    CLI_SETS(struct show, heap_style.histograms) },
	{ 0, "hot", NULL,
	    "--heap: contexts may be hot, not only cold or warm",
	    CLI_SETS(struct show, heap_style.hot) },
	{ 0, "json", NULL, "one JSON object a line",
	    CLI_SETS(struct show, json) },
	{ 'C', "demangle", NULL, "names of C++ and Rust functions in clear",
	    CLI_SETS(struct show, style.demangle) },
	{ 0 }
};

static const struct cli_program program = { "prof-show", NULL,
"usage: prof-show [options] [FILE...]\n"
"Prints what profiles of any kind hold: a summary, their functions, or heap.\n",
	{ options, cli_options }
};

/* With --heap, --top is a number of sites, otherwise of functions. */
static void
show_check_options(struct show *s)
{
	const struct cli *c = &s->cli;
	struct show_heap_style *h = &s->heap_style;

	s->face = s->json ? &show_json : &show_people;
	h->name = s->style.demangle ? show_demangled : NULL;
	s->functions = s->functions || s->wanted.any || s->style.counts ||
	    s->style.values;
	if (s->heap && (s->functions || s->style.cutoffs))
		cli_usage_error(c, "--heap does not go with functions or "
		    "--cutoffs");
	if (!s->heap && (s->sorted || h->stacks || h->callers ||
	    h->histograms || h->hot))
		cli_usage_error(c, "--sort, --stacks, --callers, --histograms "
		    "and --hot go with --heap");
	s->functions = s->functions || (!s->heap && s->top_size != 0);
	h->top = s->top_size != 0 || s->json ? s->top_size : SITES;
	if (s->style.cutoffs && s->functions)
		cli_usage_error(c, "--cutoffs goes with the summary, not with "
		    "functions");
	if (s->style.values && s->top_size != 0)
		cli_usage_error(c, "--values does not go with --top");
}

static enum prof_status
show_run(struct show *s)
{
	enum prof_status status;
	struct output *out;

	/* Indexed files look the names up in their hash table. */
	if (s->wanted.any) {
		if (!show_selection_sort(&s->wanted))
			return err_memory(&s->cli.err);
		s->cli.options.select = s->wanted.spans;
		s->cli.options.select_size = s->wanted.size;
	}
	s->out = output_open(NULL, false, &s->cli.err);
	if (s->out == NULL)
		return PROF_FAIL;
	status = cli_read(&s->cli, show_add_record, s);
	if (status == PROF_OK && !s->any)
		status = err_set(&s->cli.err, PROF_E_FORMAT,
		    "no profile in the input");
	if (status != PROF_OK) {
		show_write_text(s, &s->cli.err);
		return status;
	}
	out = s->out;
	s->out = NULL;
	status = output_commit(out, &s->cli.err);
	s->cli.output.failed = status != PROF_OK;
	return status;
}

/* Whether all that was asked for is there; says what is not. */
static bool
show_found(const struct show *s)
{
	const struct cli *c = &s->cli;

	if (s->heap && !s->found && !c->options.quiet)
		fprintf(stderr, "%s: no heap contexts\n", c->name);
	return show_selection_check(&s->wanted, c->name, c->options.quiet) &&
	    (!s->heap || s->found);
}

int
main(int argc, char **argv)
{
	struct show s = { .top_size = 0 };
	int exit_status;

	cli_start(&s.cli, &program);
	cli_parse(&s.cli, &s, argc, argv);
	show_check_options(&s);
	cli_operands(&s.cli, argc - optind, argv + optind);

	exit_status = cli_end(&s.cli, show_run(&s));
	output_discard(s.out);
	figures_free(&s.figures);
	top_free(s.top);
	heap_view_free(s.view);
	arena_free(&s.header_arena);
	buf_free(&s.text);
	if (exit_status != CLI_TROUBLE && !show_found(&s))
		exit_status = CLI_NO;
	show_selection_free(&s.wanted);
	return exit_status;
}
