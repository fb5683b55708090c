#include "format/stream/member.h"

#include "base/error.h"
#include "format/stream/forms.h"

/* No object has more keys: a profile has 20. */
enum { KEYS_MAX = 40 };

/* The keys of an object, then NULL. */
static void
stream_known_keys(const struct record_object *t,
    const char *known[KEYS_MAX + 1])
{
	size_t n = 0;

	if (t->record != NULL)
		known[n++] = "record";
	for (size_t i = 0; i < t->members_size; i++) {
		const struct record_member *m = &t->members[i];
		const char *const named[] = { m->key, m->hex_key, m->guid_key };

		for (size_t k = 0; k < 3 && n < KEYS_MAX; k++) {
			if (named[k] != NULL)
				known[n++] = named[k];
		}
		for (size_t k = 0; k < m->keys_size && n < KEYS_MAX; k++)
			known[n++] = m->keys[k];
	}
	known[n] = NULL;
}

static enum prof_status
stream_keep_unknown(struct stream_record *r, const struct jval *object,
    const char *const known[], struct prof_span *extra)
{
	*extra = (struct prof_span){ NULL, 0 };
	if (jval_unknown(object, known) == NULL)
		return PROF_OK;
	r->extra.size = 0;
	jval_extra(object, known, &r->extra);
	if (r->extra.failed) {
		buf_free(&r->extra);
		return err_memory(r->doc.err);
	}
	*extra = buf_span(&r->extra);
	return PROF_OK;
}

static enum prof_status
stream_parse_bits(const struct jval *object, const struct record_member *m,
    unsigned *out)
{
	for (size_t i = 0; i < m->keys_size; i++) {
		struct jval flag = jval_get(object, m->keys[i]);
		bool on = false;

		if (jval_is_there(&flag) && jval_flag(&flag, &on) != PROF_OK)
			return PROF_FAIL;
		*out |= on ? 1u << i : 0;
	}
	return PROF_OK;
}

static enum prof_status
stream_parse_word(const struct jval *v, const struct record_member *m,
    unsigned *out)
{
	/* An empty first word is said by saying nothing. */
	size_t first = m->words[0][0] == '\0', i;

	if (jval_word(v, m->words + first, m->words_size - first, &i) !=
	    PROF_OK)
		return PROF_FAIL;
	*out = (unsigned)(i + first);
	return PROF_OK;
}

/* The text lasts as long as the document, whose strings end with NUL. */
static enum prof_status
stream_parse_text(const struct jval *v, const char **out)
{
	struct prof_span text;

	if (jval_string(v, &text) != PROF_OK)
		return PROF_FAIL;
	*out = (const char *)text.data;
	return PROF_OK;
}

static enum prof_status
stream_parse_hex(struct stream_record *r, const struct jval *v,
    const struct record_member *m, struct prof_span *out)
{
	if (jval_hex(v, &r->arena, out) != PROF_OK)
		return PROF_FAIL;
	if (out->size == 0 && m->presence == MEMBER_OPTIONAL)
		out->data = NULL;
	return PROF_OK;
}

static enum prof_status
stream_parse_list(struct stream_record *r, const struct jval *list,
    const struct record_member *m, void *structure)
{
	size_t size;
	char *items;

	if (jval_list(list, &size) != PROF_OK)
		return PROF_FAIL;
	items = arena_array(&r->arena, size, m->object->size);
	if (items == NULL)
		return err_memory(r->doc.err);
	for (size_t i = 0; i < size; i++) {
		struct jval item = jval_item(list, i);

		if (jval_object(&item) != PROF_OK ||
		    stream_parse_object(r, &item, m->object,
		    items + i * m->object->size) != PROF_OK)
			return PROF_FAIL;
	}
	*(const void **)member_at(structure, m->offset) = items;
	*(size_t *)member_at(structure, m->size_offset) = size;
	return PROF_OK;
}

