/* Items: which fields each has and where; read, checked, made and copied. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "libprof/private.h"
#include "model/record.h"

/* How a field is stored. */
enum item_type {
	ITEM_NUMBER,		/* uint64_t */
	ITEM_NUMBER_IF,		/* the same, known if the bool at `other` is */
	ITEM_NUMBER32,
	ITEM_FRAME_NUMBER,	/* uint32_t, known if bit `other` is set */
	ITEM_FRAME_BIT,		/* bit `other` of the flags */
	ITEM_ENUM,		/* unsigned, at most `other` */
	ITEM_BYTE,		/* uint8_t; read only */
	ITEM_BOOL,
	ITEM_GUID,		/* of a prof_symbol */
	ITEM_DATA_HASH,		/* of a prof_data without symbol */
	ITEM_SPAN,
	ITEM_TEXT,		/* const char *; read only */
	ITEM_ARRAY,		/* uint64_t *, and a size_t at `other` */
	ITEM_SHARED_ARRAY,	/* the same, with the size of another array */
	ITEM_HISTOGRAM,
	ITEM_LIST		/* of parts, and a size_t at `other` */
};

struct item_field {
	enum prof_item_kind item;
	enum prof_field field;
	enum item_type type;
	size_t offset, other;
	bool known;		/* numbers: 0 is a value, too */
	enum prof_item_kind part;	/* of LIST */
	size_t part_size;
};

#define FIELD(item, field, type, structure, member) \
	{ PROF_ITEM_ ## item, PROF_ ## field, ITEM_ ## type, \
	    offsetof(struct structure, member), 0, false, 0, 0 }
#define KNOWN(item, field, type, structure, member) \
	{ PROF_ITEM_ ## item, PROF_ ## field, ITEM_ ## type, \
	    offsetof(struct structure, member), 0, true, 0, 0 }
#define FIELD_IF(item, field, structure, member, flag) \
	{ PROF_ITEM_ ## item, PROF_ ## field, ITEM_NUMBER_IF, \
	    offsetof(struct structure, member), \
	    offsetof(struct structure, flag), false, 0, 0 }
#define ARRAY(item, field, structure, member, size) \
	{ PROF_ITEM_ ## item, PROF_ ## field, ITEM_ARRAY, \
	    offsetof(struct structure, member), \
	    offsetof(struct structure, size), false, 0, 0 }
#define LIST(item, field, structure, member, size, part, element) \
	{ PROF_ITEM_ ## item, PROF_ ## field, ITEM_LIST, \
	    offsetof(struct structure, member), \
	    offsetof(struct structure, size), false, PROF_ITEM_ ## part, \
	    sizeof(struct element) }
#define SITES(field, kind) \
	LIST(FUNCTION, field, prof_function, values[kind].sites, \
	    values[kind].size, SITE, prof_site)
#define FRAME(field, member) \
	{ PROF_ITEM_FRAME, PROF_ ## field, ITEM_FRAME_NUMBER, \
	    offsetof(struct prof_frame, member), PROF_FRAME_ ## field, \
	    false, 0, 0 }
#define CHOICE(field, member, most, is_known) \
	{ PROF_ITEM_PROFILE, PROF_ ## field, ITEM_ENUM, \
	    offsetof(struct prof_header, member), most, is_known, 0, 0 }

/* Structures of one member. */
struct one_span { struct prof_span span; };
struct one_symbol { struct prof_symbol symbol; };
struct one_data { struct prof_data data; };

