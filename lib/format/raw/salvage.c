/*
 * Damaged raw files: intact images are copied, the others are repaired.  Behind
 * damage, the next image is searched for.
 */
#include "format/raw/raw.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/name_section.h"
#include "model/value_sites.h"

/* A damaged image of a file. */
struct raw_damaged {
	size_t at;			/* where it begins */
	struct names_limit *limit;	/* of all images of the file */
	size_t end;			/* out: the end of what could be read */
	bool end_known;			/* out: false if it may go on behind */
	bool given_up;			/* out: no record is intact */
};

/*
 * An image is written anew from the records whose counters, bitmap and uniform
 * counters are all there, in their order.  A file that was cut has lost its
 * end: value data first, then names (functions without a name have only their
 * guid), then counters.
 */

struct raw_salvager {
	struct prof_context *context;
	struct raw_image im;		/* as found */
	/* Records that are intact, those that are not, and value sites. */
	uint64_t intact, lost, sites;
	uint64_t value_records;		/* records that count value sites */
	uint64_t values_lost;		/* intact ones without value data */
	struct prof_error why;		/* of the first record that is lost */
	struct buf data, values, names, vnames;		/* repaired */
	struct raw_damaged *found;
	struct arena arena;
};

/* Whether a record is intact: a reader will accept it. */
static enum prof_status
raw_salvage_check_record(const struct raw_salvager *r, uint64_t i,
    const struct raw_record *rec, struct prof_error *err)
{
	const struct raw_image *im = &r->im;
	struct raw_place place;
	uint64_t guid;

	if (raw_place(im, i, rec, &place, err) != PROF_OK ||
	    raw_guid(im, i, rec, &guid, err) != PROF_OK)
		return PROF_FAIL;
	if (im->declared[RAW_S_UNIFORM] != 0 && !place.has_uniform)
		return err_at(err, PROF_E_CORRUPT, im->file.size,
		    "record %llu: its uniform counters are cut off",
		    ull(i));
	if (rec->num_counters < raw_stamp_counters(im))
		return err_at(err, PROF_E_CORRUPT,
		    raw_member_at(im, i, RAW_NUM_COUNTS), "record %llu: no "
		    "room for a time stamp", ull(i));
	for (unsigned k = PROF_VALUE_KINDS; k < im->value_kinds; k++) {
		if (rec->sites[k] != 0)
			return err_at(err, PROF_E_UNSUPPORTED,
			    raw_member_at(im, i, RAW_NUM_VALUE_SITES),
			    "record %llu: value sites of unknown kind %u",
			    ull(i), k);
	}
	return PROF_OK;
}

/*
 * Appends the value block of a record: a copy, or empty sites from the first
 * damaged block on.  A record that is lost has a block too, which is skipped.
 */
static enum prof_status
raw_salvage_values(struct raw_salvager *r, struct cursor *c,
    const struct raw_record *rec, bool intact, struct prof_error *err)
{
	struct prof_sites sites[PROF_VALUE_KINDS];
	struct prof_error why = { 0 };
	struct cursor block = *c;
	uint64_t cut = 0;

	if (rec->sites_size == 0)
		return PROF_OK;
	r->value_records++;
	arena_reset(&r->arena);
	if (!c->failed && values_read(&block, &r->arena, NULL, sites, &why) ==
	    PROF_OK && raw_sites_mismatch(&r->im, rec->sites, sites) ==
	    r->im.value_kinds) {
		if (intact)
			buf_put(&r->values, c->data + c->pos,
			    block.pos - c->pos);
		*c = block;
		return PROF_OK;
	}
	if (why.code == PROF_E_MEMORY)
		return err_memory(err);
	c->failed = true;
	r->values_lost += intact;
	if (intact) {
		arena_reset(&r->arena);
		if (!raw_empty_sites(rec->sites, &r->arena, sites))
			return err_memory(err);
		r->sites += value_sites_count(sites);
		values_write(&r->values, sites, PROF_VALUE_KINDS, r->im.big,
		    &cut);
	}
	return raw_check_declared(&r->im, &(struct raw_declared){ r->sites,
	    "value sites", r->im.field[RAW_NUM_COUNTERS], "NumCounters" },
	    err);
}

