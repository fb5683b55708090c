/*
 * base/libzstd.h - the functions of libzstd that are called
 *
 * libzstd is loaded when the first zstd file is opened: programs start sooner
 * without it.
 */
#ifndef BASE_LIBZSTD_H
#define BASE_LIBZSTD_H

#include <zstd.h>
#include <zstd_errors.h>

#include "base/library.h"

#define LIBZSTD_FUNCTIONS(F) \
	F(ZSTD_CCtx_setParameter) \
	F(ZSTD_DCtx_setParameter) \
	F(ZSTD_compressBound) \
	F(ZSTD_compressCCtx) \
	F(ZSTD_compressStream2) \
	F(ZSTD_createCCtx) \
	F(ZSTD_createDCtx) \
	F(ZSTD_decompressDCtx) \
	F(ZSTD_decompressStream) \
	F(ZSTD_freeCCtx) \
	F(ZSTD_freeDCtx) \
	F(ZSTD_getErrorCode) \
	F(ZSTD_getErrorName) \
	F(ZSTD_isError)

LIBRARY_TABLE(libzstd, libzstd, LIBZSTD_FUNCTIONS);

#endif
