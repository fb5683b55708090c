/* cmd/common/cleanup.h - temporary files go when the program ends */
#ifndef CMD_COMMON_CLEANUP_H
#define CMD_COMMON_CLEANUP_H

/*
 * From now on, temporary files that have names are removed when the program
 * exits, and when a signal ends it.  Signals that were ignored stay so.
 */
void cli_cleanup_at_end(void);

/* Blocks these signals, and lets them come again: one section at a time. */
void cli_signals_block(void);
void cli_signals_unblock(void);

#endif
