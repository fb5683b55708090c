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
#include "tests/support/streams.h"

/* How far a program is moved. */
#define MOVED	UINT64_C(0x7654321000)

enum { PATH_SIZE = 4096 };

/* Reads a file; an empty one if it cannot be read. */
static struct buf
read_file(const char *folder, const char *name)
{
	char path[PATH_SIZE];
	struct buf b = { 0 };
	FILE *f;
	int c;

	snprintf(path, sizeof(path), "%s/tests/data/%s/%s",
	    getenv("top_srcdir"), folder, name);
	f = fopen(path, "rb");
	while (f != NULL && (c = getc(f)) != EOF)
		buf_u8(&b, (uint8_t)c);
	if (f != NULL)
		fclose(f);
	return b;
}

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

static void
note_warning(void *arg, const struct prof_error *w)
{
	buf_print(arg, "warning: 0x%llx: %s\n", ull(w->offset), w->reason);
}

/* What the image says: its records as a stream, its warnings, its error. */
static void
tell(struct prof_context *c, struct prof_span image, struct buf *out)
{
	struct prof_error err = { 0 };
	struct prof_reader *r = prof_open(c, image, &err);
	struct prof_writer *w = writer(out);
	struct prof_record record;

	while (r != NULL && prof_next(r, &record, &err) == PROF_OK &&
	    prof_put(w, &record, &err) == PROF_OK)
		;
	if (err.code == PROF_E_NONE)
		prof_finish(w, &err);
	buf_print(out, "error: %d 0x%llx: %s\n", (int)err.code,
	    ull(err.offset), err.reason);
	prof_writer_free(w);
	prof_close(r);
}

/* Without an image that was read before in the same context. */
static void
tell_alone(struct prof_span image, bool blocks, struct buf *out)
{
	struct prof_context *c = prof_context_new(note_warning, out);

	if (blocks)
		prof_context_blocks(c);
	tell(c, image, out);
	prof_context_free(c);
}

/* After another image, twice, so that the caches have all that they can. */
static void
tell_after(struct prof_span other, struct prof_span image, bool blocks,
    struct buf *out)
{
	struct prof_context *c = prof_context_new(note_warning, out);

	if (blocks)
		prof_context_blocks(c);
	for (int i = 0; i < 2; i++) {
		tell(c, other, out);
		out->size = 0;
	}
	tell(c, image, out);
	prof_context_free(c);
}

/*
 * Another image, which is read by another context with the same caches during
 * the first warning about an image: after that has searched the caches, and
 * before it stores what it has made.
 */
struct meeting {
	struct buf *out;
	struct prof_context *other;
	struct prof_span image;
	bool met;
};

static void
meet(void *arg, const struct prof_error *warning)
{
	struct meeting *m = arg;
	struct buf ignored = { 0 };

	note_warning(m->out, warning);
	if (m->met)
		return;
	m->met = true;
	tell(m->other, m->image, &ignored);
	buf_free(&ignored);
}

static bool
tell_meanwhile(struct prof_span other, struct prof_span image, bool blocks,
    struct buf *out)
{
	struct meeting m = { .out = out, .image = other };
	struct prof_context *c = prof_context_new(meet, &m);

