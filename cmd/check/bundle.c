#include "config.h"

#include "cmd/check/bundle.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static enum prof_status
check_bundle_add_line(struct check_bundle *b, const struct manifest_profile *p,
    struct prof_error *err)
{
	uint32_t n = intern_add(&b->names, p->member.data, p->member.size);

	if (n == INDEX_NONE)
		return err_memory(err);
	if (b->lines[n] == NULL)
		b->lines[n] = p;
	else if (memcmp(b->lines[n]->sha256, p->sha256, SHA256_SIZE) != 0)
		return err_set(err, PROF_E_CORRUPT, "two lines describe a "
		    "member differently");
	return PROF_OK;
}

enum prof_status
check_bundle_begin(struct check_bundle *b, struct prof_span text,
    struct prof_error *err)
{
	size_t n;

	if (manifest_read(&b->manifest, text, err) != PROF_OK)
		return PROF_FAIL;
	b->is_bundle = true;
	n = b->manifest.size;
	b->lines = calloc(n + 1, sizeof(*b->lines));
	b->seen = calloc(n + 1, sizeof(*b->seen));
	if (b->lines == NULL || b->seen == NULL)
		return err_memory(err);
	for (size_t i = 0; i < n; i++) {
		if (check_bundle_add_line(b, &b->manifest.profiles[i], err) !=
		    PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

enum prof_status
check_bundle_member(struct check_bundle *b, const char *name,
    const uint8_t sha256[SHA256_SIZE], struct prof_error *err)
{
	uint32_t n;

	if (!b->is_bundle || name == NULL)
		return PROF_OK;
	n = intern_find(&b->names, name, strlen(name));
	if (n == INDEX_NONE)
		return err_set(err, PROF_E_CORRUPT, "is not in the manifest");
	b->seen[n] = true;
	if (memcmp(b->lines[n]->sha256, sha256, SHA256_SIZE) != 0)
		return err_set(err, PROF_E_CORRUPT, "its SHA-256 differs from "
		    "the manifest");
	return PROF_OK;
}

const char *
check_bundle_missing(struct check_bundle *b)
{
	while (b->next < b->names.size) {
		size_t n = b->next++;

		if (!b->seen[n])
			return (const char *)b->lines[n]->member.data;
	}
	return NULL;
}

void
check_bundle_end(struct check_bundle *b)
{
	manifest_free(&b->manifest);	/* also one that was refused */
	intern_free(&b->names);
	free(b->lines);
	free(b->seen);
	*b = (struct check_bundle){ .is_bundle = false };
}
