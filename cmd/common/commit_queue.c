#include "config.h"

#include "cmd/common/commit_queue.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/common/consume.h"
#include "cmd/common/pipeline.h"

void
commit_queue_begin(struct commit_queue *t, const struct cli *c,
    const struct cli_pipeline *work)
{
	*t = (struct commit_queue){ .cli = *c, .work = work, .next = 1,
	    .settled = 1, .ended = 1, .good = c->report.damage.used };
	t->cli.inputs.file = t->cli.inputs.member =
	    t->cli.inputs.failed_member = NULL;
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->moved, NULL);
}

static struct commit_entry *
turn_of(struct commit_queue *t, uint64_t number)
{
	return &t->turns[number % COMMIT_QUEUE_SIZE];
}

struct commit_entry *
commit_queue_next(struct commit_queue *t)
{
	struct commit_entry *turn = NULL;

	pthread_mutex_lock(&t->lock);
	while (t->next - t->ended == COMMIT_QUEUE_SIZE && !t->stopping)
		pthread_cond_wait(&t->moved, &t->lock);
	if (!t->stopping) {
		turn = turn_of(t, t->next);
		*turn = (struct commit_entry){ .number = t->next++ };
	}
	pthread_mutex_unlock(&t->lock);
	return turn;
}

bool
commit_queue_wait(struct commit_queue *t, const struct commit_entry *turn)
{
	bool going;

	pthread_mutex_lock(&t->lock);
	while (t->settled != turn->number && !t->failed && !t->over)
		pthread_cond_wait(&t->moved, &t->lock);
	going = !t->failed && !t->over;
	pthread_mutex_unlock(&t->lock);
	return going;
}

bool
commit_queue_reach(struct commit_queue *t, const struct commit_entry *turn,
    bool wait)
{
	bool reached;

	pthread_mutex_lock(&t->lock);
	while (t->ended != turn->number && !t->failed && wait)
		pthread_cond_wait(&t->moved, &t->lock);
	reached = t->ended == turn->number && !t->failed;
	pthread_mutex_unlock(&t->lock);
	return reached;
}

/* The turn's input is the one that is spoken of. */
static void
speak_of(struct commit_queue *t, struct commit_entry *turn)
{
	t->cli.inputs.file = turn->file;
	t->cli.inputs.member = turn->member;
	t->cli.inputs.current = &turn->input;
	t->cli.err = turn->err;
}

/* As it stands in the list of inputs, so is it counted and told. */
static void
skip(struct commit_queue *t, struct commit_entry *turn, FILE *messages)
{
	uint64_t used = t->cli.report.damage.used;

	speak_of(t, turn);
	t->cli.report.messages = messages;
	t->cli.report.damage.used = t->good;
	turn->bad = true;
	if (t->work->left_out != NULL)
		t->work->left_out(t->work->arg, turn);
	turn->failed = cli_damage_skip(&t->cli, &turn->lost) != PROF_OK;
	turn->nameless = turn->failed && t->cli.inputs.file == NULL;
	turn->err = t->cli.err;
	t->cli.report.damage.used = used;
	t->cli.report.messages = NULL;
}

void
commit_queue_settle(struct commit_queue *t, struct commit_entry *turn, bool good,
    FILE *messages)
{
	pthread_mutex_lock(&t->lock);
	if (!good)
		skip(t, turn, messages);
	else if (!turn->end_only)
		t->good++;
	if (turn->failed)
		t->stopping = t->over = true;
	t->settled++;
	pthread_cond_broadcast(&t->moved);
	pthread_mutex_unlock(&t->lock);
}

static void
free_turn(const struct commit_queue *t, struct commit_entry *turn)
{
	if (t->work->drop != NULL)
		t->work->drop(turn);
	turn->note = turn->result = NULL;
	free(turn->file);
	free(turn->member);
	free(turn->text);
	turn->file = turn->member = turn->text = NULL;
}

