#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/digests.h"
#include "base/error.h"
#include "base/json_text.h"
#include "model/record.h"
#include "model/value_sites.h"
#include "prof.h"

const char *const words_kind[WORDS_KINDS] = {
	[PROF_INSTR] = "instr",
	[PROF_MEMPROF] = "memprof",
	[PROF_MIXED] = "mixed",
};

const char *const words_level[WORDS_LEVELS] = {
	[PROF_LEVEL_UNKNOWN] = "",
	[PROF_LEVEL_IR] = "ir",
	[PROF_LEVEL_FRONTEND] = "frontend",
};

const char *const words_level_profile[WORDS_LEVELS] = {
	[PROF_LEVEL_IR] = "an IR profile",
	[PROF_LEVEL_FRONTEND] = "a front-end profile",
};

const char *const words_value_kind[PROF_VALUE_KINDS] = {
	[PROF_INDIRECT_CALL_TARGET] = "indirect_call_target",
	[PROF_MEM_OP_SIZE] = "mem_op_size",
	[PROF_VTABLE_TARGET] = "vtable_target",
};

const char *const words_value_kind_llvm[PROF_VALUE_KINDS] = {
	[PROF_INDIRECT_CALL_TARGET] = "IPVK_IndirectCallTarget",
	[PROF_MEM_OP_SIZE] = "IPVK_MemOPSize",
	[PROF_VTABLE_TARGET] = "IPVK_VTableTarget",
};

const char *const words_flag[PROF_FLAGS] = {
	"context_sensitive", "entry_first", "loop_entries", "byte_coverage",
	"function_entry_only", "temporal", "debug_info_correlated",
	"binary_correlated", "salvaged",
};

const char *const words_flag_text[PROF_FLAGS] = {
	"context-sensitive", "entry first", "loop entries", "byte coverage",
	"function entry only", "temporal", "debug info correlated",
	"binary correlated", "salvaged",
};

