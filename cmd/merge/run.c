#include "config.h"

#include "cmd/merge/run.h"

#include <string.h>

#include "base/error.h"
#include "cmd/merge/group.h"
#include "cmd/merge/reading.h"

static struct merge *
merge_run_new_sum(const struct merge_run *run)
{
	struct merge *m = merge_new(cli_warn, run->cli);

	if (m == NULL)
		cli_out_of_memory(run->cli);
	merge_limit_traces(m, &run->options->terms.traces);
	return m;
}

/* Checks all weights; creates the second sum if an input is subtracted. */
static void
merge_run_check_inputs(struct merge_run *run)
{
	const struct cli *c = run->cli;
	bool any = false;

	for (size_t i = 0; i < c->inputs.size; i++) {
		const struct cli_input *in = &c->inputs.items[i];
		struct merge_factor scaled;

		any = any || in->subtracted;
		if (!cli_multiply_weights(&in->weight, &run->options->scale,
		    &scaled))
			cli_usage_error(c, "the weight of %s times the scale "
			    "is too fine or too large", in->path);
	}
	if (!any)
		return;
	run->subtracted = merge_run_new_sum(run);
}

/* No profile is in the sum: the lines to insert are all of the output. */
static enum prof_status
merge_run_write_account(struct cli *c)
{
	prof_writer_free(c->output.writer);
	c->output.writer = NULL;
	if (cli_write_insertion(&c->output.insertion, &c->err) == PROF_OK)
		return cli_commit_output(c, NULL);
	c->output.failed = c->err.code == PROF_E_SYSTEM;
	return PROF_FAIL;
}

static enum prof_status
merge_run_write(struct merge_run *run)
{
	struct cli *c = run->cli;

	if (c->output.insertion.put != NULL && c->report.damage.used == 0)
		return merge_run_write_account(c);
	if (run->subtracted != NULL &&
	    merge_subtract(run->sum, run->subtracted, &c->err) != PROF_OK)
		return PROF_FAIL;
	if (cli_put_sum(c, run->sum, &run->options->output) != PROF_OK)
		return PROF_FAIL;
	return cli_finish(c);
}

/* --group-by, --intersect and --max-count work on single functions. */
static bool
merge_run_takes_blocks(const struct cli_merge_options *o)
{
	return !o->group && !o->output.intersect && o->limit.max_count == 0;
}

/* Opens the output, or prepares the outputs of groups. */
static enum prof_status
merge_run_begin_output(struct merge_run *run)
{
	struct cli *c = run->cli;

	/* The sum outlives the writer, unless runs are spilled. */
	c->output.target.borrows = run->options->buffer == 0;
	c->output.target.in_order = true;
	if (!run->options->group)
		return cli_open_output(c);
	if (run->subtracted != NULL)
		cli_usage_error(c, "--subtract cannot be used with --group-by");
	cli_prepare_output(c);
	run->groups = groups_new(c, &run->options->terms.traces);
	return PROF_OK;
}

/* Groups and intersections need all functions in memory. */
static void
merge_run_begin_sum(struct merge_run *run)
{
	const struct cli_merge_options *o = run->options;

	if (o->buffer != 0 && (o->group || o->output.intersect))
		cli_usage_error(run->cli, "--buffer-size cannot be used with "
		    "--intersect or --group-by");
	cli_spill_files(&run->spill);
	run->sum = merge_run_new_sum(run);
	if (o->buffer != 0)
		cli_spill_begin(run->cli, &run->spill, run->sum, o->buffer);
}

static enum prof_status
merge_run_all(struct merge_run *run)
{
	enum prof_status status = merge_run_read(run);

	prof_context_clear_cache(run->cli->context);
	if (status == PROF_OK)
		repeats_print(&run->repeats, run->cli);
	if (status == PROF_OK)
		status = passed_accounts_report(&run->accounts, run->cli,
		    run->options->account);
	if (status != PROF_OK)
		return status;
	return run->groups == NULL ? merge_run_write(run) :
	    groups_write(run->groups, &run->options->output);
}

int
cli_merge(struct cli *c, struct cli_merge_options *o)
{
	struct merge_run run = { .cli = c, .options = o,
	    .accounts = { .parts = o->account != NULL,
		.lock = PTHREAD_MUTEX_INITIALIZER } };
	enum prof_status status;

	if (c->options.jobs == 0)
		c->options.jobs = 1;
	o->limit.warn = cli_warn;
	o->limit.warn_arg = c;
	o->output.correlated = strcmp(c->output.target.format, "stream") == 0;
	o->output.targets_by_guid = strcmp(c->output.target.format,
	    "indexed") == 0;
	prof_context_salvage(c->context, c->options.salvage);
	cli_map_tables_begin();
	merge_run_begin_sum(&run);
	merge_run_check_inputs(&run);
	if (merge_run_takes_blocks(o)) {
		prof_context_blocks(c->context);
		prof_context_pairs(c->context);
	}
	prof_context_frame_numbers(c->context);
	status = merge_run_begin_output(&run);
	if (status == PROF_OK)
		status = merge_run_all(&run);
	if (status == PROF_FAIL)
		cli_spill_blame(c, &run.spill);
	cli_spill_end(&run.spill);
	merge_free(run.sum);
	merge_free(run.subtracted);
	groups_free(run.groups);
	passed_accounts_free(&run.accounts);
	repeats_free(&run.repeats);
	arena_free(&o->limit.arena);
	return cli_end(c, status);
}
