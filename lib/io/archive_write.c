#include "config.h"

#include "io/archive_write.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>

#include "base/error.h"
#include "io/libarchive.h"
#include "io/zstd_write.h"

struct archive_writer {
	struct archive *archive;
	struct archive_entry *entry;
	struct zstd_writer *zstd;	/* or NULL */
	prof_sink *sink;
	void *arg;
	int error;			/* of the sink, an errno value */
	bool aborted;			/* bytes from now on are dropped */
	struct prof_error *err;
	locale_t utf8;
};

static enum prof_status
archive_writer_fail(struct archive_writer *w)
{
	const char *text = la.archive_error_string(w->archive);

	if (w->error == ENOMEM || la.archive_errno(w->archive) == ENOMEM ||
	    (w->error == 0 && err_memory_seen()))
		return err_memory(w->err);
	if (w->error != 0)
		return err_system(w->err, w->error, "cannot write");
	return err_set(w->err, PROF_E_SYSTEM, "cannot write: %s",
	    text == NULL ? "libarchive failed" : text);
}

static la_ssize_t
archive_writer_put_bytes(struct archive *a, void *arg, const void *data,
    size_t size)
{
	struct archive_writer *w = arg;

	if (w->aborted)
		return (la_ssize_t)size;
	w->error = w->zstd == NULL ? w->sink(w->arg, data, size) :
	    zstd_writer_put(w->zstd, data, size);
	if (w->error == 0)
		return (la_ssize_t)size;
	la.archive_set_error(a, w->error, "the sink failed");
	return -1;
}

/*
 * xz: the dictionary of level 8 (32 MiB) holds two large raw profiles, so that
 * the bytes they share are stored once; that of level 6 (8 MiB) does not. gzip:
 * no time in the header, since output bytes depend on the members only.
 */
static int
archive_writer_set_packing(struct archive *a, enum packing packing)
{
	switch (packing) {
	case PACKING_GZIP:
		if (la.archive_write_add_filter_gzip(a) != ARCHIVE_OK)
			return ARCHIVE_FATAL;
		return la.archive_write_set_filter_option(a, "gzip",
		    "timestamp", NULL);
	case PACKING_XZ:
		if (la.archive_write_add_filter_xz(a) != ARCHIVE_OK)
			return ARCHIVE_FATAL;
		return la.archive_write_set_filter_option(a, "xz",
		    "compression-level", "8");
	default:
		return ARCHIVE_OK;
	}
}

static enum prof_status
archive_writer_open(struct archive_writer *w, enum packing packing)
{
	struct archive *a = w->archive;

	err_memory_begin();
	if (packing == PACKING_ZSTD &&
	    (w->zstd = zstd_writer_new(w->sink, w->arg, w->err)) == NULL)
		return PROF_FAIL;
	if (archive_writer_set_packing(a, packing) != ARCHIVE_OK ||
	    la.archive_write_set_format_pax(a) != ARCHIVE_OK ||
	    la.archive_write_set_bytes_in_last_block(a, 1) != ARCHIVE_OK ||
	    la.archive_write_open(a, w, NULL, archive_writer_put_bytes,
	    NULL) != ARCHIVE_OK)
		return archive_writer_fail(w);
	return PROF_OK;
}

struct archive_writer *
archive_writer_new(enum packing packing, prof_sink *sink, void *arg,
    struct prof_error *err)
{
	struct archive_writer *w;

	if (libarchive_load(err) != PROF_OK)
		return NULL;
	w = calloc(1, sizeof(*w));
	if (w == NULL) {
		err_memory(err);
		return NULL;
	}
	w->sink = sink;
	w->arg = arg;
	w->err = err;
	/* pax stores names in UTF-8; libarchive converts by this locale. */
	w->utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	w->archive = la.archive_write_new();
	w->entry = la.archive_entry_new();
	if (w->archive == NULL || w->entry == NULL)
		err_memory(err);
	else if (archive_writer_open(w, packing) == PROF_OK)
		return w;
	archive_writer_free(w);
	return NULL;
}

static void
archive_writer_set_entry(struct archive_entry *e, const char *name, size_t size)
{
	la.archive_entry_clear(e);
	la.archive_entry_set_pathname(e, name);
	la.archive_entry_set_filetype(e, AE_IFREG);
	la.archive_entry_set_perm(e, 0644);
	la.archive_entry_set_uid(e, 0);
	la.archive_entry_set_gid(e, 0);
	la.archive_entry_set_mtime(e, 0, 0);
	la.archive_entry_set_size(e, (la_int64_t)size);
}

enum prof_status
archive_writer_begin(struct archive_writer *w, struct archive_entry *e)
{
	locale_t old = uselocale(w->utf8);
	int r;

	err_memory_begin();
	r = la.archive_write_header(w->archive, e);
	uselocale(old);
	/* ARCHIVE_WARN: a name that is not UTF-8 is stored unchanged. */
	return r == ARCHIVE_OK || r == ARCHIVE_WARN ? PROF_OK :
	    archive_writer_fail(w);
}

enum prof_status
archive_writer_data(struct archive_writer *w, struct prof_span s)
{
	err_memory_begin();
	return s.size == 0 || la.archive_write_data(w->archive, s.data,
	    s.size) == (la_ssize_t)s.size ? PROF_OK : archive_writer_fail(w);
}

enum prof_status
archive_writer_end(struct archive_writer *w)
{
	err_memory_begin();
	return la.archive_write_finish_entry(w->archive) == ARCHIVE_OK ?
	    PROF_OK : archive_writer_fail(w);
}

enum prof_status
archive_writer_put(struct archive_writer *w, const char *name,
    struct prof_span contents)
{
	archive_writer_set_entry(w->entry, name, contents.size);
	return archive_writer_begin(w, w->entry) == PROF_OK &&
	    archive_writer_data(w, contents) == PROF_OK ?
	    archive_writer_end(w) : PROF_FAIL;
}

enum prof_status
archive_writer_finish(struct archive_writer *w)
{
	err_memory_begin();
	if (la.archive_write_close(w->archive) != ARCHIVE_OK)
		return archive_writer_fail(w);
	if (w->zstd != NULL)
		w->error = zstd_writer_finish(w->zstd);
	return w->error == 0 ? PROF_OK : archive_writer_fail(w);
}

/* An unfinished archive stays incomplete: freeing drops what is not written. */
void
archive_writer_free(struct archive_writer *w)
{
	if (w == NULL)
		return;
	/* After archive_write_fail, libarchive 3.6 leaks its filters. */
	w->aborted = true;
	if (w->archive != NULL)
		la.archive_write_free(w->archive);
	if (w->entry != NULL)
		la.archive_entry_free(w->entry);
	zstd_writer_free(w->zstd);
	if (w->utf8 != (locale_t)0)
		freelocale(w->utf8);
	free(w);
}
