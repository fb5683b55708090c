#include "config.h"

#include "io/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char *
temporary_folder(void)
{
	const char *dir = getenv("TMPDIR");

	return dir == NULL || *dir == '\0' ? "/tmp" : dir;
}

/* For file systems without O_TMPFILE. */
static int
temporary_open_unlinked(void)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/proftools-XXXXXX",
	    temporary_folder());
	int fd;

	if (n < 0 || (size_t)n >= sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

int
temporary_open(void)
{
	int fd = open(temporary_folder(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR ||
	    errno == EINVAL || errno == ENOENT))
		fd = temporary_open_unlinked();
	return fd;
}
