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
 * A frame has one slot, which the last frame that was added to it keeps.  So
 * the cache fits in that of the processor, however many frames there are: a
 * look-up that waits for memory takes as long as to write the text again.
 */

/* Slots; bytes that the name, the file and the text of a frame may have. */
enum { SLOTS = 1024, ROOM = 704 };

/* A slot with a text of 0 bytes is free. */
struct stream_frame {
	struct prof_frame frame;
	struct prof_span text;
	uint8_t bytes[ROOM];		/* all that the others point to */
};

/*
 * Texts without a name are short: to write one takes less time than to find it.
 */
static bool
stream_frames_takes(const struct prof_frame *f)
{
	return f->function.name.size != 0 || f->file.size != 0;
}

/* The last bytes of a name differ more often than the first. */
static size_t
stream_frames_place(const struct prof_frame *f)
{
	struct prof_span name = f->function.name;
	uint64_t hash = hash_mix(f->function.guid, name.size), tail = 0;

	if (name.size >= sizeof(tail))
		memcpy(&tail, name.data + name.size - sizeof(tail),
		    sizeof(tail));
	hash = hash_mix(hash, tail);
	hash = hash_mix(hash, (uint64_t)f->line << 32 | f->column);
	hash = hash_mix(hash, f->line_offset);
	return hash_index_tag(hash) % SLOTS;
}

/* As prof_span_equal, inlined: there are two comparisons for each frame. */
static inline bool
stream_frames_same_bytes(struct prof_span a, struct prof_span b)
{
	return a.size == b.size &&
	    (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static bool
stream_frames_same(const struct prof_frame *a, const struct prof_frame *b)
{
	return a->function.guid == b->function.guid && a->line == b->line &&
	    a->start_line == b->start_line &&
	    a->line_offset == b->line_offset && a->column == b->column &&
	    a->discriminator == b->discriminator && a->flags == b->flags &&
	    stream_frames_same_bytes(a->function.name, b->function.name) &&
	    stream_frames_same_bytes(a->file, b->file);
}

/* The text of the frame; data is NULL if it is not in the cache. */
static struct prof_span
stream_frames_find(const struct stream_frames *t, const struct prof_frame *f)
{
	const struct stream_frame *s;

	if (t->slots == NULL || !stream_frames_takes(f))
		return (struct prof_span){ NULL, 0 };
	s = &t->slots[stream_frames_place(f)];
	return s->text.size != 0 && stream_frames_same(&s->frame, f) ?
	    s->text : (struct prof_span){ NULL, 0 };
}

/* Copies bytes to a slot, where `used` bytes are in use, and points there. */
static void
stream_frames_keep(struct stream_frame *s, size_t *used,
    struct prof_span *bytes)
{
	if (bytes->size != 0)
		memcpy(s->bytes + *used, bytes->data, bytes->size);
	bytes->data = s->bytes + *used;
	*used += bytes->size;
}

/*
 * Copies frame and text into the cache, in place of another frame.  Long ones
 * are left out, as are all while there is no memory for a cache.
 */
static void
stream_frames_add(struct stream_frames *t, const struct prof_frame *f,
    struct prof_span text)
{
	struct stream_frame *s;
	size_t used = 0;

	if (!stream_frames_takes(f) || f->function.name.size > ROOM ||
	    f->file.size > ROOM || text.size > ROOM ||
	    f->function.name.size + f->file.size + text.size > ROOM)
		return;
	if (t->slots == NULL)
		t->slots = calloc(SLOTS, sizeof(*t->slots));
	if (t->slots == NULL)
		return;
	s = &t->slots[stream_frames_place(f)];
	s->frame = *f;
	s->text = text;
	stream_frames_keep(s, &used, &s->frame.function.name);
	stream_frames_keep(s, &used, &s->frame.file);
	stream_frames_keep(s, &used, &s->text);
}

void
stream_frames_free(struct stream_frames *t)
{
	free(t->slots);
	*t = (struct stream_frames){ 0 };
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
	if (m->type == MEMBER_NUMBERS) {
		json_text_numbers(&o->text, numbers, n);
		return;
	}
	json_text_plain(&o->text, "[");
	for (size_t i = 0; i < n; i++) {
		if (i != 0)
			json_text_plain(&o->text, ",");
		json_text_id(&o->text, numbers[i]);
	}
	json_text_plain(&o->text, "]");
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
stream_put_frames(struct stream_output *o, const struct record_member *m,
    const void *structure)
{
	const struct prof_stack *s = structure;
	struct buf *b = &o->text;

	if (s->frames_size == 0)
		return;
	json_member_key(b, m->key);
	for (size_t i = 0; i < s->frames_size; i++) {
		const struct prof_frame *f = &s->frames[i];
		struct prof_span text = stream_frames_find(&o->frames, f);
		size_t start;

		json_text_plain(b, i == 0 ? "[" : ",");
		if (text.data != NULL) {
			buf_put(b, text.data, text.size);
			continue;
		}
		start = b->size;
		json_text_plain(b, "{");
		stream_put_object(o, m->object, f);
		json_text_plain(b, "}");
		if (!b->failed)
			stream_frames_add(&o->frames, f, (struct prof_span){
			    b->data + start, b->size - start });
	}
	json_text_plain(b, "]");
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

void
stream_put_object(struct stream_output *o, const struct record_object *t,
    const void *structure)
{
	for (size_t i = 0; i < t->members_size; i++) {
		const struct record_member *m = &t->members[i];
		const struct stream_form *form = &stream_forms[m->type];
		stream_put_member *put = form->parse != NULL ? form->put :
		    stream_put_by_type[m->type];

		if (put != NULL && (m->presence != MEMBER_IF_FLAG ||
		    *(const bool *)member_from(structure, m->flag_offset)))
			put(o, m, structure);
	}
	if (t->has_extra)
		stream_put_extra(&o->text, *(const struct prof_span *)
		    member_from(structure, t->extra_offset));
}
