#include "config.h"

#include "upgrade.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"

struct upgrade {
	struct cli *cli;
	const struct upgrade_options *options;
	struct prof_context *context;	/* whose warnings wait */
	struct prof_target target;	/* of the file */
	struct retarget *retargeter;
	struct rewrite old;
	struct prof_writer *writer;	/* NULL: the file is only read */
	struct output *new;		/* NULL: what is written is dropped */
	struct upgrade_file file;
	struct buf memory;		/* of the file's image */
	FILE *report;			/* or NULL */
	uint64_t count[UPGRADE_RESULTS];
};

/*
 * Messages and the report.
 */

/* Warnings are told when the file is done. */
static void
take_warning(void *arg, const struct prof_error *warning)
{
	struct upgrade *u = arg;

	buf_put(&u->file.warnings, warning, sizeof(*warning));
}

static void
tell_warnings(const struct upgrade *u)
{
	const struct buf *all = &u->file.warnings;
	struct prof_error e;

	for (size_t at = 0; at < all->size; at += sizeof(e)) {
		memcpy(&e, all->data + at, sizeof(e));
		cli_warn(u->cli, &e);
	}
}

static void __attribute__((format(printf, 2, 3)))
add_change(struct upgrade *u, const char *format, ...)
{
	struct prof_error e = { 0 };
	va_list ap;

	va_start(ap, format);
	vsnprintf(e.reason, sizeof(e.reason), format, ap);
	va_end(ap);
	buf_put(&u->file.changes, &e, sizeof(e));
}

/* What got another meaning. */
static void
note_changes(struct upgrade *u)
{
	const struct retarget_changes *now = retarget_changes(u->retargeter);

	if (now->masked != 0)
		add_change(u, "flag bits of %llu front-end hashes cleared",
		    (unsigned long long)now->masked);
	if (now->renamed != 0)
		add_change(u, "%llu local names written with '%c'",
		    (unsigned long long)now->renamed,
		    u->cli->retarget.separator);
	if (now->relabelled)
		add_change(u, "front-end hashes relabelled");
	if (now->renumbered != 0)
		add_change(u, "MC/DC bitmaps of %llu functions relabelled",
		    (unsigned long long)now->renumbered);
}

/* On standard output, if that is what the user asked for. */
static void
tell_done(const struct upgrade *u)
{
	const struct upgrade_file *f = &u->file;
	bool asked = u->options->dry_run && u->report != stdout;
	FILE *to = asked ? stdout : stderr;
	struct prof_error e;

	if (!asked && !u->cli->verbose)
		return;
	fprintf(to, "%s: version %u to %u\n", f->path, f->from, f->to);
	for (size_t at = 0; at < f->changes.size; at += sizeof(e)) {
		memcpy(&e, f->changes.data + at, sizeof(e));
		fprintf(to, "%s: %s\n", f->path, e.reason);
	}
}

static void
report(struct upgrade *u)
{
	struct buf line = { 0 };

	if (u->file.result == UPGRADE_DONE) {
		tell_done(u);
		tell_warnings(u);
	}
	if (u->report == NULL || u->file.result == UPGRADE_PASSED_OVER)
		return;
	upgrade_put_json(&line, &u->file, u->options->dry_run);
	if (line.failed)
		cli_out_of_memory(u->cli);
	/* A line is there as soon as its file is done. */
	fwrite(line.data, 1, line.size, u->report);
	fflush(u->report);
	buf_free(&line);
}

static void
tell_counts(const struct upgrade *u)
{
	const uint64_t *n = u->count;
	uint64_t all = 0;

	for (int i = 0; i < UPGRADE_RESULTS; i++)
		all += n[i];
	if (u->cli->quiet || (all < 2 && !u->cli->verbose))
		return;
	fprintf(stderr, "%s: %llu files %supgraded, %llu current, %llu refused"
	    ", %llu failed, %llu no indexed profiles\n", u->cli->name,
	    (unsigned long long)n[UPGRADE_DONE],
	    u->options->dry_run ? "to be " : "",
	    (unsigned long long)n[UPGRADE_CURRENT],
	    (unsigned long long)n[UPGRADE_REFUSED],
	    (unsigned long long)n[UPGRADE_FAILED],
	    (unsigned long long)n[UPGRADE_PASSED_OVER]);
}

/*
 * One file.
 */

