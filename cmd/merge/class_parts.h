/*
 * cmd/merge/class_parts.h - a sum as a part for each class of records
 *
 * All parts are written at once (ops/partition_writer.h), and then put in place
 * one after the other: each is there whole or not at all.
 */
#ifndef CMD_MERGE_CLASS_PARTS_H
#define CMD_MERGE_CLASS_PARTS_H

#include "cmd/common/output.h"

/* A part that is being written. */
struct class_part {
	char *path;
	struct class_parts *all;
	uint64_t class;
	struct cli_insertion insertion;
};

/* All zero but for the first members; 0 classes: none are written. */
struct class_parts {
	size_t classes;
	/* Appends the account of a class. */
	enum prof_status (*put_account)(void *arg, uint64_t class,
	    struct buf *, struct prof_error *);
	void *arg;
	struct class_part *list;
	struct prof_writer **writers;	/* of the parts */
	bool *began;			/* they have a profile */
};

/* Whether the name of a file has one %d, in place of which classes come. */
bool class_parts_named(const char *path);

/* Opens all parts, and the writer of the output, which puts records to them. */
enum prof_status class_parts_open(struct class_parts *, struct cli *);

/*
 * Writes a sum, or the accounts alone if it is NULL, and puts the parts in
 * place.
 */
enum prof_status class_parts_write(struct class_parts *, struct cli *,
    struct merge *, const struct merge_output *);

/*
 * Removes the parts that are not in place.  To be called before cli_end:
 * libarchive may end the process while a packed part is discarded.
 */
void class_parts_end(struct class_parts *);

#endif
