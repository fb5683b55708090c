/*
 * ops/paths.h - the file part of local names, as if compiled in another folder
 *
 * The file part is the path on the compiler's command line, so that builds in
 * two folders have different names for one function.
 */
#ifndef OPS_PATHS_H
#define OPS_PATHS_H

#include "ops/rename.h"

struct paths_prefix {
	struct prof_span from, to;
};

/* All zero changes nothing. */
struct paths {
	struct paths_prefix *prefixes;
	size_t prefix_count, prefix_room;
	/*
	 * Leading folders to remove, after the prefixes were replaced; paths
	 * with fewer lose all of them.  As -static-func-strip-dirname-prefix of
	 * LLVM (InstrProf.cpp, stripDirPrefix), it counts separators, which are
	 * / and \.
	 */
	size_t strip;
};

/*
 * Adds a rule "OLD=NEW", borrowed until paths_free.  Of all rules, the one with
 * the longest OLD that a file begins with is used.  PROF_E_FORMAT if the rule
 * has no '=', or a ';', which ends the file part of a name.
 */
enum prof_status paths_add(struct paths *, const char *rule,
    struct prof_error *);

/* A rename_name whose argument is the struct paths. */
rename_name paths_rename;

void paths_free(struct paths *);

#endif
