/* Plans of fleets, in shards, and accounts of parts. */
#include "plan/plan.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "plan/account.h"
#include "tests/support/images.h"

static void
test_sort(void)
{
	static const struct {
		const char *paths[5], *sorted;
		size_t repeated;
	} rows[] = {
		{ { NULL }, "", 0 },
		{ { "a" }, "a", 1 },
		{ { "b", "a" }, "ab", 2 },
		{ { "c", "a", "b" }, "abc", 3 },
		{ { "b", "c", "d", "a" }, "abcd", 4 },
		{ { "d", "c", "b", "a" }, "abcd", 4 },
		{ { "b", "a", "b", "c" }, "abbc", 2 },
		{ { "a", "a" }, "aa", 1 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct plan_input in[5];
		char got[6] = "";
		size_t n = 0;

		for (; rows[i].paths[n] != NULL; n++)
			in[n] = (struct plan_input){ .path =
			    span(rows[i].paths[n]) };
		check(plan_sort(in, n) == rows[i].repeated,
		    "row %zu is sorted", i);
		for (size_t k = 0; k < n; k++)
			got[k] = (char)in[k].path.data[0];
		check(strcmp(got, rows[i].sorted) == 0, "'%s'",
		    rows[i].sorted);
	}
}

static void
test_split(void)
{
	enum { LARGE = 1 << 20 };
	static const struct {
		uint64_t sizes[8];
		struct plan_split how;
		const char *ends;		/* of shards, or NULL */
	} rows[] = {
		{ { 1 }, { .shards = 1 }, "1" },
		{ { 1 }, { .shards = 2 }, NULL },
		{ { 0 }, { .shards = 1 }, NULL },
		{ { 5, 5, 5, 5 }, { .shards = 2 }, "24" },
		{ { 1, 1, 1, 1 }, { .shards = 4 }, "1234" },
		{ { 1, 1, 1, 1 }, { .shards = 3 }, "134" },
		{ { LARGE, 1, 1, 1 }, { .shards = 2 }, "14" },
		{ { 1, 1, 1, LARGE }, { .shards = 2 }, "34" },
		{ { LARGE, LARGE, 1, 1 }, { .shards = 3 }, "124" },
		{ { 1, 1, 1, 1, 1 }, { .count = 2 }, "245" },
		{ { 4, 4, 4, 9, 1 }, { .bytes = 8 }, "2345" },
		{ { 9, 9 }, { .bytes = 8 }, "12" },
		{ { UINT64_MAX, 1 }, { .shards = 1 }, NULL },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct plan_input in[8];
		struct prof_error err = { 0 };
		size_t n = 0, *ends = NULL, shards = 0;
		char got[16] = "";

		for (; n < 8 && rows[i].sizes[n] != 0; n++)
			in[n] = (struct plan_input){ .size = rows[i].sizes[n] };
		if (plan_split(in, n, &rows[i].how, &ends, &shards, &err) ==
		    PROF_OK) {
			for (size_t k = 0; k < shards; k++)
				got[k] = (char)('0' + ends[k]);
		}
		check(rows[i].ends == NULL ? err.code == PROF_E_LIMIT :
		    strcmp(got, rows[i].ends) == 0, "split %zu: '%s'", i, got);
		free(ends);
	}
}

/* Three inputs in two shards. */
static const struct plan_input inputs[] = {
	{ { (const uint8_t *)"a", 1 }, false, 10 },
	{ { (const uint8_t *)"\xff", 1 }, false, 20 },
	{ { (const uint8_t *)"s3://c", 6 }, true, 0 },
};

static enum prof_status
check_input(void *arg, const struct plan_input *in, struct prof_error *err)
{
	size_t *i = arg;

	(void)err;
	check(prof_span_equal(in->path, inputs[*i].path) &&
	    in->size == inputs[*i].size && in->fetched ==
	    inputs[*i].fetched, "input %zu is as it was written", *i);
	++*i;
	return PROF_OK;
}

static void
write_plan(struct buf *text)
{
	static const size_t ends[] = { 1, 3 };
	static const struct plan_terms terms = { true, 100, 10000,
	    PROF_LEVEL_FRONTEND };

	check(plan_write(inputs, ends, 2, &terms, buf_sink, text, NULL) ==
	    PROF_OK, "a plan is written");
}

static void
test_round_trip(void)
{
	struct buf text = { 0 };
	struct plan p = { .size = 0 };
	struct prof_error err = { 0 };
	size_t i = 0;

	write_plan(&text);
	check(plan_read(&p, buf_span(&text), &err) == PROF_OK && p.size == 2 &&
	    p.inputs == 3 && p.bytes == 30 && p.shards[1].inputs == 2 &&
	    p.terms.sampled && p.terms.max_traces == 100 &&
	    p.terms.max_trace_length == 10000 && p.terms.level ==
	    PROF_LEVEL_FRONTEND && plan_verify(&p, &err) == PROF_OK,
	    "and read: %s", err.reason);
	check(plan_each(&p, 0, check_input, &i, &err) == PROF_OK && i == 1 &&
	    plan_each(&p, 1, check_input, &i, &err) == PROF_OK && i == 3,
	    "with all inputs");
	plan_free(&p);
	buf_free(&text);
}

static enum prof_status
take_input(void *arg, const struct plan_input *in, struct prof_error *err)
{
	(void)arg;
	(void)in;
	(void)err;
	return PROF_OK;
}

/* Whether any step of a program that reads the whole plan refuses it. */
static bool
is_refused(struct prof_span text, struct prof_error *err)
{
	struct plan p = { .size = 0 };
	enum prof_status status = plan_read(&p, text, err);

	for (size_t i = 0; status == PROF_OK && i < p.size; i++)
		status = plan_each(&p, i, take_input, NULL, err);
	plan_free(&p);
	return status != PROF_OK && err->reason[0] != '\0';
}

/* A plan that was cut, or of which a byte is another, is refused. */
static void
test_damage(void)
{
	struct buf text = { 0 };
	size_t passed = 0;

	write_plan(&text);
	for (size_t i = 0; i < text.size; i++) {
		struct prof_error err = { 0 };

		passed += !is_refused((struct prof_span){ text.data, i }, &err);
	}
	check(passed == 0, "a plan that was cut anywhere is refused");
	for (size_t i = 0; i < text.size; i++) {
		struct prof_error err = { 0 };

		text.data[i] ^= 1;
		passed += !is_refused(buf_span(&text), &err);
		text.data[i] ^= 1;
	}
	check(passed == 0, "and one of which any byte is another");
	buf_free(&text);
}

#define DIGEST "00112233445566778899aabbccddeeff" \
	"00112233445566778899aabbccddeeff"
#define PART "{\"record\":\"part\",\"plan\":\"" DIGEST "\","

static const struct {
	const char *line, *again;	/* NULL: it is refused */
} accounts[] = {
	{ PART "\"shards\":[[1,2]],\"inputs\":3,\"used\":2,\"bad\":1}",
	    PART "\"shards\":[[1,2]],\"inputs\":3,\"used\":2,\"bad\":1}\n" },
	{ PART "\"bad\":0,\"used\":9,\"inputs\":3,\"shards\":[[1,1],[3,9]]}",
	    PART "\"shards\":[[1,1],[3,9]],\"inputs\":3,\"used\":9,"
	    "\"bad\":0}\n" },
	{ PART "\"shards\":[[1,1]],\"inputs\":3,\"used\":1,\"bad\":1}", NULL },
	{ PART "\"shards\":[],\"inputs\":0,\"used\":0,\"bad\":0}", NULL },
	{ PART "\"shards\":[[0,1]],\"inputs\":3,\"used\":3,\"bad\":0}", NULL },
	{ PART "\"shards\":[[2,1]],\"inputs\":3,\"used\":3,\"bad\":0}", NULL },
	{ PART "\"shards\":[[1,2],[3,4]],\"inputs\":3,\"used\":3,\"bad\":0}",
	    NULL },
	{ PART "\"shards\":[[3,4],[1,1]],\"inputs\":3,\"used\":3,\"bad\":0}",
	    NULL },
	{ PART "\"shards\":[[1]],\"inputs\":3,\"used\":3,\"bad\":0}", NULL },
	{ PART "\"shards\":[[1,1]],\"used\":3,\"bad\":0}", NULL },
	{ "{\"record\":\"part\",\"plan\":\"00\",\"shards\":[[1,1]],"
	    "\"inputs\":3,\"used\":3,\"bad\":0}", NULL },
	{ "{\"record\":\"bad\",\"file\":\"x\"}", NULL },
	{ "{", NULL }, { "", NULL }, { "[]", NULL },
};

static void
test_accounts(void)
{
	for (size_t i = 0; i < COUNT(accounts); i++) {
		struct account a = { .size = 0 };
		struct prof_error err = { 0 };
		struct buf again = { 0 };
		bool good = account_read(&a, span(accounts[i].line), &err) ==
		    PROF_OK;

		if (good)
			account_put(&again, &a);
		check(accounts[i].again == NULL ? !good && err.reason[0] != '\0'
		    : good && prof_span_equal( buf_span(&again),
		    span(accounts[i].again)), "account %zu: %s", i, err.reason);
		buf_free(&again);
		account_free(&a);
	}
}

static void
test_lines(void)
{
	static const char *const lines[] = {
		"{\"record\":\"bad\",\"file\":\"b\"}",
		"{\"record\":\"bad\",\"file\":\"a\"}",
	};
	static const char sorted[] = "{\"record\":\"bad\",\"file\":\"a\"}\n"
	    "{\"record\":\"bad\",\"file\":\"b\"}\n";
	struct account a = { .size = 0 };
	struct arena arena = { 0 };
	struct prof_error err = { 0 };
	struct prof_span file;

	for (size_t i = 0; i < COUNT(lines); i++)
		check(account_add_line(&a, span(lines[i]), &err) == PROF_OK,
		    "line %zu", i);
	check(account_sort(&a) && prof_span_equal((struct prof_span){
	    a.lines.data, a.lines.size }, span(sorted)), "are sorted");
	check(account_file(span("{\"record\":\"bad\",\"file_hex\":\"ff\"}"),
	    &arena, &file, &err) == PROF_OK && file.size == 1 && file.data[0] ==
	    0xff, "a file of any bytes");
	check(account_add_line(&a, span("{\"record\":\"end\"}"), &err) !=
	    PROF_OK && err.code == PROF_E_FORMAT, "another record is refused");
	arena_free(&arena);
	account_free(&a);
}

int
main(void)
{
	test_sort();
	test_split();
	test_round_trip();
	test_damage();
	test_accounts();
	test_lines();
	return done_testing();
}
