/*
 * Text profiles: what their lines say, and where what is wrong with them.
 *
 * Rows were held against llvm-profdata 22; tests/oracle/text.bats does so again
 * where it is installed.
 */
#include "tests/support/images.h"

#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "format/codec.h"

static void
put_sites(struct buf *b, int kind, const struct prof_sites *sites)
{
	if (sites->size != 0)
		buf_print(b, " %d", kind);
	for (size_t i = 0; i < sites->size; i++) {
		const struct prof_site *s = &sites->sites[i];

		buf_print(b, "(");
		for (size_t k = 0; k < s->size; k++) {
			const struct prof_value *v = &s->values[k];

			buf_print(b, k == 0 ? "" : " ");
			if (v->name.data != NULL)
				buf_put(b, v->name.data, v->name.size);
			else
				buf_print(b, "%" PRIu64, v->value);
			buf_print(b, "=%" PRIu64, v->count);
		}
		buf_print(b, ")");
	}
}

static void
put_function(struct buf *b, const struct prof_function *f)
{
	buf_put(b, f->symbol.name.data, f->symbol.name.size);
	buf_print(b, ":%" PRIu64, f->hash);
	for (size_t i = 0; i < f->counts_size; i++)
		buf_print(b, " %" PRIu64, f->counts[i]);
	if (f->bitmap.size != 0)
		buf_print(b, " $");
	for (size_t i = 0; i < f->bitmap.size; i++)
		buf_print(b, "%02x", f->bitmap.data[i]);
	for (int k = 0; k < PROF_VALUE_KINDS; k++)
		put_sites(b, k, &f->values[k]);
}

static void
put_head(struct buf *b, const struct prof_header *h)
{
	static const char *const levels[] = {
		[PROF_LEVEL_UNKNOWN] = "?", [PROF_LEVEL_IR] = "ir",
		[PROF_LEVEL_FRONTEND] = "fe",
	};
	static const char *const flags[PROF_FLAGS] = {
		" cs", " entry", " loop", " byte", " only", " temporal",
	};

	buf_print(b, "%s", levels[h->level]);
	for (int i = 0; i < PROF_FLAGS; i++) {
		if (h->flags & 1u << i)
			buf_print(b, "%s", flags[i]);
	}
	if (h->has_trace_stream_size)
		buf_print(b, " of %" PRIu64, h->trace_stream_size);
}

static void
put_trace(struct buf *b, const struct prof_trace *t)
{
	buf_print(b, "%" PRIu64 " times", t->weight);
	for (size_t i = 0; i < t->size; i++) {
		buf_print(b, i == 0 ? " " : ",");
		buf_put(b, t->functions[i].name.data,
		    t->functions[i].name.size);
	}
}

/* A record as the rows below have it, a line each. */
static void
put_record(struct buf *b, const struct prof_record *r)
{
	switch (r->kind) {
	case PROF_REC_PROFILE:
		put_head(b, &r->u.profile);
		break;
	case PROF_REC_FUNCTION:
		put_function(b, &r->u.function);
		break;
	case PROF_REC_VTABLE:
		buf_print(b, "vtable ");
		buf_put(b, r->u.vtable.symbol.name.data,
		    r->u.vtable.symbol.name.size);
		break;
	case PROF_REC_TRACE:
		put_trace(b, &r->u.trace);
		break;
	default:
		return;
	}
	buf_print(b, "; ");
}

/*
 * Describes all records of a text that has nothing behind it.  PROF_END or
 * PROF_FAIL.
 */
static enum prof_status
describe_in(struct prof_context *context, struct prof_span text, struct buf *b,
    struct prof_error *err)
{
	struct prof_span copy = exact(text);
	enum prof_status status;
	struct prof_reader *r;
	struct prof_record record;

	r = text_open(context, copy, err);
	status = PROF_FAIL;
	while (r != NULL && (status = prof_next(r, &record, err)) == PROF_OK)
		put_record(b, &record);
	buf_u8(b, '\0');
	prof_close(r);
	release(copy);
	return status;
}

static enum prof_status
describe(struct prof_span text, struct buf *b, struct prof_error *err)
{
	return describe_in(NULL, text, b, err);
}

#define F "f\n1\n1\n5\n"		/* a function */
#define T ":ir\n:temporal_prof_traces\n"

