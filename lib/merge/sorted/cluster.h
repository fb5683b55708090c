/*
 * merge/sorted/cluster.h - inputs whose next blocks have the same functions
 *
 * The sections N and H of these blocks are the same bytes.  The first block is
 * decoded, of the others only the data, which are added to it: a cluster has
 * the sum of its inputs.
 */
#ifndef MERGE_SORTED_CLUSTER_H
#define MERGE_SORTED_CLUSTER_H

#include "merge/sorted/input.h"

/* The sum of two counts below this one is below the limit of counters. */
#define SORTED_SMALL	((uint64_t)1 << 62)

struct sorted_cluster {
	struct sorted_input *inputs;	/* a list */
	size_t inputs_size;
	struct lprf2_block stored;	/* that of the first input */
	struct arena arena;		/* of the functions and targets */
	/* Sections T of inputs, each different one once: a list. */
	struct sorted_targets *targets;
	struct prof_function *functions;
	size_t size, next;
	/*
	 * Functions that have more than counters are here, in their order, each
	 * with a record of each input.
	 */
	struct merge *sum;		/* NULL: there has been none */
	size_t sum_next;
	struct sorted_cluster *same;	/* of a list: their next functions are
					 * the same one */
};

/* A cluster of an input, whose block was read; NULL if out of memory. */
struct sorted_cluster *sorted_cluster_new(void);
void sorted_cluster_begin(struct sorted_cluster *, struct sorted_input *);

/* Adds an input if its block has the same functions; false if not. */
bool sorted_cluster_join(struct sorted_cluster *, struct sorted_input *);

/* Adds the blocks of all inputs up, once these are known. */
enum prof_status sorted_cluster_add(struct sorted_cluster *,
    struct sorted_scratch *);

/* The next function. */
static inline const struct prof_function *
sorted_cluster_function(const struct sorted_cluster *c)
{
	return &c->functions[c->next];
}

/* Whether it has value sites, a bitmap, or other members than counters. */
bool sorted_has_more(const struct prof_function *);

/*
 * Its sum, of such a function; NULL if the records do not fit each other, or a
 * counter is at its limit.
 */
const struct merge_entry *sorted_cluster_entry(const struct sorted_cluster *);

/* Goes on behind the next function; false if it was the last one. */
bool sorted_cluster_skip(struct sorted_cluster *);
void sorted_cluster_free(struct sorted_cluster *);	/* NULL is fine */

#endif
