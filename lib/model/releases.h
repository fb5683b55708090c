/* model/releases.h - which LLVM writes which version of a format */
#ifndef MODEL_RELEASES_H
#define MODEL_RELEASES_H

#include <stdint.h>

struct releases {
	const char *format;		/* of struct prof_source */
	uint64_t version;
	const char *first, *last;	/* releases, "3.9"; may be the same */
};

/* NULL if it is not known. */
const struct releases *releases_of(const char *format, uint64_t version);

#endif
