#include "base/json.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <jansson.h>

#include "base/error.h"
#include "base/json_text.h"

enum { PATH_SIZE = 100 };

/* jansson leaves the error empty when it is out of memory. */
static enum prof_status
jdoc_refuse(struct jdoc *d, const json_error_t *why)
{
	char text[ERR_NAME_SIZE];

	if (why->text[0] == '\0')
		return err_memory(d->err);
	err_name(text, span_of_text(why->text));
	return err_line(d->err, PROF_E_CORRUPT, d->line, "not JSON: %s", text);
}

enum prof_status
jdoc_load(struct jdoc *d, struct prof_span text, uint64_t line,
    struct prof_error *err)
{
	json_error_t why = { 0 };

	json_decref(d->root);
	d->root = NULL;
	d->line = line;
	d->err = err;
	d->text.size = 0;
	if (!json_text_exact(&d->text, text))
		return err_line(err, PROF_E_CORRUPT, line,
		    "a string holds U+0000");
	if (d->text.failed)
		return err_memory(err);
	d->root = json_loadb((const char *)d->text.data, d->text.size,
	    JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &why);
	if (d->root == NULL)
		return jdoc_refuse(d, &why);
	if (!json_is_object(d->root))
		return err_line(err, PROF_E_CORRUPT, line,
		    "not a JSON object");
	return PROF_OK;
}

void
jdoc_free(struct jdoc *d)
{
	json_decref(d->root);
	buf_free(&d->text);
	*d = (struct jdoc){ 0 };
}

struct jval
jdoc_root(struct jdoc *d)
{
	return (struct jval){ .doc = d, .value = d->root };
}

struct jval
jval_get(const struct jval *object, const char *key)
{
	return (struct jval){ object->doc,
	    json_object_get(object->value, key), object, key, 0 };
}

struct jval
jval_item(const struct jval *list, size_t index)
{
	return (struct jval){ list->doc, json_array_get(list->value, index),
	    list, NULL, index };
}

const char *
jval_next_key(const struct jval *object, const char *key)
{
	void *i = key == NULL ? json_object_iter(object->value) :
	    json_object_iter_next(object->value,
	    json_object_iter_at(object->value, key));

	return i == NULL ? NULL : json_object_iter_key(i);
}

/* A number that went through jansson as a string (json_text_exact), or NULL. */
static const char *
jval_exact_integer(const json_t *value)
{
	const char *text = json_string_value(value);

	if (text == NULL || text[0] != '\0' || json_string_length(value) == 0)
		return NULL;
	return text + 1;
}

static void jval_put_value(struct buf *, json_t *);

static void
jval_put_string(struct buf *b, const char *text, size_t size)
{
	json_text_string(b, (struct prof_span){ (const uint8_t *)text, size });
}

static void
jval_put_member(struct buf *b, json_t *object, const char *key)
{
	jval_put_string(b, key, strlen(key));
	json_text_plain(b, ":");
	jval_put_value(b, json_object_get(object, key));
}

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
	const char *const *x = a, *const *y = b;

	return strcmp(*x, *y);
}

/* Members whose keys are not known, sorted. */
static void
jval_put_members(struct buf *b, json_t *object, const char *const known[])
{
	const char **keys = malloc((json_object_size(object) + 1) *
	    sizeof(*keys));
	size_t n = 0;
	const char *key;
	json_t *value;

	if (keys == NULL) {
		b->failed = true;
		return;
	}
	json_object_foreach(object, key, value) {
		if (!jval_key_is_known(key, known))
			keys[n++] = key;
	}
	qsort(keys, n, sizeof(*keys), jval_compare_keys);
	for (size_t i = 0; i < n; i++) {
		json_text_plain(b, i == 0 ? "" : ",");
		jval_put_member(b, object, keys[i]);
	}
	free(keys);
}

static void
jval_put_list(struct buf *b, const json_t *list)
{
	json_text_plain(b, "[");
	for (size_t i = 0; i < json_array_size(list); i++) {
		json_text_plain(b, i == 0 ? "" : ",");
		jval_put_value(b, json_array_get(list, i));
	}
	json_text_plain(b, "]");
}

static void
jval_put_integer(struct buf *b, json_int_t v)
{
	char text[24];

	snprintf(text, sizeof(text), "%" JSON_INTEGER_FORMAT, v);
	json_text_literal(b, text);
}

/* jansson bounds the depth of what it loads (JSON_PARSER_MAX_DEPTH). */
static void
jval_put_value(struct buf *b, json_t *v)
{
	static const char *const none[] = { NULL };

	switch (json_typeof(v)) {
	case JSON_OBJECT:
		json_text_plain(b, "{");
		jval_put_members(b, v, none);
		json_text_plain(b, "}");
		break;
	case JSON_ARRAY:
		jval_put_list(b, v);
		break;
	case JSON_STRING:
		if (jval_exact_integer(v) != NULL)
			json_text_literal(b, jval_exact_integer(v));
		else
			jval_put_string(b, json_string_value(v),
			    json_string_length(v));
		break;
	case JSON_INTEGER:
		jval_put_integer(b, json_integer_value(v));
		break;
	case JSON_REAL:
		json_text_real(b, json_real_value(v));
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
	const char *key;
	json_t *value;

	json_object_foreach(object->value, key, value) {
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
	return json_is_object(v->value);
}

bool
jval_is_list(const struct jval *v)
{
	return json_is_array(v->value);
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
	if (json_is_object(v->value))
		json_text_plain(&b, "an object");
	else if (json_is_array(v->value))
		json_text_plain(&b, "a list");
	else
		jval_put_value(&b, v->value);
	err_name(text, (struct prof_span){ b.data, b.size });
	buf_free(&b);
	return jval_fail(v, PROF_E_CORRUPT, "%s is not %s", text, wanted);
}

enum prof_status
jval_object(const struct jval *v)
{
	return json_is_object(v->value) ? PROF_OK : jval_refuse(v, "an object");
}

enum prof_status
jval_list(const struct jval *v, size_t *size)
{
	if (!json_is_array(v->value))
		return jval_refuse(v, "a list");
	*size = json_array_size(v->value);
	return PROF_OK;
}

/* False if the value is no string, or stands for a number. */
static bool
jval_get_string(const struct jval *v, struct prof_span *out)
{
	if (!json_is_string(v->value) || jval_exact_integer(v->value) != NULL)
		return false;
	out->data = (const uint8_t *)json_string_value(v->value);
	out->size = json_string_length(v->value);
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
	if (!json_is_boolean(v->value))
		return jval_refuse(v, "true or false");
	*out = json_is_true(v->value);
	return PROF_OK;
}

enum prof_status
jval_number(const struct jval *v, uint64_t *out)
{
	const char *digits = jval_exact_integer(v->value);
	struct prof_span text = { (const uint8_t *)digits, 0 };

	if (json_is_integer(v->value) && json_integer_value(v->value) >= 0) {
		*out = (uint64_t)json_integer_value(v->value);
		return PROF_OK;
	}
	if (digits != NULL)
		text.size = strlen(digits);
	else if (!jval_get_string(v, &text))
		text.size = 0;
	if (json_text_get_number(text, out))
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
