/* prof-plan status */
#include "config.h"

#include <unistd.h>

#include "base/error.h"
#include "base/json_member.h"
#include "cmd/plan/plan.h"

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
