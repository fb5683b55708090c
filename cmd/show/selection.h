/* cmd/show/selection.h - the functions that the user named to prof-show */
#ifndef CMD_SHOW_SELECTION_H
#define CMD_SHOW_SELECTION_H

#include "base/arena.h"
#include "cmd/common/nearest_names.h"
#include "ops/name_forms.h"
#include "prof.h"

struct show_wanted_name {
	struct prof_span name;
	bool listed;			/* it is in a list */
	bool found;
	enum name_form form;		/* the first found in this profile */
};

/* A function that is called by a given name, but in another form. */
struct show_held_function {
	struct prof_function function;	/* copied */
	size_t name;			/* index of the wanted name */
	enum name_form form;
};

/* All zero: all functions are wanted. */
struct show_selection {
	bool any;			/* names were given */
	struct show_wanted_name *names;
	size_t size, room;
	struct prof_span *spans;	/* as prof_select wants them */
	struct arena arena;
	bool demangled;			/* a name may be a demangled one */
	bool found;			/* one of the names */
	struct name_forms forms;	/* of the function at hand */
	struct nearest_names nearest;	/* used until a name is found */
	struct show_held_function *held;	/* of this profile */
	size_t held_size, held_room;
	struct arena held_arena;
};

/* False if out of memory. */
bool show_selection_add(struct show_selection *, struct prof_span name,
    bool listed);

/* Sorts the names after the last was added.  False if out of memory. */
bool show_selection_sort(struct show_selection *);

/* At the begin of a profile: forgets what it held of the one before. */
void show_selection_begin(struct show_selection *);

/*
 * Notes the names that call the function.  The name and the form of the best of
 * them are in *match, NAME_FORMS if no name calls it.  False if out of memory.
 */
struct show_match {
	size_t name;
	enum name_form form;
};
bool show_selection_match(struct show_selection *, struct prof_span function,
    struct show_match *);

/*
 * Keeps a function until the end of the profile, as a function may come that
 * the name calls in an earlier form.  False if out of memory.
 */
bool show_selection_hold(struct show_selection *, const struct prof_function *,
    const struct show_match *);

/*
 * The next function that was kept, from *place on, which is 0 at first; NULL at
 * the end.  It is wanted if no function came that the name calls in an earlier
 * form.
 */
const struct prof_function *show_selection_next(const struct show_selection *,
    size_t *place, bool *wanted);

/*
 * Says which names of a list were not found, and if no name was, which others,
 * with the names nearest to them.  False if it had to, or if there was a list
 * without names.
 */
bool show_selection_check(const struct show_selection *, const char *program,
    bool quiet);

void show_selection_free(struct show_selection *);

#endif
