/* cmd/check/duplicates.h - inputs with the file or bytes of an earlier one */
#ifndef CMD_CHECK_DUPLICATES_H
#define CMD_CHECK_DUPLICATES_H

#include <sys/stat.h>

#include "base/intern.h"
#include "base/sha256.h"

/* All zero is empty. */
struct duplicates {
	struct intern keys;
	struct arena arena;
	const char **names;		/* by number of the key */
	size_t room;
};

/*
 * Sets *first to the name of the earlier input with this file or content, or to
 * NULL if it is new, and then notes it.  False if out of memory.
 */
bool duplicates_add_file(struct duplicates *, const struct stat *,
    const char *file, const char **first);
bool duplicates_add_bytes(struct duplicates *,
    const uint8_t sha256[SHA256_SIZE], const char *file, const char *member,
    const char **first);

void duplicates_free(struct duplicates *);

#endif
