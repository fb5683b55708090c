/*
 * The BLAKE3 paper (O'Connor, Aumasson, Neves, Wilcox-O'Hearn, 2020), section
 * 2.  Inputs of up to 1024 bytes are one chunk; only longer ones need the tree.
 */
#include "base/blake3.h"

#include <string.h>

#include "base/bytes.h"

enum { BLOCK = 64, CHUNK = 1024, DEPTH = 64 };

enum {
	CHUNK_START = 1 << 0,
	CHUNK_END = 1 << 1,
	PARENT = 1 << 2,
	ROOT = 1 << 3
};

static const uint32_t start[8] = {
	0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
	0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19
};

/* The chaining value of a subtree. */
struct blake3_value {
	uint32_t word[8];
};

static uint32_t
blake3_rotate(uint32_t x, unsigned n)
{
	return x >> n | x << (32 - n);
}

/*
 * Mixes two words into a column of the state, a matrix of 4 by 4 words.  Row r
 * of the column is r * slant places to the right of column i: slant is 0 for
 * the straight columns and 1 for the diagonals.
 */
static inline void
blake3_mix(uint32_t v[16], size_t i, size_t slant, const uint32_t words[2])
{
	uint32_t *a = &v[i];
	uint32_t *b = &v[4 + (i + slant) % 4];
	uint32_t *c = &v[8 + (i + 2 * slant) % 4];
	uint32_t *d = &v[12 + (i + 3 * slant) % 4];

	*a += *b + words[0];
	*d = blake3_rotate(*d ^ *a, 16);
	*c += *d;
	*b = blake3_rotate(*b ^ *c, 12);
	*a += *b + words[1];
	*d = blake3_rotate(*d ^ *a, 8);
	*c += *d;
	*b = blake3_rotate(*b ^ *c, 7);
}

static void
blake3_round(uint32_t v[16], const uint32_t m[16])
{
	blake3_mix(v, 0, 0, m);
	blake3_mix(v, 1, 0, m + 2);
	blake3_mix(v, 2, 0, m + 4);
	blake3_mix(v, 3, 0, m + 6);
	blake3_mix(v, 0, 1, m + 8);
	blake3_mix(v, 1, 1, m + 10);
	blake3_mix(v, 2, 1, m + 12);
	blake3_mix(v, 3, 1, m + 14);
}

static void
blake3_permute(uint32_t m[16])
{
	static const uint8_t from[16] = {
		2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8
	};
	uint32_t old[16];

	memcpy(old, m, sizeof(old));
	for (size_t i = 0; i < 16; i++)
		m[i] = old[from[i]];
}

/* Changes m.  Only the first half of the result is ever needed. */
static void
blake3_compress(struct blake3_value *h, uint32_t m[16], uint64_t counter,
    uint32_t size, uint32_t flags)
{
	uint32_t v[16];

	for (size_t i = 0; i < 8; i++)
		v[i] = h->word[i];
	for (size_t i = 0; i < 4; i++)
		v[8 + i] = start[i];
	v[12] = (uint32_t)counter;
	v[13] = (uint32_t)(counter >> 32);
	v[14] = size;
	v[15] = flags;
	for (int i = 0; i < 7; i++) {
		blake3_round(v, m);
		blake3_permute(m);
	}
	for (size_t i = 0; i < 8; i++)
		h->word[i] = v[i] ^ v[i + 8];
}

/* A chunk of at most 1024 bytes; flags are ROOT or 0. */
static struct blake3_value
blake3_chunk(const uint8_t *p, size_t size, uint64_t counter, uint32_t flags)
{
	struct blake3_value h;
	size_t pos = 0, n;

	memcpy(h.word, start, sizeof(start));
	do {
		uint8_t block[BLOCK] = { 0 };
		uint32_t m[16], f = pos == 0 ? CHUNK_START : 0;

		n = size - pos < BLOCK ? size - pos : BLOCK;
		if (n != 0)
			memcpy(block, p + pos, n);
		for (size_t i = 0; i < 16; i++)
			m[i] = load_u32(block + 4 * i, false);
		pos += n;
		if (pos == size)
			f |= CHUNK_END | flags;
		blake3_compress(&h, m, counter, (uint32_t)n, f);
	} while (pos < size);
	return h;
}

static struct blake3_value
blake3_parent(const struct blake3_value *left, const struct blake3_value *right,
    uint32_t flags)
{
	struct blake3_value h;
	uint32_t m[16];

	memcpy(h.word, start, sizeof(start));
	memcpy(m, left->word, sizeof(left->word));
	memcpy(m + 8, right->word, sizeof(right->word));
	blake3_compress(&h, m, 0, BLOCK, PARENT | flags);
	return h;
}

/*
 * The left part of a tree is the largest full one that leaves something for
 * the right.  So full subtrees of one size are joined as soon as there are two,
 * which the trailing zeros of the number of chunks tell, and the rest at the
 * end, from the right.
 */
static struct blake3_value
blake3_tree(const uint8_t *p, size_t size)
{
	struct blake3_value stack[DEPTH], last;
	uint64_t count = 0;
	size_t depth = 0;

	if (size <= CHUNK)
		return blake3_chunk(p, size, 0, ROOT);
	for (; size > CHUNK; p += CHUNK, size -= CHUNK) {
		stack[depth++] = blake3_chunk(p, CHUNK, count++, 0);
		for (uint64_t n = count; n % 2 == 0; n /= 2) {
			depth--;
			stack[depth - 1] = blake3_parent(&stack[depth - 1],
			    &stack[depth], 0);
		}
	}
	last = blake3_chunk(p, size, count, 0);
	while (depth-- > 0)
		last =
		    blake3_parent(&stack[depth], &last, depth == 0 ? ROOT : 0);
	return last;
}

void
blake3(const void *data, size_t size, uint8_t digest[32])
{
	struct blake3_value h = blake3_tree(data, size);

	for (size_t i = 0; i < 32; i++)
		digest[i] = (uint8_t)(h.word[i / 4] >> 8 * (i % 4));
}

uint64_t
blake3_u64(const void *data, size_t size)
{
	struct blake3_value h = blake3_tree(data, size);

	return (uint64_t)h.word[1] << 32 | h.word[0];
}
