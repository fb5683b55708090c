#include <errno.h>

#include "tests/support/streams.h"

/* Lines that are canonical: they come out as they went in. */
static const char *const canonical[] = {
	"{'record':'profile','stream':1,'kind':'memprof'}",
	"{'record':'profile','stream':1,'kind':'mixed','level':'frontend',"
	    "'context_sensitive':true,'entry_first':true,'loop_entries':true,"
	    "'byte_coverage':true,'function_entry_only':true,'temporal':true,"
	    "'debug_info_correlated':true,'binary_correlated':true,"
	    "'salvaged':true,'frontend_versions':[7,12],'wave_size':64,"
	    "'trace_stream_size':0,'inputs':2,'source':{'file':'a',"
	    "'member':'b/c','format':'raw','version':11,'endian':'big',"
	    "'pointer_bits':32,'offset':4096},'x':{'a':[1,'9007199254740992',"
	    "0.5,null],'b':{}},'y\\u007f':false}",
	"{'record':'profile','stream':1,'kind':'instr','level':'ir',"
	    "'source':{'file_hex':'ff','member_hex':'c3','endian':'little',"
	    "'pointer_bits':64}}",
	HEAD ",'frontend_versions':[1,1]}",
	HEAD ",'frontend_versions':[65535,65535]}",
	"{'record':'binary','build_id':'00ff10'}",
	"{'record':'vtable','name':'_ZTV1A'}",
	"{'record':'vtable','name':'_ZTV1A','guid':'0xa80047fd60784dd0',"
	    "'start':'0x0000560000000000','size':40}",
	"{'record':'vtable','guid':'0x0000000000000007'}",
	"{'record':'vtable','guid':'0x0000000000000007',"
	    "'start':'0xffffffffffffffff','size':'18446744073709551615'}",
	"{'record':'segment','id':0}",
	"{'record':'segment','id':3,'start':'0x0000000000001000',"
	    "'end':'0x0000000000002000','offset':'0x0000000000000800',"
	    "'file_addresses':true,'build_id':'0a0b'}",
	"{'record':'stack','id':'0x0000000000000001','pcs':[]}",
	"{'record':'stack','id':'0x0000000000000001',"
	    "'frames':[{'function_hex':'ff','file_hex':'fe','line':0}]}",
	"{'record':'memprof_function','guid':'0x0000000000000007','name':'x',"
	    "'alloc_sites':[{'stack':'0x0000000000000001',"
	    "'info':{'min_size':1}}],"
	    "'call_sites':[{'stack':'0x0000000000000001',"
	    "'callee_guids':['0x0000000000000003']},"
	    "{'stack':'0x0000000000000001'}]}",
	"{'record':'memprof_function','guid':'0x0000000000000007',"
	    "'alloc_sites':[],'call_sites':[]}",
	"{'record':'data_access','symbol':'s','count':3,"
	    "'locations':[{'file':'a','line':2},{'line':0}]}",
	"{'record':'data_access','hash':'0x0000000000000003',"
	    "'count':'18446744073709551615'}",
	"{'record':'cold_symbol','symbol_hex':'ff'}",
	"{'record':'cold_symbol','hash':'0x0000000000000003'}",
	"{'record':'raw_counters','counts':[1,2,'9007199254740993']}",
	"{'record':'raw_counters','counts':[],'bitmap':'00a0'}",
	"{'record':'trace','weight':1,'functions':['a',{'name_hex':'ff00'},"
	    "{'guid':'0x00000000000000ff'}]}",
	"{'record':'trace','weight':'18446744073709551615','functions':[]}",
	"{'record':'function','name':'a\\tb'," HASH ",'counts':[1]}",
	"{'record':'function','name_hex':'6100'," HASH ",'counts':[1]}",
	"{'record':'function','name':'f'," HASH ",'counts':[1],"
	    "'values':{'indirect_call_target':[[{'target_hex':'80',"
	    "'count':1}]]}}",
	"{'record':'function','name':'f'," HASH ",'counts':[1],'new':[1]}",
	"{'record':'segment','id':1}",
	"{'record':'no such thing', 'n': 18446744073709551616 }",
};

