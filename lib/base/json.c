#include "base/json.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json_text.h"

enum { PATH_SIZE = 100 };

/*
 * jansson truncates strings or ends the program when memory runs out.  So it
 * never sees that: while a thread parses, all allocations come from the arena
 * of the document, and a failure leaves the parser by longjmp.  What jansson
 * allocates for its other callers is handed on to the functions found before,
 * which have to be set before the first document is loaded.
 */
struct json_parse {
	struct arena *arena;
	jmp_buf no_memory;
};

static _Thread_local struct json_parse *json_parsing;
static json_malloc_t json_outer_malloc;
static json_free_t json_outer_free;

static void *
json_arena_malloc(size_t size)
{
	void *p;

	if (json_parsing == NULL)
		return json_outer_malloc(size);
	p = arena_alloc(json_parsing->arena, size);
	if (p == NULL)
		longjmp(json_parsing->no_memory, 1);
	return p;
}

static void
json_arena_free(void *p)
{
	if (json_parsing == NULL)
		json_outer_free(p);
}

static void
json_set_hooks(void)
{
	json_get_alloc_funcs(&json_outer_malloc, &json_outer_free);
	json_set_alloc_funcs(json_arena_malloc, json_arena_free);
}

/* NULL with no error if memory ran out. */
static json_t *
json_parse(struct arena *arena, struct prof_span text, json_error_t *e)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct json_parse parse = { .arena = arena };
	json_t *root;

	pthread_once(&once, json_set_hooks);
	if (setjmp(parse.no_memory) != 0) {
		json_parsing = NULL;
		return NULL;
	}
	json_parsing = &parse;
	root = json_loadb((const char *)text.data, text.size,
	    JSON_REJECT_DUPLICATES, e);
	json_parsing = NULL;
	return root;
}

/* The bytes of a text from i on that may be part of a number. */
static size_t
json_number_size(struct prof_span s, size_t i)
{
	size_t end = i;

	while (end < s.size && s.data[end] != 0 &&
	    strchr("+-.0123456789Ee", s.data[end]) != NULL)
		end++;
	return end - i;
}

/* The end of the string whose first quote is at i, or of the text. */
static size_t
json_string_end(struct prof_span s, size_t i)
{
	for (i++; i < s.size && s.data[i] != '"'; i++)
		i += s.data[i] == '\\';
	return i < s.size ? i + 1 : s.size;
}

/*
 * Copies a text for jansson, whose integers have 63 bits: large ones are
 * quoted, but not before a colon, where a quoted one would make JSON of what is
 * none; -0 becomes a real, which has a sign.  Stops after `most` bytes, and
 * gives back the offset of the next byte of the text.
 */
static size_t
json_copy_text(struct buf *out, struct prof_span text, size_t most)
{
	size_t i = 0, n, next;

	for (out->size = 0; i < text.size && out->size < most; i += n) {
		struct prof_span token = { text.data + i, 1 };

		if (token.data[0] == '"') {
			n = json_string_end(text, i) - i;
			buf_put(out, token.data, n);
			continue;
		}
		n = token.size = json_number_size(text, i);
		for (next = i + n; next < text.size &&
		    json_text_is_blank(text.data[next]); next++)
			;
		if (n == 0) {
			buf_put(out, token.data, n = 1);
		} else if (next < text.size && text.data[next] == ':') {
			buf_put(out, token.data, n);
		} else {
			json_text_literal(out, token);
			if (n == 2 && memcmp(token.data, "-0", 2) == 0)
				json_text_plain(out, ".0");
		}
	}
	return i;
}

/* Reports why jansson refused a text. */
static enum prof_status
json_fail(struct jdoc *d, struct prof_span text, json_error_t *e)
{
	char shown[ERR_NAME_SIZE], *near = strstr(e->text, " near '");

	switch (json_error_code(e)) {
	case json_error_unknown:
	case json_error_out_of_memory:
		return err_memory(d->err);
	case json_error_null_character:
	case json_error_null_byte_in_key:
		return err_line(d->err, PROF_E_CORRUPT, d->line,
		    "a string holds U+0000");
	case json_error_invalid_utf8:
		return err_line(d->err, PROF_E_CORRUPT, d->line,
		    "not JSON: it is not UTF-8");
	case json_error_duplicate_key:
		return err_line(d->err, PROF_E_CORRUPT, d->line,
		    "not JSON: %s", err_name(shown, span_of_text(e->text)));
	default:
		if (near != NULL)
			*near = '\0';
		return err_line(d->err, PROF_E_CORRUPT, d->line,
		    "not JSON: %s near byte %zu",
		    err_name(shown, span_of_text(e->text)),
		    json_copy_text(&d->text, text, (size_t)e->position));
	}
}

