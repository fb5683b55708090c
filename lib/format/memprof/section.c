#include "format/memprof/section.h"

#include "base/error.h"
#include "model/mib.h"
#include "model/memprof/ids.h"

/*
 * Version 0 has no version word: its first word is an offset, which is larger
 * than that of the section's beginning.
 */
static enum prof_status
section_read_version(struct memprof_section *s, const struct cursor *c,
    struct prof_error *err)
{
	struct cursor first = *c;
	uint64_t word = cur_u64(&first);

	if (first.failed)
		return err_at(err, PROF_E_TRUNCATED, c->pos, "MemProf: the 8 "
		    "bytes of a section's first word exceed the %zu left",
		    cur_left(c));
	if (word > memprof_newest && word < s->start)
		return err_at(err, PROF_E_VERSION, c->pos,
		    "MemProf version %llu is newer than %u, the newest known",
		    ull(word), memprof_newest);
	s->row = memprof_row(word <= memprof_newest ? word : 0);
	return PROF_OK;
}

/* Offsets must be after the words; that of data accesses may be 0. */
static enum prof_status
section_check_word(const struct memprof_section *s, enum memprof_word word,
    size_t at, struct prof_error *err)
{
	size_t end = s->start + memprof_words_size(s->row);
	uint64_t n = s->words[word];

	if (word == MEMPROF_VERSION || (word == MEMPROF_DATA_ACCESS && n == 0))
		return PROF_OK;
	if (n < end || n > s->image.size)
		return err_at(err, PROF_E_CORRUPT, at,
		    "%s %llu is not between %zu and %zu",
		    memprof_word_names[word], ull(n), end,
		    s->image.size);
	return PROF_OK;
}

