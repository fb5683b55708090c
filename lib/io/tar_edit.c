#include "config.h"

#include "io/tar_edit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "io/tar.h"

enum { CHUNK = 1 << 16 };

/* Maximal bytes of the headers of one member, with global headers before it. */
enum { HEADERS_MAX = 1 << 26 };

struct tar_edit {
	prof_pull *pull;
	void *pull_arg;
	prof_sink *sink;
	void *sink_arg;
	struct prof_error *err;
	uint64_t pos;		/* bytes of the old archive so far */
	bool zeros;		/* the last block was one of zeros */

	/* Bytes of the current member that are not written yet. */
	struct buf headers;	/* extended headers, then its own */
	struct buf contents;	/* returned by tar_edit_contents */
	uint64_t left;		/* contents not yet read */
	size_t padding;

	/* Values of the extended headers of the member. */
	struct buf name;
	bool named, sized, sparse;
	uint64_t size;
	size_t extended_at;	/* offset in headers of the one with the size */
	uint8_t chunk[CHUNK];
};

struct tar_edit *
tar_edit_new(prof_pull *pull, void *pull_arg, prof_sink *sink, void *sink_arg,
    struct prof_error *err)
{
	struct tar_edit *t = malloc(sizeof(*t));

	if (t == NULL) {
		err_memory(err);
		return NULL;
	}
	memset(t, 0, offsetof(struct tar_edit, chunk));
	t->pull = pull;
	t->pull_arg = pull_arg;
	t->sink = sink;
	t->sink_arg = sink_arg;
	t->err = err;
	return t;
}

/* Reads size bytes, or fewer at the end of the source; -1 on failure. */
static ssize_t
tar_edit_read_some(struct tar_edit *t, uint8_t *to, size_t size)
{
	size_t got = 0;

	while (got < size) {
		ssize_t n = t->pull(t->pull_arg, to + got, size - got);

		if (n < 0) {
			err_set(t->err, PROF_E_SYSTEM, "cannot read");
			return -1;
		}
		if (n == 0)
			break;
		got += (size_t)n;
	}
	t->pos += got;
	return (ssize_t)got;
}

static enum prof_status
tar_edit_read(struct tar_edit *t, uint8_t *to, size_t size, const char *what)
{
	ssize_t n = tar_edit_read_some(t, to, size);

	if (n < 0)
		return PROF_FAIL;
	return (size_t)n == size ? PROF_OK : err_at(t->err, PROF_E_TRUNCATED,
	    t->pos, "tar: ends inside %s", what);
}

/* Appends size bytes to a buffer, which grows only as bytes are read. */
static enum prof_status
tar_edit_read_onto(struct tar_edit *t, struct buf *b, uint64_t size,
    const char *what)
{
	while (size > 0) {
		size_t n = size < CHUNK ? (size_t)size : CHUNK;
		uint8_t *to = buf_reserve(b, n);

		if (to == NULL)
			return err_memory(t->err);
		if (tar_edit_read(t, to, n, what) != PROF_OK)
			return PROF_FAIL;
		b->size += n;
		size -= n;
	}
	return PROF_OK;
}

static enum prof_status
tar_edit_put(struct tar_edit *t, const void *data, size_t size)
{
	int error = size == 0 ? 0 : t->sink(t->sink_arg, data, size);

	return error == 0 ? PROF_OK : err_system(t->err, error,
	    "cannot write");
}

/* Copies or drops the next bytes of the old archive. */
static enum prof_status
tar_edit_copy(struct tar_edit *t, uint64_t size, bool copied)
{
	while (size > 0) {
		size_t n = size < CHUNK ? (size_t)size : CHUNK;

		if (tar_edit_read(t, t->chunk, n, "a member") != PROF_OK ||
		    (copied && tar_edit_put(t, t->chunk, n) != PROF_OK))
			return PROF_FAIL;
		size -= n;
	}
	return PROF_OK;
}

