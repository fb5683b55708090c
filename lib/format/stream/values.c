#include "format/stream/values.h"

#include "base/error.h"
#include "base/json_member.h"
#include "format/values_json.h"
#include "model/value_sites.h"
#include "model/words.h"

static enum prof_status
stream_parse_value_item(struct stream_record *r, const struct jval *v,
    enum prof_value_kind kind, struct prof_value *out)
{
	static const char *const target_keys[] = {
		"target", "target_hex", "target_guid", "count", NULL
	};
	static const char *const size_keys[] = { "size", "count", NULL };
	bool is_size = kind == PROF_MEM_OP_SIZE;
	struct jval size = jval_get(v, "size"), count = jval_get(v, "count");
	struct prof_symbol target = { 0 };

	if (jval_object(v) != PROF_OK ||
	    (is_size ? jval_number(&size, &out->value) :
	    stream_parse_symbol(r, v, &stream_target, &target)) != PROF_OK ||
	    jval_number(&count, &out->count) != PROF_OK)
		return PROF_FAIL;
	if (!is_size)
		out->value = prof_symbol_guid(&target);
	out->name = target.name;
	stream_warn_unknown(r, v, is_size ? size_keys : target_keys);
	return PROF_OK;
}

static enum prof_status
stream_parse_site(struct stream_record *r, const struct jval *v,
    enum prof_value_kind kind, struct prof_site *out)
{
	struct prof_value *values;

	if (jval_list(v, &out->size) != PROF_OK)
		return PROF_FAIL;
	values = arena_array(&r->arena, out->size, sizeof(*values));
	if (values == NULL)
		return err_memory(r->doc.err);
	for (size_t i = 0; i < out->size; i++) {
		struct jval item = jval_item(v, i);

		if (stream_parse_value_item(r, &item, kind, &values[i]) !=
		    PROF_OK)
			return PROF_FAIL;
	}
	out->values = values;
	return PROF_OK;
}

static enum prof_status
stream_parse_sites(struct stream_record *r, const struct jval *v,
    enum prof_value_kind kind, struct prof_sites *out)
{
	struct prof_site *sites;

	if (jval_list(v, &out->size) != PROF_OK)
		return PROF_FAIL;
	sites = arena_array(&r->arena, out->size, sizeof(*sites));
	if (sites == NULL)
		return err_memory(r->doc.err);
	for (size_t i = 0; i < out->size; i++) {
		struct jval item = jval_item(v, i);

		if (stream_parse_site(r, &item, kind, &sites[i]) != PROF_OK)
			return PROF_FAIL;
	}
	out->sites = sites;
	return PROF_OK;
}

enum prof_status
stream_parse_values(struct stream_record *r, const struct jval *v,
    struct prof_sites out[PROF_VALUE_KINDS])
{
	const char *keys[PROF_VALUE_KINDS + 1] = { NULL };

	if (jval_object(v) != PROF_OK)
		return PROF_FAIL;
	for (unsigned kind = 0; kind < PROF_VALUE_KINDS; kind++) {
		struct jval sites = jval_get(v, words_value_kind[kind]);

		keys[kind] = words_value_kind[kind];
		if (jval_is_there(&sites) &&
		    stream_parse_sites(r, &sites, kind, &out[kind]) != PROF_OK)
			return PROF_FAIL;
	}
	stream_warn_unknown(r, v, keys);
	return PROF_OK;
}

void
stream_put_values(struct buf *b,
    const struct prof_sites values[PROF_VALUE_KINDS],
    const struct prof_block *from)
{
	if (value_sites_count(values) != 0) {
		json_text_plain(b, ",\"values\":");
		values_put_json(b, values, from);
	}
}

