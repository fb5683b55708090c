/*
 * Numbers by the many: read from text, added, narrowed, sorted, as sets, as
 * ranges, and drawn by chance.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/cpu.h"
#include "base/numbers.h"

/* Bytes with digits of a number, and of four numbers with their commas. */
enum { LONGEST = 8, DIGITS = 8 };

/*
 * How many of the first four numbers have one digit and a comma.  Four are
 * stored all the same, which spares a branch that cannot be predicted.
 */
static inline size_t
number_row_digits(const uint8_t *p, uint64_t *numbers)
{
	uint64_t v = swar_load(p) ^ UINT64_C(0x2c302c302c302c30);
	uint64_t above = (v & UINT64_C(0xfff0fff0fff0fff0)) |
	    ((v + UINT64_C(0x0006000600060006)) &
	    UINT64_C(0x0010001000100010));

	for (size_t i = 0; i < DIGITS / 2; i++)
		numbers[i] = v >> 16 * i & 0xff;
	return above == 0 ? DIGITS / 2 : swar_first(above) / 2;
}

size_t
number_row_get(const uint8_t **text, const uint8_t *end, uint64_t *numbers,
    size_t n)
{
	const uint8_t *p = *text;
	size_t i = 0, step;

	while (i < n && end - p > LONGEST) {
		uint64_t v, others;

		step = number_row_digits(p, numbers + i);
		if (step > n - i)
			step = n - i;
		i += step;
		p += 2 * step;
		if (step == DIGITS / 2 || i == n || end - p <= LONGEST)
			continue;
		v = swar_load(p);
		others = swar_not_digits(v);
		step = others == 0 ? LONGEST : swar_first(others);
		if (step == 0 || (step > 1 && *p == '0') || p[step] != ',')
			break;
		numbers[i++] = swar_decimal(v, step);
		p += step + 1;
	}
	*text = p;
	return i;
}

/* Vectors of the compiler, which uses those that the processor has. */
typedef uint64_t vector_four __attribute__((vector_size(32)));

/* A cache line holds two vectors. */
enum { FOUR = 4, LINE = 8 };

__attribute__((always_inline)) static inline void
vector_load(vector_four *v, const uint64_t *counts)
{
	memcpy(v, counts, sizeof(*v));
}

/* Compilers turn this into vector instructions. */
#define ANY_OF(v) ((v)[0] | (v)[1] | (v)[2] | (v)[3])

/* Most counters are 0: sums to which nothing is added are not touched. */
__attribute__((always_inline)) static inline uint64_t
vector_add_to(uint64_t *restrict into, const uint64_t *restrict counts,
    size_t n)
{
	vector_four all = { 0 }, low, high, either, sum;
	uint64_t any = 0;
	size_t i = 0;

	for (; i + LINE <= n; i += LINE) {
		vector_load(&low, counts + i);
		vector_load(&high, counts + i + FOUR);
		either = low | high;
		if (ANY_OF(either) == 0)
			continue;
		vector_load(&sum, into + i);
		all |= sum;
		low += sum;
		vector_load(&sum, into + i + FOUR);
		all |= sum;
		high += sum;
		memcpy(into + i, &low, sizeof(low));
		memcpy(into + i + FOUR, &high, sizeof(high));
	}
	for (; i < n; i++) {
		any |= into[i];
		into[i] += counts[i];
	}
	return any | ANY_OF(all);
}

static uint64_t
vector_add_portable(uint64_t *restrict into, const uint64_t *restrict counts,
    size_t n)
{
	return vector_add_to(into, counts, n);
}

/* The same, compiled for processors with vectors of 256 bits. */
#ifdef __x86_64__
__attribute__((target("avx2"))) static uint64_t
vector_add_avx2(uint64_t *restrict into, const uint64_t *restrict counts,
    size_t n)
{
	return vector_add_to(into, counts, n);
}
#else
#define vector_add_avx2 vector_add_portable
#endif

uint64_t
vector_any_bits(const uint64_t *counts, size_t n)
{
	uint64_t any = 0;

	for (size_t i = 0; i < n; i++)
		any |= counts[i];
	return any;
}

uint64_t
vector_add(uint64_t *restrict into, const uint64_t *restrict counts, size_t n)
{
	return (cpu_has_avx2() ? vector_add_avx2 : vector_add_portable)(
	    into, counts, n);
}

unsigned
narrow_width(uint64_t v)
{
	return v == 0 ? 0 : v <= UINT8_MAX ? 1 : v <= UINT16_MAX ? 2 :
	    v <= UINT32_MAX ? 4 : 8;
}

void
narrow_store(uint8_t *to, const uint64_t *numbers, size_t n, unsigned width)
{
	for (size_t i = 0; i < n; i++) {
		for (unsigned k = 0; k < width; k++)
			*to++ = (uint8_t)(numbers[i] >> 8 * k);
	}
}