static const struct good {
	const char *text, *want;
} good[] = {
	{ F, "fe; f:1 5; " },
	{ "", "?; " },
	{ "# nothing\n\n", "?; " },
	/* Flags. */
	{ ":fe\n" F, "fe; f:1 5; " }, { ":ir\n" F, "ir; f:1 5; " },
	{ ":csir\n" F, "ir cs; f:1 5; " }, { ":IR\n" F, "ir; f:1 5; " },
	{ ":CsIr\n:iR\n" F, "ir cs; f:1 5; " }, { ":ir\n", "ir; " },
	{ ":fe\n:ir\n" F, "ir; f:1 5; " }, { ":ir\n:fe\n" F, "ir; f:1 5; " },
	{ ":entry_first\n" F, "fe entry; f:1 5; " },
	{ ":Entry_First\n:NOT_entry_first\n" F, "fe; f:1 5; " },
	{ ":not_entry_first\n:entry_first\n" F, "fe entry; f:1 5; " },
	{ ":ir\n:instrument_loop_entries\n" F, "ir loop; f:1 5; " },
	{ ":single_byte_coverage\n" F, "fe byte; f:1 5; " },
	{ ":entry_first\n", "? entry; " },
	/* Only in front of the first function. */
	{ F ":ir\n2\n1\n6\n", "fe; f:1 5; :ir:2 6; " },
	/* Names. */
	{ "a b\n1\n1\n5\n", "fe; a b:1 5; " },
	{ " a \n1\n1\n5\n", "fe;  a :1 5; " },
	{ "f.c:g\n1\n1\n5\n", "fe; f.c:g:1 5; " },
	{ "a#b\n1\n1\n5\n", "fe; a#b:1 5; " },
	{ "7\n1\n1\n5\n", "fe; 7:1 5; " },
	{ F "4294967296\n1\n1\n5\n", "fe; f:1 5; 4294967296:1 5; " },
	{ "$f\n1\n1\n5\n", "fe; $f:1 5; " },
	{ "a\rb\n1\n1\n5\n", "fe; a\rb:1 5; " },
	{ "\xff\xfe\n1\n1\n5\n", "fe; \xff\xfe:1 5; " },
	/* Hashes. */
	{ "f\n0\n1\n5\n", "fe; f:0 5; " },
	{ "f\n0x1F\n1\n5\n", "fe; f:31 5; " },
	{ "f\n0X1f\n1\n5\n", "fe; f:31 5; " },
	{ "f\n0b101\n1\n5\n", "fe; f:5 5; " },
	{ "f\n0B101\n1\n5\n", "fe; f:5 5; " },
	{ "f\n0o17\n1\n5\n", "fe; f:15 5; " },
	{ "f\n0O17\n1\n5\n", "fe; f:15 5; " },
	{ "f\n017\n1\n5\n", "fe; f:15 5; " },
	{ "f\n00\n1\n5\n", "fe; f:0 5; " },
	{ "f\n18446744073709551615\n1\n5\n", "fe; f:18446744073709551615 5; " },
	{ "f\n0xffffffffffffffff\n1\n5\n", "fe; f:18446744073709551615 5; " },
	/* Counters. */
	{ "f\n1\n3\n1\n0\n18446744073709551615\n",
	    "fe; f:1 1 0 18446744073709551615; " },
	{ "f\n1\n02\n010\n00\n", "fe; f:1 10 0; " },
	{ F F, "fe; f:1 5; f:1 5; " },
	{ F "f\n2\n2\n6\n7\n", "fe; f:1 5; f:2 6 7; " },
	/* Bitmaps. */
	{ F "$2\n0x1\n255\n", "fe; f:1 5 $01ff; " },
	{ F "$ 1 \n1\n", "fe; f:1 5 $01; " },
	{ F "$\t1\t\n1\n", "fe; f:1 5 $01; " },
	{ F "$0\n" F, "fe; f:1 5; f:1 5; " },
	{ F "$03\n010\n0xfF\n0b11\n", "fe; f:1 5 $08ff03; " },
	{ F "$1\n1\n$1\n2\n1\n6\n", "fe; f:1 5 $01; $1:2 6; " },
	{ F "$1\n1\n1\n1\n1\n1\n7:2\n", "fe; f:1 5 $01 1(7=2); " },
	/* Values. */
	{ F "1\n0\n2\n2\na:1\nb:3\n0\n", "fe; f:1 5 0(a=1 b=3)(); " },
	{ F "1\n0\n1\n1\nf.c:g:h:9\n", "fe; f:1 5 0(f.c:g:h=9); " },
	{ F "1\n0\n1\n1\n a b :9\n", "fe; f:1 5 0( a b =9); " },
	{ F "1\n0\n1\n1\n** External Symbol **:4\n", "fe; f:1 5 0(0=4); " },
	{ F "1\n0\n1\n1\n** external symbol **:4\n",
	    "fe; f:1 5 0(** external symbol **=4); " },
	{ F "1\n0\n1\n3\na:1\nb:1\na:1\n", "fe; f:1 5 0(a=1 b=1 a=1); " },
	{ F "1\n1\n1\n2\n0:1\n18446744073709551615:010\n",
	    "fe; f:1 5 1(0=1 18446744073709551615=10); " },
	{ F "1\n2\n1\n2\nvt:4\nvt:3\n", "fe; f:1 5 2(vt=4 vt=3); vtable vt; " },
	{ F "1\n2\n1\n1\n** External Symbol **:4\n", "fe; f:1 5 2(0=4); " },
	{ F "1\n2\n1\n1\n12:4\n", "fe; f:1 5 2(12=4); vtable 12; " },
	{ F "03\n0\n01\n01\na:1\n1\n1\n1\n7:2\n2\n1\n1\nvt:3\n",
	    "fe; f:1 5 0(a=1) 1(7=2) 2(vt=3); vtable vt; " },
	{ F "2\n1\n1\n1\n7:2\n0\n1\n1\na:1\n", "fe; f:1 5 0(a=1) 1(7=2); " },
	{ F "1\n0\n0\n" F, "fe; f:1 5; f:1 5; " },
	{ F "2\n0\n0\n1\n1\n0\n", "fe; f:1 5 1(); " },
	/* Sites of a kind that stands twice follow each other. */
	{ F "3\n0\n1\n1\na:1\n1\n1\n0\n0\n2\n1\nb:2\n0\n",
	    "fe; f:1 5 0(a=1)(b=2)() 1(); " },
	{ F "2\n0\n1\n1\na:1\n0\n0\n", "fe; f:1 5 0(a=1); " },
	{ F "1\n0\n0\n3\n1\n1\n5\n", "fe; f:1 5; 3:1 5; " },
	/* Traces. */
	{ T "1\n1\n1\na,b\n" F, "ir temporal of 1; f:1 5; 1 times a,b; " },
	{ T "2\n9\n3\na,\n0\n,b,,c,\n" F,
	    "ir temporal of 9; f:1 5; 3 times a; 0 times b,c; " },
	{ T "0x1\n0b11\n017\n a b ,\tc\n" F,
	    "ir temporal of 3; f:1 5; 15 times a b,c; " },
	{ T "1\n1\n1\na, ,b\n" F, "ir temporal of 1; f:1 5; 1 times a,b; " },
	{ T "1\n1\n1\n,\n" F, "ir temporal of 1; f:1 5; 1 times; " },
	{ T "0\n0\n", "ir temporal of 0; " },
	{ T "0\n7\n", "ir temporal of 7; " },
	{ T "1\n1\n1\n:a\n:entry_first\n" F,
	    "ir entry temporal of 1; f:1 5; 1 times :a; " },
	{ ":temporal_prof_traces\n1\n1\n1\na\n:ir\n" F,
	    "ir temporal of 1; f:1 5; 1 times a; " },
	/* All lines of them come before the last line of the file. */
	{ T "1\n1\n1\na\n", "ir temporal of 1; 1 times a; " },
};

