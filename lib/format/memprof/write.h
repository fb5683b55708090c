/*
 * format/memprof/write.h - writer of a heap profile's section of an indexed
 * file
 *
 * Versions 3 and 4 are written byte for byte as by LLVM.  In earlier versions
 * the order within a bucket of a hash table differs: LLVM's follows the history
 * of a hash map, ours the order of frames (IndexedMemProfData.cpp, LLVM 15 to
 * 22).
 */
#ifndef FORMAT_MEMPROF_WRITE_H
#define FORMAT_MEMPROF_WRITE_H

#include "base/bytes.h"
#include "model/memprof/build.h"
#include "format/memprof/layout.h"

/* The version of the indexed file, and what readers of that version know. */
struct memprof_file {
	unsigned version;
	unsigned first, last;		/* versions of the section */
	unsigned field;			/* the largest field of a schema */
};

/* How a profile is written. */
struct memprof_choice {
	const struct memprof_built *built;
	const struct memprof_row *row;
	uint32_t schema;
	unsigned dropped;		/* fields that readers do not know */
	bool llvm19_ids;		/* ids of frames are those of LLVM 19 */
};

/*
 * Chooses the version and the schema: those of the target, else those that suit
 * the file and the profile.  PROF_E_UNSUPPORTED if readers of the file do not
 * know the target's version.
 */
enum prof_status memprof_choose(struct memprof_choice *,
    const struct memprof_file *, const struct prof_target *,
    const struct memprof_built *, struct prof_error *);

/*
 * Appends the section to out, whose first byte is at offset `base` of the file.
 * Warns of data that the version cannot hold.
 */
enum prof_status memprof_section_write(const struct memprof_choice *,
    struct prof_context *, uint64_t base, struct buf *out,
    struct prof_error *);

#endif
