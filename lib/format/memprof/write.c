#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"
#include "model/symtab.h"
#include "format/codec.h"
#include "format/memprof/layout.h"
#include "format/memprof/write.h"

/*
 * Call stacks as a tree, where stacks share the frames near the root: the two
 * arrays of versions 3 and 4 (MEMPROF_RADIX_INDEX), made as LLVM does
 * (CallStackRadixTreeBuilder in MemProfRadixTree.h, LLVM 19 to 22).
 */
struct memprof_radix {
	uint32_t *frames;	/* indices, in the order of the frame array */
	uint32_t frames_size;	/* frames that occur in stacks */
	uint32_t *words;
	uint32_t words_size;
	uint32_t *index;	/* of each stack's length among the words */
};

struct frame_use {
	uint64_t count;
	uint64_t position_sum;		/* positions; the leaf's is 0 */
	uint64_t id;
	uint32_t frame;
};

/* A stack as it is sorted. */
struct radix_path {
	const uint32_t *ranks;		/* from the root */
	uint32_t size;
	uint32_t stack;
};

struct radix_build {
	struct memprof_radix *out;
	struct arena *arena;
	const struct memprof_built *in;
	struct frame_use *uses;
	uint32_t *numbers;		/* of frames, in the frame array */
	struct radix_path *paths;
	uint64_t total;			/* frames of all stacks */
	/* The words of the previous path's frames, from the root. */
	uint32_t *positions;
	uint32_t longest;
};

/* LLVM's order: frequent frames first, then frames near the leaf. */
static int
radix_compare_uses(const void *a, const void *b)
{
	const struct frame_use *x = a, *y = b;
	int order = compare_u64(y->count, x->count);

	if (order == 0)
		order = compare_u64(x->position_sum, y->position_sum);
	if (order == 0)
		order = compare_u64(x->id, y->id);
	return order != 0 ? order : compare_u64(x->frame, y->frame);
}

static int
radix_compare_ranks(const void *a, const void *b)
{
	const struct frame_use *x = a, *y = b;
	int order = compare_u64(x->count, y->count);

	if (order == 0)
		order = compare_u64(x->id, y->id);
	return order != 0 ? order : compare_u64(x->frame, y->frame);
}

static int
radix_compare_paths(const void *a, const void *b)
{
	const struct radix_path *x = a, *y = b;

	for (uint32_t i = 0; i < x->size && i < y->size; i++) {
		if (x->ranks[i] != y->ranks[i])
			return x->ranks[i] < y->ranks[i] ? -1 : 1;
	}
	return compare_u64(x->size, y->size);
}

static void
radix_count_uses(struct radix_build *b, const uint64_t *ids)
{
	const struct memprof_built *in = b->in;

	for (uint32_t i = 0; i < in->frames_size; i++)
		b->uses[i] = (struct frame_use){ .id = ids[i], .frame = i };
	for (uint32_t i = 0; i < in->stacks_size; i++) {
		const struct memprof_stack *s = &in->stacks[i];

		for (uint32_t j = 0; j < s->size; j++) {
			b->uses[s->frames[j]].count++;
			b->uses[s->frames[j]].position_sum += j;
		}
		b->total += s->size;
		if (s->size > b->longest)
			b->longest = s->size;
	}
}

/* Makes the frame array: the frames in use, in their order. */
static bool
radix_order_frames(struct radix_build *b)
{
	struct memprof_radix *out = b->out;
	uint32_t n = b->in->frames_size;

	out->frames = arena_array(b->arena, n, sizeof(*out->frames));
	b->numbers = arena_array(b->arena, n, sizeof(*b->numbers));
	if (out->frames == NULL || b->numbers == NULL)
		return false;
	if (n != 0)
		qsort(b->uses, n, sizeof(*b->uses), radix_compare_uses);
	while (out->frames_size < n && b->uses[out->frames_size].count != 0) {
		uint32_t frame = b->uses[out->frames_size].frame;

		b->numbers[frame] = out->frames_size;
		out->frames[out->frames_size++] = frame;
	}
	return true;
}