/* A text with each newline replaced. */
static void
replace_newlines(const char *text, const char *by, struct buf *out)
{
	for (const char *p = text; *p != '\0'; p++) {
		if (*p == '\n')
			buf_text(out, by);
		else
			buf_u8(out, (uint8_t)*p);
	}
}

static void
test_good(struct prof_context *context, const struct good *row,
    struct prof_span text, const char *how)
{
	struct prof_error e = { 0 };
	struct buf got = { 0 };
	enum prof_status status = describe_in(context, text, &got, &e);

	if (!check(status == PROF_END &&
	    strcmp((char *)got.data, row->want) == 0, "%zu: %s%s",
	    (size_t)(row - good), row->want, how))
		printf("# got %s %s\n", (char *)got.data, e.reason);
	buf_free(&got);
}

/* Ends of lines, and what stands between lines, say nothing. */
static void
test_good_rows(void)
{
	static const struct {
		const char *newline, *how;
	} ways[] = {
		{ "\n", "" }, { "\r\n", "with CRLF" },
		{ "\n\n# a comment\n#\n\r\n", "with comments between" },
	};

	struct prof_context *as_llvm = prof_context_new(NULL, NULL);

	prof_context_as_llvm(as_llvm);
	for (size_t i = 0; i < COUNT(good); i++) {
		for (size_t k = 0; k < COUNT(ways); k++) {
			struct buf text = { 0 };

			buf_put(&text, "#\n", 2);
			replace_newlines(good[i].text, ways[k].newline, &text);
			test_good(NULL, &good[i], buf_span(&text), ways[k].how);
			buf_free(&text);
		}
		if (good[i].text[0] != '\0')
			test_good(as_llvm, &good[i], (struct prof_span){
			    (const uint8_t *)good[i].text,
			    strlen(good[i].text) - 1 },
			    "without the last newline, as LLVM");
	}
	prof_context_free(as_llvm);
}

