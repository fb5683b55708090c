/* sym/debug_file.h - files with the debug information of a binary */
#ifndef SYM_DEBUG_FILE_H
#define SYM_DEBUG_FILE_H

#include "sym/binary.h"

/*
 * The one that .gnu_debuglink names, next to the binary, in .debug there, and
 * below the folders; then by build id in the folders and /usr/lib/debug, then
 * from servers.  One that does not belong to the binary is passed over.
 * PROF_END if there is none.
 */
enum prof_status debug_file_open(struct binary *, const struct binary_search *,
    struct binary **, struct prof_error *);

#endif