/* Sorts the stacks from the root on; frequent frames come last. */
static bool
radix_order_paths(struct radix_build *b)
{
	uint32_t n = b->in->frames_size, stacks = b->in->stacks_size;
	uint32_t *rank = arena_array(b->arena, n, sizeof(*rank));
	uint32_t *ranks = arena_array(b->arena, (size_t)b->total,
	    sizeof(*ranks));

	b->paths = arena_array(b->arena, stacks, sizeof(*b->paths));
	if (rank == NULL || ranks == NULL || b->paths == NULL)
		return false;
	if (n != 0)
		qsort(b->uses, n, sizeof(*b->uses), radix_compare_ranks);
	for (uint32_t i = 0; i < n; i++)
		rank[b->uses[i].frame] = i;
	for (uint32_t i = 0; i < stacks; i++) {
		const struct memprof_stack *s = &b->in->stacks[i];

		b->paths[i] = (struct radix_path){ ranks, s->size, i };
		for (uint32_t j = s->size; j > 0; j--)
			*ranks++ = rank[s->frames[j - 1]];
	}
	if (stacks != 0)
		qsort(b->paths, stacks, sizeof(*b->paths), radix_compare_paths);
	return true;
}

/*
 * Encodes a path from the root to the leaf.  All words are reversed at the end,
 * so that stacks begin with their length and jumps go forward.
 */
static void
radix_encode_path(struct radix_build *b, const struct radix_path *radix_path,
    uint32_t shared)
{
	const struct memprof_stack *s = &b->in->stacks[radix_path->stack];
	struct memprof_radix *out = b->out;

	if (shared != 0) {
		out->words[out->words_size] = b->positions[shared - 1] -
		    out->words_size;
		out->words_size++;
	}
	for (uint32_t i = shared; i < s->size; i++) {
		b->positions[i] = out->words_size;
		out->words[out->words_size++] =
		    b->numbers[s->frames[s->size - 1 - i]];
	}
	out->index[radix_path->stack] = out->words_size;
	out->words[out->words_size++] = s->size;
}

static bool
radix_encode_all(struct radix_build *b)
{
	uint32_t stacks = b->in->stacks_size, n;
	size_t room = (size_t)(b->total + (uint64_t)stacks * 2);
	struct memprof_radix *out = b->out;

	out->words = arena_array(b->arena, room, sizeof(*out->words));
	out->index = arena_array(b->arena, stacks, sizeof(*out->index));
	b->positions = arena_array(b->arena, b->longest, sizeof(*b->positions));
	if (out->words == NULL || out->index == NULL || b->positions == NULL)
		return false;
	for (uint32_t i = stacks; i > 0; i--) {
		const struct radix_path *path = &b->paths[i - 1];
		const struct radix_path *last = &b->paths[i];
		uint32_t shared = 0;

		while (i != stacks && shared < last->size &&
		    shared < path->size &&
		    last->ranks[shared] == path->ranks[shared])
			shared++;
		radix_encode_path(b, path, shared);
	}
	n = out->words_size;
	for (uint32_t i = 0; i < n / 2; i++) {
		uint32_t word = out->words[i];

		out->words[i] = out->words[n - 1 - i];
		out->words[n - 1 - i] = word;
	}
	for (uint32_t i = 0; i < stacks; i++)
		out->index[i] = n - 1 - out->index[i];
	return true;
}

/*
 * Makes the arrays in the arena.  Frames that are equally frequent are ordered
 * by their ids.
 */
static enum prof_status
memprof_radix_make(struct memprof_radix *out, struct arena *arena,
    const struct memprof_built *in, const uint64_t *frame_ids,
    struct prof_error *err)
{
	struct radix_build b = { .out = out, .arena = arena, .in = in,
	    .uses = arena_array(arena, in->frames_size, sizeof(*b.uses)) };

	*out = (struct memprof_radix){ 0 };
	if (b.uses == NULL)
		return err_memory(err);
	radix_count_uses(&b, frame_ids);
	/* The highest bit distinguishes jumps from frames. */
	if (b.total + (uint64_t)in->stacks_size * 2 >= MEMPROF_RADIX_JUMP ||
	    in->frames_size >= MEMPROF_RADIX_JUMP)
		return err_set(err, PROF_E_LIMIT, "%llu frames of %u stacks "
		    "exceed the 2147483647 words of a call stack array",
		    (unsigned long long)b.total, in->stacks_size);
	if (!radix_order_frames(&b) || !radix_order_paths(&b) ||
	    !radix_encode_all(&b))
		return err_memory(err);
	return PROF_OK;
}

struct data_writer {
	const struct memprof_built *in;
	struct symtab names;		/* of symbols and files */
	struct symtab cold;
	uint64_t *hashes;		/* of cold string literals */
	size_t hashes_size;
	uint64_t nameless;		/* dropped locations without a file */
};

