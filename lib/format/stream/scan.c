#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/numbers.h"
#include "base/text.h"
#include "model/mib.h"
#include "format/stream/stream.h"

/*
 * Canonical lines, taken apart by hand: most bytes of a stream are in lines of
 * functions, stacks and allocations.  The scanner accepts only the form that
 * the writer gives them; any other line, even if allowed, ends the scan and is
 * left to stream_parse, which reports errors.
 */

/* p needs no bound: a newline follows the line, and p never passes it. */
struct scan {
	const uint8_t *p;
	const uint8_t *end;		/* of the line */
	struct stream_record *record;
};

/* Inlined, so that constant texts are compared in words. */
__attribute__((always_inline)) static inline bool
scan_skip(struct scan *s, const char *text, size_t size)
{
	if ((size_t)(s->end - s->p) < size || memcmp(s->p, text, size) != 0)
		return false;
	s->p += size;
	return true;
}

#define SKIP(s, text)	scan_skip(s, text, sizeof(text) - 1)

/* Frames that were read before. */

/*
 * The most frames that are kept, and the most bytes of a text: memory must not
 * grow with the number of frames, as some profiles have no two that are equal.
 */
enum { KEPT_MAX = 1 << 18, TEXT_MAX = 1 << 10 };

struct numbers_key {
	struct stream_numbered *const *items;
	struct prof_span text;
};

static bool
numbers_same(const void *arg, uint32_t item)
{
	const struct numbers_key *k = arg;
	const struct stream_numbered *n = k->items[item];

	return n->size == k->text.size &&
	    memcmp(n->text, k->text.data, n->size) == 0;
}

/* Bytes of a text, in its copy. */
static void
numbers_move(struct prof_span *s, struct prof_span text, const uint8_t *copy)
{
	if (s->data != NULL)
		s->data = copy + (s->data - text.data);
}

static bool
numbers_keep(struct stream_numbers *t, struct prof_span text, uint64_t hash,
    const struct prof_frame *frame)
{
	struct stream_numbered *to;

	if (!hash_index_reserve(&t->index, (size_t)t->index.size + 1) ||
	    !ARRAY_ROOM(t->items, t->index.size, t->room))
		return false;
	to = arena_alloc(&t->arena, sizeof(*to) + text.size);
	if (to == NULL)
		return false;
	to->frame = *frame;
	to->number = t->next;
	to->size = (uint32_t)text.size;
	memcpy(to->text, text.data, text.size);
	numbers_move(&to->frame.function.name, text, to->text);
	numbers_move(&to->frame.file, text, to->text);
	t->items[t->index.size] = to;
	return hash_index_add(&t->index, hash);
}

void
stream_numbers_free(struct stream_numbers *t)
{
	free(t->items);
	hash_index_free(&t->index);
	arena_free(&t->arena);
	*t = (struct stream_numbers){ .room = 0 };
}

/* Parts of canonical lines, and lines of functions. */

/* Skips plain bytes in words; the few before `end` are left to the caller. */
static inline const uint8_t *
scan_skip_plain(const uint8_t *p, const uint8_t *end)
{
	for (; end - p >= 8; p += 8) {
		uint64_t unplain = swar_unplain(swar_load(p));

		if (unplain != 0)
			return p + swar_first(unplain);
	}
	return p;
}

/* A string without escapes, behind its opening quote; not empty. */
static bool
scan_string(struct scan *s, struct prof_span *out)
{
	const uint8_t *p = scan_skip_plain(s->p, s->end);
	uint8_t bits = 0;

	for (; *p >= 0x20 && *p != '"' && *p != '\\'; p++)
		bits |= *p;
	*out = (struct prof_span){ s->p, (size_t)(p - s->p) };
	if (*p != '"' || out->size == 0)
		return false;
	s->p = p + 1;
	return bits < 0x80 || utf8_valid(*out);
}

