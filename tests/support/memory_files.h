/*
 * tests/support/memory_files.h - temporary files of a merge, in memory
 *
 * Each use of a file counts, and one of them may fail.
 */
#ifndef MEMORY_FILES_H
#define MEMORY_FILES_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "merge/merge.h"

/* All zero: none fails. */
struct memory_files {
	unsigned uses, failing;		/* which one, from 1; or 0 */
	unsigned open, most, made;	/* most: that were open at once */
};

struct memory_file {
	struct memory_files *of;
	struct buf bytes;
	size_t pos;
};

static inline bool
memory_files_fail(struct memory_files *f)
{
	return ++f->uses == f->failing;
}

static inline void *
memory_file_create(void *arg, struct prof_error *err)
{
	struct memory_files *of = arg;
	struct memory_file *f;

	if (memory_files_fail(of)) {
		err_set(err, PROF_E_SYSTEM, "broken");
		return NULL;
	}
	f = calloc(1, sizeof(*f));
	if (f == NULL)
		exit(EXIT_FAILURE);
	f->of = of;
	if (++of->open > of->most)
		of->most = of->open;
	of->made++;
	return f;
}

static inline int
memory_file_write(void *arg, const void *data, size_t size)
{
	struct memory_file *f = arg;

	if (memory_files_fail(f->of))
		return ENOSPC;
	buf_put(&f->bytes, data, size);
	return 0;
}

static inline enum prof_status
memory_file_rewind(void *arg, struct prof_error *err)
{
	struct memory_file *f = arg;

	f->pos = 0;
	return memory_files_fail(f->of) ?
	    err_set(err, PROF_E_SYSTEM, "broken") : PROF_OK;
}

static inline ssize_t
memory_file_pull(void *arg, void *data, size_t size)
{
	struct memory_file *f = arg;
	size_t left = f->bytes.size - f->pos;

	if (memory_files_fail(f->of)) {
		errno = EIO;
		return -1;
	}
	if (size > left)
		size = left;
	if (size != 0)
		memcpy(data, f->bytes.data + f->pos, size);
	f->pos += size;
	return (ssize_t)size;
}

static inline int
memory_file_read(void *arg, uint64_t offset, void *data, size_t size)
{
	const struct memory_file *f = arg;

	if (memory_files_fail(f->of) || offset > f->bytes.size ||
	    size > f->bytes.size - offset)
		return EIO;
	if (size != 0)
		memcpy(data, f->bytes.data + offset, size);
	return 0;
}

static inline void
memory_file_close(void *arg)
{
	struct memory_file *f = arg;

	f->of->open--;
	buf_free(&f->bytes);
	free(f);
}

/* What a merge gets of them. */
static inline struct merge_files
memory_files_calls(struct memory_files *f)
{
	return (struct merge_files){ f, memory_file_create, memory_file_write,
	    memory_file_rewind, memory_file_pull, memory_file_close,
	    memory_file_read };
}

#endif
