#include "export/ranks.h"

#include <stdlib.h>

#include "export/text.h"

struct ranked_text {
	struct prof_span text;
	uint32_t frame;
};

static int
compare_ranked(const void *a, const void *b)
{
	const struct ranked_text *x = a, *y = b;
	int by = prof_span_compare(x->text, y->text);

	return by != 0 ? by : (x->frame > y->frame) - (x->frame < y->frame);
}

static struct prof_span
ranks_frame_text(const struct export_ranks *r, size_t frame)
{
	size_t size = r->start[frame + 1] - r->start[frame];

	/* If all texts are empty, there are no bytes to point to. */
	return (struct prof_span){ size == 0 ? NULL :
	    r->text.data + r->start[frame], size };
}

static void
ranks_number(struct export_ranks *r, struct ranked_text *texts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		texts[i] = (struct ranked_text){ ranks_frame_text(r, i),
		    (uint32_t)i };
	qsort(texts, n, sizeof(*texts), compare_ranked);
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || prof_span_compare(texts[i - 1].text,
		    texts[i].text) != 0)
			r->frame[r->size++] = texts[i].frame;
		r->rank[texts[i].frame] = (uint32_t)(r->size - 1);
	}
}

bool
export_ranks_make(struct export_ranks *r, const struct heap *h,
    export_key *key, const struct export_options *o)
{
	const size_t n = h->frames_size;
	struct ranked_text *texts = calloc(n + 1, sizeof(*texts));

	*r = (struct export_ranks){ .rank = calloc(n + 1, sizeof(*r->rank)),
	    .frame = calloc(n + 1, sizeof(*r->frame)),
	    .start = calloc(n + 1, sizeof(*r->start)) };
	for (size_t i = 0; r->start != NULL && i < n; i++) {
		key(&r->text, h, (uint32_t)i, o);
		r->start[i + 1] = r->text.size;
	}
	if (texts == NULL || r->rank == NULL || r->frame == NULL ||
	    r->start == NULL || r->text.failed) {
		free(texts);
		return false;
	}
	ranks_number(r, texts, n);
	free(texts);
	return true;
}

struct prof_span
export_ranks_text(const struct export_ranks *r, size_t rank)
{
	return ranks_frame_text(r, r->frame[rank]);
}

void
export_ranks_free(struct export_ranks *r)
{
	free(r->rank);
	free(r->frame);
	free(r->start);
	buf_free(&r->text);
}

void
export_key_name(struct buf *b, const struct heap *h, uint32_t frame,
    const struct export_options *o)
{
	export_name(b, h, frame, o->name);
}

static uint32_t
stack_rank(const struct export_stack *s, size_t i)
{
	uint32_t frame = export_stack_frame(s, i);

	return s->rank == NULL ? frame : s->rank[frame];
}

/* Equal stacks stay in the order of the contexts. */
static int
compare_stacks(const void *a, const void *b)
{
	const struct export_stack *x = a, *y = b;
	size_t m = export_stack_depth(x), n = export_stack_depth(y);

	for (size_t i = 0; i < m && i < n; i++) {
		int by = compare_u64(stack_rank(x, i), stack_rank(y, i));

		if (by != 0)
			return by;
	}
	if (m != n)
		return m < n ? -1 : 1;
	return (x->context > y->context) - (x->context < y->context);
}

struct export_stack *
export_stacks(const struct heap *h, const uint32_t *rank)
{
	struct export_stack *stacks = calloc(h->contexts_size + 1,
	    sizeof(*stacks));

	for (size_t i = 0; stacks != NULL && i < h->contexts_size; i++)
		stacks[i] = (struct export_stack){ &h->contexts[i], rank };
	if (stacks != NULL)
		qsort(stacks, h->contexts_size, sizeof(*stacks),
		    compare_stacks);
	return stacks;
}
