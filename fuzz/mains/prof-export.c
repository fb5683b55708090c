/* prof-export as a function. */
#include "fuzz/mains/mains.h"

#define main prof_export_main
#include "cmd/prof-export.c"