static enum prof_status
tar_edit_finish_member(struct tar_edit *t)
{
	enum prof_status status;

	if (tar_edit_put(t, t->headers.data, t->headers.size) != PROF_OK ||
	    tar_edit_put(t, t->contents.data, t->contents.size) != PROF_OK)
		return PROF_FAIL;
	status = tar_edit_copy(t, t->left, true);
	if (status == PROF_OK)
		status = tar_edit_copy(t, t->padding, true);
	t->headers.size = t->contents.size = t->name.size = 0;
	t->named = t->sized = t->sparse = false;
	t->left = t->padding = 0;
	return status;
}

/* Sets the name, which ends at the first NUL. */
static void
tar_edit_set_name(struct tar_edit *t, struct prof_span s)
{
	t->name.size = 0;
	buf_put(&t->name, s.data, strnlen((const char *)s.data, s.size));
	buf_u8(&t->name, 0);
	t->named = true;
}

static bool
tar_record_is(struct prof_span s, const char *text)
{
	return s.size == strlen(text) && memcmp(s.data, text, s.size) == 0;
}

static bool
tar_record_begins(struct prof_span s, const char *text)
{
	return s.size >= strlen(text) && memcmp(s.data, text, strlen(text)) ==
	    0;
}

static bool
tar_parse_decimal(struct prof_span s, uint64_t *n)
{
	*n = 0;
	for (size_t i = 0; i < s.size; i++) {
		if (s.data[i] < '0' || s.data[i] > '9' ||
		    !mul_u64(*n, 10, n) ||
		    !add_u64(*n, (uint64_t)(s.data[i] - '0'), n))
			return false;
	}
	return s.size > 0;
}

/* Applies a record of the extended header that begins at `at`. */
static enum prof_status
tar_edit_apply_record(struct tar_edit *t, const struct tar_record *r, size_t at,
    bool global)
{
	/* GNU tar and star store sparse files with these records. */
	if (tar_record_begins(r->key, "GNU.sparse.") || tar_record_is(r->key,
	    "SCHILY.realsize"))
		t->sparse = true;
	else if (tar_record_is(r->key, "path") && !global)
		tar_edit_set_name(t, r->value);
	else if (tar_record_is(r->key, "size")) {
		if (global || t->sized)
			return err_set(t->err, PROF_E_UNSUPPORTED, "tar: two "
			    "extended headers have the size of a member");
		if (!tar_parse_decimal(r->value, &t->size))
			return err_at(t->err, PROF_E_CORRUPT, t->pos, "tar: "
			    "the size in an extended header is not a number");
		t->sized = true;
		t->extended_at = at;
	}
	return PROF_OK;
}

static enum prof_status
tar_edit_read_records(struct tar_edit *t, size_t at, struct prof_span rest,
    bool global)
{
	struct tar_record r;
	enum prof_status status;

	while ((status = tar_next_record(&rest, &r)) == PROF_OK) {
		if (tar_edit_apply_record(t, &r, at, global) != PROF_OK)
			return PROF_FAIL;
	}
	return status == PROF_END ? PROF_OK : err_at(t->err, PROF_E_CORRUPT,
	    t->pos, "tar: damaged extended header");
}

/* Reads the contents of the extended header at `at` (x, g, L or K). */
static enum prof_status
tar_edit_read_extension(struct tar_edit *t, size_t at, char type)
{
	struct prof_span contents;
	uint64_t size;

	if (!tar_size(t->headers.data + at, &size))
		return err_at(t->err, PROF_E_CORRUPT, t->pos - TAR_BLOCK,
		    "tar: the size of a header is not a number");
	if (size > HEADERS_MAX || t->headers.size + size > HEADERS_MAX)
		return err_at(t->err, PROF_E_LIMIT, t->pos - TAR_BLOCK,
		    "tar: a header of %" PRIu64 " bytes", size);
	if (tar_edit_read_onto(t, &t->headers, size + tar_padding(size),
	    "a header") != PROF_OK)
		return PROF_FAIL;
	contents = (struct prof_span){ t->headers.data + at + TAR_BLOCK,
	    (size_t)size };
	if (type == 'L')
		tar_edit_set_name(t, contents);
	return type == 'L' || type == 'K' ? PROF_OK :
	    tar_edit_read_records(t, at, contents, type == 'g');
}

