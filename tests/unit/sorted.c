/*
 * Files of LPRF 2 that are merged block by block: the same bytes as by the
 * other merge, and what is left to that one.
 */
#include "merge/sorted/sorted.h"

#include <errno.h>
#include <string.h>

#include "base/bytes.h"
#include "base/crc32c.h"
#include "format/lprf/file.h"
#include "format/lprf/v2.h"
#include "tests/support/memory_files.h"
#include "tests/support/test.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define HEAD	"{\"record\":\"profile\",\"stream\":1,\"kind\":\"instr\"," \
	"\"level\":\"ir\"}\n"
#define END	"{\"record\":\"end\",\"last\":true}\n"
#define FN(name, more)	"{\"record\":\"function\",\"name\":\"" name "\"," \
	"\"hash\":\"0x0000000000000007\"," more "}\n"
#define GUID(more)	"{\"record\":\"function\"," \
	"\"guid\":\"0x1122334455667788\",\"hash\":\"0x0000000000000007\"," \
	more "}\n"
#define TARGET(target)	"\"counts\":[1],\"values\":{" \
	"\"indirect_call_target\":[[{" target ",\"count\":2}]]}"

enum { INPUTS_MAX = 9 };

/* Inputs, which are memory files too. */
struct files {
	struct memory_files memory;
	struct buf images[INPUTS_MAX];
	struct merge_factor weights[INPUTS_MAX];
};

static bool
open_input(void *arg, size_t i, struct merge_sorted_file *out)
{
	struct files *of = arg;
	struct memory_file *f = memory_file_create(&of->memory, NULL);

	if (f == NULL)
		return false;
	buf_put(&f->bytes, of->images[i].data, of->images[i].size);
	*out = (struct merge_sorted_file){ f, memory_file_read, f->bytes.size,
	    of->weights[i] };
	return true;
}

static void
close_input(struct merge_sorted_file *f)
{
	memory_file_close(f->arg);
}

static int
collect(void *arg, const void *data, size_t size)
{
	buf_put(arg, data, size);
	return 0;
}

static struct prof_writer *
writer(bool plain, struct buf *out)
{
	const struct prof_target target = { .format = "lprf", .version = 2,
	    .plain = plain };

	return prof_writer_new(NULL, &target, collect, out, NULL);
}

/* Adds a profile to a merge, or puts it to a writer if that is NULL. */
static bool
copy(struct prof_span image, struct merge *m, struct prof_writer *w,
    const struct merge_factor *weight)
{
	struct prof_reader *r = prof_open(NULL, image, NULL);
	enum prof_status status = r == NULL ? PROF_FAIL : PROF_OK;
	struct prof_record record;

	while (status == PROF_OK) {
		status = prof_next(r, &record, NULL);
		if (status == PROF_OK && (m != NULL ? merge_add(m, &record,
		    weight, NULL) : prof_put(w, &record, NULL)) != PROF_OK)
			status = PROF_FAIL;
	}
	prof_close(r);
	return status == PROF_END;
}

static void
make_image(struct files *f, size_t i, const char *stream, bool plain)
{
	struct prof_writer *w = writer(plain, &f->images[i]);

	f->weights[i] = (struct merge_factor){ 1, 1 };
	if (!copy(span_of_text(stream), NULL, w, NULL) ||
	    prof_finish(w, NULL) != PROF_OK)
		check(false, "a stream becomes LPRF 2: %s", stream);
	prof_writer_free(w);
}

/* The bytes that the other merge makes of n inputs. */
static struct buf
by_table(const struct files *f, size_t n, bool plain)
{
	const struct merge_output o = { .sparse = false };
	struct merge *m = merge_new(NULL, NULL);
	struct buf out = { 0 };
	struct prof_writer *w = writer(plain, &out);

	for (size_t i = 0; i < n; i++)
		copy((struct prof_span){ f->images[i].data,
		    f->images[i].size }, m, NULL, &f->weights[i]);
	if (merge_write(m, &o, w, NULL) == PROF_OK)
		prof_finish(w, NULL);
	prof_writer_free(w);
	merge_free(m);
	return out;
}

