#include "config.h"

#include "io/libarchive.h"

#ifdef LIBARCHIVE_SONAME

LIBRARY_LOADED(libarchive, la, LIBARCHIVE_FUNCTIONS, LIBARCHIVE_SONAME,
    "archives", "required")

#else

#ifdef STATIC_PROGRAMS
/*
 * In place of libarchive's, which its table of formats needs and nobody calls:
 * that would bring libxml2 and ICU.
 */
int
archive_write_set_format_xar(struct archive *a)
{
	(void)a;
	return ARCHIVE_FATAL;
}
#endif

LIBRARY_LINKED(libarchive, la, LIBARCHIVE_FUNCTIONS)

#endif
