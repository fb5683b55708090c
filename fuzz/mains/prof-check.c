/* prof-check as a function. */
#include "fuzz/mains/mains.h"

#define main prof_check_main
#include "cmd/prof-check.c"
