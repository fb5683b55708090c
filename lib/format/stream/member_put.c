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

/*
 * Whether a member is written even if it is 0 or empty.  Members of groups are,
 * because a group whose flag is not set is left out before, as a whole.
 */
static bool
stream_put_always(const struct stream_member *m)
{
	return m->presence != STREAM_OPTIONAL;
}

static void
stream_put_ids(struct buf *b, const uint64_t *ids, size_t n)
{
	json_text_plain(b, "[");
	for (size_t i = 0; i < n; i++) {
		if (i != 0)
			json_text_plain(b, ",");
		json_text_id(b, ids[i]);
	}
	json_text_plain(b, "]");
}

static void
stream_put_number(struct stream_output *o, const struct stream_member *m,
    const void *structure)
{
	const void *at = stream_put_from(structure, m->offset);
	uint64_t n = m->type == STREAM_NUMBER ? *(const uint64_t *)at :
	    *(const uint32_t *)at;

	if (stream_put_always(m) || n > m->min)
		json_member_number(&o->text, m->key, n);
}

static void
stream_put_id(struct stream_output *o, const struct stream_member *m,
    const void *structure)
{
	uint64_t id = *(const uint64_t *)stream_put_from(structure, m->offset);

	if (stream_put_always(m) || id != 0)
		json_member_id(&o->text, m->key, id);
}

static void
stream_put_flag(struct stream_output *o, const struct stream_member *m,
    const void *structure)
{
	if (*(const bool *)stream_put_from(structure, m->offset))
		json_member_flag(&o->text, m->key);
}

static void
stream_put_bits(struct stream_output *o, const struct stream_member *m,
    const void *structure)
{
	unsigned bits = *(const unsigned *)stream_put_from(structure,
	    m->offset);

	for (size_t i = 0; i < m->keys_size; i++) {
		if ((bits >> i & 1) != 0)
			json_member_flag(&o->text, m->keys[i]);
	}
}

static void
stream_put_word(struct stream_output *o, const struct stream_member *m,
    const void *structure)
{
	const char *word = m->words[*(const unsigned *)stream_put_from(
	    structure, m->offset)];

	if (word[0] != '\0')
		json_member_text(&o->text, m->key, word);
}

static void
stream_put_text(struct stream_output *o, const struct stream_member *m,
    const void *structure)
{
	json_member_text(&o->text, m->key,
	    *(const char *const *)stream_put_from(structure, m->offset));
}

static void
stream_put_hex(struct stream_output *o, const struct stream_member *m,
    const void *structure)
{
	const struct prof_span *bytes = stream_put_from(structure, m->offset);

	if (stream_put_always(m) || bytes->size != 0) {
		json_member_key(&o->text, m->key);
		json_text_hex(&o->text, *bytes);
	}
}

static void
stream_put_bytes(struct stream_output *o, const struct stream_member *m,
    const void *structure)
{
	const struct prof_span *bytes = stream_put_from(structure, m->offset);

	if (bytes->size != 0)
		json_member_bytes(&o->text, m->key, m->hex_key, *bytes);
}

static void
stream_put_symbol_row(struct stream_output *o, const struct stream_member *m,
    const void *structure)
{
	stream_put_symbol(&o->text, &(struct stream_symbol_keys){ m->key,
	    m->hex_key, m->guid_key }, stream_put_from(structure, m->offset));
}

static void
stream_put_numbers(struct stream_output *o, const struct stream_member *m,
    const void *structure)
{
	const uint64_t *numbers = *(const uint64_t *const *)stream_put_from(
	    structure, m->offset);
	size_t n = stream_list_size(structure, m);

	if (!stream_put_always(m) && n == 0)
		return;
	json_member_key(&o->text, m->key);
	if (m->type == STREAM_NUMBERS)
		json_text_numbers(&o->text, numbers, n);
	else
		stream_put_ids(&o->text, numbers, n);
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
	stream_put_object(o, m->object, stream_put_from(structure, m->offset));
	if (o->text.size == empty)
		o->text.size = start;
	else
		json_text_plain(&o->text, "}");
}

static stream_put_member *const stream_put_by_type[] = {
	[STREAM_NUMBER] = stream_put_number,
	[STREAM_NUMBER32] = stream_put_number,
	[STREAM_ID] = stream_put_id,
	[STREAM_FLAG] = stream_put_flag,
	[STREAM_BITS] = stream_put_bits,
	[STREAM_WORD] = stream_put_word,
	[STREAM_TEXT] = stream_put_text,
	[STREAM_HEX] = stream_put_hex,
	[STREAM_BYTES] = stream_put_bytes,
	[STREAM_SYMBOL] = stream_put_symbol_row,
	[STREAM_NUMBERS] = stream_put_numbers,
	[STREAM_IDS] = stream_put_numbers,
	[STREAM_OBJECT] = stream_put_inner,
	[STREAM_LIST] = stream_put_list,
};

static void
stream_put_row(struct stream_output *o, const struct stream_member *m,
    const void *structure)
{
	if (m->put != NULL)
		m->put(o, m, structure);
	else if (m->type != STREAM_OWN && (m->presence != STREAM_IF_FLAG ||
	    *(const bool *)stream_put_from(structure, m->flag_offset)))
		stream_put_by_type[m->type](o, m, structure);
}

void
stream_put_object(struct stream_output *o, const struct stream_object *t,
    const void *structure)
{
	for (size_t i = 0; i < t->members_size; i++)
		stream_put_row(o, &t->members[i], structure);
	if (t->has_extra)
		stream_put_extra(&o->text, *(const struct prof_span *)
		    stream_put_from(structure, t->extra_offset));
}
