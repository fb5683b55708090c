/*
 * Streams of profiles, with and without small differences, give the same
 * records by scanners of canonical lines as without these, also if they are
 * salvaged.
 */
#include "tests/support/flatten.h"
#include "tests/support/streams.h"

enum { PROFILES = 5 };

/* Of the profiles of a stream, and how often there are streams. */
struct shape {
	unsigned functions, bitmap_every, rounds;
};

static const struct shape small = { 150, 11, 150 };
/* Functions in several of the pieces that are pulled. */
static const struct shape large = { 1100, 3000, 6 };

/* xorshift64*, so that all runs are the same. */
static size_t
any(uint64_t *state, size_t below)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (size_t)(*state * 0x2545F4914F6CDD1D >> 33) % below;
}

static void
put_count(struct buf *b, uint64_t *state)
{
	static const char *const edges[] = {
		"0", "7", "8", "9", "10", "99", "100", "999", "1000",
		"9999999", "10000000", "99999999", "123456789012345",
		"9007199254740991", "\"9007199254740992\"",
		"\"18446744073709551615\"",
	};
	uint64_t kind = any(state, 10);

	buf_text(b, kind < 7 ? "0" : kind == 7 ? "3" :
	    edges[any(state, COUNT(edges))]);
}

static void
put_sites(struct buf *b, uint64_t *state, unsigned sites)
{
	buf_text(b, ",\"values\":{\"indirect_call_target\":[");
	for (unsigned i = 0; i < sites; i++) {
		buf_text(b, i == 0 ? "[" : ",[");
		for (uint64_t n = any(state, 3); n > 0; n--) {
			buf_text(b, any(state, 2) == 0 ?
			    "{\"target\":\"a target, long enough\","
			    "\"count\":" :
			    "{\"target_guid\":\"0x00000000000000ff\","
			    "\"count\":");
			put_count(b, state);
			buf_text(b, n == 1 ? "}" : "},");
		}
		buf_text(b, "]");
	}
	buf_text(b, "]}");
}

/* The same line each time, but for its counts and values. */
static void
put_line(struct buf *b, const struct shape *shape, unsigned i,
    uint64_t *state)
{
	char text[200];

	if (i % 29 == 28)
		snprintf(text, sizeof(text), "{\"record\":\"function\","
		    "\"guid\":\"0x%016x\",\"hash\":\"0x%016x\",\"counts\":[",
		    i, i * 7);
	else
		snprintf(text, sizeof(text), "{\"record\":\"function\","
		    "\"name\":\"%s%.*s%u\",\"hash\":\"0x%016x\",\"counts\":[",
		    i % 3 == 0 ? "\xc3\xa4" : "", (int)(i % 40),
		    "_ZN4llvm[name],that{is}_long_and_longer5E", i, i * 5);
	buf_text(b, text);
	for (unsigned n = 0; n < i % 23; n++) {
		buf_text(b, n == 0 ? "" : ",");
		put_count(b, state);
	}
	buf_text(b, "]");
	if (i % shape->bitmap_every == shape->bitmap_every - 1)
		buf_text(b, ",\"bitmap\":\"00ff\"");
	if (i % 5 == 4)
		put_sites(b, state, i % 4 + 1);
	buf_text(b, "}\n");
}

/* One difference, of a byte or a line; most are errors of some kind. */
static void
damage(struct buf *b, uint64_t *state)
{
	static const char bytes[] = "0129,[]{}\":\\ a\n\x7f\xff";
	size_t at = any(state, b->size), n;
	uint8_t *newline;

	switch (any(state, 4)) {
	case 0:
		b->data[at] = (uint8_t)bytes[any(state, sizeof(bytes) - 1)];
		break;
	case 1:			/* a line less, or parts of two */
		newline = memchr(b->data + at, '\n', b->size - at);
		n = newline == NULL ? b->size - at :
		    (size_t)(newline - b->data) - at + any(state, 2);
		memmove(b->data + at, b->data + at + n, b->size - at - n);
		b->size -= n;
		break;
	case 2:
		b->size = at;
		break;
	}
}

