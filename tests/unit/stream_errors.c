/* Streams that are refused, and why. */
#include "tests/support/streams.h"

#define NUMBER		" is not a whole number from 0 to 18446744073709551615"

struct bad_line {
	const char *line;
	enum prof_code code;
	const char *reason;		/* how it begins */
};

#define BAD	PROF_E_CORRUPT
#define CUT	PROF_E_TRUNCATED
#define UNENDED	"stream ended before its last profile"
#define INSIDE	"stream ended inside a profile"

static const struct bad_line bad_lines[] = {
	{ "{", BAD, "not JSON: " },
	{ "[]", BAD, "not a JSON object" },
	{ "1", BAD, "not JSON: " },
	{ "{} {}", BAD, "not JSON: " },
	{ MAIN "x", BAD, "not JSON: " },
	{ "{'record':'\xff'}", BAD, "not JSON: " },
	{ "{'record':'\xed\xa0\x80'}", BAD, "not JSON: " },
	{ "{'record':'\\ud800'}", BAD, "not JSON: " },
	{ "{'record':'a\tb'}", BAD, "not JSON: " },
	{ "{'record':'odd','\\u0000':1}", BAD, "a string holds U+0000" },
	{ "{'record':'odd','a':1,'a':1}", BAD, "not JSON: duplicate object key "
	    "near '\"a\"'" },
	{ "{'recrod':1}", PROF_E_FORMAT, "record: missing" },
	{ "{'record':1}", BAD, "record: 1 is not a string" },
	{ "{'record':'function'," HASH ",'counts':[]}", BAD, "name: missing, "
	    "and so is guid" },
	{ "{'record':'function','name':''," HASH ",'counts':[]}", BAD, "name: "
	    "empty" },
	{ "{'record':'function','name_hex':''," HASH ",'counts':[]}", BAD,
	    "name_hex: empty" },
	{ "{'record':'function','name':'a','name_hex':'61'," HASH ","
	    "'counts':[]}", BAD, "name_hex: occurs together with name" },
	{ "{'record':'function','name':null," HASH ",'counts':[]}", BAD,
	    "name: null is not a string" },
	{ "{'record':'function','name_hex':'6'," HASH ",'counts':[]}", BAD,
	    "name_hex: \"6\" is not bytes in lower-case hex digits" },
	{ "{'record':'function','name':'main','guid':'0x0000000000000001'," HASH
	    ",'counts':[]}", BAD, "guid: is not the guid of name" },
	{ "{'record':'function','guid':'0x1'," HASH ",'counts':[]}", BAD,
	    "guid: \"0x1\" is not \"0x\" and 16 lower-case hex digits" },
	{ "{'record':'function','name':'f','counts':[]}", BAD, "hash: "
	    "missing" },
	{ "{'record':'function','name':'f','hash':24,'counts':[]}", BAD,
	    "hash: 24 is not \"0x\"" },
	{ "{'record':'function','name':'f','hash':'0x000000000000000A',"
	    "'counts':[]}", BAD, "hash: \"0x000000000000000A\" is not \"0x\"" },
	{ FUNCTION "}", BAD, "counts: missing" },
	{ FUNCTION ",'counts':{}}", BAD, "counts: an object is not a list" },
	{ FUNCTION ",'counts':[1],'counts':[1]}", BAD, "not JSON: duplicate "
	    "object key near '\"counts\"'" },
	{ FUNCTION ",'counts':[],'bitmap':'0'}", BAD, "bitmap: \"0\" is not "
	    "bytes" },
	{ FUNCTION ",'counts':[],'uniform_counts':[1,[]]}", BAD,
	    "uniform_counts[1]: a list" NUMBER },
	{ VALUES("[]"), BAD, "values: a list is not an object" },
	{ VALUES("{'mem_op_size':{}}"), BAD, "values.mem_op_size: an object is "
	    "not a list" },
	{ VALUES("{'mem_op_size':[[],0]}"), BAD, "values.mem_op_size[1]: 0 is "
	    "not a list" },
	{ VALUES("{'mem_op_size':[[3]]}"), BAD, "values.mem_op_size[0][0]: 3 "
	    "is not an object" },
	{ VALUES("{'mem_op_size':[[{'count':3}]]}"), BAD,
	    "values.mem_op_size[0][0].size: missing" },
	{ VALUES("{'vtable_target':[[{'target':'a','count':-1}]]}"), BAD,
	    "values.vtable_target[0][0].count: -1" NUMBER },
	{ VALUES("{'vtable_target':[[{'count':1}]]}"), BAD,
	    "values.vtable_target[0][0].target: missing, and so is "
	    "target_guid" },
	{ VALUES("{'vtable_target':[[{'target':'','count':1}]]}"), BAD,
	    "values.vtable_target[0][0].target: empty" },
	{ "{'record':'binary'}", BAD, "build_id: missing" },
	{ "{'record':'binary','build_id':'0x00'}", BAD, "build_id: \"0x00\" is "
	    "not bytes" },
	{ "{'record':'vtable','name':'a','size':1}", BAD, "start: missing" },
	{ "{'record':'vtable','name':'a','start':'0x0000000000000000'}", BAD,
	    "size: missing" },
	{ "{'record':'vtable','name':'a','guid':'0x0000000000000000'}", BAD,
	    "guid: is not the guid of name" },
	{ "{'record':'raw_counters'}", BAD, "counts: missing" },
	{ "{'record':'trace','functions':[]}", BAD, "weight: missing" },
	{ "{'record':'trace','weight':1}", BAD, "functions: missing" },
	{ "{'record':'trace','weight':1,'functions':['a','']}", BAD,
	    "functions[1]: empty" },
	{ "{'record':'trace','weight':1,'functions':[1]}", BAD, "functions[0]: "
	    "1 is not a string" },
	{ "{'record':'trace','weight':1,'functions':[{}]}", BAD,
	    "functions[0].name: missing" },
	{ "{'record':'name'}", BAD, "name: missing" },
	{ "{'record':'data_access','symbol':'s','count':1,"
	    "'locations':[{'file':'f'}]}", BAD, "locations[0].line: missing" },
	{ "{'record':'end','last':1}", BAD, "last: 1 is not true or false" },
	{ "{'record':'abort','reason':'disk\\nfull \\u00e4'}", CUT,
	    "the writer gave up: disk?full ??" },
	{ "{'record':'abort'}", CUT, "the writer gave up: no "
	    "reason is given" },
	{ "{'record':'profile'}", BAD, "stream: missing" },
	{ "{'record':'profile','stream':2,'kind':7}", PROF_E_VERSION, "stream: "
	    "version 2 of the stream is unknown" },
	{ "{'record':'profile','stream':1}", BAD, "kind: missing" },
	{ "{'record':'profile','stream':1,'kind':''}", BAD, "kind: \"\" is not "
	    "a known word" },
	{ HEAD ",'level':''}", BAD, "level: \"\" is not" },
	{ HEAD ",'temporal':1}", BAD, "temporal: 1 is not true or false" },
	{ HEAD ",'frontend_versions':[7]}", BAD, "frontend_versions: 1 "
	    "versions instead of the first and the last" },
	{ HEAD ",'frontend_versions':[0,1]}", BAD, "frontend_versions[0]: 0 is "
	    "not from 1 to 65535" },
	{ HEAD ",'frontend_versions':[65536,1]}", BAD, "frontend_versions[0]: "
	    "65536 is not from 1 to 65535" },
	{ HEAD ",'frontend_versions':[1,0]}", BAD, "frontend_versions[1]: 0 is "
	    "not from 1 to 65535" },
	{ HEAD ",'frontend_versions':[1,65536]}", BAD, "frontend_versions[1]: "
	    "65536 is not from 1 to 65535" },
	{ HEAD ",'frontend_versions':[7,6]}", BAD, "frontend_versions[1]: 6 is "
	    "before 7" },
	{ HEAD ",'inputs':0}", BAD, "inputs: 0 is not from 1" },
	{ HEAD ",'wave_size':-1}", BAD, "wave_size: -1" NUMBER },
	{ HEAD ",'source':'a'}", BAD, "source: \"a\" is not an object" },
	{ HEAD ",'source':{'file':''}}", BAD, "source.file: empty" },
	{ HEAD ",'source':{'endian':'l'}}", BAD, "source.endian: \"l\" is not "
	    "a known word" },
	{ HEAD ",'source':{'pointer_bits':16}}", BAD, "source.pointer_bits: 16 "
	    "is neither 32 nor 64" },
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
		{ PROFILE "{'record':'end','last':true}", PROF_E_NONE, 0, "" },
		{ PROFILE "{'record':'end','last':true}  ", PROF_E_NONE, 0,
		    "" },
		{ "", PROF_E_FORMAT, 0, "empty: not a stream" },
		{ "\n \r\n", PROF_E_FORMAT, 0, "empty: not a stream" },
		{ MAIN, PROF_E_FORMAT, 1, "the stream does not begin with a "
		    "profile record, which filters have to keep" },
		{ "\n" LAST, PROF_E_FORMAT, 2, "the stream does not begin with "
		    "a profile record" },
		{ "main\n", PROF_E_FORMAT, 1, "not JSON: " },
		{ "{\n'record':1}\n", PROF_E_FORMAT, 1, "not JSON: " },
		{ "{'version':1}\n", PROF_E_FORMAT, 1, "record: missing" },
		{ PROFILE, CUT, 1, INSIDE },
		{ PROFILE MAIN, CUT, 2, INSIDE },
		{ PROFILE "{'record'", CUT, 2, INSIDE },
		{ PROFILE MAIN END, CUT, 3, UNENDED },
		{ PROFILE LAST PROFILE END, CUT, 4, UNENDED },
		{ PROFILE END "{'rec", CUT, 3, UNENDED },
		{ PROFILE LAST "{'rec", CUT, 3, UNENDED },
		{ "{'record':'prof", CUT, 1, UNENDED },
		{ PROFILE "{'record':'end','last':false}\n", CUT, 2, UNENDED },
		{ PROFILE PROFILE LAST, BAD, 2, "a profile record before the "
		    "end of the profile" },
		{ PROFILE END MAIN LAST, BAD, 3, "a record between an end and "
		    "the next profile" },
		{ PROFILE LAST LAST, BAD, 3, "a record between an end and the "
		    "next profile" },
		{ PROFILE LAST "{'record':'odd'}\n", BAD, 3, "a record between "
		    "an end and the next profile" },
		{ PROFILE MAIN "{'record':'abort','reason':'tired'}\n", CUT, 3,
		    "the writer gave up: tired" },
		{ "{'record':'abort','reason':'tired'}\n", CUT, 1, "the writer "
		    "gave up: tired" },
		{ PROFILE END "{'record':'abort','reason':'tired'}\n", CUT, 3,
		    "the writer gave up: tired" },
		{ PROFILE "{'record':'profile','stream':9}\n", PROF_E_VERSION,
		    2, "stream: version 9" },
	};
	struct buf text = { 0 }, out = { 0 };

	for (size_t i = 0; i < COUNT(rows); i++) {
		text.size = 0;
		put_json(&text, rows[i].text, strlen(rows[i].text));
		if (rows[i].code != PROF_E_NONE) {
			check_failure(buf_span(&text), rows[i].code,
			    rows[i].line, rows[i].reason, rows[i].text);
			continue;
		}
		for (int mode = 0; mode < MODES; mode++)
			check(copy(mode, NULL, buf_span(&text), 3, &out,
			    NULL) == PROF_OK, "mode %d, order row %zu", mode,
			    i);
	}
	buf_free(&text);
	buf_free(&out);
}

int
main(void)
{
	test_bad_lines();
	test_order();
	return done_testing();
}