static void
raw_store(uint8_t *p, uint64_t v, unsigned width, bool big)
{
	for (unsigned i = 0; i < width; i++)
		p[big ? width - 1 - i : i] = (uint8_t)(v >> 8 * i);
}

/*
 * Adjusts the section pointers of a stored record that is moved towards the
 * start of the data section by a distance in bytes.
 */
static void
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

/* Collects the intact records and the value data of these. */
static enum prof_status
raw_salvage_records(struct raw_salvager *r, struct prof_error *err)
{
	const struct raw_image *im = &r->im;
	struct cursor c = { .data = im->file.data, .big = im->big,
	    .pos = im->at[RAW_S_VALUES],
	    .size = im->at[RAW_S_VALUES] + im->size[RAW_S_VALUES] };
	bool any = raw_has_values(im, c.pos);
	size_t size = im->layout.size, at;

	c.failed = !any;
	for (uint64_t i = 0; i < im->field[RAW_NUM_DATA]; i++) {
		struct raw_record rec;
		bool intact;

		raw_record_get(im, i, &rec);
		intact = raw_salvage_check_record(r, i, &rec, &r->why) ==
		    PROF_OK;
		r->lost += !intact;
		if ((any || im->is_cut) && im->row->values != RAW_VALUES_NONE &&
		    raw_salvage_values(r, &c, &rec, intact, err) != PROF_OK)
			return PROF_FAIL;
		if (!intact)
			continue;
		at = r->data.size;
		buf_put(&r->data, im->file.data + im->at[RAW_S_DATA] +
		    (size_t)i * size, size);
		if (i != r->intact && !r->data.failed)
			raw_record_move(im, r->data.data + at,
			    (i - r->intact) * size);
		r->intact++;
	}
	r->found->end = c.pos;
	r->found->end_known = !c.failed || !any;
	if (im->row->values == RAW_VALUES_SIZED)
		r->found->end = im->at[RAW_S_VALUES] + im->size[RAW_S_VALUES];
	if (im->is_cut)
		r->found->end = im->file.size;
	/* Counters without records would be read as a correlated profile. */
	if (r->intact == 0 && (im->declared[RAW_S_DATA] != 0 ||
	    im->size[RAW_S_COUNTERS] == 0))
		return err_at(err, PROF_E_TRUNCATED, im->at[RAW_S_DATA], "no "
		    "function is complete");
	return PROF_OK;
}

/* A chunk without compression; empty names, which readers skip, stay out. */
static void
raw_put_names(struct buf *out, const struct prof_span *names, size_t count)
{
	struct buf joined = { 0 };

	for (size_t i = 0; i < count; i++) {
		if (names[i].size > 0 && joined.size > 0)
			buf_u8(&joined, 0x01);
		buf_put(&joined, names[i].data, names[i].size);
	}
	if (joined.size > 0) {
		buf_uleb(out, joined.size);
		buf_uleb(out, 0);
		buf_put(out, joined.data, joined.size);
	}
	out->failed |= joined.failed;
	buf_free(&joined);
}

/* Copies an intact section, or lists the names before its damage. */
static enum prof_status
raw_salvage_names(struct raw_salvager *r, enum raw_section s, const char *what,
    struct buf *out, struct prof_error *err)
{
	const struct raw_image *im = &r->im;
	struct prof_span section = raw_section(im, s);
	struct names n = { 0 };
	bool whole = true;
	enum prof_status status;