	if (blocks)
		prof_context_blocks(c);
	m.other = prof_context_share(c, NULL, NULL);
	tell(c, image, out);
	prof_context_free(m.other);
	prof_context_free(c);
	return m.met;
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

static bool
same_text(const struct buf *a, const struct buf *b)
{
	return prof_span_equal(buf_span(a), buf_span(b));
}

/*
 * The two images are of one program.  Without `meetings`, the image is refused
 * before it could be warned of.
 */
static void
test_pair(const char *name, const struct buf *other, struct buf *image,
    size_t *meetings)
{
	bool right = true, spoilt, met = true;

	for (int blocks = 0; blocks < 2; blocks++) {
		struct buf want = { 0 }, got = { 0 };

		tell_alone(buf_span(image), false, &want);
		tell_alone(buf_span(image), blocks, &got);
		right = right && same_text(&want, &got);
		got.size = 0;
		tell_after(buf_span(other), buf_span(image), blocks, &got);
		right = right && same_text(&want, &got);
		buf_free(&want);
		buf_free(&got);
	}
	check(right, "%s: the same after another run", name);
	if (meetings == NULL)
		return;
	spoilt = spoil_padding(image);
	for (int blocks = 0; spoilt && blocks < 2; blocks++) {
		struct buf want = { 0 }, got = { 0 };

		tell_alone(buf_span(image), false, &want);
		met = tell_meanwhile(buf_span(other), buf_span(image), blocks,
		    &got) && met;
		right = right && same_text(&want, &got);
		buf_free(&want);
		buf_free(&got);
	}
	*meetings += spoilt && met;
	check(right && met, "%s: the same beside another run", name);
}

/* Each raw profile of a folder, and the same program loaded elsewhere. */
static void
test_moved(const char *folder)
{
	char path[PATH_SIZE];
	size_t pairs = 0, meetings = 0;
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "%s/tests/data/%s", getenv("top_srcdir"),
	    folder);
	d = opendir(path);
	while (d != NULL && (e = readdir(d)) != NULL) {
		size_t size = strlen(e->d_name);
		struct buf image, other;

		if (size < 8 || strcmp(e->d_name + size - 8, ".profraw") != 0)
			continue;
		image = read_file(folder, e->d_name);
		other = read_file(folder, e->d_name);
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
	static const char *const runs[] = { "5.profraw", "23.profraw",
	    "61.profraw" };
	size_t meetings = 0;

	for (size_t i = 0; i < COUNT(runs) * COUNT(runs); i++) {
		struct buf other = read_file("runs", runs[i / COUNT(runs)]);
		struct buf image = read_file("runs", runs[i % COUNT(runs)]);

		test_pair(runs[i % COUNT(runs)], &other, &image, &meetings);
		buf_free(&other);
		buf_free(&image);
	}
	check(meetings == COUNT(runs) * COUNT(runs),
	    "%zu pairs of runs at the same time", meetings);
}

/* The records of a raw profile in another format, their counts larger. */
static void
convert_more(const struct buf *raw, const char *format, uint64_t more,
    struct buf *out)
{
	const struct prof_target target = { .format = format };
	struct prof_reader *r = prof_open(NULL, buf_span(raw), NULL);
	struct prof_writer *w = prof_writer_new(NULL, &target, buf_sink, out,
	    NULL);
	uint64_t counts[1 << 12];
	struct prof_record record;

