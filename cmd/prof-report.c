/* prof-report - profiles as one page for a browser */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "cmd/common/binary_names.h"
#include "cmd/common/demangle.h"
#include "cmd/common/heap_export.h"
#include "cmd/common/pipeline.h"
#include "cmd/common/restrict.h"
#include "cmd/common/suffix.h"
#include "cmd/compare/limits.h"
#include "cmd/compare/sides.h"
#include "cmd/report/report.h"

struct report_run {
	struct cli cli;
	const char *title;
	enum { REPORT_ANY, REPORT_HTML, REPORT_SVG } format;
	const char **binaries;
	size_t binaries_size, binaries_room;
	struct heap_names names;	/* of the binaries */
	struct report_profile profile;	/* being read */
	const char *base;		/* to compare with, or NULL */
	bool limited;			/* there are limits for verdicts */
	struct diff_limits limits;
	struct diff_sides sides;
	struct diff diff;
	struct report_data data;
	bool any;			/* there was a profile */
	struct buf plain;
};

static void
report_set_limit(const struct cli_given *g)
{
	struct report_run *r = g->run;
	uint64_t n = 0;

	if (!cli_is_number(g->argument, 1, UINT32_MAX, &n))
		cli_usage_error(g->cli, "--limit takes a number above 0");
	r->profile.limit = (size_t)n;
}

static void
report_set_format(const struct cli_given *g)
{
	struct report_run *r = g->run;

	if (strcmp(g->argument, "html") == 0)
		r->format = REPORT_HTML;
	else if (strcmp(g->argument, "svg") == 0)
		r->format = REPORT_SVG;
	else
		cli_usage_error(g->cli, "--format takes html or svg");
}

static void
report_add_binary(const struct cli_given *g)
{
	struct report_run *r = g->run;

	if (!ARRAY_ADD(r->binaries, r->binaries_size, r->binaries_room,
	    g->argument))
		cli_out_of_memory(g->cli);
}

static void
report_set_verdict(const struct cli_given *g)
{
	struct report_run *r = g->run;

	r->limited = true;
	diff_limits_set(&r->limits, (enum diff_limit)g->option->value,
	    g->argument, g->cli);
}

static const struct cli_option options[] = {
	{ 0, "format", "FORMAT", "html (default), or svg: the flame graph",
	    CLI_CALLS(report_set_format) },
	{ 0, "title", "TEXT", "the title of the page (the file's name)",
	    CLI_SETS(struct report_run, title) },
	{ 0, "limit", "N",
	    "keep only the N largest functions and heap contexts",
	    CLI_CALLS(report_set_limit) },
	{ 0, "binary", "FILE",
	    "names of functions that a heap profile has hashes of",
	    CLI_CALLS(report_add_binary) },
	CLI_OUTPUT_ROW,
	DIFF_LIMIT_ROWS(report_set_verdict),
	{ 0 }
};

