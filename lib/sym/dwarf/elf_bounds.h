/*
 * sym/dwarf/elf_bounds.h - what the sections of an ELF file may claim
 *
 * libdw would uncompress debug sections without a bound, and leave out those
 * that it cannot uncompress.  They are uncompressed before libdw sees them.
 *
 * Debug information takes some hundred times its bytes in libdw: what sections
 * decompress to is bounded more than inputs are (io/input.h).  In sound files,
 * it is 2 to 6 times the file.  The size of the whole file counts, since many
 * sections may be made of the same bytes.
 */
#ifndef SYM_DWARF_ELF_BOUNDS_H
#define SYM_DWARF_ELF_BOUNDS_H

#include "prof.h"
#include "sym/dwarf/libdw.h"

/*
 * What is wrong with the sections of a file, or NULL: then memory and time for
 * all of them are in proportion to the file.  Together, they must not have more
 * than twice its bytes, and their names not more than its bytes: libdw measures
 * each name.  The last name must end with NUL: elf_strptr searches for the last
 * NUL in all that follows a name.  Names must not be compressed: elf_strptr
 * would uncompress them without a bound, and no tool compresses them.
 */
const char *elf_sections_fault(Elf *, uint64_t file_bytes);

/*
 * Whether there is a section of that name, or of .zdebug_x for .debug_x, that
 * has a size.  Sections that libdw passes over, those of section groups, are
 * none here and below.
 */
bool elf_has_section(Elf *, const char *name);

/*
 * The contents of the first such section, borrowed from libelf; no data if
 * there are none.  These are the bytes that libdw uses.  To be called behind
 * elf_unpack_all.
 */
struct prof_span elf_contents(Elf *, const char *name);

/* Bytes of the file; 0 if libelf has no file. */
uint64_t elf_file_bytes(Elf *);

/* False also for a file without a header, which has no sections either. */
bool elf_is_big_endian(Elf *);

/* All zero, but for the size, before the first section is uncompressed. */
struct elf_unpacked {
	uint64_t file_bytes;
	uint64_t section_bytes;		/* uncompressed, of all sections */
};

/*
 * Uncompresses a section in place, if it is compressed: the header of the
 * section and its data change.  PROF_FAIL with PROF_E_CORRUPT if it cannot be
 * uncompressed, or is compressed twice; with PROF_E_LIMIT behind the bound.
 * Reasons begin with `path` and the name.
 */
enum prof_status elf_unpack_section(Elf_Scn *, const char *name,
    const GElf_Shdr *, struct elf_unpacked *, const char *path,
    struct prof_error *);

/* The same for all sections. */
enum prof_status elf_unpack_all(Elf *, struct elf_unpacked *,
    const char *path, struct prof_error *);

#endif
