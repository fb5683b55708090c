#include "base/helpers.h"

#include <stddef.h>

void
helpers_begin(struct helpers *h)
{
	*h = (struct helpers){ .last = &h->first };
	pthread_mutex_init(&h->lock, NULL);
	pthread_cond_init(&h->changed, NULL);
}

void
helpers_end(struct helpers *h)
{
	pthread_mutex_destroy(&h->lock);
	pthread_cond_destroy(&h->changed);
}

/* Takes a task out of those that are offered. */
static void
helpers_take(struct helpers *h, struct helper_task **at)
{
	struct helper_task *task = *at;

	*at = task->next;
	if (h->last == &task->next)
		h->last = at;
	task->next = NULL;
}

/* Runs the oldest task that is offered; the lock is free meanwhile. */
static void
helpers_run_first(struct helpers *h, void *own)
{
	struct helper_task *task = h->first;

	helpers_take(h, &h->first);
	task->state = HELPER_RUNS;
	pthread_mutex_unlock(&h->lock);
	task->run(task, own);
	pthread_mutex_lock(&h->lock);
	task->state = HELPER_DONE;
	pthread_cond_broadcast(&h->changed);
}

/* Runs a task, or waits if none is offered. */
static void
helpers_turn(struct helpers *h, void *own)
{
	if (h->first != NULL)
		helpers_run_first(h, own);
	else
		pthread_cond_wait(&h->changed, &h->lock);
}

void
helpers_enter(struct helpers *h)
{
	pthread_mutex_lock(&h->lock);
	h->busy++;
	pthread_mutex_unlock(&h->lock);
}

void
helpers_serve(struct helpers *h, void *own)
{
	pthread_mutex_lock(&h->lock);
	h->busy--;
	h->serving++;
	pthread_cond_broadcast(&h->changed);
	while (h->busy != 0)
		helpers_turn(h, own);
	pthread_mutex_unlock(&h->lock);
}

bool
helpers_serve_now(struct helpers *h)
{
	bool any;

	if (h == NULL)
		return false;
	pthread_mutex_lock(&h->lock);
	any = h->serving != 0;
	pthread_mutex_unlock(&h->lock);
	return any;
}

void
helpers_offer(struct helpers *h, struct helper_task *task)
{
	pthread_mutex_lock(&h->lock);
	task->state = HELPER_OFFERED;
	task->next = NULL;
	*h->last = task;
	h->last = &task->next;
	pthread_cond_broadcast(&h->changed);
	pthread_mutex_unlock(&h->lock);
}

void
helpers_finish(struct helpers *h, struct helper_task *task, void *own)
{
	pthread_mutex_lock(&h->lock);
	while (task->state != HELPER_DONE)
		helpers_turn(h, own);
	task->state = HELPER_NONE;
	pthread_mutex_unlock(&h->lock);
}

void
helpers_cancel(struct helpers *h, struct helper_task *task)
{
	struct helper_task **at = &h->first;

	pthread_mutex_lock(&h->lock);
	if (task->state == HELPER_OFFERED) {
		while (*at != task)
			at = &(*at)->next;
		helpers_take(h, at);
		task->state = HELPER_NONE;
	}
	while (task->state == HELPER_RUNS)
		pthread_cond_wait(&h->changed, &h->lock);
	task->state = HELPER_NONE;
	pthread_mutex_unlock(&h->lock);
}