	if (im->row->addressed_names) {
		buf_put(out, section.data, section.size);
		return PROF_OK;
	}
	status = names_salvage(&n, section, r->found->limit, &whole, err);
	if (status == PROF_OK && whole && section.size == im->declared[s]) {
		buf_put(out, section.data, section.size);
	} else if (status == PROF_OK) {
		raw_put_names(out, n.list, n.list_size);
		warn_lost_at(r->context, im->at[s] + section.size, "%s: bytes "
		    "found: %zu of %llu, complete names: %zu: the others are "
		    "lost", what, section.size,
		    ull(im->declared[s]), n.list_size);
	}
	names_free(&n);
	return status;
}

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
raw_emit(const struct raw_image *im,
    const struct prof_span sections[RAW_SECTIONS], struct buf *out)
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
	buf_number(out, im->magic, 8, im->big);
	buf_number(out, im->version_word, 8, im->big);
	for (const uint8_t *f = im->row->header; *f != RAW_END; f++)
		buf_number(out, field[*f], RAW_FIELD_SIZE, im->big);
	for (enum raw_section s = 0; s < RAW_SECTIONS; s++) {
		size_t size = sections[s].size;

		buf_put(out, sections[s].data, size);
		buf_zeros(out, (size_t)raw_emitted_padding(im, s, size));
	}
}

/* Appends the repaired image, and warns of what is lost. */
static void
raw_salvage_emit(const struct raw_salvager *r, struct buf *out)
{
	const struct raw_image *im = &r->im;
	struct prof_span sections[RAW_SECTIONS];
	uint64_t data = im->declared[RAW_S_DATA] / im->layout.size;
	uint64_t behind = data - im->field[RAW_NUM_DATA];

	for (int s = 0; s < RAW_SECTIONS; s++)
		sections[s] = raw_section(im, (enum raw_section)s);
	sections[RAW_S_IDS].size = raw_ids_intact_size(im);
	sections[RAW_S_DATA] = buf_span(&r->data);
	sections[RAW_S_NAMES] = buf_span(&r->names);
	sections[RAW_S_VNAMES] = buf_span(&r->vnames);
	sections[RAW_S_VALUES] = buf_span(&r->values);
	raw_emit(im, sections, out);
	out->failed = out->failed || r->data.failed || r->values.failed;
	if (behind != 0)
		warn_lost_at(r->context, im->at[RAW_S_DATA] +
		    im->size[RAW_S_DATA], "data: records lost, as they are cut "
		    "off: %llu of %llu", ull(behind), ull(data));
	if (r->lost != 0)
		warn_lost_at(r->context, r->why.offset, "counters: records "
		    "lost: %llu of %llu: %s", ull(r->lost),
		    ull(data), r->why.reason);
	if (r->values_lost != 0)
		warn_lost_at(r->context, im->at[RAW_S_VALUES], "value data: "
		    "functions whose values are lost, and sites empty: %llu of "
		    "%llu that have any",
		    ull(r->values_lost), ull(r->value_records));
}

/*
 * Adds a part with the intact records of an image, and warns of the others.
 * PROF_FAIL if there is none; end is not set then.
 */
static enum prof_status
raw_salvage_image(struct prof_context *context, struct prof_span file,
    struct raw_damaged *found, struct repaired *m, struct prof_error *err)
{
	struct raw_salvager r = { .context = context, .found = found };
	enum prof_status status = PROF_FAIL;

	if (raw_image_open_as(&r.im, file, found->at, true, err) != PROF_OK)
		return PROF_FAIL;
	if (raw_salvage_records(&r, err) == PROF_OK &&
	    raw_salvage_names(&r, RAW_S_NAMES, "names", &r.names, err) ==
	    PROF_OK && raw_salvage_names(&r, RAW_S_VNAMES, "vtable names",
	    &r.vnames, err) == PROF_OK)
		status = repaired_begin(m, found->at, true) ? PROF_OK :
		    err_memory(err);
	if (r.data.failed || r.values.failed || r.names.failed ||
	    r.vnames.failed)
		status = err_memory(err);
	if (status == PROF_OK)
		raw_salvage_emit(&r, &m->image);
	buf_free(&r.data);
	buf_free(&r.values);
	buf_free(&r.names);
	buf_free(&r.vnames);
	arena_free(&r.arena);
	return status;
}

/* The walk over the images of a file. */

/*
 * Images of one file that may be given up.  The sections of such an image may
 * reach to the end of the file, and the search goes on at its header: the bytes
 * behind are read once more for each of them.
 */
