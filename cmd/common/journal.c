#include "config.h"

#include "cmd/common/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/array.h"
#include "io/output.h"
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
journal_open(struct journal *j)
{
	int fd = open(j->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK |
	    O_NOCTTY);

	if (fd < 0)
		return errno;
	j->file = fdopen(fd, "r");
	if (j->file == NULL)
		close(fd);
	return j->file == NULL ? ENOMEM : 0;
}

int
journal_lock(const struct journal *j, int *fd)
{
	struct stat open, there;

	*fd = fcntl(fileno(j->file), F_DUPFD_CLOEXEC, 0);
	if (*fd < 0)
		return errno;
	/* Where the file system has no such locks, runs must not overlap. */
	if (flock(*fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
		return EWOULDBLOCK;
	return fstat(*fd, &open) == 0 && stat(j->path, &there) == 0 &&
	    open.st_dev == there.st_dev && open.st_ino == there.st_ino ? 0 :
	    ENOENT;
}

void
journal_rewind(struct journal *j)
{
	rewind(j->file);
}

/* A number and the space behind it; NULL if there is none. */
static const char *
journal_number(const char *text, uint64_t *out)
{
	char *end;

	if (text == NULL || *text < '0' || *text > '9')
		return NULL;
	errno = 0;
	*out = strtoull(text, &end, 10);
	return errno == 0 && *end == ' ' ? end + 1 : NULL;
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

enum prof_status
journal_next(struct journal *j, struct journal_line *l)
{
	ssize_t n = getdelim(&j->text, &j->room, '\0', j->file);

	if (n <= 0 || j->text[n - 1] != '\0' || !journal_parse(j->text, l))
		return PROF_FAIL;
	return l->kind == JOURNAL_END ? PROF_END : PROF_OK;
}

static int
compare_input_paths(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

bool
journal_inputs(struct journal *j, struct journal_inputs *in)
{
	struct journal_line l;

	journal_rewind(j);
	while (journal_next(j, &l) == PROF_OK) {
		if (l.kind != JOURNAL_INPUT)
			continue;
		if (!ARRAY_ROOM(in->paths, in->size, in->room) ||
		    (in->paths[in->size] = strdup(l.path)) == NULL)
			return false;
		in->size++;
	}
	if (in->size > 0)
		qsort(in->paths, in->size, sizeof(*in->paths),
		    compare_input_paths);
	return true;
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
	if (j->file != NULL)
		fclose(j->file);
	free(j->text);
	j->file = NULL;
	j->text = NULL;
	j->room = 0;
}