/* A number in quotes, at the opening one; NULL if it is none. */
static const uint8_t *
scan_quoted_number(const uint8_t *p, uint64_t *out)
{
	const uint8_t *start = ++p;

	while ((unsigned)*p - '0' <= 9)
		p++;
	if (*p != '"' || !json_text_get_number(
	    (struct prof_span){ start, (size_t)(p - start) }, out))
		return NULL;
	return p + 1;
}

/* 16 digits do not overflow; longer numbers must be quoted. */
static inline const uint8_t *
scan_digits(const uint8_t *p, uint64_t *out)
{
	const uint8_t *start = p;
	unsigned digit = (unsigned)*p - '0';
	uint64_t v = digit;

	if (digit > 9)
		return *p == '"' ? scan_quoted_number(p, out) : NULL;
	for (p++; (digit = (unsigned)*p - '0') <= 9; p++)
		v = v * 10 + digit;
	*out = v;
	if (p - start > 1 && (*start == '0' || p - start > 16))
		return NULL;
	return p;
}

static bool
scan_number(struct scan *s, uint64_t *out)
{
	const uint8_t *p = scan_digits(s->p, out);

	if (p != NULL)
		s->p = p;
	return p != NULL;
}

/* Behind the opening quote. */
static bool
scan_id(struct scan *s, uint64_t *out)
{
	if (s->end - s->p <= JSON_TEXT_ID_SIZE ||
	    s->p[JSON_TEXT_ID_SIZE] != '"' ||
	    !json_text_get_id((struct prof_span){ s->p, JSON_TEXT_ID_SIZE },
	    out))
		return false;
	s->p += JSON_TEXT_ID_SIZE + 1;
	return true;
}

static bool
scan_hex(struct scan *s, struct prof_span *out)
{
	const uint8_t *quote = memchr(s->p, '"', (size_t)(s->end - s->p));
	struct prof_span text = { s->p, 0 };
	uint8_t *bytes;

	if (quote == NULL)
		return false;
	text.size = (size_t)(quote - s->p);
	bytes = arena_alloc(&s->record->arena, text.size / 2);
	if (bytes == NULL || text.size == 0 || !json_text_get_hex(text, bytes))
		return false;
	*out = (struct prof_span){ bytes, text.size / 2 };
	s->p = quote + 1;
	return true;
}

/* A number of up to 7 digits; 8 bytes are there. */
static inline const uint8_t *
scan_short_number(const uint8_t *p, uint64_t *out)
{
	uint64_t v = swar_load(p), rest = swar_not_digits(v);
	size_t n = rest == 0 ? 0 : swar_first(rest);

	if (n == 0 || (n > 1 && *p == '0'))
		return scan_digits(p, out);
	*out = swar_decimal(v, n);
	return p + n;
}

static inline const uint8_t *
scan_any_number(const struct scan *s, const uint8_t *p, uint64_t *out)
{
	return s->end - p < 8 ? scan_digits(p, out) :
	    scan_short_number(p, out);
}

/*
 * Numbers behind the opening bracket.  Each takes a byte at least, and all but
 * the last a comma.
 */
static bool
scan_numbers(struct scan *s, const uint64_t **out, size_t *size)
{
	const uint8_t *p = s->p;
	const uint8_t *close = memchr(p, ']', (size_t)(s->end - p));
	size_t n = 0, most;
	uint64_t *list;

	if (close == NULL)
		return false;
	most = (size_t)(close - p) / 2 + 1;
	list = arena_array(&s->record->arena, most + NUMBER_ROW_SLACK,
	    sizeof(*list));
	if (list == NULL)
		return false;
	while (p != close) {
		n += number_row_get(&p, s->end, list + n, most - 1 - n);
		p = scan_any_number(s, p, &list[n++]);
		if (p == NULL)
			return false;
		if (p != close && (*p++ != ',' || p == close))
			return false;
	}
	*out = list;
	*size = n;
	s->p = close + 1;
	return true;
}

