/* Lines of a list that a user gives: names of files or functions. */
#ifndef IO_LINES_H
#define IO_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Bytes of a line at most: a file that has no lines shall not fill memory. */
#define LINES_LONGEST	1048576

struct lines {
	FILE *file;		/* NULL: no list is open */
	char delimiter;		/* that ends a line: '\n' or '\0' */
	char *text;		/* the last line, with NUL behind size bytes */
	size_t size, room;
	int error;		/* errno of the failure, EFBIG: a long line */
	bool began;		/* the first line was read */
};

/* "-" is standard input.  False, with errno set, if it cannot be opened. */
bool lines_open(struct lines *, const char *path, char delimiter);

/*
 * Reads the next line, which may be empty, without its delimiter.  False at the
 * end of the list, and where lines_error has a reason.
 */
bool lines_next(struct lines *);

/* Why lines_next returned false; NULL: that was the end of the list. */
const char *lines_error(const struct lines *);

/* Another list may be opened with the same struct, which keeps its memory. */
void lines_close(struct lines *);

void lines_free(struct lines *);

#endif
