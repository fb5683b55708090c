/* Which item has which fields, and where they are stored. */
#include "libprof/private.h"

#define FIELD_AT(structure, member) .offset = offsetof(struct structure, member)
#define FIELD_ARRAY(structure, member, size) \
	FIELD_AT(structure, member), .other = offsetof(struct structure, size)
#define FIELD_IF(structure, member, flag) \
	.type = ITEM_NUMBER_IF, FIELD_ARRAY(structure, member, flag)
#define FIELD_SITES(list, value_kind) \
	{ list, .type = ITEM_LIST, .part = PROF_ITEM_SITE, \
	    .offset = offsetof(struct prof_function, values) + \
	    (value_kind) * sizeof(struct prof_sites) + \
	    offsetof(struct prof_sites, sites), \
	    .other = offsetof(struct prof_function, values) + \
	    (value_kind) * sizeof(struct prof_sites) + \
	    offsetof(struct prof_sites, size) }
#define FIELD_SYMBOL(structure, symbol) \
	{ PROF_NAME, .type = ITEM_SPAN, FIELD_AT(structure, symbol.name) }, \
	{ PROF_GUID, .type = ITEM_GUID, FIELD_AT(structure, symbol) }
#define FIELD_FRAME(field, member, bit) \
	{ field, .type = ITEM_FRAME_NUMBER, FIELD_AT(prof_frame, member), \
	    .other = bit }
#define FIELD_DATA(structure, data) \
	{ PROF_NAME, .type = ITEM_SPAN, FIELD_AT(structure, data.symbol) }, \
	{ PROF_HASH, .type = ITEM_DATA_HASH, FIELD_AT(structure, data) }

/* Structures of one member. */
struct one_span { struct prof_span span; };
struct one_symbol { struct prof_symbol symbol; };
struct one_data { struct prof_data data; };

static const struct item_field profile_fields[] = {
	{ PROF_KIND, .type = ITEM_ENUM, .known = true,
	    FIELD_AT(prof_header, kind), .other = PROF_MIXED },
	{ PROF_LEVEL, .type = ITEM_ENUM, .known = true,
	    FIELD_AT(prof_header, level), .other = PROF_LEVEL_FRONTEND },
	{ PROF_ATTRIBUTES, .type = ITEM_ENUM, .known = true,
	    FIELD_AT(prof_header, flags), .other = (1 << PROF_FLAGS) - 1 },
	{ PROF_FORMAT, .type = ITEM_TEXT,
	    FIELD_AT(prof_header, source.format) },
	{ PROF_VERSION, .type = ITEM_NUMBER,
	    FIELD_AT(prof_header, source.version) },
	{ PROF_ENDIAN, .type = ITEM_BYTE,
	    FIELD_AT(prof_header, source.endian) },
	{ PROF_POINTER_BITS, .type = ITEM_BYTE,
	    FIELD_AT(prof_header, source.pointer_bits) },
	{ PROF_FILE, .type = ITEM_SPAN, FIELD_AT(prof_header, source.file) },
	{ PROF_MEMBER, .type = ITEM_SPAN,
	    FIELD_AT(prof_header, source.member) },
	{ PROF_OFFSET, .type = ITEM_NUMBER, .known = true,
	    FIELD_AT(prof_header, source.offset) },
	{ PROF_INPUTS, .type = ITEM_NUMBER, FIELD_AT(prof_header, inputs) },
	{ PROF_WAVE_SIZE, .type = ITEM_NUMBER,
	    FIELD_AT(prof_header, wave_size) },
	{ PROF_TRACE_STREAM_SIZE, FIELD_IF(prof_header, trace_stream_size,
	    has_trace_stream_size) },
	{ PROF_FRONTEND_FIRST, .type = ITEM_ENUM,
	    FIELD_AT(prof_header, frontend_first), .other = UINT16_MAX },
	{ PROF_FRONTEND_LAST, .type = ITEM_ENUM,
	    FIELD_AT(prof_header, frontend_last), .other = UINT16_MAX },
	{ PROF_EXTRA, .type = ITEM_SPAN, FIELD_AT(prof_header, extra) },
};

