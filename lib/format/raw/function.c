/* Decodes the functions of a raw image: counts, bitmap, value sites. */
#include "format/raw/raw.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/numbers.h"

static uint64_t
raw_load_counter(const struct raw_reader *r, size_t at)
{
	return load_u64(r->im.file.data + at, r->im.big);
}

const uint64_t *
raw_counts(struct raw_reader *r, size_t at, size_t n)
{
	const uint8_t *p = r->im.file.data + at;
	uint64_t *counts;

	if (raw_counter_width(&r->im) == 8 && host_order(r->im.big) &&
	    (uintptr_t)p % _Alignof(uint64_t) == 0)
		return (const void *)p;
	counts = arena_array(&r->arena, n, sizeof(*counts));
	if (counts == NULL)
		return NULL;
	if (raw_counter_width(&r->im) == 8) {
		for (size_t i = 0; i < n; i++)
			counts[i] = load_u64(p + 8 * i, r->im.big);
	} else {
		/* A coverage byte is 0xFF at first, 0 once it is reached. */
		for (size_t i = 0; i < n; i++)
			counts[i] = p[i] == 0;
	}
	return counts;
}

const uint64_t *
raw_ordinary_counts(struct raw_reader *r, const uint64_t *counts, size_t n)
{
	const struct prof_context *c = r->base.context;
	uint64_t *copy;
	size_t i = 0;

	while (i < n && counts[i] <= PROF_COUNT_MAX)
		i++;
	/* prof_next refuses counters above a limit, and names their value. */
	if (i == n || (c != NULL && (c->as_llvm || (c->max_raw_count != 0 &&
	    c->max_raw_count <= PROF_COUNT_MAX))))
		return counts;
	copy = arena_array(&r->arena, n, sizeof(*copy));
	for (i = 0; copy != NULL && i < n; i++)
		copy[i] = counts[i] < PROF_COUNT_MAX ? counts[i] :
		    PROF_COUNT_MAX;
	return copy;
}

/* Counts records with a counter too large to be true, for a warning. */
static void
raw_note_suspicious(struct raw_reader *r, const uint64_t *counts, size_t n,
    uint64_t record)
{
	uint64_t all = 0;

	for (size_t i = 0; i < n; i++)
		all |= counts[i];
	if (all < PROF_COUNT_PLAUSIBLE)
		return;
	for (size_t i = 0; i < n; i++) {
		if (counts[i] <= PROF_COUNT_PLAUSIBLE)
			continue;
		if (r->suspicious++ == 0)
			r->first_suspicious = record;
		return;
	}
}

static enum prof_status
raw_add_stamp(struct raw_reader *r, uint64_t time,
    const struct prof_symbol *symbol, struct prof_error *err)
{
	struct prof_symbol copy = *symbol;

	/* With byte coverage, 8 bytes of 0xFF are there before a first call. */
	if (time == 0 || time == UINT64_MAX)
		return PROF_OK;
	return arena_keep(&r->long_lived, &copy.name) &&
	    ARRAY_ADD(r->stamps, r->stamp_count, r->stamp_room,
	    (struct raw_stamp){ time, copy }) ? PROF_OK : err_memory(err);
}

static enum prof_status
raw_function_symbol(struct raw_reader *r, uint64_t i,
    const struct raw_record *record, struct prof_symbol *out,
    struct prof_error *err)
{
	uint64_t guid;
	size_t s;

	if (r->program != NULL) {
		*out = *raw_program_symbol(r->program, i);
		return PROF_OK;
	}
	if (raw_guid(&r->im, i, record, &guid, err) != PROF_OK)
		return PROF_FAIL;
	s = symtab_find(&r->names->names.table, guid, &r->name_hint);
	if (s == SYMTAB_NONE)
		*out = (struct prof_symbol){ .guid = guid };
	else
		*out = r->names->names.table.symbols[s];
	return PROF_OK;
}

/* Loads the addresses for raw_resolve; false if out of memory. */
static bool
raw_find_functions(struct raw_reader *r)
{
	if (r->functions != NULL)
		return true;
	if (r->relocation.rigid) {
		r->functions = &r->program->addresses;
		return true;
	}
	if (!raw_addresses_load(&r->addresses, &r->im))
		return false;
	r->functions = &r->addresses;
	return true;
}

