/* prof/reader.h - contexts and readers: bytes to records */
#ifndef PROF_READER_H
#define PROF_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "prof/record.h"

/*
 * A context outlives the readers that are opened with it and serves one thread.
 * It receives their warnings, holds their options, and has a cache of the names
 * and records of programs: these are the same in all profiles of one binary, so
 * that a reader reuses the work of readers before it.
 */
struct prof_context;

/* NULL if out of memory.  warn may be NULL: warnings are dropped. */
struct prof_context *prof_context_new(prof_warn *warn, void *arg);

/* A context for another thread, with the same options and the same cache. */
struct prof_context *prof_context_share(const struct prof_context *,
    prof_warn *warn, void *arg);
void prof_context_free(struct prof_context *);	/* NULL is fine */

/* Empties the cache: no more inputs follow, or inputs of other programs. */
void prof_context_clear_cache(struct prof_context *);

/*
 * Makes prof_open read the undamaged parts of damaged images.  A counter,
 * allocation or name is returned whole or not at all.  Profiles that lost a
 * part have the flag PROF_SALVAGED, and a warning names each loss and its
 * reason.
 */
void prof_context_salvage(struct prof_context *, bool);

/* Whether any image was damaged and a part of it was read. */
bool prof_context_salvaged(const struct prof_context *);

/*
 * The inputs that follow are members of an archive, or other parts of one file,
 * the first of them the part of that ordinal, from 1: names that a few bytes
 * inflate to have a limit for all parts together.
 */
void prof_context_part(struct prof_context *, uint64_t ordinal);

/*
 * Makes readers check data that reading does not need, and warn if they are
 * wrong: stored summaries that disagree with the records.
 */
void prof_context_thorough(struct prof_context *, bool);

/*
 * Allows readers to return functions in blocks (PROF_REC_BLOCK).  Raw images
 * whose byte order is not this machine's have none.
 */
void prof_context_blocks(struct prof_context *);

/*
 * Makes readers of streams number the frames of stacks (struct prof_stack), for
 * which they keep up to 2^18 frames.  Other readers do it if it costs nothing.
 */
void prof_context_frame_numbers(struct prof_context *);

/*
 * Allows readers to leave out which targets the values of functions have: then
 * these have their counts and sites, but neither names nor guids of targets.
 */
void prof_context_without_targets(struct prof_context *);

/*
 * Makes prof_open read text and raw profiles as LLVM does.  Text of nothing but
 * blanks is a profile without functions, and the last line may lack its
 * newline.  These are refused otherwise: PROF_E_FORMAT, and PROF_E_TRUNCATED
 * since the number in the last line may have been cut.  Pseudo counts of raw
 * profiles are some, and not PROF_COUNT_MAX, although no run writes any.
 */
void prof_context_as_llvm(struct prof_context *);

/*
 * Makes prof_next refuse functions with counters above a limit, one of raw
 * profiles and one of others; PROF_E_LIMIT.  0: there is no limit, which is the
 * default.  Pseudo counts are not compared.
 *
 * Races, forks in continuous mode and writes past the end of an array leave
 * counters that no run can have reached.  In a sum, one such function makes all
 * others look cold.
 */
void prof_context_limit_counts(struct prof_context *, uint64_t of_raw,
    uint64_t of_others);

/*
 * Called with bytes of an image that the reader does not need again soon, so
 * that the owner of a mapped file may drop their pages.  The bytes must stay
 * readable: the reader may return to them.  They may also be bytes of a copy,
 * such as a repaired image.  The function and its argument are those of the
 * owner of one image, and are to be set for each; NULL: nothing is called.
 */
typedef void prof_consumed(void *arg, struct prof_span bytes);
void prof_context_on_consumed(struct prof_context *, prof_consumed *,
    void *arg);

/*
 * Readers.  Each yields PROFILE, the profile's records, END, and so on for
 * every profile of the input, then PROF_END.
 */
struct prof_reader;

/* True if the first bytes can only be a JSON stream, which may be pulled. */
bool prof_is_stream(struct prof_span first_bytes);

/* Name of the format that the first bytes (8 or more) belong to, or NULL. */
const char *prof_sniff(struct prof_span first_bytes);

