/*
 * io/scratch.h - temporary files that are written once and read back
 *
 * The files have no names (temporary_open).  The functions are those that
 * merges and writers are given as pointers, for data that exceed their memory.
 */
#ifndef IO_SCRATCH_H
#define IO_SCRATCH_H

#include "prof.h"

/* With less memory, nearly every function would get a file of its own. */
enum { SCRATCH_LEAST_MEMORY = 1 << 10 };

/* All zero to begin with. */
struct scratch_files {
	void *one;		/* the file of scratch_write, or NULL */
	bool failed;		/* the last error is about a file */
};

/* Create a file, with the set as their argument; NULL on failure. */
void *scratch_create(void *files, struct prof_error *);

/* With a file that scratch_create returned. */
prof_sink scratch_append;
enum prof_status scratch_rewind(void *file, struct prof_error *);
prof_pull scratch_pull;
int scratch_read_at(void *file, uint64_t offset, void *data, size_t size);
void scratch_close(void *file);

/*
 * The members of a struct prof_scratch whose argument is the set: a file that
 * is created at the first write, until scratch_finish.
 */
prof_sink scratch_write;
int scratch_read(void *files, uint64_t offset, void *data, size_t size);
void scratch_finish(struct scratch_files *);

#endif
