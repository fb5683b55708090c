/* Searches bytes for profiles; those found can be read. */
#include "fuzz/fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_scan((struct prof_span){ data, size });
	return 0;
}
