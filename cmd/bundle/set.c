#include "config.h"

#include "cmd/bundle/set.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

static bool
set_copy_span(struct bundle_set *s, struct prof_span *span)
{
	uint8_t *p = arena_alloc(&s->arena, span->size + 1);

	if (p == NULL)
		return false;
	if (span->size > 0)
		memcpy(p, span->data, span->size);
	p[span->size] = '\0';
	span->data = p;
	return true;
}

enum prof_status
bundle_set_source(struct bundle_set *s, const char *path, bool archive,
    struct prof_error *err)
{
	struct prof_span copy = span_of_text(path);

	if (!ARRAY_ROOM(s->sources, s->sources_size, s->sources_room) ||
	    !set_copy_span(s, &copy))
		return err_memory(err);
	s->sources[s->sources_size++] = (struct bundle_source){
	    .path = (const char *)copy.data, .archive = archive };
	return PROF_OK;
}

/* Removes empty parts, "." and "..", and a leading slash. */
static enum prof_status
set_clean_path(struct bundle_set *s, struct prof_span *path)
{
	const uint8_t *p = path->data, *end = p + path->size;
	uint8_t *out = arena_alloc(&s->arena, path->size + 2);
	size_t size = 0;

	if (out == NULL)
		return PROF_FAIL;
	while (p < end) {
		const uint8_t *slash = memchr(p, '/', (size_t)(end - p));
		size_t n = (size_t)((slash == NULL ? end : slash) - p);
		bool drop = n == 0 || (n == 1 && p[0] == '.') ||
		    (n == 2 && p[0] == '.' && p[1] == '.');

		if (!drop && size > 0)
			out[size++] = '/';
		if (!drop) {
			memcpy(out + size, p, n);
			size += n;
		}
		p += n + 1;
	}
	/* Standard input has no name. */
	if (size == 0 || (size == 1 && out[0] == '-'))
		out[0] = '_', size = 1;
	out[size] = '\0';
	*path = (struct prof_span){ out, size };
	return PROF_OK;
}

static bool
set_copy_lists(struct bundle_set *s, struct manifest_profile *p)
{
	struct prof_span *ids = arena_array(&s->arena, p->binary_ids_size,
	    sizeof(*ids));
	struct manifest_label *labels = arena_array(&s->arena, p->labels_size,
	    sizeof(*labels));

	if (ids == NULL || labels == NULL)
		return false;
	for (size_t i = 0; i < p->binary_ids_size; i++) {
		ids[i] = p->binary_ids[i];
		if (!set_copy_span(s, &ids[i]))
			return false;
	}
	for (size_t i = 0; i < p->labels_size; i++) {
		labels[i] = p->labels[i];
		if (!set_copy_span(s, &labels[i].key) ||
		    !set_copy_span(s, &labels[i].value))
			return false;
	}
	p->binary_ids = ids;
	p->labels = labels;
	return true;
}

enum prof_status
bundle_set_add(struct bundle_set *s, const struct manifest_profile *facts,
    uint64_t ordinal, struct prof_error *err)
{
	struct bundle_entry *e;

	if (!ARRAY_ROOM(s->entries, s->size, s->room))
		return err_memory(err);
	e = &s->entries[s->size];
	*e = (struct bundle_entry){ .facts = *facts, .ordinal = ordinal,
	    .source = s->sources_size - 1 };
	if (set_clean_path(s, &e->facts.path) != PROF_OK || !set_copy_span(s,
	    &e->facts.format) || !set_copy_span(s, &e->facts.run) ||
	    !set_copy_lists(s, &e->facts) ||
	    !manifest_identity(&e->facts, e->identity))
		return err_memory(err);
	e->facts.member = (struct prof_span){ NULL, 0 };
	s->size++;
	return PROF_OK;
}

enum prof_status
bundle_set_label(struct bundle_set *s, struct manifest_profile *p,
    const struct manifest_label *more, size_t more_size,
    struct prof_error *err)
{
	struct manifest_label *out = arena_array(&s->arena,
	    p->labels_size + more_size, sizeof(*out));
	size_t n = 0, i = 0, k = 0;

	if (out == NULL)
		return err_memory(err);
	while (i < p->labels_size || k < more_size) {
		int order = i == p->labels_size ? 1 : k == more_size ? -1 :
		    prof_span_compare(p->labels[i].key, more[k].key);

		if (order < 0)
			out[n++] = p->labels[i++];
		else
			out[n++] = more[k++];
		if (order == 0)
			i++;
	}
	p->labels = out;
	p->labels_size = n;
	return PROF_OK;
}

void
bundle_set_manifest(const struct bundle_set *s, struct buf *b)
{
	manifest_put_head(b, s->size, s->contents_size);
	for (size_t i = 0; i < s->size; i++)
		manifest_put(b, &s->entries[i].facts);
}

void
bundle_set_free(struct bundle_set *s)
{
	arena_free(&s->arena);
	free(s->entries);
	free(s->sources);
	free(s->contents);
	*s = (struct bundle_set){ 0 };
}
