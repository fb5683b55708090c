/* cmd/plan/parts.c - prof-plan merge, status, clean: a plan against parts */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/json_text.h"
#include "cmd/common/cli.h"
#include "cmd/merge/run.h"
#include "cmd/plan/plan.h"
#include "io/input.h"
#include "io/output.h"
#include "io/same_file.h"
#include "io/suffix.h"
#include "model/record.h"

/* Which parts count: each shard is of one part at most. */
struct part_choice {
	struct part {
		char *path;		/* for free() */
		struct account account;
		bool chosen;
	} *parts;			/* the largest, by shards, first */
	size_t size, room;
	size_t *owner;		/* of each shard: a part from 1, or 0 */
	struct account all;		/* of the chosen parts */
};

/*
 * Chooses, and calls skip with each part whose shards are in others already.
 * PROF_E_MISMATCH, with *at set, for a part that only overlaps others.
 */
typedef void part_skip(void *arg, const struct part *, const struct part *in);
enum prof_status part_choose(struct part_choice *, const struct plan *,
    part_skip *, void *arg, const char **at, struct prof_error *);

enum { PART_PULL = 1 << 14 };

/* The first line of a part, and each after it, is at most so long. */
#define PART_LINE_MAX	((size_t)1 << 26)

enum prof_status
part_open_plan(struct cli *c, const char *path, struct part_plan *p)
{
	struct input_member member;
	struct prof_span text;
	enum prof_status status;

	p->in = input_open(path, c->options.max_size, NULL, &c->err);
	status = p->in == NULL ? PROF_FAIL :
	    input_next(p->in, &member, &c->err);
	c->inputs.file = path;
	c->inputs.member = NULL;
	if (status == PROF_END)
		status = err_set(&c->err, PROF_E_FORMAT, "empty: not a plan");
	if (status == PROF_OK && input_map(p->in, &text) != PROF_OK)
		status = input_image(p->in, &text, &c->err);
	if (status == PROF_OK)
		status = plan_read(&p->plan, text, &c->err);
	if (status == PROF_OK)
		c->inputs.file = NULL;
	return status;
}

void
part_close_plan(struct part_plan *p)
{
	plan_free(&p->plan);
	input_close(p->in);
}

void
part_take_terms(const struct plan *p, struct cli_merge_options *m)
{
	const struct plan_terms *t = &p->terms;

	m->terms.traces = (struct merge_trace_limits){ .sampled = t->sampled,
	    .traces = (size_t)t->max_traces, .length = t->max_trace_length };
	m->terms.level = t->level;
}

void
part_pack(struct cli *c)
{
	if (c->output.path != NULL && c->output.packing == PACKING_NONE &&
	    strcmp(c->output.target.format, "stream") == 0)
		c->output.packing = PACKING_ZSTD;
}

/* The lines at the beginning of a part. */
struct part_lines {
	struct input *in;
	struct buf text;
	size_t pos;
};

static enum prof_status
part_next_line(struct part_lines *l, struct prof_span *line,
    struct prof_error *err)
{
	const uint8_t *newline;
	size_t seen = l->pos;
	ssize_t n;

	while ((newline = seen == l->text.size ? NULL :
	    memchr(l->text.data + seen, '\n', l->text.size - seen)) == NULL) {
		seen = l->text.size;
		if (seen - l->pos > PART_LINE_MAX)
			return err_set(err, PROF_E_FORMAT, "not a part of a "
			    "plan");
		if (buf_reserve(&l->text, PART_PULL) == NULL)
			return err_memory(err);
		n = input_pull(l->in, l->text.data + seen, PART_PULL);
		if (n < 0 && input_failure(l->in)->code != PROF_E_NONE) {
			*err = *input_failure(l->in);
			return PROF_FAIL;
		}
		if (n < 0)
			return err_system(err, errno, "read");
		if (n == 0)
			return err_set(err, PROF_E_FORMAT, "not a part of a "
			    "plan: it ends before its account");
		l->text.size += (size_t)n;
	}
	line->data = l->text.data + l->pos;
	line->size = (size_t)(newline - line->data);
	l->pos += line->size + 1;
	return PROF_OK;
}

