/*
 * A damaged raw image is laid down anew from the records whose counters, bitmap
 * and uniform counters are all there, in their order.
 *
 * A file that was cut has lost what is behind: value data first, then names
 * (functions then stand by their guid), then counters.
 */
#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "model/name_section.h"
#include "format/raw/check.h"
#include "format/raw/image.h"
#include "format/raw/salvage.h"
#include "model/value_data.h"
#include "model/variants.h"

struct rescue {
	struct prof_context *context;
	struct raw_image im;
	struct buf *out;
	struct names_limit limit;
	uint64_t kept, lost, sites;
	uint64_t value_records, values_lost;
	struct prof_error why;		/* of the first record that is lost */
	struct buf data, values, names, vnames;
	size_t end;			/* of what could be read */
	bool ends;			/* nothing is between it and the next */
	struct arena arena;
};

static unsigned long long
show(uint64_t n)
{
	return n;
}

/* All that a reader will want of a record. */
static enum prof_status
check_record(const struct rescue *r, uint64_t i, const struct raw_record *rec,
    struct prof_error *err)
{
	const struct raw_image *im = &r->im;
	unsigned stamp = 8 / raw_counter_width(im);
	struct raw_place place;
	uint64_t guid;

	if (raw_place(im, i, rec, &place, err) != PROF_OK ||
	    raw_guid(im, i, rec, &guid, err) != PROF_OK)
		return PROF_FAIL;
	if (im->claimed[RAW_S_UNIFORM] != 0 && !place.has_uniform)
		return err_at(err, PROF_E_CORRUPT, im->file.size,
		    "record %llu: its uniform counters are cut off", show(i));
	if (im->version_word & VARIANT_TEMPORAL && rec->num_counters < stamp)
		return err_at(err, PROF_E_CORRUPT,
		    raw_member_at(im, i, RAW_NUM_COUNTS), "record %llu: no "
		    "room for a time stamp", show(i));
	for (unsigned k = PROF_VALUE_KINDS; k < im->value_kinds; k++) {
		if (raw_value_sites(im, rec, k) != 0)
			return err_at(err, PROF_E_UNSUPPORTED,
			    raw_member_at(im, i, RAW_NUM_VALUE_SITES),
			    "record %llu: value sites of unknown kind %u",
			    show(i), k);
	}
	return PROF_OK;
}

static bool
has_sites(const struct raw_image *im, const struct raw_record *rec)
{
	for (unsigned k = 0; k < im->value_kinds; k++) {
		if (raw_value_sites(im, rec, k) != 0)
			return true;
	}
	return false;
}

/* Whether the block has the sites that the record counts. */
static bool
agrees(const struct raw_image *im, const struct raw_record *rec,
    const struct prof_sites sites[PROF_VALUE_KINDS])
{
	for (unsigned k = 0; k < im->value_kinds; k++) {
		size_t there = k < PROF_VALUE_KINDS ? sites[k].size : 0;

		if (there != raw_value_sites(im, rec, k))
			return false;
	}
	return true;
}

/* The sites of a record whose values are lost. */
static bool
put_empty(struct rescue *r, const struct raw_record *rec)
{
	struct prof_sites sites[PROF_VALUE_KINDS];
	uint64_t cut = 0;

	arena_reset(&r->arena);
	for (unsigned k = 0; k < PROF_VALUE_KINDS; k++) {
		size_t n = raw_value_sites(&r->im, rec, k);
		struct prof_site *p = arena_array(&r->arena, n, sizeof(*p));

		for (size_t i = 0; i < n && p != NULL; i++)
			p[i] = (struct prof_site){ NULL, 0 };
		if (p == NULL)
			return false;
		sites[k] = (struct prof_sites){ p, n };
		r->sites += n;
	}
	values_write(&r->values, sites, PROF_VALUE_KINDS, r->im.big, &cut);
	return true;
}

/*
 * The block of a record: a copy, or empty sites once a block was not whole.
 * Records that are lost have blocks too.
 */
