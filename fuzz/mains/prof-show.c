/* prof-show as a function. */
#include "fuzz/mains/mains.h"

#define main prof_show_main
#include "cmd/prof-show.c"
