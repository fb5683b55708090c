/*
 * Caches of contexts: what an input says depends on that input alone, whichever
 * inputs came before it or are opened at the same time.  Each input is read
 * without a cache, and with caches that other runs of its program have filled,
 * which were loaded at other addresses.
 */
#include <dirent.h>
#include <string.h>

#include "base/bytes.h"
#include "base/digests.h"
#include "base/error.h"
#include "format/codec.h"
#include "format/indexed/indexed.h"
#include "format/lprf/v2.h"
#include "format/raw/raw.h"
#include "tests/support/raw_write.h"
#include "tests/support/streams.h"

/* How far a program is moved. */
#define MOVED	UINT64_C(0x7654321000)

#define IR_PROFILE	HEAD ",\"level\":\"ir\"}\n"

static void
add_to_pointer(struct buf *b, const struct raw_image *im, size_t at)
{
	uint64_t v = load_u64(b->data + at, im->big);

	if (v != 0)
		buf_set_u64le(b, at, im->big ? __builtin_bswap64(v + MOVED) :
		    v + MOVED);
}

static bool
is_address(const struct raw_image *im, uint64_t v)
{
	struct raw_record r;
	struct raw_vtable t;

	for (uint64_t i = 0; i < im->field[RAW_NUM_DATA]; i++) {
		raw_record_get(im, i, &r);
		if (v != 0 && r.function_ptr == v)
			return true;
	}
	for (uint64_t i = 0; i < im->field[RAW_NUM_VTABLES]; i++) {
		raw_vtable_get(im, i, &t);
		if (v - t.pointer < t.size)
			return true;
	}
	return false;
}

/*
 * Makes a file of one image that of a run in which the program was loaded
 * elsewhere: addresses in records and values are others.  Section pointers
 * stay, as if they were relative in all versions.  False for 32 bits.
 */
static bool
move_image(struct buf *b)
{
	struct buf old = { 0 };
	struct raw_image im;
	bool fits;

	buf_put(&old, b->data, b->size);
	fits = raw_image_open(&im, buf_span(&old), 0, NULL) == PROF_OK &&
	    im.pointer_bytes == 8 && im.layout.has[RAW_FUNCTION_PTR];
	for (uint64_t i = 0; fits && i < im.field[RAW_NUM_DATA]; i++)
		add_to_pointer(b, &im, (size_t)raw_member_at(&im, i,
		    RAW_FUNCTION_PTR));
	for (uint64_t i = 0; fits && i < im.field[RAW_NUM_VTABLES]; i++)
		add_to_pointer(b, &im, im.at[RAW_S_VTABLES] +
		    (size_t)i * raw_vtable_size(&im) + 8);
	for (size_t at = im.at[RAW_S_VALUES]; fits && at + 8 <= b->size;
	    at += 8) {
		if (is_address(&im, load_u64(old.data + at, im.big)))
			add_to_pointer(b, &im, at);
	}
	buf_free(&old);
	return fits;
}

/* What the image says: its records as a stream, its warnings, its error. */
static void
tell(struct prof_context *c, const struct buf *image, struct buf *out)
{
	static const struct prof_target target = { .format = "stream" };
	struct prof_error err = { 0 };

	convert(c, buf_span(image), &target, out, &err);
	buf_print(out, "error: %d 0x%llx: %s\n", (int)err.code,
	    ull(err.offset), err.reason);
}

/*
 * Another image, which is read by another context with the same caches during
 * the first warning about an image: after that has searched the caches, and
 * before it stores what it has made.
 */
struct meeting {
	struct buf *out;
	const struct buf *image;
	struct prof_context *other;
	bool met;
};

static void
meet(void *arg, const struct prof_error *w)
{
	struct meeting *m = arg;
	struct buf ignored = { 0 };

	buf_print(m->out, "warning: 0x%llx: %s\n", ull(w->offset), w->reason);
	if (m->met)
		return;
	m->met = true;
	tell(m->other, m->image, &ignored);
	buf_free(&ignored);
}

/*
 * An image is read without another one, after it (twice, so that the caches
 * have all that they can), or beside it.
 */
enum order { ALONE, AFTER, BESIDE };

