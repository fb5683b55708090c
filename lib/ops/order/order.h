/*
 * ops/order/order.h - function orders with which programs start with fewer page
 * faults, from temporal traces
 *
 * Each trace has a group for each power of two: the functions that it enters
 * first, up to that many.  Balanced partitioning (partition.h) places functions
 * that share groups near each other.  The order is the one that llvm-profdata
 * order of LLVM 20 to 22 finds in the same traces (InstrProf.cpp,
 * TemporalProfTraceTy::createBPFunctionNodes; llvm-profdata.cpp, order_main).
 */
#ifndef OPS_ORDER_ORDER_H
#define OPS_ORDER_ORDER_H

#include "ops/order/partition.h"
#include "prof.h"

struct order;

struct order *order_new(void);		/* NULL if out of memory */

/*
 * Adds a record: traces, and the names of functions, vtables and value targets.
 * The order depends on the order of the traces, also of several profiles, but
 * not on their weights.  PROF_FAIL only if out of memory.
 */
enum prof_status order_add(struct order *, const struct prof_record *,
    struct prof_error *);

size_t order_traces(const struct order *);	/* how many were added */

/*
 * Finds the order of the functions in all traces but the last test_traces;
 * test_traces is at most order_traces.  PROF_FAIL only if out of memory.
 */
enum prof_status order_run(struct order *, size_t test_traces,
    unsigned threads, struct prof_error *);

struct order_function {
	struct prof_symbol symbol;	/* name.data is NULL if unknown */
	bool in_profile;		/* named by others than traces */
};

/* After order_run: the functions, each at its place in the order. */
size_t order_size(const struct order *);
struct order_function order_get(const struct order *, size_t place);

/*
 * Gives the area under the page fault curve of the test traces, with 32
 * functions on a page: the sum, over the functions that each trace enters, of
 * the number of pages that the trace has touched by then.  False if out of
 * memory.
 */
bool order_area(const struct order *, uint64_t *area);

void order_free(struct order *);	/* NULL is fine */

#endif
