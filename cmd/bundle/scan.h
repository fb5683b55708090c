/* cmd/bundle/scan.h - the first of two readings: the profiles of all inputs */
#ifndef CMD_BUNDLE_SCAN_H
#define CMD_BUNDLE_SCAN_H

#include "cmd/bundle/bundle.h"
#include "cmd/bundle/set.h"

/*
 * Adds the profiles of all inputs to the set, with the labels of the options.
 * A bad one ends the scan or is left out (cmd/common/damage.h).  `own`: the
 * first input is the bundle to add to.
 */
enum prof_status bundle_scan(struct cli *, const struct bundle_options *,
    bool own, struct bundle_set *);

#endif
