/*
 * libdebuginfod is loaded at the first query, as in libdw: loading it with
 * libcurl and a TLS library takes longer than to symbolize a small profile.
 */
#include "config.h"

#include <elfutils/debuginfod.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "sym/sym.h"

#define DEBUGINFOD_FUNCTIONS(F) \
	F(debuginfod_begin) \
	F(debuginfod_find_debuginfo) \
	F(debuginfod_find_executable) \
	F(debuginfod_end)

LIBRARY_TABLE(libdebuginfod, libdebuginfod, DEBUGINFOD_FUNCTIONS);
LIBRARY_LOADED(libdebuginfod, libdebuginfod, DEBUGINFOD_FUNCTIONS,
    DEBUGINFOD_SONAME, "debuginfod", "recommended")

enum prof_status
debuginfod_find(struct prof_span id, bool program, char **path,
    struct prof_error *err)
{
	debuginfod_client *session;
	char *found;
	int fd;

	/* A length of 0 means to libdebuginfod that id is a hex string. */
	if (id.size == 0 || id.size > INT_MAX)
		return PROF_END;
	if (libdebuginfod_load(err) != PROF_OK)
		return PROF_FAIL;
	session = libdebuginfod.debuginfod_begin();
	if (session == NULL)
		return err_memory(err);
	fd = (program ? libdebuginfod.debuginfod_find_executable :
	    libdebuginfod.debuginfod_find_debuginfo)(session, id.data,
	    (int)id.size, &found);
	libdebuginfod.debuginfod_end(session);
	if (fd == -ENOENT)
		return PROF_END;
	if (fd == -ENOSYS)
		return err_set(err, PROF_E_SYSTEM, "debuginfod: no server is "
		    "named in DEBUGINFOD_URLS");
	if (fd < 0)
		return err_system(err, -fd, "debuginfod");
	close(fd);
	*path = found;
	return PROF_OK;
}
