#include "config.h"

#include "io/archive_write.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/error.h"
#include "io/archive_rewrite.h"
#include "io/unpacker.h"
#include "io/zstd.h"

struct archive_writer {
	struct archive *archive;
	struct archive_entry *entry;
	struct zstd_writer *zstd;	/* or NULL */
	prof_sink *sink;
	void *arg;
	int error;			/* of the sink, an errno value */
	bool aborted;			/* bytes from now on are dropped */
	const char *failing;		/* what libarchive's reason is of */
	struct prof_error *err;
	locale_t utf8;
};

static enum prof_status
archive_writer_fail(struct archive_writer *w)
{
	const char *text = la.archive_error_string(w->archive);

	/* libarchive 3.6 gives no text if it lacks memory for a filter. */
	if (w->error == ENOMEM || la.archive_errno(w->archive) == ENOMEM ||
	    (w->error == 0 && (text == NULL || err_memory_seen())))
		return err_memory(w->err);
	if (w->error != 0)
		return err_system(w->err, w->error, "cannot write");
	return err_set(w->err, PROF_E_SYSTEM, "%s: %s", w->failing, text);
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

/* NULL on failure, with the reason in the error. */
static struct archive_writer *
archive_writer_make(prof_sink *sink, void *arg, struct prof_error *err)
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
	err_memory_begin();
	w->archive = la.archive_write_new();
	w->entry = la.archive_entry_new();
	if (w->archive != NULL && w->entry != NULL)
		return w;
	err_memory(err);
	archive_writer_free(w);
	return NULL;
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

	/* By default, gzip headers hold the time. */
	return (*add[packing])(a) == ARCHIVE_OK && (packing != PACKING_GZIP ||
	    la.archive_write_set_filter_option(a, "gzip", "timestamp", NULL) ==
	    ARCHIVE_OK);
}

/* libarchive's raw format is one member without any header. */
static bool
compress_begin(struct archive_writer *w)
{
	struct archive *a = w->archive;

	la.archive_entry_set_pathname(w->entry, "archive");
	la.archive_entry_set_filetype(w->entry, AE_IFREG);
	return la.archive_write_set_format_raw(a) == ARCHIVE_OK &&
	    la.archive_write_set_bytes_in_last_block(a, 1) == ARCHIVE_OK &&
	    la.archive_write_open(a, w, NULL, archive_writer_put_bytes,
	    NULL) == ARCHIVE_OK &&
	    la.archive_write_header(a, w->entry) == ARCHIVE_OK;
}

struct archive_writer *
compressor_new(enum packing packing, prof_sink *sink, void *arg,
    struct prof_error *err)
{
	struct archive_writer *w = archive_writer_make(sink, arg, err);

	if (w == NULL)
		return NULL;
	w->failing = "cannot compress";
	if (!compress_add_filter(w->archive, packing))
		err_if_memory(err_set(err, PROF_E_UNSUPPORTED, "libarchive was "
		    "built without its compression"), err);
	else if (!compress_begin(w))
		archive_writer_fail(w);
	else
		return w;
	archive_writer_free(w);
	return NULL;
}

int
compressor_put(void *writer, const void *data, size_t size)
{
	struct archive_writer *w = writer;

	if (la.archive_write_data(w->archive, data, size) == (la_ssize_t)size)
		return 0;
	return w->error != 0 ? w->error : ENOMEM;
}

/*
 * xz: the dictionary of level 8 (32 MiB) holds two large raw profiles, so that
 * the bytes they share are stored once; that of level 6 (8 MiB) does not.
 */
static bool
archive_writer_set_packing(struct archive *a, enum packing packing)
{
	if (packing != PACKING_GZIP && packing != PACKING_XZ)
		return true;
	return compress_add_filter(a, packing) && (packing != PACKING_XZ ||
	    la.archive_write_set_filter_option(a, "xz", "compression-level",
	    "8") == ARCHIVE_OK);
}