/* One value of a site, behind the opening brace. */
static bool
scan_value(struct scan *s, enum prof_value_kind kind, struct prof_value *v)
{
	*v = (struct prof_value){ 0 };
	if (kind == PROF_MEM_OP_SIZE) {
		if (!SKIP(s, "\"size\":") || !scan_number(s, &v->value))
			return false;
	} else if (SKIP(s, "\"target\":\"")) {
		if (!scan_string(s, &v->name))
			return false;
		v->value = codec_target_guid(s->record->context, v->name);
	} else if (!SKIP(s, "\"target_guid\":\"") ||
	    !scan_id(s, &v->value)) {
		return false;
	}
	return SKIP(s, ",\"count\":") && scan_number(s, &v->count) &&
	    SKIP(s, "}");
}

/*
 * The growing arrays may move, so a site has only its size until all values are
 * there (scan_place_values).
 */
static bool
scan_site(struct scan *s, enum prof_value_kind kind)
{
	struct stream_record *r = s->record;
	struct prof_site site = { 0 };
	struct prof_value value;

	if (!SKIP(s, "["))
		return false;
	if (!SKIP(s, "]")) {
		do {
			if (!SKIP(s, "{") || !scan_value(s, kind, &value))
				return false;
			buf_put(&r->values, &value, sizeof(value));
			site.size++;
		} while (SKIP(s, ","));
		if (!SKIP(s, "]"))
			return false;
	}
	buf_put(&r->sites, &site, sizeof(site));
	return true;
}

/* Sites of one kind, behind the opening bracket; there is at least one. */
static bool
scan_sites(struct scan *s, enum prof_value_kind kind, size_t *size)
{
	do {
		if (!scan_site(s, kind))
			return false;
		(*size)++;
	} while (SKIP(s, ","));
	return SKIP(s, "]");
}

/* Hands the collected sites and values out to the kinds. */
static bool
scan_place_values(struct stream_record *r,
    struct prof_sites out[PROF_VALUE_KINDS])
{
	struct prof_site *site = (void *)r->sites.data;
	const struct prof_value *value = (const void *)r->values.data;

	if (r->sites.failed || r->values.failed) {
		/* stream_parse shall have the memory, and try again. */
		buf_free(&r->sites);
		buf_free(&r->values);
		return false;
	}
	for (unsigned kind = 0; kind < PROF_VALUE_KINDS; kind++) {
		if (out[kind].size == 0)
			continue;
		out[kind].sites = site;
		for (size_t i = 0; i < out[kind].size; i++, site++) {
			if (site->size == 0)
				continue;
			site->values = value;
			value += site->size;
		}
	}
	return true;
}

/* A key of the values, in the words of words_value_kind. */
static bool
scan_skip_kind(struct scan *s, unsigned kind)
{
	switch (kind) {
	case PROF_INDIRECT_CALL_TARGET:
		return SKIP(s, "\"indirect_call_target\":[");
	case PROF_MEM_OP_SIZE:
		return SKIP(s, "\"mem_op_size\":[");
	default:
		return SKIP(s, "\"vtable_target\":[");
	}
}

/* The kinds in their order. */
static bool
scan_values(struct scan *s, struct prof_sites out[PROF_VALUE_KINDS])
{
	bool first = true;

	s->record->values.size = s->record->sites.size = 0;
	for (unsigned kind = 0; kind < PROF_VALUE_KINDS; kind++) {
		const uint8_t *start = s->p;

		if ((first || SKIP(s, ",")) && scan_skip_kind(s, kind)) {
			if (!scan_sites(s, kind, &out[kind].size))
				return false;
			first = false;
		} else {
			s->p = start;
		}
	}
	return SKIP(s, "}") && scan_place_values(s->record, out);
}

static bool
scan_symbol(struct scan *s, struct prof_symbol *out)
{
	if (SKIP(s, "\"name\":\""))
		return scan_string(s, &out->name);
	return SKIP(s, "\"guid\":\"") && scan_id(s, &out->guid);
}

