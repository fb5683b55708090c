/*
 * merge/sorted/sorted.h - files of LPRF 2, merged block by block
 *
 * The sum is that of merge/merge.h, to the byte of a file of LPRF 2.  It takes
 * no table of functions: files are sorted, and are walked side by side.  Where
 * files of one program store the same names and hashes, these are read once and
 * copied as they are, and only counters are added.
 *
 * What is rare takes the other merge: functions, targets or vtables known by
 * guid only, whose names may be anywhere; records of one function that do not
 * fit each other; counts of 2^62 or more; heap data; damage.
 */
#ifndef MERGE_SORTED_SORTED_H
#define MERGE_SORTED_SORTED_H

#include "merge/merge.h"

/* Whether a file that begins with these bytes may be merged so. */
enum { MERGE_SORTED_START = 8 };
bool merge_sorted_reads(const uint8_t start[MERGE_SORTED_START]);

/* A regular file; read returns 0 once it has read all bytes. */
struct merge_sorted_file {
	void *arg;			/* of read */
	int (*read)(void *arg, uint64_t offset, void *data, size_t size);
	uint64_t size;
	struct merge_factor weight;
};

/* The inputs, of which no more than `most` are open at a time. */
struct merge_sorted_inputs {
	void *arg;			/* of open */
	size_t size, most;
	bool (*open)(void *arg, size_t i, struct merge_sorted_file *);
	void (*close)(struct merge_sorted_file *);
};

struct merge_sorted_sum {
	void *file;			/* the sum, by merge_files */
	uint64_t functions;		/* of all inputs */
	uint64_t written;		/* functions in the sum */
};

/*
 * False if the inputs are to be merged the other way, for whatever reason.
 * Otherwise there is a file, to be pulled from its start, and closed.
 */
bool merge_sorted(const struct merge_sorted_inputs *,
    const struct merge_files *, bool plain, struct merge_sorted_sum *);

#endif
