/*
 * BLAKE3 against test_vectors.json of its reference implementation: the bytes
 * of an input are 0 to 250 over and over; and the ids made with it.
 */
#include "base/digests.h"

#include <string.h>

#include "model/memprof/build.h"
#include "tests/support/test.h"

/* The first 8 bytes of the digest, as they are printed. */
static const struct {
	size_t size;
	uint64_t first;
} vectors[] = {
	{ 0, 0xaf1349b9f5f9a1a6 },
	{ 1, 0x2d3adedff11b61f1 },
	{ 1023, 0x10108970eeda3eb9 },
	{ 1024, 0x42214739f095a406 },
	{ 1025, 0xd00278ae47eb27b3 },
	{ 2048, 0xe776b6028c7cd22a },
	{ 2049, 0x5f4d72f40d7a5f82 },
	{ 3072, 0xb98cb0ff3623be03 },
	{ 3073, 0x7124b49501012f81 },
	{ 4097, 0x9b4052b38f1c5fc8 },
	{ 5121, 0x628bd2cb2004694a },
	{ 6145, 0xf1323a8631446cc5 },
	{ 7169, 0xa003fc7a51754a9b },
};

static void
test_vectors(void)
{
	uint8_t input[8192];

	for (size_t i = 0; i < sizeof(input); i++)
		input[i] = (uint8_t)(i % 251);
	for (size_t i = 0; i < COUNT(vectors); i++)
		check(blake3_u64(input, vectors[i].size) ==
		    __builtin_bswap64(vectors[i].first),
		    "BLAKE3 of %zu bytes", vectors[i].size);
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
	test_ids();
	return done_testing();
}