/* The bytes of the sorted merge; empty if it does not take the inputs. */
static struct buf
by_blocks(struct files *f, size_t n, size_t most, bool plain)
{
	const struct merge_sorted_inputs in = { .arg = f, .size = n,
	    .most = most, .open = open_input, .close = close_input };
	const struct merge_files files = memory_files_calls(&f->memory);
	struct merge_sorted_sum sum;
	struct buf out = { 0 };
	struct memory_file *file;

	if (!merge_sorted(&in, &files, plain, &sum))
		return out;
	file = sum.file;
	buf_put(&out, file->bytes.data, file->bytes.size);
	memory_file_close(file);
	return out;
}

static void
free_images(struct files *f)
{
	for (size_t i = 0; i < INPUTS_MAX; i++)
		buf_free(&f->images[i]);
}

static bool
same(const struct buf *a, const struct buf *b)
{
	return a->size == b->size && a->size != 0 &&
	    memcmp(a->data, b->data, a->size) == 0;
}

static const struct {
	const char *what, *a, *b;
	bool taken;
} cases[] = {
	{ "the same functions", FN("f", "\"counts\":[1,0]")
	    FN("g", "\"counts\":[0]"), FN("f", "\"counts\":[0,300]")
	    FN("g", "\"counts\":[0]"), true },
	{ "other functions", FN("f", "\"counts\":[1]")
	    FN("h", "\"counts\":[2]"), FN("e", "\"counts\":[3]")
	    FN("h", "\"counts\":[4]"), true },
	{ "nothing", "", FN("f", "\"counts\":[1]"), true },
	{ "all members", FN("f", "\"counts\":[5],\"bitmap\":\"2a\","
	    "\"uniform_counts\":[1,2],\"values\":{\"mem_op_size\":"
	    "[[{\"size\":8,\"count\":4}]]},\"k\":1"),
	    FN("f", "\"counts\":[6],\"bitmap\":\"51\","
	    "\"uniform_counts\":[1,2],\"values\":{\"mem_op_size\":"
	    "[[{\"size\":9,\"count\":4}]]},\"k\":1"), true },
	{ "all members beside other functions", FN("e", "\"counts\":[1]")
	    FN("f", "\"counts\":[5],\"bitmap\":\"2a\""),
	    FN("f", "\"counts\":[6],\"bitmap\":\"51\""), true },
	{ "named targets", FN("f", TARGET("\"target\":\"f\"")),
	    FN("f", TARGET("\"target\":\"g\"")), true },
	{ "named traces", FN("f", "\"counts\":[1]")
	    "{\"record\":\"trace\",\"weight\":1,\"functions\":[\"f\"]}\n",
	    FN("f", "\"counts\":[1]")
	    "{\"record\":\"trace\",\"weight\":1,\"functions\":[\"e\"]}\n",
	    true },
	{ "a vtable", "{\"record\":\"vtable\",\"name\":\"v\"}\n"
	    FN("f", "\"counts\":[1]"), FN("f", "\"counts\":[1]"), true },
	{ "a function by guid", GUID("\"counts\":[1]"),
	    FN("f", "\"counts\":[1]"), false },
	{ "a target by guid", FN("f",
	    TARGET("\"target_guid\":\"0x1122334455667788\"")),
	    FN("f", TARGET("\"target\":\"g\"")), false },
	{ "a trace by guid", "{\"record\":\"trace\",\"weight\":1,"
	    "\"functions\":[{\"guid\":\"0x1122334455667788\"}]}\n",
	    FN("f", "\"counts\":[1]"), false },
	{ "a name alone", "{\"record\":\"name\",\"name\":\"f\"}\n",
	    FN("f", "\"counts\":[1]"), false },
	{ "a large count", FN("f", "\"counts\":[4611686018427387904]"),
	    FN("f", "\"counts\":[1]"), false },
	{ "a large sum", FN("e", "\"counts\":[1]")
	    FN("f", "\"counts\":[4611686018427387903]"),
	    FN("f", "\"counts\":[4611686018427387903]"), false },
	{ "a sum that is not too large", FN("e", "\"counts\":[1]")
	    FN("f", "\"counts\":[1152921504606846976]"),
	    FN("f", "\"counts\":[1152921504606846976]"), true },
	{ "uniform counts at their limit",
	    FN("f", "\"counts\":[5],\"uniform_counts\":[9223372036854775807]"),
	    FN("f", "\"counts\":[5],\"uniform_counts\":[9223372036854775807]"),
	    false },
	{ "uniform counts at their limit, beside other functions",
	    FN("f", "\"counts\":[5],\"uniform_counts\":[4611686018427387904]"),
	    FN("e", "\"counts\":[1]")
	    FN("f", "\"counts\":[5],\"uniform_counts\":[13835058055282163712]"),
	    false },
	{ "pseudo counts", FN("f", "\"counts\":[18446744073709551614]"),
	    FN("f", "\"counts\":[18446744073709551615]"), false },
	{ "other numbers of counters", FN("e", "\"counts\":[1]")
	    FN("f", "\"counts\":[1]"), FN("f", "\"counts\":[1,2]"), false },
	{ "values in one of them", FN("f", TARGET("\"target\":\"f\"")),
	    FN("f", "\"counts\":[1]"), false },
	{ "values in the other", FN("f", "\"counts\":[1]"),
	    FN("f", TARGET("\"target\":\"f\"")), false },
	{ "values in the other, of other functions",
	    FN("f", "\"counts\":[1]"), FN("e", "\"counts\":[1]")
	    FN("f", TARGET("\"target\":\"f\"")), false },
	{ "other numbers of sites", FN("f", TARGET("\"target\":\"f\"")),
	    FN("f", "\"counts\":[1],\"values\":{\"indirect_call_target\":"
	    "[[],[]]}"), false },
	{ "other unknown keys", FN("f", "\"counts\":[1],\"k\":1"),
	    FN("f", "\"counts\":[1],\"k\":2"), false },
	{ "an unknown record", "{\"record\":\"other\"}\n",
	    FN("f", "\"counts\":[1]"), false },
};

