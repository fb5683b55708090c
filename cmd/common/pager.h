/*
 * cmd/common/pager.h - $PAGER between the program and the terminal
 *
 * As git has it: the pager gets standard output, and standard error if that is
 * a terminal too.  The program waits for the pager before it exits, and before
 * a signal ends it, so that the shell does not take the terminal away from the
 * pager.
 */
#ifndef CMD_COMMON_PAGER_H
#define CMD_COMMON_PAGER_H

/*
 * Starts $PAGER, or less(1) if there is no such variable, with LESS=FRX and
 * LV=-c unless these are set.  An empty PAGER and cat are no pager.  Without
 * such a program, the text goes to the terminal itself.  Called once, before
 * the sandbox, which refuses to start programs.
 */
void pager_start(void);

#endif
