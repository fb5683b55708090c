/* prof-plan part */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/numbers.h"
#include "cmd/plan/plan.h"
#include "io/input.h"
#include "io/suffix.h"

/* An input of the shard about which the plan says more than a file's size. */
struct shard_input {
	uint64_t number;
	const char *member;		/* NULL: the file */
	uint64_t size;
	bool has_digest;
	uint8_t digest[SHA256_SIZE];
	bool seen;
};

/* A file of the shard, and what the plan says of it, or of its members. */
struct shard_file {
	const char *path;
	size_t first, size;		/* of the inputs, in order */
	bool opened;			/* the file was looked into */
	bool read;			/* the file has a profile, or is bad */
	struct prof_error err;		/* why members are missing, if known */
};

struct shard_run {
	struct cli *cli;
	uint64_t shard;			/* from 1 */
	const char *path;		/* of the plan */
	struct part_plan plan;
	struct arena arena;		/* of names */
	struct shard_file *files;
	size_t files_size, files_room;
	struct shard_input *inputs;
	size_t inputs_size, inputs_room;
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
		return err_set(err, PROF_E_MISMATCH, "%llu inputs are planned, "
		    "%llu were found", ull(s->inputs), ull(d->used + d->bad));
	memcpy(whole.plan, f->plan.plan.digest, SHA256_SIZE);
	if (!account_sort(a))
		return err_memory(err);
	whole.lines = a->lines;
	account_put(b, &whole);
	return PROF_OK;
}

/* What the plan says beyond the size of a file. */
static enum prof_status
shard_add_input(struct shard_run *f, const struct plan_input *in,
    struct prof_error *err)
{
	const struct plan_content *content = in->content;
	struct shard_input new = { .number = content->number,
	    .size = in->size, .has_digest = content->has_digest };

	memcpy(new.digest, content->digest, SHA256_SIZE);
	if (content->number != 0) {
		new.member = (const char *)arena_text(&f->arena,
		    content->member).data;
		if (new.member == NULL)
			return err_memory(err);
	}
	return ARRAY_ADD(f->inputs, f->inputs_size, f->inputs_room, new) ?
	    PROF_OK : err_memory(err);
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
	if (cli_damage_skip(c, NULL) != PROF_OK)
		return PROF_FAIL;
	c->inputs.file = f->path;
	return PROF_END;
}

/* Adds the file to the inputs of the run, once for all members in it. */
static enum prof_status
shard_take_input(void *arg, const struct plan_input *in,
    struct prof_error *err)
{
	struct shard_run *f = arg;
	struct shard_file *last = f->files_size == 0 ? NULL :
	    &f->files[f->files_size - 1];
	bool member = in->content->number != 0;
	struct shard_file new = { .first = f->inputs_size };
	enum prof_status status;

	if (in->content->fetched != (f->cli->inputs.fetch != NULL))
		return err_set(err, PROF_E_MISMATCH, in->content->fetched ?
		    "its inputs are names, not files: --fetch COMMAND reads "
		    "them" : "its inputs are files: --fetch is for a plan of "
		    "names");
	if (!member || last == NULL || last->size == 0 ||
	    strcmp(last->path, (const char *)in->path.data) != 0) {
		new.path = (const char *)arena_text(&f->arena, in->path).data;
		if (new.path == NULL)
			return err_memory(err);
		status = member || in->content->fetched ? PROF_OK :
		    shard_check_file(f, new.path, in->size);
		if (status != PROF_OK)
			return status == PROF_END ? PROF_OK : PROF_FAIL;
		if (!ARRAY_ADD(f->files, f->files_size, f->files_room, new))
			return err_memory(err);
		cli_add_input(f->cli, &(struct cli_input){ .path = new.path,
		    .weight = { 1, 1 } });
	}
	if (!member && !in->content->has_digest)
		return PROF_OK;
	f->files[f->files_size - 1].size++;
	return shard_add_input(f, in, err);
}

/* The planned member of a number, or NULL; numbers ascend in a file. */
static struct shard_input *
shard_find_member(struct shard_run *f, const struct shard_file *file,
    uint64_t number)
{
	struct shard_input *in = f->inputs + file->first;
	size_t i = numbers_below(in, file->size, sizeof(*in), number);

	return i < file->size && in[i].number == number ? &in[i] : NULL;
}

