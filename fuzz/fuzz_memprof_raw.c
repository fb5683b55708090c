/* Reads bytes as a raw heap profile, and writes it in all formats. */
#include "format/codec.h"
#include "fuzz/fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_image(memprof_raw_open, (struct prof_span){ data, size });
	return 0;
}
