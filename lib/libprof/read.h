/*
 * libprof/read.h - LLVM's profiles of any format, read as a row of items
 *
 *	struct prof *p = prof_new();
 *	struct prof_input *in = prof_input_open(p, "app.profdata");
 *	const struct prof_item *item;
 *	size_t size;
 *
 *	while (in != NULL && prof_input_next(in, &item) > 0)
 *		if (prof_item_kind(item) == PROF_ITEM_FUNCTION)
 *			use(prof_item_bytes(item, PROF_NAME, &size), size);
 *	if (prof_error(p) != NULL)
 *		show(prof_problem_text(prof_error(p)));
 *	prof_input_close(in);
 *	prof_free(p);
 *
 * Compatibility.  All structures are opaque, and values of enumerators never
 * change: a program runs unchanged with each later libprof.so.1.  Later
 * versions add functions, options, fields, kinds of items and codes of
 * problems at the end of their lists; a program ignores those that it does not
 * know.  Texts of problems are for people, and may change.
 *
 * Memory.  Objects that a caller makes are freed by prof_input_close,
 * prof_item_free, prof_output_free, prof_sum_free and the like, which accept
 * NULL, and then their struct prof is freed by prof_free.  Everything else
 * belongs to the object whose function returned it.  Nothing is passed to
 * free(3).  Memory comes from malloc(3).
 *
 * Threads.  A struct prof and all objects made with it may be used by one
 * thread at a time.  Objects of two of them may be used at the same time, even
 * if prof_share made one of the other: the cache that they share has a lock.
 *
 * The library prints nothing, does not end the process, and does not change
 * signal handlers or the locale; see libprof(3).
 */
#ifndef LIBPROF_READ_H
#define LIBPROF_READ_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The version of the library at run time, "1.2.3". */
const char *prof_version(void);

/* Options, the last error, and a cache of names that profiles share. */
struct prof;

struct prof *prof_new(void);		/* prof_free; NULL: no memory */

void prof_free(struct prof *);

/* Another one with the same options and cache, for another thread. */
struct prof *prof_share(const struct prof *);	/* prof_free */

enum prof_option {
	/*
	 * 1: the intact parts of damaged images are read, with a warning for
	 * each loss.  By default, damaged images are refused.
	 */
	PROF_SALVAGE = 1,
	/* 1: summaries and other data that no item needs are checked too. */
	PROF_THOROUGH = 2,
	/*
	 * The largest size in bytes of an unpacked image.  By default, and with
	 * 0: 16 GiB, and for a packed file 256 MiB plus 250 times its size.
	 */
	PROF_MAX_BYTES = 3,
	/*
	 * 1: files that are not packed are mapped, so that a look-up reads a
	 * few pages.  If another process truncates such a file, the system
	 * ends this process (SIGBUS): set it only for files that nobody
	 * changes.  By default, files are copied, which takes 15% of the time
	 * of a sum.
	 */
	PROF_MAP_FILES = 4,
	/*
	 * Inputs with larger counters are refused; 0: none is.  By default,
	 * sums refuse raw profiles with counters above 2^56, which have
	 * wrapped or were overwritten.
	 */
	PROF_MAX_COUNT = 5
};

/* Options apply to inputs that are opened later.  -1: no such option. */
int prof_set(struct prof *, enum prof_option, uint64_t value);

/* Errors and warnings. */
struct prof_problem;

enum prof_code {
	PROF_E_NONE,
	PROF_E_FORMAT,		/* not a profile of any known kind */
	PROF_E_VERSION,		/* a known format in an unknown version */
	PROF_E_TRUNCATED,	/* the bytes end too early */
	PROF_E_CORRUPT,		/* the bytes contradict each other */
	PROF_E_MISMATCH,	/* two profiles that do not belong together */
	PROF_E_LIMIT,		/* larger than a limit of this library */
	PROF_E_UNSUPPORTED,	/* valid, but the output cannot hold it */
	PROF_E_MEMORY,
	PROF_E_SYSTEM,		/* system call failed; reason: strerror */
	PROF_E_LIBRARY,		/* cannot be loaded, or not in this build */
	PROF_E_USE		/* the caller made a mistake */
};

