/*
 * cmd/common/stdio_flush.h - whether text given to stdio has been written
 */
#ifndef CMD_COMMON_STDIO_FLUSH_H
#define CMD_COMMON_STDIO_FLUSH_H

#include <stdio.h>

/*
 * Flushes a stream.  Returns 0 if all text since the stream was opened has been
 * written, else an errno value: that of this flush, or EIO if only an earlier
 * write failed, whose errno is no longer known.
 */
int stdio_flush(FILE *);

/*
 * The same, and closes the stream: some file systems report lack of space only
 * then.
 */
int stdio_close(FILE *);

#endif
