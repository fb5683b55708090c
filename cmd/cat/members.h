/* cmd/cat/members.h - what profraw-cat does with an input but decode it */
#ifndef CMD_CAT_MEMBERS_H
#define CMD_CAT_MEMBERS_H

#include "cmd/common/pipeline.h"

struct cat {
	struct cli *cli;
	bool scan;			/* for profiles inside of it */
	bool list, json;		/* what it is, a line each */
	uint64_t found;			/* profiles, by scanning */
	bool salvaged;			/* an input was damaged */
	bool output_failed;		/* err of the cli is not about input */
};

/* Scans or lists all inputs; of scans, the output is open. */
enum prof_status cat_read_members(struct cat *);

#endif
