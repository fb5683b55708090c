#include <inttypes.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"
#include "format/memprof/layout.h"
#include "format/memprof/read.h"
#include "format/codec.h"

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
section_read_words(struct memprof_section *s, struct cursor *c,
    struct prof_error *err)
{
	size_t end = s->start + memprof_words_size(s->row);

	if (cur_left(c) < memprof_words_size(s->row))
		return err_at(err, PROF_E_TRUNCATED, c->pos, "MemProf: the %zu "
		    "bytes at a section's beginning exceed the %zu left",
		    memprof_words_size(s->row), cur_left(c));
	for (size_t i = 0; i < s->row->words; i++) {
		enum memprof_word word = s->row->word[i];
		uint64_t n = cur_u64(c);

		s->words[word] = n;
		if (word == MEMPROF_VERSION ||
		    (word == MEMPROF_DATA_ACCESS && n == 0))
			continue;
		if (n < end || n > s->image.size)
			return err_at(err, PROF_E_CORRUPT, c->pos - 8,
			    "%s %llu is not between %zu and %zu",
			    memprof_word_names[word], ull(n), end,
			    s->image.size);
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
	s->contexts = cur_u64(c);
	cur_bytes(c, (fields - UINT64_C(1)) * 8);
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
	return PROF_OK;
}

/*
 * Finds the parts of a section that begins at `start` and ends before the end
 * of the image.  The contents of hash tables, arrays and data accesses are not
 * checked.  PROF_E_VERSION if the version or a field is newer than known.
 */
static enum prof_status
memprof_section_open(struct memprof_section *s, struct prof_span image,
    size_t start, struct prof_error *err)
{
	struct cursor c = { .data = image.data, .size = image.size,
	    .pos = start };
	enum memprof_stack_form form;

	*s = (struct memprof_section){ .image = image, .start = start };
	if (section_read_version(s, &c, err) != PROF_OK ||
	    section_read_words(s, &c, err) != PROF_OK ||
	    section_read_summary(s, &c, err) != PROF_OK ||
	    section_read_schema(s, &c, err) != PROF_OK)
		return PROF_FAIL;
	form = s->row->stacks;
	if ((form == MEMPROF_RADIX_INDEX &&
	    section_open_arrays(s, &c, err) != PROF_OK) ||
	    section_open_table(s, &s->records, &memprof_record_table, &c,
	    err) != PROF_OK ||
	    (form != MEMPROF_RADIX_INDEX && section_open_table(s,
	    &s->frame_table, &memprof_frame_table, &c, err) != PROF_OK) ||
	    (form == MEMPROF_STACK_IDS && section_open_table(s,
	    &s->stack_table, &memprof_stack_table, &c, err) != PROF_OK))
		return PROF_FAIL;
	s->tables_end = c.pos;
	if (s->words[MEMPROF_DATA_ACCESS] == 0)
		return PROF_OK;
	s->data_access = c.pos;
	return section_check_follows(s, MEMPROF_DATA_ACCESS, c.pos, err);
}

/* Bytes of a record without its locations, and of a location. */
enum { RECORD_SIZE = 25, LOCATION_SIZE = 12 };

static enum prof_status
data_read_strings(struct memprof_section_data *d, struct cursor *c,
    struct prof_error *err)
{
	struct names_limit limit = names_limit_of(c->size, 1);
	size_t at = c->pos;
	uint64_t strings = cur_u64(c), cold = cur_u64(c), length = cur_u64(c);
	size_t blob = c->pos;
	const uint8_t *p = cur_bytes(c, length);

	if (p == NULL || cur_bytes(c, pad8(length)) == NULL)
		return err_at(err, PROF_E_TRUNCATED, at, "data accesses: "
		    "strings of %llu bytes exceed the %zu left",
		    ull(length), c->size - at);
	d->strings.listed = true;
	if (names_read(&d->strings, (struct prof_span){ p, (size_t)length },
	    blob, &limit, err) != PROF_OK)
		return PROF_FAIL;
	if (strings > d->strings.list_size ||
	    cold != d->strings.list_size - strings)
		return err_at(err, PROF_E_CORRUPT, at, "data accesses: %llu "
		    "strings and %llu cold symbols are not the %zu strings of "
		    "the table", ull(strings), ull(cold), d->strings.list_size);
	d->strings_size = (size_t)strings;
	d->cold_size = (size_t)cold;
	return PROF_OK;
}

static enum prof_status
data_read_cold_hashes(struct memprof_section_data *d, struct cursor *c,
    struct prof_error *err)
{
	size_t at = c->pos;
	uint64_t n = cur_u64(c);

