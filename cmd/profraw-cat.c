/* profraw-cat - profiles of any format as a stream, in the order given */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "cmd/common/pipeline.h"
#include "io/input.h"
#include "io/output.h"
#include "ops/scan.h"

struct cat {
	struct cli *cli;
	bool scan;			/* --scan */
	uint64_t found;			/* profiles, by scanning */
	bool output_failed;		/* err of the cli is about the output */
};

/* A profile found by scanning, being copied to the output. */
struct cat_found {
	struct cat *cat;
	const struct scan_hit *hit;
};

static enum prof_status
cat_put_found_record(void *arg, const struct prof_record *r,
    struct prof_error *err)
{
	const struct cat_found *f = arg;
	struct prof_record moved;

	if (r->kind != PROF_REC_PROFILE)
		return cli_put(f->cat->cli, r, err);
	moved = *r;
	moved.u.profile.source.offset += f->hit->offset;
	return cli_put(f->cat->cli, &moved, err);
}

static enum prof_status
cat_process_hit(struct cat *cat, const struct scan_hit *hit)
{
	struct cli *c = cat->cli;
	struct cat_found found = { cat, hit };
	enum prof_status status = PROF_FAIL;
	struct prof_reader *reader;

	cat->found++;
	c->inputs.base = hit->offset;
	reader = prof_open(c->context, hit->image, &c->err);
	if (reader != NULL)
		status = cli_read_records(c, reader, cat_put_found_record,
		    &found);
	prof_close(reader);
	if (status == PROF_OK)
		c->inputs.base = 0;
	return status;
}

static enum cli_action
cat_classify_for_scan(void *arg, struct cli *c, struct cli_item *item,
    const struct input_member *m, uint64_t ordinal)
{
	(void)arg;
	(void)ordinal;
	return item->status != PROF_OK || cli_wants(c, m) ? CLI_READ_MEMBER :
	    CLI_SKIP_MEMBER;
}

/* Failures of the scan are about the input, all others about the output. */
static void *
cat_scan_image(void *arg, struct cli_item *item,
    struct prof_error *unused)
{
	struct cat *cat = arg;
	struct prof_error *err = &cat->cli->err;
	struct scan *scan = scan_new(item->image, cat->found, err);
	enum prof_status status = PROF_FAIL;
	struct scan_hit hit;

	(void)unused;
	cat->output_failed = true;
	if (scan == NULL)
		return NULL;
	while ((status = scan_next(scan, &hit, err)) == PROF_OK) {
		if (cat_process_hit(cat, &hit) != PROF_OK)
			break;
	}
	cat->output_failed = status == PROF_OK;
	scan_free(scan);
	return NULL;
}

static enum prof_status
cat_commit_image(void *arg, struct cli *c, struct cli_item *e)
{
	const struct cat *cat = arg;

	cli_tally_join(&c->report.damage.kept, &e->kept);
	if (e->err.code != PROF_E_NONE)
		return cat->output_failed ? PROF_FAIL :
		    cli_damage_skip(c, NULL);
	c->report.damage.used += !e->end_only;
	return PROF_OK;
}

/* Scans all inputs; the output is open. */
static enum prof_status
cat_scan_inputs(struct cat *cat)
{
	/* A file may be larger than memory, as a core file is: it is mapped. */
	const struct cli_pipeline p = { .arg = cat, .serial = true,
	    .maps = true, .classify = cat_classify_for_scan,
	    .process = cat_scan_image, .commit = cat_commit_image };

	return cli_pipeline_run(cat->cli, &p) != PROF_OK ? PROF_FAIL :
	    cli_damage_settle(cat->cli);
}

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
	struct cli_item *item;
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
	if (cli_item_is_first(w->item, full))
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
	struct cli_item *item = w->item;
	struct cli *c = w->cli;

	if (item->stream)
		return prof_open_stream(c->context, cli_item_pull, item, err);
	if (c->report.damage.keep_going &&
	    cli_check_image(c, item->image, &(struct cli_pipeline){ 0 },
	    &w->result->lost) != PROF_OK)
		return NULL;
	return prof_open(c->context, item->image, err);
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
		if (cli_item_is_first(w->item, true))
			cat_write_text(w->run, &w->text);
	} else {
		buf_put(&w->result->text, w->text.data, w->text.size);
		if (w->result->text.failed)
			cli_out_of_memory(w->cli);
	}
	w->text.size = 0;
}

static void *
cat_process_bytes(void *arg, struct cli_item *item,
    struct prof_error *err)
{
	struct cat_worker *w = arg;
	struct cat_result *p = calloc(1, sizeof(*p));
	struct prof_writer *writer;

	if (p == NULL)
		cli_out_of_memory(w->cli);
	w->item = item;
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

/*
 * Whether a bad input is followed by the next: in a stream to standard output,
 * which then has an abort record.  Programs that read the stream fail there;
 * people see the other inputs too.  A file would not be put in place.  The
 * first argument is not used.
 */
static bool
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

	if (run->error == 0 && c->report.damage.keep_going && p != NULL &&
	    p->opened)
		return PROF_FAIL;
	if (run->error == 0 && !c->report.damage.keep_going && cat_goes_on(c))
		return cat_pass_failure(run, c);
	if (run->error == 0)
		return cli_damage_skip(c, p == NULL ? NULL : &p->lost);
	c->err = (struct prof_error){ 0 };
	c->output.failed = true;
	return err_system(&c->err, run->error, "write");
}

static enum prof_status
cat_commit(void *arg, struct cli *c, struct cli_item *e)
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
cat_drop_entry(struct cli_item *e)
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

/* Decodes all inputs of the program to its output, which is open. */
static enum prof_status
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

/* profraw-cat - profiles of any format as a stream, in the order given */

static const struct cli_option options[] = {
	CLI_SALVAGE_ROW,
	{ 0, "scan", NULL,
	    "find profiles inside dumps, core files and flash images",
	    CLI_SETS(struct cat, scan) },
	CLI_JOBS_ROW,
	{ 0 }
};

static const struct cli_program program = { "profraw-cat", "stream",
"usage: profraw-cat [options] [FILE...]\n"
"Decodes profiles of any kind to line-delimited JSON.\n",
	.tables = { options, cli_to_options, cli_output_options, cli_options }
};

static void
cat_check_options(struct cat *cat)
{
	struct cli *c = cat->cli;

	if (cat->scan && c->options.salvage)
		cli_usage_error(c, "--scan cannot be used with --salvage: it "
		    "finds only intact profiles");
	prof_context_salvage(c->context, c->options.salvage);
	if (!cat->scan)
		prof_context_blocks(c->context);
}

static enum prof_status
cat_run(struct cat *cat)
{
	struct cli *c = cat->cli;
	enum prof_status status;

	cat_check_options(cat);
	if (cli_open_output(c) != PROF_OK)
		return PROF_FAIL;
	/* Other formats hold one profile only, made of all inputs. */
	if (c->options.jobs > 1 && !cat->scan && strcmp(c->output.target.format,
	    "stream") == 0)
		return cat_decode_parallel(cat);
	status = cat->scan ? cat_scan_inputs(cat) :
	    cli_read_passing(c, cli_put, cat_pass, c);
	return status == PROF_OK ? cli_finish(c) : PROF_FAIL;
}

int
main(int argc, char **argv)
{
	struct cli c;
	struct cat cat = { .cli = &c };
	enum prof_status status;

	cli_start(&c, &program);
	cli_parse(&c, &cat, &argc, &argv);
	cli_operands(&c, argc, argv);
	cli_restrict(&c, NULL);
	status = cat_run(&cat);
	return cli_end(&c, status);
}
