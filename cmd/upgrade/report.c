/* prof-index --upgrade: what it tells of a file or member. */
#include "config.h"

#include "cmd/upgrade/upgrade.h"

#include <stdarg.h>
#include <stdio.h>

/* Warnings are told when the file is done. */
void
upgrade_take_warning(void *arg, const struct prof_error *warning)
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

bool
upgrade_needs_other_heap(const struct upgrade *u)
{
	return u->heap != 0 && u->target.memprof_version != 0 &&
	    u->heap != u->target.memprof_version;
}

void
upgrade_note_changes(struct upgrade *u)
{
	const struct retarget_changes *now = retarget_changes(u->retargeter);

	if (now->masked != 0)
		add_change(u, "flag bits of %llu front-end hashes cleared",
		    (unsigned long long)now->masked);
	if (now->renamed != 0)
		add_change(u, "%llu local names written with '%c'",
		    (unsigned long long)now->renamed,
		    u->cli->output.retarget.separator);
	if (now->relabelled)
		add_change(u, "front-end hashes relabelled");
	if (now->renumbered != 0)
		add_change(u, "MC/DC bitmaps of %llu functions relabelled",
		    (unsigned long long)now->renumbered);
	if (upgrade_needs_other_heap(u))
		add_change(u, "heap profile (MemProf) of version %u written "
		    "as version %u", u->heap - 1,
		    u->target.memprof_version - 1);
}

static void
tell_name(FILE *to, const struct upgrade_file *f)
{
	fputs(f->path, to);
	if (f->member != NULL)
		fprintf(to, "[%s]", f->member);
}

/* On standard output, if that is what the user asked for. */
static void
tell_done(const struct upgrade *u)
{
	const struct upgrade_file *f = &u->file;
	bool asked = u->options->dry_run && u->report != stdout;
	FILE *to = asked ? stdout : stderr;
	struct prof_error e;

	if (!asked && !u->cli->options.verbose)
		return;
	cli_progress_clear(u->cli);
	tell_name(to, f);
	fprintf(to, ": version %u to %u\n", f->from, f->to);
	for (size_t at = 0; at < f->changes.size; at += sizeof(e)) {
		memcpy(&e, f->changes.data + at, sizeof(e));
		tell_name(to, f);
		fprintf(to, ": %s\n", e.reason);
	}
}

static void
report(struct upgrade *u)
{
	struct buf line = { 0 };

	upgrade_put_json(&line, &u->file, u->options->dry_run);
	if (line.failed)
		cli_out_of_memory(u->cli);
	/* A line is there as soon as its file is done. */
	fwrite(line.data, 1, line.size, u->report);
	fflush(u->report);
	buf_free(&line);
}

void
upgrade_print(struct upgrade *u)
{
	const struct upgrade_file *f = &u->file;

	if (f->result == UPGRADE_TOLD)
		return;
	if (f->warnings.failed || f->changes.failed)
		cli_out_of_memory(u->cli);
	u->count[f->result]++;
	u->cli->inputs.member = f->member;
	if (f->result == UPGRADE_DONE) {
		tell_done(u);
		tell_warnings(u);
	}
	if (f->err.code != PROF_E_NONE)
		cli_print_error(u->cli, &f->err);
	u->cli->inputs.member = NULL;
	if (u->report != NULL && f->result != UPGRADE_PASSED_OVER)
		report(u);
}

void
upgrade_print_counts(const struct upgrade *u)
{
	const uint64_t *n = u->count;
	uint64_t all = 0;

	for (int i = 0; i < UPGRADE_RESULTS; i++)
		all += n[i];
	if (u->cli->options.quiet || (all < 2 && !u->cli->options.verbose))
		return;
	cli_progress_clear(u->cli);
	fprintf(stderr, "%s: %llu files %supgraded, %llu current, %llu refused"
	    ", %llu failed, %llu no indexed profiles\n", u->cli->name,
	    (unsigned long long)n[UPGRADE_DONE],
	    u->options->dry_run ? "to be " : "",
	    (unsigned long long)n[UPGRADE_CURRENT],
	    (unsigned long long)n[UPGRADE_REFUSED],
	    (unsigned long long)n[UPGRADE_FAILED],
	    (unsigned long long)n[UPGRADE_PASSED_OVER]);
}