/* The unit of a problem's position. */
enum prof_where { PROF_NOWHERE, PROF_AT_BYTE, PROF_AT_LINE };

/*
 * The error of the last call with this struct prof, or with an object made with
 * it, that can fail; NULL if it succeeded.  Valid until the next such call.
 */
const struct prof_problem *prof_error(const struct prof *);

/*
 * Sets a function that is called with each warning; there is none by default.
 * PROF_E_UNSUPPORTED: a part of the profile was dropped.  The listener must not
 * call functions with objects of this struct prof, except with the problem.
 */
typedef void prof_listener(void *arg, const struct prof_problem *warning);
void prof_listen(struct prof *, prof_listener *, void *arg);

enum prof_code prof_problem_code(const struct prof_problem *);

/* One line without position: "NumCounters 4096 exceeds the 512 bytes left". */
const char *prof_problem_reason(const struct prof_problem *);

/* The path that was opened, and the member of an archive; NULL if none. */
const char *prof_problem_file(const struct prof_problem *);
const char *prof_problem_member(const struct prof_problem *);

/* An offset in the image, from 0, or a line, from 1.  offset may be NULL. */
enum prof_where prof_problem_place(const struct prof_problem *,
    uint64_t *offset);

/* All of this in one line, "FILE(MEMBER): byte N: REASON", nothing masked. */
const char *prof_problem_text(const struct prof_problem *);

/*
 * Items.  A profile is an item PROF_ITEM_PROFILE, its records, and
 * PROF_ITEM_END; an input may have several.  The kinds and fields are those of
 * prof-stream(5); prof_item_kind(3) lists the fields of each kind.
 */
struct prof_item;

enum prof_item_kind {
	PROF_ITEM_PROFILE = 1,
	PROF_ITEM_BINARY = 2,		/* a binary that took part */
	PROF_ITEM_VTABLE = 3,
	PROF_ITEM_FUNCTION = 4,
	PROF_ITEM_RAW_COUNTERS = 5,	/* whose functions a binary knows */
	PROF_ITEM_TRACE = 6,		/* functions in order of first call */
	PROF_ITEM_NAME = 7,		/* of a guid in other profiles */
	PROF_ITEM_SEGMENT = 8,		/* a mapping of code */
	PROF_ITEM_STACK = 9,		/* a call stack */
	PROF_ITEM_ALLOCATION = 10,	/* what was allocated there */
	PROF_ITEM_HEAP_FUNCTION = 11,	/* the heap profile of a function */
	PROF_ITEM_DATA_ACCESS = 12,
	PROF_ITEM_COLD_SYMBOL = 13,
	PROF_ITEM_OTHER = 14,		/* of a later version of the stream */
	PROF_ITEM_END = 15,		/* of a profile */
	/* Parts of other items: elements of their lists. */
	PROF_ITEM_SITE = 32,		/* a value site of a function */
	PROF_ITEM_VALUE = 33,		/* of a site */
	PROF_ITEM_SYMBOL = 34,		/* of a trace */
	PROF_ITEM_FRAME = 35,		/* of a stack, leaf first */
	PROF_ITEM_ALLOC_SITE = 36,	/* of a heap function */
	PROF_ITEM_CALL_SITE = 37,
	PROF_ITEM_LOCATION = 38		/* of a data access */
};

/*
 * Fields of memory info blocks, which allocations and allocation sites have as
 * numbers (MIBEntryDef.inc of LLVM).
 */
