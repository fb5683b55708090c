/* model/symtab.h - names by guid */
#ifndef MODEL_SYMTAB_H
#define MODEL_SYMTAB_H

#include "base/lock.h"
#include "prof.h"

/* All zero is an empty table.  Names are borrowed, in the order of adding. */
struct symtab {
	struct prof_symbol *symbols;
	size_t size, room;
	uint32_t *slots;		/* index + 1 into symbols, 0 is empty */
	size_t slot_count;		/* a power of two, or 0 */
	struct lock *lock;		/* for the user's use, or NULL */
};

#define SYMTAB_NONE SIZE_MAX

/*
 * Adds a name unless its guid is there.  guid is 0 if it is still to be
 * computed.  False if out of memory.
 */
bool symtab_add(struct symtab *, struct prof_span name, uint64_t guid);

/* The same, and the symbol of the guid, until the next is added; or NULL. */
const struct prof_symbol *symtab_put(struct symtab *, struct prof_span name,
    uint64_t guid);

/* Makes room for so many more at once.  False if out of memory. */
bool symtab_reserve(struct symtab *, size_t more);

/*
 * Index of the symbol with that guid, or SYMTAB_NONE.  *hint is where to look
 * first, and becomes the place behind what was found: records mostly come in
 * the order of the names.  hint may be NULL.
 */
size_t symtab_find(const struct symtab *, uint64_t guid, size_t *hint);

/* Sends for the place of a guid that will be looked for or added. */
void symtab_prefetch(const struct symtab *, uint64_t guid);

/* The name, or a span with data NULL. */
struct prof_span symtab_name(const struct symtab *, uint64_t guid);

void symtab_free(struct symtab *);

#endif
