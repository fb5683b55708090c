#include "base/json.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/json_text.h"
#include "base/utf8.h"

/* Objects with so many members or less are searched for duplicates in pairs. */
enum { FEW_MEMBERS = 16 };

static bool json_read_value(struct json_parser *, struct json_value *);

static bool
json_refuse(struct json_parser *p, const char *wanted)
{
	if (p->at >= p->text.size)
		err_set(p->err, PROF_E_CORRUPT, "not JSON: the text ends "
		    "where %s should be", wanted);
	else
		err_set(p->err, PROF_E_CORRUPT, "not JSON: %s expected after "
		    "%zu bytes", wanted, p->at);
	return false;
}

static bool
json_no_memory(struct json_parser *p)
{
	err_memory(p->err);
	return false;
}

/* The byte at hand; 0, which no token begins with, at the end. */
static uint8_t
json_peek(const struct json_parser *p)
{
	return p->at < p->text.size ? p->text.data[p->at] : 0;
}

static uint8_t
json_skip_blanks(struct json_parser *p)
{
	while (p->at < p->text.size && json_text_is_blank(json_peek(p)))
		p->at++;
	return json_peek(p);
}

static bool
json_read_word(struct json_parser *p, const char *word)
{
	size_t size = strlen(word);

	if (p->text.size - p->at < size ||
	    memcmp(p->text.data + p->at, word, size) != 0)
		return json_refuse(p, "a value");
	p->at += size;
	return true;
}

/* The four digits of \uXXXX; p->at is behind the u. */
static bool
json_read_unit(struct json_parser *p, uint32_t *unit)
{
	*unit = 0;
	for (int i = 0; i < 4; i++, p->at++) {
		uint8_t c = json_peek(p), letter = c | 0x20;

		if (c >= '0' && c <= '9')
			*unit = *unit << 4 | (uint32_t)(c - '0');
		else if (letter >= 'a' && letter <= 'f')
			*unit = *unit << 4 | (uint32_t)(letter - 'a' + 10);
		else
			return json_refuse(p, "a hex digit");
	}
	return true;
}

static uint8_t *
json_put_utf8(uint8_t *out, uint32_t c)
{
	if (c < 0x80) {
		*out++ = (uint8_t)c;
		return out;
	}
	if (c < 0x800) {
		*out++ = (uint8_t)(0xc0 | c >> 6);
	} else {
		if (c < 0x10000) {
			*out++ = (uint8_t)(0xe0 | c >> 12);
		} else {
			*out++ = (uint8_t)(0xf0 | c >> 18);
			*out++ = (uint8_t)(0x80 | (c >> 12 & 0x3f));
		}
		*out++ = (uint8_t)(0x80 | (c >> 6 & 0x3f));
	}
	*out++ = (uint8_t)(0x80 | (c & 0x3f));
	return out;
}

/* \uXXXX, or two of them that are a pair of surrogates. */
static bool
json_read_code_point(struct json_parser *p, uint8_t **out)
{
	uint32_t c, low;

	if (!json_read_unit(p, &c))
		return false;
	if (c == 0) {
		err_set(p->err, PROF_E_CORRUPT, "a string holds U+0000");
		return false;
	}
	if (c >= 0xd800 && c < 0xe000) {
		if (c >= 0xdc00 || p->text.size - p->at < 2 ||
		    memcmp(p->text.data + p->at, "\\u", 2) != 0)
			return json_refuse(p, "the other surrogate");
		p->at += 2;
		if (!json_read_unit(p, &low))
			return false;
		if (low < 0xdc00 || low >= 0xe000)
			return json_refuse(p, "the other surrogate");
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
	}
	*out = json_put_utf8(*out, c);
	return true;
}

