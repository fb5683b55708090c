#include "config.h"

#include "cmd/merge/reading.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "cmd/common/pipeline.h"
#include "cmd/merge/group.h"
#include "cmd/merge/run.h"
#include "merge/check.h"
#include "merge/worker.h"
#include "model/account_line.h"

/* Inputs that are read one after the other. */
struct merge_serial {
	struct merge *at;		/* sum of the input, once placed */
	uint64_t input;			/* number of the last input begun */
	struct merge_factor weight;	/* of that input, scaled */
	enum prof_level level;		/* of the profile at hand */
};

static enum prof_status
err_weight_too_fine(struct prof_error *err)
{
	return err_set(err, PROF_E_LIMIT, "its weight times the scale is too "
	    "fine or too large");
}

/* Applies --max-count; PROF_END if the record is to be left out. */
static enum prof_status
merge_intake_limit(struct limit *l, const struct prof_record **r,
    struct prof_record *limited, struct prof_error *err)
{
	if (l->max_count == 0 || (*r)->kind != PROF_REC_FUNCTION)
		return PROF_OK;
	*limited = **r;
	*r = limited;
	return limit_function(l, &limited->u.function, err);
}

/*
 * Whether the sum gets the record; PROF_END if not.  It gets no account, and
 * only functions of the level of the terms, if they have one.
 */
static enum prof_status
merge_intake_check(enum prof_level *level, struct merge_run *run,
    uint64_t number, const struct prof_record *r, struct prof_error *err)
{
	if (passed_accounts_note(&run->accounts, number, r, err) != PROF_OK)
		return PROF_FAIL;
	if (r->kind == PROF_REC_OTHER && is_account_line(r->u.other))
		return PROF_END;
	if (r->kind == PROF_REC_PROFILE) {
		*level = r->u.profile.level;
		/* Tables of heap profiles are large, and freed in turn. */
		if (r->u.profile.kind != PROF_INSTR)
			cli_map_tables();
	}
	return r->kind == PROF_REC_FUNCTION || r->kind == PROF_REC_BLOCK ?
	    sum_check_level(&run->options->terms, *level, err) : PROF_OK;
}

static struct sums *
merge_run_sums(struct merge_run *run, const struct commit_entry *e)
{
	return e->input.subtracted ? &run->sums_subtracted : &run->sums;
}

static enum prof_status
merge_run_decide(void *arg, const struct commit_entry *e,
    struct prof_error *err)
{
	return sums_decide(merge_run_sums(arg, e), e, err);
}

static struct merge *
merge_serial_sum(const struct merge_run *run)
{
	if (run->serial->at != NULL)
		return run->serial->at;
	return run->cli->inputs.current->subtracted ? run->subtracted :
	    run->sum;
}

static enum prof_status
merge_serial_begin(struct merge_run *run, struct prof_error *err)
{
	const struct cli *c = run->cli;
	struct merge_serial *s = run->serial;

	if (c->inputs.number == s->input)
		return PROF_OK;
	s->input = c->inputs.number;
	s->weight = c->inputs.current->weight;
	if (!cli_multiply_weights(&c->inputs.current->weight,
	    &run->options->scale, &s->weight))
		return err_weight_too_fine(err);
	merge_next_input(merge_serial_sum(run));
	return PROF_OK;
}

static enum prof_status
merge_serial_add(void *arg, const struct prof_record *r, struct prof_error *err)
{
	struct merge_run *run = arg;
	struct prof_record limited;
	enum prof_status status = merge_serial_begin(run, err);

	if (status == PROF_OK)
		status = merge_intake_check(&run->serial->level, run,
		    run->serial->input, r, err);
	if (status == PROF_OK)
		status = merge_intake_limit(&run->options->limit, &r, &limited,
		    err);
	if (status != PROF_OK)
		return status == PROF_END ? PROF_OK : PROF_FAIL;
	return run->groups == NULL ?
	    merge_add(merge_serial_sum(run), r, &run->serial->weight, err) :
	    groups_add(run->groups, r, &run->serial->weight, err);
}

static enum prof_status
merge_serial_check(void *arg, const struct prof_header *h, bool functions,
    struct prof_error *err)
{
	struct merge_run *run = arg;

	return merge_mixes(merge_serial_sum(run), h, functions, err);
}

static enum prof_status
merge_serial_place(void *arg, const struct cli_head *heads, size_t size,
    struct commit_entry *e, struct prof_error *err)
{
	struct merge_run *run = arg;
	struct sums *sums = merge_run_sums(run, e);