	if (c->failed || n > cur_left(c) / 8)
		return err_at(err, PROF_E_TRUNCATED, at, "data accesses: %llu "
		    "cold hashes exceed the %zu bytes left", ull(n),
		    cur_left(c));
	d->cold_hashes = *c;
	cur_bytes(c, n * 8);
	d->cold_hashes.size = c->pos;
	return PROF_OK;
}

static enum prof_status
data_read_string(const struct memprof_section_data *d, struct cursor *c,
    struct prof_span *out, struct prof_error *err)
{
	size_t at = c->pos;
	uint64_t index = cur_u64(c);

	if (index >= d->strings_size)
		return err_at(err, PROF_E_CORRUPT, at, "data accesses: string "
		    "%llu is not one of the %zu strings", ull(index),
		    d->strings_size);
	*out = d->strings.list[index];
	return PROF_OK;
}

static enum prof_status
data_read_access(const struct memprof_section_data *d, struct cursor *c,
    struct arena *a, struct prof_data_access *out, struct prof_error *err)
{
	struct prof_location *locations;
	struct cursor start = *c;
	size_t at = c->pos;
	unsigned is_literal;
	uint64_t n;

	*out = (struct prof_data_access){ 0 };
	if (cur_left(c) < RECORD_SIZE)
		return err_at(err, PROF_E_TRUNCATED, at, "data accesses: the "
		    "%d bytes of a record exceed the %zu left", RECORD_SIZE,
		    cur_left(c));
	/* A string or hash, and which of both it is. */
	out->data.hash = cur_u64(c);
	is_literal = cur_u8(c);
	if (is_literal > 1)
		return err_at(err, PROF_E_CORRUPT, c->pos - 1, "data accesses:"
		    " IsStringLiteral %u is neither 0 nor 1", is_literal);
	if (is_literal == 0) {
		out->data.hash = 0;
		if (data_read_string(d, &start, &out->data.symbol, err) !=
		    PROF_OK)
			return PROF_FAIL;
	}
	out->count = cur_u64(c);
	n = cur_u64(c);
	if (n > cur_left(c) / LOCATION_SIZE)
		return err_at(err, PROF_E_TRUNCATED, at, "data accesses: %llu "
		    "locations exceed the %zu bytes left", ull(n),
		    cur_left(c));
	locations = arena_array(a, (size_t)n, sizeof(*locations));
	if (locations == NULL)
		return err_memory(err);
	for (size_t i = 0; i < n; i++) {
		if (data_read_string(d, c, &locations[i].file, err) != PROF_OK)
			return PROF_FAIL;
		locations[i].line = cur_u32(c);
	}
	out->locations = locations;
	out->size = (size_t)n;
	return PROF_OK;
}

static int
data_compare(const void *a, const void *b)
{
	const struct prof_data *x = a, *y = b;
	int kind = (x->symbol.data == NULL) - (y->symbol.data == NULL);

	if (kind != 0)
		return kind;
	if (x->symbol.data == NULL)
		return (x->hash > y->hash) - (x->hash < y->hash);
	return prof_span_compare(x->symbol, y->symbol);
}

/* Symbols and hashes must be unique, as LLVM adds each once. */
static enum prof_status
data_check_unique(struct prof_data *data, size_t n, size_t at,
    struct prof_error *err)
{
	char name[ERR_NAME_SIZE];

	qsort(data, n, sizeof(*data), data_compare);
	for (size_t i = 1; i < n; i++) {
		if (data_compare(&data[i - 1], &data[i]) != 0)
			continue;
		if (data[i].symbol.data == NULL)
			return err_at(err, PROF_E_CORRUPT, at, "data accesses:"
			    " hash 0x%016llx has two records",
			    ull(data[i].hash));
		return err_at(err, PROF_E_CORRUPT, at, "data accesses: symbol "
		    "%s has two records", err_name(name, data[i].symbol));
	}
	return PROF_OK;
}

static enum prof_status
data_check_accesses(struct memprof_section_data *d, struct cursor *c,
    struct prof_error *err)
{
	size_t at = c->pos, n = (size_t)d->records_size;
	struct prof_data *data = calloc(n + 1, sizeof(*data));
	enum prof_status status = data == NULL ? err_memory(err) : PROF_OK;
	struct arena arena = { 0 };
	struct prof_data_access record;

