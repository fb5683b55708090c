/* cmd/bundle/write.c - prof-bundle create and add: the second reading */
#include "config.h"

#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "cmd/bundle/bundle.h"
#include "cmd/common/pipeline.h"
#include "io/archive_write.h"
#include "io/input.h"
#include "io/rewrite.h"

struct bundle_writer {
	struct archive_writer *archive;
	const struct bundle_set *set;
	size_t next;			/* of its contents */
	/* The archive that is read, up to the member at hand; or NULL. */
	struct input *in;
	const char *path;		/* of in */
	uint64_t ordinal;
	struct buf memory;
	struct prof_error err;		/* of writing */
};

static enum prof_status
err_content_changed(struct prof_error *err)
{
	return err_set(err, PROF_E_SYSTEM, "changed after it was first read");
}

static void
writer_close_archive(struct bundle_writer *w)
{
	if (w->in == NULL)
		return;
	/* The worker's memory of the last image is in use, or gone. */
	input_use(w->in, &w->memory);
	input_close(w->in);
	w->in = NULL;
}

/* Goes on to the member: no content comes before that of the one before. */
static enum prof_status
writer_go_to_member(struct bundle_writer *w, struct cli *c,
    const struct bundle_entry *e, struct buf *memory)
{
	struct input_member m;

	if (w->in != NULL && strcmp(w->path, c->inputs.file) != 0)
		writer_close_archive(w);
	if (w->in == NULL) {
		w->path = c->inputs.file;
		w->ordinal = 0;
		w->in = input_open(c->inputs.file, c->options.max_size,
		    memory, &c->err);
		if (w->in == NULL)
			return PROF_FAIL;
	}
	input_use(w->in, memory);
	while (w->ordinal < e->ordinal) {
		struct prof_error why = { 0 };
		enum prof_status status = input_next(w->in, &m, &why);

		if (status == PROF_END)
			return err_content_changed(&c->err);
		/* Members that were bad at first are bad here, too. */
		if (why.code == PROF_E_MEMORY || why.code == PROF_E_SYSTEM)
			return err_repeat(&c->err, &why);
		if (++w->ordinal == e->ordinal && status == PROF_FAIL)
			return err_content_changed(&c->err);
	}
	return PROF_OK;
}

/* Opens a plain file, which the worker that gets the item will read. */
static enum prof_status
writer_open_file(struct cli *c, struct cli_item *item, struct buf *memory)
{
	struct input_member m;

	item->in = input_open(c->inputs.file, c->options.max_size, memory,
	    &c->err);
	if (item->in != NULL &&
	    input_next(item->in, &m, &c->err) == PROF_OK)
		return PROF_OK;
	input_close(item->in);
	item->in = NULL;
	return PROF_FAIL;
}

/* cli_pipeline.next: the item of the next content, which is its note. */
static enum prof_status
writer_next(void *arg, struct cli *c, struct cli_item *item,
    struct buf *memory)
{
	struct bundle_writer *w = arg;
	const struct bundle_entry *e;

	if (w->next == w->set->contents_size)
		return PROF_END;
	e = w->set->contents[w->next++];
	c->inputs.file = e->source->path;
	c->inputs.member = e->source->archive ?
	    (const char *)e->facts.path.data : NULL;
	item->note = (void *)(uintptr_t)e;
	if (!e->source->archive)
		return writer_open_file(c, item, memory);
	item->has_image = writer_go_to_member(w, c, e, memory) == PROF_OK &&
	    input_image(w->in, &item->image, &c->err) == PROF_OK;
	return item->has_image ? PROF_OK : PROF_FAIL;
}

/* Fails if the bytes are not those from which the set was made. */
static enum prof_status
bundle_contents_expect(const struct cli_item *item, struct prof_error *err)
{
	const struct bundle_entry *e = item->note;
	uint8_t digest[SHA256_SIZE];

	if (item->image.size != e->facts.size)
		return err_content_changed(err);
	sha256_of(item->image, digest);
	return memcmp(digest, e->facts.sha256, SHA256_SIZE) == 0 ? PROF_OK :
	    err_content_changed(err);
}

/* Puts contents in order; the other workers read theirs meanwhile. */
static void *
writer_put_member(void *arg, struct cli_item *item, struct prof_error *err)
{
	struct bundle_writer *w = arg;
	const struct bundle_entry *e = item->note;

	if (bundle_contents_expect(item, err) == PROF_OK &&
	    cli_item_is_first(item))
		archive_writer_put(w->archive,
		    (const char *)e->facts.member.data, item->image);
	return NULL;
}

static enum prof_status
writer_commit(void *arg, struct cli *c, struct cli_item *item)
{
	const struct bundle_writer *w = arg;

	if (item->err.code != PROF_E_NONE || w->err.code == PROF_E_NONE)
		return item->err.code == PROF_E_NONE ? PROF_OK : PROF_FAIL;
	c->err = w->err;
	return PROF_FAIL;
}

