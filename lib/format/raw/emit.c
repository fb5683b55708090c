/*
 * The image of a raw profile: what was put, as the runtime would lay it out.
 *
 * Addresses are made up: the data section is at 0, so that sections follow each
 * other in memory as in the file; functions and vtables have addresses of their
 * own behind it.
 */
#include "format/raw/writer.h"

#include <stdlib.h>

#include "base/error.h"
#include "model/name_section.h"
#include "model/value_data.h"
#include "model/variants.h"

/* Where made-up addresses begin, and how far they are apart. */
enum {
	FUNCTIONS_AT = 0x10000000, FUNCTION_STEP = 16,
	VTABLES_AT = 0x60000000, VTABLE_STEP = 64,
	COUNTERS_AT = 0x400000		/* of versions with absolute pointers */
};

/* Names of targets become addresses, as the program would have met them. */
static enum prof_status
place_target(struct raw_writer *w, enum prof_value_kind kind,
    struct prof_value *v, struct prof_error *err)
{
	struct symtab *t =
	    kind == PROF_VTABLE_TARGET ? &w->vtables : &w->functions;
	size_t i;

	if (kind == PROF_MEM_OP_SIZE || v->value == 0)
		return PROF_OK;
	/* A vtable needs no more than a name to have a record. */
	if (kind == PROF_VTABLE_TARGET && v->name.data != NULL &&
	    !symtab_add(t, v->name, v->value))
		return err_memory(err);
	i = symtab_find(t, v->value, NULL);
	if (i == SYMTAB_NONE)
		return raw_refuse_name(w, "a target without a record of its own",
		    v->name.data == NULL ? (struct prof_span){
		    (const uint8_t *)"(unknown)", 9 } : v->name, err);
	v->value = kind == PROF_VTABLE_TARGET ?
	    VTABLES_AT + (uint64_t)VTABLE_STEP * i + 16 :
	    FUNCTIONS_AT + (uint64_t)FUNCTION_STEP * i;
	return PROF_OK;
}

static enum prof_status
place_targets(struct raw_writer *w, struct prof_error *err)
{
	for (size_t i = 0; i < w->size; i++) {
		for (int k = 0; k < PROF_VALUE_KINDS; k++) {
			const struct prof_sites *s = &w->records[i].values[k];

			for (size_t n = 0; n < s->size; n++) {
				/* Copies of our own. */
				struct prof_value *v = (struct prof_value *)
				    (uintptr_t)s->sites[n].values;

				for (size_t m = 0; m < s->sites[n].size; m++) {
					if (place_target(w,
					    (enum prof_value_kind)k, &v[m],
					    err) != PROF_OK)
						return PROF_FAIL;
				}
			}
		}
	}
	return PROF_OK;
}

static void
put_record(const struct raw_writer *w, struct buf *b, size_t i)
{
	const struct raw_out_record *r = &w->records[i];
	uint64_t address = FUNCTIONS_AT + (uint64_t)FUNCTION_STEP *
	    raw_function_index(w, r->symbol.guid);
	uint64_t data_size = w->size * w->layout.size;
	uint64_t counters = w->row->pointers == RAW_RELATIVE ?
	    data_size + r->counters - i * w->layout.size :
	    COUNTERS_AT + r->counters;
	uint64_t bitmap = data_size + w->counters.size +
	    pad8(w->counters.size) + r->bitmap - i * w->layout.size;
	const struct {
		enum raw_member member;
		uint64_t value;
		unsigned width;
	} members[] = {
		{ RAW_NAME_REF, r->symbol.guid, 8 },
		{ RAW_FUNC_HASH, r->hash, 8 },
		{ RAW_COUNTER_PTR, counters, w->pointer_bytes },
		{ RAW_BITMAP_PTR, r->num_bitmap_bytes == 0 ? 0 : bitmap,
		    w->pointer_bytes },
		{ RAW_FUNCTION_PTR, address, w->pointer_bytes },
		{ RAW_NUM_COUNTS, r->num_counters, 4 },
		{ RAW_NUM_BITMAP, r->num_bitmap_bytes, 4 },
	};
	size_t start = b->size;

	buf_zeros(b, w->layout.size);
	for (size_t m = 0; m < sizeof(members) / sizeof(members[0]) &&
	    !b->failed; m++) {
		if (!w->layout.has[members[m].member])
			continue;
		b->size = start + w->layout.offset[members[m].member];
		raw_put_number(w, b, members[m].value, members[m].width);
	}
	b->size = start + w->layout.offset[RAW_NUM_VALUE_SITES];
	for (unsigned k = 0; k < w->value_kinds && !b->failed; k++)
		raw_put_number(w, b, r->values[k].size, 2);
	b->size = start + w->layout.size;
}