/* Whether the image says what it says alone, function by function. */
static bool
is_same(enum order order, bool blocks, const struct buf *image,
    const struct buf *other)
{
	struct buf want = { 0 }, got = { 0 };
	struct meeting alone = { &want, NULL, NULL, true };
	struct meeting m = { &got, other, NULL, order != BESIDE };
	struct prof_context *plain = prof_context_new(meet, &alone);
	struct prof_context *c = prof_context_new(meet, &m);
	bool same;

	tell(plain, image, &want);
	if (blocks)
		prof_context_blocks(c);
	m.other = prof_context_share(c, NULL, NULL);
	for (int i = 0; i < (order == AFTER ? 2 : 0); i++)
		tell(c, other, &got);
	got.size = 0;
	tell(c, image, &got);
	same = m.met && same_bytes(&want, &got);
	prof_context_free(m.other);
	prof_context_free(c);
	prof_context_free(plain);
	buf_free(&want);
	buf_free(&got);
	return same;
}

/* Makes a byte of padding between sections wrong, which is warned of. */
static bool
spoil_padding(struct buf *b)
{
	struct raw_image im;

	if (raw_image_open(&im, buf_span(b), 0, NULL) != PROF_OK)
		return false;
	for (int s = 0; s < RAW_S_VALUES; s++) {
		size_t end = im.at[s] + im.size[s];

		if (end < im.at[s + 1]) {
			b->data[end] = 1;
			return true;
		}
	}
	return false;
}

/*
 * The two images are of one program.  Without `meetings`, the image is refused
 * before it could be warned of.
 */
static void
test_pair(const char *name, const struct buf *other, struct buf *image,
    size_t *meetings)
{
	bool right = true;

	for (int blocks = 0; blocks < 2; blocks++)
		right = right && is_same(ALONE, blocks, image, other) &&
		    is_same(AFTER, blocks, image, other);
	check(right, "%s: the same after another run", name);
	if (meetings == NULL || !spoil_padding(image))
		return;
	check(is_same(BESIDE, false, image, other) &&
	    is_same(BESIDE, true, image, other),
	    "%s: the same beside another run", name);
	++*meetings;
}

/* Each raw profile of a folder, and the same program loaded elsewhere. */
static void
test_moved(const char *folder)
{
	size_t pairs = 0, meetings = 0;
	DIR *d = opendir(sample_path(folder));
	struct dirent *e;

	while (d != NULL && (e = readdir(d)) != NULL) {
		struct buf image = { 0 }, other = { 0 };
		size_t size = strlen(e->d_name);
		char name[512];

		if (size < 8 || strcmp(e->d_name + size - 8, ".profraw") != 0)
			continue;
		snprintf(name, sizeof(name), "%s/%s", folder, e->d_name);
		read_sample(name, &image);
		read_sample(name, &other);
		if (move_image(&other)) {
			test_pair(e->d_name, &other, &image, &meetings);
			pairs++;
		}
		buf_free(&image);
		buf_free(&other);
	}
	if (d != NULL)
		closedir(d);
	check(pairs >= 20 && meetings >= 10, "%s: %zu profiles, %zu of them "
	    "beside others", folder, pairs, meetings);
}

/* Profiles of three runs of one program. */
static void
test_runs(void)
{
	static const char *const runs[] = { "runs/5.profraw",
	    "runs/23.profraw", "runs/61.profraw" };
	size_t meetings = 0;

	for (size_t i = 0; i < COUNT(runs) * COUNT(runs); i++) {
		struct buf other = { 0 }, image = { 0 };

		read_sample(runs[i / COUNT(runs)], &other);
		read_sample(runs[i % COUNT(runs)], &image);
		test_pair(runs[i % COUNT(runs)], &other, &image, &meetings);
		buf_free(&other);
		buf_free(&image);
	}
	check(meetings == COUNT(runs) * COUNT(runs),
	    "%zu pairs of runs at the same time", meetings);
}

/* Makes an image of a stream. */
static void
make_image(struct prof_target target, const struct buf *text, struct buf *out)
{
	struct prof_error err = { 0 };

	check(convert(NULL, buf_span(text), &target, out, &err) == PROF_OK,
	    "%s image: %s", target.format, err.reason);
}

/* Formats whose readers leave something to later ones. */
static void
test_formats(void)
{
	static const char *const files[] = { "real/22-ir.profraw",
	    "real/22-vtable.profraw", "real/22-fe_values.profraw" };
	static const char *const formats[] = { "indexed", "lprf", "stream" };

	for (size_t i = 0; i < COUNT(files) * COUNT(formats); i++) {
		const struct prof_target t = {
		    .format = formats[i % COUNT(formats)] };
		struct buf raw = { 0 }, image = { 0 }, other = { 0 };
		struct raw_image im;

		read_sample(files[i / COUNT(formats)], &raw);
		make_image(t, &raw, &image);
		/* Other counts. */
		raw_image_open(&im, buf_span(&raw), 0, NULL);
		for (size_t at = 0; at < im.size[RAW_S_COUNTERS]; at += 8)
			raw.data[im.at[RAW_S_COUNTERS] + at]++;
		make_image(t, &raw, &other);
		check(!same_bytes(&image, &other), "other counts");
		test_pair(t.format, &other, &image, NULL);
		buf_free(&raw);
		buf_free(&image);
		buf_free(&other);
	}
}

