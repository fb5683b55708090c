#include "config.h"

#include "cmd/merge/sorted.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "io/input.h"
#include "io/read_at.h"
#include "merge/sorted/sorted.h"

/* Files that the program has open beside its inputs. */
enum { OTHER_FILES = 24 };

struct sorted_name {
	char *path;
	struct merge_factor weight;
};

struct sorted_names {
	struct cli *cli;		/* has --max-size and the progress */
	struct sorted_name *names;
	size_t size, room;
	struct merge_factor scale;
	uint64_t bytes;			/* of the files that were opened */
};

/* An open file. */
struct sorted_file {
	struct cli *cli;
	int fd;
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
	const struct sorted_file *f = arg;
	ssize_t n = read_at(f->fd, data, size, (off_t)offset);

	f->cli->report.progress->bytes += size;
	cli_progress_functions(f->cli, 0);
	return n >= 0 && (size_t)n == size ? 0 : EIO;
}

static void
sorted_close_file(struct merge_sorted_file *out)
{
	struct sorted_file *f = out->arg;

	cli_progress_done(f->cli);
	close(f->fd);
	free(f);
}

/* Whether a file is read with these options; its size and weight are set. */
static bool
sorted_take_file(struct sorted_names *n, size_t i, int fd,
    struct merge_sorted_file *out)
{
	uint64_t most = n->cli->options.max_size;
	struct stat st;

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) ||
	    !cli_multiply_weights(&n->names[i].weight, &n->scale,
	    &out->weight))
		return false;
	out->size = (uint64_t)st.st_size;
	n->bytes += out->size;
	return out->size <= (most == 0 ? INPUT_MAX : most);
}

static bool
sorted_open_file(void *arg, size_t i, struct merge_sorted_file *out)
{
	struct sorted_names *n = arg;
	struct sorted_file *f = malloc(sizeof(*f));

	if (f == NULL)
		return false;
	*f = (struct sorted_file){ n->cli, open(n->names[i].path,
	    O_RDONLY | O_CLOEXEC) };
	*out = (struct merge_sorted_file){ .arg = f,
	    .read = sorted_read_file };
	if (f->fd >= 0 && sorted_take_file(n, i, f->fd, out))
		return true;
	if (f->fd >= 0)
		close(f->fd);
	free(f);
	return false;
}

static size_t
sorted_most_open(void)
{
	long most = sysconf(_SC_OPEN_MAX);

	return most < 0 ? SIZE_MAX : most <= OTHER_FILES ? 0 :
	    (size_t)(most - OTHER_FILES);
}

/* Prints the inputs for --verbose, and counts the merged functions. */
static void
sorted_report_inputs(struct cli *c, const struct sorted_names *n,
    uint64_t functions)
{
	const struct prof_source source = { .format = "lprf", .version = 2 };

	for (size_t i = 0; i < n->size; i++) {
		c->inputs.file = n->names[i].path;
		cli_print_source(c, &source);
	}
	c->inputs.file = NULL;
	c->report.damage.used += n->size;
	c->report.progress->bytes = n->bytes;
	c->report.progress->functions += functions;
}

/* Copies the sum to the output. */
static enum prof_status
sorted_finish(struct cli *c, const struct cli_spill *spill,
    struct merge_sorted_sum *sum)
{
	const struct merge_losses none = { 0 };
	enum prof_status status = cli_damage_sum(c, &none);

	if (status == PROF_OK)
		status = cli_finish_copy(c, spill->files.pull, sum->file,
		    sum->written);
	spill->files.close(sum->file);
	return status;
}

/* Whether the inputs were merged; if not, nothing was read. */
static bool
sorted_merge_names(struct sorted_names *n, const struct cli_spill *spill,
    struct merge_sorted_sum *sum)
{
	struct cli *c = n->cli;
	const struct merge_sorted_inputs inputs = { .arg = n,
	    .open = sorted_open_file, .close = sorted_close_file,
	    .size = n->size, .most = sorted_most_open() };

	cli_progress_begin(c);
	if (merge_sorted(&inputs, &spill->files, c->output.target.plain, sum)) {
		sorted_report_inputs(c, n, sum->functions);
		return true;
	}
	c->report.progress->inputs = c->report.progress->bytes = 0;
	return false;
}

enum prof_status
cli_merge_sorted(struct cli *c, const struct cli_merge_options *o,
    struct cli_spill *spill)
{
	struct sorted_names n = { .cli = c, .scale = o->scale };
	struct merge_sorted_sum sum = { .file = NULL };
	bool merged;

	if (!sorted_options_permit(c, o) || !sorted_inputs_permit(c))
		return PROF_END;
	merged = sorted_list_names(c, &n);
	cli_rewind_inputs(c);
	c->err = (struct prof_error){ 0 };
	merged = merged && sorted_merge_names(&n, spill, &sum);
	for (size_t i = 0; i < n.size; i++)
		free(n.names[i].path);
	free(n.names);
	/* The other merge needs no temporary files. */
	if (!merged)
		spill->scratch_files.failed = false;
	return merged ? sorted_finish(c, spill, &sum) : PROF_END;
}
