/* cmd/print/order_list.h - an order of functions as a file */
#ifndef CMD_PRINT_ORDER_LIST_H
#define CMD_PRINT_ORDER_LIST_H

#include "base/bytes.h"
#include "ops/order/order.h"

enum order_form {
	ORDER_NAMES,		/* names as the profile has them */
	ORDER_SYMBOLS,		/* what a linker takes */
	ORDER_LLVM,		/* what llvm-profdata order prints */
	ORDER_LLVM_19,		/* the same in the order of LLVM 19 */
};

/*
 * Appends a line for each function.  *left_out is how many have no name, or one
 * that no line can hold.  False if out of memory.
 */
bool order_list(struct buf *, const struct order *, enum order_form,
    size_t *left_out);

/* The first lines of ORDER_LLVM; area is NULL without test traces. */
void order_list_head(struct buf *, const struct order *, const uint64_t *area);

#endif
