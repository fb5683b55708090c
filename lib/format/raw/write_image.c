/*
 * The image of a raw profile: what was put, as the runtime would lay it out.
 *
 * Addresses are made up: the data section is at 0, so that sections follow
 * each other in memory as in the file; functions and vtables have ranges of
 * their own behind it.
 */
#include "format/raw/writer.h"

#include <stdlib.h>

#include "base/error.h"
#include "format/raw/emit.h"
#include "format/raw/record.h"
#include "model/name_section.h"
#include "model/value_data.h"
#include "model/value_sites.h"

/* Where the made-up addresses begin, and the distance between two. */
enum {
	FUNCTIONS_AT = 0x10000000, FUNCTION_STEP = 16,
	VTABLES_AT = 0x60000000, VTABLE_STEP = 64,
	COUNTERS_AT = 0x400000		/* of versions with absolute pointers */
};

enum prof_status
raw_write_refuse(const struct raw_writer *w, const char *what,
    struct prof_error *err)
{
	return err_set(err, PROF_E_UNSUPPORTED,
	    "raw version %u cannot hold %s", w->im.row->version, what);
}

enum prof_status
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

	if (kind == PROF_MEM_OP_SIZE || v->value == 0)
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

static enum prof_status
raw_write_place_sites(struct raw_writer *w, enum prof_value_kind kind,
    const struct prof_sites *s, struct prof_error *err)
{
	for (size_t n = 0; n < s->size; n++) {
		/* Copies, which belong to the writer. */
		struct prof_value *v =
		    (struct prof_value *)(uintptr_t)s->sites[n].values;

		for (size_t m = 0; m < s->sites[n].size; m++) {
			if (raw_write_place_target(w, kind, &v[m], err)
			    != PROF_OK)
				return PROF_FAIL;
		}
	}
	return PROF_OK;
}

static enum prof_status
raw_write_place_targets(struct raw_writer *w, struct prof_error *err)
{
	for (size_t i = 0; i < w->size; i++) {
		for (int k = 0; k < PROF_VALUE_KINDS; k++) {
			if (raw_write_place_sites(w, (enum prof_value_kind)k,
			    &w->records[i].values[k], err) != PROF_OK)
				return PROF_FAIL;
		}
	}
	return PROF_OK;
}

/* Sets the deltas: the address of a section or its distance from the data. */
static void
raw_write_set_deltas(struct raw_writer *w)
{
	uint64_t data_size = w->size * w->im.layout.size;

	w->im.field[RAW_COUNTERS_DELTA] =
	    w->im.relative ? data_size : COUNTERS_AT;
	w->im.field[RAW_BITMAP_DELTA] = data_size + w->counters.size +
	    pad8(w->counters.size);
	w->im.field[RAW_UNIFORM_DELTA] = w->uniform.size == 0 ? 0 :
	    w->im.field[RAW_BITMAP_DELTA] + w->bitmap.size +
	    pad8(w->bitmap.size);
}

static void
raw_write_record(const struct raw_writer *w, struct buf *b, size_t i)
{
	const struct raw_out_record *r = &w->records[i];
	uint64_t distance = i * w->im.layout.size;
	uint16_t sites[RAW_VALUE_KINDS_MAX] = { 0 };
	struct raw_record out = {
		.name_ref = r->symbol.guid,
		.func_hash = r->hash,
		.counter_ptr = w->im.field[RAW_COUNTERS_DELTA] + r->counters -
		    (w->im.relative ? distance : 0),
		.bitmap_ptr = r->num_bitmap_bytes == 0 ? 0 :
		    w->im.field[RAW_BITMAP_DELTA] + r->bitmap - distance,
		.uniform_ptr = w->uniform.size == 0 ? 0 :
		    w->im.field[RAW_UNIFORM_DELTA] + r->uniform - distance,
		.wave_size = (uint16_t)w->header.wave_size,
		.function_ptr = FUNCTIONS_AT + (uint64_t)FUNCTION_STEP *
		    r->function,
		.num_counters = r->num_counters,
		.num_bitmap_bytes = r->num_bitmap_bytes,
	};

	for (unsigned k = 0; k < PROF_VALUE_KINDS; k++)
		sites[k] = (uint16_t)r->values[k].size;
	raw_record_put(&w->im, b, &out, sites);
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

static void
raw_write_vtables(const struct raw_writer *w, struct buf *b)
{
	for (size_t i = 0; i < w->vtables.size; i++)
		raw_vtable_put(&w->im, b, &(struct raw_vtable){
		    w->vtables.symbols[i].guid,
		    VTABLES_AT + (uint64_t)VTABLE_STEP * i, VTABLE_STEP });
}

static void
raw_write_values(struct raw_writer *w, struct buf *b)
{
	for (size_t i = 0; i < w->size; i++) {
		const struct prof_sites *values = w->records[i].values;

		if (value_sites_count(values) != 0)
			values_write(b, values, w->im.value_kinds, w->im.big,
			    &w->cut);
	}
}

/* The sections: some are made here, some are there already. */
struct raw_made_sections {
	struct buf made[RAW_SECTIONS];
	struct prof_span all[RAW_SECTIONS];
};

static enum prof_status
raw_write_make_sections(struct raw_writer *w, struct raw_made_sections *s,
    struct prof_error *err)
{
	const struct buf *there[RAW_SECTIONS] = { [RAW_S_IDS] = &w->ids,
	    [RAW_S_COUNTERS] = &w->counters, [RAW_S_BITMAP] = &w->bitmap,
	    [RAW_S_UNIFORM] = &w->uniform };
	bool failed = false;

	if (raw_write_place_targets(w, err) != PROF_OK ||
	    raw_write_names(&w->functions, &s->made[RAW_S_NAMES], err) !=
	    PROF_OK || raw_write_names(&w->vtables, &s->made[RAW_S_VNAMES],
	    err) != PROF_OK)
		return PROF_FAIL;
	raw_write_set_deltas(w);
	for (size_t i = 0; i < w->size; i++)
		raw_write_record(w, &s->made[RAW_S_DATA], i);
	raw_write_vtables(w, &s->made[RAW_S_VTABLES]);
	raw_write_values(w, &s->made[RAW_S_VALUES]);
	for (int i = 0; i < RAW_SECTIONS; i++) {
		failed = failed || s->made[i].failed;
		s->all[i] = buf_span(there[i] != NULL ? there[i] :
		    &s->made[i]);
	}
	return failed ? err_memory(err) : PROF_OK;
}

/* Sections are written one by one: an image of all would be a copy of them. */
static enum prof_status
raw_write_sections(struct raw_writer *w, const struct raw_made_sections *s,
    struct prof_error *err)
{
	struct buf header = { 0 };
	enum prof_status status;
	int e;

	raw_emit_header(&w->im, s->all, &header);
	status = header.failed ? err_memory(err) : sink_write(&w->base,
	    header.data, header.size, err);
	buf_free(&header);
	if (status != PROF_OK)
		return status;
	e = raw_emit_sections(&w->im, s->all, w->base.sink, w->base.arg);
	return e == 0 ? PROF_OK : err_system(err, e, "write");
}

enum prof_status
raw_write_image(struct raw_writer *w, struct prof_error *err)
{
	struct raw_made_sections s = { .made = { { 0 } } };
	enum prof_status status = raw_write_make_sections(w, &s, err);

	if (status == PROF_OK)
		status = raw_write_sections(w, &s, err);
	for (int i = 0; i < RAW_SECTIONS; i++)
		buf_free(&s.made[i]);
	return status;
}
