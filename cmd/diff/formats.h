/* cmd/diff/formats.h - the formats of prof-diff's output */
#ifndef CMD_DIFF_FORMATS_H
#define CMD_DIFF_FORMATS_H

#include "cmd/compare/compare.h"

void diff_markdown(struct buf *, const struct diff *);

#endif