enum prof_status
jdoc_load(struct jdoc *d, struct prof_span text, uint64_t line,
    struct prof_error *err)
{
	json_error_t e = { .line = 0 };

	d->line = line;
	d->err = err;
	arena_reset(&d->arena);
	json_copy_text(&d->text, text, SIZE_MAX);
	if (d->text.failed) {
		buf_free(&d->text);
		return err_memory(err);
	}
	d->root = json_parse(&d->arena, buf_span(&d->text), &e);
	if (d->root == NULL)
		return json_fail(d, text, &e);
	if (!json_is_object(d->root))
		return err_line(err, PROF_E_CORRUPT, line,
		    "not a JSON object");
	return PROF_OK;
}

void
jdoc_free(struct jdoc *d)
{
	arena_free(&d->arena);
	buf_free(&d->text);
	*d = (struct jdoc){ .root = NULL };
}

struct jval
jdoc_root(struct jdoc *d)
{
	return (struct jval){ .doc = d, .value = d->root };
}

struct jval
jval_get(const struct jval *object, const char *key)
{
	return (struct jval){ object->doc, json_object_get(object->value, key),
	    object, key, 0 };
}

struct jval
jval_item(const struct jval *list, size_t index)
{
	return (struct jval){ list->doc, json_array_get(list->value, index),
	    list, NULL, index };
}

static void jval_put_value(struct buf *, json_t *);

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
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Members whose keys are not known, sorted. */
static void
jval_put_members(struct buf *b, json_t *object, const char *const known[])
{
	const char **keys = malloc((json_object_size(object) + 1) *
	    sizeof(*keys));
	const char *key;
	json_t *value;
	size_t n = 0;

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
		json_text_string(b, span_of_text(keys[i]));
		json_text_plain(b, ":");
		jval_put_value(b, json_object_get(object, keys[i]));
	}
	free(keys);
}

static struct prof_span
jval_text(const json_t *string)
{
	return (struct prof_span){ (const uint8_t *)json_string_value(string),
	    json_string_length(string) };
}

/* The depth is bounded by JSON_PARSER_MAX_DEPTH. */
static void
jval_put_value(struct buf *b, json_t *v)
{
	static const char *const none[] = { NULL };
	char text[32];

	switch (json_typeof(v)) {
	case JSON_OBJECT:
		json_text_plain(b, "{");
		jval_put_members(b, v, none);
		json_text_plain(b, "}");
		break;
	case JSON_ARRAY:
		json_text_plain(b, "[");
		for (size_t i = 0; i < json_array_size(v); i++) {
			json_text_plain(b, i == 0 ? "" : ",");
			jval_put_value(b, json_array_get(v, i));
		}
		json_text_plain(b, "]");
		break;
	case JSON_STRING:
		json_text_string(b, jval_text(v));
		break;
	case JSON_INTEGER:
		snprintf(text, sizeof(text), "%" JSON_INTEGER_FORMAT,
		    json_integer_value(v));
		json_text_plain(b, text);
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

void
jval_put(struct buf *b, const struct jval *v)
{
	jval_put_value(b, v->value);
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
	*size = json_array_size(v->value);
	return PROF_OK;
}

static bool
jval_get_string(const struct jval *v, struct prof_span *out)
{
	if (!json_is_string(v->value))
		return false;
	*out = jval_text(v->value);
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
	*out = json_is_true(v->value);
	if (!json_is_boolean(v->value))
		return jval_refuse(v, "true or false");
	return PROF_OK;
}

enum prof_status
jval_number(const struct jval *v, uint64_t *out)
{
	if (json_is_integer(v->value) && json_integer_value(v->value) >= 0) {
		*out = (uint64_t)json_integer_value(v->value);
		return PROF_OK;
	}
	if (json_is_string(v->value) &&
	    json_text_get_number(jval_text(v->value), out))
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
