/* Heap profiles in indexed files that no writer makes. */
#include "base/bytes.h"
#include "prof.h"
#include "tests/support/test.h"

enum { MEMPROF_BIT = 62, FIELD = 7 };

/*
 * An indexed file of version 13 with a section of version 3: so many frames,
 * and a radix array of so many elements that all are `length`.  A function
 * calls from the first `stacks` of them.
 */
struct sample {
	uint32_t frames, elements, length, stacks;
};

static void
put_words(struct buf *b, size_t n, uint64_t word)
{
	while (n-- > 0)
		buf_u64le(b, word);
}

/* One item of key and hash 1 in one bucket; the place of its head. */
static size_t
put_record(struct buf *b, const struct sample *s)
{
	size_t bucket = b->size, head;

	buf_u16le(b, 1);
	buf_u64le(b, 1);
	buf_u64le(b, 8);
	buf_u64le(b, 16 + (uint64_t)4 * s->stacks);
	buf_u64le(b, 1);
	buf_u64le(b, 0);
	buf_u64le(b, s->stacks);
	for (uint32_t i = 0; i < s->stacks; i++)
		buf_u32le(b, i);
	buf_pad8(b);
	head = b->size;
	put_words(b, 2, 1);
	buf_u64le(b, bucket);
	return head;
}

static void
put_section(struct buf *b, const struct sample *s)
{
	size_t start = b->size;

	buf_u64le(b, 3);
	put_words(b, 3, 0);
	buf_u64le(b, 1);
	buf_u64le(b, FIELD);
	for (uint32_t i = 0; i < s->frames; i++) {
		buf_u64le(b, i + 1);
		buf_u64le(b, 0);
		buf_u8(b, 0);
	}
	buf_set_u64le(b, start + 8, b->size);
	for (uint32_t i = 0; i < s->elements; i++)
		buf_u32le(b, s->length);
	buf_set_u64le(b, start + 16, b->size);
	buf_set_u64le(b, start + 24, put_record(b, s));
}

static void
put_file(struct buf *b, const struct sample *s)
{
	buf_u64le(b, 0x8169666F72706CFF);
	buf_u64le(b, 13 | (uint64_t)1 << MEMPROF_BIT);
	put_words(b, 7, 0);
	put_words(b, 2, 0);		/* summary */
	buf_set_u64le(b, 32, b->size);
	buf_u64le(b, 1);		/* table of functions */
	put_words(b, 2, 0);
	buf_set_u64le(b, 40, b->size);
	put_section(b, s);
	buf_set_u64le(b, 48, b->size);
	buf_u64le(b, 0);		/* binary ids */
	buf_set_u64le(b, 64, b->size);
	buf_u64le(b, 0);		/* names of vtables */
}

/* The number of frames of all stacks. */
static enum prof_status
read_all(const struct buf *b, size_t *frames, struct prof_error *err)
{
	struct prof_reader *r = prof_open(NULL, buf_span(b), err);
	enum prof_status status = r == NULL ? PROF_FAIL : PROF_OK;
	struct prof_record record;

	*frames = 0;
	while (status == PROF_OK &&
	    (status = prof_next(r, &record, err)) == PROF_OK) {
		if (record.kind == PROF_REC_STACK)
			*frames += record.u.stack.frames_size;
	}
	prof_close(r);
	return status;
}

/* Stacks that share what they have can be far longer than their file. */
static void
test_shared(void)
{
	static const struct {
		struct sample sample;
		size_t frames;
		const char *reason;	/* NULL: it is read */
	} rows[] = {
		/* All of a length are the same stack. */
		{ { 2, 10, 1, 9 }, 1, NULL },
		{ { 101, 1000, 100, 900 }, 100, NULL },
		{ { 1, 10, 0, 10 }, 0, NULL },
		{ { 2, 10, 1, 10 }, 0, "call stack 9: 1 frames exceed the 0 "
		    "elements left of the radix array" },
		{ { 1, 10, 1, 1 }, 0, "call stack 0: frame 1 is not one of the "
		    "1 frames" },
		{ { 2001, 6000, 2000, 4000 }, 0, "frames, the limit for a file "
		    "of this size" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct prof_error err = { 0 };
		struct buf b = { 0 };
		enum prof_status status;
		size_t frames;

		put_file(&b, &rows[i].sample);
		status = read_all(&b, &frames, &err);
		if (rows[i].reason == NULL)
			check(status == PROF_END && frames == rows[i].frames,
			    "row %zu: %zu frames: %s", i, frames, err.reason);
		else
			check(status == PROF_FAIL &&
			    strstr(err.reason, rows[i].reason) != NULL,
			    "row %zu: %s", i, err.reason);
		buf_free(&b);
	}
}

int
main(void)
{
	test_shared();
	return done_testing();
}