	for (size_t i = 0; i < n && status == PROF_OK; i++) {
		arena_reset(&arena);
		status = data_read_access(d, c, &arena, &record, err);
		if (status == PROF_OK)
			data[i] = record.data;
	}
	if (status == PROF_OK)
		status = data_check_unique(data, n, at, err);
	arena_free(&arena);
	free(data);
	return status;
}

/*
 * Finds and checks all accesses and symbols; a section without any is fine.  To
 * be closed after failure too.
 */
static enum prof_status
memprof_section_data_open(struct memprof_section_data *d,
    const struct memprof_section *s, struct prof_error *err)
{
	struct cursor c = { .data = s->image.data, .size = s->image.size,
	    .pos = s->data_access };
	size_t at;

	*d = (struct memprof_section_data){ .end = s->tables_end };
	if (s->data_access == 0)
		return PROF_OK;
	if (data_read_strings(d, &c, err) != PROF_OK ||
	    data_read_cold_hashes(d, &c, err) != PROF_OK)
		return PROF_FAIL;
	at = c.pos;
	d->records_size = cur_u64(&c);
	if (c.failed || d->records_size > cur_left(&c) / RECORD_SIZE)
		return err_at(err, PROF_E_TRUNCATED, at, "data accesses: %llu "
		    "records exceed the %zu bytes left",
		    ull(d->records_size), cur_left(&c));
	d->records = c;
	if (data_check_accesses(d, &c, err) != PROF_OK)
		return PROF_FAIL;
	d->end = c.pos;
	return PROF_OK;
}

/* The least size in bytes of a record's reference to a call stack. */
static size_t
record_stack_size(const struct memprof_section *s)
{
	return s->row->stacks == MEMPROF_RADIX_INDEX ? 4 : 8;
}

/* Reads a number of things that take at least `size` bytes each. */
static enum prof_status
record_read_count(struct cursor *c, const char *what, size_t size,
    size_t *count, struct prof_error *err)
{
	size_t at = c->pos;
	uint64_t n = cur_u64(c);

	if (c->failed)
		return err_at(err, PROF_E_CORRUPT, at, "the 8 bytes of a "
		    "number of %s exceed the %zu left of the record", what,
		    cur_left(c));
	if (n > cur_left(c) / size)
		return err_at(err, PROF_E_CORRUPT, at,
		    "%llu %s exceed the %zu bytes left of the record",
		    ull(n), what, cur_left(c));
	*count = (size_t)n;
	return PROF_OK;
}

/*
 * Makes fields unknown whose values mean nothing: maxima that are minima, and
 * the address of the histogram.  A block with the size of a histogram has an
 * empty one, as in streams.
 */
static void
record_hide_fields(const struct memprof_section_reader *r, struct prof_mib *m)
{
	if (r->section.schema == MEMPROF_SCHEMA_15 && !r->true_maxima)
		m->fields &= ~MIB_FALSE_MAXIMA;
	m->fields &= ~(UINT32_C(1) << PROF_MIB_ACCESS_HISTOGRAM);
	if (mib_has(m, PROF_MIB_ACCESS_HISTOGRAM_SIZE))
		m->fields |= UINT32_C(1) << PROF_MIB_ACCESS_HISTOGRAM;
	for (unsigned i = 0; i < PROF_MIB_FIELDS; i++) {
		if (!mib_has(m, i) || i == PROF_MIB_ACCESS_HISTOGRAM)
			m->value[i] = 0;
	}
}

static enum prof_status
record_read_mib(struct memprof_section_reader *r, struct cursor *c,
    struct prof_mib *m, struct prof_error *err)
{
	const struct memprof_section *s = &r->section;

	if (cur_left(c) < s->mib_size)
		return err_at(err, PROF_E_CORRUPT, c->pos, "the %zu bytes of a "
		    "memory info block exceed the %zu left of the record",
		    s->mib_size, cur_left(c));
	*m = (struct prof_mib){ 0 };
	for (unsigned i = 0; i < s->fields_size; i++) {
		unsigned field = s->fields[i];

		mib_set(m, field, mib_bytes(field) == 4 ? cur_u32(c) :
		    cur_u64(c));
	}
	/*
	 * Maxima are correct if one of them differs from its minimum: then the
	 * section was written by a later release for readers of LLVM 15
	 * (MIB_FALSE_MAXIMA).
	 */
	if (m->value[PROF_MIB_MAX_SIZE] != m->value[PROF_MIB_MIN_SIZE] ||
	    m->value[PROF_MIB_MAX_ACCESS_COUNT] !=
	    m->value[PROF_MIB_MIN_ACCESS_COUNT])
		r->true_maxima = true;
	record_hide_fields(r, m);
	return PROF_OK;
}

static enum prof_status
record_read_allocs(struct memprof_section_reader *r, struct cursor *c,
    struct arena *a, struct prof_memprof_function *f, struct prof_error *err)
{
	const struct memprof_section *s = &r->section;
	struct prof_allocation *sites;

