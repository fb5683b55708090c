/*
 * elf_unpack.h - compressed sections of ELF files, within a bound
 *
 * libdw would uncompress debug sections without a bound, and leave out those
 * that it cannot uncompress.  They are uncompressed before libdw sees them.
 *
 * The bound is that of compressed inputs (io/input.h), with the size of the
 * whole file as the compressed size: many sections may be made of the same
 * bytes.
 */
#ifndef SYM_ELF_UNPACK_H
#define SYM_ELF_UNPACK_H

#include "prof.h"
#include "sym/dwarf/libdw.h"

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

/* The same for all sections that libdw may uncompress. */
enum prof_status elf_unpack_debug(Elf *, struct elf_unpacked *,
    const char *path, struct prof_error *);

/*
 * For another file, of whose sections libdw uncompresses copies of its own:
 * counts their bytes, too, and changes nothing.  PROF_FAIL only behind the
 * bound.
 */
enum prof_status elf_unpack_count(Elf *, struct elf_unpacked *,
    const char *path, struct prof_error *);

#endif
