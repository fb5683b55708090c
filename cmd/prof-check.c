/* prof-check - are profiles whole, consistent, and worth using? */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/digests.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/json_text.h"
#include "base/numbers.h"
#include "bundle/lines.h"
#include "cmd/common/pipeline.h"
#include "cmd/print/print.h"
#include "io/input.h"
#include "io/output.h"
#include "model/releases.h"
#include "ops/check.h"

/* The contents of earlier inputs.  All zero is empty. */
struct duplicates {
	struct intern keys;		/* SHA-256 */
	struct arena arena;
	const char **names;		/* by number of the key */
	size_t room;
};

enum check_state { CHECK_OK, CHECK_SUSPECT, CHECK_BAD };

enum { CHECK_REASONS = 8 };		/* printed; further ones are counted */

/* The result for an input: a file, or a member of one. */
struct check_result {
	const char *file, *member;	/* NULL: the file is no archive */
	const char *format;		/* of its bytes, or NULL */
	const struct check *found;
	const char *sha256;		/* in hex, or NULL */
	struct prof_error error;	/* why it is bad, or all zero */
	struct prof_error reasons[CHECK_REASONS];
	uint64_t reason_count;		/* may be more than CHECK_REASONS */
};

/* All zero until check_outputs_open, except for report_name and json. */
struct check_outputs {
	const char *report_name;	/* of --report, or NULL */
	bool json;			/* standard output is as the report */
	struct cli *cli;
	struct output *out, *report;	/* either may be NULL */
	struct buf text;
};

/* FILE or FILE[MEMBER]. */
static const char *
input_label(struct duplicates *s, const char *file, const char *member)
{
	size_t size = strlen(file) + (member == NULL ? 0 : strlen(member)) + 3;
	char *text = arena_alloc(&s->arena, size);

	if (text != NULL)
		snprintf(text, size, "%s%s%s%s", file,
		    member == NULL ? "" : "[", member == NULL ? "" : member,
		    member == NULL ? "" : "]");
	return text;
}

/*
 * Sets *first to the name of the earlier input with this content, or to NULL if
 * it is new, and then notes it.  False if out of memory.
 */
static bool
duplicates_add(struct duplicates *s, const uint8_t sha256[SHA256_SIZE],
    const char *file, const char *member, const char **first)
{
	size_t before = s->keys.size;
	uint32_t n = intern_add(&s->keys, sha256, SHA256_SIZE);

	*first = NULL;
	if (n == INDEX_NONE)
		return false;
	if (n < before) {
		*first = s->names[n];
		return true;
	}
	if (!ARRAY_ROOM(s->names, before, s->room))
		return false;
	s->names[n] = input_label(s, file, member);
	return s->names[n] != NULL;
}

static void
duplicates_free(struct duplicates *s)
{
	intern_free(&s->keys);
	arena_free(&s->arena);
	free(s->names);
}

/* Bytes of a binary id that are printed. */
enum { CHECK_ID_BYTES = 32 };

static enum check_state
check_state(const struct check_result *r)
{
	if (r->error.code != PROF_E_NONE)
		return CHECK_BAD;
	return r->reason_count == 0 ? CHECK_OK : CHECK_SUSPECT;
}

static void
check_print_name(struct buf *b, const struct check_result *r, const char *state)
{
	const struct prof_source s = { .file = span_of_text(r->file),
	    .member = span_of_text(r->member) };

	show_source(b, &s);
	show_print(b, ": %s: ", state);
}

/* word: of what the reason is, or empty. */
static void
check_print_reason(struct buf *b, const struct check_result *r,
    const char *state, const char *word, const struct prof_error *e)
{
	check_print_name(b, r, state);
	show_print(b, "%s", word);
	if (e->where == PROF_AT_BYTE)
		show_print(b, "0x%" PRIx64 ": ", e->offset);
	else if (e->where == PROF_AT_LINE)
		show_print(b, "line %" PRIu64 ": ", e->offset);
	show_print(b, "%s\n", e->reason);
}

static void
check_print_number(struct buf *b, uint64_t n, const char *one, const char *many)
{
	if (n != 0)
		show_print(b, ", %" PRIu64 " %s", n, n == 1 ? one : many);
}

static void
check_print_ids(struct buf *b, const struct intern *ids)
{
	for (size_t i = 0; i < ids->size && i < 2; i++) {
		struct prof_span id = ids->items[i];

		id.size = id.size < CHECK_ID_BYTES ? id.size : CHECK_ID_BYTES;
		show_print(b, i == 0 ? ", binary " : " ");
		digits_append_hex(b, id);
	}
	if (ids->size > 2)
		show_print(b, " and %zu more", ids->size - 2);
}

