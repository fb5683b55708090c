/* Inputs: paths, images and pull sources as a row of records. */
#include "libprof/private.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "io/input.h"

struct prof_input {
	struct prof *p;
	struct item_record shown;
	struct prof_reader *reader;	/* of the member, or NULL */
	bool begun, ended;
	char *path;			/* of a file, or NULL */
	struct input *file;		/* or a pull source; or NULL */
	char *member;			/* or NULL */
	uint64_t ordinal;		/* of the member, from 1 */
	struct prof_span image;		/* of memory */
	size_t pulled;			/* bytes of it, if it is packed */
	struct buf memory;		/* images of files */
	struct arena names;
	struct prof_span *selected, *prefixes;
	size_t selected_size, selected_room;
	size_t prefixes_size, prefixes_room;
};

static struct prof_input *
input_new(struct prof *p)
{
	struct prof_input *in = calloc(1, sizeof(*in));

	if (in == NULL) {
		err_memory(&p->problem.error);
		return NULL;
	}
	in->p = p;
	in->memory = p->memory;
	p->memory = (struct buf){ 0 };
	return in;
}

/* The file of a new input, opened or not, or NULL. */
static struct prof_input *
input_complete(struct prof *p, struct prof_input *in, struct input *file)
{
	if (in != NULL && file != NULL) {
		in->file = file;
		return in;
	}
	prof_input_close(in);
	problem_fail(p);
	return NULL;
}

struct prof_input *
prof_input_open(struct prof *p, const char *path)
{
	struct prof_error *err = &p->problem.error;
	struct prof_input *in;

	problem_begin(p);
	in = input_new(p);
	if (in != NULL && (in->path = strdup(path)) == NULL)
		err_memory(err);
	return input_complete(p, in, in == NULL || in->path == NULL ? NULL :
	    input_open(path, p->max_bytes, &in->memory, err));
}

struct prof_input *
prof_input_pull(struct prof *p, prof_pull *pull, void *arg)
{
	struct prof_input *in;

	problem_begin(p);
	in = input_new(p);
	return input_complete(p, in, in == NULL ? NULL : input_open_pull(pull,
	    arg, p->max_bytes, &in->memory, &p->problem.error));
}

/* A prof_pull of an image in memory. */
static ssize_t
input_pull_image(void *arg, void *data, size_t size)
{
	struct prof_input *in = arg;
	size_t left = in->image.size - in->pulled;

	if (size > left)
		size = left;
	memcpy(data, in->image.data + in->pulled, size);
	in->pulled += size;
	return (ssize_t)size;
}

struct prof_input *
prof_input_memory(struct prof *p, const void *image, size_t size)
{
	const struct prof_span bytes = { image, size };
	struct prof_input *in;

	problem_begin(p);
	in = input_new(p);
	if (in == NULL) {
		problem_fail(p);
		return NULL;
	}
	in->image = bytes;
	return packing_of(bytes) == PACKING_NONE ? in :
	    input_complete(p, in, input_open_pull(input_pull_image, in,
	    p->max_bytes, &in->memory, &p->problem.error));
}

void
prof_input_close(struct prof_input *in)
{
	if (in == NULL)
		return;
	problem_forget(in->p, in->path);
	problem_forget(in->p, in->member);
	prof_close(in->reader);
	input_close(in->file);
	free(in->path);
	free(in->member);
	free(in->selected);
	free(in->prefixes);
	arena_free(&in->names);
	/* The next input has pages at hand then. */
	if (in->p->memory.data == NULL)
		in->p->memory = in->memory;
	else
		buf_free(&in->memory);
	free(in);
}

/* A list of names of an input, which are copied. */
struct input_names {
	struct prof_span **items;
	size_t *size, *room;
};

static int
input_add_name(struct prof_input *in, const struct input_names *to,
    const char *name, size_t size)
{
	struct prof *p = in->p;
	struct prof_span copy;

	problem_begin(p);
	if (in->begun)
		return problem_use(p, "the input has been read already");
	copy = arena_copy(&in->names,
	    (struct prof_span){ (const uint8_t *)name, size });
	if (copy.data == NULL || !ARRAY_ADD(*to->items, *to->size, *to->room,
	    copy)) {
		return problem_memory(p);
	}
	return 0;
}

int
prof_input_select(struct prof_input *in, const char *name, size_t size)
{
	return input_add_name(in, &(struct input_names){ &in->selected,
	    &in->selected_size, &in->selected_room }, name, size);
}

int
prof_input_select_prefix(struct prof_input *in, const char *prefix,
    size_t size)
{
	return input_add_name(in, &(struct input_names){ &in->prefixes,
	    &in->prefixes_size, &in->prefixes_room }, prefix, size);
}

