/* cmd/plan/part.c - prof-plan part, and what a command prints (--fetch) */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
#include "cmd/plan/plan.h"
#include "io/input.h"
#include "io/suffix.h"

enum { FETCH_NAME_MAX = 1 << 16 };

/*
 * Sets $1 to the name, in quotes, in front of the command: the name is no part
 * of its text, so that nothing in a name is a command.
 */
static FILE *
fetch_popen(const struct fetch *f, const char *name)
{
	static const char before[] = "exec </dev/null; set -- '",
	    quote[] = "'\\''", after[] = "'; ";
	struct buf text = { 0 };
	FILE *pipe = NULL;

	buf_put(&text, before, sizeof(before) - 1);
	for (const char *p = name; *p != '\0'; p++) {
		if (*p == '\'')
			buf_put(&text, quote, sizeof(quote) - 1);
		else
			buf_put(&text, p, 1);
	}
	buf_put(&text, after, sizeof(after) - 1);
	buf_put(&text, f->command, strlen(f->command) + 1);
	if (text.failed)
		errno = ENOMEM;
	else
		pipe = popen((const char *)text.data, "re");
	buf_free(&text);
	return pipe;
}

/* The end of an answer, which is good if the command succeeded. */
static ssize_t
fetch_end(struct fetch *f)
{
	int status = pclose(f->pipe);

	f->pipe = NULL;
	if (WIFSIGNALED(status))
		err_set(&f->err, PROF_E_SYSTEM, "the command of --fetch was "
		    "ended by signal %d", WTERMSIG(status));
	else if (status != 0)
		err_set(&f->err, PROF_E_SYSTEM, "the command of --fetch "
		    "failed with status %d", WEXITSTATUS(status));
	errno = EIO;
	return status == 0 ? 0 : -1;
}

/* Bytes of the answer up to the size, 0 at its end, or -1. */
static ssize_t
fetch_pull(void *arg, void *data, size_t size)
{
	struct fetch *f = arg;
	ssize_t n;

	errno = EIO;
	if (f->pipe == NULL)
		return f->err.code == PROF_E_NONE ? 0 : -1;
	do
		n = read(fileno(f->pipe), data, size);
	while (n < 0 && errno == EINTR);
	return n == 0 ? fetch_end(f) : n;
}

void
fetch_free(struct fetch *f)
{
	if (f->pipe != NULL)
		pclose(f->pipe);
}

/*
 * A cli_open: what the command prints for the name, which is bad if the command
 * fails.  The command of the input before is ended.
 */
static struct input *
fetch_open(void *fetch, struct cli *c, struct buf *memory)
{
	struct fetch *f = fetch;
	const char *name = c->inputs.file;
	struct input *in = input_open_pull(fetch_pull, f, c->options.max_size,
	    memory, &c->err);

	if (in == NULL)
		return NULL;
	input_on_failure(in, &f->err);
	if (f->pipe != NULL)
		pclose(f->pipe);
	f->pipe = NULL;
	f->err = (struct prof_error){ 0 };
	/* A name that looks like an option could make a command do anything. */
	if (*name == '-' || strlen(name) > FETCH_NAME_MAX)
		err_set(&f->err, PROF_E_UNSUPPORTED, "the name of an input of "
		    "--fetch begins with '-', or is too long");
	else if ((f->pipe = fetch_popen(f, name)) == NULL)
		err_system(&f->err, errno, "cannot run a shell");
	return in;
}

void
fetch_set(struct cli *c, struct fetch *f, const char *command)
{
	if (strstr(command, "$1") == NULL && strstr(command, "${1") == NULL)
		cli_usage_error(c, "--fetch '%s' has no $1 for the name of "
		    "an input", command);
	f->command = command;
	c->inputs.open = fetch_open;
	c->inputs.open_arg = f;
}

/* A file of the shard, or a name for the command of --fetch. */
struct shard_file {
	const char *path;
	bool opened;			/* the file was looked into */
	bool read;			/* the file has a profile, or is bad */
};

struct shard_run {
	struct cli *cli;
	uint64_t shard;			/* from 1 */
	const char *path;		/* of the plan */
	struct part_plan plan;
	struct arena arena;		/* of paths */
	struct shard_file *files;
	size_t size, room;
	struct cli_merge_choice choose;
	struct account account;
};

/* The account is whole when the first line is written: all was read. */
static enum prof_status
shard_put_account(void *arg, struct buf *b, struct prof_error *err)
{
	struct shard_run *f = arg;
	const struct cli_damage *d = &f->cli->report.damage;
	struct account *a = &f->account;
	const struct plan_shard *s = &f->plan.plan.shards[f->shard - 1];
	struct account_range only = { f->shard, f->shard };
	struct account whole = { .shards = &only, .size = 1,
	    .inputs = s->inputs, .used = d->used, .bad = d->bad };

	if (d->used + d->bad < s->inputs)
		return err_set(err, PROF_E_MISMATCH, "inputs planned: %llu, "
		    "found: %llu", ull(s->inputs), ull(d->used + d->bad));
	memcpy(whole.plan, f->plan.plan.digest, SHA256_SIZE);
	if (!account_sort(a))
		return err_memory(err);
	whole.lines = a->lines;
	account_put(b, &whole);
	return PROF_OK;
}

