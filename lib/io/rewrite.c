#include "config.h"

#include "io/rewrite.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"
#include "io/backup.h"

enum prof_status
rewrite_open(struct rewrite *w, const char *path, struct prof_error *err)
{
	/* A pipe must not keep us waiting. */
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

enum prof_status
rewrite_bytes(const struct rewrite *w, off_t at, uint8_t *to, size_t size,
    size_t *got, struct prof_error *err)
{
	for (*got = 0; *got < size; ) {
		ssize_t n = pread(w->fd, to + *got, size - *got,
		    at + (off_t)*got);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_system(err, errno, "cannot read");
		if (n == 0)
			break;
		*got += (size_t)n;
	}
	return PROF_OK;
}

enum prof_status
rewrite_start(const struct rewrite *w, uint8_t bytes[8], size_t *size,
    struct prof_error *err)
{
	return rewrite_bytes(w, 0, bytes, 8, size, err);
}

enum prof_status
rewrite_read(struct rewrite *w, struct buf *memory, struct prof_error *err)
{
	size_t size = (size_t)w->st.st_size, got;
	uint8_t *to;

	if ((uint64_t)w->st.st_size > SIZE_MAX)
		return err_set(err, PROF_E_LIMIT,
		    "%llu bytes exceed the memory",
		    (unsigned long long)w->st.st_size);
	memory->size = 0;
	to = buf_reserve(memory, size);
	if (to == NULL)
		return err_memory(err);
	if (rewrite_bytes(w, 0, to, size, &got, err) != PROF_OK)
		return PROF_FAIL;
	if (got != size)
		return err_at(err, PROF_E_TRUNCATED, got, "it was cut to %zu "
		    "bytes while it was read", got);
	memory->size = size;
	w->image = (struct prof_span){ to, size };
	return PROF_OK;
}

struct output *
rewrite_output(const struct rewrite *w, struct prof_error *err)
{
	return output_open(w->path, false, err);
}

/* Somebody else may have written it, or taken it away, in the meantime. */
static enum prof_status
check_unchanged(const struct rewrite *w, const char *path,
    struct prof_error *err)
{
	const struct stat *old = &w->st;
	struct stat now;

	if (path == NULL || stat(path, &now) != 0)
		return err_set(err, PROF_E_SYSTEM, "it is gone");
	if (now.st_dev != old->st_dev || now.st_ino != old->st_ino ||
	    now.st_size != old->st_size ||
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
	if (output_finish_name(o, err) != PROF_OK ||
	    check_unchanged(w, path, err) != PROF_OK ||
	    (options->backup != NULL && backup_make(&backup, w, path,
	    options->backup, err) != PROF_OK)) {
		output_discard(o);
		return PROF_FAIL;
	}
	status = output_commit(o, err);
	/* What fails last is that the folder is synced. */
	if (status == PROF_FAIL && check_unchanged(w, w->path,
	    &(struct prof_error){ 0 }) == PROF_OK)
		backup_undo(&backup);
	return status;
}

void
rewrite_close(struct rewrite *w)
{
	close(w->fd);
}
