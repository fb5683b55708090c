/*
 * sym/binary.h - programs, shared libraries and their debug files
 *
 * ELF of any class and byte order.  Other formats are refused with a message
 * that names them.
 */
#ifndef SYM_BINARY_H
#define SYM_BINARY_H

#include "base/hash.h"
#include "prof.h"

struct binary;
struct buf;
struct work;

/* libraries.c: what programs need; the caller sets the first three members. */
struct libraries {
	struct binary *const *programs;
	size_t program_count;
	struct work *work;
	bool sought;
	struct intern folders, names;
	struct binary **files;		/* with build ids */
	size_t count, room;
};

void libraries_free(struct libraries *);

/* Where debug files are searched for, and what all files together may cost. */
struct binary_search {
	/* In each DIR, DIR/.build-id/ab/cdef.debug. */
	const char *const *debug_dirs;
	size_t debug_dir_count;
	bool debuginfod;	/* ask the servers of $DEBUGINFOD_URLS */
	struct libraries *libraries;	/* of the programs given, or NULL */
	struct work *work;	/* see work.h; not NULL */
};

/*
 * The search is borrowed until binary_close.  NULL if the file cannot be opened
 * or is not a linked ELF file; the reason says what it is.
 */
struct binary *binary_open(const char *path, const struct binary_search *,
    struct prof_error *);

void binary_close(struct binary *);

/*
 * Appends the path of a file in a folder by build id, with a NUL: suffix is
 * ".debug", or "" for the program.  False if no file can have that id.
 */
bool binary_id_path(struct buf *, const char *dir, struct prof_span id,
    const char *suffix);

/*
 * debuginfod.c: queries the servers of $DEBUGINFOD_URLS for the program itself,
 * or for its debug file.  *path names the file in the cache of libdebuginfod
 * and is for free(3).  PROF_END if no server has it.
 */
enum prof_status debuginfod_find(struct prof_span build_id, bool program,
    char **path, struct prof_error *);

/* Results of the functions below are borrowed until binary_close. */
const char *binary_path(const struct binary *);
struct prof_span binary_build_id(const struct binary *);	/* or empty */

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

/* Called with a name, borrowed until binary_close.  False: no memory. */
typedef bool binary_visit_name(void *arg, struct prof_span name);

/*
 * Visits names that may be those of functions: of symbol tables, and each
 * string of .debug_str, which has the names of inlined functions.
 */
enum prof_status binary_visit_names(struct binary *, binary_visit_name *,
    void *arg, struct prof_error *);

#endif
