/*
 * Inputs are short (most fit one or two blocks) and there are millions of them:
 * each is hashed in one call without a state between calls, and inputs of as
 * many blocks are hashed side by side, in the lanes of vectors.
 */
#include "base/md5.h"

#include <string.h>

#include "base/bytes.h"
#include "base/cpu.h"

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

/* The same, compiled for processors with vectors of 8 and of 16 words. */
#ifdef __x86_64__
__attribute__((target("avx2"))) static void
md5_lanes_avx2(uint32_t words[MAX_BLOCKS * 16][LANES], size_t blocks,
    uint64_t out[LANES])
{
	md5_lanes(words, blocks, out);
}

/* Words are rotated, and three of them combined, by one instruction. */
__attribute__((target("avx512f,avx512vl"))) static void
md5_lanes_avx512(uint32_t words[MAX_BLOCKS * 16][LANES], size_t blocks,
    uint64_t out[LANES])
{
	md5_lanes(words, blocks, out);
}
#else
#define md5_lanes_avx2 md5_lanes_portable
#define md5_lanes_avx512 md5_lanes_portable
#endif

/* The last bytes of an input, less than 8, and the bit that pads them. */
static uint64_t
md5_tail(struct prof_span s, size_t rest)
{
	uint64_t tail = (uint64_t)0x80 << 8 * rest;

	if (rest != 0 && s.size > 8)
		return tail | load_u64(s.data + s.size - 8, false) >>
		    8 * (8 - rest);
	for (size_t i = 0; i < rest; i++)
		tail |= (uint64_t)s.data[i] << 8 * i;
	return tail;
}

/* Copies the words of an input and its padding to a lane. */
static void
md5_load_lane(uint32_t words[MAX_BLOCKS * 16][LANES], size_t lane,
    struct prof_span s, size_t blocks)
{
	size_t w = 0;
	uint64_t two;

	for (size_t i = 0; s.size - i >= 8; i += 8) {
		two = load_u64(s.data + i, false);
		words[w++][lane] = (uint32_t)two;
		words[w++][lane] = (uint32_t)(two >> 32);
	}
	two = md5_tail(s, s.size % 8);
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
	(cpu_has_avx512() ? md5_lanes_avx512 : cpu_has_avx2() ?
	    md5_lanes_avx2 : md5_lanes_portable)(words, blocks, got);
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
