/*
 * Raw profiles as an instrumented program would have written them, of versions
 * 4 to 10: test data for readers, and for tools of kernels and firmware.
 *
 * Addresses are made up: the data section is at 0, so that sections follow each
 * other in memory as in the file; functions and vtables have addresses of their
 * own behind it.
 */
#include <stdlib.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/symtab.h"
#include "format/codec.h"
#include "format/names.h"
#include "format/raw_layout.h"
#include "format/values.h"
#include "format/variants.h"

const unsigned raw_written_oldest = 4, raw_written_newest = 10;

/* Where made-up addresses begin, and how far they are apart. */
enum {
	FUNCTIONS_AT = 0x10000000, FUNCTION_STEP = 16,
	VTABLES_AT = 0x60000000, VTABLE_STEP = 64,
	COUNTERS_AT = 0x400000		/* of versions with absolute pointers */
};

/* A data record to be, with what it points to. */
struct record {
	struct prof_symbol symbol;
	uint64_t hash, stamp;
	size_t counters, bitmap;	/* offsets in their sections */
	uint32_t num_counters, num_bitmap_bytes;
	struct prof_sites values[PROF_VALUE_KINDS];
};

struct raw_writer {
	struct prof_writer base;
	const struct raw_row *row;
	struct raw_record_layout layout;
	bool big, began;
	unsigned pointer_bytes, value_kinds;
	/* Of the profile being put. */
	struct prof_header header;
	struct arena arena;
	struct record *records;
	size_t size, room;
	struct buf counters, bitmap, ids;
	struct symtab functions;	/* a symbol stands once */
	size_t *first;			/* by its index: its first record */
	struct symtab vtables;
	bool any_trace;			/* in any profile */
	/* What is left out, to be told once. */
	uint64_t cut, clamped, empty_traces, wave_size, traces_seen;
	bool salvaged;
};

static void
put_number(const struct raw_writer *w, struct buf *b, uint64_t v,
    unsigned width)
{
	buf_number(b, v, width, w->big);
}

static enum prof_status
refuse(const struct raw_writer *w, const char *what, struct prof_error *err)
{
	return err_set(err, PROF_E_UNSUPPORTED,
	    "raw version %u cannot hold %s", w->row->version, what);
}

static enum prof_status
refuse_name(const struct raw_writer *w, const char *what,
    struct prof_span name, struct prof_error *err)
{
	char shown[ERR_NAME_SIZE];

	return err_set(err, PROF_E_UNSUPPORTED,
	    "raw version %u cannot hold %s: %s", w->row->version, what,
	    err_name(shown, name));
}

static bool
has_field(const struct raw_writer *w, enum raw_field field)
{
	for (const uint8_t *f = w->row->header; *f != RAW_END; f++) {
		if (*f == field)
			return true;
	}
	return false;
}

static void
start(struct raw_writer *w)
{
	arena_reset(&w->arena);
	symtab_free(&w->functions);
	symtab_free(&w->vtables);
	w->size = 0;
	w->counters.size = w->bitmap.size = w->ids.size = 0;
}

static enum prof_status
put_profile(struct raw_writer *w, const struct prof_header *h,
    struct prof_error *err)
{
	static const char *const flags[PROF_FLAGS] = {
		"context-sensitive records", "the flag entry_first",
		"the flag loop_entries", "byte coverage",
		"the flag function_entry_only", "time stamps",
	};

	if (h->kind != PROF_INSTR)
		return refuse(w, "heap profiles", err);
	/* The bit would say that the binary has the records. */
	if (h->flags & (PROF_DEBUG_INFO_CORRELATED | PROF_BINARY_CORRELATED))
		return refuse(w, "functions of a correlated profile", err);
	for (int i = 0; i < PROF_FLAGS; i++) {
		unsigned flag = h->flags & 1u << i;

		if (flag != 0 && flags[i] != NULL &&
		    (variants_from_flags(flag) & w->row->variants) == 0)
			return refuse(w, flags[i], err);
	}
	start(w);
	w->header = *h;
	w->began = true;
	w->salvaged = w->salvaged || h->flags & PROF_SALVAGED;
	if (h->wave_size != 0)
		w->wave_size = h->wave_size;
	return PROF_OK;
}

