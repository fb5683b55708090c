/* cmd/bundle/write.c - prof-bundle create and add: the second reading */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cmd/bundle/bundle.h"
#include "cmd/common/pipeline.h"
#include "io/archive_write.h"
#include "io/input.h"
#include "io/rewrite.h"

/* Size of a batch of members, in bytes, unless its only member is larger. */
#define HELD_BYTES	((uint64_t)256 << 20)

/* Archives that stay open at the member that was read last. */
enum { OPEN_MAX_FILES = 16 };

struct held_content {
	const struct bundle_entry *entry;
	uint8_t *data;			/* NULL: of a file, or not read yet */
};

/* The position in an archive, from which the next batch reads on. */
struct open_archive {
	struct input *in;		/* or NULL */
	uint64_t ordinal;		/* of the member at hand */
};

struct bundle_contents {
	struct cli *cli;
	const struct bundle_set *set;
	bool in_place_order;		/* members need not be held */
	size_t source;			/* then: of the last member */
	size_t next;			/* content that is in no batch yet */
	struct held_content *batch;		/* in the order of the set */
	struct held_content **by_source;
	size_t size, returned;
	struct open_archive *places;		/* of the sources */
	size_t open;
	struct buf memory;
};

static const struct bundle_source *
content_source(const struct bundle_contents *f, const struct held_content *h)
{
	return &f->set->sources[h->entry->source];
}

/* Sets the file and member that messages name. */
static void
contents_set_file(struct bundle_contents *f, const struct held_content *h)
{
	const struct bundle_source *s = content_source(f, h);

	f->cli->inputs.file = s->path;
	f->cli->inputs.member = s->archive ?
	    (const char *)h->entry->facts.path.data : NULL;
}

static void
contents_close_archive(struct bundle_contents *f, struct open_archive *p)
{
	if (p->in == NULL)
		return;
	/* The worker's memory of the last image is in use, or gone. */
	input_use(p->in, &f->memory);
	input_close(p->in);
	*p = (struct open_archive){ .in = NULL };
	f->open--;
}

static enum prof_status
err_content_changed(struct prof_error *err)
{
	return err_set(err, PROF_E_SYSTEM, "changed after it was first read");
}

/* Moves to a member; the archive is opened anew if the member is behind. */
static enum prof_status
contents_go_to_member(struct bundle_contents *f, struct open_archive *p,
    uint64_t ordinal, struct buf *memory)
{
	struct cli *c = f->cli;
	struct input_member m;

	if (p->in != NULL && p->ordinal >= ordinal)
		contents_close_archive(f, p);
	if (p->in == NULL) {
		p->in = input_open(c->inputs.file, c->options.max_size,
		    memory, &c->err);
		if (p->in == NULL)
			return PROF_FAIL;
		f->open++;
	}
	input_use(p->in, memory);
	while (p->ordinal < ordinal) {
		struct prof_error why = { 0 };
		enum prof_status status = input_next(p->in, &m, &why);

		if (status == PROF_END)
			return err_content_changed(&f->cli->err);
		/* Members that were bad at first are bad here, too. */
		if (why.code == PROF_E_MEMORY || why.code == PROF_E_SYSTEM)
			return err_repeat(&f->cli->err, &why);
		if (++p->ordinal == ordinal && status == PROF_FAIL)
			return err_content_changed(&f->cli->err);
	}
	return PROF_OK;
}

/* Reads a member into that memory. */
static enum prof_status
contents_read_member(struct bundle_contents *f, const struct held_content *h,
    struct buf *memory, struct prof_span *image)
{
	struct open_archive *p = &f->places[h->entry->source];

	contents_set_file(f, h);
	if (contents_go_to_member(f, p, h->entry->ordinal, memory) !=
	    PROF_OK || input_image(p->in, image, &f->cli->err) != PROF_OK)
		return PROF_FAIL;
	return image->size == h->entry->facts.size ? PROF_OK :
	    err_content_changed(&f->cli->err);
}

static enum prof_status
contents_hold_member(struct bundle_contents *f, struct held_content *h)
{
	struct prof_span image;

	if (contents_read_member(f, h, &f->memory, &image) != PROF_OK)
		return PROF_FAIL;
	h->data = malloc(image.size + 1);
	if (h->data == NULL)
		return err_memory(&f->cli->err);
	memcpy(h->data, image.data, image.size);
	return PROF_OK;
}

static int
compare_by_source(const void *a, const void *b)
{
	return bundle_compare_places((*(struct held_content *const *)a)->entry,
	    (*(struct held_content *const *)b)->entry);
}

