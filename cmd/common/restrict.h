/* cmd/common/restrict.h - the sandbox of a program, from what it will write */
#ifndef CMD_COMMON_RESTRICT_H
#define CMD_COMMON_RESTRICT_H

#include <stdbool.h>

struct cli;

/* Where a program writes, beside its output and its report. */
struct cli_writes {
	const char *file;		/* one more output, or NULL */
	const char *folder;		/* one of outputs, or NULL */
	bool temporaries;		/* in $TMPDIR */
	bool replaces;			/* the inputs */
	bool removes;			/* inputs */
	bool servers;			/* asks debuginfod, which has a cache */
};

/*
 * Enters the sandbox: called when output, report and inputs are known, before
 * any of them is opened.  The cli_writes may be NULL.  With --fetch there is no
 * sandbox.
 */
void cli_restrict(const struct cli *, const struct cli_writes *);

#endif
