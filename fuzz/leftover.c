#define _GNU_SOURCE		/* dladdr, before any header */
#include "config.h"

#include "fuzz/leftover.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef __has_feature
#define __has_feature(x) 0
#endif

/* Descriptors that a run may open. */
enum { DESCRIPTORS = 64 };

static bool was_open[DESCRIPTORS];

static void
close_descriptors(void)
{
	for (int fd = 0; fd < DESCRIPTORS; fd++) {
		if (!was_open[fd])
			close(fd);
	}
}

static void
note_descriptors(void)
{
	for (int fd = 0; fd < DESCRIPTORS; fd++)
		was_open[fd] = fcntl(fd, F_GETFD) != -1;
}

#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)

/* sanitizer/allocator_interface.h and asan_interface.h. */
int __sanitizer_install_malloc_and_free_hooks(
    void (*)(const volatile void *, size_t), void (*)(const volatile void *));
size_t __asan_get_alloc_stack(void *, void **trace, size_t, int *thread);
void __lsan_ignore_object(const void *);

/*
 * A hash table of addresses; 0 is an empty place, GONE one that was freed.  A
 * file of arguments of 4 KB that names itself makes 100,000 of them.
 */
enum { PLACES = 1 << 18, MOST = PLACES / 2, GONE = 1 };

static uintptr_t places[PLACES];
static size_t used;
static bool noting;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uintptr_t *
leftover_place(uintptr_t address)
{
	size_t i = (size_t)(address * UINT64_C(0x9E3779B97F4A7C15) >> 32) %
	    PLACES;

	while (places[i] != 0 && places[i] != address)
		i = (i + 1) % PLACES;
	return &places[i];
}

static void
leftover_on_malloc(const volatile void *p, size_t size)
{
	uintptr_t *at;

	(void)size;
	if (!noting)
		return;
	pthread_mutex_lock(&lock);
	/* What does not fit is not freed. */
	at = leftover_place((uintptr_t)p);
	if (*at == 0 && used < MOST) {
		*at = (uintptr_t)p;
		used++;
	}
	pthread_mutex_unlock(&lock);
}

static void
leftover_on_free(const volatile void *p)
{
	uintptr_t *at;

	if (!noting || p == NULL)
		return;
	pthread_mutex_lock(&lock);
	at = leftover_place((uintptr_t)p);
	if (*at != 0)
		*at = GONE;
	pthread_mutex_unlock(&lock);
}

/*
 * Streams, conversions and time zones of the C library outlive a run; a line
 * that it has read belongs to the program.
 */
static bool
is_of_c_library(void *memory)
{
	void *trace[2] = { NULL };
	const char *slash;
	Dl_info info;
	int thread;

	if (__asan_get_alloc_stack(memory, trace, 2, &thread) < 2 ||
	    dladdr(trace[1], &info) == 0 || info.dli_fname == NULL)
		return true;
	if (info.dli_sname != NULL && strstr(info.dli_sname, "getdelim") !=
	    NULL)
		return false;
	slash = strrchr(info.dli_fname, '/');
	slash = slash == NULL ? info.dli_fname : slash + 1;
	return strncmp(slash, "libc.", 5) == 0 ||
	    strncmp(slash, "libc-", 5) == 0 || strncmp(slash, "ld-", 3) == 0;
}

static void
free_memory(void)
{
	for (size_t i = 0; i < PLACES && used != 0; i++) {
		void *memory = (void *)places[i];

		if (places[i] <= GONE)
			continue;
		if (is_of_c_library(memory))
			__lsan_ignore_object(memory);
		else
			free(memory);
	}
}

static void
note_memory(bool on)
{
	static bool installed;

	if (!installed)
		__sanitizer_install_malloc_and_free_hooks(leftover_on_malloc,
		    leftover_on_free);
	installed = true;
	noting = on;
	if (on && used != 0) {
		memset(places, 0, sizeof(places));
		used = 0;
	}
}

#else

static void
free_memory(void)
{
}

static void
note_memory(bool on)
{
	(void)on;
}

#endif

void
leftover_begin(void)
{
	note_descriptors();
	note_memory(true);
}

void
leftover_forget(void)
{
	note_memory(false);
}

void
leftover_release(void)
{
	note_memory(false);
	free_memory();
	close_descriptors();
}
