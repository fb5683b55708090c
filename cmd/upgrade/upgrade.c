#include "config.h"

#include "cmd/upgrade/upgrade.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cmd/common/folder_walk.h"
#include "cmd/common/stdio_flush.h"
#include "io/input.h"

static enum prof_status
upgrade_put_in_place(struct upgrade *u, struct prof_error *err)
{
	struct output *new = NULL;

	if (!u->options->dry_run &&
	    (new = rewrite_output(&u->old, err)) == NULL)
		return PROF_FAIL;
	if (upgrade_write(u, new == NULL ? NULL : output_write, new, err) !=
	    PROF_OK) {
		output_discard(new);
		return PROF_FAIL;
	}
	return new == NULL ? PROF_OK : rewrite_commit(&u->old, new,
	    &u->options->rewrite, err);
}

static enum prof_status
upgrade_plain(struct upgrade *u, struct prof_error *err)
{
	if (rewrite_read(&u->old, &u->memory, err) != PROF_OK ||
	    upgrade_read(u, u->old.image, err) != PROF_OK)
		return PROF_FAIL;
	return u->file.result == UPGRADE_DONE ? upgrade_put_in_place(u, err) :
	    PROF_OK;
}

/*
 * A file that is no indexed profile may be a compressed archive.  Other files
 * are skipped if they were found in a folder, and refused if they were named.
 */
static enum prof_status
upgrade_packed(struct upgrade *u, bool found, const char *kind,
    struct input *input, struct prof_error *err)
{
	struct input_member m;
	bool packed;

	input_keep_archive(input);
	if (input_next(input, &m, err) != PROF_OK)
		return PROF_FAIL;
	if (input_contents(input) == PACKING_TAR)
		return upgrade_archive(u, input, err);
	if (found) {
		u->file.result = UPGRADE_SKIPPED;
		return PROF_OK;
	}
	packed = (input_compression(input) | input_contents(input)) !=
	    PACKING_NONE;
	return err_set(err, PROF_E_UNSUPPORTED, "%s%s%s", packed ?
	    "compressed, but not a tar archive" : "not an indexed profile",
	    packed || kind == NULL ? "" : ", but one of format ",
	    packed || kind == NULL ? "" : kind);
}

static enum prof_status
upgrade_opened(struct upgrade *u, const struct cli_input *in,
    struct prof_error *err)
{
	uint8_t start[8];
	struct prof_span bytes = { start, 0 };
	enum prof_status status;
	struct input *input;
	const char *kind;

	if (rewrite_start(&u->old, start, &bytes.size, err) != PROF_OK)
		return PROF_FAIL;
	kind = prof_sniff(bytes);
	if (kind != NULL && strcmp(kind, "indexed") == 0)
		return upgrade_plain(u, err);
	input = input_open(in->path, u->cli->options.max_size, NULL, err);
	if (input == NULL)
		return PROF_FAIL;
	status = upgrade_packed(u, in->found, kind, input, err);
	input_close(input);
	return status;
}

static enum prof_status
upgrade_file(struct upgrade *u, const struct cli_input *in,
    struct prof_error *err)
{
	enum prof_status status;

	if (path_is_folder(in->path))
		return err_set(err, PROF_E_UNSUPPORTED, "a folder: --recursive "
		    "rewrites the files in it");
	if (rewrite_open(&u->old, in->path, err) != PROF_OK)
		return PROF_FAIL;
	status = upgrade_opened(u, in, err);
	u->cli->report.progress->bytes += (uint64_t)u->old.st.st_size;
	rewrite_close(&u->old);
	return status;
}

/* Refuses standard input and weights. */
static enum prof_status
check_upgrade_input(const struct cli_input *in, struct prof_error *err)
{
	if (strcmp(in->path, "-") == 0)
		return err_set(err, PROF_E_UNSUPPORTED, "standard input "
		    "cannot be upgraded: name files");
	if (in->weight.times != 1 || in->weight.parts != 1)
		return err_set(err, PROF_E_UNSUPPORTED, "weights cannot be "
		    "used with --upgrade");
	return PROF_OK;
}

