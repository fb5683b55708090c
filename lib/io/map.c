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
	/* Odd from map_begin to map_free, and another one for each mapping. */
	atomic_uint version;
	atomic_uintptr_t start;
	atomic_size_t size;
	atomic_bool broken;
	bool borrowed;			/* its pages are those of others */
};

/* The handler may not wait for a lock. */
_Static_assert(ATOMIC_BOOL_LOCK_FREE == 2 && ATOMIC_INT_LOCK_FREE == 2 &&
    ATOMIC_LONG_LOCK_FREE == 2 && ATOMIC_POINTER_LOCK_FREE == 2,
    "atomic types that signal handlers can use");

static struct map maps[MAPS];
static size_t page_size;
static bool handled;			/* by map_on_sigbus */

/*
 * Runs in a signal handler, where mmap is safe as a plain system call.
 *
 * The thread that is interrupted reads the address, so the mapping there is not
 * freed meanwhile.  Other threads may free the entry and use it again: start
 * and size are of one mapping, not freed yet, if the version is odd and still
 * the same afterwards.  Mappings that exist at a time have no address in
 * common, so an entry that has the address is that of the mapping.
 */
static bool
map_replace_page(struct map *m, uintptr_t address)
{
	unsigned version = m->version;
	uintptr_t start = m->start, page = address - address % page_size;
	size_t size = m->size;

	if (version % 2 == 0 || m->version != version || address < start ||
	    address - start >= size)
		return false;
	m->broken = true;
	return mmap((void *)page, size - (page - start), PROT_READ,
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

	page_size = (size_t)sysconf(_SC_PAGESIZE);
	sigemptyset(&action.sa_mask);
	handled = sigaction(SIGBUS, &action, NULL) == 0;
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
	m->version++;
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
	return handled ? map_file_bare(fd, size) : NULL;
}

struct map *
map_watch(const void *bytes, size_t size)
{
	struct map *m = handled ? map_free_region() : NULL;

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
map_release(const struct map *m, struct prof_span bytes)
{
	uintptr_t start = m->start;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t from = (uintptr_t)bytes.data - start, to = from + bytes.size;

	if (m->borrowed || from > m->size || bytes.size > m->size - from)
		return;
	from += -from % page;
	/* The last page of the file is dropped as a whole. */
	if (to != m->size)
		to -= to % page;
	if (to > from)
		madvise((void *)(start + from), to - from, MADV_DONTNEED);
}

/* The handler must not find the entry once others may get its addresses. */
void
map_free(struct map *m)
{
	if (m == NULL)
		return;
	m->version++;
	if (!m->borrowed)
		munmap((void *)m->start, m->size);
	m->used = false;
}
