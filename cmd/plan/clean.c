/* prof-plan clean */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "cmd/common/message_text.h"
#include "cmd/plan/plan.h"
#include "io/input.h"
#include "io/output.h"
#include "io/same_file.h"

struct plan_cleaning {
	struct cli *cli;
	struct part_plan plan;
	struct account account;		/* of the result */
	struct arena arena;
	struct prof_span *bad;		/* paths of bad inputs, sorted */
	size_t size, room;
	uint64_t members;		/* of archives, which stay */
	uint64_t names;			/* that a command read, which stay */
	struct stat result;
};

static int
compare_bad_paths(const void *a, const void *b)
{
	return prof_span_compare(*(const struct prof_span *)a,
	    *(const struct prof_span *)b);
}

static enum prof_status
clean_find_bad(struct plan_cleaning *k, struct prof_error *err)
{
	const struct buf *lines = &k->account.lines;

	for (size_t i = 0; i < lines->size;) {
		const uint8_t *start = lines->data + i;
		const uint8_t *end = memchr(start, '\n', lines->size - i);
		struct prof_span line = { start, (size_t)(end - start) }, file;

		if (account_file(line, &k->arena, &file, err) != PROF_OK)
			return PROF_FAIL;
		if (!ARRAY_ADD(k->bad, k->size, k->room, file))
			return err_memory(err);
		i += line.size + 1;
	}
	if (k->size != 0)
		qsort(k->bad, k->size, sizeof(*k->bad), compare_bad_paths);
	return PROF_OK;
}

/* Reads the result to its end: a file that was cut later is no result. */
static enum prof_status
clean_read_stream(struct cli *c, struct input *in)
{
	struct prof_reader *r = prof_open_stream(c->context, input_pull, in,
	    &c->err);
	struct prof_record record;
	enum prof_status status = r == NULL ? PROF_FAIL : PROF_OK;

	while (status == PROF_OK)
		status = prof_next(r, &record, &c->err);
	prof_close(r);
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

static enum prof_status
clean_read_result(struct cli *c, const char *path)
{
	struct input *in = input_open(path, c->options.max_size, NULL,
	    &c->err);
	struct input_member member;
	enum prof_status status = in == NULL ? PROF_FAIL :
	    input_next(in, &member, &c->err);

	c->inputs.file = path;
	if (status == PROF_OK)
		status = clean_read_stream(c, in);
	input_close(in);
	return status == PROF_OK ? PROF_OK : PROF_FAIL;
}

static enum prof_status
clean_check(struct plan_cleaning *k, const char *result)
{
	struct cli *c = k->cli;
	const struct plan *p = &k->plan.plan;

	if (part_read_account(c, result, p, &k->account) != PROF_OK ||
	    clean_read_result(c, result) != PROF_OK)
		return PROF_FAIL;
	if (account_shards(&k->account) != p->size)
		return err_set(&c->err, PROF_E_MISMATCH, "has %llu of %zu "
		    "shards", ull(account_shards(&k->account)), p->size);
	return clean_find_bad(k, &c->err);
}

/* Whatever happens next, the result must not be lost with the inputs. */
static enum prof_status
clean_sync_result(struct plan_cleaning *k, const char *result)
{
	struct cli *c = k->cli;
	int fd = open(result, O_RDONLY | O_CLOEXEC);
	bool good = fd >= 0 && fstat(fd, &k->result) == 0 &&
	    (output_sync_file(fd) == 0 || errno == EROFS);
	int e = errno;

	if (fd >= 0)
		close(fd);
	c->inputs.file = result;
	if (!good)
		return err_system(&c->err, e, "cannot sync");
	return output_sync_folder(result) == 0 ? PROF_OK : err_system(&c->err,
	    errno, "cannot sync the folder");
}

static void
clean_print_kept(struct cli *c, const char *path, const char *why)
{
	message_print("%s: %s: %s: kept\n", c->name, path, why);
	c->report.unclean = true;
}

/*
 * Removes a file that is as planned, and not the result.  One that is gone was
 * removed before, maybe under another name.
 */
static void
clean_remove(struct plan_cleaning *k, const char *path, uint64_t size)
{
	struct stat st;
	int error = stat(path, &st) == 0 ? 0 : errno;

	if (error == 0 && same_file(&st, &k->result))
		return;
	if (error == 0 && (!S_ISREG(st.st_mode) ||
	    (uint64_t)st.st_size != size)) {
		clean_print_kept(k->cli, path, "differs from the plan");
		return;
	}
	if (error == 0 && unlink(path) != 0)
		error = errno;
	if (error != 0 && error != ENOENT)
		clean_print_kept(k->cli, path, strerror(error));
}

/* Removes an input that is in the result. */
static enum prof_status
clean_take_input(void *arg, const struct plan_input *in,
    struct prof_error *err)
{
	struct plan_cleaning *k = arg;

	(void)err;
	if (in->content->number != 0) {
		k->members++;
		return PROF_OK;
	}
	if (in->content->fetched) {
		k->names++;
		return PROF_OK;
	}
	if (k->size == 0 || bsearch(&in->path, k->bad, k->size,
	    sizeof(*k->bad), compare_bad_paths) == NULL)
		clean_remove(k, (const char *)in->path.data, in->size);
	return PROF_OK;
}

int
plan_clean(struct cli *c, const char *path, const char *result)
{
	struct plan_cleaning k = { .cli = c };
	enum prof_status status = part_open_plan(c, path, &k.plan);
	int code;

	if (status == PROF_OK)
		status = clean_check(&k, result);
	if (status == PROF_OK)
		status = clean_sync_result(&k, result);
	for (size_t i = 0; status == PROF_OK && i < k.plan.plan.size; i++) {
		c->inputs.file = path;
		status = plan_each(&k.plan.plan, i, clean_take_input, &k,
		    &c->err);
	}
	if (status == PROF_OK && k.size != 0 && !c->options.quiet)
		message_print("%s: %zu bad inputs are kept\n", c->name, k.size);
	if (status == PROF_OK && k.members != 0 && !c->options.quiet)
		message_print("%s: archives with %llu inputs are kept\n",
		    c->name, ull(k.members));
	if (status == PROF_OK && k.names != 0 && !c->options.quiet)
		message_print("%s: %llu inputs that --fetch read are kept\n",
		    c->name, ull(k.names));
	code = cli_end(c, status);
	account_free(&k.account);
	part_close_plan(&k.plan);
	arena_free(&k.arena);
	free(k.bad);
	return code;
}
