/* The merge as a library: what no program can show. */
#include "merge/merge.h"

#include <errno.h>
#include <string.h>

#include "base/bytes.h"
#include "merge/state.h"
#include "merge/worker.h"
#include "tests/support/images.h"

#define M UINT64_MAX

static const struct {
	uint64_t times, parts, count, product;
} products[] = {
	{ 1, 1, 0, 0 }, { 1, 1, 7, 7 }, { 1, 1, M, M },
	{ 3, 1, 7, 21 }, { 3, 1, 0, 0 }, { M, 1, 1, M }, { 1, 1, M - 1, M - 1 },
	{ 2, 1, M / 2, M - 1 }, { 2, 1, M / 2 + 1, M }, { M, 1, M, M },
	/* Quotients are rounded, halves up; a count other than 0 stays so. */
	{ 1, 2, 0, 0 }, { 1, 2, 1, 1 }, { 1, 2, 2, 1 }, { 1, 2, 3, 2 },
	{ 1, 3, 1, 1 }, { 1, 3, 4, 1 }, { 1, 3, 5, 2 }, { 2, 3, 1, 1 },
	{ 2, 3, 2, 1 }, { 2, 3, 10, 7 }, { 1, 1000000, 1, 1 },
	{ 1, 1000000, 499999, 1 }, { 1, 1000000, 1499999, 1 },
	{ 1, 1000000, 1500000, 2 }, { 7, 7, 12345, 12345 },
	/* Products that exceed 64 bits before they are divided. */
	{ UINT32_MAX, UINT32_MAX, M, M }, { 1, 2, M, (uint64_t)1 << 63 },
	{ UINT32_MAX, UINT32_MAX - 1, M, M },
	{ UINT32_MAX - 1, UINT32_MAX, M, M - ((uint64_t)1 << 32) - 1 },
	{ 3, 2, M / 3 * 2, M }, { 3, 2, M, M },
};

static void
test_products(void)
{
	for (size_t i = 0; i < COUNT(products); i++) {
		const struct merge_factor f = { products[i].times,
		    products[i].parts };
		uint64_t got = merge_weigh(&f, products[i].count);

		if (!check(got == products[i].product, "%llu times %llu/%llu",
		    ull(products[i].count), ull(f.times), ull(f.parts)))
			printf("# got %llu\n", ull(got));
	}
	check(saturating_add(M - 1, 1) == M && saturating_add(M, 1) == M &&
	    saturating_add(M, M) == M && saturating_add(2, 3) == 5,
	    "sums stop at the largest value");
}

struct warnings {
	size_t count;
	char last[PROF_REASON_SIZE];
};

static enum prof_status
add(struct merge *m, enum prof_record_kind kind, struct prof_error *err)
{
	struct prof_record r = { .kind = kind };

	if (kind == PROF_REC_PROFILE)
		r.u.profile.level = PROF_LEVEL_IR;
	return merge_add(m, &r, NULL, err);
}

static enum prof_status
add_function(struct merge *m, const char *name, uint64_t guid, uint64_t hash,
    const uint64_t *counts, size_t size, struct prof_error *err)
{
	struct prof_record r = { .kind = PROF_REC_FUNCTION };

	r.u.function = (struct prof_function){ .hash = hash,
	    .counts = counts, .counts_size = size };
	if (name != NULL)
		r.u.function.symbol.name = span(name);
	r.u.function.symbol.guid = guid;
	return merge_add(m, &r, NULL, err);
}

/* Writes the sum as a stream. */
static enum prof_status
write_text(struct merge *m, struct buf *out, struct prof_error *err)
{
	const struct prof_target target = { .format = "stream" };
	struct prof_writer *w = prof_writer_new(NULL, &target, buf_sink, out,
	    err);
	enum prof_status status;

	status = merge_write(m, &(struct merge_output){ .sparse = false }, w,
	    err);
	if (status == PROF_OK)
		status = prof_finish(w, err);
	prof_writer_free(w);
	buf_u8(out, '\0');
	return status;
}

static void
test_nothing(void)
{
	struct merge *m = merge_new(NULL, NULL);
	struct prof_error e = { 0 };
	struct buf out = { 0 };

	check(write_text(m, &out, &e) == PROF_FAIL &&
	    e.code == PROF_E_FORMAT, "no profile is no sum");
	merge_free(m);
	merge_free(NULL);
	buf_free(&out);
}

