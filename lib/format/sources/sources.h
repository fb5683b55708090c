/*
 * format/sources/sources.h - source files of heap profiles, behind an indexed file
 *
 * LLVM's indexed heap profiles name functions by guid and know no files.  The
 * symbolized call stack section of the MemProf RFC (2021) does; memprof(5) has
 * its bytes.  LLVM's readers never look behind their last section.
 */
#ifndef FORMAT_SOURCES_SOURCES_H
#define FORMAT_SOURCES_SOURCES_H

#include "base/bytes.h"
#include "format/codec.h"

/*
 * Bits of the three fields of a stack entry, each 1 or more, 64 together; all
 * zero is the usual 24, 20 and 20.
 */
struct sources_widths {
	uint8_t file, line, discriminator;
};

/*
 * Writing.  Stacks come in any order, with the id that LLVM 20 gives to their
 * frames as they stand in the indexed file (memprof_stack_id), and exactly
 * those frames.  What no frame knows a file, line or discriminator of is left
 * out, and so is what came before.
 */
struct sources_writer;

/* NULL if out of memory or the widths are wrong. */
struct sources_writer *sources_writer_new(struct sources_widths);
enum prof_status sources_put_stack(struct sources_writer *, uint64_t stack_id,
    const struct prof_frame *, size_t count, struct prof_error *);

/*
 * A context as the RFC's portable entry (--with-sources=rfc).  One that knows
 * no AllocCount is written without averages.
 */
enum prof_status sources_put_entry(struct sources_writer *, uint64_t stack_id,
    const struct prof_mib *, struct prof_error *);

/*
 * Of a whole heap profile, the names of the functions that have a record, and
 * if asked for an entry of each stack: its first block.
 */
struct memprof_built;
enum prof_status sources_put_built(struct sources_writer *,
    const struct memprof_built *, bool entries, struct prof_error *);

/*
 * Appends the section, and zeros up to a multiple of 8 before it.  offset is
 * where the buffer will stand in the file: 0 if it holds the whole file so far.
 * What cannot be held is told to the context.
 */
enum prof_status sources_write(struct sources_writer *, struct prof_context *,
    uint64_t offset, struct buf *out, struct prof_error *);
void sources_writer_free(struct sources_writer *);	/* NULL is fine */

/* Reading. */
struct sources;

/*
 * The sections at the end of an image; NULL if there is none that is whole.
 * The image must outlive it.
 */
struct sources *sources_open(struct prof_span image);

/* Where the first section begins; less than 8 zeros may stand before it. */
size_t sources_start(const struct sources *);

/*
 * Adds to the frames of a stack, as an indexed file has them, what is known of
 * them: file, line, discriminator and the name of the function.  What is lent
 * lives as long as s.  False if nothing was known, or out of memory.
 */
bool sources_decorate(struct sources *, uint64_t stack_id,
    struct prof_frame *frames, size_t count);

/* The name of a function; data is NULL if it is unknown or s is NULL. */
struct prof_span sources_name(const struct sources *, uint64_t guid);

void sources_close(struct sources *);			/* NULL is fine */

#endif
