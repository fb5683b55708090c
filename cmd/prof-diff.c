/* prof-diff - what changed from one profile to another */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cmd/common/columns.h"
#include "cmd/common/message_text.h"
#include "cmd/common/pipeline.h"
#include "cmd/common/restrict.h"
#include "cmd/diff/limits.h"
#include "cmd/diff/print.h"
#include "model/words.h"
#include "ops/heap/view.h"

struct diff_side {
	struct heap_view *heap;
	bool any, has_heap;
};

struct diff_run {
	struct cli cli;
	const struct diff_format *format;
	bool top_given;
	struct diff_limits limits;
	struct diff_side sides[OVERLAP_SIDES], *side;
	struct diff_table functions;
	struct diff diff;
	/* Of the profile being read, and of the first one with functions. */
	enum prof_level level, first_level;
	const char *first_file;
};

static const struct diff_format formats[] = {
	{ "text", diff_people }, { "markdown", diff_markdown },
	{ "junit", diff_junit }, { "json", diff_json },
};

enum { FORMATS = sizeof(formats) / sizeof(*formats) };

/* Changes that are printed unless the user or the terminal say how many. */
enum { CHANGES = 10 };

/* --format WORD, or the word itself as an option: --json. */
static void
diff_set_format(const struct cli_given *g)
{
	const char *words[FORMATS + 1] = { NULL };
	struct diff_run *r = g->run;
	struct cli_given given = *g;
	char json[] = "json";

	for (size_t i = 0; i < FORMATS; i++)
		words[i] = formats[i].word;
	if (given.argument == NULL)
		given.argument = json;
	r->format = &formats[cli_parse_word(&given, words)];
}

static void
diff_set_min_share(const struct cli_given *g)
{
	struct diff_run *r = g->run;

	r->diff.min_share = cli_parse_percentage(g) / 100;
}

static void
diff_set_top(const struct cli_given *g)
{
	struct diff_run *r = g->run;
	uint64_t n = 0;

	if (!cli_is_number(g->argument, 0, UINT32_MAX, &n))
		cli_usage_error(g->cli, "--%s takes a number",
		    g->option->name);
	r->diff.top = (size_t)n;
	r->top_given = true;
}

static void
diff_set_limit(const struct cli_given *g)
{
	struct diff_run *r = g->run;

	diff_limits_set(&r->limits, (enum diff_limit)g->option->value,
	    g->argument, g->cli);
}

static const struct cli_option options[] = {
	{ 0, "top", "N", "print the N largest changes (10)",
	    CLI_CALLS(diff_set_top) },
	{ 0, "limit", "N", "the same", CLI_CALLS(diff_set_top) },
	{ 0, "min-share", "P",
	    "of them, those of P percentage points or more",
	    CLI_CALLS(diff_set_min_share) },
	{ 'C', "demangle", NULL, "names of C++ and Rust functions in clear",
	    CLI_SETS(struct diff_run, diff.demangle) },
	{ 0, "format", "FORMAT", "text (default), markdown, junit or json",
	    CLI_CALLS(diff_set_format) },
	{ 0, "json", NULL, "the same as --format json",
	    CLI_CALLS(diff_set_format) },
	CLI_OUTPUT_ROW,
	CLI_TERMINAL_ROWS,
	{ 0, "for", "LLVM",
	    "names and hashes as prof-index --for LLVM has them",
	    CLI_CALLS(cli_set_release) },
	{ 0, "min-overlap", "P", "exit with 1 if the overlap is below P%",
	    CLI_CALLS(diff_set_limit), .value = DIFF_MIN_OVERLAP },
	{ 0, "min-count-share", "P",
	    "the same if B has less than P% of the counts of A",
	    CLI_CALLS(diff_set_limit), .value = DIFF_MIN_COUNT_SHARE },
	{ 0, "max-lost", "N",
	    "the same if over N functions of A, or N%, are lost",
	    CLI_CALLS(diff_set_limit), .value = DIFF_MAX_LOST },
	{ 0, "max-new", "N",
	    "the same if over N functions of B, or N%, are new",
	    CLI_CALLS(diff_set_limit), .value = DIFF_MAX_NEW },
	{ 0, "max-stale", "N",
	    "the same if over N of A, or N%, have other hashes",
	    CLI_CALLS(diff_set_limit), .value = DIFF_MAX_STALE },
	{ 0 }
};

static const struct cli_program program = { "prof-diff", NULL,
"usage: prof-diff [options] A B\n"
"Compares two profiles of any kind: overlap, lost, new and stale functions.\n",
	{ options, cli_options }
};

/* Hashes of front-end and IR profiles have nothing to do with each other. */
static enum prof_status
diff_check_level(struct diff_run *r, struct prof_error *err)
{
	const char *file = r->cli.inputs.file;

	if (r->level == PROF_LEVEL_UNKNOWN)
		return PROF_OK;
	if (r->first_level == PROF_LEVEL_UNKNOWN) {
		r->first_level = r->level;
		r->first_file = r->diff.file[r->side - r->sides];
	}
	return r->level == r->first_level ? PROF_OK : err_set(err,
	    PROF_E_MISMATCH, "%s (%s) cannot be compared with %s (%s)",
	    words_level_profile[r->level], file,
	    words_level_profile[r->first_level], r->first_file);
}

static enum prof_status
diff_add_record(void *arg, const struct prof_record *record,
    struct prof_error *err)
{
	struct diff_run *r = arg;
	struct diff_side *s = r->side;

