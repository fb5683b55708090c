/* tests/support/streams.h - streams to read and write, for tests */
#ifndef STREAMS_H
#define STREAMS_H

#include "format/stream/stream.h"
#include "tests/support/images.h"
#include "tests/support/records.h"

#define PROFILE	"{\"record\":\"profile\",\"stream\":1,\"kind\":\"instr\"}\n"
#define END	"{\"record\":\"end\"}\n"
#define LAST	"{\"record\":\"end\",\"last\":true}\n"
#define HASH	"\"hash\":\"0x0000000000000018\""
#define MAIN	"{\"record\":\"function\",\"name\":\"main\"," HASH \
		",\"counts\":[1,0]}\n"
#define FUNCTION	"{\"record\":\"function\",\"name\":\"f\"," HASH
#define VALUES(text)	FUNCTION ",\"counts\":[],\"values\":" text "}"
#define HEAD	"{\"record\":\"profile\",\"stream\":1,\"kind\":\"instr\""

/* How a stream is read. */
enum { IMAGE, PULLED, SLOW_IMAGE, SLOW_PULLED, MODES };

struct source {
	struct prof_span left;
	size_t piece;			/* bytes given at a time */
};

static inline ssize_t
pull(void *arg, void *data, size_t size)
{
	struct source *s = arg;
	size_t n = s->left.size < s->piece ? s->left.size : s->piece;

	if (n > size)
		n = size;
	if (n == 0)
		return 0;
	memcpy(data, s->left.data, n);
	s->left.data += n;
	s->left.size -= n;
	return (ssize_t)n;
}

static inline struct prof_reader *
reader(int mode, struct prof_context *c, struct source *s)
{
	struct prof_reader *r = mode == IMAGE || mode == SLOW_IMAGE ?
	    stream_open(c, s->left, NULL) :
	    stream_open_pull(c, pull, s, NULL);

	if (mode == SLOW_IMAGE || mode == SLOW_PULLED)
		stream_no_scan(r);
	return r;
}

static inline struct prof_writer *
writer(struct buf *out)
{
	const struct prof_target target = { .format = "stream", .version = 1 };

	return stream_writer_new(NULL, &target, buf_sink, out, NULL);
}

/* Reads a stream and writes it again. */
static inline enum prof_status
copy(int mode, struct prof_context *c, struct prof_span text, size_t piece,
    struct buf *out, struct prof_error *err)
{
	struct prof_span image = exact(text);
	struct source s = { image, piece };
	struct prof_reader *r = reader(mode, c, &s);
	struct prof_writer *w = writer(out);
	struct prof_record record;
	enum prof_status status;

	out->size = 0;
	do {
		status = prof_next(r, &record, err);
	} while (status == PROF_OK &&
	    prof_put(w, &record, err) == PROF_OK);
	if (status == PROF_END)
		status = prof_finish(w, err);
	prof_writer_free(w);
	prof_close(r);
	release(image);
	return status;
}

/* Whether the output is this text, with a note if not. */
static inline bool
is_output(const struct buf *out, struct prof_span text)
{
	bool same = prof_span_equal((struct prof_span){ out->data, out->size },
	    text);

	if (!same)
		printf("# got %.*s\n", (int)out->size,
		    (const char *)out->data);
	return same;
}

/* Appends JSON whose quotes may be single ones, so that rows can be read. */
static inline void
put_json(struct buf *b, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		buf_u8(b, text[i] == '\'' ? '"' : (uint8_t)text[i]);
}

/* A stream of one profile that holds the line. */
static inline struct prof_span
with_line(struct buf *b, const char *line)
{
	bool head = strncmp(line, HEAD, 19) == 0 ||
	    strncmp(line, "{'record':'profile'", 19) == 0;

	b->size = 0;
	buf_put(b, PROFILE, head ? 0 : strlen(PROFILE));
	put_json(b, line, strlen(line));
	buf_put(b, "\n" LAST, 1 + strlen(LAST));
	return (struct prof_span){ b->data, b->size };
}

/* Each line with each byte replaced: both ways give the same. */
static inline size_t
differences(struct prof_span text)
{
	struct prof_span image = exact(text);
	struct source a = { image, 0 }, b = { image, 0 };
	struct prof_reader *quick = reader(IMAGE, NULL, &a);
	struct prof_reader *slow = reader(SLOW_IMAGE, NULL, &b);
	enum prof_status s, t;
	size_t wrong = 0;

	do {
		struct prof_error e = { 0 }, f = { 0 };
		struct prof_record x, y;

		s = prof_next(quick, &x, &e);
		t = prof_next(slow, &y, &f);
		if (s != t || e.code != f.code || e.offset != f.offset ||
		    strcmp(e.reason, f.reason) != 0 ||
		    (s == PROF_OK && !same_record(&x, &y)))
			wrong++;
	} while (s == PROF_OK && t == PROF_OK);
	prof_close(quick);
	prof_close(slow);
	release(image);
	return wrong;
}

#endif
