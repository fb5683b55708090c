/*
 * BLAKE3 against test_vectors.json of its reference implementation: the bytes
 * of an input are 0 to 250 over and over; and the ids made with it.
 */
#include "base/digests.h"

#include <string.h>

#include "model/memprof/build.h"
#include "tests/support/test.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* First and last 8 bytes of the digest, as they are printed. */
static const struct {
	size_t size;
	uint64_t first, last;
} vectors[] = {
	{ 0, 0xaf1349b9f5f9a1a6, 0xcc9a93cae41f3262 },
	{ 1, 0x2d3adedff11b61f1, 0x510225d0f592e213 },
	{ 1023, 0x10108970eeda3eb9, 0x5bba72b28f70bd11 },
	{ 1024, 0x42214739f095a406, 0x189b5d121c855af7 },
	{ 1025, 0xd00278ae47eb27b3, 0x7c8cb7fb814b8444 },
	{ 2048, 0xe776b6028c7cd22a, 0xd6f2529b85fba24a },
	{ 2049, 0x5f4d72f40d7a5f82, 0xf0b6879522563030 },
	{ 3072, 0xb98cb0ff3623be03, 0x2525c7ad1e5cffd2 },
	{ 3073, 0x7124b49501012f81, 0x44e327d22d3e1cd3 },
	{ 4097, 0x9b4052b38f1c5fc8, 0x6a1c25b8aa0fb995 },
	{ 5121, 0x628bd2cb2004694a, 0x8fbd79f2fe154cff },
	{ 6145, 0xf1323a8631446cc5, 0x6c695b70e0f0507f },
	{ 7169, 0xa003fc7a51754a9b, 0x5f8cfe74605e7817 },
};

static void
test_vectors(void)
{
	uint8_t input[8192], digest[32];

	for (size_t i = 0; i < sizeof(input); i++)
		input[i] = (uint8_t)(i % 251);
	for (size_t i = 0; i < COUNT(vectors); i++) {
		uint64_t first = 0, last = 0;

		blake3(input, vectors[i].size, digest);
		for (size_t j = 0; j < 8; j++) {
			first = first << 8 | digest[j];
			last = last << 8 | digest[24 + j];
		}
		check(first == vectors[i].first && last == vectors[i].last,
		    "BLAKE3 of %zu bytes", vectors[i].size);
		check(blake3_u64(input, vectors[i].size) ==
		    __builtin_bswap64(first), "its first 8 bytes");
	}
}

/*
 * Several inputs at once: in groups of one number of blocks, of which some are
 * not full, and others too long for vectors.
 */
static void
test_many(void)
{
	static uint8_t input[4096];
	struct prof_span spans[700];
	uint64_t ids[COUNT(spans)];

	for (size_t i = 0; i < sizeof(input); i++)
		input[i] = (uint8_t)(i % 251);
	for (size_t i = 0; i < COUNT(spans); i++)
		spans[i] = (struct prof_span){ input + i % 7,
		    i < 650 ? i * 17 % 200 : i * 31 % 2100 };
	for (size_t n = COUNT(spans) - 3; n <= COUNT(spans); n++) {
		blake3_u64_many(spans, n, ids);
		for (size_t i = 0; i < n; i++)
			check(ids[i] == blake3_u64(spans[i].data,
			    spans[i].size), "input %zu of %zu at once", i, n);
	}
}

/* From the tables that LLVM 19 and 22 wrote of one program. */
static void
test_ids(void)
{
	static const struct memprof_frame main_3 = { .guid =
	    0xdb956436e78dd5fa, .line_offset = 3, .column = 0x23 };
	static const struct memprof_frame inlined = { .guid =
	    0x8346f0fadcfcab81, .line_offset = 1, .column = 10,
	    .is_inline = true };
	static const uint64_t ids[] = { 0x455a815f92f97d94,
	    0x845fef2f8cae18de };
	struct buf stack = { 0 };

	check(memprof_frame_id(&main_3) == 0xdc0eac369ec51360,
	    "id of a frame, LLVM 22");
	check(memprof_frame_id_llvm15(&main_3) == 0x65a0b72d41c60fe2,
	    "id of the same frame, LLVM 19");
	check(memprof_frame_id_llvm15(&inlined) == 0xbf5ccdc9087da104,
	    "id of an inlined frame, LLVM 19");
	for (size_t i = 0; i < 2; i++)
		buf_u64le(&stack, ids[i]);
	check(memprof_stack_id(&stack) == 0xdd87e4617abd91c6,
	    "id of a stack, LLVM 19 and 22");
	buf_free(&stack);
	check(memprof_stack_id(&(struct buf){ .failed = true, .size = 8 }) ==
	    0, "a buffer without memory has the id 0");
}

int
main(void)
{
	test_vectors();
	test_many();
	test_ids();
	return done_testing();
}
