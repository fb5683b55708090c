/* format/indexed/memprof_write.h - writing the heap profile */
#ifndef FORMAT_INDEXED_MEMPROF_WRITE_H
#define FORMAT_INDEXED_MEMPROF_WRITE_H

#include "base/bytes.h"
#include "format/codec.h"
#include "format/indexed/layout.h"

struct memprof_build;
struct sources_writer;

struct indexed_heap_writer {
	struct prof_context *context;
	const struct indexed_row *row;
	struct prof_target target;	/* its memprof members are used */
	bool folded;			/* as of prof_header */
	struct memprof_build *build;	/* NULL: there is no heap profile */
	struct sources_writer *sources;	/* of its stacks, or NULL */
};

/*
 * Begins a heap profile, if that was not done yet.  PROF_E_UNSUPPORTED if the
 * version cannot hold one.
 */
enum prof_status indexed_heap_start(struct indexed_heap_writer *,
    struct prof_error *);

/* Whether records of a kind belong to heap profiles; adds a record. */
bool indexed_heap_accepts(enum prof_record_kind);
enum prof_status indexed_heap_put(struct indexed_heap_writer *,
    const struct prof_record *, struct prof_error *);

/*
 * Append the section of the heap profile, and the sections of sources that
 * stand behind everything LLVM knows, to out, whose first byte is at offset
 * `base` of the file.  An empty heap profile beside functions is left out: then
 * build becomes NULL.
 */
enum prof_status indexed_heap_write(struct indexed_heap_writer *,
    bool functions, uint64_t base, struct buf *out, struct prof_error *);
enum prof_status indexed_heap_write_sources(struct indexed_heap_writer *,
    uint64_t base, struct buf *out, struct prof_error *);

void indexed_heap_free(struct indexed_heap_writer *);

#endif
