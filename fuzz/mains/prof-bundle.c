/* prof-bundle as a function. */
#include "fuzz/mains/mains.h"

#define main prof_bundle_main
#include "cmd/prof-bundle.c"
