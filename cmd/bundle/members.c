#include "config.h"

#include "cmd/bundle/members.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "cmd/bundle/facts.h"
#include "io/input.h"

/* What a thread has found. */
struct found {
	struct bundle_found found;
	struct arena arena;		/* of its facts */
};

/* What there is to say of a file before its members are read. */
struct news {
	struct bundle_lines lines;
	bool nameless;			/* no member is to blame */
	bool fatal;			/* the run ends */
};

struct worker {
	const struct bundle_members *members;
	struct cli *cli;
};

static void *
start(void *arg, struct cli *view)
{
	struct worker *w = calloc(1, sizeof(*w));

	if (w != NULL)
		*w = (struct worker){ arg, view };
	return w;
}

/* Whether it was asked for; of a bundle, all members are looked at. */
static bool
is_wanted(const struct bundle_members *b, const struct cli *c)
{
	const struct input_member m = { .name = c->inputs.member };

	return b->own || cli_wants(c, &m);
}

static void *
take(void *arg, const struct cli_bytes *bytes, struct prof_error *err)
{
	struct worker *w = arg;
	struct found *f = calloc(1, sizeof(*f));
	struct bundle_found *found = &f->found;

	if (f == NULL)
		cli_out_of_memory(w->cli);
	found->member.size = found->facts.size = bytes->image.size;
	sha256_of(bytes->image, found->member.sha256);
	memcpy(found->facts.sha256, found->member.sha256, SHA256_SIZE);
	if (w->members->decode && is_wanted(w->members, w->cli))
		bundle_facts(w->cli, bytes->image, &f->arena, &found->facts,
		    &found->tally, err);
	return f;
}

static struct news *
new_news(const struct cli *c, struct cli_item *item)
{
	struct news *n = item->note = calloc(1, sizeof(*n));

	if (n == NULL)
		cli_out_of_memory(c);
	return n;
}

static enum cli_action
look_at_manifest(struct bundle_members *b, const struct cli *c,
    struct cli_item *item)
{
	struct news *n = new_news(c, item);
	struct prof_span text;

	item->status = input_image(item->in, &text, &item->err);
	if (item->status == PROF_OK)
		item->status = bundle_lines_read(&n->lines, text, &item->err);
	b->is_bundle = item->status == PROF_OK;
	if (b->is_bundle)
		return CLI_REPORT_MEMBER;
	bundle_lines_free(&n->lines);
	return CLI_SKIP_FILE;
}

/* An archive's member is not to blame for what the file is. */
static enum cli_action
leave(const struct cli *c, struct cli_item *item, bool fatal)
{
	struct news *n = new_news(c, item);

	n->nameless = item->status == PROF_OK;
	n->fatal = fatal;
	item->status = fatal ? err_set(&item->err, PROF_E_UNSUPPORTED,
	    "is read twice, and has to be a file for that") :
	    bundle_none(&item->err);
	return CLI_SKIP_FILE;
}

static bool
is_file(const struct cli *c, const struct cli_item *item)
{
	return S_ISREG(input_stat(item->in)->st_mode) &&
	    strcmp(c->inputs.file, "-") != 0;
}

static enum cli_action
look(void *arg, struct cli *c, struct cli_item *item,
    const struct input_member *m, uint64_t ordinal)
{
	struct bundle_members *b = arg;
	bool first = ordinal == 1, good = item->status == PROF_OK;

	if (first)
		b->is_bundle = false;
	if (first && good && b->again && !is_file(c, item))
		return leave(c, item, true);
	if (first && good && bundle_begins(m))
		return look_at_manifest(b, c, item);
	if (first && b->bundles)
		return leave(c, item, false);
	/* All of a bundle are held against the manifest. */
	if (!good || b->is_bundle)
		return CLI_READ_MEMBER;
	if (!cli_wants(c, m) && !(b->own && c->inputs.number == 1))
		return CLI_SKIP_MEMBER;
	if (!cli_is_foreign(m))
		return CLI_READ_MEMBER;
	c->report.skipped++;
	return CLI_SKIP_MEMBER;
}

static enum prof_status
commit_bad(struct bundle_members *b, struct cli *c, struct prof_error e,
    const struct cli_tally *tally)
{
	c->err = e;
	return b->taker->bad(b, c, tally);
}

/* It is what its lines say, and then what was found. */
static enum prof_status
commit_member(struct bundle_members *b, struct cli *c, struct commit_entry *turn)
{
	static const struct cli_tally nothing;
	struct bundle_found *found = &((struct found *)turn->result)->found;
	struct prof_error e = { 0 };

	found->member.name = c->inputs.member;
	found->member.ordinal = turn->ordinal;
	if (bundle_lines_match(&b->lines, &found->member, &e) != PROF_OK)
		return commit_bad(b, c, e, &nothing);
	if (!cli_wants(c, &(struct input_member){ .name = c->inputs.member }) &&
	    !(b->own && b->files == 0))
		return PROF_OK;
	return turn->err.code == PROF_E_NONE ? b->taker->member(b, c, found) :
	    commit_bad(b, c, turn->err, &found->tally);
}

static enum prof_status
commit_end(struct bundle_members *b, struct cli *c,
    const struct commit_entry *turn)
{
	enum prof_status status = PROF_OK;
	const struct manifest_profile *p;

	while (status == PROF_OK && (p = bundle_missing(&b->lines)) != NULL)
		status = b->taker->missing(b, c, p);
	if (status == PROF_OK && b->taker->end != NULL)
		status = b->taker->end(b, c, turn);
	/* A failure may name what is in the lines. */
	if (status != PROF_OK)
		return status;
	bundle_lines_free(&b->lines);
	b->begun = false;
	b->files++;
	return PROF_OK;
}

static enum prof_status
commit_begin(struct bundle_members *b, struct cli *c,
    const struct commit_entry *turn)
{
	struct news *n = turn->note;

	b->begun = true;
	if (n != NULL) {
		b->lines = n->lines;
		n->lines = (struct bundle_lines){ .is_bundle = false };
	}
	return b->taker->begin == NULL ? PROF_OK :
	    b->taker->begin(b, c, turn);
}

static enum prof_status
commit(void *arg, struct cli *c, struct commit_entry *turn)
{
	static const struct cli_tally nothing;
	struct bundle_members *b = arg;
	const struct news *n = turn->note;
	enum prof_status status = PROF_OK;

	if (n != NULL && n->nameless)
		c->inputs.member = NULL;
	if (n != NULL && n->fatal)
		return PROF_FAIL;
	c->err = (struct prof_error){ 0 };
	if (!b->begun)
		status = commit_begin(b, c, turn);
	if (status == PROF_OK && turn->result != NULL)
		status = commit_member(b, c, turn);
	else if (status == PROF_OK && turn->err.code != PROF_E_NONE)
		status = commit_bad(b, c, turn->err, &nothing);
	return status == PROF_OK && turn->last ? commit_end(b, c, turn) :
	    status;
}

static void
drop(struct commit_entry *turn)
{
	struct found *f = turn->result;
	struct news *n = turn->note;

	if (f != NULL)
		arena_free(&f->arena);
	if (n != NULL)
		bundle_lines_free(&n->lines);
	free(f);
	free(n);
}

enum prof_status
bundle_members_read(struct bundle_members *b, struct cli *c)
{
	const struct cli_pipeline work = { .arg = b, .start = start, .stop = free,
	    .classify = look, .process = take, .commit = commit, .drop = drop };
	enum prof_status status = cli_pipeline_run(c, &work);

	bundle_lines_free(&b->lines);
	return status;
}