static char *
stream_of(const char *records)
{
	struct buf b = { 0 };

	buf_text(&b, HEAD);
	buf_text(&b, records);
	buf_text(&b, END);
	buf_u8(&b, 0);
	return (char *)b.data;
}

static void
test_case(size_t i, bool plain, const struct merge_factor *weight)
{
	char *a = stream_of(cases[i].a), *b = stream_of(cases[i].b);
	struct files f = { 0 };
	struct buf got, want;

	make_image(&f, 0, a, plain);
	make_image(&f, 1, b, plain);
	make_image(&f, 2, a, !lprf2_can_pack || !plain);
	f.weights[1] = *weight;
	got = by_blocks(&f, 3, 3, plain);
	want = by_table(&f, 3, plain);
	check(f.memory.open == 0 && (cases[i].taken ? same(&got, &want) :
	    got.size == 0), "%s%s, weight %u/%u: %s", cases[i].what,
	    plain ? "" : ", packed", (unsigned)weight->times,
	    (unsigned)weight->parts, cases[i].taken ? "the same bytes" :
	    "left to the other merge");
	buf_free(&got);
	buf_free(&want);
	free_images(&f);
	free(a);
	free(b);
}

/* The stream of a run, whose functions and counts depend on it. */
static char *
run_stream(unsigned run)
{
	struct buf b = { 0 };

	for (unsigned i = 0; i < 400; i++) {
		if (i * (run + 1) % 7 < 3)
			continue;
		buf_print(&b, i % 5 == 0 ? FN("function_%03u", "\"counts\":"
		    "[%u,%u],\"values\":{\"mem_op_size\":[[{\"size\":8,"
		    "\"count\":%u}]]}") : FN("function_%03u",
		    "\"counts\":[%u,%u]"), i, run, i, run + 1);
	}
	buf_u8(&b, 0);
	return (char *)b.data;
}

