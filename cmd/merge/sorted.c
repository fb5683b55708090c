#include "config.h"

#include "cmd/merge/sorted.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "io/read_at.h"
#include "merge/sorted/sorted.h"

/* Files that the program has open beside its inputs. */
enum { OTHER_FILES = 24 };

struct sorted_name {
	char *path;
	struct merge_factor weight;
};

struct sorted_names {
	struct sorted_name *names;
	size_t size, room;
	struct merge_factor scale;
};

static bool
sorted_is_lprf2(const char *path)
{
	uint8_t bytes[MERGE_SORTED_START];
	int fd = cli_is_regular(path) ? open(path, O_RDONLY | O_CLOEXEC) :
	    -1;
	bool is = fd >= 0 && read_at(fd, bytes, sizeof(bytes), 0) ==
	    sizeof(bytes) && merge_sorted_reads(bytes);

	if (fd >= 0)
		close(fd);
	return is;
}

/* --keep-going and the report are about single inputs, as --salvage is. */
static bool
sorted_options_permit(const struct cli *c, const struct cli_merge_options *o)
{
	const struct prof_target *t = &c->output.target;
	const struct cli_damage *d = &c->report.damage;

	return strcmp(t->format, "lprf") == 0 && t->version == 2 &&
	    o->choice == NULL && !o->consume && !o->group &&
	    !o->output.intersect && !o->output.sparse &&
	    o->limit.max_count == 0 && !o->terms.traces.sampled &&
	    o->terms.traces.length == 0 && c->options.watched == NULL &&
	    c->options.member_glob == NULL && !c->options.salvage &&
	    c->output.insertion.put == NULL && !d->keep_going &&
	    d->report == NULL;
}

/* What is no regular file is read once only. */
static bool
sorted_inputs_permit(const struct cli *c)
{
	for (size_t i = 0; i < c->inputs.size; i++) {
		const struct cli_input *in = &c->inputs.items[i];
		struct stat st;

		if (in->subtracted || strcmp(in->path, "-") == 0 ||
		    (in->kind != CLI_FILE && !cli_is_regular(in->path)) ||
		    stat(in->path, &st) != 0)
			return false;
	}
	return true;
}

/* Whether the names of all inputs were stored, all of which are of LPRF 2. */
static bool
sorted_list_names(struct cli *c, struct sorted_names *n)
{
	enum prof_status status;

	while ((status = cli_next_input(c)) == PROF_OK) {
		const struct cli_input *in = c->inputs.current;

		if (!sorted_is_lprf2(in->path) ||
		    !ARRAY_ROOM(n->names, n->size, n->room))
			return false;
		n->names[n->size] = (struct sorted_name){ strdup(in->path),
		    in->weight };
		if (n->names[n->size].path == NULL)
			return false;
		n->size++;
	}
	return status == PROF_END && n->size > 1;
}

static int
sorted_read_file(void *arg, uint64_t offset, void *data, size_t size)
{
	const int *fd = arg;
	ssize_t n = read_at(*fd, data, size, (off_t)offset);

	return n >= 0 && (size_t)n == size ? 0 : EIO;
}

static void
sorted_close_file(struct merge_sorted_file *f)
{
	int *fd = f->arg;

	close(*fd);
	free(fd);
}

static bool
sorted_open_file(void *arg, size_t i, struct merge_sorted_file *out)
{
	const struct sorted_names *n = arg;
	struct stat st;
	int *fd = malloc(sizeof(*fd));

	if (fd == NULL)
		return false;
	*fd = open(n->names[i].path, O_RDONLY | O_CLOEXEC);
	*out = (struct merge_sorted_file){ .arg = fd,
	    .read = sorted_read_file };
	if (*fd >= 0 && fstat(*fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    cli_multiply_weights(&n->names[i].weight, &n->scale,
	    &out->weight)) {
		out->size = (uint64_t)st.st_size;
		return true;
	}
	if (*fd >= 0)
		close(*fd);
	free(fd);
	return false;
}

static size_t
sorted_most_open(void)
{
	long most = sysconf(_SC_OPEN_MAX);

	return most < 0 ? SIZE_MAX : most <= OTHER_FILES ? 0 :
	    (size_t)(most - OTHER_FILES);
}

/* Copies the sum to the output, and counts what was merged. */
static enum prof_status
sorted_finish(struct cli *c, const struct cli_spill *spill, size_t inputs,
    struct merge_sorted_sum *sum)
{
	const struct merge_losses none = { 0 };
	enum prof_status status = cli_damage_sum(c, &none);

	c->report.damage.used += inputs;
	c->report.progress->functions += sum->functions;
	if (status == PROF_OK)
		status = cli_finish_copy(c, spill->files.pull, sum->file,
		    sum->written);
	spill->files.close(sum->file);
	return status;
}

enum prof_status
cli_merge_sorted(struct cli *c, const struct cli_merge_options *o,
    struct cli_spill *spill)
{
	struct sorted_names n = { .scale = o->scale };
	struct merge_sorted_inputs inputs = { .arg = &n,
	    .open = sorted_open_file, .close = sorted_close_file,
	    .most = sorted_most_open() };
	struct merge_sorted_sum sum = { .file = NULL };
	bool merged = false;

	if (!sorted_options_permit(c, o) || !sorted_inputs_permit(c))
		return PROF_END;
	merged = sorted_list_names(c, &n);
	cli_rewind_inputs(c);
	c->err = (struct prof_error){ 0 };
	inputs.size = n.size;
	merged = merged && merge_sorted(&inputs, &spill->files,
	    c->output.target.plain, &sum);
	for (size_t i = 0; i < n.size; i++)
		free(n.names[i].path);
	free(n.names);
	/* The other merge needs no temporary files. */
	if (!merged)
		spill->scratch_files.failed = false;
	return merged ? sorted_finish(c, spill, inputs.size, &sum) : PROF_END;
}
