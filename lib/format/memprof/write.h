/*
 * format/memprof/write.h - the section of an indexed file for heap profiles
 *
 * Byte for byte as LLVM writes it in versions 3 and 4; in those before, LLVM's
 * chains of hash tables follow the history of a hash map, ours the order of the
 * frames (IndexedMemProfData.cpp, LLVM 15 to 22).
 */
#ifndef FORMAT_MEMPROF_WRITE_H
#define FORMAT_MEMPROF_WRITE_H

#include "base/bytes.h"
#include "model/memprof/build.h"
#include "format/memprof/layout.h"

/* The indexed file that it stands in, and what readers of that know. */
struct memprof_file {
	unsigned version;
	unsigned first, last;		/* versions of the section */
	unsigned field;			/* the largest of a schema */
};

struct memprof_choice {
	const struct memprof_row *row;
	uint32_t schema;
	unsigned dropped;		/* fields that no reader would know */
	bool llvm19_ids;		/* of frames */
};

/*
 * What the target asks for, or else what suits the file and the profile.
 * PROF_E_UNSUPPORTED if readers of the file do not know the section's version.
 */
enum prof_status memprof_choose(struct memprof_choice *,
    const struct memprof_file *, const struct prof_target *,
    const struct memprof_built *, struct prof_error *);

/*
 * Appends the section to out, whose first byte stands at `base` of the file.
 * What it cannot hold is told to the context.
 */
enum prof_status memprof_section_write(const struct memprof_built *,
    const struct memprof_choice *, struct prof_context *, uint64_t base,
    struct buf *out, struct prof_error *);

#endif
