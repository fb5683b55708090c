#include "config.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "cli.h"
#include "io/input.h"

/*
 * More than any profile; a compressed bomb stops there.  On 32-bit hosts memory
 * ends before.
 */
#define MEMBER_MAX ((uint64_t)16 << 30)

static struct prof_span
span_of(const char *s)
{
	return (struct prof_span){ (const uint8_t *)s, strlen(s) };
}

/* What the decoder of bytes cannot know: which file they came from. */
static void
set_source(const struct cli *c, struct prof_source *s)
{
	if (s->file.data != NULL)
		return;
	s->file = span_of(c->file);
	if (c->member != NULL)
		s->member = span_of(c->member);
}

static void
tell(const struct cli *c, const struct prof_source *s)
{
	struct prof_error e = { 0 };

	if (!c->verbose)
		return;
	snprintf(e.reason, sizeof(e.reason), "%s version %llu",
	    s->format == NULL ? "stream" : s->format,
	    (unsigned long long)s->version);
	fprintf(stderr, "%s: %s%s%s%s: %s\n", c->name, c->file,
	    c->member == NULL ? "" : "[", c->member == NULL ? "" : c->member,
	    c->member == NULL ? "" : "]", e.reason);
}

static enum prof_status
take(struct cli *c, struct prof_record *r, cli_record *fn, void *arg)
{
	struct prof_record retargeted;

	if (r->kind == PROF_REC_PROFILE) {
		set_source(c, &r->u.profile.source);
		tell(c, &r->u.profile.source);
	}
	if (c->retargeter != NULL) {
		if (retarget_record(c->retargeter, r, &retargeted, &c->err)
		    != PROF_OK)
			return PROF_FAIL;
		r = &retargeted;
	}
	return fn(arg, r, &c->err);
}

static enum prof_status
read_records(struct cli *c, struct prof_reader *reader, cli_record *fn,
    void *arg)
{
	enum prof_status status;
	struct prof_record r;

	while ((status = prof_next(reader, &r, &c->err)) == PROF_OK) {
		status = take(c, &r, fn, arg);
		if (status != PROF_OK)
			break;
	}
	return status == PROF_FAIL ? PROF_FAIL : PROF_OK;
}

/* Other members of an archive are no concern of ours, unless they should be. */
static bool
is_foreign(const struct input_member *m)
{
	static const char *const suffixes[] = {
		"*.profraw", "*.profdata", "*.memprofraw"
	};

	if (m->name == NULL || m->start.size == 0 ||
	    prof_sniff(m->start) != NULL)
		return false;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		if (fnmatch(suffixes[i], m->name, 0) == 0)
			return false;
	}
	return true;
}

/* A look-up touches few pages: it need not read the others. */
static enum prof_status
get_image(struct cli *c, struct input *in, struct prof_span *image)
{
	if (c->select != NULL && input_map(in, image) == PROF_OK)
		return PROF_OK;
	return input_image(in, image, &c->err);
}

static enum prof_status
read_member(struct cli *c, struct input *in, const struct input_member *m,
    cli_record *fn, void *arg)
{
	enum prof_status status = PROF_FAIL;
	struct prof_reader *reader = NULL;
	struct prof_span image;

	if (is_foreign(m)) {
		c->skipped++;
		return PROF_OK;
	}
	if (prof_is_stream(m->start))
		reader = prof_open_stream(c->context, input_pull, in, &c->err);
	else if (get_image(c, in, &image) == PROF_OK)
		reader = prof_open(c->context, image, &c->err);
	if (reader != NULL && c->select != NULL)
		prof_select(reader, span_of(c->select));
	if (reader != NULL)
		status = read_records(c, reader, fn, arg);
	/* The input knows better than the decoder why bytes are missing. */
	if (status == PROF_FAIL && input_failure(in)->code != PROF_E_NONE)
		c->err = *input_failure(in);
	prof_close(reader);
	return status;
}

static enum prof_status
read_file(struct cli *c, struct buf *memory, cli_record *fn, void *arg)
{
	struct input *in = input_open(c->file, MEMBER_MAX, memory, &c->err);
	enum prof_status status = PROF_FAIL;
	struct input_member m;

	if (in == NULL)
		return PROF_FAIL;
	while (m.name = NULL,
	    (status = input_next(in, &m, &c->err)) == PROF_OK) {
		c->member = m.name;
		status = read_member(c, in, &m, fn, arg);
		if (status != PROF_OK)
			break;
	}
	if (status == PROF_FAIL && m.name != NULL) {
		/* The name goes with the input, the message comes after. */
		free(c->failed_member);
		c->member = c->failed_member = strdup(m.name);
	} else if (status != PROF_FAIL)
		c->member = NULL;
	input_close(in);
	return status == PROF_FAIL ? PROF_FAIL : PROF_OK;
}

enum prof_status
cli_read(struct cli *c, cli_record *fn, void *arg)
{
	enum prof_status status = PROF_OK;
	struct buf memory = { 0 };

	for (size_t i = 0; i < c->input_count && status == PROF_OK; i++) {
		c->file = c->inputs[i].path;
		c->input = &c->inputs[i];
		status = read_file(c, &memory, fn, arg);
	}
	if (status == PROF_OK)
		c->file = NULL;
	buf_free(&memory);
	return status;
}