static void
make_runs(struct files *f)
{
	for (unsigned i = 0; i < INPUTS_MAX; i++) {
		char *records = run_stream(i), *stream = stream_of(records);

		make_image(f, i, stream, !lprf2_can_pack || i % 2 == 0);
		free(stream);
		free(records);
	}
}

static void
test_passes(void)
{
	struct files f = { 0 };
	struct buf got, want;

	make_runs(&f);
	want = by_table(&f, INPUTS_MAX, true);
	for (size_t most = 2; most <= INPUTS_MAX + 1; most++) {
		got = by_blocks(&f, INPUTS_MAX, most, true);
		check(same(&got, &want) && f.memory.open == 0,
		    "%zu files open at a time", most);
		check(f.memory.most == 1 + (most < INPUTS_MAX ? most :
		    INPUTS_MAX), "and one that is written: %u",
		    f.memory.most);
		f.memory.most = 0;
		buf_free(&got);
	}
	got = by_blocks(&f, INPUTS_MAX, 1, true);
	check(got.size == 0, "one file is not enough");
	buf_free(&got);
	buf_free(&want);
	free_images(&f);
}

/* Each use of files may fail, and each byte of an input be wrong. */
static void
test_failures_of_files(void)
{
	struct files f = { 0 };
	unsigned n = 0, wrong = 0;
	struct buf got;

	make_runs(&f);
	for (bool done = false; !done; ) {
		f.memory.uses = 0;
		f.memory.failing = ++n;
		got = by_blocks(&f, 4, 3, true);
		done = f.memory.uses < n;
		wrong += done != (got.size != 0) || f.memory.open != 0;
		buf_free(&got);
	}
	check(n > 20 && wrong == 0, "each of %u uses of files may fail", n);
	f.memory.failing = 0;
	wrong = 0;
	for (size_t i = 0; i < f.images[0].size; i += 3) {
		f.images[0].data[i] ^= 0x10;
		got = by_blocks(&f, 2, 2, true);
		f.images[0].data[i] ^= 0x10;
		wrong += got.size != 0 || f.memory.open != 0;
		buf_free(&got);
	}
	check(wrong == 0, "damage is left to the other merge");
	for (size_t cut = 1; cut < f.images[0].size; cut += 101) {
		f.images[0].size -= cut;
		got = by_blocks(&f, 2, 2, true);
		f.images[0].size += cut;
		wrong += got.size != 0 || f.memory.open != 0;
		buf_free(&got);
	}
	check(wrong == 0, "cut files are left to the other merge");
	free_images(&f);
}

/* A frame without contents, which other packers do not write. */
static const uint8_t frame[8] = { 0x50, 0x2a, 0x4d, 0x18 };

/* Appends a block whose section N has that frame, too. */
static void
repack_block(struct buf *out, struct prof_span block)
{
	struct buf b = { 0 };
	uint32_t stored = load_u32(block.data + LPRF2_SIZES + 4, false);
	size_t end = LPRF2_BLOCK_HEAD + stored;

	buf_zeros(&b, 4);
	buf_put(&b, block.data + 4, LPRF2_SIZES);
	buf_u32le(&b, stored + (uint32_t)sizeof(frame));
	buf_put(&b, block.data + LPRF2_SIZES + 8, end - LPRF2_SIZES - 8);
	buf_put(&b, frame, sizeof(frame));
	buf_put(&b, block.data + end, block.size - end);
	buf_u32le(out, crc32c((struct prof_span){ b.data + 4, b.size - 4 }));
	buf_put(out, b.data + 4, b.size - 4);
	buf_free(&b);
}

