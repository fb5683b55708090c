/* prof-show - what is in a profile, for people */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/digits.h"
#include "base/error.h"
#include "cmd/common/binary_names.h"
#include "cmd/common/message_text.h"
#include "cmd/print/heap_naming.h"
#include "cmd/print/people_text.h"
#include "cmd/common/pipeline.h"
#include "cmd/common/restrict.h"
#include "io/output.h"
#include "model/record_copy.h"
#include "ops/filter.h"
#include "ops/heap/view.h"
#include "cmd/show/hottest.h"
#include "cmd/show/options.h"

enum { FLUSH_SIZE = 65536 };

struct show {
	struct cli cli;
	struct show_options options;
	const struct show_face *face;

	/* Of the profile being read. */
	struct prof_header header;	/* copied to header_arena */
	struct arena header_arena;
	struct figures figures;
	struct buf ids;			/* as for the face's summary */
	struct top top;			/* functions printed at the end */
	struct heap_view *view;
	size_t listed;			/* functions printed */
	bool found;
	bool any;			/* a profile was read */
	struct prof_span *prefixes;	/* of patterns, or NULL */
	struct buf text;
};

static enum prof_status
show_write_text(void *arg, struct prof_error *err)
{
	struct show *s = arg;
	int e;

	if (s->text.failed)
		return err_memory(err);
	e = output_write(s->cli.output.file, s->text.data, s->text.size);
	s->text.size = 0;
	if (e == 0)
		return PROF_OK;
	s->cli.output.failed = true;
	return err_system(err, e, "write");
}

/* The share is a percentage of the total, or below 0 if it is not printed. */
static void
show_list_function(struct show *s, const struct prof_function *f, double share)
{
	const struct show_style *style = &s->options.style;

	if (s->listed++ == 0)
		s->face->heading(&s->text, style, &s->header);
	s->face->function(&s->text, style, &s->header, f, share);
}

/* Whether a pattern matches, or there are neither patterns nor names. */
static enum prof_status
show_match_patterns(struct show *s, const struct prof_function *f,
    struct prof_error *err)
{
	const struct show_options *o = &s->options;

	if (o->has_patterns)
		return filter_function(o->patterns, f, err);
	return o->wanted.any ? PROF_END : PROF_OK;
}

/* Of a function that is not shown, only the counters' sum matters. */
static void
show_pass_function(struct show *s, const struct prof_function *f)
{
	if (s->options.sorted)
		top_pass(&s->top, f);
}

static enum prof_status
show_chosen_function(struct show *s, const struct prof_function *f,
    struct prof_error *err)
{
	enum prof_status status = filter_function(s->options.floor, f, err);

	if (status == PROF_END)
		show_pass_function(s, f);
	if (status != PROF_OK)
		return status == PROF_END ? PROF_OK : PROF_FAIL;
	s->found = true;
	if (s->options.sorted && s->options.top != 0 && prof_is_pseudo(f))
		return PROF_OK;
	if (s->options.sorted)
		return top_add(&s->top, f) ? PROF_OK : err_memory(err);
	if (s->listed < s->options.limit)
		show_list_function(s, f, -1);
	return s->text.size < FLUSH_SIZE ? PROF_OK : show_write_text(s, err);
}

/* A function of a given name in another form waits for one of that name. */
static enum prof_status
show_function(struct show *s, const struct prof_function *f,
    struct prof_error *err)
{
	struct show_selection *w = &s->options.wanted;
	struct show_match match = { 0, NAME_FORMS };
	enum prof_status status = PROF_OK;

	if (w->any && !show_selection_match(w, f->symbol.name, &match))
		return err_memory(err);
	if (match.form != NAME_STORED)
		status = show_match_patterns(s, f, err);
	if (status == PROF_OK)
		return show_chosen_function(s, f, err);
	if (status != PROF_END)
		return PROF_FAIL;
	if (match.form == NAME_FORMS)
		show_pass_function(s, f);
	else if (!show_selection_hold(w, f, &match))
		return err_memory(err);
	return PROF_OK;
}