static enum prof_status
section_read_words(struct memprof_section *s, struct cursor *c,
    struct prof_error *err)
{
	if (cur_left(c) < memprof_words_size(s->row))
		return err_at(err, PROF_E_TRUNCATED, c->pos, "MemProf: the %zu "
		    "bytes at a section's beginning exceed the %zu left",
		    memprof_words_size(s->row), cur_left(c));
	for (size_t i = 0; i < s->row->words; i++) {
		enum memprof_word word = s->row->word[i];

		s->words[word] = cur_u64(c);
		if (section_check_word(s, word, c->pos - 8, err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

/* Further fields, which later writers may add, are ignored. */
static enum prof_status
section_read_summary(struct memprof_section *s, struct cursor *c,
    struct prof_error *err)
{
	size_t at = c->pos;
	uint32_t fields;

	if (!s->row->summary)
		return PROF_OK;
	fields = cur_u32(c);
	if (!c->failed && fields < MEMPROF_SUMMARY_FIELDS)
		return err_at(err, PROF_E_CORRUPT, at, "MemProf summary: %u "
		    "fields are less than the %d required", fields,
		    MEMPROF_SUMMARY_FIELDS);
	if (c->failed || fields > cur_left(c) / 8)
		return err_at(err, PROF_E_TRUNCATED, at, "MemProf summary: %u "
		    "fields exceed the %zu bytes left", fields, cur_left(c));
	for (uint32_t i = 0; i < fields; i++) {
		uint64_t value = cur_u64(c);

		if (i < MEMPROF_SUMMARY_FIELDS)
			s->summary[i] = value;
	}
	return PROF_OK;
}

static enum prof_status
section_read_field(struct memprof_section *s, struct cursor *c,
    struct prof_error *err)
{
	size_t at = c->pos;
	uint64_t id = cur_u64(c);

	if (id >= PROF_MIB_FIELDS)
		return err_at(err, PROF_E_VERSION, at, "MemProf schema: field "
		    "%llu is newer than %d, the newest known", ull(id),
		    PROF_MIB_FIELDS - 1);
	if (id == 0)
		return err_at(err, PROF_E_CORRUPT, at,
		    "MemProf schema: there is no field 0");
	if ((s->schema >> id & 1) != 0)
		return err_at(err, PROF_E_CORRUPT, at, "MemProf schema: field "
		    "%llu occurs twice", ull(id));
	s->schema |= UINT32_C(1) << id;
	s->fields[s->fields_size++] = (uint8_t)id;
	s->mib_size += mib_bytes((unsigned)id);
	return PROF_OK;
}

static enum prof_status
section_read_schema(struct memprof_section *s, struct cursor *c,
    struct prof_error *err)
{
	size_t at = c->pos;
	uint64_t fields = cur_u64(c);

	if (c->failed || fields > cur_left(c) / 8)
		return err_at(err, PROF_E_TRUNCATED, at, "MemProf schema: %llu "
		    "fields exceed the %zu bytes left", ull(fields),
		    cur_left(c));
	for (uint64_t i = 0; i < fields; i++) {
		if (section_read_field(s, c, err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

/* Checks that an offset is where the previous part ends. */
static enum prof_status
section_check_follows(const struct memprof_section *s, enum memprof_word word,
    size_t end, struct prof_error *err)
{
	size_t at = memprof_word_at(s->row, word);

	if (at == SIZE_MAX || s->words[word] == end)
		return PROF_OK;
	return err_at(err, PROF_E_CORRUPT, s->start + at, "%s %llu is not %zu, "
	    "where the part before ends", memprof_word_names[word],
	    ull(s->words[word]), end);
}

/* Finds the hash table whose payload begins at c, and moves c to its end. */
static enum prof_status
section_open_table(const struct memprof_section *s, struct disk_hash *t,
    const struct memprof_table_layout *layout, struct cursor *c,
    struct prof_error *err)
{
	*t = (struct disk_hash){ .image = s->image, .payload = c->pos,
	    .keys = layout->key_sizes ? DISK_HASH_IDS : DISK_HASH_UNSIZED_IDS };
	if (section_check_follows(s, layout->payload, c->pos, err) !=
	    PROF_OK ||
	    disk_hash_open(t, s->words[layout->head], err) != PROF_OK)
		return PROF_FAIL;
	c->pos = t->end;
	return PROF_OK;
}

struct section_array {
	size_t element;			/* bytes of an element */
	size_t first;			/* offset */
	size_t size;			/* elements */
};

/* Finds the array from c to the offset `next`, and moves c there. */
static enum prof_status
section_open_array(const struct memprof_section *s, enum memprof_word next,
    struct section_array *a, struct cursor *c, struct prof_error *err)
{
	uint64_t end = s->words[next];
	size_t at = s->start + memprof_word_at(s->row, next);

	if (end < c->pos || end > c->size)
		return err_at(err, PROF_E_CORRUPT, at, "%s %llu is not between "
		    "%zu and %zu", memprof_word_names[next], ull(end),
		    c->pos, c->size);
	if ((end - c->pos) % a->element != 0)
		return err_at(err, PROF_E_CORRUPT, at, "%s %llu: the %llu "
		    "bytes before it are not a multiple of %zu",
		    memprof_word_names[next], ull(end), ull(end - c->pos),
		    a->element);
	a->first = c->pos;
	a->size = (size_t)(end - c->pos) / a->element;
	c->pos = (size_t)end;
	return PROF_OK;
}

static enum prof_status
section_open_arrays(struct memprof_section *s, struct cursor *c,
    struct prof_error *err)
{
	struct section_array frames = { .element = MEMPROF_FRAME_SIZE };
	struct section_array radix = { .element = sizeof(uint32_t) };

	if (section_open_array(s, MEMPROF_STACK_PAYLOAD, &frames, c, err) !=
	    PROF_OK || section_open_array(s, MEMPROF_RECORD_PAYLOAD, &radix, c,
	    err) != PROF_OK)
		return PROF_FAIL;
	s->frames = frames.first;
	s->frames_size = frames.size;
	s->radix = radix.first;
	s->radix_size = radix.size;
	return section_open_table(s, &s->records, &memprof_record_table, c,
	    err);
}

static enum prof_status
section_open_tables(struct memprof_section *s, struct cursor *c,
    struct prof_error *err)
{
	if (section_open_table(s, &s->records, &memprof_record_table, c,
	    err) != PROF_OK || section_open_table(s, &s->frame_table,
	    &memprof_frame_table, c, err) != PROF_OK)
		return PROF_FAIL;
	if (s->row->stacks == MEMPROF_FRAME_IDS)
		return PROF_OK;
	return section_open_table(s, &s->stack_table, &memprof_stack_table, c,
	    err);
}

enum prof_status
memprof_section_open(struct memprof_section *s, struct prof_span image,
    size_t start, struct prof_error *err)
{
	struct cursor c = { .data = image.data, .size = image.size,
	    .pos = start };
	enum prof_status status;

	*s = (struct memprof_section){ .image = image, .start = start };
	if (section_read_version(s, &c, err) != PROF_OK ||
	    section_read_words(s, &c, err) != PROF_OK ||
	    section_read_summary(s, &c, err) != PROF_OK ||
	    section_read_schema(s, &c, err) != PROF_OK)
		return PROF_FAIL;
	status = s->row->stacks == MEMPROF_RADIX_INDEX ?
	    section_open_arrays(s, &c, err) : section_open_tables(s, &c, err);
	if (status != PROF_OK)
		return PROF_FAIL;
	s->tables_end = c.pos;
	if (s->words[MEMPROF_DATA_ACCESS] == 0)
		return PROF_OK;
	s->data_access = c.pos;
	return section_check_follows(s, MEMPROF_DATA_ACCESS, c.pos, err);
}