/* Compares an account with the plan that it should be of. */
static enum prof_status
part_check_account(const struct account *a, const struct plan *p,
    struct prof_error *err)
{
	struct account_walk w = { .account = a };
	uint64_t inputs = 0;

	if (memcmp(a->plan, p->digest, SHA256_SIZE) != 0)
		return err_set(err, PROF_E_MISMATCH, "a part of another plan");
	if (a->shards[a->size - 1].last > p->size)
		return err_set(err, PROF_E_MISMATCH, "has shard %llu, but the "
		    "last of the plan is %zu", ull(a->shards[a->size - 1].last),
		    p->size);
	while (account_next(&w))
		inputs += p->shards[w.shard - 1].inputs;
	return inputs == a->inputs ? PROF_OK : err_set(err, PROF_E_MISMATCH,
	    "has inputs: %llu, but its shards have %llu", ull(a->inputs),
	    ull(inputs));
}

/*
 * The account is the second line of a part, behind the first of its stream, or
 * the first line of a part without a profile.
 */
static enum prof_status
part_read_record(struct part_lines *l, struct account *a,
    struct prof_error *err)
{
	struct prof_span line;
	bool bare;

	if (part_next_line(l, &line, err) != PROF_OK)
		return PROF_FAIL;
	bare = is_account_start(line);
	if (!bare && part_next_line(l, &line, err) != PROF_OK)
		return PROF_FAIL;
	/* The merge knows accounts by that, and leaves them out of the sum. */
	if (!is_account_start(line))
		return err_set(err, PROF_E_FORMAT, "not a part of a plan: the "
		    "part record is missing");
	if (account_read(a, line, err) != PROF_OK)
		return PROF_FAIL;
	a->alone = bare;
	return bare == (a->used == 0) ? PROF_OK :
	    err_set(err, PROF_E_CORRUPT, "inputs used: %llu, but there is "
	    "%s profile", ull(a->used), bare ? "no" : "a");
}

static enum prof_status
part_read_lines(struct part_lines *l, const struct plan *p,
    struct account *a, struct prof_error *err)
{
	struct prof_span line;

