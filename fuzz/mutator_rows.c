/*
 * The mutator of targets that run programs: chooses the program, and changes
 * its input as what it seems to be.
 */
#include "fuzz/mutator.h"
#include "fuzz/program.h"

static bool
has_row(const uint8_t *data, size_t size)
{
	return size != 0 && data[0] >= PROGRAM_FIRST &&
	    data[0] < PROGRAM_FIRST + PROGRAM_ROWS;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	struct chance c = { seed };
	bool chosen = has_row(data, size);

	if (max < 2)
		return LLVMFuzzerMutate(data, size, max);
	if (!chosen) {
		size = size < max ? size : max - 1;
		memmove(data + 1, data, size);
		size++;
	}
	if (!chosen || chance(&c, 8) == 0)
		data[0] = (uint8_t)(PROGRAM_FIRST + chance(&c, PROGRAM_ROWS));
	return 1 + mutator_apply(data + 1, size - 1, max - 1, &c, mutate_file);
}
