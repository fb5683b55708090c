/* Records of heap profiles: stacks, allocations and what refers to them. */
#include "base/error.h"
#include "base/json_member.h"
#include "format/stream/records.h"
#include "model/frame_json.h"
#include "model/mib.h"

static enum prof_status
segment_parse_id(struct stream_record *r, const struct jval *object,
    const struct stream_member *m, void *structure)
{
	struct prof_segment *s = structure;
	struct jval id = jval_get(object, m->key);

	(void)r;
	if (jval_number(&id, &s->id) != PROF_OK)
		return PROF_FAIL;
	if (s->id == PROF_NO_SEGMENT)
		return jval_fail(&id, PROF_E_CORRUPT, "too large");
	return PROF_OK;
}

static enum prof_status
segment_check_range(struct stream_record *r, const struct jval *object,
    const struct stream_member *m, void *structure)
{
	const struct prof_segment *s = structure;
	struct jval end = jval_get(object, "end");

	(void)r;
	(void)m;
	if (s->start > s->end)
		return jval_fail(&end, PROF_E_CORRUPT, "is before start");
	return PROF_OK;
}

static const struct stream_member segment_members[] = {
	{ .key = "id", .type = STREAM_NUMBER, .presence = STREAM_REQUIRED,
	    STREAM_AT(prof_segment, id), .parse = segment_parse_id },
	{ .key = "start", .type = STREAM_ID,
	    STREAM_GROUP(prof_segment, has_range),
	    STREAM_AT(prof_segment, start) },
	{ .key = "end", .type = STREAM_ID,
	    STREAM_GROUP(prof_segment, has_range),
	    STREAM_AT(prof_segment, end) },
	{ .key = "offset", .type = STREAM_ID,
	    STREAM_GROUP(prof_segment, has_range),
	    STREAM_AT(prof_segment, offset) },
	{ .parse = segment_check_range },
	{ .key = "file_addresses", .type = STREAM_FLAG,
	    STREAM_AT(prof_segment, file_addresses) },
	{ .key = "build_id", .type = STREAM_HEX,
	    STREAM_AT(prof_segment, build_id) },
};

const struct stream_object stream_segment = {
	.record = "segment", .kind = PROF_REC_SEGMENT,
	.size = sizeof(struct prof_segment), STREAM_MEMBERS(segment_members),
};

/* "0x..", or [SEGMENT,"0x.."]. */
static enum prof_status
stack_parse_pc(const struct jval *v, uint64_t *pc, uint64_t *segment)
{
	struct jval part;
	size_t size;

	*segment = PROF_NO_SEGMENT;
	if (!jval_is_list(v))
		return jval_id(v, pc);
	if (jval_list(v, &size) != PROF_OK)
		return PROF_FAIL;
	if (size != 2)
		return jval_fail(v, PROF_E_CORRUPT,
		    "%zu items instead of a segment and an address", size);
	part = jval_item(v, 0);
	if (jval_number(&part, segment) != PROF_OK)
		return PROF_FAIL;
	if (*segment == PROF_NO_SEGMENT)
		return jval_fail(&part, PROF_E_CORRUPT, "too large");
	part = jval_item(v, 1);
	return jval_id(&part, pc);
}

static enum prof_status
stack_parse_pcs(struct stream_record *r, const struct jval *object,
    const struct stream_member *m, void *structure)
{
	struct prof_stack *s = structure;
	struct jval list = jval_get(object, m->key);
	uint64_t *pcs, *segments;

	if (!jval_is_there(&list))
		return PROF_OK;
	if (jval_list(&list, &s->pcs_size) != PROF_OK)
		return PROF_FAIL;
	pcs = arena_array(&r->arena, s->pcs_size, sizeof(*pcs));
	segments = arena_array(&r->arena, s->pcs_size, sizeof(*segments));
	if (pcs == NULL || segments == NULL)
		return err_memory(r->doc.err);
	for (size_t i = 0; i < s->pcs_size; i++) {
		struct jval pc = jval_item(&list, i);

		if (stack_parse_pc(&pc, &pcs[i], &segments[i]) != PROF_OK)
			return PROF_FAIL;
		if (segments[i] != PROF_NO_SEGMENT)
			s->segments = segments;
	}
	s->pcs = pcs;
	return PROF_OK;
}