/* A file of another size than planned is bad; a missing one fails later. */
static enum prof_status
shard_check_file(struct shard_run *f, const char *path, uint64_t size)
{
	struct cli *c = f->cli;
	struct stat st;

	if (stat(path, &st) != 0 || (uint64_t)st.st_size == size)
		return PROF_OK;
	err_set(&c->err, PROF_E_MISMATCH, "has %llu bytes, but %llu in the "
	    "plan", ull((uint64_t)st.st_size), ull(size));
	c->inputs.file = path;
	if (cli_damage_skip(c) != PROF_OK)
		return PROF_FAIL;
	c->inputs.file = f->path;
	return PROF_END;
}

/* Adds the file to the inputs of the run. */
static enum prof_status
shard_take_input(void *arg, const struct plan_input *in,
    struct prof_error *err)
{
	struct shard_run *f = arg;
	struct shard_file new = {
	    .path = (const char *)arena_text(&f->arena, in->path).data };
	enum prof_status status = PROF_OK;

	if (in->fetched != (f->cli->inputs.open != NULL))
		return err_set(err, PROF_E_MISMATCH, in->fetched ?
		    "its inputs are names, not files: --fetch COMMAND reads "
		    "them" : "its inputs are files: --fetch is for a plan of "
		    "names");
	if (new.path == NULL)
		return err_memory(err);
	if (!in->fetched)
		status = shard_check_file(f, new.path, in->size);
	if (status != PROF_OK)
		return status == PROF_END ? PROF_OK : PROF_FAIL;
	if (!ARRAY_ADD(f->files, f->size, f->room, new))
		return err_memory(err);
	cli_add_input(f->cli, &(struct cli_input){ .path = new.path,
	    .weight = { 1, 1 } });
	return PROF_OK;
}

static enum cli_action
shard_classify(void *arg, struct cli *c, struct cli_item *item,
    const struct input_member *m, uint64_t ordinal)
{
	struct shard_run *f = arg;
	struct shard_file *file = &f->files[c->inputs.number - 1];
	enum cli_action action = item->status == PROF_OK ?
	    cli_classify_member(c, m) : CLI_READ_MEMBER;

	(void)ordinal;
	file->opened = true;
	file->read = file->read || (action == CLI_READ_MEMBER &&
	    item->status != PROF_END);
	return action;
}

/* Files without a profile are bad. */
static enum prof_status
shard_settle(void *arg)
{
	struct shard_run *f = arg;
	struct cli *c = f->cli;

	for (size_t i = 0; i < f->size; i++) {
		const struct shard_file *file = &f->files[i];

		if (!file->opened || file->read)
			continue;
		c->inputs.file = file->path;
		c->inputs.member = NULL;
		err_set(&c->err, PROF_E_FORMAT, "contains no profile");
		if (cli_damage_skip(c) != PROF_OK)
			return PROF_FAIL;
	}
	c->inputs.file = c->inputs.member = NULL;
	return cli_damage_settle(c);
}

static enum prof_status
shard_begin(struct shard_run *f, struct cli_merge_options *m)
{
	struct cli *c = f->cli;

	if (part_open_plan(c, f->path, &f->plan) != PROF_OK)
		return PROF_FAIL;
	part_take_terms(&f->plan.plan, m);
	if (f->shard > f->plan.plan.size)
		return err_set(&c->err, PROF_E_LIMIT, "the plan has no shard "
		    "%llu: its last is %zu", ull(f->shard),
		    f->plan.plan.size);
	c->report.damage.account = &f->account.lines;
	c->output.insertion.put = shard_put_account;
	c->output.insertion.arg = f;
	cli_damage_begin(c);
	c->inputs.file = f->path;
	if (plan_each(&f->plan.plan, (size_t)f->shard - 1, shard_take_input, f,
	    &c->err) != PROF_OK)
		return PROF_FAIL;
	c->inputs.file = NULL;
	f->choose = (struct cli_merge_choice){ .arg = f,
	    .classify = shard_classify, .settle = shard_settle };
	m->choice = &f->choose;
	return PROF_OK;
}

int
plan_part(struct cli *c, struct plan_options *o, const char *plan)
{
	struct shard_run f = { .cli = c, .shard = o->shard, .path = plan };
	int code;

	if (c->output.path != NULL && suffix_format(c->output.path) != NULL &&
	    strcmp(suffix_format(c->output.path), "stream") != 0)
		cli_usage_error(c, "a part can be written only as a stream");
	c->output.target.format = "stream";
	part_pack(c);
	code = shard_begin(&f, &o->merge) == PROF_OK ?
	    cli_merge(c, &o->merge) : cli_end(c, PROF_FAIL);
	account_free(&f.account);
	part_close_plan(&f.plan);
	free(f.files);
	arena_free(&f.arena);
	return code;
}
