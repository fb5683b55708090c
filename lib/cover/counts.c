/* cover/counts.c - functions of a sum of profiles, found by name and hash */
#include "config.h"

#include "base/error.h"
#include "base/numbers.h"
#include "cover/mapping.h"
#include "format/codec.h"
#include "model/record.h"

struct counted {
	uint64_t guid, hash;
	struct cover_counters counters;
	uint32_t next;			/* of the same guid, or INDEX_NONE */
	uint32_t test, sum;		/* of counts of tests */
};

struct cover_counts {
	struct arena arena;
	struct counted *functions;
	size_t size, room;
	struct id_map by_guid;		/* the last function of a guid */
	bool bytes;			/* a counter is set, or it is not */
};

struct cover_counts *
cover_counts_new(void)
{
	return calloc(1, sizeof(struct cover_counts));
}

void
cover_counts_free(struct cover_counts *c)
{
	if (c == NULL)
		return;
	arena_free(&c->arena);
	free(c->functions);
	id_map_free(&c->by_guid);
	free(c);
}

/* The last function of a guid, or INDEX_NONE. */
static uint32_t
counts_last(const struct cover_counts *c, uint64_t guid)
{
	const uint64_t *last = id_map_find(&c->by_guid, guid);

	return last == NULL ? INDEX_NONE : (uint32_t)*last;
}

struct counts_writer {
	struct prof_writer base;
	struct cover_counts *counts;
};

/* Keeps a function; its counts are copied. */
static bool
counts_keep(struct cover_counts *c, const struct prof_function *f)
{
	uint64_t guid = prof_symbol_guid(&f->symbol);
	uint64_t *counts, *last;
	struct counted *new;

	if (!ARRAY_ROOM(c->functions, c->size, c->room))
		return false;
	counts = arena_array(&c->arena, f->counts_size, sizeof(*counts));
	last = id_map_add(&c->by_guid, guid, INDEX_NONE);
	if (counts == NULL || last == NULL)
		return false;
	new = &c->functions[c->size];
	*new = (struct counted){ .guid = guid, .hash = f->hash,
	    .counters = { counts, f->counts_size, f->bitmap },
	    .next = (uint32_t)*last };
	*last = c->size++;
	if (f->counts_size > 0)
		memcpy(counts, f->counts, f->counts_size * sizeof(*counts));
	return arena_keep(&c->arena, &new->counters.bitmap);
}

/* Adds counters, up to the largest count, as sums of profiles do. */
static void
counts_add(uint64_t *to, const uint64_t *from, size_t size)
{
	for (size_t i = 0; i < size; i++)
		to[i] = from[i] > PROF_COUNT_MAX - to[i] ? PROF_COUNT_MAX :
		    to[i] + from[i];
}

bool
cover_counts_add_test(struct cover_counts *c, const struct prof_function *f,
    uint32_t test, uint32_t sum)
{
	struct counted *old;

	if (vector_any_bits(f->counts, f->counts_size) == 0)
		return true;
	/* What the test has already is the last that was added. */
	for (uint32_t i = counts_last(c, prof_symbol_guid(&f->symbol));
	    i != INDEX_NONE; i = old->next) {
		old = &c->functions[i];
		if (old->test != test || old->sum != sum)
			break;
		if (old->hash == f->hash &&
		    old->counters.size == f->counts_size) {
			counts_add((uint64_t *)(uintptr_t)old->counters.counts,
			    f->counts, f->counts_size);
			return true;
		}
	}
	if (!counts_keep(c, f))
		return false;
	c->functions[c->size - 1].test = test;
	c->functions[c->size - 1].sum = sum;
	return true;
}

const struct cover_counters *
cover_counts_next_test(const struct cover_counts *c, uint64_t guid,
    uint64_t hash, uint32_t *at, uint32_t *test, uint32_t *sum)
{
	const struct counted *f;
	uint32_t i = *at > 0 ? c->functions[*at - 1].next :
	    counts_last(c, guid);

	for (; i != INDEX_NONE; i = f->next) {
		f = &c->functions[i];
		if (f->hash != hash)
			continue;
		*at = (uint32_t)i + 1;
		*test = f->test;
		*sum = f->sum;
		return &f->counters;
	}
	return NULL;
}

