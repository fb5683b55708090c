#include "config.h"

#include "cli_threads.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/error.h"
#include "cli_read.h"
#include "cli_source.h"
#include "cli_turns.h"
#include "io/input.h"

/* Seconds that a run that has failed waits for what its threads read. */
enum { JOBS_MAX = 256, PATIENCE = 1 };

/* A profile of an input that was checked. */
struct head {
	struct prof_header header;
	bool functions;
};

struct run {
	const struct cli_work *work;
	struct cli_turns turns;
	struct cli_source source;
	/* Under the lock of turns: threads, and those that wait for bytes. */
	unsigned running, waiting;
	bool abandoned;			/* who waits, waits for ever */
	struct cli *cli;
};

struct worker {
	struct run *run;
	struct cli view;
	struct cli_progress progress;	/* nobody sees it */
	void *state;			/* of the program */
	struct cli_item item;		/* at hand */
	struct buf memory;		/* of its image */
	struct head *heads;
	size_t heads_size, heads_room;
	FILE *messages;
	char *text;
	size_t text_size;
	pthread_t thread;
};

void
cli_set_jobs(struct cli *c, const char *s)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(s, &end, 10);
	if (*s < '0' || *s > '9' || *end != '\0' || n == 0 || n > JOBS_MAX)
		cli_usage_error(c, "--jobs takes a number from 1 to %d, not "
		    "'%s'", JOBS_MAX, s);
	c->jobs = (unsigned)n;
}

/*
 * A thread that waits for bytes, of a pipe perhaps, is not waited for when the
 * run has failed: it stays where it is.
 */
static void
wait_begins(void *arg)
{
	struct worker *w = arg;
	struct cli_turns *t = &w->run->turns;

	pthread_mutex_lock(&t->lock);
	w->run->waiting++;
	pthread_cond_broadcast(&t->moved);
	pthread_mutex_unlock(&t->lock);
}

static void
wait_ends(void *arg)
{
	struct worker *w = arg;
	struct cli_turns *t = &w->run->turns;

	pthread_mutex_lock(&t->lock);
	while (w->run->abandoned)
		pthread_cond_wait(&t->moved, &t->lock);
	w->run->waiting--;
	pthread_mutex_unlock(&t->lock);
}

static ssize_t
pull(void *arg, void *data, size_t size)
{
	struct worker *w = arg;
	ssize_t n;
	int error;

	w->run->work->rest(w->state);
	wait_begins(w);
	n = input_pull(w->item.in, data, size);
	error = errno;
	wait_ends(w);
	errno = error;
	return n;
}

/* A check pass is told the heads, and asks when their turn has come. */
static enum prof_status
keep_head(void *arg, const struct prof_header *h, bool functions,
    struct prof_error *err)
{
	struct worker *w = arg;
	struct head *heads = array_room(w->heads, w->heads_size,
	    &w->heads_room, sizeof(*heads));

	if (heads == NULL)
		return err_memory(err);
	w->heads = heads;
	heads[w->heads_size++] = (struct head){ *h, functions };
	return PROF_OK;
}

