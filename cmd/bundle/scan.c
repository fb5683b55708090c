/* cmd/bundle/scan.c - the first reading of all inputs, into a set */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "bundle/manifest.h"
#include "bundle/manifest_facts.h"
#include "cmd/bundle/bundle.h"
#include "cmd/common/pipeline.h"
#include "io/input.h"

/* The result for a member that agrees with its lines of the manifest. */
struct bundle_found {
	struct bundle_member member;	/* image is empty */
	struct manifest_profile facts;
	struct arena arena;		/* of lists of the facts */
	int64_t time;			/* of its modification */
};

struct bundle_members {
	const struct bundle_options *options;
	struct bundle_set *set;
	bool own;			/* first input: --member is ignored */

	bool is_bundle;			/* the file being read */
	struct bundle_lines lines;	/* of the file being committed */
	uint64_t files;			/* committed to their end */
	bool begun;			/* the file behind those */
};

static enum prof_status
facts_read_records(struct manifest_facts *f, struct cli *c,
    struct prof_span image, struct prof_error *err)
{
	struct prof_reader *reader = prof_open(c->context, image, err);
	enum prof_status status = PROF_FAIL;
	struct prof_record r;

	while (reader != NULL &&
	    (status = prof_next(reader, &r, err)) == PROF_OK) {
		cli_progress_record(c, &r);
		if (manifest_facts_add(f, &r, err) != PROF_OK) {
			status = PROF_FAIL;
			break;
		}
	}
	prof_close(reader);
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

/* Decodes the image and sets the members from format to counts. */
static void
members_find_facts(struct cli *c, struct prof_span image,
    struct bundle_found *found, struct prof_error *err)
{
	struct manifest_facts f = { .profile = &found->facts,
	    .arena = &found->arena };

	facts_read_records(&f, c, image, err);
	/* The first failure stays in err. */
	manifest_facts_end(&f, prof_sniff(image), err);
}

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
members_read_member(void *arg, struct cli_item *item,
    struct prof_error *err)
{
	struct members_worker *w = arg;
	struct bundle_found *found = calloc(1, sizeof(*found));

