/* prof-report as a function. */
#include "fuzz/mains/mains.h"

#define main prof_report_main
#include "cmd/prof-report.c"