enum prof_mib_field {
	PROF_MIB_ALLOC_COUNT = 1,
	PROF_MIB_TOTAL_ACCESS_COUNT,
	PROF_MIB_MIN_ACCESS_COUNT,
	PROF_MIB_MAX_ACCESS_COUNT,
	PROF_MIB_TOTAL_SIZE,
	PROF_MIB_MIN_SIZE,
	PROF_MIB_MAX_SIZE,
	PROF_MIB_ALLOC_TIMESTAMP,
	PROF_MIB_DEALLOC_TIMESTAMP,
	PROF_MIB_TOTAL_LIFETIME,
	PROF_MIB_MIN_LIFETIME,
	PROF_MIB_MAX_LIFETIME,
	PROF_MIB_ALLOC_CPU_ID,
	PROF_MIB_DEALLOC_CPU_ID,
	PROF_MIB_NUM_MIGRATED_CPU,
	PROF_MIB_NUM_LIFETIME_OVERLAPS,
	PROF_MIB_NUM_SAME_ALLOC_CPU,
	PROF_MIB_NUM_SAME_DEALLOC_CPU,
	PROF_MIB_DATA_TYPE_ID,
	PROF_MIB_TOTAL_ACCESS_DENSITY,
	PROF_MIB_MIN_ACCESS_DENSITY,
	PROF_MIB_MAX_ACCESS_DENSITY,
	PROF_MIB_TOTAL_LIFETIME_ACCESS_DENSITY,
	PROF_MIB_MIN_LIFETIME_ACCESS_DENSITY,
	PROF_MIB_MAX_LIFETIME_ACCESS_DENSITY,
	PROF_MIB_ACCESS_HISTOGRAM_SIZE,
	PROF_MIB_ACCESS_HISTOGRAM	/* a dead pointer; value is 0 */
};

enum prof_field {
	/* Bytes. */
	PROF_NAME = 64,		/* not always UTF-8; without a NUL */
	PROF_FILE,
	PROF_MEMBER,		/* of the archive that the profile is in */
	PROF_FORMAT,		/* "raw", "indexed", "text", "stream" ... */
	PROF_BUILD_ID,
	PROF_BITMAP,		/* MC/DC, as in the file */
	PROF_EXTRA,		/* JSON of unknown members, or the record */
	/* Numbers. */
	PROF_KIND = 96,		/* enum prof_kind */
	PROF_LEVEL,		/* enum prof_level */
	PROF_ATTRIBUTES,	/* enum prof_attribute, or-ed */
	PROF_VERSION,		/* of the format */
	PROF_ENDIAN,		/* 'l' or 'b' */
	PROF_POINTER_BITS,
	PROF_OFFSET,		/* of a profile in its file, or of a segment */
	PROF_INPUTS,		/* profiles that are summed in this one */
	PROF_WAVE_SIZE,
	PROF_TRACE_STREAM_SIZE,
	PROF_FRONTEND_FIRST,	/* range of indexed versions whose rule for */
	PROF_FRONTEND_LAST,	/* hashes a front end's profile follows */
	PROF_GUID,		/* first 8 bytes of MD5 of the name */
	PROF_HASH,		/* of a function's control flow; of data */
	PROF_START,		/* addresses */
	PROF_STOP,
	PROF_SIZE,		/* bytes of a vtable */
	PROF_WEIGHT,
	PROF_ID,		/* of a segment, or of a stack */
	PROF_STACK,		/* PROF_ID of the stack */
	PROF_FILE_ADDRESSES,	/* 1: offsets in the file of the binary */
	PROF_VALUE,		/* guid of a target, or bytes of a memory op */
	PROF_COUNT,
	PROF_LINE,		/* of the file, from 1 */
	PROF_START_LINE,	/* of the function */
	PROF_LINE_OFFSET,	/* from the start of the function */
	PROF_COLUMN,
	PROF_DISCRIMINATOR,
	PROF_INLINED,		/* 1: the next frame is of the same address */
	/* Numbers in a row. */
	PROF_COUNTS = 160,
	PROF_UNIFORM_COUNTS,
	PROF_PCS,		/* leaf first */
	PROF_SEGMENTS,		/* of the pcs; none: absolute addresses */
	PROF_HISTOGRAM,		/* of accesses, by 8 bytes of the object */
	PROF_CALLEES,		/* guids */
	/* Lists of items. */
	PROF_CALL_TARGETS = 192,	/* sites of indirect calls */
	PROF_MEM_OP_SIZES,	/* sites of memcpy and the like */
	PROF_VTABLE_TARGETS,	/* sites of loads of vtables */
	PROF_VALUES,
	PROF_FUNCTIONS,		/* symbols, in order of first call */
	PROF_FRAMES,
	PROF_ALLOC_SITES,
	PROF_CALL_SITES,
	PROF_LOCATIONS
};

enum prof_kind { PROF_INSTR, PROF_MEMPROF, PROF_MIXED };
enum prof_level { PROF_LEVEL_UNKNOWN, PROF_LEVEL_IR, PROF_LEVEL_FRONTEND };

