/*
 * Numbers of frames: all that reads stacks comes to the same with the numbers
 * of a reader as without, and readers give one number to equal frames only.
 */
#include "merge/merge.h"

#include <string.h>

#include "base/bytes.h"
#include "model/heap.h"
#include "ops/heap/view.h"
#include "tests/support/heap_records.h"
#include "tests/support/images.h"

enum { FRAMES = 12, STACKS = 40, DEPTH = 5, PROFILES = 2 };

struct profile {
	struct prof_frame pool[FRAMES];
	struct prof_frame frames[STACKS][DEPTH];
	uint32_t numbers[STACKS][DEPTH];
	uint64_t pcs[STACKS][DEPTH];
	struct prof_stack stacks[STACKS];
};

static uint64_t state = 1;

static unsigned
below(unsigned n)
{
	return random_below(&state, n);
}

/*
 * A frame that tells little, so that some are equal, inlined, of the run time,
 * without a place, or empty.
 */
static struct prof_frame
random_frame(void)
{
	static const char *const names[] = { "f", "g", "__interceptor_malloc",
	    "h", "{a}b", "{a}c" };
	const char *name = names[below(6)];
	struct prof_frame f = { .flags = 0 };

	if (below(8) == 0)
		return f;
	if (below(3) == 0)
		f.function.guid = 1 + below(3);
	else
		f.function.name = (struct prof_span){ (const uint8_t *)name,
		    strlen(name) };
	if (below(6) != 0) {
		f.flags = PROF_FRAME_LINE_OFFSET | PROF_FRAME_COLUMN;
		f.line_offset = below(3);
		f.column = 1;
	}
	if (below(4) == 0)
		f.flags |= PROF_FRAME_INLINE;
	return f;
}

/* The last frame of a stack is not inlined; half of the stacks have pcs. */
static void
random_stack(struct profile *p, unsigned n)
{
	struct prof_stack *s = &p->stacks[n];
	unsigned size = 1 + below(DEPTH);

	*s = (struct prof_stack){ .id = n, .frames = p->frames[n],
	    .pcs = p->pcs[n] };
	while (s->frames_size < size) {
		unsigned k = below(FRAMES);
		struct prof_frame f = p->pool[k];

		if (s->frames_size == size - 1 && f.flags & PROF_FRAME_INLINE)
			continue;
		/* Each frame has two numbers. */
		p->numbers[n][s->frames_size] = 2 * k + below(2);
		p->frames[n][s->frames_size++] = f;
		if (n % 2 == 0 && (f.flags & PROF_FRAME_INLINE) == 0)
			p->pcs[n][s->pcs_size++] = 16 + k;
	}
}

static void
random_profile(struct profile *p)
{
	for (unsigned i = 0; i < FRAMES; i++)
		p->pool[i] = random_frame();
	/* The last one is no inlined frame. */
	p->pool[FRAMES - 1].flags &= ~(unsigned)PROF_FRAME_INLINE;
	for (unsigned i = 0; i < STACKS; i++)
		random_stack(p, i);
}

typedef enum prof_status put_function(void *to, const struct prof_record *,
    struct prof_error *);

static bool
put(put_function *function, void *to, struct prof_record *r)
{
	struct prof_error err = { 0 };

	if (function(to, r, &err) == PROF_OK)
		return true;
	printf("# %s\n", err.reason);
	return false;
}

static bool
put_profile(const struct profile *p, bool numbered, put_function *function,
    void *to)
{
	struct prof_record r = { .kind = PROF_REC_PROFILE,
	    .u.profile.kind = PROF_MEMPROF };
	bool done = put(function, to, &r);

	for (unsigned i = 0; done && i < STACKS; i++) {
		r.kind = PROF_REC_STACK;
		r.u.stack = p->stacks[i];
		r.u.stack.frame_numbers = numbered ? p->numbers[i] : NULL;
		done = put(function, to, &r);
	}
	for (unsigned i = 0; done && i < STACKS; i++) {
		r.kind = PROF_REC_ALLOCATION;
		r.u.allocation = (struct prof_allocation){ .stack = i,
		    .info = { .fields = 1 << PROF_MIB_ALLOC_COUNT,
		    .value[PROF_MIB_ALLOC_COUNT] = i + 1 } };
		done = put(function, to, &r);
	}
	r.kind = PROF_REC_END;
	return done && put(function, to, &r);
}

static struct prof_writer *
writer(const char *format, unsigned version, struct buf *out)
{
	const struct prof_target target = { .format = format,
	    .version = version };

	return prof_writer_new(NULL, &target, buf_sink, out, NULL);
}

static enum prof_status
add(void *to, const struct prof_record *r, struct prof_error *err)
{
	return merge_add(to, r, NULL, err);
}

static enum prof_status
write_record(void *to, const struct prof_record *r, struct prof_error *err)
{
	return prof_put(to, r, err);
}

static enum prof_status
view(void *to, const struct prof_record *r, struct prof_error *err)
{
	return heap_view_add(to, r, err);
}

/* The first n profiles, merged. */
static bool
sum_up(const struct profile *p, size_t n, bool numbered, const char *format,
    struct buf *out)
{
	const struct merge_output o = { .heap_as_read = true };
	struct prof_writer *w = writer(format, 0, out);
	struct merge *m = merge_new(NULL, NULL);
	struct prof_error err = { 0 };
	bool done = w != NULL && m != NULL;