static void
put_header(const struct raw_writer *w, struct buf *b, uint64_t names_size,
    uint64_t vnames_size)
{
	uint64_t data_size = w->size * w->layout.size;
	uint64_t counters_pad = pad8(w->counters.size);
	uint64_t level = w->header.level == PROF_LEVEL_IR ? VARIANT_IR : 0;
	const uint64_t field[RAW_FIELDS] = {
		[RAW_BINARY_IDS_SIZE] = w->ids.size,
		[RAW_NUM_DATA] = w->size,
		[RAW_NUM_COUNTERS] = w->counters.size / raw_written_width(w),
		[RAW_PADDING_AFTER_COUNTERS] = counters_pad,
		[RAW_NUM_BITMAP_BYTES] = w->bitmap.size,
		[RAW_PADDING_AFTER_BITMAP] = pad8(w->bitmap.size),
		[RAW_NAMES_SIZE] = names_size,
		[RAW_COUNTERS_DELTA] = w->row->pointers == RAW_RELATIVE ?
		    data_size : COUNTERS_AT,
		[RAW_BITMAP_DELTA] = data_size + w->counters.size +
		    counters_pad,
		[RAW_NUM_VTABLES] = w->vtables.size,
		[RAW_VNAMES_SIZE] = vnames_size,
		[RAW_VALUE_KIND_LAST] = w->value_kinds - 1,
	};

	raw_put_number(w, b, w->pointer_bytes == 8 ? RAW_MAGIC_64 : RAW_MAGIC_32,
	    8);
	raw_put_number(w, b, w->row->version | level |
	    variants_from_flags(w->header.flags), 8);
	for (const uint8_t *f = w->row->header; *f != RAW_END; f++)
		raw_put_number(w, b, field[*f], 8);
}

static enum prof_status
pack_names(const struct symtab *t, struct buf *out, struct prof_error *err)
{
	struct prof_span *names = calloc(t->size + 1, sizeof(*names));
	enum prof_status status;
	size_t n = 0;

	if (names == NULL)
		return err_memory(err);
	for (size_t i = 0; i < t->size; i++) {
		if (t->symbols[i].name.data != NULL)
			names[n++] = t->symbols[i].name;
	}
	status = names_write(out, names, n, err);
	free(names);
	return status;
}

static void
put_vtables(const struct raw_writer *w, struct buf *b)
{
	for (size_t i = 0; i < w->vtables.size; i++) {
		raw_put_number(w, b, w->vtables.symbols[i].guid, 8);
		raw_put_number(w, b, VTABLES_AT + (uint64_t)VTABLE_STEP * i,
		    w->pointer_bytes);
		raw_put_number(w, b, VTABLE_STEP, 4);
		buf_pad8(b);
	}
}

static bool
has_sites(const struct raw_out_record *r)
{
	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		if (r->values[k].size != 0)
			return true;
	}
	return false;
}

/* The parts of an image behind each other. */
static enum prof_status
put_image(struct raw_writer *w, struct buf *b, struct prof_error *err)
{
	struct buf names = { 0 }, vnames = { 0 };
	enum prof_status status = PROF_FAIL;

	if (pack_names(&w->functions, &names, err) != PROF_OK ||
	    pack_names(&w->vtables, &vnames, err) != PROF_OK)
		goto out;
	put_header(w, b, names.size, vnames.size);
	buf_put(b, w->ids.data, w->ids.size);
	for (size_t i = 0; i < w->size; i++)
		put_record(w, b, i);
	buf_put(b, w->counters.data, w->counters.size);
	buf_zeros(b, (size_t)pad8(w->counters.size));
	buf_put(b, w->bitmap.data, w->bitmap.size);
	buf_zeros(b, (size_t)pad8(w->bitmap.size));
	buf_put(b, names.data, names.size);
	buf_zeros(b, (size_t)pad8(names.size));
	put_vtables(w, b);
	buf_put(b, vnames.data, vnames.size);
	buf_zeros(b, (size_t)pad8(vnames.size));
	for (size_t i = 0; i < w->size; i++) {
		if (has_sites(&w->records[i]))
			values_write(b, w->records[i].values, w->value_kinds,
			    w->big, &w->cut);
	}
	status = b->failed ? err_memory(err) : PROF_OK;
out:
	buf_free(&names);
	buf_free(&vnames);
	return status;
}

enum prof_status
raw_emit(struct raw_writer *w, struct buf *b, struct prof_error *err)
{
	if (place_targets(w, err) != PROF_OK)
		return PROF_FAIL;
	return put_image(w, b, err);
}