/* The header, with the copy of its format, which outlives the record. */
static struct prof_header
check_header_of(const struct check *c)
{
	struct prof_header h = c->header;

	if (*c->format != '\0')
		h.source.format = c->format;
	return h;
}

static void
check_print_sound(struct buf *b, const struct check_result *r)
{
	const struct check *c = r->found;
	const struct prof_header h = check_header_of(c);
	const struct llvm_release_range l = llvm_release_writers(
	    h.source.format, h.source.version);

	check_print_name(b, r, "ok");
	if (r->format != NULL && strcmp(r->format, "stream") == 0 &&
	    h.source.format != NULL)
		show_print(b, "stream of ");
	show_kind(b, &h);
	if (l.first != NULL)
		show_print(b, ", LLVM %s%s%s", l.first->name,
		    l.first == l.last ? "" : " to ",
		    l.first == l.last ? "" : l.last->name);
	if (c->profiles > 1)
		check_print_number(b, c->profiles, "profile", "profiles");
	check_print_number(b, c->functions, "function", "functions");
	check_print_number(b, c->raw_counters, "counter", "counters");
	check_print_number(b, c->heap_functions, "heap function",
	    "heap functions");
	check_print_number(b, c->contexts, "heap context", "heap contexts");
	check_print_ids(b, &c->binary_ids);
	show_print(b, "\n");
}

/* Appends lines for people; none for a sound input if `quiet`. */
static void
check_print(struct buf *b, const struct check_result *r, bool quiet)
{
	uint64_t printed = r->reason_count < CHECK_REASONS ? r->reason_count :
	    CHECK_REASONS;

	switch (check_state(r)) {
	case CHECK_BAD:
		check_print_reason(b, r, "bad",
		    err_damage_word(r->error.code), &r->error);
		break;
	case CHECK_SUSPECT:
		for (uint64_t i = 0; i < printed; i++)
			check_print_reason(b, r, "suspect", "",
			    &r->reasons[i]);
		if (printed == r->reason_count)
			break;
		check_print_name(b, r, "suspect");
		show_print(b, "more reasons: %" PRIu64 "\n",
		    r->reason_count - printed);
		break;
	default:
		if (!quiet)
			check_print_sound(b, r);
	}
}

static void
check_json_facts(struct buf *b, const struct check *c)
{
	const struct prof_header h = check_header_of(c);
	const struct llvm_release_range l = llvm_release_writers(
	    h.source.format, h.source.version);

	show_kind_keys(b, &h);
	if (l.first != NULL) {
		json_member_text(b, "llvm_first", l.first->name);
		json_member_text(b, "llvm_last", l.last->name);
	}
	json_member_number(b, "profiles", c->profiles);
	json_member_number(b, "functions", c->functions);
	json_member_number(b, "counters", c->counters + c->raw_counters);
	json_member_number(b, "contexts", c->contexts);
	json_member_key(b, "binary_ids");
	json_text_plain(b, "[");
	for (size_t i = 0; i < c->binary_ids.size; i++) {
		json_text_plain(b, i == 0 ? "" : ",");
		json_text_hex(b, c->binary_ids.items[i]);
	}
	json_text_plain(b, "]");
}

static void
check_json_suspicions(struct buf *b, const struct check_result *r)
{
	json_member_key(b, "suspect");
	json_text_plain(b, "[");
	for (uint64_t i = 0; i < r->reason_count && i < CHECK_REASONS; i++) {
		json_text_plain(b, i == 0 ? "{" : ",{");
		report_line_place(b, &r->reasons[i]);
		json_member_text(b, "reason", r->reasons[i].reason);
		json_text_plain(b, "}");
	}
	json_text_plain(b, "]");
}

/* Appends a line of JSON. */
static void
check_report(struct buf *b, const struct check_result *r)
{
	static const char *const states[] = {
		[CHECK_OK] = "ok", [CHECK_SUSPECT] = "suspect",
		[CHECK_BAD] = "bad",
	};

	json_text_plain(b, "{");
	report_line_names(b, r->file, r->member);
	json_member_text(b, "state", states[check_state(r)]);
	if (r->sha256 != NULL)
		json_member_text(b, "sha256", r->sha256);
	if (r->error.code != PROF_E_NONE)
		report_line_error(b, &r->error);
	else if (r->found->profiles != 0)
		check_json_facts(b, r->found);
	if (r->reason_count != 0)
		check_json_suspicions(b, r);
	json_text_plain(b, "}\n");
}

