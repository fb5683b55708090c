/* Coverage as lines of JSON: what is refused, and that nothing is lost. */
#include "cover/cover.h"
#include "tests/support/streams.h"

#define START	"{\"record\":\"coverage\",\"stream\":1}\n"
#define NAMED	"{'record':'coverage_function','name':'f'," \
		"'hash':'0x0000000000000018'"
#define F	NAMED ",'files':['a.c','m.h'],'state':'counted','count':3"
#define REGIONS	F ",'regions':"
#define BRANCH	F ",'regions':[],'branches':"
#define DECISION	F ",'regions':[],'decisions':["
#define PLACE	"'place':[1,1,1,9]"
#define NOT_ID	"not \"0x\" and 16 lower-case hex digits"
#define WAY	"decisions[0]: a way is not such as \"TF-:1\""

static enum prof_status
read_cover(struct cover *c, const char *text, size_t piece,
    struct prof_error *err)
{
	struct buf b = { 0 };
	struct source s = { .piece = piece };
	enum prof_status status;

	put_json(&b, text, strlen(text));
	s.left = buf_span(&b);
	status = cover_read_stream(c, NULL, pull, &s, err);
	buf_free(&b);
	return status;
}

static enum prof_status
read_text(const char *text, size_t piece, struct buf *out,
    struct prof_error *err)
{
	const struct cover_options options = { .release = 22 };
	struct cover c;
	enum prof_status status = cover_init(&c, &options) ? PROF_OK :
	    PROF_FAIL;

	out->size = 0;
	if (status == PROF_OK)
		status = read_cover(&c, text, piece, err);
	if (status == PROF_OK)
		status = cover_finish(&c, err);
	if (status == PROF_OK)
		status = cover_write_stream(&c, buf_sink, out, err);
	cover_free(&c);
	return status;
}

