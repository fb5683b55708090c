#include "config.h"

#include "io/backup.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"

static enum prof_status
copy(const struct backup *b, const struct rewrite *read,
    struct prof_error *err)
{
	struct output *o = output_open(b->path, false, err);

	if (o == NULL)
		return PROF_FAIL;
	output_like(o, &read->st, true);
	/* A failure is remembered. */
	output_write(o, read->image.data, read->image.size);
	return output_commit(o, err);
}

static enum prof_status
check_old(const struct backup *b, const struct rewrite *read,
    const char *suffix, struct prof_error *err)
{
	struct prof_error why = { 0 };
	struct buf memory = { 0 };
	struct rewrite old;
	bool same = false;

	if (rewrite_open(&old, b->path, &why) == PROF_OK) {
		same = old.st.st_dev == read->st.st_dev &&
		    old.st.st_ino == read->st.st_ino;
		if (!same && old.st.st_size == read->st.st_size &&
		    rewrite_read(&old, &memory, &why) == PROF_OK)
			same = prof_span_equal(old.image, read->image);
		rewrite_close(&old);
		buf_free(&memory);
	}
	return same ? PROF_OK : err_set(err, PROF_E_UNSUPPORTED, "its backup "
	    "(%s) is there already, and is another file", suffix);
}

enum prof_status
backup_make(struct backup *b, const struct rewrite *read, const char *path,
    const char *suffix, struct prof_error *err)
{
	int n = snprintf(b->path, sizeof(b->path), "%s%s", path, suffix);

	b->made = false;
	if (n < 0 || (size_t)n >= sizeof(b->path))
		return err_system(err, ENAMETOOLONG, "cannot make a backup");
	b->made = link(path, b->path) == 0;
	if (b->made)
		return PROF_OK;
	switch (errno) {
	case EEXIST:
		return check_old(b, read, suffix, err);
	/* File systems without links, files of others, too many links. */
	case EPERM:
	case ENOTSUP:
	case ENOSYS:
	case EMLINK:
		b->made = copy(b, read, err) == PROF_OK;
		return b->made ? PROF_OK : PROF_FAIL;
	default:
		return err_system(err, errno, "cannot make a backup");
	}
}

void
backup_undo(const struct backup *b)
{
	if (b->made)
		unlink(b->path);
}
