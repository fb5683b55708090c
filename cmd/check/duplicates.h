/* cmd/check/duplicates.h - inputs that came before: the same file, or the same bytes */
#ifndef CMD_CHECK_DUPLICATES_H
#define CMD_CHECK_DUPLICATES_H

#include <sys/stat.h>

#include "base/intern.h"

/* All zero is empty.  It grows by the names of what comes. */
struct duplicates {
	struct intern keys;
	struct arena arena;
	const char **names;		/* by number of the key */
	size_t room;
};

/*
 * The name under which the file, or a content, was met first; it is noted under
 * this one, and *first is NULL, if it is new.  False if out of memory.
 */
bool duplicates_add_file(struct duplicates *, const struct stat *,
    const char *file, const char **first);
bool duplicates_add_bytes(struct duplicates *, const uint8_t *digest,
    size_t size, const char *file, const char *member, const char **first);

void duplicates_free(struct duplicates *);

#endif
