/* Digests and a checksum. */
#include <nettle/sha2.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/cpu.h"
#include "base/digests.h"

/*
 * Inputs are short (most fit one or two blocks) and there are millions of them:
 * each is hashed in one call without a state between calls, and inputs of as
 * many blocks are hashed side by side, in the lanes of vectors.
 */

#define ROTATE(x, n) ((x) << (n) | (x) >> (32 - (n)))
#define F(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))
#define G(x, y, z) ((y) ^ ((z) & ((x) ^ (y))))
#define H(x, y, z) ((x) ^ (y) ^ (z))
#define I(x, y, z) ((y) ^ ((x) | ~(z)))

#define STEP(f, a, b, c, d, k, s, t) \
	(a += f(b, c, d) + w[k] + (uint32_t)(t), a = b + ROTATE(a, s))

/* A block of 16 words w, of one input or of one input in each lane. */
#define STEPS do { \
	STEP(F, a, b, c, d, 0, 7, 0xd76aa478); \
	STEP(F, d, a, b, c, 1, 12, 0xe8c7b756); \
	STEP(F, c, d, a, b, 2, 17, 0x242070db); \
	STEP(F, b, c, d, a, 3, 22, 0xc1bdceee); \
	STEP(F, a, b, c, d, 4, 7, 0xf57c0faf); \
	STEP(F, d, a, b, c, 5, 12, 0x4787c62a); \
	STEP(F, c, d, a, b, 6, 17, 0xa8304613); \
	STEP(F, b, c, d, a, 7, 22, 0xfd469501); \
	STEP(F, a, b, c, d, 8, 7, 0x698098d8); \
	STEP(F, d, a, b, c, 9, 12, 0x8b44f7af); \
	STEP(F, c, d, a, b, 10, 17, 0xffff5bb1); \
	STEP(F, b, c, d, a, 11, 22, 0x895cd7be); \
	STEP(F, a, b, c, d, 12, 7, 0x6b901122); \
	STEP(F, d, a, b, c, 13, 12, 0xfd987193); \
	STEP(F, c, d, a, b, 14, 17, 0xa679438e); \
	STEP(F, b, c, d, a, 15, 22, 0x49b40821); \
	STEP(G, a, b, c, d, 1, 5, 0xf61e2562); \
	STEP(G, d, a, b, c, 6, 9, 0xc040b340); \
	STEP(G, c, d, a, b, 11, 14, 0x265e5a51); \
	STEP(G, b, c, d, a, 0, 20, 0xe9b6c7aa); \
	STEP(G, a, b, c, d, 5, 5, 0xd62f105d); \
	STEP(G, d, a, b, c, 10, 9, 0x02441453); \
	STEP(G, c, d, a, b, 15, 14, 0xd8a1e681); \
	STEP(G, b, c, d, a, 4, 20, 0xe7d3fbc8); \
	STEP(G, a, b, c, d, 9, 5, 0x21e1cde6); \
	STEP(G, d, a, b, c, 14, 9, 0xc33707d6); \
	STEP(G, c, d, a, b, 3, 14, 0xf4d50d87); \
	STEP(G, b, c, d, a, 8, 20, 0x455a14ed); \
	STEP(G, a, b, c, d, 13, 5, 0xa9e3e905); \
	STEP(G, d, a, b, c, 2, 9, 0xfcefa3f8); \
	STEP(G, c, d, a, b, 7, 14, 0x676f02d9); \
	STEP(G, b, c, d, a, 12, 20, 0x8d2a4c8a); \
	STEP(H, a, b, c, d, 5, 4, 0xfffa3942); \
	STEP(H, d, a, b, c, 8, 11, 0x8771f681); \
	STEP(H, c, d, a, b, 11, 16, 0x6d9d6122); \
	STEP(H, b, c, d, a, 14, 23, 0xfde5380c); \
	STEP(H, a, b, c, d, 1, 4, 0xa4beea44); \
	STEP(H, d, a, b, c, 4, 11, 0x4bdecfa9); \
	STEP(H, c, d, a, b, 7, 16, 0xf6bb4b60); \
	STEP(H, b, c, d, a, 10, 23, 0xbebfbc70); \
	STEP(H, a, b, c, d, 13, 4, 0x289b7ec6); \
	STEP(H, d, a, b, c, 0, 11, 0xeaa127fa); \
	STEP(H, c, d, a, b, 3, 16, 0xd4ef3085); \
	STEP(H, b, c, d, a, 6, 23, 0x04881d05); \
	STEP(H, a, b, c, d, 9, 4, 0xd9d4d039); \
	STEP(H, d, a, b, c, 12, 11, 0xe6db99e5); \
	STEP(H, c, d, a, b, 15, 16, 0x1fa27cf8); \
	STEP(H, b, c, d, a, 2, 23, 0xc4ac5665); \
	STEP(I, a, b, c, d, 0, 6, 0xf4292244); \
	STEP(I, d, a, b, c, 7, 10, 0x432aff97); \
	STEP(I, c, d, a, b, 14, 15, 0xab9423a7); \
	STEP(I, b, c, d, a, 5, 21, 0xfc93a039); \
	STEP(I, a, b, c, d, 12, 6, 0x655b59c3); \
	STEP(I, d, a, b, c, 3, 10, 0x8f0ccc92); \
	STEP(I, c, d, a, b, 10, 15, 0xffeff47d); \
	STEP(I, b, c, d, a, 1, 21, 0x85845dd1); \
	STEP(I, a, b, c, d, 8, 6, 0x6fa87e4f); \
	STEP(I, d, a, b, c, 15, 10, 0xfe2ce6e0); \
	STEP(I, c, d, a, b, 6, 15, 0xa3014314); \
	STEP(I, b, c, d, a, 13, 21, 0x4e0811a1); \
	STEP(I, a, b, c, d, 4, 6, 0xf7537e82); \
	STEP(I, d, a, b, c, 11, 10, 0xbd3af235); \
	STEP(I, c, d, a, b, 2, 15, 0x2ad7d2bb); \
	STEP(I, b, c, d, a, 9, 21, 0xeb86d391); \
} while (0)

