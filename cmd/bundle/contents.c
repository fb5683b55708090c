#include "config.h"

#include "cmd/bundle/contents.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/input.h"

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

enum prof_status
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

enum prof_status
bundle_contents_expect(const struct commit_entry *entry, struct prof_span image,
    struct prof_error *err)
{
	const struct bundle_entry *e = entry->note;
	uint8_t digest[SHA256_SIZE];

	if (image.size != e->facts.size)
		return err_content_changed(err);
	sha256_of(image, digest);
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

struct bundle_contents *
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

void
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
