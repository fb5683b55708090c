/*
 * Other interleavings of threads, by LD_PRELOAD: calls by which threads meet
 * wait for a while, at random.
 *
 *   DELAY_SEED=N   how long which calls wait
 *
 * A run has one long stall, behind or in front of one call: its kind is chosen
 * first, and all kinds are equally likely, since there are a million locks to
 * one munmap.  In half of the runs, others wait for up to two milliseconds, as
 * often as the seed says for the kind.  Large unmaps, which are rare, mostly
 * wait for long.  Nothing waits before there are threads, and all but the stall
 * wait for LIMIT at most.  No file is opened, which a sandbox could refuse.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum kind {
	LOCK, LOCKED, UNLOCK, UNLOCKED, READ_LOCK, READ_LOCKED, WRITE_LOCK,
	WRITE_LOCKED, RW_UNLOCK, RW_UNLOCKED, WAIT, WAITED, WAKE, READ,
	HAS_READ, CLOSE, CLOSED, MAPPED, UNMAP, UNMAPPED, ADVISE, CREATED, KINDS
};

enum {
	LIMIT = 1200000,	/* microseconds of all threads, but for STALL */
	STALL = 300000,
	LARGE = 1 << 20		/* bytes */
};

/* No more than two to this power are likely in the runs of the tests. */
static const unsigned char most[KINDS] = {
	[LOCK] = 12, [LOCKED] = 12, [UNLOCK] = 12, [UNLOCKED] = 12,
	[READ_LOCK] = 8, [READ_LOCKED] = 8, [WRITE_LOCK] = 8,
	[WRITE_LOCKED] = 8, [RW_UNLOCK] = 8, [RW_UNLOCKED] = 8, [WAIT] = 8,
	[WAITED] = 8, [WAKE] = 9, [READ] = 7, [HAS_READ] = 7, [CLOSE] = 6,
	[CLOSED] = 6, [MAPPED] = 5, [UNMAP] = 4, [UNMAPPED] = 4, [ADVISE] = 6,
	[CREATED] = 3
};

static uint64_t seed;
static enum kind stalled;
static unsigned long stalled_at;
static unsigned one_in[KINDS];		/* 0: never */
static atomic_bool begun;
static atomic_ulong calls[KINDS], waited;

static uint64_t
mix(uint64_t a, uint64_t b)
{
	uint64_t z = a + b * 0x9E3779B97F4A7C15;	/* splitmix64 */

	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
	z = (z ^ z >> 27) * 0x94D049BB133111EB;
	return z ^ z >> 31;
}

__attribute__((constructor)) static void
begin(void)
{
	const char *text = getenv("DELAY_SEED");
	uint64_t random;
	unsigned power;

	seed = mix(text == NULL ? 0 : strtoull(text, NULL, 10), 1);
	stalled = mix(seed, 2) % KINDS;
	/* The smaller of two numbers: most calls come early. */
	power = mix(seed, 3) % (most[stalled] + 1U);
	if (mix(seed, 0) % (most[stalled] + 1U) < power)
		power = mix(seed, 0) % (most[stalled] + 1U);
	stalled_at = (1UL << power) + (mix(seed, 4) & ((1UL << power) - 1));
	for (unsigned k = 0; k < KINDS && (seed & 1); k++) {
		random = mix(seed, 5 + k);
		one_in[k] = 1U << random % (most[k] + 1U);
	}
}

static void
sleep_for(unsigned long microseconds)
{
	static int (*real)(clockid_t, int, const struct timespec *,
	    struct timespec *);
	struct timespec t = { .tv_sec = (time_t)(microseconds / 1000000),
	    .tv_nsec = (long)(microseconds % 1000000) * 1000 };

	/* A sanitizer has one of its own, which handles signals in it. */
	if (real == NULL)
		real = (int (*)(clockid_t, int, const struct timespec *,
		    struct timespec *))dlsym(RTLD_NEXT, "clock_nanosleep");
	real(CLOCK_MONOTONIC, 0, &t, NULL);
}

