/*
 * llvm-profdata show --memory: of raw profiles the YAML of
 * RawMemProfReader::printYAML, LLVM 15 to 22: segments, then the allocation and
 * call sites of each function.
 */
#include "config.h"

#include "cmd/profdata/profdata.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/numbers.h"
#include "model/heap.h"
#include "model/memprof/build.h"
#include "model/mib.h"
#include "model/symtab.h"

/* The frames of one address, inlined callees first. */
struct location {
	const struct memprof_frame *frames;
	uint32_t size;
};

struct stack {
	const uint32_t *locations;
	uint32_t size;
};

struct context {
	uint32_t stack;
	struct prof_mib info;
};

/*
 * A link of a record's list of allocation or call sites.  `what` is the index
 * of a context or a location; `next` is that of the next link + 1, 0: none.
 */
struct site {
	uint32_t what, next;
};

struct chain {
	uint32_t first, last;
};

struct record {
	struct chain allocs, calls;
};

struct profdata_heap {
	uint64_t version;
	struct arena arena;
	struct symtab names;
	struct buf segments;		/* text */
	uint64_t segment_count;
	struct list_pool addresses;	/* of locations, in the same order */
	struct location *locations;
	struct stack *stacks;
	struct context *contexts;
	size_t locations_room, stacks_size, stacks_room;
	size_t contexts_size, contexts_room;
	struct id_map stack_ids;	/* index + 1 */

	struct list_pool guids;		/* of records, in the same order */
	struct record *records;
	struct site *sites;
	size_t records_room, sites_size, sites_room;
	uint64_t alloc_sites;
};

static struct profdata_heap *
profdata_heap_new(void)
{
	return calloc(1, sizeof(struct profdata_heap));
}

static void
profdata_heap_free(struct profdata_heap *h)
{
	if (h == NULL)
		return;
	symtab_free(&h->names);
	buf_free(&h->segments);
	list_pool_free(&h->addresses);
	list_pool_free(&h->guids);
	id_map_free(&h->stack_ids);
	free(h->locations);
	free(h->stacks);
	free(h->contexts);
	free(h->records);
	free(h->sites);
	arena_free(&h->arena);
	free(h);
}

static void __attribute__((format(printf, 2, 3)))
print_segment_text(struct buf *b, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	buf_vprint(b, format, ap);
	va_end(ap);
}

static bool
raw_heap_add_segment(struct profdata_heap *h, const struct prof_segment *s)
{
	struct buf *b = &h->segments;

	h->segment_count++;
	print_segment_text(b, "  -\n    BuildId: %s", s->build_id.size == 0 ?
	    "<None>" : "");
	digits_append_hex(b, s->build_id);
	print_segment_text(b, "\n    Start: 0x%" PRIX64 "\n    End: 0x%" PRIX64
	    "\n    Offset: 0x%" PRIX64 "\n", s->start, s->end, s->offset);
	return !b->failed;
}

static bool
raw_heap_copy_frame(struct profdata_heap *h, const struct prof_frame *f,
    struct memprof_frame *out)
{
	struct prof_span name = memprof_frame_name(f->function.name);

	*out = (struct memprof_frame){ f->function.guid != 0 ?
	    f->function.guid : memprof_guid(name), f->line_offset,
	    f->column, (f->flags & PROF_FRAME_INLINE) != 0 };
	return symtab_keep(&h->names, &h->arena, memprof_canonical_name(name),
	    out->guid);
}

/* Finds the location of an address; its frames are copied the first time. */
static bool
raw_heap_find_location(struct profdata_heap *h, const uint32_t key[4],
    const struct prof_frame *f, uint32_t size, uint32_t *out)
{
	size_t before = h->addresses.size;
	struct memprof_frame *frames;

	if (!ARRAY_ROOM(h->locations, before, h->locations_room))
		return false;
	*out = list_pool_add(&h->addresses, key, 4);
	if (*out == INDEX_NONE)
		return false;
	if (*out < before)
		return true;
	frames = arena_array(&h->arena, size, sizeof(*frames));
	if (frames == NULL)
		return false;
	for (uint32_t i = 0; i < size; i++) {
		if (!raw_heap_copy_frame(h, &f[i], &frames[i]))
			return false;
	}
	h->locations[*out] = (struct location){ frames, size };
	return true;
}