	while (prof_next(r, &record, NULL) == PROF_OK) {
		struct prof_function *f = &record.u.function;

		if (record.kind == PROF_REC_FUNCTION &&
		    f->counts_size <= COUNT(counts)) {
			for (size_t i = 0; i < f->counts_size; i++)
				counts[i] = f->counts[i] + more;
			f->counts = counts;
		}
		prof_put(w, &record, NULL);
	}
	prof_finish(w, NULL);
	prof_writer_free(w);
	prof_close(r);
}

/* Formats whose readers leave something to later ones. */
static void
test_formats(void)
{
	static const char *const files[] = { "22-ir.profraw",
	    "22-vtable.profraw", "22-fe_values.profraw" };
	static const char *const formats[] = { "indexed", "lprf", "stream" };

	for (size_t i = 0; i < COUNT(files) * COUNT(formats); i++) {
		const char *format = formats[i % COUNT(formats)];
		struct buf raw = read_file("real", files[i / COUNT(formats)]);
		struct buf image = { 0 }, other = { 0 };
		size_t meetings = 0;

		convert_more(&raw, format, 0, &image);
		convert_more(&raw, format, 1, &other);
		check(image.size != 0 && other.size != 0, "%s of %s", format,
		    files[i / COUNT(formats)]);
		test_pair(format, &other, &image, &meetings);
		buf_free(&raw);
		buf_free(&image);
		buf_free(&other);
	}
}

/* A function with that name, counters, and targets of all the same name. */
struct shape {
	struct prof_span name;
	size_t counts, targets;
};

static void
put_profile(struct prof_writer *w, const struct shape *shapes, size_t n)
{
	struct prof_record r = { .kind = PROF_REC_PROFILE };

	r.u.profile.level = PROF_LEVEL_IR;
	prof_put(w, &r, NULL);
	r.kind = PROF_REC_VTABLE;
	r.u.vtable = (struct prof_vtable){ .symbol.name = span("vtable") };
	prof_put(w, &r, NULL);
	for (size_t i = 0; i < n; i++) {
		const struct shape *s = &shapes[i];
		uint64_t *counts = calloc(s->counts, sizeof(*counts));
		struct prof_value target = { prof_guid(s->name), 1, s->name };
		struct prof_site *sites = calloc(s->targets + 1,
		    sizeof(*sites));

		for (size_t k = 0; k < s->targets; k++)
			sites[k] = (struct prof_site){ &target, 1 };
		r.kind = PROF_REC_FUNCTION;
		r.u.function = (struct prof_function){ .symbol.name = s->name,
		    .counts = counts, .counts_size = s->counts };
		r.u.function.values[PROF_INDIRECT_CALL_TARGET] =
		    (struct prof_sites){ sites, s->targets };
		prof_put(w, &r, NULL);
		free(counts);
		free(sites);
	}
	r.kind = PROF_REC_END;
	prof_put(w, &r, NULL);
}

/* A profile with functions of these shapes, and behind it one of others. */
static void
make_image(const char *format, const struct shape *shapes, size_t n,
    const struct shape *second, struct buf *out)
{
	const struct prof_target target = { .format = format };
	struct prof_writer *w = prof_writer_new(NULL, &target, buf_sink, out,
	    NULL);

	put_profile(w, shapes, n);
	if (second != NULL)
		put_profile(w, second, 1);
	check(prof_finish(w, NULL) == PROF_OK, "%s image", format);
	prof_writer_free(w);
}

/* The code of the error of an image, in a context that had others before. */
static enum prof_code
code_of(struct prof_context *c, const struct buf *image)
{
	struct prof_error err = { 0 };
	struct prof_reader *r = prof_open(c, buf_span(image), &err);
	struct prof_record record;

	while (r != NULL && prof_next(r, &record, &err) == PROF_OK)
		;
	prof_close(r);
	return err.code;
}

/* The images in both orders, and each again: their codes are these. */
static void
test_orders(const char *what, const struct buf *images,
    const enum prof_code *want)
{
	for (size_t first = 0; first < 2; first++) {
		struct prof_context *c = prof_context_new(NULL, NULL);
		size_t right = 0;

		prof_context_blocks(c);
		for (size_t i = 0; i < 6; i++)
			right += code_of(c, &images[(first + i) % 2]) ==
			    want[(first + i) % 2];
		check(right == 6, "%s, %s before: %zu of 6 are as alone", what,
		    first == 0 ? "large" : "small", right);
		prof_context_free(c);
	}
}

/*
 * Names of 40 MB, which a large file may have, and a small one may not: most of
 * what a small file may have is the 32 MiB of any file.
 */
static void
test_names_limit(void)
{
	enum { NAMES = 800, NAME = 50000 };
	static const enum prof_code want[] = { PROF_E_NONE, PROF_E_LIMIT };
	uint8_t *names = malloc((size_t)NAMES * NAME);
	struct shape shapes[NAMES];
	const struct shape large = { span("large"), 1 << 20, 0 };
	struct buf images[2] = { { 0 } };

	memset(names, 'a', (size_t)NAMES * NAME);
	for (size_t i = 0; i < NAMES; i++) {
		uint8_t *name = names + i * NAME;

		name[0] = (uint8_t)('a' + i % 26);
		name[1] = (uint8_t)('a' + i / 26);
		name[2] = 'z';
		shapes[i] = (struct shape){ { name, NAME }, 1, 0 };
	}
	make_image("raw", shapes, NAMES, &large, &images[0]);
	make_image("raw", shapes, NAMES, NULL, &images[1]);
	test_orders("names", images, want);
	buf_free(&images[0]);
	buf_free(&images[1]);
	free(names);
}

/*
 * A name of 1 MB that 700 sites refer to, of a function with too many counters
 * for a block of the reader that knows no program.
 */
static void
test_targets_limit(void)
{
	enum { NAME = 1 << 20 };
	static const enum prof_code want[] = { PROF_E_NONE, PROF_E_NONE };
	uint8_t *name = malloc(NAME);
	const struct shape target = { { name, NAME }, 10000, 700 };
	const struct shape others[] = { { span("a"), 1, 0 },
	    { span("b"), 1, 0 }, { span("c"), 1, 0 } };
	struct buf images[2] = { { 0 } };

	memset(name, 'a', NAME);
	make_image("indexed", &target, 1, NULL, &images[0]);
	make_image("indexed", others, COUNT(others), NULL, &images[1]);
	test_orders("targets", images, want);
	check(code_of(NULL, &images[0]) == PROF_E_LIMIT,
	    "functions one by one have names of targets");
	buf_free(&images[0]);
	buf_free(&images[1]);
	free(name);
}

/*
 * An indexed profile with an error in the second block of records and one in
 * the names of vtables, which come before the records.
 */
static void
test_two_errors(void)
{
	const struct shape shapes[2] = { { span("a"), 20000, 0 },
	    { span("b"), 20000, 0 } };
	struct buf good = { 0 }, bad = { 0 }, want = { 0 }, got = { 0 };
	struct indexed_image im;
	size_t last = 0;

	make_image("indexed", shapes, 2, NULL, &good);
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
	tell_alone(buf_span(&bad), false, &want);
	tell_after(buf_span(&good), buf_span(&bad), true, &got);
	check(same_text(&want, &got), "that of the records is reported");
	buf_free(&good);
	buf_free(&bad);
	buf_free(&want);
	buf_free(&got);
}

/* A raw profile of version 5, whose pointers are addresses. */
static void
make_addressed(struct buf *out, struct raw_image *im)
{
	const struct prof_target target = { .format = "raw", .version = 5,
	    .big_endian = host_order(true) };
	const struct shape shape = { span("f"), 1, 1 };
	struct prof_writer *w = prof_writer_new(NULL, &target, buf_sink, out,
	    NULL);

	put_profile(w, &shape, 1);
	check(prof_finish(w, NULL) == PROF_OK && raw_image_open(im,
	    buf_span(out), 0, NULL) == PROF_OK, "an image with addresses");
	prof_writer_free(w);
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

/* A function that loads vtables; `named` ones have names in the profile. */
static void
make_vtables(const char *vtable, bool named, struct buf *out)
{
	const struct prof_target target = { .format = "indexed" };
	const uint64_t count = 1;
	struct prof_value value = { prof_guid(span(vtable)), 1,
	    span(named ? vtable : "") };
	const struct prof_site site = { &value, 1 };
	struct prof_writer *w = prof_writer_new(NULL, &target, buf_sink, out,
	    NULL);
	struct prof_record r = { .kind = PROF_REC_PROFILE };

	r.u.profile.level = PROF_LEVEL_IR;
	prof_put(w, &r, NULL);
	r.kind = PROF_REC_VTABLE;
	r.u.vtable = (struct prof_vtable){ .symbol.name = span(vtable) };
	if (named)
		prof_put(w, &r, NULL);
	r.kind = PROF_REC_FUNCTION;
	r.u.function = (struct prof_function){ .symbol.name = span("f"),
	    .counts = &count, .counts_size = 1 };
	r.u.function.values[PROF_VTABLE_TARGET] =
	    (struct prof_sites){ &site, 1 };
	prof_put(w, &r, NULL);
	r.kind = PROF_REC_END;
	prof_put(w, &r, NULL);
	check(prof_finish(w, NULL) == PROF_OK, "an image with%s %s",
	    named ? "" : "out", vtable);
	prof_writer_free(w);
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
	struct buf images[2] = { { 0 } };
	struct prof_context *c = prof_context_new(NULL, NULL);
	struct prof_reader *r;
	struct prof_block a, b;
	void *names;

	prof_context_blocks(c);
	make_vtables("vtable", false, &images[0]);
	make_vtables("vtable", true, &images[1]);
	r = prof_open(c, buf_span(&images[0]), NULL);
	a = first_block(r);
	names = prof_block_retain(&a);
	prof_close(r);
	r = prof_open(c, buf_span(&images[1]), NULL);
	b = first_block(r);
	check(names != NULL && a.layout != 0 && a.layout == b.layout,
	    "the names of a program are retained");
	check(b.lends_targets, "names of vtables are not among them");
	prof_close(r);
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
	const struct shape shape = { span("f"), 1, 0 };
	struct buf good = { 0 }, bad = { 0 }, want = { 0 }, got = { 0 };
	struct lprf2_block b;
	uint32_t sum;
	size_t end, sizes = LPRF2_HEADER + LPRF2_SIZES + 8 * (LPRF2_N + 1);

	make_image("lprf", &shape, 1, NULL, &good);
	check(lprf2_get_block(buf_span(&good), LPRF2_HEADER, good.size, &b,
	    NULL) == PROF_OK && b.kind == LPRF2_HEAD, "the first block");
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
	tell_alone(buf_span(&bad), false, &want);
	tell_after(buf_span(&good), buf_span(&bad), true, &got);
	check(same_text(&want, &got), "another section of a known head");
	buf_free(&good);
	buf_free(&bad);
	buf_free(&want);
	buf_free(&got);
}

/* A context for another thread has nothing of the input that this one reads. */
static void
test_share(void)
{
	struct prof_context *c = prof_context_new(NULL, NULL), *other;

	prof_context_part(c, 7);
	prof_context_blocks(c);
	c->origin = 4096;
	c->salvaged = true;
	other = prof_context_share(c, NULL, NULL);
	check(other->part == 0 && other->origin == 0 && !other->salvaged &&
	    other->blocks, "options are shared, and places are not");
	prof_context_free(other);
	prof_context_free(c);
}

int
main(void)
{
	if (getenv("top_srcdir") == NULL)
		skip_all("no test data: set top_srcdir");
	test_moved("good");
	test_moved("real");
	test_runs();
	test_formats();
	test_names_limit();
	test_targets_limit();
	test_two_errors();
	test_vtable_names();
	test_no_address();
	test_cut_offset();
	test_head_section();
	test_share();
	return done_testing();
}