	if (sums_place(sums, heads, size, &e->kind, err) != PROF_OK)
		return PROF_FAIL;
	run->serial->at = sums_at(sums, e->kind);
	return PROF_OK;
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
	enum prof_level level;		/* of the profile at hand */
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
merge_thread_add(void *arg, const struct prof_record *r, struct prof_error *err)
{
	struct merge_thread *f = arg;
	struct prof_record limited;
	enum prof_status status = merge_intake_check(&f->level, f->run,
	    f->number, r, err);

	if (status == PROF_OK)
		status = merge_intake_limit(&f->limit, &r, &limited, err);
	if (status != PROF_OK)
		return status == PROF_END ? PROF_OK : PROF_FAIL;
	return merge_worker_add(f->at, r, &f->weight, err);
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
 * --group-by, --intersect and --buffer-size need inputs one after the other.
 * --keep-going uses the parallel run with one thread too, so that the
 * same records are left out for any number of threads.
 */
static bool
merge_run_is_parallel(const struct merge_run *run)
{
	const struct cli_merge_options *o = run->options;
	const struct cli *c = run->cli;

	return !o->group && !o->output.intersect && o->buffer == 0 &&
	    (c->options.jobs > 1 || c->report.damage.keep_going);
}

static enum cli_action
merge_run_classify(void *arg, struct cli *c, struct cli_item *item,
    const struct input_member *m, uint64_t ordinal)
{
	const struct merge_run *run = arg;
	const struct cli_merge_choice *choice = run->options->choice;

	return choice->classify(choice->arg, c, item, m, ordinal);
}

static enum cli_action
merge_run_leave_repeats(void *arg, struct cli *c, struct cli_item *item,
    const struct input_member *m, uint64_t ordinal)
{
	struct merge_run *run = arg;

	return repeats_classify(&run->repeats, c, item, m, ordinal);
}

static enum prof_status
merge_run_pipeline(struct merge_run *run, struct cli_pipeline *p)
{
	const struct cli_merge_choice *choice = run->options->choice;

	if (choice == NULL) {
		p->classify = merge_run_leave_repeats;
		return cli_pipeline_run(run->cli, p);
	}
	p->classify = merge_run_classify;
	p->verify = choice->verify;
	return cli_pipeline_run(run->cli, p) == PROF_OK ?
	    choice->settle(choice->arg) : PROF_FAIL;
}

/* What the output adds to the rules for inputs. */
static unsigned
merge_run_rules(const struct cli_merge_options *o)
{
	return (o->output.correlated ? 0u : MERGE_CHECK_FUNCTIONS) |
	    (o->group ? MERGE_CHECK_IDS_FIRST : 0u);
}

/*
 * Groups do not mix kinds, and an intersection counts inputs: these two use the
 * kind of the first input.
 */
static enum prof_status
merge_serial_read(struct merge_run *run)
{
	struct cli_pipeline serial = { .arg = run, .serial = true,
	    .add = merge_serial_add, .merges = true,
	    .merge_rules = merge_run_rules(run->options) };
	struct merge_serial state = { .at = NULL };
	enum prof_status status;

	if (run->options->output.intersect) {
		serial.check = merge_serial_check;
	} else if (!run->options->group) {
		serial.place = merge_serial_place;
		serial.decide = merge_run_decide;
	}
	run->serial = &state;
	status = merge_run_pipeline(run, &serial);
	run->serial = NULL;
	return status;
}

static enum prof_status
merge_run_join(struct sums *sums, struct merge **sum, struct prof_error *err)
{
	if (sums->size != 0)
		return sums_join(sums, sum, err);
	return *sum == NULL ? PROF_OK : merge_join_workers(*sum, err);
}

enum prof_status
merge_run_read(struct merge_run *run)
{
	struct cli_pipeline work = { .arg = run, .start =
	    merge_thread_start, .begin = merge_thread_begin, .add =
	    merge_thread_add, .merges = true, .merge_rules =
	    merge_run_rules(run->options), .place =
	    merge_thread_place, .decide = merge_run_decide, .idle =
	    merge_thread_idle, .end = merge_thread_end, .stop =
	    merge_thread_stop, .refused = merge_run_refused };
	struct cli *c = run->cli;

	if ((merge_run_is_parallel(run) ? merge_run_pipeline(run, &work) :
	    merge_serial_read(run)) != PROF_OK ||
	    merge_run_join(&run->sums, &run->sum, &c->err) != PROF_OK)
		return PROF_FAIL;
	return merge_run_join(&run->sums_subtracted, &run->subtracted,
	    &c->err);
}