/* Those of them that a scanner reads. */
static const char *const fast[] = {
	"{'record':'function','name':'main'," HASH ",'counts':[1,0]}",
	"{'record':'function','name':'a.c;f'," HASH ",'counts':[]}",
	"{'record':'function','name':'\xc3\xa4'," HASH ","
	    "'counts':[9007199254740991,'9007199254740992',"
	    "'18446744073709551614','18446744073709551615']}",
	"{'record':'function','guid':'0xfedcba9876543210'," HASH ","
	    "'counts':[0],'bitmap':'00ff7f'}",
	"{'record':'function','guid':'0x0000000000000000'," HASH ","
	    "'counts':[0],'bitmap':'01','uniform_counts':[1,22,333]}",
	"{'record':'function','name':'f'," HASH ",'counts':[1],"
	    "'values':{'indirect_call_target':[[{'target':'g','count':1},"
	    "{'target_guid':'0x0123456789abcdef',"
	    "'count':'18446744073709551615'}],[],[{'target':'\xe2\x82\xac',"
	    "'count':0}]],'mem_op_size':[[{'size':8,'count':2},"
	    "{'size':'18446744073709551615','count':1}],[]],"
	    "'vtable_target':[[]]}}",
	"{'record':'function','name':'f'," HASH ",'counts':[1],"
	    "'values':{'mem_op_size':[[]]}}",
	"{'record':'function','name':'f'," HASH ",'counts':[1],"
	    "'values':{'vtable_target':[[{'target':'_ZTV1A','count':3}]]}}",
	"{'record':'stack','id':'0x0000000000000001',"
	    "'pcs':['0x00000000000000ff',[0,'0x0000000000000005']]}",
	"{'record':'stack','id':'0x0000000000000002',"
	    "'pcs':['0x00000000000000ff'],'frames':[{'function':'_Z1fv',"
	    "'guid':'0x0000000000000007','file':'a.c','line':3,'start_line':1,"
	    "'line_offset':2,'column':4,'discriminator':1,'inline':true},{}]}",
	"{'record':'stack','id':'0x0000000000000003',"
	    "'frames':[{'guid':'0x0000000000000007','line_offset':4294967295},"
	    "{'inline':true}]}",
	"{'record':'allocation','stack':'0x0000000000000001',"
	    "'info':{'alloc_count':2,'total_size':'18446744073709551615',"
	    "'access_histogram_size':2,'access_histogram':[1,2]}}",
	"{'record':'allocation','stack':'0x0000000000000001','info':{}}",
};

static void
check_copy(const char *line, const char *expected)
{
	struct buf in = { 0 }, wanted = { 0 }, out = { 0 };
	struct prof_span text = with_line(&in, line);
	struct prof_span result = with_line(&wanted, expected);

	for (int mode = 0; mode < MODES; mode++) {
		struct prof_error err = { 0 };

		check(copy(mode, NULL, text, 5, &out, &err) == PROF_END ||
		    err.code == PROF_E_NONE, "mode %d reads %s %s", mode,
		    line, err.reason);
		check(is_output(&out, result), "mode %d writes %s", mode,
		    expected);
	}
	buf_free(&in);
	buf_free(&wanted);
	buf_free(&out);
}

static bool
scans(const char *line, size_t size)
{
	struct buf b = { 0 };
	struct stream_record record = { 0 };
	struct prof_record r;
	bool scanned;

	put_json(&b, line, size);
	buf_put(&b, "\n", 1);
	scanned = stream_scan(&record, (struct prof_span){ b.data, size }, &r);
	buf_free(&b);
	buf_free(&record.values);
	buf_free(&record.sites);
	buf_free(&record.pcs);
	buf_free(&record.segments);
	buf_free(&record.frames);
	arena_free(&record.arena);
	return scanned;
}

