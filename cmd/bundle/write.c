#include "config.h"

#include "cmd/bundle/write.h"

#include <stdio.h>

#include "base/error.h"
#include "cmd/bundle/contents.h"
#include "cmd/common/stdio_flush.h"
#include "io/archive_write.h"

struct bundle_writer {
	struct archive_writer *archive;
	struct bundle_contents *contents;
	struct prof_error err;		/* of writing */
};

enum prof_status
bundle_output_failed(struct cli *c)
{
	c->output.failed = true;
	return PROF_FAIL;
}

enum prof_status
bundle_output_open(struct cli *c)
{
	c->output.file = output_open(c->output.path, true, &c->err);
	return c->output.file == NULL ? bundle_output_failed(c) : PROF_OK;
}

enum prof_status
bundle_output_commit(struct cli *c)
{
	return cli_commit_output(c, NULL);
}

enum prof_status
bundle_flush_text(struct cli *c)
{
	int error = stdio_flush(stdout);

	if (error == 0)
		return PROF_OK;
	err_system(&c->err, error, "cannot write");
	return bundle_output_failed(c);
}

/* Opens the archive and writes the manifest, which is its first member. */
static enum prof_status
bundle_writer_begin(struct bundle_writer *w, const struct bundle_set *set,
    enum packing packing, struct output *out)
{
	struct buf text = { 0 };
	enum prof_status status = PROF_FAIL;

	w->archive = archive_writer_new(packing, output_write, out, &w->err);
	bundle_set_manifest(set, &text);
	if (text.failed)
		err_memory(&w->err);
	else if (w->archive != NULL)
		status = archive_writer_put(w->archive, manifest_name,
		    buf_span(&text));
	buf_free(&text);
	return status;
}

static enum prof_status
bundle_writer_end(struct bundle_writer *w, struct cli *c,
    enum prof_status status)
{
	if (status == PROF_OK)
		status = archive_writer_finish(w->archive);
	archive_writer_free(w->archive);
	if (w->err.code == PROF_E_NONE)
		return status;
	c->err = w->err;
	return bundle_output_failed(c);
}

/* All workers share the writer. */
static void *
bundle_writer_worker(void *arg, struct cli *view)
{
	(void)view;
	return arg;
}

static void
bundle_writer_worker_stop(void *arg)
{
	(void)arg;
}

static enum prof_status
bundle_writer_next(void *arg, struct cli *c, struct cli_item *item,
    struct buf *memory)
{
	struct bundle_writer *w = arg;

	(void)c;
	return bundle_contents_next(w->contents, item, memory);
}

/* Runs in order; the other workers read their contents meanwhile. */
static void *
bundle_writer_put_member(void *arg, const struct cli_bytes *bytes,
    struct prof_error *err)
{
	struct bundle_writer *w = arg;
	const struct bundle_entry *e = bytes->note;

	(void)err;
	archive_writer_put(w->archive,
	    (const char *)e->facts.member.data, bytes->image);
	return NULL;
}

static enum prof_status
bundle_writer_commit(void *arg, struct cli *c, struct commit_entry *entry)
{
	const struct bundle_writer *w = arg;

	if (entry->err.code != PROF_E_NONE || w->err.code == PROF_E_NONE)
		return entry->err.code == PROF_E_NONE ? PROF_OK : PROF_FAIL;
	c->err = w->err;
	return PROF_FAIL;
}

enum prof_status
bundle_write(struct cli *c, const struct bundle_set *set,
    enum packing packing, struct output *out)
{
	struct bundle_writer w = { .contents = bundle_contents_new(c, set) };
	const struct cli_pipeline work = { .arg = &w,
	    .start = bundle_writer_worker, .stop = bundle_writer_worker_stop,
	    .next = bundle_writer_next, .verify = bundle_contents_expect,
	    .ordered = true, .process = bundle_writer_put_member,
	    .commit = bundle_writer_commit };
	enum prof_status status = bundle_writer_begin(&w, set, packing, out);

	if (status == PROF_OK)
		status = cli_pipeline_run(c, &work);
	bundle_contents_free(w.contents);
	return bundle_writer_end(&w, c, status);
}
