/*
 * Blocks of functions: the merge of random images, raw or indexed, writes the
 * same bytes whether the readers return functions in blocks or one by one.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "format/codec.h"
#include "format/raw/raw.h"
#include "merge/merge.h"
#include "tests/support/images.h"
#include "tests/support/raw_write.h"

/*
 * The FunctionPointers that our writer makes up, and the targets among values,
 * are in this range; no other number of the test's images is.
 */
enum { FIRST_ADDRESS = 0x10000000, LAST_ADDRESS = FIRST_ADDRESS + 0x20000 };
enum { PROGRAMS = 12, IMAGES = 36, ROUNDS = 60, NAME_SIZE = 16 };

static uint64_t state = 1;

static size_t
any_below(size_t n)
{
	return random_below(&state, (unsigned)n);
}

/*
 * A count, mostly small.  Of 200 counts, about `wildness` are so large that
 * sums saturate, or are pseudo counts.
 */
static uint64_t
any_count(unsigned wildness)
{
	static const uint64_t odd[] = { (uint64_t)1 << 56, (uint64_t)1 << 61,
	    ((uint64_t)1 << 62) - 1, (uint64_t)1 << 62, (uint64_t)1 << 63,
	    PROF_COUNT_MAX, PROF_COUNT_WARM, PROF_COUNT_HOT };

	if (wildness != 0 && any_below(200) < wildness)
		return odd[any_below(COUNT(odd))];
	return any_below(3) == 0 ? any_below(1000) : 0;
}

static struct prof_span
name_of(char *text, unsigned program, uint64_t i)
{
	/* Each seventh function has the same name in all programs. */
	int n = snprintf(text, NAME_SIZE, "f%llu_%u", ull(i), i % 7 == 0 ? 0 :
	    program);

	return (struct prof_span){ (const uint8_t *)text, (size_t)n };
}

struct shape {
	unsigned number, functions;
	bool sites, big, indexed;
	/*
	 * One function in so many lacks in an image, as in other builds, or 0.
	 * Those of the first half, which are targets, are there.
	 */
	unsigned lacks;
};

/*
 * Puts function i of a program.  Its name, hash and numbers of counters and
 * sites depend on i and the program alone, so that images of one program agree.
 */
static enum prof_status
put_function(struct prof_writer *w, const struct shape *s, uint64_t i,
    unsigned wildness)
{
	uint64_t counts[8];
	struct prof_value values[3];
	struct prof_site site = { values, 0 };
	char name[NAME_SIZE], callee[3][NAME_SIZE];
	struct prof_record r = { .kind = PROF_REC_FUNCTION };
	struct prof_function *f = &r.u.function;

	*f = (struct prof_function){ .symbol.name = name_of(name, s->number, i),
	    .hash = i % 5, .counts = counts,
	    /* A third of the shared names has another size in each program. */
	    .counts_size = 1 + (i + (i % 21 == 0 ? s->number : 0)) % 8 };
	for (size_t k = 0; k < f->counts_size; k++)
		counts[k] = any_count(wildness);
	if (s->sites && i % 3 == 0) {
		site.size = any_below(4);
		for (size_t k = 0; k < site.size; k++)
			values[k] = (struct prof_value){ .count =
			    1 + any_below(4), .name = name_of(callee[k],
			    s->number, any_below(s->lacks == 0 ?
			    s->functions : s->functions / 2 + 1)) };
		for (size_t k = 0; k < site.size; k++)
			values[k].value = prof_guid(values[k].name);
		f->values[PROF_INDIRECT_CALL_TARGET] =
		    (struct prof_sites){ &site, 1 };
	}
	return prof_put(w, &r, NULL);
}

/*
 * Adds to the addresses of functions and targets of the image that begins at
 * `from`, as if the program had been loaded at another place in that run.
 */
static void
move(struct buf *b, size_t from, uint64_t by)
{
	struct raw_image im;

	if (raw_image_open(&im, buf_span(b), from, NULL) != PROF_OK)
		exit(1);
	for (size_t at = im.at[RAW_S_DATA]; at + 8 <= b->size; at += 8) {
		uint64_t v = load_u64(b->data + at, im.big);

		if (at == im.at[RAW_S_COUNTERS])
			at = im.at[RAW_S_VALUES];
		if (v >= FIRST_ADDRESS && v < LAST_ADDRESS)
			buf_set_u64le(b, at, im.big ?
			    __builtin_bswap64(v + by) : v + by);
	}
}

static void
put_image(struct buf *b, const struct shape *s, unsigned wildness)
{
	const struct raw_target raw = { .version = 5 + s->number % 2 * 5,
	    .big = s->big };
	const struct prof_target indexed = { .format = "indexed" };
	struct prof_context *c = prof_context_new(NULL, NULL);
	struct prof_writer *w = s->indexed ? prof_writer_new(c, &indexed,
	    buf_sink, b, NULL) : raw_writer_new(&raw, buf_sink, b, NULL);
	struct prof_record r = { .kind = PROF_REC_PROFILE };
	size_t from = b->size;
	bool ok;

	r.u.profile.level = PROF_LEVEL_IR;
	ok = w != NULL && prof_put(w, &r, NULL) == PROF_OK;
	for (uint64_t i = 0; i < s->functions; i++) {
		if (s->lacks == 0 || i <= s->functions / 2 ||
		    any_below(s->lacks) != 0)
			ok = ok && put_function(w, s, i, wildness) == PROF_OK;
	}
	r.kind = PROF_REC_END;
	if (!ok || prof_put(w, &r, NULL) != PROF_OK ||
	    prof_finish(w, NULL) != PROF_OK || b->failed)
		exit(1);
	prof_writer_free(w);
	prof_context_free(c);
	if (!s->indexed && any_below(2) == 0)
		move(b, from, 16 * any_below(100));
}

