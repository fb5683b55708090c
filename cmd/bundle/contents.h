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
#include "cmd/common/pipeline.h"

struct bundle_contents;

/*
 * Contents of a settled set in their order, those for which wanted[] is true;
 * NULL: all.
 */
struct bundle_contents *bundle_contents_new(struct cli *,
    const struct bundle_set *, const bool *wanted);

/*
 * For a struct cli_pipeline: the next, and whether it is what it was when the set
 * was made; if not, PROF_E_SYSTEM.  A turn is given the struct bundle_entry.
 */
enum prof_status bundle_contents_next(struct bundle_contents *,
    struct cli_item *, struct buf *memory);
enum prof_status bundle_contents_expect(const struct commit_entry *,
    struct prof_span image, struct prof_error *);

void bundle_contents_free(struct bundle_contents *);

#endif
