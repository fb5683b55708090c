/*
 * Numbers of frames: all that reads stacks comes to the same with the numbers
 * of a reader as without, and readers give one number to equal frames only.
 */
#include "merge/merge.h"

#include "ops/heap/view.h"
#include "tests/support/heap_records.h"
#include "tests/support/images.h"

static const char *const samples[] = {
	"memprof/v0.llvm16.profdata", "memprof/v1.llvm19.profdata",
	"memprof/v2.llvm22.profdata", "memprof/v2.yaml.profdata",
	"memprof/v3.llvm22.profdata", "memprof/v4.mixed.profdata",
	"heap/app.ndjson",
};

enum { PROFILES = 2 };

typedef enum prof_status put_function(void *to, const struct prof_record *,
    struct prof_error *);

/* Puts all records of an image, with the numbers of its frames or without. */
static bool
put_image(struct prof_span image, bool numbered, put_function *put, void *to)
{
	struct prof_context *c = prof_context_new(NULL, NULL);
	struct prof_error err = { 0 };
	enum prof_status status = PROF_FAIL;
	struct prof_record record;
	struct prof_reader *r;

	prof_context_frame_numbers(c);
	r = prof_open(c, image, &err);
	while (r != NULL && (status = prof_next(r, &record, &err)) == PROF_OK) {
		if (record.kind == PROF_REC_STACK && !numbered)
			record.u.stack.frame_numbers = NULL;
		if (put(to, &record, &err) != PROF_OK)
			break;
	}
	if (status != PROF_END)
		printf("# %s\n", err.reason);
	prof_close(r);
	prof_context_free(c);
	return status == PROF_END;
}

static enum prof_status
add_record(void *to, const struct prof_record *r, struct prof_error *err)
{
	return merge_add(to, r, NULL, err);
}

static enum prof_status
write_record(void *to, const struct prof_record *r, struct prof_error *err)
{
	return prof_put(to, r, err);
}

static enum prof_status
view_record(void *to, const struct prof_record *r, struct prof_error *err)
{
	return heap_view_add(to, r, err);
}

/* Frames by their numbers. */
struct numbers {
	struct prof_frame first[10000];
	bool known[10000];
	struct arena arena;
	size_t stacks;
	bool good;
};

/* Whether frames with equal numbers are equal, in all stacks with numbers. */
static enum prof_status
check_numbers(void *to, const struct prof_record *r, struct prof_error *err)
{
	struct numbers *n = to;
	const struct prof_stack *s = &r->u.stack;

	(void)err;
	if (r->kind != PROF_REC_STACK || s->frames_size == 0)
		return PROF_OK;
	n->stacks++;
	n->good = n->good && s->frame_numbers != NULL;
	for (size_t i = 0; n->good && i < s->frames_size; i++) {
		uint32_t number = s->frame_numbers[i];
		struct prof_frame *f = &n->first[number];

		if (number >= COUNT(n->known) || (n->known[number] &&
		    !same_frame(f, &s->frames[i])))
			n->good = false;
		if (!n->good || n->known[number])
			continue;
		n->known[number] = true;
		*f = s->frames[i];
		f->function.name = arena_copy(&n->arena, f->function.name);
		f->file = arena_copy(&n->arena, f->file);
	}
	return PROF_OK;
}

/* The first n profiles, merged. */
static bool
sum_up(const struct buf *images, size_t n, bool numbered, const char *format,
    struct buf *out)
{
	const struct prof_target target = { .format = format };
	const struct merge_output o = { .heap_as_read = true };
	struct prof_writer *w = prof_writer_new(NULL, &target, buf_sink, out,
	    NULL);
	struct merge *m = merge_new(NULL, NULL);
	bool done = w != NULL && m != NULL;

	for (size_t i = 0; done && i < n; i++)
		done = put_image(buf_span(&images[i]), numbered, add_record, m);
	done = done && merge_write(m, &o, w, NULL) == PROF_OK &&
	    prof_finish(w, NULL) == PROF_OK;
	merge_free(m);
	prof_writer_free(w);
	return done;
}

static bool
write_profile(const struct buf *image, bool numbered, const char *format,
    struct buf *out)
{
	const struct prof_target target = { .format = format };
	struct prof_writer *w = prof_writer_new(NULL, &target, buf_sink, out,
	    NULL);
	bool done = put_image(buf_span(image), numbered, write_record, w) &&
	    prof_finish(w, NULL) == PROF_OK;

	prof_writer_free(w);
	return done;
}

/* What a view says of all contexts. */
static bool
view_profiles(const struct buf *images, bool numbered, struct buf *out)
{
	struct heap_view *v = heap_view_new(false);
	bool done = v != NULL;
	struct heap h;

	for (size_t i = 0; done && i < PROFILES; i++)
		done = put_image(buf_span(&images[i]), numbered, view_record,
		    v);
	if (!done)
		return false;
	h = heap_view_get(v);
	for (size_t i = 0; i < h.contexts_size; i++) {
		buf_u64le(out, h.contexts[i].size);
		buf_u64le(out, h.contexts[i].site);
		buf_u64le(out, h.contexts[i].info.value[PROF_MIB_ALLOC_COUNT]);
		for (size_t k = 0; k < h.contexts[i].size; k++)
			heap_put_name(out, &h,
			    &h.frames[h.contexts[i].frames[k]], NULL);
	}
	heap_view_free(v);
	return true;
}

/* One way to read the profiles. */
static bool
consume(unsigned way, const struct buf *images, bool numbered, struct buf *out)
{
	switch (way) {
	case 0:
		return sum_up(images, 1, numbered, "stream", out);
	case 1:
		return sum_up(images, PROFILES, numbered, "stream", out);
	case 2:
		return sum_up(images, PROFILES, numbered, "indexed", out);
	case 3:
		return write_profile(images, numbered, "indexed", out);
	case 4:
		return write_profile(images, numbered, "yaml", out);
	default:
		return view_profiles(images, numbered, out);
	}
}

int
main(void)
{
	static struct numbers n;

	for (size_t i = 0; i < COUNT(samples); i++) {
		struct buf images[PROFILES] = { { 0 } };

		read_sample(samples[i], &images[0]);
		read_sample(samples[(i + 1) % COUNT(samples)], &images[1]);
		n = (struct numbers){ .good = true };
		put_image(buf_span(&images[0]), true, check_numbers, &n);
		check(n.good && n.stacks != 0, "%s: good numbers of %zu "
		    "stacks", samples[i], n.stacks);
		arena_free(&n.arena);
		for (unsigned way = 0; way < 6; way++) {
			struct buf a = { 0 }, b = { 0 };
			bool done = consume(way, images, false, &a) &&
			    consume(way, images, true, &b);

			check(done && a.size != 0 && same_bytes(&a, &b),
			    "%s, way %u: the same with numbers, %zu bytes",
			    samples[i], way, a.size);
			buf_free(&a);
			buf_free(&b);
		}
		buf_free(&images[0]);
		buf_free(&images[1]);
	}
	return done_testing();
}
