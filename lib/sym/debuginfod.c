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
#include <string.h>
#include <unistd.h>

#include "base/error.h"

/* Functions of elfutils/debuginfod.h. */
struct client {
	debuginfod_client *(*begin)(void);
	int (*find)(debuginfod_client *, const unsigned char *id, int size,
	    char **path);
	void (*end)(debuginfod_client *);
};

/* Copies the address: ISO C does not convert void * to function pointers. */
static bool
debuginfod_look_up(void *library, const char *name, void *function)
{
	void *found = dlsym(library, name);

	memcpy(function, &found, sizeof(found));
	return found != NULL;
}

static enum prof_status
debuginfod_load(struct client *c, struct prof_error *err)
{
	/* Never unloaded: libcurl does not support it. */
	void *library = dlopen(DEBUGINFOD_SONAME, RTLD_NOW);

	if (library == NULL ||
	    !debuginfod_look_up(library, "debuginfod_begin", &c->begin) ||
	    !debuginfod_look_up(library, "debuginfod_find_debuginfo",
	    &c->find) ||
	    !debuginfod_look_up(library, "debuginfod_end", &c->end))
		return err_set(err, PROF_E_SYSTEM, "debuginfod: %s",
		    dlerror());
	return PROF_OK;
}

enum prof_status
debuginfod_find(struct prof_span id, char **path, struct prof_error *err)
{
	static struct client client;
	debuginfod_client *session;
	int fd;

	/* A length of 0 means to libdebuginfod that id is a hex string. */
	if (id.size == 0 || id.size > INT_MAX)
		return PROF_END;
	if (client.end == NULL && debuginfod_load(&client, err) != PROF_OK)
		return PROF_FAIL;
	session = client.begin();
	if (session == NULL)
		return err_memory(err);
	fd = client.find(session, id.data, (int)id.size, path);
	client.end(session);
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