static enum prof_status
put_id(struct raw_writer *w, struct prof_span id, struct prof_error *err)
{
	if (!has_field(w, RAW_BINARY_IDS_SIZE))
		return refuse(w, "binary ids", err);
	if (id.size == 0)
		return refuse(w, "an empty binary id", err);
	put_number(w, &w->ids, id.size, 8);
	buf_put(&w->ids, id.data, id.size);
	if (w->row->ids == RAW_IDS_PADDED)
		buf_pad8(&w->ids);
	return w->ids.failed ? err_memory(err) : PROF_OK;
}

static enum prof_status
put_vtable(struct raw_writer *w, const struct prof_symbol *s,
    struct prof_error *err)
{
	struct prof_span name = arena_copy(&w->arena, s->name);

	if (!has_field(w, RAW_NUM_VTABLES))
		return refuse(w, "vtables", err);
	return name.data != NULL && symtab_add(&w->vtables, s->name.data ==
	    NULL ? s->name : name, prof_symbol_guid(s)) ? PROF_OK :
	    err_memory(err);
}

static unsigned
counter_width(const struct raw_writer *w)
{
	return w->header.flags & PROF_BYTE_COVERAGE ? 1 : 8;
}

static void
put_counts(struct raw_writer *w, const struct prof_function *f)
{
	if (w->header.flags & PROF_TEMPORAL)
		put_number(w, &w->counters, 0, 8);
	for (size_t i = 0; i < f->counts_size; i++) {
		if (counter_width(w) == 8) {
			put_number(w, &w->counters, f->counts[i], 8);
		} else {
			w->clamped += f->counts[i] > 1;
			buf_u8(&w->counters, f->counts[i] == 0 ? 0xff : 0);
		}
	}
}

static bool
copy_sites(struct raw_writer *w, const struct prof_sites *from,
    struct prof_sites *to)
{
	struct prof_site *sites = arena_array(&w->arena, from->size,
	    sizeof(*sites));

	if (sites == NULL)
		return false;
	*to = (struct prof_sites){ sites, from->size };
	for (size_t i = 0; i < from->size; i++) {
		size_t n = from->sites[i].size;
		struct prof_value *v = arena_array(&w->arena, n, sizeof(*v));

		if (v == NULL)
			return false;
		for (size_t k = 0; k < n; k++) {
			v[k] = from->sites[i].values[k];
			if (v[k].name.data == NULL)
				continue;
			v[k].name = arena_copy(&w->arena, v[k].name);
			if (v[k].name.data == NULL)
				return false;
		}
		sites[i] = (struct prof_site){ v, n };
	}
	return true;
}

static enum prof_status
check_function(const struct raw_writer *w, const struct prof_function *f,
    struct prof_error *err)
{
	struct prof_span name = f->symbol.name;

	if (f->uniform_size != 0)
		return refuse(w, "uniform counters", err);
	if (f->bitmap.size != 0 && !has_field(w, RAW_NUM_BITMAP_BYTES))
		return refuse(w, "MC/DC bitmaps", err);
	if (name.data != NULL && (name.size == 0 ||
	    memchr(name.data, 0x01, name.size) != NULL))
		return refuse_name(w, "an empty name or one with the byte "
		    "0x01", name, err);
	if (f->counts_size == 0 && !(w->header.flags & PROF_TEMPORAL))
		return refuse_name(w, "a function without counters", name,
		    err);
	if (f->counts_size > UINT32_MAX - 8 || f->bitmap.size > UINT32_MAX)
		return refuse_name(w, "so many counters", name, err);
	for (unsigned k = 0; k < PROF_VALUE_KINDS; k++) {
		if (f->values[k].size > UINT16_MAX)
			return refuse_name(w, "more than 65535 value sites "
			    "of a kind", name, err);
		if (f->values[k].size != 0 && k >= w->value_kinds)
			return refuse(w, "vtable values", err);
	}
	return PROF_OK;
}

