#include "fuzz/fields.h"

#include "base/bytes.h"
#include "format/indexed/indexed.h"
#include "format/lprf/v2.h"
#include "format/memprof-raw/layout.h"
#include "format/memprof/layout.h"
#include "format/raw/raw.h"

enum { RADIX_FIELDS = 16 };

struct field_list {
	struct prof_span image;
	struct field *fields;
	size_t count;
	bool big;
};

static void
add_field(struct field_list *l, uint64_t at, uint8_t width)
{
	if (l->count < FIELDS_MAX && at < l->image.size &&
	    width <= l->image.size - at)
		l->fields[l->count++] = (struct field){ (size_t)at, width,
		    l->big };
}

static void
add_words(struct field_list *l, uint64_t at, size_t count)
{
	for (size_t i = 0; i < count; i++)
		add_field(l, at + 8 * i, 8);
}

static uint64_t
word_at(const struct field_list *l, uint64_t at)
{
	return at < l->image.size && l->image.size - at >= 8 ?
	    load_u64(l->image.data + at, l->big) : 0;
}

/* The value of a header field, 0 if the version lacks it. */
static uint64_t
raw_value(const struct field_list *l, const struct raw_row *row,
    enum raw_field field)
{
	for (size_t i = 0; row->header[i] != RAW_END; i++) {
		if (row->header[i] == field)
			return word_at(l, 16 + RAW_FIELD_SIZE * i);
	}
	return 0;
}

static void
add_raw_fields(struct field_list *l, unsigned pointer_bytes, size_t place)
{
	const struct raw_row *row = raw_row(word_at(l, 8) & 0xffffffff);
	struct raw_record_layout record;
	uint64_t at, records;

	if (row == NULL)
		return;
	add_words(l, 8, raw_header_size(row) / 8 - 1);
	raw_record_layout(row, pointer_bytes, row->value_kinds, &record);
	records = raw_value(l, row, RAW_NUM_DATA);
	at = raw_header_size(row) + raw_value(l, row, RAW_BINARY_IDS_SIZE);
	at += record.size * (records == 0 ? 0 : place % records);
	for (size_t i = 0; row->record[i] != RAW_M_END; i++) {
		unsigned member = row->record[i];
		uint8_t width = raw_members[member].width;

		add_field(l, at + record.offset[member],
		    width == 0 ? (uint8_t)pointer_bytes : width);
	}
}

/* Words, schema and some elements of the array of call stacks. */
static void
add_memprof_fields(struct field_list *l, uint64_t at, size_t place)
{
	const struct memprof_row *row = memprof_row(word_at(l, at));
	size_t from, to;
	uint64_t begin, end;

	if (row == NULL)
		return;
	add_words(l, at, memprof_words_size(row) / 8 + 6);
	from = memprof_word_at(row, MEMPROF_STACK_PAYLOAD);
	to = memprof_word_at(row, MEMPROF_RECORD_PAYLOAD);
	if (row->stacks != MEMPROF_RADIX_INDEX || from == SIZE_MAX ||
	    to == SIZE_MAX)
		return;
	begin = word_at(l, at + from);
	end = word_at(l, at + to);
	if (begin >= end || end > l->image.size)
		return;
	begin += place % (end - begin) / 4 * 4;
	for (size_t i = 0; i < RADIX_FIELDS && begin + 4 * i < end; i++)
		add_field(l, begin + 4 * i, 4);
	/* A record refers to stacks by their indices in the array. */
	add_words(l, end + place % 64 * 4, 8);
}

static void
add_indexed_fields(struct field_list *l, size_t place)
{
	const struct indexed_row *row =
	    indexed_row(word_at(l, 8) & 0xffffffff);
	uint64_t table = word_at(l, INDEXED_HEADER_MIN - 8);

	if (row == NULL)
		return;
	add_words(l, 8, indexed_header_size(row) / 8 + 3);
	/* Buckets and entries, and the items that they point to. */
	add_words(l, table, 6);
	add_words(l, word_at(l, table + 16 + place % 8 * 8), 4);
	for (unsigned s = INDEXED_NO_SECTION + 1; s < INDEXED_SECTIONS; s++) {
		uint64_t at;

		if (!indexed_row_has(row, s))
			continue;
		at = word_at(l, indexed_offset_at(row, s));
		if (s == INDEXED_MEMPROF && place % 2 == 0)
			add_memprof_fields(l, at, place / 2);
		else
			add_words(l, at, 4);
	}
}

static void
add_memprof_raw_fields(struct field_list *l, size_t place)
{
	const struct mraw_row *row = mraw_row(word_at(l, 8));
	uint64_t at;

	if (row == NULL)
		return;
	add_words(l, 8, MRAW_HEADER_MEMBERS - 1);
	for (unsigned i = 0; i < MRAW_SECTIONS; i++) {
		at = word_at(l, 8 * (MRAW_HEADER_OFFSETS + i));
		add_words(l, at, 3 + (i == MRAW_SEGMENTS ?
		    row->segment.size / 8u : 0));
	}
	/* A block, whose fields are packed. */
	at = word_at(l, 8 * (MRAW_HEADER_OFFSETS + (unsigned)MRAW_BLOCKS)) +
	    MRAW_COUNT +
	    place % 4 * (MRAW_BLOCK_ID + (uint64_t)row->block_size);
	add_field(l, at + MRAW_BLOCK_ID + mraw_histogram_size_at(row), 4);
	for (size_t i = 0; i < row->block_size / 4u; i++)
		add_field(l, at + MRAW_BLOCK_ID + 4 * i, 4);
}

size_t
fields_of(struct prof_span image, size_t place,
    struct field fields[FIELDS_MAX])
{
	struct field_list l = { .image = image, .fields = fields };

	for (int big = 0; big < 2; big++) {
		l.big = big != 0;
		if (word_at(&l, 0) == RAW_MAGIC_64)
			add_raw_fields(&l, 8, place);
		else if (word_at(&l, 0) == RAW_MAGIC_32)
			add_raw_fields(&l, 4, place);
		else if (word_at(&l, 0) == MRAW_MAGIC)
			add_memprof_raw_fields(&l, place);
		else if (!l.big && word_at(&l, 0) == INDEXED_MAGIC)
			add_indexed_fields(&l, place);
		else if (!l.big && (word_at(&l, 0) & 0xffffffff) == LPRF_MAGIC)
			add_words(&l, 8, 2 + LPRF2_HEADER / 8 + place % 32);
	}
	return l.count;
}
