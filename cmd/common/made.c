#include "config.h"

#include "cmd/common/made.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "io/same_file.h"

struct made_path {
	char *path;
	bool folder;
	struct stat file;		/* state of a file */
};

/* In the order in which they were made; the handler of exit has no argument. */
static struct {
	struct made_path *paths;
	size_t size, room;
	bool registered;
} made;

static void
made_remove(const struct made_path *m)
{
	struct stat st;

	if (m->folder)
		rmdir(m->path);		/* fails unless empty */
	else if (lstat(m->path, &st) == 0 &&
	    same_file(&st, &m->file))
		unlink(m->path);
}

static void
made_forget_last(void)
{
	free(made.paths[--made.size].path);
}

static void
made_undo(void)
{
	while (made.size > 0) {
		made_remove(&made.paths[made.size - 1]);
		made_forget_last();
	}
	free(made.paths);
	made.paths = NULL;
	made.room = 0;
}

static bool
made_add(const char *path, const struct stat *file)
{
	struct made_path new = { .folder = file == NULL };

	if (!made.registered && atexit(made_undo) != 0)
		return false;
	made.registered = true;
	if (!ARRAY_ROOM(made.paths, made.size, made.room) ||
	    (new.path = strdup(path)) == NULL)
		return false;
	if (file != NULL)
		new.file = *file;
	made.paths[made.size++] = new;
	return true;
}

int
made_folder(const char *path)
{
	int error;

	if (!made_add(path, NULL))
		return ENOMEM;
	if (mkdir(path, 0777) == 0)
		return 0;
	error = errno;
	made_forget_last();
	return error;
}

bool
made_file(const char *path, const struct stat *new)
{
	struct stat st;

	return lstat(path, &st) == 0 || errno != ENOENT ||
	    made_add(path, new);
}

void
made_keep(void)
{
	while (made.size > 0)
		made_forget_last();
}
