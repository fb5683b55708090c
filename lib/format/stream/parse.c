/* JSON objects to records: the rules of prof-stream(5), all of them. */
#include "base/error.h"
#include "format/stream/stream.h"

void
stream_ignore_unknown(struct stream_record *r, const struct jval *object,
    const char *const known[])
{
	const char *key = r->warned ? NULL : jval_unknown(object, known);
	char text[ERR_NAME_SIZE];

	if (key == NULL)
		return;
	r->warned = true;
	err_name(text, (struct prof_span){ (const uint8_t *)key, strlen(key) });
	warn_line(r->context, r->doc.line,
	    "unknown key %s is ignored, and others like it", text);
}

enum prof_status
stream_keep_unknown(struct stream_record *r, const struct jval *object,
    const char *const known[], struct prof_span *extra)
{
	*extra = (struct prof_span){ NULL, 0 };
	if (jval_unknown(object, known) == NULL)
		return PROF_OK;
	r->extra.size = 0;
	jval_extra(object, known, &r->extra);
	if (r->extra.failed) {
		buf_free(&r->extra);
		return err_memory(r->doc.err);
	}
	*extra = (struct prof_span){ r->extra.data, r->extra.size };
	return PROF_OK;
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
		return jval_fail(&hex, PROF_E_CORRUPT, "stands beside %s", key);
	if (jval_is_there(&text))
		status = jval_string(&text, out);
	else if (jval_is_there(&hex))
		status = jval_hex(&hex, &r->arena, out);
	if (status == PROF_OK && out->data != NULL && out->size == 0)
		return jval_fail(jval_is_there(&text) ? &text : &hex,
		    PROF_E_CORRUPT, "empty");
	return status;
}

/* Name or guid; if there are both, they have to agree. */
static enum prof_status
parse_symbol(struct stream_record *r, const struct jval *object,
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
	if (out->name.data != NULL && out->guid != prof_guid(out->name))
		return jval_fail(&guid, PROF_E_CORRUPT,
		    "is not the guid of %s", keys->name);
	return PROF_OK;
}

enum prof_status
stream_parse_numbers(struct stream_record *r, const struct jval *list,
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

		if (jval_number(&item, &numbers[i]) != PROF_OK)
			return PROF_FAIL;
	}
	*out = numbers;
	return PROF_OK;
}

/* Bytes in hex that may be missing or none, which is the same. */
static enum prof_status
parse_bitmap(struct stream_record *r, const struct jval *object,
    struct prof_span *out)
{
	struct jval v = jval_get(object, "bitmap");

	*out = (struct prof_span){ NULL, 0 };
	if (jval_is_there(&v) && jval_hex(&v, &r->arena, out) != PROF_OK)
		return PROF_FAIL;
	if (out->size == 0)
		out->data = NULL;
	return PROF_OK;
}

static enum prof_status
parse_value(struct stream_record *r, const struct jval *v,
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
	    parse_symbol(r, v, &stream_target, &target)) != PROF_OK ||
	    jval_number(&count, &out->count) != PROF_OK)
		return PROF_FAIL;
	if (!is_size)
		out->value = prof_symbol_guid(&target);
	out->name = target.name;
	stream_ignore_unknown(r, v, is_size ? size_keys : target_keys);
	return PROF_OK;
}

static enum prof_status
parse_site(struct stream_record *r, const struct jval *v,
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

		if (parse_value(r, &item, kind, &values[i]) != PROF_OK)
			return PROF_FAIL;
	}
	out->values = values;
	return PROF_OK;
}

static enum prof_status
parse_sites(struct stream_record *r, const struct jval *v,
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

		if (parse_site(r, &item, kind, &sites[i]) != PROF_OK)
			return PROF_FAIL;
	}
	out->sites = sites;
	return PROF_OK;
}

static enum prof_status
parse_values(struct stream_record *r, const struct jval *v,
    struct prof_sites out[PROF_VALUE_KINDS])
{
	const char *keys[PROF_VALUE_KINDS + 1] = { NULL };

