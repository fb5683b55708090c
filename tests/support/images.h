/*
 * tests/support/images.h - profiles in memory: samples, made, read, converted
 * and compared
 */
#ifndef IMAGES_H
#define IMAGES_H

#include <errno.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "prof.h"
#include "tests/support/test.h"

#define SPAN(text)	{ (const uint8_t *)(text), sizeof(text) - 1 }

static inline struct prof_span
span(const char *text)
{
	return span_of_text(text);
}

/* A copy with nothing behind it, so that ASan sees a read past the end. */
static inline struct prof_span
exact(struct prof_span s)
{
	uint8_t *p = malloc(s.size);

	if (s.size != 0)
		memcpy(p, s.data, s.size);
	return (struct prof_span){ p, s.size };
}

static inline void
release(struct prof_span s)
{
	free((void *)(uintptr_t)s.data);
}

static inline bool
same_bytes(const struct buf *a, const struct buf *b)
{
	return prof_span_equal(buf_span(a), buf_span(b));
}

/* Whether the buffer holds this text, with a note if not. */
static inline bool
holds(const struct buf *b, const char *text)
{
	bool same = !b->failed && prof_span_equal(buf_span(b), span(text));

	if (!same)
		printf("# got %.*s\n", (int)b->size, (const char *)b->data);
	return same;
}

/* The name of a code in error files and golden files. */
static inline const char *
code_name(enum prof_code code)
{
	static const char *const names[] = {
		[PROF_E_NONE] = "none", [PROF_E_FORMAT] = "format",
		[PROF_E_VERSION] = "version", [PROF_E_TRUNCATED] = "truncated",
		[PROF_E_CORRUPT] = "corrupt", [PROF_E_MISMATCH] = "mismatch",
		[PROF_E_LIMIT] = "limit",
		[PROF_E_UNSUPPORTED] = "unsupported",
		[PROF_E_MEMORY] = "memory", [PROF_E_SYSTEM] = "system",
	};

	return names[code];
}

/* Whether it is an error of that code whose reason has that text. */
static inline bool
is_error(const struct prof_error *e, enum prof_code code, const char *reason)
{
	if (e->code == code && strstr(e->reason, reason) != NULL)
		return true;
	printf("# code %d at %llu: %s\n", (int)e->code, ull(e->offset),
	    e->reason);
	return false;
}

/* A sink that takes some bytes, whose number is in *room, and then fails. */
static inline int
sink_of_room(void *room, const void *data, size_t size)
{
	size_t *left = room;

	(void)data;
	if (size > *left)
		return ENOSPC;
	*left -= size;
	return 0;
}

/* The path of a file of tests/data, until the next call. */
static inline const char *
sample_path(const char *name)
{
	static char path[4096];
	const char *top = getenv("top_srcdir");

	if (top == NULL)
		skip_all("no test data: set top_srcdir");
	snprintf(path, sizeof(path), "%s/tests/data/%s", top, name);
	return path;
}

/* Appends a file of tests/data; false if there is none. */
static inline bool
read_sample(const char *name, struct buf *out)
{
	FILE *f = fopen(sample_path(name), "rb");
	int c;

	if (f == NULL)
		return false;
	while ((c = getc(f)) != EOF)
		buf_u8(out, (uint8_t)c);
	fclose(f);
	return true;
}

/* Reads an image to its end: PROF_END if nothing is wrong with it. */
static inline enum prof_status
read_image(struct prof_context *context, struct prof_span image,
    struct prof_error *err)
{
	struct prof_reader *r = prof_open(context, image, err);
	enum prof_status status = PROF_FAIL;
	struct prof_record record;

	while (r != NULL && (status = prof_next(r, &record, err)) == PROF_OK)
		;
	prof_close(r);
	return status;
}

/*
 * Copies all records, without what a header says of its file, and finishes the
 * writer; PROF_OK or PROF_FAIL.
 */
static inline enum prof_status
copy_records(struct prof_reader *r, struct prof_writer *w,
    struct prof_error *err)
{
	enum prof_status status = r == NULL || w == NULL ? PROF_FAIL : PROF_OK;
	struct prof_record record;

	while (status == PROF_OK &&
	    (status = prof_next(r, &record, err)) == PROF_OK) {
		if (record.kind == PROF_REC_PROFILE)
			record.u.profile.source = (struct prof_source){ 0 };
		status = prof_put(w, &record, err);
	}
	return status == PROF_END ? prof_finish(w, err) : PROF_FAIL;
}

/* Appends what is in an image in another format. */
static inline enum prof_status
convert(struct prof_context *context, struct prof_span image,
    const struct prof_target *target, struct buf *out, struct prof_error *err)
{
	struct prof_reader *r = prof_open(context, image, err);
	struct prof_writer *w = prof_writer_new(NULL, target, buf_sink, out,
	    err);
	enum prof_status status = copy_records(r, w, err);

	prof_close(r);
	prof_writer_free(w);
	return status;
}

/* Writes records, which include the end, and finishes. */
static inline enum prof_status
write_records(const struct prof_target *target, prof_sink *sink, void *arg,
    const struct prof_record *records, size_t n, struct prof_error *err)
{
	struct prof_writer *w = prof_writer_new(NULL, target, sink, arg, err);
	enum prof_status status = w == NULL ? PROF_FAIL : PROF_OK;

	for (size_t i = 0; status == PROF_OK && i < n; i++)
		status = prof_put(w, &records[i], err);
	if (status == PROF_OK)
		status = prof_finish(w, err);
	prof_writer_free(w);
	return status;
}

/* A number of a pseudo-random sequence, below n. */
static inline unsigned
random_below(uint64_t *state, unsigned n)
{
	*state = *state * UINT64_C(6364136223846793005) +
	    UINT64_C(1442695040888963407);
	return (unsigned)(*state >> 33) % n;
}

#endif