/* Whether a file of a folder is the backup that an earlier run kept. */
static bool
upgrade_is_backup(const struct upgrade *u, const struct cli_input *in)
{
	const char *suffix = u->options->rewrite.backup;
	size_t size = strlen(in->path), end = suffix == NULL ? 0 :
	    strlen(suffix);

	return in->found && suffix != NULL && size > end &&
	    strcmp(in->path + size - end, suffix) == 0;
}

static enum prof_status
upgrade_input(struct upgrade *u, const struct cli_input *in)
{
	struct prof_error err = { 0 };
	enum prof_status status = PROF_OK;

	if (upgrade_is_backup(u, in))
		return PROF_OK;
	upgrade_file_begin(u, in->path, NULL);
	if (check_upgrade_input(in, &err) != PROF_OK ||
	    upgrade_file(u, in, &err) == PROF_FAIL)
		u->file.err = err;
	if (u->file.result != UPGRADE_ARCHIVE || err.code != PROF_E_NONE)
		status = upgrade_print(u);
	upgrade_file_end(&u->file);
	cli_progress_done(u->cli);
	return status;
}

static void
check_upgrade_options(struct cli *c, const struct upgrade_options *o)
{
	const char *suffix = o->rewrite.backup;

	if (c->output.path != NULL || c->output.target.no_vtable_names ||
	    c->report.damage.fail_on != 0)
		cli_usage_error(c, "-o, --no-vtable-names and --fail-on cannot "
		    "be used with --upgrade");
	if (c->report.damage.limited || c->output.allow_empty)
		cli_usage_error(c, "--max-bad and --allow-empty cannot be "
		    "used with --upgrade");
	if (suffix != NULL && (*suffix == '\0' || strchr(suffix, '/') != NULL))
		cli_usage_error(c, "'%s' is not a suffix", suffix);
	for (size_t i = 0; i < c->inputs.size; i++) {
		struct prof_error e = { 0 };

		if (c->inputs.items[i].kind == CLI_FILE &&
		    check_upgrade_input(&c->inputs.items[i], &e) != PROF_OK)
			cli_usage_error(c, "%s", e.reason);
	}
}

/* What a dry run has printed may not be on standard output yet. */
static enum prof_status
upgrade_flush_text(struct cli *c)
{
	int error = stdio_flush(stdout);

	if (error == 0)
		return PROF_OK;
	c->inputs.file = "standard output";
	c->inputs.member = NULL;
	return err_system(&c->err, error, "cannot write");
}

int
upgrade(struct cli *c, const struct upgrade_options *o)
{
	struct upgrade u = { .cli = c, .options = o };
	struct cli_damage *damage = &c->report.damage;
	enum prof_status status;

	check_upgrade_options(c, o);
	c->options.in_place = true;
	cli_set_target(c);
	u.target = c->output.target;
	u.context = prof_context_new(upgrade_note_warning, &u);
	u.retargeter = retarget_new(&c->output.retarget);
	if (u.context == NULL || u.retargeter == NULL)
		cli_out_of_memory(c);
	damage->keep_going = true;
	damage->prints_nothing = !o->dry_run;
	cli_damage_begin(c);
	cli_progress_begin(c);
	while ((status = cli_next_input(c)) == PROF_OK) {
		status = upgrade_input(&u, c->inputs.current);
		if (status != PROF_OK)
			break;
	}
	upgrade_print_counts(&u);
	if (status == PROF_END)
		status = upgrade_flush_text(c);
	if (status == PROF_OK)
		status = cli_damage_flush(c);
	c->report.unclean = damage->bad != 0;
	c->report.trouble = damage->bad != 0 && damage->used == 0;
	/* Bad files were counted, and not left out: cli_end must not warn. */
	damage->bad = 0;
	retarget_free(u.retargeter);
	prof_context_free(u.context);
	buf_free(&u.memory);
	return cli_end(c, status);
}
