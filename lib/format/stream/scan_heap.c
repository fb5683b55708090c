/* Canonical lines of stacks and allocations: format/stream/scan.h. */
#include "model/mib.h"
#include "format/stream/scan.h"

/* Memory that ran out is freed for stream_parse, which reads the line again. */
static bool
scan_buf_is_whole(struct buf *b)
{
	if (!b->failed)
		return true;
	buf_free(b);
	return false;
}

/* "0x..", or [SEGMENT,"0x.."]. */
static bool
scan_pc(struct scan *s, bool *any_segment)
{
	uint64_t pc, segment = PROF_NO_SEGMENT;

	if (SKIP(s, "[")) {
		if (!scan_number(s, &segment) || segment == PROF_NO_SEGMENT ||
		    !SKIP(s, ",\"") || !scan_id(s, &pc) || !SKIP(s, "]"))
			return false;
		*any_segment = true;
	} else if (!SKIP(s, "\"") || !scan_id(s, &pc)) {
		return false;
	}
	buf_put(&s->record->pcs, &pc, sizeof(pc));
	buf_put(&s->record->segments, &segment, sizeof(segment));
	return true;
}

/* Behind the opening bracket; there is at least one. */
static bool
scan_pcs(struct scan *s, struct prof_stack *stack)
{
	struct stream_record *r = s->record;
	bool any_segment = false;

	do {
		if (!scan_pc(s, &any_segment))
			return false;
	} while (SKIP(s, ","));
	if (!SKIP(s, "]") || !scan_buf_is_whole(&r->pcs) ||
	    !scan_buf_is_whole(&r->segments))
		return false;
	stack->pcs = (const void *)r->pcs.data;
	stack->segments = any_segment ? (const void *)r->segments.data : NULL;
	stack->pcs_size = r->pcs.size / sizeof(*stack->pcs);
	return true;
}

/* Skips the key if it is the next one of the object. */
static bool
scan_next_member(struct scan *s, const char *key, size_t size)
{
	const uint8_t *start = s->p;

	/* The first has no comma before it. */
	if ((s->p[-1] == '{' || SKIP(s, ",")) && SKIP(s, "\"") &&
	    scan_skip(s, key, size) && SKIP(s, "\":"))
		return true;
	s->p = start;
	return false;
}

/* The same of a constant key. */
#define NEXT(s, key) \
	((s)->p[-1] == '{' ? SKIP(s, "\"" key "\":") : \
	    SKIP(s, ",\"" key "\":"))

static bool
scan_width(struct scan *s, uint32_t *out)
{
	uint64_t n;

	if (!scan_number(s, &n) || n > UINT32_MAX)
		return false;
	*out = (uint32_t)n;
	return true;
}

#define NUMBER(s, f, key, field, flag) \
	(!NEXT(s, key) || \
	    (scan_width(s, &(f)->field) && ((f)->flags |= (flag)) != 0))

/* Behind the opening brace. */
static bool
scan_frame(struct scan *s, struct prof_frame *f)
{
	*f = (struct prof_frame){ 0 };
	if ((NEXT(s, "function") && (!SKIP(s, "\"") ||
	    !scan_string(s, &f->function.name))) ||
	    (NEXT(s, "guid") && (!SKIP(s, "\"") ||
	    !scan_id(s, &f->function.guid))) ||
	    (NEXT(s, "file") && (!SKIP(s, "\"") ||
	    !scan_string(s, &f->file))))
		return false;
	if (!NUMBER(s, f, "line", line, PROF_FRAME_LINE) ||
	    !NUMBER(s, f, "start_line", start_line, PROF_FRAME_START_LINE) ||
	    !NUMBER(s, f, "line_offset", line_offset,
	    PROF_FRAME_LINE_OFFSET) ||
	    !NUMBER(s, f, "column", column, PROF_FRAME_COLUMN) ||
	    !NUMBER(s, f, "discriminator", discriminator,
	    PROF_FRAME_DISCRIMINATOR))
		return false;
	if (NEXT(s, "inline")) {
		if (!SKIP(s, "true"))
			return false;
		f->flags |= PROF_FRAME_INLINE;
	}
	return SKIP(s, "}");
}

