#include "config.h"

#include "cmd/check/outputs.h"

#include <string.h>

#include "base/error.h"
#include "io/output.h"

/* Makes the program's err and its messages be about this output. */
static void
check_outputs_blame(struct check_outputs *o, const char *name)
{
	o->cli->output.failed = true;
	o->cli->output.path = name;
}

/* A report on standard output replaces the lines for people. */
enum prof_status
check_outputs_open(struct check_outputs *o, struct cli *c)
{
	const char *report = o->report_name;

	o->cli = c;
	cli_check_report(c, report);
	check_outputs_blame(o, NULL);
	if (report == NULL || strcmp(report, "-") != 0) {
		o->out = output_open(NULL, false, &c->err);
		if (o->out == NULL)
			return PROF_FAIL;
	}
	check_outputs_blame(o, report);
	if (report != NULL && (o->report = output_open(report, false,
	    &c->err)) == NULL)
		return PROF_FAIL;
	c->output.failed = false;
	return PROF_OK;
}

static enum prof_status
check_outputs_write(struct check_outputs *o, struct output *out)
{
	int e;

	if (o->text.failed)
		return err_memory(&o->cli->err);
	e = output_write(out, o->text.data, o->text.size);
	o->text.size = 0;
	if (e == 0)
		return PROF_OK;
	check_outputs_blame(o, out == o->report ? o->report_name : NULL);
	return err_system(&o->cli->err, e, "write");
}

enum prof_status
check_outputs_put(struct check_outputs *o, const struct check_result *r)
{
	enum prof_status status = PROF_OK;

	if (o->out != NULL) {
		if (o->json)
			check_report(&o->text, r);
		else
			check_print(&o->text, r, o->cli->options.quiet);
		status = check_outputs_write(o, o->out);
	}
	if (status == PROF_OK && o->report != NULL) {
		check_report(&o->text, r);
		status = check_outputs_write(o, o->report);
	}
	return status;
}

static enum prof_status
check_outputs_close_one(struct check_outputs *o, struct output **out,
    const char *name)
{
	struct output *closing = *out;

	*out = NULL;
	if (closing == NULL)
		return PROF_OK;
	check_outputs_blame(o, name);
	if (output_commit(closing, &o->cli->err) != PROF_OK)
		return PROF_FAIL;
	o->cli->output.failed = false;
	return PROF_OK;
}

/* `out` is NULL if there is no such output. */
static enum prof_status
check_outputs_write_sums(struct check_outputs *o, struct output *out,
    const uint64_t states[3])
{
	if (out == NULL)
		return PROF_OK;
	check_report_sums(&o->text, states, o->cli->report.skipped);
	return check_outputs_write(o, out);
}

enum prof_status
check_outputs_close(struct check_outputs *o, const uint64_t states[3])
{
	if (check_outputs_write_sums(o, o->report, states) != PROF_OK ||
	    check_outputs_write_sums(o, o->json ? o->out : NULL, states) !=
	    PROF_OK)
		return PROF_FAIL;
	if (check_outputs_close_one(o, &o->out, NULL) != PROF_OK)
		return PROF_FAIL;
	return check_outputs_close_one(o, &o->report, o->report_name);
}

void
check_outputs_free(struct check_outputs *o)
{
	output_discard(o->out);
	output_discard(o->report);
	buf_free(&o->text);
}
