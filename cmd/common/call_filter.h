/* cmd/common/call_filter.h - system calls that no program here needs */
#ifndef CMD_COMMON_CALL_FILTER_H
#define CMD_COMMON_CALL_FILTER_H

#include <stdbool.h>

/*
 * Refuses, with EPERM, system calls that start programs or processes, look into
 * others, configure the system or use interfaces of the kernel that have no
 * other filter; and sockets, unless the network is needed.  Threads may be
 * created.  Needs PR_SET_NO_NEW_PRIVS; without seccomp nothing happens.
 */
void call_filter_enter(bool network);

#endif