void
narrow_load(uint64_t *to, const uint8_t *from, size_t n, unsigned width)
{
	if (width == 0)
		memset(to, 0, n * sizeof(*to));
	for (size_t i = 0; width == 1 && i < n; i++)
		to[i] = from[i];
	for (size_t i = 0; width == 2 && i < n; i++)
		to[i] = load_u16(from + 2 * i, false);
	for (size_t i = 0; width == 4 && i < n; i++)
		to[i] = load_u32(from + 4 * i, false);
	for (size_t i = 0; width == 8 && i < n; i++)
		to[i] = load_u64(from + 8 * i, false);
}

enum { BYTES = 8, VALUES = 256 };

static unsigned
number_byte(uint64_t key, unsigned byte)
{
	return (unsigned)(key >> 8 * byte) & (VALUES - 1);
}

bool
number_sort(struct number_sort_item *items, size_t n)
{
	size_t counts[BYTES][VALUES];
	struct number_sort_item *other, *from = items, *to;

	if (n < 2)
		return true;
	to = other = calloc(n, sizeof(*other));
	if (other == NULL)
		return false;
	/* How many keys have each value of each byte. */
	memset(counts, 0, sizeof(counts));
	for (size_t i = 0; i < n; i++) {
		for (unsigned b = 0; b < BYTES; b++)
			counts[b][number_byte(items[i].key, b)]++;
	}
	for (unsigned b = 0; b < BYTES; b++) {
		struct number_sort_item *sorted = to;
		size_t places[VALUES], at = 0;

		if (counts[b][number_byte(from[0].key, b)] == n)
			continue;
		for (unsigned v = 0; v < VALUES; v++) {
			places[v] = at;
			at += counts[b][v];
		}
		for (size_t i = 0; i < n; i++)
			sorted[places[number_byte(from[i].key, b)]++] = from[i];
		to = from;
		from = sorted;
	}
	if (from != items)
		memcpy(items, from, n * sizeof(*items));
	free(other);
	return true;
}

static int
number_set_compare(const void *a, const void *b)
{
	return compare_u64(*(const uint64_t *)a, *(const uint64_t *)b);
}

void
number_set_sort(struct number_set *s)
{
	size_t kept = 0;

	if (s->size > 1)
		qsort(s->items, s->size, sizeof(*s->items),
		    number_set_compare);
	for (size_t i = 0; i < s->size; i++) {
		if (kept == 0 || s->items[kept - 1] != s->items[i])
			s->items[kept++] = s->items[i];
	}
	s->size = kept;
}

bool
number_set_add(struct number_set *s, struct arena *a, uint64_t item)
{
	if (s->size != 0 && s->items[s->size - 1] == item)
		return true;
	/* Afterwards half of the room is free, so that sorting stays rare. */
	if (s->size == s->room) {
		number_set_sort(s);
		if (s->size >= s->room / 2) {
			size_t room = s->room == 0 ? 4 : s->room * 2;
			uint64_t *items = arena_array(a, room, sizeof(*items));

			if (items == NULL)
				return false;
			if (s->size != 0)
				memcpy(items, s->items,
				    s->size * sizeof(*items));
			s->items = items;
			s->room = room;
		}
	}
	s->items[s->size++] = item;
	return true;
}

bool
number_set_has(const struct number_set *s, uint64_t item)
{
	return s->size != 0 && bsearch(&item, s->items, s->size,
	    sizeof(*s->items), number_set_compare) != NULL;
}

bool
intervals_add(struct intervals *v, uint64_t start, uint64_t end, uint32_t rank)
{
	if (start >= end)
		return true;
	return ARRAY_ADD(v->items, v->size, v->room, (struct interval){ start,
	    end, rank });
}

