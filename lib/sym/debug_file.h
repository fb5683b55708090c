/* sym/debug_file.h - files with the debug information of a binary */
#ifndef SYM_DEBUG_FILE_H
#define SYM_DEBUG_FILE_H

#include "sym/binary.h"

/*
 * Searches in the order of GDB ("Debugging Information in Separate Files"): the
 * name in .gnu_debuglink in the folder of the binary, in .debug/ there, and
 * below the folders of the search and /usr/lib/debug; then the build id in
 * these folders; then the debuginfod servers.  A file with another build id or
 * CRC is skipped, and so is the binary itself.  PROF_END if there is none.
 * PROF_FAIL if there is none that can be read, with the reason of the first
 * that cannot.  binary_find of binary.h is here, too.
 */
enum prof_status debug_file_open(struct binary *, const struct binary_search *,
    struct binary **, struct prof_error *);

#endif
