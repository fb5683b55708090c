/* cmd/compare/sides.h - both sides of a comparison, from their records */
#ifndef CMD_COMPARE_SIDES_H
#define CMD_COMPARE_SIDES_H

#include "cmd/common/pipeline.h"
#include "cmd/compare/compare.h"
#include "ops/heap/view.h"

struct diff_side {
	struct heap_view *heap;
	bool any, has_heap;
};

/* All zero but what the caller sets: cli, names, also and its argument. */
struct diff_sides {
	struct cli *cli;
	cli_record *also;		/* gets each record too; or NULL */
	void *also_arg;
	const struct heap_names *names;	/* for frames without; or NULL */
	struct diff *diff;		/* the files of it are being read */
	struct diff_side sides[OVERLAP_SIDES], *side;
	struct diff_table functions;
	/* Of the profile being read, and of the first one with functions. */
	enum prof_level level, first_level;
	const char *first_file;
};

/*
 * Reads the files of a comparison, A and then B, and compares them.  The diff
 * is all zero but for files, top, demangle and, of changes, equal;
 * it has pointers into the sides.
 */
enum prof_status diff_sides_read(struct diff_sides *);
enum prof_status diff_sides_compare(struct diff_sides *);

/* Frees the sides and, in the diff, the result of their comparison. */
void diff_sides_free(struct diff_sides *);

#endif
