#include "config.h"

#include "io/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

#define TEXT_OF(number)	#number
#define TEXT(number)	TEXT_OF(number)

bool
lines_open(struct lines *l, const char *path, char delimiter)
{
	l->file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	l->delimiter = delimiter;
	l->error = 0;
	l->began = false;
	return l->file != NULL;
}

static bool
lines_add(struct lines *l, int byte)
{
	if (!ARRAY_ADD(l->text, l->size, l->room, (char)byte)) {
		l->error = ENOMEM;
		return false;
	}
	return true;
}

bool
lines_next(struct lines *l)
{
	int byte;

	l->size = 0;
	while ((byte = getc_unlocked(l->file)) != EOF &&
	    byte != (unsigned char)l->delimiter) {
		if (l->size == LINES_LONGEST) {
			l->error = EFBIG;
			return false;
		}
		if (!lines_add(l, byte))
			return false;
	}
	if (byte == EOF && ferror(l->file)) {
		l->error = errno;
		return false;
	}
	if (byte == EOF && l->size == 0)
		return false;
	if (!lines_add(l, '\0'))
		return false;
	l->size--;
	/* Editors of Windows put a byte order mark in front of text. */
	if (!l->began && l->delimiter == '\n' && l->size >= 3 &&
	    memcmp(l->text, "\xef\xbb\xbf", 3) == 0) {
		l->size -= 3;
		memmove(l->text, l->text + 3, l->size + 1);
	}
	l->began = true;
	return true;
}

const char *
lines_error(const struct lines *l)
{
	if (l->error == EFBIG)
		return "a line has more than " TEXT(LINES_LONGEST) " bytes";
	return l->error == 0 ? NULL : strerror(l->error);
}

void
lines_close(struct lines *l)
{
	if (l->file != NULL && l->file != stdin)
		fclose(l->file);
	l->file = NULL;
}

void
lines_free(struct lines *l)
{
	lines_close(l);
	free(l->text);
	l->text = NULL;
	l->room = 0;
}
