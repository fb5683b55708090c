#include "config.h"

#include "cmd/merge/reading.h"

#include <stdlib.h>

#include "base/error.h"
#include "cmd/common/pipeline.h"
#include "cmd/merge/group.h"
#include "cmd/merge/run.h"
#include "merge/check.h"
#include "merge/worker.h"
#include "model/account_line.h"
#include "model/words.h"

/* Inputs that are read one after the other. */
struct merge_serial {
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

static enum prof_status
merge_check_level(const struct merge_terms *t, enum prof_level level,
    struct prof_error *err)
{
	return t->level == PROF_LEVEL_UNKNOWN || level == PROF_LEVEL_UNKNOWN ||
	    level == t->level ? PROF_OK : err_set(err, PROF_E_MISMATCH,
	    "%s cannot be merged with %s (--level)",
	    words_level_profile[level], words_level_profile[t->level]);
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
	    merge_check_level(&run->options->terms, *level, err) : PROF_OK;
}

/* Under --keep-going, an input with functions of another level is bad. */
static enum prof_status
merge_check_head(void *arg, const struct prof_header *h, bool functions,
    struct prof_error *err)
{
	const struct merge_run *run = arg;

	return functions ? merge_check_level(&run->options->terms, h->level,
	    err) : PROF_OK;
}

static struct merge *
merge_serial_sum(const struct merge_run *run)
{
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

/* The state of one worker thread. */
struct merge_thread {
	struct merge_run *run;
	const struct cli *cli;
	struct merge_worker *sum, *subtracted;
	struct merge_worker *at;	/* that of the input; NULL at first */
	struct merge_factor weight;	/* of the input, scaled */
	struct limit limit;
	enum prof_level level;		/* of the profile at hand */
	uint64_t number;		/* of the input */
};

static void
merge_thread_stop(void *arg)
{
	struct merge_thread *f = arg;

	arena_free(&f->limit.arena);
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
	f->sum = merge_worker_new(run->sum);
	if (run->subtracted != NULL)
		f->subtracted = merge_worker_new(run->subtracted);
	if (f->sum != NULL && (run->subtracted == NULL ||
	    f->subtracted != NULL))
		return f;
	merge_thread_stop(f);
	return NULL;
}

static enum prof_status
merge_thread_begin(void *arg, uint64_t number, struct prof_error *err)
{
	struct merge_thread *f = arg;
	const struct cli_input *input = f->cli->inputs.current;

	f->number = number;
	if (!cli_multiply_weights(&input->weight, &f->run->options->scale,
	    &f->weight))
		return err_weight_too_fine(err);
	f->at = input->subtracted ? f->subtracted : f->sum;
	merge_worker_begin(f->at, number);
	return PROF_OK;
}

static enum prof_status
merge_thread_check(void *arg, const struct prof_header *h, bool functions,
    struct prof_error *err)
{
	const struct merge_thread *f = arg;

	return merge_check_head(f->run, h, functions, err);
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
 * --keep-going uses the parallel run with one thread too, so that the same
 * records are left out for any number of threads.
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

static enum prof_status
merge_serial_read(struct merge_run *run)
{
	struct cli_pipeline serial = { .arg = run, .serial = true,
	    .add = merge_serial_add, .check = merge_check_head,
	    .merges = true, .merge_rules = merge_run_rules(run->options) };
	struct merge_serial state = { .input = 0 };
	enum prof_status status;

	run->serial = &state;
	status = merge_run_pipeline(run, &serial);
	run->serial = NULL;
	return status;
}

enum prof_status
merge_run_read(struct merge_run *run)
{
	struct cli_pipeline work = { .arg = run, .start =
	    merge_thread_start, .begin = merge_thread_begin, .add =
	    merge_thread_add, .merges = true, .merge_rules =
	    merge_run_rules(run->options), .check = merge_thread_check,
	    .idle = merge_thread_idle, .end = merge_thread_end, .stop =
	    merge_thread_stop, .refused = merge_run_refused };
	struct cli *c = run->cli;

	if ((merge_run_is_parallel(run) ? merge_run_pipeline(run, &work) :
	    merge_serial_read(run)) != PROF_OK ||
	    merge_join_workers(run->sum, &c->err) != PROF_OK)
		return PROF_FAIL;
	return run->subtracted == NULL ? PROF_OK :
	    merge_join_workers(run->subtracted, &c->err);
}
