#include "config.h"

#include "io/read_at.h"

#include <errno.h>
#include <unistd.h>

ssize_t
read_at(int fd, void *data, size_t size, off_t offset)
{
	char *to = data;
	size_t got = 0;

	while (got < size) {
		ssize_t n = pread(fd, to + got, size - got, offset +
		    (off_t)got);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		got += (size_t)n;
	}
	return (ssize_t)got;
}