static void
test_canonical(void)
{
	for (size_t i = 0; i < COUNT(canonical); i++) {
		check_copy(canonical[i], canonical[i]);
		check(!scans(canonical[i], strlen(canonical[i])),
		    "not scanned: %s", canonical[i]);
	}
	for (size_t i = 0; i < COUNT(fast); i++) {
		check_copy(fast[i], fast[i]);
		check(scans(fast[i], strlen(fast[i])), "scanned: %s",
		    fast[i]);
	}
}

static void
test_both_ways(void)
{
	static const char bytes[] = "\n\"\\{}[],:-.0189aef\x1f \x7f\x80\xff";
	struct buf b = { 0 };

	for (size_t i = 0; i < COUNT(fast); i++) {
		size_t head = strlen(PROFILE), wrong = 0;

		with_line(&b, fast[i]);
		for (size_t k = head; k < head + strlen(fast[i]); k++) {
			uint8_t byte = b.data[k];

			for (const char *c = bytes; *c != '\0'; c++) {
				b.data[k] = (uint8_t)*c;
				wrong += differences(buf_span(&b));
			}
			b.data[k] = byte;
		}
		check(wrong == 0, "both ways agree on changes to %s", fast[i]);
	}
	buf_free(&b);
}

/* Lines that are allowed and come out as the canonical ones. */
static void
test_forms(void)
{
	static const char *const rows[][2] = {
		{ " { 'counts' : [ 1 , '2' ],\t'record':'function', " HASH " "
		    ",'name':'\\u0061\\/' } \r", "{'record':'function',"
		    "'name':'a/'," HASH ",'counts':[1,2]}" },
		{ "{'record':'function','name':'\\ud83d\\ude00\\uffff'," HASH
		    ",'counts':[9007199254740992,'0']}", "{'record':'function',"
		    "'name':'\xf0\x9f\x98\x80\xef\xbf\xbf'," HASH ","
		    "'counts':['9007199254740992',0]}" },
		{ "{'record':'function','name_hex':'6d61696e'," HASH ","
		    "'counts':[18446744073709551615,9223372036854775808]}",
		    "{'record':'function','name':'main'," HASH ","
		    "'counts':['18446744073709551615',"
		    "'9223372036854775808']}" },
		{ "{'record':'function','name':'a\x7f'," HASH ",'counts':[],"
		    "'bitmap':'','uniform_counts':[],"
		    "'values':{'mem_op_size':[]}}", "{'record':'function',"
		    "'name':'a\\u007f'," HASH ",'counts':[]}" },
		{ "{'record':'function','guid':'0xdb956436e78dd5fa',"
		    "'name':'main'," HASH ",'counts':[3]}",
		    "{'record':'function','name':'main'," HASH ","
		    "'counts':[3]}" },
		{ "{'record':'function','name':'f'," HASH ",'counts':[1],"
		    "'values':{'new_kind':[7],'mem_op_size':[[{'count':'1',"
		    "'size':'2','z':0}]]}}", "{'record':'function','name':'f',"
		    HASH ",'counts':[1],'values':{'mem_op_size':[[{'size':2,"
		    "'count':1}]]}}" },
		{ "{'record':'function','zz':1.0,'name':'f',"
		    "'b':{'y':18446744073709551616,'x':-0},'aa':[1e2,"
		    "-9007199254740992,'\\u001F\\u007F\\/']," HASH ","
		    "'counts':[1]}", "{'record':'function','name':'f'," HASH ","
		    "'counts':[1],'aa':[100,'-9007199254740992',"
		    "'\\u001f\\u007f/'],'b':{'x':-0,"
		    "'y':'18446744073709551616'},'zz':1}" },
		{ "{'record':'profile','stream':'1','kind':'instr',"
		    "'temporal':false,'inputs':1,'wave_size':0,"
		    "'source':{'version':0,'offset':0}}", "{'record':'profile',"
		    "'stream':1,'kind':'instr'}" },
		{ "{'record':'vtable','name':'_ZTV1A',"
		    "'guid':'0xa80047fd60784dd0','more':1}",
		    "{'record':'vtable','name':'_ZTV1A'}" },
		{ "{'record':'trace','functions':[{'name':'a'}],'weight':'1'}",
		    "{'record':'trace','weight':1,'functions':['a']}" },
		{ " \t{'record':'odd', 'x': [ ] } \r", "{'record':'odd', 'x': "
		    "[ ] }" },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		check_copy(rows[i][0], rows[i][1]);
}

/* Numbers at both edges, in both forms. */
static void
test_numbers(void)
{
	static const struct {
		const char *text;
		const char *written;	/* NULL: refused */
	} rows[] = {
		{ "0", "0" }, { "\"0\"", "0" },
		{ "9007199254740991", "9007199254740991" },
		{ "\"9007199254740991\"", "9007199254740991" },
		{ "9007199254740992", "\"9007199254740992\"" },
		{ "\"9007199254740992\"", "\"9007199254740992\"" },
		{ "9007199254740993", "\"9007199254740993\"" },
		{ "9223372036854775807", "\"9223372036854775807\"" },
		{ "9223372036854775808", "\"9223372036854775808\"" },
		{ "\"9223372036854775808\"", "\"9223372036854775808\"" },
		{ "18446744073709551615", "\"18446744073709551615\"" },
		{ "\"18446744073709551615\"", "\"18446744073709551615\"" },
		{ "18446744073709551616", NULL },
		{ "\"18446744073709551616\"", NULL },
		{ "18446744073709552000", NULL },
		{ "99999999999999999999999", NULL },
		{ "-0", NULL }, { "-1", NULL }, { "\"-1\"", NULL },
		{ "\"-0\"", NULL }, { "\"+1\"", NULL },
		{ "-9223372036854775808", NULL },
		{ "-9223372036854775809", NULL },
		{ "1.0", NULL }, { "1.5", NULL }, { "1e3", NULL },
		{ "1E3", NULL }, { "1e-3", NULL }, { "0.0", NULL },
		{ "\"1.0\"", NULL }, { "\"1e3\"", NULL }, { "\"\"", NULL },
		{ "01", NULL }, { "\"01\"", NULL }, { "\"00\"", NULL },
		{ "\" 1\"", NULL }, { "\"1 \"", NULL }, { "\"0x1\"", NULL },
		{ "+1", NULL }, { ".5", NULL }, { "1.", NULL },
		{ "true", NULL }, { "null", NULL }, { "NaN", NULL },
		{ "\"\\u0000\"", NULL }, { "\"\\u00001\"", NULL },
		{ "12345678901234567890123456789012345678901234567890", NULL },
	};
	struct buf in = { 0 }, out = { 0 }, wanted = { 0 };
	char line[256];

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct prof_error err = { 0 };
		struct prof_span text;
		enum prof_status status;

		snprintf(line, sizeof(line), FUNCTION ",\"counts\":[7,%s,8]}",
		    rows[i].text);
		text = with_line(&in, line);
		check(differences(text) == 0, "both ways agree on %s",
		    rows[i].text);
		status = copy(IMAGE, NULL, text, 0, &out, &err);
		if (rows[i].written == NULL) {
			check(status == PROF_FAIL && err.offset == 2,
			    "%s is refused: %s", rows[i].text, err.reason);
			continue;
		}
		snprintf(line, sizeof(line), FUNCTION ",\"counts\":[7,%s,8]}",
		    rows[i].written);
		check(is_output(&out, with_line(&wanted, line)),
		    "%s becomes %s", rows[i].text, rows[i].written);
	}
	buf_free(&in);
	buf_free(&out);
	buf_free(&wanted);
}

