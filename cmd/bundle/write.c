#include "config.h"

#include "cmd/bundle/write.h"

#include "base/error.h"
#include "cmd/bundle/contents.h"
#include "io/archive_write.h"

struct write {
	struct archive_writer *archive;
	struct bundle_contents *fetch;
	struct prof_error err;		/* of writing */
};

enum prof_status
bundle_output_failed(struct cli *c)
{
	c->output.failed = true;
	return PROF_FAIL;
}

/* The manifest comes first, and is all that is known before. */
static enum prof_status
begin(struct write *w, const struct bundle_set *set, enum packing packing,
    struct output *out)
{
	struct buf text = { 0 };
	enum prof_status status = PROF_FAIL;

	w->archive = archive_writer_new(packing, output_write, out, &w->err);
	bundle_set_manifest(set, &text);
	if (text.failed)
		err_memory(&w->err);
	else if (w->archive != NULL)
		status = archive_writer_put(w->archive, manifest_name,
		    (struct prof_span){ text.data, text.size });
	buf_free(&text);
	return status;
}

static enum prof_status
end(struct write *w, struct cli *c, enum prof_status status)
{
	if (status == PROF_OK)
		status = archive_writer_finish(w->archive);
	archive_writer_free(w->archive);
	if (w->err.code == PROF_E_NONE)
		return status;
	c->err = w->err;
	return bundle_output_failed(c);
}

/* All have the same state. */
static void *
start(void *arg, struct cli *view)
{
	(void)view;
	return arg;
}

static void
stop(void *arg)
{
	(void)arg;
}

static enum prof_status
next(void *arg, struct cli *c, struct cli_item *item, struct buf *memory)
{
	struct write *w = arg;

	(void)c;
	return bundle_contents_next(w->fetch, item, memory);
}

/* The others read on meanwhile. */
static void *
put_member(void *arg, const struct cli_bytes *bytes, struct prof_error *err)
{
	struct write *w = arg;
	const struct bundle_entry *e = bytes->note;

	(void)err;
	archive_writer_put(w->archive,
	    (const char *)e->facts.member.data, bytes->image);
	return NULL;
}

static enum prof_status
commit(void *arg, struct cli *c, struct commit_entry *turn)
{
	const struct write *w = arg;

	if (turn->err.code != PROF_E_NONE || w->err.code == PROF_E_NONE)
		return turn->err.code == PROF_E_NONE ? PROF_OK : PROF_FAIL;
	c->err = w->err;
	return PROF_FAIL;
}

enum prof_status
bundle_write(struct cli *c, const struct bundle_set *set,
    enum packing packing, struct output *out)
{
	struct write w = { .fetch = bundle_contents_new(c, set, NULL) };
	const struct cli_pipeline work = { .arg = &w, .start = start, .stop = stop,
	    .next = next, .verify = bundle_contents_expect, .ordered = true,
	    .process = put_member, .commit = commit };
	enum prof_status status = begin(&w, set, packing, out);

	if (status == PROF_OK)
		status = cli_pipeline_run(c, &work);
	bundle_contents_free(w.fetch);
	return end(&w, c, status);
}

enum prof_status
bundle_write_one(struct cli *c, const struct bundle_set *set,
    struct prof_span contents, enum packing packing, struct output *out)
{
	struct write w = { .archive = NULL };
	enum prof_status status = begin(&w, set, packing, out);

	if (status == PROF_OK)
		status = archive_writer_put(w.archive,
		    (const char *)set->contents[0]->facts.member.data,
		    contents);
	return end(&w, c, status);
}