/*
 * The same, and the frame gets a number if frames get any.  A text that is the
 * whole text of an earlier frame is the text of this frame: what follows it
 * does not matter to scan_frame.
 */
static bool
scan_numbered_frame(struct scan *s, struct prof_frame *f)
{
	struct stream_record *r = s->record;
	const uint8_t *start = s->p;
	const struct stream_numbered *known;
	uint32_t number;

	if (r->numbers == NULL)
		return scan_frame(s, f);
	known = stream_numbers_find(r->numbers, start, s->end);
	if (known != NULL) {
		*f = known->frame;
		number = known->number;
		s->p += known->size;
	} else {
		if (!scan_frame(s, f))
			return false;
		number = stream_numbers_add(r->numbers, (struct prof_span){
		    start, (size_t)(s->p - start) }, f);
	}
	buf_put(&r->frame_numbers, &number, sizeof(number));
	return number != INDEX_NONE;
}

/* Behind the opening bracket; there is at least one. */
static bool
scan_frames(struct scan *s, struct prof_stack *stack)
{
	struct stream_record *r = s->record;
	struct prof_frame frame;
	size_t ends = 0;

	if (r->numbers != NULL)
		stream_numbers_begin(r->numbers);
	do {
		if (!SKIP(s, "{") || !scan_numbered_frame(s, &frame))
			return false;
		ends += (frame.flags & PROF_FRAME_INLINE) == 0;
		buf_put(&r->frames, &frame, sizeof(frame));
	} while (SKIP(s, ","));
	if (!SKIP(s, "]") || !scan_buf_is_whole(&r->frames) ||
	    !scan_buf_is_whole(&r->frame_numbers))
		return false;
	if (r->numbers != NULL)
		stack->frame_numbers = (const void *)r->frame_numbers.data;
	stack->frames = (const void *)r->frames.data;
	stack->frames_size = r->frames.size / sizeof(*stack->frames);
	return stack->pcs_size == 0 || ends == stack->pcs_size;
}

bool
scan_stack(struct scan *s, struct prof_stack *stack)
{
	struct stream_record *r = s->record;
	bool pcs;

	*stack = (struct prof_stack){ 0 };
	r->pcs.size = r->segments.size = r->frames.size = 0;
	r->frame_numbers.size = 0;
	if (!SKIP(s, "\"id\":\"") || !scan_id(s, &stack->id))
		return false;
	pcs = SKIP(s, ",\"pcs\":[");
	if (pcs && !scan_pcs(s, stack))
		return false;
	return SKIP(s, ",\"frames\":[") ? scan_frames(s, stack) : pcs;
}

/* Behind the opening brace. */
static bool
scan_info(struct scan *s, struct prof_mib *m)
{
	size_t size = 0;

	for (unsigned i = 1; i < PROF_MIB_ACCESS_HISTOGRAM; i++) {
		const char *key = mib_fields[i].key;

		if (!scan_next_member(s, key, strlen(key)))
			continue;
		if (!scan_number(s, &m->value[i]) || m->value[i] > mib_max(i))
			return false;
		m->fields |= UINT32_C(1) << i;
	}
	if (mib_has(m, PROF_MIB_ACCESS_HISTOGRAM_SIZE))
		mib_set(m, PROF_MIB_ACCESS_HISTOGRAM, 0);
	if (SKIP(s, ",\"access_histogram\":[") &&
	    (!scan_numbers(s, &m->histogram, &size) || size == 0 ||
	    !mib_has(m, PROF_MIB_ACCESS_HISTOGRAM_SIZE) ||
	    size != m->value[PROF_MIB_ACCESS_HISTOGRAM_SIZE]))
		return false;
	return SKIP(s, "}");
}

bool
scan_allocation(struct scan *s, struct prof_allocation *a)
{
	*a = (struct prof_allocation){ 0 };
	return SKIP(s, "\"stack\":\"") && scan_id(s, &a->stack) &&
	    SKIP(s, ",\"info\":{") && scan_info(s, &a->info);
}