static enum prof_status
take_values(struct rescue *r, struct cursor *c, const struct raw_record *rec,
    bool keep, struct prof_error *err)
{
	struct prof_sites sites[PROF_VALUE_KINDS];
	struct cursor block = *c;

	if (!has_sites(&r->im, rec))
		return PROF_OK;
	r->value_records++;
	arena_reset(&r->arena);
	if (!c->failed && values_read(&block, &r->arena, NULL, sites,
	    NULL) == PROF_OK && agrees(&r->im, rec, sites)) {
		if (keep)
			buf_put(&r->values, c->data + c->pos,
			    block.pos - c->pos);
		*c = block;
		return PROF_OK;
	}
	c->failed = true;
	r->values_lost += keep;
	if (keep && !put_empty(r, rec))
		return err_memory(err);
	return raw_check_program(&r->im, r->sites, "value sites",
	    r->im.field[RAW_NUM_COUNTERS], "NumCounters", err);
}

/* A relative pointer is counted from its record, which moves. */
static void
move_pointer(struct rescue *r, uint8_t *record, enum raw_member m,
    uint64_t distance)
{
	const struct raw_record_layout *l = &r->im.layout;
	uint8_t *p = record + l->offset[m];
	unsigned width = r->im.pointer_bytes;
	uint64_t v;

	if (!r->im.relative || !l->has[m])
		return;
	v = width == 8 ? load_u64(p, r->im.big) : load_u32(p, r->im.big);
	v += distance;
	for (unsigned i = 0; i < width; i++)
		p[r->im.big ? width - 1 - i : i] = (uint8_t)(v >> 8 * i);
}

static void
put_record(struct rescue *r, uint64_t i)
{
	const struct raw_image *im = &r->im;
	uint64_t distance = (i - r->kept) * im->layout.size;
	uint8_t *record = buf_reserve(&r->data, im->layout.size);

	r->kept++;
	if (record == NULL)
		return;
	memcpy(record, im->file.data + im->at[RAW_S_DATA] +
	    (size_t)i * im->layout.size, im->layout.size);
	r->data.size += im->layout.size;
	if (distance == 0)
		return;
	move_pointer(r, record, RAW_COUNTER_PTR, distance);
	move_pointer(r, record, RAW_BITMAP_PTR, distance);
	move_pointer(r, record, RAW_UNIFORM_PTR, distance);
}

static enum prof_status
take_records(struct rescue *r, struct prof_error *err)
{
	const struct raw_image *im = &r->im;
	struct cursor c = { .data = im->file.data, .big = im->big,
	    .pos = im->at[RAW_S_VALUES],
	    .size = im->at[RAW_S_VALUES] + im->size[RAW_S_VALUES] };
	bool any = raw_has_values(im, c.pos);

	c.failed = !any;
	for (uint64_t i = 0; i < im->field[RAW_NUM_DATA]; i++) {
		struct raw_record rec;
		bool keep;

		raw_record_get(im, i, &rec);
		keep = check_record(r, i, &rec, &r->why) == PROF_OK;
		r->lost += !keep;
		if ((any || im->is_cut) && im->row->values != RAW_VALUES_NONE &&
		    take_values(r, &c, &rec, keep, err) != PROF_OK)
			return PROF_FAIL;
		if (keep)
			put_record(r, i);
	}
	r->end = c.pos;
	r->ends = !c.failed || !any;
	if (im->row->values == RAW_VALUES_SIZED)
		r->end = im->at[RAW_S_VALUES] + im->size[RAW_S_VALUES];
	if (im->is_cut)
		r->end = im->file.size;
	/* Counters without records would be taken for correlated ones. */
	if (r->kept == 0 && (im->claimed[RAW_S_DATA] != 0 ||
	    im->size[RAW_S_COUNTERS] == 0))
		return err_at(err, PROF_E_TRUNCATED, im->at[RAW_S_DATA],
		    "no function is whole");
	return PROF_OK;
}