static const struct cli_program program = { "prof-report", NULL,
"usage: prof-report [options] [PROFILE [BASE]]\n"
"Makes one page for a browser of a profile of any kind, or of two compared:\n"
"A, the BASE, and B, the PROFILE.\n",
	{ options, cli_options }
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

/* The title is made of the files' names, unless the user gave one. */
static void
report_put_title(struct buf *b, const struct report_run *r)
{
	const struct cli_inputs *in = &r->cli.inputs;

	if (r->title != NULL)
		buf_text(b, r->title);
	else if (r->base != NULL) {
		report_put_path(b, r->diff.file[OVERLAP_B]);
		buf_text(b, " against ");
		report_put_path(b, r->diff.file[OVERLAP_A]);
	} else
		report_put_path(b, in->size == 0 ? "-" : in->items[0].path);
	buf_u8(b, '\0');
}

static enum prof_status
report_write(struct report_run *r)
{
	struct report_page page = {
	    .plain = { r->plain.data, r->plain.size } };
	struct buf text = { 0 }, title = { 0 };
	enum prof_status status;

	report_put_title(&title, r);
	page.title = (const char *)title.data;
	page.data = (struct prof_span){ r->data.packed.data,
	    r->data.packed.size };
	if (!title.failed)
		report_page_put(&text, &page);
	status = title.failed || text.failed ? err_memory(&r->cli.err) :
	    cli_write_text(&r->cli, &text);
	buf_free(&text);
	buf_free(&title);
	return status;
}

static enum prof_status
report_read_binaries(struct report_run *r)
{
	struct cli *c = &r->cli;
	enum prof_status status = PROF_OK;

	for (size_t i = 0; i < r->binaries_size && status == PROF_OK; i++) {
		status = cli_binary_names(c, r->binaries[i], &r->names);
		if (status != PROF_END)
			continue;
		c->inputs.file = r->binaries[i];
		return err_set(&c->err, PROF_E_FORMAT, "not an ELF file");
	}
	return status;
}

/* The comparison goes behind the profiles, as plain HTML before them. */
static enum prof_status
report_compare(struct report_run *r)
{
	struct cli *c = &r->cli;
	struct buf plain = { 0 };

	if (diff_sides_compare(&r->sides) != PROF_OK)
		return PROF_FAIL;
	diff_limits_check(&r->limits, &r->diff);
	buf_text(&r->data.text, "],\n\"comparison\":");
	if (!report_comparison_json(&r->data, &r->diff) ||
	    !report_comparison_plain(&plain, &r->diff)) {
		buf_free(&plain);
		return err_memory(&c->err);
	}
	buf_put(&plain, r->plain.data, r->plain.size);
	buf_free(&r->plain);
	r->plain = plain;
	if (!diff_limits_hold(&r->diff, c))
		c->report.unclean = true;
	return PROF_OK;
}

static enum prof_status
report_read(struct report_run *r)
{
	struct cli *c = &r->cli;

	if (r->base != NULL)
		return diff_sides_read(&r->sides);
	if (cli_read(c, report_add_record, r) != PROF_OK)
		return PROF_FAIL;
	return r->any ? PROF_OK : err_set(&c->err, PROF_E_FORMAT,
	    "no profile in the input");
}

/* The flame graph of all profiles together, as prof-export makes it. */
static enum prof_status
report_picture(struct report_run *r)
{
	struct buf title = { 0 };
	struct heap_export e = { .format = export_format_named("svg"),
	    .options.name = show_demangled, .names = &r->names };
	enum prof_status status;

	report_put_title(&title, r);
	e.options.title = (const char *)title.data;
	status = title.failed ? err_memory(&r->cli.err) :
	    report_read_binaries(r);
	if (status == PROF_OK)
		status = cli_export_heap(&r->cli, &e);
	buf_free(&title);
	return status;
}

static enum prof_status
report_run(struct report_run *r)
{
	struct cli *c = &r->cli;

	if (r->format == REPORT_SVG)
		return report_picture(r);
	r->profile.threads = c->options.jobs;
	r->profile.names = &r->names;
	if (report_read_binaries(r) != PROF_OK ||
	    cli_open_bytes(c, false) != PROF_OK || report_read(r) != PROF_OK)
		return PROF_FAIL;
	if (r->base == NULL)
		buf_text(&r->data.text, "]");
	else if (report_compare(r) != PROF_OK)
		return PROF_FAIL;
	buf_text(&r->data.text, "}\n");
	if (!report_data_flush(&r->data, true))
		return err_memory(&c->err);
	report_profile_free(&r->profile);
	return report_write(r);
}

/* Without --format, the suffix of -o chooses. */
static void
report_choose_format(struct report_run *r)
{
	const struct cli *c = &r->cli;

	if (r->format == REPORT_ANY && c->output.path != NULL &&
	    suffix_is(c->output.path, "svg"))
		r->format = REPORT_SVG;
	if (r->format == REPORT_SVG && r->base != NULL)
		cli_usage_error(c, "svg is the flame graph of one profile");
	if (r->format == REPORT_SVG && r->profile.limit != SIZE_MAX)
		cli_usage_error(c, "--limit is for pages: svg leaves out what "
		    "is too narrow to see");
}

/* One operand is an input as those of lists are; two are compared. */
static void
report_operands(struct report_run *r, int argc, char **argv)
{
	struct cli *c = &r->cli;

	if (argc > OVERLAP_SIDES ||
	    (argc == OVERLAP_SIDES && c->inputs.size != 0))
		cli_usage_error(c, "takes a profile, and one to compare with");
	if (argc < OVERLAP_SIDES) {
		if (r->limited)
			cli_usage_error(c, "limits are of a comparison: there "
			    "is no profile to compare with");
		cli_operands(c, argc, argv);
		return;
	}
	r->base = argv[1];
	r->diff.file[OVERLAP_A] = r->base;
	r->diff.file[OVERLAP_B] = argv[0];
	r->diff.top = r->profile.limit;
	r->diff.demangle = true;
	for (int class = 0; class < DIFF_CLASSES; class++)
		r->diff.changes[class].equal = true;
	r->sides = (struct diff_sides){ .cli = c, .also = report_add_record,
	    .also_arg = r, .names = &r->names, .diff = &r->diff };
}

int
main(int argc, char **argv)
{
	struct report_run r = { .profile.limit = SIZE_MAX };
	int status;

	cli_start(&r.cli, &program);
	cli_parse(&r.cli, &r, argc, argv);
	report_operands(&r, argc - optind, argv + optind);
	report_choose_format(&r);
	cli_restrict(&r.cli, NULL);

	status = cli_end(&r.cli, report_run(&r));
	diff_sides_free(&r.sides);
	report_profile_free(&r.profile);
	heap_names_free(&r.names);
	free(r.binaries);
	report_data_free(&r.data);
	buf_free(&r.plain);
	return status;
}
