/*
 * ops/name_regex.h - regular expressions that are found in names
 *
 * regexec(3) begins again at each byte of a name, and may read the name to its
 * end each time: the time for a name of 1 MB would be hours.  In long names,
 * "^.*(regex)" is searched for, which takes one pass, where it means the same.
 */
#ifndef OPS_NAME_REGEX_H
#define OPS_NAME_REGEX_H

#include <regex.h>
#include <stdbool.h>

#include "prof/base.h"

struct name_regex {
	regex_t given;
	regex_t from_start;	/* ^.*(given) */
	bool has_from_start;
	bool has_anchor;	/* then they differ in names of several lines */
};

/* PROF_E_FORMAT with the reason if the expression is malformed. */
enum prof_status name_regex_make(struct name_regex *, const char *regex,
    struct prof_error *);

/* Whether the expression is found anywhere in the name. */
bool name_regex_matches(const struct name_regex *, const char *name);

/* Of an expression that was made. */
void name_regex_free(struct name_regex *);

#endif