/* Reads the batch's members of archives, archive by archive. */
static enum prof_status
contents_read_members(struct bundle_contents *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->size; i++) {
		if (content_source(f, &f->batch[i])->archive)
			f->by_source[n++] = &f->batch[i];
	}
	if (n > 0)
		qsort(f->by_source, n, sizeof(*f->by_source),
		    compare_by_source);
	for (size_t i = 0; i < n; i++) {
		size_t source = f->by_source[i]->entry->source;

		if (contents_hold_member(f, f->by_source[i]) != PROF_OK)
			return PROF_FAIL;
		if (f->open > OPEN_MAX_FILES &&
		    (i + 1 == n || f->by_source[i + 1]->entry->source
		    != source))
			contents_close_archive(f, &f->places[source]);
	}
	return PROF_OK;
}

/*
 * Fills the batch with the next contents, up to its size in bytes, or with one
 * if none need be held.
 */
static enum prof_status
contents_next_batch(struct bundle_contents *f)
{
	const struct bundle_set *s = f->set;
	uint64_t bytes = 0;

	f->size = f->returned = 0;
	for (; f->next < s->contents_size && !(f->in_place_order &&
	    f->size != 0); f->next++) {
		const struct bundle_entry *e = s->contents[f->next];
		bool held = s->sources[e->source].archive;

		if (held && bytes > 0 && bytes + e->facts.size > HELD_BYTES)
			break;
		f->batch[f->size++] = (struct held_content){ .entry = e };
		if (held)
			bytes += e->facts.size;
	}
	return f->in_place_order ? PROF_OK : contents_read_members(f);
}

/* Opens a plain file, which the worker that gets the item will read. */
static enum prof_status
contents_open_file(struct bundle_contents *f, struct cli_item *item,
    struct buf *memory)
{
	struct cli *c = f->cli;
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

/* Reads the next member of an archive that is read forwards. */
static enum prof_status
contents_read_next(struct bundle_contents *f, const struct held_content *h,
    struct cli_item *item, struct buf *memory)
{
	if (f->source != h->entry->source)
		contents_close_archive(f, &f->places[f->source]);
	f->source = h->entry->source;
	item->has_image = contents_read_member(f, h, memory, &item->image) ==
	    PROF_OK;
	return item->has_image ? PROF_OK : PROF_FAIL;
}

/*
 * Callbacks for a struct cli_pipeline.  The first gives the next content, with
 * its struct bundle_entry; the second fails with PROF_E_SYSTEM if the bytes
 * are not those from which the set was made.
 */
static enum prof_status
bundle_contents_next(struct bundle_contents *f, struct cli_item *item,
    struct buf *memory)
{
	struct held_content *h;