static enum prof_status
show_held_functions(struct show *s, struct prof_error *err)
{
	enum prof_status status = PROF_OK;
	const struct prof_function *f;
	size_t place = 0;
	bool wanted;

	while (status == PROF_OK && (f = show_selection_next(
	    &s->options.wanted, &place, &wanted)) != NULL) {
		if (wanted)
			status = show_chosen_function(s, f, err);
		else
			show_pass_function(s, f);
	}
	return status;
}

/* Whether the hottest functions are printed below the summary. */
static bool
show_has_hottest(const struct show *s)
{
	return !s->options.functions && !s->options.heap && !s->options.json &&
	    (s->header.flags & PROF_BYTE_COVERAGE) == 0;
}

/*
 * At most so many functions can have a share: where there is one to have, only
 * these are kept, whatever they are sorted by in the end.
 */
static void
show_prepare_top(struct show *s)
{
	const struct show_options *o = &s->options;
	double most = o->min_share > 0 ? 100 / o->min_share + 1 : 0;

	top_clear(&s->top);
	s->top.order = o->order;
	s->top.limit = o->limit;
	s->top.values = o->style.values;
	if (show_has_hottest(s))
		s->top = (struct top){ .order = TOP_SHARE,
		    .limit = show_hottest_limit(&o->style.terminal) };
	else if (o->min_share >= 0) {
		s->top.order = TOP_SHARE;
		s->top.limit = most > 0 && most < 1e9 ? (size_t)most :
		    SIZE_MAX;
	}
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
	s->listed = 0;
	s->ids.size = 0;
	show_prepare_top(s);
	show_selection_begin(&s->options.wanted);
	figures_free(&s->figures);
	s->figures.summary.totals_only = !s->options.style.cutoffs &&
	    !show_has_hottest(s);
	heap_view_free(s->view);
	s->view = NULL;
	if (!s->options.functions && (s->view =
	    heap_view_new(s->options.heap_style.histograms)) == NULL)
		return err_memory(err);
	return s->view == NULL ? PROF_OK : heap_view_add(s->view, r, err);
}

static enum prof_status
show_end_heap(struct show *s, struct prof_error *err)
{
	struct show_heap h = { .text = &s->text, .header = &s->header,
	    .style = &s->options.heap_style, .others = &s->figures };
	enum heap_naming naming = heap_view_name(s->view, &s->options.names);

	if (!s->options.json)
		heap_naming_warn(&s->cli, s->cli.inputs.file, naming);
	h.heap = heap_view_get(s->view);
	if (heap_view_saturated(s->view) != 0 && !s->cli.options.quiet)
		message_print("%s: %s: warning: %llu sums are larger than "
		    "their fields\n", s->cli.name, s->cli.inputs.file,
		    (unsigned long long)heap_view_saturated(s->view));
	s->found = s->found || h.heap.contexts_size != 0;
	return show_heap(&h, s->options.json ? &show_heap_json :
	    &show_heap_people, show_write_text, s, err);
}

/* Adds up the heap contexts.  False if the profile has no heap data. */
static bool
show_sum_heap(const struct show *s, struct heap_figures *g)
{
	struct heap heap = heap_view_get(s->view);

	*g = heap_figures_of(&heap, false);
	return g->contexts != 0 || s->header.kind != PROF_INSTR;
}

/* Prints the functions that were kept, as far as they have the share. */
static enum prof_status
show_end_functions(struct show *s, struct prof_error *err)
{
	const struct show_options *o = &s->options;
	enum prof_status status = show_held_functions(s, err);

	top_sort(&s->top, o->order);
	for (size_t i = 0; status == PROF_OK && i < s->top.size; i++) {
		const struct top_entry *e = s->top.entries[i];
		double share = s->top.total == 0 ? 0 : 100 * (double)e->sum /
		    s->top.total;

		if (share < o->min_share || s->listed >= o->limit)
			continue;
		show_list_function(s, top_function(&s->top, e),
		    o->style.shares ? share : -1);
		if (s->text.size >= FLUSH_SIZE)
			status = show_write_text(s, err);
	}
	return status == PROF_OK ? show_write_text(s, err) : status;
}

