#include "fuzz/budget.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#ifndef __has_feature
#define __has_feature(x) 0
#endif

/* CPU time, which does not depend on other work of the machine. */
enum { SECONDS = 2 };

static const char *now_what = "";
static size_t live, most;

static void
count_more(size_t size)
{
	live += size;
	if (live > most)
		most = live;
}

/* Memory that was allocated before the counting may be freed during it. */
static void
count_less(size_t size)
{
	live -= size < live ? size : live;
}

#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)

/* sanitizer/allocator_interface.h, which gcc does not install. */
int __sanitizer_install_malloc_and_free_hooks(
    void (*)(const volatile void *, size_t), void (*)(const volatile void *));
size_t __sanitizer_get_allocated_size(const volatile void *);

static void
on_malloc(const volatile void *p, size_t size)
{
	(void)p;
	count_more(size);
}

static void
on_free(const volatile void *p)
{
	if (p != NULL)
		count_less(__sanitizer_get_allocated_size(p));
}

static void
start_counting(void)
{
	static bool started;

	if (!started)
		__sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
	started = true;
}

#else

static void
start_counting(void)
{
}

#ifdef __GLIBC__

#include <malloc.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void __libc_free(void *);

void *
malloc(size_t size)
{
	void *p = __libc_malloc(size);

	count_more(malloc_usable_size(p));
	return p;
}

void *
calloc(size_t n, size_t size)
{
	void *p = __libc_calloc(n, size);

	count_more(malloc_usable_size(p));
	return p;
}

/* The old memory is counted until it was copied to the new. */
void *
realloc(void *old, size_t size)
{
	size_t before = malloc_usable_size(old);
	void *p = __libc_realloc(old, size);

	if (p != NULL) {
		count_more(malloc_usable_size(p));
		count_less(before);
	}
	return p;
}

void
free(void *p)
{
	count_less(malloc_usable_size(p));
	__libc_free(p);
}

#endif
#endif

static void
on_time(int signal)
{
	static const char message[] = ": takes more than 2 seconds\n";

	(void)signal;
	if (write(STDERR_FILENO, now_what, strlen(now_what)) < 0 ||
	    write(STDERR_FILENO, message, sizeof(message) - 1) < 0)
		_exit(EXIT_FAILURE);
	abort();
}

static void
set_timer(int seconds)
{
	const struct itimerval t = { .it_value = { .tv_sec = seconds } };

	setitimer(ITIMER_PROF, &t, NULL);
}

void
budget_begin(const char *what)
{
	start_counting();
	now_what = what;
	live = most = 0;
	signal(SIGPROF, on_time);
	set_timer(SECONDS);
}

void
budget_end(size_t limit)
{
	set_timer(0);
	if (most <= limit)
		return;
	fprintf(stderr, "%s: takes %zu bytes of memory, more than %zu\n",
	    now_what, most, limit);
	abort();
}
