/* cmd/symbolize/cache.h - the folder of --cache: frames from earlier runs */
#ifndef CMD_SYMBOLIZE_CACHE_H
#define CMD_SYMBOLIZE_CACHE_H

#include "base/arena.h"
#include "cmd/common/cli.h"
#include "sym/symbolize.h"

/* A folder with a file for each build id. */
struct symbolize_cache {
	struct cli *cli;		/* for warnings */
	const char *dir;		/* NULL: there is no cache */
	struct arena arena;		/* of the bytes that were read */
};

/* With the cache as argument; a file that cannot be used is warned about. */
addresses_load symbolize_cache_load;
addresses_save symbolize_cache_save;

#endif
