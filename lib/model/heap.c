/* Contexts, frames and stacks of heap profiles; guids of their functions. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/digests.h"
#include "base/error.h"
#include "base/numbers.h"
#include "model/heap.h"

const uint8_t heap_fields[HEAP_VALUES] = {
	[HEAP_BYTES] = PROF_MIB_TOTAL_SIZE,
	[HEAP_COUNT] = PROF_MIB_ALLOC_COUNT,
	[HEAP_LIFETIME] = PROF_MIB_TOTAL_LIFETIME,
	[HEAP_ACCESSES] = PROF_MIB_TOTAL_ACCESS_COUNT,
};

bool
heap_value_named(const char *word, enum heap_value *out)
{
	static const char *const words[HEAP_VALUES] = {
		[HEAP_BYTES] = "bytes", [HEAP_COUNT] = "count",
		[HEAP_LIFETIME] = "lifetime", [HEAP_ACCESSES] = "accesses",
	};

	for (int i = 0; i < HEAP_VALUES; i++) {
		if (strcmp(word, words[i]) == 0) {
			*out = (enum heap_value)i;
			return true;
		}
	}
	return false;
}

enum heap_line
heap_frame_line(const struct prof_frame *f, uint32_t *number)
{
	*number = 0;
	if ((f->flags & PROF_FRAME_LINE) != 0) {
		*number = f->line;
		return HEAP_LINE_OF_FILE;
	}
	if ((f->flags & PROF_FRAME_LINE_OFFSET) == 0 ||
	    f->line_offset > INT32_MAX)
		return HEAP_LINE_UNKNOWN;
	*number = f->line_offset;
	return HEAP_LINE_OF_FUNCTION;
}

int
heap_compare_data(const void *a, const void *b)
{
	const struct prof_data *x = a, *y = b;
	int order = prof_span_compare(x->symbol, y->symbol);

	return order != 0 ? order : compare_u64(x->hash, y->hash);
}

int
heap_compare_locations(const void *a, const void *b)
{
	const struct prof_location *x = a, *y = b;
	int order = prof_span_compare(x->file, y->file);

	return order != 0 ? order : compare_u64(x->line, y->line);
}

void
heap_put_name(struct buf *b, const struct heap *h,
    const struct heap_frame *f, heap_name *name)
{
	const struct prof_symbol *s = &f->source.function;

	const struct heap_module *m = !f->has_address ||
	    f->module == HEAP_NO_MODULE ? NULL : &h->modules[f->module];

	if (s->name.size != 0 && name != NULL)
		name(b, s->name);
	else if (s->name.size != 0)
		buf_put(b, s->name.data, s->name.size);
	else if (s->guid != 0)
		buf_print(b, "0x%016" PRIx64, s->guid);
	else if (!f->has_address)
		buf_text(b, "[unknown]");
	else {
		buf_text(b, "[");
		if (m != NULL && m->build_id.size != 0)
			digits_append_hex(b, m->build_id);
		else if (m != NULL)
			buf_print(b, "segment %" PRIu64, m->segment);
		buf_print(b, m != NULL ? "+0x%" PRIx64 "]" : "0x%" PRIx64 "]",
		    f->address);
	}
}

struct frame_pool_key {
	const struct prof_frame *frames, *frame;
};

/* The texts are interned: equal ones have one address. */
static bool
frame_pool_same(const void *arg, uint32_t item)
{
	const struct frame_pool_key *k = arg;
	const struct prof_frame *a = &k->frames[item], *b = k->frame;

	return a->function.guid == b->function.guid &&
	    a->function.name.data == b->function.name.data &&
	    a->file.data == b->file.data && a->line == b->line &&
	    a->start_line == b->start_line &&
	    a->line_offset == b->line_offset && a->column == b->column &&
	    a->discriminator == b->discriminator && a->flags == b->flags;
}

static uint64_t
frame_pool_hash(const struct frame_pool *p, const struct prof_frame *f)
{
	const uint64_t words[] = {
		f->function.guid, (uintptr_t)f->function.name.data,
		(uintptr_t)f->file.data,
		(uint64_t)f->line << 32 | f->start_line,
		(uint64_t)f->line_offset << 32 | f->column,
		(uint64_t)f->discriminator << 32 | f->flags
	};
	uint64_t hash = p->index.seed;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		hash = hash_mix(hash, words[i]);
	return hash;
}

