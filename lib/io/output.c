#include "config.h"

#include "io/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"

/* PIPE: size requested for pipes, so that both ends run without waiting. */
enum { BUFFER = 1 << 18, DIRECT = 1 << 15, PIPE = 1 << 20, TEMPORARIES = 16,
	MAX_LINKS = 40, TRIES = 100 };

/* Paths of temporary files, which the signal handler removes. */
static _Atomic(char *) temporaries[TEMPORARIES];

struct output {
	int fd;
	int error;		/* the first one, an errno value */
	char *temporary;	/* NULL if the file is written as it is */
	bool replaces;		/* `old` is of the replaced file */
	bool keep_times;	/* set the times of `old` */
	struct stat old;
	size_t used;
	uint8_t buffer[BUFFER];
	char target[PATH_MAX];
};

void
output_cleanup_on_signal(void)
{
	for (size_t i = 0; i < TEMPORARIES; i++) {
		const char *path = atomic_load(&temporaries[i]);

		if (path != NULL)
			unlink(path);
	}
}

static bool
cleanup_remember(char *path)
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
cleanup_forget(char *path)
{
	for (size_t i = 0; i < TEMPORARIES; i++) {
		char *it = path;

		atomic_compare_exchange_strong(&temporaries[i], &it, NULL);
	}
}

static int
output_wait(int fd)
{
	struct pollfd ready = { .fd = fd, .events = POLLOUT };

	return poll(&ready, 1, -1) < 0 && errno != EINTR ? errno : 0;
}

/* 0 or an errno value, which all later calls return too. */
static int
output_write_buffer(struct output *o, const uint8_t *data, size_t size)
{
	while (size > 0 && o->error == 0) {
		ssize_t n = write(o->fd, data, size);

		if (n >= 0) {
			data += n;
			size -= (size_t)n;
		} else if (errno == EAGAIN) {
			/* Another process set O_NONBLOCK on the shared file. */
			o->error = output_wait(o->fd);
		} else if (errno != EINTR) {
			o->error = errno;
		}
	}
	return o->error;
}

int
output_flush(struct output *o)
{
	size_t size = o->used;

	o->used = 0;
	return output_write_buffer(o, o->buffer, size);
}

int
output_write(void *output, const void *data, size_t size)
{
	struct output *o = output;

	if ((size > BUFFER - o->used || size >= DIRECT) &&
	    output_flush(o) != 0)
		return o->error;
	if (size >= DIRECT)
		return output_write_buffer(o, data, size);
	if (size > 0)
		memcpy(o->buffer + o->used, data, size);
	o->used += size;
	return o->error;
}

/* Length of the folder part of a path, with its slash. */
static size_t
path_folder_size(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL ? 0 : (size_t)(slash + 1 - path);
}

/*
 * Follows symbolic links, whose target may not exist yet (so no realpath).
 * Only those in the last part of the path: the kernel follows the others.
 */
static int
path_follow_links(char target[PATH_MAX])
{
	char to[PATH_MAX];

	for (int i = 0; i < MAX_LINKS; i++) {
		ssize_t n = readlink(target, to, sizeof(to));
		size_t folder;

		if (n < 0)
			return errno == EINVAL || errno == ENOENT ? 0 : errno;
		folder = to[0] == '/' ? 0 : path_folder_size(target);
		if ((size_t)n >= PATH_MAX - folder)
			return ENAMETOOLONG;
		memcpy(target + folder, to, (size_t)n);
		target[folder + (size_t)n] = '\0';
	}
	return ELOOP;
}

/* Blocks signals until the file is in the table of temporary files. */
static int
output_create_file(char *path, mode_t mode)
{
	sigset_t all, old;
	int fd, error;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	error = errno;
	if (fd >= 0 && !cleanup_remember(path)) {
		unlink(path);
		close(fd);
		fd = -1;
		error = EMFILE;
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	errno = error;
	return fd;
}

/*
 * Creates ".NAME.XXXXXXXX" beside the target.  A file that will replace another
 * has mode 0600 until it gets the mode of the replaced one.
 */
static enum prof_status
output_create_temporary(struct output *o, struct prof_error *err)
{
	size_t folder = path_folder_size(o->target), size = strlen(o->target) +
	    16;
	const char *name = o->target + folder;
	mode_t mode = o->replaces ? 0600 : 0666;
	struct timespec now;

	if (*name == '\0')
		return err_system(err, folder == 0 ? ENOENT : EISDIR,
		    "cannot open");
	if ((o->temporary = malloc(size)) == NULL)
		return err_memory(err);
	clock_gettime(CLOCK_REALTIME, &now);
	for (unsigned i = 0; i < TRIES; i++) {
		unsigned tag = (unsigned)now.tv_nsec ^
		    (unsigned)getpid() << 16 ^ i;

		snprintf(o->temporary, size, "%.*s.%.200s.%08x", (int)folder,
		    o->target, name, tag);
		o->fd = output_create_file(o->temporary, mode);
		if (o->fd >= 0)
			return PROF_OK;
		if (errno != EEXIST)
			break;
	}
	err_system(err, errno, "cannot create a file beside it");
	free(o->temporary);
	o->temporary = NULL;
	return PROF_FAIL;
}

static bool
output_is_stdout(const struct stat *st)
{
	struct stat out;

	return fstat(STDOUT_FILENO, &out) == 0 && out.st_dev == st->st_dev &&
	    out.st_ino == st->st_ino;
}

static enum prof_status
output_open_target(struct output *o, const char *path, struct prof_error *err)
{
	size_t size = strlen(path) + 1;
	int error;

	o->replaces = stat(path, &o->old) == 0;
	if (!o->replaces && errno != ENOENT)
		return err_system(err, errno, "cannot open");
	/* Standard output by another name, such as /dev/stdout. */
	if (o->replaces && output_is_stdout(&o->old)) {
		o->fd = STDOUT_FILENO;
		return PROF_OK;
	}
	if (o->replaces && !S_ISREG(o->old.st_mode)) {
		o->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
		return o->fd >= 0 ? PROF_OK :
		    err_system(err, errno, "cannot open");
	}
	if (size > PATH_MAX)
		return err_system(err, ENAMETOOLONG, "cannot open");
	memcpy(o->target, path, size);
	error = path_follow_links(o->target);
	if (error != 0)
		return err_system(err, error, "cannot open");
	return output_create_temporary(o, err);
}

/* The system may refuse, or grant a smaller size. */
static void
output_widen_pipe(int fd)
{
#ifdef F_SETPIPE_SZ
	struct stat st;

	if (fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode) &&
	    fcntl(fd, F_GETPIPE_SZ) < PIPE)
		fcntl(fd, F_SETPIPE_SZ, PIPE);
#else
	(void)fd;
#endif
}