enum { GIVEN_UP_MAX = 16 };

/*
 * Copies an intact image; PROF_END if it is not intact.  One whose records
 * count sites, but whose bytes behind are no value data, is not.
 */
static enum prof_status
raw_repair_copy_image(struct prof_span file, struct raw_damaged *found,
    struct repaired *m, struct prof_error *err)
{
	size_t at = found->at, *end = &found->end;
	struct prof_error why = { 0 };
	enum prof_status status;
	struct raw_image im;

	if (raw_image_open(&im, file, at, &why) != PROF_OK ||
	    raw_extent(&im, end, &why) != PROF_OK ||
	    (im.row->values == RAW_VALUES_BLOCKS &&
	    *end == im.at[RAW_S_VALUES] && raw_has_values(&im, *end) &&
	    raw_counts_sites(&im)))
		return why.code == PROF_E_MEMORY ? err_memory(err) : PROF_END;
	status = codec_decodes(raw_open, NULL,
	    (struct prof_span){ file.data + at, *end - at }, err);
	if (status != PROF_OK)
		return status;
	if (!repaired_begin(m, at, false))
		return err_memory(err);
	buf_put(&m->image, file.data + at, *end - at);
	found->end_known = true;
	return PROF_OK;
}

static bool
raw_repair_is_image(struct prof_span file, size_t at)
{
	return file.size - at >= 16 &&
	    memcmp(file.data + at, file.data, 8) == 0;
}

/*
 * The next offset with the magic of the file's first image, or the end of the
 * file.  *lost: there are other bytes than zeros before it.
 */
static size_t
raw_repair_next_image(struct prof_span file, size_t at, bool *lost)
{
	at = raw_skip_zeros(file, at);
	*lost = at < file.size && !raw_repair_is_image(file, at);
	while (at < file.size && !raw_repair_is_image(file, at))
		at++;
	return at;
}

/* Copies or repairs an image; *found is set, also if the image is given up. */
static enum prof_status
raw_repair_image(struct prof_context *context, struct prof_span file,
    struct raw_damaged *found, struct repaired *m, struct prof_error *err)
{
	struct prof_error e = { 0 };
	enum prof_status status = raw_repair_copy_image(file, found, m, &e);

	if (status == PROF_END)
		status = raw_salvage_image(context, file, found, m, &e);
	if (status != PROF_OK) {
		if (m->count == 0 || e.code == PROF_E_MEMORY) {
			*err = e;
			return PROF_FAIL;
		}
		warn_lost_at(context, found->at, "a profile after others is "
		    "lost: %s", e.reason);
		/* The profile before is marked, as of this one nothing is. */
		m->parts[m->count - 1].damaged = true;
	}
	if (status != PROF_OK || found->end < found->at + 16) {
		found->end = found->at + 8;
		found->end_known = false;
		found->given_up = true;
	}
	return PROF_OK;
}

enum prof_status
raw_repair(struct prof_context *context, struct prof_span file,
    struct repaired *m, struct prof_error *err)
{
	struct names_limit limit = codec_names_limit(context, file.size);
	unsigned given_up = 0;
	size_t at = 0;
	bool lost;

	while (at < file.size && given_up < GIVEN_UP_MAX) {
		struct raw_damaged found = { .at = at, .limit = &limit };

		if (raw_repair_image(context, file, &found, m, err) != PROF_OK)
			return PROF_FAIL;
		at = raw_repair_next_image(file, found.end, &lost);
		if (lost && found.end_known) {
			warn_lost_at(context, found.end, "%zu bytes after a "
			    "profile are lost", at - found.end);
			m->parts[m->count - 1].damaged = true;
		}
		given_up += found.given_up;
	}
	if (at < file.size) {
		warn_lost_at(context, at, "the rest, %zu bytes, is not "
		    "searched; profiles lost already: %u", file.size - at,
		    given_up);
		m->parts[m->count - 1].damaged = true;
	}
	return PROF_OK;
}
