/* prof-check - are profiles whole, consistent, and worth using? */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sha256.h"
#include "bundle/manifest_facts.h"
#include "bundle/lines.h"
#include "cmd/check/outputs.h"
#include "cmd/check/duplicates.h"
#include "cmd/common/message_text.h"
#include "cmd/common/pipeline.h"
#include "cmd/common/restrict.h"
#include "io/input.h"

struct check_run {
	struct cli cli;
	bool strict;
	uint64_t members;		/* of the file being read */
	bool is_bundle;			/* that file is one */
	struct duplicates files;

	/* Used by the thread that commits. */
	struct check_outputs outputs;
	struct duplicates contents;
	struct bundle_lines bundle;
	uint64_t states[3];		/* inputs, by enum check_state */
};

/* The state of one worker. */
struct check_worker {
	struct cli *cli;
	struct sha256 *digest;
	const struct cli_bytes *bytes;
	struct check_found *found;
};

/* The result for a member. */
struct check_found {
	struct check check;
	const char *format;		/* of its bytes, or NULL */
	enum stream_rule broken_rule;
	struct manifest_profile facts;	/* of a member of a bundle */
	struct arena arena;		/* of the facts */
	uint8_t digest[SHA256_SIZE];
	struct prof_error reasons[CHECK_REASONS];
	uint64_t reason_count;
};

/* What is known of a file or member before it is read. */
struct check_file {
	const char *duplicate;		/* name of the same file, or NULL */
	struct bundle_lines bundle;	/* read from this member */
	bool in_bundle;			/* a member that a manifest describes */
};

static const struct cli_option options[] = {
	{ 0, "strict", NULL, "exit with 1 if an input is suspect, too",
	    CLI_SETS(struct check_run, strict) },
	{ 0, "json", NULL, "print lines of JSON, as --report writes them",
	    CLI_SETS(struct check_run, outputs.json) },
	CLI_JOBS_ROW,
	{ 0 }
};

static const struct cli_program program = { "prof-check", NULL,
"usage: prof-check [options] [FILE...]\n"
"Checks whether files, and members of archives, are intact and plausible\n"
"profiles.\n",
	.tables = { options, cli_options }
};

static void
check_note_reason(struct prof_error *reasons, uint64_t *reason_count,
    const struct prof_error *e)
{
	if (*reason_count < CHECK_REASONS)
		reasons[*reason_count] = *e;
	++*reason_count;
}

/* A prof_warn: notes a reason why the input is suspect. */
static void
check_note_suspicion(void *arg, const struct prof_error *e)
{
	struct check_found *f = ((struct check_worker *)arg)->found;

	check_note_reason(f->reasons, &f->reason_count, e);
}

static void
check_worker_stop(void *arg)
{
	struct check_worker *w = arg;

	sha256_free(w->digest);
	free(w);
}

static void *
check_worker_start(void *arg, struct cli *view)
{
	struct check_run *r = arg;
	struct check_worker *w = calloc(1, sizeof(*w));

	if (w == NULL)
		return NULL;
	prof_context_free(view->context);
	view->context = prof_context_share(r->cli.context, check_note_suspicion,
	    w);
	w->cli = view;
	w->digest = sha256_new();
	if (view->context != NULL && w->digest != NULL)
		return w;
	check_worker_stop(w);
	return NULL;
}

/* A prof_pull that also adds the bytes to the digest. */
static ssize_t
check_pull(void *arg, void *data, size_t size)
{
	struct check_worker *w = arg;
	ssize_t n = w->bytes->pull(w->bytes->arg, data, size);

	if (n > 0)
		sha256_add(w->digest, data, (size_t)n);
	if (n > 0)
		w->found->facts.size += (uint64_t)n;
	return n;
}

static struct prof_reader *
check_open_reader(struct check_worker *w, struct prof_error *err)
{
	const struct prof_span image = w->bytes->image;

	if (w->bytes->pull != NULL) {
		w->found->format = "stream";
		return prof_open_stream(w->cli->context, check_pull, w, err);
	}
	w->found->format = prof_sniff(image);
	w->found->facts.size = image.size;
	sha256_add(w->digest, image.data, image.size);
	return prof_open(w->cli->context, image, err);
}

/* Reads and checks the records, and then their totals. */
static void *
check_read_records(void *arg, const struct cli_bytes *bytes,
    struct prof_error *err)
{
	struct check_worker *w = arg;
	const struct check_file *note = bytes->note;
	struct check_found *f = calloc(1, sizeof(*f));
	enum prof_status status = PROF_FAIL;
	struct manifest_facts facts;
	struct prof_reader *reader;
	struct prof_record record;

