#include "config.h"

#include "io/archive_rewrite.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/error.h"
#include "io/archive_write.h"
#include "io/compress.h"
#include "io/unpacker.h"

enum { CHUNK = 1 << 16 };

struct archive_rewrite {
	struct unpacker *from;
	struct compressor *packed;
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
	w->packed = compressor_new(t->packing, t->sink, t->arg, w->err);
	if (w->packed == NULL)
		return false;
	w->to = archive_writer_new(PACKING_NONE, compressor_put, w->packed,
	    w->err);
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
		    compressor_finish(w->packed) == PROF_OK ? PROF_END :
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
	compressor_free(w->packed);
	unpacker_free(w->from);
	buf_free(&w->contents);
	free(w);
}
