/* cmd/upgrade/file.c - what is known of the file or member at hand */
#include "config.h"

#include "cmd/upgrade/upgrade.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void
upgrade_file_begin(struct upgrade *u, const char *path, const char *member)
{
	u->file = (struct upgrade_file){ .path = path,
	    .to = u->target.version };
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

/* A profile is refused if it is sound but would not be so afterwards. */
void
upgrade_file_fail(struct upgrade_file *f)
{
	enum prof_code code = f->err.code;

	f->result = code == PROF_E_MISMATCH || code == PROF_E_UNSUPPORTED ||
	    code == PROF_E_VERSION ? UPGRADE_REFUSED : UPGRADE_FAILED;
	f->warnings.size = f->changes.size = 0;
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
