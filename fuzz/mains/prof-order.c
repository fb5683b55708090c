/* prof-order as a function. */
#include "fuzz/mains/mains.h"

#define main prof_order_main
#include "cmd/prof-order.c"
