#include "base/json.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/json_text.h"

enum { PATH_SIZE = 100 };

enum prof_status
jdoc_load(struct jdoc *d, struct prof_span text, uint64_t line,
    struct prof_error *err)
{
	struct prof_error why = { 0 };

	d->line = line;
	d->err = err;
	d->root = json_parse(&d->parser, text, &why);
	if (d->root == NULL)
		return err_line(err, why.code, line, "%s", why.reason);
	if (d->root->type != JSON_OBJECT)
		return err_line(err, PROF_E_CORRUPT, line,
		    "not a JSON object");
	return PROF_OK;
}

void
jdoc_free(struct jdoc *d)
{
	json_parser_free(&d->parser);
	*d = (struct jdoc){ .root = NULL };
}

struct jval
jdoc_root(struct jdoc *d)
{
	return (struct jval){ .doc = d, .value = d->root };
}

static bool
jval_is(const struct jval *v, enum json_type type)
{
	return v->value != NULL && v->value->type == type;
}

struct jval
jval_get(const struct jval *object, const char *key)
{
	struct jval member = { object->doc, NULL, object, key, 0 };
	size_t n = jval_is(object, JSON_OBJECT) ? object->value->count : 0;

	for (size_t i = 0; i < n && member.value == NULL; i++) {
		if (strcmp((const char *)object->value->items[i].key.data,
		    key) == 0)
			member.value = &object->value->items[i];
	}
	return member;
}

struct jval
jval_item(const struct jval *list, size_t index)
{
	return (struct jval){ list->doc, index < list->value->count ?
	    &list->value->items[index] : NULL, list, NULL, index };
}

struct jval
jval_member(const struct jval *object, size_t index)
{
	struct jval member = jval_item(object, index);

	if (member.value != NULL)
		member.key = (const char *)member.value->key.data;
	return member;
}

static void jval_put_value(struct buf *, const struct json_value *);

static bool
jval_key_is_known(const char *key, const char *const known[])
{
	while (*known != NULL && strcmp(*known, key) != 0)
		known++;
	return *known != NULL;
}

static int
jval_compare_keys(const void *a, const void *b)
{
	const struct json_value *const *x = a, *const *y = b;

	return prof_span_compare((*x)->key, (*y)->key);
}

/* Members whose keys are not known, sorted. */
static void
jval_put_members(struct buf *b, const struct json_value *object,
    const char *const known[])
{
	const struct json_value **members = malloc((object->count + 1) *
	    sizeof(*members));
	size_t n = 0;

	if (members == NULL) {
		b->failed = true;
		return;
	}
	for (size_t i = 0; i < object->count; i++) {
		if (!jval_key_is_known((const char *)object->items[i].key.data,
		    known))
			members[n++] = &object->items[i];
	}
	qsort(members, n, sizeof(*members), jval_compare_keys);
	for (size_t i = 0; i < n; i++) {
		json_text_plain(b, i == 0 ? "" : ",");
		json_text_string(b, members[i]->key);
		json_text_plain(b, ":");
		jval_put_value(b, members[i]);
	}
	free(members);
}

static void
jval_put_list(struct buf *b, const struct json_value *list)
{
	json_text_plain(b, "[");
	for (size_t i = 0; i < list->count; i++) {
		json_text_plain(b, i == 0 ? "" : ",");
		jval_put_value(b, &list->items[i]);
	}
	json_text_plain(b, "]");
}

/* The depth is bounded by JSON_DEPTH_MAX. */
static void
jval_put_value(struct buf *b, const struct json_value *v)
{
	static const char *const none[] = { NULL };

	switch (v->type) {
	case JSON_OBJECT:
		json_text_plain(b, "{");
		jval_put_members(b, v, none);
		json_text_plain(b, "}");
		break;
	case JSON_LIST:
		jval_put_list(b, v);
		break;
	case JSON_STRING:
		json_text_string(b, v->text);
		break;
	case JSON_INTEGER:
		json_text_literal(b, (const char *)v->text.data);
		break;
	case JSON_REAL:
		json_text_real(b, strtod((const char *)v->text.data, NULL));
		break;
	case JSON_TRUE:
		json_text_plain(b, "true");
		break;
	case JSON_FALSE:
		json_text_plain(b, "false");
		break;
	case JSON_NULL:
		json_text_plain(b, "null");
		break;
	}
}

const char *
jval_unknown(const struct jval *object, const char *const known[])
{
	for (size_t i = 0; i < object->value->count; i++) {
		const char *key =
		    (const char *)object->value->items[i].key.data;

		if (!jval_key_is_known(key, known))
			return key;
	}
	return NULL;
}

void
jval_extra(const struct jval *object, const char *const known[],
    struct buf *b)
{
	jval_put_members(b, object->value, known);
}

