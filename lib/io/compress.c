#include "config.h"

#include "io/compress.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "io/libarchive.h"

struct compressor {
	struct archive *archive;	/* NULL: bytes stay as they are */
	prof_sink *sink;
	void *arg;
	int error;			/* of the sink, an errno value */
	bool given_up;
	struct prof_error *err;
};

static la_ssize_t
compress_put_bytes(struct archive *a, void *arg, const void *data, size_t size)
{
	struct compressor *c = arg;

	if (c->given_up)
		return (la_ssize_t)size;
	c->error = c->sink(c->arg, data, size);
	if (c->error == 0)
		return (la_ssize_t)size;
	la.archive_set_error(a, c->error, "the sink failed");
	return -1;
}

static enum prof_status
compress_fail(struct compressor *c)
{
	const char *text = la.archive_error_string(c->archive);

	if (c->error == 0 && (la.archive_errno(c->archive) == ENOMEM ||
	    err_memory_seen()))
		return err_memory(c->err);
	if (c->error != 0)
		return err_system(c->err, c->error, "cannot write");
	return err_set(c->err, PROF_E_SYSTEM, "cannot compress: %s",
	    text == NULL ? "libarchive failed" : text);
}

/* ARCHIVE_WARN means that libarchive would run an external program. */
static bool
compress_add_filter(struct archive *a, enum packing packing)
{
	static int (**const add[])(struct archive *) = {
		[PACKING_GZIP] = &la.archive_write_add_filter_gzip,
		[PACKING_BZIP2] = &la.archive_write_add_filter_bzip2,
		[PACKING_COMPRESS] = &la.archive_write_add_filter_compress,
		[PACKING_LZMA] = &la.archive_write_add_filter_lzma,
		[PACKING_XZ] = &la.archive_write_add_filter_xz,
		[PACKING_LZ4] = &la.archive_write_add_filter_lz4,
		[PACKING_ZSTD] = &la.archive_write_add_filter_zstd,
	};

#ifndef HAVE_ZSTD
	if (packing == PACKING_ZSTD)	/* no program could read it */
		return false;
#endif

	/* By default, gzip headers hold the time. */
	return (*add[packing])(a) == ARCHIVE_OK && (packing != PACKING_GZIP ||
	    la.archive_write_set_filter_option(a, "gzip", "timestamp", NULL) ==
	    ARCHIVE_OK);
}

/* libarchive's raw format is one member without any header. */
static bool
compress_begin(struct compressor *c)
{
	struct archive *a = c->archive;
	struct archive_entry *e = la.archive_entry_new();
	bool good = e != NULL;

	if (!good)
		return false;
	la.archive_entry_set_pathname(e, "archive");
	la.archive_entry_set_filetype(e, AE_IFREG);
	good = la.archive_write_set_format_raw(a) == ARCHIVE_OK &&
	    la.archive_write_set_bytes_in_last_block(a, 1) == ARCHIVE_OK &&
	    la.archive_write_open(a, c, NULL, compress_put_bytes, NULL) ==
	    ARCHIVE_OK && la.archive_write_header(a, e) == ARCHIVE_OK;
	la.archive_entry_free(e);
	return good;
}

struct compressor *
compressor_new(enum packing packing, prof_sink *sink, void *arg,
    struct prof_error *err)
{
	struct compressor *c = calloc(1, sizeof(*c));

	if (c == NULL) {
		err_memory(err);
		return NULL;
	}
	c->sink = sink;
	c->arg = arg;
	c->err = err;
	if (packing == PACKING_NONE)
		return c;
	if (libarchive_load(err) == PROF_OK) {
		err_memory_begin();
		c->archive = la.archive_write_new();
	}
	if (c->archive == NULL)
		err_memory(err);	/* which keeps an earlier failure */
	else if (!compress_add_filter(c->archive, packing))
		err_if_memory(err_set(err, PROF_E_UNSUPPORTED, "libarchive was "
		    "built without its compression"), err);
	else if (!compress_begin(c))
		compress_fail(c);
	else
		return c;
	compressor_free(c);
	return NULL;
}

int
compressor_put(void *compressor, const void *data, size_t size)
{
	struct compressor *c = compressor;

	if (c->archive == NULL)
		return c->sink(c->arg, data, size);
	if (la.archive_write_data(c->archive, data, size) == (la_ssize_t)size)
		return 0;
	return c->error != 0 ? c->error : ENOMEM;
}

enum prof_status
compressor_finish(struct compressor *c)
{
	return c->archive == NULL ||
	    la.archive_write_close(c->archive) == ARCHIVE_OK ? PROF_OK :
	    compress_fail(c);
}

/*
 * Frees without completing the output.  archive_write_fail is not used, since
 * libarchive 3.6 then leaks its filters.
 */
void
compressor_free(struct compressor *c)
{
	if (c == NULL)
		return;
	c->given_up = true;
	if (c->archive != NULL)
		la.archive_write_free(c->archive);
	free(c);
}
