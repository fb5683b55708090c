/*
 * format/memprof/section.h - the parts of a heap profile's section
 */
#ifndef FORMAT_MEMPROF_SECTION_H
#define FORMAT_MEMPROF_SECTION_H

#include "model/disk_hash_table.h"
#include "format/memprof/layout.h"

/* Parts that the version does not have are all zero. */
struct memprof_section {
	const struct memprof_row *row;
	struct prof_span image;		/* of the file; the section is in it */
	size_t start;			/* offset of the section */
	uint64_t words[MEMPROF_WORDS];
	uint64_t summary[MEMPROF_SUMMARY_FIELDS];
	/* The schema, in the file's order and as a set. */
	uint8_t fields[PROF_MIB_FIELDS];
	unsigned fields_size;
	uint32_t schema;
	size_t mib_size;		/* bytes of a memory info block */
	struct disk_hash records, frame_table, stack_table;
	/* Arrays: offset and number of elements. */
	size_t frames, frames_size;
	size_t radix, radix_size;
	size_t data_access;		/* offset; 0 if there are none */
	size_t tables_end;		/* offset after tables and arrays */
};

/*
 * Finds the parts of a section that begins at `start` and ends before the end
 * of the image.  The contents of hash tables, arrays and data accesses are not
 * checked.  PROF_E_VERSION if the version or a field is newer than known.
 */
enum prof_status memprof_section_open(struct memprof_section *,
    struct prof_span image, size_t start, struct prof_error *);

#endif