	if (record->kind == PROF_REC_PROFILE) {
		r->level = record->u.profile.level;
		s->any = true;
		s->has_heap = s->has_heap ||
		    record->u.profile.kind != PROF_INSTR;
	}
	if (record->kind == PROF_REC_FUNCTION &&
	    diff_check_level(r, err) != PROF_OK)
		return PROF_FAIL;
	if (diff_table_add(&r->functions, (int)(s - r->sides), record, err) !=
	    PROF_OK)
		return PROF_FAIL;
	return heap_view_add(s->heap, record, err);
}

static enum prof_status
diff_read_side(struct diff_run *r, int side, const char *path)
{
	struct cli *c = &r->cli;
	const struct cli_input in = { .path = path, .weight = { 1, 1 } };
	uint64_t misfits;

	r->side = &r->sides[side];
	r->diff.file[side] = path;
	r->side->heap = heap_view_new(false);
	if (r->side->heap == NULL)
		return err_memory(&c->err);
	cli_add_input(c, &in);
	if (cli_read(c, diff_add_record, r) != PROF_OK)
		return PROF_FAIL;
	c->inputs.file = path;
	if (!r->side->any)
		return err_set(&c->err, PROF_E_FORMAT,
		    "no profile in the input");
	misfits = r->functions.sides[side].misfits;
	if (misfits != 0 && !c->options.quiet)
		message_print("%s: %s: warning: %llu records do not fit "
		    "others of the same name and hash: left out\n", c->name,
		    path, (unsigned long long)misfits);
	r->diff.heaps[side] = heap_view_get(r->side->heap);
	c->inputs.file = NULL;
	return PROF_OK;
}

/* Compares what at least one side has, or else empty sets of functions. */
static enum prof_status
diff_compare_sides(struct diff_run *r)
{
	struct diff *d = &r->diff;
	struct diff_side *a = &r->sides[OVERLAP_A], *b = &r->sides[OVERLAP_B];

	for (int class = 0; class < DIFF_CLASSES; class++) {
		struct overlap *o = &d->overlap[class];

		d->changes[class].most = d->top;
		if (!overlap_compare(&r->functions, class == DIFF_SENSITIVE,
		    o, diff_changes_add, &d->changes[class]))
			return err_memory(&r->cli.err);
		diff_changes_sort(&d->changes[class]);
		d->has[class] = o->records[OVERLAP_A] +
		    o->records[OVERLAP_B] != 0;
	}
	d->has[DIFF_HEAP] = a->has_heap || b->has_heap;
	if (!d->has[DIFF_SENSITIVE] && !d->has[DIFF_HEAP])
		d->has[DIFF_PLAIN] = true;
	return diff_heap_compare(&d->heap, &d->heaps[OVERLAP_A],
	    &d->heaps[OVERLAP_B], &r->cli.err);
}

static enum prof_status
diff_print_result(struct diff_run *r)
{
	struct cli *c = &r->cli;
	struct buf text = { 0 };
	enum prof_status status;

	r->format->put(&text, &r->diff);
	if (text.failed)
		return err_memory(&c->err);
	status = cli_write_text(c, &text);
	buf_free(&text);
	return status;
}

static enum prof_status
diff_run(struct diff_run *r, char **files)
{
	struct cli *c = &r->cli;

	if (c->output.release != NULL &&
	    (c->output.retargeter = retarget_new(&c->output.retarget)) == NULL)
		return err_memory(&c->err);
	if (cli_open_bytes(c, false) != PROF_OK)
		return PROF_FAIL;
	for (int s = 0; s < OVERLAP_SIDES; s++) {
		if (diff_read_side(r, s, files[s]) != PROF_OK)
			return PROF_FAIL;
	}
	if (diff_compare_sides(r) != PROF_OK)
		return PROF_FAIL;
	diff_limits_check(&r->limits, &r->diff);
	if (diff_print_result(r) != PROF_OK)
		return PROF_FAIL;
	if (!diff_limits_hold(&r->diff, c))
		c->report.unclean = true;
	return PROF_OK;
}

/*
 * Only text on standard output is for the terminal.  There as many changes are
 * printed as it has lines for, if the user did not say how many.
 */
static void
diff_open_terminal(struct diff_run *r)
{
	struct terminal *t = &r->diff.terminal;
	const char *path = r->cli.output.path;
	bool for_people = r->format == &formats[0] &&
	    (path == NULL || strcmp(path, "-") == 0);

	terminal_open(t, &r->cli, for_people);
	if (!for_people)
		*t = (struct terminal){ .columns = COLUMNS_ANY, .mark = "..." };
	r->diff.fits = t->there && !r->top_given;
	if (r->diff.fits)
		r->diff.top = terminal_rows(t, 0, CHANGES);
}

int
main(int argc, char **argv)
{
	struct diff_run r = { .format = &formats[0], .diff.top = CHANGES };
	int status;

	cli_start(&r.cli, &program);
	cli_parse(&r.cli, &r, argc, argv);
	if (argc - optind != OVERLAP_SIDES || r.cli.inputs.size != 0)
		cli_usage_error(&r.cli, "takes two profiles, A and B");
	diff_open_terminal(&r);
	cli_restrict(&r.cli, NULL);

	status = cli_end(&r.cli, diff_run(&r, argv + optind));
	diff_table_free(&r.functions);
	for (int s = 0; s < OVERLAP_SIDES; s++)
		heap_view_free(r.sides[s].heap);
	for (int c = 0; c < DIFF_CLASSES; c++)
		diff_changes_free(&r.diff.changes[c]);
	diff_heap_free(&r.diff.heap);
	return status;
}
