/* Images of a program seen before, and the addresses of its functions. */
#include "format/raw/raw.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/numbers.h"

/* The slot of an address, or the empty one where it belongs. */
static struct raw_function_slot *
raw_addresses_slot_of(const struct raw_addresses *a, uint64_t address)
{
	const size_t mask = a->function_slots - 1;
	size_t i = hash_first_slot(a->seed, address, a->function_slots);

	while (a->functions[i].address != 0 &&
	    a->functions[i].address != address)
		i = (i + 1) & mask;
	return &a->functions[i];
}

static bool
raw_addresses_load_functions(struct raw_addresses *a,
    const struct raw_image *im)
{
	uint64_t count = im->field[RAW_NUM_DATA];
	size_t slots = 16;

	/* At most three quarters of the slots are used. */
	while (slots / 4 * 3 < count && slots <= SIZE_MAX / 4)
		slots *= 2;
	a->functions = huge_zeros(slots, sizeof(*a->functions));
	if (a->functions == NULL)
		return false;
	a->function_slots = slots;
	a->seed = hash_seed(a->functions);
	for (uint64_t i = 0; i < count; i++) {
		struct raw_function_slot *s;
		struct raw_record r;
		uint64_t guid = 0;

		raw_record_get(im, i, &r);
		if (r.function_ptr == 0)
			continue;
		s = raw_addresses_slot_of(a, r.function_ptr);
		if (s->address != 0)
			continue;
		raw_guid(im, i, &r, &guid, NULL);
		*s = (struct raw_function_slot){ r.function_ptr, guid };
	}
	return true;
}