static enum prof_status
claim_heads(struct worker *w)
{
	for (size_t i = 0; i < w->heads_size; i++) {
		if (w->run->work->claim(w->state, &w->heads[i].header,
		    w->heads[i].functions, &w->view.err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

/* The image, unless the source has read it. */
static enum prof_status
get_image(struct worker *w)
{
	struct cli_item *item = &w->item;
	enum prof_status status;

	if (item->has_image)
		return PROF_OK;
	wait_begins(w);
	status = input_image(item->in, &item->image, &w->view.err);
	wait_ends(w);
	item->has_image = status == PROF_OK;
	return status;
}

/* Looks through the input, and settles in its turn whether it is used. */
static bool
is_good(struct worker *w)
{
	struct cli_turns *t = &w->run->turns;
	struct cli_turn *turn = w->item.turn;
	enum prof_status status = w->item.status;

	w->heads_size = 0;
	if (status == PROF_OK)
		status = get_image(w);
	if (status == PROF_OK)
		status = cli_check_image(&w->view, w->item.image,
		    &turn->lost);
	if (!cli_turns_wait(t, turn))
		return false;
	if (status == PROF_OK)
		status = claim_heads(w);
	if (status == PROF_OK)
		turn->lost = (struct cli_tally){ 0 };
	else
		turn->err = w->view.err;
	w->view.err = (struct prof_error){ 0 };
	cli_turns_settle(t, turn, status == PROF_OK, w->messages);
	return status == PROF_OK;
}

static enum prof_status
read_input(struct worker *w)
{
	struct cli_item *item = &w->item;
	struct cli *c = &w->view;
	struct prof_reader *reader;
	enum prof_status status = PROF_FAIL;

	if (item->stream && !item->has_image)
		reader = prof_open_stream(c->context, pull, w, &c->err);
	else
		reader = get_image(w) != PROF_OK ? NULL :
		    prof_open(c->context, item->image, &c->err);
	if (reader != NULL)
		status = cli_read_records(c, reader, w->run->work->add,
		    w->state);
	if (status == PROF_FAIL && item->in != NULL &&
	    input_failure(item->in)->code != PROF_E_NONE)
		c->err = *input_failure(item->in);
	prof_close(reader);
	w->run->work->end(w->state);
	return status;
}

/* What was said goes with the turn. */
static void
hand_in_text(struct worker *w, struct cli_turn *turn)
{
	fflush(w->messages);
	if (ftello(w->messages) <= 0)
		return;
	turn->text_size = (size_t)ftello(w->messages);
	turn->text = malloc(turn->text_size);
	if (turn->text == NULL)
		cli_out_of_memory(&w->view);
	memcpy(turn->text, w->text, turn->text_size);
	rewind(w->messages);
}

static void
do_item(struct worker *w)
{
	struct cli_turn *turn = w->item.turn;
	struct cli *c = &w->view;
	enum prof_status status;

	c->file = turn->file;
	c->member = turn->member;
	c->input = &turn->input;
	c->err = w->item.err;
	status = w->item.nothing ? PROF_OK :
	    w->run->work->begin(w->state, turn->number, &c->err);
	if (w->item.nothing) {
		if (c->damage.keep_going && cli_turns_wait(&w->run->turns,
		    turn))
			cli_turns_settle(&w->run->turns, turn, true, NULL);
	} else if (!c->damage.keep_going || w->item.fatal || is_good(w)) {
		if (status == PROF_OK)
			status = w->item.status;
		if (status == PROF_OK)
			status = read_input(w);
		turn->failed = status == PROF_FAIL;
		turn->used = !turn->failed;
		if (turn->failed)
			turn->err = c->err;
	}
	turn->functions = w->progress.functions;
	w->progress.functions = 0;
	if (w->item.owned)
		turn->bytes = input_bytes(w->item.in);
	turn->kept = c->damage.kept;
	c->damage.kept = (struct cli_tally){ 0 };
	hand_in_text(w, turn);
	cli_source_release(&w->run->source, &w->item);
	cli_turns_end(&w->run->turns, turn);
}

static void *
do_items(void *arg)
{
	struct worker *w = arg;
	struct cli_turns *t = &w->run->turns;

	while (cli_source_next(&w->run->source, &w->item, &w->memory,
	    &(struct cli_wait){ wait_begins, wait_ends, w }))
		do_item(w);
	pthread_mutex_lock(&t->lock);
	w->run->running--;
	pthread_cond_broadcast(&t->moved);
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

static void
worker_free(struct worker *w)
{
	if (w->state != NULL)
		w->run->work->stop(w->state);
	prof_context_free(w->view.context);
	retarget_free(w->view.retargeter);
	buf_free(&w->memory);
	if (w->messages != NULL)
		fclose(w->messages);
	free(w->text);
	free(w->heads);
}

static bool
worker_init(struct worker *w, struct run *run)
{
	struct cli *v = &w->view;

	w->run = run;
	*v = *run->cli;
	v->err = (struct prof_error){ 0 };
	v->progress = &w->progress;
	v->check = keep_head;
	v->check_arg = w;
	v->damage.kept = (struct cli_tally){ 0 };
	v->context = prof_context_beside(run->cli->context, cli_warn, v);
	v->retargeter = run->cli->retargeter == NULL ? NULL :
	    retarget_new(&v->retarget);
	w->messages = v->messages = open_memstream(&w->text, &w->text_size);
	w->state = run->work->start(run->work->arg, v);
	return v->context != NULL && w->messages != NULL &&
	    w->state != NULL &&
	    (v->retargeter != NULL) == (run->cli->retargeter != NULL);
}

/* Starts as many threads as there can be; 0 if there can be none. */
static unsigned
start(struct run *run, struct worker *workers, unsigned n)
{
	sigset_t all, old;
	unsigned i = 0;

	/* Signals are for the thread that was there before. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	run->running = n;
	while (i < n && pthread_create(&workers[i].thread, NULL, do_items,
	    &workers[i]) == 0)
		i++;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_mutex_lock(&run->turns.lock);
	run->running -= n - i;
	pthread_mutex_unlock(&run->turns.lock);
	return i;
}

/* Until all are at their end or, if the run failed, wait for bytes. */
static void
wait_for_all(struct run *run)
{
	struct cli_turns *t = &run->turns;

	struct timespec end = { 0 };
	int late = 0;

	pthread_mutex_lock(&t->lock);
	while (run->running != 0 && !t->failed)
		pthread_cond_wait(&t->moved, &t->lock);
	/* Bytes of a file come at once, those of a pipe may never come. */
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += PATIENCE;
	while (run->running != 0 && (late == 0 ||
	    run->running != run->waiting)) {
		if (late == 0)
			late = pthread_cond_timedwait(&t->moved, &t->lock,
			    &end);
		else
			pthread_cond_wait(&t->moved, &t->lock);
	}
	run->abandoned = run->running != 0;
	pthread_mutex_unlock(&t->lock);
}

static struct run *
run_new(struct cli *c, const struct cli_work *w)
{
	struct run *run = calloc(1, sizeof(*run));

	if (run == NULL)
		cli_out_of_memory(c);
	run->work = w;
	run->cli = c;
	cli_turns_begin(&run->turns, c, w->refused, w->arg);
	cli_source_begin(&run->source, c, &run->turns);
	return run;
}

static void
run_free(struct run *run)
{
	cli_turns_free(&run->turns);
	free(run);
}

enum prof_status
cli_read_threads(struct cli *c, const struct cli_work *work, bool *abandoned)
{
	struct worker *workers = calloc(c->jobs, sizeof(*workers));
	enum prof_status status = PROF_OK;
	unsigned n, running;
	struct run *run;

	cli_damage_begin(c);
	cli_progress_begin(c);
	run = run_new(c, work);
	for (n = 0; workers != NULL && n < c->jobs; n++) {
		if (!worker_init(&workers[n], run))
			cli_out_of_memory(c);
	}
	if (workers == NULL)
		cli_out_of_memory(c);
	running = start(run, workers, n);
	if (running == 0) {
		run->running = 1;
		do_items(&workers[0]);
	}
	wait_for_all(run);
	cli_turns_finish(&run->turns, c);
	*abandoned = run->abandoned;
	if (run->turns.failed)
		status = PROF_FAIL;
	if (*abandoned)
		return status;
	for (unsigned i = 0; i < running; i++)
		pthread_join(workers[i].thread, NULL);
	/* An archive at hand uses the memory of a thread. */
	cli_source_finish(&run->source);
	for (unsigned i = 0; i < n; i++)
		worker_free(&workers[i]);
	free(workers);
	run_free(run);
	return status == PROF_OK ? cli_damage_settle(c) : status;
}
