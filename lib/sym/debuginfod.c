#include "config.h"

#include "sym/debuginfod.h"

#include <elfutils/debuginfod.h>
#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "base/error.h"

enum prof_status
debuginfod_find(struct prof_span id, char **path, struct prof_error *err)
{
	debuginfod_client *client;
	int fd;

	/* A length of 0 means text to the library. */
	if (id.size == 0 || id.size > INT_MAX)
		return PROF_END;
	client = debuginfod_begin();
	if (client == NULL)
		return err_memory(err);
	fd = debuginfod_find_debuginfo(client, id.data, (int)id.size, path);
	debuginfod_end(client);
	if (fd == -ENOENT)
		return PROF_END;
	if (fd == -ENOSYS)
		return err_set(err, PROF_E_SYSTEM, "debuginfod: no server is "
		    "named in DEBUGINFOD_URLS");
	if (fd < 0)
		return err_system(err, -fd, "debuginfod");
	close(fd);
	return PROF_OK;
}
