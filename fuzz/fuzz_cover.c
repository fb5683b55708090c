/*
 * Reads bytes as an object with coverage, and writes it in both formats, by the
 * rules of an old or a new release.  The profile has some counts for most of
 * its functions.
 */
#include "config.h"

#include <errno.h>

#include "base/bytes.h"
#include "cover/cover.h"
#include "fuzz/fuzz.h"

/* Formats repeat what they are given: an output may be larger. */
enum { OUTPUT_MAX = 1 << 24, COUNTERS = 40 };

static int
count_bytes(void *arg, const void *data, size_t size)
{
	size_t *left = arg;

	(void)data;
	if (size > *left)
		return ENOSPC;
	*left -= size;
	return 0;
}

/* Gives a function, which a record in a section names, some counts. */
static void
put_function(struct prof_writer *w, struct cursor *c)
{
	static const uint8_t bits[COUNTERS / 8] = { 0x5a, 0xff, 0x81 };
	uint64_t counts[COUNTERS] = { 0, 1, 2, UINT64_MAX };
	struct prof_record r = { .kind = PROF_REC_FUNCTION };
	struct prof_function *f = &r.u.function;
	struct prof_error err = { 0 };
	uint32_t size;

	f->symbol.guid = cur_u64(c);
	size = cur_u32(c);
	f->hash = cur_u64(c);
	cur_u64(c);
	for (size_t i = 4; i < COUNTERS; i++)
		counts[i] = f->hash >> i & 15;
	f->counts = counts;
	f->counts_size = COUNTERS - (f->symbol.guid & 7);
	f->bitmap = (struct prof_span){ bits, sizeof(bits) };
	if (!c->failed && f->symbol.guid % 8 != 0)
		demand(prof_put(w, &r, &err) == PROF_OK, "counts are kept");
	cur_bytes(c, size);
	if (pad8(c->pos) <= cur_left(c))
		cur_bytes(c, pad8(c->pos));
}

static void
put_functions(struct cover_counts *counts, const struct cover_sections *s)
{
	struct prof_error err = { 0 };
	struct prof_writer *w = cover_counts_writer(counts, &err);

	demand(w != NULL, "memory is enough");
	for (size_t i = 0; i < s->functions_size; i++) {
		struct cursor c = { .data = s->functions[i].data,
		    .size = s->functions[i].size, .big = s->big };

		while (!c.failed && cur_left(&c) > 0)
			put_function(w, &c);
	}
	prof_writer_free(w);
}

static void
write_cover(struct cover *c)
{
	static const struct cover_lcov_options lcov = { .join = true };
	static const struct cover_json_options json;
	struct prof_error err = { 0 };
	size_t left = OUTPUT_MAX;

	demand(cover_write_lcov(c, &lcov, count_bytes, &left, &err) ==
	    PROF_OK || err.reason[0] != '\0', "a failure has a reason");
	left = OUTPUT_MAX;
	err = (struct prof_error){ 0 };
	demand(cover_write_json(c, &json, count_bytes, &left, &err) ==
	    PROF_OK || err.reason[0] != '\0', "a failure has a reason");
}

static void
cover_image(const struct cover_sections *s, const struct cover_counts *counts,
    const struct cover_options *o)
{
	const struct cover_sums sums = { .items = &counts, .size = 1 };
	struct prof_error err = { 0 };
	struct cover c;
	bool any;

	demand(cover_init(&c, o), "memory is enough");
	if (cover_add(&c, s, &sums, &any, &err) == PROF_OK &&
	    cover_finish(&c, &err) == PROF_OK)
		write_cover(&c);
	else
		demand(err.reason[0] != '\0' && err.code != PROF_E_MEMORY,
		    "a failure has a reason");
	cover_free(&c);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct cover_options rules[] = {
		{ .release = 22 },
		{ .release = 22, .as_llvm = true },
		{ .release = 16, .as_llvm = true },
	};
	struct cover_counts *counts = cover_counts_new();
	struct cover_sections s = { 0 };
	struct prof_span image = { data, size };
	struct prof_error err = { 0 };

	demand(counts != NULL, "memory is enough");
	if (!cover_is_object(image))
		;
	else if (cover_sections_find(&s, image, NULL, &err) == PROF_OK) {
		put_functions(counts, &s);
		cover_image(&s, counts, &rules[size % 3]);
	} else
		demand(err.reason[0] != '\0', "a failure has a reason");
	cover_sections_free(&s);
	cover_counts_free(counts);
	return 0;
}