/* Members of one key, which is there, or is required. */
static enum prof_status
stream_parse_value(struct stream_record *r, const struct jval *v,
    const struct record_member *m, void *structure)
{
	void *out = member_at(structure, m->offset);
	size_t *size = member_at(structure, m->size_offset);
	uint64_t n;

	switch (m->type) {
	case MEMBER_NUMBER:
		return m->min == 0 ? jval_number(v, out) :
		    stream_parse_bounded(v, m->min, UINT64_MAX, out);
	case MEMBER_NUMBER32:
		if (stream_parse_limited(v, UINT32_MAX, &n) != PROF_OK)
			return PROF_FAIL;
		*(uint32_t *)out = (uint32_t)n;
		return PROF_OK;
	case MEMBER_ID:
		return jval_id(v, out);
	case MEMBER_FLAG:
		return jval_flag(v, out);
	case MEMBER_WORD:
		return stream_parse_word(v, m, out);
	case MEMBER_TEXT:
		return stream_parse_text(v, out);
	case MEMBER_HEX:
		return stream_parse_hex(r, v, m, out);
	case MEMBER_NUMBERS:
		return stream_parse_numbers(r, v, out, size);
	case MEMBER_IDS:
		return stream_parse_ids(r, v, out, size);
	case MEMBER_OBJECT:
		return jval_object(v) != PROF_OK ? PROF_FAIL :
		    stream_parse_object(r, v, m->object, out);
	case MEMBER_LIST:
	case MEMBER_FRAMES:
		return stream_parse_list(r, v, m, structure);
	default:
		return PROF_OK;
	}
}

static enum prof_status
stream_parse_bytes_row(struct stream_record *r, const struct jval *object,
    const struct record_member *m, struct prof_span *out)
{
	struct jval text = jval_get(object, m->key);

	if (stream_parse_bytes(r, object, m->key, m->hex_key, out) != PROF_OK)
		return PROF_FAIL;
	return out->data != NULL || m->presence != MEMBER_REQUIRED ? PROF_OK :
	    jval_fail(&text, PROF_E_CORRUPT, "missing");
}

/* Whether any member of the group of row i is there: then all have to be. */
static bool
stream_group_is_there(const struct jval *object, const struct record_object *t,
    size_t i)
{
	for (size_t k = 0; k < t->members_size; k++) {
		const struct record_member *m = &t->members[k];
		struct jval v;

		if (m->presence != MEMBER_IF_FLAG ||
		    m->flag_offset != t->members[i].flag_offset)
			continue;
		v = jval_get(object, m->key);
		if (jval_is_there(&v))
			return true;
	}
	return false;
}

static enum prof_status
stream_parse_row(struct stream_record *r, const struct jval *object,
    const struct record_object *t, size_t i, void *structure)
{
	const struct record_member *m = &t->members[i];
	const struct stream_form *form = stream_forms[m->type];
	void *out = member_at(structure, m->offset);
	struct jval v;
	bool wanted;

	if (form != NULL)
		return form->parse(r, object, m, structure);
	if (m->type == MEMBER_BITS)
		return stream_parse_bits(object, m, out);
	if (m->type == MEMBER_BYTES)
		return stream_parse_bytes_row(r, object, m, out);
	if (m->type == MEMBER_SYMBOL)
		return stream_parse_symbol(r, object,
		    &(struct stream_symbol_keys){ m->key, m->hex_key,
		    m->guid_key }, out);
	v = jval_get(object, m->key);
	wanted = m->presence == MEMBER_REQUIRED || jval_is_there(&v);
	if (m->presence == MEMBER_IF_FLAG) {
		wanted = stream_group_is_there(object, t, i);
		*(bool *)member_at(structure, m->flag_offset) = wanted;
	}
	return wanted ? stream_parse_value(r, &v, m, structure) : PROF_OK;
}

enum prof_status
stream_parse_object(struct stream_record *r, const struct jval *object,
    const struct record_object *t, void *structure)
{
	const char *known[KEYS_MAX + 1];

	stream_known_keys(t, known);
	memset(structure, 0, t->size);
	for (size_t i = 0; i <= t->members_size; i++) {
		if (i == t->unknown_at && !t->has_extra)
			stream_warn_unknown(r, object, known);
		if (i < t->members_size &&
		    stream_parse_row(r, object, t, i, structure) != PROF_OK)
			return PROF_FAIL;
	}
	return !t->has_extra ? PROF_OK : stream_keep_unknown(r, object, known,
	    member_at(structure, t->extra_offset));
}