/* PROF_ATTRIBUTES: variant bits of LLVM (InstrProf.h, VARIANT_MASK_*) ... */
enum prof_attribute {
	PROF_CONTEXT_SENSITIVE	   = 1 << 0,	/* bit 57, LLVM 9 */
	PROF_ENTRY_FIRST	   = 1 << 1,	/* bit 58, LLVM 11 */
	PROF_LOOP_ENTRIES	   = 1 << 2,	/* bit 55, LLVM 20 */
	PROF_BYTE_COVERAGE	   = 1 << 3,	/* bit 60, LLVM 14 */
	PROF_FUNCTION_ENTRY_ONLY   = 1 << 4,	/* bit 61, LLVM 14 */
	PROF_TEMPORAL		   = 1 << 5,	/* bit 63, LLVM 17 */
	PROF_DEBUG_INFO_CORRELATED = 1 << 6,	/* bit 59, LLVM 14 */
	/* ... and two that are no bits. */
	PROF_BINARY_CORRELATED	   = 1 << 7,	/* LLVM 18 */
	PROF_SALVAGED		   = 1 << 8	/* parts were lost */
};

enum prof_item_kind prof_item_kind(const struct prof_item *);

/*
 * A field of an item; 0, or NULL with a size of 0, if the item does not have
 * the field or its value is unknown.  A first counter of 2^64-1 or 2^64-2 marks
 * a function as hot or warm, without counts.
 */
int prof_item_number(const struct prof_item *, int field, uint64_t *value);
const char *prof_item_bytes(const struct prof_item *, enum prof_field,
    size_t *size);
const uint64_t *prof_item_numbers(const struct prof_item *, enum prof_field,
    size_t *count);

/*
 * The number of elements of a list, 0 if the item has no such list; and an
 * element, from 0, which is valid until another part of the item is returned.
 * NULL if there is no such element.
 */
size_t prof_item_parts(const struct prof_item *, enum prof_field);
const struct prof_item *prof_item_part(const struct prof_item *,
    enum prof_field, size_t index);

/*
 * Inputs.  A file may be packed (gzip, bzip2, xz, zstd, lz4), or an archive
 * (tar, zip, cpio, ar, 7z), whose members are read one by one; members that are
 * not profiles are skipped.  "-" is standard input.  NULL on failure; the file
 * is opened by the first prof_input_next.
 */
struct prof_input;

struct prof_input *prof_input_open(struct prof *, const char *path);

/*
 * An image of any format, packed or not, which must not move or change until
 * the input is closed.
 */
struct prof_input *prof_input_memory(struct prof *, const void *image,
    size_t size);

/*
 * Bytes that a function supplies; it returns their number, 0 at the end, or -1
 * with errno set.  They are read as those of a pipe: unpacked, members of an
 * archive one by one; streams (prof-stream(5)) and raw profiles piece by piece.
 */
typedef ssize_t prof_pull(void *arg, void *data, size_t size);
struct prof_input *prof_input_pull(struct prof *, prof_pull *, void *arg);

/*
 * Called before the first prof_input_next: limits the functions that are
 * returned to those of this name, in addition to names selected before.  In an
 * indexed profile, and in LPRF 2, they are looked up, and no other function is
 * read.  The name of a local function begins with its source file, as in the
 * profile.
 */
int prof_input_select(struct prof_input *, const char *name, size_t size);

/*
 * As prof_input_select, for all functions whose names begin with a prefix.  All
 * functions of the input are read.
 */
int prof_input_select_prefix(struct prof_input *, const char *prefix,
    size_t size);

/*
 * 1 and the next item, which is valid until the next call; 0 at the end; -1 on
 * failure.  After a failure, the next call continues with the next member of an
 * archive, or returns 0.
 */
int prof_input_next(struct prof_input *, const struct prof_item **);

/* The member of the archive that the item is in; NULL if there is none. */
const char *prof_input_member(const struct prof_input *);
void prof_input_close(struct prof_input *);

/* The guid of a name, by which LLVM refers to functions. */
uint64_t prof_name_guid(const char *name, size_t size);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