/* Appends the last line: inputs by state, and members that are no profiles. */
static void
check_report_sums(struct buf *b, const uint64_t states[3], uint64_t skipped)
{
	json_text_plain(b, "{");
	json_member_number(b, "inputs", states[CHECK_OK] +
	    states[CHECK_SUSPECT] + states[CHECK_BAD]);
	json_member_number(b, "ok", states[CHECK_OK]);
	json_member_number(b, "suspect", states[CHECK_SUSPECT]);
	json_member_number(b, "bad", states[CHECK_BAD]);
	json_member_number(b, "skipped", skipped);
	json_text_plain(b, "}\n");
}

/* Makes the program's err and its messages be about this output. */
static void
check_outputs_blame(struct check_outputs *o, const char *name)
{
	o->cli->output.failed = true;
	o->cli->output.path = name;
}

/*
 * A report on standard output replaces the lines for people.  On failure the
 * program's err is set and its output is the one that failed.
 */
static enum prof_status
check_outputs_open(struct check_outputs *o, struct cli *c)
{
	const char *report = o->report_name;

	o->cli = c;
	cli_check_report(c, report);
	check_outputs_blame(o, NULL);
	if (report == NULL || strcmp(report, "-") != 0) {
		o->out = output_open(NULL, false, &c->err);
		if (o->out == NULL)
			return PROF_FAIL;
	}
	check_outputs_blame(o, report);
	if (report != NULL && (o->report = output_open(report, false,
	    &c->err)) == NULL)
		return PROF_FAIL;
	c->output.failed = false;
	return PROF_OK;
}

static enum prof_status
check_outputs_write(struct check_outputs *o, struct output *out)
{
	int e;

	if (o->text.failed)
		return err_memory(&o->cli->err);
	e = output_write(out, o->text.data, o->text.size);
	o->text.size = 0;
	if (e == 0)
		return PROF_OK;
	check_outputs_blame(o, out == o->report ? o->report_name : NULL);
	return err_system(&o->cli->err, e, "write");
}

static enum prof_status
check_outputs_put(struct check_outputs *o, const struct check_result *r)
{
	enum prof_status status = PROF_OK;

	if (o->out != NULL) {
		if (o->json)
			check_report(&o->text, r);
		else
			check_print(&o->text, r, o->cli->options.quiet);
		status = check_outputs_write(o, o->out);
	}
	if (status == PROF_OK && o->report != NULL) {
		check_report(&o->text, r);
		status = check_outputs_write(o, o->report);
	}
	return status;
}

static enum prof_status
check_outputs_close_one(struct check_outputs *o, struct output **out,
    const char *name)
{
	struct output *closing = *out;

	*out = NULL;
	if (closing == NULL)
		return PROF_OK;
	check_outputs_blame(o, name);
	if (output_commit(closing, &o->cli->err) != PROF_OK)
		return PROF_FAIL;
	o->cli->output.failed = false;
	return PROF_OK;
}

/* `out` is NULL if there is no such output. */
static enum prof_status
check_outputs_write_sums(struct check_outputs *o, struct output *out,
    const uint64_t states[3])
{
	if (out == NULL)
		return PROF_OK;
	check_report_sums(&o->text, states, o->cli->report.skipped);
	return check_outputs_write(o, out);
}

/* Writes the sums, and closes both. */
static enum prof_status
check_outputs_close(struct check_outputs *o, const uint64_t states[3])
{
	if (check_outputs_write_sums(o, o->report, states) != PROF_OK ||
	    check_outputs_write_sums(o, o->json ? o->out : NULL, states) !=
	    PROF_OK)
		return PROF_FAIL;
	if (check_outputs_close_one(o, &o->out, NULL) != PROF_OK)
		return PROF_FAIL;
	return check_outputs_close_one(o, &o->report, o->report_name);
}

static void
check_outputs_free(struct check_outputs *o)
{
	output_discard(o->out);
	output_discard(o->report);
	buf_free(&o->text);
}

/* prof-check - are profiles whole, consistent, and worth using? */

struct check_run {
	struct cli cli;
	bool strict;
	uint64_t members;		/* of the file being read */
	bool is_bundle;			/* that file is one */

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
	struct cli_item *item;
	struct check_found *found;
};

/* The result for a member. */
struct check_found {
	struct check check;
	const char *format;		/* of its bytes, or NULL */
	uint64_t size;			/* bytes */
	uint8_t digest[SHA256_SIZE];
	struct prof_error reasons[CHECK_REASONS];
	uint64_t reason_count;
};

/* What is known of a file or member before it is read. */
struct check_file {
	struct bundle_lines bundle;	/* read from this member */
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
	.examples =
"  prof-check runs\n"
"  prof-check -q --strict a.profraw b.profraw\n",
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
	ssize_t n = cli_item_pull(w->item, data, size);

	if (n > 0)
		sha256_add(w->digest, data, (size_t)n);
	if (n > 0)
		w->found->size += (uint64_t)n;
	return n;
}

