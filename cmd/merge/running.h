/*
 * cmd/merge/running.h - marks of the shards that are being merged
 *
 * A task keeps a locked temporary file beside its part, with the digest of the
 * plan and the number of the shard in it.  The mark goes with the task; one of
 * a task that was killed has no lock, and the next task of the shard removes
 * it.  Marks only tell people what runs: nothing depends on them.
 */
#ifndef CMD_MERGE_RUNNING_H
#define CMD_MERGE_RUNNING_H

#include <time.h>

#include "base/sha256.h"
#include "io/temporary.h"

/* All zero is no mark. */
struct running_mark {
	bool there;
	struct temporary file;
};

/* Marks the shard of a part; where that fails, there is no mark. */
void running_begin(struct running_mark *, const char *part,
    const uint8_t plan[SHA256_SIZE], uint64_t shard);
void running_end(struct running_mark *);

/*
 * Calls with each shard of the plan that a mark in the folder names; a folder
 * that cannot be opened has none.  0, or an errno value.
 */
typedef void running_seen(void *arg, uint64_t shard, time_t since);
int running_each(const char *folder, const uint8_t plan[SHA256_SIZE],
    running_seen *, void *arg);

#endif
