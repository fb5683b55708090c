#include "format/values_json.h"

#include "base/json_text.h"
#include "model/record.h"

/* Names of targets are never empty: an empty one is missing. */
static void
values_put_target(struct buf *b, const struct prof_symbol *target)
{
	if (target->name.size != 0)
		json_member_bytes(b, "target", "target_hex", target->name);
	else
		json_member_id(b, "target_guid", prof_symbol_guid(target));
}

static void
values_put_site(struct buf *b, enum prof_value_kind kind,
    const struct prof_site *s)
{
	buf_put(b, "[", 1);
	for (size_t i = 0; i < s->size; i++) {
		const struct prof_value *v = &s->values[i];
		struct prof_symbol target = { v->name, v->value };

		json_text_plain(b, i == 0 ? "{" : ",{");
		if (kind == PROF_MEM_OP_SIZE)
			json_member_number(b, "size", v->value);
		else
			values_put_target(b, &target);
		json_text_plain(b, ",\"count\":");
		json_text_number(b, v->count);
		buf_put(b, "}", 1);
	}
	buf_put(b, "]", 1);
}

void
values_put_json(struct buf *b, const struct prof_sites values[PROF_VALUE_KINDS])
{
	buf_put(b, "{", 1);
	for (unsigned kind = 0; kind < PROF_VALUE_KINDS; kind++) {
		if (values[kind].size == 0)
			continue;
		json_member_key(b, words_value_kind[kind]);
		buf_put(b, "[", 1);
		for (size_t i = 0; i < values[kind].size; i++) {
			if (i != 0)
				buf_put(b, ",", 1);
			values_put_site(b, kind, &values[kind].sites[i]);
		}
		buf_put(b, "]", 1);
	}
	buf_put(b, "}", 1);
}