struct output *
output_open(const char *path, bool binary, struct prof_error *err)
{
	struct output *o = malloc(sizeof(*o));

	if (o == NULL) {
		err_memory(err);
		return NULL;
	}
	memset(o, 0, offsetof(struct output, buffer));
	o->fd = STDOUT_FILENO;
	if (path != NULL && strcmp(path, "-") != 0 &&
	    output_open_target(o, path, err) != PROF_OK) {
		free(o);
		return NULL;
	}
	if (binary && isatty(o->fd)) {
		err_set(err, PROF_E_UNSUPPORTED,
		    "refusing to write binary data to a terminal");
		output_discard(o);
		return NULL;
	}
	output_widen_pipe(o->fd);
	return o;
}

/*
 * Sets owner and group of the replaced file where the system permits.  If the
 * group cannot be set, the rights of the group are removed.
 */
static int
output_set_mode(const struct output *o)
{
	const struct stat *old = &o->old;
	mode_t mode = old->st_mode & 0777;

	if (!o->replaces)
		return 0;
	if (fchown(o->fd, old->st_uid, old->st_gid) != 0 &&
	    fchown(o->fd, (uid_t)-1, old->st_gid) != 0)
		mode &= 0707;
	return fchmod(o->fd, mode);
}

/* EINVAL means that the file system cannot sync, which is no failure. */
static int
output_sync_file(int fd)
{
	return fsync(fd) != 0 && errno != EINVAL ? -1 : 0;
}

static int
output_sync_folder(const struct output *o)
{
	size_t size = path_folder_size(o->target);
	char folder[PATH_MAX];
	int fd, error;

	memcpy(folder, size == 0 ? "." : o->target, size == 0 ? 1 : size);
	folder[size == 0 ? 1 : size] = '\0';
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	error = output_sync_file(fd) == 0 ? 0 : errno;
	close(fd);
	errno = error;
	return error == 0 ? 0 : -1;
}

static int
output_close_file(struct output *o)
{
	int fd = o->fd;

	o->fd = -1;
	/* Linux closes the file even if close fails with EINTR. */
	return close(fd) != 0 && errno != EINTR ? -1 : 0;
}

/* Both return the name of the step that failed, or NULL. */
static const char *
output_name_temporary(struct output *o)
{
	const struct timespec times[] = { o->old.st_atim, o->old.st_mtim };

	if (output_set_mode(o) != 0)
		return "cannot set the mode";
	if (o->keep_times && futimens(o->fd, times) != 0)
		return "cannot set the times";
	return output_sync_file(o->fd) != 0 ? "cannot sync" : NULL;
}

static const char *
output_close(struct output *o)
{
	const char *failure = NULL;

	if (o->fd < 0)
		return NULL;
	errno = output_flush(o);
	/* The message of output_write for bytes that were buffered. */
	if (errno != 0)
		return "write";
	if (o->temporary != NULL)
		failure = output_name_temporary(o);
	if (failure != NULL)
		return failure;
	return output_close_file(o) != 0 ? "write" : NULL;
}

static const char *
output_finish_bytes(struct output *o)
{
	const char *failure = output_close(o);

	if (failure != NULL || o->temporary == NULL)
		return failure;
	if (rename(o->temporary, o->target) != 0)
		return "cannot rename the new file";
	cleanup_forget(o->temporary);
	free(o->temporary);
	o->temporary = NULL;
	return output_sync_folder(o) != 0 ? "cannot sync the folder" : NULL;
}

static void
output_free(struct output *o)
{
	if (o->fd > STDOUT_FILENO)
		close(o->fd);
	if (o->temporary != NULL) {
		unlink(o->temporary);
		cleanup_forget(o->temporary);
		free(o->temporary);
	}
	free(o);
}

void
output_like(struct output *o, const struct stat *st, bool times)
{
	/* The temporary file must not be readable by more users. */
	if (o->temporary != NULL && !o->replaces)
		fchmod(o->fd, 0600);
	o->replaces = true;
	o->old = *st;
	o->keep_times = times;
}

const char *
output_target(const struct output *o)
{
	return o->temporary == NULL ? NULL : o->target;
}

enum prof_status
output_finish_name(struct output *o, struct prof_error *err)
{
	const char *failure = output_close(o);

	return failure == NULL ? PROF_OK : err_system(err, errno, failure);
}

enum prof_status
output_commit(struct output *o, struct prof_error *err)
{
	const char *failure = output_finish_bytes(o);

	if (failure != NULL)
		err_system(err, errno, failure);
	output_free(o);
	return failure == NULL ? PROF_OK : PROF_FAIL;
}

void
output_discard(struct output *o)
{
	if (o == NULL)
		return;
	if (o->temporary == NULL)
		output_flush(o);
	output_free(o);
}