/* p->at is behind the backslash. */
static bool
json_read_escape(struct json_parser *p, uint8_t **out)
{
	static const char letters[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
	uint8_t c = json_peek(p);
	const char *letter = c == 0 ? NULL : strchr(letters, c);

	if (c == 'u') {
		p->at++;
		return json_read_code_point(p, out);
	}
	if (letter == NULL)
		return json_refuse(p, "an escape");
	p->at++;
	*(*out)++ = (uint8_t)bytes[letter - letters];
	return true;
}

/* A string from its first quote on.  Escapes are longer than their bytes. */
static bool
json_read_string(struct json_parser *p, struct prof_span *text)
{
	size_t end = ++p->at;
	uint8_t *out;

	/* An escape may hide a quote. */
	while (end < p->text.size && p->text.data[end] != '"')
		end += p->text.data[end] == '\\' ? 2 : 1;
	if (end > p->text.size)
		end = p->text.size;
	out = arena_alloc(&p->arena, end - p->at + 1);
	if (out == NULL)
		return json_no_memory(p);
	text->data = out;
	while (json_peek(p) != '"') {
		uint8_t c = json_peek(p);

		if (c < 0x20)
			return json_refuse(p, "the end of a string");
		p->at++;
		if (c != '\\')
			*out++ = c;
		else if (!json_read_escape(p, &out))
			return false;
	}
	p->at++;
	*out = '\0';
	text->size = (size_t)(out - text->data);
	return true;
}

static bool
json_read_digits(struct json_parser *p)
{
	size_t start = p->at;

	while (json_peek(p) >= '0' && json_peek(p) <= '9')
		p->at++;
	return p->at > start || json_refuse(p, "a digit");
}

static bool
json_read_number(struct json_parser *p, struct json_value *v)
{
	size_t start = p->at;

	v->type = JSON_INTEGER;
	p->at += json_peek(p) == '-';
	if (json_peek(p) == '0')
		p->at++;
	else if (!json_read_digits(p))
		return false;
	if (json_peek(p) == '.') {
		v->type = JSON_REAL;
		p->at++;
		if (!json_read_digits(p))
			return false;
	}
	if (json_peek(p) == 'e' || json_peek(p) == 'E') {
		v->type = JSON_REAL;
		p->at++;
		p->at += json_peek(p) == '+' || json_peek(p) == '-';
		if (!json_read_digits(p))
			return false;
	}
	v->text = arena_text(&p->arena, (struct prof_span){
	    p->text.data + start, p->at - start });
	if (v->text.data == NULL)
		return json_no_memory(p);
	return v->type == JSON_INTEGER ||
	    isfinite(strtod((const char *)v->text.data, NULL)) ||
	    json_refuse(p, "a number in the range of a double");
}

static int
json_compare_keys(const void *a, const void *b)
{
	const struct json_value *const *x = a, *const *y = b;

	return prof_span_compare((*x)->key, (*y)->key);
}

static bool
json_refuse_duplicate(struct json_parser *p, const struct json_value *member)
{
	char shown[ERR_NAME_SIZE];

	err_set(p->err, PROF_E_CORRUPT, "not JSON: duplicate object key near "
	    "'\"%s\"'", err_name(shown, member->key));
	return false;
}

static bool
json_check_many(struct json_parser *p, const struct json_value *object)
{
	const struct json_value **members = malloc(object->count *
	    sizeof(*members));
	bool distinct = true;

	if (members == NULL)
		return json_no_memory(p);
	for (size_t i = 0; i < object->count; i++)
		members[i] = &object->items[i];
	qsort(members, object->count, sizeof(*members), json_compare_keys);
	for (size_t i = 1; i < object->count && distinct; i++)
		distinct = !prof_span_equal(members[i - 1]->key,
		    members[i]->key) || json_refuse_duplicate(p, members[i]);
	free(members);
	return distinct;
}

/* Moves the values behind `first` to the container that ends here. */
static bool
json_close(struct json_parser *p, struct json_value *v, size_t first)
{
	struct json_value *items;

	p->at++;
	p->depth--;
	v->count = p->size - first;
	items = arena_array(&p->arena, v->count, sizeof(*items));
	if (items == NULL)
		return json_no_memory(p);
	if (v->count > 0)
		memcpy(items, p->open + first, v->count * sizeof(*items));
	v->items = items;
	p->size = first;
	if (v->type == JSON_LIST)
		return true;
	if (v->count > FEW_MEMBERS)
		return json_check_many(p, v);
	for (size_t i = 1; i < v->count; i++) {
		for (size_t j = 0; j < i; j++) {
			if (prof_span_equal(items[i].key, items[j].key))
				return json_refuse_duplicate(p, &items[i]);
		}
	}
	return true;
}

static bool
json_read_item(struct json_parser *p, enum json_type container)
{
	struct json_value item = { 0 };

	if (container == JSON_OBJECT) {
		if (json_peek(p) != '"')
			return json_refuse(p, "a key");
		if (!json_read_string(p, &item.key))
			return false;
		if (json_skip_blanks(p) != ':')
			return json_refuse(p, "a colon");
		p->at++;
		json_skip_blanks(p);
	}
	if (!json_read_value(p, &item))
		return false;
	return ARRAY_ADD(p->open, p->size, p->room, item) || json_no_memory(p);
}

/* A list or object; p->at is at its bracket. */
static bool
json_read_container(struct json_parser *p, struct json_value *v, char end)
{
	size_t first = p->size;

	if (++p->depth > JSON_DEPTH_MAX)
		return json_refuse(p, "fewer nested values");
	p->at++;
	if (json_skip_blanks(p) == end)
		return json_close(p, v, first);
	for (;;) {
		if (!json_read_item(p, v->type))
			return false;
		if (json_skip_blanks(p) == end)
			return json_close(p, v, first);
		if (json_peek(p) != ',')
			return json_refuse(p, "a comma or the end of the "
			    "list or object");
		p->at++;
		json_skip_blanks(p);
	}
}

static bool
json_read_value(struct json_parser *p, struct json_value *v)
{
	switch (json_peek(p)) {
	case '{':
		v->type = JSON_OBJECT;
		return json_read_container(p, v, '}');
	case '[':
		v->type = JSON_LIST;
		return json_read_container(p, v, ']');
	case '"':
		v->type = JSON_STRING;
		return json_read_string(p, &v->text);
	case 't':
		v->type = JSON_TRUE;
		return json_read_word(p, "true");
	case 'f':
		v->type = JSON_FALSE;
		return json_read_word(p, "false");
	case 'n':
		v->type = JSON_NULL;
		return json_read_word(p, "null");
	case '-': case '0': case '1': case '2': case '3': case '4': case '5':
	case '6': case '7': case '8': case '9':
		return json_read_number(p, v);
	default:
		return json_refuse(p, "a value");
	}
}

static bool
json_read_text(struct json_parser *p, struct json_value *v)
{
	uint8_t first = json_skip_blanks(p);

	if (!utf8_valid(p->text)) {
		err_set(p->err, PROF_E_CORRUPT, "not JSON: it is not UTF-8");
		return false;
	}
	if (first != '{' && first != '[')
		return json_refuse(p, "an object or list");
	if (!json_read_value(p, v))
		return false;
	json_skip_blanks(p);
	return p->at == p->text.size || json_refuse(p, "the end of the text");
}

const struct json_value *
json_parse(struct json_parser *p, struct prof_span text,
    struct prof_error *err)
{
	struct json_value v = { 0 }, *root;

	arena_reset(&p->arena);
	p->size = p->at = p->depth = 0;
	p->text = text;
	p->err = err;
	if (!json_read_text(p, &v))
		return NULL;
	root = arena_alloc(&p->arena, sizeof(*root));
	if (root == NULL)
		err_memory(err);
	else
		*root = v;
	return root;
}

void
json_parser_free(struct json_parser *p)
{
	arena_free(&p->arena);
	free(p->open);
	*p = (struct json_parser){ .size = 0 };
}

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
	qsort(members, n, sizeof(*members), json_compare_keys);
	for (size_t i = 0; i < n; i++) {
		json_text_plain(b, i == 0 ? "" : ",");
		json_text_string(b, members[i]->key);
		json_text_plain(b, ":");
		jval_put_value(b, members[i]);
	}
	free(members);
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
		json_text_plain(b, "[");
		for (size_t i = 0; i < v->count; i++) {
			json_text_plain(b, i == 0 ? "" : ",");
			jval_put_value(b, &v->items[i]);
		}
		json_text_plain(b, "]");
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