static const struct item_field binary_fields[] = {
	{ PROF_BUILD_ID, .type = ITEM_SPAN, FIELD_AT(one_span, span) },
};

static const struct item_field vtable_fields[] = {
	FIELD_SYMBOL(prof_vtable, symbol),
	{ PROF_START, FIELD_IF(prof_vtable, start, has_range) },
	{ PROF_SIZE, FIELD_IF(prof_vtable, size, has_range) },
};

static const struct item_field function_fields[] = {
	{ PROF_COUNTS, .type = ITEM_ARRAY,
	    FIELD_ARRAY(prof_function, counts, counts_size) },
	FIELD_SYMBOL(prof_function, symbol),
	{ PROF_HASH, .type = ITEM_NUMBER, .known = true,
	    FIELD_AT(prof_function, hash) },
	FIELD_SITES(PROF_CALL_TARGETS, PROF_INDIRECT_CALL_TARGET),
	FIELD_SITES(PROF_MEM_OP_SIZES, PROF_MEM_OP_SIZE),
	FIELD_SITES(PROF_VTABLE_TARGETS, PROF_VTABLE_TARGET),
	{ PROF_BITMAP, .type = ITEM_SPAN, FIELD_AT(prof_function, bitmap) },
	{ PROF_UNIFORM_COUNTS, .type = ITEM_ARRAY,
	    FIELD_ARRAY(prof_function, uniform_counts, uniform_size) },
	{ PROF_EXTRA, .type = ITEM_SPAN, FIELD_AT(prof_function, extra) },
};

static const struct item_field site_fields[] = {
	{ PROF_VALUES, .type = ITEM_LIST, .part = PROF_ITEM_VALUE,
	    FIELD_ARRAY(prof_site, values, size) },
};

static const struct item_field value_fields[] = {
	{ PROF_VALUE, .type = ITEM_NUMBER, .known = true,
	    FIELD_AT(prof_value, value) },
	{ PROF_COUNT, .type = ITEM_NUMBER, .known = true,
	    FIELD_AT(prof_value, count) },
	{ PROF_NAME, .type = ITEM_SPAN, FIELD_AT(prof_value, name) },
};

static const struct item_field raw_counters_fields[] = {
	{ PROF_COUNTS, .type = ITEM_ARRAY,
	    FIELD_ARRAY(prof_raw_counters, counts, counts_size) },
	{ PROF_BITMAP, .type = ITEM_SPAN,
	    FIELD_AT(prof_raw_counters, bitmap) },
};

static const struct item_field symbol_fields[] = {
	FIELD_SYMBOL(one_symbol, symbol),
};

static const struct item_field trace_fields[] = {
	{ PROF_WEIGHT, .type = ITEM_NUMBER, .known = true,
	    FIELD_AT(prof_trace, weight) },
	{ PROF_FUNCTIONS, .type = ITEM_LIST, .part = PROF_ITEM_SYMBOL,
	    FIELD_ARRAY(prof_trace, functions, size) },
};

static const struct item_field name_fields[] = {
	{ PROF_NAME, .type = ITEM_SPAN, FIELD_AT(one_span, span) },
};

static const struct item_field segment_fields[] = {
	{ PROF_ID, .type = ITEM_NUMBER, .known = true,
	    FIELD_AT(prof_segment, id) },
	{ PROF_BUILD_ID, .type = ITEM_SPAN, FIELD_AT(prof_segment, build_id) },
	{ PROF_START, FIELD_IF(prof_segment, start, has_range) },
	{ PROF_STOP, FIELD_IF(prof_segment, end, has_range) },
	{ PROF_OFFSET, FIELD_IF(prof_segment, offset, has_range) },
	{ PROF_FILE_ADDRESSES, .type = ITEM_BOOL, .known = true,
	    FIELD_AT(prof_segment, file_addresses) },
};

