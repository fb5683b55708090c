/* cmd/cat/members.h - what profraw-cat does with an input but decode it */
#ifndef CMD_CAT_MEMBERS_H
#define CMD_CAT_MEMBERS_H

#include "cmd/common/cli.h"

struct cat {
	struct cli *cli;
	bool scan;			/* for profiles inside of it */
	bool list, json;		/* what it is, a line each */
	uint64_t found;			/* profiles, by scanning */
	bool salvaged;			/* an input was damaged */
};

/* A cli_take with the struct cat as its argument. */
cli_take cat_take;

#endif
