/*
 * names.h - names sections: chunks of names joined by 0x01, mostly deflated
 *
 * Raw profiles since v3 and the vtable names of indexed ones since v12 hold
 * names this way (InstrProf.cpp, collectGlobalObjectNameStrings and
 * readAndDecodeStrings, LLVM 3.9 to 22).
 */
#ifndef FORMAT_NAMES_H
#define FORMAT_NAMES_H

#include "base/bytes.h"
#include "format/codec.h"
#include "base/symtab.h"

/* Names and, where they had to be inflated, their bytes. */
struct names {
	struct symtab table;
	struct names_chunk *chunks;
};

/*
 * What the names of a file may still come to, in all of its images: a small
 * file must not take much memory or time.
 */
struct names_limit {
	uint64_t bytes;			/* inflated */
	uint64_t count;
};

struct names_limit names_limit_of(size_t file_size);

/*
 * Adds the names of a section, whose bytes must outlive *out.  offset is where
 * the section begins in the image, for messages.  What the section takes is
 * taken off *limit.
 */
enum prof_status names_read(struct names *out, struct prof_span section,
    uint64_t offset, struct names_limit *limit, struct prof_error *);
void names_free(struct names *);

/*
 * Appends one chunk of the names, deflated by zlib at level 9 as LLVM does
 * (InstrProf.cpp, collectGlobalObjectNameStrings); nothing for no names.
 * PROF_E_UNSUPPORTED if a name holds the byte that stands between names.
 */
enum prof_status names_write(struct buf *out, const struct prof_span *names,
    size_t count, struct prof_error *);

/*
 * The names of a raw image, kept by the context for the next image: programs
 * that write thousands of profiles write the same names in each.
 */
struct names_cache {
	unsigned users;			/* the context, and open readers */
	struct names names;
	size_t vtable_start;		/* first symbol of the vtable names */
	struct prof_span functions, vtables;	/* the sections, copied */
};

/*
 * Names of the two sections (either may be empty), from the context's cache if
 * they are the same bytes.  Give it back with names_release.  NULL on failure.
 */
struct names_cache *names_get(struct prof_context *,
    struct prof_span functions, uint64_t functions_offset,
    struct prof_span vtables, uint64_t vtables_offset,
    struct names_limit *, struct prof_error *);
void names_release(struct names_cache *);	/* NULL is fine */

/* An empty one for names that come from elsewhere, of one user. */
struct names_cache *names_new(struct prof_error *);

#endif