static int
raw_addresses_compare_ranges(const void *a, const void *b)
{
	const struct raw_vtable_range *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static bool
raw_addresses_load_vtables(struct raw_addresses *a, const struct raw_image *im)
{
	uint64_t count = im->field[RAW_NUM_VTABLES];

	a->vtables = calloc((size_t)count + 1, sizeof(*a->vtables));
	if (a->vtables == NULL)
		return false;
	for (uint64_t i = 0; i < count; i++) {
		struct raw_vtable v;
		uint64_t end;

		raw_vtable_get(im, i, &v);
		end = v.pointer + v.size;
		if (im->pointer_bytes == 4)
			end &= UINT32_MAX;
		if (v.pointer == 0 || end <= v.pointer)
			continue;
		a->vtables[a->vtable_count++] = (struct raw_vtable_range){
		    v.pointer, end, v.name_hash };
	}
	qsort(a->vtables, a->vtable_count, sizeof(*a->vtables),
	    raw_addresses_compare_ranges);
	return true;
}

bool
raw_addresses_load(struct raw_addresses *a, const struct raw_image *im)
{
	raw_addresses_free(a);
	return raw_addresses_load_functions(a, im) &&
	    raw_addresses_load_vtables(a, im);
}

uint64_t
raw_function_at(const struct raw_addresses *a, uint64_t address)
{
	return raw_addresses_slot_of(a, address)->guid;
}

uint64_t
raw_vtable_at(const struct raw_addresses *a, uint64_t address)
{
	size_t n = numbers_up_to(a->vtables, a->vtable_count,
	    sizeof(*a->vtables), address);

	return n == 0 || address >= a->vtables[n - 1].end ? 0 :
	    a->vtables[n - 1].name_hash;
}

void
raw_addresses_free(struct raw_addresses *a)
{
	free(a->functions);
	free(a->vtables);
	*a = (struct raw_addresses){ 0 };
}

/* Words of 8 bytes in the largest record. */
enum { MAX_WORDS = 16 };

/* A search for the program of an image. */
struct raw_program_key {
	const struct raw_image *image;
	const struct cached_names *names;
	struct consumed consumed;		/* of the records */
	struct raw_relocation relocation;	/* out */
};

/*
 * Whether records can be compared word by word, in this machine's order: that
 * of most images.  Images of the other order have no program, and thus no
 * blocks, whose counters are used where they lie.
 */
static bool
raw_program_can_recognise(const struct raw_image *im)
{
	return im->pointer_bytes == 8 && host_order(im->big) &&
	    im->layout.size % 8 == 0 && im->layout.size <= 8 * MAX_WORDS &&
	    !im->row->addressed_names && im->layout.has[RAW_FUNCTION_PTR];
}

static uint64_t
raw_program_word(const uint8_t *p)
{
	uint64_t w;

	memcpy(&w, p, sizeof(w));
	return w;
}

/*
 * Offsets of the words of a record that are equal in all runs.  Addresses are
 * not, nor are section pointers in a version where these are addresses.
 */
static size_t
raw_program_fixed_words(const struct raw_image *im, uint16_t *offsets)
{
	const struct raw_record_layout *l = &im->layout;
	bool varies[MAX_WORDS] = { false };
	size_t n = 0;

	for (const uint8_t *m = im->row->record; *m != RAW_M_END; m++) {
		if (raw_members[*m].address ||
		    (raw_members[*m].section_pointer && !im->relative))
			varies[l->offset[*m] / 8] = true;
	}
	for (uint16_t at = 0; at < l->size; at = (uint16_t)(at + 8)) {
		if (!varies[at / 8])
			offsets[n++] = at;
	}
	return n;
}

/*
 * Compares all records; the image's relocation is found on the way.  A function
 * without an address has none in all runs.  Ranges of vtables are not those of
 * the first image.
 */
static bool
raw_program_same_records(const struct raw_program *p,
    struct raw_program_key *key)
{
	const struct raw_image *im = key->image;
	const uint8_t *a = p->records;
	const uint8_t *b = im->file.data + im->at[RAW_S_DATA];
	size_t size = im->layout.size;
	size_t function = im->layout.offset[RAW_FUNCTION_PTR];
	size_t counters = im->layout.offset[RAW_COUNTER_PTR];
	size_t first = (size_t)p->first_function * size + function;
	uint64_t counters_moved = im->relative ? 0 :
	    im->field[RAW_COUNTERS_DELTA] - p->image.field[RAW_COUNTERS_DELTA];
	bool rigid = im->field[RAW_NUM_VTABLES] == 0;
	uint64_t distance = raw_program_word(b + first) -
	    raw_program_word(a + first);
	uint16_t offsets[MAX_WORDS];
	size_t n = raw_program_fixed_words(im, offsets);

	for (uint64_t i = 0; i < im->field[RAW_NUM_DATA]; i++) {
		uint64_t from = raw_program_word(a + function);
		uint64_t to = raw_program_word(b + function);
		uint64_t differ = raw_program_word(b + counters) -
		    raw_program_word(a + counters) - counters_moved;

		for (size_t k = 0; k < n; k++)
			differ |= raw_program_word(a + offsets[k]) ^
			    raw_program_word(b + offsets[k]);
		if (differ != 0)
			return false;
		rigid &= from == 0 || to == 0 ? from == to :
		    to - from == distance;
		a += size;
		b += size;
		consumed_to(&key->consumed, b);
	}
	key->relocation = (struct raw_relocation){ .rigid = rigid,
	    .distance = rigid ? distance : 0 };
	return true;
}

/*
 * Pointers into a section must mean the same in both images: relative ones do
 * if the deltas are equal, and addresses, which are compared with the records,
 * if the deltas are both such that offsets are cut to 32 bits, or both not.
 */
static bool
raw_program_same_header(const struct raw_image *a, const struct raw_image *b)
{
	if (a->version_word != b->version_word || a->magic != b->magic ||
	    a->big != b->big || a->relative != b->relative ||
	    a->field[RAW_VALUE_KIND_LAST] != b->field[RAW_VALUE_KIND_LAST])
		return false;
	for (int s = 0; s < RAW_SECTIONS; s++) {
		const struct raw_section_info *info = &raw_sections[s];
		uint64_t x = a->field[info->delta], y = b->field[info->delta];

		if (!info->fixed)
			continue;
		if (a->field[info->count] != b->field[info->count])
			return false;
		/* The delta of an empty section may be anything. */
		if (info->pointer != RAW_M_END &&
		    a->field[info->count] != 0 && (a->relative ? x != y :
		    (x >> 32 == 0) != (y >> 32 == 0)))
			return false;
	}
	return true;
}

static bool
raw_program_equal(const void *entry, void *arg)
{
	const struct raw_program *p = entry;
	struct raw_program_key *k = arg;

	return p->names == k->names &&
	    raw_program_same_header(&p->image, k->image) &&
	    raw_program_same_records(p, k);
}

static size_t
raw_program_size(const void *entry)
{
	const struct raw_program *p = entry;

	return p->image.size[RAW_S_DATA] +
	    (size_t)p->image.field[RAW_NUM_DATA] * 2 * sizeof(uint32_t) +
	    p->addresses.function_slots *
	    sizeof(*p->addresses.functions);
}

static void
raw_program_free(void *entry)
{
	struct raw_program *p = entry;

	lru_cache_release(p->names);
	raw_addresses_free(&p->addresses);
	free(p->records);
	free(p->symbols);
	free(p->layout.blocks);
	free(p->value_records);
	free(p);
}

static const struct lru_entry_ops raw_program_ops = {
	raw_program_equal, raw_program_size, raw_program_free
};

struct raw_program *
raw_program_find(const struct prof_context *context,
    const struct raw_image *im, const struct cached_names *names,
    struct raw_relocation *relocation)
{
	struct raw_program_key key = { .image = im, .names = names };
	struct raw_program *p = NULL;

	consumed_start(&key.consumed, context,
	    im->file.data + im->at[RAW_S_DATA]);
	if (raw_program_can_recognise(im))
		p = lru_cache_find(&context->cache->raw, &key);
	*relocation = key.relocation;
	return p;
}

bool
raw_program_is_worthwhile(const struct prof_context *context,
    const struct raw_image *im)
{
	/* A digest of what all images of one program have in common. */
	uint64_t signature = hash_mix(im->version_word,
	    im->field[RAW_NUM_DATA]);

	signature = hash_mix(signature, im->field[RAW_NUM_COUNTERS]);
	signature = hash_mix(signature, im->field[RAW_NAMES_SIZE]);
	return lru_cache_note(&context->cache->raw, signature);
}

struct raw_program *
raw_program_new(const struct raw_image *im, struct cached_names *names,
    bool shared)
{
	size_t n = (size_t)im->field[RAW_NUM_DATA];
	size_t size = im->size[RAW_S_DATA];
	struct raw_program *p;

	if (!raw_program_can_recognise(im) || n == 0 ||
	    (p = calloc(1, sizeof(*p))) == NULL)
		return NULL;
	p->entry = (struct lru_entry){ &raw_program_ops, 1 };
	p->shared = shared;
	p->layout.number = shared ? program_layout_number() : 0;
	p->image = *im;
	lru_cache_retain(names);
	p->names = names;
	p->fits_blocks = raw_counter_width(im) == 8 &&
	    raw_stamp_counters(im) == 0 && im->size[RAW_S_UNIFORM] == 0 &&
	    im->value_kinds <= PROF_VALUE_KINDS && n <= UINT32_MAX;
	p->symbols = calloc(n, sizeof(*p->symbols));
	p->value_records = calloc(n, sizeof(*p->value_records));
	if (shared)
		p->records = huge_alloc(size);
	if (p->symbols == NULL || p->value_records == NULL ||
	    (shared && p->records == NULL)) {
		lru_cache_release(p);
		return NULL;
	}
	if (shared) {
		memcpy(p->records, im->file.data + im->at[RAW_S_DATA], size);
		p->image.file = (struct prof_span){ p->records, size };
		p->image.at[RAW_S_DATA] = 0;
	}
	return p;
}

void
raw_program_add(struct raw_program *p, uint64_t i, const struct raw_record *r,
    const struct raw_place *place, size_t symbol)
{
	size_t at = place->counters - p->image.at[RAW_S_COUNTERS];
	struct raw_value_record *v = &p->value_records[p->value_records_size];
	bool has_sites = r->sites_size != 0;

	p->symbols[i] = (uint32_t)symbol;
	if (!p->any_function && r->function_ptr != 0) {
		p->first_function = i;
		p->any_function = true;
	}
	if (!p->fits_blocks)
		return;
	if (has_sites) {
		v->record = (uint32_t)i;
		memcpy(v->sites, r->sites, sizeof(v->sites));
		p->value_records_size++;
	}
	p->fits_blocks = at % 8 == 0 && program_add_function(&p->layout,
	    at / 8, r->num_counters, has_sites);
}

struct raw_program *
raw_program_finish(struct raw_program *p, const struct prof_context *context,
    const struct raw_facts *facts, struct raw_relocation *relocation)
{
	struct raw_program_key key = { .image = &p->image,
	    .names = p->names };
	bool needs_addresses = p->shared && facts->sites != 0 &&
	    p->image.field[RAW_NUM_VTABLES] == 0;

	if (!p->fits_blocks || facts->any_bitmap || !facts->ascending)
		p->layout.size = 0;
	p->facts = *facts;
	/* Warnings about records must be repeated for each image. */
	if (facts->warned || (needs_addresses &&
	    !raw_addresses_load(&p->addresses, &p->image))) {
		lru_cache_release(p);
		return NULL;
	}
	if (p->shared)
		p = lru_cache_put(&context->cache->raw, &key, p);
	*relocation = key.relocation;
	return p;
}
