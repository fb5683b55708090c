#include "config.h"

#include "cmd/common/merge.h"

#include "cmd/common/consume.h"
#include "cmd/common/group.h"
#include "cmd/common/spill.h"
#include "cmd/common/pipeline.h"
#include "cmd/common/watch.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "merge/worker.h"

struct merge_run {
	struct cli *cli;
	struct cli_merge_options *options;
	struct merge *sum;
	struct merge *subtracted;	/* subtracted from the sum, or NULL */
	struct groups *groups;		/* in place of both, or NULL */
	uint64_t input;			/* number of the last input begun */
	struct merge_factor weight;	/* of that input, scaled */
	struct cli_spill spill;
};

static uint64_t
common_divisor(uint64_t a, uint64_t b)
{
	while (b != 0) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* The product of two fractions; false if its parts are too large. */
static bool
factor_multiply(const struct merge_factor *a, const struct merge_factor *b,
    struct merge_factor *out)
{
	uint64_t x = common_divisor(a->times, b->parts);
	uint64_t y = common_divisor(b->times, a->parts);

	if (__builtin_mul_overflow(a->times / x, b->times / y, &out->times) ||
	    __builtin_mul_overflow(a->parts / y, b->parts / x, &out->parts))
		return false;
	return out->parts == 1 || (out->parts <= UINT32_MAX &&
	    out->times <= UINT32_MAX);
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
		if (!factor_multiply(&in->weight, &run->options->scale,
		    &scaled))
			cli_usage_error(c, "the weight of %s times the scale "
			    "is too fine or too large", in->path);
	}
	if (!any)
		return;
	run->subtracted = merge_new(cli_warn, run->cli);
	if (run->subtracted == NULL)
		cli_out_of_memory(c);
}

static struct merge *
merge_run_sum(const struct merge_run *run)
{
	return run->cli->inputs.current->subtracted ? run->subtracted :
	    run->sum;
}

static enum prof_status
err_weight_too_fine(struct prof_error *err)
{
	return err_set(err, PROF_E_LIMIT, "its weight times the scale is too "
	    "fine or too large");
}

/* Applies --max-count; PROF_END if the record is to be left out. */
static enum prof_status
merge_run_limit(struct limit *l, const struct prof_record **r,
    struct prof_record *limited, struct prof_error *err)
{
	if (l->max_count == 0 || (*r)->kind != PROF_REC_FUNCTION)
		return PROF_OK;
	*limited = **r;
	*r = limited;
	return limit_function(l, &limited->u.function, err);
}

static enum prof_status
merge_run_begin_input(struct merge_run *run, struct prof_error *err)
{
	const struct cli *c = run->cli;

	if (c->inputs.number == run->input)
		return PROF_OK;
	run->input = c->inputs.number;
	run->weight = c->inputs.current->weight;
	if (!factor_multiply(&c->inputs.current->weight, &run->options->scale,
	    &run->weight))
		return err_weight_too_fine(err);
	merge_next_input(merge_run_sum(run));
	return PROF_OK;
}

static enum prof_status
merge_run_add(void *arg, const struct prof_record *r, struct prof_error *err)
{
	struct merge_run *run = arg;
	struct prof_record limited;
	enum prof_status status;

	if (merge_run_begin_input(run, err) != PROF_OK)
		return PROF_FAIL;
	status = merge_run_limit(&run->options->limit, &r, &limited, err);
	if (status != PROF_OK)
		return status == PROF_END ? PROF_OK : PROF_FAIL;
	return run->groups == NULL ?
	    merge_add(merge_run_sum(run), r, &run->weight, err) :
	    groups_add(run->groups, r, &run->weight, err);
}

static enum prof_status
merge_run_check(void *arg, const struct prof_header *h, bool functions,
    struct prof_error *err)
{
	struct merge_run *run = arg;

	return merge_mixes(merge_run_sum(run), h, functions, err);
}

static enum prof_status
merge_run_write(struct merge_run *run)
{
	struct cli *c = run->cli;

	if (run->subtracted != NULL &&
	    merge_subtract(run->sum, run->subtracted, &c->err) != PROF_OK)
		return PROF_FAIL;
	if (cli_put_sum(c, run->sum, &run->options->output) != PROF_OK)
		return PROF_FAIL;
	return cli_finish(c);
}

/* The state of one worker thread. */
struct merge_thread {
	const struct merge_run *run;
	const struct cli *cli;
	struct merge_worker *sum, *subtracted;	/* subtracted: or NULL */
	struct merge_factor weight;	/* of the input, scaled */
	struct limit limit;
};

static void *
merge_thread_start(void *arg, struct cli *view)
{
	const struct merge_run *run = arg;
	struct merge_thread *f = calloc(1, sizeof(*f));

	if (f == NULL)
		return NULL;
	f->run = run;
	f->cli = view;
	f->limit = run->options->limit;
	f->limit.warn_arg = view;
	f->limit.arena = (struct arena){ 0 };
	f->sum = merge_worker_new(run->sum);
	if (run->subtracted != NULL)
		f->subtracted = merge_worker_new(run->subtracted);
	if (f->sum != NULL && (f->subtracted != NULL ||
	    run->subtracted == NULL))
		return f;
	free(f);
	return NULL;
}

static struct merge_worker *
merge_thread_sum(const struct merge_thread *f)
{
	return f->cli->inputs.current->subtracted ? f->subtracted : f->sum;
}

static enum prof_status
merge_thread_begin(void *arg, uint64_t number, struct prof_error *err)
{
	struct merge_thread *f = arg;

	if (!factor_multiply(&f->cli->inputs.current->weight,
	    &f->run->options->scale, &f->weight))
		return err_weight_too_fine(err);
	merge_worker_begin(merge_thread_sum(f), number);
	return PROF_OK;
}

