#include <string.h>

#include "base/digits.h"
#include "base/error.h"
#include "format/yaml/yaml.h"
#include "model/heap.h"

static bool
scalar_equals(struct prof_span text, const char *word)
{
	return text.size == strlen(word) &&
	    memcmp(text.data, word, text.size) == 0;
}

enum prof_status
yaml_advance(struct yaml_source *y, struct prof_error *err)
{
	return yaml_events_next(y->events, &y->now, err);
}

/* Reports an event of another kind than the one that is wanted. */
static enum prof_status
yaml_wrong_kind(const struct yaml_source *y, const char *key,
    const char *wanted, struct prof_error *err)
{
	static const char *const kinds[] = {
		[YAML_STREAM_DONE] = "the end",
		[YAML_DOCUMENT] = "a document",
		[YAML_DOCUMENT_DONE] = "the end of the document",
		[YAML_SCALAR] = "a scalar",
		[YAML_LIST] = "a list",
		[YAML_LIST_DONE] = "the end of a list",
		[YAML_MAP] = "a map",
		[YAML_MAP_DONE] = "the end of a map",
	};

	return err_line(err, PROF_E_CORRUPT, y->now.line, "%s: %s, not %s",
	    key, kinds[y->now.kind], wanted);
}

static enum prof_status
yaml_read_begin(struct yaml_source *y, enum yaml_kind kind, const char *key,
    bool *empty, struct prof_error *err)
{
	*empty = y->now.kind == YAML_SCALAR && y->now.empty;
	if (!*empty && y->now.kind != kind)
		return yaml_wrong_kind(y, key, kind == YAML_MAP ? "a map" :
		    "a list", err);
	return yaml_advance(y, err);
}

enum prof_status
yaml_read_map(struct yaml_source *y, struct yaml_map *m,
    const struct yaml_keys *keys, struct prof_error *err)
{
	*m = (struct yaml_map){ .keys = keys };
	return yaml_read_begin(y, YAML_MAP, keys->of, &m->empty, err);
}

static enum prof_status
yaml_read_key(struct yaml_source *y, struct yaml_map *m, struct prof_error *err)
{
	const struct yaml_keys *keys = m->keys;
	struct prof_span text = y->now.text;
	char shown[ERR_NAME_SIZE];
	size_t i = 0;

	if (y->now.kind != YAML_SCALAR)
		return yaml_wrong_kind(y, keys->of, "a key", err);
	while (i < keys->size && !scalar_equals(text, keys->names[i]))
		i++;
	if (i == keys->size)
		return err_line(err, PROF_E_CORRUPT, y->now.line,
		    "%s: unknown key '%s'", keys->of, err_name(shown, text));
	if ((m->seen >> i & 1) != 0)
		return err_line(err, PROF_E_CORRUPT, y->now.line, "%s: %s "
		    "occurs twice", keys->of, keys->names[i]);
	m->seen |= UINT32_C(1) << i;
	m->key = i;
	return yaml_advance(y, err);
}

enum prof_status
yaml_next_key(struct yaml_source *y, struct yaml_map *m,
    struct prof_error *err)
{
	uint32_t missing = m->keys->required & ~m->seen;

	if (!m->empty && y->now.kind != YAML_MAP_DONE)
		return yaml_read_key(y, m, err);
	for (size_t i = 0; missing != 0 && i < m->keys->size; i++) {
		if ((missing >> i & 1) != 0)
			return err_line(err, PROF_E_CORRUPT, y->now.line,
			    "%s: %s is missing", m->keys->of,
			    m->keys->names[i]);
	}
	return m->empty || yaml_advance(y, err) == PROF_OK ? PROF_END :
	    PROF_FAIL;
}

enum prof_status
yaml_read_list(struct yaml_source *y, const char *key, bool *empty,
    struct prof_error *err)
{
	return yaml_read_begin(y, YAML_LIST, key, empty, err);
}

