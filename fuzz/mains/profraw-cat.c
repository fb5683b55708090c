/* profraw-cat as a function. */
#include "fuzz/mains/mains.h"

#define main profraw_cat_main
#include "cmd/profraw-cat.c"
