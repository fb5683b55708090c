#include "format/memprof/write.h"

#include "base/error.h"
#include "format/codec.h"
#include "model/mib.h"
#include "base/list_pool.h"
#include "format/memprof/write_data.h"
#include "format/memprof/radix.h"
#include "model/memprof/summary.h"
#include "format/memprof/write_table.h"

/* The most bytes of stacks where records hold whole stacks. */
#define RECORDS_MAX ((uint64_t)1 << 32)

struct section_writer {
	const struct memprof_built *in;
	const struct memprof_choice *choice;
	uint64_t base;
	struct buf *out;
	size_t start;			/* of the section in out */
	uint64_t words[MEMPROF_WORDS];
	uint64_t *frame_ids;
	uint64_t *stack_ids;		/* NULL unless they are written */
	struct memprof_radix radix;
	uint64_t lost_frames, lost_stacks;	/* whose id another one has */
	struct arena arena;
};

static uint64_t
section_file_offset(const struct section_writer *s)
{
	return s->base + s->out->size;
}

/* The value of a field in the file, where AccessHistogram has no meaning. */
static uint64_t
section_field_value(const struct prof_mib *m, unsigned field)
{
	uint64_t value = mib_stored_value(m, field), max = mib_max(field);

	if (field == PROF_MIB_ACCESS_HISTOGRAM)
		return 0;
	return value < max ? value : max;
}

static void
section_put_mib(const struct section_writer *s, const struct prof_mib *m,
    struct buf *out)
{
	for (unsigned f = 1; f < PROF_MIB_FIELDS; f++) {
		if ((s->choice->schema >> f & 1) != 0)
			buf_number(out, section_field_value(m, f), mib_bytes(f),
			    false);
	}
}

static void
section_put_frame_ids(const struct section_writer *s,
    const struct memprof_stack *stack, struct buf *out)
{
	for (uint32_t i = 0; i < stack->size; i++)
		buf_u64le(out, s->frame_ids[stack->frames[i]]);
}

static void
section_put_stack(const struct section_writer *s, uint32_t stack,
    struct buf *out)
{
	switch (s->choice->row->stacks) {
	case MEMPROF_FRAME_IDS:
		buf_u64le(out, s->in->stacks[stack].size);
		section_put_frame_ids(s, &s->in->stacks[stack], out);
		break;
	case MEMPROF_STACK_IDS:
		buf_u64le(out, s->stack_ids[stack]);
		break;
	case MEMPROF_RADIX_INDEX:
		buf_u32le(out, s->radix.index[stack]);
		break;
	}
}

static void
section_put_record(const void *arg, uint32_t record, struct buf *out)
{
	const struct section_writer *s = arg;
	const struct memprof_record *r = &s->in->records[record];

	buf_u64le(out, r->allocs_size);
	for (size_t i = 0; i < r->allocs_size; i++) {
		section_put_stack(s, r->allocs[i].stack, out);
		section_put_mib(s, r->allocs[i].info, out);
	}
	buf_u64le(out, r->calls_size);
	for (size_t i = 0; i < r->calls_size; i++) {
		const struct memprof_call *c = &r->calls[i];

		section_put_stack(s, c->stack, out);
		if (!s->choice->row->callees)
			continue;
		buf_u64le(out, c->callees_size);
		for (size_t j = 0; j < c->callees_size; j++)
			buf_u64le(out, c->callees[j]);
	}
}

/* A limit, since a small profile of long stacks could exhaust the memory. */
static enum prof_status
section_check_size(const struct section_writer *s, struct prof_error *err)
{
	const struct memprof_stack *stacks = s->in->stacks;
	uint64_t bytes = 0;

	if (s->choice->row->stacks != MEMPROF_FRAME_IDS)
		return PROF_OK;
	for (uint32_t i = 0; i < s->in->records_size; i++) {
		const struct memprof_record *r = &s->in->records[i];

		for (size_t j = 0; j < r->allocs_size; j++)
			bytes += (uint64_t)8 * stacks[r->allocs[j].stack].size;
		for (size_t j = 0; j < r->calls_size; j++)
			bytes += (uint64_t)8 * stacks[r->calls[j].stack].size;
		if (bytes > RECORDS_MAX)
			return err_set(err, PROF_E_LIMIT, "call stacks need "
			    "more than %llu bytes in MemProf version %u: "
			    "versions 2 and later write each once",
			    (unsigned long long)RECORDS_MAX,
			    s->choice->row->version);
	}
	return PROF_OK;
}

