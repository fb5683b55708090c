#include "format/memprof_move.h"

#include <limits.h>

#include "base/error.h"

/*
 * The words that a section begins with.  The first is the version, but for
 * version 0; the others are offsets, in ascending order.
 */
static const struct layout {
	uint8_t words;
	uint8_t first;		/* offset among them */
	uint8_t tables;		/* bits: these are heads of hash tables */
	uint8_t optional;	/* bits: these are 0 if there is no such part */
	bool summary;		/* between them and the schema */
} layouts[] = {
	/* RecordTable, FramePayload, FrameTable */
	{ .words = 3, .tables = 1 << 0 | 1 << 2 },
	/* Version, RecordTable, FramePayload, FrameTable */
	{ .words = 4, .first = 1, .tables = 1 << 1 | 1 << 3 },
	/* The same, CallStackPayload, CallStackTable */
	{ .words = 6, .first = 1, .tables = 1 << 1 | 1 << 3 | 1 << 5 },
	/* Version, CallStackPayload, RecordPayload, RecordTable */
	{ .words = 4, .first = 1, .tables = 1 << 3 },
	/* The same, DataAccessProf */
	{ .words = 5, .first = 1, .tables = 1 << 3, .optional = 1 << 4,
	    .summary = true },
};

enum { VERSIONS = sizeof(layouts) / sizeof(layouts[0]) };

/* A section on its way. */
struct move {
	const struct layout *layout;
	uint64_t from, to;	/* offsets of the section in its files */
	uint8_t *bytes;		/* where it is changed */
	size_t size;
};

static enum prof_status
get_version(const struct prof_heap *heap, unsigned *version,
    struct prof_error *err)
{
	struct cursor c = { .data = heap->bytes.data,
	    .size = heap->bytes.size };
	uint64_t word = cur_u64(&c);

	if (c.failed)
		return err_at(err, PROF_E_TRUNCATED, heap->offset, "the heap "
		    "profile (MemProf) has only %zu bytes", c.size);
	/* Version 0 has an offset there, which no header leaves so small. */
	if (word >= VERSIONS && word < heap->offset)
		return err_at(err, PROF_E_VERSION, heap->offset, "MemProf "
		    "version %llu is newer than %d, the newest known",
		    (unsigned long long)word, VERSIONS - 1);
	*version = word < VERSIONS ? (unsigned)word : 0;
	return PROF_OK;
}

enum prof_status
memprof_look(const struct prof_heap *heap, struct memprof_needs *needs,
    struct prof_error *err)
{
	struct cursor c = { .data = heap->bytes.data,
	    .size = heap->bytes.size };
	uint64_t fields;
	size_t at;

	if (get_version(heap, &needs->version, err) != PROF_OK)
		return PROF_FAIL;
	cur_bytes(&c, (uint64_t)8 * layouts[needs->version].words);
	if (layouts[needs->version].summary)
		cur_bytes(&c, (uint64_t)8 * cur_u32(&c));
	at = c.pos;
	fields = cur_u64(&c);
	if (c.failed || fields > cur_left(&c) / 8)
		return err_at(err, PROF_E_TRUNCATED, heap->offset + at,
		    "MemProf: a schema of %llu fields exceeds the %zu bytes "
		    "left", (unsigned long long)fields, cur_left(&c));
	needs->field = 0;
	for (uint64_t i = 0; i < fields; i++) {
		uint64_t id = cur_u64(&c);

		if (id > needs->field)
			needs->field = id < UINT_MAX ? (unsigned)id : UINT_MAX;
	}
	return PROF_OK;
}

/* An offset of the old file as an index into the section. */
static bool
is_inside(const struct move *m, uint64_t offset, size_t low, size_t high,
    size_t *index)
{
	if (offset < m->from || offset - m->from < low ||
	    offset - m->from > high)
		return false;
	*index = (size_t)(offset - m->from);
	return true;
}

static uint64_t
get(const struct move *m, size_t index)
{
	return load_u64(m->bytes + index, false);
}

