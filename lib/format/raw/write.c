/*
 * Raw profiles as an instrumented program would have written them, for tests of
 * readers and for tools of kernels and firmware.
 */
#include "format/raw/raw.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "model/name_section.h"
#include "model/record.h"
#include "model/releases.h"
#include "model/value_sites.h"

/* Zeros behind a section: none if the version has no field that counts them. */
static uint64_t
raw_emitted_padding(const struct raw_image *im, enum raw_section s, size_t size)
{
	uint8_t padding = raw_sections[s].padding;

	if (padding == RAW_END || (padding != RAW_PAD8 &&
	    !raw_row_has_field(im->row, (enum raw_field)padding)))
		return 0;
	return pad8(size);
}

void
raw_emit_header(const struct raw_image *im,
    const struct prof_span sections[RAW_SECTIONS], struct buf *b)
{
	uint64_t field[RAW_FIELDS];

	memcpy(field, im->field, sizeof(field));
	for (enum raw_section s = 0; s < RAW_SECTIONS; s++) {
		const struct raw_section_info *info = &raw_sections[s];
		size_t size = sections[s].size;

		field[info->count] = size / raw_unit_size(im, s);
		if (info->padding != RAW_PAD8)
			field[info->padding] =
			    raw_emitted_padding(im, s, size);
	}
	buf_number(b, im->magic, 8, im->big);
	buf_number(b, im->version_word, 8, im->big);
	for (const uint8_t *f = im->row->header; *f != RAW_END; f++)
		buf_number(b, field[*f], RAW_FIELD_SIZE, im->big);
}

int
raw_emit_sections(const struct raw_image *im,
    const struct prof_span sections[RAW_SECTIONS], prof_sink *sink, void *arg)
{
	static const uint8_t zeros[8];
	int e = 0;

	for (enum raw_section s = 0; s < RAW_SECTIONS && e == 0; s++) {
		uint64_t padding = raw_emitted_padding(im, s,
		    sections[s].size);

		e = sink(arg, sections[s].data, sections[s].size);
		if (e == 0 && padding != 0)
			e = sink(arg, zeros, (size_t)padding);
	}
	return e;
}

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
	bool borrows;			/* names; see prof_target */
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
	/* Numbers of things dropped, for warnings at the end. */
	uint64_t cut, clamped, empty_traces, wave_size, traces_seen;
	bool salvaged;			/* some profile was, which is dropped */
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

static void
raw_write_record(struct raw_writer *w, size_t i)
{
	const struct raw_out_record *r = &w->records[i];
	uint64_t distance = i * w->im.layout.size;
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
		    w->im.value_kinds, w->im.big, &w->cut);
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
	enum prof_status status = raw_write_make_sections(w, err);
	struct prof_span sections[RAW_SECTIONS];
	struct buf header = { 0 };
	int e;

	if (status != PROF_OK)
		return status;
	for (int i = 0; i < RAW_SECTIONS; i++)
		sections[i] = buf_span(&w->made[i]);
	raw_emit_header(&w->im, sections, &header);
	status = header.failed ? err_memory(err) :
	    sink_write(&w->base, header.data, header.size, err);
	buf_free(&header);
	if (status != PROF_OK)
		return status;
	/* One by one: an image of all sections would be a copy of them. */
	e = raw_emit_sections(&w->im, sections, w->base.sink, w->base.arg);
	return e == 0 ? PROF_OK : err_system(err, e, "write");
}

void
raw_versions(struct prof_versions *v)
{
	*v = (struct prof_versions){ .usual = llvm_release_newest()->raw };
	for (size_t i = 0; i < raw_row_count; i++) {
		if (!raw_rows[i].written)
			continue;
		if (v->oldest == 0)
			v->oldest = raw_rows[i].version;
		v->newest = raw_rows[i].version;
	}
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
	w->salvaged = w->salvaged || h->flags & PROF_SALVAGED;
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
	for (size_t i = 0; i < f->counts_size; i++) {
		w->clamped += f->counts[i] > 1;
		buf_u8(out, f->counts[i] == 0 ? 0xff : 0);
	}
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
	if (!w->borrows && symbol->name.data != NULL &&
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

	if (t->size == 0) {
		w->empty_traces++;
		return PROF_OK;
	}
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
raw_write_end(struct raw_writer *w, struct prof_error *err)
{
	if (w->header.trace_stream_size > w->any_trace)
		w->traces_seen = w->header.trace_stream_size;
	/* The place of the wave size is in the records of functions. */
	if (w->header.wave_size != 0 &&
	    (w->size == 0 || !w->im.layout.has[RAW_WAVE_SIZE]))
		w->wave_size = w->header.wave_size;
	return raw_write_image(w, err);
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
		return raw_write_end(w, err);
	default:
		return raw_write_refuse(w, "heap profiles", err);
	}
}

static void
raw_write_warn_loss(const struct raw_writer *w, uint64_t n, const char *what)
{
	if (n != 0)
		warn_lost(w->base.context, "raw version %u cannot hold %s: "
		    "dropped %llu", w->im.row->version, what,
		    (unsigned long long)n);
}

static enum prof_status
raw_writer_finish(struct prof_writer *base, struct prof_error *err)
{
	struct raw_writer *w = (struct raw_writer *)base;

	if (!w->began)
		return err_set(err, PROF_E_FORMAT, "no profile");
	if (w->cut != 0)
		warn_lost(base->context, "raw profiles hold %d values a site: "
		    "%llu were dropped", VALUES_SITE_MAX,
		    (unsigned long long)w->cut);
	if (w->clamped != 0)
		warn_lost(base->context, "byte coverage is 0 or 1: %llu "
		    "larger counts became 1", (unsigned long long)w->clamped);
	raw_write_warn_loss(w, w->empty_traces, "traces without functions");
	raw_write_warn_loss(w, w->traces_seen, "a trace stream size");
	raw_write_warn_loss(w, w->wave_size, "a wave size");
	if (w->salvaged)
		warn_lost(base->context, "raw version %u cannot say that a "
		    "profile was salvaged", w->im.row->version);
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
raw_writer_new(struct prof_context *context, const struct prof_target *t,
    prof_sink *sink, void *arg, struct prof_error *err)
{
	const struct raw_row *row = raw_row(t->version);
	struct raw_writer *w = codec_writer_new(&raw_writer_ops, context, sink,
	    arg, err);

	if (w == NULL)
		return NULL;
	w->im.row = row;
	w->im.big = t->big_endian;
	w->borrows = t->borrows;
	w->im.pointer_bytes = t->pointer_bits == 32 ? 4 : 8;
	w->im.magic = t->pointer_bits == 32 ? RAW_MAGIC_32 : RAW_MAGIC_64;
	w->im.relative = row->pointers == RAW_RELATIVE;
	w->im.value_kinds = row->value_kinds;
	w->im.field[RAW_VALUE_KIND_LAST] = row->value_kinds - 1u;
	raw_record_layout(row, w->im.pointer_bytes, w->im.value_kinds,
	    &w->im.layout);
	return &w->base;
}
