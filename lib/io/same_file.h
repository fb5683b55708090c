/* same_file.h - whether two names or descriptors led to one file */
#ifndef IO_SAME_FILE_H
#define IO_SAME_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

/* Only files that exist at one time can be told apart by their numbers. */
static inline bool
same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

#endif
