#include "config.h"

#include "cmd/bundle/contents.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/input.h"

/* Members that are held, in bytes; one may be larger. */
#define HELD_BYTES	((uint64_t)256 << 20)

/* Archives that stay open where they were left. */
enum { OPEN_MAX_FILES = 16 };

struct held {
	const struct bundle_entry *entry;
	uint8_t *data;			/* NULL: of a file, or not read yet */
};

/* An archive that is read on from where it was left. */
struct place {
	struct input *in;		/* or NULL */
	uint64_t ordinal;		/* of the member at hand */
};

struct bundle_contents {
	struct cli *cli;
	const struct bundle_set *set;
	const bool *wanted;
	size_t next;			/* content that is in no batch yet */
	struct held *batch;		/* in the order of the set */
	struct held **by_source;
	size_t size, given;
	struct place *places;		/* of the sources */
	size_t open;
	struct buf memory;
};

static const struct bundle_source *
source_of(const struct bundle_contents *f, const struct held *h)
{
	return &f->set->sources[h->entry->source];
}

/* Messages name what is read. */
static void
set_file(struct bundle_contents *f, const struct held *h)
{
	const struct bundle_source *s = source_of(f, h);

	f->cli->inputs.file = s->path;
	f->cli->inputs.member = s->archive ?
	    (const char *)h->entry->facts.path.data : NULL;
}

static void
close_place(struct bundle_contents *f, struct place *p)
{
	if (p->in == NULL)
		return;
	input_close(p->in);
	*p = (struct place){ .in = NULL };
	f->open--;
}

static enum prof_status
changed(struct prof_error *err)
{
	return err_set(err, PROF_E_SYSTEM, "changed since it was read first");
}

/* Goes on to a member, from the first one if it was passed by. */
static enum prof_status
go_to(struct bundle_contents *f, struct place *p, uint64_t ordinal)
{
	struct cli *c = f->cli;
	struct input_member m;

	if (p->in != NULL && p->ordinal >= ordinal)
		close_place(f, p);
	if (p->in == NULL) {
		p->in = input_open(c->inputs.file, c->options.max_size,
		    &f->memory, &c->err);
		if (p->in == NULL)
			return PROF_FAIL;
		f->open++;
	}
	while (p->ordinal < ordinal) {
		struct prof_error ignored = { 0 };
		enum prof_status status = input_next(p->in, &m, &ignored);

		if (status == PROF_END)
			return changed(&f->cli->err);
		if (++p->ordinal == ordinal && status == PROF_FAIL)
			return changed(&f->cli->err);
	}
	return PROF_OK;
}

static enum prof_status
hold(struct bundle_contents *f, struct held *h)
{
	struct place *p = &f->places[h->entry->source];
	struct prof_span image;

	set_file(f, h);
	if (go_to(f, p, h->entry->ordinal) != PROF_OK ||
	    input_image(p->in, &image, &f->cli->err) != PROF_OK)
		return PROF_FAIL;
	if (image.size != h->entry->facts.size)
		return changed(&f->cli->err);
	h->data = malloc(image.size + 1);
	if (h->data == NULL)
		return err_memory(&f->cli->err);
	memcpy(h->data, image.data, image.size);
	return PROF_OK;
}

static int
by_source(const void *a, const void *b)
{
	const struct bundle_entry *x = (*(struct held *const *)a)->entry;
	const struct bundle_entry *y = (*(struct held *const *)b)->entry;

	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	return (x->ordinal > y->ordinal) - (x->ordinal < y->ordinal);
}

/* Reads the members of archives that the batch asks for. */
static enum prof_status
hold_all(struct bundle_contents *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->size; i++) {
		if (source_of(f, &f->batch[i])->archive)
			f->by_source[n++] = &f->batch[i];
	}
	if (n > 0)
		qsort(f->by_source, n, sizeof(*f->by_source), by_source);
	for (size_t i = 0; i < n; i++) {
		size_t source = f->by_source[i]->entry->source;

		if (hold(f, f->by_source[i]) != PROF_OK)
			return PROF_FAIL;
		if (f->open > OPEN_MAX_FILES &&
		    (i + 1 == n || f->by_source[i + 1]->entry->source
		    != source))
			close_place(f, &f->places[source]);
	}
	return PROF_OK;
}

/* The contents that come next, as many as can be held. */
static enum prof_status
next_batch(struct bundle_contents *f)
{
	const struct bundle_set *s = f->set;
	uint64_t bytes = 0;

	f->size = f->given = 0;
	for (; f->next < s->contents_size; f->next++) {
		const struct bundle_entry *e = s->contents[f->next];
		bool held = s->sources[e->source].archive;

		if (f->wanted != NULL && !f->wanted[f->next])
			continue;
		if (held && bytes > 0 && bytes + e->facts.size > HELD_BYTES)
			break;
		f->batch[f->size++] = (struct held){ .entry = e };
		if (held)
			bytes += e->facts.size;
	}
	return hold_all(f);
}

/* An input at the file, which its thread reads. */
static enum prof_status
open_file(struct bundle_contents *f, struct cli_item *item, struct buf *memory)
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

enum prof_status
bundle_contents_next(struct bundle_contents *f, struct cli_item *item,
    struct buf *memory)
{
	struct held *h;

	if (f->given == f->size && next_batch(f) != PROF_OK)
		return PROF_FAIL;
	if (f->given == f->size)
		return PROF_END;
	h = &f->batch[f->given++];
	set_file(f, h);
	item->note = (void *)(uintptr_t)h->entry;
	if (!source_of(f, h)->archive)
		return open_file(f, item, memory);
	item->held = h->data;
	item->image = (struct prof_span){ h->data,
	    (size_t)h->entry->facts.size };
	item->has_image = true;
	h->data = NULL;
	return PROF_OK;
}

enum prof_status
bundle_contents_expect(const struct commit_entry *turn, struct prof_span image,
    struct prof_error *err)
{
	const struct bundle_entry *e = turn->note;
	uint8_t digest[SHA256_SIZE];

	if (image.size != e->facts.size)
		return changed(err);
	sha256_of(image, digest);
	return memcmp(digest, e->facts.sha256, SHA256_SIZE) == 0 ? PROF_OK :
	    changed(err);
}

struct bundle_contents *
bundle_contents_new(struct cli *c, const struct bundle_set *set,
    const bool *wanted)
{
	size_t n = set->contents_size + 1;
	struct bundle_contents *f = calloc(1, sizeof(*f));

	if (f == NULL)
		cli_out_of_memory(c);
	*f = (struct bundle_contents){ .cli = c, .set = set, .wanted = wanted,
	    .batch = calloc(n, sizeof(struct held)),
	    .by_source = calloc(n, sizeof(struct held *)),
	    .places = calloc(set->sources_size + 1, sizeof(struct place)) };
	if (f->batch == NULL || f->by_source == NULL || f->places == NULL)
		cli_out_of_memory(c);
	return f;
}

void
bundle_contents_free(struct bundle_contents *f)
{
	for (size_t i = 0; i < f->set->sources_size; i++)
		close_place(f, &f->places[i]);
	for (size_t i = f->given; i < f->size; i++)
		free(f->batch[i].data);
	free(f->batch);
	free(f->by_source);
	free(f->places);
	buf_free(&f->memory);
	free(f);
}
