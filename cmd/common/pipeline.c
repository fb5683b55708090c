#include "config.h"

#include "cmd/common/pipeline.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd/common/worker.h"
#include "io/input.h"

/* Between two times that those who still read are woken up. */
enum { NUDGE_NANOSECONDS = 5000000 };

/* It ends a wait; nobody else sends it to a thread. */
enum { NUDGE = SIGURG };

static void *
do_items(void *arg)
{
	struct cli_worker *w = arg;
	struct commit_queue *t = &w->run->turns;

	while (cli_source_next(&w->run->source, &w->item, &w->memory))
		cli_worker_do(w);
	pthread_mutex_lock(&t->lock);
	w->run->running--;
	pthread_cond_broadcast(&t->moved);
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

static void
worker_free(struct cli_worker *w)
{
	if (w->state != NULL)
		w->run->work->stop(w->state);
	prof_context_free(w->view.context);
	retarget_free(w->view.output.retargeter);
	buf_free(&w->memory);
	if (w->messages != NULL)
		fclose(w->messages);
	free(w->text);
	free(w->heads);
}

static bool
worker_init(struct cli_worker *w, struct cli_run *run)
{
	struct cli *v = &w->view;

	w->run = run;
	*v = *run->cli;
	v->err = (struct prof_error){ 0 };
	v->report.progress = &w->progress;
	v->check = cli_worker_head;
	v->check_arg = w;
	v->report.damage.kept = (struct cli_tally){ 0 };
	v->context = prof_context_share(run->cli->context, cli_warn, v);
	v->output.retargeter = run->cli->output.retargeter == NULL ? NULL :
	    retarget_new(&v->output.retarget);
	w->messages = v->report.messages = open_memstream(&w->text,
	    &w->text_size);
	w->state = run->work->start(run->work->arg, v);
	return v->context != NULL && w->messages != NULL &&
	    w->state != NULL &&
	    (v->output.retargeter != NULL) == (run->cli->output.retargeter !=
	    NULL);
}

/* Starts as many threads as there can be; 0 if there can be none. */
static unsigned
start(struct cli_run *run, struct cli_worker *workers, unsigned n)
{
	sigset_t all, old;
	unsigned i = 0;

	/* Signals are for the thread that was there before, but for two. */
	sigfillset(&all);
	sigdelset(&all, NUDGE);
	sigdelset(&all, SIGBUS);
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

static void
ignore(int number)
{
	(void)number;
}

/*
 * The run has failed.  Who waits for bytes, of a pipe perhaps, might wait for
 * ever: a signal ends that, again and again, as one that comes just before does
 * nothing.
 */
static void
nudge(struct cli_run *run, const struct cli_worker *workers, unsigned n)
{
	const struct sigaction action = { .sa_handler = ignore };
	struct timespec end;

	sigaction(NUDGE, &action, NULL);
	input_give_up();
	while (run->running != 0) {
		for (unsigned i = 0; i < n; i++)
			pthread_kill(workers[i].thread, NUDGE);
		clock_gettime(CLOCK_REALTIME, &end);
		end.tv_nsec += NUDGE_NANOSECONDS;
		end.tv_sec += end.tv_nsec / 1000000000;
		end.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&run->turns.moved, &run->turns.lock,
		    &end);
	}
}

static void
wait_for_all(struct cli_run *run, const struct cli_worker *workers, unsigned n)
{
	struct commit_queue *t = &run->turns;

	pthread_mutex_lock(&t->lock);
	while (run->running != 0 && !t->failed)
		pthread_cond_wait(&t->moved, &t->lock);
	if (run->running != 0)
		nudge(run, workers, n);
	pthread_mutex_unlock(&t->lock);
}

static struct cli_run *
run_new(struct cli *c, const struct cli_pipeline *w)
{
	struct cli_run *run = calloc(1, sizeof(*run));

	if (run == NULL)
		cli_out_of_memory(c);
	run->work = w;
	run->cli = c;
	commit_queue_begin(&run->turns, c, w);
	cli_source_begin(&run->source, c, &run->turns, w);
	return run;
}

static void
run_free(struct cli_run *run)
{
	commit_queue_free(&run->turns);
	free(run);
}

enum prof_status
cli_pipeline_run(struct cli *c, const struct cli_pipeline *work)
{
	unsigned jobs = c->options.jobs == 0 ? 1 : c->options.jobs, n, running;
	struct cli_worker *workers = calloc(jobs, sizeof(*workers));
	struct cli_run *run;
	bool failed;

	cli_damage_begin(c);
	cli_progress_begin(c);
	run = run_new(c, work);
	for (n = 0; workers != NULL && n < jobs; n++) {
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
	wait_for_all(run, workers, running);
	commit_queue_finish(&run->turns, c);
	failed = run->turns.failed;
	for (unsigned i = 0; i < running; i++)
		pthread_join(workers[i].thread, NULL);
	/* An archive at hand uses the memory of a thread. */
	cli_source_finish(&run->source);
	for (unsigned i = 0; i < n; i++)
		worker_free(&workers[i]);
	free(workers);
	run_free(run);
	return failed ? PROF_FAIL : work->process != NULL ? PROF_OK :
	    cli_damage_settle(c);
}
