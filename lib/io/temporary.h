/* temporary.h - unlinked files, which the system removes when closed */
#ifndef IO_TEMPORARY_H
#define IO_TEMPORARY_H

/*
 * A new file without a name in $TMPDIR, or /tmp: open for reading and writing,
 * closed on exec.  -1 with errno set.
 */
int temporary_open(void);

/* $TMPDIR, or /tmp. */
const char *temporary_folder(void);

#endif
