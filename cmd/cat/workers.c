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

struct cat_run {
	struct cat *cat;
	/* Used by the worker whose item is the first in the queue. */
	bool output_begun;		/* something was written */
	bool end_pending;		/* end_line precedes the next text */
	int error;			/* errno of a failed write, or 0 */
};

/* The result of a worker for an item. */
struct cat_result {
	struct buf text;		/* stream bytes not written yet */
	bool opened;			/* the input could be opened */
	bool any;			/* the input has records */
	struct cli_tally lost;		/* records of a bad input */
};

struct cat_worker {
	struct cat_run *run;
	struct cli *cli;
	const struct cli_bytes *bytes;
	struct cat_result *result;
	struct buf text;		/* of the result, as it grows */
	bool ending;			/* the writer finishes: buffer only */
};

/* Writes the text of the first item in the queue.  0 or an errno value. */
static int
cat_write_text(struct cat_run *run, struct buf *text)
{
	struct output *out = run->cat->cli->output.file;

	if (text->size == 0 || run->error != 0)
		return run->error;
	if (run->end_pending)
		run->error = output_write(out, end_line, sizeof(end_line) - 1);
	if (run->error == 0)
		run->error = output_write(out, text->data, text->size);
	run->output_begun = true;
	run->end_pending = false;
	text->size = 0;
	return run->error;
}

/* A prof_sink. */
static int
cat_buffer_bytes(void *arg, const void *data, size_t size)
{
	struct cat_worker *w = arg;
	struct buf *text = &w->text;
	bool full;

	buf_put(text, data, size);
	if (text->failed)
		return ENOMEM;
	full = text->size >= HELD_BYTES;
	if (w->ending || (!full && text->size < SMALL_BYTES))
		return 0;
	if (w->bytes->may_commit(w->bytes->arg, full))
		return cat_write_text(w->run, text);
	/* A full buffer that may not be written: the run has failed. */
	return full ? ECANCELED : 0;
}

static void *
cat_worker_start(void *arg, struct cli *view)
{
	struct cat_worker *w = calloc(1, sizeof(*w));

	if (w == NULL)
		return NULL;
	w->run = arg;
	w->cli = view;
	return w;
}

