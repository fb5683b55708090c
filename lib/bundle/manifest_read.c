#include "bundle/manifest.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "base/json_text.h"
#include "base/json.h"
#include "model/words.h"

/* The line that is being read. */
struct manifest_line {
	struct manifest *manifest;
	struct jdoc doc;
	uint64_t number;
	struct prof_error *err;
};

static enum prof_status
manifest_get_number(const struct jval *object, const char *key, uint64_t *out)
{
	struct jval v = jval_get(object, key);

	return jval_number(&v, out);
}

/* Copies a string and adds a NUL. */
static enum prof_status
manifest_copy(struct manifest_line *l, struct prof_span s,
    struct prof_span *out)
{
	uint8_t *p = arena_alloc(&l->manifest->arena, s.size + 1);

	if (p == NULL)
		return err_memory(l->err);
	if (s.size > 0)
		memcpy(p, s.data, s.size);
	p[s.size] = '\0';
	*out = (struct prof_span){ p, s.size };
	return PROF_OK;
}

static enum prof_status
manifest_get_string(struct manifest_line *l, const struct jval *v,
    struct prof_span *out)
{
	struct prof_span s;

	return jval_string(v, &s) == PROF_OK ? manifest_copy(l, s, out)
					     : PROF_FAIL;
}

static enum prof_status
manifest_get_path(struct manifest_line *l, const struct jval *object,
    const char *key, const char *hex_key, struct prof_span *out)
{
	struct jval v = jval_get(object, hex_key);
	struct prof_span s;

	if (!jval_is_there(&v)) {
		v = jval_get(object, key);
		if (manifest_get_string(l, &v, out) != PROF_OK)
			return PROF_FAIL;
	} else if (jval_hex(&v, &l->manifest->arena, &s) != PROF_OK ||
	    manifest_copy(l, s, out) != PROF_OK)
		return PROF_FAIL;
	return manifest_path_is_safe(*out) ? PROF_OK : jval_fail(&v,
	    PROF_E_CORRUPT, "the path is absolute or empty, or has an empty "
	    "part, '.' or '..'");
}

static enum prof_status
manifest_get_digest(const struct jval *v, uint8_t out[SHA256_SIZE])
{
	struct prof_span s;

	if (jval_string(v, &s) != PROF_OK)
		return PROF_FAIL;
	if (s.size != SHA256_TEXT || !json_text_get_hex(s, out))
		return jval_fail(v, PROF_E_CORRUPT, "not 64 lower-case hex "
		    "digits");
	return PROF_OK;
}

static enum prof_status
manifest_get_ids(struct manifest_line *l, const struct jval *object,
    struct manifest_profile *p)
{
	struct jval list = jval_get(object, "binary_ids");
	struct prof_span *ids;
	size_t n;

	if (jval_list(&list, &n) != PROF_OK)
		return PROF_FAIL;
	ids = arena_array(&l->manifest->arena, n, sizeof(*ids));
	if (ids == NULL)
		return err_memory(l->err);
	for (size_t i = 0; i < n; i++) {
		struct jval v = jval_item(&list, i);

		if (jval_hex(&v, &l->manifest->arena, &ids[i]) != PROF_OK)
			return PROF_FAIL;
	}
	p->binary_ids = ids;
	p->binary_ids_size = n;
	return PROF_OK;
}

static int
manifest_compare_labels(const void *a, const void *b)
{
	const struct manifest_label *x = a, *y = b;

	return strcmp((const char *)x->key.data, (const char *)y->key.data);
}

static enum prof_status
manifest_get_label(struct manifest_line *l, const struct jval *label,
    struct manifest_label *out)
{
	if (manifest_get_string(l, label, &out->value) != PROF_OK)
		return PROF_FAIL;
	return manifest_copy(l, span_of_text(label->key), &out->key);
}

static enum prof_status
manifest_get_labels(struct manifest_line *l, const struct jval *object,
    struct manifest_profile *p)
{
	struct jval v = jval_get(object, "labels");
	struct jval label;
	struct manifest_label *labels;
	size_t n = 0;

	if (!jval_is_there(&v))
		return PROF_OK;
	if (jval_object(&v) != PROF_OK)
		return PROF_FAIL;
	while (label = jval_member(&v, n), jval_is_there(&label))
		n++;
	labels = arena_array(&l->manifest->arena, n, sizeof(*labels));
	if (labels == NULL)
		return err_memory(l->err);
	for (size_t i = 0; i < n; i++) {
		label = jval_member(&v, i);
		if (manifest_get_label(l, &label, &labels[i]) != PROF_OK)
			return PROF_FAIL;
	}
	qsort(labels, n, sizeof(*labels), manifest_compare_labels);
	p->labels = labels;
	p->labels_size = n;
	return PROF_OK;
}