enum prof_status
yaml_next_item(struct yaml_source *y, bool empty, struct prof_error *err)
{
	if (empty)
		return PROF_END;
	if (y->now.kind != YAML_LIST_DONE)
		return PROF_OK;
	return yaml_advance(y, err) == PROF_OK ? PROF_END : PROF_FAIL;
}

/* Sets the text of the scalar that is the present event. */
static enum prof_status
yaml_scalar_text(const struct yaml_source *y, const char *key,
    struct prof_span *out, struct prof_error *err)
{
	if (y->now.kind != YAML_SCALAR)
		return yaml_wrong_kind(y, key, "a scalar", err);
	*out = y->now.text;
	return PROF_OK;
}

static enum prof_status
yaml_bad_scalar(const struct yaml_source *y, const char *key,
    const char *wanted, struct prof_error *err)
{
	char shown[ERR_NAME_SIZE];

	return err_line(err, PROF_E_CORRUPT, y->now.line, "%s '%s' is not %s",
	    key, err_name(shown, y->now.text), wanted);
}

enum prof_status
yaml_read_text(struct yaml_source *y, const char *key, struct prof_span *out,
    struct prof_error *err)
{
	if (yaml_scalar_text(y, key, out, err) != PROF_OK)
		return PROF_FAIL;
	*out = arena_copy(&y->arena, *out);
	return out->data == NULL ? err_memory(err) : yaml_advance(y, err);
}

/* LLVM, without a message, cuts values that do not fit their field. */
enum prof_status
yaml_read_number(struct yaml_source *y, const char *key, uint64_t max,
    uint64_t *out, struct prof_error *err)
{
	struct prof_span text = { NULL, 0 };

	if (yaml_scalar_text(y, key, &text, err) != PROF_OK)
		return PROF_FAIL;
	if (!digits_auto(text, UINT64_MAX, out))
		return yaml_bad_scalar(y, key, "a number", err);
	if (*out > max)
		return err_line(err, PROF_E_LIMIT, y->now.line,
		    "%s %llu exceeds %llu", key, (unsigned long long)*out,
		    (unsigned long long)max);
	return yaml_advance(y, err);
}

/* The words of parseBool, LLVM 10 to 22. */
enum prof_status
yaml_read_bool(struct yaml_source *y, const char *key, bool *out,
    struct prof_error *err)
{
	static const char *const words[] = {
		"false", "False", "FALSE", "no", "No", "NO", "n", "N", "off",
		"Off", "OFF", "true", "True", "TRUE", "yes", "Yes", "YES",
		"y", "Y", "on", "On", "ON"
	};
	const size_t count = sizeof(words) / sizeof(*words);
	struct prof_span text = { NULL, 0 };
	size_t i = 0;

	if (yaml_scalar_text(y, key, &text, err) != PROF_OK)
		return PROF_FAIL;
	while (i < count && !scalar_equals(text, words[i]))
		i++;
	if (i == count)
		return yaml_bad_scalar(y, key, "true or false", err);
	*out = i >= count / 2;
	return yaml_advance(y, err);
}

enum prof_status
yaml_read_function(struct yaml_source *y, const char *key,
    struct prof_symbol *out, struct prof_error *err)
{
	struct prof_span text = { NULL, 0 };
	size_t digits = 0;

	*out = (struct prof_symbol){ 0 };
	if (yaml_scalar_text(y, key, &text, err) != PROF_OK)
		return PROF_FAIL;
	while (digits < text.size && text.data[digits] >= '0' &&
	    text.data[digits] <= '9')
		digits++;
	if (digits == text.size)
		return yaml_bad_scalar(y, key,
		    "a hexadecimal guid or a function's name", err);
	if (text.size >= 2 && text.data[0] == '0' &&
	    (text.data[1] | 0x20) == 'x') {
		if (!digits_auto(text, UINT64_MAX, &out->guid))
			return yaml_bad_scalar(y, key, "a guid", err);
		return yaml_advance(y, err);
	}
	out->guid = memprof_guid(text);
	return yaml_read_text(y, key, &out->name, err);
}
