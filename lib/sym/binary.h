/*
 * sym/binary.h - programs, shared libraries and their debug files
 *
 * ELF of any class and byte order.  Other formats are refused with a message
 * that names them.
 */
#ifndef SYM_BINARY_H
#define SYM_BINARY_H

#include "prof.h"

struct Dwarf;		/* the Dwarf of libdw */
struct binary;
struct symbols;

/* Where debug files are searched for, besides the folder of the binary. */
struct binary_search {
	/*
	 * In each DIR, DIR/.build-id/ab/cdef.debug; for a .gnu_debuglink,
	 * DIR/FOLDER/NAME where FOLDER is the folder of the binary.
	 */
	const char *const *debug_dirs;
	size_t debug_dir_count;
	bool debuginfod;	/* ask the servers of $DEBUGINFOD_URLS */
};

/*
 * The search is borrowed until binary_close and may be NULL.  NULL if the file
 * cannot be opened or is not a linked ELF file; the reason says what it is.
 */
struct binary *binary_open(const char *path, const struct binary_search *,
    struct prof_error *);

/*
 * Searches for a debug file with that build id, or else for the binary itself.
 * PROF_END if there is none; PROF_FAIL if there is one that cannot be read, and
 * no other.  If there is another, without debug information, binary_dwarf of it
 * says why the first could not be read.
 */
enum prof_status binary_find(struct prof_span build_id,
    const struct binary_search *, struct binary **, struct prof_error *);

void binary_close(struct binary *);	/* NULL is fine */

/*
 * PROF_E_TRUNCATED if bytes of the binary or its debug file were missing when
 * they were read, and zero instead: their disk failed, or they were truncated
 * after they were opened.  In a program without map_handle_errors of io/map.h,
 * that ends it.
 */
enum prof_status binary_check_whole(const struct binary *,
    struct prof_error *);

/* Results of the functions below are borrowed until binary_close. */
uint64_t binary_file_size(const struct binary *);	/* bytes; 0: unknown */
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

/* The PT_LOAD headers in the order of the file; *count may be 0. */
const struct binary_load *binary_loads(const struct binary *, size_t *count);

/*
 * Whether the file has debug information but no code (all sections of code are
 * SHT_NOBITS): then offsets and sizes in the file are not those of the program
 * that ran.
 */
bool binary_is_debug_file(const struct binary *);

struct binary_section {
	uint64_t address;		/* 0 unless it is loaded */
	uint64_t size;			/* of its contents, uncompressed */
	struct prof_span data;		/* NULL: SHT_NOBITS or empty */
};

/*
 * Gives a section by name: of the binary, or of its debug file if the binary
 * has no such section with contents.  Compressed sections are uncompressed.
 * PROF_END if there is none; PROF_FAIL if it is damaged.
 */
enum prof_status binary_section(struct binary *, const char *name,
    struct binary_section *, struct prof_error *);

/*
 * Gives the debug information of the binary, or else of its debug file, which
 * is searched for at the first call: next to the binary, in the folders, at the
 * servers.  NULL with PROF_E_UNSUPPORTED if there is none, or with another
 * code if it cannot be read.
 */
struct Dwarf *binary_dwarf(struct binary *, struct prof_error *);

/* The path of the file that has it, if binary_dwarf succeeded. */
const char *binary_dwarf_path(const struct binary *);

/*
 * Adds the symbols of .symtab, of the binary or else of its debug file.  If
 * neither has one, those of .dynsym and of .gnu_debugdata.  Their names are
 * borrowed until binary_close.  PROF_FAIL if out of memory, and if one of them
 * is damaged or too large, after the others were added.
 */
enum prof_status binary_symbols(struct binary *, struct symbols *,
    struct prof_error *);

#endif
