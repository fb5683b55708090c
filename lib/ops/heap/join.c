#include "ops/heap/view.h"

#include <stdlib.h>
#include <string.h>

/* Joins two arrays; NULL if out of memory. */
static void *
heap_join_arrays(const void *a, size_t a_size, const void *b, size_t b_size,
    size_t item)
{
	char *both = calloc(a_size + b_size + 1, item);

	if (both != NULL && a_size > 0)
		memcpy(both, a, a_size * item);
	if (both != NULL && b_size > 0)
		memcpy(both + a_size * item, b, b_size * item);
	return both;
}

/* The frames and modules of B have other numbers than before. */
static void
heap_renumber(struct heap_joined *j, const struct heap *a,
    const struct heap *b)
{
	uint32_t *stack = j->stacks;

	for (size_t i = 0; i < b->frames_size; i++) {
		struct heap_frame *f = &j->frames[a->frames_size + i];

		if (f->module != HEAP_NO_MODULE)
			f->module += (uint32_t)a->modules_size;
	}
	for (size_t i = 0; i < b->contexts_size; i++) {
		struct heap_context *c = &j->contexts[a->contexts_size + i];

		for (size_t k = 0; k < c->size; k++)
			stack[k] = c->frames[k] + (uint32_t)a->frames_size;
		c->frames = stack;
		stack += c->size;
	}
}

bool
heap_join(struct heap_joined *j, const struct heap *a, const struct heap *b)
{
	size_t frames = 0;

	for (size_t i = 0; i < b->contexts_size; i++)
		frames += b->contexts[i].size;
	*j = (struct heap_joined){ .first_of_b = a->contexts_size,
	    .modules = heap_join_arrays(a->modules, a->modules_size,
		b->modules, b->modules_size, sizeof(*j->modules)),
	    .frames = heap_join_arrays(a->frames, a->frames_size, b->frames,
		b->frames_size, sizeof(*j->frames)),
	    .contexts = heap_join_arrays(a->contexts, a->contexts_size,
		b->contexts, b->contexts_size, sizeof(*j->contexts)),
	    .stacks = calloc(frames + 1, sizeof(*j->stacks)) };
	if (j->modules == NULL || j->frames == NULL || j->contexts == NULL ||
	    j->stacks == NULL)
		return false;
	heap_renumber(j, a, b);
	j->heap = (struct heap){ j->modules, a->modules_size + b->modules_size,
	    j->frames, a->frames_size + b->frames_size, j->contexts,
	    a->contexts_size + b->contexts_size };
	return true;
}

void
heap_joined_free(struct heap_joined *j)
{
	free(j->modules);
	free(j->frames);
	free(j->contexts);
	free(j->stacks);
}
