/* Reads bytes as a heap profile in YAML, and writes it in all formats. */
#include "format/codec.h"
#include "fuzz/fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_image(yaml_open, (struct prof_span){ data, size });
	return 0;
}
