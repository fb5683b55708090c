/* Raw profiles as an instrumented program would have written them. */
#include "tests/support/raw_write.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "format/raw/raw.h"
#include "model/name_section.h"
#include "model/record.h"
#include "model/value_sites.h"

/* A function of the profile, with what its data record points to. */
struct raw_out_record {
	struct prof_symbol symbol;
	size_t function;		/* its index among the functions */
	uint64_t hash, stamp;
	size_t counters, bitmap, uniform;	/* offsets in their sections */
	uint32_t num_counters, num_bitmap_bytes;
	struct prof_sites values[PROF_VALUE_KINDS];
};

struct raw_writer {
	struct prof_writer base;
	/* Version, layout and byte order of the image; it has no file. */
	struct raw_image im;
	bool began;			/* a profile was put */
	/* Of the profile being put. */
	struct prof_header header;
	struct arena arena;
	struct raw_out_record *records;
	size_t size, room, first_room;
	struct buf made[RAW_SECTIONS];	/* partly when the profile ends */
	struct symtab functions;	/* without duplicates */
	size_t *first;			/* by its index: its first record */
	struct symtab vtables;
	bool any_trace;			/* in any profile */
};

/* The symbol's index among the functions, or SYMTAB_NONE. */
static inline size_t
raw_function_index(const struct raw_writer *w, uint64_t guid)
{
	return symtab_find(&w->functions, guid, NULL);
}

/*
 * The image of a profile, as the runtime would lay it out.  Addresses are made
 * up: the data section is at 0, so that sections follow each other in memory as
 * in the file; functions and vtables have ranges of their own behind it.
 */

/* Where the made-up addresses begin, and the distance between two. */
enum {
	FUNCTIONS_AT = 0x10000000, FUNCTION_STEP = 16,
	VTABLES_AT = 0x60000000, VTABLE_STEP = 64,
	COUNTERS_AT = 0x400000		/* of versions with absolute pointers */
};

/* Fails with "raw version N cannot hold WHAT". */
static enum prof_status
raw_write_refuse(const struct raw_writer *w, const char *what,
    struct prof_error *err)
{
	return err_set(err, PROF_E_UNSUPPORTED,
	    "raw version %u cannot hold %s", w->im.row->version, what);
}

/* The same, with a name of the profile behind that. */
static enum prof_status
raw_write_refuse_name(const struct raw_writer *w, const char *what,
    struct prof_span name, struct prof_error *err)
{
	char shown[ERR_NAME_SIZE];

	return err_set(err, PROF_E_UNSUPPORTED,
	    "raw version %u cannot hold %s: %s", w->im.row->version, what,
	    err_name(shown, name));
}

/* A target becomes an address, as the program would have met it. */
static enum prof_status
raw_write_place_target(struct raw_writer *w, enum prof_value_kind kind,
    struct prof_value *v, struct prof_error *err)
{
	struct symtab *t =
	    kind == PROF_VTABLE_TARGET ? &w->vtables : &w->functions;
	size_t i;

	if (v->value == 0)
		return PROF_OK;
	/* A vtable with a name gets a vtable record if it has none. */
	if (kind == PROF_VTABLE_TARGET && v->name.data != NULL &&
	    !symtab_add(t, v->name, v->value))
		return err_memory(err);
	i = symtab_find(t, v->value, NULL);
	if (i == SYMTAB_NONE)
		return raw_write_refuse_name(w,
		    "a target without a record of its own",
		    v->name.data == NULL ? (struct prof_span){
		    (const uint8_t *)"(unknown)", 9 } : v->name, err);
	v->value = kind == PROF_VTABLE_TARGET ?
	    VTABLES_AT + (uint64_t)VTABLE_STEP * i + 16 :
	    FUNCTIONS_AT + (uint64_t)FUNCTION_STEP * i;
	return PROF_OK;
}

