#include <stdlib.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
#include "format/codec.h"
#include "format/lprf/lprf.h"

struct lprf_reader {
	struct prof_reader base;
	struct cursor index;		/* its size is the start of the data */
	struct prof_span image;
	bool began, ended;
	struct arena arena;
};

/* Offsets of the counter data of an entry, and of the entry itself. */
struct lprf_run {
	uint64_t start, end, entry;
};

bool
lprf_sniff(struct prof_span first_bytes)
{
	/* A text profile may begin with a function named LPRF... */
	return first_bytes.size >= 4 &&
	    load_u32(first_bytes.data, false) == LPRF_MAGIC &&
	    (first_bytes.size < 8 || first_bytes.data[7] == 0);
}

/* Reads the next entry of the index; PROF_END at the padding or the end. */
static enum prof_status
lprf_next_entry(struct cursor *c, struct prof_span *name, uint64_t *data,
    struct prof_error *err)
{
	uint64_t at = c->pos;
	uint32_t size;

	if (cur_left(c) < 4)
		return PROF_END;
	size = cur_u32(c);
	if (size == 0)
		return PROF_END;
	name->data = cur_bytes(c, size);
	name->size = size;
	*data = cur_u64(c);
	if (c->failed)
		return err_at(err, PROF_E_CORRUPT, at, "index: an entry of "
		    "name length %u exceeds the %zu bytes left", size,
		    (size_t)(c->size - at));
	return PROF_OK;
}

/* Reads hash and number of the counters at the offset in an entry. */
static enum prof_status
lprf_read_counters_head(struct prof_span image, uint64_t index_end, uint64_t
    entry, uint64_t at, uint64_t *hash, uint64_t *count, struct prof_error *err)
{
	struct cursor c = { .data = image.data, .size = image.size };

	if (at % 8 != 0 || at < index_end || at > image.size ||
	    image.size - at < LPRF_DATA_MIN)
		return err_at(err, PROF_E_CORRUPT, entry, "index: counter "
		    "data at 0x%llx is not at a multiple of 8 from the index "
		    "end 0x%llx to %d bytes before the end 0x%zx",
		    (unsigned long long)at, (unsigned long long)index_end,
		    LPRF_DATA_MIN, image.size);
	c.pos = (size_t)at;
	*hash = cur_u64(&c);
	*count = cur_u64(&c);
	if (*count == 0)
		return err_at(err, PROF_E_CORRUPT, at + 8, "number of "
		    "counters is 0");
	if (*count > cur_left(&c) / 8)
		return err_at(err, PROF_E_CORRUPT, at + 8, "number of "
		    "counters %llu exceeds the %zu bytes left",
		    (unsigned long long)*count, cur_left(&c));
	return PROF_OK;
}

static int
lprf_compare_runs(const void *a, const void *b)
{
	const struct lprf_run *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->entry > y->entry) - (x->entry < y->entry);
}

static enum prof_status
lprf_check_overlap(struct lprf_run *runs, size_t n, struct prof_error *err)
{
	qsort(runs, n, sizeof(*runs), lprf_compare_runs);
	for (size_t i = 1; i < n; i++) {
		if (runs[i].start < runs[i - 1].end)
			return err_at(err, PROF_E_CORRUPT, runs[i].entry,
			    "index: counter data at 0x%llx lies inside of "
			    "that at 0x%llx",
			    (unsigned long long)runs[i].start,
			    (unsigned long long)runs[i - 1].start);
	}
	return PROF_OK;
}

/* Checks that the counter data of all entries are there and do not overlap. */
static enum prof_status
lprf_check(struct lprf_reader *r, struct prof_error *err)
{
	struct cursor c = r->index;
	size_t room = cur_left(&c) / LPRF_ENTRY_MIN + 1, n = 0;
	struct lprf_run *runs = calloc(room, sizeof(*runs));
	enum prof_status status;
	struct prof_span name;
	uint64_t at, hash, count;
	size_t entry = c.pos;

	if (runs == NULL)
		return err_memory(err);
	while ((status = lprf_next_entry(&c, &name, &at, err)) == PROF_OK) {
		status = lprf_read_counters_head(r->image, c.size, entry, at,
		    &hash, &count, err);
		if (status != PROF_OK)
			break;
		runs[n++] = (struct lprf_run){ at, at + 16 + 8 * count, entry };
		entry = c.pos;
	}
	if (status == PROF_END)
		status = lprf_check_overlap(runs, n, err);
	free(runs);
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
	struct prof_function *f = &out->u.function;
	enum prof_status status;
	uint64_t entry = r->index.pos, at, count, *counts;

	*f = (struct prof_function){ .hash = 0 };
	status = lprf_next_entry(&r->index, &f->symbol.name, &at, err);
	if (status == PROF_OK)
		status = lprf_read_counters_head(r->image, r->index.size, entry,
		    at, &f->hash, &count, err);
	if (status != PROF_OK)
		return status;
	counts = arena_array(&r->arena, (size_t)count, sizeof(*counts));
	if (counts == NULL)
		return err_memory(err);
	for (size_t i = 0; i < count; i++)
		counts[i] = load_u64(r->image.data + at + 16 + 8 * i, false);
	out->kind = PROF_REC_FUNCTION;
	f->counts = counts;
	f->counts_size = (size_t)count;
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
	free(r);
}

static const struct reader_ops lprf_ops = {
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
		err_at(err, PROF_E_TRUNCATED, image.size, "header takes %d "
		    "bytes, %zu are there", LPRF_HEADER, image.size);
		return 0;
	}
	if (version != LPRF_VERSION) {
		err_at(err, PROF_E_VERSION, 4,
		    "version %u is not known: LPRF version %d is", version,
		    LPRF_VERSION);
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
	uint64_t end = lprf_read_header(image, err);
	struct lprf_reader *r;

	if (end == 0)
		return NULL;
	r = calloc(1, sizeof(*r));
	if (r == NULL) {
		err_memory(err);
		return NULL;
	}
	r->base = (struct prof_reader){ .ops = &lprf_ops,
	    .context = context };
	r->image = image;
	r->index = (struct cursor){ .data = image.data, .size = (size_t)end,
	    .pos = LPRF_HEADER };
	if (lprf_check(r, err) != PROF_OK) {
		lprf_close(&r->base);
		return NULL;
	}
	return &r->base;
}
