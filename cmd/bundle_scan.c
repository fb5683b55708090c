#include "config.h"

#include "bundle_scan.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "bundle_facts.h"
#include "bundle_read.h"
#include "cli_consume.h"
#include "io/input.h"

struct scan {
	struct cli *cli;
	const struct bundle_options *options;
	bool decode;
	struct bundle_set *set;
	struct bundle_reader reader;
	struct arena arena;		/* of the member at hand */
};

/* What was unpacked on the way has lost the suffix that told of it. */
static struct prof_span
path_of(const char *name)
{
	static const char *const suffixes[] = {
		".gz", ".xz", ".zst", ".bz2", ".lz4", ".lzma", ".Z"
	};
	struct prof_span path = { (const uint8_t *)name, strlen(name) };

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		size_t n = strlen(suffixes[i]);

		if (path.size > n &&
		    memcmp(name + path.size - n, suffixes[i], n) == 0) {
			path.size -= n;
			break;
		}
	}
	return path;
}

static enum prof_status
add(struct scan *s, struct manifest_profile *p, uint64_t ordinal)
{
	const struct bundle_options *o = s->options;
	struct prof_error *err = &s->cli->err;

	if (bundle_set_label(s->set, p, o->labels, o->labels_size, err)
	    != PROF_OK)
		return PROF_FAIL;
	return bundle_set_add(s->set, p, ordinal, err);
}

/* A profile of a bundle keeps the paths and labels that it had there. */
static enum prof_status
add_lines(struct scan *s, const struct bundle_member *m,
    const struct manifest_profile *facts)
{
	for (size_t i = 0; i < m->lines_size; i++) {
		struct manifest_profile p = *facts;

		p.path = m->lines[i]->path;
		p.labels = m->lines[i]->labels;
		p.labels_size = m->lines[i]->labels_size;
		p.inputs = m->lines[i]->inputs;
		p.inputs_size = m->lines[i]->inputs_size;
		if (add(s, &p, m->ordinal) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

static void
tell(const struct cli *c, const struct manifest_profile *p)
{
	/* What is not decoded here is not known. */
	if (!c->verbose || p->format.size == 0)
		return;
	fprintf(stderr, "%s: %s%s%s%s: %.*s version %llu\n", c->name, c->file,
	    c->member == NULL ? "" : "[", c->member == NULL ? "" : c->member,
	    c->member == NULL ? "" : "]", (int)p->format.size,
	    (const char *)p->format.data, (unsigned long long)p->version);
}

static enum prof_status
take(struct scan *s, const struct bundle_member *m)
{
	struct cli *c = s->cli;
	struct manifest_profile p = { 0 };
	struct cli_tally tally = { 0 };

	arena_reset(&s->arena);
	p.size = m->image.size;
	memcpy(p.sha256, m->sha256, SHA256_SIZE);
	if (s->decode && bundle_facts(c, m->image, &s->arena, &p, &tally,
	    &c->err) != PROF_OK)
		return cli_damage_skip(c, &tally);
	bundle_keep(c, &tally);
	tell(c, &p);
	if (m->lines_size > 0)
		return add_lines(s, m, &p);
	p.path = path_of(m->name == NULL ? c->file : m->name);
	return add(s, &p, m->ordinal);
}

static enum prof_status
bad(struct scan *s)
{
	static const struct cli_tally nothing;

	return cli_damage_skip(s->cli, &nothing);
}

static enum prof_status
take_members(struct scan *s)
{
	enum prof_status status = PROF_OK, next;
	struct bundle_member m;

	while (status == PROF_OK) {
		next = bundle_next(&s->reader, &m);
		if (next == PROF_END)
			break;
		status = next == PROF_OK ? take(s, &m) : bad(s);
	}
	return status;
}

static enum prof_status
tell_missing(struct scan *s)
{
	struct cli *c = s->cli;
	const struct manifest_profile *p;

	while ((p = bundle_missing(&s->reader)) != NULL) {
		c->member = NULL;
		err_set(&c->err, PROF_E_TRUNCATED, "%s is in the manifest, "
		    "but not in the bundle", (const char *)p->member.data);
		if (bad(s) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

/* It will be read once more. */
static enum prof_status
check_file(struct scan *s)
{
	const struct stat *st = input_stat(s->reader.in);

	if (s->cli->err.code != PROF_E_NONE || (S_ISREG(st->st_mode) &&
	    strcmp(s->cli->file, "-") != 0))
		return PROF_OK;
	s->cli->member = NULL;
	return err_set(&s->cli->err, PROF_E_UNSUPPORTED, "is read twice, and "
	    "has to be a file for that");
}

static enum prof_status
scan_file(struct scan *s, struct buf *memory)
{
	struct cli *c = s->cli;
	uint64_t damaged = c->damage.bad, skipped = c->skipped;
	enum prof_status status;

	if (bundle_open(&s->reader, c, memory) != PROF_OK)
		status = bad(s);
	else if (check_file(s) != PROF_OK)
		status = PROF_FAIL;
	else {
		status = bundle_set_source(s->set, c->file,
		    c->member != NULL, &c->err);
		if (status == PROF_OK)
			status = take_members(s);
		if (status == PROF_OK)
			status = tell_missing(s);
	}
	/* What is not all in the output stays. */
	if (status == PROF_OK && c->consume != NULL && c->input != NULL &&
	    damaged == c->damage.bad && skipped == c->skipped)
		status = cli_consume_note(c, input_stat(s->reader.in),
		    &c->err);
	bundle_close(&s->reader);
	return status;
}

enum prof_status
bundle_scan_file(struct cli *c, const struct bundle_options *o, bool decode,
    struct bundle_set *set, struct buf *memory)
{
	struct scan s = { .cli = c, .options = o, .decode = decode,
	    .set = set };
	bool muted = c->muted;
	enum prof_status status;

	/* What a reader warns of is in the bundle still. */
	c->muted = true;
	status = scan_file(&s, memory);
	c->muted = muted;
	arena_free(&s.arena);
	return status;
}

enum prof_status
bundle_scan(struct cli *c, const struct bundle_options *o, bool decode,
    struct bundle_set *set)
{
	struct buf memory = { 0 };
	enum prof_status status;

	cli_damage_begin(c);
	cli_progress_begin(c);
	while ((status = cli_next_input(c)) == PROF_OK) {
		status = bundle_scan_file(c, o, decode, set, &memory);
		if (status != PROF_OK)
			break;
	}
	if (status == PROF_END) {
		c->file = NULL;
		status = cli_damage_settle(c);
	}
	buf_free(&memory);
	return status;
}
