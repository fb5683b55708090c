#include "format/raw/program.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/huge_pages.h"
#include "format/context_cache.h"
#include "format/consumed.h"
#include "model/variants.h"

/* A block stays in the processor's cache while it is added. */
enum { BLOCK_FUNCTIONS = 1024, BLOCK_COUNTS = 1 << 15 };

/* Words of 8 bytes in the largest record. */
enum { MAX_WORDS = 16 };

/* What is looked for, and what is found out on the way. */
struct key {
	const struct raw_image *image;
	const struct cached_names *names;
	struct consumed consumed;		/* of the records */
	struct raw_moved moved;
};

static bool
is_simple(const struct raw_image *im)
{
	return im->pointer_bytes == 8 && host_order(im->big) &&
	    im->layout.size % 8 == 0 && im->layout.size <= 8 * MAX_WORDS &&
	    !im->row->addressed_names && im->layout.has[RAW_FUNCTION_PTR];
}

static uint64_t
word_at(const uint8_t *p)
{
	uint64_t w;

	memcpy(&w, p, sizeof(w));
	return w;
}

/* Offsets of the words of a record that are the same in all runs. */
static size_t
lasting_words(const struct raw_image *im, uint16_t *offsets)
{
	const struct raw_record_layout *l = &im->layout;
	size_t n = 0;

	for (uint16_t at = 0; at < l->size; at = (uint16_t)(at + 8)) {
		if (at != l->offset[RAW_FUNCTION_PTR] &&
		    (at != l->offset[RAW_VALUES_PTR] ||
		    !l->has[RAW_VALUES_PTR]) &&
		    (at != l->offset[RAW_COUNTER_PTR] || im->relative))
			offsets[n++] = at;
	}
	return n;
}

static bool
same_records(const struct raw_program *p, const struct raw_image *im,
    struct consumed *consumed, struct raw_moved *moved)
{
	const uint8_t *a = p->records;
	const uint8_t *b = im->file.data + im->at[RAW_S_DATA];
	size_t size = im->layout.size;
	size_t function = im->layout.offset[RAW_FUNCTION_PTR];
	size_t counters = im->layout.offset[RAW_COUNTER_PTR];
	size_t first = (size_t)p->first_function * size + function;
	uint64_t apart = 0, counters_moved = im->relative ? 0 :
	    im->field[RAW_COUNTERS_DELTA] - p->image.field[RAW_COUNTERS_DELTA];
	uint16_t offsets[MAX_WORDS];
	size_t n = lasting_words(im, offsets);

	moved->by = word_at(b + first) - word_at(a + first);
	for (uint64_t i = 0; i < im->field[RAW_NUM_DATA]; i++) {
		uint64_t from = word_at(a + function);
		uint64_t differ = word_at(b + counters) -
		    word_at(a + counters) - counters_moved;

		for (size_t k = 0; k < n; k++)
			differ |= word_at(a + offsets[k]) ^
			    word_at(b + offsets[k]);
		if (differ != 0)
			return false;
		apart |= word_at(b + function) - from -
		    (from == 0 ? 0 : moved->by);
		a += size;
		b += size;
		consumed_to(consumed, b);
	}
	moved->together = apart == 0 && im->field[RAW_NUM_VTABLES] == 0;
	return true;
}

static bool
same_fields(const struct raw_image *a, const struct raw_image *b)
{
	static const uint8_t same[] = { RAW_NUM_DATA, RAW_NUM_COUNTERS,
		RAW_NUM_BITMAP_BYTES, RAW_NUM_UNIFORM, RAW_NUM_VTABLES,
		RAW_VALUE_KIND_LAST };
	/* A section that is not there may be anywhere. */
	static const uint8_t deltas[][2] = {
		{ RAW_NUM_BITMAP_BYTES, RAW_BITMAP_DELTA },
		{ RAW_NUM_UNIFORM, RAW_UNIFORM_DELTA },
	};

	for (size_t i = 0; i < sizeof(same); i++) {
		if (a->field[same[i]] != b->field[same[i]])
			return false;
	}
	for (size_t i = 0; i < sizeof(deltas) / sizeof(deltas[0]); i++) {
		if (a->field[deltas[i][0]] != 0 &&
		    a->field[deltas[i][1]] != b->field[deltas[i][1]])
			return false;
	}
	return a->version_word == b->version_word && a->magic == b->magic &&
	    a->big == b->big && a->relative == b->relative &&
	    (!a->relative || a->field[RAW_COUNTERS_DELTA] ==
	    b->field[RAW_COUNTERS_DELTA]);
}

static bool
is_same(const void *thing, void *arg)
{
	const struct raw_program *p = thing;
	struct key *k = arg;

	return p->names == k->names && same_fields(&p->image, k->image) &&
	    same_records(p, k->image, &k->consumed, &k->moved);
}

static size_t
size(const void *thing)
{
	const struct raw_program *p = thing;

	return p->image.size[RAW_S_DATA] +
	    (size_t)p->image.field[RAW_NUM_DATA] * 2 * sizeof(uint32_t) +
	    p->addresses.function_slots *
	    sizeof(*p->addresses.functions);
}

static void
free_program(void *thing)
{
	struct raw_program *p = thing;

	lru_cache_release(p->names);
	raw_addresses_free(&p->addresses);
	free(p->records);
	free(p->symbols);
	free(p->blocks);
	free(p->sited);
	free(p);
}

static const struct lru_entry_ops kind = { is_same, size, free_program };

