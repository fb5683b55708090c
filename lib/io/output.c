#include "config.h"

#include "io/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "io/archive_write.h"
#include "io/same_file.h"
#include "io/temporary.h"

/* PIPE: size requested for pipes, so that both ends run without waiting. */
enum { BUFFER = 1 << 18, DIRECT = 1 << 15, PIPE = 1 << 20, MAX_LINKS = 40 };

struct output {
	int fd;
	int lock;		/* keeps that of the closed file, or -1 */
	int error;		/* the first one, an errno value */
	bool finished;		/* all bytes are written and synced */
	bool exclusive;		/* replaces nothing */
	struct temporary new;	/* path NULL: the file is written as it is */
	struct archive_writer *compressor;	/* in front of the buffer */
	struct prof_error failure;	/* of the compressor */
	bool replaces;		/* `old` is of the replaced file */
	bool keep_times;	/* set the times of `old` */
	struct stat old;
	size_t used;
	uint8_t buffer[BUFFER];
	char target[PATH_MAX];
};

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
			struct pollfd ready = { .fd = o->fd,
			    .events = POLLOUT };

			/* Another process set O_NONBLOCK on the shared file. */
			if (poll(&ready, 1, -1) < 0 && errno != EINTR)
				o->error = errno;
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

/* A prof_sink: bytes as they stand in the file. */
static int
output_put(void *output, const void *data, size_t size)
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

int
output_write(void *output, const void *data, size_t size)
{
	struct output *o = output;

	return o->compressor == NULL ? output_put(o, data, size) :
	    compressor_put(o->compressor, data, size);
}

int
output_error(const struct output *o)
{
	return o->error;
}

enum prof_status
output_compress(struct output *o, enum packing packing, struct prof_error *err)
{
	o->compressor = compressor_new(packing, output_put, o, &o->failure);
	if (o->compressor == NULL)
		*err = o->failure;
	return o->compressor == NULL ? PROF_FAIL : PROF_OK;
}

/* Writes what the compressor holds.  0 or an errno value. */
static int
output_end_compression(struct output *o)
{
	struct archive_writer *c = o->compressor;
	enum prof_status status = archive_writer_finish(c);

	o->compressor = NULL;
	archive_writer_free(c);
	if (status == PROF_OK)
		return 0;
	return o->error != 0 ? o->error : o->failure.code == PROF_E_MEMORY ?
	    ENOMEM : EIO;
}

/*
 * Follows symbolic links, whose target may not exist yet (so no realpath).
 * Only those in the last part of the path: the kernel follows the others.
 */