static const struct {
	const char *text;
	uint64_t line;
	enum prof_code code;
	const char *reason;
} bad[] = {
#define TRUNCATED PROF_E_TRUNCATED
#define CORRUPT PROF_E_CORRUPT
#define DOUBT ": perhaps no profile"
#define HASH "a function's hash" DOUBT
#define NOT(what, item) CORRUPT, "'" what "' is not " item
#define NO(item) TRUNCATED, "the file ends where " item " should be"
	/* Flags. */
	{ ":irr\n" F, 1, NOT(":irr", "a flag of text profiles") },
	{ ":\n" F, 1, NOT(":", "a flag of text profiles") },
	{ "#\n:ir \n" F, 2, NOT(":ir ", "a flag of text profiles") },
	/* Hashes. */
	{ "f\n", 1, TRUNCATED, "the file ends where a function's hash should be"
	    DOUBT },
	{ F "g\n\n#\n", 7, NO("a function's hash") },
	{ "f\nx\n1\n5\n", 2, NOT("x", HASH) },
	{ "f\n1 \n1\n5\n", 2, NOT("1 ", HASH) },
	{ "f\n\t1\n1\n5\n", 2, NOT("?1", HASH) },
	{ "f\n +1\n1\n5\n", 2, NOT(" +1", HASH) },
	{ "f\n-1\n1\n5\n", 2, NOT("-1", HASH) },
	{ "f\n08\n1\n5\n", 2, NOT("08", HASH) },
	{ "f\n0x\n1\n5\n", 2, NOT("0x", HASH) },
	{ "f\n0b2\n1\n5\n", 2, NOT("0b2", HASH) },
	{ "f\n0xg\n1\n5\n", 2, NOT("0xg", HASH) },
	{ "f\n18446744073709551616\n1\n5\n", 2, NOT("18446744073709551616",
	    HASH) },
	{ "f\n0x10000000000000000\n1\n5\n", 2, NOT("0x10000000000000000",
	    HASH) },
	/* A number that was cut is a number too. */
	{ "f\n1\n1\n12", 4, TRUNCATED, "no newline ends the last line, which "
	    "may have been cut" },
	{ F "#\n\nf\r\n1\r\n1\r\n12\r", 10, TRUNCATED, "no newline ends the "
	    "last line, which may have been cut" },
	/* Counters. */
	{ "f\n1\n", 2, NO("a number of counters") },
	{ "f\n1\n0\n5\n", 3, CORRUPT, "the number of counters is 0" },
	{ "f\n1\n0\n", 3, CORRUPT, "the number of counters is 0" },
	{ "f\n1\n0x1\n5\n", 3, NOT("0x1", "a number of counters") },
	{ "f\n1\n1\n0x5\n", 4, NOT("0x5", "a counter") },
	{ "f\n1\n1\n5 \n", 4, NOT("5 ", "a counter") },
	{ "f\n1\n1\n18446744073709551616\n", 4, NOT("18446744073709551616", "a "
	    "counter") },
	{ "f\n1\n2\n500\n", 4, NO("a counter") },
	{ "f\n1\n3\n5\n", 3, TRUNCATED, "a number of counters 3 exceeds the 1 "
	    "bytes left" },
	{ "f\n1\n18446744073709551615\n5\n6\n", 3, TRUNCATED, "a number of "
	    "counters 18446744073709551615 exceeds the 3 bytes left" },
	{ "f\n1\n1\n5\r\r\n", 4, NOT("5?", "a counter") },
	/* Bitmaps. */
	{ F "$\n1\n", 5, NOT("", "a number of bitmap bytes") },
	{ F "$f\n1\n1\n5\n", 5, NOT("f", "a number of bitmap bytes") },
	{ F "$1\n256\n", 6, NOT("256", "a bitmap byte") },
	{ F "$1\n1 \n", 6, NOT("1 ", "a bitmap byte") },
	{ F "$1\n", 5, TRUNCATED, "a number of bitmap bytes 1 exceeds the 0 "
	    "bytes left" },
	{ F "$2\n12\n", 6, NO("a bitmap byte") },
	/* Kinds of values. */
	{ F "0\n", 5, NOT("0", "a number of value kinds from 1 to 3") },
	{ F "4\n0\n0\n", 5, NOT("4", "a number of value kinds from 1 to 3") },
	{ F "7\n1\n1\n5\n", 5, NOT("7", "a number of value kinds from 1 to "
	    "3") },
	{ F "1\n", 5, NO("a value kind from 0 to 2") },
	{ F "1\n3\n0\n", 6, NOT("3", "a value kind from 0 to 2") },
	{ F "1\n0x0\n0\n", 6, NOT("0x0", "a value kind from 0 to 2") },
	{ F "2\n0\n0\n", 7, NO("a value kind from 0 to 2") },
	/* Sites. */
	{ F "1\n0\n", 6, NO("a number of value sites") },
	{ F "1\n0\nx\n", 7, NOT("x", "a number of value sites") },
	{ F "1\n0\n4294967296\n", 7, NOT("4294967296", "a number of value "
	    "sites") },
	{ F "1\n0\n4294967295\n0\n", 7, TRUNCATED, "a number of value sites "
	    "4294967295 exceeds the 1 bytes left" },
	{ F "1\n0\n2\n000\n", 8, NO("a number of values") },
	{ F "1\n0\n1\n4294967296\na:1\n", 8, NOT("4294967296", "a number of "
	    "values") },
	{ F "1\n0\n1\n4294967295\na:1\n", 8, TRUNCATED, "a number of values "
	    "4294967295 exceeds the 3 bytes left" },
	/* Values. */
	{ F "1\n0\n1\n2\na:1\n", 9, NO("VALUE:COUNT") },
	{ F "1\n0\n1\n1\na1\n", 9, NOT("a1", "VALUE:COUNT") },
	{ F "1\n0\n1\n1\na:\n", 9, NOT("a:", "VALUE:COUNT with a decimal "
	    "count") },
	{ F "1\n0\n1\n1\na: 1\n", 9, NOT("a: 1", "VALUE:COUNT with a decimal "
	    "count") },
	{ F "1\n0\n1\n1\na:1 \n", 9, NOT("a:1 ", "VALUE:COUNT with a decimal "
	    "count") },
	{ F "1\n0\n1\n1\na:0x1\n", 9, NOT("a:0x1", "VALUE:COUNT with a decimal "
	    "count") },
	{ F "1\n0\n1\n1\n:1\n", 9, NOT(":1", "NAME:COUNT") },
	{ F "1\n2\n1\n1\n:1\n", 9, NOT(":1", "NAME:COUNT") },
	{ F "1\n1\n1\n1\na:1\n", 9, NOT("a:1", "SIZE:COUNT") },
	{ F "1\n1\n1\n1\n0x7:1\n", 9, NOT("0x7:1", "SIZE:COUNT") },
	{ F "1\n1\n1\n1\n18446744073709551616:1\n", 9, NOT(
	    "18446744073709551616:1", "SIZE:COUNT") },
	/* Traces. */
	{ T, 2, NO("a number of traces") },
	{ T "x\n1\n", 3, NOT("x", "a number of traces") },
	{ T "4294967296\n1\n", 3, NOT("4294967296", "a number of traces") },
	{ T "4294967295\n1\n", 3, TRUNCATED, "a number of traces 4294967295 "
	    "exceeds the 1 bytes left" },
	{ T "1\nx\n1\na\n", 4, NOT("x", "a trace stream size") },
	{ T "0\n", 3, NO("a trace stream size") },
	{ T "1\n1\n", 4, NO("a trace's weight") },
	{ T "1\n1\na\n1\n", 5, NOT("a", "a trace's weight") },
	{ T "1\n1\n1\n", 5, NO("the functions of a trace") },
	{ T "1\n1\n1\na\n:temporal_prof_traces\n1\n1\n1\na\n" F, 7,
	    PROF_E_UNSUPPORTED, "there are traces already" },
#undef TRUNCATED
#undef CORRUPT
};

