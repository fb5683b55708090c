/* cmd/bundle/write.h - bundles as tar archives */
#ifndef CMD_BUNDLE_WRITE_H
#define CMD_BUNDLE_WRITE_H

#include "cmd/bundle/bundle.h"
#include "cmd/bundle/set.h"

/* Writes the bundle of a settled set; the inputs are read again. */
enum prof_status bundle_write(struct cli *, const struct bundle_set *,
    enum packing, struct output *);

/*
 * PROF_FAIL, for an error of the program that is about the output: messages
 * name the output and not an input.
 */
enum prof_status bundle_output_failed(struct cli *);

/* Opens the program's output, and puts the finished file in its place. */
enum prof_status bundle_output_open(struct cli *);
enum prof_status bundle_output_commit(struct cli *);

/* Fails if text on standard output, or some of it, could not be written. */
enum prof_status bundle_flush_text(struct cli *);

#endif