static void
stack_put_pcs(struct stream_output *o, const struct stream_member *m,
    const void *structure)
{
	const struct prof_stack *s = structure;
	struct buf *b = &o->text;

	/* A stack without pcs and frames is an empty one. */
	if (s->pcs_size == 0 && s->frames_size != 0)
		return;
	json_member_key(b, m->key);
	for (size_t i = 0; i < s->pcs_size; i++) {
		json_text_plain(b, i == 0 ? "[" : ",");
		if (s->segments == NULL || s->segments[i] == PROF_NO_SEGMENT) {
			json_text_id(b, s->pcs[i]);
			continue;
		}
		json_text_plain(b, "[");
		json_text_number(b, s->segments[i]);
		json_text_plain(b, ",");
		json_text_id(b, s->pcs[i]);
		json_text_plain(b, "]");
	}
	json_text_plain(b, s->pcs_size == 0 ? "[]" : "]");
}

static enum prof_status
frame_parse_numbers(struct stream_record *r, const struct jval *object,
    const struct stream_member *m, void *structure)
{
	struct prof_frame *f = structure;

	(void)r;
	for (size_t i = 0; i < m->keys_size; i++) {
		struct jval number = jval_get(object, m->keys[i]);
		uint64_t value;

		if (!jval_is_there(&number))
			continue;
		if (stream_parse_limited(&number, UINT32_MAX, &value) !=
		    PROF_OK)
			return PROF_FAIL;
		*frame_number_of(f, i) = (uint32_t)value;
		f->flags |= frame_numbers[i].flag;
	}
	return PROF_OK;
}

static void
frame_put_number_members(struct stream_output *o,
    const struct stream_member *m, const void *structure)
{
	(void)m;
	frame_put_numbers(&o->text, structure);
}

static enum prof_status
frame_parse_inline(struct stream_record *r, const struct jval *object,
    const struct stream_member *m, void *structure)
{
	struct prof_frame *f = structure;
	struct jval v = jval_get(object, m->key);
	bool is_inline = false;

	(void)r;
	if (jval_is_there(&v) && jval_flag(&v, &is_inline) != PROF_OK)
		return PROF_FAIL;
	f->flags |= is_inline ? PROF_FRAME_INLINE : 0;
	return PROF_OK;
}

static void
frame_put_inline(struct stream_output *o, const struct stream_member *m,
    const void *structure)
{
	const struct prof_frame *f = structure;

	if ((f->flags & PROF_FRAME_INLINE) != 0)
		json_member_flag(&o->text, m->key);
}

static const struct stream_member frame_members[] = {
	{ .key = "function", .hex_key = "function_hex", .type = STREAM_BYTES,
	    STREAM_AT(prof_frame, function.name) },
	{ .key = "guid", .type = STREAM_ID,
	    STREAM_AT(prof_frame, function.guid) },
	{ .key = "file", .hex_key = "file_hex", .type = STREAM_BYTES,
	    STREAM_AT(prof_frame, file) },
	{ .keys = frame_number_keys, .keys_size = FRAME_NUMBERS,
	    .parse = frame_parse_numbers, .put = frame_put_number_members },
	{ .key = "inline", .parse = frame_parse_inline,
	    .put = frame_put_inline },
};

static const struct stream_object frame_object = {
	.size = sizeof(struct prof_frame), STREAM_MEMBERS(frame_members),
	.unknown_at = 3,
};

/* Frames that were written before are copied. */
static void
stack_put_frame(struct stream_output *o, const struct prof_frame *f)
{
	struct prof_span text = stream_frames_find(&o->frames, f);
	struct buf *b = &o->text;
	size_t start = b->size;

	if (text.data != NULL) {
		buf_put(b, text.data, text.size);
		return;
	}
	json_text_plain(b, "{");
	stream_put_object(o, &frame_object, f);
	json_text_plain(b, "}");
	if (!b->failed)
		stream_frames_add(&o->frames, f, (struct prof_span){
		    b->data + start, b->size - start });
}

