/* Canonical lines of functions: format/stream/scan.h. */
#include "base/json_text.h"
#include "base/number_row.h"
#include "base/utf8.h"
#include "format/stream/scan.h"

/* Skips plain bytes in words; the few before `end` are left to the caller. */
static inline const uint8_t *
scan_skip_plain(const uint8_t *p, const uint8_t *end)
{
	while (end - p >= 16 && swar_unplain2(p) == 0)
		p += 16;
	for (; end - p >= 8; p += 8) {
		uint64_t unplain = swar_unplain(swar_load(p));

		if (unplain != 0)
			return p + swar_first(unplain);
	}
	return p;
}

bool
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

bool
scan_number(struct scan *s, uint64_t *out)
{
	const uint8_t *p = scan_digits(s->p, out);

	if (p != NULL)
		s->p = p;
	return p != NULL;
}

bool
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
	return s->limit - p < 8 ? scan_digits(p, out) :
	    scan_short_number(p, out);
}

/*
 * Numbers behind the opening bracket.  Each takes a byte at least, and all but
 * the last a comma.
 */
bool
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
		n += number_row_get(&p, s->limit, list + n, most - 1 - n);
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

#define ZEROS	"0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,"

/* Half of the functions of a profile were not called: all counts are 0. */
static inline bool
scan_zero_counts(struct scan *s, uint64_t *list, size_t n)
{
	static const char zeros[] = ZEROS ZEROS ZEROS ZEROS;
	const uint8_t *p = s->p;

	if (n == 0 || 2 * n > sizeof(zeros) ||
	    (size_t)(s->limit - p) < 2 * n || p[2 * n - 1] != ']' ||
	    memcmp(p, zeros, 2 * n - 1) != 0)
		return false;
	memset(list, 0, n * sizeof(*list));
	s->p = p + 2 * n;
	return true;
}

bool
scan_counts(struct scan *s, uint64_t *list, size_t n)
{
	const uint8_t *p = s->p;

	if (scan_zero_counts(s, list, n))
		return true;
	for (size_t i = 0; i < n; p++) {
		i += number_row_get(&p, s->limit, list + i, n - 1 - i);
		p = scan_any_number(s, p, &list[i++]);
		if (p == NULL || (i < n && *p != ','))
			return false;
	}
	s->p = p;
	if (n == 0)
		return SKIP(s, "]");
	return p[-1] == ']';
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
		if (!s->record->guids_later)
			v->value = codec_target_guid(s->record->context,
			    v->name);
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
bool
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

bool
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
