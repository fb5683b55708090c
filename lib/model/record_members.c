#include "model/record_members.h"

#include "model/frame_json.h"
#include "model/words.h"

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

/* The stream has keys of its own for these (format/stream/values.c). */
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
