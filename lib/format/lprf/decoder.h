/*
 * format/lprf/decoder.h - a block of functions that is being decoded
 */
#ifndef FORMAT_LPRF_DECODER_H
#define FORMAT_LPRF_DECODER_H

#include "format/lprf/names.h"
#include "format/lprf/v2.h"

struct lprf2_decoder {
	struct lprf2_block block;
	struct lprf2_packer **packer;	/* NULL: all sections are inflated */
	struct arena *arena;
	/* The functions that are wanted: all, or those between two names. */
	struct prof_function *wanted;
	size_t from, to;		/* their places in the block */
	struct lprf2_targets targets;
	bool has_targets;		/* they were read */
	struct prof_error *err;
};

/* Reports what is wrong with a function; returns PROF_FAIL. */
enum prof_status lprf2_bad(const struct lprf2_decoder *, size_t section,
    size_t function, const char *what);

/* A cursor of a section, which is inflated if it is not yet. */
enum prof_status lprf2_section(struct lprf2_decoder *, size_t section,
    struct cursor *);

/* Reads a number of items, or of bytes; false if more than the bytes left. */
bool lprf2_get_size(struct cursor *, size_t *);
bool lprf2_get_text(struct cursor *, struct prof_span *);

#endif