	if (record_read_count(c, "allocation sites",
		record_stack_size(s) + s->mib_size, &f->allocs_size,
		err) != PROF_OK)
		return PROF_FAIL;
	f->alloc_sites = sites = arena_array(a, f->allocs_size,
	    sizeof(*sites));
	if (sites == NULL)
		return err_memory(err);
	for (size_t i = 0; i < f->allocs_size; i++) {
		if (memprof_stack_set_read(&r->stacks, c, &sites[i].stack,
		    err) != PROF_OK ||
		    record_read_mib(r, c, &sites[i].info, err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

static enum prof_status
record_read_callees(struct cursor *c, struct arena *a,
    struct prof_call_site *site, struct prof_error *err)
{
	uint64_t *guids;

	if (record_read_count(c, "callees", 8, &site->callees_size, err) !=
	    PROF_OK)
		return PROF_FAIL;
	site->callee_guids = guids = arena_array(a, site->callees_size,
	    sizeof(*guids));
	if (guids == NULL)
		return err_memory(err);
	for (size_t i = 0; i < site->callees_size; i++)
		guids[i] = cur_u64(c);
	return PROF_OK;
}

static enum prof_status
record_read_calls(struct memprof_section_reader *r, struct cursor *c,
    struct arena *a, struct prof_memprof_function *f, struct prof_error *err)
{
	const struct memprof_section *s = &r->section;
	struct prof_call_site *sites;

	if (record_read_count(c, "call sites", record_stack_size(s) +
	    (s->row->callees ? 8 : 0), &f->calls_size, err) != PROF_OK)
		return PROF_FAIL;
	f->call_sites = sites = arena_array(a, f->calls_size, sizeof(*sites));
	if (sites == NULL)
		return err_memory(err);
	for (size_t i = 0; i < f->calls_size; i++) {
		sites[i] = (struct prof_call_site){ 0 };
		if (memprof_stack_set_read(&r->stacks, c, &sites[i].stack,
		    err) != PROF_OK)
			return PROF_FAIL;
		if (s->row->callees &&
		    record_read_callees(c, a, &sites[i], err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

static enum prof_status
record_read_function(struct memprof_section_reader *r,
    const struct disk_hash_item *item, struct arena *a,
    struct prof_memprof_function *f, struct prof_error *err)
{
	struct cursor c = { .data = r->section.image.data, .pos = item->data,
	    .size = item->data + item->data_size };

	*f = (struct prof_memprof_function){ .symbol.guid = item->hash };
	if (record_read_allocs(r, &c, a, f, err) != PROF_OK ||
	    record_read_calls(r, &c, a, f, err) != PROF_OK)
		return PROF_FAIL;
	if (cur_left(&c) != 0)
		return err_at(err, PROF_E_CORRUPT, c.pos, "%zu bytes follow "
		    "the last call site of a record", cur_left(&c));
	return PROF_OK;
}

/*
 * Reads all records, which also finds all stacks that they refer to.  Those of
 * allocations are added to the contexts, unless that is NULL.
 */
static enum prof_status
record_read_all(struct memprof_section_reader *r, struct id_map *contexts,
    struct prof_error *err)
{
	struct disk_hash_walk walk = { .table = &r->section.records };
	struct prof_memprof_function f;
	struct disk_hash_item item;
	struct arena arena = { 0 };
	enum prof_status status;

	while ((status = disk_hash_next(&walk, &item, err)) == PROF_OK) {
		arena_reset(&arena);
		status = record_read_function(r, &item, &arena, &f, err);
		for (size_t i = 0; contexts != NULL && status == PROF_OK &&
		    i < f.allocs_size; i++) {
			if (id_map_add(contexts, f.alloc_sites[i].stack, 0) ==
			    NULL)
				status = err_memory(err);
		}
		if (status != PROF_OK)
			break;
	}
	arena_free(&arena);
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

enum prof_status
memprof_section_read(struct memprof_section_reader *r, struct prof_span image,
    size_t start, struct prof_error *err)
{
	struct memprof_section *s = &r->section;
	struct arena arena = { 0 };
	enum prof_status status;

	*r = (struct memprof_section_reader){ .walk.table = &s->records };
	status = memprof_section_open(s, image, start, err);
	if (status == PROF_OK)
		status = memprof_stack_set_open(&r->stacks, s, err);
	if (status == PROF_OK)
		status = disk_hash_check(&s->records, &arena, err);
	arena_free(&arena);
	if (status == PROF_OK)
		status = record_read_all(r, NULL, err);
	if (status == PROF_OK)
		status = memprof_stack_set_finish(&r->stacks, err);
	if (status == PROF_OK)
		status = memprof_section_data_open(&r->data, s, err);
	return status;
}

bool
memprof_section_has_data(const struct memprof_section_reader *r)
{
	return r->section.records.entries != 0 || r->data.records_size != 0 ||
	    r->data.cold_size != 0 || cur_left(&r->data.cold_hashes) != 0;
}

static void
section_name(const struct memprof_section_reader *r, struct prof_symbol *s)
{
	if (r->names != NULL)
		s->name = symtab_name(r->names, s->guid);
}

static enum prof_status
section_next_stack(struct memprof_section_reader *r, struct arena *a,
    struct prof_record *out, struct prof_error *err)
{
	struct prof_stack *s = &out->u.stack;
	struct prof_frame *frames;

	if (memprof_stack_set_item(&r->stacks, r->next_stack++, a, s, err) !=
	    PROF_OK)
		return PROF_FAIL;
	frames = (struct prof_frame *)(uintptr_t)s->frames;
	for (size_t i = 0; i < s->frames_size; i++)
		section_name(r, &frames[i].function);
	out->kind = PROF_REC_STACK;
	return PROF_OK;
}

static enum prof_status
section_next_function(struct memprof_section_reader *r, struct arena *a,
    struct prof_record *out, struct prof_error *err)
{
	struct disk_hash_item item;
	enum prof_status status = disk_hash_next(&r->walk, &item, err);

	if (status != PROF_OK)
		return status;
	out->kind = PROF_REC_MEMPROF_FUNCTION;
	if (record_read_function(r, &item, a, &out->u.memprof_function, err) !=
	    PROF_OK)
		return PROF_FAIL;
	section_name(r, &out->u.memprof_function.symbol);
	return PROF_OK;
}

enum prof_status
memprof_section_next(struct memprof_section_reader *r, struct arena *a,
    struct prof_record *out, struct prof_error *err)
{
	struct memprof_section_data *d = &r->data;
	enum prof_status status;

	if (r->next_stack < r->stacks.size)
		return section_next_stack(r, a, out, err);
	status = section_next_function(r, a, out, err);
	if (status != PROF_END)
		return status;
	if (d->next_record < d->records_size) {
		d->next_record++;
		out->kind = PROF_REC_DATA_ACCESS;
		return data_read_access(d, &d->records, a,
		    &out->u.data_access, err);
	}
	/* Cold symbols with names, then those with hashes. */
	out->kind = PROF_REC_COLD_SYMBOL;
	out->u.cold_symbol = (struct prof_data){ 0 };
	if (d->next_cold < d->cold_size)
		out->u.cold_symbol.symbol =
		    d->strings.list[d->strings_size + d->next_cold++];
	else if (cur_left(&d->cold_hashes) > 0)
		out->u.cold_symbol.hash = cur_u64(&d->cold_hashes);
	else
		return PROF_END;
	return PROF_OK;
}

void
memprof_section_close(struct memprof_section_reader *r)
{
	memprof_stack_set_close(&r->stacks);
	names_free(&r->data.strings);
}

enum prof_status
memprof_section_check_summary(struct memprof_section_reader *r,
    struct prof_context *context, struct prof_error *err)
{
	struct id_map contexts = { 0 };
	enum prof_status status;

	if (!r->section.row->summary)
		return PROF_OK;
	status = record_read_all(r, &contexts, err);
	if (status == PROF_OK && r->section.contexts != contexts.size)
		warn_at(context, r->section.start, "MemProf summary: "
		    "NumContexts is %" PRIu64 ", but the records come to %zu",
		    r->section.contexts, contexts.size);
	id_map_free(&contexts);
	return status;
}
