#include "config.h"

#include "base/library.h"

#include <dlfcn.h>
#include <string.h>

#include "base/error.h"

static enum prof_status
library_fail(struct prof_error *err)
{
	const char *reason;

	if (err_memory_seen())
		return err_memory(err);
	reason = dlerror();		/* names the library */
	return err_set(err, PROF_E_LIBRARY, "cannot load %s",
	    reason == NULL ? "a library" : reason);
}

static enum prof_status
library_fill_in(struct library *l, struct prof_error *err)
{
	unsigned char *functions = l->functions;
	void *handle;

	err_memory_begin();
	handle = dlopen(l->soname, RTLD_NOW);
	if (handle == NULL)
		return library_fail(err);
	for (size_t i = 0; l->names[i] != NULL; i++) {
		void *found = dlsym(handle, l->names[i]);

		if (found == NULL)
			return library_fail(err);
		/* ISO C does not convert void * to function pointers. */
		memcpy(functions + i * sizeof(found), &found, sizeof(found));
	}
	l->loaded = true;
	return PROF_OK;
}

enum prof_status
library_load(struct library *l, struct prof_error *err)
{
	enum prof_status status;

	pthread_mutex_lock(&l->lock);
	status = l->loaded ? PROF_OK : library_fill_in(l, err);
	pthread_mutex_unlock(&l->lock);
	return status;
}
