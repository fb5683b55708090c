#include "format/stream/member.h"

#include "base/json_member.h"
#include "format/stream/forms.h"

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
stream_put_number(struct stream_output *o, const struct record_member *m,
    const void *structure)
{
	const void *at = member_from(structure, m->offset);
	uint64_t n = m->type == MEMBER_NUMBER ? *(const uint64_t *)at :
	    *(const uint32_t *)at;

	if (stream_put_always(m) || n > m->min)
		json_member_number(&o->text, m->key, n);
}

static void
stream_put_id(struct stream_output *o, const struct record_member *m,
    const void *structure)
{
	uint64_t id = *(const uint64_t *)member_from(structure, m->offset);

	if (stream_put_always(m) || id != 0)
		json_member_id(&o->text, m->key, id);
}

static void
stream_put_flag(struct stream_output *o, const struct record_member *m,
    const void *structure)
{
	if (*(const bool *)member_from(structure, m->offset))
		json_member_flag(&o->text, m->key);
}

static void
stream_put_bits(struct stream_output *o, const struct record_member *m,
    const void *structure)
{
	unsigned bits = *(const unsigned *)member_from(structure,
	    m->offset);

	for (size_t i = 0; i < m->keys_size; i++) {
		if ((bits >> i & 1) != 0)
			json_member_flag(&o->text, m->keys[i]);
	}
}

static void
stream_put_word(struct stream_output *o, const struct record_member *m,
    const void *structure)
{
	const char *word = m->words[*(const unsigned *)member_from(
	    structure, m->offset)];

	if (word[0] != '\0')
		json_member_text(&o->text, m->key, word);
}

static void
stream_put_text(struct stream_output *o, const struct record_member *m,
    const void *structure)
{
	json_member_text(&o->text, m->key,
	    *(const char *const *)member_from(structure, m->offset));
}

static void
stream_put_hex(struct stream_output *o, const struct record_member *m,
    const void *structure)
{
	const struct prof_span *bytes = member_from(structure, m->offset);

	if (stream_put_always(m) || bytes->size != 0) {
		json_member_key(&o->text, m->key);
		json_text_hex(&o->text, *bytes);
	}
}

static void
stream_put_bytes(struct stream_output *o, const struct record_member *m,
    const void *structure)
{
	const struct prof_span *bytes = member_from(structure, m->offset);

	if (bytes->size != 0)
		json_member_bytes(&o->text, m->key, m->hex_key, *bytes);
}

static void
stream_put_symbol_row(struct stream_output *o, const struct record_member *m,
    const void *structure)
{
	stream_put_symbol(&o->text, &(struct stream_symbol_keys){ m->key,
	    m->hex_key, m->guid_key }, member_from(structure, m->offset));
}

static void
stream_put_numbers(struct stream_output *o, const struct record_member *m,
    const void *structure)
{
	const uint64_t *numbers = *(const uint64_t *const *)member_from(
	    structure, m->offset);
	size_t n = member_list_size(structure, m);

	if (!stream_put_always(m) && n == 0)
		return;
	json_member_key(&o->text, m->key);
	if (m->type == MEMBER_NUMBERS)
		json_text_numbers(&o->text, numbers, n);
	else
		stream_put_ids(&o->text, numbers, n);
}

/* Appends "key":[{...},...] of an array of structures. */
static void
stream_put_list(struct stream_output *o, const struct record_member *m,
    const void *structure)
{
	const char *items = *(const char *const *)member_from(structure,
	    m->offset);
	size_t n = member_list_size(structure, m);

	if (n == 0 && m->presence != MEMBER_ALWAYS)
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
stream_put_inner(struct stream_output *o, const struct record_member *m,
    const void *structure)
{
	size_t start = o->text.size, empty;

	json_member_key(&o->text, m->key);
	json_text_plain(&o->text, "{");
	empty = o->text.size;
	stream_put_object(o, m->object, member_from(structure, m->offset));
	if (o->text.size == empty)
		o->text.size = start;
	else
		json_text_plain(&o->text, "}");
}

/* Frames that were written before are copied. */
static void
stream_put_frame(struct stream_output *o, const struct record_object *t,
    const struct prof_frame *f)
{
	struct prof_span text = stream_frames_find(&o->frames, f);
	struct buf *b = &o->text;
	size_t start = b->size;

	if (text.data != NULL) {
		buf_put(b, text.data, text.size);
		return;
	}
	json_text_plain(b, "{");
	stream_put_object(o, t, f);
	json_text_plain(b, "}");
	if (!b->failed)
		stream_frames_add(&o->frames, f, (struct prof_span){
		    b->data + start, b->size - start });
}

static void
stream_put_frames(struct stream_output *o, const struct record_member *m,
    const void *structure)
{
	const struct prof_stack *s = structure;

	if (s->frames_size == 0)
		return;
	json_member_key(&o->text, m->key);
	for (size_t i = 0; i < s->frames_size; i++) {
		json_text_plain(&o->text, i == 0 ? "[" : ",");
		stream_put_frame(o, m->object, &s->frames[i]);
	}
	json_text_plain(&o->text, "]");
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
	[MEMBER_FRAMES] = stream_put_frames,
};

static void
stream_put_row(struct stream_output *o, const struct record_member *m,
    const void *structure)
{
	const struct stream_form *form = stream_forms[m->type];
	stream_put_member *put = form != NULL ? form->put :
	    stream_put_by_type[m->type];

	if (put != NULL && (m->presence != MEMBER_IF_FLAG ||
	    *(const bool *)member_from(structure, m->flag_offset)))
		put(o, m, structure);
}

void
stream_put_object(struct stream_output *o, const struct record_object *t,
    const void *structure)
{
	for (size_t i = 0; i < t->members_size; i++)
		stream_put_row(o, &t->members[i], structure);
	if (t->has_extra)
		stream_put_extra(&o->text, *(const struct prof_span *)
		    member_from(structure, t->extra_offset));
}