/* Appends a record; Values is 0. */
static void
raw_record_put(const struct raw_image *im, struct buf *b,
    const struct raw_record *r)
{
	const struct raw_record_layout *l = &im->layout;
	const uint64_t values[RAW_MEMBERS] = {
		[RAW_NUM_COUNTS] = r->num_counters,
		[RAW_FUNC_HASH] = r->func_hash,
		[RAW_NAME_REF] = r->name_ref,
		[RAW_COUNTER_PTR] = r->counter_ptr,
		[RAW_UNIFORM_PTR] = r->uniform_ptr,
		[RAW_BITMAP_PTR] = r->bitmap_ptr,
		[RAW_FUNCTION_PTR] = r->function_ptr,
		[RAW_WAVE_SIZE] = r->wave_size,
		[RAW_NUM_BITMAP] = r->num_bitmap_bytes,
	};
	size_t start = b->size;

	for (const uint8_t *m = im->row->record; *m != RAW_M_END; m++) {
		unsigned width = raw_members[*m].width;

		buf_zeros(b, start + l->offset[*m] - b->size);
		if (*m != RAW_NUM_VALUE_SITES)
			buf_number(b, values[*m], width == 0 ?
			    im->pointer_bytes : width, im->big);
		for (unsigned k = 0; k < im->value_kinds &&
		    *m == RAW_NUM_VALUE_SITES; k++)
			buf_number(b, r->sites[k], 2, im->big);
	}
	buf_zeros(b, start + l->size - b->size);
}

static void
raw_vtable_put(const struct raw_image *im, struct buf *b,
    const struct raw_vtable *v)
{
	buf_number(b, v->name_hash, 8, im->big);
	buf_number(b, v->pointer, im->pointer_bytes, im->big);
	buf_number(b, v->size, 4, im->big);
	buf_pad8(b);
}

static void
raw_write_record(struct raw_writer *w, size_t i)
{
	const struct raw_out_record *r = &w->records[i];
	uint64_t distance = i * w->im.layout.size, cut = 0;
	struct raw_record out = {
		.name_ref = r->symbol.guid,
		.func_hash = r->hash,
		.counter_ptr = w->im.field[RAW_COUNTERS_DELTA] + r->counters -
		    (w->im.relative ? distance : 0),
		.bitmap_ptr = r->num_bitmap_bytes == 0 ? 0 :
		    w->im.field[RAW_BITMAP_DELTA] + r->bitmap - distance,
		.uniform_ptr = w->made[RAW_S_UNIFORM].size == 0 ? 0 :
		    w->im.field[RAW_UNIFORM_DELTA] + r->uniform - distance,
		.wave_size = (uint16_t)w->header.wave_size,
		.function_ptr = FUNCTIONS_AT + (uint64_t)FUNCTION_STEP *
		    r->function,
		.num_counters = r->num_counters,
		.num_bitmap_bytes = r->num_bitmap_bytes,
	};

	for (unsigned k = 0; k < PROF_VALUE_KINDS; k++)
		out.sites[k] = (uint16_t)r->values[k].size;
	raw_record_put(&w->im, &w->made[RAW_S_DATA], &out);
	if (value_sites_count(r->values) != 0)
		values_write(&w->made[RAW_S_VALUES], r->values,
		    w->im.value_kinds, w->im.big, &cut);
}

static enum prof_status
raw_write_names(const struct symtab *t, struct buf *out, struct prof_error *err)
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

/* Makes the sections of records, names and values. */
static enum prof_status
raw_write_make_sections(struct raw_writer *w, struct prof_error *err)
{
	const size_t counters = w->made[RAW_S_COUNTERS].size;
	const size_t bitmap = w->made[RAW_S_BITMAP].size;
	uint64_t data_size = w->size * w->im.layout.size;
	uint64_t *field = w->im.field;
	bool failed = false;

	/* Values are copies, which belong to the writer. */
	for (size_t i = 0; i < w->size; i++) {
		struct value_walk walk = { 0 };
		const struct prof_value *v;

		while ((v = value_next_target(&walk, w->records[i].values)) !=
		    NULL) {
			if (raw_write_place_target(w, walk.kind,
			    (struct prof_value *)(uintptr_t)v, err) != PROF_OK)
				return PROF_FAIL;
		}
	}
	if (raw_write_names(&w->functions, &w->made[RAW_S_NAMES], err) !=
	    PROF_OK || raw_write_names(&w->vtables, &w->made[RAW_S_VNAMES],
	    err) != PROF_OK)
		return PROF_FAIL;
	/* The address of a section, or its distance from the data. */
	field[RAW_COUNTERS_DELTA] = w->im.relative ? data_size : COUNTERS_AT;
	field[RAW_BITMAP_DELTA] = data_size + counters + pad8(counters);
	field[RAW_UNIFORM_DELTA] = w->made[RAW_S_UNIFORM].size == 0 ? 0 :
	    field[RAW_BITMAP_DELTA] + bitmap + pad8(bitmap);
	for (size_t i = 0; i < w->size; i++)
		raw_write_record(w, i);
	for (size_t i = 0; i < w->vtables.size; i++)
		raw_vtable_put(&w->im, &w->made[RAW_S_VTABLES],
		    &(struct raw_vtable){ w->vtables.symbols[i].guid,
		    VTABLES_AT + (uint64_t)VTABLE_STEP * i, VTABLE_STEP });
	for (int i = 0; i < RAW_SECTIONS; i++)
		failed = failed || w->made[i].failed;
	return failed ? err_memory(err) : PROF_OK;
}

