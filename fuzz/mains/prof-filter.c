/* prof-filter as a function. */
#include "fuzz/mains/mains.h"

#define main prof_filter_main
#include "cmd/prof-filter.c"
