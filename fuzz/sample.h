/* sample.h - a small profile as the second input of programs */
#ifndef FUZZ_SAMPLE_H
#define FUZZ_SAMPLE_H

#include "fuzz/program.h"

static const char sample_text[] =
    ":ir\n"
    "main\n1\n2\n5\n6\n"
    "1\n0\n1\n2\nfoo:3\nbar:4\n\n"
    "foo\n2\n1\n7\n\n";

/* Puts it into the folder as `other`, which stays there. */
static inline void
sample_put(void)
{
	program_put_file("other", (struct prof_span){
	    (const uint8_t *)sample_text, sizeof(sample_text) - 1 });
	program_keep_files();
}

#endif
