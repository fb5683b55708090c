/* mutator.h - what the mutators of libFuzzer have in common */
#ifndef FUZZ_MUTATOR_H
#define FUZZ_MUTATOR_H

#include "fuzz/mutate.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
    unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size,
    const uint8_t *b, size_t b_size, uint8_t *out, size_t max, unsigned seed);

/* Changes bytes that are made of what a target reads. */
typedef void mutator(struct chance *, struct buf *);

/*
 * One time in three the fuzzer's own mutation, which knows its dictionary, else
 * up to three changes by the mutator.  Gives the new size, at most max.
 */
static inline size_t
mutator_apply(uint8_t *data, size_t size, size_t max, struct chance *c,
    mutator *change)
{
	struct buf b = { 0 };

	if (chance(c, 3) == 0)
		return LLVMFuzzerMutate(data, size, max);
	buf_put(&b, data, size);
	for (uint64_t n = chance(c, 3) + 1; n > 0 && b.size != 0; n--)
		change(c, &b);
	if (b.size == 0 || b.failed) {
		buf_free(&b);
		return LLVMFuzzerMutate(data, size, max);
	}
	size = b.size < max ? b.size : max;
	memcpy(data, b.data, size);
	buf_free(&b);
	return size;
}

#endif