	for (size_t i = 0; done && i < n; i++)
		done = put_profile(&p[i], numbered, add, m);
	done = done && merge_write(m, &o, w, &err) == PROF_OK &&
	    prof_finish(w, &err) == PROF_OK;
	merge_free(m);
	prof_writer_free(w);
	return done;
}

static bool
write_profile(const struct profile *p, bool numbered, const char *format,
    unsigned version, struct buf *out)
{
	struct prof_writer *w = writer(format, version, out);
	struct prof_error err = { 0 };
	bool done = put_profile(p, numbered, write_record, w) &&
	    prof_finish(w, &err) == PROF_OK;

	prof_writer_free(w);
	return done;
}

/* What a view says of all contexts. */
static bool
view_profiles(const struct profile *p, bool numbered, struct buf *out)
{
	struct heap_view *v = heap_view_new(false);
	bool done = v != NULL;
	struct heap h;

	for (size_t i = 0; done && i < PROFILES; i++)
		done = put_profile(&p[i], numbered, view, v);
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
consume(unsigned way, const struct profile *p, bool numbered, struct buf *out)
{
	switch (way) {
	case 0:
		return sum_up(p, 1, numbered, "stream", out);
	case 1:
		return sum_up(p, PROFILES, numbered, "stream", out);
	case 2:
		return sum_up(p, PROFILES, numbered, "indexed", out);
	case 3:
		return write_profile(p, numbered, "indexed", 0, out);
	case 4:
		return write_profile(p, numbered, "yaml", 0, out);
	default:
		return view_profiles(p, numbered, out);
	}
}

static void
test_consumers(void)
{
	static const char *const names[] = { "a single profile of a merge",
	    "a merge", "a merge to an indexed file", "an indexed file", "YAML",
	    "a view" };
	struct profile p[PROFILES];

	for (unsigned way = 0; way < 6; way++) {
		size_t differences = 0, failures = 0;

		for (unsigned round = 0; round < 50; round++) {
			struct buf a = { 0 }, b = { 0 };

			for (size_t i = 0; i < PROFILES; i++)
				random_profile(&p[i]);
			failures += !consume(way, p, false, &a);
			failures += !consume(way, p, true, &b);
			differences += a.size == 0 || !same_bytes(&a, &b);
			buf_free(&a);
			buf_free(&b);
		}
		check(failures == 0 && differences == 0,
		    "%s is the same with numbers", names[way]);
	}
}

enum { NUMBERS_MAX = STACKS * DEPTH };

/* Whether frames with equal numbers are equal, in all stacks with numbers. */
static bool
has_good_numbers(struct prof_reader *r, size_t *stacks)
{
	static struct prof_frame first[NUMBERS_MAX];
	static bool known[NUMBERS_MAX];
	struct prof_error err = { 0 };
	struct prof_record record;
	bool good = true;

	memset(known, 0, sizeof(known));
	while (good && prof_next(r, &record, &err) == PROF_OK) {
		const struct prof_stack *s = &record.u.stack;

		if (record.kind != PROF_REC_STACK || s->frame_numbers == NULL)
			continue;
		(*stacks)++;
		for (size_t i = 0; good && i < s->frames_size; i++) {
			uint32_t n = s->frame_numbers[i];

			good = n < NUMBERS_MAX && (!known[n] ||
			    same_frame(&first[n], &s->frames[i]));
			if (!good)
				break;
			known[n] = true;
			first[n] = s->frames[i];
		}
	}
	return good;
}

static void
test_readers(void)
{
	static const unsigned versions[] = { 8, 9, 10, 11, 12, 13 };

	for (size_t i = 0; i < COUNT(versions); i++) {
		struct profile p;
		struct buf file = { 0 };
		struct prof_reader *r;
		size_t stacks = 0;

		random_profile(&p);
		check(write_profile(&p, false, "indexed", versions[i], &file),
		    "indexed version %u", versions[i]);
		r = prof_open(NULL, buf_span(&file), NULL);
		check(has_good_numbers(r, &stacks) && stacks != 0,
		    "its frames have numbers");
		prof_close(r);
		buf_free(&file);
	}
}

static void
test_streams(void)
{
	struct prof_context *c = prof_context_new(NULL, NULL);
	size_t failures = 0, differences = 0, bad = 0, stacks = 0;

	prof_context_frame_numbers(c);
	for (unsigned round = 0; round < 50; round++) {
		struct profile p;
		struct buf text = { 0 }, got = { 0 };
		struct prof_span image;
		struct prof_reader *r;

		random_profile(&p);
		failures += !write_profile(&p, false, "stream", 0, &text);
		image = buf_span(&text);
		failures += convert(c, image, &(const struct prof_target){
		    .format = "stream" }, &got, NULL) != PROF_OK;
		differences += !same_bytes(&text, &got);
		r = prof_open(c, image, NULL);
		bad += !has_good_numbers(r, &stacks);
		prof_close(r);
		buf_free(&text);
		buf_free(&got);
	}
	check(failures == 0 && differences == 0,
	    "streams whose frames are numbered are read as others");
	check(bad == 0 && stacks == 50 * STACKS, "all their stacks have them");
	prof_context_free(c);
}

int
main(void)
{
	test_consumers();
	test_readers();
	test_streams();
	return done_testing();
}
