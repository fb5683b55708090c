/*
 * format/stream/text.h - the text of a stream: an image, or pulled as needed
 */
#ifndef FORMAT_STREAM_TEXT_H
#define FORMAT_STREAM_TEXT_H

#include "base/bytes.h"
#include "prof.h"

struct stream_text {
	prof_pull *pull;		/* NULL: all bytes are in data */
	void *arg;
	int failure;			/* errno of the last pull, or 0 */
	struct buf pulled;
	struct prof_span data;		/* an image, or what is pulled */
	size_t pos;			/* of the next line in data */
	size_t whole;			/* behind the last newline of data */
	bool ended;			/* nothing comes behind data */
};

void stream_text_set_image(struct stream_text *, struct prof_span);
void stream_text_free(struct stream_text *);

/*
 * Pulls more behind the rest.  Spans of the text are valid until then, unless
 * it is an image.
 */
enum prof_status stream_text_pull(struct stream_text *, struct prof_error *);

/* The whole lines that were pulled and not yet read. */
struct prof_span stream_text_lines(const struct stream_text *);

/*
 * The next line without its newline, PROF_END if there are no more.  *whole is
 * false for a line that the input ended in.
 */
enum prof_status stream_text_next(struct stream_text *, struct prof_span *line,
    bool *whole, struct prof_error *);

#endif
