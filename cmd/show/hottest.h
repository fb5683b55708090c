/* cmd/show/hottest.h - the hottest functions, below a summary for people */
#ifndef CMD_SHOW_HOTTEST_H
#define CMD_SHOW_HOTTEST_H

#include "cmd/show/show.h"
#include "model/summary.h"
#include "ops/top.h"

/* How many functions are kept: what the screen has room for, or ten. */
size_t show_hottest_limit(const struct terminal *);

/*
 * Appends a table of the functions, which are sorted by share, as far as the
 * screen has lines for it behind those that the text has since offset `from`;
 * of those that were never run, none.
 */
void show_hottest(struct buf *, size_t from, const struct show_style *,
    const struct top *, const struct summary_thresholds *);

#endif
