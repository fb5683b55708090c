/*
 * format/text/text.h - text profiles (.proftext), shared by their reader and
 * writer
 *
 * llvm/lib/ProfileData/InstrProfReader.cpp, TextInstrProfReader, LLVM 3.5 to
 * 22.
 */
#ifndef FORMAT_TEXT_TEXT_H
#define FORMAT_TEXT_TEXT_H

#include <stdbool.h>

#include "prof.h"

/* A target whose hash is 0: InstrProf.cpp, getExternalSymbol. */
#define TEXT_EXTERNAL "** External Symbol **"

/* Flags of the head that set one attribute, in the order of writing. */
extern const struct text_flag {
	const char *word;
	unsigned flag;
	bool set;			/* false: clears it */
	const char *comment;		/* NULL: never written */
} text_flags[];
extern const size_t text_flag_count;

static inline bool
text_is_blank(uint8_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

#endif
