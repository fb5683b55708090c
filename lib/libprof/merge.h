/*
 * libprof/merge.h - the sum of any number of profiles
 *
 *	struct prof_sum *sum = prof_sum_new(p);
 *
 *	while ((in = prof_input_open(p, *argv++)) != NULL) {
 *		prof_sum_add_input(sum, in, 1, 1);
 *		prof_input_close(in);
 *	}
 *	prof_sum_write(sum, out);
 *
 * The sum is the same for any order of the inputs, and for any tree of partial
 * sums; the rules are those of prof-merge(1), whose engine this is.  Functions
 * that return int return 0, or -1 on failure; after a failure to add, the sum
 * is good for prof_sum_free only.
 */
#ifndef LIBPROF_MERGE_H
#define LIBPROF_MERGE_H

#include <libprof/write.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct prof_sum;

struct prof_sum *prof_sum_new(struct prof *);	/* prof_sum_free */

enum prof_sum_option {
	PROF_SUM_SPARSE = 1,	/* 1: functions that never ran are left out */
	PROF_SUM_INTERSECT = 2	/* 1: and those that an input does not have */
};

int prof_sum_set(struct prof_sum *, enum prof_sum_option, uint64_t);

/*
 * Adds all profiles of an input that nothing was read of.  Their counts are
 * multiplied with times / parts; unless parts is 1, both are below 2^32.
 * PROF_E_MISMATCH: profiles of two kinds, of front ends and IR, do not mix.
 * What an unread input cannot give (a bad image) fails before or after a part
 * of the input was added.
 */
int prof_sum_add_input(struct prof_sum *, struct prof_input *,
    uint64_t times, uint64_t parts);

/* Adds an item.  A profile is added from its header item to its end item. */
int prof_sum_add(struct prof_sum *, const struct prof_item *);

/* Puts the sum; prof_output_finish follows.  Nothing can be added then. */
int prof_sum_write(struct prof_sum *, struct prof_output *);

/*
 * Or each item of the sum, in the order of prof-stream(5), to a function.  An
 * item is valid until the function returns, which returns 0 to go on.
 */
typedef int prof_visitor(void *arg, const struct prof_item *);
int prof_sum_visit(struct prof_sum *, prof_visitor *, void *arg);

/*
 * Records that were dropped as their shape is another, and counts at their
 * limit, so far.  A warning told of each.
 */
uint64_t prof_sum_mismatches(const struct prof_sum *);
uint64_t prof_sum_overflows(const struct prof_sum *);

void prof_sum_free(struct prof_sum *);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
