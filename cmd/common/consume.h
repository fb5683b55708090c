/*
 * cmd/common/consume.h - --consume: inputs are removed after the output is in
 * place
 *
 * Only a file that was read is removed: if another file has its name by then,
 * or it has changed, it stays and a message is printed.  A run that is killed
 * leaves an input behind rather than losing one.
 */
#ifndef CMD_COMMON_CONSUME_H
#define CMD_COMMON_CONSUME_H

#include <sys/stat.h>

#include "prof.h"

struct cli;
struct consume;

/* Exits if the output is not a file that replaces the inputs. */
void cli_consume_begin(struct cli *);

/*
 * Called when all of the current input was used.  Stores its path and state in
 * an unlinked file, since there may be millions of inputs.
 */
enum prof_status cli_consume_note(struct cli *, const struct stat *,
    struct prof_error *);

/* Removes the noted inputs once the output is synced; false if some stay. */
bool cli_consume_end(struct cli *);

void cli_consume_free(struct consume *);	/* NULL is fine */

#endif
