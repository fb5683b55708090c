/*
 * format/stream/stream.h - the stream of prof-stream(5), shared by its reader
 * and its writer
 *
 * A line becomes a record in one of three ways.  block.h knows the lines of
 * functions that an earlier profile had; scan.h takes canonical lines of
 * functions, stacks and allocations apart by hand; stream_parse knows every
 * record in every form, and decides.  Where several can read a line, they give
 * the same record.
 */
#ifndef FORMAT_STREAM_STREAM_H
#define FORMAT_STREAM_STREAM_H

#include "base/arena.h"
#include "base/json.h"
#include "prof.h"
#include "format/codec.h"
#include "format/stream/frames.h"
#include "format/stream/numbers.h"

enum { STREAM_VERSION = 1 };

/* Memory of the record that the reader lends; the next record uses it again. */
struct stream_record {
	struct prof_context *context;	/* may be NULL */
	bool warned;			/* of an unknown key */
	bool last;			/* the END just read is the last one */
	bool guids_later;		/* scanned targets get no guids */
	struct jdoc doc;
	struct arena arena;
	struct buf values, sites;	/* of the scanner */
	struct buf pcs, segments, frames;
	struct stream_numbers *numbers;	/* NULL: frames get none */
	struct buf frame_numbers;
	struct buf extra;		/* text of unknown members */
};

/* Where the writer appends lines. */
struct stream_output {
	struct buf text;
	struct stream_frames frames;	/* texts of frames written before */
};

/*
 * A canonical line of a function, stack or allocation, without its newline; the
 * newline must follow it in memory.  False if the line is not canonical to the
 * byte, or memory is out; then the record holds nothing.
 */
bool stream_scan(struct stream_record *, struct prof_span line,
    struct prof_record *);

/*
 * The record of the JSON object that was loaded into doc; line is its text.  An
 * abort record is a failure.
 */
enum prof_status stream_parse(struct stream_record *, struct prof_span line,
    struct prof_record *);

void stream_record_free(struct stream_record *);

/*
 * Appends the line of any record but END, BLOCK and PAIRS.  Memory that ran out
 * shows in output->text.failed.
 */
void stream_put_record(struct stream_output *, const struct prof_record *);

/* For tests: the reader hands all lines to stream_parse from now on. */
void stream_no_scan(struct prof_reader *);

#endif
