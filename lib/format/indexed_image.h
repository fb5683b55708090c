/*
 * indexed_image.h - header and sections of an indexed profile, checked
 */
#ifndef FORMAT_INDEXED_IMAGE_H
#define FORMAT_INDEXED_IMAGE_H

#include "format/hashtable.h"
#include "format/indexed_layout.h"

struct indexed_image {
	const struct indexed_row *row;
	struct prof_span file;
	uint64_t version_word;
	struct hashtable table;
	/* Whole sections, which are empty where there are none. */
	struct cursor ids;		/* u64 length, id, padding */
	struct cursor traces;		/* u64 weight, u64 n, n guids */
	uint64_t trace_stream_size;
	struct prof_span vtable_names;	/* as names.h reads them */
	size_t memprof, memprof_size;	/* offset and bytes */
};

/*
 * Reads the header and places the sections, which fill the file: all but what
 * is inside the hash table, the names and the heap profile is checked.
 */
enum prof_status indexed_image_open(struct indexed_image *,
    struct prof_span file, struct prof_error *);

/* Whether version and variant bits say that there is such a section. */
bool indexed_has(const struct indexed_image *, enum indexed_section);

#endif