static enum prof_status
section_put_table(struct section_writer *s, const struct memprof_table *t,
    struct prof_error *err)
{
	s->words[t->layout->payload] = section_file_offset(s);
	return memprof_table_write(t, s->base, s->out,
	    &s->words[t->layout->head], err);
}

static enum prof_status
section_put_records(struct section_writer *s, struct prof_error *err)
{
	enum prof_status status = section_check_size(s, err);
	struct memprof_table t = { .layout = &memprof_record_table,
	    .put = section_put_record, .arg = s };

	for (uint32_t i = 0; status == PROF_OK && i < s->in->records_size;
	    i++)
		status = memprof_table_add(&t, s->in->records[i].guid, i, err);
	if (status == PROF_OK)
		status = section_put_table(s, &t, err);
	memprof_table_free(&t);
	return status;
}

/* Adds an item, or drops and counts it in *lost if its key is there already. */
static enum prof_status
table_add_once(struct memprof_table *t, struct list_pool *seen, uint64_t key,
    uint32_t thing, uint64_t *lost, struct prof_error *err)
{
	uint32_t size = seen->size, at = list_pool_add_u64(seen, key);

	if (at == INDEX_NONE)
		return err_memory(err);
	if (at == size)
		return memprof_table_add(t, key, thing, err);
	++*lost;
	return PROF_OK;
}

static void
section_put_frame(const void *arg, uint32_t frame, struct buf *out)
{
	const struct section_writer *s = arg;
	uint8_t bytes[MEMPROF_FRAME_SIZE];

	memprof_frame_bytes(&s->in->frames[frame], bytes);
	buf_put(out, bytes, sizeof(bytes));
}

static enum prof_status
section_put_frame_table(struct section_writer *s, struct prof_error *err)
{
	enum prof_status status = PROF_OK;
	struct memprof_table t = { .layout = &memprof_frame_table,
	    .put = section_put_frame, .arg = s };
	struct list_pool seen = { 0 };

	/* radix.frames are the frames in use, in the order of first use. */
	for (uint32_t i = 0; status == PROF_OK && i < s->radix.frames_size;
	    i++) {
		uint32_t frame = s->radix.frames[i];

		status = table_add_once(&t, &seen, s->frame_ids[frame], frame,
		    &s->lost_frames, err);
	}
	if (status == PROF_OK)
		status = section_put_table(s, &t, err);
	memprof_table_free(&t);
	list_pool_free(&seen);
	return status;
}

static void
section_put_stack_frames(const void *arg, uint32_t stack, struct buf *out)
{
	const struct section_writer *s = arg;

	section_put_frame_ids(s, &s->in->stacks[stack], out);
}

static enum prof_status
section_put_stack_table(struct section_writer *s, struct prof_error *err)
{
	enum prof_status status = PROF_OK;
	struct memprof_table t = { .layout = &memprof_stack_table,
	    .put = section_put_stack_frames, .arg = s };
	struct list_pool seen = { 0 };

	for (uint32_t i = 0; status == PROF_OK && i < s->in->stacks_size;
	    i++) {
		status = table_add_once(&t, &seen, s->stack_ids[i], i,
		    &s->lost_stacks, err);
	}
	if (status == PROF_OK)
		status = section_put_table(s, &t, err);
	memprof_table_free(&t);
	list_pool_free(&seen);
	return status;
}

static void
section_hash_frames(struct section_writer *s)
{
	uint8_t bytes[64][MEMPROF_FRAME_SIZE];
	uint32_t most = sizeof(bytes) / sizeof(bytes[0]);

	for (uint32_t at = 0, n; at < s->in->frames_size; at += n) {
		n = s->in->frames_size - at;
		if (n > most)
			n = most;
		for (uint32_t i = 0; i < n; i++)
			memprof_frame_bytes(&s->in->frames[at + i], bytes[i]);
		memprof_frame_ids(bytes[0], n, s->frame_ids + at);
	}
}

