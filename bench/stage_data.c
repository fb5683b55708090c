#include "config.h"

#include "stage_data.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "model/record.h"
#include "tests/support/raw_write.h"

static struct arena arena;		/* of all copies */

static const struct prof_target targets[FORMS] = {
	[STREAM] = { .format = "stream" },
	[RAW] = { .format = "raw" },
	[INDEXED] = { .format = "indexed" },
	[TEXT] = { .format = "text" },
	[HEAP_RAW] = { .format = "memprof-raw" },
};

void
stage_fail(const char *what, const struct prof_error *err)
{
	fprintf(stderr, "stages: %s%s%s\n", what, err == NULL ? "" : ": ",
	    err == NULL ? "" : err->reason);
	exit(2);
}

static int
collect(void *arg, const void *data, size_t size)
{
	return arg == NULL ? 0 : buf_sink(arg, data, size);
}

struct prof_writer *
stage_writer(enum form form, struct buf *out)
{
	struct prof_error err = { 0 };
	struct prof_writer *w = form == RAW ? raw_writer_new(
	    &(struct raw_target){ .version = RAW_USUAL }, collect, out, &err) :
	    form == HEAP_RAW ? raw_heap_writer_new(
	    &(struct raw_target){ .version = RAW_HEAP_USUAL }, collect, out,
	    &err) : prof_writer_new(NULL, &targets[form], collect, out, &err);

	if (w == NULL)
		stage_fail(targets[form].format, &err);
	return w;
}

struct prof_context *
stage_context(bool blocks)
{
	struct prof_context *c = prof_context_new(NULL, NULL);

	if (c == NULL)
		stage_fail("out of memory", NULL);
	if (blocks)
		prof_context_blocks(c);
	return c;
}

static ssize_t
pull(void *arg, void *data, size_t size)
{
	struct stage_pipe *p = arg;
	size_t n = p->left.size < size ? p->left.size : size;

	memcpy(data, p->left.data, n);
	p->left.data += n;
	p->left.size -= n;
	return (ssize_t)n;
}

struct prof_reader *
stage_reader(struct prof_context *context, struct stage_run *run,
    enum form form, struct stage_pipe *pipe)
{
	struct prof_error err = { 0 };
	struct prof_reader *r;

	pipe->left = stage_image(run, form);
	r = form == STREAM ? prof_open_stream(context, pull, pipe, &err) :
	    prof_open(context, pipe->left, &err);
	if (r == NULL)
		stage_fail(targets[form].format, &err);
	return r;
}

uint64_t
stage_functions(const struct prof_record *r)
{
	switch (r->kind) {
	case PROF_REC_FUNCTION:
	case PROF_REC_STACK:
		return 1;
	case PROF_REC_BLOCK:
		return r->u.block.size;
	default:
		return 0;
	}
}

static void
put_all(struct stage_run *run, enum form from, struct prof_writer *to)
{
	struct prof_context *context = stage_context(false);
	struct stage_pipe pipe;
	struct prof_reader *r = stage_reader(context, run, from, &pipe);
	struct prof_error err = { 0 };
	struct prof_record record;
	enum prof_status status;

	while ((status = prof_next(r, &record, &err)) == PROF_OK &&
	    (status = prof_put(to, &record, &err)) == PROF_OK)
		;
	if (status != PROF_END)
		stage_fail(targets[from].format, &err);
	prof_close(r);
	prof_context_free(context);
}

static void
finish(struct prof_writer *w, enum form form)
{
	struct prof_error err = { 0 };

	if (prof_finish(w, &err) != PROF_OK)
		stage_fail(targets[form].format, &err);
	prof_writer_free(w);
}

/* The form that records of a run are read from. */
static enum form
form_of_records(const struct stage_run *run)
{
	return run->is_heap ? STREAM : RAW;
}

static void
convert(struct stage_run *run, enum form to)
{
	struct prof_writer *w = stage_writer(to, &run->image[to]);

	put_all(run, to == RAW ? STREAM : form_of_records(run), w);
	finish(w, to);
}

