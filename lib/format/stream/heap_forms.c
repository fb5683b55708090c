/* Forms of the members of heap profiles. */
#include "base/error.h"
#include "base/json_member.h"
#include "format/stream/forms.h"
#include "model/frame_json.h"
#include "model/mib.h"

static enum prof_status
segment_parse_id(struct stream_record *r, const struct jval *object,
    const struct record_member *m, void *structure)
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

static void
segment_put_id(struct stream_output *o, const struct record_member *m,
    const void *structure)
{
	const struct prof_segment *s = structure;

	json_member_number(&o->text, m->key, s->id);
}

const struct stream_form stream_segment_id_form = {
	segment_parse_id, segment_put_id
};

static enum prof_status
segment_check_range(struct stream_record *r, const struct jval *object,
    const struct record_member *m, void *structure)
{
	const struct prof_segment *s = structure;
	struct jval end = jval_get(object, "end");

	(void)m;
	if (s->start <= s->end)
		return PROF_OK;
	context_break_rule(r->context, STREAM_RULE_RANGE);
	return jval_fail(&end, PROF_E_CORRUPT, "is before start");
}

const struct stream_form stream_segment_range_form = {
	segment_check_range, NULL
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
    const struct record_member *m, void *structure)
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
stack_put_pcs(struct stream_output *o, const struct record_member *m,
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

const struct stream_form stream_pcs_form = { stack_parse_pcs, stack_put_pcs };

static enum prof_status
frame_parse_numbers(struct stream_record *r, const struct jval *object,
    const struct record_member *m, void *structure)
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
    const struct record_member *m, const void *structure)
{
	(void)m;
	frame_put_numbers(&o->text, structure);
}

const struct stream_form stream_frame_numbers_form = {
	frame_parse_numbers, frame_put_number_members
};

static enum prof_status
frame_parse_inline(struct stream_record *r, const struct jval *object,
    const struct record_member *m, void *structure)
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
frame_put_inline(struct stream_output *o, const struct record_member *m,
    const void *structure)
{
	const struct prof_frame *f = structure;

	if ((f->flags & PROF_FRAME_INLINE) != 0)
		json_member_flag(&o->text, m->key);
}

const struct stream_form stream_inline_form = {
	frame_parse_inline, frame_put_inline
};

/* Frames stand beside the pcs that they are of, or alone. */
static enum prof_status
stack_check_frames(struct stream_record *r, const struct jval *object,
    const struct record_member *m, void *structure)
{
	const struct prof_stack *s = structure;
	struct jval pcs = jval_get(object, "pcs");
	struct jval frames = jval_get(object, "frames");
	size_t ends = 0;

	(void)m;
	if (!jval_is_there(&pcs) && !jval_is_there(&frames))
		return jval_fail(&pcs, PROF_E_CORRUPT,
		    "missing, and so is frames");
	for (size_t i = 0; i < s->frames_size; i++)
		ends += (s->frames[i].flags & PROF_FRAME_INLINE) == 0;
	if (s->frames_size == 0 || s->pcs_size == 0 || ends == s->pcs_size)
		return PROF_OK;
	context_break_rule(r->context, STREAM_RULE_FRAMES);
	return jval_fail(&frames, PROF_E_CORRUPT, "%zu frames are not inline, "
	    "and there are %zu pcs", ends, s->pcs_size);
}

const struct stream_form stream_stack_frames_form = {
	stack_check_frames, NULL
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
	    m->value[PROF_MIB_ACCESS_HISTOGRAM_SIZE] != size) {
		context_break_rule(r->context, STREAM_RULE_HISTOGRAM);
		return jval_fail(v, PROF_E_CORRUPT, "%zu entries, and %s is "
		    "%llu", size,
		    mib_fields[PROF_MIB_ACCESS_HISTOGRAM_SIZE].key,
		    (unsigned long long)
		    m->value[PROF_MIB_ACCESS_HISTOGRAM_SIZE]);
	}
	if (size > UINT32_MAX)
		return jval_fail(v, PROF_E_LIMIT, "%zu entries", size);
	mib_set(m, PROF_MIB_ACCESS_HISTOGRAM_SIZE, size);
	mib_set(m, PROF_MIB_ACCESS_HISTOGRAM, 0);
	return PROF_OK;
}

/* The members of allocation statistics are the rows of mib_fields. */
static enum prof_status
allocation_parse_info(struct stream_record *r, const struct jval *object,
    const struct record_member *member, void *structure)
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
    const struct record_member *member, const void *structure)
{
	const struct prof_allocation *a = structure;

	(void)member;
	mib_put_info(&o->text, &a->info);
}

const struct stream_form stream_info_form = {
	allocation_parse_info, allocation_put_info
};

static enum prof_status
memprof_function_parse_guid(struct stream_record *r,
    const struct jval *object, const struct record_member *m, void *structure)
{
	struct prof_memprof_function *f = structure;
	struct jval guid = jval_get(object, m->key);

	(void)r;
	return jval_id(&guid, &f->symbol.guid);
}

static void
memprof_function_put_guid(struct stream_output *o,
    const struct record_member *m, const void *structure)
{
	const struct prof_memprof_function *f = structure;

	json_member_id(&o->text, m->key, prof_symbol_guid(&f->symbol));
}

const struct stream_form stream_guid_form = {
	memprof_function_parse_guid, memprof_function_put_guid
};

/* A symbol, or the hash of a string literal, and not both. */
static enum prof_status
data_parse(struct stream_record *r, const struct jval *object,
    const struct record_member *m, void *structure)
{
	struct prof_data *d = (void *)((char *)structure + m->offset);
	struct jval hash = jval_get(object, m->guid_key);

	if (stream_parse_bytes(r, object, m->key, m->hex_key, &d->symbol) !=
	    PROF_OK)
		return PROF_FAIL;
	if (d->symbol.data == NULL)
		return jval_id(&hash, &d->hash);
	if (jval_is_there(&hash))
		return jval_fail(&hash, PROF_E_CORRUPT, "occurs together with "
		    "%s", m->key);
	return PROF_OK;
}

static void
data_put(struct stream_output *o, const struct record_member *m,
    const void *structure)
{
	const struct prof_data *d = (const void *)((const char *)structure +
	    m->offset);

	if (d->symbol.data != NULL)
		json_member_bytes(&o->text, m->key, m->hex_key, d->symbol);
	else
		json_member_id(&o->text, m->guid_key, d->hash);
}

const struct stream_form stream_data_form = { data_parse, data_put };
