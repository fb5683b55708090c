#include <errno.h>

#include "tests/support/streams.h"

/* A function of one counter with that name comes back as it was. */
static bool
name_survives(struct prof_span name)
{
	const uint64_t one = 1;
	struct prof_record head = { .kind = PROF_REC_PROFILE };
	struct prof_record f = { PROF_REC_FUNCTION, { .function = {
		.symbol.name = name, .counts = &one, .counts_size = 1 } } };
	struct prof_record end = { .kind = PROF_REC_END }, back;
	struct buf out = { 0 };
	struct prof_writer *w = writer(&out);
	struct prof_reader *r;
	bool same;

	same = prof_put(w, &head, NULL) == PROF_OK &&
	    prof_put(w, &f, NULL) == PROF_OK &&
	    prof_put(w, &end, NULL) == PROF_OK &&
	    prof_finish(w, NULL) == PROF_OK;
	prof_writer_free(w);
	r = stream_open(NULL, buf_span(&out), NULL);
	same = same && prof_next(r, &back, NULL) == PROF_OK &&
	    prof_next(r, &back, NULL) == PROF_OK && same_record(&f, &back) &&
	    prof_next(r, &back, NULL) == PROF_OK &&
	    prof_next(r, &back, NULL) == PROF_END;
	prof_close(r);
	buf_free(&out);
	return same;
}

static void
test_names(void)
{
	size_t wrong = 0;

	for (unsigned i = 0; i < 0x10000; i++) {
		uint8_t bytes[] = { (uint8_t)(i >> 8), (uint8_t)i, 'x' };

		wrong += !name_survives((struct prof_span){ bytes + 1, 1 }) ||
		    !name_survives((struct prof_span){ bytes, 2 }) ||
		    !name_survives((struct prof_span){ bytes, 3 });
	}
	check(wrong == 0, "names of any one and two bytes survive");
	check(name_survives(span("\xef\xbf\xbe\xef\xbf\xbf\xe2\x80\xa8"
	    "\xf4\x8f\xbf\xbf\xef\xbb\xbf\x7f")), "odd characters survive");
	check(name_survives(span("\xf4\x90\x80\x80")), "above U+10FFFF");
}

static void
test_empty_name(void)
{
	const uint8_t nothing = 0;
	struct prof_record records[] = {
		{ .kind = PROF_REC_PROFILE },
		{ PROF_REC_FUNCTION, { .function = {
		    .symbol.name = { &nothing, 0 } } } },
		{ .kind = PROF_REC_END },
	};
	struct buf out = { 0 };
	struct prof_writer *w = writer(&out);

	for (size_t i = 0; i < COUNT(records); i++)
		prof_put(w, &records[i], NULL);
	prof_finish(w, NULL);
	prof_writer_free(w);
	check(is_output(&out, span(PROFILE "{\"record\":\"function\","
	    "\"guid\":\"0x04b2008fd98c1dd4\","
	    "\"hash\":\"0x0000000000000000\",\"counts\":[]}\n" LAST)),
	    "an empty name is written as its guid");
	buf_free(&out);
}

static int
fail(void *arg, const void *data, size_t size)
{
	unsigned *calls = arg;

	(void)data;
	(void)size;
	++*calls;
	return ENOSPC;
}

static void
test_writer_order(void)
{
	const struct prof_record head = { .kind = PROF_REC_PROFILE };
	const struct prof_record end = { .kind = PROF_REC_END };
	struct prof_error err = { 0 };
	struct buf out = { 0 };
	struct prof_writer *w = writer(&out);

	check(prof_finish(w, &err) == PROF_FAIL && err.code == PROF_E_FORMAT &&
	    strcmp(err.reason, "no profile") == 0, "no profile, no stream");
	check(prof_put(w, &end, NULL) == PROF_FAIL, "an end without profile");
	check(prof_put(w, &head, NULL) == PROF_OK, "a profile");
	check(prof_put(w, &head, NULL) == PROF_FAIL, "a profile inside it");
	check(prof_finish(w, NULL) == PROF_FAIL, "no end of it");
	check(prof_put(w, &end, NULL) == PROF_OK, "its end");
	check(prof_put(w, &end, NULL) == PROF_FAIL, "one more end");
	check(prof_put(w, &head, NULL) == PROF_OK, "the next");
	check(prof_put(w, &end, NULL) == PROF_OK, "its end");
	check(prof_finish(w, NULL) == PROF_OK, "finish");
	check(is_output(&out, span(PROFILE END PROFILE LAST)),
	    "only the last end says so");
	prof_writer_free(w);
	buf_free(&out);
}

