/*
 * model/value_data.h - value profile data of raw and indexed profiles
 *
 * A block holds the value sites of one function, in raw profiles from version 2
 * and indexed ones from version 3 on (InstrProfData.inc,
 * INSTR_PROF_VALUE_PROF_DATA, LLVM 3.8 to 22).
 */
#ifndef MODEL_VALUE_DATA_H
#define MODEL_VALUE_DATA_H

#include "base/arena.h"
#include "base/bytes.h"
#include "prof.h"

/*
 * Replaces a stored value by its meaning: value->value is as stored on entry
 * and becomes, for example, the guid of the function at that address; the name
 * may be set as well.
 */
struct values_resolver {
	void (*resolve)(void *arg, enum prof_value_kind,
	    struct prof_value *value);
	void *arg;
};

/*
 * Reads the block at the cursor and moves the cursor behind the block.  Sites
 * come from the arena; a kind that is not in the block has none.  Without a
 * resolver (NULL) values are as stored.  All lengths are checked against the
 * block, and the block against the cursor; the records must fill the block to
 * the byte.  Offsets of errors are positions of the cursor.
 */
enum prof_status values_read(struct cursor *, struct arena *,
    const struct values_resolver *, struct prof_sites out[PROF_VALUE_KINDS],
    struct prof_error *);

/* Values of one site that a block can hold: their number is one byte. */
enum { VALUES_SITE_MAX = 255 };

/*
 * Appends a block in a byte order, with the sites of the kinds below `kinds`;
 * *cut grows by the values that exceed VALUES_SITE_MAX of a site and are lost.
 */
void values_write(struct buf *, const struct prof_sites[PROF_VALUE_KINDS],
    unsigned kinds, bool big, uint64_t *cut);

#endif
