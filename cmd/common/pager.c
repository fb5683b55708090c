#include "config.h"

#include "cmd/common/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/common/cleanup.h"

extern char **environ;

static pid_t pager;

/*
 * Gives the pager the end of its input and waits until the user leaves it.  A
 * handler of signals calls it too.
 */
static void
pager_wait(void)
{
	if (pager == 0)
		return;
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		continue;
	pager = 0;
}

static void
pager_wait_at_exit(void)
{
	if (pager != 0)
		fflush(stdout);
	pager_wait();
}

static const char *
pager_command(void)
{
	const char *command = getenv("PAGER");

	if (command == NULL)
		return "less";
	return *command == '\0' || strcmp(command, "cat") == 0 ? NULL :
	    command;
}

/*
 * Starts the command with its standard input in fd.  A single word is no matter
 * for a shell: without one, posix_spawnp tells if there is no such program.
 */
static bool
pager_spawn(const char *command, int fd)
{
	bool is_word = strpbrk(command, "|&;<>()$`\\\"' \t\n*?[#~=%") == NULL;
	char shell[] = "/bin/sh", option[] = "-c", *line = strdup(command);
	char *words[] = { shell, option, line, NULL };
	posix_spawn_file_actions_t files;
	int e;

	if (line == NULL)
		return false;
	e = posix_spawn_file_actions_init(&files);
	if (e == 0) {
		e = posix_spawn_file_actions_adddup2(&files, fd, STDIN_FILENO);
		if (e == 0)
			e = posix_spawnp(&pager, is_word ? line : shell,
			    &files, NULL, is_word ? words + 2 : words, environ);
		posix_spawn_file_actions_destroy(&files);
	}
	free(line);
	return e == 0;
}

void
pager_start(void)
{
	const char *command = pager_command();
	bool errors = isatty(STDERR_FILENO) != 0;
	int ends[2];

	if (command == NULL || pipe2(ends, O_CLOEXEC) != 0)
		return;
	if (setenv("LESS", "FRX", 0) == 0 && setenv("LV", "-c", 0) == 0 &&
	    pager_spawn(command, ends[0])) {
		dup2(ends[1], STDOUT_FILENO);
		if (errors)
			dup2(ends[1], STDERR_FILENO);
		cli_cleanup_also(pager_wait);
		(void)atexit(pager_wait_at_exit);
	} else
		pager = 0;
	close(ends[0]);
	close(ends[1]);
}
