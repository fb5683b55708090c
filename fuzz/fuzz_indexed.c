/*
 * Reads bytes as an indexed profile, writes what was read in all formats, and
 * looks names up, of which some are there.
 */
#include "format/codec.h"
#include "fuzz/fuzz.h"

enum { NAMES_MAX = 16 };

/* Some of the names that a walk finds, as far as it comes. */
static void
look_names_up(struct prof_span image)
{
	struct prof_reader *r = indexed_open(NULL, image, NULL);
	struct prof_record record;
	size_t names = 0;

	while (r != NULL && names < NAMES_MAX &&
	    prof_next(r, &record, NULL) == PROF_OK) {
		if (record.kind != PROF_REC_FUNCTION)
			continue;
		names++;
		demand(fuzz_select(indexed_open, image,
		    record.u.function.symbol.name) > 0,
		    "what a walk finds is found by its name");
	}
	prof_close(r);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct prof_span image = { data, size };

	fuzz_image(indexed_open, image);
	look_names_up(image);
	/* A damaged file does not give its names away; main is in most. */
	fuzz_select(indexed_open, image,
	    (struct prof_span){ (const uint8_t *)"main", 4 });
	fuzz_select(indexed_open, image,
	    (struct prof_span){ data, size < 8 ? size : 8 });
	return 0;
}