/*
 * Replaces run-time addresses, in the arena of the reader, by the guids of
 * their functions or vtables, or 0; sets the names of these if they are wanted.
 */
static void
raw_resolve_targets(const struct raw_reader *r,
    const struct prof_sites values[PROF_VALUE_KINDS], bool names)
{
	struct value_walk walk = { 0 };
	struct prof_value *v;

	while ((v = (struct prof_value *)(uintptr_t)value_next_target(&walk,
	    values)) != NULL) {
		v->value = walk.kind == PROF_VTABLE_TARGET ?
		    raw_vtable_at(r->functions, v->value) :
		    raw_function_at(r->functions,
		    v->value - r->relocation.distance);
		if (names && v->value != 0)
			v->name = raw_name(r, v->value);
	}
}

/*
 * Reads the value block of a record, which must be the next one of the image
 * that counts sites.
 */
static enum prof_status
raw_sites(struct raw_reader *r, uint64_t record, const uint16_t *counted,
    struct prof_sites out[PROF_VALUE_KINDS], struct prof_error *err)
{
	struct cursor c = { .data = r->im.file.data, .pos = r->values_at,
	    .size = r->im.at[RAW_S_VALUES] + r->im.size[RAW_S_VALUES],
	    .big = r->im.big };
	unsigned k;

	if (!r->has_values)
		return raw_empty_sites(counted, &r->arena, out) ? PROF_OK :
		    err_memory(err);
	if (values_read(&c, &r->arena, NULL, out, err) != PROF_OK)
		return PROF_FAIL;
	k = raw_sites_mismatch(&r->im, counted, out);
	if (k < r->im.value_kinds)
		return err_at(err, PROF_E_CORRUPT, r->values_at,
		    "value data: %zu sites of Kind %u, but record %llu counts "
		    "%u", k < PROF_VALUE_KINDS ? out[k].size : 0, k,
		    ull(record), counted[k]);
	r->values_at = c.pos;
	return PROF_OK;
}

enum prof_status
raw_next_function(struct raw_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	struct prof_function *f = &out->u.function;
	size_t skip = raw_stamp_counters(&r->im);
	struct raw_record record;
	struct raw_place place;
	uint64_t i, stamp = 0;

	for (i = r->index; r->repeated != NULL &&
	    i < r->im.field[RAW_NUM_DATA] && r->repeated[i]; i++) {
		raw_record_get(&r->im, i, &record);
		if (record.sites_size != 0 && raw_sites(r, i, record.sites,
		    f->values, err) != PROF_OK)
			return PROF_FAIL;
	}
	if (i == r->im.field[RAW_NUM_DATA])
		return PROF_END;
	r->index = i + 1;
	out->kind = PROF_REC_FUNCTION;
	raw_record_get(&r->im, i, &record);
	*f = (struct prof_function){ .hash = record.func_hash };
	if (raw_place(&r->im, i, &record, &place, err) != PROF_OK ||
	    raw_function_symbol(r, i, &record, &f->symbol, err) != PROF_OK)
		return PROF_FAIL;
	if (skip != 0) {
		stamp = raw_load_counter(r, place.counters);
		place.counters += 8;
	}
	f->counts_size = record.num_counters - skip;
	f->counts = raw_counts(r, place.counters, f->counts_size);
	if (f->counts != NULL)
		f->counts = raw_ordinary_counts(r, f->counts, f->counts_size);
	if (f->counts == NULL)
		return err_memory(err);
	if (raw_add_stamp(r, stamp, &f->symbol, err) != PROF_OK)
		return PROF_FAIL;
	if (place.has_bitmap)
		f->bitmap = (struct prof_span){ r->im.file.data +
		    place.bitmap, record.num_bitmap_bytes };
	if (place.has_uniform) {
		uint64_t *u = arena_array(&r->arena, record.num_counters, 8);

		if (u == NULL)
			return err_memory(err);
		for (size_t k = 0; k < record.num_counters; k++)
			u[k] = raw_load_counter(r, place.uniform + 8 * k);
		f->uniform_counts = u;
		f->uniform_size = record.num_counters;
	}
	raw_note_suspicious(r, f->counts, f->counts_size, i);
	if (record.sites_size == 0)
		return PROF_OK;
	if (raw_sites(r, i, record.sites, f->values, err) != PROF_OK)
		return PROF_FAIL;
	if (!raw_find_functions(r))
		return err_memory(err);
	raw_resolve_targets(r, f->values, true);
	return PROF_OK;
}

