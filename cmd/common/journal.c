#include "config.h"

#include "cmd/common/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/array.h"
#include "cmd/common/command_line.h"
#include "io/output.h"
#include "io/read_at.h"
#include "io/same_file.h"
#include "io/temporary.h"

static const char *const words[JOURNAL_KINDS] = {
	[JOURNAL_INPUT] = "input", [JOURNAL_OUTPUT] = "output",
	[JOURNAL_NEW] = "new", [JOURNAL_END] = "end",
};

struct journal_state
journal_state_of(const struct stat *st)
{
	return (struct journal_state){ (uint64_t)st->st_ino,
	    (uint64_t)st->st_size, (uint64_t)st->st_mtim.tv_sec,
	    (uint64_t)st->st_mtim.tv_nsec };
}

bool
journal_similar(const struct journal_state *s, const struct stat *st)
{
	struct journal_state now = journal_state_of(st);

	return s->size == now.size && s->seconds == now.seconds &&
	    s->nanoseconds == now.nanoseconds;
}

bool
journal_same(const struct journal_state *s, const struct stat *st)
{
	return s->inode == (uint64_t)st->st_ino && journal_similar(s, st);
}

int
journal_put(struct output *out, const struct journal_line *l)
{
	char head[120];
	int n = snprintf(head, sizeof(head), "%s %" PRIu64 " %" PRIu64 " %"
	    PRIu64 " %" PRIu64 " ", words[l->kind], l->state.inode,
	    l->state.size, l->state.seconds, l->state.nanoseconds);
	int error = output_write(out, head, (size_t)n);

	return error != 0 ? error : output_write(out, l->path,
	    strlen(l->path) + 1);
}

int
journal_attach(struct journal *j, int fd)
{
	j->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	j->open = j->fd >= 0;
	journal_rewind(j);
	return j->open ? 0 : errno;
}

int
journal_open(struct journal *j)
{
	j->fd = open(j->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK |
	    O_NOCTTY);
	j->open = j->fd >= 0;
	journal_rewind(j);
	return j->open ? 0 : errno;
}

int
journal_lock(const struct journal *j, int *fd)
{
	struct stat open, there;

	*fd = fcntl(j->fd, F_DUPFD_CLOEXEC, 0);
	if (*fd < 0)
		return errno;
	/* Where the file system has no such locks, runs must not overlap. */
	if (flock(*fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
		return EWOULDBLOCK;
	return fstat(*fd, &open) == 0 && stat(j->path, &there) == 0 &&
	    same_file(&open, &there) ? 0 : ENOENT;
}

void
journal_rewind(struct journal *j)
{
	j->at = 0;
	j->used = j->size = 0;
	j->error = 0;
}

/* A number and the space behind it; NULL if there is none. */
static const char *
journal_number(const char *text, uint64_t *out)
{
	if (text != NULL)
		text = cli_parse_number(text, 0, UINT64_MAX, out);
	return text != NULL && *text == ' ' ? text + 1 : NULL;
}

static bool
journal_parse(const char *text, struct journal_line *l)
{
	const char *end = strchr(text, ' ');
	size_t size = end == NULL ? 0 : (size_t)(end - text);

	for (int i = 0; i < JOURNAL_KINDS && size != 0; i++) {
		if (strlen(words[i]) != size ||
		    memcmp(words[i], text, size) != 0)
			continue;
		l->kind = (enum journal_kind)i;
		end = journal_number(end + 1, &l->state.inode);
		end = journal_number(end, &l->state.size);
		end = journal_number(end, &l->state.seconds);
		l->path = journal_number(end, &l->state.nanoseconds);
		return l->path != NULL;
	}
	return false;
}

/* Fills the buffer behind the part of a line that it holds. */
static bool
journal_fill(struct journal *j)
{
	ssize_t n;

	memmove(j->buffer, j->buffer + j->used, j->size - j->used);
	j->size -= j->used;
	j->used = 0;
	n = read_at(j->fd, j->buffer + j->size, sizeof(j->buffer) - j->size,
	    j->at);
	if (n < 0)
		j->error = errno;
	if (n <= 0)
		return false;
	j->size += (size_t)n;
	j->at += n;
	return true;
}

enum prof_status
journal_next(struct journal *j, struct journal_line *l)
{
	const char *line, *end;

	while ((end = memchr(j->buffer + j->used, '\0', j->size - j->used)) ==
	    NULL) {
		if (!journal_fill(j))
			return PROF_FAIL;
	}
	line = j->buffer + j->used;
	j->used = (size_t)(end + 1 - j->buffer);
	if (!journal_parse(line, l))
		return PROF_FAIL;
	return l->kind == JOURNAL_END ? PROF_END : PROF_OK;
}

static int
compare_input_paths(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

enum prof_status
journal_inputs(struct journal *j, struct journal_inputs *in)
{
	enum prof_status status;
	struct journal_line l;

	journal_rewind(j);
	while ((status = journal_next(j, &l)) == PROF_OK) {
		if (l.kind != JOURNAL_INPUT)
			continue;
		j->error = ENOMEM;
		if (!ARRAY_ROOM(in->paths, in->size, in->room) ||
		    (in->paths[in->size] = strdup(l.path)) == NULL)
			return PROF_FAIL;
		j->error = 0;
		in->size++;
	}
	if (in->size > 0)
		qsort(in->paths, in->size, sizeof(*in->paths),
		    compare_input_paths);
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

bool
journal_inputs_have(const struct journal_inputs *in, const char *path)
{
	return in->size > 0 && bsearch(&path, in->paths, in->size,
	    sizeof(*in->paths), compare_input_paths) != NULL;
}

void
journal_inputs_free(struct journal_inputs *in)
{
	for (size_t i = 0; i < in->size; i++)
		free(in->paths[i]);
	free(in->paths);
}

bool
journal_beside(const struct journal *j, const char *name, char path[PATH_MAX])
{
	int n = snprintf(path, PATH_MAX, "%.*s%s",
	    (int)path_folder_size(j->path), j->path, name);

	return n > 0 && n < PATH_MAX;
}

void
journal_close(struct journal *j)
{
	if (j->open)
		close(j->fd);
	j->open = false;
}
