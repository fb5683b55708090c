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
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "io/read_at.h"
#include "io/same_file.h"
#include "io/scratch.h"

/*
 * The first names beside an output are the same in each run, so that a run
 * finds what a killed one has left.
 */
enum { TEMPORARIES = 16, TRIES = 100, NUMBERED = 16, SWEPT = 4,
    TAG_DIGITS = 8 };

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

const char *
temporary_folder(void)
{
	const char *dir = getenv("TMPDIR");

	return dir == NULL || *dir == '\0' ? "/tmp" : dir;
}

static int
temporary_open_in(const char *folder, mode_t mode)
{
	if (always_named) {
		errno = EOPNOTSUPP;
		return -1;
	}
	return open(folder, O_TMPFILE | O_CLOEXEC | O_RDWR, mode);
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
	int fd = temporary_open_in(temporary_folder(), 0600);

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

/* Sets the i-th of the names that a temporary file may have. */
static void
temporary_set_tag(struct temporary *t, unsigned i)
{
	char *tag = t->path + strlen(t->path) - TAG_DIGITS;
	struct timespec now;

	if (i >= NUMBERED) {
		clock_gettime(CLOCK_REALTIME, &now);
		i ^= (unsigned)now.tv_nsec ^ (unsigned)getpid() << 16;
	}
	snprintf(tag, TAG_DIGITS + 1, "%08x", i);
}

static bool
temporary_is_at(int fd, const char *path)
{
	struct stat open, there;

	return fstat(fd, &open) == 0 && lstat(path, &there) == 0 &&
	    S_ISREG(open.st_mode) && same_file(&open, &there);
}

/*
 * Removes a file that was left behind: a program that is alive holds a lock on
 * its own.  Returns whether nothing is there.
 */
static bool
temporary_remove_stale(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK |
	    O_NOCTTY);
	bool gone;

	if (fd < 0)
		return errno == ENOENT;
	gone = flock(fd, LOCK_EX | LOCK_NB) == 0 &&
	    temporary_is_at(fd, path) && unlink(path) == 0;
	close(fd);
	return gone;
}

/* Removes files left behind, and sets the path to the first free name. */
static void
temporary_sweep(struct temporary *t)
{
	unsigned first = NUMBERED;

	for (unsigned i = 0; i < SWEPT || (i < NUMBERED && first == NUMBERED);
	    i++) {
		temporary_set_tag(t, i);
		if (temporary_remove_stale(t->path) && first == NUMBERED)
			first = i;
	}
	temporary_set_tag(t, first);
	t->tag = first;
}

/*
 * Creates the file under its path.  EEXIST too if another program has taken it
 * for one left behind, before it was locked.
 */
static int
temporary_create_named(struct temporary *t, mode_t mode)
{
	int fd = open(t->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);

	if (fd < 0)
		return errno;
	if ((flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) ||
	    !temporary_is_at(fd, t->path)) {
		close(fd);
		return EEXIST;
	}
	t->fd = fd;
	return 0;
}

/*
 * Creates the file, or links the file that is open.  Signals are blocked until
 * the name is in the table, so that no handler runs between the two.
 */
