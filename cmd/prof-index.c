/* prof-index - the indexed profile that compilers and llvm-cov read */
#include "config.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
#include "bundle/manifest.h"
#include "cmd/common/cli.h"
#include "cmd/merge/run.h"
#include "io/archive_rewrite.h"
#include "io/folder_walk.h"
#include "io/input.h"
#include "io/rewrite.h"
#include "io/suffix.h"

struct upgrade_options {
	bool wanted;			/* --upgrade was given */
	bool dry_run;
	struct rewrite_options rewrite;
};

enum upgrade_result {
	UPGRADE_DONE, UPGRADE_CURRENT,
	UPGRADE_SKIPPED,		/* found, but no indexed profile */
	UPGRADE_RESULTS,
	UPGRADE_ARCHIVE			/* printed member by member */
};

/* The result for a file, or for a member of an archive. */
struct upgrade_file {
	const char *path;
	char *member;			/* or NULL */
	enum upgrade_result result;
	unsigned from;			/* version; 0 if unknown */
	struct prof_error err;		/* why it stays as it is, or empty */
	/* Arrays of struct prof_error; PROF_E_UNSUPPORTED is a loss. */
	struct buf warnings, changes;
};

struct upgrade {
	struct cli *cli;
	const struct upgrade_options *options;
	struct prof_context *context;	/* its warnings go to file */
	struct prof_target target;	/* of the current file */
	unsigned heap;			/* memprof_version of the file */
	struct retarget *retargeter;
	struct rewrite old;
	struct prof_writer *writer;	/* NULL: the profile is only read */
	prof_sink *sink;		/* NULL: the bytes are dropped */
	void *sink_arg;
	struct upgrade_file file;
	struct buf memory;		/* for images that are not mapped */
	uint64_t count[UPGRADE_RESULTS];
};

/* Begins a file, or a member of it; frees what the result holds. */
static void
upgrade_file_begin(struct upgrade *u, const char *path, const char *member)
{
	u->file = (struct upgrade_file){ .path = path };
	if (member != NULL && (u->file.member = strdup(member)) == NULL)
		cli_out_of_memory(u->cli);
}

static void
upgrade_file_end(struct upgrade_file *f)
{
	free(f->member);
	buf_free(&f->warnings);
	buf_free(&f->changes);
}

/* Warnings wait in the file: they are printed if it is upgraded. */
static void
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

