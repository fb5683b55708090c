#include "config.h"

#include "cmd/common/pipeline.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "cmd/common/worker.h"
#include "io/input.h"

/*
 * Interval at which threads blocked in read(2) are interrupted while a failed
 * run ends: a FIFO without a writer would block them for ever.
 */
enum { INTERRUPT_NANOSECONDS = 5000000 };

/* Interrupts a read; nothing else sends it to a thread. */
enum { INTERRUPT_SIGNAL = SIGURG };

static void *
pipeline_run_thread(void *arg)
{
	struct cli_worker *w = arg;
	struct commit_queue *q = &w->run->queue;

	cli_worker_run(w);
	pthread_mutex_lock(&q->lock);
	w->run->running--;
	pthread_cond_broadcast(&q->changed);
	pthread_mutex_unlock(&q->lock);
	return NULL;
}

/* Starts as many threads as possible, and returns their number. */
static unsigned
pipeline_start_threads(struct cli_run *run, struct cli_worker *workers,
    unsigned n)
{
	sigset_t all, old;
	unsigned i = 0;

	/*
	 * Other signals are handled by the caller's thread.  SIGPIPE comes to
	 * the thread that writes, which ends the program as one thread does.
	 */
	sigfillset(&all);
	sigdelset(&all, INTERRUPT_SIGNAL);
	sigdelset(&all, SIGBUS);
	sigdelset(&all, SIGPIPE);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	run->running = n;
	while (i < n && pthread_create(&workers[i].thread, NULL,
	    pipeline_run_thread, &workers[i]) == 0)
		i++;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_mutex_lock(&run->queue.lock);
	run->running -= n - i;
	pthread_mutex_unlock(&run->queue.lock);
	return i;
}

static void
pipeline_ignore_signal(int number)
{
	(void)number;
}

/*
 * The run has failed.  Interrupts waits for bytes until all threads have ended:
 * again and again, as a signal that comes just before a wait has no effect.
 */
static void
pipeline_interrupt(struct cli_run *run, const struct cli_worker *workers,
    unsigned n)
{
	const struct sigaction action = {
		.sa_handler = pipeline_ignore_signal
	};
	struct timespec end;

	sigaction(INTERRUPT_SIGNAL, &action, NULL);
	input_give_up();
	while (run->running != 0) {
		for (unsigned i = 0; i < n; i++)
			pthread_kill(workers[i].thread, INTERRUPT_SIGNAL);
		clock_gettime(CLOCK_REALTIME, &end);
		end.tv_nsec += INTERRUPT_NANOSECONDS;
		end.tv_sec += end.tv_nsec / 1000000000;
		end.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&run->queue.changed, &run->queue.lock,
		    &end);
	}
}

/* Waits for threads until all have ended, or the run has failed. */
static void
pipeline_wait(struct cli_run *run, const struct cli_worker *workers,
    unsigned n)
{
	struct commit_queue *q = &run->queue;

	pthread_mutex_lock(&q->lock);
	while (run->running != 0 && !q->failed)
		pthread_cond_wait(&q->changed, &q->lock);
	if (run->running != 0)
		pipeline_interrupt(run, workers, n);
	pthread_mutex_unlock(&q->lock);
}

/* The number of threads that were started; 0: the caller's did all. */
static unsigned
pipeline_work(struct cli_run *run, struct cli_worker *workers, unsigned n)
{
	unsigned threads = n == 1 ? 0 :
	    pipeline_start_threads(run, workers, n);

	if (threads == 0)
		cli_worker_run(&workers[0]);
	else
		pipeline_wait(run, workers, threads);
	return threads;
}

static struct cli_run *
pipeline_new_run(struct cli *c, const struct cli_pipeline *p)
{
	struct cli_run *run = calloc(1, sizeof(*run));

	if (run == NULL)
		cli_out_of_memory(c);
	run->pipeline = p;
	run->cli = c;
	commit_queue_begin(&run->queue, c, p);
	cli_source_begin(&run->source, c, &run->queue, p);
	return run;
}

enum prof_status
cli_pipeline_run(struct cli *c, const struct cli_pipeline *p)
{
	unsigned jobs = p->serial || c->options.jobs == 0 ? 1 :
	    c->options.jobs, threads;
	struct cli_worker *workers = calloc(jobs, sizeof(*workers));
	struct cli_run *run;
	bool failed;

	cli_damage_begin(c);
	cli_progress_begin(c);
	run = pipeline_new_run(c, p);
	for (unsigned i = 0; workers != NULL && i < jobs; i++) {
		if (!cli_worker_init(&workers[i], run))
			cli_out_of_memory(c);
	}
	if (workers == NULL)
		cli_out_of_memory(c);
	threads = pipeline_work(run, workers, jobs);
	commit_queue_finish(&run->queue, c);
	failed = run->queue.failed;
	for (unsigned i = 0; i < threads; i++)
		pthread_join(workers[i].thread, NULL);
	/* An archive that is still open uses the memory of a worker. */
	cli_source_finish(&run->source);
	for (unsigned i = 0; i < jobs; i++)
		cli_worker_free(&workers[i]);
	c->inputs.current = run->source.input;
	free(workers);
	commit_queue_free(&run->queue);
	free(run);
	return failed ? PROF_FAIL : p->process != NULL ? PROF_OK :
	    cli_damage_settle(c);
}

enum prof_status
cli_read(struct cli *c, cli_record *add, void *arg)
{
	return cli_read_passing(c, add, NULL, arg);
}

enum prof_status
cli_read_passing(struct cli *c, cli_record *add,
    bool (*pass)(void *arg, struct cli *), void *arg)
{
	return cli_pipeline_run(c, &(struct cli_pipeline){ .arg = arg,
	    .serial = true, .add = add, .pass = pass });
}
