#include "format/raw/record.h"

#include "model/value_sites.h"

#include "base/error.h"

uint64_t
raw_member_at(const struct raw_image *im, uint64_t i, enum raw_member m)
{
	return im->at[RAW_S_DATA] + i * im->layout.size +
	    im->layout.offset[m];
}

static uint64_t
raw_load_pointer(const struct raw_image *im, const uint8_t *p)
{
	return im->pointer_bytes == 8 ? load_u64(p, im->big) :
	    load_u32(p, im->big);
}

void
raw_record_get(const struct raw_image *im, uint64_t i, struct raw_record *r)
{
	const struct raw_record_layout *l = &im->layout;
	const uint8_t *p = im->file.data + im->at[RAW_S_DATA] +
	    (size_t)i * l->size;

#define U32(m) (l->has[m] ? load_u32(p + l->offset[m], im->big) : 0)
#define U64(m) (l->has[m] ? load_u64(p + l->offset[m], im->big) : 0)
#define PTR(m) (l->has[m] ? raw_load_pointer(im, p + l->offset[m]) : 0)
	r->name_size = U32(RAW_NAME_SIZE);
	r->num_counters = U32(RAW_NUM_COUNTS);
	r->func_hash = U64(RAW_FUNC_HASH);
	r->name_ptr = PTR(RAW_NAME_PTR);
	r->name_ref = U64(RAW_NAME_REF);
	r->counter_ptr = PTR(RAW_COUNTER_PTR);
	r->uniform_ptr = PTR(RAW_UNIFORM_PTR);
	r->bitmap_ptr = PTR(RAW_BITMAP_PTR);
	r->function_ptr = PTR(RAW_FUNCTION_PTR);
	r->num_bitmap_bytes = U32(RAW_NUM_BITMAP);
#undef U32
#undef U64
#undef PTR
	r->wave_size = l->has[RAW_WAVE_SIZE] ?
	    load_u16(p + l->offset[RAW_WAVE_SIZE], im->big) : 0;
	raw_record_sites(im, i, r);
}

uint64_t
raw_record_function(const struct raw_image *im, uint64_t i)
{
	const struct raw_record_layout *l = &im->layout;

	return !l->has[RAW_FUNCTION_PTR] ? 0 : raw_load_pointer(im,
	    im->file.data + im->at[RAW_S_DATA] + (size_t)i * l->size +
	    l->offset[RAW_FUNCTION_PTR]);
}

void
raw_record_sites(const struct raw_image *im, uint64_t i, struct raw_record *r)
{
	const struct raw_record_layout *l = &im->layout;

	r->num_value_sites = l->has[RAW_NUM_VALUE_SITES] ?
	    im->file.data + im->at[RAW_S_DATA] + (size_t)i * l->size +
	    l->offset[RAW_NUM_VALUE_SITES] : NULL;
}

uint16_t
raw_value_sites(const struct raw_image *im, const struct raw_record *r,
    unsigned kind)
{
	if (r->num_value_sites == NULL || kind >= im->value_kinds)
		return 0;
	return load_u16(r->num_value_sites + (size_t)2 * kind, im->big);
}

bool
raw_has_sites(const struct raw_image *im, const struct raw_record *r)
{
	for (unsigned k = 0; k < im->value_kinds; k++) {
		if (raw_value_sites(im, r, k) != 0)
			return true;
	}
	return false;
}

unsigned
raw_count_sites(const struct raw_image *im, const struct raw_record *r,
    uint16_t *counted)
{
	unsigned sites = 0;

	for (unsigned k = 0; k < im->value_kinds; k++) {
		counted[k] = raw_value_sites(im, r, k);
		sites += counted[k];
	}
	return sites;
}

unsigned
raw_sites_mismatch(const struct raw_image *im, const uint16_t *counted,
    const struct prof_sites sites[PROF_VALUE_KINDS])
{
	unsigned k;

	for (k = 0; k < im->value_kinds; k++) {
		if (counted[k] != (k < PROF_VALUE_KINDS ? sites[k].size : 0))
			break;
	}
	return k;
}

bool
raw_empty_sites(const struct raw_image *im, const uint16_t *counted,
    struct arena *arena, struct prof_sites out[PROF_VALUE_KINDS])
{
	for (unsigned k = 0; k < PROF_VALUE_KINDS; k++) {
		if (!value_sites_empty(arena, k < im->value_kinds ?
		    counted[k] : 0, &out[k]))
			return false;
	}
	return true;
}

