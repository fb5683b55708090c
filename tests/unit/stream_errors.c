/* Streams that are refused, and why. */
#include "tests/support/streams.h"

#define NUMBER		" is not a whole number from 0 to 18446744073709551615"

struct bad_line {
	const char *line;
	enum prof_code code;
	const char *reason;		/* how it begins */
};

static const struct bad_line bad_lines[] = {
	{ "{", PROF_E_CORRUPT, "not JSON: " },
	{ "[]", PROF_E_CORRUPT, "not a JSON object" },
	{ "1", PROF_E_CORRUPT, "not JSON: " },
	{ "{} {}", PROF_E_CORRUPT, "not JSON: " },
	{ MAIN "x", PROF_E_CORRUPT, "not JSON: " },
	{ "{\"record\":\"\xff\"}", PROF_E_CORRUPT, "not JSON: " },
	{ "{\"record\":\"\xed\xa0\x80\"}", PROF_E_CORRUPT, "not JSON: " },
	{ "{\"record\":\"\\ud800\"}", PROF_E_CORRUPT, "not JSON: " },
	{ "{\"record\":\"a\tb\"}", PROF_E_CORRUPT, "not JSON: " },
	{ "{\"record\":\"odd\",\"\\u0000\":1}", PROF_E_CORRUPT,
	  "a string holds U+0000" },
	{ "{\"record\":\"odd\",\"a\":1,\"a\":1}", PROF_E_CORRUPT,
	  "not JSON: duplicate object key near '\"a\"'" },
	{ "{\"recrod\":1}", PROF_E_FORMAT, "record: missing" },
	{ "{\"record\":1}", PROF_E_CORRUPT, "record: 1 is not a string" },

	{ "{\"record\":\"function\"," HASH ",\"counts\":[]}", PROF_E_CORRUPT,
	  "name: missing, and so is guid" },
	{ "{\"record\":\"function\",\"name\":\"\"," HASH ",\"counts\":[]}",
	  PROF_E_CORRUPT, "name: empty" },
	{ "{\"record\":\"function\",\"name_hex\":\"\"," HASH
	  ",\"counts\":[]}", PROF_E_CORRUPT, "name_hex: empty" },
	{ "{\"record\":\"function\",\"name\":\"a\",\"name_hex\":\"61\"," HASH
	  ",\"counts\":[]}", PROF_E_CORRUPT,
	  "name_hex: occurs together with name" },
	{ "{\"record\":\"function\",\"name\":null," HASH ",\"counts\":[]}",
	  PROF_E_CORRUPT, "name: null is not a string" },
	{ "{\"record\":\"function\",\"name_hex\":\"6\"," HASH
	  ",\"counts\":[]}", PROF_E_CORRUPT,
	  "name_hex: \"6\" is not bytes in lower-case hex digits" },
	{ "{\"record\":\"function\",\"name\":\"main\","
	  "\"guid\":\"0x0000000000000001\"," HASH ",\"counts\":[]}",
	  PROF_E_CORRUPT, "guid: is not the guid of name" },
	{ "{\"record\":\"function\",\"guid\":\"0x1\"," HASH
	  ",\"counts\":[]}", PROF_E_CORRUPT,
	  "guid: \"0x1\" is not \"0x\" and 16 lower-case hex digits" },
	{ "{\"record\":\"function\",\"name\":\"f\",\"counts\":[]}",
	  PROF_E_CORRUPT, "hash: missing" },
	{ "{\"record\":\"function\",\"name\":\"f\",\"hash\":24,"
	  "\"counts\":[]}", PROF_E_CORRUPT, "hash: 24 is not \"0x\"" },
	{ "{\"record\":\"function\",\"name\":\"f\","
	  "\"hash\":\"0x000000000000000A\",\"counts\":[]}",
	  PROF_E_CORRUPT, "hash: \"0x000000000000000A\" is not \"0x\"" },
	{ FUNCTION "}", PROF_E_CORRUPT, "counts: missing" },
	{ FUNCTION ",\"counts\":{}}", PROF_E_CORRUPT,
	  "counts: an object is not a list" },
	{ FUNCTION ",\"counts\":[1],\"counts\":[1]}", PROF_E_CORRUPT,
	  "not JSON: duplicate object key near '\"counts\"'" },
	{ FUNCTION ",\"counts\":[],\"bitmap\":\"0\"}", PROF_E_CORRUPT,
	  "bitmap: \"0\" is not bytes" },
	{ FUNCTION ",\"counts\":[],\"uniform_counts\":[1,[]]}",
	  PROF_E_CORRUPT, "uniform_counts[1]: a list" NUMBER },
	{ VALUES("[]"), PROF_E_CORRUPT, "values: a list is not an object" },
	{ VALUES("{\"mem_op_size\":{}}"), PROF_E_CORRUPT,
	  "values.mem_op_size: an object is not a list" },
	{ VALUES("{\"mem_op_size\":[[],0]}"), PROF_E_CORRUPT,
	  "values.mem_op_size[1]: 0 is not a list" },
	{ VALUES("{\"mem_op_size\":[[3]]}"), PROF_E_CORRUPT,
	  "values.mem_op_size[0][0]: 3 is not an object" },
	{ VALUES("{\"mem_op_size\":[[{\"count\":3}]]}"), PROF_E_CORRUPT,
	  "values.mem_op_size[0][0].size: missing" },
	{ VALUES("{\"vtable_target\":[[{\"target\":\"a\",\"count\":-1}]]}"),
	  PROF_E_CORRUPT,
	  "values.vtable_target[0][0].count: -1" NUMBER },
	{ VALUES("{\"vtable_target\":[[{\"count\":1}]]}"), PROF_E_CORRUPT,
	  "values.vtable_target[0][0].target: missing, "
	  "and so is target_guid" },
	{ VALUES("{\"vtable_target\":[[{\"target\":\"\",\"count\":1}]]}"),
	  PROF_E_CORRUPT, "values.vtable_target[0][0].target: empty" },

	{ "{\"record\":\"binary\"}", PROF_E_CORRUPT, "build_id: missing" },
	{ "{\"record\":\"binary\",\"build_id\":\"0x00\"}", PROF_E_CORRUPT,
	  "build_id: \"0x00\" is not bytes" },
	{ "{\"record\":\"vtable\",\"name\":\"a\",\"size\":1}",
	  PROF_E_CORRUPT, "start: missing" },
	{ "{\"record\":\"vtable\",\"name\":\"a\","
	  "\"start\":\"0x0000000000000000\"}", PROF_E_CORRUPT,
	  "size: missing" },
	{ "{\"record\":\"vtable\",\"name\":\"a\","
	  "\"guid\":\"0x0000000000000000\"}", PROF_E_CORRUPT,
	  "guid: is not the guid of name" },
	{ "{\"record\":\"raw_counters\"}", PROF_E_CORRUPT,
	  "counts: missing" },
	{ "{\"record\":\"trace\",\"functions\":[]}", PROF_E_CORRUPT,
	  "weight: missing" },
	{ "{\"record\":\"trace\",\"weight\":1}", PROF_E_CORRUPT,
	  "functions: missing" },
	{ "{\"record\":\"trace\",\"weight\":1,\"functions\":[\"a\",\"\"]}",
	  PROF_E_CORRUPT, "functions[1]: empty" },
	{ "{\"record\":\"trace\",\"weight\":1,\"functions\":[1]}",
	  PROF_E_CORRUPT, "functions[0]: 1 is not a string" },
	{ "{\"record\":\"trace\",\"weight\":1,\"functions\":[{}]}",
	  PROF_E_CORRUPT, "functions[0].name: missing" },
	{ "{\"record\":\"name\"}", PROF_E_CORRUPT, "name: missing" },
	{ "{\"record\":\"data_access\",\"symbol\":\"s\",\"count\":1,"
	  "\"locations\":[{\"file\":\"f\"}]}", PROF_E_CORRUPT,
	  "locations[0].line: missing" },
	{ "{\"record\":\"end\",\"last\":1}", PROF_E_CORRUPT,
	  "last: 1 is not true or false" },
	{ "{\"record\":\"abort\",\"reason\":\"disk\\nfull \\u00e4\"}",
	  PROF_E_TRUNCATED, "the writer gave up: disk?full ??" },
	{ "{\"record\":\"abort\"}", PROF_E_TRUNCATED,
	  "the writer gave up: no reason is given" },

	{ "{\"record\":\"profile\"}", PROF_E_CORRUPT, "stream: missing" },
	{ "{\"record\":\"profile\",\"stream\":2,\"kind\":7}",
	  PROF_E_VERSION, "stream: version 2 of the stream is unknown" },
	{ "{\"record\":\"profile\",\"stream\":1}", PROF_E_CORRUPT,
	  "kind: missing" },
	{ "{\"record\":\"profile\",\"stream\":1,\"kind\":\"\"}",
	  PROF_E_CORRUPT, "kind: \"\" is not a known word" },
	{ HEAD ",\"level\":\"\"}", PROF_E_CORRUPT, "level: \"\" is not" },
	{ HEAD ",\"temporal\":1}", PROF_E_CORRUPT,
	  "temporal: 1 is not true or false" },
	{ HEAD ",\"frontend_versions\":[7]}", PROF_E_CORRUPT,
	  "frontend_versions: 1 versions instead of the first and the last" },
	{ HEAD ",\"frontend_versions\":[0,1]}", PROF_E_CORRUPT,
	  "frontend_versions[0]: 0 is not from 1 to 65535" },
	{ HEAD ",\"frontend_versions\":[65536,1]}", PROF_E_CORRUPT,
	  "frontend_versions[0]: 65536 is not from 1 to 65535" },
	{ HEAD ",\"frontend_versions\":[1,0]}", PROF_E_CORRUPT,
	  "frontend_versions[1]: 0 is not from 1 to 65535" },
	{ HEAD ",\"frontend_versions\":[1,65536]}", PROF_E_CORRUPT,
	  "frontend_versions[1]: 65536 is not from 1 to 65535" },
	{ HEAD ",\"frontend_versions\":[7,6]}", PROF_E_CORRUPT,
	  "frontend_versions[1]: 6 is before 7" },
	{ HEAD ",\"inputs\":0}", PROF_E_CORRUPT, "inputs: 0 is not from 1" },
	{ HEAD ",\"wave_size\":-1}", PROF_E_CORRUPT, "wave_size: -1" NUMBER },
	{ HEAD ",\"source\":\"a\"}", PROF_E_CORRUPT,
	  "source: \"a\" is not an object" },
	{ HEAD ",\"source\":{\"file\":\"\"}}", PROF_E_CORRUPT,
	  "source.file: empty" },
	{ HEAD ",\"source\":{\"endian\":\"l\"}}", PROF_E_CORRUPT,
	  "source.endian: \"l\" is not a known word" },
	{ HEAD ",\"source\":{\"pointer_bits\":16}}", PROF_E_CORRUPT,
	  "source.pointer_bits: 16 is neither 32 nor 64" },
};