static bool
section_make_frame_ids(struct section_writer *s)
{
	const struct memprof_built *in = s->in;

	s->frame_ids = arena_array(&s->arena, in->frames_size,
	    sizeof(*s->frame_ids));
	if (s->frame_ids == NULL)
		return false;
	if (!s->choice->llvm19_ids) {
		section_hash_frames(s);
		return true;
	}
	for (uint32_t i = 0; i < in->frames_size; i++)
		s->frame_ids[i] = memprof_frame_id_llvm15(&in->frames[i]);
	return true;
}

static bool
section_make_stack_ids(struct section_writer *s)
{
	const struct memprof_built *in = s->in;
	struct buf ids = { 0 };
	bool ok;

	s->stack_ids = arena_array(&s->arena, in->stacks_size,
	    sizeof(*s->stack_ids));
	for (uint32_t i = 0; s->stack_ids != NULL && i < in->stacks_size;
	    i++) {
		ids.size = 0;
		section_put_frame_ids(s, &in->stacks[i], &ids);
		s->stack_ids[i] = memprof_stack_id(&ids);
	}
	ok = s->stack_ids != NULL && !ids.failed;
	buf_free(&ids);
	return ok;
}

/* Lists the frames that occur in stacks, in the order of first use. */
static bool
section_list_frames(struct section_writer *s)
{
	uint32_t n = s->in->frames_size;
	uint32_t *frames = arena_array(&s->arena, n, sizeof(*frames));
	bool *used = arena_array(&s->arena, n, sizeof(*used));

	if (frames == NULL || used == NULL)
		return false;
	for (uint32_t i = 0; i < n; i++)
		used[i] = false;
	s->radix.frames = frames;
	for (uint32_t i = 0; i < s->in->stacks_size; i++) {
		const struct memprof_stack *stack = &s->in->stacks[i];

		for (uint32_t j = 0; j < stack->size; j++) {
			if (!used[stack->frames[j]])
				frames[s->radix.frames_size++] =
				    stack->frames[j];
			used[stack->frames[j]] = true;
		}
	}
	return true;
}

/* Records, frames and stacks as hash tables (versions 0 to 2). */
static enum prof_status
section_put_tables(struct section_writer *s, struct prof_error *err)
{
	bool stacks = s->choice->row->stacks == MEMPROF_STACK_IDS;

	if (!section_list_frames(s) || (stacks && !section_make_stack_ids(s)))
		return err_memory(err);
	if (section_put_records(s, err) != PROF_OK ||
	    section_put_frame_table(s, err) != PROF_OK)
		return PROF_FAIL;
	return stacks ? section_put_stack_table(s, err) : PROF_OK;
}

/* Frames and stacks as arrays (versions 3 and 4). */
static enum prof_status
section_put_arrays(struct section_writer *s, struct prof_error *err)
{
	const struct memprof_radix *r = &s->radix;

	if (memprof_radix_make(&s->radix, &s->arena, s->in, s->frame_ids,
	    err) != PROF_OK)
		return PROF_FAIL;
	for (uint32_t i = 0; i < r->frames_size; i++)
		section_put_frame(s, r->frames[i], s->out);
	s->words[MEMPROF_STACK_PAYLOAD] = section_file_offset(s);
	for (uint32_t i = 0; i < r->words_size; i++)
		buf_u32le(s->out, r->words[i]);
	return section_put_records(s, err);
}

static bool
section_put_summary(struct section_writer *s)
{
	uint64_t fields[MEMPROF_SUMMARY_FIELDS];

	if (!memprof_summarize(s->in, fields))
		return false;
	buf_u32le(s->out, MEMPROF_SUMMARY_FIELDS);
	for (int i = 0; i < MEMPROF_SUMMARY_FIELDS; i++)
		buf_u64le(s->out, fields[i]);
	return true;
}