/* Behind "record" and the comma. */
static bool
scan_function(struct scan *s, struct prof_function *f)
{
	*f = (struct prof_function){ 0 };
	return scan_symbol(s, &f->symbol) &&
	    SKIP(s, ",\"hash\":\"") && scan_id(s, &f->hash) &&
	    SKIP(s, ",\"counts\":[") &&
	    scan_numbers(s, &f->counts, &f->counts_size) &&
	    (!SKIP(s, ",\"bitmap\":\"") || scan_hex(s, &f->bitmap)) &&
	    (!SKIP(s, ",\"uniform_counts\":[") ||
	    scan_numbers(s, &f->uniform_counts, &f->uniform_size)) &&
	    (!SKIP(s, ",\"values\":{") || scan_values(s, f->values));
}

/* Lines of stacks and allocations. */

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

/* Skips a constant key if it is the next one of the object. */
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
 * Scans a frame, which gets a number if frames get any.  A text that is the
 * whole text of an earlier frame is the text of this frame: what follows it
 * does not matter to scan_frame.  It ends behind the first brace, unless one of
 * the strings has a brace: then the text is that of no frame, and not kept.
 */
static bool
scan_numbered_frame(struct scan *s, struct prof_frame *f)
{
	struct stream_record *r = s->record;
	struct stream_numbers *t = r->numbers;
	const uint8_t *brace = memchr(s->p, '}', (size_t)(s->end - s->p));
	struct numbers_key key = { .text = { s->p, 0 } };
	uint32_t item, number;
	uint64_t hash;

	if (t == NULL || brace == NULL)
		return scan_frame(s, f);
	/* The table has a seed once there is room for an item. */
	if (!hash_index_reserve(&t->index, (size_t)t->index.size + 1))
		return false;
	key.items = t->items;
	key.text.size = (size_t)(brace + 1 - s->p);
	hash = hash_span(t->index.seed, key.text);
	item = hash_index_find(&t->index, hash, numbers_same, &key);
	if (item != INDEX_NONE) {
		*f = t->items[item]->frame;
		number = t->items[item]->number;
		s->p = brace + 1;
	} else {
		if (t->next == INDEX_NONE || !scan_frame(s, f))
			return false;
		if (s->p == brace + 1 && key.text.size <= TEXT_MAX &&
		    t->index.size < KEPT_MAX &&
		    !numbers_keep(t, key.text, hash, f))
			return false;
		number = t->next++;
	}
	buf_put(&r->frame_numbers, &number, sizeof(number));
	return true;
}

/* Behind the opening bracket; there is at least one. */
static bool
scan_frames(struct scan *s, struct prof_stack *stack)
{
	struct stream_record *r = s->record;
	struct prof_frame frame;
	size_t ends = 0;

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

static bool
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

static bool
scan_allocation(struct scan *s, struct prof_allocation *a)
{
	*a = (struct prof_allocation){ 0 };
	return SKIP(s, "\"stack\":\"") && scan_id(s, &a->stack) &&
	    SKIP(s, ",\"info\":{") && scan_info(s, &a->info);
}

static bool
scan_record(struct scan *s, struct prof_record *out)
{
	if (SKIP(s, "function\",")) {
		out->kind = PROF_REC_FUNCTION;
		return scan_function(s, &out->u.function);
	}
	if (SKIP(s, "stack\",")) {
		out->kind = PROF_REC_STACK;
		return scan_stack(s, &out->u.stack);
	}
	if (SKIP(s, "allocation\",")) {
		out->kind = PROF_REC_ALLOCATION;
		return scan_allocation(s, &out->u.allocation);
	}
	return false;
}

bool
stream_scan(struct stream_record *r, struct prof_span line,
    struct prof_record *out)
{
	struct scan s = { line.data, line.data + line.size, r };

	return SKIP(&s, "{\"record\":\"") && scan_record(&s, out) &&
	    SKIP(&s, "}") && s.p == s.end;
}