bool
jval_is_object(const struct jval *v)
{
	return jval_is(v, JSON_OBJECT);
}

bool
jval_is_list(const struct jval *v)
{
	return jval_is(v, JSON_LIST);
}

/* "values.mem_op_size[0][1].count", cut where the room ends. */
static size_t
jval_put_path(const struct jval *v, char path[PATH_SIZE])
{
	size_t n;
	int more;

	if (v->up == NULL) {
		path[0] = '\0';
		return 0;
	}
	n = jval_put_path(v->up, path);
	if (v->key == NULL)
		more = snprintf(path + n, PATH_SIZE - n, "[%zu]", v->index);
	else
		more = snprintf(path + n, PATH_SIZE - n, "%s%s",
		    n == 0 ? "" : ".", v->key);
	return (size_t)more < PATH_SIZE - n ? n + (size_t)more : PATH_SIZE - 1;
}

enum prof_status
jval_fail(const struct jval *v, enum prof_code code, const char *format, ...)
{
	char path[PATH_SIZE], reason[PROF_REASON_SIZE];
	va_list ap;

	va_start(ap, format);
	vsnprintf(reason, sizeof(reason), format, ap);
	va_end(ap);
	jval_put_path(v, path);
	return err_line(v->doc->err, code, v->doc->line, "%s: %s", path,
	    reason);
}

/* Reports that the value is missing, or is not the one that is wanted. */
static enum prof_status
jval_refuse(const struct jval *v, const char *wanted)
{
	struct buf b = { 0 };
	char text[ERR_NAME_SIZE];

	if (v->value == NULL)
		return jval_fail(v, PROF_E_CORRUPT, "missing");
	if (jval_is_object(v))
		json_text_plain(&b, "an object");
	else if (jval_is_list(v))
		json_text_plain(&b, "a list");
	else
		jval_put_value(&b, v->value);
	err_name(text, buf_span(&b));
	buf_free(&b);
	return jval_fail(v, PROF_E_CORRUPT, "%s is not %s", text, wanted);
}

enum prof_status
jval_object(const struct jval *v)
{
	return jval_is_object(v) ? PROF_OK : jval_refuse(v, "an object");
}

enum prof_status
jval_list(const struct jval *v, size_t *size)
{
	if (!jval_is_list(v))
		return jval_refuse(v, "a list");
	*size = v->value->count;
	return PROF_OK;
}

static bool
jval_get_string(const struct jval *v, struct prof_span *out)
{
	if (!jval_is(v, JSON_STRING))
		return false;
	*out = v->value->text;
	return true;
}

enum prof_status
jval_string(const struct jval *v, struct prof_span *out)
{
	return jval_get_string(v, out) ? PROF_OK : jval_refuse(v, "a string");
}

enum prof_status
jval_flag(const struct jval *v, bool *out)
{
	*out = jval_is(v, JSON_TRUE);
	if (!*out && !jval_is(v, JSON_FALSE))
		return jval_refuse(v, "true or false");
	return PROF_OK;
}

enum prof_status
jval_number(const struct jval *v, uint64_t *out)
{
	if ((jval_is(v, JSON_INTEGER) || jval_is(v, JSON_STRING)) &&
	    json_text_get_number(v->value->text, out))
		return PROF_OK;
	return jval_refuse(v, "a whole number from 0 to 18446744073709551615");
}

enum prof_status
jval_id(const struct jval *v, uint64_t *out)
{
	struct prof_span text;

	if (jval_get_string(v, &text) && json_text_get_id(text, out))
		return PROF_OK;
	return jval_refuse(v, "\"0x\" and 16 lower-case hex digits");
}

enum prof_status
jval_hex(const struct jval *v, struct arena *a, struct prof_span *out)
{
	struct prof_span text;
	uint8_t *bytes;

	if (!jval_get_string(v, &text))
		return jval_refuse(v, "a string");
	bytes = arena_alloc(a, text.size / 2);
	if (bytes == NULL)
		return err_memory(v->doc->err);
	if (!json_text_get_hex(text, bytes))
		return jval_refuse(v, "bytes in lower-case hex digits");
	*out = (struct prof_span){ bytes, text.size / 2 };
	return PROF_OK;
}

enum prof_status
jval_word(const struct jval *v, const char *const words[], size_t count,
    size_t *index)
{
	struct prof_span text;

	if (!jval_get_string(v, &text))
		return jval_refuse(v, "a string");
	for (size_t i = 0; i < count; i++) {
		if (strlen(words[i]) == text.size &&
		    memcmp(words[i], text.data, text.size) == 0) {
			*index = i;
			return PROF_OK;
		}
	}
	return jval_refuse(v, "a known word");
}
