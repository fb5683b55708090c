/* base/zlib_memory.h - memory of zlib by way of malloc(3) as lib/ calls it */
#ifndef BASE_ZLIB_MEMORY_H
#define BASE_ZLIB_MEMORY_H

#include <zlib.h>

/*
 * The functions of a z_stream.  Without them zlib calls malloc(3) itself, whose
 * calls do not reach the allocator that a program gives to libprof.
 */
voidpf zlib_alloc(voidpf, uInt count, uInt size);
void zlib_free(voidpf, voidpf block);

/* Members of the initializer of a z_stream. */
#define ZLIB_MEMORY .zalloc = zlib_alloc, .zfree = zlib_free

#endif