void
raw_vtable_get(const struct raw_image *im, uint64_t i, struct raw_vtable *v)
{
	const uint8_t *p = im->file.data + im->at[RAW_S_VTABLES] +
	    (size_t)i * raw_vtable_size(im);

	v->name_hash = load_u64(p, im->big);
	v->pointer = raw_load_pointer(im, p + 8);
	v->size = load_u32(p + 8 + im->pointer_bytes, im->big);
}

/* Units of a section that a record points to. */
struct raw_units {
	uint64_t pointer;		/* the record's member */
	uint64_t count;
	unsigned width;			/* bytes of a unit */
	size_t *place;			/* out: offset in the file */
};

/*
 * The offset in its section that a pointer of record i stands for, computed in
 * the width of the program's pointers.
 */
static uint64_t
raw_section_offset(const struct raw_image *im, uint64_t i, uint64_t pointer,
    enum raw_field delta_field, uint64_t section_size)
{
	uint64_t delta = im->field[delta_field];
	uint64_t offset = pointer - delta;

	if (im->relative)
		offset += i * im->layout.size;
	/*
	 * Windows writes pointer and delta as 32-bit differences even in 64-bit
	 * programs, because its object format has no wider ones.
	 */
	if (im->pointer_bytes == 4 ||
	    (offset >= section_size && delta >> 32 == 0))
		offset &= UINT32_MAX;
	return offset;
}

/* Places the units of section s that record i points to. */
static inline enum prof_status
raw_place_units(const struct raw_image *im, uint64_t i, enum raw_section s,
    const struct raw_units *units, struct prof_error *err)
{
	const struct raw_section_info *info = &raw_sections[s];
	size_t size = im->size[s];
	uint64_t offset = raw_section_offset(im, i, units->pointer,
	    (enum raw_field)info->delta, im->declared[s]);

	if (offset >= size)
		return err_at(err, PROF_E_CORRUPT, raw_member_at(im, i,
		    (enum raw_member)info->pointer), "record %llu: %s offset "
		    "%lld is outside the section's %zu bytes",
		    (unsigned long long)i, info->units, im->pointer_bytes == 4 ?
		    (long long)(int32_t)(uint32_t)offset : (long long)offset,
		    size);
	if (units->count > (size - offset) / units->width)
		return err_at(err, PROF_E_CORRUPT,
		    raw_member_at(im, i, (enum raw_member)info->pointer),
		    "record %llu: %llu %s at offset %llu exceed the section's "
		    "%zu bytes", (unsigned long long)i,
		    (unsigned long long)units->count, info->units,
		    (unsigned long long)offset, size);
	*units->place = im->at[s] + (size_t)offset;
	return PROF_OK;
}

enum prof_status
raw_place(const struct raw_image *im, uint64_t i, const struct raw_record *r,
    struct raw_place *place, struct prof_error *err)
{
	if (r->num_counters == 0)
		return err_at(err, PROF_E_CORRUPT,
		    raw_member_at(im, i, RAW_NUM_COUNTS),
		    "record %llu: NumCounters is 0", (unsigned long long)i);
	if (raw_place_units(im, i, RAW_S_COUNTERS, &(struct raw_units){
	    r->counter_ptr, r->num_counters, raw_counter_width(im),
	    &place->counters }, err) != PROF_OK)
		return PROF_FAIL;
	place->has_bitmap = r->num_bitmap_bytes != 0;
	if (place->has_bitmap && raw_place_units(im, i, RAW_S_BITMAP,
	    &(struct raw_units){ r->bitmap_ptr, r->num_bitmap_bytes, 1,
	    &place->bitmap }, err) != PROF_OK)
		return PROF_FAIL;
	place->has_uniform = im->size[RAW_S_UNIFORM] != 0;
	if (place->has_uniform && raw_place_units(im, i, RAW_S_UNIFORM,
	    &(struct raw_units){ r->uniform_ptr, r->num_counters, 8,
	    &place->uniform }, err) != PROF_OK)
		return PROF_FAIL;
	return PROF_OK;
}

