#include "format/stream/member.h"

#include "base/error.h"

/* No object has more keys: a profile has 20. */
enum { KEYS_MAX = 40 };

const struct stream_symbol_keys stream_symbol = {
	"name", "name_hex", "guid"
};

const struct stream_symbol_keys stream_target = {
	"target", "target_hex", "target_guid"
};

static void *
stream_value_at(void *structure, size_t offset)
{
	return (char *)structure + offset;
}

/* The keys of an object, then NULL. */
static void
stream_known_keys(const struct stream_object *t,
    const char *known[KEYS_MAX + 1])
{
	size_t n = 0;

	if (t->record != NULL)
		known[n++] = "record";
	for (size_t i = 0; i < t->members_size; i++) {
		const struct stream_member *m = &t->members[i];
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

void
stream_warn_unknown(struct stream_record *r, const struct jval *object,
    const char *const known[])
{
	const char *key = r->warned ? NULL : jval_unknown(object, known);
	char text[ERR_NAME_SIZE];

	if (key == NULL)
		return;
	r->warned = true;
	err_name(text, span_of_text(key));
	warn_line(r->context, r->doc.line,
	    "unknown key %s is ignored, and others like it", text);
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
	*extra = (struct prof_span){ r->extra.data, r->extra.size };
	return PROF_OK;
}

enum prof_status
stream_parse_bytes(struct stream_record *r, const struct jval *object,
    const char *key, const char *hex_key, struct prof_span *out)
{
	struct jval text = jval_get(object, key);
	struct jval hex = jval_get(object, hex_key);
	enum prof_status status = PROF_OK;

	*out = (struct prof_span){ NULL, 0 };
	if (jval_is_there(&text) && jval_is_there(&hex))
		return jval_fail(&hex, PROF_E_CORRUPT, "stands beside %s", key);
	if (jval_is_there(&text))
		status = jval_string(&text, out);
	else if (jval_is_there(&hex))
		status = jval_hex(&hex, &r->arena, out);
	if (status == PROF_OK && out->data != NULL && out->size == 0)
		return jval_fail(jval_is_there(&text) ? &text : &hex,
		    PROF_E_CORRUPT, "empty");
	return status;
}

enum prof_status
stream_parse_symbol(struct stream_record *r, const struct jval *object,
    const struct stream_symbol_keys *keys, struct prof_symbol *out)
{
	struct jval guid = jval_get(object, keys->guid);

	*out = (struct prof_symbol){ 0 };
	if (stream_parse_bytes(r, object, keys->name, keys->hex, &out->name) !=
	    PROF_OK)
		return PROF_FAIL;
	if (!jval_is_there(&guid)) {
		if (out->name.data != NULL)
			return PROF_OK;
		guid = jval_get(object, keys->name);
		return jval_fail(&guid, PROF_E_CORRUPT,
		    "missing, and so is %s", keys->guid);
	}
	if (jval_id(&guid, &out->guid) != PROF_OK)
		return PROF_FAIL;
	if (out->name.data != NULL && out->guid != prof_guid(out->name))
		return jval_fail(&guid, PROF_E_CORRUPT,
		    "is not the guid of %s", keys->name);
	return PROF_OK;
}

static enum prof_status
stream_parse_u64s(struct stream_record *r, const struct jval *list,
    enum prof_status (*parse)(const struct jval *, uint64_t *),
    const uint64_t **out, size_t *size)
{
	uint64_t *numbers;

	if (jval_list(list, size) != PROF_OK)
		return PROF_FAIL;
	numbers = arena_array(&r->arena, *size, sizeof(*numbers));
	if (numbers == NULL)
		return err_memory(r->doc.err);
	for (size_t i = 0; i < *size; i++) {
		struct jval item = jval_item(list, i);

		if (parse(&item, &numbers[i]) != PROF_OK)
			return PROF_FAIL;
	}
	*out = numbers;
	return PROF_OK;
}

enum prof_status
stream_parse_numbers(struct stream_record *r, const struct jval *list,
    const uint64_t **out, size_t *size)
{
	return stream_parse_u64s(r, list, jval_number, out, size);
}

enum prof_status
stream_parse_limited(const struct jval *v, uint64_t max, uint64_t *out)
{
	*out = 0;
	if (!jval_is_there(v))
		return PROF_OK;
	if (jval_number(v, out) != PROF_OK)
		return PROF_FAIL;
	if (*out > max)
		return jval_fail(v, PROF_E_CORRUPT, "%llu is above %llu",
		    (unsigned long long)*out, (unsigned long long)max);
	return PROF_OK;
}

enum prof_status
stream_parse_bounded(const struct jval *v, uint64_t min, uint64_t max,
    uint64_t *out)
{
	*out = 0;
	if (!jval_is_there(v))
		return PROF_OK;
	if (jval_number(v, out) != PROF_OK)
		return PROF_FAIL;
	if (*out < min || *out > max)
		return jval_fail(v, PROF_E_CORRUPT,
		    "%llu is not from %llu to %llu", (unsigned long long)*out,
		    (unsigned long long)min, (unsigned long long)max);
	return PROF_OK;
}

static enum prof_status
stream_parse_bits(const struct jval *object, const struct stream_member *m,
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
stream_parse_word(const struct jval *v, const struct stream_member *m,
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
    const struct stream_member *m, struct prof_span *out)
{
	if (jval_hex(v, &r->arena, out) != PROF_OK)
		return PROF_FAIL;
	if (out->size == 0 && m->presence == STREAM_OPTIONAL)
		out->data = NULL;
	return PROF_OK;
}

static enum prof_status
stream_parse_list(struct stream_record *r, const struct jval *list,
    const struct stream_member *m, void *structure)
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
	*(const void **)stream_value_at(structure, m->offset) = items;
	*(size_t *)stream_value_at(structure, m->size_offset) = size;
	return PROF_OK;
}

/* Members of one key, which is there, or is required. */
static enum prof_status
stream_parse_value(struct stream_record *r, const struct jval *v,
    const struct stream_member *m, void *structure)
{
	void *out = stream_value_at(structure, m->offset);
	size_t *size = stream_value_at(structure, m->size_offset);
	uint64_t n;

	switch (m->type) {
	case STREAM_NUMBER:
		return m->min == 0 ? jval_number(v, out) :
		    stream_parse_bounded(v, m->min, UINT64_MAX, out);
	case STREAM_NUMBER32:
		if (stream_parse_limited(v, UINT32_MAX, &n) != PROF_OK)
			return PROF_FAIL;
		*(uint32_t *)out = (uint32_t)n;
		return PROF_OK;
	case STREAM_ID:
		return jval_id(v, out);
	case STREAM_FLAG:
		return jval_flag(v, out);
	case STREAM_WORD:
		return stream_parse_word(v, m, out);
	case STREAM_TEXT:
		return stream_parse_text(v, out);
	case STREAM_HEX:
		return stream_parse_hex(r, v, m, out);
	case STREAM_NUMBERS:
		return stream_parse_numbers(r, v, out, size);
	case STREAM_IDS:
		return stream_parse_u64s(r, v, jval_id, out, size);
	case STREAM_OBJECT:
		return jval_object(v) != PROF_OK ? PROF_FAIL :
		    stream_parse_object(r, v, m->object, out);
	case STREAM_LIST:
		return stream_parse_list(r, v, m, structure);
	case STREAM_OWN:
	case STREAM_BITS:
	case STREAM_BYTES:
	case STREAM_SYMBOL:
		break;
	}
	return PROF_OK;
}

/* Whether any member of the group of row i is there: then all have to be. */
static bool
stream_group_is_there(const struct jval *object, const struct stream_object *t,
    size_t i)
{
	for (size_t k = 0; k < t->members_size; k++) {
		const struct stream_member *m = &t->members[k];
		struct jval v;

		if (m->presence != STREAM_IF_FLAG ||
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
    const struct stream_object *t, size_t i, void *structure)
{
	const struct stream_member *m = &t->members[i];
	void *out = stream_value_at(structure, m->offset);
	struct jval v;
	bool wanted;

	if (m->parse != NULL)
		return m->parse(r, object, m, structure);
	if (m->type == STREAM_BITS)
		return stream_parse_bits(object, m, out);
	if (m->type == STREAM_BYTES)
		return stream_parse_bytes(r, object, m->key, m->hex_key, out);
	if (m->type == STREAM_SYMBOL)
		return stream_parse_symbol(r, object,
		    &(struct stream_symbol_keys){ m->key, m->hex_key,
		    m->guid_key }, out);
	v = jval_get(object, m->key);
	wanted = m->presence == STREAM_REQUIRED || jval_is_there(&v);
	if (m->presence == STREAM_IF_FLAG) {
		wanted = stream_group_is_there(object, t, i);
		*(bool *)stream_value_at(structure, m->flag_offset) = wanted;
	}
	return wanted ? stream_parse_value(r, &v, m, structure) : PROF_OK;
}

enum prof_status
stream_parse_object(struct stream_record *r, const struct jval *object,
    const struct stream_object *t, void *structure)
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
	if (t->check != NULL && t->check(object, structure) != PROF_OK)
		return PROF_FAIL;
	return !t->has_extra ? PROF_OK : stream_keep_unknown(r, object, known,
	    stream_value_at(structure, t->extra_offset));
}