static enum prof_status
merge_thread_add(void *arg, const struct prof_record *r, struct prof_error *err)
{
	struct merge_thread *f = arg;
	struct prof_record limited;
	enum prof_status status = merge_run_limit(&f->limit, &r, &limited, err);

	return status != PROF_OK ? status == PROF_END ? PROF_OK : PROF_FAIL :
	    merge_worker_add(merge_thread_sum(f), r, &f->weight, err);
}

static enum prof_status
merge_thread_check(void *arg, const struct prof_header *h, bool functions,
    struct prof_error *err)
{
	return merge_worker_admit(merge_thread_sum(arg), h, functions, err);
}

static void
merge_thread_idle(void *arg)
{
	merge_worker_release(merge_thread_sum(arg));
}

static void
merge_thread_end(void *arg)
{
	merge_worker_end(merge_thread_sum(arg));
}

static void
merge_thread_stop(void *arg)
{
	struct merge_thread *f = arg;

	arena_free(&f->limit.arena);
	free(f);
}

static uint64_t
merge_run_refused(void *arg, struct prof_error *why)
{
	const struct merge_run *run = arg;
	uint64_t number = merge_first_refused(run->sum, why), other;
	struct prof_error why_other = { 0 };

	if (run->subtracted == NULL)
		return number;
	other = merge_first_refused(run->subtracted, &why_other);
	if (other < number)
		*why = why_other;
	return other < number ? other : number;
}

/*
 * --group-by, --intersect, --watch and --buffer-size need inputs one after the
 * other.  --keep-going uses the parallel run with one thread too, so that the
 * same records are left out for any number of threads.
 */
static bool
merge_run_is_parallel(const struct merge_run *run)
{
	const struct cli_merge_options *o = run->options;
	const struct cli *c = run->cli;

	return !o->group && !o->output.intersect && o->buffer == 0 &&
	    c->options.watched == NULL && (c->options.jobs > 1 ||
	    c->report.damage.keep_going);
}

static enum prof_status
merge_run_read(struct merge_run *run)
{
	const struct cli_pipeline work = { .arg = run, .start =
	    merge_thread_start, .begin = merge_thread_begin, .add =
	    merge_thread_add, .check = merge_thread_check, .idle =
	    merge_thread_idle, .end = merge_thread_end, .stop =
	    merge_thread_stop, .refused = merge_run_refused };
	const struct cli_pipeline serial = { .arg = run, .serial = true,
	    .add = merge_run_add, .check = run->options->group ? NULL :
	    merge_run_check };
	struct cli *c = run->cli;

	if (!merge_run_is_parallel(run))
		return cli_pipeline_run(c, &serial);
	if (cli_pipeline_run(c, &work) != PROF_OK ||
	    merge_join_workers(run->sum, &c->err) != PROF_OK)
		return PROF_FAIL;
	return run->subtracted == NULL ? PROF_OK :
	    merge_join_workers(run->subtracted, &c->err);
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

	/* The sum outlives the writer, unless parts are spilled. */
	c->output.target.borrows = run->options->buffer == 0;
	if (!run->options->group)
		return cli_open_output(c);
	if (run->subtracted != NULL)
		cli_usage_error(c, "--subtract does not go with --group-by");
	cli_prepare_output(c);
	run->groups = groups_new(c);
	return PROF_OK;
}

/* Groups and intersections need all functions in memory. */
static void
merge_run_begin_spill(struct merge_run *run)
{
	const struct cli_merge_options *o = run->options;

	if (o->buffer == 0)
		return;
	if (o->group || o->output.intersect)
		cli_usage_error(run->cli, "--buffer-size does not go with "
		    "--intersect or --group-by");
	cli_spill_begin(run->cli, &run->spill, run->sum, o->buffer);
}

/* Writes the sum, unless a run that was stopped has done so. */
static enum prof_status
merge_run_finish(struct merge_run *run)
{
	struct cli *c = run->cli;
	enum prof_status status = cli_consume_ready(c);

	if (status == PROF_OK)
		status = run->groups == NULL ? merge_run_write(run) :
		    groups_write(run->groups, &run->options->output);
	if (status == PROF_OK && !cli_consume_end(c))
		c->report.unclean = true;
	return status == PROF_END ? PROF_OK : status;
}

int
cli_merge(struct cli *c, struct cli_merge_options *o)
{
	struct merge_run run = { .cli = c, .options = o,
	    .sum = merge_new(cli_warn, c) };
	enum prof_status status;

	if (run.sum == NULL)
		cli_out_of_memory(c);
	if (c->options.jobs == 0)
		c->options.jobs = 1;
	o->limit.warn = cli_warn;
	o->limit.warn_arg = c;
	o->output.correlated = strcmp(c->output.target.format, "stream") == 0;
	o->output.targets_by_guid = strcmp(c->output.target.format,
	    "indexed") == 0;
	merge_run_check_inputs(&run);
	merge_run_begin_spill(&run);
	if (c->options.watched != NULL)
		cli_watch_begin(c);
	if (merge_run_takes_blocks(o)) {
		prof_context_blocks(c->context);
		prof_context_pairs(c->context);
	}
	status = merge_run_begin_output(&run);
	if (status == PROF_OK && o->consume)
		cli_consume_begin(c, o->group);
	if (status == PROF_OK)
		status = merge_run_read(&run);
	prof_context_clear_cache(c->context);
	if (status == PROF_OK)
		status = merge_run_finish(&run);
	if (status == PROF_FAIL)
		cli_spill_blame(c, &run.spill);
	cli_spill_end(&run.spill);
	merge_free(run.sum);
	merge_free(run.subtracted);
	groups_free(run.groups);
	arena_free(&o->limit.arena);
	return cli_end(c, status);
}
