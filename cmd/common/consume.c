#include "config.h"

#include "cmd/common/consume.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cmd/common/cli.h"
#include "io/temporary.h"

struct consume {
	FILE *notes;		/* struct consume_note, path and NUL each */
};

/* Identity and state of an input file when it was read. */
struct consume_note {
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec modified;
};

static struct consume_note
consume_note_of(const struct stat *st)
{
	/* Notes are compared as bytes, so padding must be zero. */
	struct consume_note n;

	memset(&n, 0, sizeof(n));
	n.device = st->st_dev;
	n.inode = st->st_ino;
	n.size = st->st_size;
	n.modified.tv_sec = st->st_mtim.tv_sec;
	n.modified.tv_nsec = st->st_mtim.tv_nsec;
	return n;
}

void
cli_consume_begin(struct cli *c)
{
	int fd;

	if (c->output.path == NULL || strcmp(c->output.path, "-") == 0)
		cli_usage_error(c, "--consume needs an output file: -o FILE");
	c->inputs.consume = calloc(1, sizeof(*c->inputs.consume));
	if (c->inputs.consume == NULL)
		cli_out_of_memory(c);
	fd = temporary_open();
	c->inputs.consume->notes = fd < 0 ? NULL : fdopen(fd, "w+");
	if (c->inputs.consume->notes == NULL) {
		fprintf(stderr, "%s: temporary file: %s\n", c->name,
		    strerror(errno));
		exit(CLI_TROUBLE);
	}
}

enum prof_status
cli_consume_note(struct cli *c, const struct stat *st, struct prof_error *err)
{
	struct consume_note n = consume_note_of(st);
	size_t size = strlen(c->inputs.file) + 1;

	/* Pipes, devices and subtracted inputs are not removed. */
	if (!S_ISREG(st->st_mode) || strcmp(c->inputs.file, "-") == 0 ||
	    c->inputs.current->subtracted)
		return PROF_OK;
	if (fwrite(&n, sizeof(n), 1, c->inputs.consume->notes) != 1 ||
	    fwrite(c->inputs.file, 1, size, c->inputs.consume->notes) != size)
		return err_system(err, errno, "temporary file");
	return PROF_OK;
}

/* If two inputs are one file, the second is already removed: no failure. */
static bool
consume_remove_noted(struct cli *c, const struct consume_note *n,
    const char *path, const struct stat *output)
{
	struct stat st;
	struct consume_note now;

	if (stat(path, &st) != 0)
		return errno == ENOENT;
	now = consume_note_of(&st);
	if (st.st_dev == output->st_dev && st.st_ino == output->st_ino)
		return true;
	if (memcmp(n, &now, sizeof(now)) != 0) {
		fprintf(stderr, "%s: %s: changed since it was read: it "
		    "stays\n", c->name, path);
		return false;
	}
	if (unlink(path) == 0 || errno == ENOENT)
		return true;
	fprintf(stderr, "%s: %s: cannot remove: %s\n", c->name, path,
	    strerror(errno));
	return false;
}

bool
cli_consume_end(struct cli *c)
{
	FILE *notes = c->inputs.consume->notes;
	char *path = NULL;
	size_t room = 0;
	bool good = true;
	struct stat output;
	struct consume_note n;

	if (stat(c->output.path, &output) != 0 || fseek(notes, 0, SEEK_SET) !=
	    0) {
		fprintf(stderr, "%s: %s: %s\n", c->name, c->output.path,
		    strerror(errno));
		return false;
	}
	while (fread(&n, sizeof(n), 1, notes) == 1 &&
	    getdelim(&path, &room, '\0', notes) > 0)
		good = consume_remove_noted(c, &n, path, &output) && good;
	free(path);
	return good && !ferror(notes);
}

void
cli_consume_free(struct consume *s)
{
	if (s == NULL)
		return;
	if (s->notes != NULL)
		fclose(s->notes);
	free(s);
}
