/* prof-report - profiles as one page for a browser */
#include "config.h"

#include <stdint.h>

#include "base/error.h"
#include "cmd/common/pipeline.h"
#include "cmd/common/restrict.h"
#include "cmd/report/report.h"
#include "export/gzip.h"

struct report_run {
	struct cli cli;
	const char *title;
	struct report_profile profile;	/* being read */
	struct buf data;		/* JSON objects, a comma between */
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

static const struct cli_option options[] = {
	{ 0, "title", "TEXT", "the title of the page (the file's name)",
	    CLI_SETS(struct report_run, title) },
	{ 0, "limit", "N", "keep only the N functions with the largest share",
	    CLI_CALLS(report_set_limit) },
	CLI_OUTPUT_ROW,
	{ 0 }
};

static const struct cli_program program = { "prof-report", NULL,
"usage: prof-report [options] [FILE...]\n"
"Makes one page for a browser of profiles: figures, functions, charts.\n",
	{ options, cli_options }
};

static enum prof_status
report_end_profile(struct report_run *r, struct prof_error *err)
{
	if (report_profile_end(&r->profile, err) != PROF_OK)
		return PROF_FAIL;
	buf_text(&r->data, r->data.size == 0 ? "" : ",\n");
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
		return report_profile_begin(&r->profile, &record->u.profile) ?
		    PROF_OK : err_memory(err);
	if (record->kind == PROF_REC_END)
		return report_end_profile(r, err);
	return report_profile_add(&r->profile, record, err);
}

/* The title is the first file's name, unless the user gave one. */
static const char *
report_title(const struct report_run *r)
{
	const char *path = r->cli.inputs.size == 0 ? "-" :
	    r->cli.inputs.items[0].path;

	return r->title != NULL ? r->title : strcmp(path, "-") == 0 ?
	    "profile" : path;
}

static enum prof_status
report_write(struct report_run *r)
{
	struct report_page page = { .title = report_title(r),
	    .plain = { r->plain.data, r->plain.size } };
	struct buf json = { 0 }, packed = { 0 }, text = { 0 };
	enum prof_status status;

	buf_text(&json, "{\"profiles\":[");
	buf_put(&json, r->data.data, r->data.size);
	buf_text(&json, "]}\n");
	buf_free(&r->data);
	status = json.failed ? err_memory(&r->cli.err) : export_gzip(&packed,
	    (struct prof_span){ json.data, json.size }, &r->cli.err);
	buf_free(&json);
	page.data = (struct prof_span){ packed.data, packed.size };
	if (status == PROF_OK)
		report_page_put(&text, &page);
	buf_free(&packed);
	if (status == PROF_OK)
		status = cli_write_text(&r->cli, &text);
	buf_free(&text);
	return status;
}

static enum prof_status
report_run(struct report_run *r)
{
	struct cli *c = &r->cli;

	r->profile.threads = c->options.jobs;
	if (cli_open_bytes(c, false) != PROF_OK ||
	    cli_read(c, report_add_record, r) != PROF_OK)
		return PROF_FAIL;
	if (r->data.size == 0)
		return err_set(&c->err, PROF_E_FORMAT,
		    "no profile in the input");
	return report_write(r);
}

int
main(int argc, char **argv)
{
	struct report_run r = { .profile.limit = SIZE_MAX };
	int status;

	cli_start(&r.cli, &program);
	cli_parse(&r.cli, &r, argc, argv);
	cli_operands(&r.cli, argc - optind, argv + optind);
	cli_restrict(&r.cli, NULL);

	status = cli_end(&r.cli, report_run(&r));
	report_profile_free(&r.profile);
	buf_free(&r.data);
	buf_free(&r.plain);
	return status;
}