static struct prof_reader *
check_open_reader(struct check_worker *w, struct prof_error *err)
{
	const struct prof_span image = w->item->image;

	if (w->item->stream) {
		w->found->format = "stream";
		return prof_open_stream(w->cli->context, check_pull, w, err);
	}
	w->found->format = prof_sniff(image);
	w->found->size = image.size;
	sha256_add(w->digest, image.data, image.size);
	return prof_open(w->cli->context, image, err);
}

/* Reads and checks the records, and then their totals. */
static void *
check_read_records(void *arg, struct cli_item *item,
    struct prof_error *err)
{
	struct check_worker *w = arg;
	struct check_found *f = calloc(1, sizeof(*f));
	enum prof_status status = PROF_FAIL;
	struct prof_reader *reader;
	struct prof_record record;

	if (f == NULL)
		cli_out_of_memory(w->cli);
	w->found = f;
	w->item = item;
	reader = check_open_reader(w, err);
	while (reader != NULL &&
	    (status = prof_next(reader, &record, err)) == PROF_OK) {
		cli_progress_record(w->cli, &record);
		if (check_add(&f->check, &record, err) != PROF_OK) {
			prof_locate(reader, err);
			break;
		}
	}
	prof_close(reader);
	/* That says nothing about the file. */
	if (err->code == PROF_E_MEMORY)
		cli_out_of_memory(w->cli);
	sha256_end(w->digest, f->digest);
	if (status == PROF_END)
		check_end(&f->check, check_note_suspicion, w);
	return f;
}

static enum cli_action
check_read_manifest(struct check_run *r, const struct cli *c,
    struct cli_item *item)
{
	struct check_file *n = item->note = calloc(1, sizeof(*n));
	struct prof_span text;

	if (n == NULL)
		cli_out_of_memory(c);
	item->status = input_image(item->in, &text, &item->err);
	if (item->status == PROF_OK)
		item->status = bundle_lines_read(&n->bundle, text, &item->err);
	r->is_bundle = item->status == PROF_OK;
	return CLI_REPORT_MEMBER;
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
	if (++r->members == 1 && bundle_is_manifest(m->name, m->start))
		return check_read_manifest(r, c, item);
	if (!cli_wants(c, m))
		return CLI_SKIP_MEMBER;
	/* All members of a bundle are profiles. */
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

/* Compares a member with the manifest, if its file is a bundle. */
static void
check_against_manifest(struct check_run *r, const struct cli *c,
    const struct check_found *f, struct prof_error *err)
{
	struct bundle_member m = { .name = c->inputs.member, .size = f->size };

	memcpy(m.sha256, f->digest, SHA256_SIZE);
	bundle_lines_match(&r->bundle, &m, err);
}

/* Equal bytes under two names are suspect: a merge would add them twice. */
static void
check_duplicate_bytes(struct check_run *r, const struct cli *c,
    const struct check_found *f, struct check_result *result)
{
	struct prof_error e = { 0 };
	const char *first;

	if (!duplicates_add(&r->contents, f->digest, c->inputs.file,
	    c->inputs.member, &first))
		cli_out_of_memory(c);
	if (first == NULL)
		return;
	err_set(&e, PROF_E_MISMATCH, "the same bytes as %s", first);
	check_note_reason(result->reasons, &result->reason_count, &e);
}

static enum prof_status
check_put_member(struct check_run *r, struct cli *c,
    const struct cli_item *entry)
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
check_commit(void *arg, struct cli *c, struct cli_item *entry)
{
	struct check_run *r = arg;
	struct check_file *n = entry->note;
	enum prof_status status = PROF_OK;

	if (entry->result != NULL || entry->err.code != PROF_E_NONE)
		status = check_put_member(r, c, entry);
	if (n != NULL && n->bundle.is_bundle) {
		r->bundle = n->bundle;
		n->bundle = (struct bundle_lines){ .is_bundle = false };
	}
	return status == PROF_OK && entry->last ? check_end_bundle(r, c) :
	    status;
}

static void
check_drop_entry(struct cli_item *entry)
{
	struct check_found *f = entry->result;
	struct check_file *n = entry->note;

	if (f != NULL)
		check_reset(&f->check);
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
	cli_parse(&r.cli, &r, &argc, &argv);
	cli_restrict(&r.cli, NULL);
	r.outputs.report_name = r.cli.report.damage.report;
	r.cli.report.damage.report = NULL;
	cli_operands(&r.cli, argc, argv);

	status = cli_end(&r.cli, check_run_inputs(&r));
	check_outputs_free(&r.outputs);
	bundle_lines_free(&r.bundle);
	duplicates_free(&r.contents);
	return status;
}
