/* cmd/bundle/set.c - lines and sources of a set, and the members they get */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "cmd/bundle/bundle.h"

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

enum prof_status
bundle_set_source(struct bundle_set *s, const char *path, bool archive,
    struct prof_error *err)
{
	struct bundle_source *new = arena_alloc(&s->arena, sizeof(*new));
	struct prof_span copy = span_of_text(path);

	if (new == NULL || !set_copy_span(s, &copy))
		return err_memory(err);
	*new = (struct bundle_source){ .path = (const char *)copy.data,
	    .place = copy, .archive = archive };
	s->source = new;
	return set_clean_path(s, &new->place) == PROF_OK ? PROF_OK :
	    err_memory(err);
}

static bool
set_copy_ids(struct bundle_set *s, struct manifest_profile *p)
{
	struct prof_span *ids = arena_array(&s->arena, p->binary_ids_size,
	    sizeof(*ids));

	if (ids == NULL)
		return false;
	for (size_t i = 0; i < p->binary_ids_size; i++) {
		ids[i] = p->binary_ids[i];
		if (!set_copy_span(s, &ids[i]))
			return false;
	}
	p->binary_ids = ids;
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
	    .source = s->source };
	if (set_clean_path(s, &e->facts.path) != PROF_OK || !set_copy_span(s,
	    &e->facts.format) || !set_copy_span(s, &e->facts.run) ||
	    !set_copy_ids(s, &e->facts) ||
	    !manifest_identity(&e->facts, e->identity))
		return err_memory(err);
	e->facts.member = (struct prof_span){ NULL, 0 };
	s->size++;
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
	free(s->contents);
	*s = (struct bundle_set){ 0 };
}

static int
compare_places(const struct bundle_entry *x, const struct bundle_entry *y)
{
	const struct bundle_source *a = x->source, *b = y->source;
	int order = a == b ? 0 : prof_span_compare(a->place, b->place);

	if (order == 0 && a != b)
		order = strcmp(a->path, b->path);
	return order != 0 ? order : compare_u64(x->ordinal, y->ordinal);
}

/* The order of the manifest. */
static int
compare_entry_paths(const void *a, const void *b)
{
	const struct bundle_entry *x = a, *y = b;
	int order = prof_span_compare(x->facts.path, y->facts.path);

	if (order == 0)
		order = memcmp(x->identity, y->identity, SHA256_SIZE);
	return order != 0 ? order : compare_places(x, y);
}

static bool
is_same_profile(const struct bundle_entry *a, const struct bundle_entry *b)
{
	return prof_span_equal(a->facts.path, b->facts.path) &&
	    memcmp(a->identity, b->identity, SHA256_SIZE) == 0;
}

/* Drops entries with the path and identity of the one before. */
static void
settle_drop_repeated(struct bundle_set *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->size; i++) {
		if (n != 0 &&
		    is_same_profile(&s->entries[n - 1], &s->entries[i]))
			s->repeated++;
		else
			s->entries[n++] = s->entries[i];
	}
	s->size = n;
}

/* Compares a path with FOLDER/: 0 if it begins so. */
static int
compare_path_below(struct prof_span path, struct prof_span folder)
{
	struct prof_span start = { path.data,
	    path.size < folder.size ? path.size : folder.size };
	int order = prof_span_compare(start, folder);

	if (order != 0 || path.size == folder.size)
		return order == 0 ? -1 : order;
	return (path.data[folder.size] > '/') - (path.data[folder.size] < '/');
}

/* Whether a path of the set is below this one, which is then a folder. */
static bool
settle_is_folder(const struct bundle_set *s, struct prof_span path)
{
	size_t low = 0, high = s->size;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_path_below(s->entries[middle].facts.path, path) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < s->size &&
	    compare_path_below(s->entries[low].facts.path, path) == 0;
}

static bool
is_manifest_path(struct prof_span path)
{
	size_t n = strlen(manifest_name);

	return path.size >= n && memcmp(path.data, manifest_name, n) == 0 &&
	    (path.size == n || path.data[n] == '/');
}

/* Sets the member of a line; `shared`: several contents have its path. */
static enum prof_status
settle_name_entry(struct bundle_set *s, struct bundle_entry *e, bool shared)
{
	struct manifest_profile *p = &e->facts;
	uint8_t *text;

	p->member = p->path;
	if (!shared && !is_manifest_path(p->path) && !settle_is_folder(s,
	    p->path))
		return PROF_OK;
	text = arena_alloc(&s->arena, SHA256_TEXT + 2 + p->path.size);
	if (text == NULL)
		return PROF_FAIL;
	sha256_text(e->identity, (char *)text);
	text[SHA256_TEXT] = '/';
	memcpy(text + SHA256_TEXT + 1, p->path.data, p->path.size + 1);
	p->member = (struct prof_span){ text, SHA256_TEXT + 1 + p->path.size };
	return PROF_OK;
}

