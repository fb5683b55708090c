/*
 * libdebuginfod is loaded at the first query, as in libdw: loading it with
 * libcurl and a TLS library takes longer than to symbolize a small profile.
 */
#include "config.h"

#include "sym/debuginfod.h"

#include <dlfcn.h>
#include <elfutils/debuginfod.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/library.h"

#define DEBUGINFOD_FUNCTIONS(F) \
	F(debuginfod_begin) \
	F(debuginfod_find_debuginfo) \
	F(debuginfod_end)

LIBRARY_TABLE(libdebuginfod, libdebuginfod, DEBUGINFOD_FUNCTIONS);
LIBRARY_LOADED(libdebuginfod, libdebuginfod, DEBUGINFOD_FUNCTIONS,
    DEBUGINFOD_SONAME, "debuginfod", "recommended")

/*
 * Frees a path that libdebuginfod allocated.  Its calls of malloc(3) reach the
 * first loaded object that defines malloc, which may be a preloaded allocator,
 * so that free(3) is looked up in the same order.  The calls of free(3) in this
 * library cannot be used: they may reach the allocator of prof_new_with.
 */
static void
debuginfod_free(char *path)
{
	void *found = dlsym(RTLD_DEFAULT, "free");
	void (*release)(void *);

	/* ISO C does not convert void * to function pointers. */
	memcpy(&release, &found, sizeof(found));
	release(path);
}

enum prof_status
debuginfod_find(struct prof_span id, char **path, struct prof_error *err)
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
	fd = libdebuginfod.debuginfod_find_debuginfo(session, id.data,
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
	*path = strdup(found);
	debuginfod_free(found);
	return *path == NULL ? err_memory(err) : PROF_OK;
}