/* Reads the GNU sparse blocks behind the header of a sparse file. */
static enum prof_status
tar_edit_read_holes(struct tar_edit *t, size_t at)
{
	bool more = tar_sparse_block_follows(t->headers.data + at, true);

	t->sparse = true;
	while (more) {
		if (t->headers.size > HEADERS_MAX)
			return err_at(t->err, PROF_E_LIMIT, t->pos,
			    "tar: too many holes");
		if (tar_edit_read_onto(t, &t->headers, TAR_BLOCK, "a header") !=
		    PROF_OK)
			return PROF_FAIL;
		more = tar_sparse_block_follows(t->headers.data +
		    t->headers.size - TAR_BLOCK, false);
	}
	return PROF_OK;
}

/* Links, devices and folders have no contents, whatever their size field. */
static enum prof_status
tar_edit_set_size(struct tar_edit *t, const uint8_t *header, char type)
{
	if (!t->sized && !tar_size(header, &t->size))
		return err_at(t->err, PROF_E_CORRUPT, t->pos - TAR_BLOCK,
		    "tar: the size of a member is not a number");
	/* Whether contents follow such a hard link depends on its program. */
	if (type == '1' && t->size != 0)
		return err_at(t->err, PROF_E_UNSUPPORTED, t->pos - TAR_BLOCK,
		    "tar: a hard link of %" PRIu64 " bytes", t->size);
	if (type >= '1' && type <= '6')
		t->size = 0;
	t->left = t->size;
	t->padding = tar_padding(t->size);
	return PROF_OK;
}

static enum prof_status
tar_edit_read_header(struct tar_edit *t, size_t at, char type,
    struct tar_member *m)
{
	char name[TAR_NAME_MAX + 1];

	if (tar_edit_set_size(t, t->headers.data + at, type) != PROF_OK)
		return PROF_FAIL;
	if (!t->named) {
		size_t n = tar_name(t->headers.data + at, name);

		tar_edit_set_name(t, (struct prof_span){ (const uint8_t *)name,
		    n });
	}
	if (type == 'S' && tar_edit_read_holes(t, at) != PROF_OK)
		return PROF_FAIL;
	if (t->headers.failed || t->name.failed)
		return err_memory(t->err);
	*m = (struct tar_member){ .name = (const char *)t->name.data,
	    .size = t->size,
	    .plain = (type == '0' || type == '7') && !t->sparse };
	return PROF_OK;
}

static enum prof_status
tar_edit_check_end(struct tar_edit *t)
{
	if (t->headers.size > 0)
		return err_at(t->err, PROF_E_TRUNCATED, t->pos, "tar: ends "
		    "after an extended header");
	return t->zeros ? PROF_END : err_at(t->err, PROF_E_TRUNCATED, t->pos,
	    "tar: ends without a block of zeros");
}

/* Appends the next nonzero block to headers; PROF_END at the end. */
static enum prof_status
tar_edit_next_block(struct tar_edit *t)
{
	static const uint8_t zeros[TAR_BLOCK];
	uint8_t block[TAR_BLOCK];
	ssize_t n;

	while ((n = tar_edit_read_some(t, block, TAR_BLOCK)) == TAR_BLOCK) {
		t->zeros = memcmp(block, zeros, TAR_BLOCK) == 0;
		if (!t->zeros) {
			buf_put(&t->headers, block, TAR_BLOCK);
			return t->headers.failed ? err_memory(t->err) :
			    PROF_OK;
		}
		if (t->headers.size > 0)
			return err_at(t->err, PROF_E_CORRUPT,
			    t->pos - TAR_BLOCK, "tar: nothing follows an "
			    "extended header");
		if (tar_edit_put(t, block, TAR_BLOCK) != PROF_OK)
			return PROF_FAIL;
	}
	if (n == 0)
		return tar_edit_check_end(t);
	return n < 0 ? PROF_FAIL : err_at(t->err, PROF_E_TRUNCATED, t->pos,
	    "tar: ends inside a header");
}