static bool
raw_heap_add_stack(struct profdata_heap *h, const struct prof_stack *s)
{
	uint32_t *locations = arena_array(&h->arena, s->frames_size,
	    sizeof(*locations));
	uint32_t count = 0;

	if (!ARRAY_ROOM(h->stacks, h->stacks_size, h->stacks_room) ||
	    locations == NULL)
		return false;
	for (size_t at = 0; at < s->frames_size; count++) {
		uint32_t size = (uint32_t)frame_pool_address_size(s, at);
		uint64_t pc = count < s->pcs_size ? s->pcs[count] : at;
		uint64_t segment = count >= s->pcs_size ? s->id :
		    s->segments == NULL ? PROF_NO_SEGMENT : s->segments[count];
		uint32_t key[] = { (uint32_t)pc, (uint32_t)(pc >> 32),
		    (uint32_t)segment, (uint32_t)(segment >> 32) };

		if (!raw_heap_find_location(h, key, &s->frames[at], size,
		    &locations[count]))
			return false;
		at += size;
	}
	h->stacks[h->stacks_size++] = (struct stack){ locations, count };
	return id_map_add(&h->stack_ids, s->id, h->stacks_size) != NULL;
}

static bool
raw_heap_add_context(struct profdata_heap *h, const struct prof_allocation *a)
{
	const uint64_t *stack = id_map_find(&h->stack_ids, a->stack);
	struct context *c;
	size_t size = (size_t)a->info.value[PROF_MIB_ACCESS_HISTOGRAM_SIZE];
	uint64_t *histogram;

	if (!ARRAY_ROOM(h->contexts, h->contexts_size, h->contexts_room))
		return false;
	if (stack == NULL || h->stacks[*stack - 1].size == 0)
		return true;
	c = &h->contexts[h->contexts_size++];
	*c = (struct context){ (uint32_t)(*stack - 1), a->info };
	if (a->info.histogram == NULL)
		return true;
	histogram = arena_array(&h->arena, size, sizeof(*histogram));
	if (histogram == NULL)
		return false;
	for (size_t i = 0; i < size; i++)
		histogram[i] = a->info.histogram[i];
	c->info.histogram = histogram;
	return true;
}

static enum prof_status
profdata_heap_put(struct profdata_heap *h, const struct prof_record *r,
    struct prof_error *err)
{
	bool done = true;

	if (r->kind == PROF_REC_PROFILE)
		h->version = r->u.profile.source.version;
	else if (r->kind == PROF_REC_SEGMENT)
		done = raw_heap_add_segment(h, &r->u.segment);
	else if (r->kind == PROF_REC_STACK)
		done = raw_heap_add_stack(h, &r->u.stack);
	else if (r->kind == PROF_REC_ALLOCATION)
		done = raw_heap_add_context(h, &r->u.allocation);
	return done ? PROF_OK : err_memory(err);
}

static struct record *
raw_heap_record(struct profdata_heap *h, uint64_t guid)
{
	size_t before = h->guids.size;
	uint32_t n;

	if (!ARRAY_ROOM(h->records, before, h->records_room))
		return NULL;
	n = list_pool_add_u64(&h->guids, guid);
	if (n == INDEX_NONE)
		return NULL;
	if (n == before)
		h->records[n] = (struct record){ { 0, 0 }, { 0, 0 } };
	return &h->records[n];
}

static bool
raw_heap_append_site(struct profdata_heap *h, struct chain *c, uint32_t what)
{
	if (!ARRAY_ROOM(h->sites, h->sites_size, h->sites_room))
		return false;
	h->sites[h->sites_size++] = (struct site){ what, 0 };
	if (c->last != 0)
		h->sites[c->last - 1].next = (uint32_t)h->sites_size;
	else
		c->first = (uint32_t)h->sites_size;
	c->last = (uint32_t)h->sites_size;
	return true;
}

/* Gives the context to each function from the leaf to the first not inlined. */
static bool
raw_heap_add_alloc_sites(struct profdata_heap *h, uint32_t context)
{
	const struct stack *s = &h->stacks[h->contexts[context].stack];
	const struct location *l = &h->locations[s->locations[0]];

	for (uint32_t i = 0; i < l->size; i++) {
		struct record *r = raw_heap_record(h, l->frames[i].guid);

		if (r == NULL || !raw_heap_append_site(h, &r->allocs, context))
			return false;
		h->alloc_sites++;
	}
	return true;
}