static enum prof_status
show_end_summary(struct show *s, struct prof_error *err)
{
	const struct show_style *style = &s->options.style;
	struct summary_entry entries[SUMMARY_CUTOFFS];
	struct summary_thresholds thresholds;
	struct heap_figures heap;
	const size_t start = s->text.size;

	if (style->cutoffs && !summary_entries(&s->figures.summary,
	    summary_cutoffs, SUMMARY_CUTOFFS, entries))
		return err_memory(err);
	s->face->summary(&s->text, style, &s->header, &s->figures,
	    show_sum_heap(s, &heap) ? &heap : NULL,
	    style->cutoffs ? entries : NULL,
	    s->options.binary_ids ? &s->ids : NULL);
	if (show_has_hottest(s)) {
		if (!summary_thresholds(&s->figures.summary, &thresholds))
			return err_memory(err);
		top_sort(&s->top, TOP_SHARE);
		show_hottest(&s->text, start, style, &s->top, &thresholds);
	}
	return show_write_text(s, err);
}

static enum prof_status
show_end_profile(struct show *s, struct prof_error *err)
{
	enum prof_status status = s->options.functions ?
	    show_end_functions(s, err) : s->options.heap ?
	    show_end_heap(s, err) : show_end_summary(s, err);

	top_clear(&s->top);
	return status;
}

static bool
show_add_id(struct show *s, struct prof_span id)
{
	digits_append_hex(&s->ids, id);
	buf_u8(&s->ids, '\n');
	return !s->ids.failed;
}

static enum prof_status
show_add_record(void *arg, const struct prof_record *r, struct prof_error *err)
{
	struct show *s = arg;

	if (s->cli.inputs.current->names)
		return heap_names_add_record(&s->options.names, r) ? PROF_OK :
		    err_memory(err);
	if (r->kind == PROF_REC_PROFILE)
		return show_begin_profile(s, r, err);
	if (r->kind == PROF_REC_END)
		return show_end_profile(s, err);
	if (s->options.functions)
		return r->kind == PROF_REC_FUNCTION ?
		    show_function(s, &r->u.function, err) : PROF_OK;
	if (r->kind == PROF_REC_BINARY && s->options.binary_ids &&
	    !show_add_id(s, r->u.build_id))
		return err_memory(err);
	if (heap_view_add(s->view, r, err) != PROF_OK)
		return PROF_FAIL;
	if (!figures_add(&s->figures, &s->header, r) ||
	    (r->kind == PROF_REC_FUNCTION && show_has_hottest(s) &&
	    !top_add(&s->top, &r->u.function)))
		return err_memory(err);
	return PROF_OK;
}

static const struct cli_program program = { "prof-show", NULL,
"usage: prof-show [options] [FILE...]\n"
"Prints a summary, functions or heap contexts of profiles of any kind.\n",
	.tables = { show_option_rows, cli_options }
};

/* Forgets a profile that ended too early, and shows the next one. */
static bool
show_pass(void *arg, struct cli *c)
{
	struct show *s = arg;
	struct prof_error err = c->err;

	top_clear(&s->top);
	/* Messages stand behind the text before them. */
	if (show_write_text(s, &c->err) != PROF_OK ||
	    output_flush(s->cli.output.file) != 0)
		return false;
	c->err = err;
	return cli_damage_pass(c);
}

/* Reads those of --names-from that are no profiles, which are inputs. */
static enum prof_status
show_read_binaries(struct show *s)
{
	struct cli_inputs *in = &s->cli.inputs;
	enum prof_status status = PROF_OK;
	size_t kept = 0;

	for (size_t i = 0; i < in->size && status != PROF_FAIL; i++) {
		status = !in->items[i].names ? PROF_END :
		    cli_binary_names(&s->cli, in->items[i].path,
		    &s->options.names);
		if (status == PROF_END)
			in->items[kept++] = in->items[i];
	}
	in->size = kept;
	return status == PROF_FAIL ? PROF_FAIL : PROF_OK;
}

