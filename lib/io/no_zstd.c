/* In place of zstd.c in a build --without-zstd. */
#include "config.h"

#include <errno.h>

#include "base/error.h"
#include "io/zstd.h"

struct zstd_reader *
zstd_reader_new(prof_pull *pull, void *arg, struct prof_error *err)
{
	(void)pull;
	(void)arg;
	err_not_built(err, "libzstd", "reads zstd files");
	return NULL;
}

ssize_t
zstd_reader_pull(void *reader, void *data, size_t size)
{
	(void)reader;
	(void)data;
	(void)size;
	return -1;
}

void
zstd_reader_free(void *reader)
{
	(void)reader;
}

struct zstd_writer *
zstd_writer_new(prof_sink *sink, void *arg, struct prof_error *err)
{
	(void)sink;
	(void)arg;
	err_not_built(err, "libzstd", "writes zstd files");
	return NULL;
}

int
zstd_writer_put(struct zstd_writer *w, const void *data, size_t size)
{
	(void)w;
	(void)data;
	(void)size;
	return ENOSYS;
}

int
zstd_writer_finish(struct zstd_writer *w)
{
	(void)w;
	return ENOSYS;
}

void
zstd_writer_free(struct zstd_writer *w)
{
	(void)w;
}