static enum prof_status
counts_put(struct prof_writer *base, const struct prof_record *r,
    struct prof_error *err)
{
	struct counts_writer *w = (struct counts_writer *)base;

	if (r->kind == PROF_REC_PROFILE && (r->u.profile.flags &
	    PROF_BYTE_COVERAGE) != 0)
		w->counts->bytes = true;
	if (r->kind != PROF_REC_FUNCTION || counts_keep(w->counts,
	    &r->u.function))
		return PROF_OK;
	return err_memory(err);
}

static enum prof_status
counts_finish(struct prof_writer *w, struct prof_error *err)
{
	(void)w;
	(void)err;
	return PROF_OK;
}

static void
counts_writer_free(struct prof_writer *w)
{
	(void)w;
}

struct prof_writer *
cover_counts_writer(struct cover_counts *c, struct prof_error *err)
{
	static const struct writer_ops ops = {
		.size = sizeof(struct counts_writer),
		.put = counts_put,
		.finish = counts_finish,
		.free = counts_writer_free
	};
	struct counts_writer *w = codec_writer_new(&ops, NULL, NULL, NULL, err);

	if (w == NULL)
		return NULL;
	w->counts = c;
	return &w->base;
}

/* What one sum has of a name and a hash. */
static enum cover_found
counts_find(const struct cover_counts *c, uint64_t guid, uint64_t hash,
    bool contexts, const struct cover_counters **out)
{
	enum cover_found found = COVER_NO_NAME;
	const struct counted *f;

	for (uint32_t i = counts_last(c, guid); i != INDEX_NONE; i = f->next) {
		f = &c->functions[i];
		if (f->hash == hash) {
			*out = &f->counters;
			return COVER_FOUND;
		}
		/* A record of another context is none of this function. */
		if (!contexts ||
		    ((f->hash ^ hash) & HASH_CONTEXT_SENSITIVE) == 0)
			found = COVER_OTHER_HASH;
	}
	return found;
}

/* Adds the counters of one more sum. */
static bool
choice_add(struct cover_choice *c, struct cover_counters *sum,
    const struct cover_counters *more)
{
	size_t size = sum->size > more->size ? sum->size : more->size;
	/* The room for the sum moves if another one has more counters. */
	size_t here = sum->counts == c->counts ? sum->size : 0;
	uint64_t *counts;

	if (!ARRAY_RESERVE(c->counts, here, size - here, c->room))
		return false;
	counts = c->counts;
	if (here == 0 && sum->size > 0)
		memcpy(counts, sum->counts, sum->size * sizeof(*counts));
	memset(counts + sum->size, 0, (size - sum->size) * sizeof(*counts));
	counts_add(counts, more->counts, more->size);
	sum->counts = counts;
	sum->size = size;
	if (more->bitmap.size == 0)
		return true;
	if (sum->bitmap.data != c->bits.data) {
		c->bits.size = 0;
		buf_put(&c->bits, sum->bitmap.data, sum->bitmap.size);
	}
	if (c->bits.size < more->bitmap.size)
		buf_zeros(&c->bits, more->bitmap.size - c->bits.size);
	if (c->bits.failed)
		return false;
	for (size_t i = 0; i < more->bitmap.size; i++)
		c->bits.data[i] |= more->bitmap.data[i];
	sum->bitmap = buf_span(&c->bits);
	return true;
}

bool
cover_counts_are_bytes(const struct cover_counts *c)
{
	return c->bytes;
}

enum cover_found
cover_counts_find(struct cover_choice *c, uint64_t guid, uint64_t hash,
    struct cover_counters *out, bool *failed)
{
	enum cover_found found = COVER_NO_NAME, one;
	const struct cover_counters *more;

	*out = (struct cover_counters){ 0 };
	for (size_t i = 0; i < c->size; i++) {
		one = counts_find(c->sums[i], guid, hash, c->contexts, &more);
		if (one == COVER_FOUND && found != COVER_FOUND)
			*out = *more;
		else if (one == COVER_FOUND && !choice_add(c, out, more))
			*failed = true;
		if (one > found)
			found = one;
	}
	return found;
}

void
cover_choice_free(struct cover_choice *c)
{
	free(c->counts);
	buf_free(&c->bits);
}
