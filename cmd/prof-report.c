/* prof-report - profiles as one page for a browser */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "cmd/common/binary_names.h"
#include "cmd/common/pipeline.h"
#include "cmd/common/restrict.h"
#include "cmd/report/report.h"
#include "export/gzip.h"

struct report_run {
	struct cli cli;
	const char *title;
	const char **binaries;
	size_t binaries_size, binaries_room;
	struct heap_names names;	/* of the binaries */
	struct report_profile profile;	/* being read */
	struct buf data;		/* JSON, from the first profile on */
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
report_add_binary(const struct cli_given *g)
{
	struct report_run *r = g->run;

	if (!ARRAY_ADD(r->binaries, r->binaries_size, r->binaries_room,
	    g->argument))
		cli_out_of_memory(g->cli);
}

static const struct cli_option options[] = {
	{ 0, "title", "TEXT", "the title of the page (the file's name)",
	    CLI_SETS(struct report_run, title) },
	{ 0, "limit", "N",
	    "keep only the N largest functions and heap contexts",
	    CLI_CALLS(report_set_limit) },
	{ 0, "binary", "FILE",
	    "names of functions that a heap profile has hashes of",
	    CLI_CALLS(report_add_binary) },
	CLI_OUTPUT_ROW,
	{ 0 }
};

static const struct cli_program program = { "prof-report", NULL,
"usage: prof-report [options] [FILE...]\n"
"Makes one page for a browser of profiles of any kind.\n",
	{ options, cli_options }
};

static enum prof_status
report_end_profile(struct report_run *r, struct prof_error *err)
{
	if (report_profile_end(&r->profile, err) != PROF_OK)
		return PROF_FAIL;
	buf_text(&r->data, r->data.size == 0 ? "{\"profiles\":[" : ",\n");
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
	struct buf packed = { 0 }, text = { 0 };
	enum prof_status status;

	buf_text(&r->data, "]}\n");
	status = r->data.failed ? err_memory(&r->cli.err) :
	    export_gzip(&packed, (struct prof_span){ r->data.data,
	    r->data.size }, GZIP_FAST, &r->cli.err);
	buf_free(&r->data);
	page.data = (struct prof_span){ packed.data, packed.size };
	if (status == PROF_OK)
		report_page_put(&text, &page);
	buf_free(&packed);
	if (text.failed)
		status = err_memory(&r->cli.err);
	if (status == PROF_OK)
		status = cli_write_text(&r->cli, &text);
	buf_free(&text);
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

static enum prof_status
report_run(struct report_run *r)
{
	struct cli *c = &r->cli;

	r->profile.threads = c->options.jobs;
	r->profile.names = &r->names;
	if (report_read_binaries(r) != PROF_OK ||
	    cli_open_bytes(c, false) != PROF_OK ||
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
	heap_names_free(&r.names);
	free(r.binaries);
	buf_free(&r.data);
	buf_free(&r.plain);
	return status;
}
