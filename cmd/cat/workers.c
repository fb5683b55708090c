#include "config.h"

#include "cmd/cat/workers.h"

#include <errno.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/error.h"
#include "cmd/common/read.h"
#include "cmd/common/pipeline.h"
#include "io/output.h"

/*
 * A worker buffers up to HELD_BYTES of its stream until its item is the first
 * that is not committed; then it waits.  A worker that ends with less than
 * SMALL_BYTES hands them to the entry instead of waiting.
 */
enum { HELD_BYTES = 4 << 20, SMALL_BYTES = 1 << 16 };

static const char end_line[] = "{\"record\":\"end\"}\n";
static const char last_line[] = "{\"record\":\"end\",\"last\":true}\n";

struct ahead {
	struct cat *cat;
	/* Used by the worker whose item is the first in the queue. */
	bool began;			/* something was written */
	bool owes_end;			/* of the profile before */
	int error;			/* of writing, or 0 */
};

/* The result of a worker for an item. */
struct piece {
	struct buf text;		/* that is not written yet */
	bool opened;			/* its decoder was content at first */
	bool any;			/* there are records */
	bool salvaged;
	struct cli_tally lost;		/* if it is bad */
};

struct worker {
	struct ahead *ahead;
	struct cli *cli;
	const struct cli_bytes *bytes;
	struct piece *piece;
	struct buf text;		/* of the piece, as it grows */
	bool ending;			/* the last line is not to be written */
};

/* Called for the first item in the queue; 0, or an errno value. */
static int
cat_write_text(struct ahead *a, struct buf *text)
{
	struct output *out = a->cat->cli->output.file;

	if (text->size == 0 || a->error != 0)
		return a->error;
	if (a->owes_end)
		a->error = output_write(out, end_line, sizeof(end_line) - 1);
	if (a->error == 0)
		a->error = output_write(out, text->data, text->size);
	a->began = true;
	a->owes_end = false;
	text->size = 0;
	return a->error;
}

/* A prof_sink. */
static int
cat_buffer_bytes(void *arg, const void *data, size_t size)
{
	struct worker *w = arg;
	struct buf *text = &w->text;
	bool full;

	buf_put(text, data, size);
	if (text->failed)
		return ENOMEM;
	full = text->size >= HELD_BYTES;
	if (w->ending || (!full && text->size < SMALL_BYTES))
		return 0;
	if (w->bytes->may_commit(w->bytes->arg, full))
		return cat_write_text(w->ahead, text);
	/* If it waited in vain, the run has failed. */
	return full ? ECANCELED : 0;
}

static void *
cat_worker_start(void *arg, struct cli *view)
{
	struct worker *w = calloc(1, sizeof(*w));

	if (w == NULL)
		return NULL;
	w->ahead = arg;
	w->cli = view;
	return w;
}

static void
cat_worker_stop(void *arg)
{
	struct worker *w = arg;

	buf_free(&w->text);
	free(w);
}

/*
 * Drops the line with which finish or abort ended the text: the end of this
 * profile is written with the next one, or by cat_end_output.
 */
static void
cat_drop_last_line(struct buf *text)
{
	if (text->size != 0)
		text->size--;
	while (text->size != 0 && text->data[text->size - 1] != '\n')
		text->size--;
}

static struct prof_reader *
cat_open_reader(struct worker *w, struct prof_error *err)
{
	const struct cli_bytes *b = w->bytes;
	struct cli *c = w->cli;

	if (b->pull != NULL)
		return prof_open_stream(c->context, b->pull, b->arg, err);
	if (c->report.damage.keep_going &&
	    cli_check_image(c, b->image, NULL, NULL,
	    &w->piece->lost) != PROF_OK)
		return NULL;
	return prof_open(c->context, b->image, err);
}

/* A cli_record. */
static enum prof_status
cat_put_record(void *arg, const struct prof_record *r, struct prof_error *err)
{
	struct worker *w = arg;

	w->piece->any = true;
	return cli_put(w->cli, r, err);
}

static void
cat_copy_records(struct worker *w, struct prof_writer *writer,
    struct prof_error *err)
{
	struct cli *c = w->cli;
	struct prof_reader *reader = cat_open_reader(w, err);
	enum prof_status status = PROF_FAIL;

