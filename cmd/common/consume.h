/*
 * cmd/common/consume.h - --consume: inputs are removed after the output is written
 *
 * What is removed is what was read: a file that is another one by then, or has
 * changed, stays and is told of.  A run that is killed leaves an input behind
 * rather than losing one.
 */
#ifndef CMD_COMMON_CONSUME_H
#define CMD_COMMON_CONSUME_H

#include <sys/stat.h>

#include "prof.h"

struct cli;
struct consume;

/* Exits if there is no output to put in the place of inputs. */
void cli_consume_begin(struct cli *);

/*
 * The input at hand was used, all of it.  What is remembered of it goes to an
 * unlinked file, for there may be millions.
 */
enum prof_status cli_consume_note(struct cli *, const struct stat *,
    struct prof_error *);

/* The output is durable: removes what was noted; false if some of it stays. */
bool cli_consume_end(struct cli *);

void cli_consume_free(struct consume *);	/* NULL is fine */

#endif
