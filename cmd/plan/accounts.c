#include "config.h"

#include "cmd/plan/accounts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/error.h"
#include "cmd/common/cli.h"
#include "cmd/merge/run.h"
#include "io/input.h"
#include "model/account_line.h"

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
#ifdef HAVE_ZSTD
	if (c->output.path != NULL && c->output.packing == PACKING_NONE &&
	    strcmp(c->output.target.format, "stream") == 0)
		c->output.packing = PACKING_ZSTD;
#else
	(void)c;
#endif
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
		    "plan has %zu shards", ull(a->shards[a->size - 1].last),
		    p->size);
	while (account_next(&w))
		inputs += p->shards[w.shard - 1].inputs;
	return inputs == a->inputs ? PROF_OK : err_set(err, PROF_E_MISMATCH,
	    "has %llu inputs, but its shards have %llu", ull(a->inputs),
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
	    err_set(err, PROF_E_CORRUPT, "%llu inputs are used, but there is "
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

enum prof_status
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

enum prof_status
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
			return err_set(err, PROF_E_MISMATCH, "has %llu shards "
			    "of another part as well as others: they would be "
			    "counted twice", ull(owned));
		}
	}
	*at = NULL;
	return part_settle(ch, p, err);
}

void
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

void
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
