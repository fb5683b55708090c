/*
 * format/indexed/memprof_read.h - the heap profile (MemProf) of an indexed profile
 */
#ifndef FORMAT_INDEXED_MEMPROF_READ_H
#define FORMAT_INDEXED_MEMPROF_READ_H

#include "format/indexed/image.h"
#include "format/memprof/read.h"

struct indexed_heap_reader {
	bool is_open;
	bool has_data;
	struct memprof_section_reader section;
	struct sources *sources;	/* behind the last section, or NULL */
};

/*
 * Checks the heap profile, if there is one, and all that is behind the last
 * section: nothing but sections of source files may be there.  To be closed
 * after failure too.
 */
enum prof_status indexed_heap_open(struct indexed_heap_reader *,
    const struct indexed_image *, struct prof_error *);

/* What it is, for the head of the profile. */
void indexed_heap_describe(const struct indexed_heap_reader *,
    struct prof_source *);

void indexed_heap_close(struct indexed_heap_reader *);

#endif
