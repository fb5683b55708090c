/*
 * Reads bytes as an LPRF profile, and writes what was read in all formats: as
 * they are, and those of version 2 with the checksums that readers expect, by
 * which damage would not get beyond them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/digests.h"
#include "format/codec.h"
#include "format/lprf/v2.h"
#include "fuzz/fuzz.h"

static void
put_sum(uint8_t *p, size_t at, size_t from, size_t end)
{
	uint32_t sum = crc32c((struct prof_span){ p + from, end - from });

	for (int i = 0; i < 4; i++)
		p[at + (size_t)i] = (uint8_t)(sum >> 8 * i);
}

/* The size of the block with that head, or what is left of the bytes. */
static size_t
block_size(const uint8_t *p, size_t left)
{
	uint64_t size = LPRF2_BLOCK_HEAD;

	for (size_t i = 0; i < LPRF2_SECTIONS; i++)
		size += load_u32(p + LPRF2_SIZES + 8 * i + 4, false);
	return size < left ? (size_t)size : left;
}

static void
put_sums(uint8_t *p, size_t size)
{
	size_t end = size - LPRF2_TRAILER, at = LPRF2_HEADER, next;

	memcpy(p + size - 8, LPRF2_TRAILER_MAGIC, 8);
	put_sum(p, 12, 0, 12);
	put_sum(p, end + 28, end, end + 28);
	for (; end - at >= LPRF2_BLOCK_HEAD; at = next) {
		next = at + block_size(p + at, end - at);
		put_sum(p, at, at + 4, next);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy;

	fuzz_image(lprf_open, (struct prof_span){ data, size });
	if (size < LPRF2_HEADER + LPRF2_TRAILER ||
	    load_u32(data + 4, false) != LPRF2_VERSION)
		return 0;
	copy = malloc(size);
	if (copy == NULL)
		return 0;
	memcpy(copy, data, size);
	put_sums(copy, size);
	fuzz_image(lprf_open, (struct prof_span){ copy, size });
	free(copy);
	return 0;
}