/* Notes the changes that go beyond the version: names, hashes. */
static void
upgrade_note_changes(struct upgrade *u)
{
	const struct retarget_changes *now = retarget_changes(u->retargeter);

	if (now->masked != 0)
		upgrade_add_change(u,
		    "front-end hashes with flag bits cleared: %llu",
		    (unsigned long long)now->masked);
	if (now->renamed != 0)
		upgrade_add_change(u, "local names written with '%c': %llu",
		    u->cli->output.retarget.separator,
		    (unsigned long long)now->renamed);
	if (now->relabelled)
		upgrade_add_change(u, "front-end hashes relabelled");
	if (now->renumbered != 0)
		upgrade_add_change(u,
		    "functions with MC/DC bitmaps relabelled: %llu",
		    (unsigned long long)now->renumbered);
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

/* Counts the result of the file and prints it; PROF_FAIL ends the run. */
static enum prof_status
upgrade_print(struct upgrade *u)
{
	const struct upgrade_file *f = &u->file;
	struct cli *c = u->cli;
	enum prof_status status = PROF_OK;

	if (f->warnings.failed || f->changes.failed)
		cli_out_of_memory(c);
	c->inputs.member = f->member;
	if (f->err.code != PROF_E_NONE) {
		c->err = f->err;
		status = cli_damage_skip(c);
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

static void
upgrade_print_counts(const struct upgrade *u)
{
	const uint64_t *n = u->count;
	uint64_t all = n[UPGRADE_DONE] + n[UPGRADE_CURRENT] +
	    n[UPGRADE_SKIPPED] + u->cli->report.damage.bad;

	if (u->cli->options.quiet || (all < 2 && !u->cli->options.verbose))
		return;
	cli_progress_clear(u->cli);
	message_print("%s: files %supgraded: %llu, current: %llu, not "
	    "indexed: %llu, bad: %llu\n", u->cli->name,
	    u->options->dry_run ? "to be " : "",
	    (unsigned long long)n[UPGRADE_DONE],
	    (unsigned long long)n[UPGRADE_CURRENT],
	    (unsigned long long)n[UPGRADE_SKIPPED],
	    (unsigned long long)u->cli->report.damage.bad);
}

/* prof-index --upgrade: one indexed profile, turned into another. */

static int
upgrade_sink(void *arg, const void *data, size_t size)
{
	struct upgrade *u = arg;

	return u->sink == NULL ? 0 : u->sink(u->sink_arg, data, size);
}

/*
 * A heap profile keeps its fields and at least its MemProf version.  A file of
 * the target's version gets a writer only in the second pass.
 */
static enum prof_status
upgrade_begin_profile(struct upgrade *u, const struct prof_source *source,
    bool again, struct prof_error *err)
{
	u->file.from = (unsigned)source->version;
	u->heap = source->memprof_version;
	u->target.memprof_at_least = source->memprof_version;
	if (!u->target.memprof_full_schema)
		u->target.memprof_fields = source->memprof_fields;
	if (u->file.from == u->target.version && !again)
		return PROF_OK;
	u->writer = prof_writer_new(u->context, &u->target, upgrade_sink, u,
	    err);
	return u->writer == NULL ? PROF_FAIL : PROF_OK;
}

static enum prof_status
upgrade_record(struct upgrade *u, const struct prof_record *in, bool again,
    struct prof_error *err)
{
	struct prof_record out;

	cli_progress_record(u->cli, in);
	if (in->kind == PROF_REC_PROFILE && upgrade_begin_profile(u,
	    &in->u.profile.source, again, err) != PROF_OK)
		return PROF_FAIL;
	if (retarget_record(u->retargeter, in, &out, err) != PROF_OK)
		return PROF_FAIL;
	return u->writer == NULL ? PROF_OK : prof_put(u->writer, &out, err);
}

static enum prof_status
upgrade_read_records(struct upgrade *u, struct prof_span image, bool again,
    struct prof_error *err)
{
	struct prof_reader *r = prof_open(u->context, image, err);
	enum prof_status status;
	struct prof_record in;

	if (r == NULL)
		return PROF_FAIL;
	u->file.warnings.size = 0;
	while ((status = prof_next(r, &in, err)) == PROF_OK) {
		if (upgrade_record(u, &in, again, err) != PROF_OK)
			break;
	}
	prof_close(r);
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

static bool
upgrade_needs_rewriting(const struct upgrade *u)
{
	const struct retarget_changes *now = retarget_changes(u->retargeter);

	return u->file.from != u->target.version || now->masked != 0 ||
	    now->renamed != 0 || (u->heap != 0 && u->target.memprof_version !=
	    0 && u->heap != u->target.memprof_version);
}

static enum prof_status
upgrade_decide(struct upgrade *u, struct prof_span image,
    struct prof_error *err)
{
	if (upgrade_read_records(u, image, false, err) != PROF_OK)
		return PROF_FAIL;
	if (!upgrade_needs_rewriting(u)) {
		u->file.result = UPGRADE_CURRENT;
		u->file.warnings.size = 0;
		return PROF_OK;
	}
	if (u->writer == NULL && upgrade_read_records(u, image, true, err) !=
	    PROF_OK)
		return PROF_FAIL;
	u->file.result = UPGRADE_DONE;
	upgrade_note_changes(u);
	return PROF_OK;
}

static void
upgrade_drop_writer(struct upgrade *u)
{
	prof_writer_free(u->writer);
	u->writer = NULL;
}

/*
 * Reads a profile.  The result of the file is UPGRADE_CURRENT, or UPGRADE_DONE
 * if upgrade_write is to be called for its new bytes.
 */
static enum prof_status
upgrade_read(struct upgrade *u, struct prof_span image, struct prof_error *err)
{
	enum prof_status status = upgrade_decide(u, image, err);

	if (status != PROF_OK)
		upgrade_drop_writer(u);
	return status;
}

static enum prof_status
upgrade_write(struct upgrade *u, prof_sink *to, void *arg,
    struct prof_error *err)
{
	enum prof_status status;
	unsigned heap;

	u->sink = to;
	u->sink_arg = arg;
	status = prof_finish(u->writer, err);
	u->sink = NULL;
	heap = prof_writer_written(u->writer).memprof_version;
	if (heap != 0 && u->heap != 0 && heap != u->heap)
		upgrade_add_change(u, "heap profile (MemProf) of version %u "
		    "written as version %u", u->heap - 1, heap - 1);
	upgrade_drop_writer(u);
	return status;
}

/* prof-index --upgrade: the indexed profiles in a tar archive. */

struct archive_upgrade {
	struct upgrade *u;
	const char *path;
	struct archive_rewrite *tar;
	struct buf memory;		/* of a member's new bytes */
	/* Results of members, printed when the archive is in place. */
	struct upgrade_file *files;
	size_t count, room;
	uint64_t skipped;
	bool bundle, changed;
};

static int
archive_collect_bytes(void *arg, const void *data, size_t size)
{
	buf_put(arg, data, size);
	return 0;
}

/* Notes why a member is not upgraded; it stays as it is. */
static enum prof_status
archive_keep_member(struct archive_upgrade *r, const struct prof_error *why)
{
	r->u->file.err = *why;
	return PROF_OK;
}

static enum prof_status
archive_replace_member(struct archive_upgrade *r, struct prof_error *err)
{
	struct prof_error why = { 0 };

	r->memory.size = 0;
	if (upgrade_write(r->u, archive_collect_bytes, &r->memory, &why) !=
	    PROF_OK)
		return archive_keep_member(r, &why);
	if (r->memory.failed)
		return err_memory(err);
	/* The manifest of a bundle has the digests of its members. */
	if (r->bundle)
		return err_set(err, PROF_E_UNSUPPORTED, "a bundle: use "
		    "prof-bundle(1) to extract it and to make a new one");
	r->changed = true;
	return archive_rewrite_replace(r->tar, buf_span(&r->memory));
}

/* A damaged member stays as it is; PROF_FAIL is about the archive. */
static enum prof_status
archive_upgrade_member(struct archive_upgrade *r,
    const struct archive_rewrite_member *m, struct prof_error *err)
{
	uint64_t limit = r->u->cli->options.max_size;
	struct prof_error why = { 0 };
	struct prof_span image;

	if (limit != 0 && m->size > limit) {
		err_set(&why, PROF_E_LIMIT, "member holds more bytes than "
		    "the limit of %" PRIu64, limit);
		return archive_keep_member(r, &why);
	}
	if (archive_rewrite_contents(r->tar, m->size, &image) != PROF_OK)
		return PROF_FAIL;
	if (upgrade_read(r->u, image, &why) != PROF_OK)
		return archive_keep_member(r, &why);
	return r->u->file.result == UPGRADE_DONE ? archive_replace_member(r,
	    err) : PROF_OK;
}

static void
archive_note_result(struct archive_upgrade *r)
{
	if (!ARRAY_ADD(r->files, r->count, r->room, r->u->file))
		cli_out_of_memory(r->u->cli);
}

static enum prof_status
archive_process_member(struct archive_upgrade *r,
    const struct archive_rewrite_member *m, struct prof_error *err)
{
	const struct input_member named = { .name = m->name };
	enum prof_status status;
	struct prof_span start;
	const char *kind;

	if (!m->plain || !cli_wants(r->u->cli, &named))
		return PROF_OK;
	if (archive_rewrite_contents(r->tar, PACKING_BYTES, &start) != PROF_OK)
		return PROF_FAIL;
	r->bundle = r->bundle || manifest_sniff(start);
	kind = prof_sniff(start);
	if (kind == NULL || strcmp(kind, "indexed") != 0) {
		r->skipped++;
		return PROF_OK;
	}
	upgrade_file_begin(r->u, r->path, m->name);
	status = archive_upgrade_member(r, m, err);
	archive_note_result(r);
	return status;
}

static enum prof_status
archive_process_members(struct archive_upgrade *r, struct prof_error *err)
{
	enum prof_status status;
	struct archive_rewrite_member m;

	while ((status = archive_rewrite_next(r->tar, &m)) == PROF_OK) {
		if (archive_process_member(r, &m, err) != PROF_OK)
			return PROF_FAIL;
	}
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

/* Copies the archive to the output; NULL: the members are only read. */
static enum prof_status
archive_copy(struct archive_upgrade *r, struct input *in, struct output *new,
    struct prof_error *err)
{
	uint64_t limit = r->u->cli->options.max_size;
	const struct archive_rewrite_target target = { .arg = new,
	    .sink = new == NULL ? NULL : output_write,
	    .packing = input_compression(in),
	    .sparse_max = limit == 0 ? INPUT_MAX : limit };
	enum prof_status status = PROF_FAIL;

	r->tar = archive_rewrite_new(input_pull, in, &target, err);
	if (r->tar != NULL)
		status = archive_process_members(r, err);
	/* If the input failed, its error is the cause of the other one. */
	if (status == PROF_FAIL && input_failure(in)->code != PROF_E_NONE)
		*err = *input_failure(in);
	archive_rewrite_free(r->tar);
	return status;
}

static enum prof_status
archive_put_in_place(struct archive_upgrade *r, struct input *in,
    struct prof_error *err)
{
	struct upgrade *u = r->u;
	struct output *new = NULL;
	enum prof_status status;

	if (!u->options->dry_run &&
	    (new = rewrite_output(&u->old, err)) == NULL)
		return PROF_FAIL;
	status = archive_copy(r, in, new, err);
	if (new == NULL)
		return status;
	if (status == PROF_OK && r->changed)
		return rewrite_commit(&u->old, new, &u->options->rewrite, err);
	output_discard(new);
	return status;
}

/*
 * Upgrades the members of a tar archive, and prints their results.  The input
 * is at the archive, which is its only member, and knows the compression.
 */
static enum prof_status
upgrade_archive(struct upgrade *u, struct input *in, struct prof_error *err)
{
	struct archive_upgrade r = { .u = u, .path = u->file.path };
	enum prof_status status = archive_put_in_place(&r, in, err);

	for (size_t i = 0; i < r.count; i++) {
		u->file = r.files[i];
		if (status == PROF_OK && upgrade_print(u) != PROF_OK)
			status = err_repeat(err, &u->cli->err);
		upgrade_file_end(&u->file);
	}
	free(r.files);
	buf_free(&r.memory);
	upgrade_file_begin(u, r.path, NULL);
	if (status == PROF_OK) {
		u->count[UPGRADE_SKIPPED] += r.skipped;
		u->file.result = UPGRADE_ARCHIVE;
	}
	return status;
}

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

/* Refuses standard input, and inputs that have a weight or are subtracted. */
static enum prof_status
check_upgrade_input(const struct cli_input *in, struct prof_error *err)
{
	if (strcmp(in->path, "-") == 0)
		return err_set(err, PROF_E_UNSUPPORTED, "standard input "
		    "cannot be upgraded: name files");
	if (in->weight.times != 1 || in->weight.parts != 1 || in->subtracted)
		return err_set(err, PROF_E_UNSUPPORTED, "%s cannot be used "
		    "with --upgrade", in->subtracted ? "--subtract" :
		    "weights");
	return PROF_OK;
}

/*
 * Whether a file of a folder is the backup that an earlier run kept: its name
 * ends with the suffix of backups, or goes on behind that of a profile, as in
 * a.profdata.orig, and the profile is there.
 */
static bool
upgrade_is_backup(const struct upgrade *u, const struct cli_input *in)
{
	const char *suffix = u->options->rewrite.backup;
	size_t size = strlen(in->path), end = suffix == NULL ? 0 :
	    strlen(suffix);
	bool found = false;
	char *path;

	if (!in->found)
		return false;
	if (suffix != NULL && size > end &&
	    strcmp(in->path + size - end, suffix) == 0)
		return true;
	if (suffix_format(in->path) != NULL)
		return false;
	path = strdup(in->path);
	if (path == NULL)
		cli_out_of_memory(u->cli);
	while (!found && --size > 0 && path[size - 1] != '/') {
		path[size] = '\0';
		found = suffix_format(path) != NULL && access(path, F_OK) == 0;
	}
	free(path);
	return found;
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
		cli_usage_error(c, "-o, --to indexed:no-vtables and --fail-on "
		    "cannot be used with --upgrade");
	if (c->report.damage.limited || c->output.allow_empty ||
	    c->options.has_max_count)
		cli_usage_error(c, "--keep-going=N, --allow-empty and "
		    "--max-count cannot be used with --upgrade");
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

/* Upgrades the inputs of the program, and returns its exit status. */
static int
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

/* prof-index - the indexed profile that compilers and llvm-cov read */

struct index_run {
	struct cli_merge_options merge;	/* first: cli_merge_rows sets it */
	struct cli cli;
	struct upgrade_options upgrade;
};

static const struct cli_option options[] = {
	{ 0, "upgrade", NULL, "rewrite each FILE in the newest version",
	    CLI_SETS(struct index_run, upgrade.wanted) },
	{ 'r', "recursive", NULL, "upgrade: rewrite all files of folders",
	    CLI_SETS(struct cli, options.recursive) },
	{ 0, "preserve", NULL, "upgrade: keep the times of files",
	    CLI_SETS(struct index_run, upgrade.rewrite.times) },
	{ 0, "backup", "SUFFIX",
	    "upgrade: keep the old file, with SUFFIX added",
	    CLI_SETS(struct index_run, upgrade.rewrite.backup) },
	{ 0, "dry-run", NULL, "upgrade: only print what would be done",
	    CLI_SETS(struct index_run, upgrade.dry_run) },
	{ 0 }
};

static const struct cli_program program = { "prof-index", "indexed",
"usage: prof-index [options] [FILE...]\n"
"       prof-index --upgrade [options] FILE...\n"
"Writes one indexed profile with the sum of all inputs, or rewrites indexed\n"
"profiles in place.\n",
	.limits_counts = true,
	.examples =
"  prof-index --for clang-16 -o app.profdata runs\n"
"  prof-index --upgrade --backup .old old.profdata\n",
	.tables = { cli_output_options, cli_indexed_options, cli_merge_rows,
	    options, cli_options }
};

int
main(int argc, char **argv)
{
	struct index_run r = { .merge.output.heap_as_read = true };
	const struct cli_merge_options *m = &r.merge;
	struct upgrade_options *up = &r.upgrade;

	cli_start(&r.cli, &program);
	cli_parse(&r.cli, &r, &argc, &argv);
	if (!up->wanted && (up->rewrite.times || up->rewrite.backup != NULL ||
	    up->dry_run || r.cli.options.recursive))
		cli_usage_error(&r.cli, "--preserve, --backup, --dry-run and "
		    "--recursive need --upgrade");
	if (up->wanted && (m->output.sparse || m->group ||
	    (m->buffer | m->terms.traces.length) != 0 ||
	    m->terms.traces.sampled || m->terms.level != PROF_LEVEL_UNKNOWN))
		cli_usage_error(&r.cli, "options for the sum cannot be used "
		    "with --upgrade, which adds nothing up");
	if (up->wanted && r.cli.options.salvage)
		cli_usage_error(&r.cli, "--salvage cannot be used with "
		    "--upgrade: lost records could not be recovered");
	cli_operands(&r.cli, argc, argv);
	cli_restrict(&r.cli, &(struct cli_writes){
	    .folder = m->group ? r.cli.output.path : NULL,
	    .temporaries = !up->wanted, .replaces = up->wanted });
	return up->wanted ? upgrade(&r.cli, up) : cli_merge(&r.cli, &r.merge);
}