/* A file whose members were all used can go. */
static bool
note(struct commit_queue *t, struct commit_entry *turn)
{
	bool bad = t->file_bad || turn->bad;

	t->file_bad = bad && !turn->last;
	return !turn->last || bad || t->cli.inputs.consume == NULL ||
	    cli_consume_note(&t->cli, &turn->stat, &t->cli.err) == PROF_OK;
}

static void
say(struct commit_queue *t, const struct commit_entry *turn)
{
	struct cli *c = &t->cli;

	if (turn->text_size != 0) {
		cli_progress_clear(c);
		fwrite(turn->text, 1, turn->text_size, stderr);
	}
	c->report.progress->functions += turn->functions;
	c->report.progress->bytes += turn->bytes;
	if (turn->last)
		cli_progress_done(c);
}

/* To the program, which does what it likes with what was found. */
static void
hand_over(struct commit_queue *t, struct commit_entry *turn)
{
	speak_of(t, turn);
	if (turn->failed)
		return;
	turn->failed = t->work->commit(t->work->arg, &t->cli, turn) != PROF_OK;
}

static void
use(struct commit_queue *t, struct commit_entry *turn)
{
	struct cli_damage *d = &t->cli.report.damage;
	struct prof_error why = { 0 };

	/* Now all before it have said what they are. */
	if (t->work->refused(t->work->arg, &why) == turn->number) {
		turn->failed = true;
		turn->err = why;
	}
	speak_of(t, turn);
	if (!turn->failed) {
		d->used += turn->used;
		cli_tally_join(&d->kept, &turn->kept);
		turn->failed = !note(t, turn);
	} else if (!turn->bad && !d->keep_going && !turn->fatal)
		d->bad++;
}

/* What one thread would have done before it took the next input. */
static void
commit(struct commit_queue *t, struct commit_entry *turn)
{
	say(t, turn);
	if (t->work->process != NULL)
		hand_over(t, turn);
	else
		use(t, turn);
	if (!turn->failed) {
		free_turn(t, turn);
		return;
	}
	if (turn->nameless)
		t->cli.inputs.file = t->cli.inputs.member = NULL;
	/* Others may have gone on meanwhile. */
	t->cli.report.skipped = turn->skipped;
	t->failed = t->stopping = true;
}

void
commit_queue_end(struct commit_queue *t, struct commit_entry *turn)
{
	pthread_mutex_lock(&t->lock);
	turn->done = true;
	if (turn->failed)
		t->stopping = true;
	while (t->ended != t->next && !t->failed &&
	    (turn = turn_of(t, t->ended))->done) {
		commit(t, turn);
		t->ended++;
	}
	pthread_cond_broadcast(&t->moved);
	pthread_mutex_unlock(&t->lock);
}

void
commit_queue_finish(struct commit_queue *t, struct cli *c)
{
	c->report.damage = t->cli.report.damage;
	c->output.path = t->cli.output.path;
	c->output.failed = t->cli.output.failed;
	c->inputs.file = c->inputs.member = NULL;
	if (t->failed) {
		c->err = t->cli.err;
		c->report.skipped = t->cli.report.skipped;
		/* Whose names are kept: the one that failed ended last. */
		free(c->inputs.failed_member);
		free(c->inputs.failed_file);
		c->inputs.failed_file = t->cli.inputs.file == NULL ? NULL :
		    strdup(t->cli.inputs.file);
		c->inputs.failed_member = t->cli.inputs.member == NULL ? NULL :
		    strdup(t->cli.inputs.member);
		c->inputs.file = c->inputs.failed_file;
		c->inputs.member = c->inputs.failed_member;
	}
}

void
commit_queue_free(struct commit_queue *t)
{
	for (size_t i = 0; i < COMMIT_QUEUE_SIZE; i++)
		free_turn(t, &t->turns[i]);
	pthread_mutex_destroy(&t->lock);
	pthread_cond_destroy(&t->moved);
}