static void
md5_block(uint32_t state[4], const uint8_t *p)
{
	uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
	uint32_t w[16];

	for (size_t i = 0; i < 16; i++)
		w[i] = load_u32(p + 4 * i, false);
	STEPS;
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
}

static void
md5_hash(const uint8_t *data, size_t size, uint32_t state[4])
{
	uint8_t tail[128] = { 0 };
	size_t rest = size % 64, whole = size - rest;
	size_t tail_size = rest < 56 ? 64 : 128;

	state[0] = 0x67452301;
	state[1] = 0xefcdab89;
	state[2] = 0x98badcfe;
	state[3] = 0x10325476;
	for (size_t i = 0; i < whole; i += 64)
		md5_block(state, data + i);

	if (rest != 0)
		memcpy(tail, data + whole, rest);
	tail[rest] = 0x80;
	for (size_t i = 0; i < 8; i++)
		tail[tail_size - 8 + i] =
		    (uint8_t)((uint64_t)size << 3 >> 8 * i);
	md5_block(state, tail);
	if (tail_size == 128)
		md5_block(state, tail + 64);
}

void
md5(const void *data, size_t size, uint8_t digest[16])
{
	uint32_t state[4];

	md5_hash(data, size, state);
	for (size_t i = 0; i < 16; i++)
		digest[i] = (uint8_t)(state[i / 4] >> 8 * (i % 4));
}

uint64_t
md5_u64(const void *data, size_t size)
{
	uint32_t state[4];

	md5_hash(data, size, state);
	return (uint64_t)state[1] << 32 | state[0];
}

/*
 * Vectors of the compiler, which machines without vectors emulate.  A step
 * waits for the one before: where vectors have 8 words, a second one fills the
 * time.
 */
enum { LANES = 16, MAX_BLOCKS = 8 };
typedef uint32_t lanes __attribute__((vector_size(4 * LANES)));

/* Hashes inputs of as many blocks; words[i] is word i of each input. */
__attribute__((always_inline)) static inline void
md5_lanes(uint32_t words[MAX_BLOCKS * 16][LANES], size_t blocks,
    uint64_t out[LANES])
{
	lanes a0 = (lanes){ 0 } + 0x67452301, b0 = (lanes){ 0 } + 0xefcdab89;
	lanes c0 = (lanes){ 0 } + 0x98badcfe, d0 = (lanes){ 0 } + 0x10325476;

	for (size_t at = 0; at < blocks * 16; at += 16) {
		lanes a = a0, b = b0, c = c0, d = d0, w[16];

		memcpy(w, words + at, sizeof(w));
		STEPS;
		a0 += a;
		b0 += b;
		c0 += c;
		d0 += d;
	}
	for (size_t l = 0; l < LANES; l++)
		out[l] = (uint64_t)b0[l] << 32 | a0[l];
}