/* Makes the offset at an index one of the new file. */
static void
set(struct move *m, size_t index)
{
	uint64_t n = get(m, index) - m->from + m->to;

	for (size_t i = 0; i < 8; i++)
		m->bytes[index + i] = (uint8_t)(n >> 8 * i);
}

static enum prof_status
fail(const struct move *m, size_t index, const char *what, uint64_t value,
    size_t low, size_t high, struct prof_error *err)
{
	return err_at(err, PROF_E_CORRUPT, m->from + index, "MemProf: %s %llu "
	    "is not between %llu and %llu", what, (unsigned long long)value,
	    (unsigned long long)(m->from + low),
	    (unsigned long long)(m->from + high));
}

/* A table whose items lie between low and its head, and which ends by high. */
static enum prof_status
move_table(struct move *m, size_t low, size_t head, size_t high,
    struct prof_error *err)
{
	uint64_t buckets;

	if (high - head < 16)
		return err_at(err, PROF_E_TRUNCATED, m->from + head, "MemProf: "
		    "the 16 bytes of a hash table's head exceed the %zu left",
		    high - head);
	buckets = get(m, head);
	if (buckets > (high - head - 16) / 8)
		return err_at(err, PROF_E_TRUNCATED, m->from + head, "MemProf: "
		    "NumBuckets %llu exceeds the %zu bytes left",
		    (unsigned long long)buckets, high - head - 16);
	for (size_t i = 0; i < buckets; i++) {
		size_t at = head + 16 + 8 * i, index;

		if (get(m, at) == 0)
			continue;
		if (!is_inside(m, get(m, at), low, head - 1, &index))
			return fail(m, at, "bucket offset", get(m, at), low,
			    head - 1, err);
		set(m, at);
	}
	return PROF_OK;
}

static bool
has(const struct move *m, unsigned word)
{
	return (m->layout->optional >> word & 1) == 0 || get(m, 8 * word) != 0;
}

static enum prof_status
move_offsets(struct move *m, struct prof_error *err)
{
	const struct layout *l = m->layout;
	size_t index[8], low = (size_t)8 * l->words;

	for (unsigned i = l->first; i < l->words; i++) {
		index[i] = m->size;
		if (!has(m, i))
			continue;
		if (!is_inside(m, get(m, 8 * i), low, m->size, &index[i]))
			return fail(m, 8 * i, "offset", get(m, 8 * i), low,
			    m->size, err);
		set(m, 8 * i);
		low = index[i];
	}
	low = (size_t)8 * l->words;
	for (unsigned i = l->first; i < l->words; i++) {
		size_t end = i + 1u < l->words ? index[i + 1] : m->size;

		if ((l->tables >> i & 1) != 0 &&
		    move_table(m, low, index[i], end, err) != PROF_OK)
			return PROF_FAIL;
		low = index[i];
	}
	return PROF_OK;
}

enum prof_status
memprof_move(const struct prof_heap *heap, uint64_t to, struct buf *out,
    struct prof_error *err)
{
	struct move m = { .from = heap->offset, .to = to,
	    .size = heap->bytes.size };
	unsigned version;

	if (get_version(heap, &version, err) != PROF_OK)
		return PROF_FAIL;
	m.layout = &layouts[version];
	if (m.size < (size_t)8 * m.layout->words)
		return err_at(err, PROF_E_TRUNCATED, m.from, "MemProf: the %d "
		    "words at its beginning exceed the %zu bytes left",
		    m.layout->words, m.size);
	/* Tables are padded to 8 bytes of the file. */
	if ((m.to - m.from) % 8 != 0)
		return err_at(err, PROF_E_CORRUPT, m.from, "MemProfOffset is "
		    "not a multiple of 8");
	m.bytes = buf_reserve(out, m.size);
	if (m.bytes == NULL)
		return err_memory(err);
	memcpy(m.bytes, heap->bytes.data, m.size);
	if (move_offsets(&m, err) != PROF_OK)
		return PROF_FAIL;
	out->size += m.size;
	return PROF_OK;
}