static enum prof_status
section_put_head(struct section_writer *s, struct prof_error *err)
{
	uint32_t schema = s->choice->schema;

	/* The words are filled in at the end, when all offsets are known. */
	buf_zeros(s->out, memprof_words_size(s->choice->row));
	if ((s->choice->row->summary && !section_put_summary(s)) ||
	    !section_make_frame_ids(s))
		return err_memory(err);
	buf_u64le(s->out, memprof_schema_fields(schema));
	for (unsigned f = 1; f < PROF_MIB_FIELDS; f++) {
		if ((schema >> f & 1) != 0)
			buf_u64le(s->out, f);
	}
	return PROF_OK;
}

static enum prof_status
section_put_data(struct section_writer *s, struct prof_context *context,
    struct prof_error *err)
{
	if (memprof_word_at(s->choice->row, MEMPROF_DATA_ACCESS) == SIZE_MAX ||
	    s->in->accesses_size + s->in->cold_size == 0)
		return PROF_OK;
	s->words[MEMPROF_DATA_ACCESS] = section_file_offset(s);
	return memprof_data_write(s->in, context, s->out, err);
}

static enum prof_status
section_put(struct section_writer *s, struct prof_context *context,
    struct prof_error *err)
{
	const struct memprof_row *row = s->choice->row;
	enum prof_status status = section_put_head(s, err);

	if (status == PROF_OK)
		status = row->stacks == MEMPROF_RADIX_INDEX ?
		    section_put_arrays(s, err) : section_put_tables(s, err);
	if (status == PROF_OK)
		status = section_put_data(s, context, err);
	if (status == PROF_OK && s->out->failed)
		status = err_memory(err);
	s->words[MEMPROF_VERSION] = row->version;
	for (size_t i = 0; status == PROF_OK && i < row->words; i++)
		buf_set_u64le(s->out, s->start + 8 * i,
		    s->words[row->word[i]]);
	return status;
}

static void
section_warn_dropped(struct prof_context *c, unsigned version, uint64_t count,
    const char *what)
{
	if (count != 0)
		warn_lost(c, "MemProf version %u cannot hold %s: dropped %llu",
		    version, what, (unsigned long long)count);
}

/* Fields that no block has are not reported: they may all be of one version. */
static void
section_warn_unknown(const struct section_writer *s, struct prof_context *c)
{
	uint32_t fields = s->in->known_fields & s->in->unknown_fields &
	    s->choice->schema & ~MIB_HISTOGRAM;

	if (fields != 0)
		warn_set(c, "some memory info blocks have no values for %d "
		    "fields that others have: 0 is written, and the minimum "
		    "for a maximum", __builtin_popcount(fields));
}

static void
section_warn(const struct section_writer *s, struct prof_context *c)
{
	const struct memprof_row *row = s->choice->row;
	bool accesses = memprof_word_at(row, MEMPROF_DATA_ACCESS) != SIZE_MAX;
	const struct memprof_built *in = s->in;

	section_warn_unknown(s, c);
	section_warn_dropped(
	    c, row->version, s->choice->dropped, "fields of its schema");
	section_warn_dropped(
	    c, row->version, in->histograms, "access histograms");
	section_warn_dropped(c, row->version, row->callees ? 0 : in->callees,
	    "guids of callees");
	section_warn_dropped(c, row->version, accesses ? 0 : in->accesses_size,
	    "data accesses");
	section_warn_dropped(c, row->version, accesses ? 0 : in->cold_size,
	    "cold symbols");
	section_warn_dropped(c, row->version, s->lost_frames,
	    "frames that have the id of another one");
	section_warn_dropped(c, row->version, s->lost_stacks,
	    "call stacks that have the id of another one");
}

enum prof_status
memprof_section_write(const struct memprof_choice *choice,
    struct prof_context *context, uint64_t base, struct buf *out,
    struct prof_error *err)
{
	struct section_writer s = { .in = choice->built, .choice = choice,
	    .base = base,
	    .out = out, .start = out->size };
	enum prof_status status = section_put(&s, context, err);

	if (status == PROF_OK)
		section_warn(&s, context);
	arena_free(&s.arena);
	return status;
}
