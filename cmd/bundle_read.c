#include "config.h"

#include "bundle_read.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bundle_facts.h"
#include "io/input.h"

static int
by_member(const void *a, const void *b)
{
	const struct manifest_profile *const *x = a, *const *y = b;
	int order = strcmp((const char *)(*x)->member.data,
	    (const char *)(*y)->member.data);

	return order != 0 ? order : (*x > *y) - (*x < *y);
}

/* Lines of one member say the same of it. */
static enum prof_status
check_lines(const struct bundle_reader *r)
{
	for (size_t i = 1; i < r->manifest.size; i++) {
		const struct manifest_profile *a = r->lines[i - 1];
		const struct manifest_profile *b = r->lines[i];

		if (strcmp((const char *)a->member.data,
		    (const char *)b->member.data) == 0 &&
		    (memcmp(a->sha256, b->sha256, SHA256_SIZE) != 0 ||
		    a->size != b->size || bundle_facts_differ(a, b) != NULL))
			return err_set(&r->cli->err, PROF_E_CORRUPT,
			    "two lines differ in what a member is");
	}
	return PROF_OK;
}

static enum prof_status
read_manifest(struct bundle_reader *r)
{
	struct cli *c = r->cli;
	size_t n;
	struct prof_span image;

	if (input_image(r->in, &image, &c->err) != PROF_OK ||
	    manifest_read(&r->manifest, image, &c->err) != PROF_OK)
		return PROF_FAIL;
	n = r->manifest.size;
	r->lines = calloc(n + 1, sizeof(struct manifest_profile *));
	r->met = calloc(n + 1, sizeof(*r->met));
	if (r->lines == NULL || r->met == NULL)
		cli_out_of_memory(c);
	for (size_t i = 0; i < n; i++)
		r->lines[i] = &r->manifest.profiles[i];
	if (n > 0)
		qsort(r->lines, n, sizeof(*r->lines), by_member);
	r->is_bundle = true;
	return check_lines(r);
}

static void
set_name(struct bundle_reader *r, const char *name)
{
	struct cli *c = r->cli;

	free(r->name);
	r->name = name == NULL ? NULL : strdup(name);
	if (name != NULL && r->name == NULL)
		cli_out_of_memory(c);
	c->member = r->name;
}

enum prof_status
bundle_open(struct bundle_reader *r, struct cli *c, struct buf *memory)
{
	struct input_member m;
	enum prof_status status;

	*r = (struct bundle_reader){ .cli = c };
	r->in = input_open(c->file, c->max_size, memory, &c->err);
	if (r->in == NULL)
		return PROF_FAIL;
	cli_progress_input(c, r->in);
	status = input_next(r->in, &m, &c->err);
	set_name(r, m.name);
	r->ordinal = 1;
	if (status == PROF_OK && m.name != NULL &&
	    strcmp(m.name, manifest_name) == 0 && manifest_claims(m.start))
		return read_manifest(r);
	r->has_pending = true;
	r->pending = status;
	r->start = m.start;
	return PROF_OK;
}

enum prof_status
bundle_only(struct bundle_reader *r)
{
	if (r->is_bundle)
		return PROF_OK;
	/* An archive's member is not to blame. */
	if (r->pending == PROF_OK)
		r->cli->member = NULL;
	return err_set(&r->cli->err, PROF_E_FORMAT, "no bundle: it does not "
	    "begin with a manifest");
}

/* The first line of that member, and how many there are. */
static size_t
find_lines(const struct bundle_reader *r, const char *name, size_t *count)
{
	size_t low = 0, high = r->manifest.size;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp((const char *)r->lines[middle]->member.data, name)
		    < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (*count = 0; low + *count < r->manifest.size && strcmp(
	    (const char *)r->lines[low + *count]->member.data, name) == 0;
	    ++*count)
		;
	return low;
}

/* A member is what its lines say, and comes once. */
static enum prof_status
match_lines(struct bundle_reader *r, struct bundle_member *m)
{
	struct prof_error *err = &r->cli->err;
	size_t at = find_lines(r, m->name, &m->lines_size);
	bool met = m->lines_size > 0 && r->met[at];

	m->lines = r->lines + at;
	if (m->lines_size == 0)
		return err_set(err, PROF_E_CORRUPT, "not in the manifest");
	for (size_t i = 0; i < m->lines_size; i++)
		r->met[at + i] = true;
	if (met)
		return err_set(err, PROF_E_CORRUPT, "stored twice");
	if (m->lines[0]->size != m->image.size)
		return err_set(err, PROF_E_CORRUPT, "has %zu bytes, %llu by "
		    "the manifest", m->image.size,
		    (unsigned long long)m->lines[0]->size);
	return memcmp(m->lines[0]->sha256, m->sha256, SHA256_SIZE) == 0 ?
	    PROF_OK : err_set(err, PROF_E_CORRUPT, "its SHA-256 is not that "
	    "of the manifest");
}

static enum prof_status
take(struct bundle_reader *r, struct bundle_member *m)
{
	if (input_image(r->in, &m->image, &r->cli->err) != PROF_OK)
		return PROF_FAIL;
	sha256_of(m->image, m->sha256);
	m->ordinal = r->ordinal;
	m->lines = NULL;
	m->lines_size = 0;
	return r->is_bundle ? match_lines(r, m) : PROF_OK;
}

static enum prof_status
next_member(struct bundle_reader *r, struct input_member *m)
{
	enum prof_status status;

	if (r->has_pending) {
		r->has_pending = false;
		*m = (struct input_member){ .name = r->name,
		    .start = r->start };
		return r->pending;
	}
	status = input_next(r->in, m, &r->cli->err);
	r->ordinal++;
	set_name(r, m->name);
	return status;
}

enum prof_status
bundle_next(struct bundle_reader *r, struct bundle_member *out)
{
	struct cli *c = r->cli;
	enum prof_status status;
	struct input_member m;

	while ((status = next_member(r, &m)) == PROF_OK) {
		out->name = r->name;
		if (r->is_bundle) {
			/* All are held against the manifest. */
			status = take(r, out);
			if (status != PROF_OK || cli_wants(c, &m))
				return status;
		} else if (cli_wants(c, &m)) {
			if (!cli_is_foreign(&m))
				return take(r, out);
			c->skipped++;
		}
	}
	return status;
}

const struct manifest_profile *
bundle_missing(struct bundle_reader *r)
{
	while (r->missing < r->manifest.size && r->met[r->missing])
		r->missing++;
	if (r->missing == r->manifest.size)
		return NULL;
	r->met[r->missing] = true;
	return r->lines[r->missing];
}

void
bundle_close(struct bundle_reader *r)
{
	struct cli *c = r->cli;
	char *name = NULL;

	if (c->err.code != PROF_E_NONE && c->member != NULL) {
		name = strdup(c->member);
		free(c->failed_member);
		c->failed_member = name;
	}
	c->member = name;
	if (r->in != NULL)
		cli_progress_done(c);
	input_close(r->in);
	manifest_free(&r->manifest);
	free(r->lines);
	free(r->met);
	free(r->name);
}