static const struct item_field stack_fields[] = {
	{ PROF_ID, .type = ITEM_NUMBER, .known = true,
	    FIELD_AT(prof_stack, id) },
	{ PROF_FRAMES, .type = ITEM_LIST, .part = PROF_ITEM_FRAME,
	    FIELD_ARRAY(prof_stack, frames, frames_size) },
	{ PROF_PCS, .type = ITEM_ARRAY,
	    FIELD_ARRAY(prof_stack, pcs, pcs_size) },
	{ PROF_SEGMENTS, .type = ITEM_SHARED_ARRAY,
	    FIELD_ARRAY(prof_stack, segments, pcs_size) },
};

static const struct item_field frame_fields[] = {
	{ PROF_NAME, .type = ITEM_SPAN, FIELD_AT(prof_frame, function.name) },
	{ PROF_GUID, .type = ITEM_NUMBER, FIELD_AT(prof_frame, function.guid) },
	{ PROF_FILE, .type = ITEM_SPAN, FIELD_AT(prof_frame, file) },
	FIELD_FRAME(PROF_LINE, line, PROF_FRAME_LINE),
	FIELD_FRAME(PROF_START_LINE, start_line, PROF_FRAME_START_LINE),
	FIELD_FRAME(PROF_LINE_OFFSET, line_offset, PROF_FRAME_LINE_OFFSET),
	FIELD_FRAME(PROF_COLUMN, column, PROF_FRAME_COLUMN),
	FIELD_FRAME(PROF_DISCRIMINATOR, discriminator,
	    PROF_FRAME_DISCRIMINATOR),
	{ PROF_INLINED, .type = ITEM_FRAME_BIT, .known = true,
	    .other = PROF_FRAME_INLINE },
};

/* Numbers of the memory info block: item_mib. */
static const struct item_field allocation_fields[] = {
	{ PROF_STACK, .type = ITEM_NUMBER, .known = true,
	    FIELD_AT(prof_allocation, stack) },
	{ PROF_HISTOGRAM, .type = ITEM_HISTOGRAM },
};

static const struct item_field call_site_fields[] = {
	{ PROF_STACK, .type = ITEM_NUMBER, .known = true,
	    FIELD_AT(prof_call_site, stack) },
	{ PROF_CALLEES, .type = ITEM_ARRAY,
	    FIELD_ARRAY(prof_call_site, callee_guids, callees_size) },
};

static const struct item_field heap_function_fields[] = {
	FIELD_SYMBOL(prof_memprof_function, symbol),
	{ PROF_ALLOC_SITES, .type = ITEM_LIST, .part = PROF_ITEM_ALLOC_SITE,
	    FIELD_ARRAY(prof_memprof_function, alloc_sites, allocs_size) },
	{ PROF_CALL_SITES, .type = ITEM_LIST, .part = PROF_ITEM_CALL_SITE,
	    FIELD_ARRAY(prof_memprof_function, call_sites, calls_size) },
};

static const struct item_field location_fields[] = {
	{ PROF_FILE, .type = ITEM_SPAN, FIELD_AT(prof_location, file) },
	{ PROF_LINE, .type = ITEM_NUMBER32, .known = true,
	    FIELD_AT(prof_location, line) },
};

static const struct item_field data_access_fields[] = {
	FIELD_DATA(prof_data_access, data),
	{ PROF_COUNT, .type = ITEM_NUMBER, .known = true,
	    FIELD_AT(prof_data_access, count) },
	{ PROF_LOCATIONS, .type = ITEM_LIST, .part = PROF_ITEM_LOCATION,
	    FIELD_ARRAY(prof_data_access, locations, size) },
};

static const struct item_field cold_symbol_fields[] = {
	FIELD_DATA(one_data, data),
};

static const struct item_field other_fields[] = {
	{ PROF_EXTRA, .type = ITEM_SPAN, FIELD_AT(one_span, span) },
};

