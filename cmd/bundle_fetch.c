#include "config.h"

#include "bundle_fetch.h"

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

struct fetch {
	struct cli *cli;
	const struct bundle_set *set;
	struct held *batch;		/* in the order of the set */
	struct held **by_source;
	size_t size;
	struct place *places;		/* of the sources */
	size_t open;
	struct buf memory;
	bundle_take *fn;
	void *arg;
};

static const struct bundle_source *
source_of(const struct fetch *f, const struct held *h)
{
	return &f->set->sources[h->entry->source];
}

/* Messages name what is read. */
static void
set_file(struct fetch *f, const struct held *h)
{
	const struct bundle_source *s = source_of(f, h);

	f->cli->file = s->path;
	f->cli->member = s->archive ?
	    (const char *)h->entry->facts.path.data : NULL;
}

static void
close_place(struct fetch *f, struct place *p)
{
	if (p->in == NULL)
		return;
	input_close(p->in);
	*p = (struct place){ .in = NULL };
	f->open--;
}

static enum prof_status
changed(struct fetch *f)
{
	return err_set(&f->cli->err, PROF_E_SYSTEM, "changed since it was "
	    "read first");
}

/* The member at hand is still what it was. */
static enum prof_status
get_image(struct fetch *f, struct input *in, const struct bundle_entry *e,
    struct prof_span *image)
{
	uint8_t digest[SHA256_SIZE];

	if (input_image(in, image, &f->cli->err) != PROF_OK)
		return PROF_FAIL;
	if (image->size == e->facts.size) {
		sha256_of(*image, digest);
		if (memcmp(digest, e->facts.sha256, SHA256_SIZE) == 0)
			return PROF_OK;
	}
	return changed(f);
}

/* Goes on to a member, from the first one if it was passed by. */
static enum prof_status
go_to(struct fetch *f, struct place *p, uint64_t ordinal)
{
	struct cli *c = f->cli;
	struct input_member m;

	if (p->in != NULL && p->ordinal >= ordinal)
		close_place(f, p);
	if (p->in == NULL) {
		p->in = input_open(c->file, c->max_size, &f->memory, &c->err);
		if (p->in == NULL)
			return PROF_FAIL;
		f->open++;
	}
	while (p->ordinal < ordinal) {
		struct prof_error ignored = { 0 };
		enum prof_status status = input_next(p->in, &m, &ignored);

		if (status == PROF_END)
			return changed(f);
		if (++p->ordinal == ordinal && status == PROF_FAIL)
			return changed(f);
	}
	return PROF_OK;
}

static enum prof_status
hold(struct fetch *f, struct held *h)
{
	struct place *p = &f->places[h->entry->source];
	struct prof_span image;

	set_file(f, h);
	if (go_to(f, p, h->entry->ordinal) != PROF_OK ||
	    get_image(f, p->in, h->entry, &image) != PROF_OK)
		return PROF_FAIL;
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
hold_all(struct fetch *f)
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

static enum prof_status
give_file(struct fetch *f, const struct held *h)
{
	struct cli *c = f->cli;
	struct input *in = input_open(c->file, c->max_size, &f->memory,
	    &c->err);
	enum prof_status status = PROF_FAIL;
	struct input_member m;
	struct prof_span image;

	if (in == NULL)
		return PROF_FAIL;
	if (input_next(in, &m, &c->err) == PROF_OK &&
	    get_image(f, in, h->entry, &image) == PROF_OK)
		status = f->fn(f->arg, h->entry, image);
	input_close(in);
	return status;
}

static enum prof_status
give(struct fetch *f, struct held *h)
{
	enum prof_status status;

	set_file(f, h);
	if (h->data == NULL)
		return give_file(f, h);
	status = f->fn(f->arg, h->entry, (struct prof_span){ h->data,
	    (size_t)h->entry->facts.size });
	free(h->data);
	h->data = NULL;
	return status;
}

static enum prof_status
give_batch(struct fetch *f)
{
	enum prof_status status = hold_all(f);

	for (size_t i = 0; i < f->size && status == PROF_OK; i++)
		status = give(f, &f->batch[i]);
	for (size_t i = 0; i < f->size; i++)
		free(f->batch[i].data);
	f->size = 0;
	return status;
}

static enum prof_status
fetch(struct fetch *f, const bool *wanted)
{
	const struct bundle_set *s = f->set;
	uint64_t bytes = 0;

	for (size_t i = 0; i < s->contents_size; i++) {
		const struct bundle_entry *e = s->contents[i];
		bool held = s->sources[e->source].archive;

		if (wanted != NULL && !wanted[i])
			continue;
		if (held && bytes > 0 && bytes + e->facts.size > HELD_BYTES) {
			if (give_batch(f) != PROF_OK)
				return PROF_FAIL;
			bytes = 0;
		}
		f->batch[f->size++] = (struct held){ .entry = e };
		if (held)
			bytes += e->facts.size;
	}
	return give_batch(f);
}

enum prof_status
bundle_fetch(struct cli *c, const struct bundle_set *set, const bool *wanted,
    bundle_take *fn, void *arg)
{
	size_t n = set->contents_size + 1;
	struct fetch f = { .cli = c, .set = set, .fn = fn, .arg = arg,
	    .batch = calloc(n, sizeof(struct held)),
	    .by_source = calloc(n, sizeof(struct held *)),
	    .places = calloc(set->sources_size + 1, sizeof(struct place)) };
	enum prof_status status;

	if (f.batch == NULL || f.by_source == NULL || f.places == NULL)
		cli_out_of_memory(c);
	status = fetch(&f, wanted);
	for (size_t i = 0; i < set->sources_size; i++)
		close_place(&f, &f.places[i]);
	if (status == PROF_OK)
		c->file = c->member = NULL;
	free(f.batch);
	free(f.by_source);
	free(f.places);
	buf_free(&f.memory);
	return status;
}
