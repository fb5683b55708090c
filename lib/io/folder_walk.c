#include "config.h"

#include "io/folder_walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"

bool
path_is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Adds a file or a folder; other entries are left out. */
static int
level_add_entry(struct folder_level *l, int fd, const struct dirent *e)
{
	struct folder_entry new = { .folder = e->d_type == DT_DIR };
	bool file = e->d_type == DT_REG;
	struct stat st;

	if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
		return 0;
	/* Some file systems do not say what an entry is. */
	if (e->d_type == DT_UNKNOWN) {
		if (fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			return errno;
		new.folder = S_ISDIR(st.st_mode);
		file = S_ISREG(st.st_mode);
	}
	if (!file && !new.folder)
		return 0;
	new.name = (const char *)arena_text(&l->names,
	    span_of_text(e->d_name)).data;
	return new.name != NULL && ARRAY_ADD(l->entries, l->size, l->room,
	    new) ? 0 : ENOMEM;
}

static int
compare_entries(const void *a, const void *b)
{
	const struct folder_entry *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* Reads the whole folder; readdir tells its end from an error by errno. */
static int
level_read(struct folder_level *l, DIR *d)
{
	const struct dirent *e;
	int error = 0;

	while (error == 0) {
		errno = 0;
		e = readdir(d);
		if (e == NULL)
			break;
		error = level_add_entry(l, dirfd(d), e);
	}
	if (error == 0)
		error = errno;
	if (error == 0 && l->size != 0)
		qsort(l->entries, l->size, sizeof(*l->entries),
		    compare_entries);
	return error;
}

static void
level_free(struct folder_level *l)
{
	arena_free(&l->names);
	free(l->entries);
}

static bool
folder_walk_is_inside(const struct folder_walk *w, const struct stat *st)
{
	for (size_t i = 0; i < w->depth; i++) {
		if (w->levels[i].device == st->st_dev &&
		    w->levels[i].number == st->st_ino)
			return true;
	}
	return false;
}

/* Adds the level of a folder that is open, unless the walk is inside it. */
static int
folder_walk_add_level(struct folder_walk *w, DIR *d)
{
	struct folder_level new = { .path = w->path.size };
	struct stat st;
	int error;

	if (fstat(dirfd(d), &st) != 0)
		return errno;
	if (folder_walk_is_inside(w, &st))
		return 0;
	new.device = st.st_dev;
	new.number = st.st_ino;
	error = level_read(&new, d);
	if (error == 0 && !ARRAY_ADD(w->levels, w->depth, w->room, new))
		error = ENOMEM;
	if (error != 0)
		level_free(&new);
	return error;
}

/* Appends a name to the path, and a NUL that its size does not count. */
static bool
folder_walk_put_name(struct folder_walk *w, const char *name)
{
	buf_put(&w->path, name, strlen(name) + 1);
	if (w->path.failed)
		return false;
	w->path.size--;
	return true;
}

/* Enters the folder at w->path, behind which a slash is put. */
static int
folder_walk_enter(struct folder_walk *w, int flags)
{
	int fd = open((const char *)w->path.data, O_RDONLY | O_DIRECTORY |
	    O_CLOEXEC | flags);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	int error = d == NULL ? errno : 0;

	if (d == NULL && fd >= 0)
		close(fd);
	if (d == NULL)
		return error;
	error = (w->path.data[w->path.size - 1] == '/' ||
	    folder_walk_put_name(w, "/")) ? folder_walk_add_level(w, d) :
	    ENOMEM;
	closedir(d);
	return error;
}

int
folder_walk_begin(struct folder_walk *w, const char *folder)
{
	w->path.size = 0;
	return folder_walk_put_name(w, folder) ? folder_walk_enter(w, 0) :
	    ENOMEM;
}

int
folder_walk_next(struct folder_walk *w, const char **path)
{
	while (w->depth != 0) {
		struct folder_level *l = &w->levels[w->depth - 1];
		const struct folder_entry *e;
		int error;

		if (l->next == l->size) {
			level_free(l);
			w->depth--;
			continue;
		}
		e = &l->entries[l->next++];
		w->path.size = l->path;
		if (!folder_walk_put_name(w, e->name)) {
			*path = e->name;
			return ENOMEM;
		}
		error = e->folder ? folder_walk_enter(w, O_NOFOLLOW) : 0;
		*path = (const char *)w->path.data;
		if (error != 0 || !e->folder)
			return error;
	}
	*path = NULL;
	return 0;
}

void
folder_walk_end(struct folder_walk *w)
{
	while (w->depth != 0)
		level_free(&w->levels[--w->depth]);
	free(w->levels);
	buf_free(&w->path);
	*w = (struct folder_walk){ .depth = 0 };
}
