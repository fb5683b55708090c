#include "io/pool.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "io/input.h"

/*
 * Interval at which threads blocked in read(2) are interrupted while a failed
 * run ends: a FIFO without a writer would block them for ever.
 */
enum { INTERRUPT_NANOSECONDS = 5000000 };

/* Interrupts a read; nothing else sends it to a thread. */
enum { INTERRUPT_SIGNAL = SIGURG };

struct pool_thread {
	struct pool *pool;
	unsigned number;
	pthread_t id;
};

static struct pool_item **
pool_slot(struct pool *p, uint64_t number)
{
	return &p->items[number % POOL_SIZE];
}

/* Commits all that is done and in order, unless another thread is at it. */
static void
pool_commit(struct pool *p)
{
	struct pool_item *item;

	if (p->committing)
		return;
	p->committing = true;
	while (p->committed != p->next && !p->failed &&
	    (item = *pool_slot(p, p->committed))->done) {
		bool good;

		pthread_mutex_unlock(&p->lock);
		good = p->work.commit(p->work.arg, item);
		if (good)
			p->work.drop(p->work.arg, item);
		pthread_mutex_lock(&p->lock);
		p->committed += good;
		p->failed = !good;
		pthread_cond_broadcast(&p->changed);
	}
	p->committing = false;
}

/* The next item, in its slot; NULL at the end. */
static struct pool_item *
pool_take(struct pool *p, unsigned thread)
{
	struct pool_item *item = NULL;
	bool going;

	pthread_mutex_lock(&p->source);
	pthread_mutex_lock(&p->lock);
	while (p->next - p->committed == POOL_SIZE && !p->failed)
		pthread_cond_wait(&p->changed, &p->lock);
	going = !p->failed && !p->ended;
	pthread_mutex_unlock(&p->lock);
	if (going)
		item = p->work.take(p->work.arg, thread);
	pthread_mutex_lock(&p->lock);
	if (item == NULL) {
		p->ended = true;
	} else {
		item->number = p->next++;
		*pool_slot(p, item->number) = item;
		/* pool_run drops items that are not committed. */
		if (p->failed)
			item = NULL;
	}
	pthread_mutex_unlock(&p->lock);
	if (item == NULL || !item->holds_source)
		pthread_mutex_unlock(&p->source);
	return item;
}

static void
pool_work_on_items(struct pool *p, unsigned thread)
{
	struct pool_item *item;

	while ((item = pool_take(p, thread)) != NULL) {
		p->work.process(p->work.arg, thread, item);
		if (item->holds_source)
			pthread_mutex_unlock(&p->source);
		pthread_mutex_lock(&p->lock);
		item->done = true;
		pool_commit(p);
		pthread_mutex_unlock(&p->lock);
	}
}

static void *
pool_run_thread(void *arg)
{
	struct pool_thread *t = arg;
	struct pool *p = t->pool;

	pool_work_on_items(p, t->number);
	pthread_mutex_lock(&p->lock);
	p->running--;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* Starts as many threads as possible, and returns their number. */
static unsigned
pool_start(struct pool *p, struct pool_thread *threads)
{
	const unsigned n = p->threads;
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
	p->running = n;
	for (; i < n; i++) {
		threads[i] = (struct pool_thread){ .pool = p, .number = i };
		if (pthread_create(&threads[i].id, NULL, pool_run_thread,
		    &threads[i]) != 0)
			break;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_mutex_lock(&p->lock);
	p->running -= n - i;
	pthread_mutex_unlock(&p->lock);
	return i;
}

static void
pool_ignore_signal(int number)
{
	(void)number;
}

/*
 * Waits until all threads have ended.  Once the run has failed, their waits for
 * bytes are interrupted: again and again, as a signal that comes just before a
 * wait has no effect.
 */
static void
pool_wait(struct pool *p, const struct pool_thread *threads, unsigned n)
{
	const struct sigaction action = { .sa_handler = pool_ignore_signal };
	struct timespec end;

	pthread_mutex_lock(&p->lock);
	while (p->running != 0 && !p->failed)
		pthread_cond_wait(&p->changed, &p->lock);
	if (p->running != 0) {
		sigaction(INTERRUPT_SIGNAL, &action, NULL);
		input_give_up();
	}
	while (p->running != 0) {
		for (unsigned i = 0; i < n; i++)
			pthread_kill(threads[i].id, INTERRUPT_SIGNAL);
		clock_gettime(CLOCK_REALTIME, &end);
		end.tv_nsec += INTERRUPT_NANOSECONDS;
		end.tv_sec += end.tv_nsec / 1000000000;
		end.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&p->changed, &p->lock, &end);
	}
	pthread_mutex_unlock(&p->lock);
	for (unsigned i = 0; i < n; i++)
		pthread_join(threads[i].id, NULL);
}

bool
pool_run(struct pool *p, const struct pool_work *work, unsigned threads)
{
	struct pool_thread *all = threads <= 1 ? NULL :
	    calloc(threads, sizeof(*all));
	unsigned started = 0;

	*p = (struct pool){ .work = *work, .threads = threads, .next = 1,
	    .committed = 1 };
	pthread_mutex_init(&p->source, NULL);
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->changed, NULL);
	if (all != NULL)
		started = pool_start(p, all);
	if (started == 0)
		pool_work_on_items(p, 0);
	else
		pool_wait(p, all, started);
	for (uint64_t i = p->committed; i < p->next; i++)
		p->work.drop(p->work.arg, *pool_slot(p, i));
	pthread_mutex_destroy(&p->source);
	pthread_mutex_destroy(&p->lock);
	pthread_cond_destroy(&p->changed);
	free(all);
	return !p->failed;
}

bool
pool_is_first(struct pool *p, const struct pool_item *item)
{
	bool first;

	pthread_mutex_lock(&p->lock);
	while (p->committed != item->number && !p->failed)
		pthread_cond_wait(&p->changed, &p->lock);
	first = p->committed == item->number && !p->failed;
	pthread_mutex_unlock(&p->lock);
	return first;
}
