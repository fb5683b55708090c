/* Records by the tables of their members, and those that have none. */
#include "format/stream/member.h"

#include "base/error.h"
#include "base/json_member.h"
#include "format/stream/function.h"
#include "format/stream/parts.h"

static enum prof_status
end_parse(struct stream_record *r, const struct jval *v)
{
	static const char *const keys[] = { "record", "last", NULL };
	struct jval last = jval_get(v, "last");

	stream_warn_unknown(r, v, keys);
	r->last = false;
	return jval_is_there(&last) ? jval_flag(&last, &r->last) : PROF_OK;
}

/* The reason becomes one line of ASCII. */
static enum prof_status
abort_parse(struct stream_record *r, const struct jval *v)
{
	struct jval reason = jval_get(v, "reason");
	struct prof_span text = { NULL, 0 };
	char line[PROF_REASON_SIZE];
	size_t n = 0;

	if (jval_is_there(&reason) && jval_string(&reason, &text) != PROF_OK)
		return PROF_FAIL;
	for (; n < text.size && n < sizeof(line) - 1; n++) {
		uint8_t c = text.data[n];

		line[n] = c >= 0x20 && c < 0x7f ? (char)c : '?';
	}
	line[n] = '\0';
	context_break_rule(r->context, STREAM_RULE_ABORT);
	return err_line(r->doc.err, PROF_E_TRUNCATED, r->doc.line,
	    "the writer gave up: %s", n == 0 ? "no reason is given" : line);
}

static bool
stream_is_record(struct prof_span type, const char *name)
{
	return strlen(name) == type.size &&
	    memcmp(name, type.data, type.size) == 0;
}

enum prof_status
stream_parse(struct stream_record *r, struct prof_span line,
    struct prof_record *out)
{
	struct jval root = jdoc_root(&r->doc);
	struct jval type = jval_get(&root, "record");
	struct prof_span name;

	if (!jval_is_there(&type))
		return jval_fail(&type, PROF_E_FORMAT,
		    "missing: not a line of prof-stream(5)");
	if (jval_string(&type, &name) != PROF_OK)
		return PROF_FAIL;
	for (size_t i = 0; i < RECORD_OBJECTS; i++) {
		if (!stream_is_record(name, record_objects[i]->record))
			continue;
		out->kind = record_objects[i]->kind;
		return stream_parse_object(r, &root, record_objects[i],
		    &out->u);
	}
	if (stream_is_record(name, "end")) {
		out->kind = PROF_REC_END;
		return end_parse(r, &root);
	}
	out->kind = PROF_REC_OTHER;
	out->u.other = line;
	return stream_is_record(name, "abort") ? abort_parse(r, &root) :
	    PROF_OK;
}

void
stream_put_record(struct stream_output *o, const struct prof_record *r)
{
	const struct record_object *t;

	if (r->kind == PROF_REC_FUNCTION) {
		stream_put_function(&o->text, &r->u.function);
		return;
	}
	if (r->kind == PROF_REC_OTHER) {
		buf_put(&o->text, r->u.other.data, r->u.other.size);
		buf_put(&o->text, "\n", 1);
		return;
	}
	t = record_object_of(r->kind);
	json_text_plain(&o->text, "{\"record\":\"");
	json_text_plain(&o->text, t->record);
	json_text_plain(&o->text, "\"");
	stream_put_object(o, t, &r->u);
	buf_put(&o->text, "}\n", 2);
}

void
stream_record_free(struct stream_record *r)
{
	jdoc_free(&r->doc);
	arena_free(&r->arena);
	buf_free(&r->values);
	buf_free(&r->sites);
	buf_free(&r->pcs);
	buf_free(&r->segments);
	buf_free(&r->frames);
	buf_free(&r->frame_numbers);
	buf_free(&r->extra);
}