/*
 * Whether a member of an archive, or a file that was found in a folder, is none
 * of the profiles there, by its first bytes and its name; NULL is the name of
 * what was asked for, which its user takes for a profile.
 */
bool prof_is_foreign(const char *name, struct prof_span first_bytes);

/*
 * PROF_FAIL, with the error of prof_open, if prof_open refuses every image that
 * begins with these bytes (8 or more, or all of a shorter image): what is no
 * profile need not be decompressed to its end.  Printable bytes may begin a
 * text, which only prof_open judges.
 */
enum prof_status prof_recognise(struct prof_span first_bytes,
    struct prof_error *);

/*
 * Size in bytes of the binary image at the start of the bytes, whatever follows
 * it: all consecutive profiles of a raw file, or an indexed file.  0 if the
 * bytes begin with no image that looks whole; only a reader can tell whether it
 * is.  *looked is set to about the number of bytes inspected.  PROF_FAIL only
 * if there is not enough memory to say.
 */
enum prof_status prof_length(struct prof_span bytes, size_t *size,
    uint64_t *looked, struct prof_error *);

/*
 * Reads a whole image of any format; the image must outlive the reader.  NULL
 * with PROF_E_FORMAT if no format recognises the first bytes, or with the error
 * of the format that does.
 */
struct prof_reader *prof_open(struct prof_context *, struct prof_span image,
    struct prof_error *);

/* Reads a stream (prof-stream(5)) incrementally from a pull source. */
struct prof_reader *prof_open_stream(struct prof_context *, prof_pull *,
    void *arg, struct prof_error *);

/*
 * Whether a file that begins so may have many images one behind the other: a
 * raw file.  Its reader, as that of prof_open, but the file is pulled, and not
 * much more than one image is in memory at a time.  PROF_E_LIMIT if an image
 * takes more than max_size bytes.
 */
bool prof_has_images(struct prof_span first_bytes);
struct prof_reader *prof_open_images(struct prof_context *, prof_pull *,
    void *arg, uint64_t max_size, struct prof_error *);

/* PROF_OK with *out filled in, or PROF_END or PROF_FAIL, which are final. */
enum prof_status prof_next(struct prof_reader *, struct prof_record *out,
    struct prof_error *);

/*
 * The functions of the block that prof_next returned last.  Their counts point
 * into the counts of the block; valid as long as the block.  NULL if out of
 * memory.
 */
const struct prof_function *prof_block_functions(const struct prof_block *,
    struct prof_error *);

/* The same, but targets of values may lack their names: prof_block_name. */
const struct prof_function *prof_block_unnamed(const struct prof_block *,
    struct prof_error *);

/* Sets the names of all targets of the block. */
void prof_block_name_targets(const struct prof_block *);

/*
 * The name of a target among the values of that block.  Values of blocks may
 * lack their names, because most consumers know the names from earlier profiles
 * and a look-up for each value would be wasted.
 */
struct prof_span prof_block_name(const struct prof_block *,
    const struct prof_value *);

/*
 * Keeps the memory of the names of functions, and those of targets unless the
 * block lends them, for all blocks of the layout, until prof_release.  NULL if
 * these names cannot outlive the block.
 */
void *prof_block_retain(const struct prof_block *);
void prof_release(void *names);		/* NULL is fine */

/*
 * Allows the reader to return only the functions of these names, which are
 * sorted and distinct.  Readers of indexed profiles look the names up in the
 * hash table and touch no other function.  If a name is not there, or in other
 * formats, all functions are returned, as the name may be another form of one.
 * The names are borrowed until the reader is closed.  To be called before
 * prof_next, and not with blocks.
 */
void prof_select(struct prof_reader *, const struct prof_span *names, size_t);

/*
 * An error about the last record that names no place: its place becomes the
 * line of that record, if the reader counts lines.
 */
void prof_locate(const struct prof_reader *, struct prof_error *);

void prof_close(struct prof_reader *);		/* NULL is fine */

/*
 * PROF_OK if all records of an image can be read, PROF_END if not, for whatever
 * reason; PROF_FAIL if there is not enough memory to say.  The context may be
 * NULL.
 */
enum prof_status prof_decodes(struct prof_context *, struct prof_span image,
    struct prof_error *);

#endif
