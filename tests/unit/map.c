/*
 * Mappings of files: pages are released, and missing ones replaced, only of the
 * mapping itself, also while another thread frees one and gets its addresses
 * for something else.
 */
#include "config.h"

#include <sys/resource.h>

#include "io/map.h"
#include "tests/support/packed.h"

enum { PAGES = 8, OTHER = 0x5a };

static size_t page;			/* bytes */
static size_t size;			/* of the file: its last page is cut */
static uint8_t *contents;

static struct map *
map_contents(void)
{
	int fd = open("file", O_RDONLY);
	struct map *m = map_file(fd, size);

	must(fd >= 0 && m != NULL && close(fd) == 0 &&
	    memcmp(map_bytes(m), contents, size) == 0, "map_file");
	return m;
}

/* Pages that are dropped have the bytes of the file again. */
static uint8_t *
overwrite(const struct map *m)
{
	uint8_t *bytes = (uint8_t *)(uintptr_t)map_bytes(m);

	must(mprotect(bytes, size, PROT_READ | PROT_WRITE) == 0, "mprotect");
	memset(bytes, OTHER, size);
	return bytes;
}

static bool
is_filled(const uint8_t *bytes, size_t n, uint8_t with)
{
	for (size_t i = 0; i < n; i++) {
		if (bytes[i] != with)
			return false;
	}
	return true;
}

/* A bit for each page that was dropped. */
static unsigned
dropped(const uint8_t *bytes)
{
	unsigned pages = 0;

	for (size_t i = 0; i < PAGES; i++) {
		size_t at = i * page, n = size - at < page ? size - at : page;

		if (memcmp(bytes + at, contents + at, n) == 0)
			pages |= 1u << i;
		else if (!is_filled(bytes + at, n, OTHER))
			return UINT32_MAX;
	}
	return pages;
}

static struct prof_span
at(const uint8_t *bytes, size_t from, size_t n)
{
	return (struct prof_span){ (const uint8_t *)((uintptr_t)bytes + from),
	    n };
}

