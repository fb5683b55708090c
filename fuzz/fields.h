/*
 * fields.h - where the numbers of a binary profile stand
 *
 * Made from the layout rows of the formats, as far as headers of a damaged
 * image make sense.
 */
#ifndef FUZZ_FIELDS_H
#define FUZZ_FIELDS_H

#include "prof.h"

struct field {
	size_t at;		/* offset; the image has all its bytes */
	uint8_t width;		/* bytes: 1, 2, 4 or 8 */
	bool big;
};

enum { FIELDS_MAX = 96 };

/*
 * Gives fields of the header, and those of one record or table that `place`,
 * any number, chooses.  0 if the format is not known.
 */
size_t fields_of(struct prof_span image, size_t place,
    struct field fields[FIELDS_MAX]);

#endif
