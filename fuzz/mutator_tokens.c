/* The mutator of targets that read text. */
#include "fuzz/mutator.h"
#include "fuzz/tokens.h"

static void
change_tokens(struct chance *c, struct buf *b)
{
	tokens_change(c, b, (struct prof_span){ NULL, 0 });
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	struct chance c = { seed };

	return mutator_apply(data, size, max, &c, change_tokens);
}

/* Tokens and lines of one text in the other. */
size_t
LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b,
    size_t b_size, uint8_t *out, size_t max, unsigned seed)
{
	struct chance c = { seed };
	struct buf text = { 0 };
	size_t size;

	buf_put(&text, a, a_size);
	for (uint64_t n = chance(&c, 8) + 1; n > 0; n--)
		tokens_change(&c, &text, (struct prof_span){ b, b_size });
	size = text.size < max ? text.size : max;
	if (size != 0)
		memcpy(out, text.data, size);
	buf_free(&text);
	return size;
}
