/*
 * model/name_section.h - names sections of raw and indexed profiles
 *
 * A section has chunks of names joined by 0x01, most of them deflated.  Raw
 * profiles since version 3 and the vtable names of indexed ones since version
 * 12 are stored this way (InstrProf.cpp, collectGlobalObjectNameStrings and
 * readAndDecodeStrings, LLVM 3.9 to 22).
 */
#ifndef MODEL_NAME_SECTION_H
#define MODEL_NAME_SECTION_H

#include "base/bytes.h"
#include "base/lru_cache.h"
#include "model/symtab.h"
#include "prof.h"

/* The bytes of names, which records may use for longer than the table. */
struct names_text {
	struct lru_entry entry;
	struct names_chunk *chunks;
};

/*
 * How much the names of all images of a file may still take, so that a small
 * file cannot take much memory or time; or how much of that names took.
 */
struct names_limit {
	uint64_t bytes;			/* inflated */
	uint64_t count;
};

/*
 * The names of one or more sections: in the table, or, if `listed`, only in the
 * list, in the order of the section, with empty and repeated ones.
 */
struct names {
	struct symtab table;
	struct names_text *text;	/* NULL: there are none yet */
	size_t inflated;		/* bytes of the text */
	struct names_limit taken;	/* by names_read */
	bool listed;
	struct prof_span *list;
	size_t list_size;
};

/*
 * Limits larger than anything known: inflated names are a few times as long as
 * their file, and each function takes tens of bytes of the file.  Whatever its
 * size, a file may have some more.  The member of an archive may, too, but the
 * further behind it is (ordinal, from 1), the less of that is not by its size:
 * otherwise thousands of small members would have as much as that many files.
 */
struct names_limit names_limit_of(size_t file_size, uint64_t ordinal);

/*
 * Reduces the limit by what names took, whoever read them.  False if it is
 * less: then names_read of their sections fails at this limit.
 */
bool names_limit_take(struct names_limit *, const struct names_limit *taken);

/* Of a file that is not in memory as a whole: so many more bytes were read. */
void names_limit_grow(struct names_limit *, uint64_t bytes);

/*
 * Adds the names of a section, whose bytes are copied.  offset is where the
 * section begins in the image, for messages.  *limit is reduced by the names.
 */
enum prof_status names_read(struct names *out, struct prof_span section,
    uint64_t offset, struct names_limit *limit, struct prof_error *);

/*
 * Lists the names of a section that may be cut or damaged, up to the damage.
 * *whole is false if there is damage.
 */
enum prof_status names_salvage(struct names *out, struct prof_span section,
    struct names_limit *limit, bool *whole, struct prof_error *);
void names_free(struct names *);

/*
 * Appends one chunk of the names, deflated by zlib at level 9 as LLVM does
 * (InstrProf.cpp, collectGlobalObjectNameStrings); nothing for no names.
 * PROF_E_UNSUPPORTED if a name holds the separator, 0x01.
 */
enum prof_status names_write(struct buf *out, const struct prof_span *names,
    size_t count, struct prof_error *);

#endif
