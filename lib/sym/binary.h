/*
 * binary.h - programs, shared libraries and their debug files: ELF
 *
 * ELF of any class and byte order.  What is not ELF is refused by its name.
 */
#ifndef SYM_BINARY_H
#define SYM_BINARY_H

#include "prof.h"

struct Dwarf;		/* the Dwarf of libdw */
struct binary;

/* Where debug files are looked for, beside the places next to a binary. */
struct binary_search {
	/*
	 * DIR/.build-id/ab/cdef.debug, and for .gnu_debuglink DIR/FOLDER/NAME
	 * where FOLDER is that of the binary.
	 */
	const char *const *debug_dirs;
	size_t debug_dir_count;
	bool debuginfod;	/* ask the servers of $DEBUGINFOD_URLS */
};

/*
 * The search is lent until binary_close and may be NULL.  NULL if the file
 * cannot be opened or is not ELF; the reason says what it is.
 */
struct binary *binary_open(const char *path, const struct binary_search *,
    struct prof_error *);

/*
 * A debug file, or else the binary itself, with that build id.  PROF_END if
 * nobody has it; PROF_FAIL if what was found cannot be read.
 */
enum prof_status binary_find(struct prof_span build_id,
    const struct binary_search *, struct binary **, struct prof_error *);

void binary_close(struct binary *);	/* NULL is fine */

/* What follows is lent until binary_close. */
const char *binary_path(const struct binary *);
struct prof_span binary_build_id(const struct binary *);	/* or empty */
bool binary_big_endian(const struct binary *);
uint8_t binary_pointer_bits(const struct binary *);		/* 32 or 64 */

/* A program header of type PT_LOAD. */
struct binary_load {
	uint64_t offset, file_size;	/* bytes of the file */
	uint64_t address, memory_size;	/* as linked */
	bool executable;
};

/* In the order of the file; *count may be 0. */
const struct binary_load *binary_loads(const struct binary *, size_t *count);

/*
 * True if it has only the debug information of another file: then offsets and
 * sizes in the file are not those of the program that ran.
 */
bool binary_is_debug_file(const struct binary *);

struct binary_section {
	uint64_t address;		/* 0 unless it is loaded */
	uint64_t size;			/* of its contents, not compressed */
	struct prof_span data;		/* NULL: none in this file */
};

/*
 * Section by name: of the binary, or of its debug file if the binary has none
 * with contents there.  Compressed ones are given uncompressed.  PROF_END if
 * there is none; PROF_FAIL if it is damaged.
 */
enum prof_status binary_section(struct binary *, const char *name,
    struct binary_section *, struct prof_error *);

/*
 * The debug information, of the binary or of a debug file that is looked for
 * the first time: next to the binary, in the folders, at the servers.  NULL if
 * there is none (PROF_E_UNSUPPORTED) or if it cannot be read.
 */
struct Dwarf *binary_dwarf(struct binary *, struct prof_error *);

#endif
