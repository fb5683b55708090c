/* cmd/bundle/write.h - bundles as files */
#ifndef CMD_BUNDLE_WRITE_H
#define CMD_BUNDLE_WRITE_H

#include "cmd/bundle/bundle.h"
#include "cmd/bundle/set.h"

/* Writes the bundle of a settled set, whose inputs are read again. */
enum prof_status bundle_write(struct cli *, const struct bundle_set *,
    enum packing, struct output *);

/* Writes the bundle of a settled set of one entry, whose bytes these are. */
enum prof_status bundle_write_one(struct cli *, const struct bundle_set *,
    struct prof_span contents, enum packing, struct output *);

/*
 * A prof_status of writing becomes one of the program: what fails for the
 * system's sake is told of the output.
 */
enum prof_status bundle_output_failed(struct cli *);

#endif