static enum prof_status
add_symbol(struct raw_writer *w, struct record *r,
    const struct prof_symbol *symbol, struct prof_error *err)
{
	size_t known = w->functions.size;

	r->symbol.guid = prof_symbol_guid(symbol);
	if (symbol->name.data != NULL) {
		r->symbol.name = arena_copy(&w->arena, symbol->name);
		if (r->symbol.name.data == NULL)
			return err_memory(err);
	}
	if (!symtab_add(&w->functions, r->symbol.name, r->symbol.guid))
		return err_memory(err);
	if (w->functions.size > known)
		w->first[known] = (size_t)(r - w->records);
	return PROF_OK;
}

/* The symbol's index among the functions, or SYMTAB_NONE. */
static size_t
function_index(const struct raw_writer *w, uint64_t guid)
{
	return symtab_find(&w->functions, guid, NULL);
}

static bool
room_for_record(struct raw_writer *w)
{
	size_t room = w->room * 2 + 64;
	struct record *records;
	size_t *first;

	if (w->size < w->room)
		return true;
	records = realloc(w->records, room * sizeof(*records));
	if (records == NULL)
		return false;
	w->records = records;
	first = realloc(w->first, room * sizeof(*first));
	if (first == NULL)
		return false;
	w->first = first;
	w->room = room;
	return true;
}

static enum prof_status
put_function(struct raw_writer *w, const struct prof_function *f,
    struct prof_error *err)
{
	struct record *r;

	if (check_function(w, f, err) != PROF_OK)
		return PROF_FAIL;
	if (!room_for_record(w))
		return err_memory(err);
	r = &w->records[w->size++];
	/* Time stamps are aligned, also among coverage bytes. */
	if (w->header.flags & PROF_TEMPORAL)
		buf_pad8(&w->counters);
	*r = (struct record){ .hash = f->hash, .counters = w->counters.size,
	    .bitmap = w->bitmap.size,
	    .num_bitmap_bytes = (uint32_t)f->bitmap.size };
	put_counts(w, f);
	r->num_counters = (uint32_t)((w->counters.size - r->counters) /
	    counter_width(w));
	buf_put(&w->bitmap, f->bitmap.data, f->bitmap.size);
	if (add_symbol(w, r, &f->symbol, err) != PROF_OK)
		return PROF_FAIL;
	for (unsigned k = 0; k < PROF_VALUE_KINDS; k++) {
		if (!copy_sites(w, &f->values[k], &r->values[k]))
			return err_memory(err);
	}
	return w->counters.failed || w->bitmap.failed ? err_memory(err) :
	    PROF_OK;
}

/* A raw file knows the order of first calls by time stamps, in one trace. */
static enum prof_status
put_trace(struct raw_writer *w, const struct prof_trace *t,
    struct prof_error *err)
{
	size_t end;

	if (t->size == 0) {
		w->empty_traces++;
		return PROF_OK;
	}
	if (!(w->header.flags & PROF_TEMPORAL))
		return refuse(w, "a trace in a profile that is not temporal",
		    err);
	if (w->any_trace || t->weight != 1)
		return refuse(w, "more than one trace, or a weighted one",
		    err);
	w->any_trace = true;
	end = w->counters.size;
	for (size_t i = 0; i < t->size; i++) {
		size_t k = function_index(w,
		    prof_symbol_guid(&t->functions[i]));
		struct record *r;

		if (k == SYMTAB_NONE || w->records[w->first[k]].stamp != 0)
			return refuse_name(w, "a trace with a function that "
			    "has no record, or twice", t->functions[i].name,
			    err);
		r = &w->records[w->first[k]];
		r->stamp = i + 1;
		w->counters.size = r->counters;
		put_number(w, &w->counters, r->stamp, 8);
	}
	w->counters.size = end;
	return PROF_OK;
}

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
		return refuse_name(w, "a target without a record of its own",
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
	const struct record *r = &w->records[i];
	uint64_t address = FUNCTIONS_AT + (uint64_t)FUNCTION_STEP *
	    function_index(w, r->symbol.guid);
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
		put_number(w, b, members[m].value, members[m].width);
	}
	b->size = start + w->layout.offset[RAW_NUM_VALUE_SITES];
	for (unsigned k = 0; k < w->value_kinds && !b->failed; k++)
		put_number(w, b, r->values[k].size, 2);
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
		[RAW_NUM_COUNTERS] = w->counters.size / counter_width(w),
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

	put_number(w, b, w->pointer_bytes == 8 ? RAW_MAGIC_64 : RAW_MAGIC_32,
	    8);
	put_number(w, b, w->row->version | level |
	    variants_from_flags(w->header.flags), 8);
	for (const uint8_t *f = w->row->header; *f != RAW_END; f++)
		put_number(w, b, field[*f], 8);
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
		put_number(w, b, w->vtables.symbols[i].guid, 8);
		put_number(w, b, VTABLES_AT + (uint64_t)VTABLE_STEP * i,
		    w->pointer_bytes);
		put_number(w, b, VTABLE_STEP, 4);
		buf_pad8(b);
	}
}