/* Notes a call site for each function of a stack but the one that allocates. */
static bool
raw_heap_note_call_sites(const struct profdata_heap *h, const struct stack *s,
    struct list_pool *guids, struct list_pool *pairs)
{
	for (uint32_t i = 0; i < s->size; i++) {
		const struct location *l = &h->locations[s->locations[i]];

		for (uint32_t k = i == 0; k < l->size; k++) {
			uint32_t pair[] = { list_pool_add_u64(guids,
			    l->frames[k].guid), s->locations[i] };

			if (pair[0] == INDEX_NONE || list_pool_add(pairs, pair,
			    2) == INDEX_NONE)
				return false;
		}
	}
	return true;
}

static uint64_t
pool_entry_guid(const struct list_pool_entry *t)
{
	return (uint64_t)t->numbers[1] << 32 | t->numbers[0];
}

static bool
raw_heap_make_records(struct profdata_heap *h)
{
	struct list_pool guids = { 0 }, pairs = { 0 };
	bool ok = true;

	for (size_t i = 0; ok && i < h->contexts_size; i++)
		ok = raw_heap_add_alloc_sites(h, (uint32_t)i) &&
		    raw_heap_note_call_sites(h,
		    &h->stacks[h->contexts[i].stack], &guids, &pairs);
	for (uint32_t i = 0; ok && i < guids.size; i++)
		ok = raw_heap_record(h, pool_entry_guid(&guids.items[i])) !=
		    NULL;
	for (uint32_t i = 0; ok && i < pairs.size; i++) {
		const uint32_t *pair = pairs.items[i].numbers;
		struct record *r = raw_heap_record(h, pool_entry_guid(
		    &guids.items[pair[0]]));

		ok = r != NULL && raw_heap_append_site(h, &r->calls, pair[1]);
	}
	list_pool_free(&guids);
	list_pool_free(&pairs);
	return ok;
}

static void
raw_heap_print_frames(const struct profdata_heap *h, struct profdata_out *out,
    const struct location *l, bool call)
{
	for (uint32_t i = 0; i < l->size; i++) {
		const struct memprof_frame *f = &l->frames[i];
		struct prof_span name = symtab_name(&h->names, f->guid);

		profdata_print(out, "%s      -\n        Function: %" PRIu64
		    "\n        SymbolName: %s", call ? "    -\n" : "", f->guid,
		    name.data == NULL ? "<None>" : "");
		profdata_put(out, name);
		profdata_print(out, "\n        LineOffset: %" PRIu32
		    "\n        Column: %" PRIu32 "\n        Inline: %d\n",
		    f->line_offset, f->column, f->is_inline);
	}
}

static void
raw_heap_print_context(const struct profdata_heap *h, struct profdata_out *out,
    const struct context *c)
{
	const struct stack *s = &h->stacks[c->stack];
	uint64_t size = c->info.value[PROF_MIB_ACCESS_HISTOGRAM_SIZE];

	profdata_print(out, "    -\n      Callstack:\n");
	for (uint32_t i = 0; i < s->size; i++)
		raw_heap_print_frames(h, out, &h->locations[s->locations[i]],
		    false);
	profdata_print(out, "      MemInfoBlock:\n");
	for (unsigned i = 1; i < PROF_MIB_FIELDS; i++)
		profdata_print(out, "        %s: %" PRIu64 "\n",
		    mib_fields[i].name, c->info.value[i]);
	if (c->info.histogram == NULL || size == 0)
		return;
	profdata_print(out, "        AccessHistogramValues:");
	for (uint64_t i = 0; i < size; i++)
		profdata_print(out, " %" PRIu64, c->info.histogram[i]);
	profdata_print(out, "\n");
}

static void
raw_heap_print_record(const struct profdata_heap *h, struct profdata_out *out,
    uint32_t n)
{
	const struct record *r = &h->records[n];

	profdata_print(out, "  -\n    FunctionGUID: %" PRIu64 "\n",
	    pool_entry_guid(&h->guids.items[n]));
	if (r->allocs.first != 0)
		profdata_print(out, "    AllocSites:\n");
	for (uint32_t i = r->allocs.first; i != 0; i = h->sites[i - 1].next)
		raw_heap_print_context(h, out, &h->contexts[h->sites[i -
		    1].what]);
	if (r->calls.first != 0)
		profdata_print(out, "    CallSites:\n");
	for (uint32_t i = r->calls.first; i != 0; i = h->sites[i - 1].next)
		raw_heap_print_frames(h, out, &h->locations[h->sites[i -
		    1].what], true);
}

