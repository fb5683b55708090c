/* Records of instrumentation profiles, but for the head: functions, vtables. */
#include "base/error.h"
#include "base/json_member.h"
#include "format/stream/records.h"
#include "format/stream/values.h"

#define SYMBOL_KEYS \
	.key = "name", .hex_key = "name_hex", .guid_key = "guid", \
	.type = STREAM_SYMBOL

static enum prof_status
function_parse_values(struct stream_record *r, const struct jval *object,
    const struct stream_member *m, void *structure)
{
	struct prof_function *f = structure;
	struct jval v = jval_get(object, m->key);

	return jval_is_there(&v) ? stream_parse_values(r, &v, f->values) :
	    PROF_OK;
}

/* Written by hand: stream_put_function. */
static const struct stream_member function_members[] = {
	{ SYMBOL_KEYS, STREAM_AT(prof_function, symbol) },
	{ .key = "hash", .type = STREAM_ID, .presence = STREAM_REQUIRED,
	    STREAM_AT(prof_function, hash) },
	{ .key = "counts", .type = STREAM_NUMBERS,
	    .presence = STREAM_REQUIRED,
	    STREAM_LIST_AT(prof_function, counts, counts_size) },
	{ .key = "bitmap", .type = STREAM_HEX,
	    STREAM_AT(prof_function, bitmap) },
	{ .key = "uniform_counts", .type = STREAM_NUMBERS,
	    STREAM_LIST_AT(prof_function, uniform_counts, uniform_size) },
	{ .key = "values", .parse = function_parse_values },
};

const struct stream_object stream_function = {
	.record = "function",
	.kind = PROF_REC_FUNCTION,
	.size = sizeof(struct prof_function),
	STREAM_MEMBERS(function_members),
	.has_extra = true,
	.extra_offset = offsetof(struct prof_function, extra),
};

static const struct stream_member binary_members[] = {
	{ .key = "build_id", .type = STREAM_HEX, .presence = STREAM_REQUIRED,
	    .offset = 0 },
};

const struct stream_object stream_binary = {
	.record = "binary", .kind = PROF_REC_BINARY,
	.size = sizeof(struct prof_span), STREAM_MEMBERS(binary_members),
};

/* Addresses are of use to those who know the guid, too. */
static void
vtable_put_symbol(struct stream_output *o, const struct stream_member *m,
    const void *structure)
{
	const struct prof_vtable *t = structure;

	stream_put_symbol(&o->text, &stream_symbol, &t->symbol);
	if (t->has_range && t->symbol.name.size != 0)
		json_member_id(&o->text, m->guid_key,
		    prof_symbol_guid(&t->symbol));
}

static const struct stream_member vtable_members[] = {
	{ SYMBOL_KEYS, STREAM_AT(prof_vtable, symbol),
	    .put = vtable_put_symbol },
	{ .key = "start", .type = STREAM_ID,
	    STREAM_GROUP(prof_vtable, has_range),
	    STREAM_AT(prof_vtable, start) },
	{ .key = "size", .type = STREAM_NUMBER,
	    STREAM_GROUP(prof_vtable, has_range),
	    STREAM_AT(prof_vtable, size) },
};

const struct stream_object stream_vtable = {
	.record = "vtable", .kind = PROF_REC_VTABLE,
	.size = sizeof(struct prof_vtable), STREAM_MEMBERS(vtable_members),
};

static const struct stream_member raw_counters_members[] = {
	{ .key = "counts", .type = STREAM_NUMBERS,
	    .presence = STREAM_REQUIRED,
	    STREAM_LIST_AT(prof_raw_counters, counts, counts_size) },
	{ .key = "bitmap", .type = STREAM_HEX,
	    STREAM_AT(prof_raw_counters, bitmap) },
};

const struct stream_object stream_raw_counters = {
	.record = "raw_counters", .kind = PROF_REC_RAW_COUNTERS,
	.size = sizeof(struct prof_raw_counters),
	STREAM_MEMBERS(raw_counters_members),
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
    const struct stream_member *m, void *structure)
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
trace_put_functions(struct stream_output *o, const struct stream_member *m,
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

static const struct stream_member trace_members[] = {
	{ .key = "weight", .type = STREAM_NUMBER, .presence = STREAM_REQUIRED,
	    STREAM_AT(prof_trace, weight) },
	{ .key = "functions", .parse = trace_parse_functions,
	    .put = trace_put_functions },
};

const struct stream_object stream_trace = {
	.record = "trace", .kind = PROF_REC_TRACE,
	.size = sizeof(struct prof_trace), STREAM_MEMBERS(trace_members),
};