/* Two names with one guid are refused: the guid could mean either of them. */
static void
test_clash(void)
{
	static const uint64_t one[] = { 1 };
	struct merge *m = merge_new(NULL, NULL);
	struct prof_error e = { 0 };

	add(m, PROF_REC_PROFILE, NULL);
	check(add_function(m, NULL, 5, 1, one, 1, &e) == PROF_OK &&
	    add_function(m, "a", 5, 1, one, 1, &e) == PROF_OK &&
	    add_function(m, NULL, 5, 1, one, 1, &e) == PROF_OK,
	    "a guid and its name are one function");
	check(add_function(m, "b", 5, 1, one, 1, &e) == PROF_FAIL &&
	    e.code == PROF_E_MISMATCH &&
	    strstr(e.reason, "a and b have the same MD5") != NULL,
	    "two names of a guid are refused");
	merge_free(m);
}

/*
 * Readers lend what a record points to until the next call, so that the merge
 * must have copied it: the image is overwritten, and the reader is gone.
 */
static void
test_copies(void)
{
	static const char want[] =
	    "{\"record\":\"profile\",\"stream\":1,\"kind\":\"instr\"}\n"
	    "{\"record\":\"binary\",\"build_id\":\"6964\"}\n"
	    "{\"record\":\"vtable\",\"name\":\"vt\"}\n"
	    "{\"record\":\"function\",\"name\":\"name\",\"hash\":"
	    "\"0x0000000000000001\",\"counts\":[9,8],\"bitmap\":\"6269\","
	    "\"values\":{\"indirect_call_target\":[[{\"target\":\"callee\","
	    "\"count\":3}]]}}\n"
	    "{\"record\":\"trace\",\"weight\":2,\"functions\":[\"name\"]}\n"
	    "{\"record\":\"end\",\"last\":true}\n";
	struct prof_span image = exact(span(want));
	struct prof_reader *r = prof_open(NULL, image, NULL);
	struct merge *m = merge_new(NULL, NULL);
	struct prof_record record;
	struct buf out = { 0 };

	while (prof_next(r, &record, NULL) == PROF_OK)
		merge_add(m, &record, NULL, NULL);
	prof_close(r);
	memset((void *)(uintptr_t)image.data, 'x', image.size);
	release(image);
	if (!check(write_text(m, &out, NULL) == PROF_OK &&
	    strcmp((char *)out.data, want) == 0, "records are copied"))
		printf("# %s\n", (char *)out.data);
	merge_free(m);
	buf_free(&out);
}

enum { MIXED = 4 };

/* Inputs in their order, of which one is refused. */
static const struct {
	struct prof_header heads[MIXED];
	uint64_t refused;
	const char *reason;
} mixed[] = {
#define RULES(first, last) { .level = PROF_LEVEL_FRONTEND,		\
	.frontend_first = (first), .frontend_last = (last) }
#define IR		{ .level = PROF_LEVEL_IR }
#define IR_COVERAGE	{ .level = PROF_LEVEL_IR, .flags = PROF_BYTE_COVERAGE }
	{ { RULES(1, 8), RULES(4, 8), RULES(1, 8), IR }, 3,
	    "an IR profile cannot be merged with a front-end profile (0)" },
	{ { RULES(1, 8), RULES(4, 8), RULES(2, 3), RULES(1, 8) }, 2,
	    "front-end hashes of clang 3.6 to 3.8 cannot be merged with those "
	    "of clang 3.9 to 15 (0)" },
	{ { RULES(1, 8), RULES(1, 5), RULES(6, 8), IR }, 2,
	    "front-end hashes of clang 11 to 15 cannot be merged with those "
	    "of clang 3.5 to 10 (0)" },
	{ { IR, IR_COVERAGE, IR, RULES(1, 8) }, 1, "a profile of byte "
	    "coverage cannot be merged with a profile of counts (0)" },
};

/* How a profile is added: by the only thread, or by a thread of its own. */
enum how { ALONE, THREADS };

static enum prof_status
add_by(struct merge *m, struct merge_worker *worker,
    const struct prof_record *r, struct prof_error *err)
{
	return worker == NULL ? merge_add(m, r, NULL, err) :
	    merge_worker_add(worker, r, NULL, err);
}