static int
sink(void *arg, const void *data, size_t size)
{
	struct upgrade *u = arg;

	return u->new == NULL ? 0 : output_write(u->new, data, size);
}

/* A file of the target's version has no writer unless it is to be rewritten. */
static enum prof_status
begin(struct upgrade *u, const struct prof_source *source, bool again,
    struct prof_error *err)
{
	u->file.from = (unsigned)source->version;
	if (u->file.from == u->file.to && !again)
		return PROF_OK;
	u->writer = prof_writer_new(u->context, &u->target, sink, u, err);
	return u->writer == NULL ? PROF_FAIL : PROF_OK;
}

static enum prof_status
take(struct upgrade *u, const struct prof_record *in, bool again,
    struct prof_error *err)
{
	struct prof_record out;

	if (in->kind == PROF_REC_PROFILE &&
	    begin(u, &in->u.profile.source, again, err) != PROF_OK)
		return PROF_FAIL;
	if (retarget_record(u->retargeter, in, &out, err) != PROF_OK)
		return PROF_FAIL;
	return u->writer == NULL ? PROF_OK : prof_put(u->writer, &out, err);
}

static enum prof_status
read_through(struct upgrade *u, bool again, struct prof_error *err)
{
	struct prof_reader *r = prof_open(u->context, u->old.image, err);
	enum prof_status status;
	struct prof_record in;

	if (r == NULL)
		return PROF_FAIL;
	u->file.warnings.size = 0;
	u->target.heap = prof_take_heap(r);
	while ((status = prof_next(r, &in, err)) == PROF_OK) {
		if (take(u, &in, again, err) != PROF_OK)
			break;
	}
	prof_close(r);
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

static bool
needs_rewriting(const struct upgrade *u)
{
	const struct retarget_changes *now = retarget_changes(u->retargeter);

	return u->file.from != u->file.to || now->masked != 0 ||
	    now->renamed != 0;
}

static enum prof_status
put_in_place(struct upgrade *u, struct prof_error *err)
{
	struct output *new;

	if (!u->options->dry_run &&
	    (u->new = rewrite_output(&u->old, err)) == NULL)
		return PROF_FAIL;
	if (prof_finish(u->writer, err) != PROF_OK) {
		output_discard(u->new);
		u->new = NULL;
		return PROF_FAIL;
	}
	new = u->new;
	u->new = NULL;
	return new == NULL ? PROF_OK : rewrite_commit(&u->old, new,
	    &u->options->rewrite, err);
}

static enum prof_status
rewrite(struct upgrade *u, struct prof_error *err)
{
	if (read_through(u, false, err) != PROF_OK)
		return PROF_FAIL;
	if (!needs_rewriting(u)) {
		u->file.result = UPGRADE_CURRENT;
		u->file.warnings.size = 0;
		return PROF_OK;
	}
	if (u->writer == NULL && read_through(u, true, err) != PROF_OK)
		return PROF_FAIL;
	u->file.result = UPGRADE_DONE;
	note_changes(u);
	return put_in_place(u, err);
}

/* Of what was found in a folder, other files are no concern of ours. */
static enum prof_status
check_kind(struct upgrade *u, const struct cli_input *in,
    struct prof_error *err)
{
	uint8_t start[8];
	struct prof_span bytes = { start, 0 };
	const char *kind;

	if (rewrite_start(&u->old, start, &bytes.size, err) != PROF_OK)
		return PROF_FAIL;
	kind = prof_sniff(bytes);
	if (kind != NULL && strcmp(kind, "indexed") == 0)
		return PROF_OK;
	if (in->found) {
		u->file.result = UPGRADE_PASSED_OVER;
		return PROF_END;
	}
	return err_set(err, PROF_E_UNSUPPORTED, "not an indexed profile%s%s",
	    kind == NULL ? "" : ", but one of format ",
	    kind == NULL ? "" : kind);
}

static enum prof_status
upgrade_file(struct upgrade *u, const struct cli_input *in,
    struct prof_error *err)
{
	enum prof_status status;

	if (rewrite_open(&u->old, in->path, err) != PROF_OK)
		return PROF_FAIL;
	status = check_kind(u, in, err);
	if (status == PROF_OK)
		status = rewrite_read(&u->old, &u->memory, err);
	if (status == PROF_OK)
		status = rewrite(u, err);
	prof_writer_free(u->writer);
	u->writer = NULL;
	rewrite_close(&u->old);
	return status;
}

/* Refused is what is sound, but would not be so afterwards. */
static enum upgrade_result
result_of(const struct prof_error *e)
{
	return e->code == PROF_E_MISMATCH || e->code == PROF_E_UNSUPPORTED ||
	    e->code == PROF_E_VERSION ? UPGRADE_REFUSED : UPGRADE_FAILED;
}

static void
upgrade_input(struct upgrade *u, const struct cli_input *in)
{
	struct upgrade_file *f = &u->file;

	*f = (struct upgrade_file){ .path = in->path,
	    .to = u->target.version };
	u->cli->file = in->path;
	if (upgrade_file(u, in, &f->err) == PROF_FAIL) {
		f->result = result_of(&f->err);
		f->warnings.size = f->changes.size = 0;
		cli_tell(u->cli, &f->err);
	}
	if (f->warnings.failed || f->changes.failed)
		cli_out_of_memory(u->cli);
	u->count[f->result]++;
	report(u);
	u->cli->file = NULL;
	buf_free(&f->warnings);
	buf_free(&f->changes);
}

/*
 * The run.
 */

static void
check_options(struct cli *c, const struct upgrade_options *o)
{
	const char *suffix = o->rewrite.backup;

	if (c->output != NULL || c->target.no_vtable_names)
		cli_usage_error(c, "-o and --no-vtable-names do not go with "
		    "--upgrade");
	if (suffix != NULL && (*suffix == '\0' || strchr(suffix, '/') != NULL))
		cli_usage_error(c, "'%s' is no suffix", suffix);
	for (size_t i = 0; i < c->input_count; i++) {
		const struct cli_input *in = &c->inputs[i];

		if (strcmp(in->path, "-") == 0)
			cli_usage_error(c, "standard input cannot be upgraded:"
			    " name files");
		if (in->weight.times != 1 || in->weight.parts != 1)
			cli_usage_error(c, "weights do not go with --upgrade: "
			    "%s", in->path);
	}
}

static void
open_report(struct upgrade *u)
{
	const char *path = u->options->report;

	if (path == NULL)
		return;
	u->report = strcmp(path, "-") == 0 ? stdout : fopen(path, "we");
	if (u->report != NULL)
		return;
	fprintf(stderr, "%s: %s: %s\n", u->cli->name, path, strerror(errno));
	exit(CLI_TROUBLE);
}

/* Whether all that was printed got out. */
static bool
close_streams(struct upgrade *u)
{
	FILE *files[] = { stdout, u->report == stdout ? NULL : u->report };
	const char *names[] = { "standard output", u->options->report };
	bool good = true;

	for (int i = 0; i < 2; i++) {
		bool failed = files[i] != NULL && ferror(files[i]) != 0;

		errno = 0;
		if (files[i] != NULL && fclose(files[i]) != 0)
			failed = true;
		if (failed)
			fprintf(stderr, "%s: %s: %s\n", u->cli->name, names[i],
			    errno == 0 ? "cannot write" : strerror(errno));
		good = good && !failed;
	}
	return good;
}

static int
exit_status(const struct upgrade *u)
{
	const uint64_t *n = u->count;

	if (n[UPGRADE_REFUSED] + n[UPGRADE_FAILED] == 0)
		return CLI_DONE;
	return n[UPGRADE_DONE] + n[UPGRADE_CURRENT] == 0 ? CLI_TROUBLE :
	    CLI_NO;
}

int
upgrade(struct cli *c, const struct upgrade_options *o)
{
	struct upgrade u = { .cli = c, .options = o };
	int status;

	check_options(c, o);
	cli_set_target(c);
	u.target = c->target;
	u.context = prof_context_new(take_warning, &u);
	u.retargeter = retarget_new(&c->retarget);
	if (u.context == NULL || u.retargeter == NULL)
		cli_out_of_memory(c);
	open_report(&u);
	for (size_t i = 0; i < c->input_count; i++)
		upgrade_input(&u, &c->inputs[i]);
	tell_counts(&u);
	status = close_streams(&u) ? exit_status(&u) : CLI_TROUBLE;
	retarget_free(u.retargeter);
	prof_context_free(u.context);
	buf_free(&u.memory);
	cli_end(c, PROF_OK);
	return status;
}