static void
test_abort(void)
{
	const struct prof_record head = { .kind = PROF_REC_PROFILE };
	const struct prof_record end = { .kind = PROF_REC_END };
	struct buf out = { 0 };
	struct prof_writer *w = writer(&out);

	prof_put(w, &head, NULL);
	prof_abort(w, "a\"b\n\xff");
	check(is_output(&out, span(PROFILE "{\"record\":\"abort\","
	    "\"reason\":\"a\\\"b??\"}\n")), "abort after whole lines");
	prof_writer_free(w);

	out.size = 0;
	w = writer(&out);
	prof_put(w, &head, NULL);
	prof_put(w, &end, NULL);
	prof_abort(w, "x");
	check(is_output(&out, span(PROFILE "{\"record\":\"abort\","
	    "\"reason\":\"x\"}\n")), "no end before an abort");
	prof_writer_free(w);
	buf_free(&out);
}

static void
test_full_disk(void)
{
	const struct prof_target target = { .format = "stream", .version = 1 };
	const struct prof_record head = { .kind = PROF_REC_PROFILE };
	const struct prof_record end = { .kind = PROF_REC_END };
	struct prof_error err = { 0 };
	unsigned calls = 0;
	struct prof_writer *w = stream_writer_new(NULL, &target, fail, &calls,
	    NULL);

	check(prof_put(w, &head, &err) == PROF_OK &&
	    prof_put(w, &end, &err) == PROF_OK && calls == 0,
	    "small output waits");
	check(prof_finish(w, &err) == PROF_FAIL && err.code == PROF_E_SYSTEM,
	    "a full disk is reported: %s", err.reason);
	prof_abort(w, err.reason);
	check(calls == 1, "and not written to again");
	prof_writer_free(w);
}

/* Output comes in pieces of whole lines, and not much later than it could. */
struct pieces {
	size_t count, largest;
	bool whole;
};

static int
note_piece(void *arg, const void *data, size_t size)
{
	struct pieces *p = arg;

	p->count++;
	if (size > p->largest)
		p->largest = size;
	p->whole &= size > 0 && ((const char *)data)[size - 1] == '\n';
	return 0;
}

static void
test_pieces(void)
{
	const struct prof_target target = { .format = "stream", .version = 1 };
	const struct prof_record head = { .kind = PROF_REC_PROFILE };
	const struct prof_record odd = { PROF_REC_OTHER, { .other =
	    { (const uint8_t *)"{\"record\":\"odd\"}", 16 } } };
	struct pieces p = { .whole = true };
	struct prof_writer *w = stream_writer_new(NULL, &target, note_piece,
	    &p, NULL);

	prof_put(w, &head, NULL);
	for (unsigned i = 0; i < 100000; i++)
		prof_put(w, &odd, NULL);
	check(p.count == 25 && p.largest < 65536 + 17 && p.whole,
	    "%zu pieces of at most %zu bytes", p.count, p.largest);
	prof_writer_free(w);
}

/* 9 references to a name of 32 MiB, that is 288 MiB. */
static void
test_long_line(const char *format)
{
	const struct prof_target target = { .format = format };
	struct prof_record head = { .kind = PROF_REC_PROFILE };
	struct prof_value values[9] = { { .count = 1 } };
	struct prof_site site = { values, 9 };
	struct prof_record f = { PROF_REC_FUNCTION, { .function = {
	    .symbol.name = span("f"), .counts = (const uint64_t[]){ 1 },
	    .counts_size = 1, .values = { { &site, 1 } } } } };
	struct pieces p = { .whole = true };
	struct prof_error err = { 0 };
	struct prof_writer *w = prof_writer_new(NULL, &target, note_piece, &p,
	    NULL);
	const size_t size = (size_t)1 << 25;
	uint8_t *name = malloc(size);

	memset(name, 'x', size);
	for (size_t i = 0; i < 9; i++)
		values[i].name = (struct prof_span){ name, size };
	head.u.profile.level = PROF_LEVEL_IR;
	check(prof_put(w, &head, NULL) == PROF_OK &&
	    prof_put(w, &f, &err) == PROF_FAIL && err.code == PROF_E_LIMIT,
	    "%s: a record of 288 MiB is refused: %s", format, err.reason);
	prof_abort(w, err.reason);
	check(p.whole, "%s: whole lines are written", format);
	prof_writer_free(w);
	free(name);
}

int
main(void)
{
	test_names();
	test_empty_name();
	test_writer_order();
	test_abort();
	test_full_disk();
	test_pieces();
	test_long_line("stream");
	test_long_line("text");
	return done_testing();
}
