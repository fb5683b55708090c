#include "config.h"

#include "cmd/common/stdio_flush.h"

#include <errno.h>
#include <stdbool.h>

int
stdio_flush(FILE *stream)
{
	bool lost = ferror(stream) != 0;

	errno = 0;
	if (fflush(stream) == 0 && !lost)
		return 0;
	return errno == 0 ? EIO : errno;
}

int
stdio_close(FILE *stream)
{
	int error = stdio_flush(stream);

	return fclose(stream) != 0 && error == 0 ? errno : error;
}
