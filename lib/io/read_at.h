/* read_at.h - bytes of a file at an offset, in one call */
#ifndef IO_READ_AT_H
#define IO_READ_AT_H

#include <sys/types.h>

/*
 * As pread, but goes on after a signal and after a short read: fewer than size
 * bytes come only at the end of the file.  -1 with errno set.
 */
ssize_t read_at(int fd, void *data, size_t size, off_t offset);

#endif
