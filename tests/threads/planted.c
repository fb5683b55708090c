/*
 * planted lookup|unmap -j N: faults that the delays have to show
 *
 * `lookup` finds nothing in a table, unlocks it, and adds an entry that another
 * thread may have added since.  `unmap` unmaps memory before it removes the
 * entry by which the other thread finds it.  With one thread, nothing is wrong.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { THREADS = 8, SIZE = 1 << 16, LOOKS = 100 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned entries;
static _Atomic(void *) mapped;
static atomic_int gone;

static void *
look_up(void *unused)
{
	unsigned found;

	pthread_mutex_lock(&lock);
	found = entries;
	pthread_mutex_unlock(&lock);
	if (found == 0) {
		pthread_mutex_lock(&lock);
		entries++;
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

static void *
unmap(void *first)
{
	void *data;

	if (first != NULL) {
		munmap(mapped, SIZE);
		mapped = NULL;
		return NULL;
	}
	for (int i = 0; i < LOOKS && (data = mapped) != NULL; i++) {
		if (madvise(data, SIZE, MADV_NORMAL) != 0 && errno == ENOMEM)
			gone = 1;
	}
	return NULL;
}

int
main(int argc, char **argv)
{
	int n = argc == 4 ? atoi(argv[3]) : 0, mapping;
	pthread_t threads[THREADS];

	if (n < 1 || n > THREADS)
		return 2;
	mapping = strcmp(argv[1], "unmap") == 0;
	mapped = mmap(NULL, SIZE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1,
	    0);
	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, mapping ? unmap : look_up,
		    i == 0 ? &lock : NULL);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	printf("%d\n", mapping ? gone : (int)entries);
	return 0;
}