static enum prof_status
show_run(struct show *s)
{
	struct show_selection *w = &s->options.wanted;
	enum prof_status status;
	struct output *out;

	if (!s->options.style.values)
		prof_context_without_targets(s->cli.context);
	prof_context_frame_numbers(s->cli.context);
	filter_all_forms(s->options.patterns, match_demangled,
	    match_demangled_without_type);
	/* Indexed files look the names up in their hash table. */
	if (w->any && !show_selection_sort(w))
		return err_memory(&s->cli.err);
	/* Shares are those of the sum of all functions. */
	if (w->any && !s->options.has_patterns && !s->options.style.shares) {
		s->cli.options.select = w->spans;
		s->cli.options.select_size = w->size;
	}
	if (!w->any && !s->options.style.shares && !s->options.has_names)
		s->cli.options.prefixes = s->prefixes = filter_prefixes(
		    s->options.patterns, &s->cli.options.prefixes_size);
	if (show_read_binaries(s) != PROF_OK ||
	    cli_open_bytes(&s->cli, false) != PROF_OK)
		return PROF_FAIL;
	status = cli_read_passing(&s->cli, show_add_record, show_pass, s);
	if (status == PROF_OK && !s->any && !s->cli.report.trouble)
		status = err_set(&s->cli.err, PROF_E_FORMAT,
		    "no profile in the input");
	if (status != PROF_OK) {
		show_write_text(s, &s->cli.err);
		return status;
	}
	out = s->cli.output.file;
	/* A file that lacks an input is not whole: cli_end discards it. */
	if (s->cli.report.trouble && output_target(out) != NULL)
		return PROF_OK;
	s->cli.output.file = NULL;
	status = output_commit(out, &s->cli.err);
	s->cli.output.failed = status != PROF_OK;
	return status;
}

/* Whether all that was asked for is there; says what is not. */
static bool
show_found(const struct show *s)
{
	const struct show_options *o = &s->options;
	const struct cli *c = &s->cli;

	if (o->heap && !s->found && !c->options.quiet)
		message_print("%s: no heap contexts\n", c->name);
	if ((o->has_patterns || o->has_floor) && !s->found) {
		if (!c->options.quiet)
			message_print("%s: no such function\n", c->name);
		return false;
	}
	return show_selection_check(&o->wanted, c->name, c->options.quiet) &&
	    (!o->heap || s->found);
}

int
main(int argc, char **argv)
{
	struct show s = { .options = { .patterns = filter_new(),
	    .floor = filter_new(), .limit = SIZE_MAX, .min_share = -1 } };
	struct show_options *o = &s.options;
	int exit_status;

	cli_start(&s.cli, &program);
	if (o->patterns == NULL || o->floor == NULL)
		cli_out_of_memory(&s.cli);
	cli_parse(&s.cli, o, argc, argv);
	show_settle_options(&s.cli, o);
	s.face = o->json ? &show_json : &show_people;
	cli_operands(&s.cli, argc - optind, argv + optind);
	terminal_open(&o->style.terminal, &s.cli, !o->json);
	cli_restrict(&s.cli, NULL);

	exit_status = cli_end(&s.cli, show_run(&s));
	show_warn_of_names(&s.cli);
	figures_free(&s.figures);
	top_clear(&s.top);
	heap_view_free(s.view);
	arena_free(&s.header_arena);
	buf_free(&s.ids);
	buf_free(&s.text);
	if (exit_status != CLI_TROUBLE && !show_found(&s))
		exit_status = CLI_NO;
	free(s.prefixes);
	show_selection_free(&o->wanted);
	heap_names_free(&o->names);
	filter_free(o->patterns);
	filter_free(o->floor);
	return exit_status;
}