static bool
profdata_heap_print(struct profdata_heap *h, struct profdata_out *out)
{
	uint64_t functions = 0;

	if (!raw_heap_make_records(h))
		return false;
	for (uint32_t i = 0; i < h->guids.size; i++)
		functions += h->records[i].allocs.first != 0;
	profdata_print(out, "MemprofProfile:\n  Summary:\n"
	    "    Version: %" PRIu64 "\n    NumSegments: %" PRIu64 "\n"
	    "    NumMibInfo: %" PRIu64 "\n    NumAllocFunctions: %" PRIu64 "\n"
	    "    NumStackOffsets: %zu\n  Segments:\n", h->version,
	    h->segment_count, h->alloc_sites, functions, h->stacks_size);
	profdata_put(out, buf_span(&h->segments));
	profdata_print(out, "  Records:\n");
	for (uint32_t i = 0; i < h->guids.size; i++)
		raw_heap_print_record(h, out, i);
	return true;
}

/* llvm-profdata show --memory */

struct memory_view {
	struct prof_writer *writer;	/* of YAML, into text */
	struct buf text;
	struct profdata_heap *heap;	/* of a raw profile */
	bool any;			/* the profile has heap data */
	bool raw;
};

static enum prof_status
show_memory_record(void *arg, const struct prof_record *r,
    struct prof_error *err)
{
	struct memory_view *m = arg;
	struct prof_record out = *r;

	switch (r->kind) {
	case PROF_REC_FUNCTION:
	case PROF_REC_TRACE:
	case PROF_REC_BINARY:
	case PROF_REC_VTABLE:
	case PROF_REC_NAME:
		return PROF_OK;
	case PROF_REC_PROFILE:
		m->any = r->u.profile.kind != PROF_INSTR;
		m->raw = r->u.profile.source.format != NULL && strcmp(
		    r->u.profile.source.format, "memprof-raw") == 0;
		out.u.profile.kind = PROF_MEMPROF;
		break;
	default:
		break;
	}
	if (m->raw && profdata_heap_put(m->heap, r, err) != PROF_OK)
		return PROF_FAIL;
	return prof_put(m->writer, &out, err);
}

/* The first line of the YAML, "---", and the comments that follow it. */
static struct prof_span
yaml_summary_lines(const struct buf *text)
{
	size_t at = 0;

	while (at < text->size && (at == 0 || text->data[at] == '#')) {
		const uint8_t *end = memchr(text->data + at, '\n',
		    text->size - at);

		at = end == NULL ? text->size : (size_t)(end - text->data) + 1;
	}
	return (struct prof_span){ text->data, at };
}

static void
print_memory_view(struct profdata *p, struct memory_view *m)
{
	struct profdata_out *out = profdata_out_open(p);

	if (!m->raw)
		profdata_put(out, buf_span(&m->text));
	else if (profdata_since(p, 21))
		profdata_put(out, yaml_summary_lines(&m->text));
	if (m->raw && !profdata_heap_print(m->heap, out))
		profdata_out_of_memory();
	profdata_out_close(out);
}

int
profdata_show_memory(struct profdata *p)
{
	const char *path = p->options.operands.items[0];
	struct prof_target target = { .format = "yaml" };
	char message[PROFDATA_MESSAGE_SIZE];
	struct memory_view m = { .any = false };
	struct prof_error err = { 0 };
	struct profdata_resolver *resolver = profdata_resolver_new(p,
	    show_memory_record, &m);

	m.heap = profdata_heap_new();
	if (m.heap == NULL)
		profdata_out_of_memory();
	m.writer = prof_writer_new(p->context, &target, buf_sink, &m.text,
	    &err);
	if (m.writer == NULL || profdata_read(p, path, profdata_resolver_put,
	    resolver, &err) != PROF_OK ||
	    profdata_resolver_finish(resolver, &err) != PROF_OK ||
	    prof_finish(m.writer, &err) != PROF_OK)
		profdata_fail(path, "%s", profdata_message(message, &err));
	if (!m.any)
		profdata_fail(path, "the profile has no heap data");
	print_memory_view(p, &m);
	prof_writer_free(m.writer);
	profdata_heap_free(m.heap);
	profdata_resolver_free(resolver);
	buf_free(&m.text);
	return 0;
}