static void
check_failure(struct prof_span text, enum prof_code code, uint64_t line,
    const char *reason, const char *name)
{
	struct buf out = { 0 };

	for (int mode = 0; mode < MODES; mode++) {
		struct prof_error err = { 0 };
		enum prof_status status = copy(mode, NULL, text, 7, &out,
		    &err);

		check(status == PROF_FAIL && err.code == code && err.where ==
		    (line == 0 ? PROF_NOWHERE : PROF_AT_LINE) && err.offset ==
		    line && strncmp(err.reason, reason, strlen(reason)) == 0,
		    "mode %d refuses %s: %d line %llu: %s", mode, name,
		    err.code, ull(err.offset), err.reason);
	}
	buf_free(&out);
}

static void
test_bad_lines(void)
{
	struct buf in = { 0 };

	for (size_t i = 0; i < COUNT(bad_lines); i++) {
		const struct bad_line *row = &bad_lines[i];
		struct prof_span text = with_line(&in, row->line);
		uint64_t line = strncmp((const char *)text.data, PROFILE,
		    strlen(PROFILE)) == 0 ? 2 : 1;

		if (strncmp(row->line, MAIN, strlen(MAIN)) == 0)
			line++;
		check_failure(text, row->code, line, row->reason, row->line);
	}
	buf_free(&in);
}

