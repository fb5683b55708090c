#include "bundle/manifest.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/json.h"
#include "base/json_text.h"
#include "bundle/lines.h"
#include "bundle/manifest_facts.h"
#include "model/record.h"

const char manifest_name[] = "MANIFEST";

static const char manifest_start[] = "{\"bundle\":";

bool
manifest_sniff(struct prof_span s)
{
	return s.size >= sizeof(manifest_start) - 1 &&
	    memcmp(s.data, manifest_start, sizeof(manifest_start) - 1) == 0;
}

bool
manifest_path_is_safe(struct prof_span path)
{
	const uint8_t *p = path.data, *end = p + path.size;

	if (path.size == 0 || memchr(p, '\0', path.size) != NULL)
		return false;
	for (;;) {
		const uint8_t *slash = memchr(p, '/', (size_t)(end - p));
		size_t n = (size_t)((slash == NULL ? end : slash) - p);

		if (n == 0 || (n == 1 && p[0] == '.') ||
		    (n == 2 && p[0] == '.' && p[1] == '.'))
			return false;
		if (slash == NULL)
			return true;
		p = slash + 1;
	}
}

bool
manifest_identity(const struct manifest_profile *p,
    uint8_t identity[SHA256_SIZE])
{
	struct sha256 *s;

	memcpy(identity, p->sha256, SHA256_SIZE);
	if (p->run.size == 0)
		return true;
	s = sha256_new();
	if (s == NULL)
		return false;
	sha256_add(s, p->sha256, SHA256_SIZE);
	sha256_add(s, p->run.data, p->run.size);
	sha256_add(s, "", 1);
	sha256_add(s, p->path.data, p->path.size);
	sha256_end(s, identity);
	sha256_free(s);
	return true;
}

void
manifest_put_head(struct buf *b, uint64_t profiles, uint64_t members)
{
	json_text_plain(b, manifest_start);
	json_text_number(b, MANIFEST_VERSION);
	json_member_number(b, "profiles", profiles);
	json_member_number(b, "members", members);
	json_text_plain(b, "}\n");
}

static void
manifest_put_facts(struct buf *b, const struct manifest_profile *p)
{
	json_member_key(b, "format");
	json_text_string(b, p->format);
	json_member_number(b, "version", p->version);
	json_member_text(b, "kind", words_kind[p->kind]);
	json_member_number(b, "profiles", p->profiles);
	json_member_key(b, "binary_ids");
	json_text_plain(b, "[");
	for (size_t i = 0; i < p->binary_ids_size; i++) {
		json_text_plain(b, i == 0 ? "" : ",");
		json_text_hex(b, p->binary_ids[i]);
	}
	json_text_plain(b, "]");
	json_member_number(b, "functions", p->functions);
	json_member_number(b, "contexts", p->contexts);
	json_member_number(b, "count", p->counts);
}

void
manifest_put(struct buf *b, const struct manifest_profile *p)
{
	json_text_plain(b, "{");
	json_member_bytes(b, "path", "path_hex", p->path);
	json_member_bytes(b, "member", "member_hex", p->member);
	json_member_number(b, "size", p->size);
	json_member_key(b, "sha256");
	json_text_hex(b, (struct prof_span){ p->sha256, SHA256_SIZE });
	if (p->run.size != 0) {
		json_member_key(b, "run");
		json_text_string(b, p->run);
	}
	manifest_put_facts(b, p);
	json_text_plain(b, "}\n");
}

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
	*out = arena_text(&l->manifest->arena, s);
	return out->data == NULL ? err_memory(l->err) : PROF_OK;
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

static enum prof_status
manifest_get_facts(struct manifest_line *l, const struct jval *o,
    struct manifest_profile *p)
{
	struct jval format = jval_get(o, "format");
	struct jval kind = jval_get(o, "kind");
	size_t word;

	if (manifest_get_string(l, &format, &p->format) != PROF_OK ||
	    manifest_get_number(o, "version", &p->version) != PROF_OK ||
	    jval_word(&kind, words_kind, WORDS_KINDS, &word) != PROF_OK ||
	    manifest_get_number(o, "profiles", &p->profiles) != PROF_OK ||
	    manifest_get_ids(l, o, p) != PROF_OK ||
	    manifest_get_number(o, "functions", &p->functions) != PROF_OK ||
	    manifest_get_number(o, "contexts", &p->contexts) != PROF_OK ||
	    manifest_get_number(o, "count", &p->counts) != PROF_OK)
		return PROF_FAIL;
	p->kind = (enum prof_kind)word;
	return PROF_OK;
}

