#include "config.h"

#include "cmd/merge/fleet.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/error.h"
#include "base/number_search.h"
#include "cmd/common/cli.h"
#include "cmd/common/message_text.h"
#include "io/input.h"

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

/* What the plan says beyond the size of a file. */
static enum prof_status
fleet_add_input(struct fleet *f, const struct plan_input *in,
    struct prof_error *err)
{
	const struct plan_content *content = in->content;
	struct fleet_input new = { .number = content->number,
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
fleet_check_file(struct fleet *f, const char *path, uint64_t size)
{
	static const struct cli_tally nothing;
	struct cli *c = f->cli;
	struct stat st;

	if (stat(path, &st) != 0 || (uint64_t)st.st_size == size)
		return PROF_OK;
	err_set(&c->err, PROF_E_MISMATCH, "has %llu bytes, but %llu in the "
	    "plan", ull((uint64_t)st.st_size), ull(size));
	c->inputs.file = path;
	if (cli_damage_skip(c, &nothing) != PROF_OK)
		return PROF_FAIL;
	c->inputs.file = f->path;
	return PROF_END;
}

/* Adds the file to the inputs of the run, once for all members in it. */
static enum prof_status
fleet_take_input(void *arg, const struct plan_input *in,
    struct prof_error *err)
{
	struct fleet *f = arg;
	struct fleet_file *last = f->files_size == 0 ? NULL :
	    &f->files[f->files_size - 1];
	bool member = in->content->number != 0;
	struct fleet_file new = { .first = f->inputs_size };
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
		    fleet_check_file(f, new.path, in->size);
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
	return fleet_add_input(f, in, err);
}

/* The planned member of a number, or NULL; numbers ascend in a file. */
static struct fleet_input *
fleet_find_member(struct fleet *f, const struct fleet_file *file,
    uint64_t number)
{
	struct fleet_input *in = f->inputs + file->first;
	size_t i = numbers_below(in, file->size, sizeof(*in), number);

	return i < file->size && in[i].number == number ? &in[i] : NULL;
}

/*
 * A failure between planned members, or of the archive, ends the run; or else
 * the members that do not come are bad for that reason.
 */
static enum cli_action
fleet_pass_failure(const struct cli *c, struct fleet_file *file,
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
fleet_takes_file(const struct fleet *f, const struct fleet_file *file)
{
	return file->size == 0 || f->inputs[file->first].number == 0;
}

static enum cli_action
fleet_classify(void *arg, struct cli *c, struct cli_item *item,
    const struct input_member *m, uint64_t ordinal)
{
	struct fleet *f = arg;
	struct fleet_file *file = &f->files[c->inputs.number - 1];
	enum cli_action action = CLI_READ_MEMBER;
	struct fleet_input *in;

	if (fleet_takes_file(f, file)) {
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
	in = fleet_find_member(f, file, ordinal);
	if (in != NULL && (m->name == NULL || strcmp(m->name, in->member) !=
	    0))
		in = NULL;
	if (in == NULL)
		return item->status == PROF_FAIL ?
		    fleet_pass_failure(c, file, item) : CLI_SKIP_MEMBER;
	in->seen = true;
	item->note = in;
	return CLI_READ_MEMBER;
}

static enum prof_status
fleet_verify(const struct commit_entry *e, struct prof_span image,
    struct prof_error *err)
{
	const struct fleet_input *in = e->note;
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
fleet_settle_file(struct fleet *f, const struct fleet_file *file)
{
	static const struct cli_tally nothing;
	struct cli *c = f->cli;

	if (fleet_takes_file(f, file)) {
		if (!file->opened || file->read)
			return PROF_OK;
		c->inputs.file = file->path;
		c->inputs.member = NULL;
		err_set(&c->err, PROF_E_FORMAT, "contains no profile");
		return cli_damage_skip(c, &nothing);
	}
	for (size_t i = file->first; i < file->first + file->size; i++) {
		const struct fleet_input *in = &f->inputs[i];

		if (in->seen)
			continue;
		c->inputs.file = file->path;
		c->inputs.member = in->member;
		if (file->err.code != PROF_E_NONE)
			c->err = file->err;
		else
			err_set(&c->err, PROF_E_MISMATCH, "is not member %llu "
			    "of the archive, as planned", ull(in->number));
		if (cli_damage_skip(c, &nothing) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

static enum prof_status
fleet_settle(void *arg)
{
	struct fleet *f = arg;

	for (size_t i = 0; i < f->files_size; i++) {
		if (fleet_settle_file(f, &f->files[i]) != PROF_OK)
			return PROF_FAIL;
	}
	f->cli->inputs.file = f->cli->inputs.member = NULL;
	return cli_damage_settle(f->cli);
}

static enum prof_status
fleet_begin_shard(struct fleet *f, struct cli *c, struct cli_merge_options *m)
{
	if (f->shard > f->plan.plan.size)
		return err_set(&c->err, PROF_E_LIMIT, "the plan has no shard "
		    "%llu: it has %zu shards", ull(f->shard),
		    f->plan.plan.size);
	c->report.damage.account = &f->account.lines;
	c->output.insertion.put = fleet_put_shard;
	c->output.insertion.arg = f;
	cli_damage_begin(c);
	c->inputs.file = f->path;
	if (plan_each(&f->plan.plan, (size_t)f->shard - 1, fleet_take_input, f,
	    &c->err) != PROF_OK)
		return PROF_FAIL;
	c->inputs.file = NULL;
	f->choose = (struct cli_merge_choice){ .arg = f,
	    .classify = fleet_classify, .settle = fleet_settle };
	/* Streams that nobody looks at as a whole are decoded as they come. */
	if (f->inputs_size != 0)
		f->choose.verify = fleet_verify;
	m->choice = &f->choose;
	return PROF_OK;
}

static void
fleet_print_skipped(void *cli, const struct part *p, const struct part *in)
{
	const struct cli *c = cli;

	if (!c->options.quiet)
		message_print("%s: %s: its shards are already in %s: skipped\n",
		    c->name, p->path, in->path);
}

/* A part is read for its account, and then as a whole. */
static enum prof_status
fleet_check_part(struct cli *c, const char *path)
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
fleet_read_parts(struct fleet *f, struct cli *c)
{
	enum prof_status status;

	while ((status = cli_next_input(c)) == PROF_OK) {
		struct account a = { .size = 0 };
		const char *path = c->inputs.current->path;

		if (fleet_check_part(c, path) != PROF_OK)
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
fleet_check_parts(struct fleet *f, struct cli *c)
{
	struct cli_damage *d = &c->report.damage;
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
fleet_replace_inputs(struct fleet *f, struct cli *c)
{
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
fleet_begin_parts(struct fleet *f, struct cli *c, struct cli_merge_options *m)
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
		    ull(saturating_add(all->used, all->bad)));
		c->report.unclean = true;
	}
	fleet_replace_inputs(f, c);
	m->account = all;
	if (strcmp(c->output.target.format, "stream") == 0) {
		c->output.insertion.put = fleet_put_parts;
		c->output.insertion.arg = f;
	}
	return PROF_OK;
}

static void
fleet_take_terms(const struct plan_terms *t, struct cli_merge_options *m)
{
	m->terms.traces = (struct merge_trace_limits){ .sampled = t->sampled,
	    .traces = (size_t)t->max_traces, .length = t->max_trace_length };
	m->terms.level = t->level;
}

enum prof_status
fleet_begin(struct fleet *f, struct cli *c, struct cli_merge_options *m)
{
	f->cli = c;
	if (part_open_plan(c, f->path, &f->plan) != PROF_OK)
		return PROF_FAIL;
	fleet_take_terms(&f->plan.plan.terms, m);
	return f->shard != 0 ? fleet_begin_shard(f, c, m) :
	    fleet_begin_parts(f, c, m);
}

void
fleet_free(struct fleet *f)
{
	part_choice_free(&f->choice);
	account_free(&f->account);
	part_close_plan(&f->plan);
	free(f->files);
	free(f->inputs);
	arena_free(&f->arena);
	fetch_free(&f->fetch);
}