/* Replaces a text by the stored one. */
static bool
frame_pool_set_text(struct frame_pool *p, struct prof_span *text)
{
	uint32_t n;

	if (text->size == 0) {
		*text = (struct prof_span){ NULL, 0 };
		return true;
	}
	n = intern_add(&p->texts, text->data, text->size);
	if (n != INDEX_NONE)
		*text = p->texts.items[n];
	return n != INDEX_NONE;
}

uint32_t
frame_pool_add(struct frame_pool *p, const struct prof_frame *from)
{
	struct prof_frame f = *from;
	struct hash_index_slot *s;
	uint64_t hash;

	if (!ARRAY_ROOM(p->frames, p->index.size, p->room) ||
	    !hash_index_reserve(&p->index, (size_t)p->index.size + 1) ||
	    !frame_pool_set_text(p, &f.function.name) ||
	    !frame_pool_set_text(p, &f.file))
		return INDEX_NONE;
	hash = frame_pool_hash(p, &f);
	s = hash_index_slot(&p->index, hash, frame_pool_same,
	    &(struct frame_pool_key){ p->frames, &f });
	if (s->item != 0)
		return s->item - 1;
	p->frames[p->index.size] = f;
	hash_index_fill(&p->index, s, hash);
	return p->index.size - 1;
}

void
frame_pool_free(struct frame_pool *p)
{
	intern_free(&p->texts);
	free(p->frames);
	hash_index_free(&p->index);
	*p = (struct frame_pool){ .room = 0 };
}

bool
frame_numbers_grow(struct frame_numbers *n, uint32_t number)
{
	size_t more = (size_t)number + 1 - n->size;

	if (!ARRAY_RESERVE(n->items, n->size, more, n->room))
		return false;
	for (; n->size <= number; n->size++)
		n->items[n->size] = (struct frame_number){ INDEX_NONE,
		    n->profile };
	return true;
}

void
frame_numbers_free(struct frame_numbers *n)
{
	free(n->items);
	*n = (struct frame_numbers){ .room = 0 };
}

size_t
frame_pool_address_size(const struct prof_stack *s, size_t at)
{
	size_t end = at + 1;

	while (end < s->frames_size &&
	    (s->frames[end - 1].flags & PROF_FRAME_INLINE) != 0)
		end++;
	return end - at;
}

void
heap_refs_begin(struct heap_refs *r, uint64_t inputs)
{
	r->is_sum = inputs > 1;
	r->placed = false;
	r->next = 0;
	id_map_clear(&r->segments);
	id_map_clear(&r->stacks);
}

void
heap_refs_free(struct heap_refs *r)
{
	id_map_free(&r->segments);
	id_map_free(&r->stacks);
	*r = (struct heap_refs){ .is_sum = false };
}

enum prof_status
heap_refs_add_segment(struct heap_refs *r, const struct prof_segment *s,
    struct prof_error *err)
{
	uint64_t hash = hash_mix(hash_span(s->has_range, s->build_id),
	    s->file_addresses);
	const uint64_t *known;
	size_t before = r->segments.size;

	hash = hash_mix(hash_mix(hash_mix(hash, s->start), s->end), s->offset);
	known = id_map_add(&r->segments, s->id, hash);
	if (known == NULL)
		return err_memory(err);
	if (r->segments.size == before) {
		if (*known == hash && !r->strict)
			return PROF_END;
		return err_set(err, PROF_E_CORRUPT,
		    "two segments have the id %llu", ull(s->id));
	}
	if (!s->has_range || r->is_sum || !r->placed)
		return PROF_OK;
	return err_set(err, PROF_E_CORRUPT, "segment %llu follows a stack that "
	    "may be in it", ull(s->id));
}

enum prof_status
heap_refs_segment_of(struct heap_refs *r, const struct prof_stack *s,
    size_t pc, uint32_t *place, struct prof_error *err)
{
	*place = id_map_index(&r->segments, s->segments[pc]);
	if (*place != INDEX_NONE)
		return PROF_OK;
	return err_set(err, PROF_E_CORRUPT, "stack 0x%016llx is in segment "
	    "%llu, which is missing", ull(s->id), ull(s->segments[pc]));
}