static void
test_order(void)
{
	static const struct {
		const char *text;
		enum prof_code code;	/* none: it is read */
		uint64_t line;
		const char *reason;
	} rows[] = {
		{ PROFILE LAST, PROF_E_NONE, 0, "" },
		{ "\n \t\r\n" PROFILE "\r\n\n" MAIN "  \n" LAST "\n \n",
		  PROF_E_NONE, 0, "" },
		{ PROFILE END PROFILE MAIN LAST, PROF_E_NONE, 0, "" },
		{ PROFILE LAST PROFILE LAST, PROF_E_NONE, 0, "" },
		{ PROFILE "{\"record\":\"end\",\"last\":true}", PROF_E_NONE,
		  0, "" },
		{ PROFILE "{\"record\":\"end\",\"last\":true}  ", PROF_E_NONE,
		  0, "" },
		{ "", PROF_E_FORMAT, 0, "empty: not a stream" },
		{ "\n \r\n", PROF_E_FORMAT, 0, "empty: not a stream" },
		{ MAIN, PROF_E_FORMAT, 1,
		  "the stream does not begin with a profile record, which "
		  "filters have to keep" },
		{ "\n" LAST, PROF_E_FORMAT, 2,
		  "the stream does not begin with a profile record" },
		{ "main\n", PROF_E_FORMAT, 1, "not JSON: " },
		{ "{\n\"record\":1}\n", PROF_E_FORMAT, 1, "not JSON: " },
		{ "{\"version\":1}\n", PROF_E_FORMAT, 1, "record: missing" },
		{ PROFILE, PROF_E_TRUNCATED, 1,
		  "stream ended inside a profile" },
		{ PROFILE MAIN, PROF_E_TRUNCATED, 2,
		  "stream ended inside a profile" },
		{ PROFILE "{\"record\"", PROF_E_TRUNCATED, 2,
		  "stream ended inside a profile" },
		{ PROFILE MAIN END, PROF_E_TRUNCATED, 3,
		  "stream ended before its last profile" },
		{ PROFILE LAST PROFILE END, PROF_E_TRUNCATED, 4,
		  "stream ended before its last profile" },
		{ PROFILE END "{\"rec", PROF_E_TRUNCATED, 3,
		  "stream ended before its last profile" },
		{ PROFILE LAST "{\"rec", PROF_E_TRUNCATED, 3,
		  "stream ended before its last profile" },
		{ "{\"record\":\"prof", PROF_E_TRUNCATED, 1,
		  "stream ended before its last profile" },
		{ PROFILE "{\"record\":\"end\",\"last\":false}\n",
		  PROF_E_TRUNCATED, 2,
		  "stream ended before its last profile" },
		{ PROFILE PROFILE LAST, PROF_E_CORRUPT, 2,
		  "a profile record before the end of the profile" },
		{ PROFILE END MAIN LAST, PROF_E_CORRUPT, 3,
		  "a record between an end and the next profile" },
		{ PROFILE LAST LAST, PROF_E_CORRUPT, 3,
		  "a record between an end and the next profile" },
		{ PROFILE LAST "{\"record\":\"odd\"}\n", PROF_E_CORRUPT, 3,
		  "a record between an end and the next profile" },
		{ PROFILE MAIN "{\"record\":\"abort\",\"reason\":\"tired\"}\n",
		  PROF_E_TRUNCATED, 3, "the writer gave up: tired" },
		{ "{\"record\":\"abort\",\"reason\":\"tired\"}\n",
		  PROF_E_TRUNCATED, 1, "the writer gave up: tired" },
		{ PROFILE END "{\"record\":\"abort\",\"reason\":\"tired\"}\n",
		  PROF_E_TRUNCATED, 3, "the writer gave up: tired" },
		{ PROFILE "{\"record\":\"profile\",\"stream\":9}\n",
		  PROF_E_VERSION, 2, "stream: version 9" },
	};
	struct buf out = { 0 };

	for (size_t i = 0; i < COUNT(rows); i++) {
		if (rows[i].code != PROF_E_NONE) {
			check_failure(span(rows[i].text), rows[i].code,
			    rows[i].line, rows[i].reason, rows[i].text);
			continue;
		}
		for (int mode = 0; mode < MODES; mode++)
			check(copy(mode, NULL, span(rows[i].text), 3, &out,
			    NULL) == PROF_OK, "mode %d, order row %zu", mode,
			    i);
	}
	buf_free(&out);
}