	if (f == NULL || manifest_facts_begin(&facts, &f->facts, &f->arena,
	    err) != PROF_OK)
		cli_out_of_memory(w->cli);
	w->found = f;
	w->bytes = bytes;
	reader = check_open_reader(w, err);
	while (reader != NULL &&
	    (status = prof_next(reader, &record, err)) == PROF_OK) {
		cli_progress_record(w->cli, &record);
		if (check_add(&f->check, &record, err) != PROF_OK) {
			prof_locate(reader, err);
			break;
		}
		if (note != NULL && note->in_bundle &&
		    manifest_facts_add(&facts, &record, err) != PROF_OK)
			break;
	}
	f->broken_rule = f->check.refs.broken_rule;
	if (reader != NULL && f->broken_rule == STREAM_RULE_NONE)
		f->broken_rule = context_broken_rule(w->cli->context);
	prof_close(reader);
	manifest_facts_end(&facts, f->format, err);
	/* That says nothing about the file. */
	if (err->code == PROF_E_MEMORY)
		cli_out_of_memory(w->cli);
	sha256_end(w->digest, f->digest);
	if (status == PROF_END)
		check_end(&f->check, check_note_suspicion, w);
	return f;
}

static struct check_file *
check_new_file(const struct cli *c, struct cli_item *item)
{
	struct check_file *n = item->note = calloc(1, sizeof(*n));

	if (n == NULL)
		cli_out_of_memory(c);
	return n;
}

static enum cli_action
check_read_manifest(struct check_run *r, const struct cli *c,
    struct cli_item *item)
{
	struct check_file *n = check_new_file(c, item);
	struct prof_span text;

	item->status = input_image(item->in, &text, &item->err);
	if (item->status == PROF_OK)
		item->status = bundle_lines_read(&n->bundle, text, &item->err);
	r->is_bundle = item->status == PROF_OK;
	return CLI_REPORT_MEMBER;
}

/* Whether the file was read before; the result replaces that of its members. */
static bool
check_is_duplicate_file(struct check_run *r, const struct cli *c,
    struct cli_item *item)
{
	const char *first;

	if (!duplicates_add_file(&r->files, input_stat(item->in),
	    c->inputs.file, &first))
		cli_out_of_memory(c);
	if (first != NULL)
		check_new_file(c, item)->duplicate = first;
	return first != NULL;
}

static enum cli_action
check_select_member(void *arg, struct cli *c, struct cli_item *item,
    const struct input_member *m, uint64_t ordinal)
{
	struct check_run *r = arg;

	if (ordinal == 1) {
		r->members = 0;
		r->is_bundle = false;
	}
	if (item->status != PROF_OK)
		return CLI_READ_MEMBER;
	if (++r->members == 1 && check_is_duplicate_file(r, c, item))
		return CLI_SKIP_FILE;
	if (r->members == 1 && bundle_is_manifest(m->name, m->start))
		return check_read_manifest(r, c, item);
	if (!cli_wants(c, m))
		return CLI_SKIP_MEMBER;
	/* All members of a bundle are profiles. */
	if (r->is_bundle)
		check_new_file(c, item)->in_bundle = true;
	if (r->is_bundle || !cli_is_foreign(c, m))
		return CLI_READ_MEMBER;
	c->report.skipped++;
	return CLI_SKIP_MEMBER;
}

/* Counts and prints a result. */
static enum prof_status
check_put_result(struct check_run *r, struct cli *c,
    struct check_result *result)
{
	enum check_state state = check_state(result);

	r->states[state]++;
	if (state == CHECK_BAD)
		c->report.damage.bad++;
	else
		c->report.damage.used++;
	c->err = (struct prof_error){ 0 };
	r->outputs.cli = c;
	return check_outputs_put(&r->outputs, result);
}

static void
check_add_duplicate(struct check_result *result, const char *what,
    const char *first)
{
	struct prof_error e = { 0 };

	err_set(&e, PROF_E_MISMATCH, "the same %s as %s", what, first);
	check_note_reason(result->reasons, &result->reason_count, &e);
}

/* Compares a member with the manifest, if its file is a bundle. */
static void
check_against_manifest(struct check_run *r, const struct cli *c,
    const struct check_found *f, struct prof_error *err)
{
	struct bundle_member m = { .name = c->inputs.member,
	    .size = f->facts.size };
	const char *key;

	memcpy(m.sha256, f->digest, SHA256_SIZE);
	if (bundle_lines_match(&r->bundle, &m, err) != PROF_OK ||
	    m.lines_size == 0)
		return;
	key = manifest_facts_differ(m.lines[0], &f->facts);
	if (key != NULL)
		err_set(err, PROF_E_MISMATCH, "the manifest has a different "
		    "value for %s", key);
}

/* Equal bytes under two names are suspect: a merge would add them twice. */
static void
check_duplicate_bytes(struct check_run *r, const struct cli *c,
    const struct check_found *f, struct check_result *result)
{
	const char *first;

	if (!duplicates_add_bytes(&r->contents, f->digest,
	    c->inputs.file, c->inputs.member, &first))
		cli_out_of_memory(c);
	if (first != NULL)
		check_add_duplicate(result, "bytes", first);
}

