/*
 * sym/elf_file.h - one ELF file, without the debug file that belongs to it
 *
 * For binary.c and debug_file.c only: others use sym/binary.h.
 */
#ifndef SYM_ELF_FILE_H
#define SYM_ELF_FILE_H

#include "base/arena.h"
#include "base/bytes.h"
#include "sym/binary.h"
#include "sym/dwarf/libdw.h"
#include "sym/dwarf/elf_bounds.h"

struct binary {
	char *path;
	int fd;
	Elf *elf;
	struct map *map;		/* of its bytes; NULL: not watched */
	Dwarf *dwarf;			/* of this file; NULL: not opened */
	bool big_endian, debug_only;
	struct elf_unpacked unpacked;
	uint8_t pointer_bits;
	struct prof_span build_id;	/* in the arena */
	struct binary_load *loads;
	size_t load_count, load_room;
	struct arena arena;

	/* Used by binary.c. */
	const struct binary_search *search;	/* borrowed; may be NULL */
	bool debug_sought;		/* the debug file was searched for */
	enum prof_status debug_status;	/* of the search */
	/*
	 * Why the search failed, if debug_status is PROF_FAIL.  Before the
	 * search, in a file that binary_find gave: why a debug file with the
	 * same build id cannot be read, if there is one.
	 */
	struct prof_error debug_error;
	struct binary *debug;		/* the debug file, owned, or NULL */
	struct buf mini_bytes;		/* .gnu_debugdata, decompressed */
	Elf *mini;			/* of these bytes, or NULL */
};

/* As binary_section, but of this file only. */
enum prof_status elf_file_section(struct binary *, const char *name,
    struct binary_section *, struct prof_error *);

/* Whether this file has .debug_info, or .zdebug_info, with contents. */
bool elf_file_has_debug_info(const struct binary *);

/*
 * The debug information of this file.  NULL with PROF_E_CORRUPT if it cannot be
 * read, or if a compressed section is damaged; with the errors of
 * elf_unpack_all, unit_headers_check and linked_files_check.
 */
struct Dwarf *elf_file_dwarf(struct binary *, struct prof_error *);

#endif
