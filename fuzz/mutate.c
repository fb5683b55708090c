#include "fuzz/mutate.h"

#include "fuzz/fields.h"
#include "fuzz/pair.h"
#include "fuzz/tokens.h"

enum { MOST_STEPS = 4, MOST_BYTES = 8, LONGEST_RUN = 64 };

/* splitmix64 (Steele, Lea and Flood, 2014). */
static uint64_t
next(struct chance *c)
{
	uint64_t z = c->state += 0x9E3779B97F4A7C15;

	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
	z = (z ^ z >> 27) * 0x94D049BB133111EB;
	return z ^ z >> 31;
}

uint64_t
chance(struct chance *c, uint64_t below)
{
	return below == 0 ? 0 : next(c) % below;
}

static void
flip_bits(struct chance *c, struct buf *b)
{
	for (uint64_t n = chance(c, MOST_BYTES) + 1; n > 0; n--)
		b->data[chance(c, b->size)] ^= (uint8_t)(1 << chance(c, 8));
}

static void
set_bytes(struct chance *c, struct buf *b)
{
	static const uint8_t limits[] = { 0, 1, 0x7f, 0x80, 0xff };

	for (uint64_t n = chance(c, MOST_BYTES) + 1; n > 0; n--)
		b->data[chance(c, b->size)] = chance(c, 2) == 0 ?
		    limits[chance(c, sizeof(limits))] : (uint8_t)next(c);
}

/* A number at a limit of widths, of the size of the file or of the old one. */
static uint64_t
edge(struct chance *c, uint64_t size, uint64_t old)
{
	const uint64_t edges[] = {
		0, 1, UINT64_MAX, (uint64_t)1 << 31, (uint64_t)1 << 32,
		(uint64_t)1 << 63, size, size - 1, size + 1, size / 8,
		old - 1, old + 1, old - 8, old + 8, old * 2, old / 2, ~old,
	};

	return edges[chance(c, sizeof(edges) / sizeof(edges[0]))];
}

static uint64_t
load_field(const uint8_t *p, const struct field *f)
{
	uint64_t v = 0;

	for (size_t i = 0; i < f->width; i++)
		v |= (uint64_t)p[f->big ? f->width - 1u - i : i] << 8 * i;
	return v;
}

static void
store_field(uint8_t *p, const struct field *f, uint64_t v)
{
	for (size_t i = 0; i < f->width; i++)
		p[f->big ? f->width - 1u - i : i] = (uint8_t)(v >> 8 * i);
}

/* Replaces a field at a multiple of its width, as most fields are. */
static void
set_field(struct chance *c, struct buf *b)
{
	struct field f = { .width = (uint8_t)(2 << chance(c, 3)) };

	if (b->size < f.width)
		return;
	f.big = chance(c, 4) == 0;
	f.at = (size_t)chance(c, b->size / f.width) * f.width;
	store_field(b->data + f.at, &f, edge(c, b->size,
	    load_field(b->data + f.at, &f)));
}

bool
mutate_field(struct chance *c, struct buf *b)
{
	struct field fields[FIELDS_MAX];
	size_t count = fields_of((struct prof_span){ b->data, b->size },
	    (size_t)chance(c, b->size), fields);
	const struct field *f = &fields[chance(c, count)], *g;
	uint64_t old;

	if (count == 0)
		return false;
	old = load_field(b->data + f->at, f);
	g = &fields[chance(c, count)];
	/* Now and then the value of another field. */
	store_field(b->data + f->at, f, chance(c, 4) == 0 ?
	    load_field(b->data + g->at, g) : edge(c, b->size, old));
	return true;
}

static size_t
run_of_digits(const struct buf *b, size_t at)
{
	size_t n = 0;

	while (at + n < b->size && b->data[at + n] >= '0' &&
	    b->data[at + n] <= '9')
		n++;
	return n;
}

void
splice_bytes(struct buf *b, size_t at, size_t n, struct prof_span bytes)
{
	if (buf_reserve(b, bytes.size) == NULL)
		return;
	memmove(b->data + at + bytes.size, b->data + at + n,
	    b->size - at - n);
	if (bytes.size != 0)
		memcpy(b->data + at, bytes.data, bytes.size);
	b->size += bytes.size - n;
}

/* Replaces the first number behind a random place of a text. */
static void
set_number(struct chance *c, struct buf *b)
{
	static const char *const numbers[] = {
		"0", "1", "-1", "9007199254740992", "18446744073709551615",
		"18446744073709551616", "1e3", "0.5", "\"7\"", "007", "[]",
	};
	const char *text =
	    numbers[chance(c, sizeof(numbers) / sizeof(numbers[0]))];
	size_t at = (size_t)chance(c, b->size);

	while (at < b->size && run_of_digits(b, at) == 0)
		at++;
	splice_bytes(b, at, run_of_digits(b, at),
	    (struct prof_span){ (const uint8_t *)text, strlen(text) });
}

