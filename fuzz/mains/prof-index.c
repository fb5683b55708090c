/* prof-index as a function. */
#include "fuzz/mains/mains.h"

#define main prof_index_main
#include "cmd/prof-index.c"
