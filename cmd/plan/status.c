/* prof-plan status */
#include "config.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "base/json_member.h"
#include "cmd/common/folder_walk.h"
#include "cmd/merge/running.h"
#include "cmd/plan/plan.h"
#include "io/output.h"

struct plan_task {
	uint64_t shard;
	time_t since;
};

struct plan_status {
	struct part_plan plan;
	struct part_choice choice;
	uint64_t done, bytes;		/* shards with a part; their inputs */
	uint64_t repeated;		/* parts that are in others */
	struct buf missing;
	struct plan_task *tasks;	/* that run, by shard */
	size_t size, room;
	bool no_memory;			/* for a task */
	bool estimated;
	uint64_t seconds;		/* to the last shard, if estimated */
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
	c->inputs.file = c->inputs.member = NULL;
	return status == PROF_END ? PROF_OK : status;
}

/* Of two tasks of one shard, the first that began is told. */
static void
status_add_task(void *arg, uint64_t shard, time_t since)
{
	struct plan_status *s = arg;
	struct plan_task new = { shard, since };

	if (shard > s->plan.plan.size)
		return;
	for (size_t i = 0; i < s->size; i++) {
		if (s->tasks[i].shard != shard)
			continue;
		if (since < s->tasks[i].since)
			s->tasks[i].since = since;
		return;
	}
	if (!ARRAY_ADD(s->tasks, s->size, s->room, new))
		s->no_memory = true;
}

static int
compare_tasks(const void *a, const void *b)
{
	const struct plan_task *x = a, *y = b;

	return compare_u64(x->shard, y->shard);
}

/* Looks for marks in folders that were named, and beside parts that were. */
static enum prof_status
status_find_tasks(struct plan_status *s, struct cli *c)
{
	const uint8_t *digest = s->plan.plan.digest;
	char folder[PATH_MAX], before[PATH_MAX] = "";
	int error;

	for (size_t i = 0; i < c->inputs.size; i++) {
		const char *path = c->inputs.items[i].path;
		bool whole = path_is_folder(path);
		size_t size = whole ? strlen(path) : path_folder_size(path);

		snprintf(folder, sizeof(folder), "%.*s", size == 0 ? 1 :
		    (int)size, size == 0 ? "." : path);
		error = strcmp(folder, before) == 0 ? 0 :
		    running_each(folder, digest, status_add_task, s);
		if (error != 0) {
			c->inputs.file = path;
			return err_system(&c->err, error, "cannot read");
		}
		strcpy(before, folder);
	}
	if (s->size != 0)
		qsort(s->tasks, s->size, sizeof(*s->tasks), compare_tasks);
	return s->no_memory ? err_memory(&c->err) : PROF_OK;
}

/*
 * Tasks run, and go on as fast as since the first part was there: the bytes of
 * all later parts took that time.
 */
static void
status_estimate(struct plan_status *s)
{
	uint64_t bytes = 0, first = 0, left = s->plan.plan.bytes - s->bytes;
	time_t begin = 0, now = time(NULL);
	double seconds;

	for (size_t i = 0; i < s->choice.size; i++) {
		const struct part *p = &s->choice.parts[i];
		struct account_walk w = { .account = &p->account };
		struct stat st;

		if (!p->chosen || stat(p->path, &st) != 0)
			continue;
		for (bytes = 0; account_next(&w);)
			bytes += s->plan.plan.shards[w.shard - 1].bytes;
		if (begin == 0 || st.st_mtime < begin) {
			begin = st.st_mtime;
			first = bytes;
		}
	}
	if (s->size == 0 || s->bytes <= first || now <= begin)
		return;
	seconds = (double)left / (double)(s->bytes - first) *
	    (double)(now - begin);
	s->estimated = seconds < 1e15;
	s->seconds = s->estimated ? (uint64_t)seconds : 0;
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
	status_estimate(s);
	return PROF_OK;
}

/* A time as ISO 8601 has it, in UTC. */
static void
status_put_time(struct buf *b, time_t t)
{
	char text[32];
	struct tm tm;

	if (gmtime_r(&t, &tm) != NULL && strftime(text, sizeof(text),
	    "%Y-%m-%dT%H:%M:%SZ", &tm) != 0)
		buf_text(b, text);
}

static void
status_put_tasks(struct buf *b, const struct plan_status *s)
{
	json_member_key(b, "running");
	json_text_plain(b, "[");
	for (size_t i = 0; i < s->size; i++) {
		json_text_plain(b, i == 0 ? "{" : ",{");
		json_member_number(b, "shard", s->tasks[i].shard);
		json_member_key(b, "since");
		json_text_plain(b, "\"");
		status_put_time(b, s->tasks[i].since);
		json_text_plain(b, "\"}");
	}
	json_text_plain(b, "]");
	if (s->estimated)
		json_member_number(b, "eta_seconds", s->seconds);
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
	status_put_tasks(b, s);
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
	for (size_t i = 0; i < s->size; i++) {
		buf_print(b, "running %llu since ", ull(s->tasks[i].shard));
		status_put_time(b, s->tasks[i].since);
		buf_text(b, "\n");
	}
	if (s->estimated)
		buf_print(b, "left    %llu:%02llu:%02llu\n",
		    ull(s->seconds / 3600), ull(s->seconds / 60 % 60),
		    ull(s->seconds % 60));
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
		status = status_find_tasks(&s, c);
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
	free(s.tasks);
	buf_free(&s.missing);
	buf_free(&text);
	return code;
}
