#include "config.h"

#include "cmd/common/source.h"

#include <stdlib.h>
#include <string.h>

#include "bundle/manifest.h"
#include "cmd/common/fetch.h"
#include "io/input.h"

void
cli_source_begin(struct cli_source *s, struct cli *c, struct commit_queue *q,
    const struct cli_pipeline *p)
{
	*s = (struct cli_source){ .cli = c, .queue = q, .pipeline = p };
	pthread_mutex_init(&s->lock, NULL);
}

void
cli_source_finish(struct cli_source *s)
{
	input_close(s->archive);
	pthread_mutex_destroy(&s->lock);
}

static char *
source_copy_name(const struct cli *c, const char *s)
{
	char *p = s == NULL ? NULL : strdup(s);

	if (s != NULL && p == NULL)
		cli_out_of_memory(c);
	return p;
}

/* An entry in the queue for the item; false if the run stops. */
static bool
source_add_entry(struct cli_source *s, struct cli_item *item,
    const char *member)
{
	const struct cli *c = s->cli;
	struct commit_entry *e = commit_queue_next(s->queue);

	item->entry = e;
	if (e == NULL && item->note != NULL && s->pipeline->drop != NULL)
		s->pipeline->drop(&(struct commit_entry){
		    .note = item->note });
	if (e == NULL)
		return false;
	e->note = item->note;
	e->ordinal = s->ordinal;
	e->skipped = c->report.skipped;
	if (c->inputs.current != NULL)
		e->input = *c->inputs.current;
	e->file = source_copy_name(c, c->inputs.file);
	e->member = source_copy_name(c, member);
	e->input.path = e->file;
	return true;
}

/* The list of inputs itself cannot be read, or memory is out. */
static bool
source_fail(struct cli_source *s, struct cli_item *item)
{
	s->ended = true;
	item->status = PROF_FAIL;
	item->err = s->cli->err;
	item->fatal = true;
	if (!source_add_entry(s, item, s->cli->inputs.member))
		return false;
	item->entry->fatal = true;
	return true;
}

/* Whether the worker decodes the bytes as they come. */
static bool
source_is_pulled(const struct cli_source *s, const struct input_member *m)
{
	const struct cli *c = s->cli;

	return prof_is_stream(m->start) && (s->pipeline->process != NULL ?
	    s->pipeline->streams : s->pipeline->verify == NULL &&
	    !c->report.damage.keep_going && !c->options.salvage);
}

/*
 * Whether the worker reads a raw file image by image.  A regular file is mapped
 * instead, and the member of an archive is read at once, so that other workers
 * go on in the archive.  A bad image must leave out the whole file.
 */
static bool
source_has_images(const struct cli_source *s, const struct cli_item *item,
    const struct input_member *m)
{
	const struct cli *c = s->cli;

	return s->pipeline->process == NULL && s->pipeline->verify == NULL &&
	    !c->report.damage.keep_going && !c->options.salvage &&
	    input_is_flow(item->in) && prof_has_images(m->start);
}

