#include "format/raw/reader.h"

#include "base/array.h"
#include "base/error.h"
#include "model/value_data.h"
#include "model/variants.h"

static uint64_t
load_counter(const struct raw_reader *r, size_t at)
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
		/* Coverage bytes start as 0xFF and are cleared when met. */
		for (size_t i = 0; i < n; i++)
			counts[i] = p[i] == 0;
	}
	return counts;
}

void
raw_note_suspicious(struct raw_reader *r, const uint64_t *counts, size_t n,
    uint64_t record)
{
	uint64_t all = 0;

	for (size_t i = 0; i < n; i++)
		all |= counts[i];
	if (all < COUNT_SUSPICIOUS)
		return;
	for (size_t i = 0; i < n; i++) {
		if (counts[i] <= COUNT_SUSPICIOUS)
			continue;
		if (r->suspicious++ == 0)
			r->first_suspicious = record;
		return;
	}
}

static enum prof_status
add_stamp(struct raw_reader *r, uint64_t time,
    const struct prof_symbol *symbol, struct prof_error *err)
{
	struct prof_symbol kept = *symbol;
	struct raw_stamp *stamps;

	/* 2^64-1 is what byte counters, which start as 0xFF, make of never. */
	if (time == 0 || time == UINT64_MAX)
		return PROF_OK;
	stamps = array_room(r->stamps, r->stamp_count, &r->stamp_room,
	    sizeof(*stamps));
	if (stamps == NULL)
		return err_memory(err);
	r->stamps = stamps;
	if (kept.name.data != NULL) {
		kept.name = arena_copy(&r->kept, kept.name);
		if (kept.name.data == NULL)
			return err_memory(err);
	}
	r->stamps[r->stamp_count++] = (struct raw_stamp){ time, kept };
	return PROF_OK;
}

static enum prof_status
symbol_of(struct raw_reader *r, uint64_t i, const struct raw_record *record,
    struct prof_symbol *out, struct prof_error *err)
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

/* Functions of a known program are mostly where they were before. */
bool
raw_find_functions(struct raw_reader *r)
{
	if (r->functions != NULL)
		return true;
	if (r->moved.together) {
		r->functions = &r->program->addresses;
		return true;
	}
	r->moved.by = 0;
	if (!raw_addresses_load(&r->addresses, &r->im))
		return false;
	r->functions = &r->addresses;
	return true;
}

void
raw_resolve(const struct raw_reader *r, enum prof_value_kind kind,
    struct prof_value *v)
{
	if (kind == PROF_VTABLE_TARGET)
		v->value = raw_vtable_at(r->functions, v->value);
	else if (kind == PROF_INDIRECT_CALL_TARGET)
		v->value = raw_function_at(r->functions,
		    v->value - r->moved.by);
}

static void
resolve(void *arg, enum prof_value_kind kind, struct prof_value *v)
{
	struct raw_reader *r = arg;

	if (kind == PROF_MEM_OP_SIZE)
		return;
	if (!raw_find_functions(r)) {
		r->out_of_memory = true;
		return;
	}
	raw_resolve(r, kind, v);
	if (v->value != 0)
		v->name = raw_name(r, v->value);
}

static enum prof_status
empty_sites(struct raw_reader *r, const uint16_t *counted,
    struct prof_sites out[PROF_VALUE_KINDS], struct prof_error *err)
{
	for (unsigned k = 0; k < PROF_VALUE_KINDS; k++) {
		size_t n = k < r->im.value_kinds ? counted[k] : 0;
		struct prof_site *sites =
		    arena_array(&r->arena, n, sizeof(*sites));

		if (sites == NULL)
			return err_memory(err);
		for (size_t i = 0; i < n; i++)
			sites[i] = (struct prof_site){ NULL, 0 };
		out[k] = (struct prof_sites){ sites, n };
	}
	return PROF_OK;
}

