/* Version 1: names, hashes and counters; and the choice of a version. */
#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "format/lprf/v2.h"
#include "model/record.h"
#include "model/value_sites.h"

enum {
	LPRF_VERSION = 1,
	LPRF_ENTRY_MIN = 4 + 1 + 8,	/* name size, name, offset */
	LPRF_HEAD = 8 + 8,	/* hash and number of counters */
	LPRF_DATA_MIN = LPRF_HEAD + 8	/* the head, one counter */
};

struct lprf_reader {
	struct prof_reader base;
	struct cursor index;		/* its size is the start of the data */
	struct prof_span image;
	bool began, ended;
	struct arena arena;
};

/* An entry of the index, and the head of the counter data that it points to. */
struct lprf_function {
	size_t at;			/* offset of the entry */
	struct prof_span name;
	uint64_t data;			/* offset of the counter data */
	uint64_t hash, count;		/* the head */
};

bool
lprf_sniff(struct prof_span first_bytes)
{
	/* A text profile may begin with a function named LPRF... */
	return first_bytes.size >= 4 &&
	    load_u32(first_bytes.data, false) == LPRF_MAGIC &&
	    (first_bytes.size < 8 || first_bytes.data[7] == 0);
}

/* Reads hash and number of the counters of an entry. */
static enum prof_status
lprf_read_counters_head(const struct lprf_reader *r, struct lprf_function *e,
    struct prof_error *err)
{
	struct cursor c = { .data = r->image.data, .size = r->image.size };
	uint64_t at = e->data, index_end = r->index.size;

	if (at % 8 != 0 || at < index_end || at > c.size ||
	    c.size - at < LPRF_DATA_MIN)
		return err_at(err, PROF_E_CORRUPT, e->at, "index: counter "
		    "data at 0x%llx is not at a multiple of 8 from the index "
		    "end 0x%llx to %d bytes before the end 0x%zx",
		    (unsigned long long)at, (unsigned long long)index_end,
		    LPRF_DATA_MIN, c.size);
	c.pos = (size_t)at;
	e->hash = cur_u64(&c);
	e->count = cur_u64(&c);
	if (e->count == 0)
		return err_at(err, PROF_E_CORRUPT, at + 8, "number of "
		    "counters is 0");
	if (e->count > cur_left(&c) / 8)
		return err_at(err, PROF_E_CORRUPT, at + 8, "number of "
		    "counters %llu exceeds the %zu bytes left",
		    (unsigned long long)e->count, cur_left(&c));
	return PROF_OK;
}

/* Reads the next entry of the index; PROF_END at the padding or the end. */
static enum prof_status
lprf_next_entry(const struct lprf_reader *r, struct cursor *c,
    struct lprf_function *e, struct prof_error *err)
{
	uint32_t size;

	e->at = c->pos;
	if (cur_left(c) < 4)
		return PROF_END;
	size = cur_u32(c);
	if (size == 0)
		return PROF_END;
	e->name = (struct prof_span){ cur_bytes(c, size), size };
	e->data = cur_u64(c);
	if (c->failed)
		return err_at(err, PROF_E_CORRUPT, e->at, "index: an entry of "
		    "name length %u exceeds the %zu bytes left", size,
		    c->size - e->at);
	return lprf_read_counters_head(r, e, err);
}