enum prof_status
heap_refs_add_stack(struct heap_refs *r, uint64_t id, uint64_t value,
    struct prof_error *err)
{
	const uint64_t *known = id_map_add(&r->stacks, id, value);

	if (known == NULL)
		return err_memory(err);
	if (*known == value)
		return PROF_OK;
	return err_set(err, PROF_E_CORRUPT, "two stacks have the id 0x%016llx"
	    "%s", ull(id), r->strict ? " and differ" : "");
}

enum prof_status
heap_refs_no_stack(uint64_t id, struct prof_error *err)
{
	return err_set(err, PROF_E_CORRUPT, "there is no stack 0x%016llx",
	    ull(id));
}

static uint64_t
refs_hash_frame(uint64_t h, const struct prof_frame *f)
{
	h = hash_mix(hash_span(h, f->function.name), f->function.guid);
	h = hash_span(h, f->file);
	h = hash_mix(h, (uint64_t)f->line << 32 | f->start_line);
	h = hash_mix(h, (uint64_t)f->line_offset << 32 | f->column);
	return hash_mix(h, (uint64_t)f->discriminator << 32 | f->flags);
}

/* What decides whether stacks are the same; so are stacks folded, too. */
static uint64_t
refs_hash_stack(const struct prof_stack *s, bool strict)
{
	bool by_address = strict || s->frames_size == 0;
	uint64_t h = hash_mix(s->frames_size, 0);

	for (size_t i = 0; i < s->frames_size; i++) {
		h = s->frame_numbers != NULL ?
		    hash_mix(h, s->frame_numbers[i]) :
		    refs_hash_frame(h, &s->frames[i]);
		by_address = by_address || (s->pcs_size != 0 &&
		    frame_is_empty(&s->frames[i]));
	}
	for (size_t i = 0; by_address && i < s->pcs_size; i++)
		h = hash_mix(hash_mix(h, s->pcs[i]), s->segments == NULL ?
		    PROF_NO_SEGMENT : s->segments[i]);
	return h;
}

static enum prof_status
refs_check_stack(struct heap_refs *r, const struct prof_stack *s,
    struct prof_error *err)
{
	enum prof_status status = PROF_OK;
	uint32_t unused;

	if (s->segments == NULL && s->pcs_size != 0)
		r->placed = true;
	for (size_t i = 0; s->segments != NULL && i < s->pcs_size &&
	    status == PROF_OK; i++) {
		if (s->segments[i] == PROF_NO_SEGMENT)
			r->placed = true;
		else
			status = heap_refs_segment_of(r, s, i, &unused, err);
	}
	return status != PROF_OK ? status : heap_refs_add_stack(r, s->id,
	    refs_hash_stack(s, r->strict), err);
}

enum prof_status
heap_check_symbol(const struct prof_symbol *s, struct prof_error *err)
{
	char name[ERR_NAME_SIZE];

	if (s->name.size == 0 || s->guid == 0 || s->guid == prof_guid(s->name)
	    || s->guid == memprof_guid(s->name))
		return PROF_OK;
	return err_set(err, PROF_E_CORRUPT, "guid 0x%016llx is not that of %s",
	    ull(s->guid), err_name(name, s->name));
}

static enum prof_status
refs_check_function(struct heap_refs *r, const struct prof_memprof_function *f,
    struct prof_error *err)
{
	enum prof_status status = heap_check_symbol(&f->symbol, err);
	uint64_t unused;

	for (size_t i = 0; i < f->allocs_size && status == PROF_OK; i++)
		status = heap_refs_find_stack(r, f->alloc_sites[i].stack,
		    &unused, err);
	for (size_t i = 0; i < f->calls_size && status == PROF_OK; i++)
		status = heap_refs_find_stack(r, f->call_sites[i].stack,
		    &unused, err);
	return status;
}

enum prof_status
heap_refs_check(struct heap_refs *r, const struct prof_record *record,
    struct prof_error *err)
{
	uint64_t unused;

	switch (record->kind) {
	case PROF_REC_SEGMENT:
		return heap_refs_add_segment(r, &record->u.segment, err) ==
		    PROF_FAIL ? PROF_FAIL : PROF_OK;
	case PROF_REC_STACK:
		return refs_check_stack(r, &record->u.stack, err);
	case PROF_REC_ALLOCATION:
		return heap_refs_find_stack(r, record->u.allocation.stack,
		    &unused, err);
	case PROF_REC_MEMPROF_FUNCTION:
		return refs_check_function(r, &record->u.memprof_function,
		    err);
	default:
		/* The stacks of pairs are of nothing else. */
		return PROF_OK;
	}
}

