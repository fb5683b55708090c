/* cmd/show/heap_choice.h - which sites and callers prof-show --heap prints */
#ifndef CMD_SHOW_HEAP_CHOICE_H
#define CMD_SHOW_HEAP_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a line of the output stands for; node 0 is the site itself. */
struct shown_line {
	uint64_t value;			/* by which lines are chosen */
	size_t site, node;		/* indices, of a site and in its tree */
	size_t depth;			/* of the site: 0 */
};

/*
 * The lines with the largest values, of which ties go to the first.  A caller
 * has no larger value than its own caller has, so that the chosen lines are
 * trees.
 *
 * All lines are added, then heap_choice_end is called, then each is asked for:
 * so that memory does not grow with the lines but with the limit.
 */
struct heap_choice {
	/* Set by the caller. */
	size_t depth;			/* the deepest callers; SIZE_MAX: all */
	double min_share;		/* percent of the total; 0: any */
	double total;			/* value of the profile */
	size_t limit;			/* lines; SIZE_MAX: all */

	struct shown_line *lines;
	size_t size, room;
};

/* False if out of memory. */
bool heap_choice_add(struct heap_choice *, const struct shown_line *);
void heap_choice_end(struct heap_choice *);
bool heap_choice_has(const struct heap_choice *, const struct shown_line *);
void heap_choice_free(struct heap_choice *);

#endif