static void
md5_lanes_portable(uint32_t words[MAX_BLOCKS * 16][LANES], size_t blocks,
    uint64_t out[LANES])
{
	md5_lanes(words, blocks, out);
}

/* The same, compiled for processors with vectors of 8 words. */
#ifdef __x86_64__
__attribute__((target("avx2"))) static void
md5_lanes_avx2(uint32_t words[MAX_BLOCKS * 16][LANES], size_t blocks,
    uint64_t out[LANES])
{
	md5_lanes(words, blocks, out);
}
#else
#define md5_lanes_avx2 md5_lanes_portable
#endif

/* Copies the words of an input and its padding to a lane. */
static void
md5_load_lane(uint32_t words[MAX_BLOCKS * 16][LANES], size_t lane,
    struct prof_span s, size_t blocks)
{
	size_t w = 0, rest = s.size % 8;
	uint64_t two;

	for (size_t i = 0; s.size - i >= 8; i += 8) {
		two = load_u64(s.data + i, false);
		words[w++][lane] = (uint32_t)two;
		words[w++][lane] = (uint32_t)(two >> 32);
	}
	/* The last bytes, less than 8, and the bit that pads them. */
	two = (uint64_t)0x80 << 8 * rest;
	if (rest != 0 && s.size > 8)
		two |= load_u64(s.data + s.size - 8, false) >> 8 * (8 - rest);
	for (size_t i = 0; s.size < 8 && i < rest; i++)
		two |= (uint64_t)s.data[i] << 8 * i;
	words[w++][lane] = (uint32_t)two;
	words[w++][lane] = (uint32_t)(two >> 32);
	for (; w < blocks * 16 - 2; w++)
		words[w][lane] = 0;
	words[w++][lane] = (uint32_t)s.size << 3;
	words[w][lane] = 0;
}

/* Up to LANES inputs of as many blocks. */
static void
md5_batch(const struct prof_span *inputs, const size_t *which, size_t count,
    size_t blocks, uint64_t *out)
{
	uint32_t words[MAX_BLOCKS * 16][LANES];
	uint64_t got[LANES];

	if (count < LANES)
		memset(words, 0, blocks * 16 * sizeof(*words));
	for (size_t l = 0; l < count; l++)
		md5_load_lane(words, l, inputs[which[l]], blocks);
	(cpu_has_avx2() ? md5_lanes_avx2 : md5_lanes_portable)(words, blocks,
	    got);
	for (size_t l = 0; l < count; l++)
		out[which[l]] = got[l];
}

void
md5_u64_many(const struct prof_span *inputs, size_t n, uint64_t *out)
{
	/* Inputs that wait until there are LANES of as many blocks. */
	size_t which[MAX_BLOCKS + 1][LANES], count[MAX_BLOCKS + 1] = { 0 };

	for (size_t i = 0; i < n; i++) {
		size_t b = (inputs[i].size + 8) / 64 + 1;

		if (b > MAX_BLOCKS) {
			out[i] = md5_u64(inputs[i].data, inputs[i].size);
			continue;
		}
		which[b][count[b]++] = i;
		if (count[b] == LANES) {
			md5_batch(inputs, which[b], LANES, b, out);
			count[b] = 0;
		}
	}
	for (size_t b = 1; b <= MAX_BLOCKS; b++) {
		if (count[b] != 0)
			md5_batch(inputs, which[b], count[b], b, out);
	}
}

/*
 * The BLAKE3 paper (O'Connor, Aumasson, Neves, Wilcox-O'Hearn, 2020), section
 * 2.  Inputs of up to 1024 bytes are one chunk; only longer ones need the tree.
 */

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

#define ROTATE_RIGHT(x, n) ((x) >> (n) | (x) << (32 - (n)))