struct run {
	bool blocks;
	size_t given;			/* blocks that readers returned */
	uint64_t warnings;
};

static void
count_warning(void *arg, const struct prof_error *warning)
{
	struct run *run = arg;

	(void)warning;
	run->warnings++;
}

static bool
add_image(struct merge *m, struct run *run, struct prof_context *c,
    struct prof_span image, const struct merge_factor *w)
{
	struct prof_reader *r = prof_open(c, image, NULL);
	struct prof_record record;
	enum prof_status status = PROF_FAIL;

	while (r != NULL &&
	    (status = prof_next(r, &record, NULL)) == PROF_OK) {
		run->given += record.kind == PROF_REC_BLOCK;
		if (merge_add(m, &record, w, NULL) != PROF_OK)
			break;
	}
	prof_close(r);
	return status == PROF_END;
}

/* Merges the images in the given order and writes the sum as a stream. */
static void
sum_up(const struct buf *images, const unsigned *order, size_t n,
    struct run *run, struct buf *out)
{
	const struct prof_target target = { .format = "stream" };
	const struct merge_output output = { .sparse = false };
	const struct merge_factor once = { 1, 1 }, twice = { 2, 1 };
	struct prof_context *c = prof_context_new(count_warning, run);
	struct merge *m = merge_new(count_warning, run);
	struct prof_writer *w = prof_writer_new(c, &target, buf_sink, out,
	    NULL);
	bool ok = m != NULL && w != NULL;

	if (run->blocks)
		prof_context_blocks(c);
	for (size_t i = 0; i < n && ok; i++)
		ok = add_image(m, run, c, (struct prof_span){
		    images[order[i]].data, images[order[i]].size },
		    order[i] % 11 == 10 ? &twice : &once);
	if (!ok || merge_write(m, &output, w, NULL) != PROF_OK ||
	    prof_finish(w, NULL) != PROF_OK)
		exit(1);
	prof_writer_free(w);
	merge_free(m);
	prof_context_free(c);
}

/* What the images of a round are. */
struct kind {
	bool big, indexed;
	unsigned lacks;			/* of struct shape */
};

/* Makes images of all programs in turn; some hold a second profile. */
static void
make_images(struct buf *images, unsigned wildness, const struct kind *kind)
{
	struct shape shapes[PROGRAMS];

	for (unsigned i = 0; i < PROGRAMS; i++)
		shapes[i] = (struct shape){ i, 1 + (unsigned)any_below(
		    i == 0 ? 3000 : 60), i != 3, kind->big, kind->indexed,
		    kind->lacks };
	for (size_t i = 0; i < IMAGES; i++) {
		images[i] = (struct buf){ 0 };
		put_image(&images[i], &shapes[i % PROGRAMS], wildness);
		if (!kind->indexed && i % PROGRAMS == 1 && any_below(3) == 0)
			put_image(&images[i], &shapes[3], wildness);
	}
}

static void
shuffle(unsigned *order)
{
	for (unsigned i = 0; i < IMAGES; i++)
		order[i] = i;
	for (size_t i = IMAGES - 1; i > 0; i--) {
		size_t k = any_below(i + 1);
		unsigned swap = order[i];

		order[i] = order[k];
		order[k] = swap;
	}
}

/*
 * Counters of a block are used where they lie in the image.  Images of the
 * other byte order are returned function by function, and so is the first
 * indexed one of a program.
 */
static void
test_sums(unsigned wildness, const struct kind *kind)
{
	struct run one = { 0 }, all = { .blocks = true };
	struct buf images[IMAGES], a = { 0 }, b = { 0 };
	unsigned order[IMAGES];
	bool same;

	make_images(images, wildness, kind);
	shuffle(order);
	sum_up(images, order, IMAGES, &one, &a);
	shuffle(order);
	sum_up(images, order, IMAGES, &all, &b);
	same = a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
	check(same && one.given == 0 && (kind->indexed ? all.given > 0 :
	    host_order(kind->big) ? all.given >= IMAGES : all.given == 0) &&
	    one.warnings == all.warnings, "wildness %u, %s, %s-endian, "
	    "1 in %u lacks: %zu bytes, %zu blocks, %llu and %llu warnings",
	    wildness, kind->indexed ? "indexed" : "raw", kind->big ? "big" :
	    "little", kind->lacks, b.size, all.given, ull(one.warnings),
	    ull(all.warnings));
	for (size_t i = 0; i < IMAGES; i++)
		buf_free(&images[i]);
	buf_free(&a);
	buf_free(&b);
}

int
main(void)
{
	const struct kind kinds[] = { { .big = host_order(true) },
	    { .big = host_order(true), .lacks = 20 }, { .indexed = true },
	    { .indexed = true, .lacks = 20 } };
	const struct kind other = { .big = host_order(false) };

	for (unsigned i = 0; i < ROUNDS; i++)
		test_sums(i % 3 == 2 ? 1 + i : 0, &kinds[i / 3 % 4]);
	for (unsigned i = 0; i < ROUNDS / 10; i++)
		test_sums(i % 3 == 2 ? 1 + i : 0, &other);
	return done_testing();
}
