#include "config.h"

#include "cmd/common/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/common/cli.h"
#include "io/temporary.h"

/*
 * The signals that end a program from outside.  Those of its own defects, such
 * as SIGSEGV, belong to debuggers and sanitizers.
 */
static const int signals[] = {
	SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2,
	SIGXCPU, SIGVTALRM, SIGPROF, SIGIO,
#ifdef SIGPWR
	SIGPWR,
#endif
};

enum { SIGNALS = sizeof(signals) / sizeof(signals[0]) };

static void (*volatile cleanup_also)(void);

void
cli_cleanup_also(void (*function)(void))
{
	cleanup_also = function;
}

static void
cleanup_on_signal(int number)
{
	temporary_remove_all();
	if (cleanup_also != NULL)
		cleanup_also();
	signal(number, SIG_DFL);
	raise(number);
}

static bool ended;

static void
cleanup_exit_of_library(void)
{
	if (ended)
		return;
	fflush(NULL);
	_exit(CLI_TROUBLE);
}

void
cli_expect_end(void)
{
	(void)atexit(cleanup_exit_of_library);
}

void
cli_reach_end(void)
{
	ended = true;
}

/*
 * Gives numbers 0 to 2 to /dev/null where the caller closed them: an output
 * with number 2 would have the messages in it.  Reading and writing still fail.
 */
static void
cleanup_fill_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDOUT_FILENO + 1; fd++) {
		if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
			continue;
		if (open("/dev/null", fd == STDIN_FILENO ? O_WRONLY :
		    O_RDONLY) != fd)
			_exit(CLI_TROUBLE);
	}
}

/*
 * SIGXFSZ is ignored: beyond the size that setrlimit(2) allows, a write fails
 * with EFBIG then, and the message names the file.
 */
void
cli_cleanup_at_end(void)
{
	cleanup_fill_descriptors();
	signal(SIGXFSZ, SIG_IGN);
	/* Without memory for it, a signal still removes the files. */
	(void)atexit(temporary_remove_all);
	for (size_t i = 0; i < SIGNALS; i++) {
		if (signal(signals[i], cleanup_on_signal) == SIG_IGN)
			signal(signals[i], SIG_IGN);
	}
}