enum { SUFFIX_SIZE = 6 };

/* Offset of the last occurrence of a text, or the name's size if none. */
static size_t
memprof_last_of(struct prof_span name, const char *text, size_t size)
{
	for (size_t i = name.size; i >= size; i--) {
		if (memcmp(name.data + i - size, text, size) == 0)
			return i - size;
	}
	return name.size;
}

struct prof_span
memprof_canonical_name(struct prof_span name)
{
	static const char suffixes[][SUFFIX_SIZE + 1] = {
		".llvm.", ".part."
	};

	for (size_t i = 0; i < 2; i++) {
		size_t at = memprof_last_of(name, suffixes[i], SUFFIX_SIZE);
		size_t dot = memprof_last_of(name, ".", 1);

		/* Cut only if at most one word follows the suffix. */
		if (at < name.size &&
		    (dot == at || dot == at + SUFFIX_SIZE - 1))
			name.size = at;
	}
	return name;
}

uint64_t
memprof_guid(struct prof_span name)
{
	name = memprof_canonical_name(name);
	return md5_u64(name.data, name.size);
}

struct prof_span
memprof_frame_name(struct prof_span name)
{
	return name.data != NULL ? name : span_of_text("<invalid>");
}

struct prof_span
memprof_data_name(struct prof_span symbol)
{
	static const char uniq[] = ".__uniq.";
	const size_t size = sizeof(uniq) - 1;
	size_t from = 0;

	for (size_t i = 0; i + size <= symbol.size && from == 0; i++) {
		if (memcmp(symbol.data + i, uniq, size) == 0)
			from = i + size;
	}
	for (size_t i = from; i < symbol.size; i++) {
		if (symbol.data[i] == '.' && i != 0) {
			symbol.size = i;
			break;
		}
	}
	return symbol;
}

static bool
memprof_is_runtime_file(struct prof_span path)
{
	static const char *const names[] = {
		"memprof_malloc_linux", "memprof_interceptors",
		"memprof_new_delete"
	};

	/* Frames by the million have other files. */
	if (path.size < 4 || memcmp(path.data + path.size - 4, ".cpp", 4) != 0)
		return false;
	path.size -= 4;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t n = strlen(names[i]), folder = path.size - n;

		if (path.size >= n &&
		    memcmp(path.data + folder, names[i], n) == 0 &&
		    (folder == 0 || path.data[folder - 1] == '/'))
			return true;
	}
	return false;
}

/*
 * Linkers and compilers differ in which alias of an allocation function the
 * symbol table gives: the runtime defines ___interceptor_malloc,
 * __interceptor_malloc, __interceptor_trampoline_malloc and malloc.
 */
static bool
memprof_is_runtime_function(struct prof_span name)
{
	static const char *const names[] = {
		"malloc", "calloc", "realloc", "reallocarray", "memalign",
		"__libc_memalign", "aligned_alloc", "posix_memalign",
		"valloc", "pvalloc", "strdup", "__strdup",
		"_Znwm", "_Znam", "_ZnwmRKSt9nothrow_t", "_ZnamRKSt9nothrow_t",
		"_ZnwmSt11align_val_t", "_ZnamSt11align_val_t",
		"_ZnwmSt11align_val_tRKSt9nothrow_t",
		"_ZnamSt11align_val_tRKSt9nothrow_t"
	};
	static const char prefix[] = "__interceptor_";
	size_t n = sizeof(prefix) - 1;

	for (size_t skip = 0; skip < 2; skip++) {
		if (name.size > n + skip && name.data[0] == '_' &&
		    memcmp(name.data + skip, prefix, n) == 0)
			return true;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (name.size == strlen(names[i]) &&
		    memcmp(name.data, names[i], name.size) == 0)
			return true;
	}
	return false;
}

bool
memprof_is_runtime(const struct prof_frame *f)
{
	return memprof_is_runtime_file(f->file) || (!memprof_has_place(f) &&
	    memprof_is_runtime_function(f->function.name));
}