struct raw_program *
raw_program_find(const struct prof_context *context,
    const struct raw_image *im, const struct cached_names *names,
    struct raw_moved *moved)
{
	struct key key = { .image = im, .names = names };
	struct raw_program *p = NULL;

	consumed_start(&key.consumed, context,
	    im->file.data + im->at[RAW_S_DATA]);
	if (is_simple(im))
		p = lru_cache_find(&context->cache->raw, &key);
	*moved = key.moved;
	return p;
}

/* What is found out record by record. */
struct raw_lesson {
	struct raw_program *p;
	const struct raw_image *im;
	bool any_function;
	bool blocks;			/* the profiles can be given in them */
	size_t sited, blocks_room;
};

/* The block that a record of so many counts belongs to; NULL: none. */
static struct raw_block *
block_for(struct raw_lesson *l, uint64_t i, size_t at, size_t counts)
{
	struct raw_program *p = l->p;
	struct raw_block *b = p->blocks_size == 0 ? NULL :
	    &p->blocks[p->blocks_size - 1];

	if (b != NULL && b->size < BLOCK_FUNCTIONS &&
	    at == b->counts + b->counts_size &&
	    b->counts_size + counts <= BLOCK_COUNTS)
		return b;
	b = array_room(p->blocks, p->blocks_size, &l->blocks_room,
	    sizeof(*b));
	if (b == NULL)
		return NULL;
	p->blocks = b;
	b += p->blocks_size++;
	*b = (struct raw_block){ .first = i, .counts = at,
	    .sited = l->sited };
	return b;
}

static void
add_to_block(struct raw_lesson *l, uint64_t i, const struct raw_record *r,
    const struct raw_place *place)
{
	const struct raw_image *im = l->im;
	size_t at = place->counters - im->at[RAW_S_COUNTERS];
	struct raw_block *b = at % 8 != 0 ? NULL :
	    block_for(l, i, at / 8, r->num_counters);
	struct raw_sited *sited = &l->p->sited[l->sited];
	unsigned sites = 0;

	l->blocks = b != NULL;
	if (b == NULL)
		return;
	b->size++;
	b->counts_size += r->num_counters;
	for (unsigned k = 0; k < im->value_kinds; k++) {
		sited->sites[k] = raw_value_sites(im, r, k);
		sites += sited->sites[k];
	}
	if (sites == 0)
		return;
	sited->record = (uint32_t)i;
	l->sited++;
	b->sited_size++;
}

static void
learn_record(void *arg, uint64_t i, const struct raw_record *r,
    const struct raw_place *place, size_t symbol)
{
	struct raw_lesson *l = arg;
	struct raw_program *p = l->p;

	p->symbols[i] = (uint32_t)symbol;
	if (!l->any_function && r->function_ptr != 0) {
		p->first_function = i;
		l->any_function = true;
	}
	if (l->blocks)
		add_to_block(l, i, r, place);
}

/* Without blocks, functions are given one by one. */
static bool
may_have_blocks(const struct raw_image *im)
{
	return raw_counter_width(im) == 8 &&
	    (im->version_word & VARIANT_TEMPORAL) == 0 &&
	    im->size[RAW_S_UNIFORM] == 0 &&
	    im->value_kinds <= PROF_VALUE_KINDS &&
	    im->field[RAW_NUM_DATA] <= UINT32_MAX;
}

static bool
make_room(struct raw_program *p)
{
	size_t size = p->image.size[RAW_S_DATA];
	size_t n = (size_t)p->image.field[RAW_NUM_DATA];

	p->records = huge_alloc(size);
	p->symbols = calloc(n, sizeof(*p->symbols));
	p->sited = calloc(n, sizeof(*p->sited));
	if (p->records == NULL || p->symbols == NULL || p->sited == NULL)
		return false;
	memcpy(p->records, p->image.file.data + p->image.at[RAW_S_DATA],
	    size);
	p->image.file = (struct prof_span){ p->records, size };
	p->image.at[RAW_S_DATA] = 0;
	return true;
}

struct raw_lesson *
raw_program_begin(const struct raw_image *im, struct cached_names *names,
    struct raw_visitor *visitor)
{
	struct raw_lesson *l;

	if (!is_simple(im) || im->field[RAW_NUM_DATA] == 0 ||
	    (l = calloc(1, sizeof(*l))) == NULL)
		return NULL;
	l->im = im;
	l->blocks = may_have_blocks(im);
	l->p = calloc(1, sizeof(*l->p));
	if (l->p != NULL) {
		l->p->entry = (struct lru_entry){ &kind, 1 };
		l->p->layout = block_layout_new();
		l->p->image = *im;
		lru_cache_retain(names);
		l->p->names = names;
	}
	if (l->p == NULL || !make_room(l->p)) {
		lru_cache_release(l->p);
		free(l);
		return NULL;
	}
	*visitor = (struct raw_visitor){ learn_record, l };
	return l;
}

struct raw_program *
raw_program_end(struct raw_lesson *l, const struct prof_context *context,
    const struct raw_facts *facts)
{
	struct raw_program *p = l->p;
	struct key key = { .image = l->im, .names = p->names };

	if (!l->blocks || facts->any_bitmap || !facts->ascending)
		p->blocks_size = 0;
	p->facts = *facts;
	if (!facts->odd && (facts->sites == 0 ||
	    raw_addresses_load(&p->addresses, l->im)))
		p = lru_cache_put(&context->cache->raw, &key, p);
	else {
		lru_cache_release(p);
		p = NULL;
	}
	free(l);
	return p;
}

void
raw_program_abandon(struct raw_lesson *l)
{
	lru_cache_release(l->p);
	free(l);
}
