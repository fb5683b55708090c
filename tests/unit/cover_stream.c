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
#define KIND(list)	list "[0]: a kind that does not stand here"
#define WAYS	DECISION "{" PLACE ",'conditions':[[1,1]],'ways':"
#define WAY	"decisions[0].ways[0]: a way is not such as \"TF-:1\""

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
	{ F ",'regions':[],'regions':[]}", "not JSON: duplicate object key" },
	{ "{'record':'coverage_function'}", "name: missing" },
	{ "{'record':'coverage_function','name_hex':'6'}",
	    "name_hex: \"6\" is not bytes in lower-case hex digits" },
	{ "{'record':'coverage_function','name':'f'}", "hash: missing" },
	{ "{'record':'coverage_function','name':'f','guid':5}",
	    "guid: 5 is not \"0x\" and 16" },
	{ NAMED "}", "files: missing" },
	{ NAMED ",'files':[]}", "files: empty" },
	{ NAMED ",'files':[1]}", "files[0]: 1 is not a string" },
	{ NAMED ",'files':['a',{'file_hex':'f'}]}",
	    "files[1].file_hex: \"f\" is not bytes" },
	{ NAMED ",'files':['a.c'],'state':'ran'}",
	    "state: \"ran\" is not a known word" },
	{ NAMED ",'files':['a.c'],'state':'unused'}", "count: missing" },
	{ NAMED ",'files':['a.c'],'state':'stale','count':0}",
	    "count: a stale one has none" },
	{ NAMED ",'files':['a.c'],'state':'unused','count':-1}",
	    "count: -1 is not a whole number" },
	{ NAMED ",'files':['a.c'],'state':'unused','count':"
	    "9223372036854775808}", "count: 9223372036854775808 is above" },
	{ F "}", "regions: missing" },
	{ REGIONS "[1]}", "regions[0]: 1 is not a list" },
	{ REGIONS "[[1,1,1,2,3],[1,1,1,2]]}",
	    "regions[1]: 4 numbers, not 5 to 8" },
	{ REGIONS "[[1,1,1,2,3,0,0,0,0]]}",
	    "regions[0]: 9 numbers, not 5 to 8" },
	{ REGIONS "[[1,1,1,2,null]]}",
	    "regions[0][4]: null is not a whole number" },
	{ REGIONS "[[4294967296,1,1,2,3]]}",
	    "regions[0][0]: 4294967296 is above" },
	{ REGIONS "[[2,1,1,2,3]]}", "regions[0]: ends before it begins" },
	{ REGIONS "[[1,3,1,2,3]]}", "regions[0]: ends before it begins" },
	{ REGIONS "[[1,1,1,2,3,2]]}", "regions[0]: no such file" },
	{ REGIONS "[[1,1,1,2,3,0,2,1]]}", "regions[0]: no such file" },
	{ REGIONS "[[1,1,1,2,3,0,1,0]]}", KIND("regions") },
	{ REGIONS "[[1,1,1,2,3,0,0,4]]}", KIND("regions") },
	{ REGIONS "[[1,1,1,2,3,0,0,256]]}", KIND("regions") },
	{ BRANCH "[[1,1,1,2,3]]}", "branches[0]: 5 numbers, not 6 to 8" },
	{ BRANCH "[[1,1,1,2,3,4,0,5]]}", KIND("branches") },
	{ BRANCH "[[1,1,1,2,3,4,2]]}", "branches[0]: no such file" },
	{ DECISION "1]}", "decisions[0]: 1 is not an object" },
	{ DECISION "{" PLACE "}]}", "decisions[0].conditions: missing" },
	{ DECISION "{'place':[1,1,1,9,7]}]}",
	    "decisions[0].place: no such file" },
	{ DECISION "{" PLACE ",'conditions':[]}]}",
	    "decisions[0].conditions: empty" },
	{ DECISION "{" PLACE ",'conditions':[[1,1,4]]}]}",
	    "decisions[0].conditions[0]: sides that are not from 0 to 3" },
	{ WAYS "['TF:1']}]}", WAY },
	{ WAYS "['x:1']}]}", WAY },
	{ WAYS "['T:2']}]}", WAY },
	{ WAYS "['T']}]}", WAY },
	{ WAYS "['T:1','F:0']}]}",
	    "decisions[0].ways[1]: a false result behind a true one" },
	{ "{'record':'coverage','stream':1}",
	    "a coverage record before the end of the coverage" },
	{ "{'record':'profile','stream':1,'kind':'instr'}",
	    "record: a profile before the end of the coverage" },
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
	    F ",'regions':[],'decisions':[{'ways':['TF:0','F-:0',"
	    "'TF:0','TT:1'],'x':0,'conditions':[[1,1],[1,4,2]]," PLACE "}]}" },
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