static void
cat_worker_stop(void *arg)
{
	struct cat_worker *w = arg;

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
cat_open_reader(struct cat_worker *w, struct prof_error *err)
{
	const struct cli_bytes *b = w->bytes;
	struct cli *c = w->cli;

	if (b->pull != NULL)
		return prof_open_stream(c->context, b->pull, b->arg, err);
	if (c->report.damage.keep_going &&
	    cli_check_image(c, b->image, &(struct cli_image_check){ 0 },
	    &w->result->lost) != PROF_OK)
		return NULL;
	return prof_open(c->context, b->image, err);
}

/* A cli_record. */
static enum prof_status
cat_put_record(void *arg, const struct prof_record *r, struct prof_error *err)
{
	struct cat_worker *w = arg;

	w->result->any = true;
	return cli_put(w->cli, r, err);
}

static void
cat_copy_records(struct cat_worker *w, struct prof_writer *writer,
    struct prof_error *err)
{
	struct cli *c = w->cli;
	struct prof_reader *reader = cat_open_reader(w, err);
	enum prof_status status = PROF_FAIL;

	c->output.writer = writer;
	w->result->opened = reader != NULL;
	if (reader != NULL)
		status = cli_read_records(c, reader, cat_put_record, w);
	prof_close(reader);
	w->ending = true;
	/* Records before an error are written if the error ends the run. */
	if (status == PROF_FAIL)
		prof_abort(writer, "");
	else if (w->result->any)
		prof_finish(writer, err);
	cat_drop_last_line(&w->text);
	c->output.writer = NULL;
}

/* Writes the rest of the text, or leaves it to the commit if it is small. */
static void
cat_finish_text(struct cat_worker *w)
{
	if (w->text.size > SMALL_BYTES) {
		if (w->bytes->may_commit(w->bytes->arg, true))
			cat_write_text(w->run, &w->text);
	} else {
		buf_put(&w->result->text, w->text.data, w->text.size);
		if (w->result->text.failed)
			cli_out_of_memory(w->cli);
	}
	w->text.size = 0;
}

static void *
cat_process_bytes(void *arg, const struct cli_bytes *bytes,
    struct prof_error *err)
{
	struct cat_worker *w = arg;
	struct cat_result *p = calloc(1, sizeof(*p));
	struct prof_writer *writer;

	if (p == NULL)
		cli_out_of_memory(w->cli);
	w->bytes = bytes;
	w->result = p;
	w->ending = false;
	writer = prof_writer_new(w->cli->context, &w->cli->output.target,
	    cat_buffer_bytes, w, err);
	if (writer != NULL)
		cat_copy_records(w, writer, err);
	prof_writer_free(writer);
	cat_finish_text(w);
	return p;
}

static bool
cat_goes_on(const struct cli *c)
{
	return strcmp(c->output.target.format, "stream") == 0 &&
	    (c->output.path == NULL || strcmp(c->output.path, "-") == 0);
}

bool
cat_pass(void *arg, struct cli *c)
{
	struct prof_error err = c->err;

	(void)arg;
	if (!cat_goes_on(c) || !cli_damage_pass(c))
		return false;
	prof_abort(c->output.writer, err.reason);
	return true;
}

/* As cat_pass; the abort record ends the text of this thread, too. */
static enum prof_status
cat_pass_failure(struct cat_run *run, struct cli *c)
{
	if (!cat_pass(NULL, c))
		return PROF_FAIL;
	run->output_begun = true;
	run->end_pending = false;
	return PROF_OK;
}

/* Handles a failure, of the output if run->error is set, else of the input. */
static enum prof_status
cat_commit_failure(struct cat_run *run, struct cli *c,
    const struct cat_result *p)
{
	static const struct cli_tally nothing;

	if (run->error == 0 && c->report.damage.keep_going && p != NULL &&
	    p->opened)
		return PROF_FAIL;
	if (run->error == 0 && !c->report.damage.keep_going && cat_goes_on(c))
		return cat_pass_failure(run, c);
	if (run->error == 0)
		return cli_damage_skip(c, p == NULL ? &nothing : &p->lost);
	c->err = (struct prof_error){ 0 };
	c->output.failed = true;
	return err_system(&c->err, run->error, "write");
}

static enum prof_status
cat_commit(void *arg, struct cli *c, struct commit_entry *e)
{
	struct cat_run *run = arg;
	struct cat_result *p = e->result;

	if (p != NULL)
		cat_write_text(run, &p->text);
	if (e->err.code != PROF_E_NONE || run->error != 0)
		return cat_commit_failure(run, c, p);
	if (p == NULL)
		return PROF_OK;
	run->end_pending = run->end_pending || p->any;
	c->report.damage.used++;
	cli_tally_join(&c->report.damage.kept, &e->kept);
	return PROF_OK;
}

static void
cat_drop_entry(struct commit_entry *e)
{
	struct cat_result *p = e->result;

	if (p != NULL)
		buf_free(&p->text);
	free(p);
}

static enum prof_status
cat_end_output(struct cat_run *run)
{
	struct cli *c = run->cat->cli;
	struct output *out = c->output.file;

	prof_writer_free(c->output.writer);
	c->output.writer = NULL;
	c->output.failed = true;
	if (run->end_pending)
		run->error = output_write(out, last_line,
		    sizeof(last_line) - 1);
	if (run->error != 0)
		return err_system(&c->err, run->error, "write");
	c->output.file = NULL;
	if (output_commit(out, &c->err) != PROF_OK)
		return PROF_FAIL;
	c->output.failed = false;
	return PROF_OK;
}

enum prof_status
cat_decode_parallel(struct cat *cat)
{
	struct cat_run run = { .cat = cat };
	struct cli *c = cat->cli;
	const struct cli_pipeline work = { .arg = &run,
	    .start = cat_worker_start, .stop = cat_worker_stop,
	    .streams = !c->report.damage.keep_going && !c->options.salvage,
	    .process = cat_process_bytes, .commit =
	    cat_commit, .drop = cat_drop_entry };

	if (cli_pipeline_run(c, &work) != PROF_OK ||
	    cli_damage_settle(c) != PROF_OK)
		return PROF_FAIL;
	return run.output_begun ? cat_end_output(&run) : cli_finish(c);
}
