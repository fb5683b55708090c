/* prof-merge as a function. */
#include "fuzz/mains/mains.h"

#define main prof_merge_main
#include "cmd/prof-merge.c"
