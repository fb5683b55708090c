#include "config.h"

#include "io/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TEMPORARIES = 16, TRIES = 100, TAG_DIGITS = 8 };

/* Paths of named temporary files, which a signal handler removes. */
static _Atomic(char *) temporaries[TEMPORARIES];

static bool always_named;

void
temporary_use_names(bool names)
{
	always_named = names;
}

void
temporary_remove_all(void)
{
	for (size_t i = 0; i < TEMPORARIES; i++) {
		const char *path = atomic_load(&temporaries[i]);

		if (path != NULL)
			unlink(path);
	}
}

static bool
temporary_register(char *path)
{
	for (size_t i = 0; i < TEMPORARIES; i++) {
		char *none = NULL;

		if (atomic_compare_exchange_strong(&temporaries[i], &none,
		    path))
			return true;
	}
	return false;
}

static void
temporary_unregister(char *path)
{
	for (size_t i = 0; i < TEMPORARIES; i++) {
		char *it = path;

		atomic_compare_exchange_strong(&temporaries[i], &it, NULL);
	}
}

const char *
temporary_folder(void)
{
	const char *dir = getenv("TMPDIR");

	return dir == NULL || *dir == '\0' ? "/tmp" : dir;
}

/*
 * Whether a file without a name can be linked later: that takes /proc, since
 * AT_EMPTY_PATH is for privileged programs only in most kernels.
 */
static bool
temporary_can_link(int fd)
{
	char link[32];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	return access(link, F_OK) == 0;
}

static int
temporary_open_in(const char *folder, int flags, mode_t mode)
{
	if (always_named) {
		errno = EOPNOTSUPP;
		return -1;
	}
	return open(folder, O_TMPFILE | O_CLOEXEC | flags, mode);
}

/* For file systems without O_TMPFILE. */
static int
temporary_open_unlinked(void)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/proftools-XXXXXX",
	    temporary_folder());
	sigset_t all, old;
	int fd, error;

	if (n < 0 || (size_t)n >= sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	fd = mkostemp(path, O_CLOEXEC);
	error = errno;
	if (fd >= 0)
		unlink(path);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	errno = error;
	return fd;
}

int
temporary_open(void)
{
	int fd = temporary_open_in(temporary_folder(), O_RDWR, 0600);

	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR ||
	    errno == EINVAL || errno == ENOENT))
		fd = temporary_open_unlinked();
	return fd;
}

size_t
path_folder_size(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL ? 0 : (size_t)(slash + 1 - path);
}

static int
temporary_link_as(const struct temporary *t, const char *path)
{
	char link[32];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", t->fd);
	return linkat(AT_FDCWD, link, AT_FDCWD, path, AT_SYMLINK_FOLLOW) ==
	    0 ? 0 : errno;
}

/* Creates the file under its path, or links the file that is open there. */
static int
temporary_take_name(struct temporary *t, mode_t mode)
{
	if (t->fd >= 0)
		return temporary_link_as(t, t->path);
	t->fd = open(t->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	return t->fd < 0 ? errno : 0;
}

/*
 * Signals are blocked until the name is in the table, so that no handler runs
 * between the two.
 */
static int
temporary_name(struct temporary *t, mode_t mode)
{
	char *tag = t->path + strlen(t->path) - TAG_DIGITS;
	unsigned first = (unsigned)strtoul(tag, NULL, 16);
	sigset_t all, old;
	int error = EEXIST;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	for (unsigned i = 0; i < TRIES && error == EEXIST; i++) {
		snprintf(tag, TAG_DIGITS + 1, "%08x", first ^ i);
		error = temporary_take_name(t, mode);
	}
	t->named = error == 0 && temporary_register(t->path);
	if (error == 0 && !t->named) {
		unlink(t->path);
		error = EMFILE;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return error;
}

int
temporary_create(struct temporary *t, const char *target, mode_t mode)
{
	size_t folder = path_folder_size(target), size = strlen(target) + 16;
	struct timespec now;
	int error = 0;

	*t = (struct temporary){ .fd = -1, .path = malloc(size) };
	if (t->path == NULL)
		return ENOMEM;
	snprintf(t->path, size, "%.*s.", (int)folder, target);
	t->fd = temporary_open_in(t->path, O_WRONLY, mode);
	if (t->fd >= 0 && !temporary_can_link(t->fd)) {
		close(t->fd);
		t->fd = -1;
	}
	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(t->path, size, "%.*s.%.200s.%08x", (int)folder, target,
	    target + folder, (unsigned)now.tv_nsec ^ (unsigned)getpid() << 16);
	if (t->fd < 0)
		error = temporary_name(t, mode);
	if (error == 0)
		return 0;
	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
	temporary_release(t);
	return error;
}

int
temporary_link(struct temporary *t)
{
	return t->named ? 0 : temporary_name(t, 0);
}

/* Not all file systems know renameat2, and not all have hard links. */
static int
temporary_rename_new(const char *from, const char *to)
{
	if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return errno;
	if (link(from, to) != 0)
		return errno;
	unlink(from);
	return 0;
}

int
temporary_publish(struct temporary *t, const char *target)
{
	int error = t->named ? temporary_rename_new(t->path, target) :
	    temporary_link_as(t, target);

	if (error == 0)
		temporary_release(t);
	return error;
}

void
temporary_release(struct temporary *t)
{
	if (t->named)
		temporary_unregister(t->path);
	free(t->path);
	t->path = NULL;
	t->named = false;
}

void
temporary_discard(struct temporary *t)
{
	if (t->named)
		unlink(t->path);
	temporary_release(t);
}

bool
temporary_is_name(const char *path)
{
	static const char record[] = ".consumed";
	const char *name = path + path_folder_size(path);
	size_t size = strlen(name), tag = TAG_DIGITS + 1;

	if (*name != '.')
		return false;
	if (size > sizeof(record) &&
	    strcmp(name + size - (sizeof(record) - 1), record) == 0)
		return true;
	return size > tag + 1 && name[size - tag] == '.' &&
	    strspn(name + size - TAG_DIGITS, "0123456789abcdef") == TAG_DIGITS;
}
