#include "config.h"

#include "cmd/symbolize/cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digits.h"
#include "base/error.h"
#include "io/input.h"
#include "io/output.h"

/* More addresses than any program has. */
#define CACHE_MAX ((uint64_t)1 << 30)

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

static enum prof_status
cache_read(struct symbolize_cache *c, const char *path,
    struct prof_span *bytes, struct prof_error *err)
{
	struct input *in = input_open(path, CACHE_MAX, NULL, err);
	enum prof_status status = in == NULL ? PROF_FAIL : PROF_OK;
	struct input_member m;
	struct prof_span image;

	if (status == PROF_OK)
		status = input_next(in, &m, err);
	if (status == PROF_OK)
		status = input_image(in, &image, err);
	if (status == PROF_OK) {
		*bytes = arena_copy(&c->arena, image);
		if (bytes->data == NULL)
			status = err_memory(err);
	}
	input_close(in);
	return status == PROF_END ? err_set(err, PROF_E_TRUNCATED,
	    "the file is empty") : status;
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

void
symbolize_cache_save(void *arg, struct prof_span id, const struct buf *bytes)
{
	struct symbolize_cache *c = arg;
	struct prof_error err = { 0 };
	char *path = cache_path(c, id);
	struct output *out = NULL;
	int e;

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