/* A call of size bytes, or 0. */
static void
delay(enum kind k, size_t size)
{
	int saved_errno = errno;
	unsigned long n, time;
	uint64_t random;

	if (!atomic_load_explicit(&begun, memory_order_relaxed))
		return;
	n = atomic_fetch_add_explicit(&calls[k], 1, memory_order_relaxed) + 1;
	random = mix(mix(seed, k + KINDS), n);
	if (k == stalled && n == stalled_at) {
		sleep_for(STALL / 3 * (1 + random % 3));
	} else {
		if (k == UNMAPPED && size >= LARGE && random % 4 != 0)
			time = STALL;
		else if (one_in[k] != 0 && random % one_in[k] == 0)
			time = (16UL << (random >> 32) % 7) +
			    (random >> 40) % 1000;
		else
			return;
		if (atomic_fetch_add(&waited, time) + time <= LIMIT)
			sleep_for(time);
	}
	errno = saved_errno;
}

/* A function of libc, with a call before and one after the real one. */
#define AROUND(type, name, parameters, arguments, before, after)	\
	type								\
	name parameters							\
	{								\
		static type (*real) parameters;				\
		type result;						\
									\
		if (real == NULL)					\
			real = (type (*) parameters)dlsym(RTLD_NEXT, #name); \
		before;							\
		result = real arguments;				\
		after;							\
		return result;						\
	}

AROUND(int, pthread_mutex_lock, (pthread_mutex_t *m), (m),
    delay(LOCK, 0), delay(LOCKED, 0))
AROUND(int, pthread_mutex_unlock, (pthread_mutex_t *m), (m),
    delay(UNLOCK, 0), delay(UNLOCKED, 0))
AROUND(int, pthread_rwlock_rdlock, (pthread_rwlock_t *l), (l),
    delay(READ_LOCK, 0), delay(READ_LOCKED, 0))
AROUND(int, pthread_rwlock_wrlock, (pthread_rwlock_t *l), (l),
    delay(WRITE_LOCK, 0), delay(WRITE_LOCKED, 0))
AROUND(int, pthread_rwlock_unlock, (pthread_rwlock_t *l), (l),
    delay(RW_UNLOCK, 0), delay(RW_UNLOCKED, 0))
AROUND(int, pthread_cond_wait, (pthread_cond_t *c, pthread_mutex_t *m), (c, m),
    delay(WAIT, 0), delay(WAITED, 0))
AROUND(int, pthread_cond_timedwait, (pthread_cond_t *c, pthread_mutex_t *m,
    const struct timespec *t), (c, m, t), delay(WAIT, 0), delay(WAITED, 0))
AROUND(int, pthread_cond_signal, (pthread_cond_t *c), (c), delay(WAKE, 0), )
AROUND(int, pthread_cond_broadcast, (pthread_cond_t *c), (c), delay(WAKE, 0), )
AROUND(ssize_t, read, (int fd, void *data, size_t size), (fd, data, size),
    delay(READ, 0), delay(HAS_READ, 0))
AROUND(ssize_t, pread, (int fd, void *data, size_t size, off_t at),
    (fd, data, size, at), delay(READ, 0), delay(HAS_READ, 0))
AROUND(int, close, (int fd), (fd), delay(CLOSE, 0), delay(CLOSED, 0))
AROUND(void *, mmap, (void *to, size_t size, int protection, int flags, int fd,
    off_t at), (to, size, protection, flags, fd, at), , delay(MAPPED, 0))
AROUND(int, munmap, (void *data, size_t size), (data, size), delay(UNMAP, 0),
    delay(UNMAPPED, size))
AROUND(int, madvise, (void *data, size_t size, int advice),
    (data, size, advice), delay(ADVISE, 0), )
AROUND(int, pthread_create, (pthread_t *t, const pthread_attr_t *a,
    void *(*run)(void *), void *arg), (t, a, run, arg), begun = true,
    delay(CREATED, 0))
