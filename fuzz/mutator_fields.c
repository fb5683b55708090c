/* The mutator of targets that read binary profiles. */
#include "fuzz/mutator.h"

static void
change_fields(struct chance *c, struct buf *b)
{
	struct buf out = { 0 };
	const struct prof_span file = { b->data, b->size };

	if (chance(c, 4) != 0 && mutate_field(c, b))
		return;
	mutate(c, file, file, &out);
	buf_free(b);
	*b = out;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	struct chance c = { seed };

	return mutator_apply(data, size, max, &c, change_fields);
}