static void
test_release(void)
{
	const struct {
		size_t from, size;
		unsigned pages;
	} rows[] = {
		{ 0, size, 0xff },
		{ 0, 0, 0 },
		{ size, 0, 0 },
		{ 0, page, 0x01 },
		{ 0, 2 * page - 1, 0x01 },
		{ 1, 2 * page - 1, 0x02 },
		{ 1, page, 0 },
		{ page / 2, 3 * page, 0x06 },
		{ 6 * page, size - 6 * page, 0xc0 },
		{ 6 * page, size - 6 * page - 1, 0x40 },
		/* Not all of these bytes are in the mapping. */
		{ 0, size + 1, 0 },
		{ 0, SIZE_MAX, 0 },
		{ page, size, 0 },
		{ page, SIZE_MAX, 0 },
		{ size, 1, 0 },
		{ size, page, 0 },
		{ PAGES * page, page, 0 },
		{ (size_t)0 - page, page, 0 },
		{ (size_t)0 - page, 2 * page, 0 },
		{ (size_t)0 - page, SIZE_MAX, 0 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct map *m = map_contents();
		uint8_t *bytes = overwrite(m);
		unsigned pages;

		map_release(m, at(bytes, rows[i].from, rows[i].size));
		pages = dropped(bytes);
		check(pages == rows[i].pages, "release of %zu bytes at %zu: "
		    "pages %#x", rows[i].size, rows[i].from, pages);
		map_free(m);
	}
}

static void
test_release_of_others(void)
{
	struct map *a = map_contents(), *b = map_contents(), *borrowed;
	uint8_t *in_a = overwrite(a), *in_b = overwrite(b);

	map_release(a, at(in_b, 0, size));
	map_release(b, at(in_a, 0, size));
	check(dropped(in_a) == 0 && dropped(in_b) == 0,
	    "a mapping does not release pages of another one");
	borrowed = map_watch(in_a, size);
	map_release(borrowed, at(in_a, 0, size));
	check(dropped(in_a) == 0, "nor those that it borrows");
	map_free(borrowed);
	check(dropped(in_a) == 0, "which stay when it ends");
	map_release(a, at(in_a, 0, size));
	check(dropped(in_a) == 0xff, "and are still those of their owner");
	map_free(a);
	map_free(b);
}

/* What another thread does as soon as the addresses are free. */
static void (*after_unmap)(void *bytes);

int __real_munmap(void *bytes, size_t n);
int __wrap_munmap(void *bytes, size_t n);

int
__wrap_munmap(void *bytes, size_t n)
{
	void (*then)(void *) = after_unmap;
	int result = __real_munmap(bytes, n);

	after_unmap = NULL;
	if (then != NULL)
		then(bytes);
	return result;
}

static void *
map_there(void *bytes, int flags, int fd)
{
	void *p = mmap(bytes, size, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_FIXED | flags, fd, 0);

	must(p == bytes, "the address of a mapping that was freed");
	return p;
}

static struct map *reading;		/* by a thread, meanwhile */

/* The buffer of a thread whose file is not mapped is reported as consumed. */
static void
reuse_as_buffer(void *bytes)
{
	memset(map_there(bytes, MAP_ANONYMOUS, -1), OTHER, size);
	map_release(reading, at(bytes, 0, size));
}

static void
test_release_during_free(void)
{
	struct map *m = map_contents();
	const uint8_t *bytes = map_bytes(m);

	reading = map_contents();
	after_unmap = reuse_as_buffer;
	map_free(m);
	check(after_unmap == NULL && is_filled(bytes, size, OTHER),
	    "a buffer where a mapping was is not emptied");
	map_free(reading);
	must(munmap((void *)(uintptr_t)bytes, size) == 0, "munmap");
}

/* A file of others, which becomes shorter: SIGBUS ends the program. */
static void
reuse_as_file(void *bytes)
{
	const volatile uint8_t *there;
	int fd = open("other", O_RDONLY);

	must(fd >= 0, "other");
	there = map_there(bytes, 0, fd);
	must(truncate("other", 0) == 0, "truncate");
	_exit(there[0] == 0 ? 3 : 4);
}

enum moment { WHILE_FREED, WHEN_FREED, WHEN_USED_AGAIN, MOMENTS };

static void
free_and_fault(enum moment moment)
{
	struct map *m = map_contents();
	void *bytes = (void *)(uintptr_t)map_bytes(m);

	if (moment == WHILE_FREED)
		after_unmap = reuse_as_file;
	map_free(m);
	/* The entry of the mapping has another address then. */
	if (moment == WHEN_USED_AGAIN) {
		map_there(bytes, MAP_ANONYMOUS, -1);
		m = map_contents();
		must(map_bytes(m) != bytes, "another address");
	}
	reuse_as_file(bytes);
}

static void
test_fault_after_free(void)
{
	static const char *const names[] = { "being freed", "freed",
	    "freed, and its entry used again" };

	for (int i = 0; i < MOMENTS; i++) {
		const struct rlimit none = { 0, 0 };
		int status = 0;
		pid_t child;

		put_file("other", contents, size);
		child = fork();
		must(child >= 0, "fork");
		if (child == 0) {
			setrlimit(RLIMIT_CORE, &none);
			alarm(20);
			free_and_fault((enum moment)i);
		}
		waitpid(child, &status, 0);
		check(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS,
		    "no page is replaced where a mapping is %s: status %d",
		    names[i], status);
	}
}

int
main(void)
{
	enter_folder();
	page = (size_t)sysconf(_SC_PAGESIZE);
	size = PAGES * page - page / 3;
	contents = malloc(size);
	must(contents != NULL, "malloc");
	fill(contents, size, 1);
	put_file("file", contents, size);
	put_file("other", contents, size);
	test_release();
	test_release_of_others();
	test_release_during_free();
	if (bus_errors_have_addresses("other")) {
		test_fault_after_free();
	} else
		check(true, "missing pages # SKIP "
		    "SIGBUS comes without its address");
	free(contents);
	leave_folder();
	return done_testing();
}