#define NUMBER(flag, member) \
	{ PROF_FRAME_ ## flag, offsetof(struct prof_frame, member) }

const struct frame_member frame_numbers[FRAME_NUMBERS] = {
	NUMBER(LINE, line),
	NUMBER(START_LINE, start_line),
	NUMBER(LINE_OFFSET, line_offset),
	NUMBER(COLUMN, column),
	NUMBER(DISCRIMINATOR, discriminator),
};

const char *const frame_number_keys[FRAME_NUMBERS] = {
	"line", "start_line", "line_offset", "column", "discriminator",
};

void
frame_put_numbers(struct buf *b, const struct prof_frame *f)
{
	for (size_t i = 0; i < FRAME_NUMBERS; i++) {
		uint32_t n;

		if ((f->flags & frame_numbers[i].flag) == 0)
			continue;
		memcpy(&n, (const char *)f + frame_numbers[i].offset,
		    sizeof(n));
		json_member_number(b, frame_number_keys[i], n);
	}
}

void
frame_put_location(struct buf *b, const struct prof_frame *f)
{
	if (f->file.size != 0)
		json_member_bytes(b, "file", "file_hex", f->file);
	frame_put_numbers(b, f);
}

/* How rows say where their values are. */
#define MEMBER_AT(type, member)	.offset = offsetof(struct type, member)
#define MEMBER_LIST_AT(type, member, count) \
	.offset = offsetof(struct type, member), \
	.size_offset = offsetof(struct type, count)
#define MEMBER_GROUP(type, member) \
	.presence = MEMBER_IF_FLAG, .flag_offset = offsetof(struct type, member)
#define MEMBERS(rows) \
	.members = (rows), .members_size = sizeof(rows) / sizeof((rows)[0])

/* Keys of symbols, and of data, which are symbols or hashes. */
#define SYMBOL_KEYS \
	.key = "name", .hex_key = "name_hex", .guid_key = "guid"
#define DATA_KEYS \
	.key = "symbol", .hex_key = "symbol_hex", .guid_key = "hash", \
	.type = MEMBER_DATA

static const struct record_member source_members[] = {
	{ .key = "file", .hex_key = "file_hex", .type = MEMBER_BYTES,
	    MEMBER_AT(prof_source, file) },
	{ .key = "member", .hex_key = "member_hex", .type = MEMBER_BYTES,
	    MEMBER_AT(prof_source, member) },
	{ .key = "format", .type = MEMBER_TEXT,
	    MEMBER_AT(prof_source, format) },
	{ .key = "version", .type = MEMBER_NUMBER,
	    MEMBER_AT(prof_source, version) },
	{ .key = "endian", .type = MEMBER_ENDIAN,
	    MEMBER_AT(prof_source, endian) },
	{ .key = "pointer_bits", .type = MEMBER_POINTER_BITS,
	    MEMBER_AT(prof_source, pointer_bits) },
	{ .key = "offset", .type = MEMBER_NUMBER,
	    MEMBER_AT(prof_source, offset) },
};

static const struct record_object source_object = {
	.size = sizeof(struct prof_source), MEMBERS(source_members),
	.unknown_at = 3,
};

/* The version comes first: it says whether we understand the rest. */
static const struct record_member profile_members[] = {
	{ .key = "stream", .type = MEMBER_STREAM_VERSION },
	{ .key = "kind", .type = MEMBER_WORD, .presence = MEMBER_REQUIRED,
	    MEMBER_AT(prof_header, kind), .words = words_kind,
	    .words_size = WORDS_KINDS },
	{ .key = "level", .type = MEMBER_WORD, MEMBER_AT(prof_header, level),
	    .words = words_level, .words_size = WORDS_LEVELS },
	{ .keys = words_flag, .keys_size = PROF_FLAGS, .type = MEMBER_BITS,
	    MEMBER_AT(prof_header, flags) },
	{ .key = "frontend_versions", .type = MEMBER_FRONTEND },
	{ .key = "wave_size", .type = MEMBER_NUMBER,
	    MEMBER_AT(prof_header, wave_size) },
	{ .key = "trace_stream_size", .type = MEMBER_NUMBER,
	    MEMBER_GROUP(prof_header, has_trace_stream_size),
	    MEMBER_AT(prof_header, trace_stream_size) },
	{ .key = "inputs", .type = MEMBER_NUMBER, .min = 1,
	    MEMBER_AT(prof_header, inputs) },
	{ .key = "folded", .type = MEMBER_FLAG,
	    MEMBER_AT(prof_header, folded) },
	{ .key = "source", .type = MEMBER_OBJECT, .object = &source_object,
	    MEMBER_AT(prof_header, source) },
};

static const struct record_object profile_object = {
	.record = "profile", .kind = PROF_REC_PROFILE,
	.size = sizeof(struct prof_header), MEMBERS(profile_members),
	.has_extra = true, .extra_offset = offsetof(struct prof_header, extra),
};

static const struct record_member binary_members[] = {
	{ .key = "build_id", .type = MEMBER_HEX, .presence = MEMBER_REQUIRED,
	    .offset = 0 },
};

static const struct record_object binary_object = {
	.record = "binary", .kind = PROF_REC_BINARY,
	.size = sizeof(struct prof_span), MEMBERS(binary_members),
};

static const struct record_member vtable_members[] = {
	{ SYMBOL_KEYS, .type = MEMBER_VTABLE, MEMBER_AT(prof_vtable, symbol) },
	{ .key = "start", .type = MEMBER_ID,
	    MEMBER_GROUP(prof_vtable, has_range),
	    MEMBER_AT(prof_vtable, start) },
	{ .key = "size", .type = MEMBER_NUMBER,
	    MEMBER_GROUP(prof_vtable, has_range),
	    MEMBER_AT(prof_vtable, size) },
};

static const struct record_object vtable_object = {
	.record = "vtable", .kind = PROF_REC_VTABLE,
	.size = sizeof(struct prof_vtable), MEMBERS(vtable_members),
};

/* The stream has keys of its own for these (format/stream/forms.c). */
static const struct record_member value_members[] = {
	{ .type = MEMBER_BYTES, MEMBER_AT(prof_value, name) },
};

static const struct record_object value_object = {
	.size = sizeof(struct prof_value), MEMBERS(value_members),
};

static const struct record_member site_members[] = {
	{ .type = MEMBER_LIST, .object = &value_object,
	    MEMBER_LIST_AT(prof_site, values, size) },
};

static const struct record_object site_object = {
	.size = sizeof(struct prof_site), MEMBERS(site_members),
};

static const struct record_member function_members[] = {
	{ SYMBOL_KEYS, .type = MEMBER_SYMBOL,
	    MEMBER_AT(prof_function, symbol) },
	{ .key = "hash", .type = MEMBER_ID, .presence = MEMBER_REQUIRED,
	    MEMBER_AT(prof_function, hash) },
	{ .key = "counts", .type = MEMBER_NUMBERS,
	    .presence = MEMBER_REQUIRED,
	    MEMBER_LIST_AT(prof_function, counts, counts_size) },
	{ .key = "bitmap", .type = MEMBER_HEX,
	    MEMBER_AT(prof_function, bitmap) },
	{ .key = "uniform_counts", .type = MEMBER_NUMBERS,
	    MEMBER_LIST_AT(prof_function, uniform_counts, uniform_size) },
	{ .key = "values", .type = MEMBER_VALUES, .object = &site_object,
	    MEMBER_AT(prof_function, values) },
};

static const struct record_object function_object = {
	.record = "function", .kind = PROF_REC_FUNCTION,
	.size = sizeof(struct prof_function), MEMBERS(function_members),
	.has_extra = true,
	.extra_offset = offsetof(struct prof_function, extra),
};

static const struct record_member raw_counters_members[] = {
	{ .key = "counts", .type = MEMBER_NUMBERS,
	    .presence = MEMBER_REQUIRED,
	    MEMBER_LIST_AT(prof_raw_counters, counts, counts_size) },
	{ .key = "bitmap", .type = MEMBER_HEX,
	    MEMBER_AT(prof_raw_counters, bitmap) },
};

static const struct record_object raw_counters_object = {
	.record = "raw_counters", .kind = PROF_REC_RAW_COUNTERS,
	.size = sizeof(struct prof_raw_counters),
	MEMBERS(raw_counters_members),
};

static const struct record_member symbol_members[] = {
	{ SYMBOL_KEYS, .type = MEMBER_SYMBOL, .offset = 0 },
};

static const struct record_object symbol_object = {
	.size = sizeof(struct prof_symbol), MEMBERS(symbol_members),
};

static const struct record_member trace_members[] = {
	{ .key = "weight", .type = MEMBER_NUMBER, .presence = MEMBER_REQUIRED,
	    MEMBER_AT(prof_trace, weight) },
	{ .key = "functions", .type = MEMBER_SYMBOLS, .object = &symbol_object,
	    MEMBER_LIST_AT(prof_trace, functions, size) },
};

static const struct record_object trace_object = {
	.record = "trace", .kind = PROF_REC_TRACE,
	.size = sizeof(struct prof_trace), MEMBERS(trace_members),
};

static const struct record_member name_members[] = {
	{ .key = "name", .hex_key = "name_hex", .type = MEMBER_BYTES,
	    .presence = MEMBER_REQUIRED, .offset = 0 },
};

static const struct record_object name_object = {
	.record = "name", .kind = PROF_REC_NAME,
	.size = sizeof(struct prof_span), MEMBERS(name_members),
};

static const struct record_member segment_members[] = {
	{ .key = "id", .type = MEMBER_SEGMENT_ID,
	    MEMBER_AT(prof_segment, id) },
	{ .key = "start", .type = MEMBER_ID,
	    MEMBER_GROUP(prof_segment, has_range),
	    MEMBER_AT(prof_segment, start) },
	{ .key = "end", .type = MEMBER_ID,
	    MEMBER_GROUP(prof_segment, has_range),
	    MEMBER_AT(prof_segment, end) },
	{ .key = "offset", .type = MEMBER_ID,
	    MEMBER_GROUP(prof_segment, has_range),
	    MEMBER_AT(prof_segment, offset) },
	{ .type = MEMBER_SEGMENT_RANGE },
	{ .key = "file_addresses", .type = MEMBER_FLAG,
	    MEMBER_AT(prof_segment, file_addresses) },
	{ .key = "build_id", .type = MEMBER_HEX,
	    MEMBER_AT(prof_segment, build_id) },
};

static const struct record_object segment_object = {
	.record = "segment", .kind = PROF_REC_SEGMENT,
	.size = sizeof(struct prof_segment), MEMBERS(segment_members),
};

static const struct record_member frame_members[] = {
	{ .key = "function", .hex_key = "function_hex", .type = MEMBER_BYTES,
	    MEMBER_AT(prof_frame, function.name) },
	{ .key = "guid", .type = MEMBER_ID,
	    MEMBER_AT(prof_frame, function.guid) },
	{ .key = "file", .hex_key = "file_hex", .type = MEMBER_BYTES,
	    MEMBER_AT(prof_frame, file) },
	{ .keys = frame_number_keys, .keys_size = FRAME_NUMBERS,
	    .type = MEMBER_FRAME_NUMBERS },
	{ .key = "inline", .type = MEMBER_INLINE },
};

static const struct record_object frame_object = {
	.size = sizeof(struct prof_frame), MEMBERS(frame_members),
	.unknown_at = 3,
};

static const struct record_member stack_members[] = {
	{ .key = "id", .type = MEMBER_ID, .presence = MEMBER_REQUIRED,
	    MEMBER_AT(prof_stack, id) },
	{ .key = "pcs", .type = MEMBER_PCS },
	{ .key = "frames", .type = MEMBER_FRAMES, .object = &frame_object,
	    MEMBER_LIST_AT(prof_stack, frames, frames_size) },
	{ .type = MEMBER_STACK_FRAMES },
};

static const struct record_object stack_object = {
	.record = "stack", .kind = PROF_REC_STACK,
	.size = sizeof(struct prof_stack), MEMBERS(stack_members),
};

static const struct record_member allocation_members[] = {
	{ .key = "stack", .type = MEMBER_ID, .presence = MEMBER_REQUIRED,
	    MEMBER_AT(prof_allocation, stack) },
	{ .key = "info", .type = MEMBER_INFO,
	    MEMBER_AT(prof_allocation, info) },
};

static const struct record_object allocation_object = {
	.record = "allocation", .kind = PROF_REC_ALLOCATION,
	.size = sizeof(struct prof_allocation), MEMBERS(allocation_members),
};

static const struct record_object alloc_site_object = {
	.size = sizeof(struct prof_allocation), MEMBERS(allocation_members),
	.unknown_at = 2,
};

static const struct record_member call_site_members[] = {
	{ .key = "stack", .type = MEMBER_ID, .presence = MEMBER_REQUIRED,
	    MEMBER_AT(prof_call_site, stack) },
	{ .key = "callee_guids", .type = MEMBER_IDS,
	    MEMBER_LIST_AT(prof_call_site, callee_guids, callees_size) },
};

static const struct record_object call_site_object = {
	.size = sizeof(struct prof_call_site), MEMBERS(call_site_members),
	.unknown_at = 1,
};

static const struct record_member memprof_function_members[] = {
	{ .key = "guid", .type = MEMBER_GUID,
	    MEMBER_AT(prof_memprof_function, symbol) },
	{ .key = "name", .hex_key = "name_hex", .type = MEMBER_BYTES,
	    MEMBER_AT(prof_memprof_function, symbol.name) },
	{ .key = "alloc_sites", .type = MEMBER_LIST,
	    .presence = MEMBER_ALWAYS, .object = &alloc_site_object,
	    MEMBER_LIST_AT(prof_memprof_function, alloc_sites, allocs_size) },
	{ .key = "call_sites", .type = MEMBER_LIST,
	    .presence = MEMBER_ALWAYS, .object = &call_site_object,
	    MEMBER_LIST_AT(prof_memprof_function, call_sites, calls_size) },
};

static const struct record_object memprof_function_object = {
	.record = "memprof_function", .kind = PROF_REC_MEMPROF_FUNCTION,
	.size = sizeof(struct prof_memprof_function),
	MEMBERS(memprof_function_members),
};

static const struct record_member location_members[] = {
	{ .key = "file", .hex_key = "file_hex", .type = MEMBER_BYTES,
	    MEMBER_AT(prof_location, file) },
	{ .key = "line", .type = MEMBER_NUMBER32,
	    .presence = MEMBER_REQUIRED, MEMBER_AT(prof_location, line) },
};

static const struct record_object location_object = {
	.size = sizeof(struct prof_location), MEMBERS(location_members),
	.unknown_at = 2,
};

static const struct record_member data_access_members[] = {
	{ DATA_KEYS, MEMBER_AT(prof_data_access, data) },
	{ .key = "count", .type = MEMBER_NUMBER, .presence = MEMBER_REQUIRED,
	    MEMBER_AT(prof_data_access, count) },
	{ .key = "locations", .type = MEMBER_LIST, .object = &location_object,
	    MEMBER_LIST_AT(prof_data_access, locations, size) },
};

static const struct record_object data_access_object = {
	.record = "data_access", .kind = PROF_REC_DATA_ACCESS,
	.size = sizeof(struct prof_data_access), MEMBERS(data_access_members),
};

static const struct record_member cold_symbol_members[] = {
	{ DATA_KEYS, .offset = 0 },
};

static const struct record_object cold_symbol_object = {
	.record = "cold_symbol", .kind = PROF_REC_COLD_SYMBOL,
	.size = sizeof(struct prof_data), MEMBERS(cold_symbol_members),
};

const struct record_object *const record_objects[RECORD_OBJECTS] = {
	&profile_object, &binary_object, &vtable_object, &function_object,
	&raw_counters_object, &trace_object, &name_object, &segment_object,
	&stack_object, &allocation_object, &memprof_function_object,
	&data_access_object, &cold_symbol_object,
};

const struct record_object *
record_object_of(enum prof_record_kind kind)
{
	for (size_t i = 0; i < RECORD_OBJECTS; i++) {
		if (record_objects[i]->kind == kind)
			return record_objects[i];
	}
	return NULL;
}

/* The functions of prof/function.h on symbols and functions. */

uint64_t
prof_guid(struct prof_span name)
{
	return md5_u64(name.data, name.size);
}

uint64_t
prof_symbol_guid(const struct prof_symbol *s)
{
	if (s->guid != 0 || s->name.data == NULL)
		return s->guid;
	return prof_guid(s->name);
}

const char *
symbol_words(char buf[ERR_NAME_SIZE], const struct prof_symbol *s)
{
	if (s->name.size != 0)
		return err_name(buf, s->name);
	snprintf(buf, ERR_NAME_SIZE, "guid 0x%016llx",
	    (unsigned long long)s->guid);
	return buf;
}

bool
prof_is_pseudo(const struct prof_function *f)
{
	return f->counts_size > 0 && f->counts[0] >= PROF_COUNT_WARM;
}

/*
 * Replaces an array of n items, whose pointer is at `array`, by its copy, which
 * is returned in *copy.  n * size cannot overflow: such an array exists.
 */
static bool
record_copy_array(struct arena *a, void *array, size_t n, size_t size,
    char **copy)
{
	struct prof_span bytes = { NULL, n * size };

	memcpy(&bytes.data, array, sizeof(bytes.data));
	if (!arena_keep(a, &bytes))
		return false;
	memcpy(array, &bytes.data, sizeof(bytes.data));
	*copy = (char *)(uintptr_t)bytes.data;
	return true;
}

static bool record_copy_object(struct arena *, const struct record_object *,
    void *structure);

static bool
record_copy_list(struct arena *a, const struct record_object *t, void *array,
    size_t n)
{
	char *items;

	if (!record_copy_array(a, array, n, t->size, &items))
		return false;
	for (size_t i = 0; items != NULL && i < n; i++) {
		if (!record_copy_object(a, t, items + i * t->size))
			return false;
	}
	return true;
}

static bool
record_copy_numbers(struct arena *a, void *array, size_t n)
{
	char *copy;

	return record_copy_array(a, array, n, sizeof(uint64_t), &copy);
}

static bool
record_copy_member(struct arena *a, const struct record_member *m,
    void *structure)
{
	void *at = member_at(structure, m->offset);
	struct prof_stack *stack = structure;
	struct prof_sites *kinds = at;
	const char *const *text = at;
	char *copy;
	struct prof_mib *info = at;

	switch (m->type) {
	case MEMBER_TEXT:
		return *text == NULL || record_copy_array(a, at,
		    strlen(*text) + 1, 1, &copy);
	case MEMBER_HEX:
	case MEMBER_BYTES:
		return arena_keep(a, at);
	case MEMBER_SYMBOL:
	case MEMBER_VTABLE:
		return arena_keep(a, &((struct prof_symbol *)at)->name);
	case MEMBER_DATA:
		return arena_keep(a, &((struct prof_data *)at)->symbol);
	case MEMBER_NUMBERS:
	case MEMBER_IDS:
		return record_copy_numbers(a, at,
		    member_list_size(structure, m));
	case MEMBER_PCS:
		return record_copy_numbers(a, &stack->pcs, stack->pcs_size) &&
		    record_copy_numbers(a, &stack->segments, stack->pcs_size);
	case MEMBER_INFO:
		return record_copy_numbers(a, &info->histogram,
		    (size_t)info->value[PROF_MIB_ACCESS_HISTOGRAM_SIZE]);
	case MEMBER_OBJECT:
		return record_copy_object(a, m->object, at);
	case MEMBER_FRAMES:
		stack->frame_numbers = NULL;
		return record_copy_list(a, m->object, at, stack->frames_size);
	case MEMBER_LIST:
	case MEMBER_SYMBOLS:
		return record_copy_list(a, m->object, at,
		    member_list_size(structure, m));
	case MEMBER_VALUES:
		for (int k = 0; k < PROF_VALUE_KINDS; k++) {
			if (!record_copy_list(a, m->object, &kinds[k].sites,
			    kinds[k].size))
				return false;
		}
		return true;
	default:
		return true;
	}
}

static bool
record_copy_object(struct arena *a, const struct record_object *t,
    void *structure)
{
	for (size_t i = 0; i < t->members_size; i++) {
		if (!record_copy_member(a, &t->members[i], structure))
			return false;
	}
	return !t->has_extra || arena_keep(a,
	    member_at(structure, t->extra_offset));
}

bool
record_copy(struct arena *a, enum prof_record_kind kind, void *structure)
{
	return record_copy_object(a, record_object_of(kind), structure);
}

static inline uint64_t
record_names_of_sites(const struct prof_sites *sites)
{
	uint64_t size = 0;

	for (size_t i = 0; i < sites->size; i++) {
		const struct prof_site *s = &sites->sites[i];

		for (size_t k = 0; k < s->size; k++)
			size += s->values[k].name.size;
	}
	return size;
}

uint64_t
record_names_of_targets(const struct prof_function *f)
{
	return record_names_of_sites(&f->values[PROF_INDIRECT_CALL_TARGET]) +
	    record_names_of_sites(&f->values[PROF_VTABLE_TARGET]);
}

/* The bytes of the names of so many frames beyond the average that is free. */
static inline uint64_t
record_names_excess(uint64_t size, size_t frames)
{
	uint64_t free = (uint64_t)frames * RECORD_FRAME_NAME;

	return size > free ? size - free : 0;
}

uint64_t
record_names_size(const struct prof_record *r)
{
	const struct prof_trace *t = &r->u.trace;
	const struct prof_stack *s = &r->u.stack;
	const struct prof_data_access *d = &r->u.data_access;
	uint64_t names = 0, files = 0;

	switch (r->kind) {
	case PROF_REC_FUNCTION:
		return record_names_of_targets(&r->u.function);
	case PROF_REC_BLOCK:
		return r->u.block.repeated_names;
	case PROF_REC_VTABLE:
		return r->u.vtable.symbol.name.size;
	case PROF_REC_TRACE:
		for (size_t i = 0; i < t->size; i++)
			names += t->functions[i].name.size;
		return names;
	case PROF_REC_STACK:
		for (size_t i = 0; i < s->frames_size; i++) {
			names += s->frames[i].function.name.size;
			files += s->frames[i].file.size;
		}
		return record_names_excess(names, s->frames_size) +
		    record_names_excess(files, s->frames_size);
	case PROF_REC_DATA_ACCESS:
		for (size_t i = 0; i < d->size; i++)
			files += d->locations[i].file.size;
		return files;
	default:
		return 0;
	}
}

struct function_class
function_class_of(const struct prof_function *f)
{
	struct function_class c = { {
		[CLASS_COUNTERS] = f->counts_size,
		[CLASS_BITMAP] = f->bitmap.size,
		[CLASS_UNIFORM] = f->uniform_size,
		[CLASS_ORDINARY] = !prof_is_pseudo(f),
	} };
	size_t sites[PROF_VALUE_KINDS];

	value_sites_sizes(f->values, sites);
	function_class_set_sites(&c, sites);
	return c;
}

void
function_class_set_sites(struct function_class *c,
    const size_t sites[PROF_VALUE_KINDS])
{
	c->n[CLASS_SITES] = 0;
	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		c->n[CLASS_KIND_SITES + k] = sites[k];
		c->n[CLASS_SITES] += sites[k];
	}
}

