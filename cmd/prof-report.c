/* prof-report - profiles as one page for a browser */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cmd/common/pipeline.h"
#include "cmd/print/print.h"
#include "cmd/report/report.h"
#include "io/output.h"
#include "sym/symbolizer.h"

struct report_run {
	struct cli cli;
	struct cli_list binaries;	/* with names of functions */
	size_t limit;			/* functions, contexts; SIZE_MAX: all */
	bool limited;			/* there are limits for verdicts */
	struct diff_limits limits;	/* of the comparison */
	bool compares;			/* two profiles */

	struct heap_names names;	/* of the binaries */
	struct symbolizer symbolizer;
	struct report_profile profile;	/* being read */
	struct diff_sides sides;
	struct diff diff;
	struct page_data data;
	bool any;			/* there was a profile */
	struct buf plain;
};

static void
report_set_verdict(const struct cli_given *g)
{
	struct report_run *r = g->run;

	r->limited = true;
	diff_limits_set(&r->limits, g->option->value,
	    g->argument, g->cli);
}

static const struct cli_option options[] = {
	{ 0, "top", "N",
	    "keep only the N largest functions and heap contexts",
	    CLI_SETS_NUMBER(struct report_run, limit, 1, UINT32_MAX) },
	{ 0, "binary", "FILE",
	    "take functions of the heap profile from a binary",
	    CLI_SETS(struct report_run, binaries) },
	CLI_OUTPUT_ROW,
	CLI_JOBS_ROW,
#define DIFF_SETS_LIMIT report_set_verdict
	DIFF_LIMIT_ROWS
	{ 0 }
};

static const struct cli_program program = { "prof-report", NULL,
"usage: prof-report [options] [PROFILE]\n"
"       prof-report [options] OLD NEW\n"
"Writes a profile of any kind as one page for a browser, or compares two.\n",
	.limits_counts = true,
	.examples =
"  prof-report -o app.html a.profraw\n"
"  prof-report --max-stale 1% -o change.html a.profraw b.profraw\n",
	.tables = { options, cli_options }
};

static enum prof_status
report_end_profile(struct report_run *r, struct prof_error *err)
{
	if (report_profile_end(&r->profile, err) != PROF_OK)
		return PROF_FAIL;
	buf_text(&r->data.text, r->any ? ",\n" : "{\"profiles\":[");
	r->any = true;
	return report_profile_json(&r->data, &r->profile) &&
	    report_profile_plain(&r->plain, &r->profile) ? PROF_OK :
	    err_memory(err);
}

static enum prof_status
report_add_record(void *arg, const struct prof_record *record,
    struct prof_error *err)
{
	struct report_run *r = arg;

	if (record->kind == PROF_REC_PROFILE)
		return report_profile_begin(&r->profile, record, err);
	if (record->kind == PROF_REC_END)
		return report_end_profile(r, err);
	return report_profile_add(&r->profile, record, err);
}

static void
report_put_path(struct buf *b, const char *path)
{
	buf_text(b, strcmp(path, "-") == 0 ? "profile" : path);
}

static void
report_put_title(struct buf *b, const struct report_run *r)
{
	const struct cli_inputs *in = &r->cli.inputs;

	if (r->compares) {
		report_put_path(b, r->diff.file[OVERLAP_NEW]);
		buf_text(b, " against ");
		report_put_path(b, r->diff.file[OVERLAP_OLD]);
	} else
		report_put_path(b, in->size == 0 ? "-" : in->items[0].path);
	buf_u8(b, '\0');
}

static bool
report_flush(void *arg, struct buf *text)
{
	struct cli *c = arg;
	int e;

	if (text->failed)
		return err_memory(&c->err) == PROF_OK;
	e = output_write(c->output.file, text->data, text->size);
	text->size = 0;
	c->output.failed = c->output.failed || e != 0;
	return e == 0 || err_system(&c->err, e, "write") == PROF_OK;
}

static enum prof_status
report_write(struct report_run *r)
{
	struct page page = { .flush = report_flush, .arg = &r->cli,
	    .style = report_style, .script = report_script,
	    .plain = buf_span(&r->plain) };
	struct buf text = { 0 }, title = { 0 };
	enum prof_status status;

	report_put_title(&title, r);
	page.title = (const char *)title.data;
	page.data = buf_span(&r->data.packed);
	if (title.failed)
		status = err_memory(&r->cli.err);
	else if (!page_put(&text, &page))
		status = PROF_FAIL;
	else
		status = text.failed ? err_memory(&r->cli.err) :
		    cli_write_text(&r->cli, &text);
	buf_free(&text);
	buf_free(&title);
	return status;
}

