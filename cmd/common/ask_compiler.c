#include "config.h"

#include "cmd/common/ask_compiler.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmd/common/cli.h"
#include "model/compilers.h"

enum { BANNER_SIZE = 4096, ASK_SECONDS = 10, ASK_SLICE = 20 /* ms */ };

extern char **environ;

/* Programs that run the compiler whose name follows theirs. */
static const char *const launchers[] = {
	"ccache", "distcc", "icecc", "sccache"
};

static bool
ask_is_launcher(const char *word)
{
	const char *slash = strrchr(word, '/');

	for (size_t i = 0; i < sizeof(launchers) / sizeof(*launchers); i++) {
		if (strcmp(slash == NULL ? word : slash + 1,
		    launchers[i]) == 0)
			return true;
	}
	return false;
}

static bool
ask_is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	    access(path, X_OK) == 0;
}

/* Finds a program as a shell does; false if there is none. */
static bool
ask_find(const char *word, size_t size, char path[PATH_MAX])
{
	const char *folder = getenv("PATH");

	if (size == 0 || size >= PATH_MAX)
		return false;
	if (memchr(word, '/', size) != NULL) {
		memcpy(path, word, size);
		path[size] = '\0';
		return ask_is_program(path);
	}
	for (; folder != NULL; folder = strchr(folder, ':')) {
		size_t n = strcspn(folder += *folder == ':', ":");

		/* An empty folder would be the one that one is in. */
		if (n == 0 || n + 1 + size >= PATH_MAX)
			continue;
		memcpy(path, folder, n);
		path[n] = '/';
		memcpy(path + n + 1, word, size);
		path[n + 1 + size] = '\0';
		if (ask_is_program(path))
			return true;
	}
	return false;
}

/* The program among the words of $CC: the first that is no launcher. */
static bool
ask_find_compiler(const char *command, char path[PATH_MAX])
{
	bool launched = true;

	/* A path may have spaces in it. */
	if (strchr(command, '/') != NULL &&
	    ask_find(command, strlen(command), path))
		return true;
	while (launched) {
		size_t size;

		command += strspn(command, " \t");
		size = strcspn(command, " \t");
		if (!ask_find(command, size, path))
			return false;
		command += size;
		launched = ask_is_launcher(path);
	}
	return true;
}

static int64_t
ask_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Whether the child has ended; it can still be waited for. */
static bool
ask_has_ended(pid_t pid)
{
	siginfo_t info = { 0 };

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) ==
	    0 && info.si_pid == pid;
}

/*
 * Waits until there are bytes to read or the end of them.  False if there is
 * neither before the time is over, or after the child's end: what it started
 * may hold the pipe open for ever.
 */
static bool
ask_wait(int fd, pid_t pid, int64_t end)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	bool ended = false;

	while (p.revents == 0 && !ended && ask_now() < end) {
		ended = ask_has_ended(pid);
		if (poll(&p, 1, ended ? 0 : ASK_SLICE) < 0 && errno != EINTR)
			return false;
	}
	return p.revents != 0;
}

/* Reads up to the end, or as much as fits in, before the time is over. */
static void
ask_read(int fd, pid_t pid, char banner[BANNER_SIZE])
{
	int64_t end = ask_now() + ASK_SECONDS * 1000;
	size_t size = 0;

	while (size < BANNER_SIZE - 1 && ask_wait(fd, pid, end)) {
		ssize_t n = read(fd, banner + size, BANNER_SIZE - 1 - size);

		if (n == 0 || (n < 0 && errno != EINTR))
			break;
		size += n > 0 ? (size_t)n : 0;
	}
	banner[size] = '\0';
}

/* The environment with LC_ALL=C; freed by the caller.  NULL: no memory. */
static char **
ask_environment(void)
{
	static char locale[] = "LC_ALL=C";
	size_t n = 0, kept = 0;
	char **copy;

	while (environ[n] != NULL)
		n++;
	copy = calloc(n + 2, sizeof(*copy));
	if (copy == NULL)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		if (strncmp(environ[i], "LC_ALL=", 7) != 0)
			copy[kept++] = environ[i];
	}
	copy[kept] = locale;
	return copy;
}

/*
 * Starts the program with its output in fd.  It leads a process group, so that
 * what it starts can be ended with it.
 */
static int
ask_spawn(pid_t *pid, char *path, int fd, char **environment)
{
	static char option[] = "--version";
	char *arguments[] = { path, option, NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t how;
	int e = posix_spawn_file_actions_init(&files);

	if (e != 0)
		return e;
	e = posix_spawnattr_init(&how);
	if (e == 0) {
		posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP);
		posix_spawnattr_setpgroup(&how, 0);
		e = posix_spawn_file_actions_addopen(&files, STDIN_FILENO,
		    "/dev/null", O_RDONLY, 0);
		if (e == 0)
			e = posix_spawn_file_actions_addopen(&files,
			    STDERR_FILENO, "/dev/null", O_WRONLY, 0);
		if (e == 0)
			e = posix_spawn_file_actions_adddup2(&files, fd,
			    STDOUT_FILENO);
		if (e == 0)
			e = posix_spawn(pid, path, &files, &how, arguments,
			    environment);
		posix_spawnattr_destroy(&how);
	}
	posix_spawn_file_actions_destroy(&files);
	return e;
}

/* What the program prints; 0 or an errno. */
static int
ask_version(char *path, char banner[BANNER_SIZE])
{
	char **environment = ask_environment();
	int ends[2], e;
	pid_t pid;

	if (environment == NULL)
		return ENOMEM;
	e = pipe2(ends, O_CLOEXEC) != 0 ? errno : 0;
	if (e == 0) {
		e = ask_spawn(&pid, path, ends[1], environment);
		close(ends[1]);
		if (e == 0) {
			ask_read(ends[0], pid, banner);
			kill(-pid, SIGKILL);
			while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
				continue;
		}
		close(ends[0]);
	}
	free(environment);
	return e;
}

const struct llvm_release *
cli_ask_compiler(const struct cli *c, const char *command)
{
	const struct llvm_release *r;
	char path[PATH_MAX], banner[BANNER_SIZE] = "";
	int e;

	if (!ask_find_compiler(command, path))
		return NULL;
	e = ask_version(path, banner);
	if (e != 0)
		cli_usage_error(c, "%s --version: %s", path, strerror(e));
	r = compiler_of_banner(banner);
	banner[strcspn(banner, "\n")] = '\0';
	if (r == NULL)
		cli_usage_error(c, "%s --version does not name a known release "
		    "of clang, rustc or Swift: '%s'", path, banner);
	return r;
}