static const struct item_kind {
	const struct item_field *fields;
	size_t fields_size, size;
} kinds[] = {
#define KIND(rows, structure) { (rows), sizeof(rows) / sizeof((rows)[0]), \
	sizeof(struct structure) }
	[PROF_ITEM_PROFILE] = KIND(profile_fields, prof_header),
	[PROF_ITEM_BINARY] = KIND(binary_fields, prof_span),
	[PROF_ITEM_VTABLE] = KIND(vtable_fields, prof_vtable),
	[PROF_ITEM_FUNCTION] = KIND(function_fields, prof_function),
	[PROF_ITEM_RAW_COUNTERS] = KIND(raw_counters_fields, prof_raw_counters),
	[PROF_ITEM_TRACE] = KIND(trace_fields, prof_trace),
	[PROF_ITEM_NAME] = KIND(name_fields, prof_span),
	[PROF_ITEM_SEGMENT] = KIND(segment_fields, prof_segment),
	[PROF_ITEM_STACK] = KIND(stack_fields, prof_stack),
	[PROF_ITEM_ALLOCATION] = KIND(allocation_fields, prof_allocation),
	[PROF_ITEM_HEAP_FUNCTION] = KIND(heap_function_fields,
	    prof_memprof_function),
	[PROF_ITEM_DATA_ACCESS] = KIND(data_access_fields, prof_data_access),
	[PROF_ITEM_COLD_SYMBOL] = KIND(cold_symbol_fields, prof_data),
	[PROF_ITEM_OTHER] = KIND(other_fields, prof_span),
	[PROF_ITEM_END] = { NULL, 0, 0 },
	[PROF_ITEM_SITE] = KIND(site_fields, prof_site),
	[PROF_ITEM_VALUE] = KIND(value_fields, prof_value),
	[PROF_ITEM_SYMBOL] = KIND(symbol_fields, prof_symbol),
	[PROF_ITEM_FRAME] = KIND(frame_fields, prof_frame),
	[PROF_ITEM_ALLOC_SITE] = KIND(allocation_fields, prof_allocation),
	[PROF_ITEM_CALL_SITE] = KIND(call_site_fields, prof_call_site),
	[PROF_ITEM_LOCATION] = KIND(location_fields, prof_location),
#undef KIND
};

/* The item of each kind of record; 0: blocks and pairs, which are none. */
static const enum prof_item_kind items[] = {
	[PROF_REC_PROFILE] = PROF_ITEM_PROFILE,
	[PROF_REC_BINARY] = PROF_ITEM_BINARY,
	[PROF_REC_VTABLE] = PROF_ITEM_VTABLE,
	[PROF_REC_FUNCTION] = PROF_ITEM_FUNCTION,
	[PROF_REC_RAW_COUNTERS] = PROF_ITEM_RAW_COUNTERS,
	[PROF_REC_TRACE] = PROF_ITEM_TRACE,
	[PROF_REC_NAME] = PROF_ITEM_NAME,
	[PROF_REC_SEGMENT] = PROF_ITEM_SEGMENT,
	[PROF_REC_STACK] = PROF_ITEM_STACK,
	[PROF_REC_ALLOCATION] = PROF_ITEM_ALLOCATION,
	[PROF_REC_MEMPROF_FUNCTION] = PROF_ITEM_HEAP_FUNCTION,
	[PROF_REC_DATA_ACCESS] = PROF_ITEM_DATA_ACCESS,
	[PROF_REC_COLD_SYMBOL] = PROF_ITEM_COLD_SYMBOL,
	[PROF_REC_OTHER] = PROF_ITEM_OTHER,
	[PROF_REC_END] = PROF_ITEM_END,
};

const struct item_field *
item_field(enum prof_item_kind kind, int field)
{
	const struct item_kind *k = &kinds[kind];

	for (size_t i = 0; i < k->fields_size; i++) {
		if ((int)k->fields[i].field == field)
			return &k->fields[i];
	}
	return NULL;
}

size_t
item_size(enum prof_item_kind kind)
{
	return kinds[kind].size;
}

bool
item_record_kind(enum prof_item_kind kind, enum prof_record_kind *out)
{
	for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++) {
		if (items[i] != 0 && items[i] == kind) {
			*out = (enum prof_record_kind)i;
			return true;
		}
	}
	return false;
}

/* Blocks and pairs, which the caller has taken apart, are no items. */
struct prof_item *
item_show(struct item_record *shown, struct item_own *own)
{
	shown->views[0] = (struct prof_item){
	    .kind = items[shown->record.kind], .at = &shown->record.u,
	    .own = own };
	return &shown->views[0];
}
