/*
 * The BLAKE3 paper (O'Connor, Aumasson, Neves, Wilcox-O'Hearn, 2020), section
 * 2.  Inputs of up to 1024 bytes are one chunk; only longer ones need the tree.
 */
#include "base/blake3.h"

#include <string.h>

#include "base/bytes.h"
#include "base/cpu.h"

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

/* Which word of the block each step of a round takes. */
static const uint8_t schedule[7][16] = {
	{ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 },
	{ 2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8 },
	{ 3, 4, 10, 12, 13, 2, 7, 14, 6, 5, 9, 0, 11, 15, 8, 1 },
	{ 10, 7, 12, 9, 14, 3, 13, 15, 4, 0, 11, 2, 5, 8, 1, 6 },
	{ 12, 13, 9, 11, 15, 10, 14, 8, 7, 2, 5, 3, 0, 1, 6, 4 },
	{ 9, 14, 11, 5, 8, 12, 15, 1, 13, 3, 0, 10, 2, 6, 4, 7 },
	{ 11, 15, 5, 0, 1, 9, 8, 6, 14, 10, 2, 12, 3, 4, 7, 13 }
};

#define ROTATE(x, n) ((x) >> (n) | (x) << (32 - (n)))

/* Mixes two words into a column or a diagonal of the state. */
#define MIX(a, b, c, d, x, y) do { \
	a += b + (x); \
	d = ROTATE(d ^ a, 16); \
	c += d; \
	b = ROTATE(b ^ c, 12); \
	a += b + (y); \
	d = ROTATE(d ^ a, 8); \
	c += d; \
	b = ROTATE(b ^ c, 7); \
} while (0)

/*
 * All rounds on a state v of 16 words, a matrix of 4 by 4, with the words m of
 * a block: of one input, or of one input in each lane.
 */
#define ROUNDS(v, m) do { \
	for (size_t r = 0; r < 7; r++) { \
		const uint8_t *k = schedule[r]; \
\
		MIX(v[0], v[4], v[8], v[12], m[k[0]], m[k[1]]); \
		MIX(v[1], v[5], v[9], v[13], m[k[2]], m[k[3]]); \
		MIX(v[2], v[6], v[10], v[14], m[k[4]], m[k[5]]); \
		MIX(v[3], v[7], v[11], v[15], m[k[6]], m[k[7]]); \
		MIX(v[0], v[5], v[10], v[15], m[k[8]], m[k[9]]); \
		MIX(v[1], v[6], v[11], v[12], m[k[10]], m[k[11]]); \
		MIX(v[2], v[7], v[8], v[13], m[k[12]], m[k[13]]); \
		MIX(v[3], v[4], v[9], v[14], m[k[14]], m[k[15]]); \
	} \
} while (0)

/* Only the first half of the result is ever needed. */
static void
blake3_compress(struct blake3_value *h, const uint32_t m[16], uint64_t counter,
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
	ROUNDS(v, m);
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

/* Vectors of the compiler, which machines without vectors emulate. */
enum { LANES = 8, MAX_BLOCKS = CHUNK / BLOCK };
typedef uint32_t lanes __attribute__((vector_size(4 * LANES)));

/* Inputs of as many blocks, at most a chunk; words[i] is word i of each. */
struct blake3_batch {
	uint32_t words[MAX_BLOCKS * 16][LANES];
	uint32_t last[LANES];		/* bytes in the last block of each */
	size_t blocks;
};

__attribute__((always_inline)) static inline void
blake3_lanes(const struct blake3_batch *b, uint64_t out[LANES])
{
	lanes h[8], zero = { 0 };

	for (size_t i = 0; i < 8; i++)
		h[i] = zero + start[i];
	for (size_t at = 0; at < b->blocks; at++) {
		bool last = at + 1 == b->blocks;
		lanes v[16], m[16];

		memcpy(m, b->words + at * 16, sizeof(m));
		for (size_t i = 0; i < 8; i++)
			v[i] = h[i];
		for (size_t i = 0; i < 4; i++)
			v[8 + i] = zero + start[i];
		v[12] = v[13] = zero;
		v[14] = zero + BLOCK;
		if (last)
			memcpy(&v[14], b->last, sizeof(v[14]));
		v[15] = zero + ((at == 0 ? CHUNK_START : 0u) |
		    (last ? (unsigned)CHUNK_END | ROOT : 0u));
		ROUNDS(v, m);
		for (size_t i = 0; i < 8; i++)
			h[i] = v[i] ^ v[i + 8];
	}
	for (size_t l = 0; l < LANES; l++)
		out[l] = (uint64_t)h[1][l] << 32 | h[0][l];
}

static void
blake3_lanes_portable(const struct blake3_batch *b, uint64_t out[LANES])
{
	blake3_lanes(b, out);
}

/* The same, compiled for processors with vectors of 8 words. */
#ifdef __x86_64__
__attribute__((target("avx2"))) static void
blake3_lanes_avx2(const struct blake3_batch *b, uint64_t out[LANES])
{
	blake3_lanes(b, out);
}
#else
#define blake3_lanes_avx2 blake3_lanes_portable
#endif

static void
blake3_load_lane(struct blake3_batch *b, size_t lane, struct prof_span s)
{
	uint8_t tail[4] = { 0 };
	size_t i = 0, w = 0;

	b->last[lane] = (uint32_t)(s.size - (b->blocks - 1) * BLOCK);
	for (; s.size - i >= 4; i += 4)
		b->words[w++][lane] = load_u32(s.data + i, false);
	if (i < s.size) {
		memcpy(tail, s.data + i, s.size - i);
		b->words[w++][lane] = load_u32(tail, false);
	}
	for (; w < b->blocks * 16; w++)
		b->words[w][lane] = 0;
}

/* Up to LANES inputs of as many blocks; the first fills the lanes left. */
static void
blake3_run_batch(struct blake3_batch *b, const struct prof_span *inputs,
    const size_t *which, size_t count, uint64_t *out)
{
	uint64_t got[LANES];

	for (size_t l = 0; l < LANES; l++)
		blake3_load_lane(b, l, inputs[which[l < count ? l : 0]]);
	(cpu_has_avx2() ? blake3_lanes_avx2 : blake3_lanes_portable)(b, got);
	for (size_t l = 0; l < count; l++)
		out[which[l]] = got[l];
}

void
blake3_u64_many(const struct prof_span *inputs, size_t n, uint64_t *out)
{
	/* Inputs that wait until there are LANES of as many blocks. */
	size_t which[MAX_BLOCKS + 1][LANES], count[MAX_BLOCKS + 1] = { 0 };
	struct blake3_batch batch;

	for (size_t i = 0; i < n; i++) {
		size_t b = inputs[i].size == 0 ? 1 :
		    (inputs[i].size - 1) / BLOCK + 1;

		if (b > MAX_BLOCKS) {
			out[i] = blake3_u64(inputs[i].data, inputs[i].size);
			continue;
		}
		which[b][count[b]++] = i;
		if (count[b] == LANES) {
			batch.blocks = b;
			blake3_run_batch(&batch, inputs, which[b], LANES, out);
			count[b] = 0;
		}
	}
	for (size_t b = 1; b <= MAX_BLOCKS; b++) {
		batch.blocks = b;
		if (count[b] != 0)
			blake3_run_batch(
			    &batch, inputs, which[b], count[b], out);
	}
}
