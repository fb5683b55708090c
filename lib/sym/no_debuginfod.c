/* In place of debuginfod.c in a build without it (--without-debuginfod). */
#include "config.h"

#include "base/error.h"
#include "sym/debuginfod.h"

enum prof_status
debuginfod_find(struct prof_span id, char **path, struct prof_error *err)
{
	(void)id;
	(void)path;
	return err_not_built(err, "libdebuginfod", "asks servers");
}