static void
stack_put_frames(struct stream_output *o, const struct stream_member *m,
    const void *structure)
{
	const struct prof_stack *s = structure;

	if (s->frames_size == 0)
		return;
	json_member_key(&o->text, m->key);
	for (size_t i = 0; i < s->frames_size; i++) {
		json_text_plain(&o->text, i == 0 ? "[" : ",");
		stack_put_frame(o, &s->frames[i]);
	}
	json_text_plain(&o->text, "]");
}

/* Frames stand beside the pcs that they are of, or alone. */
static enum prof_status
stack_check(const struct jval *object, const void *structure)
{
	const struct prof_stack *s = structure;
	struct jval pcs = jval_get(object, "pcs");
	struct jval frames = jval_get(object, "frames");
	size_t ends = 0;

	if (!jval_is_there(&pcs) && !jval_is_there(&frames))
		return jval_fail(&pcs, PROF_E_CORRUPT,
		    "missing, and so is frames");
	for (size_t i = 0; i < s->frames_size; i++)
		ends += (s->frames[i].flags & PROF_FRAME_INLINE) == 0;
	if (s->frames_size == 0 || s->pcs_size == 0 || ends == s->pcs_size)
		return PROF_OK;
	return jval_fail(&frames, PROF_E_CORRUPT, "%zu frames are not inline, "
	    "and there are %zu pcs", ends, s->pcs_size);
}

static const struct stream_member stack_members[] = {
	{ .key = "id", .type = STREAM_ID, .presence = STREAM_REQUIRED,
	    STREAM_AT(prof_stack, id) },
	{ .key = "pcs", .parse = stack_parse_pcs, .put = stack_put_pcs },
	{ .key = "frames", .type = STREAM_LIST, .object = &frame_object,
	    STREAM_LIST_AT(prof_stack, frames, frames_size),
	    .put = stack_put_frames },
};

const struct stream_object stream_stack = {
	.record = "stack", .kind = PROF_REC_STACK,
	.size = sizeof(struct prof_stack), STREAM_MEMBERS(stack_members),
	.check = stack_check,
};

/* A histogram that is there has the size that is said, or says it. */
static enum prof_status
info_parse_histogram(struct stream_record *r, const struct jval *v,
    struct prof_mib *m)
{
	size_t size;

	if (stream_parse_numbers(r, v, &m->histogram, &size) != PROF_OK)
		return PROF_FAIL;
	if (size == 0)
		m->histogram = NULL;
	if (mib_has(m, PROF_MIB_ACCESS_HISTOGRAM_SIZE) &&
	    m->value[PROF_MIB_ACCESS_HISTOGRAM_SIZE] != size)
		return jval_fail(v, PROF_E_CORRUPT, "%zu entries, and %s is "
		    "%llu", size,
		    mib_fields[PROF_MIB_ACCESS_HISTOGRAM_SIZE].key,
		    (unsigned long long)
		    m->value[PROF_MIB_ACCESS_HISTOGRAM_SIZE]);
	if (size > UINT32_MAX)
		return jval_fail(v, PROF_E_LIMIT, "%zu entries", size);
	mib_set(m, PROF_MIB_ACCESS_HISTOGRAM_SIZE, size);
	mib_set(m, PROF_MIB_ACCESS_HISTOGRAM, 0);
	return PROF_OK;
}

/* The members of allocation statistics are the rows of mib_fields. */
static enum prof_status
allocation_parse_info(struct stream_record *r, const struct jval *object,
    const struct stream_member *member, void *structure)
{
	struct prof_mib *m = &((struct prof_allocation *)structure)->info;
	const char *keys[PROF_MIB_FIELDS] = { NULL };
	struct jval v = jval_get(object, member->key), histogram;

	if (jval_object(&v) != PROF_OK)
		return PROF_FAIL;
	for (unsigned i = 1; i < PROF_MIB_FIELDS; i++)
		keys[i - 1] = mib_fields[i].key;
	stream_warn_unknown(r, &v, keys);
	for (unsigned i = 1; i < PROF_MIB_ACCESS_HISTOGRAM; i++) {
		struct jval field = jval_get(&v, mib_fields[i].key);

		if (!jval_is_there(&field))
			continue;
		if (stream_parse_limited(&field, mib_max(i), &m->value[i]) !=
		    PROF_OK)
			return PROF_FAIL;
		m->fields |= UINT32_C(1) << i;
	}
	/* A file that knows the size has the field behind it too. */
	if (mib_has(m, PROF_MIB_ACCESS_HISTOGRAM_SIZE))
		mib_set(m, PROF_MIB_ACCESS_HISTOGRAM, 0);
	histogram = jval_get(&v, mib_fields[PROF_MIB_ACCESS_HISTOGRAM].key);
	return jval_is_there(&histogram) ?
	    info_parse_histogram(r, &histogram, m) : PROF_OK;
}

