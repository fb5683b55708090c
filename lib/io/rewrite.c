#include "config.h"

#include "io/rewrite.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/error.h"
#include "io/read_at.h"
#include "io/same_file.h"

/* Blocks are on the stack, which may be small. */
enum { BLOCK = 1 << 13 };

enum prof_status
rewrite_open(struct rewrite *w, const char *path, struct prof_error *err)
{
	/* O_NONBLOCK: the open of a FIFO without a writer must not block. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return err_system(err, errno, "cannot open");
	*w = (struct rewrite){ .path = path, .fd = fd };
	if (fstat(fd, &w->st) != 0)
		err_system(err, errno, "cannot open");
	else if (!S_ISREG(w->st.st_mode))
		err_set(err, PROF_E_UNSUPPORTED, "not a regular file");
	else
		return PROF_OK;
	rewrite_close(w);
	return PROF_FAIL;
}

/*
 * Reads size bytes at an offset of the file and returns their number, which is
 * less than size only at the end of the file; -1 if the file cannot be read.
 */
static ssize_t
rewrite_bytes(const struct rewrite *w, off_t at, uint8_t *to, size_t size,
    struct prof_error *err)
{
	ssize_t n = read_at(w->fd, to, size, at);

	if (n < 0)
		err_system(err, errno, "cannot read");
	return n;
}

enum prof_status
rewrite_start(const struct rewrite *w, uint8_t bytes[8], size_t *size,
    struct prof_error *err)
{
	ssize_t n = rewrite_bytes(w, 0, bytes, 8, err);

	*size = n < 0 ? 0 : (size_t)n;
	return n < 0 ? PROF_FAIL : PROF_OK;
}

enum prof_status
rewrite_read(struct rewrite *w, struct buf *memory, struct prof_error *err)
{
	size_t size = (size_t)w->st.st_size;
	ssize_t got;
	uint8_t *to;

	if ((uint64_t)w->st.st_size > SIZE_MAX / 2)
		return err_set(err, PROF_E_LIMIT,
		    "%llu bytes exceed the memory",
		    (unsigned long long)w->st.st_size);
	memory->size = 0;
	to = buf_reserve(memory, size);
	if (to == NULL)
		return err_memory(err);
	got = rewrite_bytes(w, 0, to, size, err);
	if (got < 0)
		return PROF_FAIL;
	if ((size_t)got != size)
		return err_at(err, PROF_E_TRUNCATED, (uint64_t)got, "it was "
		    "cut to %zd bytes while it was read", got);
	memory->size = size;
	w->image = (struct prof_span){ to, size };
	return PROF_OK;
}

/* The second name of the old file. */
struct backup {
	char path[PATH_MAX];
	bool made;		/* by this run; else it was there before */
};

static enum prof_status
backup_copy(const struct backup *b, const struct rewrite *read,
    struct prof_error *err)
{
	struct output *o = output_open(b->path, false, err);
	uint8_t block[BLOCK];
	ssize_t n = BLOCK;

	if (o == NULL)
		return PROF_FAIL;
	output_like(o, &read->st, true);
	for (off_t at = 0; n == BLOCK; at += BLOCK) {
		n = rewrite_bytes(read, at, block, BLOCK, err);
		/* output_commit reports the first failure to write. */
		if (n > 0)
			output_write(o, block, (size_t)n);
	}
	if (n >= 0)
		return output_commit(o, err);
	output_discard(o);
	return PROF_FAIL;
}

static bool
rewrite_same_bytes(const struct rewrite *a, const struct rewrite *b)
{
	struct prof_error why = { 0 };
	uint8_t one[BLOCK], other[BLOCK];
	ssize_t n = BLOCK;

	if (a->st.st_size != b->st.st_size)
		return false;
	for (off_t at = 0; n == BLOCK; at += BLOCK) {
		n = rewrite_bytes(a, at, one, BLOCK, &why);
		if (n < 0 || rewrite_bytes(b, at, other, BLOCK, &why) != n ||
		    memcmp(one, other, (size_t)n) != 0)
			return false;
	}
	return true;
}

static enum prof_status
backup_check_existing(const struct backup *b, const struct rewrite *read,
    const char *suffix, struct prof_error *err)
{
	struct prof_error why = { 0 };
	struct rewrite old;
	bool same = false;

	if (rewrite_open(&old, b->path, &why) == PROF_OK) {
		same = same_file(&old.st, &read->st) ||
		    rewrite_same_bytes(&old, read);
		rewrite_close(&old);
	}
	return same ? PROF_OK : err_set(err, PROF_E_UNSUPPORTED, "its backup "
	    "(%s) already exists, and is another file", suffix);
}

/*
 * Gives the file at path, which is the one that was read, a second name: path +
 * suffix, as a link, or as a copy where links cannot be made.
 */
static enum prof_status
backup_make(struct backup *b, const struct rewrite *read, const char *path,
    const char *suffix, struct prof_error *err)
{
	int n = snprintf(b->path, sizeof(b->path), "%s%s", path, suffix);

	b->made = false;
	if (n < 0 || (size_t)n >= sizeof(b->path))
		return err_system(err, ENAMETOOLONG, "cannot make a backup");
	b->made = link(path, b->path) == 0;
	if (b->made)
		return PROF_OK;
	switch (errno) {
	case EEXIST:
		return backup_check_existing(b, read, suffix, err);
	/* File systems without links, files of others, too many links. */
	case EPERM:
	case ENOTSUP:
	case ENOSYS:
	case EMLINK:
		b->made = backup_copy(b, read, err) == PROF_OK;
		return b->made ? PROF_OK : PROF_FAIL;
	default:
		return err_system(err, errno, "cannot make a backup");
	}
}

struct output *
rewrite_output(const struct rewrite *w, struct prof_error *err)
{
	return output_open(w->path, false, err);
}

/* Another program may have written or removed the file in the meantime. */
static enum prof_status
rewrite_check_unchanged(const struct rewrite *w, const char *path,
    struct prof_error *err)
{
	const struct stat *old = &w->st;
	struct stat now;

	if (path == NULL || stat(path, &now) != 0)
		return path == NULL || errno == ENOENT ?
		    err_set(err, PROF_E_SYSTEM, "it is gone") :
		    err_system(err, errno, "cannot find it again");
	if (!same_file(&now, old) || now.st_size != old->st_size ||
	    now.st_mtim.tv_sec != old->st_mtim.tv_sec ||
	    now.st_mtim.tv_nsec != old->st_mtim.tv_nsec)
		return err_set(err, PROF_E_SYSTEM, "it was changed by another "
		    "program in the meantime");
	return PROF_OK;
}

enum prof_status
rewrite_commit(const struct rewrite *w, struct output *o,
    const struct rewrite_options *options, struct prof_error *err)
{
	const char *path = output_target(o);
	struct backup backup = { .made = false };
	enum prof_status status;

	output_like(o, &w->st, options->times);
	status = output_finish(o, err);
	/*
	 * Of programs that replace the same file, one does so at a time.  The
	 * others fail and do not wait, since flock(1) may hold the lock and
	 * have started this program.  File systems without such locks fail
	 * with other errors.
	 */
	if (status == PROF_OK && flock(w->fd, LOCK_EX | LOCK_NB) != 0 &&
	    errno == EWOULDBLOCK)
		status = err_set(err, PROF_E_SYSTEM, "another program holds a "
		    "lock on it, or is replacing it");
	if (status != PROF_OK ||
	    rewrite_check_unchanged(w, path, err) != PROF_OK ||
	    (options->backup != NULL && backup_make(&backup, w, path,
	    options->backup, err) != PROF_OK)) {
		output_discard(o);
		return PROF_FAIL;
	}
	status = output_commit(o, err);
	/* After a failed sync of the folder, the new file may be in place. */
	if (status == PROF_FAIL && backup.made && rewrite_check_unchanged(w,
	    w->path, &(struct prof_error){ 0 }) == PROF_OK)
		unlink(backup.path);
	return status;
}

void
rewrite_close(struct rewrite *w)
{
	close(w->fd);
}
