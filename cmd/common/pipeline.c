#include "config.h"

#include "cmd/common/pipeline.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "bundle/manifest.h"
#include "cmd/common/messages.h"
#include "io/input.h"
#include "merge/check.h"
#include "model/record.h"
#include "model/releases.h"

/* Used by one thread at a time. */
struct cli_worker {
	struct cli_run *run;
	struct cli *view;		/* its own, or that of the caller */
	struct cli own;
	struct cli_progress progress;	/* counts, which are never printed */
	void *state;			/* of the program */
	struct buf memory;		/* of the image at hand */
	FILE *messages;			/* about the item; NULL: printed */
	char *text;
	size_t text_size;
};

struct cli_run {
	const struct cli_pipeline *pipeline;
	struct cli *cli;		/* of the caller: commits */
	struct pool pool;
	struct cli_worker *workers;
	uint64_t skipped;		/* before the item that failed */
	/* The source. */
	struct cli source;		/* walks the inputs */
	struct input *archive;		/* with more members, or NULL */
	uint64_t ordinal;		/* of the last member, from 1 */
	bool ended;
};

static char *
source_copy_name(const struct cli *c, const char *s)
{
	char *p = s == NULL ? NULL : strdup(s);

	if (s != NULL && p == NULL)
		cli_out_of_memory(c);
	return p;
}

/* The item is about the input at hand, and that member. */
static void
source_name_item(const struct cli_run *run, struct cli_item *item,
    const char *member)
{
	const struct cli *c = &run->source;

	item->ordinal = run->ordinal;
	item->skipped = c->report.skipped;
	if (c->inputs.current != NULL)
		item->input = *c->inputs.current;
	item->input_number = c->inputs.number;
	item->file = source_copy_name(c, c->inputs.file);
	item->member = source_copy_name(c, member);
	item->input.path = item->file;
}

/* The list of inputs itself cannot be read, or memory is out. */
static bool
source_fail(struct cli_run *run, struct cli_item *item)
{
	run->ended = true;
	item->status = PROF_FAIL;
	item->err = run->source.err;
	item->fatal = true;
	source_name_item(run, item, run->source.inputs.member);
	return true;
}

/* Whether nobody needs a whole input before its records are used. */
static bool
source_decodes_at_once(const struct cli_run *run)
{
	return !run->source.report.damage.keep_going &&
	    !run->source.options.salvage;
}

/*
 * Whether the worker decodes the bytes as they come: of a stream, or of a raw
 * file image by image.  A regular file is mapped instead, and the member of an
 * archive is read at once, so that other workers go on in the archive.  A bad
 * image must leave out the whole file.
 */
static void
source_choose_reading(const struct cli_run *run, struct cli_item *item,
    const struct input_member *m)
{
	const struct cli_pipeline *p = run->pipeline;
	bool at_once = source_decodes_at_once(run);

	if (item->status != PROF_OK)
		return;
	item->images = p->add != NULL && at_once && input_is_flow(item->in) &&
	    prof_has_images(m->start);
	item->stream = item->images || (prof_is_stream(m->start) &&
	    (p->add != NULL ? at_once : p->streams));
}

/* No other worker can go on in the archive before this member is read. */
static void
source_read_of_archive(struct cli_item *item)
{
	item->pool.holds_source = item->stream;
	if (item->stream)
		return;
	item->status = input_image(item->in, &item->image, &item->err);
	item->has_image = item->status == PROF_OK;
	item->in = NULL;
}

/* The manifest of a bundle is skipped, and not counted. */
enum cli_action
cli_classify_member(struct cli *c, const struct input_member *m)
{
	if (!cli_wants(c, m))
		return CLI_SKIP_MEMBER;
	if (!cli_is_foreign(c, m))
		return CLI_READ_MEMBER;
	if (!manifest_sniff(m->start))
		c->report.skipped++;
	return CLI_SKIP_MEMBER;
}

static enum cli_action
source_classify(struct cli_run *run, struct cli_item *item,
    const struct input_member *m)
{
	if (run->pipeline->classify != NULL)
		return run->pipeline->classify(run->pipeline->arg,
		    &run->source, item, m, run->ordinal);
	return item->status == PROF_OK ?
	    cli_classify_member(&run->source, m) : CLI_READ_MEMBER;
}

