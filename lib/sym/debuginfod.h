/* debuginfod.h - debug files from servers */
#ifndef SYM_DEBUGINFOD_H
#define SYM_DEBUGINFOD_H

#include "prof.h"

/*
 * Asks the servers of $DEBUGINFOD_URLS; *path is that of the file in the
 * client's cache, for free.  PROF_END if no server has it.
 */
enum prof_status debuginfod_find(struct prof_span build_id, char **path,
    struct prof_error *);

#endif
