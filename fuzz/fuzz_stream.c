/*
 * Reads bytes as a stream in both ways of the reader, which have to agree, and
 * writes what was read: the output has to be read as the same records, and be
 * written as the same bytes again.
 */
#include "tests/support/flatten.h"
#include "tests/support/records.h"
#include "format/stream/stream.h"
#include "fuzz/fuzz.h"

/* Reads both texts, one without scanners, and demands equal records. */
static enum prof_status
read_both(struct prof_span quick, struct prof_span slow, const char *promise)
{
	struct prof_reader *a = stream_open(NULL, quick, NULL);
	struct prof_reader *b = stream_open(NULL, slow, NULL);
	enum prof_status s = PROF_FAIL, t = PROF_FAIL;

	if (a != NULL && b != NULL) {
		stream_no_scan(b);
		do {
			struct prof_error e = { 0 }, f = { 0 };
			struct prof_record x, y;

			s = prof_next(a, &x, &e);
			t = prof_next(b, &y, &f);
			demand(s == t && e.code == f.code &&
			    e.offset == f.offset &&
			    strcmp(e.reason, f.reason) == 0 &&
			    (s != PROF_OK || same_record(&x, &y)), promise);
		} while (s == PROF_OK);
	}
	prof_close(a);
	prof_close(b);
	return s;
}

/* Reading with blocks, for repeated programs, is a third way. */
static void
read_blocks(struct prof_span text)
{
	struct prof_context *c = prof_context_new(NULL, NULL);
	struct prof_reader *b = stream_open(NULL, text, NULL);
	struct flat a = { .reader = NULL };
	enum prof_status s = PROF_FAIL, t;

	if (c != NULL && b != NULL) {
		prof_context_blocks(c);
		stream_no_scan(b);
		a.reader = stream_open(c, text, NULL);
	}
	while (a.reader != NULL) {
		struct prof_error e = { 0 }, f = { 0 };
		struct prof_record x, y;

		s = flat_next(&a, &x, &e);
		t = prof_next(b, &y, &f);
		demand(s == t && e.code == f.code && e.offset == f.offset &&
		    strcmp(e.reason, f.reason) == 0 &&
		    (s != PROF_OK || same_record(&x, &y)), "blocks agree");
		if (s != PROF_OK)
			break;
	}
	prof_close(a.reader);
	prof_close(b);
	prof_context_free(c);
}

/* A stream repeated three times has blocks if it has functions. */
static void
read_again(struct prof_span text)
{
	struct buf b = { 0 };

	for (int i = 0; i < 3; i++)
		buf_put(&b, text.data, text.size);
	if (!b.failed)
		read_blocks((struct prof_span){ b.data, b.size });
	buf_free(&b);
}

/* A prof_pull that gives small pieces of changing sizes. */
static ssize_t
pull(void *arg, void *data, size_t size)
{
	struct prof_span *left = arg;
	size_t n = left->size < 7 ? left->size : 7 + left->size % 100;

	if (n > left->size)
		n = left->size;
	if (n > size)
		n = size;
	if (n == 0)
		return 0;
	memcpy(data, left->data, n);
	left->data += n;
	left->size -= n;
	return (ssize_t)n;
}

/* Writes all records that can be read, then the end or an abort. */
static void
rewrite(struct prof_span text, struct buf *out)
{
	const struct prof_target target = { .format = "stream", .version = 1 };
	struct prof_reader *r = stream_open_pull(NULL, pull, &text, NULL);
	struct prof_writer *w = stream_writer_new(NULL, &target, collect, out,
	    NULL);
	struct prof_record record;
	enum prof_status status = PROF_FAIL;

	if (r != NULL && w != NULL) {
		while ((status = prof_next(r, &record, NULL)) == PROF_OK)
			demand(prof_put(w, &record, NULL) == PROF_OK,
			    "what is read can be written");
		if (status == PROF_END)
			demand(prof_finish(w, NULL) == PROF_OK,
			    "what is whole can be finished");
		else
			prof_abort(w, "the input is bad");
	}
	prof_writer_free(w);
	prof_close(r);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct prof_span text = { data, size };
	struct buf once = { 0 }, twice = { 0 };

	read_blocks(text);
	read_again(text);
	if (read_both(text, text, "both ways agree") == PROF_END) {
		rewrite(text, &once);
		demand(read_both(span_of(&once), text, "copies are the same") ==
		    PROF_END, "a copy is whole");
		rewrite(span_of(&once), &twice);
		demand(prof_span_equal(span_of(&once), span_of(&twice)),
		    "a copy of a copy is the same to the byte");
	} else {
		rewrite(text, &once);
		demand(read_both(span_of(&once), span_of(&once),
		    "both ways agree on an abort") == PROF_FAIL,
		    "an aborted copy is refused");
	}
	buf_free(&once);
	buf_free(&twice);
	return 0;
}
