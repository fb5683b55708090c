#include "config.h"

#include "cmd/common/process.h"

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

static void
cleanup_on_signal(int number)
{
	temporary_remove_all();
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

#ifdef SANDBOX
#include <limits.h>
#include <linux/landlock.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "io/output.h"

/* Later than the headers of some distributions: Linux 6.2, 6.7 and 6.12. */
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif
enum { NETWORK_TCP = 3 /* bind, connect */, SCOPE_ALL = 3 /* signals ... */ };

/*
 * struct landlock_ruleset_attr of Linux 6.12.  Older kernels take it if the
 * members that they do not know are 0.
 */
struct sandbox_rules {
	uint64_t files, network, scoped;
};

/* To write files, and to make and remove them, in the folder of an output. */
static const uint64_t written = LANDLOCK_ACCESS_FS_WRITE_FILE |
    LANDLOCK_ACCESS_FS_TRUNCATE;
static const uint64_t replaced = LANDLOCK_ACCESS_FS_MAKE_REG |
    LANDLOCK_ACCESS_FS_REMOVE_FILE;
static const uint64_t in_folder = LANDLOCK_ACCESS_FS_WRITE_FILE |
    LANDLOCK_ACCESS_FS_TRUNCATE | LANDLOCK_ACCESS_FS_MAKE_REG |
    LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_SYM |
    LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_REMOVE_DIR;
static const uint64_t never = LANDLOCK_ACCESS_FS_EXECUTE |
    LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
    LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO;

/* The rules for a kernel of this version of Landlock, which has as many. */
static struct sandbox_rules
sandbox_rules_of(long version, unsigned flags)
{
	struct sandbox_rules r = { .files = in_folder | never };

	if (version >= 2)
		r.files |= LANDLOCK_ACCESS_FS_REFER;
	if (version < 3)
		r.files &= ~LANDLOCK_ACCESS_FS_TRUNCATE;
	if (flags & SANDBOX_REMOVE)
		r.files &= ~(uint64_t)LANDLOCK_ACCESS_FS_REMOVE_FILE;
	if (flags & SANDBOX_WRITE)
		r.files &= ~(written | replaced);
	if (version >= 4 && !(flags & SANDBOX_NETWORK))
		r.network = NETWORK_TCP;
	if (version >= 6)
		r.scoped = SCOPE_ALL;
	return r;
}

/* A path that the kernel does not look up needs no rule: a pipe in /proc. */
static void
sandbox_allow(struct sandbox *s, int fd, uint64_t rights)
{
	const struct landlock_path_beneath_attr rule = {
		.allowed_access = rights & s->handled, .parent_fd = fd
	};

	if (rule.allowed_access != 0 && syscall(SYS_landlock_add_rule,
	    s->rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0 &&
	    errno != EBADFD)
		s->failed = true;
	close(fd);
}

void
sandbox_allow_folder(struct sandbox *s, const char *folder)
{
	char path[PATH_MAX];
	size_t size = strlen(folder);
	int fd = -1;

	if (s->rules < 0 || size >= sizeof(path))
		return;
	memcpy(path, folder, size + 1);
	while (size != 0 && (fd = open(path, O_PATH | O_DIRECTORY |
	    O_CLOEXEC)) < 0 && errno == ENOENT) {
		while (size > 1 && path[size - 1] == '/')
			path[--size] = '\0';
		size = path_folder_size(path);
		path[size] = '\0';
	}
	if (size == 0)
		fd = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		sandbox_allow(s, fd, in_folder);
	else if (errno != ENOTDIR)
		s->failed = true;
}

void
sandbox_allow_output(struct sandbox *s, const char *path)
{
	char target[PATH_MAX];
	struct stat st;
	bool there;
	int fd;

	if (s->rules < 0 || path == NULL || strcmp(path, "-") == 0)
		return;
	there = stat(path, &st) == 0;
	if (!there || S_ISREG(st.st_mode)) {
		if (output_resolve(path, target) != 0)
			return;
		target[path_folder_size(target)] = '\0';
		sandbox_allow_folder(s, target);
	} else if (!S_ISDIR(st.st_mode)) {
		fd = open(path, O_PATH | O_CLOEXEC);
		if (fd >= 0)
			sandbox_allow(s, fd, written);
		else
			s->failed = true;
	}
}

/* The folder of libdebuginfod, as debuginfod_find_debuginfo(3) has it. */
static void
sandbox_allow_cache(struct sandbox *s)
{
	const char *cache = getenv("DEBUGINFOD_CACHE_PATH");
	const char *home = getenv("HOME"), *xdg = getenv("XDG_CACHE_HOME");
	char path[PATH_MAX];
	int n;

	if (cache != NULL && *cache != '\0') {
		sandbox_allow_folder(s, cache);
		return;
	}
	if (home == NULL)
		home = "/";
	n = snprintf(path, sizeof(path), "%s/.debuginfod_client_cache", home);
	if (n > 0 && (size_t)n < sizeof(path) && access(path, F_OK) != 0)
		n = xdg != NULL && *xdg != '\0' ? snprintf(path, sizeof(path),
		    "%s/debuginfod_client", xdg) : snprintf(path, sizeof(path),
		    "%s/.cache/debuginfod_client", home);
	if (n > 0 && (size_t)n < sizeof(path))
		sandbox_allow_folder(s, path);
}

/* Whoever sets the environment can run any program in place of this one. */
static bool
sandbox_is_off(void)
{
	const char *word = getenv("PROFTOOLS_SANDBOX");

	return word != NULL && strcmp(word, "off") == 0;
}

void
sandbox_prepare(struct sandbox *s, unsigned flags)
{
	struct sandbox_rules r;
	long version;

	*s = (struct sandbox){ .rules = -1 };
	if (sandbox_is_off())
		return;
	version = syscall(SYS_landlock_create_ruleset, NULL, 0,
	    LANDLOCK_CREATE_RULESET_VERSION);
	if (version < 1)
		return;
	r = sandbox_rules_of(version, flags);
	s->handled = r.files;
	s->rules = (int)syscall(SYS_landlock_create_ruleset, &r, sizeof(r), 0);
	if (flags & SANDBOX_NETWORK)
		sandbox_allow_cache(s);
}

void
sandbox_enter(const struct sandbox *s)
{
	if (s->rules < 0)
		return;
	if (!s->failed && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
		syscall(SYS_landlock_restrict_self, s->rules, 0);
	close(s->rules);
}
#else
void
sandbox_prepare(struct sandbox *s, unsigned flags)
{
	(void)s;
	(void)flags;
}

void
sandbox_allow_output(struct sandbox *s, const char *path)
{
	(void)s;
	(void)path;
}

void
sandbox_allow_folder(struct sandbox *s, const char *folder)
{
	(void)s;
	(void)folder;
}

void
sandbox_enter(const struct sandbox *s)
{
	(void)s;
}
#endif
