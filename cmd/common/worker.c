#include "config.h"

#include "cmd/common/worker.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "cmd/common/read.h"
#include "io/input.h"

bool
cli_worker_init(struct cli_worker *w, struct cli_run *run)
{
	const struct cli_pipeline *p = run->pipeline;
	struct cli *v = w->view = p->serial ? run->cli : &w->own;

	w->run = run;
	if (!p->serial) {
		*v = *run->cli;
		v->err = (struct prof_error){ 0 };
		v->report.progress = &w->progress;
		v->report.damage.kept = (struct cli_tally){ 0 };
		v->context = prof_context_share(run->cli->context, cli_warn,
		    v);
		v->output.retargeter = run->cli->output.retargeter == NULL ?
		    NULL : retarget_new(&v->output.retarget);
		v->report.messages = w->messages =
		    open_memstream(&w->text, &w->text_size);
		if (v->context == NULL || w->messages == NULL ||
		    (v->output.retargeter == NULL) !=
		    (run->cli->output.retargeter == NULL))
			return false;
	}
	w->state = p->start == NULL ? p->arg : p->start(p->arg, v);
	return p->start == NULL || w->state != NULL;
}

void
cli_worker_free(struct cli_worker *w)
{
	if (w->run->pipeline->stop != NULL && w->state != NULL)
		w->run->pipeline->stop(w->state);
	if (w->view == &w->own) {
		if (w->own.context != NULL &&
		    prof_context_salvaged(w->own.context))
			w->run->cli->report.unclean = true;
		prof_context_free(w->own.context);
		retarget_free(w->own.output.retargeter);
	}
	buf_free(&w->memory);
	if (w->messages != NULL)
		fclose(w->messages);
	free(w->text);
	free(w->heads);
}

/* A prof_pull. */
static ssize_t
worker_pull(void *arg, void *data, size_t size)
{
	struct cli_worker *w = arg;

	if (w->run->pipeline->idle != NULL)
		w->run->pipeline->idle(w->state);
	return input_pull(w->item.in, data, size);
}

/* A cli_check: remembers the header until the item may be settled. */
static enum prof_status
worker_note_head(void *arg, const struct prof_header *h, bool functions,
    struct prof_error *err)
{
	struct cli_worker *w = arg;

	return ARRAY_ADD(w->heads, w->heads_size, w->heads_room,
	    (struct cli_head){ *h, functions }) ? PROF_OK : err_memory(err);
}