/* Appends a function with counters of 0. */
static void
put_function(struct buf *text, const char *name, size_t counters)
{
	buf_print(text, "{\"record\":\"function\",\"name\":\"%s\"," HASH
	    ",\"counts\":[0", name);
	while (--counters > 0)
		buf_text(text, ",0");
	buf_text(text, "]}\n");
}

#define VTABLE	"{\"record\":\"vtable\",\"name\":\"vtable\"}\n"

/*
 * An indexed profile with an error in the second block of records and one in
 * the names of vtables, which come before the records.
 */
static void
test_two_errors(void)
{
	struct buf text = { 0 }, good = { 0 }, bad = { 0 };
	struct indexed_image im;
	size_t last = 0;

	buf_text(&text, IR_PROFILE VTABLE);
	put_function(&text, "a", 20000);
	put_function(&text, "b", 20000);
	buf_text(&text, LAST);
	make_image((struct prof_target){ .format = "indexed" }, &text, &good);
	buf_put(&bad, good.data, good.size);
	/* The number of counters of the record that comes last. */
	for (size_t i = 0; i + 8 <= bad.size; i++) {
		if (load_u64(bad.data + i, false) == 20000)
			last = i;
	}
	bad.data[last + 3] = 1;
	check(last != 0 && indexed_image_open(&im, buf_span(&bad), NULL) ==
	    PROF_OK && im.vtable_names.size != 0, "two errors");
	bad.data[im.vtable_names.data - bad.data] = 1;
	check(is_same(AFTER, true, &bad, &good),
	    "that of the records is reported");
	buf_free(&text);
	buf_free(&good);
	buf_free(&bad);
}

/* A raw profile of version 5, whose pointers are addresses. */
static void
make_addressed(struct buf *out, struct raw_image *im)
{
	struct buf text = { 0 };
	struct prof_record record;
	struct prof_reader *r;
	struct prof_writer *w;

	buf_text(&text, IR_PROFILE FUNCTION ",\"counts\":[1],\"values\":{"
	    "\"indirect_call_target\":[[{\"target\":\"f\",\"count\":1}]]}}\n"
	    LAST);
	r = prof_open(NULL, buf_span(&text), NULL);
	w = raw_writer_new(&(struct raw_target){ .version = 5,
	    .big = host_order(true) }, buf_sink, out, NULL);
	while (prof_next(r, &record, NULL) == PROF_OK)
		prof_put(w, &record, NULL);
	prof_close(r);
	prof_writer_free(w);
	check(raw_image_open(im, buf_span(out), 0, NULL) == PROF_OK,
	    "an image with addresses");
	buf_free(&text);
}

/* Replaces all words that have a value. */
static void
replace(struct buf *b, uint64_t from, uint64_t to)
{
	for (size_t at = 0; at + 8 <= b->size; at += 8) {
		if (load_u64(b->data + at, host_order(true)) == from)
			memcpy(b->data + at, &to, sizeof(to));
	}
}

/*
 * A function has an address in one image, and none in another, in which its
 * target is the address 0: it is nobody's there.
 */
static void
test_no_address(void)
{
	struct buf other = { 0 }, image = { 0 };
	struct raw_image im;
	struct raw_record r;
	size_t meetings = 0;

	make_addressed(&other, &im);
	raw_record_get(&im, 0, &r);
	buf_put(&image, other.data, other.size);
	replace(&image, r.function_ptr, 0);
	test_pair("no address", &other, &image, &meetings);
	buf_free(&other);
	buf_free(&image);
}

/*
 * An offset of counters above 2^32 is cut to 32 bits if the section is below
 * that, as on Windows, and is wrong if the section is above.
 */