	if (part_read_record(l, a, err) != PROF_OK ||
	    part_check_account(a, p, err) != PROF_OK)
		return PROF_FAIL;
	for (uint64_t i = 0; i < a->bad; i++) {
		if (part_next_line(l, &line, err) != PROF_OK ||
		    account_add_line(a, line, err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

/*
 * Reads the account of a part, and no more of the file than that.
 * PROF_E_FORMAT for what is no part, PROF_E_MISMATCH for one of another plan.
 */
static enum prof_status
part_read_account(struct cli *c, const char *path, const struct plan *p,
    struct account *a)
{
	struct part_lines l = { .in = input_open(path, c->options.max_size,
	    NULL, &c->err) };
	struct input_member member;
	enum prof_status status = l.in == NULL ? PROF_FAIL :
	    input_next(l.in, &member, &c->err);

	c->inputs.file = path;
	c->inputs.member = NULL;
	if (status == PROF_END || (status == PROF_OK &&
	    input_is_archive(l.in)))
		status = err_set(&c->err, PROF_E_FORMAT, "not a part of a "
		    "plan");
	if (status == PROF_OK)
		status = part_read_lines(&l, p, a, &c->err);
	input_close(l.in);
	buf_free(&l.text);
	if (status == PROF_OK)
		c->inputs.file = NULL;
	return status;
}

/* Adds a part; the account is the choice's from now on. */
static enum prof_status
part_add(struct part_choice *ch, const char *path, struct account *a,
    struct prof_error *err)
{
	struct part new = { .path = strdup(path), .account = *a };

	if (new.path == NULL || !ARRAY_ADD(ch->parts, ch->size, ch->room,
	    new)) {
		free(new.path);
		account_free(a);
		return err_memory(err);
	}
	*a = (struct account){ .size = 0 };
	return PROF_OK;
}

static int
compare_part_ranges(const struct account *a, const struct account *b)
{
	int order = compare_u64(a->size, b->size);

	for (size_t i = 0; order == 0 && i < a->size; i++) {
		order = compare_u64(a->shards[i].first, b->shards[i].first);
		if (order == 0)
			order = compare_u64(a->shards[i].last,
			    b->shards[i].last);
	}
	return order;
}

/* More shards first, then fewer bad inputs. */
static int
compare_parts(const void *x, const void *y)
{
	const struct part *p = x, *q = y;
	const struct account *a = &p->account, *b = &q->account;
	const uint64_t m[] = { account_shards(b), a->bad, a->used };
	const uint64_t n[] = { account_shards(a), b->bad, b->used };
	int order = 0;

	for (size_t i = 0; order == 0 && i < sizeof(m) / sizeof(m[0]); i++)
		order = compare_u64(m[i], n[i]);
	if (order == 0)
		order = compare_part_ranges(a, b);
	if (order == 0)
		order = prof_span_compare(buf_span(&a->lines),
		    buf_span(&b->lines));
	return order != 0 ? order : strcmp(p->path, q->path);
}

/* How many shards of the account have a part; *owner: one of these. */
static uint64_t
part_count_owned(const struct part_choice *ch, const struct account *a,
    size_t *owner)
{
	struct account_walk w = { .account = a };
	uint64_t n = 0;

	while (account_next(&w)) {
		if (ch->owner[w.shard - 1] == 0)
			continue;
		*owner = ch->owner[w.shard - 1] - 1;
		n++;
	}
	return n;
}

static void
part_take(struct part_choice *ch, size_t i)
{
	const struct account *a = &ch->parts[i].account;
	struct account *all = &ch->all;
	struct account_walk w = { .account = a };

	ch->parts[i].chosen = true;
	while (account_next(&w))
		ch->owner[w.shard - 1] = i + 1;
	all->inputs += a->inputs;
	/* More than inputs, and what the account says. */
	all->used = saturating_add(all->used, a->used);
	all->bad += a->bad;
	buf_put(&all->lines, a->lines.data, a->lines.size);
}

/* The account of all chosen parts. */
static enum prof_status
part_settle(struct part_choice *ch, const struct plan *p,
    struct prof_error *err)
{
	struct account *all = &ch->all;

	memcpy(all->plan, p->digest, SHA256_SIZE);
	for (size_t k = 0; k < p->size; k++) {
		if (ch->owner[k] == 0)
			continue;
		if (all->size != 0 && all->shards[all->size - 1].last == k)
			all->shards[all->size - 1].last++;
		else if (!ARRAY_ADD(all->shards, all->size, all->room,
		    (struct account_range){ k + 1, k + 1 }))
			return err_memory(err);
	}
	return account_sort(all) ? PROF_OK : err_memory(err);
}

enum prof_status
part_choose(struct part_choice *ch, const struct plan *p, part_skip *skip,
    void *arg, const char **at, struct prof_error *err)
{
	size_t owner = 0;

	ch->owner = calloc(p->size, sizeof(*ch->owner));
	if (ch->owner == NULL)
		return err_memory(err);
	if (ch->size != 0)
		qsort(ch->parts, ch->size, sizeof(*ch->parts), compare_parts);
	for (size_t i = 0; i < ch->size; i++) {
		const struct account *a = &ch->parts[i].account;
		uint64_t owned = part_count_owned(ch, a, &owner);

		if (owned == 0) {
			part_take(ch, i);
		} else if (owned == account_shards(a)) {
			skip(arg, &ch->parts[i], &ch->parts[owner]);
		} else {
			*at = ch->parts[i].path;
			return err_set(err, PROF_E_MISMATCH, "has shards of "
			    "another part, %llu, as well as others: they would "
			    "be counted twice", ull(owned));
		}
	}
	*at = NULL;
	return part_settle(ch, p, err);
}

/* Appends the shards without a part: "3, 7-9"; nothing if there are none. */
static void
part_put_missing(const struct part_choice *ch, const struct plan *p,
    struct buf *b)
{
	char text[64];
	size_t end;

	for (size_t k = 0; k < p->size; k = end) {
		end = k + 1;
		if (ch->owner[k] != 0)
			continue;
		while (end < p->size && ch->owner[end] == 0)
			end++;
		snprintf(text, sizeof(text), end == k + 1 ? "%s%zu" :
		    "%s%zu-%zu", b->size == 0 ? "" : ", ", k + 1, end);
		buf_put(b, text, strlen(text));
	}
}

static void
part_choice_free(struct part_choice *ch)
{
	for (size_t i = 0; i < ch->size; i++) {
		free(ch->parts[i].path);
		account_free(&ch->parts[i].account);
	}
	free(ch->parts);
	free(ch->owner);
	account_free(&ch->all);
}

/* prof-plan merge */

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
		status = err_set(&c->err, PROF_E_FORMAT, "no input of the "
		    "plan is good, of %llu", ull(all->bad));
	else if (missing.size != 0 && !f->partial)
		status = err_set(&c->err, PROF_E_TRUNCATED, "no part has shard "
		    "%.*s: --partial merges the others",
		    missing.size > 100 ? 100 : (int)missing.size,
		    (const char *)missing.data);
	else if (d->limited && (d->percent ? share > (double)d->max_bad :
	    all->bad > d->max_bad))
		status = err_set(&c->err, PROF_E_LIMIT, "bad inputs of the "
		    "plan: %llu of %llu: --keep-going allows %llu%s",
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
		message_print("%s: bad inputs of the plan, left out: %llu of "
		    "%llu\n", c->name, ull(all->bad),
		    ull(saturating_add(all->used, all->bad)));
		c->report.unclean = !c->report.damage.limited;
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

/* prof-plan status */

struct plan_status {
	struct part_plan plan;
	struct part_choice choice;
	uint64_t done, bytes;		/* shards with a part; their inputs */
	uint64_t repeated;		/* parts that are in others */
	struct buf missing;
};

static void
status_count_repeated(void *arg, const struct part *p, const struct part *in)
{
	struct plan_status *s = arg;

	(void)p;
	(void)in;
	s->repeated++;
}

/* What is no part of the plan is printed, and its shards are missing. */
static enum prof_status
status_read_parts(struct plan_status *s, struct cli *c)
{
	enum prof_status status;

	while ((status = cli_next_input(c)) == PROF_OK) {
		struct account a = { .size = 0 };
		const char *path = c->inputs.current->path;

		if (part_read_account(c, path, &s->plan.plan, &a) != PROF_OK) {
			account_free(&a);
			/* What cannot be read may be a part. */
			if (err_is_lack(c->err.code) || (c->err.code ==
			    PROF_E_SYSTEM && access(path, F_OK) == 0))
				return PROF_FAIL;
			cli_print_error(c, &c->err);
			c->err = (struct prof_error){ 0 };
			c->report.unclean = true;
		} else if (part_add(&s->choice, path, &a, &c->err) !=
		    PROF_OK) {
			return PROF_FAIL;
		}
	}
	if (status == PROF_FAIL)
		return PROF_FAIL;
	c->inputs.file = c->inputs.member = NULL;
	return PROF_OK;
}

static enum prof_status
status_settle(struct plan_status *s, struct cli *c)
{
	const char *at = NULL;

	if (part_choose(&s->choice, &s->plan.plan, status_count_repeated, s,
	    &at, &c->err) != PROF_OK) {
		c->inputs.file = at;
		return PROF_FAIL;
	}
	for (size_t k = 0; k < s->plan.plan.size; k++) {
		if (s->choice.owner[k] == 0)
			continue;
		s->done++;
		s->bytes += s->plan.plan.shards[k].bytes;
	}
	part_put_missing(&s->choice, &s->plan.plan, &s->missing);
	if (s->missing.failed)
		return err_memory(&c->err);
	c->report.unclean = c->report.unclean || s->missing.size != 0;
	return PROF_OK;
}

static void
status_put_json(struct buf *b, const struct plan_status *s)
{
	const struct account *all = &s->choice.all;
	char digest[SHA256_TEXT + 1];

	sha256_text(s->plan.plan.digest, digest);
	json_text_plain(b, "{");
	json_member_text(b, "plan", digest);
	json_member_number(b, "shards", s->plan.plan.size);
	json_member_number(b, "done", s->done);
	json_member_number(b, "inputs", s->plan.plan.inputs);
	json_member_number(b, "inputs_done", all->inputs);
	json_member_number(b, "bytes", s->plan.plan.bytes);
	json_member_number(b, "bytes_done", s->bytes);
	json_member_number(b, "used", all->used);
	json_member_number(b, "bad", all->bad);
	json_member_number(b, "repeated", s->repeated);
	json_member_bytes(b, "missing", "missing_hex", (struct prof_span){
	    s->missing.size == 0 ? (const uint8_t *)"" : s->missing.data,
	    s->missing.size });
	json_text_plain(b, "}\n");
}

static void
status_put_people(struct buf *b, const struct plan_status *s)
{
	const struct account *all = &s->choice.all;

	buf_print(b, "shards  %llu of %zu\ninputs  %llu of %llu\n"
	    "bytes   %llu of %llu\n", ull(s->done), s->plan.plan.size,
	    ull(all->inputs), ull(s->plan.plan.inputs), ull(s->bytes),
	    ull(s->plan.plan.bytes));
	buf_print(b, "used    %llu\nbad     %llu\n", ull(all->used),
	    ull(all->bad));
	if (s->repeated != 0)
		buf_print(b, "parts that are in others  %llu\n",
		    ull(s->repeated));
	if (s->missing.size != 0)
		buf_print(b, "missing %.*s\n", (int)s->missing.size,
		    (const char *)s->missing.data);
}

/* What an engine can run: the number of each missing shard on a line. */
static void
status_put_missing(struct buf *b, const struct plan_status *s)
{
	for (size_t k = 0; k < s->plan.plan.size; k++) {
		if (s->choice.owner[k] == 0)
			buf_print(b, "%zu\n", k + 1);
	}
}

static void
status_put(struct buf *b, const struct plan_status *s,
    const struct plan_options *o)
{
	if (o->missing)
		status_put_missing(b, s);
	else if (o->json)
		status_put_json(b, s);
	else
		status_put_people(b, s);
}

int
plan_status(struct cli *c, const struct plan_options *o, const char *path)
{
	struct plan_status s = { .done = 0 };
	struct buf text = { 0 };
	enum prof_status status = part_open_plan(c, path, &s.plan);
	int code;

	if (status == PROF_OK)
		status = status_read_parts(&s, c);
	if (status == PROF_OK)
		status = status_settle(&s, c);
	if (status == PROF_OK)
		status_put(&text, &s, o);
	if (status == PROF_OK && text.failed)
		status = err_memory(&c->err);
	if (status == PROF_OK)
		status = cli_open_bytes(c, false);
	if (status == PROF_OK)
		status = cli_write_text(c, &text);
	code = cli_end(c, status);
	part_choice_free(&s.choice);
	part_close_plan(&s.plan);
	buf_free(&s.missing);
	buf_free(&text);
	return code;
}

/* prof-plan clean */

struct plan_cleaning {
	struct cli *cli;
	struct part_plan plan;
	struct account account;		/* of the result */
	struct arena arena;
	struct prof_span *bad;		/* paths of bad inputs, sorted */
	size_t size, room;
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
	if (in->fetched) {
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
		message_print("%s: bad inputs kept: %zu\n", c->name, k.size);
	if (status == PROF_OK && k.names != 0 && !c->options.quiet)
		message_print("%s: inputs that --fetch read, kept: %llu\n",
		    c->name, ull(k.names));
	code = cli_end(c, status);
	account_free(&k.account);
	part_close_plan(&k.plan);
	arena_free(&k.arena);
	free(k.bad);
	return code;
}
