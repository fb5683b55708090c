/* cmd/upgrade/report.c - messages and report lines of prof-index --upgrade */
#include "config.h"

#include "cmd/common/message_text.h"
#include "cmd/upgrade/upgrade.h"

#include <stdio.h>

static void
upgrade_print_warnings(const struct upgrade *u)
{
	const struct buf *all = &u->file.warnings;
	struct prof_error e;

	for (size_t at = 0; at < all->size; at += sizeof(e)) {
		memcpy(&e, all->data + at, sizeof(e));
		cli_warn(u->cli, &e);
	}
}

static void
upgrade_print_name(FILE *to, const struct upgrade_file *f)
{
	message_print_to(to, "%s%s%s%s", f->path, f->member == NULL ? "" :
	    "[", f->member == NULL ? "" : f->member, f->member == NULL ? "" :
	    "]");
}

/* Prints on standard output for --dry-run, unless the report is there. */
static void
upgrade_print_done(const struct upgrade *u)
{
	const struct upgrade_file *f = &u->file;
	bool asked = u->options->dry_run && u->report != stdout;
	FILE *to = asked ? stdout : NULL;
	struct prof_error e;

	if (!asked && !u->cli->options.verbose)
		return;
	cli_progress_clear(u->cli);
	upgrade_print_name(to, f);
	message_print_to(to, ": version %u to %u\n", f->from, f->to);
	for (size_t at = 0; at < f->changes.size; at += sizeof(e)) {
		memcpy(&e, f->changes.data + at, sizeof(e));
		upgrade_print_name(to, f);
		message_print_to(to, ": %s\n", e.reason);
	}
}

static void
upgrade_write_report(struct upgrade *u)
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

	if (f->result == UPGRADE_ARCHIVE)
		return;
	if (f->warnings.failed || f->changes.failed)
		cli_out_of_memory(u->cli);
	u->count[f->result]++;
	u->cli->inputs.member = f->member;
	if (f->result == UPGRADE_DONE) {
		upgrade_print_done(u);
		upgrade_print_warnings(u);
	}
	if (f->err.code != PROF_E_NONE)
		cli_print_error(u->cli, &f->err);
	u->cli->inputs.member = NULL;
	if (u->report != NULL && f->result != UPGRADE_SKIPPED)
		upgrade_write_report(u);
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
	message_print("%s: %llu files %supgraded, %llu current, %llu refused"
	    ", %llu failed, %llu not indexed\n", u->cli->name,
	    (unsigned long long)n[UPGRADE_DONE],
	    u->options->dry_run ? "to be " : "",
	    (unsigned long long)n[UPGRADE_CURRENT],
	    (unsigned long long)n[UPGRADE_REFUSED],
	    (unsigned long long)n[UPGRADE_FAILED],
	    (unsigned long long)n[UPGRADE_SKIPPED]);
}