static int
intervals_by_start(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/*
 * A priority queue of the ranges that have begun: a heap, with the range on top
 * that addresses belong to.
 */
struct interval_queue {
	struct interval *items;
	size_t size;
	bool nested;			/* see intervals_nest */
};

static bool
intervals_before(const struct interval_queue *h, const struct interval *a,
    const struct interval *b)
{
	if (h->nested && a->start != b->start)
		return a->start > b->start;
	return a->rank > b->rank;
}

static void
intervals_push(struct interval_queue *h, struct interval range)
{
	size_t i = h->size++;

	while (i > 0 && intervals_before(h, &range, &h->items[(i - 1) / 2])) {
		h->items[i] = h->items[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	h->items[i] = range;
}

static void
intervals_pop(struct interval_queue *h)
{
	struct interval range = h->items[--h->size];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < h->size) {
		if (child + 1 < h->size && intervals_before(h,
		    &h->items[child + 1], &h->items[child]))
			child++;
		if (!intervals_before(h, &h->items[child], &range))
			break;
		h->items[i] = h->items[child];
		i = child;
	}
	h->items[i] = range;
}

/* Sweeps over the sorted ranges; each step begins or ends some of them. */
static bool
intervals_cut(const struct interval *in, size_t size,
    struct interval_queue *queue, struct intervals *out)
{
	uint64_t at = 0, next;
	size_t i = 0;

	while (i < size || queue->size > 0) {
		if (queue->size == 0)
			at = in[i].start;
		while (i < size && in[i].start <= at)
			intervals_push(queue, in[i++]);
		while (queue->size > 0 && queue->items[0].end <= at)
			intervals_pop(queue);
		if (queue->size == 0)
			continue;
		next = queue->items[0].end;
		if (i < size && in[i].start < next)
			next = in[i].start;
		if (!intervals_add(out, at, next, queue->items[0].rank))
			return false;
		at = next;
	}
	return true;
}

/* Puts the ranges from `first` on in order, none of which overlaps another. */
static bool
intervals_sort(struct intervals *v, size_t first, bool nested)
{
	struct interval *items = v->items + first;
	size_t size = v->size - first;
	struct intervals out = { 0 };
	struct interval_queue queue = { .nested = nested,
	    .items = calloc(size, sizeof(*queue.items)) };
	bool done;

	qsort(items, size, sizeof(*items), intervals_by_start);
	done = queue.items != NULL &&
	    intervals_cut(items, size, &queue, &out) &&
	    ARRAY_RESERVE(v->items, first, out.size, v->room);
	if (done && out.size != 0)
		memcpy(v->items + first, out.items,
		    out.size * sizeof(*out.items));
	if (done)
		v->size = first + out.size;
	free(queue.items);
	free(out.items);
	return done;
}

static size_t
intervals_batch_start(const struct intervals *v, size_t batch)
{
	return batch == 0 ? 0 : v->batches[batch - 1].end;
}

static bool
intervals_build_by(struct intervals *v, bool nested)
{
	size_t n = v->batches_size;
	size_t ranges = v->size - intervals_batch_start(v, n);
	struct interval_batch *batches;

	if (ranges == 0)
		return true;
	while (n > 0 && v->batches[n - 1].ranges / 2 < ranges)
		ranges += v->batches[--n].ranges;
	batches = realloc(v->batches, (n + 1) * sizeof(*batches));
	if (batches == NULL)
		return false;
	v->batches = batches;
	v->batches_size = n;
	if (!intervals_sort(v, intervals_batch_start(v, n), nested))
		return false;
	v->batches[n] = (struct interval_batch){ v->size, ranges };
	v->batches_size++;
	return true;
}

bool
intervals_build(struct intervals *v)
{
	return intervals_build_by(v, false);
}

bool
intervals_nest(struct intervals *v)
{
	return intervals_build_by(v, true);
}

const struct interval *
intervals_find(const struct intervals *v, uint64_t address)
{
	const struct interval *found = NULL;

	for (size_t i = 0; i < v->batches_size; i++) {
		const size_t start = intervals_batch_start(v, i);
		const struct interval *items = v->items + start;
		size_t n = numbers_up_to(items, v->batches[i].end - start,
		    sizeof(*items), address);

		if (n != 0 && address < items[n - 1].end && (found == NULL ||
		    items[n - 1].rank > found->rank))
			found = &items[n - 1];
	}
	return found;
}

void
intervals_clear(struct intervals *v)
{
	v->size = v->batches_size = 0;
}

void
intervals_free(struct intervals *v)
{
	free(v->items);
	free(v->batches);
	*v = (struct intervals){ 0 };
}

enum { SIZE = MT19937_SIZE, MIDDLE = 397 };

void
mt19937_seed(struct mt19937 *r, uint32_t seed)
{
	r->state[0] = seed;
	for (uint32_t i = 1; i < SIZE; i++) {
		uint32_t before = r->state[i - 1];

		r->state[i] = 1812433253 * (before ^ before >> 30) + i;
	}
	r->used = SIZE;
}

uint32_t
mt19937_next(struct mt19937 *r)
{
	uint32_t *s = r->state, x;

	/* Each number comes from three numbers of the last round. */
	for (size_t i = 0; r->used == SIZE && i < SIZE; i++) {
		uint32_t mixed = (s[i] & 0x80000000) |
		    (s[(i + 1) % SIZE] & 0x7fffffff);

		s[i] = s[(i + MIDDLE) % SIZE] ^ mixed >> 1 ^
		    ((mixed & 1) != 0 ? 0x9908b0df : 0);
	}
	if (r->used == SIZE)
		r->used = 0;
	x = r->state[r->used++];
	x ^= x >> 11;
	x ^= x << 7 & 0x9d2c5680;
	x ^= x << 15 & 0xefc60000;
	return x ^ x >> 18;
}
