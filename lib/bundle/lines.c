#include "bundle/lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bundle/manifest_facts.h"

static int
compare_members(const void *a, const void *b)
{
	const struct manifest_profile *const *x = a, *const *y = b;
	int order = strcmp((const char *)(*x)->member.data,
	    (const char *)(*y)->member.data);

	return order != 0 ? order : (*x > *y) - (*x < *y);
}

/* Fails if two lines of one member differ in anything but path and labels. */
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
		    a->size != b->size || manifest_facts_differ(a, b) != NULL))
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
