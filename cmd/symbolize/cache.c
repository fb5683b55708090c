#include "config.h"

#include "cmd/symbolize/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digits.h"
#include "base/error.h"
#include "io/output.h"
#include "io/read_at.h"

/* More addresses than any program has. */
enum { CACHE_MAX = 1 << 30 };

/* DIR/BUILD-ID.frames; the caller frees it. */
static char *
cache_path(const struct symbolize_cache *c, struct prof_span id)
{
	struct buf b = { 0 };

	buf_put(&b, c->dir, strlen(c->dir));
	buf_put(&b, "/", 1);
	digits_append_hex(&b, id);
	buf_put(&b, ".frames", sizeof(".frames"));
	if (b.failed)
		cli_out_of_memory(c->cli);
	return (char *)b.data;
}

/* The program works without a cache, but not without memory. */
static void
cache_warn(const struct symbolize_cache *c, const char *path,
    const struct prof_error *why)
{
	struct prof_error e = { 0 };

	if (why->code == PROF_E_MEMORY)
		cli_out_of_memory(c->cli);
	err_set(&e, PROF_E_NONE, "cache %s: %s", path, why->reason);
	cli_warn(c->cli, &e);
}

/* Reads a file of frames, which is never compressed. */
static enum prof_status
cache_read_file(struct symbolize_cache *c, int fd, struct prof_span *bytes,
    struct prof_error *err)
{
	struct stat st;
	uint8_t *data;
	ssize_t n;

	if (fstat(fd, &st) != 0)
		return err_system(err, errno, "cannot read");
	if (!S_ISREG(st.st_mode))
		return err_set(err, PROF_E_FORMAT, "not a file");
	if (st.st_size == 0)
		return err_set(err, PROF_E_TRUNCATED, "the file is empty");
	if (st.st_size < 0 || st.st_size > CACHE_MAX)
		return err_set(err, PROF_E_LIMIT, "the file has more than %d "
		    "bytes", CACHE_MAX);
	data = arena_alloc(&c->arena, (size_t)st.st_size);
	if (data == NULL)
		return err_memory(err);
	n = read_at(fd, data, (size_t)st.st_size, 0);
	if (n < 0)
		return err_system(err, errno, "cannot read");
	*bytes = (struct prof_span){ data, (size_t)n };
	return PROF_OK;
}

static enum prof_status
cache_read(struct symbolize_cache *c, const char *path,
    struct prof_span *bytes, struct prof_error *err)
{
	/* O_NONBLOCK: the open of a FIFO without a writer must not block. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	enum prof_status status;

	if (fd == -1)
		return err_system(err, errno, "cannot open");
	status = cache_read_file(c, fd, bytes, err);
	close(fd);
	return status;
}

struct prof_span
symbolize_cache_load(void *arg, struct prof_span id)
{
	struct symbolize_cache *c = arg;
	struct prof_span bytes = { NULL, 0 };
	struct prof_error err = { 0 };
	char *path = cache_path(c, id);

	if (access(path, F_OK) == 0 &&
	    cache_read(c, path, &bytes, &err) != PROF_OK)
		cache_warn(c, path, &err);
	free(path);
	return bytes;
}

/* Whether a pipe or the like is there, which would be written in its place. */
static bool
cache_is_no_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

void
symbolize_cache_save(void *arg, struct prof_span id, const struct buf *bytes)
{
	struct symbolize_cache *c = arg;
	struct prof_error err = { 0 };
	char *path = cache_path(c, id);
	struct output *out = NULL;
	int e;

	/* The load has warned of it. */
	if (cache_is_no_file(path)) {
		free(path);
		return;
	}
	if (mkdir(c->dir, 0777) == 0 || errno == EEXIST)
		out = output_open(path, true, &err);
	else
		err_system(&err, errno, "folder");
	if (out != NULL) {
		e = output_write(out, bytes->data, bytes->size);
		if (e != 0) {
			err_system(&err, e, "write");
			output_discard(out);
		} else
			output_commit(out, &err);
	}
	if (err.code != PROF_E_NONE)
		cache_warn(c, path, &err);
	free(path);
}
