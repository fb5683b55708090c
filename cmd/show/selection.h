/* cmd/show/selection.h - the functions that the user named to prof-show */
#ifndef CMD_SHOW_SELECTION_H
#define CMD_SHOW_SELECTION_H

#include "base/arena.h"
#include "prof.h"

struct show_wanted_name {
	struct prof_span name;
	bool listed;			/* it is in a list */
	bool found;
};

/* All zero: all functions are wanted. */
struct show_selection {
	bool any;			/* names were given */
	struct show_wanted_name *names;
	size_t size, room;
	struct prof_span *spans;	/* as prof_select wants them */
	struct arena arena;
};

/* False if out of memory. */
bool show_selection_add(struct show_selection *, struct prof_span name,
    bool listed);

/* Sorts the names after the last was added.  False if out of memory. */
bool show_selection_sort(struct show_selection *);

/* Whether a function of that name is wanted; notes that it was found. */
bool show_selection_has(struct show_selection *, struct prof_span name);

/*
 * Says which names of a list were not found, and if no name was, which others.
 * False if it had to, or if there was a list without names.
 */
bool show_selection_check(const struct show_selection *, const char *program,
    bool quiet);

void show_selection_free(struct show_selection *);

#endif