static void
test_bad(void)
{
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct prof_error e = { 0 };
		struct buf got = { 0 };

		if (!check(describe(span(bad[i].text), &got, &e) ==
		    PROF_FAIL && e.code == bad[i].code &&
		    e.where == PROF_AT_LINE && e.offset == bad[i].line &&
		    strcmp(e.reason, bad[i].reason) == 0, "%zu: %s", i,
		    bad[i].reason))
			printf("# code %d, line %" PRIu64 ": %s\n", e.code,
			    e.offset, e.reason);
		buf_free(&got);
	}
}

/* Bytes that C strings cannot hold are bytes like others. */
static void
test_nul(void)
{
	static const char text[] = "a\0b\n1\n1\n5\n";
	struct prof_error e = { 0 };
	struct prof_reader *r = text_open(NULL, (struct prof_span){
	    (const uint8_t *)text, sizeof(text) - 1 }, &e);
	struct prof_record record;

	check(prof_next(r, &record, &e) == PROF_OK &&
	    prof_next(r, &record, &e) == PROF_OK &&
	    record.kind == PROF_REC_FUNCTION &&
	    prof_span_equal(record.u.function.symbol.name,
	    (struct prof_span){ (const uint8_t *)text, 3 }),
	    "NUL in a name is kept");
	prof_close(r);
}