static bool
has_sites(const struct record *r)
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

static enum prof_status
end(struct raw_writer *w, struct prof_error *err)
{
	enum prof_status status = place_targets(w, err);
	struct buf image = { 0 };

	if (w->header.trace_stream_size > w->any_trace)
		w->traces_seen = w->header.trace_stream_size;
	if (status == PROF_OK)
		status = put_image(w, &image, err);
	if (status == PROF_OK)
		status = sink_write(&w->base, image.data, image.size, err);
	buf_free(&image);
	return status;
}

static enum prof_status
raw_put(struct prof_writer *base, const struct prof_record *r,
    struct prof_error *err)
{
	struct raw_writer *w = (struct raw_writer *)base;

	switch (r->kind) {
	case PROF_REC_PROFILE:
		return put_profile(w, &r->u.profile, err);
	case PROF_REC_BINARY:
		return put_id(w, r->u.build_id, err);
	case PROF_REC_VTABLE:
		return put_vtable(w, &r->u.vtable.symbol, err);
	case PROF_REC_FUNCTION:
		return put_function(w, &r->u.function, err);
	case PROF_REC_TRACE:
		return put_trace(w, &r->u.trace, err);
	case PROF_REC_RAW_COUNTERS:
		return refuse(w, "counters without functions", err);
	case PROF_REC_OTHER:
		return refuse(w, "records of unknown types", err);
	case PROF_REC_END:
		return end(w, err);
	}
	return PROF_OK;
}

static void
tell_loss(const struct raw_writer *w, uint64_t n, const char *what)
{
	if (n != 0)
		warn_lost(w->base.context, "raw version %u cannot hold %s: "
		    "dropped %llu", w->row->version, what,
		    (unsigned long long)n);
}

static enum prof_status
raw_finish(struct prof_writer *base, struct prof_error *err)
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
	tell_loss(w, w->empty_traces, "traces without functions");
	tell_loss(w, w->traces_seen, "a trace stream size");
	tell_loss(w, w->wave_size, "a wave size");
	if (w->salvaged)
		warn_lost(base->context, "raw version %u cannot say that a "
		    "profile was salvaged", w->row->version);
	return PROF_OK;
}

static void
raw_free(struct prof_writer *base)
{
	struct raw_writer *w = (struct raw_writer *)base;

	start(w);
	arena_free(&w->arena);
	buf_free(&w->counters);
	buf_free(&w->bitmap);
	buf_free(&w->ids);
	free(w->records);
	free(w->first);
	free(w);
}

static const struct writer_ops raw_writer_ops = {
	.put = raw_put,
	.finish = raw_finish,
	.free = raw_free,
};

struct prof_writer *
raw_writer_new(struct prof_context *context, const struct prof_target *t,
    prof_sink *sink, void *arg, struct prof_error *err)
{
	struct raw_writer *w = calloc(1, sizeof(*w));

	if (w == NULL) {
		err_memory(err);
		return NULL;
	}
	w->base = (struct prof_writer){ &raw_writer_ops, context, sink, arg };
	w->row = raw_row(t->version);
	w->big = t->big_endian;
	w->pointer_bytes = t->pointer_bits == 32 ? 4 : 8;
	w->value_kinds = has_field(w, RAW_NUM_VTABLES) ? 3 : 2;
	raw_record_layout(w->row, w->pointer_bytes, w->value_kinds,
	    &w->layout);
	return &w->base;
}
