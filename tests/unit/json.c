/* JSON text: what is read, what is refused, and what memory may lack. */
#include "base/json.h"

#include "tests/support/images.h"

struct good_text {
	const char *text;		/* a value */
	const char *printed;		/* as jval_extra prints it; NULL: so */
};

static const struct good_text good[] = {
	{ "null", NULL }, { "true", NULL }, { "false", NULL },
	{ "0", NULL }, { "-0", NULL }, { "-1", NULL },
	{ "9007199254740991", NULL },
	{ "9007199254740992", "\"9007199254740992\"" },
	{ "18446744073709551616", "\"18446744073709551616\"" },
	{ "-99999999999999999999", "\"-99999999999999999999\"" },
	{ "0.5", NULL }, { "-0.5e-0", "-0.5" }, { "1E2", "100" },
	{ "1e+2", "100" }, { "5e-324", "5e-324" }, { "1e-999", "0" },
	{ "\"\"", NULL }, { "\"a b\"", NULL }, { "\"\xc3\xa4\"", NULL },
	{ "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\\"\\\\/\\b\\f\\n\\r\\t\"" },
	{ "\"\\u0041\\u00e4\\u20aC\"", "\"A\xc3\xa4\xe2\x82\xac\"" },
	{ "\"\\ud83d\\uDE00\"", "\"\xf0\x9f\x98\x80\"" },
	{ "\"\\uD7FF\\uE000\\uFFFF\"",
	  "\"\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf\"" },
	{ "\"\\udbff\\udfff\"", "\"\xf4\x8f\xbf\xbf\"" },
	{ "\"\x7f\"", "\"\\u007f\"" }, { "\"\\\\u0000\"", NULL },
	{ "[]", NULL }, { " [ ] ", "[]" }, { "[1,[2,[]],{}]", NULL },
	{ "\t[\r1 ,\n2 ]", "[1,2]" },
	{ "{}", NULL }, { "{ \"a\" : 1 , \"b\" : [ ] }", "{\"a\":1,\"b\":[]}" },
	{ "{\"b\":1,\"a\":{\"d\":2,\"c\":3}}",
	  "{\"a\":{\"c\":3,\"d\":2},\"b\":1}" },
	{ "{\"\":1,\"\\u0061b\":2}", "{\"\":1,\"ab\":2}" },
	{ "{\"a\":1,\"A\":1,\"aa\":1,\"\xc3\xa4\":1}",
	  "{\"A\":1,\"a\":1,\"aa\":1,\"\xc3\xa4\":1}" },
};

static const char *const bad[] = {
	"", " ", ",", "nul", "nulll", "True", "NaN", "Infinity", "-", "+1",
	"01",
	"-01", "1.", ".5", "1.e1", "1e", "1e+", "0x1", "1_0", "1 2", "1e999",
	"-1e999", "- 1", "\"", "\"a", "\"\\\"", "\"\\a\"", "\"\\u\"",
	"\"\\u12\"", "\"\\u123g\"", "\"\\u 123\"", "\"\\ud800\"",
	"\"\\udc00\"", "\"\\ud800\\u0041\"", "\"\\ud800\\ud800\"",
	"\"\\ud800x\"", "\"\t\"", "\"\n\"", "\"\x1f\"", "\"\x80\"",
	"\"\xc3\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "'a'",
	"[", "]", "[1", "[1,", "[1,]", "[,1]", "[,]", "[1 2]", "[1}", "[1]]",
	"{", "}", "{,}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{,\"a\":1}",
	"{\"a\" 1}", "{a:1}", "{1:1}", "{\"a\":1 \"b\":2}", "{\"a\":1]",
	"{\"a\":1,\"a\":1}", "{\"a\":1,\"\\u0061\":2}", "{null:1}",
	"\"\\u0000\"", "{\"\\u0000\":1}", "{99999999999999999 :1}",
	"/**/1", "1//", "\xef\xbb\xbf[]",
};

/* {"v":TEXT} */
static void
put_member(struct buf *b, const char *text)
{
	b->size = 0;
	buf_put(b, "{\"v\":", 5);
	buf_text(b, text);
	buf_put(b, "}", 1);
}

static bool
loads(struct jdoc *d, const struct buf *b, struct prof_error *err)
{
	*err = (struct prof_error){ 0 };
	return jdoc_load(d, buf_span(b), 7, err) == PROF_OK;
}

static void
test_good(struct jdoc *d, struct buf *b)
{
	static const char *const none[] = { NULL };
	struct buf out = { 0 };
	struct prof_error err;

	for (size_t i = 0; i < COUNT(good); i++) {
		const char *want = good[i].printed == NULL ? good[i].text :
		    good[i].printed;
		struct jval root;

		put_member(b, good[i].text);
		out.size = 0;
		if (!loads(d, b, &err)) {
			check(false, "read: %s", good[i].text);
			continue;
		}
		root = jdoc_root(d);
		jval_extra(&root, none, &out);
		check(out.size == strlen(want) + 4 && memcmp(out.data,
		    "\"v\":", 4) == 0 && memcmp(out.data + 4, want,
		    strlen(want)) == 0, "printed: %s", want);
	}
	buf_free(&out);
}

static void
test_bad(struct jdoc *d, struct buf *b)
{
	struct prof_error err;

	for (size_t i = 0; i < COUNT(bad); i++) {
		put_member(b, bad[i]);
		check(!loads(d, b, &err) && err.code == PROF_E_CORRUPT &&
		    err.where == PROF_AT_LINE && err.offset == 7 &&
		    err.reason[0] != '\0', "refused: %s", bad[i]);
	}
}

