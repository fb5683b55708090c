/* cmd/upgrade/result.c - what became of a file or member, and its messages */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/common/message_text.h"
#include "cmd/upgrade/upgrade.h"

void
upgrade_file_begin(struct upgrade *u, const char *path, const char *member)
{
	u->file = (struct upgrade_file){ .path = path };
	if (member != NULL && (u->file.member = strdup(member)) == NULL)
		cli_out_of_memory(u->cli);
}

void
upgrade_file_end(struct upgrade_file *f)
{
	free(f->member);
	buf_free(&f->warnings);
	buf_free(&f->changes);
}

/* Warnings wait in the file: they are printed if it is upgraded. */
void
upgrade_note_warning(void *arg, const struct prof_error *warning)
{
	struct upgrade *u = arg;

	buf_put(&u->file.warnings, warning, sizeof(*warning));
}

static void __attribute__((format(printf, 2, 3)))
upgrade_add_change(struct upgrade *u, const char *format, ...)
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
		upgrade_add_change(u,
		    "flag bits of %llu front-end hashes cleared",
		    (unsigned long long)now->masked);
	if (now->renamed != 0)
		upgrade_add_change(u, "%llu local names written with '%c'",
		    (unsigned long long)now->renamed,
		    u->cli->output.retarget.separator);
	if (now->relabelled)
		upgrade_add_change(u, "front-end hashes relabelled");
	if (now->renumbered != 0)
		upgrade_add_change(u,
		    "MC/DC bitmaps of %llu functions relabelled",
		    (unsigned long long)now->renumbered);
	if (upgrade_needs_other_heap(u))
		upgrade_add_change(u,
		    "heap profile (MemProf) of version %u written "
		    "as version %u", u->heap - 1, u->target.memprof_version -
		    1);
}

static void
upgrade_print_name(FILE *to, const struct upgrade_file *f)
{
	message_print_to(to, "%s%s%s%s", f->path, f->member == NULL ? "" :
	    "[", f->member == NULL ? "" : f->member, f->member == NULL ? "" :
	    "]");
}

/* Prints on standard output for --dry-run. */
static void
upgrade_print_done(const struct upgrade *u)
{
	const struct upgrade_file *f = &u->file;
	FILE *to = u->options->dry_run ? stdout : NULL;
	struct prof_error e;

	if (u->options->dry_run || u->cli->options.verbose) {
		cli_progress_clear(u->cli);
		upgrade_print_name(to, f);
		message_print_to(to, ": version %u to %u\n", f->from,
		    u->target.version);
		for (size_t at = 0; at < f->changes.size; at += sizeof(e)) {
			memcpy(&e, f->changes.data + at, sizeof(e));
			upgrade_print_name(to, f);
			message_print_to(to, ": %s\n", e.reason);
		}
	}
	for (size_t at = 0; at < f->warnings.size; at += sizeof(e)) {
		memcpy(&e, f->warnings.data + at, sizeof(e));
		cli_warn(u->cli, &e);
	}
}

enum prof_status
upgrade_print(struct upgrade *u)
{
	static const struct cli_tally nothing;
	const struct upgrade_file *f = &u->file;
	struct cli *c = u->cli;
	enum prof_status status = PROF_OK;

	if (f->warnings.failed || f->changes.failed)
		cli_out_of_memory(c);
	c->inputs.member = f->member;
	if (f->err.code != PROF_E_NONE) {
		c->err = f->err;
		status = cli_damage_skip(c, &nothing);
	} else {
		u->count[f->result]++;
		c->report.damage.used += f->result != UPGRADE_SKIPPED;
		if (f->result == UPGRADE_DONE)
			upgrade_print_done(u);
	}
	if (status == PROF_OK)
		c->inputs.member = NULL;
	return status;
}

void
upgrade_print_counts(const struct upgrade *u)
{
	const uint64_t *n = u->count;
	uint64_t all = n[UPGRADE_DONE] + n[UPGRADE_CURRENT] +
	    n[UPGRADE_SKIPPED] + u->cli->report.damage.bad;

	if (u->cli->options.quiet || (all < 2 && !u->cli->options.verbose))
		return;
	cli_progress_clear(u->cli);
	message_print("%s: %llu files %supgraded, %llu current, %llu not "
	    "indexed, %llu bad\n", u->cli->name,
	    (unsigned long long)n[UPGRADE_DONE],
	    u->options->dry_run ? "to be " : "",
	    (unsigned long long)n[UPGRADE_CURRENT],
	    (unsigned long long)n[UPGRADE_SKIPPED],
	    (unsigned long long)u->cli->report.damage.bad);
}
