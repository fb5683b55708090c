/* bundle_scan.h - the first of two readings: what is in the inputs */
#ifndef CMD_BUNDLE_SCAN_H
#define CMD_BUNDLE_SCAN_H

#include "bundle.h"
#include "bundle_set.h"

/*
 * Adds the profiles of all inputs to the set, with the labels of the options.
 * Bad ones end it, or are left out (cli_damage.h).  They are decoded, unless
 * that is left to who reads them again.
 */
enum prof_status bundle_scan(struct cli *, const struct bundle_options *,
    bool decode, struct bundle_set *);

/* The same for one file, which is the program's file at hand. */
enum prof_status bundle_scan_file(struct cli *, const struct bundle_options *,
    bool decode, struct bundle_set *, struct buf *memory);

#endif