/* Mixes two words into a column or a diagonal of the state, 4 by 4 words. */
#define MIX(a, b, c, d, x, y) do { \
	a += b + (x); \
	d = ROTATE_RIGHT(d ^ a, 16); \
	c += d; \
	b = ROTATE_RIGHT(b ^ c, 12); \
	a += b + (y); \
	d = ROTATE_RIGHT(d ^ a, 8); \
	c += d; \
	b = ROTATE_RIGHT(b ^ c, 7); \
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
	for (size_t r = 0; r < 7; r++) {
		const uint8_t *k = schedule[r];

		MIX(v[0], v[4], v[8], v[12], m[k[0]], m[k[1]]);
		MIX(v[1], v[5], v[9], v[13], m[k[2]], m[k[3]]);
		MIX(v[2], v[6], v[10], v[14], m[k[4]], m[k[5]]);
		MIX(v[3], v[7], v[11], v[15], m[k[6]], m[k[7]]);
		MIX(v[0], v[5], v[10], v[15], m[k[8]], m[k[9]]);
		MIX(v[1], v[6], v[11], v[12], m[k[10]], m[k[11]]);
		MIX(v[2], v[7], v[8], v[13], m[k[12]], m[k[13]]);
		MIX(v[3], v[4], v[9], v[14], m[k[14]], m[k[15]]);
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

uint64_t
blake3_u64(const void *data, size_t size)
{
	struct blake3_value h = blake3_tree(data, size);

	return (uint64_t)h.word[1] << 32 | h.word[0];
}

/* Row k is of a byte with k zero bytes behind it: eight are taken at once. */
static uint32_t crc32c_table[8][256];
static pthread_once_t crc32c_once = PTHREAD_ONCE_INIT;

/* Castagnoli's polynomial, lowest bit first. */
#define POLYNOMIAL 0x82F63B78u

static void
crc32c_fill(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;

		for (int bit = 0; bit < 8; bit++)
			c = c >> 1 ^ (c & 1 ? POLYNOMIAL : 0);
		crc32c_table[0][i] = c;
	}
	for (int k = 1; k < 8; k++) {
		for (uint32_t i = 0; i < 256; i++) {
			uint32_t c = crc32c_table[k - 1][i];

			crc32c_table[k][i] = c >> 8 ^ crc32c_table[0][c & 255];
		}
	}
}

static uint32_t
crc32c_by_table(uint32_t c, const uint8_t *p, size_t size)
{
	size_t i = 0;

	pthread_once(&crc32c_once, crc32c_fill);
	for (; size - i >= 8; i += 8) {
		uint64_t word = load_u64(p + i, false) ^ c;

		c = 0;
		for (int k = 0; k < 8; k++)
			c ^= crc32c_table[7 - k][word >> 8 * k & 255];
	}
	for (; i < size; i++)
		c = c >> 8 ^ crc32c_table[0][(c ^ p[i]) & 255];
	return c;
}

#ifdef __x86_64__
__attribute__((target("sse4.2"))) static uint32_t
crc32c_by_instruction(uint32_t c, const uint8_t *p, size_t size)
{
	uint64_t sum = c;
	size_t i = 0;

	for (; size - i >= 8; i += 8)
		sum = __builtin_ia32_crc32di(sum, load_u64(p + i, false));
	for (c = (uint32_t)sum; i < size; i++)
		c = __builtin_ia32_crc32qi(c, p[i]);
	return c;
}
#else
#define crc32c_by_instruction crc32c_by_table
#endif

uint32_t
crc32c(struct prof_span s)
{
	return ~(cpu_has_crc32c() ? crc32c_by_instruction : crc32c_by_table)(
	    UINT32_MAX, s.data, s.size);
}

struct sha256 {
	struct sha256_ctx ctx;
};

void
sha256_of(struct prof_span s, uint8_t out[SHA256_SIZE])
{
	struct sha256 h;

	sha256_init(&h.ctx);
	sha256_add(&h, s.data, s.size);
	sha256_end(&h, out);
}

struct sha256 *
sha256_new(void)
{
	struct sha256 *h = malloc(sizeof(*h));

	if (h != NULL)
		sha256_init(&h->ctx);
	return h;
}

void
sha256_add(struct sha256 *h, const void *data, size_t size)
{
	if (size > 0)
		sha256_update(&h->ctx, size, data);
}

void
sha256_end(struct sha256 *h, uint8_t out[SHA256_SIZE])
{
	sha256_digest(&h->ctx, SHA256_SIZE, out);
}

void
sha256_free(struct sha256 *h)
{
	free(h);
}

void
sha256_text(const uint8_t digest[SHA256_SIZE], char out[SHA256_TEXT + 1])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < SHA256_SIZE; i++) {
		out[2 * i] = digits[digest[i] >> 4];
		out[2 * i + 1] = digits[digest[i] & 15];
	}
	out[SHA256_TEXT] = '\0';
}
