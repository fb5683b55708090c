#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json_text.h"
#include "format/stream/stream.h"

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
	size_t *size = member_at(structure, m->size_offset), first, word;
	struct prof_span text;
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
		/* An empty first word is said by saying nothing. */
		first = m->words[0][0] == '\0';
		if (jval_word(v, m->words + first, m->words_size - first,
		    &word) != PROF_OK)
			return PROF_FAIL;
		*(unsigned *)out = (unsigned)(word + first);
		return PROF_OK;
	case MEMBER_TEXT:
		/* The strings of a document end with NUL. */
		if (jval_string(v, &text) != PROF_OK)
			return PROF_FAIL;
		*(const char **)out = (const char *)text.data;
		return PROF_OK;
	case MEMBER_HEX:
		if (jval_hex(v, &r->arena, &text) != PROF_OK)
			return PROF_FAIL;
		if (text.size == 0 && m->presence == MEMBER_OPTIONAL)
			text.data = NULL;
		*(struct prof_span *)out = text;
		return PROF_OK;
	case MEMBER_NUMBERS:
		return stream_parse_u64s(r, v, jval_number, out, size);
	case MEMBER_IDS:
		return stream_parse_u64s(r, v, jval_id, out, size);
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
	const struct stream_form *form = &stream_forms[m->type];
	void *out = member_at(structure, m->offset);
	struct jval v;
	bool wanted;

	if (form->parse != NULL)
		return form->parse(r, object, m, structure);
	if (m->type == MEMBER_BITS)
		return stream_parse_bits(object, m, out);
	if (m->type == MEMBER_BYTES) {
		struct prof_span *bytes = out;

		if (stream_parse_bytes(r, object, m->key, m->hex_key, bytes) !=
		    PROF_OK)
			return PROF_FAIL;
		v = jval_get(object, m->key);
		return bytes->data != NULL || m->presence != MEMBER_REQUIRED ?
		    PROF_OK : jval_fail(&v, PROF_E_CORRUPT, "missing");
	}
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
	if (!t->has_extra || jval_unknown(object, known) == NULL)
		return PROF_OK;
	r->extra.size = 0;
	jval_extra(object, known, &r->extra);
	if (r->extra.failed) {
		buf_free(&r->extra);
		return err_memory(r->doc.err);
	}
	*(struct prof_span *)member_at(structure, t->extra_offset) =
	    buf_span(&r->extra);
	return PROF_OK;
}

/*
 * Whether a member is written even if it is 0 or empty.  Members of groups are,
 * because a group whose flag is not set is left out before, as a whole.
 */
static bool
stream_put_always(const struct record_member *m)
{
	return m->presence != MEMBER_OPTIONAL;
}

static void
stream_put_number(struct buf *b, const struct record_member *m,
    const void *structure)
{
	const void *at = member_from(structure, m->offset);
	uint64_t n = m->type == MEMBER_NUMBER ? *(const uint64_t *)at :
	    *(const uint32_t *)at;

	if (stream_put_always(m) || n > m->min)
		json_member_number(b, m->key, n);
}

static void
stream_put_id(struct buf *b, const struct record_member *m,
    const void *structure)
{
	uint64_t id = *(const uint64_t *)member_from(structure, m->offset);

	if (stream_put_always(m) || id != 0)
		json_member_id(b, m->key, id);
}

static void
stream_put_flag(struct buf *b, const struct record_member *m,
    const void *structure)
{
	if (*(const bool *)member_from(structure, m->offset))
		json_member_flag(b, m->key);
}

static void
stream_put_bits(struct buf *b, const struct record_member *m,
    const void *structure)
{
	unsigned bits = *(const unsigned *)member_from(structure,
	    m->offset);

	for (size_t i = 0; i < m->keys_size; i++) {
		if ((bits >> i & 1) != 0)
			json_member_flag(b, m->keys[i]);
	}
}

static void
stream_put_word(struct buf *b, const struct record_member *m,
    const void *structure)
{
	const char *word = m->words[*(const unsigned *)member_from(
	    structure, m->offset)];

	if (word[0] != '\0')
		json_member_text(b, m->key, word);
}

static void
stream_put_text(struct buf *b, const struct record_member *m,
    const void *structure)
{
	json_member_text(b, m->key,
	    *(const char *const *)member_from(structure, m->offset));
}

