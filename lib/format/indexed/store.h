/*
 * format/indexed/store.h - encoded records that wait until the file is laid out
 *
 * Records are appended to `bytes`.  With a scratch file, full buffers go there.
 */
#ifndef FORMAT_INDEXED_STORE_H
#define FORMAT_INDEXED_STORE_H

#include "base/bytes.h"
#include "prof.h"

struct indexed_store {
	struct buf bytes;
	const struct prof_scratch *scratch;	/* NULL: all stay in bytes */
	uint64_t written;		/* bytes in the scratch file */
};

/* Writes `bytes` to the scratch file once they are many, or if all is set. */
enum prof_status indexed_store_drain(struct indexed_store *, bool all,
    struct prof_error *);

/* Appends a stored part, from memory or the scratch file, to a buffer. */
enum prof_status indexed_store_get(const struct indexed_store *,
    uint64_t offset, size_t size, struct buf *, struct prof_error *);

#endif
