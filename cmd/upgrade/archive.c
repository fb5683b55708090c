/* prof-index --upgrade: the indexed profiles in a tar archive. */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "bundle/manifest.h"
#include "io/input.h"
#include "io/archive_rewrite.h"
#include "cmd/upgrade/upgrade.h"

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
		err_set(&why, PROF_E_LIMIT, "member holds more than %" PRIu64
		    " bytes", limit);
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

enum prof_status
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
