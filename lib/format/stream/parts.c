#include "format/stream/parts.h"

#include "base/error.h"
#include "base/json_member.h"

const struct stream_symbol_keys stream_symbol = {
	"name", "name_hex", "guid"
};

const struct stream_symbol_keys stream_target = {
	"target", "target_hex", "target_guid"
};

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

enum prof_status
stream_parse_bytes(struct stream_record *r, const struct jval *object,
    const char *key, const char *hex_key, struct prof_span *out)
{
	struct jval text = jval_get(object, key);
	struct jval hex = jval_get(object, hex_key);
	enum prof_status status = PROF_OK;

	*out = (struct prof_span){ NULL, 0 };
	if (jval_is_there(&text) && jval_is_there(&hex))
		return jval_fail(&hex, PROF_E_CORRUPT, "occurs together with "
		    "%s", key);
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
	if (out->name.data == NULL || out->guid == prof_guid(out->name))
		return PROF_OK;
	context_break_rule(r->context, STREAM_RULE_GUID);
	return jval_fail(&guid, PROF_E_CORRUPT, "is not the guid of %s",
	    keys->name);
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
stream_parse_ids(struct stream_record *r, const struct jval *list,
    const uint64_t **out, size_t *size)
{
	return stream_parse_u64s(r, list, jval_id, out, size);
}

enum prof_status
stream_parse_limited(const struct jval *v, uint64_t max, uint64_t *out)
{
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
	if (jval_number(v, out) != PROF_OK)
		return PROF_FAIL;
	if (*out < min || *out > max)
		return jval_fail(v, PROF_E_CORRUPT,
		    "%llu is not from %llu to %llu", (unsigned long long)*out,
		    (unsigned long long)min, (unsigned long long)max);
	return PROF_OK;
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