/* The items of which there are most come first. */
static const struct item_field fields[] = {
	ARRAY(FUNCTION, COUNTS, prof_function, counts, counts_size),
	FIELD(FUNCTION, NAME, SPAN, prof_function, symbol.name),
	FIELD(FUNCTION, GUID, GUID, prof_function, symbol),
	KNOWN(FUNCTION, HASH, NUMBER, prof_function, hash),
	SITES(CALL_TARGETS, PROF_INDIRECT_CALL_TARGET),
	SITES(MEM_OP_SIZES, PROF_MEM_OP_SIZE),
	SITES(VTABLE_TARGETS, PROF_VTABLE_TARGET),
	FIELD(FUNCTION, BITMAP, SPAN, prof_function, bitmap),
	ARRAY(FUNCTION, UNIFORM_COUNTS, prof_function, uniform_counts,
	    uniform_size),
	FIELD(FUNCTION, EXTRA, SPAN, prof_function, extra),

	LIST(SITE, VALUES, prof_site, values, size, VALUE, prof_value),
	KNOWN(VALUE, VALUE, NUMBER, prof_value, value),
	KNOWN(VALUE, COUNT, NUMBER, prof_value, count),
	FIELD(VALUE, NAME, SPAN, prof_value, name),

	FIELD(FRAME, NAME, SPAN, prof_frame, function.name),
	FIELD(FRAME, GUID, NUMBER, prof_frame, function.guid),
	FIELD(FRAME, FILE, SPAN, prof_frame, file),
	FRAME(LINE, line),
	FRAME(START_LINE, start_line),
	FRAME(LINE_OFFSET, line_offset),
	FRAME(COLUMN, column),
	FRAME(DISCRIMINATOR, discriminator),
	{ PROF_ITEM_FRAME, PROF_INLINED, ITEM_FRAME_BIT, 0, PROF_FRAME_INLINE,
	    true, 0, 0 },

	KNOWN(STACK, ID, NUMBER, prof_stack, id),
	LIST(STACK, FRAMES, prof_stack, frames, frames_size, FRAME, prof_frame),
	ARRAY(STACK, PCS, prof_stack, pcs, pcs_size),
	{ PROF_ITEM_STACK, PROF_SEGMENTS, ITEM_SHARED_ARRAY,
	    offsetof(struct prof_stack, segments),
	    offsetof(struct prof_stack, pcs_size), false, 0, 0 },

	/* Numbers of the memory info block: item_mib. */
	KNOWN(ALLOCATION, STACK, NUMBER, prof_allocation, stack),
	FIELD(ALLOCATION, HISTOGRAM, HISTOGRAM, prof_allocation, info),
	KNOWN(ALLOC_SITE, STACK, NUMBER, prof_allocation, stack),
	FIELD(ALLOC_SITE, HISTOGRAM, HISTOGRAM, prof_allocation, info),

	KNOWN(CALL_SITE, STACK, NUMBER, prof_call_site, stack),
	ARRAY(CALL_SITE, CALLEES, prof_call_site, callee_guids, callees_size),
	FIELD(HEAP_FUNCTION, NAME, SPAN, prof_memprof_function, symbol.name),
	FIELD(HEAP_FUNCTION, GUID, GUID, prof_memprof_function, symbol),
	LIST(HEAP_FUNCTION, ALLOC_SITES, prof_memprof_function, alloc_sites,
	    allocs_size, ALLOC_SITE, prof_allocation),
	LIST(HEAP_FUNCTION, CALL_SITES, prof_memprof_function, call_sites,
	    calls_size, CALL_SITE, prof_call_site),

	CHOICE(KIND, kind, PROF_MIXED, true),
	CHOICE(LEVEL, level, PROF_LEVEL_FRONTEND, true),
	CHOICE(ATTRIBUTES, flags, (1 << PROF_FLAGS) - 1, true),
	FIELD(PROFILE, FORMAT, TEXT, prof_header, source.format),
	FIELD(PROFILE, VERSION, NUMBER, prof_header, source.version),
	FIELD(PROFILE, ENDIAN, BYTE, prof_header, source.endian),
	FIELD(PROFILE, POINTER_BITS, BYTE, prof_header, source.pointer_bits),
	FIELD(PROFILE, FILE, SPAN, prof_header, source.file),
	FIELD(PROFILE, MEMBER, SPAN, prof_header, source.member),
	KNOWN(PROFILE, OFFSET, NUMBER, prof_header, source.offset),
	FIELD(PROFILE, INPUTS, NUMBER, prof_header, inputs),
	FIELD(PROFILE, WAVE_SIZE, NUMBER, prof_header, wave_size),
	FIELD_IF(PROFILE, TRACE_STREAM_SIZE, prof_header, trace_stream_size,
	    has_trace_stream_size),
	CHOICE(FRONTEND_FIRST, frontend_first, UINT16_MAX, false),
	CHOICE(FRONTEND_LAST, frontend_last, UINT16_MAX, false),
	FIELD(PROFILE, EXTRA, SPAN, prof_header, extra),

	FIELD(BINARY, BUILD_ID, SPAN, one_span, span),
	FIELD(VTABLE, NAME, SPAN, prof_vtable, symbol.name),
	FIELD(VTABLE, GUID, GUID, prof_vtable, symbol),
	FIELD_IF(VTABLE, START, prof_vtable, start, has_range),
	FIELD_IF(VTABLE, SIZE, prof_vtable, size, has_range),
	ARRAY(RAW_COUNTERS, COUNTS, prof_raw_counters, counts, counts_size),
	FIELD(RAW_COUNTERS, BITMAP, SPAN, prof_raw_counters, bitmap),
	KNOWN(TRACE, WEIGHT, NUMBER, prof_trace, weight),
	LIST(TRACE, FUNCTIONS, prof_trace, functions, size, SYMBOL,
	    prof_symbol),
	FIELD(SYMBOL, NAME, SPAN, one_symbol, symbol.name),
	FIELD(SYMBOL, GUID, GUID, one_symbol, symbol),
	FIELD(NAME, NAME, SPAN, one_span, span),

	KNOWN(SEGMENT, ID, NUMBER, prof_segment, id),
	FIELD(SEGMENT, BUILD_ID, SPAN, prof_segment, build_id),
	FIELD_IF(SEGMENT, START, prof_segment, start, has_range),
	FIELD_IF(SEGMENT, STOP, prof_segment, end, has_range),
	FIELD_IF(SEGMENT, OFFSET, prof_segment, offset, has_range),
	KNOWN(SEGMENT, FILE_ADDRESSES, BOOL, prof_segment, file_addresses),

	FIELD(DATA_ACCESS, NAME, SPAN, prof_data_access, data.symbol),
	FIELD(DATA_ACCESS, HASH, DATA_HASH, prof_data_access, data),
	KNOWN(DATA_ACCESS, COUNT, NUMBER, prof_data_access, count),
	LIST(DATA_ACCESS, LOCATIONS, prof_data_access, locations, size,
	    LOCATION, prof_location),
	FIELD(LOCATION, FILE, SPAN, prof_location, file),
	KNOWN(LOCATION, LINE, NUMBER32, prof_location, line),
	FIELD(COLD_SYMBOL, NAME, SPAN, one_data, data.symbol),
	FIELD(COLD_SYMBOL, HASH, DATA_HASH, one_data, data),
	FIELD(OTHER, EXTRA, SPAN, one_span, span),
};

