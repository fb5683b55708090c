/* llvm-profdata as a function. */
#include "fuzz/mains/mains.h"

#define main llvm_profdata_main
#include "cmd/llvm-profdata.c"
