#include "config.h"

#include "cmd/common/commit_queue.h"

#include <stdlib.h>

#include "cmd/common/message_text.h"

void
commit_queue_begin(struct commit_queue *q, struct cli *c,
    const struct cli_pipeline *p)
{
	q->pipeline = p;
	q->next = q->settled = q->committed = 1;
	q->cli = c;
	if (!p->serial) {
		q->own = *c;
		q->cli = &q->own;
		q->own.inputs.file = q->own.inputs.member = NULL;
		q->own.inputs.failed_file = q->own.inputs.failed_member = NULL;
	}
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->changed, NULL);
}

static struct commit_entry *
queue_entry(struct commit_queue *q, uint64_t number)
{
	return &q->entries[number % COMMIT_QUEUE_SIZE];
}

struct commit_entry *
commit_queue_next(struct commit_queue *q)
{
	struct commit_entry *e = NULL;

	pthread_mutex_lock(&q->lock);
	while (q->next - q->committed == COMMIT_QUEUE_SIZE && !q->stopping)
		pthread_cond_wait(&q->changed, &q->lock);
	if (!q->stopping) {
		e = queue_entry(q, q->next);
		*e = (struct commit_entry){ .number = q->next++ };
	}
	pthread_mutex_unlock(&q->lock);
	return e;
}

bool
commit_queue_stopping(struct commit_queue *q)
{
	bool stopping;

	pthread_mutex_lock(&q->lock);
	stopping = q->stopping;
	pthread_mutex_unlock(&q->lock);
	return stopping;
}

bool
commit_queue_wait_settled(struct commit_queue *q, const struct commit_entry *e)
{
	bool going;

	pthread_mutex_lock(&q->lock);
	while (q->settled != e->number && !q->failed)
		pthread_cond_wait(&q->changed, &q->lock);
	going = !q->failed;
	pthread_mutex_unlock(&q->lock);
	return going;
}

bool
commit_queue_is_first(struct commit_queue *q, const struct commit_entry *e,
    bool wait)
{
	bool first;

	pthread_mutex_lock(&q->lock);
	while (q->committed != e->number && !q->failed && wait)
		pthread_cond_wait(&q->changed, &q->lock);
	first = q->committed == e->number && !q->failed;
	pthread_mutex_unlock(&q->lock);
	return first;
}

/* Messages are about the entry from now on. */
static void
queue_name_entry(struct commit_queue *q, struct commit_entry *e)
{
	q->cli->inputs.file = e->file;
	q->cli->inputs.member = e->member;
	q->cli->inputs.current = &e->input;
	q->cli->err = e->err;
}

void
commit_queue_settle(struct commit_queue *q, struct commit_entry *e, bool good)
{
	pthread_mutex_lock(&q->lock);
	e->bad = !good;
	q->settled++;
	pthread_cond_broadcast(&q->changed);
	pthread_mutex_unlock(&q->lock);
}

static void
queue_free_entry(const struct commit_queue *q, struct commit_entry *e)
{
	if (q->pipeline->drop != NULL)
		q->pipeline->drop(e);
	free(e->file);
	free(e->member);
	free(e->text);
}

static void
queue_print_messages(struct commit_queue *q, const struct commit_entry *e)
{
	struct cli *c = q->cli;

	if (e->text_size != 0) {
		cli_progress_clear(c);
		message_repeat(e->text, e->text_size);
	}
	c->report.progress->functions += e->functions;
	c->report.progress->bytes += e->bytes;
	if (e->last) {
		c->report.progress->input = NULL;
		cli_progress_done(c);
	}
}

/* Of a pipeline with process: the program decides what becomes of it. */
static void
queue_commit_result(struct commit_queue *q, struct commit_entry *e)
{
	queue_name_entry(q, e);
	if (e->failed)
		return;
	e->failed = q->pipeline->commit(q->pipeline->arg, q->cli, e) !=
	    PROF_OK;
}

/* Whether the run goes on behind the entry, which failed. */
static bool
queue_passes(struct commit_queue *q, const struct commit_entry *e)
{
	return q->pipeline->pass != NULL && !e->fatal &&
	    !q->cli->report.damage.keep_going &&
	    q->pipeline->pass(q->pipeline->arg, q->cli);
}

/*
 * Reports a bad entry and counts it.  That waits for the commit, because an
 * entry before it may end the run, after which nothing more is reported.
 */
static void
queue_leave_out(struct commit_queue *q, struct commit_entry *e)
{
	queue_name_entry(q, e);
	e->failed = cli_damage_skip(q->cli, &e->lost) != PROF_OK;
	e->nameless = e->failed && q->cli->inputs.file == NULL;
}

/* Of a pipeline with add: the records are with the program by now. */
static void
queue_commit_records(struct commit_queue *q, struct commit_entry *e)
{
	struct cli_damage *d = &q->cli->report.damage;
	struct prof_error why = { 0 };

	if (e->bad) {
		queue_leave_out(q, e);
		return;
	}
	/* All entries before it have been added: a refusal is final. */
	if (q->pipeline->refused != NULL && q->pipeline->refused(
	    q->pipeline->arg, &why) == e->number) {
		e->failed = true;
		e->err = why;
	}
	queue_name_entry(q, e);
	if (!e->failed) {
		d->used += e->used;
		cli_tally_join(&d->kept, &e->kept);
	} else if (queue_passes(q, e)) {
		e->failed = false;
	} else if (!d->keep_going && !e->fatal)
		d->bad++;
}

/* Does for the entry what one thread does before it takes the next item. */
static void
queue_commit(struct commit_queue *q, struct commit_entry *e)
{
	queue_print_messages(q, e);
	if (q->pipeline->process != NULL)
		queue_commit_result(q, e);
	else
		queue_commit_records(q, e);
	if (!e->failed) {
		queue_free_entry(q, e);
		return;
	}
	if (e->nameless)
		q->cli->inputs.file = q->cli->inputs.member = NULL;
	/* Other workers may have skipped members of later inputs. */
	q->cli->report.skipped = e->skipped;
	q->failed = q->stopping = true;
}

void
commit_queue_end(struct commit_queue *q, struct commit_entry *e)
{
	pthread_mutex_lock(&q->lock);
	e->done = true;
	if (e->failed && q->pipeline->pass == NULL)
		q->stopping = true;
	while (q->committed != q->next && !q->failed &&
	    (e = queue_entry(q, q->committed))->done) {
		queue_commit(q, e);
		if (!q->failed)
			q->committed++;
	}
	pthread_cond_broadcast(&q->changed);
	pthread_mutex_unlock(&q->lock);
}

void
commit_queue_finish(struct commit_queue *q, struct cli *c)
{
	struct cli *from = q->cli;

	c->report.damage = from->report.damage;
	c->report.trouble = from->report.trouble;
	c->output.path = from->output.path;
	c->output.failed = from->output.failed;
	if (!q->failed) {
		c->inputs.file = c->inputs.member = NULL;
		return;
	}
	c->err = from->err;
	c->report.skipped = from->report.skipped;
	c->inputs.file = cli_keep_name(&c->inputs.failed_file,
	    from->inputs.file);
	c->inputs.member = cli_keep_name(&c->inputs.failed_member,
	    from->inputs.member);
}

void
commit_queue_free(struct commit_queue *q)
{
	for (uint64_t i = q->committed; i < q->next; i++)
		queue_free_entry(q, queue_entry(q, i));
	pthread_mutex_destroy(&q->lock);
	pthread_cond_destroy(&q->changed);
}
