/* cmd/check/outputs.h - prof-check's lines for people, and its report */
#ifndef CMD_CHECK_OUTPUTS_H
#define CMD_CHECK_OUTPUTS_H

#include "cmd/check/report.h"
#include "cmd/common/cli.h"

struct output;

/* All zero until check_outputs_open, except for report_name and json. */
struct check_outputs {
	const char *report_name;	/* of --report, or NULL */
	bool json;			/* standard output is as the report */
	struct cli *cli;
	struct output *out, *report;	/* either may be NULL */
	struct buf text;
};

/* On failure the program's err is set and its output is the one that failed. */
enum prof_status check_outputs_open(struct check_outputs *, struct cli *);
enum prof_status check_outputs_put(struct check_outputs *,
    const struct check_result *);

/* Writes the sums, and closes both. */
enum prof_status check_outputs_close(struct check_outputs *,
    const uint64_t states[3]);

void check_outputs_free(struct check_outputs *);

#endif
