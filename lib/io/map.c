#include "io/map.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* Files that can be mapped at a time; callers read any more of them. */
enum { MAPS = 300 };

struct map {
	atomic_bool used;
	atomic_uintptr_t start;		/* 0: the handler skips the entry */
	atomic_size_t size;
	atomic_bool broken;
	bool borrowed;			/* map_free does not unmap it */
};

static struct map maps[MAPS];
static size_t page_size;

/* Runs in a signal handler, where mmap is safe as a plain system call. */
static bool
map_replace_page(struct map *m, uintptr_t address)
{
	uintptr_t start = m->start, page = address - address % page_size;

	if (start == 0 || address < start || address - start >= m->size)
		return false;
	m->broken = true;
	return mmap((void *)page, m->size - (page - start), PROT_READ,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

static void
map_on_sigbus(int number, siginfo_t *info, void *unused)
{
	int saved_errno = errno;
	bool replaced = false;

	(void)unused;
	for (size_t i = 0; i < MAPS && !replaced; i++)
		replaced = map_replace_page(&maps[i], (uintptr_t)info->si_addr);
	if (!replaced)
		signal(number, SIG_DFL);
	errno = saved_errno;
}

static void
map_install_handler(void)
{
	struct sigaction action = { .sa_sigaction = map_on_sigbus,
	    .sa_flags = SA_SIGINFO };

	sigemptyset(&action.sa_mask);
	if (sigaction(SIGBUS, &action, NULL) == 0)
		page_size = (size_t)sysconf(_SC_PAGESIZE);
}

static struct map *
map_free_region(void)
{
	for (size_t i = 0; i < MAPS; i++) {
		if (!atomic_exchange(&maps[i].used, true))
			return &maps[i];
	}
	return NULL;
}

/* The map is used by one caller, and by the handler. */
static struct map *
map_begin(struct map *m, const void *bytes, size_t size, bool borrowed)
{
	m->size = size;
	m->broken = false;
	m->borrowed = borrowed;
	m->start = (uintptr_t)bytes;
	return m;
}

struct map *
map_file_bare(int fd, size_t size)
{
	struct map *m = map_free_region();
	void *bytes;

	if (m == NULL)
		return NULL;
	bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED) {
		m->used = false;
		return NULL;
	}
	return map_begin(m, bytes, size, false);
}

void
map_handle_errors(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, map_install_handler);
}

struct map *
map_file(int fd, size_t size)
{
	map_handle_errors();
	return page_size == 0 ? NULL : map_file_bare(fd, size);
}

struct map *
map_watch(const void *bytes, size_t size)
{
	struct map *m = page_size == 0 ? NULL : map_free_region();

	return m == NULL ? NULL : map_begin(m, bytes, size, true);
}

const void *
map_bytes(const struct map *m)
{
	return (const void *)m->start;
}

bool
map_is_whole(const struct map *m)
{
	return !m->broken;
}

void
map_release(void *unused, struct prof_span bytes)
{
	uintptr_t from = (uintptr_t)bytes.data, to = from + bytes.size;

	(void)unused;
	for (size_t i = 0; i < MAPS; i++) {
		uintptr_t start = maps[i].start, end = start + maps[i].size;

		if (start == 0 || from < start || from >= end)
			continue;
		from += -from % page_size;
		/* The last page of the file is dropped as a whole. */
		if (to != end)
			to -= to % page_size;
		if (to > from && to <= end)
			madvise((void *)from, to - from, MADV_DONTNEED);
		return;
	}
}

void
map_free(struct map *m)
{
	if (m == NULL)
		return;
	if (!m->borrowed)
		munmap((void *)m->start, m->size);
	m->start = 0;
	m->used = false;
}