/* Blocks of functions, of images whose program is known. */

/* Reads the value sites of all functions of a block. */
static enum prof_status
raw_block_read_values(struct raw_reader *r,
    const struct program_block *from, struct prof_block *b,
    struct prof_error *err)
{
	const struct raw_value_record *s;
	size_t n = from->sites_size;
	struct prof_block_values *v = arena_array(&r->arena, n, sizeof(*v));

	if (v == NULL || (n != 0 && !raw_find_functions(r)))
		return err_memory(err);
	b->values = v;
	b->values_size = n;
	s = r->program->value_records + from->sites;
	for (size_t i = 0; i < n; i++, s++) {
		v[i] = (struct prof_block_values){ .function =
		    (size_t)(s->record - from->first) };
		if (raw_sites(r, s->record, s->sites, v[i].values, err) !=
		    PROF_OK)
			return PROF_FAIL;
		v[i].any = value_sites_have_values(v[i].values);
		raw_resolve_targets(r, v[i].values, false);
	}
	return PROF_OK;
}

enum prof_status
raw_next_block(struct raw_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	const struct raw_program *p = r->program;
	struct prof_block *b = &out->u.block;
	const struct program_block *from;

	if (r->index == p->layout.size)
		return PROF_END;
	from = &p->layout.blocks[r->index];
	out->kind = PROF_REC_BLOCK;
	*b = program_block(&p->layout, (size_t)r->index++,
	    (const void *)(r->im.file.data + r->im.at[RAW_S_COUNTERS] +
	    8 * from->counts));
	b->of = (size_t)r->im.field[RAW_NUM_DATA];
	b->reader = &r->base;
	consumed_to(&r->counts_consumed, (const uint8_t *)b->counts);
	consumed_to(&r->values_consumed, r->im.file.data + r->values_at);
	b->any_bits = vector_any_bits(b->counts, b->counts_size);
	if (b->any_bits >= PROF_COUNT_PLAUSIBLE) {
		const struct prof_function *f;

		b->counts = raw_ordinary_counts(r, b->counts, b->counts_size);
		if (b->counts == NULL)
			return err_memory(err);
		f = raw_block_functions(&r->base, b, err);
		if (f == NULL)
			return PROF_FAIL;
		for (size_t i = 0; i < b->size; i++)
			raw_note_suspicious(r, f[i].counts, f[i].counts_size,
			    from->first + i);
	}
	return raw_block_read_values(r, from, b, err);
}

void *
raw_block_retain(struct prof_reader *base)
{
	struct raw_reader *r = (struct raw_reader *)base;

	lru_cache_retain(r->names->names.text);
	return r->names->names.text;
}

struct prof_span
raw_block_name(const struct prof_reader *base, uint64_t guid)
{
	return raw_name((const struct raw_reader *)base, guid);
}

/*
 * Symbols, hashes and sizes are those of the program, in its copy of the
 * records: the pages of the file may have been given back.
 */
const struct prof_function *
raw_block_functions(struct prof_reader *base, const struct prof_block *b,
    struct prof_error *err)
{
	struct raw_reader *r = (struct raw_reader *)base;
	const struct raw_image *im = &r->program->image;
	const struct raw_record_layout *l = &im->layout;
	size_t first = r->program->layout.blocks[b->index].first;
	const uint8_t *record = im->file.data + im->at[RAW_S_DATA] +
	    first * l->size;
	struct prof_function *f = arena_array(&r->arena, b->size, sizeof(*f));

	if (f == NULL) {
		err_memory(err);
		return NULL;
	}
	for (size_t i = 0; i < b->size; i++, record += l->size)
		f[i] = (struct prof_function){ .symbol =
		    *raw_program_symbol(r->program, first + i),
		    .hash = load_u64(record + l->offset[RAW_FUNC_HASH],
		    im->big), .counts_size = load_u32(record +
		    l->offset[RAW_NUM_COUNTS], im->big) };
	return program_set_functions(b, f);
}