static enum prof_status
manifest_get_kind(const struct jval *object, struct manifest_profile *p)
{
	struct jval v = jval_get(object, "kind");
	size_t kind;

	if (jval_word(&v, words_kind, WORDS_KINDS, &kind) != PROF_OK)
		return PROF_FAIL;
	p->kind = (enum prof_kind)kind;
	return PROF_OK;
}

static enum prof_status
manifest_get_facts(struct manifest_line *l, const struct jval *o,
    struct manifest_profile *p)
{
	struct jval format = jval_get(o, "format");
	struct jval shape = jval_get(o, "shape");

	if (manifest_get_string(l, &format, &p->format) != PROF_OK ||
	    manifest_get_number(o, "version", &p->version) != PROF_OK ||
	    manifest_get_kind(o, p) != PROF_OK ||
	    manifest_get_number(o, "profiles", &p->profiles) != PROF_OK ||
	    manifest_get_ids(l, o, p) != PROF_OK ||
	    manifest_get_number(o, "functions", &p->functions) != PROF_OK ||
	    manifest_get_number(o, "contexts", &p->contexts) != PROF_OK ||
	    manifest_get_number(o, "count", &p->counts) != PROF_OK)
		return PROF_FAIL;
	return jval_id(&shape, &p->shape);
}

static enum prof_status
manifest_read_profile(struct manifest_line *l, struct manifest_profile *p)
{
	struct jval o = jdoc_root(&l->doc), digest = jval_get(&o, "sha256");
	struct jval run = jval_get(&o, "run");

	*p = (struct manifest_profile){ 0 };
	if (manifest_get_path(l, &o, "path", "path_hex", &p->path) != PROF_OK ||
	    manifest_get_path(l, &o, "member", "member_hex", &p->member) !=
	    PROF_OK ||
	    manifest_get_number(&o, "size", &p->size) != PROF_OK ||
	    manifest_get_digest(&digest, p->sha256) != PROF_OK ||
	    (jval_is_there(&run) &&
	    manifest_get_string(l, &run, &p->run) != PROF_OK) ||
	    manifest_get_facts(l, &o, p) != PROF_OK)
		return PROF_FAIL;
	return manifest_get_labels(l, &o, p);
}

static enum prof_status
manifest_read_head(struct manifest_line *l, uint64_t *profiles)
{
	struct jval o = jdoc_root(&l->doc);
	uint64_t version;

	if (manifest_get_number(&o, "bundle", &version) != PROF_OK)
		return PROF_FAIL;
	if (version != MANIFEST_VERSION)
		return err_line(l->err, PROF_E_VERSION, l->number, "bundle "
		    "version %llu is unknown: only version %d is known",
		    (unsigned long long)version, MANIFEST_VERSION);
	return manifest_get_number(&o, "profiles", profiles);
}

static enum prof_status
manifest_add_profile(struct manifest_line *l)
{
	struct manifest *m = l->manifest;

	if (!ARRAY_ROOM(m->profiles, m->size, m->room))
		return err_memory(l->err);
	if (manifest_read_profile(l, &m->profiles[m->size]) != PROF_OK)
		return PROF_FAIL;
	m->size++;
	return PROF_OK;
}

static enum prof_status
manifest_read_lines(struct manifest_line *l, struct prof_span text,
    uint64_t *profiles)
{
	while (text.size > 0) {
		const uint8_t *end = memchr(text.data, '\n', text.size);
		struct prof_span line = { text.data, 0 };

		l->number++;
		if (end == NULL)
			return err_line(l->err, PROF_E_TRUNCATED, l->number,
			    "the line has no end");
		line.size = (size_t)(end - text.data);
		text.data = end + 1;
		text.size -= line.size + 1;
		if (jdoc_load(&l->doc, line, l->number, l->err) != PROF_OK)
			return PROF_FAIL;
		if ((l->number == 1 ? manifest_read_head(l, profiles) :
		    manifest_add_profile(l)) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

enum prof_status
manifest_read(struct manifest *m, struct prof_span text,
    struct prof_error *err)
{
	struct manifest_line l = { .manifest = m, .err = err };
	uint64_t profiles = 0;
	enum prof_status status;

	manifest_free(m);
	status = manifest_read_lines(&l, text, &profiles);
	jdoc_free(&l.doc);
	if (status == PROF_OK && (l.number == 0 || profiles != m->size))
		return err_line(err, PROF_E_TRUNCATED, l.number, "the head has "
		    "%llu profiles, but %zu follow",
		    (unsigned long long)profiles, m->size);
	return status;
}

void
manifest_free(struct manifest *m)
{
	arena_free(&m->arena);
	free(m->profiles);
	*m = (struct manifest){ 0 };
}
