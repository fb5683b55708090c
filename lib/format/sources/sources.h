/*
 * format/sources/sources.h - source files of a heap profile's stacks, in a
 * section behind an indexed file
 *
 * LLVM's indexed heap profiles have guids of functions but no files.  The
 * symbolized call stack section of the MemProf RFC (2021) has files; memprof(5)
 * describes it.  LLVM's readers ignore what follows their last section.
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
 * Writing.  Stacks come in any order, each with the frames that it has in the
 * indexed file and their memprof_stack_id.  Stacks of which no frame has a
 * file, line or discriminator are left out, and so are all but one of an id.
 */
struct sources_writer;

/* NULL if out of memory or the widths are wrong. */
struct sources_writer *sources_writer_new(struct sources_widths);
enum prof_status sources_put_stack(struct sources_writer *, uint64_t stack_id,
    const struct prof_frame *, size_t count, struct prof_error *);

/*
 * Adds a context as a portable entry of the RFC (--to indexed:entries); only
 * the first of each stack counts.  Without AllocCount it has no averages.
 */
enum prof_status sources_put_entry(struct sources_writer *, uint64_t stack_id,
    const struct prof_mib *, struct prof_error *);

/*
 * Adds the names of all functions with a record in a heap profile and, with
 * `entries`, a portable entry of each stack, from its first block.  From then
 * on only stacks and functions of this profile are written, as a reader of the
 * indexed file returns no others.  To be called once.
 */
struct memprof_built;
enum prof_status sources_put_built(struct sources_writer *,
    const struct memprof_built *, bool entries, struct prof_error *);

/*
 * Appends zeros up to a multiple of 8 and the section. `offset` is the place of
 * the buffer in the file: 0 if it holds the whole file so far.  Warns of data
 * that cannot be held.
 */
enum prof_status sources_write(struct sources_writer *, struct prof_context *,
    uint64_t offset, struct buf *out, struct prof_error *);
void sources_writer_free(struct sources_writer *);	/* NULL is fine */

/* Reading. */
struct sources;

/*
 * Opens the sections at the end of an image, which must outlive *s.  *s is NULL
 * if there is no valid section.  PROF_FAIL if out of memory, or if there are
 * more than 64 sections.
 */
enum prof_status sources_open(struct prof_span image, struct sources **s,
    struct prof_error *);

/* The offset of the first section; up to 7 zeros may come before it. */
size_t sources_start(const struct sources *);

/*
 * Adds file, line, discriminator and the function's name to the frames of a
 * stack of the indexed file, as far as they are known.  Names and files belong
 * to s.  PROF_END if nothing is known of the stack, PROF_FAIL if out of memory.
 */
enum prof_status sources_decorate(struct sources *, uint64_t stack_id,
    struct prof_frame *frames, size_t count, struct prof_error *);

/* The name of a function; data is NULL if it is unknown or s is NULL. */
struct prof_span sources_name(const struct sources *, uint64_t guid);

void sources_close(struct sources *);			/* NULL is fine */

#endif