/* Goes on to the next member; false if there is no item for it. */
static bool
source_next_member(struct cli_run *run, struct cli_item *item,
    struct buf *memory)
{
	struct input *in = item->in;
	enum cli_action action;
	struct input_member m;

	input_use(in, memory);
	item->status = input_next(in, &m, &item->err);
	run->archive = input_is_archive(in) ? in : NULL;
	run->ordinal++;
	item->owned = run->archive == NULL;
	item->end_only = item->status == PROF_END;
	action = source_classify(run, item, &m);
	if (action == CLI_SKIP_MEMBER) {
		if (item->owned)
			input_close(in);
		return false;
	}
	source_name_item(run, item, m.name);
	item->last = item->owned || item->end_only || action == CLI_SKIP_FILE;
	item->unread = item->end_only || action != CLI_READ_MEMBER;
	item->time = m.time;
	if (item->status == PROF_OK && run->pipeline->add != NULL &&
	    action == CLI_READ_MEMBER)
		item->status = prof_recognise(m.start, &item->err);
	source_choose_reading(run, item, &m);
	if (item->end_only || action == CLI_SKIP_FILE) {
		item->bytes = input_bytes(in);
		input_close(in);
		run->archive = item->in = NULL;
		item->owned = false;
	} else if (!item->owned && (item->status != PROF_OK || item->unread))
		item->in = NULL;
	else if (!item->owned)
		source_read_of_archive(item);
	return true;
}

/* An item that the program yields in place of inputs. */
static bool
source_next_of_program(struct cli_run *run, struct cli_item *item,
    struct buf *memory)
{
	item->status = run->pipeline->next(run->pipeline->arg, &run->source,
	    item, memory);
	if (item->status == PROF_FAIL)
		return source_fail(run, item);
	if (item->status == PROF_END)
		return false;
	item->owned = item->in != NULL;
	source_name_item(run, item, run->source.inputs.member);
	return true;
}

/* Opens the next file; PROF_FAIL, and err of the source's cli, if it cannot. */
static enum prof_status
source_open_file(struct cli_run *run, struct cli_item *item,
    struct buf *memory)
{
	struct cli *c = &run->source;
	enum prof_status status = cli_next_input(c);

	run->ordinal = 0;
	if (status != PROF_OK)
		return status;
	item->in = c->inputs.open != NULL ?
	    c->inputs.open(c->inputs.open_arg, c, memory) :
	    input_open(c->inputs.file, c->options.max_size, memory, &c->err);
	if (item->in == NULL)
		return PROF_FAIL;
	/*
	 * Under --keep-going, an input that shrinks must fail when it is read,
	 * and not after records of that input were used.
	 */
	if (!c->report.damage.keep_going)
		input_in_place(item->in);
	if (run->pipeline->serial)
		c->report.progress->input = item->in;
	return PROF_OK;
}

static bool
source_next_of_inputs(struct cli_run *run, struct cli_item *item,
    struct buf *memory)
{
	enum prof_status status = PROF_OK;

	do {
		*item = (struct cli_item){ .in = run->archive };
		if (item->in == NULL)
			status = source_open_file(run, item, memory);
		if (status == PROF_FAIL)
			return source_fail(run, item);
		if (status == PROF_END)
			return false;
	} while (!source_next_member(run, item, memory));
	return true;
}

/* pool_work.take: the next item that is not skipped; NULL at the end. */
static struct pool_item *
pipeline_take(void *arg, unsigned thread)
{
	struct cli_run *run = arg;
	struct buf *memory = &run->workers[thread].memory;
	struct cli_item *item;

	if (run->ended)
		return NULL;
	item = calloc(1, sizeof(*item));
	if (item == NULL)
		cli_out_of_memory(run->cli);
	if (run->pipeline->next != NULL ?
	    source_next_of_program(run, item, memory) :
	    source_next_of_inputs(run, item, memory))
		return &item->pool;
	free(item);
	return NULL;
}

ssize_t
cli_item_pull(void *arg, void *data, size_t size)
{
	const struct cli_item *item = arg;
	const struct cli_worker *w = item->worker;

	if (w->run->pipeline->idle != NULL)
		w->run->pipeline->idle(w->state);
	return input_pull(item->in, data, size);
}

bool
cli_item_is_first(const struct cli_item *item)
{
	return pool_is_first(&item->worker->run->pool, &item->pool);
}