int
output_resolve(const char *path, char target[PATH_MAX])
{
	size_t size = strlen(path) + 1;
	char to[PATH_MAX];

	if (size > PATH_MAX)
		return ENAMETOOLONG;
	memcpy(target, path, size);
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

/*
 * A file that will replace another has mode 0600 until it gets the mode of the
 * replaced one.
 */
static enum prof_status
output_create_temporary(struct output *o, struct prof_error *err)
{
	size_t folder = path_folder_size(o->target);
	int error;

	if (o->target[folder] == '\0')
		return err_system(err, folder == 0 ? ENOENT : EISDIR,
		    "cannot open");
	error = temporary_create(&o->new, o->target, o->replaces ? 0600 :
	    0666);
	o->fd = o->new.fd;
	if (error == ENOMEM)
		return err_memory(err);
	return error == 0 ? PROF_OK : err_system(err, error,
	    "cannot create a file in its folder");
}

static enum prof_status
output_open_target(struct output *o, const char *path, struct prof_error *err)
{
	struct stat out;
	int error;

	o->replaces = stat(path, &o->old) == 0;
	if (!o->replaces && errno != ENOENT)
		return err_system(err, errno, "cannot open");
	/* Standard output by another name, such as /dev/stdout. */
	if (o->replaces && fstat(STDOUT_FILENO, &out) == 0 &&
	    same_file(&out, &o->old)) {
		o->fd = STDOUT_FILENO;
		return PROF_OK;
	}
	if (o->replaces && !S_ISREG(o->old.st_mode)) {
		o->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
		return o->fd >= 0 ? PROF_OK :
		    err_system(err, errno, "cannot open");
	}
	error = output_resolve(path, o->target);
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
	o->lock = -1;
	if (path != NULL && strcmp(path, "-") != 0 &&
	    output_open_target(o, path, err) != PROF_OK) {
		free(o);
		return NULL;
	}
	if (binary && isatty(o->fd)) {
		err_set(err, PROF_E_UNSUPPORTED,
		    "refusing to write to a terminal: name a file with -o");
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

int
output_sync_file(int fd)
{
	return fsync(fd) != 0 && errno != EINVAL ? -1 : 0;
}

int
output_sync_folder(const char *path)
{
	size_t size = path_folder_size(path);
	char folder[PATH_MAX];
	int fd, error;

	if (size >= PATH_MAX) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(folder, size == 0 ? "." : path, size == 0 ? 1 : size);
	folder[size == 0 ? 1 : size] = '\0';
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	error = output_sync_file(fd) == 0 ? 0 : errno;
	close(fd);
	errno = error;
	return error == 0 ? 0 : -1;
}

/* Standard output is the process's: of it, a copy is closed. */
static int
output_close_file(struct output *o)
{
	int fd = o->fd == STDOUT_FILENO ? dup(o->fd) : o->fd;

	o->fd = -1;
	/* Linux closes the file even if close fails with EINTR. */
	return close(fd) != 0 && errno != EINTR ? -1 : 0;
}

/* The next two return the name of the step that failed, or NULL. */
static const char *
output_finish_bytes(struct output *o)
{
	const struct timespec times[] = { o->old.st_atim, o->old.st_mtim };
	const char *failure = NULL;

	if (o->finished)
		return NULL;
	errno = o->compressor == NULL ? 0 : output_end_compression(o);
	if (errno == 0)
		errno = output_flush(o);
	/* The message of output_write for bytes that were buffered. */
	if (errno != 0)
		return "write";
	if (o->new.path != NULL)
		failure = output_set_mode(o) != 0 ? "cannot set the mode" :
		    o->keep_times && futimens(o->fd, times) != 0 ?
		    "cannot set the times" :
		    output_sync_file(o->fd) != 0 ? "cannot sync" : NULL;
	else if (output_close_file(o) != 0)
		failure = "write";
	o->finished = failure == NULL;
	return failure;
}

/* Where nothing is, the file needs no other name before. */
static const char *
output_rename(struct output *o)
{
	const char *failure = output_finish_bytes(o);

	if (failure != NULL || o->new.path == NULL)
		return failure;
	if (!o->new.named && !o->replaces &&
	    temporary_publish(&o->new, o->target) == 0)
		return NULL;
	/* The file keeps its lock: others would take it for one left behind. */
	if (o->fd >= 0) {
		errno = temporary_link(&o->new);
		if (errno != 0)
			return "cannot name the new file";
		o->lock = fcntl(o->fd, F_DUPFD_CLOEXEC, 0);
		if (output_close_file(o) != 0)
			return "write";
	}
	if (rename(o->new.path, o->target) != 0)
		return "cannot rename the new file";
	temporary_release(&o->new);
	return NULL;
}

static void
output_free(struct output *o)
{
	if (o->compressor != NULL)
		archive_writer_free(o->compressor);
	if (o->new.path != NULL)
		temporary_discard(&o->new);
	if (o->lock >= 0)
		close(o->lock);
	if (o->fd > STDOUT_FILENO)
		close(o->fd);
	free(o);
}

void
output_like(struct output *o, const struct stat *st, bool times)
{
	/* The temporary file must not be readable by more users. */
	if (o->new.path != NULL && !o->replaces)
		fchmod(o->fd, 0600);
	o->replaces = true;
	o->old = *st;
	o->keep_times = times;
}

const char *
output_target(const struct output *o)
{
	return o->new.path == NULL ? NULL : o->target;
}

static enum prof_status
err_output(struct prof_error *err, const char *failure)
{
	return failure == NULL ? PROF_OK : err_system(err, errno, failure);
}

enum prof_status
output_finish(struct output *o, struct prof_error *err)
{
	return err_output(err, output_finish_bytes(o));
}

bool
output_new_file(const struct output *o, struct stat *st)
{
	return o->new.path != NULL && fstat(o->fd, st) == 0;
}

enum prof_status
output_commit(struct output *o, struct prof_error *err)
{
	bool is_file = o->new.path != NULL;
	const char *failure = o->exclusive ? output_finish_bytes(o) :
	    output_rename(o);
	enum prof_status status;

	if (failure == NULL && o->exclusive) {
		errno = temporary_publish(&o->new, o->target);
		failure = errno == 0 ? NULL : "cannot create";
	}
	if (failure == NULL && is_file && output_sync_folder(o->target) != 0)
		failure = "the new file is in place, but its folder cannot be "
		    "synced";
	status = err_output(err, failure);
	output_free(o);
	return status;
}

enum prof_status
output_commit_exclusive(struct output *o, struct prof_error *err)
{
	o->exclusive = true;
	return output_commit(o, err);
}

void
output_discard(struct output *o)
{
	if (o == NULL)
		return;
	if (o->new.path == NULL && (o->compressor == NULL ||
	    output_end_compression(o) == 0))
		output_flush(o);
	output_free(o);
}