/*
 * A failure between planned members, or of the archive, ends the run; or else
 * the members that do not come are bad for that reason.
 */
static enum cli_action
shard_pass_failure(const struct cli *c, struct shard_file *file,
    const struct cli_item *item)
{
	if (!c->report.damage.keep_going || err_is_lack(item->err.code))
		return CLI_READ_MEMBER;
	if (file->err.code == PROF_E_NONE)
		file->err = item->err;
	return CLI_SKIP_MEMBER;
}

/* Whether all of the file is planned, not some of its members. */
static bool
shard_takes_file(const struct shard_run *f, const struct shard_file *file)
{
	return file->size == 0 || f->inputs[file->first].number == 0;
}

static enum cli_action
shard_classify(void *arg, struct cli *c, struct cli_item *item,
    const struct input_member *m, uint64_t ordinal)
{
	struct shard_run *f = arg;
	struct shard_file *file = &f->files[c->inputs.number - 1];
	enum cli_action action = CLI_READ_MEMBER;
	struct shard_input *in;

	if (shard_takes_file(f, file)) {
		item->note = file->size == 0 ? NULL : &f->inputs[file->first];
		if (item->status == PROF_OK)
			action = cli_classify_member(c, m);
		file->opened = true;
		file->read = file->read || (action == CLI_READ_MEMBER &&
		    item->status != PROF_END);
		return action;
	}
	if (item->status == PROF_END)
		return CLI_READ_MEMBER;
	in = shard_find_member(f, file, ordinal);
	if (in != NULL && (m->name == NULL || strcmp(m->name, in->member) !=
	    0))
		in = NULL;
	if (in == NULL)
		return item->status == PROF_FAIL ?
		    shard_pass_failure(c, file, item) : CLI_SKIP_MEMBER;
	in->seen = true;
	item->note = in;
	return CLI_READ_MEMBER;
}

static enum prof_status
shard_verify(const struct cli_item *item, struct prof_error *err)
{
	const struct shard_input *in = item->note;
	const struct prof_span image = item->image;
	uint8_t digest[SHA256_SIZE];

	if (in == NULL)
		return PROF_OK;
	if (in->number != 0 && in->size != image.size)
		return err_set(err, PROF_E_MISMATCH, "has %zu bytes, but %llu "
		    "in the plan", image.size, ull(in->size));
	if (!in->has_digest)
		return PROF_OK;
	sha256_of(image, digest);
	return memcmp(digest, in->digest, SHA256_SIZE) == 0 ? PROF_OK :
	    err_set(err, PROF_E_MISMATCH, "its content differs from the plan");
}

/* Planned members that did not come are bad, as are files without profiles. */
static enum prof_status
shard_settle_file(struct shard_run *f, const struct shard_file *file)
{
	struct cli *c = f->cli;

	if (shard_takes_file(f, file)) {
		if (!file->opened || file->read)
			return PROF_OK;
		c->inputs.file = file->path;
		c->inputs.member = NULL;
		err_set(&c->err, PROF_E_FORMAT, "contains no profile");
		return cli_damage_skip(c, NULL);
	}
	for (size_t i = file->first; i < file->first + file->size; i++) {
		const struct shard_input *in = &f->inputs[i];

		if (in->seen)
			continue;
		c->inputs.file = file->path;
		c->inputs.member = in->member;
		if (file->err.code != PROF_E_NONE)
			c->err = file->err;
		else
			err_set(&c->err, PROF_E_MISMATCH, "is not member %llu "
			    "of the archive, as planned", ull(in->number));
		if (cli_damage_skip(c, NULL) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

static enum prof_status
shard_settle(void *arg)
{
	struct shard_run *f = arg;

	for (size_t i = 0; i < f->files_size; i++) {
		if (shard_settle_file(f, &f->files[i]) != PROF_OK)
			return PROF_FAIL;
	}
	f->cli->inputs.file = f->cli->inputs.member = NULL;
	return cli_damage_settle(f->cli);
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
		    "%llu: it has %zu shards", ull(f->shard),
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
	/* Streams that nobody looks at as a whole are decoded as they come. */
	if (f->inputs_size != 0)
		f->choose.verify = shard_verify;
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
	free(f.inputs);
	arena_free(&f.arena);
	return code;
}
