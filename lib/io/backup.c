#include "config.h"

#include "io/backup.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"

enum { BLOCK = 1 << 16 };

static enum prof_status
copy(const struct backup *b, const struct rewrite *read,
    struct prof_error *err)
{
	struct output *o = output_open(b->path, false, err);
	enum prof_status status = PROF_OK;
	uint8_t block[BLOCK];
	size_t size = BLOCK;

	if (o == NULL)
		return PROF_FAIL;
	output_like(o, &read->st, true);
	for (off_t at = 0; status == PROF_OK && size == BLOCK; at += BLOCK) {
		status = rewrite_bytes(read, at, block, BLOCK, &size, err);
		/* A failure is remembered. */
		output_write(o, block, size);
	}
	if (status == PROF_OK)
		return output_commit(o, err);
	output_discard(o);
	return PROF_FAIL;
}

static bool
same_bytes(const struct rewrite *a, const struct rewrite *b)
{
	struct prof_error why = { 0 };
	uint8_t one[BLOCK], other[BLOCK];
	size_t n = BLOCK, m;

	if (a->st.st_size != b->st.st_size)
		return false;
	for (off_t at = 0; n == BLOCK; at += BLOCK) {
		if (rewrite_bytes(a, at, one, BLOCK, &n, &why) != PROF_OK ||
		    rewrite_bytes(b, at, other, BLOCK, &m, &why) != PROF_OK ||
		    n != m || memcmp(one, other, n) != 0)
			return false;
	}
	return true;
}

static enum prof_status
check_old(const struct backup *b, const struct rewrite *read,
    const char *suffix, struct prof_error *err)
{
	struct prof_error why = { 0 };
	struct rewrite old;
	bool same = false;

	if (rewrite_open(&old, b->path, &why) == PROF_OK) {
		same = (old.st.st_dev == read->st.st_dev &&
		    old.st.st_ino == read->st.st_ino) ||
		    same_bytes(&old, read);
		rewrite_close(&old);
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