/* The file of two blocks, and an index, with its functions packed otherwise. */
static void
repack(const struct buf *from, const struct prof_symbol *first,
    const struct prof_symbol *last, struct buf *to)
{
	struct prof_span image = { from->data, from->size };
	struct lprf2_file f = { .packer = NULL };
	struct lprf2_block b;
	struct buf block = { 0 };

	lprf2_file_begin(&f);
	lprf2_get_block(image, LPRF2_HEADER, image.size, &b, NULL);
	lprf2_file_begin_block(&f, LPRF2_HEAD, NULL);
	lprf2_file_copy_block(&f, (struct prof_span){ image.data + b.at,
	    b.stored }, b.size, NULL, NULL);
	lprf2_get_block(image, LPRF2_HEADER + b.stored, image.size, &b, NULL);
	repack_block(&block, (struct prof_span){ image.data + b.at,
	    b.stored });
	lprf2_file_begin_block(&f, LPRF2_NAMES, first);
	lprf2_file_copy_block(&f, (struct prof_span){ block.data,
	    block.size }, b.size, last, NULL);
	lprf2_file_end(&f, NULL);
	buf_put(to, f.out.data, f.out.size);
	lprf2_file_free(&f);
	buf_free(&block);
}

static bool
has_frame(const struct buf *b)
{
	for (size_t i = 0; i + sizeof(frame) <= b->size; i++) {
		if (memcmp(b->data + i, frame, sizeof(frame)) == 0)
			return true;
	}
	return false;
}

/* Sections that inputs pack in several ways are packed anew. */
static void
test_frames(void)
{
	static const char orders[][4] = { "000", "001", "010", "100", "011",
	    "101", "110", "111", "002", "112", "121", "211" };
	const struct prof_symbol first = { span_of_text("function_003"), 0 };
	const struct prof_symbol last = { span_of_text("function_398"), 0 };
	char *records = run_stream(0), *stream = stream_of(records);
	struct files made = { 0 }, f = { 0 };
	struct buf want, got;

	make_image(&made, 0, stream, false);
	repack(&made.images[0], &first, &last, &made.images[1]);
	make_image(&made, 2, stream, true);
	for (size_t i = 0; i < COUNT(orders); i++) {
		for (size_t k = 0; k < 3; k++) {
			f.images[k] = made.images[orders[i][k] - '0'];
			f.weights[k] = (struct merge_factor){ 1, 1 };
		}
		got = by_blocks(&f, 3, 3, false);
		want = by_table(&f, 3, false);
		check(strcmp(orders[i], "111") == 0 ? has_frame(&got) :
		    same(&got, &want), "inputs packed as in %s", orders[i]);
		buf_free(&got);
		buf_free(&want);
	}
	free_images(&made);
	free(stream);
	free(records);
}

/* A file whose only function has unknown keys that no reader accepts. */
static void
make_bad_keys(struct buf *image)
{
	struct prof_record profile = { .kind = PROF_REC_PROFILE,
	    .u.profile.kind = PROF_INSTR };
	struct prof_record function = { .kind = PROF_REC_FUNCTION,
	    .u.function = { .symbol.name = span_of_text("f"), .hash = 7,
	    .extra = span_of_text("\"counts\":[9]") } };
	struct prof_writer *w = writer(true, image);

	check(prof_put(w, &profile, NULL) == PROF_OK &&
	    prof_put(w, &function, NULL) == PROF_OK &&
	    prof_finish(w, NULL) == PROF_OK, "a file with bad keys is made");
	prof_writer_free(w);
}

static void
test_bad_keys(void)
{
	struct files f = { 0 };
	struct buf got;

	for (size_t i = 0; i < 2; i++) {
		f.weights[i] = (struct merge_factor){ 1, 1 };
		make_bad_keys(&f.images[i]);
	}
	got = by_blocks(&f, 2, 2, true);
	check(got.size == 0 && f.memory.open == 0,
	    "unknown keys that are no JSON are left to the other merge");
	buf_free(&got);
	free_images(&f);
}

int
main(void)
{
	static const struct merge_factor weights[] = { { 1, 1 }, { 3, 2 } };

	for (size_t i = 0; i < COUNT(cases); i++) {
		for (size_t k = 0; k < COUNT(weights); k++) {
			test_case(i, true, &weights[k]);
			if (lprf2_can_pack)
				test_case(i, false, &weights[k]);
		}
	}
	test_passes();
	test_failures_of_files();
	test_bad_keys();
	if (lprf2_can_pack)
		test_frames();
	return done_testing();
}
