#include "config.h"

#include "cmd/merge/run.h"

#include "cmd/common/consume.h"
#include "cmd/merge/class_parts.h"
#include "cmd/merge/group.h"
#include "cmd/merge/passed_accounts.h"
#include "cmd/common/pipeline.h"
#include "cmd/merge/sorted.h"
#include "cmd/merge/spill.h"
#include "cmd/merge/sums.h"
#include "cmd/common/watch.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/error.h"
#include "merge/worker.h"
#include "ops/partition.h"

/* The records of one profile after the other, before they are added. */
struct merge_intake {
	const struct cli *cli;		/* knows the input */
	enum prof_level level;		/* of the profile at hand */
	struct partition partition;
};

struct merge_run {
	struct cli *cli;
	struct cli_merge_options *options;
	struct merge *sum;
	struct merge *subtracted;	/* subtracted from the sum, or NULL */
	struct groups *groups;		/* in place of both, or NULL */
	struct sums sums, sums_subtracted;	/* own these two */
	struct merge *at;		/* sum of the input, once placed */
	uint64_t input;			/* number of the last input begun */
	struct merge_factor weight;	/* of that input, scaled */
	struct merge_intake intake;
	struct cli_spill spill;
	struct passed_accounts accounts;
};

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
	sums_init(&run->sums_subtracted, run->cli, &run->spill,
	    &run->options->terms, 0);
	run->subtracted = run->sums_subtracted.first;
}