static enum prof_status
check_put_member(struct check_run *r, struct cli *c,
    const struct commit_entry *entry)
{
	static const struct check nothing;
	const struct check_found *f = entry->result;
	struct check_result result = { .file = c->inputs.file,
	    .member = c->inputs.member, .found = f == NULL ? &nothing :
	    &f->check, .error = entry->err };
	char text[SHA256_TEXT + 1];

	if (err_is_lack(entry->err.code))
		return PROF_FAIL;
	if (f != NULL) {
		result.format = f->format;
		result.broken_rule = f->broken_rule;
		result.reason_count = f->reason_count;
		memcpy(result.reasons, f->reasons, sizeof(f->reasons));
	}
	if (entry->err.code == PROF_E_NONE) {
		sha256_text(f->digest, text);
		result.sha256 = text;
		check_against_manifest(r, c, f, &result.error);
		check_duplicate_bytes(r, c, f, &result);
	}
	return check_put_result(r, c, &result);
}

static enum prof_status
check_put_duplicate(struct check_run *r, struct cli *c, const char *first)
{
	static const struct check nothing;
	struct check_result result = { .file = c->inputs.file,
	    .found = &nothing };

	check_add_duplicate(&result, "file", first);
	return check_put_result(r, c, &result);
}

/* At the end of a file: members that its manifest names and it lacks. */
static enum prof_status
check_end_bundle(struct check_run *r, struct cli *c)
{
	static const struct check nothing;
	enum prof_status status = PROF_OK;
	const struct manifest_profile *p;

	while (status == PROF_OK && c->options.member_glob == NULL &&
	    (p = bundle_lines_missing(&r->bundle)) != NULL) {
		struct check_result result = { .file = c->inputs.file,
		    .member = (const char *)p->member.data,
		    .found = &nothing };

		err_set(&result.error, PROF_E_TRUNCATED, "is in the manifest, "
		    "but missing");
		status = check_put_result(r, c, &result);
	}
	bundle_lines_free(&r->bundle);
	return status;
}

static enum prof_status
check_commit(void *arg, struct cli *c, struct commit_entry *entry)
{
	struct check_run *r = arg;
	struct check_file *n = entry->note;
	enum prof_status status = PROF_OK;

	if (entry->result != NULL || entry->err.code != PROF_E_NONE)
		status = check_put_member(r, c, entry);
	else if (n != NULL && n->duplicate != NULL)
		status = check_put_duplicate(r, c, n->duplicate);
	if (n != NULL && n->bundle.is_bundle) {
		r->bundle = n->bundle;
		n->bundle = (struct bundle_lines){ .is_bundle = false };
	}
	return status == PROF_OK && entry->last ? check_end_bundle(r, c) :
	    status;
}

static void
check_drop_entry(struct commit_entry *entry)
{
	struct check_found *f = entry->result;
	struct check_file *n = entry->note;

	if (f != NULL) {
		check_reset(&f->check);
		arena_free(&f->arena);
	}
	if (n != NULL)
		bundle_lines_free(&n->bundle);
	free(f);
	free(n);
}

/* Whether inputs were checked, and none of them is to be told of. */
static bool
check_passed(const struct check_run *r)
{
	const struct cli *c = &r->cli;
	bool any = (c->report.damage.used | c->report.damage.bad) != 0;

	if (!any && !c->options.quiet)
		message_print("%s: there is nothing to check\n", c->name);
	return any && r->states[CHECK_BAD] == 0 &&
	    (!r->strict || r->states[CHECK_SUSPECT] == 0);
}

static enum prof_status
check_run_inputs(struct check_run *r)
{
	const struct cli_pipeline work = { .arg = r,
	    .start = check_worker_start, .stop = check_worker_stop,
	    .classify = check_select_member, .streams = true,
	    .process = check_read_records, .commit = check_commit,
	    .drop = check_drop_entry };
	struct cli *c = &r->cli;
	enum prof_status status = check_outputs_open(&r->outputs, c);

	if (status == PROF_OK)
		status = cli_pipeline_run(c, &work);
	r->outputs.cli = c;
	if (status == PROF_OK)
		status = check_outputs_close(&r->outputs, r->states);
	if (status == PROF_OK)
		status = cli_damage_settle(c);
	if (status == PROF_OK)
		c->report.unclean = !check_passed(r);
	/* Bad inputs were reported, not left out: cli_end must not warn. */
	c->report.damage.bad = 0;
	return status;
}

int
main(int argc, char **argv)
{
	struct check_run r = { .strict = false };
	int status;

	cli_start(&r.cli, &program);
	prof_context_thorough(r.cli.context, true);
	cli_parse(&r.cli, &r, argc, argv);
	cli_restrict(&r.cli, NULL);
	r.outputs.report_name = r.cli.report.damage.report;
	r.cli.report.damage.report = NULL;
	cli_operands(&r.cli, argc - optind, argv + optind);

	status = cli_end(&r.cli, check_run_inputs(&r));
	check_outputs_free(&r.outputs);
	bundle_lines_free(&r.bundle);
	duplicates_free(&r.files);
	duplicates_free(&r.contents);
	return status;
}
