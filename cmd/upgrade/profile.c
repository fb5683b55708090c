/* prof-index --upgrade: one indexed profile, turned into another. */
#include "config.h"

#include "cmd/upgrade/upgrade.h"

static int
upgrade_sink(void *arg, const void *data, size_t size)
{
	struct upgrade *u = arg;

	return u->sink == NULL ? 0 : u->sink(u->sink_arg, data, size);
}

/* A heap profile keeps its fields and at least its MemProf version. */
static void
upgrade_set_heap_target(struct upgrade *u, const struct prof_source *source)
{
	u->heap = source->memprof_version;
	u->target.memprof_at_least = source->memprof_version;
	if (!u->target.memprof_full_schema)
		u->target.memprof_fields = source->memprof_fields;
	u->target.with_sources = u->cli->output.target.with_sources ||
	    source->memprof_sources;
}

/* A file of the target's version gets a writer only in the second pass. */
static enum prof_status
upgrade_begin_profile(struct upgrade *u, const struct prof_source *source,
    bool again, struct prof_error *err)
{
	u->file.from = (unsigned)source->version;
	upgrade_set_heap_target(u, source);
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
	    now->renamed != 0 || upgrade_needs_other_heap(u);
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

enum prof_status
upgrade_read(struct upgrade *u, struct prof_span image, struct prof_error *err)
{
	enum prof_status status = upgrade_decide(u, image, err);

	if (status != PROF_OK)
		upgrade_drop_writer(u);
	return status;
}

enum prof_status
upgrade_write(struct upgrade *u, prof_sink *to, void *arg,
    struct prof_error *err)
{
	enum prof_status status;

	u->sink = to;
	u->sink_arg = arg;
	status = prof_finish(u->writer, err);
	u->sink = NULL;
	upgrade_drop_writer(u);
	return status;
}
