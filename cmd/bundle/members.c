#include "config.h"

#include "cmd/bundle/members.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "cmd/bundle/facts.h"
#include "io/input.h"

/* What a worker found of a member. */
struct member_result {
	struct bundle_found found;
	struct arena arena;		/* of its facts */
};

/* State of a file that is set before its members are read. */
struct file_result {
	struct bundle_lines lines;
	bool nameless;			/* messages name the file only */
	bool fatal;			/* the run ends */
};

struct members_worker {
	const struct bundle_members *members;
	struct cli *cli;
};

static void *
members_worker_start(void *arg, struct cli *view)
{
	struct members_worker *w = calloc(1, sizeof(*w));

	if (w != NULL)
		*w = (struct members_worker){ arg, view };
	return w;
}

/* Whether the user wants the member; all members of a bundle are read. */
static bool
members_is_wanted(const struct bundle_members *b, const struct cli *c)
{
	const struct input_member m = { .name = c->inputs.member };

	return b->own || cli_wants(c, &m);
}

static void *
members_read_member(void *arg, const struct cli_bytes *bytes,
    struct prof_error *err)
{
	struct members_worker *w = arg;
	struct member_result *f = calloc(1, sizeof(*f));
	struct bundle_found *found = &f->found;

	if (f == NULL)
		cli_out_of_memory(w->cli);
	found->member.size = found->facts.size = bytes->image.size;
	sha256_of(bytes->image, found->member.sha256);
	memcpy(found->facts.sha256, found->member.sha256, SHA256_SIZE);
	if (members_is_wanted(w->members, w->cli))
		bundle_facts(w->cli, bytes->image, &(struct bundle_facts){
		    &found->facts, &f->arena, &found->tally }, err);
	return f;
}

static struct file_result *
new_file_result(const struct cli *c, struct cli_item *item)
{
	struct file_result *n = item->note = calloc(1, sizeof(*n));

	if (n == NULL)
		cli_out_of_memory(c);
	return n;
}

static enum cli_action
members_read_manifest(struct bundle_members *b, const struct cli *c,
    struct cli_item *item)
{
	struct file_result *n = new_file_result(c, item);
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

/* Refuses a file; the message does not name its first member. */
static enum cli_action
members_leave_file(const struct cli *c, struct cli_item *item, bool fatal)
{
	struct file_result *n = new_file_result(c, item);

	n->nameless = item->status == PROF_OK;
	n->fatal = fatal;
	item->status = fatal ? err_set(&item->err, PROF_E_UNSUPPORTED, "is "
	    "read twice and must therefore be a file") :
	    bundle_err_no_bundle(&item->err);
	return CLI_SKIP_FILE;
}

static bool
is_regular_input(const struct cli *c, const struct cli_item *item)
{
	return S_ISREG(input_stat(item->in)->st_mode) &&
	    strcmp(c->inputs.file, "-") != 0;
}

static enum cli_action
members_select(void *arg, struct cli *c, struct cli_item *item,
    const struct input_member *m, uint64_t ordinal)
{
	struct bundle_members *b = arg;
	bool first = ordinal == 1, good = item->status == PROF_OK;

	if (first)
		b->is_bundle = false;
	if (first && good && !is_regular_input(c, item))
		return members_leave_file(c, item, true);
	if (first && good && bundle_is_manifest(m->name, m->start))
		return members_read_manifest(b, c, item);
	if (first && good && b->own && c->inputs.number == 1)
		return members_leave_file(c, item, false);
	/* All members of a bundle are compared with its manifest. */
	if (!good || b->is_bundle)
		return CLI_READ_MEMBER;
	if (!cli_wants(c, m) && !(b->own && c->inputs.number == 1))
		return CLI_SKIP_MEMBER;
	if (!cli_is_foreign(c, m))
		return CLI_READ_MEMBER;
	c->report.skipped++;
	return CLI_SKIP_MEMBER;
}

static enum prof_status
members_commit_bad(struct bundle_members *b, struct cli *c, struct prof_error e,
    const struct cli_tally *tally)
{
	c->err = e;
	return b->visitor->bad(b, c, tally);
}

/* Compares the member with its lines; then its decoding may have failed. */
static enum prof_status
members_commit_member(struct bundle_members *b, struct cli *c,
    struct commit_entry *entry)
{
	static const struct cli_tally nothing;
	struct bundle_found *found =
	    &((struct member_result *)entry->result)->found;
	struct prof_error e = { 0 };

	found->member.name = c->inputs.member;
	found->member.ordinal = entry->ordinal;
	found->time = entry->time;
	if (bundle_lines_match(&b->lines, &found->member, &e) != PROF_OK)
		return members_commit_bad(b, c, e, &nothing);
	if (!cli_wants(c, &(struct input_member){ .name = c->inputs.member }) &&
	    !(b->own && b->files == 0))
		return PROF_OK;
	return entry->err.code == PROF_E_NONE ? b->visitor->member(b, c, found)
	    : members_commit_bad(b, c, entry->err, &found->tally);
}

static enum prof_status
members_commit_end(struct bundle_members *b, struct cli *c)
{
	enum prof_status status = PROF_OK;
	const struct manifest_profile *p;

	while (status == PROF_OK && (p = bundle_lines_missing(&b->lines)) !=
	    NULL)
		status = b->visitor->missing(b, c, p);
	/* After a failure the message may still point into the lines. */
	if (status != PROF_OK)
		return status;
	bundle_lines_free(&b->lines);
	b->begun = false;
	b->files++;
	return PROF_OK;
}

static enum prof_status
members_commit_begin(struct bundle_members *b, struct cli *c,
    const struct commit_entry *entry)
{
	struct file_result *n = entry->note;

	b->begun = true;
	if (n != NULL) {
		b->lines = n->lines;
		n->lines = (struct bundle_lines){ .is_bundle = false };
	}
	return b->visitor->begin == NULL ? PROF_OK :
	    b->visitor->begin(b, c, entry);
}

static enum prof_status
members_commit(void *arg, struct cli *c, struct commit_entry *entry)
{
	static const struct cli_tally nothing;
	struct bundle_members *b = arg;
	const struct file_result *n = entry->note;
	enum prof_status status = PROF_OK;

	if (n != NULL && n->nameless)
		c->inputs.member = NULL;
	if (n != NULL && n->fatal)
		return PROF_FAIL;
	c->err = (struct prof_error){ 0 };
	if (!b->begun)
		status = members_commit_begin(b, c, entry);
	if (status == PROF_OK && entry->result != NULL)
		status = members_commit_member(b, c, entry);
	else if (status == PROF_OK && entry->err.code != PROF_E_NONE)
		status = members_commit_bad(b, c, entry->err, &nothing);
	return status == PROF_OK && entry->last ? members_commit_end(b, c) :
	    status;
}

static void
members_drop_entry(struct commit_entry *entry)
{
	struct member_result *f = entry->result;
	struct file_result *n = entry->note;

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
	const struct cli_pipeline work = { .arg = b,
	    .start = members_worker_start, .stop = free,
	    .classify = members_select, .process = members_read_member,
	    .commit = members_commit, .drop = members_drop_entry };
	enum prof_status status = cli_pipeline_run(c, &work);

	bundle_lines_free(&b->lines);
	return status;
}
