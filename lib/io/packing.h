/* packing.h - recognises compressions and archives by first bytes */
#ifndef IO_PACKING_H
#define IO_PACKING_H

#include "prof.h"

/* Bytes that packing_of needs from the beginning of a file, or all if fewer. */
#define PACKING_BYTES 512

enum packing {
	PACKING_NONE,
	/* One stream of compressed bytes. */
	PACKING_GZIP,
	PACKING_XZ,
	PACKING_ZSTD,
	PACKING_BZIP2,
	PACKING_COMPRESS,
	PACKING_LZMA,
	PACKING_LZ4,
	/* An archive of members. */
	PACKING_TAR,
	PACKING_CPIO,
	PACKING_AR,
	PACKING_ZIP,
	PACKING_7Z,
};

enum packing packing_of(struct prof_span first_bytes);

static inline bool
packing_is_archive(enum packing p)
{
	return p >= PACKING_TAR;
}

static inline bool
packing_is_stream(enum packing p)
{
	return p != PACKING_NONE && !packing_is_archive(p);
}

#endif
