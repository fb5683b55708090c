#include "config.h"

#include "cmd/common/spill.h"

#include <errno.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "io/read_at.h"
#include "io/temporary.h"

/* Below this, nearly every function would get a file of its own. */
enum { SPILL_MIN_BYTES = 1 << 10 };

/* Allocations of that size are mapped, and unmapped when they are freed. */
enum { SPILL_MAPPED = 1 << 18 };

struct spill_file {
	struct cli_spill *spill;
	int fd;
};

static void *
spill_create_file(void *arg, struct prof_error *err)
{
	struct cli_spill *s = arg;
	struct spill_file *f = calloc(1, sizeof(*f));

	if (f == NULL) {
		err_memory(err);
		return NULL;
	}
	f->spill = s;
	f->fd = temporary_open();
	if (f->fd >= 0)
		return f;
	s->failed = true;
	err_system(err, errno, "cannot make a temporary file");
	free(f);
	return NULL;
}

static int
spill_write(void *arg, const void *data, size_t size)
{
	const struct spill_file *f = arg;
	const char *p = data;

	while (size != 0) {
		ssize_t n = write(f->fd, p, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			f->spill->failed = true;
			return errno;
		}
		p += n;
		size -= (size_t)n;
	}
	return 0;
}

static enum prof_status
spill_rewind(void *arg, struct prof_error *err)
{
	const struct spill_file *f = arg;

	if (lseek(f->fd, 0, SEEK_SET) == 0)
		return PROF_OK;
	f->spill->failed = true;
	return err_system(err, errno, "cannot go back in a temporary file");
}

static ssize_t
spill_pull(void *arg, void *data, size_t size)
{
	const struct spill_file *f = arg;
	ssize_t n;

	do
		n = read(f->fd, data, size);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		f->spill->failed = true;
	return n;
}

static void
spill_close_file(void *arg)
{
	struct spill_file *f = arg;

	close(f->fd);
	free(f);
}

/* The scratch file of the writer is created at its first write. */
static int
spill_write_scratch(void *arg, const void *data, size_t size)
{
	struct cli_spill *s = arg;
	struct prof_error err = { 0 };

	if (s->scratch_file == NULL)
		s->scratch_file = spill_create_file(s, &err);
	if (s->scratch_file == NULL)
		return errno == 0 ? ENOMEM : errno;
	return spill_write(s->scratch_file, data, size);
}

static int
spill_read_scratch(void *arg, uint64_t offset, void *data, size_t size)
{
	struct cli_spill *s = arg;
	const struct spill_file *f = s->scratch_file;
	ssize_t n = read_at(f->fd, data, size, (off_t)offset);

	if (n >= 0 && (size_t)n == size)
		return 0;
	s->failed = true;
	return n < 0 ? errno : EIO;
}

void
cli_spill_files(struct cli_spill *s)
{
	s->files = (struct merge_files){ .arg = s, .create = spill_create_file,
	    .write = spill_write, .rewind = spill_rewind, .pull = spill_pull,
	    .close = spill_close_file };
}

/*
 * When glibc frees a large allocation, it takes later ones of that size from
 * the heap, where the tables of sums would leave gaps between those of readers:
 * the heap of many inputs became three times the limit.
 */
static void
spill_map_tables(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, SPILL_MAPPED);
#endif
}

void
cli_spill_begin(struct cli *c, struct cli_spill *s, struct merge *m,
    uint64_t bytes)
{
	size_t limit = bytes > SIZE_MAX ? SIZE_MAX : (size_t)bytes;

	spill_map_tables();
	cli_spill_files(s);
	s->scratch = (struct prof_scratch){ .arg = s, .write =
	    spill_write_scratch, .read = spill_read_scratch };
	c->output.target.scratch = &s->scratch;
	if (merge_spill_to(m, limit < SPILL_MIN_BYTES ? SPILL_MIN_BYTES : limit,
	    &s->files, &c->err) != PROF_OK)
		cli_out_of_memory(c);
}

void
cli_spill_blame(struct cli *c, const struct cli_spill *s)
{
	if (!s->failed)
		return;
	c->inputs.file = temporary_folder();
	c->inputs.member = NULL;
	c->output.failed = false;
}

void
cli_spill_end(struct cli_spill *s)
{
	if (s->scratch_file != NULL)
		spill_close_file(s->scratch_file);
	s->scratch_file = NULL;
}
