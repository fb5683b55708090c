/* Trees of contexts that share frames: only what is shown is made of them. */
#include "ops/heap/view.h"
#include "tests/support/test.h"

/*
 * Context i has the frames from i on, so that no two contexts have the same one
 * at one depth.  */
enum { CONTEXTS = 2300, DEPTH = 470, FRAMES = CONTEXTS + DEPTH };

struct sample {
	uint32_t numbers[FRAMES];
	char names[FRAMES][8];
	struct heap_frame frames[FRAMES];
	struct heap_context contexts[CONTEXTS];
	struct heap heap;
};

static void
make_sample(struct sample *s)
{
	for (uint32_t i = 0; i < FRAMES; i++) {
		int n = snprintf(s->names[i], sizeof(s->names[i]), "f%u", i);

		s->numbers[i] = i;
		s->frames[i] = (struct heap_frame){ .module = HEAP_NO_MODULE,
		    .source.function.name = { (const uint8_t *)s->names[i],
		    (size_t)n } };
	}
	for (size_t i = 0; i < CONTEXTS; i++) {
		s->contexts[i] = (struct heap_context){
		    .frames = s->numbers + i, .size = DEPTH };
		s->contexts[i].info.fields = UINT32_MAX;
		s->contexts[i].info.value[heap_fields[HEAP_BYTES]] = 1000;
	}
	s->heap = (struct heap){ .frames = s->frames, .frames_size = FRAMES,
	    .contexts = s->contexts, .contexts_size = CONTEXTS };
}

static const struct {
	size_t depth, size, deeper;
} cuts[] = {
	{ SIZE_MAX, 10 * DEPTH, 0 }, { DEPTH, 10 * DEPTH, 0 },
	{ DEPTH - 1, 10 * DEPTH, 0 }, { DEPTH - 2, 10 * DEPTH - 10, 10 },
	{ 8, 90, 10 * DEPTH - 90 }, { 0, 10, 10 * DEPTH - 10 },
};

static void
test_callers(const struct sample *s)
{
	static const uint32_t contexts[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	const struct heap_site site = { .contexts = contexts, .size = 10 };

	for (size_t i = 0; i < COUNT(cuts); i++) {
		const struct heap_callers_options o = { .by = HEAP_BYTES,
		    .depth = cuts[i].depth };
		struct heap_callers tree;
		bool made = heap_callers_make(&tree, &s->heap, &site, &o);

		check(made && tree.size == cuts[i].size &&
		    tree.deeper == cuts[i].deeper,
		    "depth %zu: %zu nodes, %zu are deeper", cuts[i].depth,
		    tree.size, tree.deeper);
		heap_callers_free(&tree);
	}
}

int
main(void)
{
	struct sample *s = calloc(1, sizeof(*s));

	if (!check(s != NULL, "there is memory"))
		return done_testing();
	make_sample(s);
	test_callers(s);
	free(s);
	return done_testing();
}
