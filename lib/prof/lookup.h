/* prof/lookup.h - the functions of a name, in images that can look names up */
#ifndef PROF_LOOKUP_H
#define PROF_LOOKUP_H

#include "prof/reader.h"

struct prof_lookup;

/* All functions of a name in an image; their value targets have no names. */
struct prof_named {
	struct prof_symbol symbol;
	const struct prof_function *functions;
	size_t size;
};

typedef enum prof_status prof_visit_named(void *arg, const struct prof_named *,
    struct prof_error *);

/*
 * Opens an image that has nothing to report but functions, by guids that are
 * distinct: an indexed file without heap profile, names of vtables or unknown
 * flags.  It must outlive the look-up.  NULL for all others, for damage that
 * opening finds, and without memory.
 */
struct prof_lookup *prof_lookup_open(struct prof_context *,
    struct prof_span image, struct prof_error *);

const struct prof_header *prof_lookup_header(const struct prof_lookup *);

/*
 * Checks the whole image as a reader does, and calls a function for each name,
 * in the order of the image.  To be called before the functions below.
 */
enum prof_status prof_lookup_check(struct prof_lookup *, prof_visit_named *,
    void *arg, struct prof_error *);

/*
 * The next name in the order of the image, or PROF_END; and the first one
 * again.  Valid until the next call.
 */
enum prof_status prof_lookup_next(struct prof_lookup *, struct prof_named *,
    struct prof_error *);
void prof_lookup_rewind(struct prof_lookup *);

/*
 * The functions of that name and guid, PROF_END if there are none.  PROF_FAIL
 * too if another name has that guid.  Valid until the next call: what
 * prof_lookup_next has returned stays valid.
 */
enum prof_status prof_lookup_find(struct prof_lookup *,
    const struct prof_symbol *, struct prof_named *, struct prof_error *);

void prof_lookup_close(struct prof_lookup *);	/* NULL is fine */

#endif
