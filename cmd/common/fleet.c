#include "config.h"

#include "cmd/common/fleet.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "cmd/common/cli.h"
#include "cmd/common/message_text.h"

/* The account is whole when the first line is written: all was read. */
static enum prof_status
fleet_put_shard(void *arg, struct buf *b, struct prof_error *err)
{
	struct fleet *f = arg;
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

static enum prof_status
fleet_put_parts(void *arg, struct buf *b, struct prof_error *err)
{
	struct fleet *f = arg;

	(void)err;
	account_put(b, &f->choice.all);
	return PROF_OK;
}

/* An input of another size than planned is bad; a missing one fails later. */
static enum prof_status
fleet_take_input(void *arg, const struct plan_input *in,
    struct prof_error *err)
{
	static const struct cli_tally nothing;
	struct fleet *f = arg;
	struct cli *c = f->cli;
	struct prof_span path = arena_text(&f->arena, in->path);
	struct cli_input input = { .path = (const char *)path.data,
	    .weight = { 1, 1 } };
	struct stat st;

	if (path.data == NULL)
		return err_memory(err);
	if (stat(input.path, &st) != 0 || (uint64_t)st.st_size == in->size) {
		cli_add_input(c, &input);
		return PROF_OK;
	}
	err_set(&c->err, PROF_E_MISMATCH, "has %llu bytes, the plan says %llu",
	    ull((uint64_t)st.st_size), ull(in->size));
	c->inputs.file = input.path;
	if (cli_damage_skip(c, &nothing) != PROF_OK)
		return PROF_FAIL;
	c->inputs.file = f->path;
	return PROF_OK;
}

static enum prof_status
fleet_begin_shard(struct fleet *f, struct cli *c)
{
	if (f->shard > f->plan.plan.size)
		return err_set(&c->err, PROF_E_LIMIT, "the plan has no shard "
		    "%llu, but %zu", ull(f->shard), f->plan.plan.size);
	running_begin(&f->mark, c->output.path, f->plan.plan.digest, f->shard);
	c->report.damage.account = &f->account.lines;
	c->output.insert = fleet_put_shard;
	c->output.insert_arg = f;
	cli_damage_begin(c);
	c->inputs.file = f->path;
	if (plan_each(&f->plan.plan, (size_t)f->shard - 1, fleet_take_input, f,
	    &c->err) != PROF_OK)
		return PROF_FAIL;
	c->inputs.file = NULL;
	return PROF_OK;
}

static void
fleet_print_skipped(void *cli, const struct part *p, const struct part *in)
{
	const struct cli *c = cli;

	if (!c->options.quiet)
		message_print("%s: %s: its shards are in %s already: "
		    "skipped\n", c->name, p->path, in->path);
}

static enum prof_status
fleet_read_parts(struct fleet *f, struct cli *c)
{
	enum prof_status status;

	while ((status = cli_next_input(c)) == PROF_OK) {
		struct account a = { .size = 0 };
		const char *path = c->inputs.current->path;

		if (part_read_account(c, path, &f->plan.plan, &a) != PROF_OK) {
			account_free(&a);
			return PROF_FAIL;
		}
		if (part_add(&f->choice, path, &a, &c->err) != PROF_OK)
			return PROF_FAIL;
	}
	return status == PROF_END ? PROF_OK : status;
}

/* Refuses gaps, without --partial, and too many bad inputs. */
static enum prof_status
fleet_check_parts(struct fleet *f, struct cli *c)
{
	struct cli_damage *d = &c->report.damage;
	const struct account *all = &f->choice.all;
	struct buf missing = { 0 };
	enum prof_status status = PROF_OK;
	double share = (double)all->bad * 100 /
	    (double)(all->used + all->bad);

	part_put_missing(&f->choice, &f->plan.plan, &missing);
	if (missing.failed)
		status = err_memory(&c->err);
	else if (all->used == 0 && !f->partial && missing.size == 0)
		status = err_set(&c->err, PROF_E_FORMAT, "none of the %llu "
		    "inputs of the plan is good", ull(all->bad));
	else if (missing.size != 0 && !f->partial)
		status = err_set(&c->err, PROF_E_TRUNCATED, "no part has shard "
		    "%.*s", missing.size > 100 ? 100 : (int)missing.size,
		    (const char *)missing.data);
	else if (d->limited && (d->percent ? share > (double)d->max_bad :
	    all->bad > d->max_bad))
		status = err_set(&c->err, PROF_E_LIMIT, "%llu of %llu inputs "
		    "of the plan are bad: --max-bad allows %llu%s",
		    ull(all->bad), ull(all->used + all->bad), ull(d->max_bad),
		    d->percent ? "%" : "");
	buf_free(&missing);
	return status;
}

/* The inputs of the run are the chosen parts, each whole. */
static void
fleet_replace_inputs(struct fleet *f, struct cli *c)
{
	cli_names_free(c->inputs.names);
	c->inputs.names = NULL;
	c->inputs.current = NULL;
	c->inputs.file = c->inputs.member = NULL;
	c->inputs.number = 0;
	c->inputs.size = 0;
	for (size_t i = 0; i < f->choice.size; i++) {
		const struct cli_input in = { .path = f->choice.parts[i].path,
		    .weight = { 1, 1 } };

		/* What used no input has no profile. */
		if (f->choice.parts[i].chosen &&
		    f->choice.parts[i].account.used != 0)
			cli_add_input(c, &in);
	}
	c->report.damage.keep_going = false;
	c->report.damage.limited = false;
}

static enum prof_status
fleet_begin_parts(struct fleet *f, struct cli *c)
{
	const struct account *all = &f->choice.all;
	const char *at = NULL;

	if (fleet_read_parts(f, c) != PROF_OK)
		return PROF_FAIL;
	c->inputs.file = c->inputs.member = NULL;
	if (part_choose(&f->choice, &f->plan.plan, fleet_print_skipped, c, &at,
	    &c->err) != PROF_OK) {
		c->inputs.file = at;
		return PROF_FAIL;
	}
	if (fleet_check_parts(f, c) != PROF_OK)
		return PROF_FAIL;
	if (all->bad != 0) {
		message_print("%s: %llu of %llu inputs of the plan are bad and "
		    "left out\n", c->name, ull(all->bad),
		    ull(all->used + all->bad));
		c->report.unclean = true;
	}
	fleet_replace_inputs(f, c);
	if (strcmp(c->output.target.format, "stream") == 0) {
		c->output.insert = fleet_put_parts;
		c->output.insert_arg = f;
	}
	return PROF_OK;
}

enum prof_status
fleet_begin(struct fleet *f, struct cli *c)
{
	f->cli = c;
	if (part_open_plan(c, f->path, &f->plan) != PROF_OK)
		return PROF_FAIL;
	return f->shard != 0 ? fleet_begin_shard(f, c) :
	    fleet_begin_parts(f, c);
}

void
fleet_free(struct fleet *f)
{
	running_end(&f->mark);
	part_choice_free(&f->choice);
	account_free(&f->account);
	part_close_plan(&f->plan);
	arena_free(&f->arena);
}