static enum prof_status
settle_name_entries(struct bundle_set *s)
{
	size_t end;

	for (size_t i = 0; i < s->size; i = end) {
		const struct bundle_entry *first = &s->entries[i];
		bool shared = false;

		for (end = i + 1; end < s->size && prof_span_equal(
		    first->facts.path, s->entries[end].facts.path); end++)
			shared = shared || memcmp(first->identity,
			    s->entries[end].identity, SHA256_SIZE) != 0;
		for (size_t k = i; k < end; k++) {
			if (settle_name_entry(s, &s->entries[k], shared)
			    != PROF_OK)
				return PROF_FAIL;
		}
	}
	return PROF_OK;
}

static int
compare_entry_contents(const void *a, const void *b)
{
	const struct bundle_entry *x = *(struct bundle_entry *const *)a;
	const struct bundle_entry *y = *(struct bundle_entry *const *)b;
	int order = memcmp(x->identity, y->identity, SHA256_SIZE);

	/* Members that are paths come before those in a digest's folder. */
	if (order == 0)
		order = (x->facts.member.size != x->facts.path.size) -
		    (y->facts.member.size != y->facts.path.size);
	return order != 0 ? order :
	    prof_span_compare(x->facts.member, y->facts.member);
}

static int
compare_entry_places(const void *a, const void *b)
{
	return compare_places(*(struct bundle_entry *const *)a,
	    *(struct bundle_entry *const *)b);
}

static int
compare_entry_members(const void *a, const void *b)
{
	const struct bundle_entry *x = *(struct bundle_entry *const *)a;
	const struct bundle_entry *y = *(struct bundle_entry *const *)b;

	return prof_span_compare(x->facts.member, y->facts.member);
}

/* Gives all lines of a content one member. */
static void
settle_join_contents(struct bundle_set *s)
{
	struct bundle_entry **e = s->contents;
	size_t n = 0, end;

	for (size_t i = 0; i < s->size; i = end) {
		for (end = i + 1; end < s->size && memcmp(e[i]->identity,
		    e[end]->identity, SHA256_SIZE) == 0; end++)
			s->repeated++;
		for (size_t k = i + 1; k < end; k++)
			e[k]->facts.member = e[i]->facts.member;
		e[n++] = e[i];
	}
	s->contents_size = n;
}

/* Two members may have one name: a path can look like a digest's folder. */
static enum prof_status
settle_check_names(struct bundle_set *s, struct prof_error *err)
{
	qsort(s->contents, s->contents_size, sizeof(*s->contents),
	    compare_entry_members);
	for (size_t i = 1; i < s->contents_size; i++) {
		if (compare_entry_members(&s->contents[i - 1], &s->contents[i])
		    == 0)
			return err_set(err, PROF_E_MISMATCH, "two profiles "
			    "would be called %s",
			    (const char *)s->contents[i]->facts.member.data);
	}
	return PROF_OK;
}

enum prof_status
bundle_set_names(struct bundle_set *s, struct prof_error *err)
{
	if (s->size == 0)
		return PROF_OK;
	qsort(s->entries, s->size, sizeof(*s->entries), compare_entry_paths);
	settle_drop_repeated(s);
	return settle_name_entries(s) == PROF_OK ? PROF_OK : err_memory(err);
}

enum prof_status
bundle_set_settle(struct bundle_set *s, struct prof_error *err)
{
	s->contents = calloc(s->size + 1, sizeof(struct bundle_entry *));
	if (s->contents == NULL)
		return err_memory(err);
	if (bundle_set_names(s, err) != PROF_OK)
		return PROF_FAIL;
	if (s->size == 0)
		return PROF_OK;
	for (size_t i = 0; i < s->size; i++)
		s->contents[i] = &s->entries[i];
	qsort(s->contents, s->size, sizeof(*s->contents),
	    compare_entry_contents);
	settle_join_contents(s);
	if (settle_check_names(s, err) != PROF_OK)
		return PROF_FAIL;
	qsort(s->contents, s->contents_size, sizeof(*s->contents),
	    compare_entry_places);
	return PROF_OK;
}
