/*
 * stage_data.h - the profiles that stages work on
 *
 * Everything is in memory, and made when it is first asked for.  What fails
 * ends the program.
 */
#ifndef STAGE_DATA_H
#define STAGE_DATA_H

#include "base/bytes.h"
#include "prof.h"

enum form { STREAM, RAW, INDEXED, TEXT, HEAP_RAW, FORMS };

/* A run of a program: of its functions, or of its heap. */
struct stage_run {
	bool is_heap;
	struct buf image[FORMS];	/* STREAM is there */
	/* Copies, of those of the raw image or of a heap's stream. */
	struct prof_record *records;
	size_t records_size;
	uint64_t functions;		/* or contexts */
};

void stage_fail(const char *what, const struct prof_error *)
    __attribute__((noreturn));

/* A writer of that form, to where bytes are dropped if `out` is NULL. */
struct prof_writer *stage_writer(enum form, struct buf *out);

/* Warns of nothing.  Readers give blocks and pairs where they can, if asked. */
struct prof_context *stage_context(bool blocks);

/* Streams are pulled, as from a pipe: the pipe has to outlive the reader. */
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

/* Runs are read from the files of their streams. */
void stage_read(char **files, size_t, struct stage_runs *functions,
    struct stage_runs *heaps);

/* All of them, one behind the other in a single stream. */
struct stage_run *stage_joined(struct stage_run *runs, size_t);

#endif