static int
temporary_name(struct temporary *t, mode_t mode)
{
	sigset_t all, old;
	int error = EEXIST;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	for (unsigned i = t->tag; i < t->tag + TRIES && error == EEXIST; i++) {
		if (i != t->tag)
			temporary_set_tag(t, i);
		error = t->fd >= 0 ? temporary_link_as(t, t->path) :
		    temporary_create_named(t, mode);
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
	char link[32];
	int error = 0;

	*t = (struct temporary){ .fd = -1, .path = malloc(size) };
	if (t->path == NULL)
		return ENOMEM;
	snprintf(t->path, size, "%.*s.", (int)folder, target);
	t->fd = temporary_open_in(t->path, mode);
	/*
	 * Whether the file without a name can be linked later: that takes
	 * /proc, since AT_EMPTY_PATH is for privileged programs only in most
	 * kernels.
	 */
	snprintf(link, sizeof(link), "/proc/self/fd/%d", t->fd);
	if (t->fd >= 0 && access(link, F_OK) != 0) {
		close(t->fd);
		t->fd = -1;
	}
	if (t->fd >= 0)
		flock(t->fd, LOCK_EX | LOCK_NB);
	snprintf(t->path, size, "%.*s.%.200s.00000000", (int)folder, target,
	    target + folder);
	temporary_sweep(t);
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

int
temporary_publish(struct temporary *t, const char *target)
{
	int error = 0;

	/* Not all file systems know renameat2, and not all have hard links. */
	if (!t->named)
		error = temporary_link_as(t, target);
	else if (renameat2(AT_FDCWD, t->path, AT_FDCWD, target,
	    RENAME_NOREPLACE) != 0) {
		error = errno;
		if (error == EINVAL || error == ENOSYS)
			error = link(t->path, target) != 0 ? errno : 0;
		if (error == 0)
			unlink(t->path);
	}
	if (error == 0)
		temporary_release(t);
	return error;
}

void
temporary_release(struct temporary *t)
{
	for (size_t i = 0; t->named && i < TEMPORARIES; i++) {
		char *it = t->path;

		atomic_compare_exchange_strong(&temporaries[i], &it, NULL);
	}
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
	const char *name = path + path_folder_size(path);
	size_t size = strlen(name), tag = TAG_DIGITS + 1;

	return *name == '.' && size > tag + 1 && name[size - tag] == '.' &&
	    strspn(name + size - TAG_DIGITS, "0123456789abcdef") == TAG_DIGITS;
}

ssize_t
read_at(int fd, void *data, size_t size, off_t offset)
{
	char *to = data;
	size_t got = 0;

	while (got < size) {
		ssize_t n = pread(fd, to + got, size - got, offset +
		    (off_t)got);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		got += (size_t)n;
	}
	return (ssize_t)got;
}

struct scratch_file {
	struct scratch_files *files;
	int fd;
};

void *
scratch_create(void *arg, struct prof_error *err)
{
	struct scratch_files *s = arg;
	struct scratch_file *f = calloc(1, sizeof(*f));

	if (f == NULL) {
		err_memory(err);
		return NULL;
	}
	f->files = s;
	f->fd = temporary_open();
	if (f->fd >= 0)
		return f;
	s->failed = true;
	err_system(err, errno, "cannot make a temporary file");
	free(f);
	return NULL;
}

int
scratch_append(void *arg, const void *data, size_t size)
{
	const struct scratch_file *f = arg;
	const char *p = data;

	while (size != 0) {
		ssize_t n = write(f->fd, p, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			f->files->failed = true;
			return errno;
		}
		p += n;
		size -= (size_t)n;
	}
	return 0;
}

enum prof_status
scratch_rewind(void *arg, struct prof_error *err)
{
	const struct scratch_file *f = arg;

	if (lseek(f->fd, 0, SEEK_SET) == 0)
		return PROF_OK;
	f->files->failed = true;
	return err_system(err, errno, "cannot seek in a temporary file");
}

ssize_t
scratch_pull(void *arg, void *data, size_t size)
{
	const struct scratch_file *f = arg;
	ssize_t n;

	do
		n = read(f->fd, data, size);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		f->files->failed = true;
	return n;
}

int
scratch_read_at(void *arg, uint64_t offset, void *data, size_t size)
{
	const struct scratch_file *f = arg;
	ssize_t n = read_at(f->fd, data, size, (off_t)offset);

	if (n >= 0 && (size_t)n == size)
		return 0;
	f->files->failed = true;
	return n < 0 ? errno : EIO;
}

void
scratch_close(void *arg)
{
	struct scratch_file *f = arg;

	close(f->fd);
	free(f);
}

int
scratch_write(void *arg, const void *data, size_t size)
{
	struct scratch_files *s = arg;
	struct prof_error err = { 0 };

	if (s->one == NULL)
		s->one = scratch_create(s, &err);
	if (s->one == NULL)
		return errno == 0 ? ENOMEM : errno;
	return scratch_append(s->one, data, size);
}

int
scratch_read(void *arg, uint64_t offset, void *data, size_t size)
{
	const struct scratch_files *s = arg;

	return scratch_read_at(s->one, offset, data, size);
}

void
scratch_finish(struct scratch_files *s)
{
	if (s->one != NULL)
		scratch_close(s->one);
	s->one = NULL;
}