static void
cut(struct chance *c, struct buf *b)
{
	b->size = (size_t)chance(c, b->size);
	if (chance(c, 2) == 0)
		b->size -= b->size % 8;
}

static void
insert_run(struct chance *c, struct buf *b)
{
	uint8_t run[LONGEST_RUN];
	size_t n = (size_t)chance(c, sizeof(run)) + 1;
	uint8_t byte = (uint8_t)next(c);
	uint64_t how = chance(c, 3);

	if (chance(c, 2) == 0)
		n = (n + 7) / 8 * 8;
	for (size_t i = 0; i < n; i++)
		run[i] = how == 0 ? 0 : how == 1 ? byte : (uint8_t)next(c);
	splice_bytes(b, (size_t)chance(c, b->size + 1), 0,
	    (struct prof_span){ run, n });
}

static void
delete_run(struct chance *c, struct buf *b)
{
	size_t at = (size_t)chance(c, b->size);
	size_t n = (size_t)chance(c, LONGEST_RUN) + 1;

	splice_bytes(b, at, n < b->size - at ? n : b->size - at,
	    (struct prof_span){ NULL, 0 });
}

/* Joins the head of the file and the tail of the other, or of itself. */
static void
splice(struct chance *c, struct buf *b, struct prof_span other)
{
	size_t at = (size_t)chance(c, b->size + 1);
	size_t from = (size_t)chance(c, other.size + 1);

	if (chance(c, 2) == 0) {
		at -= at % 8;
		from -= from % 8;
	}
	b->size = at;
	buf_put(b, other.data + from, other.size - from);
}

/* Inserts a part of the other file, or overwrites with it. */
static void
graft(struct chance *c, struct buf *b, struct prof_span other)
{
	size_t at = (size_t)chance(c, b->size + 1);
	size_t from = (size_t)chance(c, other.size + 1);
	size_t n = (size_t)chance(c, other.size - from + 1);
	size_t over = chance(c, 2) == 0 ? 0 : n;

	splice_bytes(b, at, over < b->size - at ? over : b->size - at,
	    (struct prof_span){ other.data + from, n });
}

static void
step(struct chance *c, struct buf *b, struct prof_span other)
{
	if (b->size == 0) {
		buf_put(b, other.data, other.size);
		return;
	}
	switch (chance(c, 16)) {
	case 0:
		flip_bits(c, b);
		break;
	case 1:
		set_bytes(c, b);
		break;
	case 2:
		cut(c, b);
		break;
	case 3:
		insert_run(c, b);
		break;
	case 4:
		delete_run(c, b);
		break;
	case 5:
		splice(c, b, other);
		break;
	case 6:
		graft(c, b, other);
		break;
	case 7:
		buf_put(b, other.data, other.size);
		break;
	case 8:
		set_number(c, b);
		break;
	case 9:
	case 10:
		set_field(c, b);
		break;
	case 11:
	case 12:
		tokens_change(c, b, other);
		break;
	default:
		if (!mutate_field(c, b))
			set_field(c, b);
		break;
	}
}

void
mutate(struct chance *c, struct prof_span file, struct prof_span other,
    struct buf *out)
{
	out->size = 0;
	buf_put(out, file.data, file.size);
	for (uint64_t n = chance(c, MOST_STEPS) + 1; n > 0; n--)
		step(c, out, other);
}

static void
mutate_one(struct chance *c, struct buf *b)
{
	struct buf out = { 0 };
	const struct prof_span file = { b->data, b->size };

	if (chance(c, 4) != 0 && mutate_field(c, b))
		return;
	if (chance(c, 4) != 0 && memchr(b->data, 0, b->size) == NULL) {
		tokens_change(c, b, (struct prof_span){ NULL, 0 });
		return;
	}
	mutate(c, file, file, &out);
	buf_free(b);
	*b = out;
}

/* Changes one file of a pair, which may be empty. */
static void
mutate_pair(struct chance *c, struct pair p, struct buf *b)
{
	struct prof_span *file = chance(c, 2) == 0 ? &p.first : &p.second;
	struct buf changed = { 0 }, out = { 0 };

	buf_put(&changed, file->data, file->size);
	if (changed.size != 0)
		mutate_one(c, &changed);
	*file = buf_span(&changed);
	pair_join(&p, &out);
	buf_free(&changed);
	buf_free(b);
	*b = out;
}

void
mutate_file(struct chance *c, struct buf *b)
{
	struct pair p;

	if (pair_split(buf_span(b), &p))
		mutate_pair(c, p, b);
	else
		mutate_one(c, b);
}