/* No text but the whole one is an object. */
static void
test_cut(struct jdoc *d)
{
	static const char text[] = "{\"a\":[1.5e3,\"\\ud83d\\ude00\",true,null,"
	    "{\"b\":-12}],\"c\":\"\\n\"}";
	struct prof_error err;
	unsigned wrong = 0;

	for (size_t n = 0; n < sizeof(text); n++) {
		bool whole = n == sizeof(text) - 1;
		enum prof_status s = jdoc_load(d, (struct prof_span){
		    (const uint8_t *)text, n }, 1, &err);

		wrong += (s == PROF_OK) != whole;
	}
	check(wrong == 0, "a text may be cut anywhere");
}

/* As many lists and objects inside of each other as may be, and one more. */
static void
test_depth(struct jdoc *d, struct buf *b)
{
	struct prof_error err;

	for (int more = 0; more < 2; more++) {
		b->size = 0;
		buf_put(b, "{\"v\":", 5);
		for (int i = 1; i < JSON_PARSER_MAX_DEPTH + more; i++)
			buf_put(b, "[", 1);
		for (int i = 1; i < JSON_PARSER_MAX_DEPTH + more; i++)
			buf_put(b, "]", 1);
		buf_put(b, "}", 1);
		check(loads(d, b, &err) == !more, "depth: %d more than the "
		    "limit", more);
	}
}

static void
test_many_members(struct jdoc *d, struct buf *b)
{
	struct prof_error err;

	for (unsigned again = 0; again < 3; again++) {
		char text[32];

		b->size = 0;
		for (unsigned i = 0; i < 1000; i++) {
			snprintf(text, sizeof(text), "%s\"%u\":%u",
			    i == 0 ? "{" : ",", i * 7919 % 1000, i);
			buf_text(b, text);
		}
		snprintf(text, sizeof(text), ",\"%u\":1}",
		    again == 0 ? 1000 : again == 1 ? 0 : 999);
		buf_text(b, text);
		check(loads(d, b, &err) == (again == 0), "1001 members, the "
		    "last a duplicate: %u", again);
	}
}

static void
test_access(struct jdoc *d)
{
	static const char text[] = "{\"n\":18446744073709551615,\"s\":\"12\","
	    "\"l\":[1,-1],\"r\":1.0,\"t\":true}";
	struct jval root, v, item;
	struct prof_error err = { 0 };
	uint64_t n = 0;
	size_t size = 0;
	bool on = false;

	check(jdoc_load(d, span(text), 1, &err) == PROF_OK, "members");
	root = jdoc_root(d);
	v = jval_get(&root, "n");
	check(jval_number(&v, &n) == PROF_OK && n == UINT64_MAX, "integer");
	v = jval_get(&root, "s");
	check(jval_number(&v, &n) == PROF_OK && n == 12, "decimal string");
	v = jval_get(&root, "t");
	check(jval_flag(&v, &on) == PROF_OK && on, "flag");
	v = jval_get(&root, "r");
	check(jval_number(&v, &n) == PROF_FAIL && strcmp(err.reason,
	    "r: 1 is not a whole number from 0 to 18446744073709551615") == 0,
	    "real: %s", err.reason);
	v = jval_get(&root, "l");
	check(jval_list(&v, &size) == PROF_OK && size == 2, "list");
	item = jval_item(&v, 1);
	err = (struct prof_error){ 0 };
	check(jval_number(&item, &n) == PROF_FAIL &&
	    strncmp(err.reason, "l[1]: -1 is not", 15) == 0, "item");
	item = jval_item(&v, 2);
	check(!jval_is_there(&item), "no item behind the last");
	v = jval_get(&root, "x");
	item = jval_get(&v, "y");
	check(!jval_is_there(&item), "members of what is missing");
}

static unsigned outer_allocated, outer_freed;

static void *
outer_malloc(size_t size)
{
	outer_allocated++;
	return malloc(size);
}

static void
outer_free(void *p)
{
	outer_freed += p != NULL;
	free(p);
}

/* A program with jansson of its own keeps its functions and its values. */
static void
test_other_user(struct jdoc *d, struct buf *b)
{
	struct prof_error err;
	json_t *own = json_pack("{s:[i,i]}", "own", 1, 2);
	unsigned before = outer_allocated;
	char *text;

	check(own != NULL && before > 0, "values of a program");
	put_member(b, "[1,{\"a\":\"b\"}]");
	check(loads(d, b, &err) && outer_allocated == before,
	    "documents are in memory of their own");
	put_member(b, "[");
	check(!loads(d, b, &err) && outer_freed == 0, "so is what is refused");
	json_object_set_new(own, "more", json_string("text"));
	text = json_dumps(own, JSON_COMPACT);
	check(text != NULL &&
	    strcmp(text, "{\"own\":[1,2],\"more\":\"text\"}") == 0,
	    "values of a program after a document");
	outer_free(text);
	json_decref(own);
	check(outer_allocated > before && outer_allocated == outer_freed,
	    "%u allocations, %u freed", outer_allocated, outer_freed);
}

int
main(void)
{
	struct jdoc d = { 0 };
	struct buf b = { 0 };

	json_set_alloc_funcs(outer_malloc, outer_free);
	test_good(&d, &b);
	test_bad(&d, &b);
	test_cut(&d);
	test_depth(&d, &b);
	test_many_members(&d, &b);
	test_access(&d);
	test_other_user(&d, &b);
	jdoc_free(&d);
	buf_free(&b);
	return done_testing();
}