	if (jval_object(v) != PROF_OK)
		return PROF_FAIL;
	for (unsigned kind = 0; kind < PROF_VALUE_KINDS; kind++) {
		struct jval sites = jval_get(v, words_value_kind[kind]);

		keys[kind] = words_value_kind[kind];
		if (jval_is_there(&sites) &&
		    parse_sites(r, &sites, kind, &out[kind]) != PROF_OK)
			return PROF_FAIL;
	}
	stream_ignore_unknown(r, v, keys);
	return PROF_OK;
}

static enum prof_status
parse_function(struct stream_record *r, const struct jval *v,
    struct prof_record *out)
{
	static const char *const keys[] = {
		"record", "name", "name_hex", "guid", "hash", "counts",
		"bitmap", "uniform_counts", "values", NULL
	};
	struct prof_function *f = &out->u.function;
	struct jval hash = jval_get(v, "hash");
	struct jval counts = jval_get(v, "counts");
	struct jval uniform = jval_get(v, "uniform_counts");
	struct jval values = jval_get(v, "values");

	*f = (struct prof_function){ 0 };
	if (parse_symbol(r, v, &stream_symbol, &f->symbol) != PROF_OK ||
	    jval_id(&hash, &f->hash) != PROF_OK ||
	    stream_parse_numbers(r, &counts, &f->counts, &f->counts_size)
	    != PROF_OK || parse_bitmap(r, v, &f->bitmap) != PROF_OK)
		return PROF_FAIL;
	if (jval_is_there(&uniform) && stream_parse_numbers(r, &uniform,
	    &f->uniform_counts, &f->uniform_size) != PROF_OK)
		return PROF_FAIL;
	if (jval_is_there(&values) &&
	    parse_values(r, &values, f->values) != PROF_OK)
		return PROF_FAIL;
	return stream_keep_unknown(r, v, keys, &f->extra);
}

static enum prof_status
parse_binary(struct stream_record *r, const struct jval *v,
    struct prof_record *out)
{
	static const char *const keys[] = { "record", "build_id", NULL };
	struct jval id = jval_get(v, "build_id");

	stream_ignore_unknown(r, v, keys);
	return jval_hex(&id, &r->arena, &out->u.build_id);
}

static enum prof_status
parse_vtable(struct stream_record *r, const struct jval *v,
    struct prof_record *out)
{
	static const char *const keys[] = {
		"record", "name", "name_hex", "guid", "start", "size", NULL
	};
	struct prof_vtable *t = &out->u.vtable;
	struct jval start = jval_get(v, "start"), size = jval_get(v, "size");

	*t = (struct prof_vtable){ 0 };
	stream_ignore_unknown(r, v, keys);
	if (parse_symbol(r, v, &stream_symbol, &t->symbol) != PROF_OK)
		return PROF_FAIL;
	t->has_range = jval_is_there(&start) || jval_is_there(&size);
	if (t->has_range && (jval_id(&start, &t->start) != PROF_OK ||
	    jval_number(&size, &t->size) != PROF_OK))
		return PROF_FAIL;
	return PROF_OK;
}

static enum prof_status
parse_raw_counters(struct stream_record *r, const struct jval *v,
    struct prof_record *out)
{
	static const char *const keys[] = {
		"record", "counts", "bitmap", NULL
	};
	struct prof_raw_counters *c = &out->u.raw_counters;
	struct jval counts = jval_get(v, "counts");

	stream_ignore_unknown(r, v, keys);
	if (stream_parse_numbers(r, &counts, &c->counts, &c->counts_size) !=
	    PROF_OK)
		return PROF_FAIL;
	return parse_bitmap(r, v, &c->bitmap);
}

/* A name, or an object that says why it is none. */
static enum prof_status
parse_traced(struct stream_record *r, const struct jval *v,
    struct prof_symbol *out)
{
	static const char *const keys[] = { "name", "name_hex", "guid", NULL };

	*out = (struct prof_symbol){ 0 };
	if (jval_is_object(v)) {
		stream_ignore_unknown(r, v, keys);
		return parse_symbol(r, v, &stream_symbol, out);
	}
	if (jval_string(v, &out->name) != PROF_OK)
		return PROF_FAIL;
	if (out->name.size == 0)
		return jval_fail(v, PROF_E_CORRUPT, "empty");
	return PROF_OK;
}

