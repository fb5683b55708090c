#define _GNU_SOURCE		/* memfd_create, before any header */
#include "config.h"

#include "fuzz/file.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/fuzz.h"

const char *
file_of(struct prof_span bytes)
{
	static int fd = -1;
	static char path[40];

	if (fd >= 0)
		close(fd);
	fd = memfd_create("in", MFD_CLOEXEC);
	demand(fd >= 0 && (bytes.size == 0 || pwrite(fd, bytes.data,
	    bytes.size, 0) == (ssize_t)bytes.size),
	    "there is a file in memory");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return path;
}
