/*
 * ops/partition.h - a profile in classes: each of its records is of one
 *
 * Functions and heap contexts are of the class of their hash; what is rare is
 * of the first class: binary ids, vtables, traces, and correlated profiles.  So
 * the sum of all classes of a profile is the profile, and a merge of many can
 * be done by a task for each class.  A profile's header is in each class, and
 * so are heap segments with a build id, and stacks that functions refer to.
 * A part of a plan, or a sum, is divided: neither of them has pairs
 * (PROF_REC_PAIRS), which only readers of raw profiles return.
 */
#ifndef OPS_PARTITION_H
#define OPS_PARTITION_H

#include "base/arena.h"
#include "base/id_map.h"
#include "prof.h"

/*
 * All zero but for the first members; 0 classes: records are put as they are,
 * and of class 1.
 */
struct partition {
	uint64_t class, classes;	/* from 1 to classes; 0: all of them */
	bool waits;			/* for what decides about the header */
	bool correlated;		/* the profile has raw counters */
	bool nameless;			/* and segments without build id */
	struct prof_header header;	/* that waits */
	struct prof_stack *stacks;	/* of other classes, so far */
	size_t size, room;
	struct id_map ids;		/* of these */
	struct id_map sent;		/* which class has which of these */
	struct arena arena;		/* of the profile at hand */
};

/*
 * Puts what is of the class, or of each class, which may be more or less than
 * the record: stacks of other classes are put once a function of this class
 * refers to them.
 */
typedef enum prof_status partition_put(void *arg, uint64_t class,
    const struct prof_record *, struct prof_error *);
enum prof_status partition_add(struct partition *, const struct prof_record *,
    partition_put *, void *arg, struct prof_error *);

void partition_free(struct partition *);

#endif
