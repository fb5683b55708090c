/*
 * format/lprf/lines.h - records other than functions: lines of prof-stream(5)
 */
#ifndef FORMAT_LPRF_LINES_H
#define FORMAT_LPRF_LINES_H

#include "format/lprf/v2.h"
#include "format/stream/stream.h"

/* The lines of a block of records.  All zero but for the context has none. */
struct lprf2_lines {
	struct stream_record record;
	struct cursor text;
	uint64_t at;			/* offset of the block */
	size_t size, next;
};

/* Begins with the first line of an inflated block. */
void lprf2_lines_begin(struct lprf2_lines *, const struct lprf2_block *);

/*
 * The next line, which is there; `head` if it is the first one of the file,
 * which is that of the profile.
 */
enum prof_status lprf2_next_line(struct lprf2_lines *, bool head,
    struct prof_record *out, struct prof_error *);

/*
 * The unknown keys of a function are text that becomes a part of a line of a
 * stream: fails unless the reader of such a line finds the same text.
 */
enum prof_status lprf2_check_extra(struct lprf2_lines *, uint64_t at,
    struct prof_span extra, struct prof_error *);

#endif
