/* A report, from its inputs to the page. */
#include "config.h"

#include "cmd/report/report.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/error.h"
#include "cmd/common/pipeline.h"
#include "cmd/print/print.h"
#include "io/output.h"

struct report_run {
	struct cli *cli;
	const struct report *wanted;
	struct heap_names names;	/* of the binaries */
	struct report_profile profile;	/* being read */
	struct diff_sides sides;
	struct diff diff;
	struct report_data data;
	bool any;			/* there was a profile */
	struct buf plain;
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
	const struct cli_inputs *in = &r->cli->inputs;

	if (r->wanted->base != NULL) {
		report_put_path(b, r->wanted->profile);
		buf_text(b, " against ");
		report_put_path(b, r->wanted->base);
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
	struct report_page page = { .flush = report_flush, .arg = r->cli,
	    .plain = buf_span(&r->plain) };
	struct buf text = { 0 }, title = { 0 };
	enum prof_status status;

	report_put_title(&title, r);
	page.title = (const char *)title.data;
	page.data = buf_span(&r->data.packed);
	if (title.failed)
		status = err_memory(&r->cli->err);
	else if (!report_page_put(&text, &page))
		status = PROF_FAIL;
	else
		status = text.failed ? err_memory(&r->cli->err) :
		    cli_write_text(r->cli, &text);
	buf_free(&text);
	buf_free(&title);
	return status;
}

static enum prof_status
report_read_binaries(struct report_run *r)
{
	const struct report *w = r->wanted;
	struct cli *c = r->cli;
	enum prof_status status = PROF_OK;

	for (size_t i = 0; i < w->binaries_size && status == PROF_OK; i++) {
		status = cli_binary_names(c, w->binaries[i], &r->names);
		if (status != PROF_END)
			continue;
		c->inputs.file = w->binaries[i];
		return err_set(&c->err, PROF_E_FORMAT, "not an ELF file");
	}
	return status;
}

/*
 * Compares both profiles; a limit that does not hold is reported.  The
 * comparison goes behind the profiles, as plain HTML before them.
 */
static enum prof_status
report_compare(struct report_run *r)
{
	struct cli *c = r->cli;
	struct buf plain = { 0 };

	if (diff_sides_compare(&r->sides) != PROF_OK)
		return PROF_FAIL;
	diff_limits_check(&r->wanted->limits, &r->diff);
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
	struct cli *c = r->cli;

	if (r->wanted->base != NULL)
		return diff_sides_read(&r->sides);
	if (cli_read(c, report_add_record, r) != PROF_OK)
		return PROF_FAIL;
	return r->any ? PROF_OK : err_set(&c->err, PROF_E_FORMAT,
	    "no profile in the input");
}

static enum prof_status
report_page(struct report_run *r)
{
	struct cli *c = r->cli;

	r->profile.threads = c->options.jobs;
	r->profile.names = &r->names;
	if (report_read_binaries(r) != PROF_OK ||
	    cli_open_bytes(c, false) != PROF_OK || report_read(r) != PROF_OK)
		return PROF_FAIL;
	if (r->wanted->base == NULL)
		buf_text(&r->data.text, "]");
	else if (report_compare(r) != PROF_OK)
		return PROF_FAIL;
	buf_text(&r->data.text, "}\n");
	if (!report_data_flush(&r->data, true))
		return err_memory(&c->err);
	report_profile_free(&r->profile);
	return report_write(r);
}

/* What is compared, and with whose records the pages of both are made. */
static void
report_set_sides(struct report_run *r)
{
	const struct report *w = r->wanted;

	r->diff.file[OVERLAP_A] = w->base;
	r->diff.file[OVERLAP_B] = w->profile;
	r->diff.top = w->limit;
	r->diff.demangle = true;
	for (int class = 0; class < DIFF_CLASSES; class++)
		r->diff.changes[class].equal = true;
	r->sides = (struct diff_sides){ .cli = r->cli,
	    .also = report_add_record, .also_arg = r,
	    .names = &r->names, .diff = &r->diff };
}

enum prof_status
report_make(struct cli *c, const struct report *wanted)
{
	struct report_run r = { .cli = c, .wanted = wanted,
	    .profile.limit = wanted->limit };
	enum prof_status status;

	if (wanted->base != NULL)
		report_set_sides(&r);
	status = report_page(&r);
	diff_sides_free(&r.sides);
	report_profile_free(&r.profile);
	heap_names_free(&r.names);
	report_data_free(&r.data);
	buf_free(&r.plain);
	return status;
}