static struct prof_span
stream(const struct shape *shape, struct buf *b, uint64_t *state,
    unsigned mutations)
{
	b->size = 0;
	for (unsigned p = 0; p < PROFILES; p++) {
		uint64_t skipped = mutations == 0 ? shape->functions :
		    any(state, 3 * shape->functions);

		buf_text(b, PROFILE);
		for (unsigned i = 0; i < shape->functions; i++) {
			if (i != skipped)
				put_line(b, shape, i, state);
			else if (i % 2 == 0)
				put_line(b, shape, i + 1, state);
		}
		buf_text(b, p == PROFILES - 1 ? LAST : END);
	}
	for (unsigned i = 1; i < mutations; i++)
		damage(b, state);
	return buf_span(b);
}

/* How many records of the two readers differ. */
static size_t
differing_records(struct flat *quick, struct prof_reader *slow)
{
	enum prof_status s, t;
	size_t wrong = 0;

	do {
		struct prof_error e = { 0 }, f = { 0 };
		struct prof_record x, y;

		s = flat_next(quick, &x, &e);
		t = prof_next(slow, &y, &f);
		if (s != t || e.code != f.code || e.offset != f.offset ||
		    strcmp(e.reason, f.reason) != 0 ||
		    (s == PROF_OK && !same_record(&x, &y)))
			wrong++;
	} while (s == PROF_OK && t == PROF_OK);
	return wrong;
}

/* How many records of a text differ that is read in two ways. */
static size_t
wrong_records(struct prof_context *c, struct prof_span text, int mode,
    uint64_t *state)
{
	struct prof_span image = exact(text);
	struct source a = { image, 1 + any(state, 9000) }, b = { image, 0 };
	struct flat quick = { .reader = NULL };
	struct prof_reader *slow;
	size_t wrong;

	quick.reader = reader(mode, c, &a);
	slow = reader(SLOW_IMAGE, NULL, &b);
	wrong = differing_records(&quick, slow);
	prof_close(quick.reader);
	prof_close(slow);
	release(image);
	return wrong;
}

static void
test_same_records(const struct shape *shape)
{
	struct buf b = { 0 };
	uint64_t state = 1;

	for (unsigned mutations = 0; mutations < 4; mutations++) {
		size_t wrong = 0;
		struct prof_context *c = NULL;

		for (unsigned i = 0; i < shape->rounds; i++) {
			struct prof_span text = stream(shape, &b, &state,
			    mutations);

			/* Some streams follow others of one context. */
			if (i % 3 == 0) {
				prof_context_free(c);
				c = prof_context_new(NULL, NULL);
			}
			wrong += wrong_records(c, text, i % 2 == 0 ? IMAGE :
			    PULLED, &state);
		}
		prof_context_free(c);
		check(wrong == 0, "%u functions, %u mutations: %zu records "
		    "differ", shape->functions, mutations, wrong);
	}
	buf_free(&b);
}

/* Salvaged records are the same, too, wherever the text is cut. */
static void
test_salvaged(void)
{
	struct prof_context *plain = prof_context_new(NULL, NULL);
	size_t wrong = 0, nothing = 0;
	struct buf b = { 0 };
	uint64_t state = 6;

	prof_context_salvage(plain, true);
	for (unsigned i = 0; i < 60; i++) {
		struct prof_context *c = prof_context_new(NULL, NULL);
		struct prof_span text = stream(&small, &b, &state, i % 3);
		struct flat quick = { .reader = NULL };
		struct prof_reader *slow;

		prof_context_salvage(c, true);
		text.size = any(&state, text.size);
		quick.reader = prof_open(c, text, NULL);
		slow = prof_open(plain, text, NULL);
		if (quick.reader == NULL || slow == NULL)
			nothing++;
		else
			wrong += differing_records(&quick, slow);
		prof_close(quick.reader);
		prof_close(slow);
		prof_context_free(c);
	}
	check(wrong == 0 && nothing < 10, "salvaged: %zu records differ",
	    wrong);
	prof_context_free(plain);
	buf_free(&b);
}

int
main(void)
{
	test_same_records(&small);
	test_same_records(&large);
	test_salvaged();
	return done_testing();
}