	c->output.writer = writer;
	w->piece->opened = reader != NULL;
	if (reader != NULL)
		status = cli_read_records(c, reader, cat_put_record, w);
	prof_close(reader);
	w->ending = true;
	/* What there is of a bad one is written, if the run ends with it. */
	if (status == PROF_FAIL)
		prof_abort(writer, "");
	else if (w->piece->any)
		prof_finish(writer, err);
	cat_drop_last_line(&w->text);
	c->output.writer = NULL;
}

/* Writes the rest of the text, or leaves it to the commit if it is small. */
static void
cat_hand_in_text(struct worker *w)
{
	if (w->text.size > SMALL_BYTES) {
		if (w->bytes->may_commit(w->bytes->arg, true))
			cat_write_text(w->ahead, &w->text);
	} else {
		buf_put(&w->piece->text, w->text.data, w->text.size);
		if (w->piece->text.failed)
			cli_out_of_memory(w->cli);
	}
	w->text.size = 0;
}

static void *
cat_process_bytes(void *arg, const struct cli_bytes *bytes,
    struct prof_error *err)
{
	struct worker *w = arg;
	struct piece *p = calloc(1, sizeof(*p));
	struct prof_writer *writer;

	if (p == NULL)
		cli_out_of_memory(w->cli);
	w->bytes = bytes;
	w->piece = p;
	w->ending = false;
	writer = prof_writer_new(w->cli->context, &w->cli->output.target,
	    cat_buffer_bytes, w, err);
	if (writer != NULL)
		cat_copy_records(w, writer, err);
	prof_writer_free(writer);
	p->salvaged = prof_context_salvaged(w->cli->context);
	cat_hand_in_text(w);
	return p;
}

/* The failure is one of the output, or of the input. */
static enum prof_status
cat_commit_failure(struct ahead *a, struct cli *c, const struct piece *p)
{
	static const struct cli_tally nothing;

	if (a->error == 0 && c->report.damage.keep_going && p != NULL &&
	    p->opened)
		return PROF_FAIL;
	if (a->error == 0)
		return cli_damage_skip(c, p == NULL ? &nothing : &p->lost);
	c->err = (struct prof_error){ 0 };
	c->output.failed = true;
	return err_system(&c->err, a->error, "write");
}

static enum prof_status
cat_commit(void *arg, struct cli *c, struct commit_entry *e)
{
	struct ahead *a = arg;
	struct piece *p = e->result;

	if (p != NULL) {
		a->cat->salvaged = a->cat->salvaged || p->salvaged;
		cat_write_text(a, &p->text);
	}
	if (e->err.code != PROF_E_NONE || a->error != 0)
		return cat_commit_failure(a, c, p);
	if (p == NULL)
		return PROF_OK;
	a->owes_end = a->owes_end || p->any;
	c->report.damage.used++;
	cli_tally_join(&c->report.damage.kept, &e->kept);
	return PROF_OK;
}

static void
cat_drop_entry(struct commit_entry *e)
{
	struct piece *p = e->result;

	if (p != NULL)
		buf_free(&p->text);
	free(p);
}

static enum prof_status
cat_end_output(struct ahead *a)
{
	struct cli *c = a->cat->cli;
	struct output *out = c->output.file;

	prof_writer_free(c->output.writer);
	c->output.writer = NULL;
	c->output.failed = true;
	a->error = output_write(out, last_line, sizeof(last_line) - 1);
	if (a->error != 0)
		return err_system(&c->err, a->error, "write");
	c->output.file = NULL;
	if (output_commit(out, &c->err) != PROF_OK)
		return PROF_FAIL;
	c->output.failed = false;
	return PROF_OK;
}

enum prof_status
cat_ahead(struct cat *cat)
{
	struct ahead a = { .cat = cat };
	struct cli *c = cat->cli;
	const struct cli_pipeline work = { .arg = &a, .start = cat_worker_start,
	    .stop = cat_worker_stop, .streams = !c->report.damage.keep_going &&
	    !c->options.salvage, .process = cat_process_bytes, .commit =
	    cat_commit, .drop = cat_drop_entry };

	if (cli_pipeline_run(c, &work) != PROF_OK ||
	    cli_damage_settle(c) != PROF_OK)
		return PROF_FAIL;
	return a.began ? cat_end_output(&a) : cli_finish(c);
}