	if (found == NULL)
		cli_out_of_memory(w->cli);
	found->member.size = found->facts.size = item->image.size;
	sha256_of(item->image, found->member.sha256);
	memcpy(found->facts.sha256, found->member.sha256, SHA256_SIZE);
	if (members_is_wanted(w->members, w->cli))
		members_find_facts(w->cli, item->image, found, err);
	return found;
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

enum { SCAN_TIME_SIZE = 24 };		/* of a time as text */

/* The name without the suffix of its compression, which input removes. */
static struct prof_span
path_without_suffix(const char *name)
{
	static const char *const suffixes[] = {
		".gz", ".xz", ".zst", ".bz2", ".lz4", ".lzma", ".Z"
	};
	struct prof_span path = span_of_text(name);

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

/* Whether the file is the bundle to which `add` adds. */
static bool
scan_is_own(const struct bundle_members *b)
{
	return b->own && b->files == 0;
}

/* What tells the run of a profile that is in no bundle; NULL: no memory. */
static const char *
scan_run(struct bundle_set *set, const struct bundle_options *o, int64_t time)
{
	char *text;

	if (o->dedup == BUNDLE_BY_CONTENT)
		return "";
	if (o->run.size != 0)
		return (const char *)o->run.data;
	text = arena_alloc(&set->arena, SCAN_TIME_SIZE);
	if (text != NULL)
		snprintf(text, SCAN_TIME_SIZE, "@%lld", (long long)time);
	return text;
}

static void
scan_print_profile(const struct cli *c, const struct manifest_profile *p)
{
	if (!c->options.verbose)
		return;
	message_print("%s: ", c->name);
	cli_print_input(c, NULL);
	message_print(": %.*s version %llu\n", (int)p->format.size,
	    (const char *)p->format.data, (unsigned long long)p->version);
}

/* A profile of a bundle keeps the paths and runs that it had there. */
static enum prof_status
scan_add_member(struct bundle_members *b, struct cli *c,
    const struct bundle_found *found)
{
	const struct bundle_member *m = &found->member;
	struct manifest_profile p = found->facts;
	const char *run;

	c->report.damage.used++;
	scan_print_profile(c, &p);
	for (size_t i = 0; i < m->lines_size; i++) {
		p.path = m->lines[i]->path;
		p.run = m->lines[i]->run;
		if (bundle_set_add(b->set, &p, m->ordinal, &c->err) != PROF_OK)
			return PROF_FAIL;
	}
	if (m->lines_size > 0)
		return PROF_OK;
	p.path = path_without_suffix(m->name == NULL ? c->inputs.file :
	    m->name);
	run = scan_run(b->set, b->options, found->time);
	if (run == NULL)
		return err_memory(&c->err);
	p.run = span_of_text(run);
	return bundle_set_add(b->set, &p, m->ordinal, &c->err);
}

/* Damage of the bundle to add to ends the run: nothing of it may be lost. */
static enum prof_status
scan_skip_bad(struct bundle_members *b, struct cli *c)
{
	if (!scan_is_own(b))
		return cli_damage_skip(c);
	c->report.damage.needs_all = true;
	c->report.damage.bad++;
	return PROF_FAIL;
}

static enum prof_status
scan_report_missing(struct bundle_members *b, struct cli *c,
    const struct manifest_profile *p)
{

	c->inputs.member = NULL;
	err_set(&c->err, PROF_E_TRUNCATED, "%s is in the manifest, but not in "
	    "the bundle", (const char *)p->member.data);
	return scan_skip_bad(b, c);
}

/* Compares the member with its lines; then its decoding may have failed. */
static enum prof_status
members_commit_member(struct bundle_members *b, struct cli *c,
    struct cli_item *entry)
{
	struct bundle_found *found = entry->result;
	struct prof_error e = { 0 };

	found->member.name = c->inputs.member;
	found->member.ordinal = entry->ordinal;
	found->time = entry->time;
	if (bundle_lines_match(&b->lines, &found->member, &e) != PROF_OK) {
		c->err = e;
		return scan_skip_bad(b, c);
	}
	if (!cli_wants(c, &(struct input_member){ .name = c->inputs.member }) &&
	    !(b->own && b->files == 0))
		return PROF_OK;
	if (entry->err.code == PROF_E_NONE)
		return scan_add_member(b, c, found);
	c->err = entry->err;
	return scan_skip_bad(b, c);
}

static enum prof_status
members_commit_end(struct bundle_members *b, struct cli *c)
{
	enum prof_status status = PROF_OK;
	const struct manifest_profile *p;

	while (status == PROF_OK && (p = bundle_lines_missing(&b->lines)) !=
	    NULL)
		status = scan_report_missing(b, c, p);
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
    const struct cli_item *entry)
{
	struct file_result *n = entry->note;

	b->begun = true;
	if (n != NULL) {
		b->lines = n->lines;
		n->lines = (struct bundle_lines){ .is_bundle = false };
	}
	return bundle_set_source(b->set, c->inputs.file, entry->member != NULL,
	    &c->err);
}

static enum prof_status
members_commit(void *arg, struct cli *c, struct cli_item *entry)
{
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
	else if (status == PROF_OK && entry->err.code != PROF_E_NONE) {
		c->err = entry->err;
		status = scan_skip_bad(b, c);
	}
	return status == PROF_OK && entry->last ? members_commit_end(b, c) :
	    status;
}

static void
members_drop_entry(struct cli_item *entry)
{
	struct bundle_found *found = entry->result;
	struct file_result *n = entry->note;

	if (found != NULL)
		arena_free(&found->arena);
	if (n != NULL)
		bundle_lines_free(&n->lines);
	free(found);
	free(n);
}

enum prof_status
bundle_scan(struct cli *c, const struct bundle_options *o,
    bool own, struct bundle_set *set)
{
	struct bundle_members b = { .options = o, .set = set, .own = own };
	const struct cli_pipeline work = { .arg = &b,
	    .start = members_worker_start, .stop = free,
	    .classify = members_select, .process = members_read_member,
	    .commit = members_commit, .drop = members_drop_entry };
	bool muted = c->report.muted;
	enum prof_status status;

	/* Warnings are of losses in decoding; the bundle keeps the bytes. */
	c->report.muted = true;
	status = cli_pipeline_run(c, &work);
	bundle_lines_free(&b.lines);
	c->report.muted = muted;
	return status == PROF_OK ? cli_damage_settle(c) : PROF_FAIL;
}