struct stage_run *
stage_joined(struct stage_run *runs, size_t n)
{
	static struct stage_run all[2];
	struct stage_run *joined = &all[runs[0].is_heap];
	struct prof_writer *w;

	if (joined->image[STREAM].size != 0)
		return joined;
	joined->is_heap = runs[0].is_heap;
	w = stage_writer(STREAM, &joined->image[STREAM]);
	for (size_t i = 0; i < n; i++) {
		put_all(&runs[i], form_of_records(&runs[i]), w);
		joined->functions += runs[i].functions;
	}
	finish(w, STREAM);
	return joined;
}

struct prof_span
stage_image(struct stage_run *run, enum form form)
{
	struct buf *b = &run->image[form];

	if (b->size == 0)
		convert(run, form);
	return (struct prof_span){ b->data, b->size };
}

void *
stage_copy(const void *data, size_t n, size_t size)
{
	void *p = arena_array(&arena, n, size);

	if (p == NULL)
		stage_fail("out of memory", NULL);
	if (n != 0)
		memcpy(p, data, n * size);
	return p;
}

static void
copy_record(struct prof_record *r)
{
	if (r->kind == PROF_REC_PROFILE)
		r->u.profile.source = (struct prof_source){ 0 };
	if (r->kind == PROF_REC_ALLOCATION)
		r->u.allocation.info.histogram = NULL;
	if (r->kind != PROF_REC_END && !record_copy(&arena, r->kind, &r->u))
		stage_fail("out of memory", NULL);
}

void
stage_copy_records(struct stage_run *run)
{
	struct prof_context *context;
	struct prof_reader *r;
	struct stage_pipe pipe;
	struct prof_error err = { 0 };
	struct prof_record record;
	enum prof_status status;
	size_t room = 0;

	if (run->records != NULL)
		return;
	context = stage_context(false);
	r = stage_reader(context, run, form_of_records(run), &pipe);
	while ((status = prof_next(r, &record, &err)) == PROF_OK) {
		copy_record(&record);
		run->functions += stage_functions(&record);
		if (!ARRAY_ADD(run->records, run->records_size, room, record))
			stage_fail("out of memory", NULL);
	}
	if (status != PROF_END)
		stage_fail("records", &err);
	prof_close(r);
	prof_context_free(context);
}

static void
read_file(const char *name, struct buf *out)
{
	FILE *f = fopen(name, "rb");
	char piece[1 << 16];
	size_t n;

	if (f == NULL)
		stage_fail(name, NULL);
	while ((n = fread(piece, 1, sizeof(piece), f)) != 0)
		buf_put(out, piece, n);
	if (ferror(f) || out->failed || out->size == 0)
		stage_fail(name, NULL);
	fclose(f);
}

static bool
is_heap(struct stage_run *run)
{
	struct stage_pipe pipe;
	struct prof_reader *r = stage_reader(NULL, run, STREAM, &pipe);
	struct prof_error err = { 0 };
	struct prof_record record;

	if (prof_next(r, &record, &err) != PROF_OK)
		stage_fail("stream", &err);
	prof_close(r);
	return record.u.profile.kind == PROF_MEMPROF;
}

void
stage_read(char **files, size_t n, struct stage_runs *functions,
    struct stage_runs *heaps)
{
	functions->runs = calloc(n, sizeof(*functions->runs));
	heaps->runs = calloc(n, sizeof(*heaps->runs));
	if (functions->runs == NULL || heaps->runs == NULL)
		stage_fail("out of memory", NULL);
	functions->size = heaps->size = 0;
	for (size_t i = 0; i < n; i++) {
		struct stage_run run = { .is_heap = false };
		struct stage_runs *to;

		read_file(files[i], &run.image[STREAM]);
		run.is_heap = is_heap(&run);
		stage_copy_records(&run);
		to = run.is_heap ? heaps : functions;
		to->runs[to->size++] = run;
	}
}
