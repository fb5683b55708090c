/*
 * format/memprof/read_data.h - reader of data accesses and cold symbols in a
 * heap profile's section (DataAccessProf.cpp, LLVM 21 and 22)
 */
#ifndef FORMAT_MEMPROF_READ_DATA_H
#define FORMAT_MEMPROF_READ_DATA_H

#include "model/name_section.h"
#include "format/memprof/section.h"

struct memprof_section_data {
	struct names strings;
	/* Symbols and file names come first, then the cold symbols. */
	size_t strings_size, cold_size;
	size_t next_cold;
	struct cursor cold_hashes;	/* u64 each */
	struct cursor records;
	uint64_t records_size, next_record;
	size_t end;			/* offset after the last record */
};

/*
 * Finds and checks all accesses and symbols; a section without any is fine.  To
 * be closed after failure too.
 */
enum prof_status memprof_section_data_open(struct memprof_section_data *,
    const struct memprof_section *, struct prof_error *);

/* The next record: accesses, then cold symbols, then PROF_END. */
enum prof_status memprof_section_data_next(struct memprof_section_data *,
    struct arena *, struct prof_record *, struct prof_error *);

void memprof_section_data_close(struct memprof_section_data *);

#endif