enum prof_status
tar_edit_next(struct tar_edit *t, struct tar_member *m)
{
	enum prof_status status = tar_edit_finish_member(t);

	while (status == PROF_OK && (status = tar_edit_next_block(t)) ==
	    PROF_OK) {
		size_t at = t->headers.size - TAR_BLOCK;
		const uint8_t *header = t->headers.data + at;
		char type = tar_type(header);

		if (!tar_is_header(header))
			return err_at(t->err, PROF_E_CORRUPT,
			    t->pos - TAR_BLOCK, "tar: damaged header");
		if (strchr("xXgLK", type) == NULL)
			return tar_edit_read_header(t, at, type, m);
		status = tar_edit_read_extension(t, at, type);
	}
	return status;
}

enum prof_status
tar_edit_contents(struct tar_edit *t, uint64_t wanted, struct prof_span *s)
{
	uint64_t more = wanted > t->contents.size ?
	    wanted - t->contents.size : 0;

	if (more > t->left)
		more = t->left;
	if (tar_edit_read_onto(t, &t->contents, more, "a member") != PROF_OK)
		return PROF_FAIL;
	t->left -= more;
	*s = buf_span(&t->contents);
	return PROF_OK;
}

/* The record "LENGTH size=N\n", whose length counts its own digits. */
static void
tar_edit_put_size(struct buf *b, uint64_t size)
{
	char text[64];
	int n = snprintf(text, sizeof(text), " size=%" PRIu64 "\n", size);
	int all = n + 1;

	/* A record of 10 to 31 bytes has a length of two digits. */
	if (all > 9)
		all++;
	n = snprintf(text, sizeof(text), "%d size=%" PRIu64 "\n", all, size);
	buf_put(b, text, (size_t)n);
}

/* Writes the extended header with a new size; *behind: end of the old one. */
static enum prof_status
tar_edit_put_extended(struct tar_edit *t, uint64_t size, size_t *behind)
{
	uint8_t *header = t->headers.data + t->extended_at;
	struct buf b = { 0 };
	struct prof_span rest = { header + TAR_BLOCK, 0 };
	struct tar_record r;
	enum prof_status status;
	uint64_t old = 0;

	tar_size(header, &old);
	rest.size = (size_t)old;
	*behind = t->extended_at + TAR_BLOCK + (size_t)old + tar_padding(old);
	while (tar_next_record(&rest, &r) == PROF_OK) {
		if (tar_record_is(r.key, "size"))
			tar_edit_put_size(&b, size);
		else
			buf_put(&b, r.whole.data, r.whole.size);
	}
	tar_set_size(header, b.size);
	buf_zeros(&b, tar_padding(b.size));
	status = b.failed ? err_memory(t->err) :
	    tar_edit_put(t, header, TAR_BLOCK);
	if (status == PROF_OK)
		status = tar_edit_put(t, b.data, b.size);
	buf_free(&b);
	return status;
}

static enum prof_status
tar_edit_put_headers(struct tar_edit *t, uint64_t size)
{
	uint8_t *header = t->headers.data + t->headers.size - TAR_BLOCK;
	size_t at = 0;

	tar_set_size(header, size);
	if (t->sized) {
		if (tar_edit_put(t, t->headers.data, t->extended_at) !=
		    PROF_OK || tar_edit_put_extended(t, size, &at) != PROF_OK)
			return PROF_FAIL;
	}
	return tar_edit_put(t, t->headers.data + at, t->headers.size - at);
}

enum prof_status
tar_edit_replace(struct tar_edit *t, struct prof_span contents)
{
	static const uint8_t zeros[TAR_BLOCK];

	if (tar_edit_put_headers(t, contents.size) != PROF_OK ||
	    tar_edit_put(t, contents.data, contents.size) != PROF_OK ||
	    tar_edit_put(t, zeros, tar_padding(contents.size)) != PROF_OK ||
	    tar_edit_copy(t, t->left, false) != PROF_OK ||
	    tar_edit_copy(t, t->padding, false) != PROF_OK)
		return PROF_FAIL;
	t->headers.size = t->contents.size = 0;
	t->left = t->padding = 0;
	return PROF_OK;
}

void
tar_edit_free(struct tar_edit *t)
{
	if (t == NULL)
		return;
	buf_free(&t->headers);
	buf_free(&t->contents);
	buf_free(&t->name);
	free(t);
}
