#include "config.h"

#include "cmd/common/worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "cmd/common/read.h"
#include "io/input.h"

struct cli_head {
	struct prof_header header;
	bool functions;
};

static ssize_t
pull(void *arg, void *data, size_t size)
{
	struct cli_worker *w = arg;

	if (w->run->work->idle != NULL)
		w->run->work->idle(w->state);
	return input_pull(w->item.in, data, size);
}

/* A check pass is told the heads, and asks when their turn has come. */
enum prof_status
cli_worker_head(void *arg, const struct prof_header *h, bool functions,
    struct prof_error *err)
{
	struct cli_worker *w = arg;
	struct cli_head *heads = array_room(w->heads, w->heads_size,
	    &w->heads_room, sizeof(*heads));

	if (heads == NULL)
		return err_memory(err);
	w->heads = heads;
	heads[w->heads_size++] = (struct cli_head){ *h, functions };
	return PROF_OK;
}

static enum prof_status
claim_heads(struct cli_worker *w)
{
	for (size_t i = 0; i < w->heads_size; i++) {
		if (w->run->work->check(w->state, &w->heads[i].header,
		    w->heads[i].functions, &w->view.err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

/* The image, unless the source has read it. */
static enum prof_status
get_image(struct cli_worker *w)
{
	const struct cli_pipeline *work = w->run->work;
	struct cli_item *item = &w->item;
	bool expected = item->expected || work->verify == NULL;

	if (!item->has_image)
		item->has_image = input_image(item->in, &item->image,
		    &w->view.err) == PROF_OK;
	if (!item->has_image)
		return PROF_FAIL;
	item->expected = true;
	return expected ? PROF_OK : work->verify(item->turn, item->image,
	    &w->view.err);
}

/* Looks through the input, and settles in its turn whether it is used. */
static bool
is_good(struct cli_worker *w)
{
	struct commit_queue *t = &w->run->turns;
	struct commit_entry *turn = w->item.turn;
	enum prof_status status = w->item.status;

	w->heads_size = 0;
	if (status == PROF_OK)
		status = get_image(w);
	if (status == PROF_OK)
		status = cli_check_image(&w->view, w->item.image,
		    &turn->lost);
	if (!commit_queue_wait(t, turn))
		return false;
	if (status == PROF_OK)
		status = claim_heads(w);
	if (status == PROF_OK)
		turn->lost = (struct cli_tally){ 0 };
	else
		turn->err = w->view.err;
	w->view.err = (struct prof_error){ 0 };
	commit_queue_settle(t, turn, status == PROF_OK, w->messages);
	return status == PROF_OK;
}

/* The input knows better than the decoder why bytes are missing. */
static void
blame_input(struct cli_worker *w)
{
	struct input *in = w->item.in;

	if (in != NULL && input_failure(in)->code != PROF_E_NONE)
		w->view.err = *input_failure(in);
}

static enum prof_status
read_input(struct cli_worker *w)
{
	struct cli_item *item = &w->item;
	struct cli *c = &w->view;
	struct prof_reader *reader;
	enum prof_status status = PROF_FAIL;

	if (item->stream && !item->has_image)
		reader = prof_open_stream(c->context, pull, w, &c->err);
	else
		reader = get_image(w) != PROF_OK ? NULL :
		    prof_open(c->context, item->image, &c->err);
	if (reader != NULL)
		status = cli_read_records(c, reader, w->run->work->add,
		    w->state);
	/* Of an archive, another thread may read the next member already. */
	if (status == PROF_OK && item->owned &&
	    input_failure(item->in)->code != PROF_E_NONE)
		status = PROF_FAIL;
	if (status == PROF_FAIL)
		blame_input(w);
	prof_close(reader);
	w->run->work->end(w->state);
	return status;
}

/* What was said goes with the turn. */
static void
hand_in_text(struct cli_worker *w, struct commit_entry *turn)
{
	fflush(w->messages);
	if (ftello(w->messages) <= 0)
		return;
	turn->text_size = (size_t)ftello(w->messages);
	turn->text = malloc(turn->text_size);
	if (turn->text == NULL)
		cli_out_of_memory(&w->view);
	memcpy(turn->text, w->text, turn->text_size);
	rewind(w->messages);
}

static bool
is_turn(void *arg, bool wait)
{
	const struct cli_worker *w = arg;

	return commit_queue_reach(&w->run->turns, w->item.turn, wait);
}

/* The whole item is for the program. */
static void
take_item(struct cli_worker *w)
{
	struct cli_item *item = &w->item;
	struct commit_entry *turn = item->turn;
	struct cli *c = &w->view;
	const struct cli_pipeline *work = w->run->work;
	struct cli_bytes bytes = { .note = turn->note };

	turn->failed = item->fatal;
	turn->err = item->err;
	if (item->nothing || item->status != PROF_OK)
		return;
	bytes.pull = item->stream ? pull : NULL;
	bytes.may_commit = is_turn;
	bytes.arg = w;
	if (!item->stream && get_image(w) == PROF_OK)
		bytes.image = item->image;
	if (work->ordered && !is_turn(w, true))
		return;
	if (c->err.code == PROF_E_NONE)
		turn->result = work->process(w->state, &bytes, &c->err);
	/* Of an archive, another thread may read the next member already. */
	if (item->owned || c->err.code != PROF_E_NONE)
		blame_input(w);
	turn->err = c->err;
}

/* The records of the item are for the program. */
static void
use_item(struct cli_worker *w)
{
	struct commit_entry *turn = w->item.turn;
	struct cli *c = &w->view;
	enum prof_status status = w->item.nothing ? PROF_OK :
	    w->run->work->begin(w->state, turn->number, &c->err);
	if (w->item.nothing) {
		if (c->report.damage.keep_going &&
		    commit_queue_wait(&w->run->turns, turn))
			commit_queue_settle(&w->run->turns, turn, true, NULL);
	} else if (!c->report.damage.keep_going || w->item.fatal ||
	    is_good(w)) {
		if (status == PROF_OK)
			status = w->item.status;
		if (status == PROF_OK)
			status = read_input(w);
		turn->failed = status == PROF_FAIL;
		turn->used = !turn->failed;
		if (turn->failed)
			turn->err = c->err;
	}
}

void
cli_worker_do(struct cli_worker *w)
{
	struct commit_entry *turn = w->item.turn;
	struct cli *c = &w->view;

	c->inputs.file = turn->file;
	c->inputs.member = turn->member;
	c->inputs.current = &turn->input;
	c->err = w->item.err;
	if (w->run->work->process != NULL)
		take_item(w);
	else
		use_item(w);
	turn->functions = w->progress.functions;
	w->progress.functions = 0;
	if (w->item.owned && w->run->work->next == NULL)
		turn->bytes = input_bytes(w->item.in);
	turn->kept = c->report.damage.kept;
	c->report.damage.kept = (struct cli_tally){ 0 };
	hand_in_text(w, turn);
	cli_source_release(&w->run->source, &w->item);
	commit_queue_end(&w->run->turns, turn);
}