/* Targets of values become addresses in place. */
static enum prof_status
raw_write_image(struct raw_writer *w, struct prof_error *err)
{
	struct prof_span sections[RAW_SECTIONS];
	struct buf image = { 0 };
	enum prof_status status;

	if (raw_write_make_sections(w, err) != PROF_OK)
		return PROF_FAIL;
	for (int i = 0; i < RAW_SECTIONS; i++)
		sections[i] = buf_span(&w->made[i]);
	raw_emit(&w->im, sections, &image);
	status = image.failed ? err_memory(err) :
	    sink_write(&w->base, image.data, image.size, err);
	buf_free(&image);
	return status;
}

static void
raw_write_start(struct raw_writer *w)
{
	arena_reset(&w->arena);
	symtab_free(&w->functions);
	symtab_free(&w->vtables);
	w->size = 0;
	for (int i = 0; i < RAW_SECTIONS; i++)
		w->made[i].size = 0;
}

static enum prof_status
raw_write_profile(struct raw_writer *w, const struct prof_header *h,
    struct prof_error *err)
{
	static const char *const flags[PROF_FLAGS] = {
		"context-sensitive records", "the flag entry_first",
		"the flag loop_entries", "byte coverage",
		"the flag function_entry_only", "time stamps",
	};

	if (h->kind != PROF_INSTR)
		return raw_write_refuse(w, "heap profiles", err);
	/* The flag would say that the data records are in the binary. */
	if (h->flags & (PROF_DEBUG_INFO_CORRELATED | PROF_BINARY_CORRELATED))
		return raw_write_refuse(w, "functions of a correlated profile",
		    err);
	for (int i = 0; i < PROF_FLAGS; i++) {
		unsigned flag = h->flags & 1u << i;

		if (flag != 0 && flags[i] != NULL &&
		    (variants_from_flags(flag) & w->im.row->variants) == 0)
			return raw_write_refuse(w, flags[i], err);
	}
	if (h->wave_size > UINT16_MAX)
		return raw_write_refuse(w, "a wave size above 65535", err);
	raw_write_start(w);
	w->header = *h;
	w->im.version_word = w->im.row->version |
	    (h->level == PROF_LEVEL_IR ? VARIANT_IR : 0) |
	    variants_from_flags(h->flags);
	w->began = true;
	return PROF_OK;
}

static enum prof_status
raw_write_id(struct raw_writer *w, struct prof_span id, struct prof_error *err)
{
	struct buf *ids = &w->made[RAW_S_IDS];

	if (!raw_row_has_field(w->im.row, RAW_BINARY_IDS_SIZE))
		return raw_write_refuse(w, "binary ids", err);
	if (id.size == 0)
		return raw_write_refuse(w, "an empty binary id", err);
	buf_number(ids, id.size, 8, w->im.big);
	buf_put(ids, id.data, id.size);
	if (w->im.row->ids == RAW_IDS_PADDED)
		buf_pad8(ids);
	return ids->failed ? err_memory(err) : PROF_OK;
}

static enum prof_status
raw_write_vtable(struct raw_writer *w, const struct prof_symbol *s,
    struct prof_error *err)
{
	struct prof_span name = arena_copy(&w->arena, s->name);

	if (!raw_row_has_field(w->im.row, RAW_NUM_VTABLES))
		return raw_write_refuse(w, "vtables", err);
	return name.data != NULL && symtab_add(&w->vtables, s->name.data ==
	    NULL ? s->name : name, prof_symbol_guid(s)) ? PROF_OK :
	    err_memory(err);
}

static void
raw_write_counts(struct raw_writer *w, const struct prof_function *f)
{
	struct buf *out = &w->made[RAW_S_COUNTERS];

	if (w->header.flags & PROF_TEMPORAL)
		buf_number(out, 0, 8, w->im.big);
	if (raw_counter_width(&w->im) == 8) {
		buf_words(out, f->counts, f->counts_size, w->im.big);
		return;
	}
	for (size_t i = 0; i < f->counts_size; i++)
		buf_u8(out, f->counts[i] == 0 ? 0xff : 0);
}

