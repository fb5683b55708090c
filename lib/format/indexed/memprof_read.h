/*
 * format/indexed/memprof_read.h - reading the heap profile of an indexed file
 */
#ifndef FORMAT_INDEXED_MEMPROF_READ_H
#define FORMAT_INDEXED_MEMPROF_READ_H

#include "format/indexed/image.h"
#include "format/memprof/read.h"

struct indexed_heap_reader {
	bool is_open;			/* the file has a heap profile */
	bool has_data;			/* which is not empty */
	struct memprof_section_reader section;
	struct sources *sources;	/* behind the last section, or NULL */
};

/*
 * Checks the heap profile, if there is one, and the bytes behind the last
 * section, where only sections of source files may be.  indexed_heap_close must
 * be called after failure too.
 */
enum prof_status indexed_heap_open(struct indexed_heap_reader *,
    const struct indexed_image *, struct prof_error *);

/* Fills in the members of the source that are about heap profiles. */
void indexed_heap_describe(const struct indexed_heap_reader *,
    struct prof_source *);

void indexed_heap_close(struct indexed_heap_reader *);

#endif
