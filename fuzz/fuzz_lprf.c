/* Reads bytes as an LPRF profile, and writes what was read in all formats. */
#include "format/codec.h"
#include "fuzz/fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_image(lprf_open, (struct prof_span){ data, size });
	return 0;
}