static enum prof_status
raw_write_check_function(const struct raw_writer *w,
    const struct prof_function *f, struct prof_error *err)
{
	struct prof_span name = f->symbol.name;

	if (f->uniform_size != 0 && !raw_row_has_field(w->im.row,
	    RAW_NUM_UNIFORM))
		return raw_write_refuse(w, "uniform counters", err);
	/* Where there is a section of them, each record points into it. */
	if (w->size != 0 && (f->uniform_size != 0) !=
	    (w->made[RAW_S_UNIFORM].size != 0))
		return raw_write_refuse_name(w, "functions with uniform "
		    "counters and others without", name, err);
	if (f->bitmap.size != 0 && !raw_row_has_field(w->im.row,
	    RAW_NUM_BITMAP_BYTES))
		return raw_write_refuse(w, "MC/DC bitmaps", err);
	if (name.data != NULL && (name.size == 0 ||
	    memchr(name.data, 0x01, name.size) != NULL))
		return raw_write_refuse_name(w,
		    "an empty name or one with the byte 0x01", name, err);
	if (f->counts_size == 0 && !(w->header.flags & PROF_TEMPORAL))
		return raw_write_refuse_name(w, "a function without counters",
		    name, err);
	if (f->counts_size > UINT32_MAX - 8 || f->bitmap.size > UINT32_MAX)
		return raw_write_refuse_name(w, "so many counters", name, err);
	for (unsigned k = 0; k < PROF_VALUE_KINDS; k++) {
		if (f->values[k].size > UINT16_MAX)
			return raw_write_refuse_name(w,
			    "more than 65535 value sites of a kind", name,
			    err);
		if (f->values[k].size != 0 && k >= w->im.value_kinds)
			return raw_write_refuse(w, "vtable values", err);
	}
	return PROF_OK;
}

static enum prof_status
raw_write_add_symbol(struct raw_writer *w, struct raw_out_record *r,
    const struct prof_symbol *symbol, struct prof_error *err)
{
	size_t known = w->functions.size;

	r->symbol.guid = prof_symbol_guid(symbol);
	r->symbol.name = symbol->name;
	if (symbol->name.data != NULL &&
	    !arena_keep(&w->arena, &r->symbol.name))
		return err_memory(err);
	if (!symtab_add(&w->functions, r->symbol.name, r->symbol.guid))
		return err_memory(err);
	r->function = known;
	if (w->functions.size > known)
		w->first[known] = (size_t)(r - w->records);
	else
		r->function = raw_function_index(w, r->symbol.guid);
	return PROF_OK;
}

static enum prof_status
raw_write_function(struct raw_writer *w, const struct prof_function *f,
    struct prof_error *err)
{
	struct buf *counters = &w->made[RAW_S_COUNTERS];
	struct buf *bitmap = &w->made[RAW_S_BITMAP];
	struct buf *uniform = &w->made[RAW_S_UNIFORM];
	struct prof_function copy = { .hash = 0 };
	struct raw_out_record *r;

	if (raw_write_check_function(w, f, err) != PROF_OK)
		return PROF_FAIL;
	if (!ARRAY_ROOM(w->records, w->size, w->room) ||
	    !ARRAY_ROOM(w->first, w->size, w->first_room))
		return err_memory(err);
	r = &w->records[w->size++];
	/* Time stamps are aligned to 8 bytes, even with byte coverage. */
	if (w->header.flags & PROF_TEMPORAL)
		buf_pad8(counters);
	*r = (struct raw_out_record){ .hash = f->hash,
	    .counters = counters->size, .bitmap = bitmap->size,
	    .uniform = uniform->size,
	    .num_bitmap_bytes = (uint32_t)f->bitmap.size };
	raw_write_counts(w, f);
	r->num_counters = (uint32_t)((counters->size - r->counters) /
	    raw_counter_width(&w->im));
	buf_put(bitmap, f->bitmap.data, f->bitmap.size);
	/* A function has a uniform counter for each counter and time stamp. */
	if (f->uniform_size != 0 && f->uniform_size != r->num_counters)
		return raw_write_refuse_name(w, "a different number of uniform "
		    "counters and counters", f->symbol.name, err);
	buf_words(uniform, f->uniform_counts, f->uniform_size, w->im.big);
	if (raw_write_add_symbol(w, r, &f->symbol, err) != PROF_OK)
		return PROF_FAIL;
	memcpy(copy.values, f->values, sizeof(copy.values));
	if (!record_copy(&w->arena, PROF_REC_FUNCTION, &copy))
		return err_memory(err);
	memcpy(r->values, copy.values, sizeof(r->values));
	return counters->failed || bitmap->failed || uniform->failed ?
	    err_memory(err) : PROF_OK;
}