/*
 * Compares both profiles; a limit that does not hold is reported.  The
 * comparison goes behind the profiles, as plain HTML before them.
 */
static enum prof_status
report_compare(struct report_run *r)
{
	struct cli *c = &r->cli;
	struct buf plain = { 0 };

	if (diff_sides_compare(&r->sides) != PROF_OK)
		return PROF_FAIL;
	diff_limits_check(&r->limits, &r->diff);
	if (!diff_limits_hold(&r->diff, c))
		c->report.unclean = true;
	buf_text(&r->data.text, "],\n\"comparison\":");
	if (!report_comparison_json(&r->data, &r->diff) ||
	    !report_comparison_plain(&plain, &r->diff)) {
		buf_free(&plain);
		return err_memory(&c->err);
	}
	buf_put(&plain, r->plain.data, r->plain.size);
	buf_free(&r->plain);
	r->plain = plain;
	return PROF_OK;
}

static enum prof_status
report_read(struct report_run *r)
{
	struct cli *c = &r->cli;

	if ((r->compares ? diff_sides_read(&r->sides) :
	    cli_read(c, report_add_record, r)) != PROF_OK ||
	    symbolizer_finish(&r->symbolizer, &c->err) != PROF_OK)
		return PROF_FAIL;
	return r->any || r->compares ? PROF_OK : err_set(&c->err,
	    PROF_E_FORMAT, ERR_NO_PROFILE);
}

static enum prof_status
report_make(struct report_run *r)
{
	struct cli *c = &r->cli;

	if (cli_add_binaries(c, &r->symbolizer, &r->binaries, &r->names) !=
	    PROF_OK ||
	    cli_open_bytes(c, true) != PROF_OK || report_read(r) != PROF_OK)
		return PROF_FAIL;
	if (!r->compares)
		buf_text(&r->data.text, "]");
	else if (report_compare(r) != PROF_OK)
		return PROF_FAIL;
	buf_text(&r->data.text, "}\n");
	if (!page_data_flush(&r->data, true))
		return err_memory(&c->err);
	report_profile_free(&r->profile);
	return report_write(r);
}

/* One operand is an input as those of lists are; two are compared. */
static void
report_operands(struct report_run *r, int argc, char **argv)
{
	struct cli *c = &r->cli;

	if (argc > OVERLAP_SIDES ||
	    (argc == OVERLAP_SIDES && c->inputs.size != 0))
		cli_usage_error(c, "one profile is needed, or two to "
		    "compare: sum more by prof-merge first");
	if (argc < OVERLAP_SIDES) {
		if (r->limited)
			cli_usage_error(c, "limits need a second profile to "
			    "compare with");
		cli_operands(c, argc, argv);
		return;
	}
	if (cli_is_elf(argv[OVERLAP_NEW]))
		cli_usage_error(c, "two profiles are compared: prof-diff OLD "
		    "BINARY lists what does not fit a binary");
	r->compares = true;
	memcpy(r->diff.file, argv, sizeof(r->diff.file));
	r->diff.top = r->limit;
	r->diff.demangle = true;
	for (int class = 0; class < DIFF_CLASSES; class++)
		r->diff.changes[class].equal = true;
	/* Each side has a page of its own, too. */
	r->sides = (struct diff_sides){ .cli = c, .also = report_add_record,
	    .also_arg = r, .names = &r->names, .diff = &r->diff };
}

int
main(int argc, char **argv)
{
	struct report_run r = { .limit = SIZE_MAX,
	    .data.effort = GZIP_FAST };
	int status;

	cli_start(&r.cli, &program);
	cli_parse(&r.cli, &r, &argc, &argv);
	report_operands(&r, argc, argv);
	cli_restrict(&r.cli, NULL);
	show_short_names();

	r.profile.limit = r.limit;
	r.profile.threads = cli_jobs(&r.cli);
	r.profile.names = &r.names;
	status = cli_end(&r.cli, report_make(&r));
	show_warn_of_names(&r.cli);
	diff_sides_free(&r.sides);
	report_profile_free(&r.profile);
	heap_names_free(&r.names);
	symbolizer_free(&r.symbolizer);
	page_data_free(&r.data);
	buf_free(&r.plain);
	free(r.binaries.items);
	return status;
}
