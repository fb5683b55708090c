#include "config.h"

#include "cmd/common/cli.h"

#include <stdio.h>
#include <stdlib.h>

#include "cmd/common/cleanup.h"
#include "cmd/common/made.h"
#include "cmd/common/message_text.h"
#include "io/output.h"

void
cli_start(struct cli *c, const struct cli_program *p)
{
	cli_expect_end();
	cli_cleanup_at_end();
	*c = (struct cli){ .name = p->name, .program = p };
	c->context = prof_context_new(cli_warn, c);
	c->report.progress = calloc(1, sizeof(*c->report.progress));
	if (c->context == NULL || c->report.progress == NULL)
		cli_out_of_memory(c);
}

static void
cli_print_skipped(const struct cli *c)
{
	if (c->report.skipped != 0 && !c->options.quiet)
		message_print("%s: skipped %llu %s\n", c->name,
		    (unsigned long long)c->report.skipped,
		    c->report.skipped == 1 ? "file that is not a profile" :
		    "files that are not profiles");
}

/* Inputs and members that a run without failure has left out. */
static void
cli_print_left_out(const struct cli *c)
{
	const struct cli_damage *d = &c->report.damage;

	/* Each input that gives trouble was named. */
	if (d->bad != 0 && !c->report.trouble)
		message_print("%s: %llu of %llu inputs are bad and left "
		    "out\n", c->name, (unsigned long long)d->bad,
		    (unsigned long long)(d->bad + d->used));
	cli_print_skipped(c);
}

int
cli_end(struct cli *c, enum prof_status status)
{
	bool reported = cli_damage_end(c, &c->err);

	cli_progress_clear(c);
	if (status == PROF_FAIL) {
		/* Why "no profile in the input": nothing was read at all. */
		if (c->report.damage.used == 0 && c->report.damage.bad == 0)
			cli_print_skipped(c);
		cli_print_error(c, &c->err);
		if (!c->output.failed)
			prof_abort(c->output.writer, c->err.reason);
	} else {
		cli_print_left_out(c);
		if (!cli_output_is_whole(c))
			c->report.unclean = true;
	}
	if (prof_context_salvaged(c->context))
		c->report.unclean = true;
	prof_writer_free(c->output.writer);
	output_discard(c->output.file);
	prof_context_free(c->context);
	retarget_free(c->output.retargeter);
	cli_names_free(c->inputs.names);
	free(c->inputs.failed_member);
	free(c->inputs.failed_file);
	free(c->report.progress);
	free(c->output.group_path);
	free(c->inputs.items);
	/* libarchive may exit even where an unfinished output is freed. */
	cli_reach_end();
	if (status == PROF_FAIL || !reported || c->report.trouble)
		return CLI_TROUBLE;
	made_keep();
	return c->report.damage.bad == 0 && !c->report.unclean ? CLI_DONE :
	    CLI_NO;
}
