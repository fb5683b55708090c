/* cmd/common/read.h - the records of one reader, as programs get them */
#ifndef CMD_COMMON_READ_H
#define CMD_COMMON_READ_H

#include "cmd/common/pipeline.h"

/*
 * Calls the function with each record, retargeted if the output needs that.
 * The source of a profile names its file and member; functions are counted for
 * progress and for the report.
 */
enum prof_status cli_read_records(struct cli *, struct prof_reader *,
    cli_record *, void *arg);

/* What an image has to pass. */
struct cli_image_check {
	cli_check *check;		/* at the end of profiles, or NULL */
	void *arg;			/* of check */
	bool merges;			/* inputs have to be fit for a sum */
	unsigned merge_rules;		/* enum merge_check_rule, if so */
};

/*
 * Whether an image can be used: by its decoder, the retargeter, and the check.
 * The records are added to the tally.  Prints nothing.
 */
enum prof_status cli_check_image(struct cli *, struct prof_span image,
    const struct cli_image_check *, struct cli_tally *);

#endif