/* Opens the archive and writes the manifest, which is its first member. */
static enum prof_status
writer_begin(struct bundle_writer *w, enum packing packing,
    struct output *out)
{
	struct buf text = { 0 };
	enum prof_status status = PROF_FAIL;

	w->archive = archive_writer_new(packing, output_write, out, &w->err);
	bundle_set_manifest(w->set, &text);
	if (text.failed)
		err_memory(&w->err);
	else if (w->archive != NULL)
		status = archive_writer_put(w->archive, manifest_name,
		    buf_span(&text));
	buf_free(&text);
	return status;
}

/*
 * Writes the bundle of a settled set; the inputs are read again.  old is NULL,
 * or the bundle that is replaced.
 */
static enum prof_status
bundle_write(struct cli *c, const struct bundle_set *set, enum packing packing,
    const struct rewrite *old)
{
	struct bundle_writer w = { .set = set };
	const struct cli_pipeline work = { .arg = &w, .next = writer_next,
	    .process = writer_put_member, .commit = writer_commit };
	enum prof_status status;

	c->output.file = old != NULL ? rewrite_output(old, &c->err) :
	    output_open(c->output.path, true, &c->err);
	c->output.failed = c->output.file == NULL;
	if (c->output.failed)
		return PROF_FAIL;
	status = writer_begin(&w, packing, c->output.file);
	if (status == PROF_OK)
		status = cli_pipeline_run(c, &work);
	writer_close_archive(&w);
	if (status == PROF_OK)
		status = archive_writer_finish(w.archive);
	archive_writer_free(w.archive);
	buf_free(&w.memory);
	if (w.err.code != PROF_E_NONE) {
		c->err = w.err;
		c->output.failed = true;
		return PROF_FAIL;
	}
	return status == PROF_OK ? cli_commit_output(c, old) : PROF_FAIL;
}

static enum prof_status
create_settle(struct cli *c, struct bundle_set *set)
{
	if (set->size == 0)
		return err_set(&c->err, PROF_E_FORMAT, "no profile to put "
		    "into the bundle");
	if (bundle_set_settle(set, &c->err) != PROF_OK)
		return PROF_FAIL;
	if (set->repeated != 0 && !c->options.quiet)
		message_print("%s: repeated profiles, stored once: %llu\n",
		    c->name, (unsigned long long)set->repeated);
	return PROF_OK;
}

/* Reads all inputs, of `add` the old bundle first, and writes the profiles. */
static enum prof_status
bundle_make(struct cli *c, const struct bundle_options *o, enum packing packing,
    const struct rewrite *old, struct bundle_set *set)
{
	if (bundle_scan(c, o, old != NULL, set) != PROF_OK ||
	    create_settle(c, set) != PROF_OK)
		return PROF_FAIL;
	return bundle_write(c, set, packing, old);
}

/* The message of a failure may name a file of the set. */
static int
bundle_end(struct cli *c, struct bundle_set *set, enum prof_status status)
{
	int code = cli_end(c, status);

	bundle_set_free(set);
	return code;
}

int
bundle_create(struct cli *c, struct bundle_options *o)
{
	struct bundle_set set = { .size = 0 };

	return bundle_end(c, &set, bundle_make(c, o, o->packing, NULL, &set));
}

/* The packing that the bundle has, and keeps unless an option names another. */
static enum prof_status
add_find_packing(struct cli *c, const struct rewrite *w, enum packing *out)
{
	uint8_t bytes[8];
	size_t size;

	if (rewrite_start(w, bytes, &size, &c->err) != PROF_OK)
		return PROF_FAIL;
	*out = packing_of((struct prof_span){ bytes, size });
	if (*out != PACKING_GZIP && *out != PACKING_XZ && *out != PACKING_ZSTD)
		*out = PACKING_NONE;
	return PROF_OK;
}

/* Makes the bundle the first input, before those that were named. */
static void
add_own_input(struct cli *c, const char *bundle)
{
	const struct cli_input own = { .path = bundle, .weight = { 1, 1 } };

	cli_add_input(c, &own);
	memmove(c->inputs.items + 1, c->inputs.items, (c->inputs.size - 1) *
	    sizeof(own));
	c->inputs.items[0] = own;
}

int
bundle_add(struct cli *c, struct bundle_options *o, const char *bundle)
{
	struct bundle_set set = { .size = 0 };
	enum packing packing = o->packing;
	enum prof_status status;
	struct rewrite w;

	c->output.path = bundle;
	status = rewrite_open(&w, bundle, &c->err);
	c->output.failed = status != PROF_OK;
	if (status != PROF_OK)
		return bundle_end(c, &set, PROF_FAIL);
	if (!o->packs)
		status = add_find_packing(c, &w, &packing);
	if (status == PROF_OK) {
		add_own_input(c, w.path);
		status = bundle_make(c, o, packing, &w, &set);
	}
	rewrite_close(&w);
	return bundle_end(c, &set, status);
}
