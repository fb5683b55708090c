/*
 * model/name_section.h - names sections: chunks of names joined by 0x01, mostly deflated
 *
 * Raw profiles since v3 and the vtable names of indexed ones since v12 hold
 * names this way (InstrProf.cpp, collectGlobalObjectNameStrings and
 * readAndDecodeStrings, LLVM 3.9 to 22).
 */
#ifndef MODEL_NAME_SECTION_H
#define MODEL_NAME_SECTION_H

#include "base/bytes.h"
#include "base/lru_cache.h"
#include "model/symtab.h"
#include "prof.h"

/* The bytes of names, which others may hold for longer than the names. */
struct names_text {
	struct lru_entry shelf;
	struct names_chunk *chunks;
};

/*
 * Names.  If listed, they are in a list as they come, empty and repeated ones
 * too, and not in the table.
 */
struct names {
	struct symtab table;
	struct names_text *text;	/* NULL: there are none yet */
	size_t inflated;		/* bytes of it */
	bool listed;
	struct prof_span *list;
	size_t list_size;
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
 * Adds the names of a section, whose bytes are copied.  offset is where the
 * section begins in the image, for messages.  What the section takes is taken
 * off *limit.
 */
enum prof_status names_read(struct names *out, struct prof_span section,
    uint64_t offset, struct names_limit *limit, struct prof_error *);

/*
 * As names_read, but of a section that may be cut or damaged: the whole names
 * before that place, into the list of *out.  *whole is false if there was one.
 */
enum prof_status names_salvage(struct names *out, struct prof_span section,
    struct names_limit *limit, bool *whole, struct prof_error *);
void names_free(struct names *);

/*
 * Appends one chunk of the names, deflated by zlib at level 9 as LLVM does
 * (InstrProf.cpp, collectGlobalObjectNameStrings); nothing for no names.
 * PROF_E_UNSUPPORTED if a name holds the byte that stands between names.
 */
enum prof_status names_write(struct buf *out, const struct prof_span *names,
    size_t count, struct prof_error *);

#endif