static const struct {
	const char *line, *reason;
} bad_lines[] = {
	{ "{", "not JSON: " },
	{ "[]", "not a JSON object" },
	{ "{'record':1}", "record: 1 is not a string" },
	{ F ",'regions':[]} x", "not JSON: " },
	{ F ",'regions':[],'regions':[]}", "not JSON: duplicate object key" },
	{ F ",'regions':[[1,1,1,2,3],]}", "not JSON: " },
	{ F ",'regions':[],'new':'\xff'}", "not JSON: it is not UTF-8" },
	{ "{'record':'coverage_function'}", "name: missing" },
	{ "{'record':'coverage_function','name':1}", "name: not a string" },
	{ "{'record':'coverage_function','name':'f','name_hex':'66'}",
	    "name_hex: occurs together with name" },
	{ "{'record':'coverage_function','name_hex':'6'}",
	    "name_hex: not bytes in lower-case hex digits" },
	{ "{'record':'coverage_function','name':'f'}", "hash: missing" },
	{ "{'record':'coverage_function','name':'f','hash':'0x18'}",
	    "hash: " NOT_ID },
	{ "{'record':'coverage_function','name':'f','guid':5}",
	    "guid: not a string" },
	{ NAMED "}", "files: missing" },
	{ NAMED ",'files':{}}", "files: not such a list" },
	{ NAMED ",'files':[]}", "files: empty" },
	{ NAMED ",'files':[1]}", "files[0]: not a string" },
	{ NAMED ",'files':['a',{'file_hex':'f'}]}",
	    "files[1]: not bytes in lower-case hex digits" },
	{ NAMED ",'files':['a.c']}", "state: missing" },
	{ NAMED ",'files':['a.c'],'state':'ran'}", "state: not a known word" },
	{ NAMED ",'files':['a.c'],'state':'unused'}", "count: missing" },
	{ NAMED ",'files':['a.c'],'state':'unused','count':-1}",
	    "count: not a whole number" },
	{ NAMED ",'files':['a.c'],'state':'unused','count':'01'}",
	    "count: not a whole number" },
	{ NAMED ",'files':['a.c'],'state':'unused','count':"
	    "9223372036854775808}", "count: too large a number" },
	{ NAMED ",'files':['a.c'],'state':'unused','count':"
	    "'18446744073709551616'}", "count: not a whole number" },
	{ NAMED ",'files':['a.c'],'state':'stale','regions':[]}",
	    "state: other members do not go with it" },
	{ F "}", "regions: missing" },
	{ REGIONS "{}}", "regions: not such a list" },
	{ REGIONS "[1]}", "regions[0]: not such a list" },
	{ REGIONS "[[1,1,1,2,3],[1,1,1,2]]}", "regions[1]: too few numbers" },
	{ REGIONS "[[1,1,1,2,3,0,0,0,0]]}", "regions[0]: too many numbers" },
	{ REGIONS "[[1,1,1,2,null]]}", "regions[0]: not a whole number" },
	{ REGIONS "[[1,1,1,1.5,2]]}", "regions[0]: not such a list" },
	{ REGIONS "[[4294967296,1,1,2,3]]}", "regions[0]: too large" },
	{ REGIONS "[[2,1,1,2,3]]}", "regions[0]: ends before it begins" },
	{ REGIONS "[[1,3,1,2,3]]}", "regions[0]: ends before it begins" },
	{ REGIONS "[[1,1,1,2,3,2]]}", "regions[0]: no such file" },
	{ REGIONS "[[1,1,1,2,3,0,2,1]]}", "regions[0]: no such file" },
	{ REGIONS "[[1,1,1,2,3,0,1,0]]}", "regions[0]: a kind that does not" },
	{ REGIONS "[[1,1,1,2,3,0,0,4]]}", "regions[0]: a kind that does not" },
	{ REGIONS "[[1,1,1,2,3,0,0,256]]}", "regions[0]: a kind that does" },
	{ BRANCH "[[1,1,1,2,3]]}", "branches[0]: too few numbers" },
	{ BRANCH "[[1,1,1,2,3,4,0,5]]}", "branches[0]: a kind that does not" },
	{ BRANCH "[[1,1,1,2,3,4,2]]}", "branches[0]: no such file" },
	{ BRANCH "[[1,1,1,null,3,4]]}", "branches[0]: not a whole number" },
	{ DECISION "1]}", "decisions[0]: no place" },
	{ DECISION "{" PLACE "}]}", "decisions[0]: no conditions" },
	{ DECISION "{'place':[1,1,1,9,7]}]}", "decisions[0]: no such file" },
	{ DECISION "{" PLACE ",'conditions':[]}]}",
	    "decisions[0]: no conditions" },
	{ DECISION "{" PLACE ",'conditions':[[1]]}]}",
	    "decisions[0]: too few numbers" },
	{ DECISION "{" PLACE ",'conditions':[[1,1,4]]}]}",
	    "decisions[0]: sides that are not from 0 to 3" },
	{ DECISION "{" PLACE ",'conditions':[[1,1]]}]}",
	    "decisions[0]: no ways" },
	{ DECISION "{" PLACE ",'conditions':[[1,1]],'ways':['TF:1']}]}", WAY },
	{ DECISION "{" PLACE ",'conditions':[[1,1]],'ways':['x:1']}]}", WAY },
	{ DECISION "{" PLACE ",'conditions':[[1,1]],'ways':['T:2']}]}", WAY },
	{ DECISION "{" PLACE ",'conditions':[[1,1]],'ways':['T']}]}", WAY },
	{ "{'record':'coverage','stream':1}",
	    "a coverage record before the end of the coverage" },
	{ "{'record':'profile','stream':1,'kind':'instr'}",
	    "a profile record before the end of the coverage" },
	{ "{'record':'end','last':1}", "last: 1 is not true or false" },
};

