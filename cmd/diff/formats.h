/* cmd/diff/formats.h - the formats of prof-diff's output */
#ifndef CMD_DIFF_FORMATS_H
#define CMD_DIFF_FORMATS_H

#include "cmd/compare/compare.h"

/* A way to print the result; a row of the table of --format. */
struct diff_format {
	const char *word;		/* of --format */
	void (*put)(struct buf *, const struct diff *);
};

void diff_markdown(struct buf *, const struct diff *);

#endif
