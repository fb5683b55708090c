/* show.h - the two faces of prof-show: for people, and JSON */
#ifndef CMD_SHOW_H
#define CMD_SHOW_H

#include "base/bytes.h"
#include "ops/figures.h"
#include "prof.h"

struct show_style {
	bool counts, values, demangle, cutoffs;
};

struct show_face {
	/* Heading of a list of functions, at a profile's first function. */
	void (*heading)(struct buf *, const struct prof_header *);
	void (*function)(struct buf *, const struct show_style *,
	    const struct prof_header *, const struct prof_function *);
	/* entries are NULL unless cutoffs are wanted. */
	void (*summary)(struct buf *, const struct prof_header *,
	    const struct figures *, const struct summary_entry *entries);
};

extern const struct show_face show_people, show_json;

/* Words for the flags of a header, in order. */
extern const char *const show_flags[PROF_FLAGS];

/*
 * Appends a name as it shall be read: demangled if wanted and possible, in a
 * local name only the part behind the file.
 */
void show_name(struct buf *, struct prof_span name, bool demangle);

#endif