enum prof_status
raw_sites(struct raw_reader *r, uint64_t i, const uint16_t *counted,
    const struct values_resolver *resolver,
    struct prof_sites out[PROF_VALUE_KINDS], struct prof_error *err)
{
	struct cursor c = { .data = r->im.file.data, .pos = r->values_at,
	    .size = r->im.at[RAW_S_VALUES] + r->im.size[RAW_S_VALUES],
	    .big = r->im.big };

	if (!r->has_values)
		return empty_sites(r, counted, out, err);
	if (values_read(&c, &r->arena, resolver, out, err) != PROF_OK)
		return PROF_FAIL;
	if (r->out_of_memory)
		return err_memory(err);
	for (unsigned k = 0; k < r->im.value_kinds; k++) {
		size_t there = k < PROF_VALUE_KINDS ? out[k].size : 0;

		if (there != counted[k])
			return err_at(err, PROF_E_CORRUPT, r->values_at,
			    "value data: %zu sites of Kind %u, but record "
			    "%llu counts %u", there, k,
			    (unsigned long long)i, counted[k]);
	}
	r->values_at = c.pos;
	return PROF_OK;
}

/* The block of the record must have the sites that the record counts. */
static enum prof_status
function_values(struct raw_reader *r, uint64_t i,
    struct prof_sites out[PROF_VALUE_KINDS], struct prof_error *err)
{
	uint16_t counted[RAW_VALUE_KINDS_MAX];
	struct raw_record record;
	unsigned sites = 0;

	raw_record_sites(&r->im, i, &record);
	for (unsigned k = 0; k < r->im.value_kinds; k++) {
		counted[k] = raw_value_sites(&r->im, &record, k);
		sites += counted[k];
	}
	return sites == 0 ? PROF_OK :
	    raw_sites(r, i, counted, &(struct values_resolver){ resolve, r },
	    out, err);
}

/* All but its value sites. */
static enum prof_status
get_function(struct raw_reader *r, uint64_t i, struct prof_function *f,
    struct prof_error *err)
{
	struct raw_record record;
	struct raw_place place;
	uint64_t stamp = 0;
	size_t skip = 0;

	raw_record_get(&r->im, i, &record);
	*f = (struct prof_function){ .hash = record.func_hash };
	if (raw_place(&r->im, i, &record, &place, err) != PROF_OK ||
	    symbol_of(r, i, &record, &f->symbol, err) != PROF_OK)
		return PROF_FAIL;
	if (r->im.version_word & VARIANT_TEMPORAL) {
		skip = 8 / raw_counter_width(&r->im);
		stamp = load_counter(r, place.counters);
		place.counters += 8;
	}
	f->counts_size = record.num_counters - skip;
	f->counts = raw_counts(r, place.counters, f->counts_size);
	if (f->counts == NULL)
		return err_memory(err);
	if (add_stamp(r, stamp, &f->symbol, err) != PROF_OK)
		return PROF_FAIL;
	if (place.has_bitmap)
		f->bitmap = (struct prof_span){ r->im.file.data +
		    place.bitmap, record.num_bitmap_bytes };
	if (place.has_uniform) {
		uint64_t *u = arena_array(&r->arena, record.num_counters, 8);

		if (u == NULL)
			return err_memory(err);
		for (size_t k = 0; k < record.num_counters; k++)
			u[k] = load_counter(r, place.uniform + 8 * k);
		f->uniform_counts = u;
		f->uniform_size = record.num_counters;
	}
	return PROF_OK;
}

enum prof_status
raw_next_function(struct raw_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	struct prof_function *f = &out->u.function;
	uint64_t i = r->index;

	if (i == r->im.field[RAW_NUM_DATA])
		return PROF_END;
	r->index++;
	out->kind = PROF_REC_FUNCTION;
	if (get_function(r, i, f, err) != PROF_OK)
		return PROF_FAIL;
	raw_note_suspicious(r, f->counts, f->counts_size, i);
	return function_values(r, i, f->values, err);
}