enum prof_status
raw_addressed_name(const struct raw_image *im, uint64_t i,
    const struct raw_record *r, struct prof_span *name,
    struct prof_error *err)
{
	size_t size = im->size[RAW_S_NAMES];
	uint64_t offset = r->name_ptr - im->field[RAW_NAMES_DELTA];

	if (im->pointer_bytes == 4)
		offset &= UINT32_MAX;
	if (offset > size || r->name_size > size - offset)
		return err_at(err, PROF_E_CORRUPT, raw_member_at(im, i,
		    RAW_NAME_PTR), "record %llu: name of NameSize %u at offset "
		    "%lld is outside NamesSize %zu", (unsigned long long)i,
		    r->name_size, (long long)offset, size);
	if (r->name_size == 0)
		return err_at(err, PROF_E_CORRUPT,
		    raw_member_at(im, i, RAW_NAME_SIZE),
		    "record %llu: NameSize is 0", (unsigned long long)i);
	*name = (struct prof_span){ im->file.data + im->at[RAW_S_NAMES] +
	    offset, r->name_size };
	return PROF_OK;
}

enum prof_status
raw_guid(const struct raw_image *im, uint64_t i, const struct raw_record *r,
    uint64_t *guid, struct prof_error *err)
{
	struct prof_span name;

	*guid = r->name_ref;
	if (!im->row->addressed_names)
		return PROF_OK;
	if (raw_addressed_name(im, i, r, &name, err) != PROF_OK)
		return PROF_FAIL;
	*guid = prof_guid(name);
	return PROF_OK;
}

static void
raw_store(uint8_t *p, uint64_t v, unsigned width, bool big)
{
	for (unsigned i = 0; i < width; i++)
		p[big ? width - 1 - i : i] = (uint8_t)(v >> 8 * i);
}

static unsigned
raw_member_width(const struct raw_image *im, unsigned member)
{
	unsigned width = raw_members[member].width;

	return width == 0 ? im->pointer_bytes : width;
}

void
raw_record_put(const struct raw_image *im, struct buf *b,
    const struct raw_record *r, const uint16_t *sites)
{
	const struct raw_record_layout *l = &im->layout;
	const uint64_t values[RAW_MEMBERS] = {
		[RAW_NAME_SIZE] = r->name_size,
		[RAW_NUM_COUNTS] = r->num_counters,
		[RAW_FUNC_HASH] = r->func_hash,
		[RAW_NAME_PTR] = r->name_ptr,
		[RAW_NAME_REF] = r->name_ref,
		[RAW_COUNTER_PTR] = r->counter_ptr,
		[RAW_UNIFORM_PTR] = r->uniform_ptr,
		[RAW_BITMAP_PTR] = r->bitmap_ptr,
		[RAW_FUNCTION_PTR] = r->function_ptr,
		[RAW_WAVE_SIZE] = r->wave_size,
		[RAW_NUM_BITMAP] = r->num_bitmap_bytes,
	};
	uint8_t *record = buf_reserve(b, l->size);

	if (record == NULL)
		return;
	memset(record, 0, l->size);
	for (const uint8_t *m = im->row->record; *m != RAW_M_END; m++) {
		if (*m != RAW_NUM_VALUE_SITES)
			raw_store(record + l->offset[*m], values[*m],
			    raw_member_width(im, *m), im->big);
	}
	for (unsigned k = 0; k < im->value_kinds &&
	    l->has[RAW_NUM_VALUE_SITES]; k++)
		raw_store(record + l->offset[RAW_NUM_VALUE_SITES] + 2 * k,
		    sites[k], 2, im->big);
	b->size += l->size;
}

void
raw_record_move(const struct raw_image *im, uint8_t *record, uint64_t distance)
{
	if (!im->relative)
		return;
	for (const uint8_t *m = im->row->record; *m != RAW_M_END; m++) {
		uint8_t *p = record + im->layout.offset[*m];

		if (raw_members[*m].section_pointer)
			raw_store(p, raw_load_pointer(im, p) + distance,
			    im->pointer_bytes, im->big);
	}
}

void
raw_vtable_put(const struct raw_image *im, struct buf *b,
    const struct raw_vtable *v)
{
	buf_number(b, v->name_hash, 8, im->big);
	buf_number(b, v->pointer, im->pointer_bytes, im->big);
	buf_number(b, v->size, 4, im->big);
	buf_pad8(b);
}