static enum prof_status
parse_trace(struct stream_record *r, const struct jval *v,
    struct prof_record *out)
{
	static const char *const keys[] = {
		"record", "weight", "functions", NULL
	};
	struct prof_trace *t = &out->u.trace;
	struct jval weight = jval_get(v, "weight");
	struct jval list = jval_get(v, "functions");
	struct prof_symbol *functions;

	stream_ignore_unknown(r, v, keys);
	if (jval_number(&weight, &t->weight) != PROF_OK ||
	    jval_list(&list, &t->size) != PROF_OK)
		return PROF_FAIL;
	functions = arena_array(&r->arena, t->size, sizeof(*functions));
	if (functions == NULL)
		return err_memory(r->doc.err);
	for (size_t i = 0; i < t->size; i++) {
		struct jval item = jval_item(&list, i);

		if (parse_traced(r, &item, &functions[i]) != PROF_OK)
			return PROF_FAIL;
	}
	t->functions = functions;
	return PROF_OK;
}

static enum prof_status
parse_end(struct stream_record *r, const struct jval *v,
    struct prof_record *out)
{
	static const char *const keys[] = { "record", "last", NULL };
	struct jval last = jval_get(v, "last");

	(void)out;
	stream_ignore_unknown(r, v, keys);
	r->last = false;
	return jval_is_there(&last) ? jval_flag(&last, &r->last) : PROF_OK;
}

/* The reason becomes one line of ASCII. */
static enum prof_status
parse_abort(struct stream_record *r, const struct jval *v,
    struct prof_record *out)
{
	struct jval reason = jval_get(v, "reason");
	struct prof_span text = { NULL, 0 };
	char line[PROF_REASON_SIZE];
	size_t n = 0;

	(void)out;
	if (jval_is_there(&reason) && jval_string(&reason, &text) != PROF_OK)
		return PROF_FAIL;
	for (; n < text.size && n < sizeof(line) - 1; n++) {
		uint8_t c = text.data[n];

		line[n] = c >= 0x20 && c < 0x7f ? (char)c : '?';
	}
	line[n] = '\0';
	return err_line(r->doc.err, PROF_E_TRUNCATED, r->doc.line,
	    "the writer gave up: %s", n == 0 ? "no reason is given" : line);
}

static const struct {
	const char *name;
	enum prof_record_kind kind;
	enum prof_status (*parse)(struct stream_record *, const struct jval *,
	    struct prof_record *);
} records[] = {
	{ "profile", PROF_REC_PROFILE, stream_parse_profile },
	{ "binary", PROF_REC_BINARY, parse_binary },
	{ "vtable", PROF_REC_VTABLE, parse_vtable },
	{ "function", PROF_REC_FUNCTION, parse_function },
	{ "raw_counters", PROF_REC_RAW_COUNTERS, parse_raw_counters },
	{ "trace", PROF_REC_TRACE, parse_trace },
	{ "segment", PROF_REC_SEGMENT, stream_parse_segment },
	{ "stack", PROF_REC_STACK, stream_parse_stack },
	{ "allocation", PROF_REC_ALLOCATION, stream_parse_allocation },
	{ "memprof_function", PROF_REC_MEMPROF_FUNCTION,
	    stream_parse_memprof_function },
	{ "data_access", PROF_REC_DATA_ACCESS, stream_parse_data_access },
	{ "cold_symbol", PROF_REC_COLD_SYMBOL, stream_parse_cold_symbol },
	{ "end", PROF_REC_END, parse_end },
	{ "abort", PROF_REC_OTHER, parse_abort },
};

enum prof_status
stream_parse(struct stream_record *r, struct prof_span line,
    struct prof_record *out)
{
	struct jval root = jdoc_root(&r->doc);
	struct jval type = jval_get(&root, "record");
	struct prof_span name;

	if (!jval_is_there(&type))
		return jval_fail(&type, PROF_E_FORMAT, "missing");
	if (jval_string(&type, &name) != PROF_OK)
		return PROF_FAIL;
	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++) {
		if (strlen(records[i].name) != name.size ||
		    memcmp(records[i].name, name.data, name.size) != 0)
			continue;
		out->kind = records[i].kind;
		return records[i].parse(r, &root, out);
	}
	out->kind = PROF_REC_OTHER;
	out->u.other = line;
	return PROF_OK;
}