/* Adds a profile of no function or one, whose file is named by its number. */
static enum prof_status
add_profile(struct merge *m, const struct prof_header *head, unsigned number,
    enum how how, bool function, struct prof_error *err)
{
	struct merge_worker *worker = how == THREADS ? merge_worker_new(m) :
	    NULL;
	const uint64_t count = 1;
	enum prof_status status;
	char file[] = { (char)('0' + number), '\0' };
	struct prof_record r = { .kind = PROF_REC_PROFILE, .u.profile = *head };

	r.u.profile.source.file = span(file);
	if (worker != NULL)
		merge_worker_begin(worker, number);
	status = add_by(m, worker, &r, err);
	r = (struct prof_record){ .kind = PROF_REC_FUNCTION, .u.function = {
	    .symbol.name = span("f"), .counts = &count, .counts_size = 1 } };
	if (function)
		status = add_by(m, worker, &r, err);
	r.kind = PROF_REC_END;
	add_by(m, worker, &r, NULL);
	if (worker != NULL)
		merge_worker_end(worker);
	return status;
}

static enum prof_status
add_mixed(struct merge *m, const struct prof_header *head, unsigned number)
{
	struct prof_error err = { 0 };

	return add_profile(m, head, number, THREADS, true, &err);
}

/* Whether each of the four numbers is there once. */
static bool
is_order(const unsigned order[MIXED])
{
	unsigned seen = 0;

	for (unsigned i = 0; i < MIXED; i++)
		seen |= 1u << order[i];
	return seen == (1u << MIXED) - 1;
}

/* Threads finish inputs in any order, and refuse the same one. */
static void
test_refused(size_t row)
{
	size_t orders = 0, right = 0;

	for (unsigned code = 0; code < 256; code++) {
		const unsigned order[MIXED] = { code & 3, code >> 2 & 3,
		    code >> 4 & 3, code >> 6 };
		struct prof_error why = { 0 };
		struct merge *m;

		if (!is_order(order))
			continue;
		m = merge_new(NULL, NULL);
		for (unsigned i = 0; i < MIXED; i++)
			add_mixed(m, &mixed[row].heads[order[i]], order[i]);
		orders++;
		right += merge_first_refused(m, &why) == mixed[row].refused &&
		    strcmp(why.reason, mixed[row].reason) == 0;
		merge_free(m);
	}
	check(orders == 24 && right == orders, "%s: in %zu of %zu orders",
	    mixed[row].reason, right, orders);
}

/* The head of a sum says what the heads of all workers say together. */
static void
test_joined_heads(void)
{
	static const struct prof_header heads[] = {
		{ .level = PROF_LEVEL_FRONTEND, .frontend_first = 1,
		    .frontend_last = 9, .wave_size = 32 },
		{ .level = PROF_LEVEL_FRONTEND },
		{ .level = PROF_LEVEL_FRONTEND, .frontend_first = 3,
		    .frontend_last = 12, .wave_size = 64, .inputs = 5 },
		{ .level = PROF_LEVEL_FRONTEND, .frontend_first = 2,
		    .frontend_last = 8, .flags = PROF_TEMPORAL,
		    .has_trace_stream_size = true, .trace_stream_size = 7 },
	};
	static const char want[] = "{\"record\":\"profile\",\"stream\":1,"
	    "\"kind\":\"instr\",\"level\":\"frontend\",\"temporal\":true,"
	    "\"frontend_versions\":[3,8],\"wave_size\":64,"
	    "\"trace_stream_size\":7,\"inputs\":8}\n";

	for (unsigned first = 0; first < COUNT(heads); first++) {
		struct merge *m = merge_new(NULL, NULL);
		struct buf out = { 0 };

		for (unsigned i = 0; i < COUNT(heads); i++)
			add_mixed(m, &heads[(first + i) % COUNT(heads)], i);
		if (!check(write_text(m, &out, NULL) == PROF_OK &&
		    strncmp((char *)out.data, want, sizeof(want) - 1) == 0,
		    "heads of workers, the first of which is %u", first))
			printf("# %s\n", (char *)out.data);
		merge_free(m);
		buf_free(&out);
	}
}