	if (f->returned == f->size && contents_next_batch(f) != PROF_OK)
		return PROF_FAIL;
	if (f->returned == f->size)
		return PROF_END;
	h = &f->batch[f->returned++];
	contents_set_file(f, h);
	item->note = (void *)(uintptr_t)h->entry;
	if (!content_source(f, h)->archive)
		return contents_open_file(f, item, memory);
	if (f->in_place_order)
		return contents_read_next(f, h, item, memory);
	item->allocated = h->data;
	item->image = (struct prof_span){ h->data,
	    (size_t)h->entry->facts.size };
	item->has_image = true;
	h->data = NULL;
	return PROF_OK;
}

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

/* Whether each content comes after the one before. */
static bool
contents_are_in_place_order(const struct bundle_contents *f)
{
	const struct bundle_entry *last = NULL;

	for (size_t i = 0; i < f->set->contents_size; i++) {
		const struct bundle_entry *e = f->set->contents[i];

		if (last != NULL && bundle_compare_places(last, e) >= 0)
			return false;
		last = e;
	}
	return true;
}

/*
 * The contents of a settled set, in its order.  The set must outlive the
 * reader.
 */
static struct bundle_contents *
bundle_contents_new(struct cli *c, const struct bundle_set *set)
{
	size_t n = set->contents_size + 1;
	struct bundle_contents *f = calloc(1, sizeof(*f));

	if (f == NULL)
		cli_out_of_memory(c);
	*f = (struct bundle_contents){ .cli = c, .set = set,
	    .batch = calloc(n, sizeof(struct held_content)),
	    .by_source = calloc(n, sizeof(struct held_content *)),
	    .places = calloc(set->sources_size + 1,
	    sizeof(struct open_archive)) };
	if (f->batch == NULL || f->by_source == NULL || f->places == NULL)
		cli_out_of_memory(c);
	f->in_place_order = contents_are_in_place_order(f);
	return f;
}

static void
bundle_contents_free(struct bundle_contents *f)
{
	for (size_t i = 0; i < f->set->sources_size; i++)
		contents_close_archive(f, &f->places[i]);
	for (size_t i = f->returned; i < f->size; i++)
		free(f->batch[i].data);
	free(f->batch);
	free(f->by_source);
	free(f->places);
	buf_free(&f->memory);
	free(f);
}

struct bundle_writer {
	struct archive_writer *archive;
	struct bundle_contents *contents;
	struct prof_error err;		/* of writing */
};

/*
 * PROF_FAIL, for an error of the program that is about the output: messages
 * name the output and not an input.
 */
static enum prof_status
bundle_output_failed(struct cli *c)
{
	c->output.failed = true;
	return PROF_FAIL;
}

/* Opens the program's output, and puts the finished file in its place. */
static enum prof_status
bundle_output_open(struct cli *c)
{
	c->output.file = output_open(c->output.path, true, &c->err);
	return c->output.file == NULL ? bundle_output_failed(c) : PROF_OK;
}

/* Opens the program's output, and puts the finished file in its place. */
static enum prof_status
bundle_output_commit(struct cli *c)
{
	return cli_commit_output(c, NULL);
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

static enum prof_status
bundle_writer_next(void *arg, struct cli *c, struct cli_item *item,
    struct buf *memory)
{
	struct bundle_writer *w = arg;

	w->contents->cli = c;
	return bundle_contents_next(w->contents, item, memory);
}

/* Puts contents in order; the other workers read theirs meanwhile. */
static void *
bundle_writer_put_member(void *arg, struct cli_item *item,
    struct prof_error *err)
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
bundle_writer_commit(void *arg, struct cli *c, struct cli_item *item)
{
	const struct bundle_writer *w = arg;

	if (item->err.code != PROF_E_NONE || w->err.code == PROF_E_NONE)
		return item->err.code == PROF_E_NONE ? PROF_OK : PROF_FAIL;
	c->err = w->err;
	return PROF_FAIL;
}

/* Writes the bundle of a settled set; the inputs are read again. */
static enum prof_status
bundle_write(struct cli *c, const struct bundle_set *set,
    enum packing packing, struct output *out)
{
	struct bundle_writer w = { .contents = bundle_contents_new(c, set) };
	const struct cli_pipeline work = { .arg = &w,
	    .next = bundle_writer_next, .process = bundle_writer_put_member,
	    .commit = bundle_writer_commit };
	enum prof_status status = bundle_writer_begin(&w, set, packing, out);

	if (status == PROF_OK)
		status = cli_pipeline_run(c, &work);
	bundle_contents_free(w.contents);
	return bundle_writer_end(&w, c, status);
}

/* prof-bundle create and add */

static enum prof_status
settle_created_set(struct cli *c, struct bundle_set *set)
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

static enum prof_status
create_write_file(struct cli *c, const struct bundle_set *set,
    const struct bundle_options *o)
{
	if (bundle_output_open(c) != PROF_OK ||
	    bundle_write(c, set, o->packing, c->output.file) != PROF_OK)
		return PROF_FAIL;
	return bundle_output_commit(c);
}

int
bundle_create(struct cli *c, struct bundle_options *o)
{
	struct bundle_set set = { .size = 0 };
	enum prof_status status = bundle_scan(c, o, false, &set);
	int code;

	if (status == PROF_OK)
		status = settle_created_set(c, &set);
	if (status == PROF_OK)
		status = create_write_file(c, &set, o);
	code = cli_end(c, status);
	bundle_set_free(&set);
	return code;
}

/* The packing that the bundle has, and keeps unless an option names another. */
static enum prof_status
packing_of_bundle(struct cli *c, const struct rewrite *w, enum packing *out)
{
	uint8_t bytes[8];
	size_t size;

	if (rewrite_start(w, bytes, &size, &c->err) != PROF_OK)
		return PROF_FAIL;
	*out = packing_of((struct prof_span){ bytes, size });
	if (*out == PACKING_GZIP || *out == PACKING_XZ || *out == PACKING_ZSTD)
		return PROF_OK;
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

static enum prof_status
add_rewrite_bundle(struct cli *c, const struct bundle_set *set,
    enum packing packing, const struct rewrite *w)
{
	c->output.file = rewrite_output(w, &c->err);
	if (c->output.file == NULL)
		return bundle_output_failed(c);
	if (bundle_write(c, set, packing, c->output.file) != PROF_OK)
		return PROF_FAIL;
	return cli_commit_output(c, w);
}

static enum prof_status
add_to_bundle(struct cli *c, const struct bundle_options *o, const struct
    rewrite *w, struct bundle_set *set)
{
	enum packing packing = o->packing;
	enum prof_status status;

	if (!o->packs && packing_of_bundle(c, w, &packing) != PROF_OK)
		return PROF_FAIL;
	add_own_input(c, w->path);
	status = bundle_scan(c, o, true, set);
	if (status == PROF_OK)
		status = settle_created_set(c, set);
	return status != PROF_OK ? status :
	    add_rewrite_bundle(c, set, packing, w);
}

int
bundle_add(struct cli *c, struct bundle_options *o, const char *bundle)
{
	struct bundle_set set = { .size = 0 };
	enum prof_status status;
	struct rewrite w;
	int code;

	c->output.path = bundle;
	status = rewrite_open(&w, bundle, &c->err);
	if (status != PROF_OK)
		bundle_output_failed(c);
	else {
		status = add_to_bundle(c, o, &w, &set);
		rewrite_close(&w);
	}
	code = cli_end(c, status);
	bundle_set_free(&set);
	return code;
}