static void
allocation_put_info(struct stream_output *o,
    const struct stream_member *member, const void *structure)
{
	const struct prof_allocation *a = structure;
	const struct prof_mib *m = &a->info;
	struct buf *b = &o->text;

	json_member_key(b, member->key);
	json_text_plain(b, "{");
	for (unsigned i = 1; i < PROF_MIB_ACCESS_HISTOGRAM; i++) {
		if (mib_has(m, i))
			json_member_number(b, mib_fields[i].key, m->value[i]);
	}
	if (m->histogram != NULL) {
		json_member_key(b, mib_fields[PROF_MIB_ACCESS_HISTOGRAM].key);
		json_text_numbers(b, m->histogram, (size_t)
		    m->value[PROF_MIB_ACCESS_HISTOGRAM_SIZE]);
	}
	json_text_plain(b, "}");
}

static const struct stream_member allocation_members[] = {
	{ .key = "stack", .type = STREAM_ID, .presence = STREAM_REQUIRED,
	    STREAM_AT(prof_allocation, stack) },
	{ .key = "info", .parse = allocation_parse_info,
	    .put = allocation_put_info },
};

const struct stream_object stream_allocation = {
	.record = "allocation", .kind = PROF_REC_ALLOCATION,
	.size = sizeof(struct prof_allocation),
	STREAM_MEMBERS(allocation_members),
};

static const struct stream_object alloc_site_object = {
	.size = sizeof(struct prof_allocation),
	STREAM_MEMBERS(allocation_members), .unknown_at = 2,
};

static const struct stream_member call_site_members[] = {
	{ .key = "stack", .type = STREAM_ID, .presence = STREAM_REQUIRED,
	    STREAM_AT(prof_call_site, stack) },
	{ .key = "callee_guids", .type = STREAM_IDS,
	    STREAM_LIST_AT(prof_call_site, callee_guids, callees_size) },
};

static const struct stream_object call_site_object = {
	.size = sizeof(struct prof_call_site),
	STREAM_MEMBERS(call_site_members), .unknown_at = 1,
};

static void
memprof_function_put_guid(struct stream_output *o,
    const struct stream_member *m, const void *structure)
{
	const struct prof_memprof_function *f = structure;

	json_member_id(&o->text, m->key, prof_symbol_guid(&f->symbol));
}

static const struct stream_member memprof_function_members[] = {
	{ .key = "guid", .type = STREAM_ID, .presence = STREAM_REQUIRED,
	    STREAM_AT(prof_memprof_function, symbol.guid),
	    .put = memprof_function_put_guid },
	{ .key = "name", .hex_key = "name_hex", .type = STREAM_BYTES,
	    STREAM_AT(prof_memprof_function, symbol.name) },
	{ .key = "alloc_sites", .type = STREAM_LIST,
	    .presence = STREAM_ALWAYS, .object = &alloc_site_object,
	    STREAM_LIST_AT(prof_memprof_function, alloc_sites, allocs_size) },
	{ .key = "call_sites", .type = STREAM_LIST,
	    .presence = STREAM_ALWAYS, .object = &call_site_object,
	    STREAM_LIST_AT(prof_memprof_function, call_sites, calls_size) },
};

const struct stream_object stream_memprof_function = {
	.record = "memprof_function", .kind = PROF_REC_MEMPROF_FUNCTION,
	.size = sizeof(struct prof_memprof_function),
	STREAM_MEMBERS(memprof_function_members),
};
