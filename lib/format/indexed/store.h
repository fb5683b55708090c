/* format/indexed/store.h - bytes that wait until the file is laid out */
#ifndef FORMAT_INDEXED_STORE_H
#define FORMAT_INDEXED_STORE_H

#include "base/bytes.h"
#include "prof.h"

/* Appended to bytes, from where they go to the scratch file if there is one. */
struct indexed_store {
	struct buf bytes;
	const struct prof_scratch *scratch;	/* NULL: all stay in bytes */
	uint64_t written;		/* bytes that are in the file */
};

/* Hands a large piece, or all there is, to the scratch file. */
enum prof_status indexed_store_drain(struct indexed_store *, bool all,
    struct prof_error *);

/* Appends a part of what was stored, and drained, to a buffer. */
enum prof_status indexed_store_get(const struct indexed_store *,
    uint64_t offset, size_t size, struct buf *, struct prof_error *);

#endif