/* A trace becomes the time stamps of its functions, so there is only one. */
static enum prof_status
raw_write_trace(struct raw_writer *w, const struct prof_trace *t,
    struct prof_error *err)
{
	struct buf *counters = &w->made[RAW_S_COUNTERS];
	size_t end;

	if (t->size == 0)
		return PROF_OK;
	if (!(w->header.flags & PROF_TEMPORAL))
		return raw_write_refuse(w,
		    "a trace in a profile that is not temporal", err);
	if (w->any_trace || t->weight != 1)
		return raw_write_refuse(w,
		    "more than one trace, or a weighted one", err);
	w->any_trace = true;
	end = counters->size;
	for (size_t i = 0; i < t->size; i++) {
		size_t k = raw_function_index(w,
		    prof_symbol_guid(&t->functions[i]));
		struct raw_out_record *r;

		if (k == SYMTAB_NONE || w->records[w->first[k]].stamp != 0)
			return raw_write_refuse_name(w, "a trace with a "
			    "function that has no record or occurs twice",
			    t->functions[i].name, err);
		r = &w->records[w->first[k]];
		r->stamp = i + 1;
		counters->size = r->counters;
		buf_number(counters, r->stamp, 8, w->im.big);
	}
	counters->size = end;
	return PROF_OK;
}

static enum prof_status
raw_writer_put(struct prof_writer *base, const struct prof_record *r,
    struct prof_error *err)
{
	struct raw_writer *w = (struct raw_writer *)base;

	switch (r->kind) {
	case PROF_REC_PROFILE:
		return raw_write_profile(w, &r->u.profile, err);
	case PROF_REC_BINARY:
		return raw_write_id(w, r->u.build_id, err);
	case PROF_REC_VTABLE:
		return raw_write_vtable(w, &r->u.vtable.symbol, err);
	case PROF_REC_FUNCTION:
		return raw_write_function(w, &r->u.function, err);
	case PROF_REC_TRACE:
		return raw_write_trace(w, &r->u.trace, err);
	case PROF_REC_RAW_COUNTERS:
		return raw_write_refuse(w, "counters without functions", err);
	case PROF_REC_NAME:
		return PROF_OK;
	case PROF_REC_OTHER:
		return raw_write_refuse(w, "records of unknown types", err);
	case PROF_REC_END:
		return raw_write_image(w, err);
	default:
		return raw_write_refuse(w, "heap profiles", err);
	}
}

static enum prof_status
raw_writer_finish(struct prof_writer *base, struct prof_error *err)
{
	const struct raw_writer *w = (struct raw_writer *)base;

	if (!w->began)
		return err_set(err, PROF_E_FORMAT, "no profile");
	return PROF_OK;
}

static void
raw_writer_free(struct prof_writer *base)
{
	struct raw_writer *w = (struct raw_writer *)base;

	raw_write_start(w);
	arena_free(&w->arena);
	for (int i = 0; i < RAW_SECTIONS; i++)
		buf_free(&w->made[i]);
	free(w->records);
	free(w->first);
}

static const struct writer_ops raw_writer_ops = {
	.size = sizeof(struct raw_writer),
	.put = raw_writer_put,
	.finish = raw_writer_finish,
	.free = raw_writer_free,
};

struct prof_writer *
raw_writer_new(const struct raw_target *to, prof_sink *sink, void *arg,
    struct prof_error *err)
{
	const struct raw_row *row = raw_row(to->version);
	struct raw_writer *w;

	if (row == NULL || row->values == RAW_VALUES_NONE ||
	    row->values == RAW_VALUES_SIZED) {
		err_set(err, PROF_E_UNSUPPORTED, "raw version %u cannot be "
		    "written", to->version);
		return NULL;
	}
	w = codec_writer_new(&raw_writer_ops, NULL, sink, arg, err);
	if (w == NULL)
		return NULL;
	w->im.row = row;
	w->im.big = to->big;
	w->im.pointer_bytes = to->bits == 32 ? 4 : 8;
	w->im.magic = to->bits == 32 ? RAW_MAGIC_32 : RAW_MAGIC_64;
	w->im.relative = row->pointers == RAW_RELATIVE;
	w->im.value_kinds = row->value_kinds;
	w->im.field[RAW_VALUE_KIND_LAST] = row->value_kinds - 1u;
	raw_record_layout(row, w->im.pointer_bytes, w->im.value_kinds,
	    &w->im.layout);
	return &w->base;
}