static struct merge *
merge_run_sum(const struct merge_run *run)
{
	if (run->at != NULL)
		return run->at;
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

static struct merge_intake
merge_intake_of(const struct cli *c, const struct cli_merge_options *o)
{
	return (struct merge_intake){ .cli = c, .partition = {
	    .class = o->class, .classes = o->classes } };
}

/* The header of another class of profiles that are counted already. */
static void
merge_mark_counted(const struct cli *c, const struct prof_record **r,
    struct prof_record *marked)
{
	if ((*r)->kind != PROF_REC_PROFILE || !c->inputs.current->counted)
		return;
	*marked = **r;
	marked->u.profile.counted = true;
	*r = marked;
}

/*
 * Passes on what the sum gets of a record: no account, functions of the level
 * of the terms, if they have one, and of the class that is merged.
 */
static enum prof_status
merge_intake_add(struct merge_intake *in, struct merge_run *run,
    uint64_t number, const struct prof_record *r, partition_put *put,
    void *arg, struct prof_error *err)
{
	if (passed_accounts_note(&run->accounts, number, r, err) != PROF_OK)
		return PROF_FAIL;
	if (r->kind == PROF_REC_PROFILE) {
		in->level = r->u.profile.level;
		/* Tables of heap profiles are large, and freed in turn. */
		if (r->u.profile.kind != PROF_INSTR)
			cli_map_tables();
	}
	if ((r->kind == PROF_REC_FUNCTION || r->kind == PROF_REC_BLOCK) &&
	    sum_check_level(&run->options->terms, in->level, err) != PROF_OK)
		return PROF_FAIL;
	return in->cli->inputs.current->of_class ?
	    put(arg, in->partition.class, r, err) :
	    partition_add(&in->partition, r, put, arg, err);
}

static enum prof_status
merge_run_begin_input(struct merge_run *run, struct prof_error *err)
{
	const struct cli *c = run->cli;

	if (c->inputs.number == run->input)
		return PROF_OK;
	run->input = c->inputs.number;
	run->weight = c->inputs.current->weight;
	if (!cli_multiply_weights(&c->inputs.current->weight,
	    &run->options->scale, &run->weight))
		return err_weight_too_fine(err);
	merge_next_input(merge_run_sum(run));
	return PROF_OK;
}

static enum prof_status
merge_run_put(void *arg, uint64_t class, const struct prof_record *r,
    struct prof_error *err)
{
	struct merge_run *run = arg;
	struct prof_record changed;
	enum prof_status status = merge_run_limit(&run->options->limit, &r,
	    &changed, err);

	(void)class;
	if (status != PROF_OK)
		return status == PROF_END ? PROF_OK : PROF_FAIL;
	merge_mark_counted(run->cli, &r, &changed);
	return run->groups == NULL ?
	    merge_add(merge_run_sum(run), r, &run->weight, err) :
	    groups_add(run->groups, r, &run->weight, err);
}

static enum prof_status
merge_run_add(void *arg, const struct prof_record *r, struct prof_error *err)
{
	struct merge_run *run = arg;

	if (merge_run_begin_input(run, err) != PROF_OK)
		return PROF_FAIL;
	return merge_intake_add(&run->intake, run, run->input, r,
	    merge_run_put, run, err);
}

static enum prof_status
merge_run_check(void *arg, const struct prof_header *h, bool functions,
    struct prof_error *err)
{
	struct merge_run *run = arg;

	return merge_mixes(merge_run_sum(run), h, functions, err);
}

static struct sums *
merge_run_sums(struct merge_run *run, const struct commit_entry *e)
{
	return e->input.subtracted ? &run->sums_subtracted : &run->sums;
}

static enum prof_status
merge_run_place(void *arg, const struct cli_head *heads, size_t size,
    struct commit_entry *e, struct prof_error *err)
{
	struct merge_run *run = arg;
	struct sums *sums = merge_run_sums(run, e);

	if (sums_place(sums, heads, size, &e->kind, err) != PROF_OK)
		return PROF_FAIL;
	run->at = sums_at(sums, e->kind);
	return PROF_OK;
}

static enum prof_status
merge_run_decide(void *arg, const struct commit_entry *e,
    struct prof_error *err)
{
	return sums_decide(merge_run_sums(arg, e), e, err);
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

	if (run->options->parts != NULL)
		return class_parts_write(run->options->parts, c,
		    c->report.damage.used == 0 ? NULL : run->sum,
		    &run->options->output);
	/* A class of functions may have none of any input. */
	if (c->output.insertion.put != NULL && (c->report.damage.used == 0 ||
	    (run->options->classes != 0 && !merge_has_profile(run->sum))))
		return merge_run_write_account(c);
	if (run->subtracted != NULL &&
	    merge_subtract(run->sum, run->subtracted, &c->err) != PROF_OK)
		return PROF_FAIL;
	if (cli_put_sum(c, run->sum, &run->options->output) != PROF_OK)
		return PROF_FAIL;
	return cli_finish(c);
}

/* The state of one worker thread. */
struct merge_thread {
	struct merge_run *run;
	const struct cli *cli;
	struct merge_seat {
		const struct merge *sum;
		struct merge_worker *worker;
	} *seats;			/* one for each sum */
	size_t seats_size, seats_room;
	struct merge_worker *at;	/* the sum of the input; or NULL */
	struct merge_factor weight;	/* of the input, scaled */
	struct limit limit;
	struct merge_intake intake;
	uint64_t number;		/* of the input */
};

/* The thread's worker of the sum, or NULL if out of memory. */
static struct merge_worker *
merge_thread_seat(struct merge_thread *f, struct merge *sum)
{
	struct merge_seat new = { .sum = sum };

	for (size_t i = 0; i < f->seats_size; i++) {
		if (f->seats[i].sum == sum)
			return f->seats[i].worker;
	}
	new.worker = merge_worker_new(sum);
	return new.worker != NULL && ARRAY_ADD(f->seats, f->seats_size,
	    f->seats_room, new) ? new.worker : NULL;
}

static void
merge_thread_stop(void *arg)
{
	struct merge_thread *f = arg;

	arena_free(&f->limit.arena);
	partition_free(&f->intake.partition);
	free(f->seats);
	free(f);
}

static void *
merge_thread_start(void *arg, struct cli *view)
{
	struct merge_run *run = arg;
	struct merge_thread *f = calloc(1, sizeof(*f));

	if (f == NULL)
		return NULL;
	f->run = run;
	f->cli = view;
	f->limit = run->options->limit;
	f->limit.warn_arg = view;
	f->limit.arena = (struct arena){ 0 };
	f->intake = merge_intake_of(view, run->options);
	if (merge_thread_seat(f, run->sum) != NULL &&
	    (run->subtracted == NULL ||
	    merge_thread_seat(f, run->subtracted) != NULL))
		return f;
	merge_thread_stop(f);
	return NULL;
}

/* Under --keep-going, the sum is known when the input has been placed. */
static enum prof_status
merge_thread_begin(void *arg, uint64_t number, struct prof_error *err)
{
	struct merge_thread *f = arg;
	const struct cli_input *input = f->cli->inputs.current;

	f->at = NULL;
	f->number = number;
	if (!cli_multiply_weights(&input->weight, &f->run->options->scale,
	    &f->weight))
		return err_weight_too_fine(err);
	if (f->cli->report.damage.keep_going)
		return PROF_OK;
	f->at = merge_thread_seat(f, input->subtracted ? f->run->subtracted :
	    f->run->sum);
	merge_worker_begin(f->at, number);
	return PROF_OK;
}

static enum prof_status
merge_thread_place(void *arg, const struct cli_head *heads, size_t size,
    struct commit_entry *e, struct prof_error *err)
{
	struct merge_thread *f = arg;
	struct sums *sums = merge_run_sums(f->run, e);

	if (sums_place(sums, heads, size, &e->kind, err) != PROF_OK)
		return PROF_FAIL;
	f->at = merge_thread_seat(f, sums_at(sums, e->kind));
	if (f->at == NULL)
		return err_memory(err);
	merge_worker_begin(f->at, e->number);
	return PROF_OK;
}

static enum prof_status
merge_thread_put(void *arg, uint64_t class, const struct prof_record *r,
    struct prof_error *err)
{
	struct merge_thread *f = arg;
	struct prof_record changed;
	enum prof_status status = merge_run_limit(&f->limit, &r, &changed, err);

	(void)class;
	if (status != PROF_OK)
		return status == PROF_END ? PROF_OK : PROF_FAIL;
	merge_mark_counted(f->cli, &r, &changed);
	return merge_worker_add(f->at, r, &f->weight, err);
}

static enum prof_status
merge_thread_add(void *arg, const struct prof_record *r, struct prof_error *err)
{
	struct merge_thread *f = arg;

	return merge_intake_add(&f->intake, f->run, f->number, r,
	    merge_thread_put, f, err);
}

static void
merge_thread_idle(void *arg)
{
	const struct merge_thread *f = arg;

	if (f->at != NULL)
		merge_worker_release(f->at);
}

static void
merge_thread_end(void *arg)
{
	const struct merge_thread *f = arg;

	merge_worker_end(f->at);
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

static enum cli_action
merge_run_classify(void *arg, struct cli *c, struct cli_item *item,
    const struct input_member *m, uint64_t ordinal)
{
	const struct merge_run *run = arg;
	const struct cli_merge_choice *choice = run->options->choice;

	return choice->classify(choice->arg, c, item, m, ordinal);
}

static enum prof_status
merge_run_pipeline(struct merge_run *run, struct cli_pipeline *p)
{
	const struct cli_merge_choice *choice = run->options->choice;

	if (choice == NULL)
		return cli_pipeline_run(run->cli, p);
	p->classify = merge_run_classify;
	p->verify = choice->verify;
	return cli_pipeline_run(run->cli, p) == PROF_OK ?
	    choice->settle(choice->arg) : PROF_FAIL;
}

/*
 * Groups do not mix kinds, and an intersection counts inputs: these two use the
 * kind of the first input.
 */
static enum prof_status
merge_run_read_serial(struct merge_run *run)
{
	struct cli_pipeline serial = { .arg = run, .serial = true,
	    .add = merge_run_add, .merges = true };

	if (run->options->output.intersect) {
		serial.check = merge_run_check;
	} else if (!run->options->group) {
		serial.place = merge_run_place;
		serial.decide = merge_run_decide;
	}
	return merge_run_pipeline(run, &serial);
}

static enum prof_status
merge_run_join(struct sums *sums, struct merge **sum, struct prof_error *err)
{
	if (sums->size != 0)
		return sums_join(sums, sum, err);
	return *sum == NULL ? PROF_OK : merge_join_workers(*sum, err);
}

static enum prof_status
merge_run_read(struct merge_run *run)
{
	struct cli_pipeline work = { .arg = run, .start =
	    merge_thread_start, .begin = merge_thread_begin, .add =
	    merge_thread_add, .merges = true, .place =
	    merge_thread_place, .decide = merge_run_decide, .idle =
	    merge_thread_idle, .end = merge_thread_end, .stop =
	    merge_thread_stop, .refused = merge_run_refused };
	struct cli *c = run->cli;

	if ((merge_run_is_parallel(run) ? merge_run_pipeline(run, &work) :
	    merge_run_read_serial(run)) != PROF_OK ||
	    merge_run_join(&run->sums, &run->sum, &c->err) != PROF_OK)
		return PROF_FAIL;
	return merge_run_join(&run->sums_subtracted, &run->subtracted,
	    &c->err);
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
	c->output.target.in_order = true;
	if (run->options->parts != NULL) {
		cli_prepare_output(c);
		return class_parts_open(run->options->parts, c);
	}
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
	sums_init(&run->sums, run->cli, &run->spill, &o->terms, o->buffer);
	run->sum = run->sums.first;
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

static enum prof_status
merge_run_all(struct merge_run *run)
{
	enum prof_status status = merge_run_read(run);

	prof_context_clear_cache(run->cli->context);
	if (status == PROF_OK)
		status = passed_accounts_report(&run->accounts, run->cli,
		    run->options->account);
	return status == PROF_OK ? merge_run_finish(run) : status;
}

int
cli_merge(struct cli *c, struct cli_merge_options *o)
{
	struct merge_run run = { .cli = c, .options = o,
	    .intake = merge_intake_of(c, o),
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
	if (o->consume && c->options.salvage)
		cli_usage_error(c, "--consume cannot be used with --salvage: "
		    "lost records could not be recovered");
	if (o->consume && o->limit.max_count != 0 &&
	    o->limit.action != LIMIT_FAIL)
		cli_usage_error(c, "--consume with --max-count needs "
		    "--on-absurd fail: counts that are left out would be lost");
	prof_context_salvage(c->context, c->options.salvage);
	cli_map_tables_begin();
	merge_run_begin_sum(&run);
	merge_run_check_inputs(&run);
	if (c->options.watched != NULL)
		cli_watch_begin(c);
	if (merge_run_takes_blocks(o)) {
		prof_context_blocks(c->context);
		prof_context_pairs(c->context);
	}
	prof_context_frame_numbers(c->context);
	status = merge_run_begin_output(&run);
	if (status == PROF_OK && o->consume)
		cli_consume_begin(c, o->group);
	if (status == PROF_OK)
		status = cli_merge_sorted(c, o, &run.spill);
	if (status == PROF_END)
		status = merge_run_all(&run);
	if (status == PROF_FAIL)
		cli_spill_blame(c, &run.spill);
	cli_spill_end(&run.spill);
	if (o->parts != NULL)
		class_parts_end(o->parts);
	sums_free(&run.sums);
	sums_free(&run.sums_subtracted);
	groups_free(run.groups);
	partition_free(&run.intake.partition);
	passed_accounts_free(&run.accounts);
	arena_free(&o->limit.arena);
	return cli_end(c, status);
}