static struct prof_reader *
input_open_member(struct prof_input *in, struct prof_context *c,
    const struct input_member *m, struct prof_error *err)
{
	struct prof_span image;

	if (prof_recognise(m->start, err) != PROF_OK)
		return NULL;
	if (prof_is_stream(m->start) && !in->p->salvage)
		return prof_open_stream(c, input_pull, in->file, err);
	/* Raw files may be longer than the memory. */
	if (!in->p->salvage && input_is_flow(in->file) &&
	    prof_has_images(m->start))
		return prof_open_images(c, input_pull, in->file,
		    input_limit(in->file), err);
	if ((!in->p->map_files ||
	    input_map_bare(in->file, &image) != PROF_OK) &&
	    input_image(in->file, &image, err) != PROF_OK)
		return NULL;
	return prof_open(c, image, err);
}

/* The next member that is a profile, or should be one. */
static enum prof_status
input_next_member(struct prof_input *in, struct input_member *m,
    struct prof_error *err)
{
	enum prof_status status;

	free(in->member);
	in->member = NULL;
	in->p->member = NULL;
	do {
		status = input_next(in->file, m, err);
		in->ordinal++;
	} while (status == PROF_OK && prof_is_foreign(m->name, m->start));
	if (status == PROF_END || m->name == NULL)
		return status;
	in->member = strdup(m->name);
	in->p->member = in->member;
	return in->member == NULL ? err_memory(err) : status;
}

/* Opens the next member or image; PROF_END if the input has no more. */
static enum prof_status
input_advance(struct prof_input *in, struct prof_context *c,
    struct prof_error *err)
{
	struct input_member m = { .name = NULL };
	enum prof_status status = PROF_OK;

	if (in->file != NULL)
		status = input_next_member(in, &m, err);
	else if (in->ended)
		status = PROF_END;
	in->ended = true;
	if (status != PROF_OK)
		return status;
	prof_context_part(c, in->ordinal);
	if (in->file != NULL)
		in->reader = input_open_member(in, c, &m, err);
	else
		in->reader = prof_open(c, in->image, err);
	if (in->reader != NULL && in->selected_size != 0 &&
	    in->prefixes_size == 0)
		prof_select(in->reader, in->selected, in->selected_size);
	return in->reader == NULL ? PROF_FAIL : PROF_OK;
}

/* The file knows better than the decoder why bytes are missing. */
static enum prof_status
input_blame(struct prof_input *in, struct prof_error *err)
{
	if (in->file != NULL && input_failure(in->file)->code != PROF_E_NONE)
		*err = *input_failure(in->file);
	return PROF_FAIL;
}

/* Readers that cannot look names up return all functions. */
static bool
input_wants(const struct prof_input *in)
{
	const struct prof_record *r = &in->shown.record;
	struct prof_span name;

	if (r->kind != PROF_REC_FUNCTION)
		return true;
	name = r->u.function.symbol.name;
	return prof_span_in(name, in->selected, in->selected_size) ||
	    prof_span_begins_in(name, in->prefixes, in->prefixes_size);
}

/* The next record of the member, or of the next one. */
static enum prof_status
input_next_record(struct prof_input *in, struct prof_context *c,
    struct prof_error *err)
{
	enum prof_status status;
	struct prof_source *s;

	for (;;) {
		if (in->reader == NULL) {
			status = input_advance(in, c, err);
			if (status != PROF_OK)
				return status == PROF_END ? PROF_END :
				    input_blame(in, err);
		}
		status = prof_next(in->reader, &in->shown.record, err);
		if (status == PROF_OK)
			break;
		prof_close(in->reader);
		in->reader = NULL;
		if (status == PROF_FAIL || (in->file != NULL &&
		    input_failure(in->file)->code != PROF_E_NONE))
			return input_blame(in, err);
	}
	/* The decoder of an image does not know which file it came from. */
	s = &in->shown.record.u.profile.source;
	if (in->shown.record.kind == PROF_REC_PROFILE && s->file.data == NULL) {
		if (in->path != NULL)
			s->file = span_of_text(in->path);
		if (in->member != NULL)
			s->member = span_of_text(in->member);
	}
	return PROF_OK;
}

enum prof_status
input_step(struct prof_input *in, bool blocks, struct prof_error *err)
{
	bool all = in->selected_size + in->prefixes_size == 0;
	struct prof_context *c = blocks && all ? in->p->blocks :
	    in->p->context;
	enum prof_status status;

	if (!in->begun)
		in->selected_size = prof_span_unique(in->selected,
		    in->selected_size);
	in->begun = true;
	in->p->file = in->path;
	in->p->member = in->member;
	do
		status = input_next_record(in, c, err);
	while (status == PROF_OK && !all && !input_wants(in));
	return status;
}

const struct prof_record *
input_record(const struct prof_input *in)
{
	return &in->shown.record;
}

struct prof *
input_owner(const struct prof_input *in)
{
	return in->p;
}

bool
input_is_begun(const struct prof_input *in)
{
	return in->begun;
}

int
prof_input_next(struct prof_input *in, const struct prof_item **item)
{
	enum prof_status status;

	*item = NULL;
	problem_begin(in->p);
	status = input_step(in, false, &in->p->problem.error);
	if (status == PROF_FAIL)
		return problem_fail(in->p);
	if (status == PROF_END)
		return 0;
	*item = item_show(&in->shown, NULL);
	return 1;
}

const char *
prof_input_member(const struct prof_input *in)
{
	return in->member;
}
