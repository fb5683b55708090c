/*
 * format/memprof/read.h - reader of a heap profile's section of an indexed file
 */
#ifndef FORMAT_MEMPROF_READ_H
#define FORMAT_MEMPROF_READ_H

#include "model/symtab.h"
#include "format/memprof/layout.h"

struct memprof_section_reader {
	struct memprof_section section;
	struct memprof_stack_set stacks;
	struct memprof_section_data data;
	bool true_maxima;		/* one differs from its minimum */
	size_t next_stack;
	struct disk_hash_walk walk;
	const struct symtab *names;	/* by guid, or NULL */
};

/*
 * Checks the whole section that begins at `start` and ends before the end of
 * the image; data.end is the offset of its end then.  The caller may set
 * `names` afterwards.  To be closed after failure too.
 */
enum prof_status memprof_section_read(struct memprof_section_reader *,
    struct prof_span image, size_t start, struct prof_error *);

/* Whether the section has any record. */
bool memprof_section_has_data(const struct memprof_section_reader *);

/*
 * The next record: stacks, functions in the order of their table, data
 * accesses, cold symbols; then PROF_END.
 */
enum prof_status memprof_section_next(struct memprof_section_reader *,
    struct arena *, struct prof_record *, struct prof_error *);

/*
 * Warns if the number of contexts of the summary is not that of the records.
 * The other figures depend on options of LLVM and on fields that are optional.
 */
enum prof_status memprof_section_check_summary(struct memprof_section_reader *,
    struct prof_context *, struct prof_error *);

void memprof_section_close(struct memprof_section_reader *);

#endif