/* Pieces of any size, and lines longer than any of them. */
static void
test_long_lines(void)
{
	struct buf in = { 0 }, out = { 0 };

	buf_text(&in, PROFILE);
	for (unsigned i = 0; i < 3; i++) {
		buf_put(&in, FUNCTION ",\"counts\":[",
		    strlen(FUNCTION ",\"counts\":["));
		for (unsigned k = 0; k < 300000; k++)
			buf_put(&in, "1234,", 5);
		buf_put(&in, "7]}\n", 4);
		buf_text(&in, MAIN);
	}
	buf_text(&in, LAST);
	for (int mode = 0; mode < MODES; mode++) {
		check(copy(mode, NULL, buf_span(&in), 4096, &out, NULL) ==
		    PROF_OK && out.size == in.size && memcmp(in.data, out.data,
		    in.size) == 0, "mode %d copies lines of 1.5 MB", mode);
	}
	buf_free(&in);
	buf_free(&out);
}

static void
count_warning(void *arg, const struct prof_error *warning)
{
	unsigned *count = arg;

	++*count;
	printf("# line %llu: %s\n", ull(warning->offset), warning->reason);
}

static void
test_warnings(void)
{
	static const struct {
		const char *lines;
		unsigned warnings;
	} rows[] = {
		{ MAIN, 0 },
		{ FUNCTION ",\"counts\":[],\"new\":1}\n", 0 },
		{ "{\"record\":\"odd\",\"new\":1}\n", 0 },
		{ "{\"record\":\"binary\",\"build_id\":\"00\",\"a\":1}\n"
		  "{\"record\":\"binary\",\"build_id\":\"00\",\"b\":1}\n", 1 },
		{ VALUES("{\"a\":1}") "\n" VALUES("{\"b\":1}") "\n", 1 },
		{ "{\"record\":\"trace\",\"weight\":1,\"functions\":"
		  "[{\"name\":\"a\",\"x\":1}]}\n", 1 },
	};
	struct buf out = { 0 }, in = { 0 };

	for (size_t i = 0; i < COUNT(rows); i++) {
		unsigned count = 0;
		struct prof_context *c = prof_context_new(count_warning,
		    &count);

		in.size = 0;
		buf_text(&in, PROFILE);
		buf_text(&in, rows[i].lines);
		buf_text(&in, LAST);
		check(copy(IMAGE, c, buf_span(&in), 0, &out, NULL) == PROF_OK &&
		    count == rows[i].warnings, "warnings, row %zu", i);
		prof_context_free(c);
	}
	buf_free(&in);
	buf_free(&out);
}

