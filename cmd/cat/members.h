/* cmd/cat/members.h - profraw-cat --scan and --list */
#ifndef CMD_CAT_MEMBERS_H
#define CMD_CAT_MEMBERS_H

#include "cmd/common/pipeline.h"

struct cat {
	struct cli *cli;
	bool scan;			/* --scan */
	bool list, json;		/* --list, --list --json */
	uint64_t found;			/* profiles, by scanning */
	bool output_failed;		/* err of the cli is about the output */
};

/* Scans or lists all inputs.  With --scan, the output must be open. */
enum prof_status cat_read_members(struct cat *);

#endif
