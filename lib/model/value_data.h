/*
 * model/value_data.h - value profile data, the same block in raw (v2+) and indexed (v3+)
 * profiles (InstrProfData.inc, INSTR_PROF_VALUE_PROF_DATA)
 */
#ifndef MODEL_VALUE_DATA_H
#define MODEL_VALUE_DATA_H

#include "base/arena.h"
#include "base/bytes.h"

/*
 * What a stored value stands for: sets value->value and, if known, the name.
 * value->value is as stored on entry.  NULL leaves it so.
 */
typedef void values_resolve(void *arg, enum prof_value_kind,
    struct prof_value *value);

/*
 * Reads the block at the cursor and moves it behind the block.  base is added
 * to positions in messages.  Sites come from the arena.  A kind that is not in
 * the block has no sites.  All lengths are checked against the block, the block
 * against the cursor; the records must fill the block to the byte.
 */
enum prof_status values_read(struct cursor *, uint64_t base, struct arena *,
    values_resolve *, void *arg, struct prof_sites out[PROF_VALUE_KINDS],
    struct prof_error *);

/* Values of one site that a block can hold: its count is one byte. */
enum { VALUES_SITE_MAX = 255 };

/*
 * Appends a block in a byte order.  Of each site the first VALUES_SITE_MAX values
 * are taken; *cut grows by the number of those left out.  Sites of kinds from
 * kinds on are left out and not counted.
 */
void values_write(struct buf *, const struct prof_sites[PROF_VALUE_KINDS],
    unsigned kinds, bool big, uint64_t *cut);

#endif
