/*
 * format/memprof/read_data.h - data accesses and cold symbols of a heap profile's
 * section (DataAccessProf.cpp, LLVM 21 and 22)
 */
#ifndef FORMAT_MEMPROF_READ_DATA_H
#define FORMAT_MEMPROF_READ_DATA_H

#include "model/name_section.h"
#include "format/memprof/image.h"

struct memprof_section_data {
	struct names strings;
	/* Symbols and file names come first, then the cold symbols. */
	size_t strings_size, cold_size;
	size_t next_cold;
	struct cursor cold_hashes;	/* u64 each */
	struct cursor records;
	uint64_t records_size, next_record;
	size_t end;			/* offset behind the last record */
};

/*
 * Checks and finds them; all of them are absent if the section has none.  To be
 * closed after failure too.
 */
enum prof_status memprof_section_data_open(struct memprof_section_data *,
    const struct memprof_section *, struct prof_error *);

/* Gives the accesses, then the cold symbols, or PROF_END. */
enum prof_status memprof_section_data_next(struct memprof_section_data *,
    struct arena *, struct prof_record *, struct prof_error *);

void memprof_section_data_close(struct memprof_section_data *);

#endif