int
function_class_compare(const struct function_class *a,
    const struct function_class *b)
{
	size_t i = 0;

	while (i < CLASS_SIZE && a->n[i] == b->n[i])
		i++;
	return i == CLASS_SIZE ? 0 : a->n[i] > b->n[i] ? 1 : -1;
}

bool
function_is_empty(const struct prof_function *f)
{
	return numbers_are_zero(f->counts, f->counts_size) &&
	    bytes_are_zero(f->bitmap.data, f->bitmap.size) &&
	    numbers_are_zero(f->uniform_counts, f->uniform_size) &&
	    !value_sites_have_values(f->values);
}

/* Skips a token and the white space of JSON before it. */
static bool
account_line_skip(struct prof_span *line, const char *token)
{
	size_t n = strlen(token), blanks = 0;

	while (blanks < line->size && line->data[blanks] != '\0' &&
	    strchr(" \t\r", line->data[blanks]) != NULL)
		blanks++;
	if (line->size - blanks < n ||
	    memcmp(line->data + blanks, token, n) != 0)
		return false;
	line->data += blanks + n;
	line->size -= blanks + n;
	return true;
}

/* Whether the first member of the object is its record, of that kind. */
static bool
account_line_begins(struct prof_span line, const char *kind)
{
	return account_line_skip(&line, "{") &&
	    account_line_skip(&line, "\"record\"") &&
	    account_line_skip(&line, ":") && account_line_skip(&line, kind);
}

bool
is_account_start(struct prof_span line)
{
	return account_line_begins(line, "\"part\"");
}

bool
is_account_line(struct prof_span line)
{
	return is_account_start(line) || account_line_begins(line, "\"bad\"");
}

enum prof_status
record_refuse_counters(struct prof_error *err)
{
	return err_set(err, PROF_E_UNSUPPORTED, "a correlated profile: its "
	    "functions are known only from the binary: run prof-symbolize "
	    "first");
}