/* One chunk of plain names. */
static void
put_names(struct buf *out, const struct names *n)
{
	struct buf joined = { 0 };

	for (size_t i = 0; i < n->list_size; i++) {
		if (n->list[i].size == 0)
			continue;
		if (joined.size != 0)
			buf_u8(&joined, 0x01);
		buf_put(&joined, n->list[i].data, n->list[i].size);
	}
	if (joined.size != 0) {
		buf_uleb(out, joined.size);
		buf_uleb(out, 0);
		buf_put(out, joined.data, joined.size);
	}
	out->failed = out->failed || joined.failed;
	buf_free(&joined);
}

/* The section as it is if it is whole, else the names before the damage. */
static enum prof_status
take_names(struct rescue *r, enum raw_section s, const char *what,
    struct buf *out, struct prof_error *err)
{
	const struct raw_image *im = &r->im;
	struct prof_span section = { im->file.data + im->at[s], im->size[s] };
	enum prof_status status;
	struct names n = { 0 };
	bool whole = true;

	if (im->row->addressed_names) {
		buf_put(out, section.data, section.size);
		return PROF_OK;
	}
	status = names_salvage(&n, section, &r->limit, &whole, err);
	if (status == PROF_OK && whole && section.size == im->claimed[s])
		buf_put(out, section.data, section.size);
	else if (status == PROF_OK)
		put_names(out, &n);
	if (status == PROF_OK &&
	    (!whole || section.size != im->claimed[s]))
		warn_lost_at(r->context, im->at[s] + section.size, "%s: %zu of "
		    "%llu bytes are there, %zu whole names: the others are "
		    "lost", what, section.size, show(im->claimed[s]),
		    n.list_size);
	names_free(&n);
	return status;
}

/* Bytes of the ids that are whole; v6 and v7 may not pad them. */
static size_t
whole_ids(const struct raw_image *im, bool padded)
{
	struct cursor c = { .data = im->file.data, .big = im->big,
	    .pos = im->at[RAW_S_IDS],
	    .size = im->at[RAW_S_IDS] + im->size[RAW_S_IDS] };
	size_t end = c.pos;

	while (cur_left(&c) > 0) {
		uint64_t length = cur_u64(&c);

		cur_bytes(&c, length);
		if (padded)
			cur_bytes(&c, pad8(length));
		if (c.failed || length == 0)
			break;
		end = c.pos;
	}
	return end - im->at[RAW_S_IDS];
}

static size_t
ids_size(const struct raw_image *im)
{
	size_t loose;

	if (im->row->ids != RAW_IDS_LOOSE)
		return whole_ids(im, true);
	loose = whole_ids(im, false);
	return loose == im->size[RAW_S_IDS] ? loose : whole_ids(im, true);
}

static void
put_section(struct rescue *r, enum raw_section s, size_t size)
{
	buf_put(r->out, r->im.file.data + r->im.at[s], size);
}

static void
put_header(struct rescue *r, size_t ids)
{
	const struct raw_image *im = &r->im;
	uint64_t field[RAW_FIELDS];

	memcpy(field, im->field, sizeof(field));
	field[RAW_BINARY_IDS_SIZE] = ids;
	field[RAW_NUM_DATA] = r->kept;
	field[RAW_PADDING_BEFORE_COUNTERS] = 0;
	field[RAW_PADDING_AFTER_COUNTERS] = pad8(im->size[RAW_S_COUNTERS]);
	field[RAW_PADDING_AFTER_BITMAP] = pad8(im->size[RAW_S_BITMAP]);
	field[RAW_PADDING_AFTER_UNIFORM] = 0;
	field[RAW_NAMES_SIZE] = r->names.size;
	field[RAW_VNAMES_SIZE] = r->vnames.size;
	field[RAW_VALUE_DATA_SIZE] = r->values.size;
	buf_number(r->out, im->magic, 8, im->big);
	buf_number(r->out, im->version_word, 8, im->big);
	for (const uint8_t *f = im->row->header; *f != RAW_END; f++)
		buf_number(r->out, field[*f], 8, im->big);
}

