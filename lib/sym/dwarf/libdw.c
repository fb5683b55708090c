#include "config.h"

#include "sym/dwarf/libdw.h"

#ifdef ELFUTILS_SONAME
LIBRARY_LOADED(libdw, dw, LIBDW_FUNCTIONS, ELFUTILS_SONAME, "symbols",
    "required")
#else
LIBRARY_LINKED(libdw, dw, LIBDW_FUNCTIONS)
#endif
