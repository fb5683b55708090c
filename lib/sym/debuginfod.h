/* sym/debuginfod.h - debug files from debuginfod servers */
#ifndef SYM_DEBUGINFOD_H
#define SYM_DEBUGINFOD_H

#include "prof.h"

/*
 * Queries the servers of $DEBUGINFOD_URLS.  *path names the file in the cache
 * of libdebuginfod and is for free(3).  PROF_END if no server has it.
 */
enum prof_status debuginfod_find(struct prof_span build_id, char **path,
    struct prof_error *);

#endif