/* No other worker can go on in the archive before this member is read. */
static void
source_read_of_archive(struct cli_item *item)
{
	item->locked = item->stream;
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
source_classify(struct cli_source *s, struct cli_item *item,
    const struct input_member *m)
{
	if (s->pipeline->classify != NULL)
		return s->pipeline->classify(s->pipeline->arg, s->cli, item,
		    m, s->ordinal);
	return item->status == PROF_OK ? cli_classify_member(s->cli, m) :
	    CLI_READ_MEMBER;
}

/* Nothing more is read of the file. */
static void
source_leave_file(struct cli_source *s, struct cli_item *item)
{
	item->entry->bytes = input_bytes(item->in);
	input_close(item->in);
	s->archive = item->in = NULL;
	item->owned = false;
}

/* PROF_OK: the item is complete; PROF_END: there is none; PROF_FAIL: stop. */
static enum prof_status
source_next_member(struct cli_source *s, struct cli_item *item,
    struct buf *memory)
{
	struct input *in = item->in;
	enum cli_action action;
	struct input_member m;

	input_use(in, memory);
	item->status = input_next(in, &m, &item->err);
	s->archive = input_is_archive(in) ? in : NULL;
	s->ordinal++;
	item->owned = s->archive == NULL;
	item->no_member = item->status == PROF_END;
	action = source_classify(s, item, &m);
	if (action == CLI_SKIP_MEMBER) {
		if (item->owned)
			input_close(in);
		return PROF_END;
	}
	if (!source_add_entry(s, item, m.name)) {
		if (item->owned)
			input_close(in);
		return PROF_FAIL;
	}
	item->entry->end_only = item->no_member;
	item->entry->last = item->owned || item->no_member ||
	    action == CLI_SKIP_FILE;
	item->entry->time = m.time;
	if (item->status == PROF_OK && s->pipeline->process == NULL &&
	    action == CLI_READ_MEMBER)
		item->status = prof_recognise(m.start, &item->err);
	item->images = item->status == PROF_OK &&
	    source_has_images(s, item, &m);
	item->stream = item->images ||
	    (item->status == PROF_OK && source_is_pulled(s, &m));
	if (item->no_member || action == CLI_SKIP_FILE)
		source_leave_file(s, item);
	else if (!item->owned && (item->status != PROF_OK ||
	    action == CLI_REPORT_MEMBER))
		item->in = NULL;
	else if (!item->owned)
		source_read_of_archive(item);
	item->no_member = item->no_member || action != CLI_READ_MEMBER;
	return PROF_OK;
}

/* An item that the program yields in place of inputs. */
static bool
source_next_of_program(struct cli_source *s, struct cli_item *item,
    struct buf *memory)
{
	*item = (struct cli_item){ .in = NULL };
	item->status = s->pipeline->next(s->pipeline->arg, s->cli, item,
	    memory);
	if (item->status == PROF_END)
		return false;
	if (item->status == PROF_FAIL)
		return source_fail(s, item);
	item->owned = item->in != NULL;
	if (source_add_entry(s, item, s->cli->inputs.member))
		return true;
	input_close(item->in);
	free(item->allocated);
	return false;
}

/* Opens the next file; PROF_FAIL, and err of the cli, if there is a failure. */
static enum prof_status
source_open_file(struct cli_source *s, struct cli_item *item,
    struct buf *memory)
{
	struct cli *c = s->cli;
	enum prof_status status = cli_next_input(c);

	s->ordinal = 0;
	if (status != PROF_OK)
		return status;
	s->input = c->inputs.current;
	item->in = cli_open_input(c, c->inputs.file, memory);
	if (item->in == NULL)
		return PROF_FAIL;
	/* Under --keep-going an input that shrinks must fail when it is read,
	 * not after its records were used. */
	if (!c->report.damage.keep_going)
		input_in_place(item->in);
	if (s->pipeline->serial)
		cli_progress_input(c, item->in);
	return PROF_OK;
}

static bool
source_next_of_inputs(struct cli_source *s, struct cli_item *item,
    struct buf *memory)
{
	enum prof_status status = PROF_END;

	while (status == PROF_END) {
		*item = (struct cli_item){ .in = s->archive };
		if (item->in == NULL) {
			status = source_open_file(s, item, memory);
			if (status == PROF_END)
				return false;
			if (status == PROF_FAIL)
				return source_fail(s, item);
		}
		status = source_next_member(s, item, memory);
	}
	return status == PROF_OK;
}

bool
cli_source_next(struct cli_source *s, struct cli_item *item,
    struct buf *memory)
{
	bool found;

	pthread_mutex_lock(&s->lock);
	/* The serial worker has set these to copies that are gone by now. */
	if (s->input != NULL) {
		s->cli->inputs.current = s->input;
		s->cli->inputs.file = s->input->path;
		s->cli->inputs.member = NULL;
	}
	found = !s->ended && (s->pipeline->next != NULL ?
	    source_next_of_program(s, item, memory) :
	    source_next_of_inputs(s, item, memory));
	if (!found)
		s->ended = true;
	if (!found || !item->locked)
		pthread_mutex_unlock(&s->lock);
	return found;
}

void
cli_source_release(struct cli_source *s, struct cli_item *item)
{
	if (item->owned)
		input_close(item->in);
	free(item->allocated);
	if (item->locked)
		pthread_mutex_unlock(&s->lock);
}
