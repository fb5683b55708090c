#include "config.h"

#include "base/libzstd.h"

#ifdef ZSTD_SONAME
LIBRARY_LOADED(libzstd, libzstd, LIBZSTD_FUNCTIONS, ZSTD_SONAME, "zstd",
    "required")
#else
LIBRARY_LINKED(libzstd, libzstd, LIBZSTD_FUNCTIONS)
#endif
