#include "config.h"

#include "io/scratch.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "io/read_at.h"
#include "io/temporary.h"

struct scratch_file {
	struct scratch_files *files;
	int fd;
};

void *
scratch_create(void *arg, struct prof_error *err)
{
	struct scratch_files *s = arg;
	struct scratch_file *f = calloc(1, sizeof(*f));

	if (f == NULL) {
		err_memory(err);
		return NULL;
	}
	f->files = s;
	f->fd = temporary_open();
	if (f->fd >= 0)
		return f;
	s->failed = true;
	err_system(err, errno, "cannot make a temporary file");
	free(f);
	return NULL;
}

int
scratch_append(void *arg, const void *data, size_t size)
{
	const struct scratch_file *f = arg;
	const char *p = data;

	while (size != 0) {
		ssize_t n = write(f->fd, p, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			f->files->failed = true;
			return errno;
		}
		p += n;
		size -= (size_t)n;
	}
	return 0;
}

enum prof_status
scratch_rewind(void *arg, struct prof_error *err)
{
	const struct scratch_file *f = arg;

	if (lseek(f->fd, 0, SEEK_SET) == 0)
		return PROF_OK;
	f->files->failed = true;
	return err_system(err, errno, "cannot seek in a temporary file");
}

ssize_t
scratch_pull(void *arg, void *data, size_t size)
{
	const struct scratch_file *f = arg;
	ssize_t n;

	do
		n = read(f->fd, data, size);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		f->files->failed = true;
	return n;
}

int
scratch_read_at(void *arg, uint64_t offset, void *data, size_t size)
{
	const struct scratch_file *f = arg;
	ssize_t n = read_at(f->fd, data, size, (off_t)offset);

	if (n >= 0 && (size_t)n == size)
		return 0;
	f->files->failed = true;
	return n < 0 ? errno : EIO;
}

void
scratch_close(void *arg)
{
	struct scratch_file *f = arg;

	close(f->fd);
	free(f);
}

int
scratch_write(void *arg, const void *data, size_t size)
{
	struct scratch_files *s = arg;
	struct prof_error err = { 0 };

	if (s->one == NULL)
		s->one = scratch_create(s, &err);
	if (s->one == NULL)
		return errno == 0 ? ENOMEM : errno;
	return scratch_append(s->one, data, size);
}

int
scratch_read(void *arg, uint64_t offset, void *data, size_t size)
{
	const struct scratch_files *s = arg;

	return scratch_read_at(s->one, offset, data, size);
}

void
scratch_finish(struct scratch_files *s)
{
	if (s->one != NULL)
		scratch_close(s->one);
	s->one = NULL;
}
