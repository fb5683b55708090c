/* cmd/cat/scan.h - profraw-cat --scan */
#ifndef CMD_CAT_SCAN_H
#define CMD_CAT_SCAN_H

#include "cmd/common/pipeline.h"

struct cat {
	struct cli *cli;
	bool scan;			/* --scan */
	uint64_t found;			/* profiles, by scanning */
	bool output_failed;		/* err of the cli is about the output */
};

/* Scans all inputs; the output is open. */
enum prof_status cat_scan_inputs(struct cat *);

#endif