static enum prof_status
worker_check_heads(struct cli_worker *w)
{
	const struct cli_pipeline *p = w->run->pipeline;

	for (size_t i = 0; i < w->heads_size; i++) {
		if (p->check(w->state, &w->heads[i].header,
		    w->heads[i].functions, &w->view->err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

/* Selected functions take few pages of a file: the others are not read. */
static bool
worker_map_image(struct cli_worker *w)
{
	const struct cli_options *o = &w->view->options;

	return (w->run->pipeline->maps || o->select != NULL ||
	    o->prefixes != NULL) &&
	    input_map(w->item.in, &w->item.image) == PROF_OK;
}

/* The image of the item, unless the source has read it. */
static enum prof_status
worker_get_image(struct cli_worker *w)
{
	const struct cli_pipeline *p = w->run->pipeline;
	struct cli_item *item = &w->item;
	bool verified = item->verified || p->verify == NULL;

	if (!item->has_image)
		item->has_image = worker_map_image(w) || input_image(item->in,
		    &item->image, &w->view->err) == PROF_OK;
	if (!item->has_image)
		return PROF_FAIL;
	item->verified = true;
	return verified ? PROF_OK : p->verify(item->entry, item->image,
	    &w->view->err);
}

/* The input knows better than the decoder why bytes are missing. */
static void
worker_blame_input(struct cli_worker *w)
{
	struct input *in = w->item.in;

	if (in != NULL && input_failure(in)->code != PROF_E_NONE)
		w->view->err = *input_failure(in);
}

static enum prof_status
worker_check_image(struct cli_worker *w)
{
	const struct cli_pipeline *p = w->run->pipeline;
	/* With one worker all inputs before are settled already. */
	struct cli_image_check by = { .check = p->check, .arg = w->state,
	    .merges = p->merges, .merge_rules = p->merge_rules };

	if (p->check != NULL && !p->serial) {
		by.check = worker_note_head;
		by.arg = w;
	}
	return cli_check_image(w->view, w->item.image, &by,
	    &w->item.entry->lost);
}

/* Goes through the item, and settles in input order whether it is used. */
static bool
worker_settle(struct cli_worker *w)
{
	struct commit_queue *q = &w->run->queue;
	struct commit_entry *e = w->item.entry;
	enum prof_status status = w->item.status;

	w->heads_size = 0;
	if (status == PROF_OK)
		status = worker_get_image(w);
	if (status == PROF_OK)
		status = worker_check_image(w);
	if (!commit_queue_wait_settled(q, e))
		return false;
	if (status == PROF_OK)
		status = worker_check_heads(w);
	else
		worker_blame_input(w);
	if (status == PROF_OK)
		e->lost = (struct cli_tally){ 0 };
	else
		e->err = w->view->err;
	w->view->err = (struct prof_error){ 0 };
	commit_queue_settle(q, e, status == PROF_OK);
	return status == PROF_OK;
}

static struct prof_reader *
worker_open_reader(struct cli_worker *w)
{
	struct cli_item *item = &w->item;
	struct cli *c = w->view;
	struct prof_reader *reader;

	if (item->images && !item->has_image)
		reader = prof_open_images(c->context, worker_pull, w,
		    input_limit(item->in), &c->err);
	else if (item->stream && !item->has_image)
		reader = prof_open_stream(c->context, worker_pull, w, &c->err);
	else
		reader = worker_get_image(w) != PROF_OK ? NULL :
		    prof_open(c->context, item->image, &c->err);
	if (reader != NULL && c->options.prefixes != NULL &&
	    prof_is_sorted(reader))
		prof_select_prefixes(reader, c->options.prefixes,
		    c->options.prefixes_size);
	if (reader != NULL && c->options.select != NULL)
		prof_select(reader, c->options.select, c->options.select_size);
	return reader;
}

static enum prof_status
worker_read_records(struct cli_worker *w)
{
	const struct cli_pipeline *p = w->run->pipeline;
	struct cli_item *item = &w->item;
	struct prof_reader *reader = worker_open_reader(w);
	enum prof_status status = PROF_FAIL;

	if (reader != NULL)
		status = cli_read_records(w->view, reader, p->add, w->state);
	/* Of an archive, another worker may read the next member already. */
	if (status == PROF_OK && item->owned &&
	    input_failure(item->in)->code != PROF_E_NONE)
		status = PROF_FAIL;
	if (status == PROF_FAIL)
		worker_blame_input(w);
	prof_close(reader);
	if (p->end != NULL)
		p->end(w->state);
	return status;
}

/* Messages about the item are printed when its entry is committed. */
static void
worker_hand_in_text(struct cli_worker *w, struct commit_entry *e)
{
	if (w->messages == NULL)
		return;
	fflush(w->messages);
	if (ftello(w->messages) <= 0)
		return;
	e->text_size = (size_t)ftello(w->messages);
	e->text = malloc(e->text_size);
	if (e->text == NULL)
		cli_out_of_memory(w->view);
	memcpy(e->text, w->text, e->text_size);
	rewind(w->messages);
}

/* may_commit of struct cli_bytes. */
static bool
worker_may_commit(void *arg, bool wait)
{
	const struct cli_worker *w = arg;

	return commit_queue_is_first(&w->run->queue, w->item.entry, wait);
}

/* Of a pipeline with process: the program gets the bytes. */
static void
worker_process_bytes(struct cli_worker *w)
{
	struct cli_item *item = &w->item;
	struct commit_entry *e = item->entry;
	struct cli *c = w->view;
	const struct cli_pipeline *p = w->run->pipeline;
	struct cli_bytes bytes = { .note = e->note, .arg = w,
	    .may_commit = worker_may_commit,
	    .pull = item->stream ? worker_pull : NULL };

	e->failed = item->fatal;
	e->err = item->err;
	if (item->no_member || item->status != PROF_OK)
		return;
	if (!item->stream && worker_get_image(w) == PROF_OK)
		bytes.image = item->image;
	if (p->ordered && !worker_may_commit(w, true))
		return;
	if (c->err.code == PROF_E_NONE)
		e->result = p->process(w->state, &bytes, &c->err);
	/* Of an archive, another worker may read the next member already. */
	if (item->owned || c->err.code != PROF_E_NONE)
		worker_blame_input(w);
	e->err = c->err;
}

/* Of a pipeline with add: the program gets the records. */
static void
worker_add_records(struct cli_worker *w)
{
	const struct cli_pipeline *p = w->run->pipeline;
	struct commit_entry *e = w->item.entry;
	struct cli *c = w->view;
	enum prof_status status = PROF_OK;

	if (w->item.no_member) {
		if (c->report.damage.keep_going &&
		    commit_queue_wait_settled(&w->run->queue, e))
			commit_queue_settle(&w->run->queue, e, true);
		return;
	}
	if (p->begin != NULL)
		status = p->begin(w->state, e->number, &c->err);
	if (c->report.damage.keep_going && !w->item.fatal &&
	    !worker_settle(w))
		return;
	if (status == PROF_OK)
		status = w->item.status;
	if (status == PROF_OK)
		status = worker_read_records(w);
	e->failed = status == PROF_FAIL;
	e->used = !e->failed;
	if (e->failed)
		e->err = c->err;
}

/* Does all with the item at hand, and ends its entry. */
static void
worker_do_item(struct cli_worker *w)
{
	struct commit_entry *e = w->item.entry;
	struct cli *c = w->view;
	struct cli_tally *kept = &c->report.damage.kept, before = *kept;

	c->inputs.file = e->file;
	c->inputs.member = e->member;
	c->inputs.current = &e->input;
	prof_context_part(c->context, e->ordinal);
	if (w->item.in != NULL)
		prof_context_on_consumed(c->context, input_release,
		    w->item.in);
	c->err = w->item.err;
	*kept = (struct cli_tally){ 0 };
	if (w->run->pipeline->process != NULL)
		worker_process_bytes(w);
	else
		worker_add_records(w);
	e->functions = w->progress.functions;
	w->progress.functions = 0;
	if (w->item.owned && w->run->pipeline->next == NULL)
		e->bytes = input_bytes(w->item.in);
	e->kept = *kept;
	*kept = before;
	worker_hand_in_text(w, e);
	prof_context_on_consumed(c->context, NULL, NULL);
	cli_source_release(&w->run->source, &w->item);
	commit_queue_end(&w->run->queue, e);
}

void
cli_worker_run(struct cli_worker *w)
{
	while (!commit_queue_stopping(&w->run->queue) &&
	    cli_source_next(&w->run->source, &w->item, &w->memory))
		worker_do_item(w);
}