static void
stream_put_hex(struct buf *b, const struct record_member *m,
    const void *structure)
{
	const struct prof_span *bytes = member_from(structure, m->offset);

	if (stream_put_always(m) || bytes->size != 0) {
		json_member_key(b, m->key);
		json_text_hex(b, *bytes);
	}
}

static void
stream_put_bytes(struct buf *b, const struct record_member *m,
    const void *structure)
{
	const struct prof_span *bytes = member_from(structure, m->offset);

	if (bytes->size != 0)
		json_member_bytes(b, m->key, m->hex_key, *bytes);
}

static void
stream_put_symbol_row(struct buf *b, const struct record_member *m,
    const void *structure)
{
	stream_put_symbol(b, &(struct stream_symbol_keys){ m->key,
	    m->hex_key, m->guid_key }, member_from(structure, m->offset));
}

static void
stream_put_numbers(struct buf *b, const struct record_member *m,
    const void *structure)
{
	const uint64_t *numbers = *(const uint64_t *const *)member_from(
	    structure, m->offset);
	size_t n = member_list_size(structure, m);

	if (!stream_put_always(m) && n == 0)
		return;
	json_member_key(b, m->key);
	if (m->type == MEMBER_NUMBERS) {
		json_text_numbers(b, numbers, n);
		return;
	}
	json_text_plain(b, "[");
	for (size_t i = 0; i < n; i++) {
		if (i != 0)
			json_text_plain(b, ",");
		json_text_id(b, numbers[i]);
	}
	json_text_plain(b, "]");
}

/* Appends "key":[{...},...] of an array of structures. */
static void
stream_put_list(struct buf *b, const struct record_member *m,
    const void *structure)
{
	const char *items = *(const char *const *)member_from(structure,
	    m->offset);
	size_t n = member_list_size(structure, m);

	if (n == 0 && m->presence != MEMBER_ALWAYS)
		return;
	json_member_key(b, m->key);
	json_text_plain(b, "[");
	for (size_t i = 0; i < n; i++) {
		json_text_plain(b, i == 0 ? "{" : ",{");
		stream_put_object(b, m->object, items + i * m->object->size);
		json_text_plain(b, "}");
	}
	json_text_plain(b, "]");
}

/* Nothing if none of the members is to be written. */
static void
stream_put_inner(struct buf *b, const struct record_member *m,
    const void *structure)
{
	size_t start = b->size, empty;

	json_member_key(b, m->key);
	json_text_plain(b, "{");
	empty = b->size;
	stream_put_object(b, m->object, member_from(structure, m->offset));
	if (b->size == empty)
		b->size = start;
	else
		json_text_plain(b, "}");
}

static stream_put_member *const stream_put_by_type[MEMBER_TYPES] = {
	[MEMBER_NUMBER] = stream_put_number,
	[MEMBER_NUMBER32] = stream_put_number,
	[MEMBER_ID] = stream_put_id,
	[MEMBER_FLAG] = stream_put_flag,
	[MEMBER_BITS] = stream_put_bits,
	[MEMBER_WORD] = stream_put_word,
	[MEMBER_TEXT] = stream_put_text,
	[MEMBER_HEX] = stream_put_hex,
	[MEMBER_BYTES] = stream_put_bytes,
	[MEMBER_SYMBOL] = stream_put_symbol_row,
	[MEMBER_NUMBERS] = stream_put_numbers,
	[MEMBER_IDS] = stream_put_numbers,
	[MEMBER_OBJECT] = stream_put_inner,
	[MEMBER_LIST] = stream_put_list,
	[MEMBER_FRAMES] = stream_put_list,
};

void
stream_put_object(struct buf *b, const struct record_object *t,
    const void *structure)
{
	for (size_t i = 0; i < t->members_size; i++) {
		const struct record_member *m = &t->members[i];
		const struct stream_form *form = &stream_forms[m->type];
		stream_put_member *put = form->parse != NULL ? form->put :
		    stream_put_by_type[m->type];

		if (put != NULL && (m->presence != MEMBER_IF_FLAG ||
		    *(const bool *)member_from(structure, m->flag_offset)))
			put(b, m, structure);
	}
	if (t->has_extra)
		stream_put_extra(b, *(const struct prof_span *)
		    member_from(structure, t->extra_offset));
}