static bool
data_is_literal(const struct prof_data *d)
{
	return d->symbol.size == 0;
}

static bool
data_gather_access(struct data_writer *a, const struct prof_data_access *d)
{
	if (!data_is_literal(&d->data) &&
	    !symtab_add(&a->names, d->data.symbol, 0))
		return false;
	for (size_t i = 0; i < d->size; i++) {
		struct prof_span file = d->locations[i].file;

		if (file.size == 0)
			a->nameless++;
		else if (!symtab_add(&a->names, file, 0))
			return false;
	}
	return true;
}

static bool
data_gather(struct data_writer *a, struct arena *arena)
{
	a->hashes = arena_array(arena, a->in->cold_size, sizeof(*a->hashes));
	if (a->hashes == NULL)
		return false;
	for (size_t i = 0; i < a->in->accesses_size; i++) {
		if (!data_gather_access(a, &a->in->accesses[i]))
			return false;
	}
	for (size_t i = 0; i < a->in->cold_size; i++) {
		const struct prof_data *d = &a->in->cold_symbols[i];

		if (data_is_literal(d))
			a->hashes[a->hashes_size++] = d->hash;
		else if (!symtab_add(&a->names, d->symbol, 0) ||
		    !symtab_add(&a->cold, d->symbol, 0))
			return false;
	}
	return true;
}

/* The names of all symbols and files, then those of cold symbols again. */
static enum prof_status
data_put_names(const struct data_writer *a, struct arena *arena,
    struct buf *out, struct prof_error *err)
{
	size_t n = 0, start;
	struct prof_span *names = arena_array(arena, a->names.size +
	    a->cold.size, sizeof(*names));

	if (names == NULL)
		return err_memory(err);
	for (size_t i = 0; i < a->names.size; i++)
		names[n++] = a->names.symbols[i].name;
	for (size_t i = 0; i < a->cold.size; i++)
		names[n++] = a->cold.symbols[i].name;
	buf_u64le(out, a->names.size);
	buf_u64le(out, a->cold.size);
	start = out->size;
	buf_u64le(out, 0);
	if (names_write(out, names, n, err) != PROF_OK)
		return PROF_FAIL;
	if (out->failed)
		return err_memory(err);
	buf_set_u64le(out, start, out->size - start - 8);
	buf_zeros(out, (size_t)pad8(out->size - start));
	return PROF_OK;
}

static void
data_put_name(const struct data_writer *a, struct prof_span name,
    struct buf *out)
{
	buf_u64le(out, symtab_find(&a->names, prof_guid(name), NULL));
}

static void
data_put_access(const struct data_writer *a, const struct prof_data_access *d,
    struct buf *out)
{
	uint64_t locations = 0;

	if (data_is_literal(&d->data))
		buf_u64le(out, d->data.hash);
	else
		data_put_name(a, d->data.symbol, out);
	buf_u8(out, data_is_literal(&d->data));
	buf_u64le(out, d->count);
	for (size_t i = 0; i < d->size; i++)
		locations += d->locations[i].file.size != 0;
	buf_u64le(out, locations);
	for (size_t i = 0; i < d->size; i++) {
		if (d->locations[i].file.size == 0)
			continue;
		data_put_name(a, d->locations[i].file, out);
		buf_u32le(out, d->locations[i].line);
	}
}

/*
 * Appends the accesses and cold symbols (DataAccessProfData::serialize, LLVM 21
 * and 22).  Warns of locations without a file, which cannot be held.
 */
static enum prof_status
memprof_data_write(const struct memprof_built *in,
    struct prof_context *context, struct buf *out, struct prof_error *err)
{
	struct data_writer a = { .in = in };
	struct arena arena = { 0 };
	enum prof_status status = PROF_FAIL;

	if (!data_gather(&a, &arena))
		err_memory(err);
	else
		status = data_put_names(&a, &arena, out, err);
	if (status == PROF_OK) {
		buf_u64le(out, a.hashes_size);
		for (size_t i = 0; i < a.hashes_size; i++)
			buf_u64le(out, a.hashes[i]);
		buf_u64le(out, in->accesses_size);
		for (size_t i = 0; i < in->accesses_size; i++)
			data_put_access(&a, &in->accesses[i], out);
		if (a.nameless != 0)
			warn_lost(context, "locations of data accesses have "
			    "no file: dropped %llu",
			    (unsigned long long)a.nameless);
	}
	symtab_free(&a.names);
	symtab_free(&a.cold);
	arena_free(&arena);
	return status;
}

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

