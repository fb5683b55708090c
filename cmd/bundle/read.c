#include "config.h"

#include "cmd/bundle/read.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cmd/bundle/facts.h"
#include "io/input.h"

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
		    a->size != b->size || bundle_facts_differ(a, b) != NULL))
			return err_set(err, PROF_E_CORRUPT, "two lines "
			    "describe a member differently");
	}
	return PROF_OK;
}

bool
bundle_is_manifest(const struct input_member *m)
{
	return m->name != NULL && strcmp(m->name, manifest_name) == 0 &&
	    manifest_sniff(m->start);
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

/* The index of the member's first line, and the number of its lines. */
static size_t
lines_find(const struct bundle_lines *l, const char *name, size_t *count)
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
	return low;
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
	at = lines_find(l, m->name, &m->lines_size);
	seen = m->lines_size > 0 && l->seen[at];
	m->lines = l->lines + at;
	if (m->lines_size == 0)
		return err_set(err, PROF_E_CORRUPT, "not in the manifest");
	for (size_t i = 0; i < m->lines_size; i++)
		l->seen[at + i] = true;
	if (seen)
		return err_set(err, PROF_E_CORRUPT, "stored twice");
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

enum prof_status
bundle_err_no_bundle(struct prof_error *err)
{
	return err_set(err, PROF_E_FORMAT, "not a bundle: it does not begin "
	    "with a manifest");
}

static void
reader_set_member(struct bundle_reader *r, const char *name)
{
	struct cli *c = r->cli;

	free(r->name);
	r->name = name == NULL ? NULL : strdup(name);
	if (name != NULL && r->name == NULL)
		cli_out_of_memory(c);
	c->inputs.member = r->name;
}

enum prof_status
bundle_reader_open(struct bundle_reader *r, struct cli *c, struct buf *memory)
{
	struct input_member m;
	struct prof_span text;
	enum prof_status status;

	*r = (struct bundle_reader){ .cli = c };
	r->in = input_open(c->inputs.file, c->options.max_size, memory,
	    &c->err);
	if (r->in == NULL)
		return PROF_FAIL;
	cli_progress_input(c, r->in);
	status = input_next(r->in, &m, &c->err);
	reader_set_member(r, m.name);
	r->ordinal = 1;
	if (status == PROF_OK && bundle_is_manifest(&m))
		return input_image(r->in, &text, &c->err) != PROF_OK ?
		    PROF_FAIL : bundle_lines_read(&r->lines, text, &c->err);
	r->pending = status;
	return PROF_OK;
}

enum prof_status
bundle_reader_require(struct bundle_reader *r)
{
	if (r->lines.is_bundle)
		return PROF_OK;
	/* The message is about the file, not its first member. */
	if (r->pending == PROF_OK)
		r->cli->inputs.member = NULL;
	return bundle_err_no_bundle(&r->cli->err);
}

static enum prof_status
reader_read_member(struct bundle_reader *r, struct bundle_member *m)
{
	if (input_image(r->in, &m->image, &r->cli->err) != PROF_OK)
		return PROF_FAIL;
	sha256_of(m->image, m->sha256);
	m->size = m->image.size;
	m->ordinal = r->ordinal;
	return bundle_lines_match(&r->lines, m, &r->cli->err);
}

enum prof_status
bundle_reader_next(struct bundle_reader *r, struct bundle_member *out)
{
	struct cli *c = r->cli;
	enum prof_status status;
	struct input_member m;

	while ((status = input_next(r->in, &m, &c->err)) == PROF_OK) {
		r->ordinal++;
		reader_set_member(r, m.name);
		out->name = r->name;
		/* Members that are not wanted must match their lines too. */
		status = reader_read_member(r, out);
		if (status != PROF_OK || cli_wants(c, &m))
			return status;
	}
	r->ordinal++;
	reader_set_member(r, m.name);
	return status;
}

void
bundle_reader_close(struct bundle_reader *r)
{
	struct cli *c = r->cli;

	c->inputs.member = cli_keep_name(&c->inputs.failed_member,
	    c->err.code == PROF_E_NONE ? NULL : c->inputs.member);
	if (r->in != NULL)
		cli_progress_done(c);
	input_close(r->in);
	bundle_lines_free(&r->lines);
	free(r->name);
}