static const struct {
	const char *first_bytes;
	bool claimed, printable;
} claims[] = {
	{ F, true, true }, { ":ir\n", true, true }, { ": > x\n", false, true },
	{ "# comment\n\n:fe\n", true, true }, { "f\n0x18\n", true, true },
	{ "f\r\n24\r\n", true, true }, { "f\n24", true, true },
	{ "a b\n1\n", true, true }, { "", false, false },
	{ "\n", false, true }, { "# only a comment\n", false, true },
	{ "f\n", false, true }, { "README\n\nThis is one.\n", false, true },
	{ "a\nb\n1\n", false, true }, { "\x7f" "ELF\n1\n", false, false },
	{ "1234567\x01\n1\n", false, false },
	{ "12345678\x01\n1\n", true, true }, { "caf\xe9\n1\n", false, false },
	{ "\t\v\f\r f\n1\n", true, true },
};

static void
test_claims(void)
{
	for (size_t i = 0; i < COUNT(claims); i++) {
		struct prof_span bytes = span(claims[i].first_bytes);

		check(text_sniff(bytes) == claims[i].claimed &&
		    text_printable(bytes) == claims[i].printable,
		    "claim %zu", i);
	}
}

/* Takes `left` pieces, then no more. */
static int
take_some(void *arg, const void *data, size_t size)
{
	int *left = arg;

	(void)data;
	(void)size;
	return (*left)-- > 0 ? 0 : 28;
}

static void
test_writer(void)
{
	const struct prof_target target = { .format = "text" };
	const uint64_t one = 1;
	const struct prof_record records[] = {
		{ .kind = PROF_REC_PROFILE },
		{ .kind = PROF_REC_FUNCTION, .u.function = {
		    .symbol.name = span("f"), .hash = 1, .counts = &one,
		    .counts_size = 1 } },
		{ .kind = PROF_REC_END },
		{ .kind = PROF_REC_PROFILE },
	};
	struct prof_error e = { 0 };

	for (int left = 0; left < 3; left++) {
		enum prof_status status;

		e = (struct prof_error){ 0 };
		status = write_records(&target, take_some, &(int){ left },
		    records, 3, &e);
		check(left < 2 ? status == PROF_FAIL &&
		    e.code == PROF_E_SYSTEM : status == PROF_OK,
		    "output that ends after %d writes is told", left);
	}
	e = (struct prof_error){ 0 };
	check(write_records(&target, take_some, &(int){ 9 }, NULL, 0, &e) ==
	    PROF_FAIL && e.code == PROF_E_FORMAT, "no profile is no text");
	e = (struct prof_error){ 0 };
	check(write_records(&target, take_some, &(int){ 9 }, records, 4,
	    &e) == PROF_FAIL && e.code == PROF_E_MISMATCH,
	    "a text holds one profile");
}

int
main(void)
{
	test_good_rows();
	test_bad();
	test_nul();
	test_claims();
	test_writer();
	return done_testing();
}