static enum prof_status
manifest_read_profile(struct manifest_line *l, struct manifest_profile *p)
{
	struct jval o = jdoc_root(&l->doc), digest = jval_get(&o, "sha256");
	struct jval run = jval_get(&o, "run");
	struct prof_span text;

	*p = (struct manifest_profile){ 0 };
	if (manifest_get_path(l, &o, "path", "path_hex", &p->path) != PROF_OK ||
	    manifest_get_path(l, &o, "member", "member_hex", &p->member) !=
	    PROF_OK ||
	    manifest_get_number(&o, "size", &p->size) != PROF_OK ||
	    jval_string(&digest, &text) != PROF_OK)
		return PROF_FAIL;
	if (text.size != SHA256_TEXT || !json_text_get_hex(text, p->sha256))
		return jval_fail(&digest, PROF_E_CORRUPT, "not 64 lower-case "
		    "hex digits");
	if (jval_is_there(&run) &&
	    manifest_get_string(l, &run, &p->run) != PROF_OK)
		return PROF_FAIL;
	return manifest_get_facts(l, &o, p);
}

static enum prof_status
manifest_read_lines(struct manifest_line *l, struct prof_span text,
    uint64_t *profiles)
{
	struct manifest *m = l->manifest;
	struct jval o;
	uint64_t version;

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
		if (l->number == 1) {
			o = jdoc_root(&l->doc);
			if (manifest_get_number(&o, "bundle", &version) !=
			    PROF_OK)
				return PROF_FAIL;
			if (version != MANIFEST_VERSION)
				return err_line(l->err, PROF_E_VERSION,
				    l->number, "bundle version %llu is "
				    "unknown: only version %d is known",
				    ull(version), MANIFEST_VERSION);
			if (manifest_get_number(&o, "profiles", profiles) !=
			    PROF_OK)
				return PROF_FAIL;
			continue;
		}
		if (!ARRAY_ROOM(m->profiles, m->size, m->room))
			return err_memory(l->err);
		if (manifest_read_profile(l, &m->profiles[m->size]) != PROF_OK)
			return PROF_FAIL;
		m->size++;
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

static enum prof_status
facts_add_id(struct manifest_facts *f, struct prof_span id,
    struct prof_error *err)
{
	if (id.size == 0)
		return PROF_OK;
	/* The images of a file mostly name the same few. */
	for (size_t i = 0; i < f->ids_size && i < 8; i++) {
		if (prof_span_compare(f->ids[i], id) == 0)
			return PROF_OK;
	}
	return arena_keep(f->arena, &id) &&
	    ARRAY_ADD(f->ids, f->ids_size, f->ids_room, id) ? PROF_OK :
	    err_memory(err);
}

static void
facts_add_function(struct manifest_facts *f, const struct prof_function *fn)
{
	uint64_t *counts = &f->profile->counts;

	f->profile->functions++;
	/* Pseudo counts are flags and not added. */
	for (size_t i = 0; i < fn->counts_size && !prof_is_pseudo(fn); i++)
		*counts = saturating_add(*counts, fn->counts[i]);
}

enum prof_status
manifest_facts_add(struct manifest_facts *f, const struct prof_record *r,
    struct prof_error *err)
{
	struct manifest_profile *p = f->profile;

	switch (r->kind) {
	case PROF_REC_PROFILE:
		if (p->profiles++ == 0) {
			p->kind = r->u.profile.kind;
			p->version = r->u.profile.source.version;
		} else if (p->kind != r->u.profile.kind)
			p->kind = PROF_MIXED;
		return PROF_OK;
	case PROF_REC_BINARY:
		return facts_add_id(f, r->u.build_id, err);
	case PROF_REC_SEGMENT:
		return facts_add_id(f, r->u.segment.build_id, err);
	case PROF_REC_FUNCTION:
		facts_add_function(f, &r->u.function);
		return PROF_OK;
	case PROF_REC_ALLOCATION:
		p->contexts++;
		return PROF_OK;
	default:
		return PROF_OK;
	}
}

enum prof_status
manifest_facts_end(struct manifest_facts *f, const char *format,
    struct prof_error *err)
{
	struct manifest_profile *p = f->profile;
	struct prof_span *ids;

	p->format = span_of_text(format == NULL ? "text" : format);
	/* Headers in a stream describe its source: its own version is 1. */
	if (format != NULL && strcmp(format, "stream") == 0)
		p->version = 1;
	p->binary_ids_size = prof_span_unique(f->ids, f->ids_size);
	p->binary_ids = ids = arena_array(f->arena, p->binary_ids_size,
	    sizeof(*ids));
	for (size_t i = 0; ids != NULL && i < p->binary_ids_size; i++)
		ids[i] = f->ids[i];
	free(f->ids);
	return ids == NULL ? err_memory(err) : PROF_OK;
}

static int
compare_members(const void *a, const void *b)
{
	const struct manifest_profile *const *x = a, *const *y = b;
	int order = strcmp((const char *)(*x)->member.data,
	    (const char *)(*y)->member.data);

	return order != 0 ? order : (*x > *y) - (*x < *y);
}

/* Fails if two lines of one member are about different profiles. */
static enum prof_status
lines_check_agreement(const struct bundle_lines *l, struct prof_error *err)
{
	for (size_t i = 1; i < l->manifest.size; i++) {
		const struct manifest_profile *a = l->lines[i - 1];
		const struct manifest_profile *b = l->lines[i];

		if (strcmp((const char *)a->member.data,
		    (const char *)b->member.data) == 0 &&
		    (memcmp(a->sha256, b->sha256, SHA256_SIZE) != 0 ||
		    prof_span_compare(a->run, b->run) != 0 ||
		    a->size != b->size))
			return err_set(err, PROF_E_CORRUPT, "two lines "
			    "describe a member differently");
	}
	return PROF_OK;
}

bool
bundle_is_manifest(const char *name, struct prof_span start)
{
	return name != NULL && strcmp(name, manifest_name) == 0 &&
	    manifest_sniff(start);
}

enum prof_status
bundle_lines_read(struct bundle_lines *l, struct prof_span text,
    struct prof_error *err)
{
	size_t n;

	if (manifest_read(&l->manifest, text, err) != PROF_OK)
		return PROF_FAIL;
	n = l->manifest.size;
	l->lines = calloc(n + 1, sizeof(struct manifest_profile *));
	l->seen = calloc(n + 1, sizeof(*l->seen));
	if (l->lines == NULL || l->seen == NULL)
		return err_memory(err);
	for (size_t i = 0; i < n; i++)
		l->lines[i] = &l->manifest.profiles[i];
	if (n > 0)
		qsort(l->lines, n, sizeof(*l->lines), compare_members);
	l->is_bundle = true;
	return lines_check_agreement(l, err);
}

struct manifest_profile *const *
bundle_lines_of(const struct bundle_lines *l, const char *name, size_t *count)
{
	size_t low = 0, high = l->manifest.size;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp((const char *)l->lines[middle]->member.data, name)
		    < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (*count = 0; low + *count < l->manifest.size && strcmp(
	    (const char *)l->lines[low + *count]->member.data, name) == 0;
	    ++*count)
		;
	return l->lines + low;
}

enum prof_status
bundle_lines_match(struct bundle_lines *l, struct bundle_member *m,
    struct prof_error *err)
{
	size_t at;
	bool seen;

	m->lines = NULL;
	m->lines_size = 0;
	if (!l->is_bundle)
		return PROF_OK;
	m->lines = bundle_lines_of(l, m->name == NULL ? "" : m->name,
	    &m->lines_size);
	if (m->lines_size == 0)
		return err_set(err, PROF_E_CORRUPT, "is not in the manifest");
	at = (size_t)(m->lines - l->lines);
	seen = l->seen[at];
	for (size_t i = 0; i < m->lines_size; i++)
		l->seen[at + i] = true;
	if (seen)
		return err_set(err, PROF_E_CORRUPT, "is stored twice");
	if (m->lines[0]->size != m->size)
		return err_set(err, PROF_E_CORRUPT, "has %llu bytes, but %llu "
		    "in the manifest", (unsigned long long)m->size,
		    (unsigned long long)m->lines[0]->size);
	return memcmp(m->lines[0]->sha256, m->sha256, SHA256_SIZE) == 0 ?
	    PROF_OK : err_set(err, PROF_E_CORRUPT, "its SHA-256 differs from "
	    "the manifest");
}

const struct manifest_profile *
bundle_lines_missing(struct bundle_lines *l)
{
	while (l->missing < l->manifest.size && l->seen[l->missing])
		l->missing++;
	if (l->missing == l->manifest.size)
		return NULL;
	l->seen[l->missing] = true;
	return l->lines[l->missing];
}

void
bundle_lines_free(struct bundle_lines *l)
{
	manifest_free(&l->manifest);
	free(l->lines);
	free(l->seen);
	*l = (struct bundle_lines){ .is_bundle = false };
}