/* A stream that ends anywhere but at its end is refused. */
static void
test_cuts(void)
{
	static const char text[] =
	    "{\"record\":\"profile\",\"stream\":1,\"kind\":\"instr\"}\n"
	    "{\"record\":\"function\",\"name\":\"\xc3\xa4\\n\"," HASH
	    ",\"counts\":[1,\"9007199254740992\"]}\n" END PROFILE
	    "{\"record\":\"odd\",\"n\":-12345678901234567890}\n" MAIN LAST;
	struct buf out = { 0 };

	for (int mode = 0; mode < MODES; mode++) {
		size_t wrong = 0;

		for (size_t n = 0; n < sizeof(text) - 2; n++) {
			struct prof_error err = { 0 };
			enum prof_code code = n == 0 ? PROF_E_FORMAT :
			    PROF_E_TRUNCATED;

			wrong += copy(mode, NULL,
			    (struct prof_span){ (const uint8_t *)text, n }, 64,
			    &out, &err) != PROF_FAIL || err.code != code;
		}
		check(wrong == 0, "mode %d refuses each cut", mode);
		check(copy(mode, NULL, (struct prof_span){
		    (const uint8_t *)text, sizeof(text) - 2 }, 64, &out,
		    NULL) == PROF_OK, "mode %d misses no final newline", mode);
	}
	buf_free(&out);
}

int
main(void)
{
	test_bad_lines();
	test_order();
	test_cuts();
	return done_testing();
}