static void
test_cut_offset(void)
{
	const uint64_t far = (uint64_t)1 << 32;
	struct buf other = { 0 }, image = { 0 };
	struct raw_image im;
	struct raw_record r;
	uint64_t delta;

	make_addressed(&other, &im);
	raw_record_get(&im, 0, &r);
	delta = im.field[RAW_COUNTERS_DELTA];
	buf_put(&image, other.data, other.size);
	check(delta < far && delta != 0, "the section is below 2^32");
	replace(&other, delta, 1 << 20);
	replace(&image, delta, (1 << 20) + 2 * far);
	memcpy(other.data + raw_member_at(&im, 0, RAW_COUNTER_PTR),
	    &(uint64_t){ (1 << 20) + r.counter_ptr - delta + far }, 8);
	memcpy(image.data + raw_member_at(&im, 0, RAW_COUNTER_PTR),
	    &(uint64_t){ (1 << 20) + r.counter_ptr - delta + 3 * far }, 8);
	test_pair("cut offset", &other, &image, NULL);
	buf_free(&other);
	buf_free(&image);
}

/* The block of an image whose functions are one block. */
static struct prof_block
first_block(struct prof_reader *r)
{
	struct prof_record record = { .kind = PROF_REC_PROFILE };

	while (record.kind != PROF_REC_BLOCK &&
	    prof_next(r, &record, NULL) == PROF_OK)
		;
	return record.kind == PROF_REC_BLOCK ? record.u.block :
	    (struct prof_block){ 0 };
}

/*
 * Names that are retained for one block of a layout are retained for all, but
 * names of vtables are those of each profile, not of the program.
 */
static void
test_vtable_names(void)
{
#define TARGET(text)	FUNCTION ",\"counts\":[1],\"values\":{"		\
			"\"vtable_target\":[[{" text ",\"count\":1}]]}}\n"
	static const char *const texts[] = {
		IR_PROFILE TARGET("\"target_guid\":\"0x0000000000000007\"")
		    LAST,
		IR_PROFILE VTABLE TARGET("\"target\":\"vtable\"") LAST,
	};
	struct prof_context *c = prof_context_new(NULL, NULL);
	struct buf images[2] = { { 0 } };
	struct prof_block blocks[2];
	void *names = NULL;

	prof_context_blocks(c);
	for (int i = 0; i < 2; i++) {
		struct buf text = { 0 };
		struct prof_reader *r;

		buf_text(&text, texts[i]);
		make_image((struct prof_target){ .format = "indexed" }, &text,
		    &images[i]);
		r = prof_open(c, buf_span(&images[i]), NULL);
		blocks[i] = first_block(r);
		if (i == 0)
			names = prof_block_retain(&blocks[i]);
		prof_close(r);
		buf_free(&text);
	}
	check(names != NULL && blocks[0].layout != 0 &&
	    blocks[0].layout == blocks[1].layout,
	    "the names of a program are retained");
	check(blocks[1].lends_targets, "names of vtables are not among them");
	prof_release(names);
	prof_context_free(c);
	buf_free(&images[0]);
	buf_free(&images[1]);
}

/*
 * An LPRF file whose first block is that of another file but for a section that
 * does not inflate, and is none of such a block's.
 */
static void
test_head_section(void)
{
	struct buf text = { 0 }, good = { 0 }, bad = { 0 };
	struct lprf2_block b;
	uint32_t sum;
	size_t end, sizes = LPRF2_HEADER + LPRF2_SIZES + 8 * (LPRF2_N + 1);

	buf_text(&text, IR_PROFILE MAIN LAST);
	make_image((struct prof_target){ .format = "lprf" }, &text, &good);
	check(lprf2_get_block(buf_span(&good), LPRF2_HEADER, &b, NULL) ==
	    PROF_OK && b.kind == LPRF2_HEAD, "the first block");
	end = LPRF2_HEADER + b.stored;
	buf_put(&bad, good.data, end);
	buf_text(&bad, "bad");
	buf_put(&bad, good.data + end, good.size - end);
	bad.data[sizes] = 30;
	bad.data[sizes + 4] = 3;
	sum = crc32c((struct prof_span){ bad.data + LPRF2_HEADER + 4,
	    b.stored + 3 - 4 });
	for (int i = 0; i < 4; i++)
		bad.data[LPRF2_HEADER + i] = (uint8_t)(sum >> 8 * i);
	check(is_same(AFTER, true, &bad, &good),
	    "another section of a known head");
	buf_free(&text);
	buf_free(&good);
	buf_free(&bad);
}

int
main(void)
{
	test_moved("good");
	test_moved("real");
	test_runs();
	test_formats();
	test_two_errors();
	test_vtable_names();
	test_no_address();
	test_cut_offset();
	test_head_section();
	return done_testing();
}
