/* Frames of addresses as bytes and back. */
#include "config.h"

#include "sym/sym.h"

#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/digests.h"
#include "tests/support/heap_records.h"
#include "tests/support/images.h"

static const struct prof_span id = SPAN("\1\2\3"), other = SPAN("\1\2\4");

static const struct prof_frame frames[] = {
	{ .function = { SPAN("inner"), 1 }, .file = SPAN("/a.c"), .line = 7,
	    .start_line = 3, .line_offset = 4, .column = 9,
	    .discriminator = UINT32_MAX, .flags = 0x3f },
	{ .function = { SPAN("outer"), UINT64_MAX }, .file = SPAN("/a.c"),
	    .line_offset = UINT32_MAX, .flags = PROF_FRAME_LINE_OFFSET },
	{ .flags = 0 },
};

/* Not sorted; one in no function. */
static const struct cached_address addresses[] = {
	{ UINT64_MAX, frames, 3 }, { 0, frames + 1, 1 }, { 16, NULL, 0 },
};

enum { ADDRESSES = COUNT(addresses) };

static bool
write_all(struct buf *b)
{
	struct cached_address copy[ADDRESSES];

	memcpy(copy, addresses, sizeof(copy));
	b->size = 0;
	return frame_cache_write(b, id, copy, ADDRESSES);
}

static enum prof_status
read_all(const struct buf *b, size_t size, struct prof_span build_id,
    struct arena *arena, struct cached_address **out, struct prof_error *err)
{
	struct frame_cache cache = { 0 };
	enum prof_status status = frame_cache_read((struct prof_span){ b->data,
	    size }, build_id, arena, &cache, err);

	*out = cache.addresses;
	return status == PROF_OK && cache.count != ADDRESSES ? PROF_FAIL :
	    status;
}

static void
test_round_trip(void)
{
	struct cached_address *got;
	struct prof_error err = { 0 };
	struct arena arena = { 0 };
	struct buf b = { 0 };

	check(write_all(&b), "written");
	check(read_all(&b, b.size, id, &arena, &got, &err) == PROF_OK,
	    "read: %s", err.reason);
	check(got[0].address == 0 && got[1].address == 16 &&
	    got[2].address == UINT64_MAX && got[0].count == 1 &&
	    got[1].count == 0 && got[2].count == 3, "addresses in order");
	check(same_frame(&got[0].frames[0], &frames[1]) &&
	    same_frame(&got[2].frames[0], &frames[0]) &&
	    same_frame(&got[2].frames[1], &frames[1]) &&
	    same_frame(&got[2].frames[2], &frames[2]), "frames as they were");
	check(read_all(&b, b.size, other, &arena, &got, &err) == PROF_FAIL &&
	    err.code == PROF_E_MISMATCH, "that of another build id");
	buf_free(&b);
	arena_free(&arena);
}

/* Writes the digest that fits the first bytes. */
static void
seal(const struct buf *b, size_t size)
{
	md5(b->data + 32, size - 32, b->data + 16);
}

/* Bytes that a digest fits, and that are wrong nevertheless. */
static void
test_damage(void)
{
	struct cached_address *got;
	struct arena arena = { 0 };
	struct buf b = { 0 };
	size_t refused = 0, sealed = 0, read = 0, sorted = 0;

	check(write_all(&b), "written");
	for (size_t size = 0; size < b.size; size++) {
		struct prof_error err = { 0 };

		refused += read_all(&b, size, id, &arena, &got, &err) ==
		    PROF_FAIL && err.code != PROF_E_NONE;
	}
	check(refused == b.size, "cut off anywhere");
	for (size_t size = 32; size < b.size; size++) {
		seal(&b, size);
		sealed += read_all(&b, size, id, &arena, &got, NULL) ==
		    PROF_FAIL;
	}
	check(sealed == b.size - 32, "cut off, with a digest that fits");
	buf_u8(&b, 0);
	seal(&b, b.size);
	check(read_all(&b, b.size, id, &arena, &got, NULL) == PROF_FAIL,
	    "a byte behind the last address");
	check(write_all(&b), "written again");
	for (size_t i = 32; i < b.size; i++) {
		for (unsigned value = 0; value < 256; value++) {
			uint8_t old = b.data[i];

			b.data[i] = (uint8_t)value;
			seal(&b, b.size);
			if (read_all(&b, b.size, id, &arena, &got, NULL) ==
			    PROF_OK) {
				read++;
				sorted += got[0].address < got[1].address &&
				    got[1].address < got[2].address;
			}
			b.data[i] = old;
			arena_reset(&arena);
		}
	}
	check(read > b.size, "any byte changed, %zu of them sound", read);
	check(sorted == read, "of which %zu have addresses in order", sorted);
	check(write_all(&b) && (b.data[8] = 3, true), "a newer version");
	check(read_all(&b, b.size, id, &arena, &got, NULL) == PROF_FAIL,
	    "is refused");
	buf_free(&b);
	arena_free(&arena);
}

int
main(void)
{
	test_round_trip();
	test_damage();
	return done_testing();
}
