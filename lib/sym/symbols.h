/*
 * sym/symbols.h - functions by address, from symbol tables of ELF files
 *
 * Which symbols count, and which of several at an address is taken, is decided
 * as by llvm-symbolizer (SymbolizableObjectFile.cpp and ELFObjectFile.h, LLVM
 * 14 to 22): functions, data and symbols without type, in a section, except
 * mapping symbols.  Of those with one address the largest is taken, of equally
 * large ones the last.  A symbol of size 0 reaches up to the next one.
 */
#ifndef SYM_SYMBOLS_H
#define SYM_SYMBOLS_H

#include "sym/dwarf/frames.h"

struct Elf;		/* the Elf of libelf */
struct arena;

struct symbol {
	uint64_t address, size;		/* bytes; size 0: to the next symbol */
	const char *name, *file;	/* of the ELF file; file may be NULL */
	size_t number;			/* in the order of adding */
};

/* All zero is empty. */
struct symbols {
	struct symbol *items;
	size_t size, room;
	bool sorted;
};

/*
 * Adds the symbols of all sections of a type, SHT_SYMTAB or SHT_DYNSYM.  Names
 * point into the ELF file.  *found becomes true if there is such a section with
 * contents.  PROF_FAIL if out of memory, or with PROF_E_CORRUPT if a section
 * cannot be read, after the others were added.
 */
enum prof_status symbols_add(struct symbols *, struct Elf *, uint32_t type,
    bool *found, struct prof_error *);

/*
 * Gives the symbol at an address as one frame with a function, the source file
 * if the symbol is local and its table names one, and no line.  The count is 0
 * if there is none.  PROF_FAIL only if out of memory.
 */
enum prof_status symbols_find(struct symbols *, uint64_t address,
    struct arena *, struct frame_list *, struct prof_error *);

void symbols_free(struct symbols *);

#endif