enum { FIELDS = sizeof(fields) / sizeof(fields[0]) };

/* The item of each kind of record; 0: blocks, which are none. */
static const enum prof_item_kind record_items[] = {
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

/* NULL if items of the kind have no such field. */
static const struct item_field *
item_field(enum prof_item_kind kind, int field)
{
	for (size_t i = 0; i < FIELDS; i++) {
		if (fields[i].item == kind && (int)fields[i].field == field)
			return &fields[i];
	}
	return NULL;
}

/* The kind of records of an item; false if it is no record. */
static bool
item_record_kind(enum prof_item_kind kind, enum prof_record_kind *out)
{
	const size_t n = sizeof(record_items) / sizeof(record_items[0]);

	for (size_t i = 0; i < n; i++) {
		if (record_items[i] != 0 && record_items[i] == kind) {
			*out = (enum prof_record_kind)i;
			return true;
		}
	}
	return false;
}

/* Blocks, which the caller has taken apart, are no items. */
struct prof_item *
item_show(struct item_record *shown, struct item_own *own)
{
	shown->views[0] = (struct prof_item){
	    .kind = record_items[shown->record.kind], .at = &shown->record.u,
	    .own = own };
	return &shown->views[0];
}

/* A later error is not about a file that the visitor read or wrote. */
enum prof_status
problem_visit(struct prof *p, struct item_record *shown,
    prof_visitor *visitor, void *arg)
{
	if (visitor(arg, item_show(shown, NULL)) != 0)
		return err_set(&p->problem.error, PROF_E_SYSTEM,
		    "stopped by the visitor");
	p->file = p->member = NULL;
	return PROF_OK;
}

enum prof_item_kind
prof_item_kind(const struct prof_item *item)
{
	return item->kind;
}

const struct prof_record *
item_record(const struct prof_item *item)
{
	return item->kind >= PROF_ITEM_SITE ? NULL :
	    &((const struct item_record *)(const void *)item)->record;
}

/* The memory info block of an item that has one; or NULL. */
static struct prof_mib *
item_mib(const struct prof_item *item)
{
	bool has = item->kind == PROF_ITEM_ALLOCATION ||
	    item->kind == PROF_ITEM_ALLOC_SITE;

	return has ? &((struct prof_allocation *)item->at)->info : NULL;
}

/* The number that is stored there, known or not. */
static uint64_t
item_stored(const struct item_field *f, const void *structure)
{
	const void *at = (const char *)structure + f->offset;
	unsigned word;

	switch (f->type) {
	case ITEM_ENUM:
		memcpy(&word, at, sizeof(word));
		return word;
	case ITEM_BYTE:
		return *(const uint8_t *)at;
	case ITEM_BOOL:
		return *(const bool *)at;
	case ITEM_GUID:
		return prof_symbol_guid(at);
	case ITEM_DATA_HASH:
		return ((const struct prof_data *)at)->hash;
	case ITEM_NUMBER32:
	case ITEM_FRAME_NUMBER:
		return *(const uint32_t *)at;
	case ITEM_FRAME_BIT:
		return (((const struct prof_frame *)structure)->flags &
		    f->other) != 0;
	default:
		return *(const uint64_t *)at;
	}
}

static bool
item_is_known(const struct item_field *f, const void *structure,
    uint64_t value)
{
	const char *bytes = structure;
	const struct prof_symbol *symbol;

	switch (f->type) {
	case ITEM_NUMBER_IF:
		return *(const bool *)(bytes + f->other);
	case ITEM_FRAME_NUMBER:
		return (((const struct prof_frame *)structure)->flags &
		    f->other) != 0;
	case ITEM_GUID:
		symbol = (const void *)(bytes + f->offset);
		return value != 0 || symbol->name.data != NULL;
	case ITEM_DATA_HASH:
		return ((const struct prof_data *)(const void *)
		    (bytes + f->offset))->symbol.data == NULL;
	case ITEM_NUMBER:
	case ITEM_NUMBER32:
	case ITEM_ENUM:
	case ITEM_BYTE:
	case ITEM_BOOL:
	case ITEM_FRAME_BIT:
		return f->known || value != 0;
	default:
		return false;
	}
}

int
prof_item_number(const struct prof_item *item, int field, uint64_t *value)
{
	const struct item_field *f;
	uint64_t stored;

	*value = 0;
	if (field < PROF_MIB_FIELDS) {
		const struct prof_mib *info = item_mib(item);

		if (field <= 0 || info == NULL ||
		    (info->fields >> field & 1) == 0)
			return 0;
		*value = info->value[field];
		return 1;
	}
	f = item_field(item->kind, field);
	if (f == NULL || f->type >= ITEM_SPAN)
		return 0;
	stored = item_stored(f, item->at);
	if (!item_is_known(f, item->at, stored))
		return 0;
	*value = stored;
	return 1;
}

const char *
prof_item_bytes(const struct prof_item *item, enum prof_field field,
    size_t *size)
{
	const struct item_field *f = item_field(item->kind, (int)field);
	const void *at = f == NULL ? NULL : (char *)item->at + f->offset;
	const struct prof_span *span = at;
	const char *text;

	*size = 0;
	if (f != NULL && f->type == ITEM_SPAN && span->data != NULL) {
		*size = span->size;
		return (const char *)span->data;
	}
	if (f == NULL || f->type != ITEM_TEXT)
		return NULL;
	memcpy(&text, at, sizeof(text));
	*size = text == NULL ? 0 : strlen(text);
	return text;
}

const uint64_t *
prof_item_numbers(const struct prof_item *item, enum prof_field field,
    size_t *count)
{
	const struct item_field *f = item_field(item->kind, (int)field);
	const struct prof_mib *info = NULL;
	const char *structure = item->at;
	const uint64_t *numbers;

	*count = 0;
	if (f != NULL && f->type == ITEM_HISTOGRAM)
		info = item_mib(item);
	if (info != NULL && info->histogram != NULL) {
		*count = (size_t)info->value[PROF_MIB_ACCESS_HISTOGRAM_SIZE];
		return info->histogram;
	}
	if (f == NULL || (f->type != ITEM_ARRAY &&
	    f->type != ITEM_SHARED_ARRAY))
		return NULL;
	memcpy(&numbers, structure + f->offset, sizeof(numbers));
	if (numbers != NULL)
		memcpy(count, structure + f->other, sizeof(*count));
	return numbers;
}

size_t
prof_item_parts(const struct prof_item *item, enum prof_field field)
{
	const struct item_field *f = item_field(item->kind, (int)field);
	size_t count;

	if (f == NULL || f->type != ITEM_LIST)
		return 0;
	memcpy(&count, (const char *)item->at + f->other, sizeof(count));
	return count;
}

const struct prof_item *
prof_item_part(const struct prof_item *item, enum prof_field field,
    size_t index)
{
	const struct item_field *f = item_field(item->kind, (int)field);
	/* The view behind that of the item, which is not constant itself. */
	struct prof_item *part = (struct prof_item *)(uintptr_t)(item + 1);
	char *items;

	if (index >= prof_item_parts(item, field))
		return NULL;
	memcpy(&items, (const char *)item->at + f->offset, sizeof(items));
	*part = (struct prof_item){ .kind = f->part, .own = item->own,
	    .at = items + index * f->part_size };
	return part;
}

uint64_t
prof_name_guid(const char *name, size_t size)
{
	return prof_guid((struct prof_span){ (const uint8_t *)name, size });
}

/* Writes a stream of the record, which may be that of the profile, alone. */
static enum prof_status
item_write_alone(const struct prof_record *r, struct buf *text,
    struct prof_error *err)
{
	const struct prof_target stream = { .format = "stream" };
	const struct prof_record head = { .kind = PROF_REC_PROFILE,
	    .u.profile = { .kind = PROF_MIXED, .level = PROF_LEVEL_IR } };
	const struct prof_record end = { .kind = PROF_REC_END };
	struct prof_writer *w = prof_writer_new(NULL, &stream, buf_sink,
	    text, err);
	enum prof_status status = w == NULL ? PROF_FAIL : PROF_OK;

	if (status == PROF_OK && r->kind != PROF_REC_PROFILE)
		status = prof_put(w, &head, err);
	if (status == PROF_OK)
		status = prof_put(w, r, err);
	if (status == PROF_OK)
		status = prof_put(w, &end, err);
	if (status == PROF_OK)
		status = prof_finish(w, err);
	prof_writer_free(w);
	return status;
}

/* The text of unknown members that a record has, if it can have any. */
static struct prof_span
item_extra(const struct prof_record *r)
{
	switch (r->kind) {
	case PROF_REC_PROFILE:
		return r->u.profile.extra;
	case PROF_REC_FUNCTION:
		return r->u.function.extra;
	default:
		return (struct prof_span){ NULL, 0 };
	}
}

/* Whether a stream has that record and no other one. */
static bool
item_is_alone(const struct buf *text, const struct prof_record *r,
    struct prof_error *why)
{
	const size_t records = r->kind == PROF_REC_PROFILE ? 2 : 3;
	struct prof_reader *in = prof_open(NULL, buf_span(text), why);
	enum prof_status status = in == NULL ? PROF_FAIL : PROF_OK;
	struct prof_record back;
	bool same = true;
	size_t n = 0;

	while (status == PROF_OK) {
		status = prof_next(in, &back, why);
		if (status == PROF_OK && ++n + 1 == records)
			same = back.kind == r->kind && prof_span_equal(
			    item_extra(&back), item_extra(r));
	}
	prof_close(in);
	if (status == PROF_END && (!same || n != records))
		err_set(why, PROF_E_USE, "its unknown members are not members "
		    "of JSON");
	return status == PROF_END && same && n == records;
}

/* Whether a symbol is one: a stream has its name, or else its guid. */
static bool
item_symbol_is_one(const struct prof_symbol *s)
{
	return s->name.size == 0 || s->guid == 0 ||
	    s->guid == prof_guid(s->name);
}

static bool
item_symbols_are_one(const struct prof_record *r)
{
	const struct prof_trace *t = &r->u.trace;

	switch (r->kind) {
	case PROF_REC_FUNCTION:
		return item_symbol_is_one(&r->u.function.symbol);
	case PROF_REC_VTABLE:
		return item_symbol_is_one(&r->u.vtable.symbol);
	case PROF_REC_TRACE:
		for (size_t i = 0; i < t->size; i++) {
			if (!item_symbol_is_one(&t->functions[i]))
				return false;
		}
		return true;
	default:
		return true;
	}
}

/* Whether a reader could return the item; readers' own items pass. */
static enum prof_status
item_check_content(const struct prof_item *item, struct prof_error *err)
{
	const struct prof_record *r = item_record(item);
	struct prof_error why = { 0 };
	struct buf text = { 0 };
	bool good, lacks_memory;

	if (item->own == NULL || r == NULL || r->kind == PROF_REC_END)
		return PROF_OK;
	if (!item_symbols_are_one(r))
		return err_set(err, PROF_E_USE, "no profile has such an item: "
		    "its guid is not that of its name");
	good = item_write_alone(r, &text, &why) == PROF_OK &&
	    item_is_alone(&text, r, &why);
	/* The writer tells of its sink only that it has failed. */
	lacks_memory = text.failed;
	buf_free(&text);
	if (good)
		return PROF_OK;
	if (lacks_memory)
		return err_memory(err);
	return err_is_lack(why.code) ? err_repeat(err, &why) :
	    err_set(err, PROF_E_USE, "no profile has such an item: %s",
	    why.reason);
}

/* The reason why an item of that kind may not follow; NULL if it may. */
static const char *
item_follow(struct item_order *order, enum prof_item_kind kind)
{
	bool begins = kind == PROF_ITEM_PROFILE;

	if (kind >= PROF_ITEM_SITE)
		return "a part of an item is put, not an item";
	if (begins && order->inside)
		return "a profile begins before the one before it has ended";
	if (!begins && !order->inside)
		return "an item is outside a profile";
	order->inside = kind != PROF_ITEM_END;
	order->ended = !order->inside;
	return NULL;
}

enum prof_status
item_check(struct item_order *order, const struct prof_item *item,
    struct prof_error *err)
{
	const char *misuse;

	if (item_check_content(item, err) != PROF_OK)
		return PROF_FAIL;
	misuse = item_follow(order, item->kind);
	return misuse == NULL ? PROF_OK :
	    err_set(err, PROF_E_USE, "%s", misuse);
}

static struct item_own *
own_new(struct prof *p, enum prof_item_kind kind)
{
	enum prof_record_kind record;
	struct item_own *own;

	problem_begin(p);
	if (!item_record_kind(kind, &record) || record == PROF_REC_OTHER) {
		problem_use(p, "items of that kind cannot be made");
		return NULL;
	}
	own = calloc(1, sizeof(*own));
	if (own == NULL) {
		problem_memory(p);
		return NULL;
	}
	own->p = p;
	own->shown.record.kind = record;
	item_show(&own->shown, own);
	return own;
}

struct prof_item *
prof_item_new(struct prof *p, enum prof_item_kind kind)
{
	struct item_own *own = own_new(p, kind);

	return own == NULL ? NULL : own->shown.views;
}

void
prof_item_free(struct prof_item *item)
{
	if (item == NULL)
		return;
	arena_free(&item->own->arena);
	free(item->own);
}

void
prof_item_clear(struct prof_item *item)
{
	struct item_own *own = item->own;

	memset(&own->shown.record.u, 0, sizeof(own->shown.record.u));
	arena_reset(&own->arena);
}

/* The field if its type is in the range and can be set; NULL with an error. */
static const struct item_field *
own_field(const struct prof_item *item, int field, enum item_type first,
    enum item_type last)
{
	const struct item_field *f = item_field(item->kind, field);

	problem_begin(item->own->p);
	if (f != NULL && f->type >= first && f->type <= last &&
	    f->type != ITEM_BYTE && f->type != ITEM_TEXT &&
	    f->field != PROF_VERSION)
		return f;
	problem_use(item->own->p, "the item has no such field to be set");
	return NULL;
}

static int
own_set_mib(struct prof_item *item, int field, uint64_t value)
{
	struct prof_mib *info = item_mib(item);

	problem_begin(item->own->p);
	if (field <= 0 || info == NULL)
		return problem_use(item->own->p,
		    "the item has no memory info block");
	/* The size belongs to the histogram, once that is set. */
	if (field == PROF_MIB_ACCESS_HISTOGRAM_SIZE)
		info->histogram = NULL;
	info->fields |= (uint32_t)1 << field;
	info->value[field] = value;
	return 0;
}

static uint64_t
own_limit(const struct item_field *f)
{
	switch (f->type) {
	case ITEM_ENUM:
		return f->other;
	case ITEM_BOOL:
	case ITEM_FRAME_BIT:
		return 1;
	case ITEM_NUMBER32:
	case ITEM_FRAME_NUMBER:
		return UINT32_MAX;
	default:
		return UINT64_MAX;
	}
}

static void
own_set_frame_bit(struct prof_frame *frame, unsigned bit, bool value)
{
	frame->flags = value ? frame->flags | bit : frame->flags & ~bit;
}

static void
own_store(const struct item_field *f, char *structure, uint64_t value)
{
	char *at = structure + f->offset;
	unsigned word = (unsigned)value;
	uint32_t number = (uint32_t)value;
	bool flag = value != 0, known = true;

	switch (f->type) {
	case ITEM_ENUM:
		memcpy(at, &word, sizeof(word));
		return;
	case ITEM_BOOL:
		memcpy(at, &flag, sizeof(flag));
		return;
	case ITEM_FRAME_BIT:
		own_set_frame_bit((void *)structure, (unsigned)f->other, flag);
		return;
	case ITEM_FRAME_NUMBER:
		own_set_frame_bit((void *)structure, (unsigned)f->other, true);
		memcpy(at, &number, sizeof(number));
		return;
	case ITEM_NUMBER32:
		memcpy(at, &number, sizeof(number));
		return;
	case ITEM_GUID:
		((struct prof_symbol *)(void *)at)->guid = value;
		return;
	case ITEM_DATA_HASH:
		*(struct prof_data *)(void *)at = (struct prof_data){
		    .hash = value };
		return;
	case ITEM_NUMBER_IF:
		memcpy(structure + f->other, &known, sizeof(known));
		break;
	default:
		break;
	}
	memcpy(at, &value, sizeof(value));
}

int
prof_item_set_number(struct prof_item *item, int field, uint64_t value)
{
	const struct item_field *f;

	if (field < PROF_MIB_FIELDS)
		return own_set_mib(item, field, value);
	f = own_field(item, field, ITEM_NUMBER, ITEM_DATA_HASH);
	if (f == NULL)
		return -1;
	if (value > own_limit(f))
		return problem_use(item->own->p,
		    "the number is too large for its field");
	own_store(f, item->at, value);
	return 0;
}

int
prof_item_set_bytes(struct prof_item *item, enum prof_field field,
    const void *bytes, size_t size)
{
	const struct item_field *f = own_field(item, (int)field, ITEM_SPAN,
	    ITEM_SPAN);
	struct prof_span copy;

	if (f == NULL)
		return -1;
	copy = arena_copy(&item->own->arena, (struct prof_span){ bytes, size });
	if (copy.data == NULL && size != 0)
		return problem_memory(item->own->p);
	/* A field without bytes is not there. */
	if (size == 0)
		copy.data = NULL;
	memcpy((char *)item->at + f->offset, &copy, sizeof(copy));
	return 0;
}

/* An array with room for n items behind the items of another one; or NULL. */
static void *
own_array(struct prof_item *item, const void *old, size_t count, size_t room,
    size_t size)
{
	char *new = arena_array(&item->own->arena, room, size);

	if (new != NULL && count > 0)
		memcpy(new, old, count * size);
	return new;
}

int
prof_item_set_numbers(struct prof_item *item, enum prof_field field,
    const uint64_t *numbers, size_t count)
{
	const struct item_field *f = own_field(item, (int)field, ITEM_ARRAY,
	    ITEM_HISTOGRAM);
	uint64_t *copy;
	size_t size;

	if (f == NULL)
		return -1;
	memcpy(&size, (char *)item->at + f->other, sizeof(size));
	if (f->type == ITEM_SHARED_ARRAY && size != count)
		return problem_use(item->own->p,
		    "a stack has one segment for each pc");
	copy = own_array(item, numbers, count, count, sizeof(*copy));
	if (copy == NULL)
		return problem_memory(item->own->p);
	if (f->type == ITEM_HISTOGRAM) {
		own_set_mib(item, PROF_MIB_ACCESS_HISTOGRAM_SIZE, count);
		item_mib(item)->histogram = copy;
		return 0;
	}
	/* Another size leaves behind the array that shares the size. */
	if (item->kind == PROF_ITEM_STACK && f->type == ITEM_ARRAY)
		((struct prof_stack *)item->at)->segments = NULL;
	memcpy((char *)item->at + f->offset, &copy, sizeof(copy));
	memcpy((char *)item->at + f->other, &count, sizeof(count));
	return 0;
}

static struct prof_item *
own_part(struct prof_item *item, enum prof_field field, size_t index)
{
	return (struct prof_item *)(uintptr_t)prof_item_part(item, field,
	    index);
}

/* Puts the count items of a list into a new array, with room for more. */
static bool
own_make_list_room(struct prof_item *item, const struct item_field *f,
    size_t count)
{
	char *at = (char *)item->at + f->offset;
	size_t room = 1;
	void *items;

	memcpy(&items, at, sizeof(items));
	while (room <= count && room <= SIZE_MAX / 2)
		room *= 2;
	items = room <= count ? NULL : own_array(item, items, count, room,
	    f->part_size);
	if (items != NULL)
		memcpy(at, &items, sizeof(items));
	return items != NULL;
}

/* Lists have room up to a power of two, so that adding takes constant time. */
struct prof_item *
prof_item_add(struct prof_item *item, enum prof_field field)
{
	const struct item_field *f = own_field(item, (int)field, ITEM_LIST,
	    ITEM_LIST);
	struct prof_item *part;
	size_t count;

	if (f == NULL)
		return NULL;
	count = prof_item_parts(item, field);
	if ((count & (count - 1)) == 0 &&
	    !own_make_list_room(item, f, count)) {
		problem_memory(item->own->p);
		return NULL;
	}
	count++;
	memcpy((char *)item->at + f->other, &count, sizeof(count));
	part = own_part(item, field, count - 1);
	memset(part->at, 0, f->part_size);
	return part;
}

/* Copies of lists have no room, which prof_item_add takes for granted. */
static bool
own_make_room(struct prof_item *item)
{
	for (const struct item_field *f = fields; f < fields + FIELDS; f++) {
		size_t count = f->item != item->kind ? 0 :
		    prof_item_parts(item, f->field);

		if (count > 0 && !own_make_list_room(item, f, count))
			return false;
		for (size_t k = 0; k < count; k++) {
			if (!own_make_room(own_part(item, f->field, k)))
				return false;
		}
	}
	return true;
}

struct prof_item *
prof_item_copy(struct prof *p, const struct prof_item *item)
{
	struct item_own *own = own_new(p, item->kind);
	struct prof_record *r;

	if (own == NULL)
		return NULL;
	r = &own->shown.record;
	*r = *item_record(item);
	if ((r->kind == PROF_REC_END ||
	    record_copy(&own->arena, r->kind, &r->u)) &&
	    own_make_room(own->shown.views))
		return own->shown.views;
	prof_item_free(own->shown.views);
	problem_memory(p);
	return NULL;
}
