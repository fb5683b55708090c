/*
 * base/helpers.h - threads without work of their own help others
 *
 * A thread offers tasks and finishes them later: until then any thread that
 * serves may have run them.  A task runs once, and what it writes is visible
 * to the thread that has finished it.
 */
#ifndef BASE_HELPERS_H
#define BASE_HELPERS_H

#include <pthread.h>
#include <stdbool.h>

enum helper_state { HELPER_NONE, HELPER_OFFERED, HELPER_RUNS, HELPER_DONE };

/*
 * The first member of a task.  All members but run are zero until the task is
 * offered.
 */
struct helper_task {
	/* own is the argument of helpers_serve or helpers_finish. */
	void (*run)(struct helper_task *, void *own);
	enum helper_state state;
	struct helper_task *next;	/* offered */
};

struct helpers {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct helper_task *first, **last;	/* offered, the oldest first */
	unsigned busy;			/* threads with work of their own */
	unsigned serving;		/* others */
};

void helpers_begin(struct helpers *);
void helpers_end(struct helpers *);

/* The thread looks for work of its own: it will call helpers_serve later. */
void helpers_enter(struct helpers *);

/* The thread has no more work: runs tasks until no other thread has any. */
void helpers_serve(struct helpers *, void *own);

/* Whether a thread serves.  False if there are no helpers (NULL). */
bool helpers_serve_now(struct helpers *);

void helpers_offer(struct helpers *, struct helper_task *);

/* Runs offered tasks, or waits, until the task is done. */
void helpers_finish(struct helpers *, struct helper_task *, void *own);

/* The task will not be run, or is done. */
void helpers_cancel(struct helpers *, struct helper_task *);

#endif