static int
lprf_compare_entries(const void *a, const void *b)
{
	const struct lprf_function *x = a, *y = b;

	if (x->data != y->data)
		return x->data < y->data ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

/*
 * Checks entries against each other.  Bytes may follow the data of the last
 * one, but no other file, which would be ignored.
 */
static enum prof_status
lprf_check_overlap(const struct lprf_reader *r, struct lprf_function *e,
    size_t n, struct prof_error *err)
{
	uint64_t end = r->index.size;

	qsort(e, n, sizeof(*e), lprf_compare_entries);
	for (size_t i = 1; i < n; i++) {
		if (e[i].data < e[i - 1].data + LPRF_HEAD + 8 * e[i - 1].count)
			return err_at(err, PROF_E_CORRUPT, e[i].at, "index: "
			    "counter data at 0x%llx lies inside that at 0x%llx",
			    (unsigned long long)e[i].data,
			    (unsigned long long)e[i - 1].data);
	}
	if (n != 0)
		end = e[n - 1].data + LPRF_HEAD + 8 * e[n - 1].count;
	return r->image.size - end < 4 || load_u32(r->image.data + end,
	    false) != LPRF_MAGIC ? PROF_OK : err_at(err, PROF_E_CORRUPT, end,
	    "another file follows the last counter data");
}

/* Checks that the counter data of all entries are there and do not overlap. */
static enum prof_status
lprf_check(struct lprf_reader *r, struct prof_error *err)
{
	struct cursor c = r->index;
	size_t room = cur_left(&c) / LPRF_ENTRY_MIN + 1, n = 0;
	struct lprf_function *entries = calloc(room, sizeof(*entries));
	enum prof_status status;

	if (entries == NULL)
		return err_memory(err);
	while ((status = lprf_next_entry(r, &c, &entries[n], err)) == PROF_OK)
		n++;
	if (status == PROF_END)
		status = lprf_check_overlap(r, entries, n, err);
	free(entries);
	for (; status == PROF_OK && c.pos < c.size; c.pos++) {
		if (c.data[c.pos] != 0)
			status = err_at(err, PROF_E_CORRUPT, c.pos,
			    "index: padding is not zero");
	}
	return status;
}

static enum prof_status
lprf_next_function(struct lprf_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	struct lprf_function e;
	enum prof_status status = lprf_next_entry(r, &r->index, &e, err);
	uint64_t *counts;

	if (status != PROF_OK)
		return status;
	counts = arena_array(&r->arena, (size_t)e.count, sizeof(*counts));
	if (counts == NULL)
		return err_memory(err);
	for (size_t i = 0; i < e.count; i++)
		counts[i] = load_u64(r->image.data + e.data + LPRF_HEAD + 8 * i,
		    false);
	out->kind = PROF_REC_FUNCTION;
	out->u.function = (struct prof_function){ .symbol.name = e.name,
	    .hash = e.hash, .counts = counts, .counts_size = (size_t)e.count };
	return PROF_OK;
}

static enum prof_status
lprf_next(struct prof_reader *base, struct prof_record *out,
    struct prof_error *err)
{
	struct lprf_reader *r = (struct lprf_reader *)base;
	enum prof_status status;

	arena_reset(&r->arena);
	if (!r->began) {
		r->began = true;
		out->kind = PROF_REC_PROFILE;
		out->u.profile = (struct prof_header){ .source = {
		    .format = "lprf", .version = LPRF_VERSION,
		    .endian = 'l' } };
		return PROF_OK;
	}
	if (r->ended)
		return PROF_END;
	status = lprf_next_function(r, out, err);
	if (status != PROF_END)
		return status;
	r->ended = true;
	out->kind = PROF_REC_END;
	return PROF_OK;
}

static void
lprf_close(struct prof_reader *base)
{
	struct lprf_reader *r = (struct lprf_reader *)base;

	arena_free(&r->arena);
}

static const struct reader_ops lprf_ops = {
	.size = sizeof(struct lprf_reader),
	.next = lprf_next,
	.close = lprf_close,
};

/* The offset of the index end; 0 if the header is damaged. */
static uint64_t
lprf_read_header(struct prof_span image, struct prof_error *err)
{
	struct cursor c = { .data = image.data, .size = image.size };
	uint32_t version;
	uint64_t end;

	cur_u32(&c);
	version = cur_u32(&c);
	end = cur_u64(&c);
	cur_u64(&c);
	if (c.failed) {
		err_at(err, PROF_E_TRUNCATED, image.size, "the header needs %d "
		    "bytes, but has %zu", LPRF_HEADER, image.size);
		return 0;
	}
	if (version != LPRF_VERSION) {
		err_at(err, PROF_E_VERSION, 4, "version %u is unknown: LPRF "
		    "versions %d and %d are known", version, LPRF_VERSION,
		    LPRF2_VERSION);
		return 0;
	}
	if (end < LPRF_HEADER || end > image.size || end % 8 != 0) {
		err_at(err, PROF_E_CORRUPT, 8, "index end %llu is not a "
		    "multiple of 8 between %d and the size %zu of the file",
		    (unsigned long long)end, LPRF_HEADER, image.size);
		return 0;
	}
	return end;
}

struct prof_reader *
lprf_open(struct prof_context *context, struct prof_span image,
    struct prof_error *err)
{
	struct lprf_reader *r;
	uint64_t end;

	if (image.size >= 8 && load_u32(image.data + 4, false) ==
	    LPRF2_VERSION)
		return lprf2_open(context, image, err);
	end = lprf_read_header(image, err);
	if (end == 0)
		return NULL;
	r = codec_reader_new(&lprf_ops, context, err);
	if (r == NULL)
		return NULL;
	r->image = image;
	r->index = (struct cursor){ .data = image.data, .size = (size_t)end,
	    .pos = LPRF_HEADER };
	if (lprf_check(r, err) != PROF_OK) {
		prof_close(&r->base);
		return NULL;
	}
	return &r->base;
}

struct lprf_writer {
	struct prof_writer base;
	struct arena arena;		/* names and counters */
	struct prof_function *functions;
	size_t size, room;
	uint64_t max_count;		/* the largest first counter */
	bool began, warned;
};

/* Warns once that everything but names, hashes and counters is dropped. */
static void
lprf_warn_once(struct lprf_writer *w, bool lost)
{
	if (!lost || w->warned)
		return;
	w->warned = true;
	warn_lost(w->base.context, "LPRF holds names, hashes and counters: "
	    "other data is dropped");
}

static enum prof_status
lprf_put_function(struct lprf_writer *w, const struct prof_function *f,
    struct prof_error *err)
{
	struct prof_function copy = { .symbol.name = f->symbol.name,
	    .hash = f->hash, .counts = f->counts,
	    .counts_size = f->counts_size };

	if (f->symbol.name.data == NULL) {
		w->base.written.nameless++;
		return PROF_OK;
	}
	lprf_warn_once(w, value_sites_count(f->values) != 0 ||
	    f->bitmap.size != 0 || f->uniform_size != 0);
	if (f->counts_size == 0 || f->symbol.name.size == 0 ||
	    f->symbol.name.size > UINT32_MAX)
		return err_set(err, PROF_E_UNSUPPORTED, "LPRF cannot hold a "
		    "function without name or counters");
	if (f->counts[0] > w->max_count)
		w->max_count = f->counts[0];
	return record_copy(&w->arena, PROF_REC_FUNCTION, &copy) &&
	    ARRAY_ADD(w->functions, w->size, w->room, copy) ? PROF_OK :
	    err_memory(err);
}

static enum prof_status
lprf_put(struct prof_writer *base, const struct prof_record *r,
    struct prof_error *err)
{
	struct lprf_writer *w = (struct lprf_writer *)base;

	switch (r->kind) {
	case PROF_REC_PROFILE:
		if (w->began)
			return err_set(err, PROF_E_MISMATCH,
			    "LPRF holds one profile: use prof-merge");
		w->began = true;
		lprf_warn_once(w, r->u.profile.level != PROF_LEVEL_UNKNOWN ||
		    r->u.profile.flags != 0);
		return PROF_OK;
	case PROF_REC_FUNCTION:
		return lprf_put_function(w, &r->u.function, err);
	case PROF_REC_NAME:
	case PROF_REC_END:
		return PROF_OK;
	case PROF_REC_RAW_COUNTERS:
		return err_set(err, PROF_E_UNSUPPORTED, LPRF_NO_FUNCTIONS);
	default:
		lprf_warn_once(w, true);
		return PROF_OK;
	}
}

static int
lprf_compare_functions(const void *a, const void *b)
{
	return lprf2_compare(a, b);
}

static void
lprf_write_index(const struct lprf_writer *w, struct buf *out)
{
	uint64_t index = LPRF_HEADER, data;

	for (size_t i = 0; i < w->size; i++)
		index += 4 + w->functions[i].symbol.name.size + 8;
	index += pad8(index);
	buf_u32le(out, LPRF_MAGIC);
	buf_u32le(out, LPRF_VERSION);
	buf_u64le(out, index);
	buf_u64le(out, w->max_count);
	data = index;
	for (size_t i = 0; i < w->size; i++) {
		const struct prof_function *f = &w->functions[i];

		buf_u32le(out, (uint32_t)f->symbol.name.size);
		buf_put(out, f->symbol.name.data, f->symbol.name.size);
		buf_u64le(out, data);
		data += LPRF_HEAD + 8 * f->counts_size;
	}
	buf_pad8(out);
}

static enum prof_status
lprf_finish(struct prof_writer *base, struct prof_error *err)
{
	struct lprf_writer *w = (struct lprf_writer *)base;
	enum prof_status status;
	struct buf out = { 0 };

	if (!w->began)
		return err_set(err, PROF_E_FORMAT, "no profile");
	if (w->size != 0)
		qsort(w->functions, w->size, sizeof(*w->functions),
		    lprf_compare_functions);
	for (size_t i = 1; i < w->size; i++) {
		if (lprf2_compare(&w->functions[i - 1], &w->functions[i]) == 0)
			return err_set(err, PROF_E_MISMATCH, "a name and hash "
			    "occur twice: use prof-merge");
	}
	writer_warn_nameless(base, "LPRF");
	lprf_write_index(w, &out);
	for (size_t i = 0;; i++) {
		const struct prof_function *f;

		status = out.failed ? err_memory(err) :
		    sink_write(base, out.data, out.size, err);
		if (status != PROF_OK || i == w->size)
			break;
		f = &w->functions[i];
		out.size = 0;
		buf_u64le(&out, f->hash);
		buf_u64le(&out, f->counts_size);
		buf_words(&out, f->counts, f->counts_size, false);
	}
	buf_free(&out);
	return status;
}

static void
lprf_free(struct prof_writer *base)
{
	struct lprf_writer *w = (struct lprf_writer *)base;

	arena_free(&w->arena);
	free(w->functions);
}

static const struct writer_ops lprf_writer_ops = {
	.size = sizeof(struct lprf_writer),
	.put = lprf_put,
	.finish = lprf_finish,
	.free = lprf_free,
};

struct prof_writer *
lprf_writer_new(struct prof_context *context, const struct prof_target *t,
    prof_sink *sink, void *arg, struct prof_error *err)
{
	if (t->version == LPRF2_VERSION)
		return lprf2_writer_new(context, t, sink, arg, err);
	return codec_writer_new(&lprf_writer_ops, context, sink, arg, err);
}

void
lprf_versions(struct prof_versions *v)
{
	*v = (struct prof_versions){ LPRF_VERSION, LPRF2_VERSION,
	    LPRF2_VERSION };
}
