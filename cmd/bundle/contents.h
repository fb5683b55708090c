/*
 * cmd/bundle/contents.h - the second reading: contents in the order of the set
 *
 * Files are read when it is their turn.  Members of archives, which come in an
 * order of their own, are held in memory, some at a time; a bundle has them in
 * our order, and is read once whatever it holds.
 */
#ifndef CMD_BUNDLE_CONTENTS_H
#define CMD_BUNDLE_CONTENTS_H

#include "cmd/bundle/set.h"
#include "cmd/common/threads.h"

struct bundle_fetch;

/*
 * Contents of a settled set in their order, those for which wanted[] is true;
 * NULL: all.
 */
struct bundle_fetch *bundle_fetch_new(struct cli *, const struct bundle_set *,
    const bool *wanted);

/*
 * For a struct cli_work: the next, and whether it is what it was when the set
 * was made; if not, PROF_E_SYSTEM.  A turn is given the struct bundle_entry.
 */
enum prof_status bundle_fetch_next(struct bundle_fetch *, struct cli_item *,
    struct buf *memory);
enum prof_status bundle_fetch_expect(const struct cli_turn *,
    struct prof_span image, struct prof_error *);

void bundle_fetch_free(struct bundle_fetch *);

#endif