/* AccessHistogram has no meaning in the file. */
static void
section_put_mib(const struct section_writer *s, const struct prof_mib *m,
    struct buf *out)
{
	for (unsigned f = 1; f < PROF_MIB_FIELDS; f++) {
		uint64_t value = mib_stored_value(m, f), max = mib_max(f);

		if ((s->choice->schema >> f & 1) == 0)
			continue;
		if (f == PROF_MIB_ACCESS_HISTOGRAM)
			value = 0;
		buf_number(out, value < max ? value : max, mib_bytes(f),
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
section_put_record(const struct section_writer *s, uint32_t record,
    struct buf *out)
{
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

/* Appends the data of a thing. */
typedef void section_put_thing(const struct section_writer *, uint32_t thing,
    struct buf *);

/*
 * A hash table, whose keys are numbers and their own hashes
 * (llvm/Support/OnDiskHashTable.h with the traits of MemProf.h).
 */
struct section_table {
	const struct section_writer *writer;
	const struct memprof_table_layout *layout;
	section_put_thing *put;
	const uint64_t *ids;		/* keys, by thing */
	uint32_t *things;		/* of the items */
	uint32_t size;
};

static void
table_put_item(const void *arg, uint32_t item, struct buf *out)
{
	const struct section_table *t = arg;
	uint64_t key = t->ids[t->things[item]];
	size_t size_at, start;

	buf_u64le(out, key);		/* the hash */
	if (t->layout->key_sizes)
		buf_u64le(out, sizeof(key));
	size_at = out->size;
	buf_u64le(out, 0);
	buf_u64le(out, key);
	start = out->size;
	t->put(t->writer, t->things[item], out);
	if (!out->failed)
		buf_set_u64le(out, size_at, out->size - start);
}

/*
 * Puts a table of n things, which are given, or are the numbers below n.  One
 * whose key is there already is dropped and counted.
 */
static enum prof_status
section_put_table(struct section_writer *s, struct section_table *t,
    const uint32_t *things, uint32_t n, uint64_t *lost, struct prof_error *err)
{
	uint64_t *keys = arena_array(&s->arena, n, sizeof(*keys));
	struct list_pool seen = { 0 };
	struct disk_hash_plan plan;
	bool ok;

	t->writer = s;
	t->things = arena_array(&s->arena, n, sizeof(*t->things));
	ok = keys != NULL && t->things != NULL;
	for (uint32_t i = 0; ok && i < n; i++) {
		uint32_t thing = things == NULL ? i : things[i];
		uint32_t at = list_pool_add_u64(&seen, t->ids[thing]);

		ok = at != INDEX_NONE;
		if (at == t->size) {
			keys[t->size] = t->ids[thing];
			t->things[t->size++] = thing;
		} else {
			++*lost;
		}
	}
	list_pool_free(&seen);
	if (!ok || !disk_hash_plan(&plan, &s->arena, keys, t->size, true))
		return err_memory(err);
	s->words[t->layout->payload] = section_file_offset(s);
	return disk_hash_write(&plan, t->size, s->base, table_put_item, t,
	    s->out, &s->words[t->layout->head], err);
}

static enum prof_status
section_put_records(struct section_writer *s, struct prof_error *err)
{
	const uint32_t n = s->in->records_size;
	uint64_t *guids = arena_array(&s->arena, n, sizeof(*guids)), lost = 0;
	struct section_table t = { .layout = &memprof_record_table,
	    .put = section_put_record, .ids = guids };

	if (section_check_size(s, err) != PROF_OK)
		return PROF_FAIL;
	if (guids == NULL)
		return err_memory(err);
	for (uint32_t i = 0; i < n; i++)
		guids[i] = s->in->records[i].guid;
	return section_put_table(s, &t, NULL, n, &lost, err);
}

static void
section_put_frame(const struct section_writer *s, uint32_t frame,
    struct buf *out)
{
	uint8_t bytes[MEMPROF_FRAME_SIZE];

	memprof_frame_bytes(&s->in->frames[frame], bytes);
	buf_put(out, bytes, sizeof(bytes));
}

static void
section_put_stack_frames(const struct section_writer *s, uint32_t stack,
    struct buf *out)
{
	section_put_frame_ids(s, &s->in->stacks[stack], out);
}

static bool
section_make_frame_ids(struct section_writer *s)
{
	const struct memprof_built *in = s->in;
	uint8_t bytes[64][MEMPROF_FRAME_SIZE];
	const uint32_t most = sizeof(bytes) / sizeof(bytes[0]);

	s->frame_ids = arena_array(&s->arena, in->frames_size,
	    sizeof(*s->frame_ids));
	if (s->frame_ids == NULL)
		return false;
	for (uint32_t i = 0; s->choice->llvm19_ids && i < in->frames_size; i++)
		s->frame_ids[i] = memprof_frame_id_llvm15(&in->frames[i]);
	if (s->choice->llvm19_ids)
		return true;
	for (uint32_t at = 0, n; at < in->frames_size; at += n) {
		n = in->frames_size - at < most ? in->frames_size - at : most;
		for (uint32_t i = 0; i < n; i++)
			memprof_frame_bytes(&in->frames[at + i], bytes[i]);
		memprof_frame_ids(bytes[0], n, s->frame_ids + at);
	}
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
	struct section_table frame_table = { .layout = &memprof_frame_table,
	    .put = section_put_frame, .ids = s->frame_ids };
	struct section_table stack_table = { .layout = &memprof_stack_table,
	    .put = section_put_stack_frames };

	if (!section_list_frames(s) || (stacks && !section_make_stack_ids(s)))
		return err_memory(err);
	stack_table.ids = s->stack_ids;
	/* radix.frames are the frames in use, in the order of first use. */
	if (section_put_records(s, err) != PROF_OK ||
	    section_put_table(s, &frame_table, s->radix.frames,
	    s->radix.frames_size, &s->lost_frames, err) != PROF_OK)
		return PROF_FAIL;
	return !stacks ? PROF_OK : section_put_table(s, &stack_table, NULL,
	    s->in->stacks_size, &s->lost_stacks, err);
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

static enum prof_status
section_put_head(struct section_writer *s, struct prof_error *err)
{
	uint64_t fields[MEMPROF_SUMMARY_FIELDS] = { 0 };
	uint32_t schema = s->choice->schema;
	bool summary = s->choice->row->summary;

	/* The words are filled in at the end, when all offsets are known. */
	buf_zeros(s->out, memprof_words_size(s->choice->row));
	if ((summary && !memprof_summarize(s->in, fields)) ||
	    !section_make_frame_ids(s))
		return err_memory(err);
	if (summary)
		buf_u32le(s->out, MEMPROF_SUMMARY_FIELDS);
	for (int i = 0; summary && i < MEMPROF_SUMMARY_FIELDS; i++)
		buf_u64le(s->out, fields[i]);
	buf_u64le(s->out, memprof_schema_fields(schema));
	for (unsigned f = 1; f < PROF_MIB_FIELDS; f++) {
		if ((schema >> f & 1) != 0)
			buf_u64le(s->out, f);
	}
	return PROF_OK;
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
	if (status == PROF_OK &&
	    memprof_word_at(row, MEMPROF_DATA_ACCESS) != SIZE_MAX &&
	    s->in->accesses_size + s->in->cold_size != 0) {
		s->words[MEMPROF_DATA_ACCESS] = section_file_offset(s);
		status = memprof_data_write(s->in, context, s->out, err);
	}
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

static void
section_warn(const struct section_writer *s, struct prof_context *c)
{
	const struct memprof_row *row = s->choice->row;
	bool accesses = memprof_word_at(row, MEMPROF_DATA_ACCESS) != SIZE_MAX;
	const struct memprof_built *in = s->in;
	/* Fields that no block has are not reported. */
	uint32_t fields = in->known_fields & in->unknown_fields &
	    s->choice->schema & ~MIB_HISTOGRAM;

	if (fields != 0)
		warn_set(c, "some memory info blocks have no values for "
		    "fields that others have: 0 is written, and the minimum "
		    "for a maximum; fields: %d", __builtin_popcount(fields));
	section_warn_dropped(c, row->version, s->choice->dropped,
	    "fields of its schema");
	section_warn_dropped(c, row->version, in->histograms,
	    "access histograms");
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
	    .base = base, .out = out, .start = out->size };
	enum prof_status status = section_put(&s, context, err);

	if (status == PROF_OK)
		section_warn(&s, context);
	arena_free(&s.arena);
	return status;
}
