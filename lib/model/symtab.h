/*
 * model/symtab.h - symbols found by guid, guids of names, and what the names of
 * local functions and of rustc look like
 */
#ifndef MODEL_SYMTAB_H
#define MODEL_SYMTAB_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/lock.h"
#include "prof.h"

/* Symbols in the order of adding.  Names are borrowed.  All zero is empty. */
struct symtab {
	struct prof_symbol *symbols;
	size_t size, room;
	struct hash_index index;
	struct lock *lock;		/* for callers, or NULL */
};

#define SYMTAB_NONE SIZE_MAX

/*
 * Adds a name unless its guid is there.  A guid of 0 is computed from the name;
 * without a name (data NULL) 0 is a guid like any other, which raw profiles may
 * hold.  False if out of memory.
 */
bool symtab_add(struct symtab *, struct prof_span name, uint64_t guid);

/* The same; a name that is added is copied to the arena. */
bool symtab_keep(struct symtab *, struct arena *, struct prof_span name,
    uint64_t guid);

/*
 * Adds a name as symtab_add does.  Returns the symbol, which is valid until the
 * next one is added; NULL if out of memory.
 */
const struct prof_symbol *symtab_put(struct symtab *, struct prof_span name,
    uint64_t guid);

/* Allocates space for so many more symbols.  False if out of memory. */
bool symtab_reserve(struct symtab *, size_t more);

/*
 * Index of the symbol with that guid, or SYMTAB_NONE.  The symbol at *hint is
 * compared first, and *hint becomes the index behind the one found: records
 * mostly come in the order of the names.  hint may be NULL.
 */
size_t symtab_find(const struct symtab *, uint64_t guid, size_t *hint);

/* Prefetches the slot of a guid that will be looked up or added. */
void symtab_prefetch(const struct symtab *, uint64_t guid);

/* The name of a guid, or a span with data NULL. */
struct prof_span symtab_name(const struct symtab *, uint64_t guid);

/* Bytes of symbols and slots, without the names. */
static inline size_t
symtab_memory(const struct symtab *t)
{
	return t->size * sizeof(*t->symbols) +
	    t->index.slot_count * sizeof(*t->index.slots);
}

void symtab_free(struct symtab *);

/*
 * A cache of the guids of names.
 *
 * Every profile names the same few thousand targets of value sites, and
 * computing the MD5 of a name takes longer than parsing its line.
 */

/* All zero is empty. */
struct guid_cache {
	struct intern names;
	uint64_t *guids;		/* of these */
	size_t room;
};

/* Same result as prof_guid. */
uint64_t guid_cache_of(struct guid_cache *, struct prof_span name);

void guid_cache_free(struct guid_cache *);

/*
 * Names of functions that only one file knows.
 *
 * A profile calls them "file;name" in IR profiles since LLVM 18, "file:name"
 * before and in front-end profiles (InstrProf.cpp, getIRPGOObjectName and
 * getPGOFuncName).
 */

/* The ';' or ':' that ends the file part, or NULL if there is none. */
const uint8_t *local_name_separator(struct prof_span name);

/* The name without its file; *file is that, with data NULL if there is none. */
struct prof_span local_name_split(struct prof_span name,
    struct prof_span *file);

/* Names mangled by rustc. */

/*
 * Whether a name is mangled by rustc, in its v0 (_R...) or its legacy form
 * (_ZN...17h<16 hex digits>E).  Rust's front-end hashes follow no rule of
 * clang's: they are any 64 bits (rustc_mir_transform, coverage).
 */
bool rust_mangled(struct prof_span name);

#endif
