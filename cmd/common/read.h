/* cmd/common/read.h - what reading has in common, by one thread or by several */
#ifndef CMD_COMMON_READ_H
#define CMD_COMMON_READ_H

#include "cmd/common/cli.h"

/*
 * Whether an image can be used: what its decoder, the retargeter and c->check
 * say.  What it comes to goes into the tally.  Nothing is told of it.
 */
enum prof_status cli_check_image(struct cli *, struct prof_span image,
    struct cli_tally *);

#endif
