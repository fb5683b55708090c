/*
 * order.h - an order of functions that makes programs start with fewer page
 * faults, from temporal traces
 *
 * A function is in a group for each power of two: of the functions that a trace
 * enters before that many others.  Balanced partitioning (partition.h) brings
 * together what is in the same groups.  The order is the one that llvm-profdata
 * finds in the same traces, of LLVM 19 or 22 (InstrProf.cpp,
 * TemporalProfTraceTy::createBPFunctionNodes; llvm-profdata.cpp, order_main).
 */
#ifndef OPS_ORDER_ORDER_H
#define OPS_ORDER_ORDER_H

#include "ops/order/partition.h"
#include "prof.h"

struct order;

struct order *order_new(void);		/* NULL if out of memory */

/*
 * Takes the traces and the names of any profile.  Traces of several profiles
 * are used in the order of their coming.  Weights of traces change nothing.
 */
enum prof_status order_add(struct order *, const struct prof_record *,
    struct prof_error *);

size_t order_traces(const struct order *);	/* how many were added */

/*
 * Finds the order of the functions in all but the last test_traces traces, of
 * which there must not be more than were added.
 */
enum prof_status order_run(struct order *, size_t test_traces,
    enum partition_rule, struct prof_error *);

struct order_function {
	struct prof_symbol symbol;	/* name.data is NULL if not known */
	bool in_profile;	/* the profile has the name, not only a trace */
};

size_t order_size(const struct order *);
struct order_function order_get(const struct order *, size_t place);

/*
 * The area under the curve of page faults of the test traces, with 32 functions
 * on a page: for each function that a trace enters, how many pages the trace
 * has touched by then.  False if out of memory.
 */
bool order_area(const struct order *, uint64_t *area);

void order_free(struct order *);	/* NULL is fine */

#endif
