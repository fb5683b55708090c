/* Forms of the members of functions, vtables and traces. */
#include "base/error.h"
#include "base/json_member.h"
#include "format/stream/forms.h"
#include "format/stream/values.h"

static enum prof_status
function_parse_values(struct stream_record *r, const struct jval *object,
    const struct record_member *m, void *structure)
{
	struct prof_function *f = structure;
	struct jval v = jval_get(object, m->key);

	return jval_is_there(&v) ? stream_parse_values(r, &v, f->values) :
	    PROF_OK;
}

/* Functions are written by hand: stream_put_function. */
const struct stream_form stream_values_form = { function_parse_values, NULL };

static enum prof_status
vtable_parse_symbol(struct stream_record *r, const struct jval *object,
    const struct record_member *m, void *structure)
{
	struct prof_vtable *t = structure;

	(void)m;
	return stream_parse_symbol(r, object, &stream_symbol, &t->symbol);
}

/* Addresses are of use to those who know the guid, too. */
static void
vtable_put_symbol(struct stream_output *o, const struct record_member *m,
    const void *structure)
{
	const struct prof_vtable *t = structure;

	stream_put_symbol(&o->text, &stream_symbol, &t->symbol);
	if (t->has_range && t->symbol.name.size != 0)
		json_member_id(&o->text, m->guid_key,
		    prof_symbol_guid(&t->symbol));
}

const struct stream_form stream_vtable_form = {
	vtable_parse_symbol, vtable_put_symbol
};

/* A name, or an object that says why it is none. */
static enum prof_status
trace_parse_function(struct stream_record *r, const struct jval *v,
    struct prof_symbol *out)
{
	static const char *const keys[] = { "name", "name_hex", "guid", NULL };

	*out = (struct prof_symbol){ 0 };
	if (jval_is_object(v)) {
		stream_warn_unknown(r, v, keys);
		return stream_parse_symbol(r, v, &stream_symbol, out);
	}
	if (jval_string(v, &out->name) != PROF_OK)
		return PROF_FAIL;
	if (out->name.size == 0)
		return jval_fail(v, PROF_E_CORRUPT, "empty");
	return PROF_OK;
}

static enum prof_status
trace_parse_functions(struct stream_record *r, const struct jval *object,
    const struct record_member *m, void *structure)
{
	struct prof_trace *t = structure;
	struct jval list = jval_get(object, m->key);
	struct prof_symbol *functions;

	if (jval_list(&list, &t->size) != PROF_OK)
		return PROF_FAIL;
	functions = arena_array(&r->arena, t->size, sizeof(*functions));
	if (functions == NULL)
		return err_memory(r->doc.err);
	for (size_t i = 0; i < t->size; i++) {
		struct jval item = jval_item(&list, i);

		if (trace_parse_function(r, &item, &functions[i]) != PROF_OK)
			return PROF_FAIL;
	}
	t->functions = functions;
	return PROF_OK;
}

static void
trace_put_functions(struct stream_output *o, const struct record_member *m,
    const void *structure)
{
	const struct prof_trace *t = structure;
	struct buf *b = &o->text;

	json_member_key(b, m->key);
	json_text_plain(b, "[");
	for (size_t i = 0; i < t->size; i++) {
		const struct prof_symbol *s = &t->functions[i];

		if (i != 0)
			json_text_plain(b, ",");
		if (s->name.size != 0 && json_text_fits(s->name)) {
			json_text_string(b, s->name);
		} else {
			json_text_plain(b, "{");
			stream_put_symbol(b, &stream_symbol, s);
			json_text_plain(b, "}");
		}
	}
	json_text_plain(b, "]");
}

const struct stream_form stream_symbols_form = {
	trace_parse_functions, trace_put_functions
};