static void
test_bad_lines(void)
{
	struct buf text = { 0 }, out = { 0 };

	for (size_t i = 0; i < COUNT(bad_lines); i++) {
		struct prof_error err = { 0 };
		enum prof_status status;

		text.size = 0;
		buf_print(&text, START "%s\n" LAST, bad_lines[i].line);
		buf_u8(&text, 0);
		status = read_text((const char *)text.data, 7, &out, &err);
		check(status == PROF_FAIL && err.code == PROF_E_CORRUPT &&
		    err.offset == 2 && strncmp(err.reason,
		    bad_lines[i].reason, strlen(bad_lines[i].reason)) == 0,
		    "refuses %s: %s", bad_lines[i].line, err.reason);
	}
	buf_free(&text);
	buf_free(&out);
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
		{ START LAST, PROF_E_NONE, 0, "" },
		{ "\n" START "\r\n" LAST "\n", PROF_E_NONE, 0, "" },
		{ START LAST START LAST, PROF_E_NONE, 0, "" },
		{ START END START "{'record':'end','last':true}", PROF_E_NONE,
		    0, "" },
		{ START "{'record':'coverage_line','files':7}\n" LAST,
		    PROF_E_NONE, 0, "" },
		{ "", PROF_E_FORMAT, 0, "empty: not a stream" },
		{ LAST, PROF_E_FORMAT, 1, "the stream does not begin with a "
		    "coverage record, which filters have to keep" },
		{ START, PROF_E_TRUNCATED, 1,
		    "stream ended inside a coverage" },
		{ START NAMED, PROF_E_TRUNCATED, 2,
		    "stream ended inside a coverage" },
		{ START END, PROF_E_TRUNCATED, 2,
		    "stream ended before its last coverage" },
		{ START LAST F ",'regions':[]}\n", PROF_E_CORRUPT, 3,
		    "a record between an end and the next coverage" },
		{ START "{'record':'abort','reason':'full'}\n",
		    PROF_E_TRUNCATED, 2, "the writer gave up: full" },
		{ "{'record':'coverage','stream':2}\n" LAST, PROF_E_VERSION, 1,
		    "stream: version 2 of the stream is unknown" },
	};
	struct buf out = { 0 };

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct prof_error err = { 0 };
		enum prof_status status = read_text(rows[i].text, 1, &out,
		    &err);

		check((status == PROF_OK) == (rows[i].code == PROF_E_NONE) &&
		    err.code == rows[i].code && err.offset == rows[i].line &&
		    strcmp(err.reason, rows[i].reason) == 0, "row %zu: %s", i,
		    err.reason);
	}
	buf_free(&out);
}

/* Lines in the form of the writer, and others that mean the same. */
static const struct {
	const char *name, *line, *other;
} lines[] = {
	{ "counts", F ",'regions':[[1,1,4,2,3],[2,3,2,9,0,1,0,3]]}",
	    " { 'regions' : [[1,1,4,2,'3'],[2,3,2,9,0,1,0,3]],'count':3, "
	    "'state':'counted','files':['a.c','\\u006d.h'],"
	    "'hash':'0x0000000000000018','name_hex':'66','new':{'a':[1]},"
	    "'record':'coverage_function' } \r" },
	{ "a use of a macro, branches with sides that cannot be taken",
	    F ",'regions':[[1,1,4,2,3],[2,3,2,9,3,0,1,1],[1,1,1,2,3,1,0,0]],"
	    "'branches':[[2,1,2,2,null,3],[2,1,2,2,1,null,1,4],"
	    "[2,1,2,2,1,2,0,6]]}", NULL },
	{ "a decision", F ",'regions':[],'decisions':[{" PLACE
	    ",'conditions':[[1,1],[1,4,2]],'ways':['F-:0','TF:0','TT:1']}]}",
	    F ",'regions':[],'decisions':[{'ways':['TT:1','TF:0','F-:0',"
	    "'TF:0'],'x':0,'conditions':[[1,1],[1,4,2]]," PLACE "}]}" },
	{ "large counts", NAMED ",'files':['a.c'],'state':'counted','count':"
	    "'9223372036854775807','regions':[[1,1,4294967295,4294967295,"
	    "'9007199254740992']]}", NAMED ",'files':['a.c'],'state':"
	    "'counted','count':9223372036854775807,'regions':[[1,1,4294967295,"
	    "4294967295,9007199254740992]]}" },
	{ "bytes that are no UTF-8", "{'record':'coverage_function',"
	    "'name_hex':'ff','guid':'0x0000000000000001',"
	    "'hash':'0x0000000000000000',"
	    "'files':[{'file_hex':'80'},'\xc3\xa4'],"
	    "'state':'unused','count':0,'regions':[]}", NULL },
	{ "escapes", NAMED ",'files':['C:\\\\a\\\\\\u0001\\n\\u007f\\t.c'],"
	    "'state':'not_counted','count':0,'regions':[]}", NAMED
	    ",'files':['C:\\u005ca\\\\\\u0001\\n\x7f\\t.c'],'state':"
	    "'not_counted','count':0,'regions':[]}" },
	{ "stale", NAMED ",'files':['a.c'],'state':'stale'}", NULL },
};

