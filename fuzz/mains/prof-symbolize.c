/* prof-symbolize as a function. */
#include "fuzz/mains/mains.h"

#define main prof_symbolize_main
#include "cmd/prof-symbolize.c"
