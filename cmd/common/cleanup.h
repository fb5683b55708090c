/* cmd/common/cleanup.h - temporary files go when the program ends */
#ifndef CMD_COMMON_CLEANUP_H
#define CMD_COMMON_CLEANUP_H

/*
 * From now on, temporary files that have names are removed when the program
 * exits, and when a signal ends it.  Signals that were ignored stay so.  To be
 * called before any file is opened: none gets a number of the standard streams,
 * even if the caller closed these.
 */
void cli_cleanup_at_end(void);

/*
 * Calls the function, too, before a signal ends the program: with only what a
 * handler of signals may call.  There is one such function.
 */
void cli_cleanup_also(void (*)(void));

/*
 * libarchive and libdw call exit(1) when they are out of memory, and 1 is the
 * status of an answer here: from cli_expect_end until cli_reach_end, every exit
 * is one with CLI_TROUBLE.
 */
void cli_expect_end(void);
void cli_reach_end(void);

#endif