static void
test_lines(void)
{
	struct buf text = { 0 }, want = { 0 }, out = { 0 };

	for (size_t i = 0; i < 2 * COUNT(lines); i++) {
		const char *line = i % 2 == 0 ? lines[i / 2].line :
		    lines[i / 2].other;
		struct prof_error err = { 0 };

		if (line == NULL)
			continue;
		text.size = want.size = 0;
		buf_print(&text, START "%s\n" LAST, line);
		buf_u8(&text, 0);
		put_json(&want, START, strlen(START));
		put_json(&want, lines[i / 2].line, strlen(lines[i / 2].line));
		put_json(&want, "\n" LAST, strlen("\n" LAST));
		check(read_text((const char *)text.data, 9, &out, &err) ==
		    PROF_OK && is_output(&out, buf_span(&want)),
		    "%s are the same afterwards, %s: %s", lines[i / 2].name,
		    i % 2 == 0 ? "as written" : "in another form", err.reason);
	}
	buf_free(&text);
	buf_free(&want);
	buf_free(&out);
}

/* Equal functions are added; what is not equal stays. */
static void
test_sums(void)
{
	static const char *const parts[] = {
		F ",'regions':[[1,1,4,2,3]],'branches':[[2,1,2,2,1,2,0,6]],"
		    "'decisions':[{" PLACE ",'conditions':[[1,1]],"
		    "'ways':['T:1']}]}",
		F ",'regions':[[1,1,4,2,'9223372036854775807']],'branches':"
		    "[[2,1,2,2,4,0,0,6]],'decisions':[{" PLACE
		    ",'conditions':[[1,1]],'ways':['F:0']}]}",
		F ",'regions':[[1,1,4,3,3]]}",
		F ",'regions':[[1,1,4,2,3]]}",
		NAMED ",'files':['a.c','m.h'],'state':'unused','count':0,"
		    "'regions':[[1,1,4,2,0]]}",
		NAMED ",'files':['b.c'],'state':'stale'}",
	};
	static const unsigned char orders[][COUNT(parts)] = {
		{ 0, 1, 2, 3, 4, 5 }, { 5, 4, 3, 2, 1, 0 },
		{ 2, 0, 4, 1, 5, 3 }, { 3, 5, 1, 4, 0, 2 },
	};
	struct buf text = { 0 }, first = { 0 }, out = { 0 };

	for (size_t i = 0; i < COUNT(orders); i++) {
		struct prof_error err = { 0 };

		text.size = 0;
		for (size_t k = 0; k < COUNT(parts); k++)
			buf_print(&text, START "%s\n" LAST,
			    parts[orders[i][k]]);
		buf_u8(&text, 0);
		if (read_text((const char *)text.data, 1 << 16, &out, &err) ==
		    PROF_OK && i == 0)
			buf_put(&first, out.data, out.size);
		check(err.code == PROF_E_NONE && is_output(&out,
		    buf_span(&first)), "order %zu gives the same: %s", i,
		    err.reason);
	}
	buf_u8(&first, 0);
	check(strstr((char *)first.data, "\"count\":6,\"regions\":[[1,1,4,2,"
	    "\"9223372036854775807\"]],\"branches\":[[2,1,2,2,5,2,0,6]],"
	    "\"decisions\":[{\"place\":[1,1,1,9],\"conditions\":[[1,1]],"
	    "\"ways\":[\"F:0\",\"T:1\"]}]}\n") != NULL, "counts are added");
	check(strstr((char *)first.data, "stale") == NULL &&
	    strstr((char *)first.data, "unused") == NULL,
	    "a function that was counted is not stale, nor unused");
	buf_free(&text);
	buf_free(&first);
	buf_free(&out);
}

int
main(void)
{
	test_bad_lines();
	test_order();
	test_lines();
	test_sums();
	return done_testing();
}