/* Whether the version has a field that says how much padding there is. */
static void
put_padding(struct rescue *r, enum raw_field padding, uint64_t size)
{
	for (const uint8_t *f = r->im.row->header; *f != RAW_END; f++) {
		if (*f == padding)
			buf_zeros(r->out, (size_t)pad8(size));
	}
}

static void
put_padded(struct rescue *r, const struct buf *b)
{
	buf_put(r->out, b->data, b->size);
	buf_zeros(r->out, (size_t)pad8(b->size));
	r->out->failed = r->out->failed || b->failed;
}

static void
put_image(struct rescue *r)
{
	const struct raw_image *im = &r->im;
	size_t vtables = im->size[RAW_S_VTABLES], ids = ids_size(im);

	put_header(r, ids);
	put_section(r, RAW_S_IDS, ids);
	buf_put(r->out, r->data.data, r->data.size);
	put_section(r, RAW_S_COUNTERS, im->size[RAW_S_COUNTERS]);
	put_padding(r, RAW_PADDING_AFTER_COUNTERS, im->size[RAW_S_COUNTERS]);
	put_section(r, RAW_S_BITMAP, im->size[RAW_S_BITMAP]);
	put_padding(r, RAW_PADDING_AFTER_BITMAP, im->size[RAW_S_BITMAP]);
	put_section(r, RAW_S_UNIFORM, im->size[RAW_S_UNIFORM]);
	put_padded(r, &r->names);
	put_section(r, RAW_S_VTABLES, vtables);
	buf_zeros(r->out, (size_t)pad8(vtables));
	put_padded(r, &r->vnames);
	buf_put(r->out, r->values.data, r->values.size);
	r->out->failed = r->out->failed || r->data.failed || r->values.failed;
}

static void
tell(const struct rescue *r)
{
	const struct raw_image *im = &r->im;
	uint64_t data = im->claimed[RAW_S_DATA] / im->layout.size;
	uint64_t behind = data - im->field[RAW_NUM_DATA];

	if (behind != 0)
		warn_lost_at(r->context, im->at[RAW_S_DATA] +
		    im->size[RAW_S_DATA], "data: %llu of %llu records are cut "
		    "off: lost", show(behind), show(data));
	if (r->lost != 0)
		warn_lost_at(r->context, r->why.offset, "counters: %llu of "
		    "%llu records are lost: %s", show(r->lost), show(data),
		    r->why.reason);
	if (r->values_lost != 0)
		warn_lost_at(r->context, im->at[RAW_S_VALUES], "value data: "
		    "the values of %llu of %llu functions that have any are "
		    "lost: their sites are empty", show(r->values_lost),
		    show(r->value_records));
}

enum prof_status
raw_salvage_image(struct prof_context *context, struct prof_span file, size_t at,
    struct repaired *m, size_t *end, bool *ends, struct prof_error *err)
{
	struct rescue r = { .context = context, .out = &m->image,
	    .limit = names_limit_of(file.size) };
	enum prof_status status = PROF_FAIL;

	if (raw_image_open_part(&r.im, file, at, err) != PROF_OK)
		return PROF_FAIL;
	if (take_records(&r, err) == PROF_OK &&
	    take_names(&r, RAW_S_NAMES, "names", &r.names, err) == PROF_OK &&
	    take_names(&r, RAW_S_VNAMES, "vtable names", &r.vnames, err)
	    == PROF_OK)
		status = repaired_begin(m, at, true) ? PROF_OK : err_memory(err);
	if (status == PROF_OK) {
		put_image(&r);
		tell(&r);
	}
	*end = r.end;
	*ends = r.ends;
	buf_free(&r.data);
	buf_free(&r.values);
	buf_free(&r.names);
	buf_free(&r.vnames);
	arena_free(&r.arena);
	return status;
}
