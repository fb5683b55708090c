/*
 * The mutator of the library target: changes the calls as bytes, and the image
 * as what it seems to be.
 */
#include "fuzz/calls.h"
#include "fuzz/mutator.h"

/* Other calls with the same image; one time in four there may be more. */
static size_t
change_calls(struct chance *c, uint8_t *data, size_t size, size_t max)
{
	size_t end = calls_end(data, size), room = max - (size - end);
	struct buf image = { 0 };

	if (room > CALLS_MAX + 1)
		room = CALLS_MAX + 1;
	if (chance(c, 4) != 0)
		room = end;
	buf_put(&image, data + end, size - end);
	end = 1 + LLVMFuzzerMutate(data + 1, end - 1, room - 1);
	data[0] = (uint8_t)(end - 1);
	if (!image.failed)
		memcpy(data + end, image.data, image.size);
	size = end + image.size;
	buf_free(&image);
	return size;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	struct chance c = { seed };
	size_t end = calls_end(data, size);

	if (end < 2 || end == size)
		return LLVMFuzzerMutate(data, size, max);
	if (chance(&c, 2) == 0)
		return change_calls(&c, data, size, max);
	return end + mutator_apply(data + end, size - end, max - end, &c,
	    mutate_file);
}