/* Selected functions take few pages of a file: the others are not read. */
static bool
worker_map_image(struct cli_worker *w, struct cli_item *item)
{
	const struct cli_options *o = &w->view->options;

	return (w->run->pipeline->maps || o->select != NULL) &&
	    input_map(item->in, &item->image) == PROF_OK;
}

/* The image of the item, unless the source has read it. */
static enum prof_status
worker_get_image(struct cli_worker *w, struct cli_item *item)
{
	if (!item->has_image)
		item->has_image = worker_map_image(w, item) ||
		    input_image(item->in, &item->image, &w->view->err) ==
		    PROF_OK;
	return item->has_image ? PROF_OK : PROF_FAIL;
}

/* Warns of a profile that may be of a later clang than the one written for. */
static void
read_warn_of_hashes(struct cli *c)
{
	struct prof_error w = { 0 };
	uint64_t unsure = retarget_changes(c->output.retargeter)->unsure;

	if (unsure == 0)
		return;
	err_set(&w, PROF_E_MISMATCH, "too few hashes to tell clang 22 from "
	    "earlier ones: if it wrote this, readers of version %u do not find "
	    "functions: %llu", c->output.retarget.version,
	    (unsigned long long)unsure);
	cli_warn(c, &w);
}

static enum prof_status
read_put_record(struct cli *c, struct prof_record *r, cli_record *fn,
    void *arg)
{
	struct prof_record retargeted;

	if (r->kind == PROF_REC_PROFILE) {
		struct prof_source *s = &r->u.profile.source;

		/* The decoder of an image does not know its file. */
		if (s->file.data == NULL) {
			s->file = span_of_text(c->inputs.file);
			if (c->inputs.member != NULL)
				s->member = span_of_text(c->inputs.member);
		}
		cli_note_writers(&c->output, llvm_release_writers(s->format,
		    s->version));
		if (c->options.verbose)
			cli_print_source(c, s);
	}
	cli_progress_record(c, r);
	if (c->output.retargeter != NULL) {
		if (retarget_record(c->output.retargeter, r, &retargeted,
		    &c->err) != PROF_OK)
			return PROF_FAIL;
		if (r->kind == PROF_REC_END)
			read_warn_of_hashes(c);
		r = &retargeted;
	}
	return c->stage == NULL ? fn(arg, r, &c->err) :
	    c->stage(c->stage_arg, r, fn, arg, &c->err);
}

/* Retargeting that depends on the function needs them one by one. */
static enum prof_status
read_put_block(struct cli *c, const struct prof_block *b, cli_record *fn,
    void *arg)
{
	const struct prof_function *f = prof_block_functions(b, &c->err);
	enum prof_status status = f == NULL ? PROF_FAIL : PROF_OK;

	for (size_t i = 0; i < b->size && status == PROF_OK; i++)
		status = read_put_record(c, &(struct prof_record){
		    .kind = PROF_REC_FUNCTION, .u.function = f[i] }, fn, arg);
	return status;
}

enum prof_status
cli_read_records(struct cli *c, struct prof_reader *reader, cli_record *fn,
    void *arg)
{
	enum prof_status status;
	struct prof_record r;

	while ((status = prof_next(reader, &r, &c->err)) == PROF_OK) {
		if (r.kind == PROF_REC_BLOCK && c->output.retargeter != NULL &&
		    retarget_by_function(c->output.retargeter))
			status = read_put_block(c, &r.u.block, fn, arg);
		else
			status = read_put_record(c, &r, fn, arg);
		if (status != PROF_OK)
			break;
	}
	return status == PROF_FAIL ? PROF_FAIL : PROF_OK;
}

enum prof_status
cli_check_level(enum prof_level wanted, enum prof_level level,
    struct prof_error *err)
{
	return wanted == PROF_LEVEL_UNKNOWN || level == PROF_LEVEL_UNKNOWN ||
	    level == wanted ? PROF_OK : err_set(err, PROF_E_MISMATCH,
	    "%s cannot be merged with %s (--level)",
	    words_level_profile[level], words_level_profile[wanted]);
}

/* A check of an image that is under way. */
struct image_check {
	const struct cli_pipeline *by;
	struct retarget *retargeter;	/* or NULL */
	struct merge_check *merge;	/* or NULL */
	enum prof_level level;		/* of the profile being read */
	bool functions;			/* the profile has functions */
};

