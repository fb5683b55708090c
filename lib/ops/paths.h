/*
 * paths.h - the file part of local names, as if compiled in another folder
 *
 * A compiler names the file as it was told to find it, so that builds in two
 * folders have different names for one function.
 */
#ifndef OPS_PATHS_H
#define OPS_PATHS_H

#include "ops/rename.h"

struct paths_prefix {
	struct prof_span from, to;
};

/* All zero leaves names as they are. */
struct paths {
	struct paths_prefix *prefixes;
	size_t prefix_count;
	/*
	 * Folders to take off in front, as many as there are at most.  The
	 * prefixes come first.  As -static-func-strip-dirname-prefix of LLVM:
	 * what counts is the separators, which are / and \.
	 */
	size_t strip;
};

/*
 * Adds "OLD=NEW", which is borrowed; the longest OLD that a file begins with is
 * replaced.  PROF_E_FORMAT if it has no '=', or a ';', which ends a file part.
 */
enum prof_status paths_add(struct paths *, const char *rule,
    struct prof_error *);

/* A rename_name with the paths as its argument. */
rename_name paths_rename;

void paths_free(struct paths *);

#endif
