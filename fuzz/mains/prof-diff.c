/* prof-diff as a function. */
#include "fuzz/mains/mains.h"

#define main prof_diff_main
#include "cmd/prof-diff.c"
