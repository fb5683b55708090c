/*
 * cmd/bundle/contents.h - the second reading: contents in the order of the set
 *
 * A plain file is read when its content comes next, and so is a member, if all
 * archives are read forwards.  If not, a batch of members is held in memory.
 */
#ifndef CMD_BUNDLE_CONTENTS_H
#define CMD_BUNDLE_CONTENTS_H

#include "cmd/bundle/set.h"
#include "cmd/common/pipeline.h"

struct bundle_contents;

/*
 * The contents of a settled set, in its order.  The set must outlive the
 * reader.
 */
struct bundle_contents *bundle_contents_new(struct cli *,
    const struct bundle_set *);

/*
 * Callbacks for a struct cli_pipeline.  The first gives the next content, with
 * its struct bundle_entry; the second fails with PROF_E_SYSTEM if the bytes
 * are not those from which the set was made.
 */
enum prof_status bundle_contents_next(struct bundle_contents *,
    struct cli_item *, struct buf *memory);
enum prof_status bundle_contents_expect(const struct commit_entry *,
    struct prof_span image, struct prof_error *);

void bundle_contents_free(struct bundle_contents *);

#endif