/* A refusal names the profile that set the limit, not one behind it. */
static void
test_label_of_second(void)
{
	static const struct prof_header heads[] = {
		{ .level = PROF_LEVEL_FRONTEND }, RULES(4, 8),
		{ .level = PROF_LEVEL_FRONTEND }, RULES(1, 3),
	};
	struct merge *m = merge_new(NULL, NULL);
	struct prof_error why = { 0 };

	for (unsigned i = 0; i < COUNT(heads); i++)
		add_profile(m, &heads[i], i, ALONE, true, &why);
	check(strcmp(why.reason, "front-end hashes of clang 3.5 to 3.8 "
	    "cannot be merged with those of clang 3.9 to 15 (1)") == 0,
	    "the second is named");
	merge_free(m);
}

/* Whether a profile mixes with a sum is known before a record is added. */
static void
test_mixes(size_t row)
{
	struct merge *m = merge_new(NULL, NULL);
	struct prof_error why = { 0 };
	bool right = true;

	for (unsigned i = 0; i <= mixed[row].refused; i++) {
		struct prof_header head = mixed[row].heads[i];

		right = right && merge_mixes(m, &head, &why) ==
		    (i < mixed[row].refused ? PROF_OK : PROF_FAIL);
		add_mixed(m, &head, i);
	}
	check(right && strcmp(why.reason, mixed[row].reason) == 0, "asked: %s",
	    mixed[row].reason);
	merge_free(m);
}

/* A sum without functions has the level and the flags of any of its inputs. */
static void
test_idle_heads(void)
{
	static const struct prof_header heads[] = {
		{ .level = PROF_LEVEL_IR, .flags = PROF_TEMPORAL },
		{ .level = PROF_LEVEL_UNKNOWN },
	};
	static const char want[] = "{\"record\":\"profile\",\"stream\":1,"
	    "\"kind\":\"instr\",\"level\":\"ir\",\"temporal\":true,"
	    "\"inputs\":2}\n";

	for (unsigned row = 0; row < 4; row++) {
		enum how how = row < 2 ? ALONE : THREADS;
		struct merge *m = merge_new(NULL, NULL);
		struct buf out = { 0 };

		for (unsigned i = 0; i < COUNT(heads); i++)
			add_profile(m, &heads[(row + i) % 2], i, how, false,
			    NULL);
		if (!check(write_text(m, &out, NULL) == PROF_OK &&
		    strncmp((char *)out.data, want, sizeof(want) - 1) == 0,
		    "heads without functions, %s, %s first",
		    how == THREADS ? "two threads" : "one thread",
		    row % 2 == 0 ? "IR" : "unknown"))
			printf("# %s\n", (char *)out.data);
		merge_free(m);
		buf_free(&out);
	}
}

/* A sum keeps from each worker what a subtrahend must not differ in. */
static const struct {
	struct prof_header sum, less;
	const char *reason;
} subtrahends[] = {
	{ RULES(4, 8), IR, "an IR profile (1) cannot be subtracted from a "
	    "front-end profile (0)" },
	{ IR, IR_COVERAGE, "a profile of byte coverage (1) cannot be "
	    "subtracted from a profile of counts (0)" },
	{ RULES(4, 8), RULES(1, 3), "front-end hashes of clang 3.5 to 3.8 "
	    "(1) cannot be subtracted from those of clang 3.9 to 15 (0)" },
};

static void
test_subtrahends(void)
{
	for (size_t i = 0; i < COUNT(subtrahends); i++) {
		struct merge *sum = merge_new(NULL, NULL);
		struct merge *less = merge_new(NULL, NULL);
		struct prof_error why = { 0 };

		add_mixed(sum, &subtrahends[i].sum, 0);
		add_mixed(less, &subtrahends[i].less, 1);
		check(merge_subtract(sum, less, &why) == PROF_FAIL &&
		    strcmp(why.reason, subtrahends[i].reason) == 0, "%s",
		    subtrahends[i].reason);
		merge_free(sum);
		merge_free(less);
	}
}

int
main(void)
{
	test_products();
	test_joined_heads();
	test_idle_heads();
	test_label_of_second();
	test_subtrahends();
	for (size_t i = 0; i < COUNT(mixed); i++) {
		test_refused(i);
		test_mixes(i);
	}
	test_nothing();
	test_clash();
	test_copies();
	return done_testing();
}