static void
test_claims(void)
{
	static const struct {
		const char *text;
		bool claimed;
	} rows[] = {
		{ PROFILE, true }, { "{", true }, { "{\"", true },
		{ "\n\r\n \t{ \"", true }, { "{}", true },
		{ "", false }, { " \n", false }, { "{a", false },
		{ "[{", false }, { "main\n", false }, { ":ir\n", false },
		{ "\xffl\0profr", false }, { "\xef\xbb\xbf{\"", false },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		check(stream_sniff(span(rows[i].text)) == rows[i].claimed,
		    "claims, row %zu", i);
}

static ssize_t
broken_pull(void *arg, void *data, size_t size)
{
	(void)arg;
	(void)data;
	(void)size;
	errno = EIO;
	return -1;
}

static void
test_broken_pull(void)
{
	struct prof_reader *r = stream_open_pull(NULL, broken_pull, NULL, NULL);
	struct prof_error err = { 0 };
	struct prof_record record;

	check(prof_next(r, &record, &err) == PROF_FAIL &&
	    err.code == PROF_E_SYSTEM, "a read error: %s", err.reason);
	prof_close(r);
}

int
main(void)
{
	test_canonical();
	test_both_ways();
	test_forms();
	test_numbers();
	test_long_lines();
	test_warnings();
	test_claims();
	test_broken_pull();
	return done_testing();
}
