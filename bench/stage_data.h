/*
 * stage_data.h - the profiles that stages work on
 *
 * Everything is in memory, and made at its first use.  A failure ends the
 * program.
 */
#ifndef STAGE_DATA_H
#define STAGE_DATA_H

#include "base/bytes.h"
#include "prof.h"

enum form { STREAM, RAW, INDEXED, TEXT, HEAP_RAW, FORMS };

/* A run of a program: of its functions, or of its heap. */
struct stage_run {
	bool is_heap;
	struct buf image[FORMS];	/* STREAM is always there */
	/* Copies of the records of the raw image or, of heaps, the stream. */
	struct prof_record *records;
	size_t records_size;
	uint64_t functions;		/* or contexts */
};

void stage_fail(const char *what, const struct prof_error *)
    __attribute__((noreturn));

/* A writer of a form; the bytes are dropped if `out` is NULL. */
struct prof_writer *stage_writer(enum form, struct buf *out);

/* A context without warnings.  With `blocks`, readers give blocks and pairs. */
struct prof_context *stage_context(bool blocks);

/* Streams are read as from a pipe, which must outlive the reader. */
struct stage_pipe {
	struct prof_span left;
};
struct prof_reader *stage_reader(struct prof_context *, struct stage_run *,
    enum form, struct stage_pipe *);

struct prof_span stage_image(struct stage_run *, enum form);
void stage_copy_records(struct stage_run *);
void *stage_copy(const void *data, size_t n, size_t size);

/* How many functions, or stacks of a heap profile, a record is or holds. */
uint64_t stage_functions(const struct prof_record *);

struct stage_runs {
	struct stage_run *runs;
	size_t size;
};

/* Reads runs, one stream a file. */
void stage_read(char **files, size_t, struct stage_runs *functions,
    struct stage_runs *heaps);

/* A run whose stream is those of all runs, one behind the other. */
struct stage_run *stage_joined(struct stage_run *runs, size_t);

#endif
