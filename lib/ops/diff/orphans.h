/*
 * ops/diff/orphans.h - functions of one side whose name the other side lacks
 *
 * Some have a twin there: the same function in another file, or of another
 * name, with the same hash and numbers of counters and sites.
 */
#ifndef OPS_DIFF_ORPHANS_H
#define OPS_DIFF_ORPHANS_H

#include "ops/diff/table.h"

struct orphan {
	const struct diff_function *function;
	int side;
	struct prof_span name, file;	/* file.data NULL: it is not local */
};

/* Of a function: its twin, or NULL. */
struct orphan_twin {
	const struct diff_function *function;
	bool moved;			/* not renamed: the file differs */
};

/* Splits the name. */
struct orphan orphan_of(const struct diff_function *, int side);

/*
 * Finds twins, and sets those of the functions of both, by their index in the
 * table.  A local function is moved if as many of its name, hash and shape are
 * on both sides: they are paired in the order of their files, compared from the
 * end.  Others are renamed if there is one of its hash and shape on each side;
 * a function with one counter is not, as the hashes of very many are equal.
 */
void orphans_pair(struct orphan *, size_t, const struct diff_table *,
    struct orphan_twin *);

#endif