static enum prof_status
archive_writer_open(struct archive_writer *w, enum packing packing)
{
	struct archive *a = w->archive;

	err_memory_begin();
	if (packing == PACKING_ZSTD &&
	    (w->zstd = zstd_writer_new(w->sink, w->arg, w->err)) == NULL)
		return PROF_FAIL;
	if (!archive_writer_set_packing(a, packing) ||
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
	struct archive_writer *w = archive_writer_make(sink, arg, err);

	if (w == NULL)
		return NULL;
	w->failing = "cannot write";
	if (archive_writer_open(w, packing) != PROF_OK) {
		archive_writer_free(w);
		return NULL;
	}
	/* pax stores names in UTF-8; libarchive converts by this locale. */
	w->utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	return w;
}

/*
 * A member that libarchive has read, or w->entry, with all that it knows of
 * one: begin, then data of as many bytes as the entry has in all, then end.
 */
static enum prof_status
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

static enum prof_status
archive_writer_data(struct archive_writer *w, struct prof_span s)
{
	err_memory_begin();
	return s.size == 0 || la.archive_write_data(w->archive, s.data,
	    s.size) == (la_ssize_t)s.size ? PROF_OK : archive_writer_fail(w);
}

static enum prof_status
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
	struct archive_entry *e = w->entry;

	la.archive_entry_clear(e);
	la.archive_entry_set_pathname(e, name);
	la.archive_entry_set_filetype(e, AE_IFREG);
	la.archive_entry_set_perm(e, 0644);
	la.archive_entry_set_uid(e, 0);
	la.archive_entry_set_gid(e, 0);
	la.archive_entry_set_mtime(e, 0, 0);
	la.archive_entry_set_size(e, (la_int64_t)contents.size);
	return archive_writer_begin(w, e) == PROF_OK &&
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

enum { CHUNK = 1 << 16 };

struct archive_rewrite {
	struct unpacker *from;
	struct archive_writer *packed;	/* the compressor, or NULL */
	struct archive_writer *to;	/* NULL: nothing is written */
	struct prof_error *err;
	bool pending;			/* the member is not written yet */
	uint64_t sparse_left;		/* for sparse members to come */
	struct buf contents;		/* returned by _contents */
};

/* Opens both archives; failures are in the error. */
static bool
rewrite_open_archives(struct archive_rewrite *w, prof_pull *pull, void *arg,
    const struct archive_rewrite_target *t)
{
	const struct packed_source source = { .pull = pull, .arg = arg,
	    .has_offsets = true };

	w->from = unpacker_new(PACKING_TAR, &source, w->err);
	if (w->from == NULL)
		return false;
	w->from->all = true;
	if (t->sink == NULL)
		return true;
	if (t->packing == PACKING_NONE) {
		w->to = archive_writer_new(PACKING_NONE, t->sink, t->arg,
		    w->err);
		return w->to != NULL;
	}
	w->packed = compressor_new(t->packing, t->sink, t->arg, w->err);
	if (w->packed != NULL)
		w->to = archive_writer_new(PACKING_NONE, compressor_put,
		    w->packed, w->err);
	return w->to != NULL;
}

struct archive_rewrite *
archive_rewrite_new(prof_pull *pull, void *arg,
    const struct archive_rewrite_target *t, struct prof_error *err)
{
	struct archive_rewrite *w = calloc(1, sizeof(*w));

	if (w == NULL) {
		err_memory(err);
		return NULL;
	}
	w->err = err;
	w->sparse_left = t->sparse_max;
	if (rewrite_open_archives(w, pull, arg, t))
		return w;
	archive_rewrite_free(w);
	return NULL;
}

/* Reads up to a chunk behind the contents so far; *more is false at the end. */
static enum prof_status
rewrite_read_on(struct archive_rewrite *w, uint64_t wanted, bool *more)
{
	size_t size = wanted < CHUNK ? (size_t)wanted : CHUNK;
	uint8_t *to = buf_reserve(&w->contents, size);
	ssize_t n;

	if (to == NULL)
		return err_memory(w->err);
	n = unpacker_pull(w->from, to, size);
	if (n < 0)
		return PROF_FAIL;
	w->contents.size += (size_t)n;
	*more = n > 0;
	return PROF_OK;
}

/* Writes the member as it was. */
static enum prof_status
rewrite_copy(struct archive_rewrite *w)
{
	bool more = true;

	if (w->to == NULL)
		return PROF_OK;
	if (archive_writer_begin(w->to, w->from->entry) != PROF_OK)
		return PROF_FAIL;
	while (more) {
		if (archive_writer_data(w->to, buf_span(&w->contents)) !=
		    PROF_OK)
			return PROF_FAIL;
		w->contents.size = 0;
		if (rewrite_read_on(w, CHUNK, &more) != PROF_OK)
			return PROF_FAIL;
	}
	return archive_writer_end(w->to);
}

/* libarchive would leave out the contents of a hard link. */
static enum prof_status
rewrite_check_member(struct archive_rewrite *w,
    const struct archive_rewrite_member *m)
{
	struct archive_entry *e = w->from->entry;

	if (la.archive_entry_hardlink(e) != NULL && m->size != 0)
		return err_set(w->err, PROF_E_UNSUPPORTED, "tar: %s: a hard "
		    "link of %llu bytes cannot be written again", m->name,
		    ull(m->size));
	if (la.archive_entry_sparse_count(e) == 0)
		return PROF_OK;
	if (m->size > w->sparse_left)
		return err_set(w->err, PROF_E_LIMIT, "tar: %s: sparse members "
		    "of more than %llu bytes are left", m->name,
		    ull(w->sparse_left));
	w->sparse_left -= m->size;
	return PROF_OK;
}

enum prof_status
archive_rewrite_next(struct archive_rewrite *w,
    struct archive_rewrite_member *m)
{
	struct archive_entry *e = w->from->entry;
	enum prof_status status = w->pending ? rewrite_copy(w) : PROF_OK;

	w->pending = false;
	w->contents.size = 0;
	if (status == PROF_OK)
		status = unpacker_next(w->from, &m->name);
	if (status == PROF_END && w->to != NULL)
		return archive_writer_finish(w->to) == PROF_OK &&
		    (w->packed == NULL ||
		    archive_writer_finish(w->packed) == PROF_OK) ? PROF_END :
		    PROF_FAIL;
	if (status != PROF_OK)
		return status;
	w->pending = true;
	m->size = (uint64_t)la.archive_entry_size(e);
	m->plain = la.archive_entry_filetype(e) == AE_IFREG &&
	    la.archive_entry_hardlink(e) == NULL &&
	    la.archive_entry_sparse_count(e) == 0;
	return rewrite_check_member(w, m);
}

enum prof_status
archive_rewrite_contents(struct archive_rewrite *w, uint64_t wanted,
    struct prof_span *s)
{
	bool more = true;

	while (more && w->contents.size < wanted) {
		if (rewrite_read_on(w, wanted - w->contents.size, &more) !=
		    PROF_OK)
			return PROF_FAIL;
	}
	*s = buf_span(&w->contents);
	return PROF_OK;
}

enum prof_status
archive_rewrite_replace(struct archive_rewrite *w, struct prof_span contents)
{
	w->pending = false;
	if (w->to == NULL)
		return PROF_OK;
	la.archive_entry_set_size(w->from->entry, (la_int64_t)contents.size);
	return archive_writer_begin(w->to, w->from->entry) == PROF_OK &&
	    archive_writer_data(w->to, contents) == PROF_OK ?
	    archive_writer_end(w->to) : PROF_FAIL;
}

void
archive_rewrite_free(struct archive_rewrite *w)
{
	if (w == NULL)
		return;
	archive_writer_free(w->to);
	archive_writer_free(w->packed);
	unpacker_free(w->from);
	buf_free(&w->contents);
	free(w);
}
