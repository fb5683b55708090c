#include "config.h"

#include "bundle_write.h"

#include "base/error.h"
#include "bundle_fetch.h"
#include "io/archive_write.h"

struct write {
	struct cli *cli;
	struct archive_writer *archive;
};

enum prof_status
bundle_output_failed(struct cli *c)
{
	c->output_failed = true;
	return PROF_FAIL;
}

static enum prof_status
put_member(void *arg, const struct bundle_entry *e, struct prof_span image)
{
	struct write *w = arg;

	return archive_writer_put(w->archive,
	    (const char *)e->facts.member.data, image) == PROF_OK ? PROF_OK :
	    bundle_output_failed(w->cli);
}

/* The manifest comes first, and is all that is known before. */
static enum prof_status
begin(struct write *w, const struct bundle_set *set, enum packing packing,
    struct output *out)
{
	struct cli *c = w->cli;
	struct buf text = { 0 };
	enum prof_status status = PROF_FAIL;

	w->archive = archive_writer_new(packing, output_write, out, &c->err);
	bundle_set_manifest(set, &text);
	if (text.failed)
		err_memory(&c->err);
	else if (w->archive != NULL)
		status = archive_writer_put(w->archive, manifest_name,
		    (struct prof_span){ text.data, text.size });
	buf_free(&text);
	return status == PROF_OK ? PROF_OK : bundle_output_failed(c);
}

static enum prof_status
end(struct write *w, enum prof_status status)
{
	if (status == PROF_OK && archive_writer_finish(w->archive) != PROF_OK)
		status = bundle_output_failed(w->cli);
	archive_writer_free(w->archive);
	return status;
}

enum prof_status
bundle_write(struct cli *c, const struct bundle_set *set,
    enum packing packing, struct output *out)
{
	struct write w = { .cli = c };
	enum prof_status status = begin(&w, set, packing, out);

	if (status == PROF_OK)
		status = bundle_fetch(c, set, NULL, put_member, &w);
	return end(&w, status);
}

enum prof_status
bundle_write_one(struct cli *c, const struct bundle_set *set,
    struct prof_span contents, enum packing packing, struct output *out)
{
	struct write w = { .cli = c };
	enum prof_status status = begin(&w, set, packing, out);

	if (status == PROF_OK)
		status = put_member(&w, set->contents[0], contents);
	return end(&w, status);
}
