#include "base/json_member.h"
#include "format/stream/member.h"

static const void *
stream_put_from(const void *structure, size_t offset)
{
	return (const char *)structure + offset;
}

static size_t
stream_list_size(const void *structure, const struct stream_member *m)
{
	return *(const size_t *)stream_put_from(structure, m->size_offset);
}

void
stream_put_symbol(struct buf *b, const struct stream_symbol_keys *keys,
    const struct prof_symbol *s)
{
	if (s->name.size != 0)
		json_member_bytes(b, keys->name, keys->hex, s->name);
	else
		json_member_id(b, keys->guid, prof_symbol_guid(s));
}

void
stream_put_extra(struct buf *b, struct prof_span extra)
{
	if (extra.size != 0) {
		buf_put(b, ",", 1);
		buf_put(b, extra.data, extra.size);
	}
}

static void
stream_put_bits(struct buf *b, const struct stream_member *m, unsigned bits)
{
	for (size_t i = 0; i < m->keys_size; i++) {
		if ((bits >> i & 1) != 0)
			json_member_flag(b, m->keys[i]);
	}
}

static void
stream_put_ids(struct buf *b, const char *key, const uint64_t *ids, size_t n)
{
	json_member_key(b, key);
	json_text_plain(b, "[");
	for (size_t i = 0; i < n; i++) {
		if (i != 0)
			json_text_plain(b, ",");
		json_text_id(b, ids[i]);
	}
	json_text_plain(b, "]");
}

/* Appends "key":[{...},...] of an array of structures. */
static void
stream_put_list(struct stream_output *o, const struct stream_member *m,
    const void *structure)
{
	const char *items = *(const char *const *)stream_put_from(structure,
	    m->offset);
	size_t n = stream_list_size(structure, m);

	if (n == 0 && m->presence != STREAM_ALWAYS)
		return;
	json_member_key(&o->text, m->key);
	json_text_plain(&o->text, "[");
	for (size_t i = 0; i < n; i++) {
		json_text_plain(&o->text, i == 0 ? "{" : ",{");
		stream_put_object(o, m->object, items + i * m->object->size);
		json_text_plain(&o->text, "}");
	}
	json_text_plain(&o->text, "]");
}

/* Nothing if none of the members is to be written. */
static void
stream_put_inner(struct stream_output *o, const struct stream_member *m,
    const void *structure)
{
	size_t start = o->text.size, empty;

	json_member_key(&o->text, m->key);
	json_text_plain(&o->text, "{");
	empty = o->text.size;
	stream_put_object(o, m->object, structure);
	if (o->text.size == empty)
		o->text.size = start;
	else
		json_text_plain(&o->text, "}");
}

static void
stream_put_row(struct stream_output *o, const struct stream_member *m,
    const void *structure)
{
	const void *at = stream_put_from(structure, m->offset);
	const struct prof_span *bytes = at;
	struct buf *b = &o->text;
	bool always = m->presence == STREAM_REQUIRED ||
	    m->presence == STREAM_ALWAYS;
	uint64_t n;

	if (m->presence == STREAM_IF_FLAG) {
		always = *(const bool *)stream_put_from(structure,
		    m->flag_offset);
		if (!always)
			return;
	}
	switch (m->type) {
	case STREAM_NUMBER:
	case STREAM_NUMBER32:
		n = m->type == STREAM_NUMBER ? *(const uint64_t *)at :
		    *(const uint32_t *)at;
		if (always || n > m->min)
			json_member_number(b, m->key, n);
		break;
	case STREAM_ID:
		if (always || *(const uint64_t *)at != 0)
			json_member_id(b, m->key, *(const uint64_t *)at);
		break;
	case STREAM_FLAG:
		if (*(const bool *)at)
			json_member_flag(b, m->key);
		break;
	case STREAM_BITS:
		stream_put_bits(b, m, *(const unsigned *)at);
		break;
	case STREAM_WORD:
		if (m->words[*(const unsigned *)at][0] != '\0')
			json_member_text(b, m->key,
			    m->words[*(const unsigned *)at]);
		break;
	case STREAM_TEXT:
		json_member_text(b, m->key, *(const char *const *)at);
		break;
	case STREAM_HEX:
		if (always || bytes->size != 0) {
			json_member_key(b, m->key);
			json_text_hex(b, *bytes);
		}
		break;
	case STREAM_BYTES:
		if (bytes->size != 0)
			json_member_bytes(b, m->key, m->hex_key, *bytes);
		break;
	case STREAM_SYMBOL:
		stream_put_symbol(b, &(struct stream_symbol_keys){ m->key,
		    m->hex_key, m->guid_key }, at);
		break;
	case STREAM_NUMBERS:
		if (always || stream_list_size(structure, m) != 0) {
			json_member_key(b, m->key);
			json_text_numbers(b, *(const uint64_t *const *)at,
			    stream_list_size(structure, m));
		}
		break;
	case STREAM_IDS:
		if (always || stream_list_size(structure, m) != 0)
			stream_put_ids(b, m->key, *(const uint64_t *const *)at,
			    stream_list_size(structure, m));
		break;
	case STREAM_OBJECT:
		stream_put_inner(o, m, at);
		break;
	case STREAM_LIST:
		stream_put_list(o, m, structure);
		break;
	case STREAM_OWN:
		break;
	}
}

void
stream_put_object(struct stream_output *o, const struct stream_object *t,
    const void *structure)
{
	for (size_t i = 0; i < t->members_size; i++) {
		const struct stream_member *m = &t->members[i];

		if (m->put != NULL)
			m->put(o, m, structure);
		else
			stream_put_row(o, m, structure);
	}
	if (t->has_extra)
		stream_put_extra(&o->text, *(const struct prof_span *)
		    stream_put_from(structure, t->extra_offset));
}
