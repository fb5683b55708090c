/*
 * io/pool.h - an ordered pool of threads
 *
 * Items are taken one after the other, processed by any thread, and committed
 * in the order in which they were taken: to the caller it is as if there were
 * one thread.  One thread is that of the caller.
 */
#ifndef IO_POOL_H
#define IO_POOL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* So many items may be taken and not committed; then nothing is taken. */
enum { POOL_SIZE = 256 };

/* The first member of the caller's item. */
struct pool_item {
	uint64_t number;		/* from 1; set before it is processed */
	/* Set by take: nothing more is taken before it was processed. */
	bool holds_source;
	bool done;
};

/* Threads have numbers from 0. */
struct pool_work {
	void *arg;
	/* The next item, or NULL at the end; by one thread at a time. */
	struct pool_item *(*take)(void *arg, unsigned thread);
	void (*process)(void *arg, unsigned thread, struct pool_item *);
	/*
	 * By one thread at a time, in order.  False ends the run: nothing more
	 * is taken or committed.
	 */
	bool (*commit)(void *arg, struct pool_item *);
	/* Frees an item that was committed, or will not be. */
	void (*drop)(void *arg, struct pool_item *);
};

struct pool {
	struct pool_work work;
	pthread_mutex_t source;		/* to take */
	pthread_mutex_t lock;
	pthread_cond_t changed;		/* any of the members below */
	struct pool_item *items[POOL_SIZE];
	/* Numbers of items: all before it are taken, committed. */
	uint64_t next, committed;
	bool committing;		/* a thread does */
	bool ended;			/* nothing more is to be taken */
	bool failed;			/* a commit has */
	unsigned threads, running;
};

/*
 * Takes, processes and commits all items.  False if a commit ended the run:
 * then reads of io/input.h that wait for bytes were interrupted.
 */
bool pool_run(struct pool *, const struct pool_work *, unsigned threads);

/*
 * For process: waits until all items before it are committed.  False: the run
 * has failed.
 */
bool pool_is_first(struct pool *, const struct pool_item *);

#endif
