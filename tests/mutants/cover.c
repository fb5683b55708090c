/*
 * Notes which basic blocks run: linked into each program and library that is
 * compiled with -fsanitize-coverage=trace-pc.  A block is the offset of its
 * code in the file it was loaded from.  One byte for each offset is kept in
 * $MUTANTS_COVER/TEST/FILE, mapped, so that nothing is lost when a program is
 * killed; TEST is the name of the .bats file and the number of the test in it,
 * or "run" outside of bats.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CODE = 1 << 25 };	/* bytes of code that a file can have */

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
static unsigned char *seen;

static const char *
cover_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL ? path : slash + 1;
}

static void __attribute__((constructor(101)))
cover_open(void)
{
	const char *folder = getenv("MUTANTS_COVER");
	const char *file = getenv("BATS_TEST_FILENAME");
	const char *number = getenv("BATS_TEST_NUMBER");
	char path[4096];
	Dl_info self;
	void *map;
	int fd;

	if (folder == NULL || dladdr(__ehdr_start, &self) == 0)
		return;
	if (file == NULL || number == NULL)
		snprintf(path, sizeof(path), "%s/run", folder);
	else
		snprintf(path, sizeof(path), "%s/%s:%s", folder,
		    cover_name(file), number);
	mkdir(path, 0777);
	strncat(path, "/", sizeof(path) - strlen(path) - 1);
	strncat(path, cover_name(self.dli_fname),
	    sizeof(path) - strlen(path) - 1);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return;
	if (ftruncate(fd, CODE) == 0) {
		map = mmap(NULL, CODE, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		    0);
		seen = map == MAP_FAILED ? NULL : map;
	}
	close(fd);
}

void __attribute__((visibility("hidden")))
__sanitizer_cov_trace_pc(void)
{
	uintptr_t offset = (uintptr_t)__builtin_return_address(0) -
	    (uintptr_t)__ehdr_start;

	if (seen != NULL && offset < CODE && seen[offset] == 0)
		seen[offset] = 1;
}
