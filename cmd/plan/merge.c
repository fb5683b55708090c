/* prof-plan merge */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/error.h"
#include "cmd/common/message_text.h"
#include "cmd/common/suffix.h"
#include "cmd/plan/plan.h"

struct parts_run {
	struct cli *cli;
	bool partial;			/* parts of some shards will do */
	struct part_plan plan;
	struct part_choice choice;
};

static enum prof_status
parts_put_account(void *arg, struct buf *b, struct prof_error *err)
{
	const struct parts_run *f = arg;

	(void)err;
	account_put(b, &f->choice.all);
	return PROF_OK;
}

static void
parts_print_skipped(void *cli, const struct part *p, const struct part *in)
{
	const struct cli *c = cli;

	if (!c->options.quiet)
		message_print("%s: %s: its shards are already in %s: skipped\n",
		    c->name, p->path, in->path);
}

/* A part is read for its account, and then as a whole. */
static enum prof_status
parts_check_file(struct cli *c, const char *path)
{
	struct stat st;

	if (strcmp(path, "-") != 0 && (stat(path, &st) != 0 ||
	    S_ISREG(st.st_mode)))
		return PROF_OK;
	c->inputs.file = path;
	return err_set(&c->err, PROF_E_UNSUPPORTED, "a part is read twice and "
	    "must therefore be a file");
}

static enum prof_status
parts_read(struct parts_run *f)
{
	struct cli *c = f->cli;
	enum prof_status status;

	while ((status = cli_next_input(c)) == PROF_OK) {
		struct account a = { .size = 0 };
		const char *path = c->inputs.current->path;

		if (parts_check_file(c, path) != PROF_OK)
			return PROF_FAIL;
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
parts_check(struct parts_run *f)
{
	struct cli *c = f->cli;
	const struct cli_damage *d = &c->report.damage;
	const struct account *all = &f->choice.all;
	struct buf missing = { 0 };
	enum prof_status status = PROF_OK;
	uint64_t inputs = saturating_add(all->used, all->bad);
	double share = (double)all->bad * 100 / (double)inputs;

	part_put_missing(&f->choice, &f->plan.plan, &missing);
	if (missing.failed)
		status = err_memory(&c->err);
	else if (all->used == 0 && !f->partial && missing.size == 0)
		status = err_set(&c->err, PROF_E_FORMAT, "none of the %llu "
		    "inputs of the plan is good", ull(all->bad));
	else if (missing.size != 0 && !f->partial)
		status = err_set(&c->err, PROF_E_TRUNCATED, "no part has shard "
		    "%.*s: --partial merges the others",
		    missing.size > 100 ? 100 : (int)missing.size,
		    (const char *)missing.data);
	else if (d->limited && (d->percent ? share > (double)d->max_bad :
	    all->bad > d->max_bad))
		status = err_set(&c->err, PROF_E_LIMIT, "%llu of %llu inputs "
		    "of the plan are bad: --max-bad allows %llu%s",
		    ull(all->bad), ull(inputs), ull(d->max_bad),
		    d->percent ? "%" : "");
	buf_free(&missing);
	return status;
}

/* The inputs of the run are the chosen parts, each whole. */
static void
parts_replace_inputs(const struct parts_run *f)
{
	struct cli *c = f->cli;

	cli_rewind_inputs(c);
	c->inputs.size = 0;
	for (size_t i = 0; i < f->choice.size; i++) {
		const struct part *p = &f->choice.parts[i];
		const struct cli_input in = { .path = p->path,
		    .weight = { 1, 1 } };

		if (p->chosen && !p->account.alone)
			cli_add_input(c, &in);
	}
	c->report.damage.keep_going = false;
	c->report.damage.limited = false;
}

static enum prof_status
parts_begin(struct parts_run *f, const char *plan,
    struct cli_merge_options *m)
{
	struct cli *c = f->cli;
	const struct account *all = &f->choice.all;
	const char *at = NULL;

	if (part_open_plan(c, plan, &f->plan) != PROF_OK)
		return PROF_FAIL;
	part_take_terms(&f->plan.plan, m);
	if (parts_read(f) != PROF_OK)
		return PROF_FAIL;
	c->inputs.file = c->inputs.member = NULL;
	if (part_choose(&f->choice, &f->plan.plan, parts_print_skipped, c, &at,
	    &c->err) != PROF_OK) {
		c->inputs.file = at;
		return PROF_FAIL;
	}
	if (parts_check(f) != PROF_OK)
		return PROF_FAIL;
	if (all->bad != 0) {
		message_print("%s: %llu of %llu inputs of the plan are bad and "
		    "left out\n", c->name, ull(all->bad),
		    ull(saturating_add(all->used, all->bad)));
		c->report.unclean = true;
	}
	parts_replace_inputs(f);
	m->account = all;
	if (strcmp(c->output.target.format, "stream") == 0) {
		c->output.insertion.put = parts_put_account;
		c->output.insertion.arg = f;
	}
	return PROF_OK;
}

int
plan_merge(struct cli *c, struct plan_options *o, const char *plan)
{
	struct parts_run f = { .cli = c, .partial = o->partial };
	const char *format = c->output.path == NULL ? NULL :
	    suffix_format(c->output.path);
	int code;

	c->output.target.format = format == NULL ? "stream" : format;
	if (o->partial)
		part_pack(c);
	code = parts_begin(&f, plan, &o->merge) == PROF_OK ?
	    cli_merge(c, &o->merge) : cli_end(c, PROF_FAIL);
	part_choice_free(&f.choice);
	part_close_plan(&f.plan);
	return code;
}
