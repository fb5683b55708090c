/* cmd/report/run.h - a report, from its inputs to its output */
#ifndef CMD_REPORT_RUN_H
#define CMD_REPORT_RUN_H

#include "cmd/common/cli.h"
#include "cmd/compare/limits.h"

struct report {
	const char *title;		/* NULL: the name of the file */
	bool svg;			/* the flame graph alone */
	const char **binaries;		/* with names of functions */
	size_t binaries_size;
	size_t limit;			/* functions, contexts; SIZE_MAX: all */
	/* Files that are compared; without a base, the inputs are read. */
	const char *base, *profile;
	struct diff_limits limits;	/* of the comparison */
};

/* Reads the inputs and writes the output. */
enum prof_status report_make(struct cli *, const struct report *);

#endif