static enum prof_status
read_check_record(struct cli *c, struct image_check *k, struct prof_record *r)
{
	struct prof_record unused;

	k->functions = k->functions || r->kind == PROF_REC_FUNCTION ||
	    r->kind == PROF_REC_BLOCK;
	if (r->kind == PROF_REC_PROFILE) {
		k->functions = false;
		k->level = r->u.profile.level;
	}
	if (k->retargeter != NULL && retarget_record(k->retargeter, r, &unused,
	    &c->err) != PROF_OK)
		return PROF_FAIL;
	if (k->merge != NULL &&
	    merge_check_add(k->merge, r, &c->err) != PROF_OK)
		return PROF_FAIL;
	return r->kind != PROF_REC_END || !k->functions ? PROF_OK :
	    cli_check_level(k->by->level, k->level, &c->err);
}

/*
 * Whether an image can be used: by its decoder, the retargeter, and the rules
 * for merges of the pipeline.  Prints nothing.
 */
static enum prof_status
read_check_image(struct cli *c, struct prof_span image,
    const struct cli_pipeline *by)
{
	struct image_check k = { .by = by,
	    .retargeter = c->output.retargeter == NULL ? NULL :
		retarget_new(&c->output.retarget),
	    .merge = by->merges ? merge_check_new(by->merge_ids_first) : NULL };
	enum prof_status status = PROF_FAIL;
	struct prof_reader *reader;
	struct prof_record r;

	c->report.muted = true;
	if ((k.retargeter == NULL) != (c->output.retargeter == NULL) ||
	    (k.merge == NULL) == by->merges)
		err_memory(&c->err);
	else if ((reader = prof_open(c->context, image, &c->err)) != NULL) {
		while ((status = prof_next(reader, &r, &c->err)) == PROF_OK &&
		    read_check_record(c, &k, &r) == PROF_OK)
			continue;
		prof_close(reader);
	}
	c->report.muted = false;
	merge_check_free(k.merge);
	retarget_free(k.retargeter);
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

/* The input knows better than the decoder why bytes are missing. */
static void
worker_blame_input(struct cli *view, const struct cli_item *item)
{
	if (item->in != NULL && input_failure(item->in)->code != PROF_E_NONE)
		view->err = *input_failure(item->in);
}

static struct prof_reader *
worker_open_reader(struct cli_worker *w, struct cli_item *item)
{
	struct cli *c = w->view;
	struct prof_reader *reader;

	if (item->images && !item->has_image)
		reader = prof_open_images(c->context, cli_item_pull, item,
		    input_limit(item->in), &c->err);
	else if (item->stream && !item->has_image)
		reader = prof_open_stream(c->context, cli_item_pull, item,
		    &c->err);
	else
		reader = worker_get_image(w, item) != PROF_OK ? NULL :
		    prof_open(c->context, item->image, &c->err);
	if (reader != NULL && c->options.select != NULL)
		prof_select(reader, c->options.select, c->options.select_size);
	return reader;
}

static enum prof_status
worker_read_records(struct cli_worker *w, struct cli_item *item)
{
	const struct cli_pipeline *p = w->run->pipeline;
	struct prof_reader *reader = worker_open_reader(w, item);
	enum prof_status status = PROF_FAIL;

	if (reader != NULL)
		status = cli_read_records(w->view, reader, p->add, w->state);
	/* Of an archive, another worker may read the next member already. */
	if (status == PROF_OK && item->owned &&
	    input_failure(item->in)->code != PROF_E_NONE)
		status = PROF_FAIL;
	if (status == PROF_FAIL)
		worker_blame_input(w->view, item);
	prof_close(reader);
	if (p->end != NULL)
		p->end(w->state);
	return status;
}

/*
 * Of a pipeline with add: the program gets the records.  Under --keep-going an
 * item is checked before any of them is used, and left out if it is bad.
 */
static void
worker_add_records(struct cli_worker *w, struct cli_item *item)
{
	const struct cli_pipeline *p = w->run->pipeline;
	struct cli *c = w->view;

	if (c->report.damage.keep_going) {
		item->bad = item->status != PROF_OK ||
		    worker_get_image(w, item) != PROF_OK ||
		    read_check_image(c, item->image, p) != PROF_OK;
		if (item->bad) {
			worker_blame_input(c, item);
			return;
		}
	}
	item->failed = item->status != PROF_OK ||
	    worker_read_records(w, item) == PROF_FAIL;
}

/* Of a pipeline with process: the program gets the bytes. */
static void
worker_process_bytes(struct cli_worker *w, struct cli_item *item)
{
	struct cli *c = w->view;

	if (item->status != PROF_OK)
		return;
	if (item->stream || worker_get_image(w, item) == PROF_OK)
		item->result = w->run->pipeline->process(w->state, item,
		    &c->err);
	/* Of an archive, another worker may read the next member already. */
	if (item->owned || c->err.code != PROF_E_NONE)
		worker_blame_input(c, item);
}

/* The messages are printed when the item is committed. */
static void
worker_hand_in_text(struct cli_worker *w, struct cli_item *item)
{
	if (w->messages == NULL)
		return;
	fflush(w->messages);
	if (ftello(w->messages) <= 0)
		return;
	item->text_size = (size_t)ftello(w->messages);
	item->text = malloc(item->text_size);
	if (item->text == NULL)
		cli_out_of_memory(w->view);
	memcpy(item->text, w->text, item->text_size);
	rewind(w->messages);
}

static void
item_close_input(struct cli_item *item)
{
	if (item->owned)
		input_close(item->in);
	item->owned = false;
	item->in = NULL;
}

/* Messages are about the item from now on. */
static void
item_name_to(struct cli *c, const struct cli_item *item)
{
	c->inputs.file = item->file;
	c->inputs.member = item->member;
	c->inputs.current = &item->input;
	c->inputs.number = item->input_number;
	c->inputs.item = item->pool.number;
	c->err = item->err;
}

/* pool_work.process: reads the item, in the thread of a worker. */
static void
pipeline_process(void *arg, unsigned thread, struct pool_item *p)
{
	struct cli_run *run = arg;
	struct cli_worker *w = &run->workers[thread];
	struct cli_item *item = (struct cli_item *)p;
	struct cli *c = w->view;

	item->worker = w;
	item_name_to(c, item);
	prof_context_part(c->context, item->ordinal);
	if (item->in != NULL)
		prof_context_on_consumed(c->context, input_release, item->in);
	if (item->fatal || item->unread)
		item->result = NULL;
	else if (run->pipeline->add != NULL)
		worker_add_records(w, item);
	else
		worker_process_bytes(w, item);
	item->err = c->err;
	item->functions = w->progress.functions;
	w->progress.functions = 0;
	if (item->owned && run->pipeline->next == NULL)
		item->bytes = input_bytes(item->in);
	worker_hand_in_text(w, item);
	prof_context_on_consumed(c->context, NULL, NULL);
	item_close_input(item);
}

static void
commit_print_messages(struct cli *c, const struct cli_item *item)
{
	struct cli_progress *p = c->report.progress;

	if (item->text_size != 0) {
		cli_progress_clear(c);
		message_repeat(item->text, item->text_size);
	}
	p->functions += item->functions;
	p->bytes += item->bytes;
	if (item->last) {
		p->input = NULL;
		cli_progress_done(c);
	}
}

/*
 * Of a pipeline with add: the records are with the program by now.  A bad item
 * is reported and counted here, because an item before it may end the run,
 * after which nothing more is reported.
 */
static enum prof_status
commit_records(const struct cli_pipeline *p, struct cli *c,
    struct cli_item *item)
{
	struct cli_damage *d = &c->report.damage;
	struct prof_error why = { 0 };

	if (item->bad)
		return cli_damage_skip(c);
	/* All items before it have been added: a refusal is final. */
	if (p->refused != NULL &&
	    p->refused(p->arg, &why) == item->pool.number) {
		item->failed = true;
		c->err = why;
	}
	if (!item->failed) {
		d->used += !item->unread;
		return PROF_OK;
	}
	if (p->pass != NULL && !d->keep_going && p->pass(p->arg, c))
		return PROF_OK;
	d->bad += !d->keep_going;
	return PROF_FAIL;
}

/* pool_work.commit: one item at a time, in input order. */
static bool
pipeline_commit(void *arg, struct pool_item *p)
{
	struct cli_run *run = arg;
	struct cli_item *item = (struct cli_item *)p;
	const struct cli_pipeline *by = run->pipeline;
	struct cli *c = run->cli;
	enum prof_status status = PROF_FAIL;

	commit_print_messages(c, item);
	item_name_to(c, item);
	if (!item->fatal)
		status = by->add != NULL ? commit_records(by, c, item) :
		    by->commit(by->arg, c, item);
	if (status == PROF_OK) {
		c->err = (struct prof_error){ 0 };
		return true;
	}
	/* Other workers may have skipped members of later inputs. */
	run->skipped = item->skipped;
	c->inputs.file = cli_keep_name(&c->inputs.failed_file, c->inputs.file);
	c->inputs.member = cli_keep_name(&c->inputs.failed_member,
	    c->inputs.member);
	return false;
}

/* pool_work.drop: of each item, committed or not. */
static void
pipeline_drop(void *arg, struct pool_item *p)
{
	const struct cli_run *run = arg;
	struct cli_item *item = (struct cli_item *)p;

	if (run->pipeline->drop != NULL)
		run->pipeline->drop(item);
	item_close_input(item);
	free(item->file);
	free(item->member);
	free(item->text);
	free(item);
}

/* False if out of memory; then worker_free all the same. */
static bool
worker_init(struct cli_worker *w, struct cli_run *run)
{
	const struct cli_pipeline *p = run->pipeline;
	struct cli *v = w->view = p->serial ? run->cli : &w->own;

	w->run = run;
	if (!p->serial) {
		*v = *run->cli;
		v->err = (struct prof_error){ 0 };
		v->report.progress = &w->progress;
		v->report.sharing = NULL;
		v->report.sharing_inputs = 0;
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
	return w->state != NULL || p->start == NULL;
}

static void
worker_free(struct cli_worker *w)
{
	if (w->run->pipeline->stop != NULL && w->state != NULL)
		w->run->pipeline->stop(w->state);
	if (w->view == &w->own) {
		if (w->own.context != NULL &&
		    prof_context_salvaged(w->own.context))
			w->run->cli->report.unclean = true;
		if (w->own.report.sharing != NULL)
			cli_note_sharing(&w->run->cli->report,
			    w->own.report.sharing,
			    w->own.report.sharing_inputs);
		cli_note_writers(&w->run->cli->output, w->own.output.writers);
		prof_context_free(w->own.context);
		retarget_free(w->own.output.retargeter);
	}
	buf_free(&w->memory);
	if (w->messages != NULL)
		fclose(w->messages);
	free(w->text);
}

/* The caller goes on where the source has ended. */
static void
pipeline_finish(const struct cli_run *run, bool good)
{
	const struct cli *source = &run->source;
	struct cli *c = run->cli;

	c->inputs.names = source->inputs.names;
	c->inputs.current = source->inputs.current;
	c->inputs.number = source->inputs.number;
	c->report.skipped = good ? source->report.skipped : run->skipped;
	if (good)
		c->inputs.file = c->inputs.member = NULL;
}

enum prof_status
cli_pipeline_run(struct cli *c, const struct cli_pipeline *p)
{
	unsigned jobs = p->serial ? 1 : cli_input_jobs(c);
	struct cli_run *run = calloc(1, sizeof(*run));
	const struct pool_work work = { .arg = run, .take = pipeline_take,
	    .process = pipeline_process, .commit = pipeline_commit,
	    .drop = pipeline_drop };
	bool good;

	cli_damage_begin(c);
	cli_progress_begin(c);
	if (run == NULL ||
	    (run->workers = calloc(jobs, sizeof(*run->workers))) == NULL)
		cli_out_of_memory(c);
	run->pipeline = p;
	run->cli = c;
	run->source = *c;
	for (unsigned i = 0; i < jobs; i++) {
		if (!worker_init(&run->workers[i], run))
			cli_out_of_memory(c);
	}
	good = pool_run(&run->pool, &work, jobs);
	pipeline_finish(run, good);
	/* An archive that is still open uses the memory of a worker. */
	input_close(run->archive);
	for (unsigned i = 0; i < jobs; i++)
		worker_free(&run->workers[i]);
	free(run->workers);
	free(run);
	return !good ? PROF_FAIL : p->add == NULL ? PROF_OK :
	    cli_damage_settle(c);
}

enum prof_status
cli_read(struct cli *c, cli_record *add, void *arg)
{
	return cli_read_passing(c, add, NULL, arg);
}

enum prof_status
cli_read_passing(struct cli *c, cli_record *add,
    bool (*pass)(void *arg, struct cli *), void *arg)
{
	return cli_pipeline_run(c, &(struct cli_pipeline){ .arg = arg,
	    .serial = true, .add = add, .pass = pass });
}
