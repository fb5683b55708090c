#include "config.h"

#include "cmd/common/source.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/common/read.h"
#include "cmd/common/pipeline.h"
#include "bundle/manifest.h"
#include "io/input.h"

void
cli_source_begin(struct cli_source *s, struct cli *c, struct commit_queue *t,
    const struct cli_pipeline *work)
{
	*s = (struct cli_source){ .cli = c, .turns = t, .work = work };
	pthread_mutex_init(&s->lock, NULL);
}

void
cli_source_finish(struct cli_source *s)
{
	input_close(s->archive);
	pthread_mutex_destroy(&s->lock);
}

static char *
copy(const struct cli *c, const char *s)
{
	char *p = s == NULL ? NULL : strdup(s);

	if (s != NULL && p == NULL)
		cli_out_of_memory(c);
	return p;
}

/* A turn for what the cli has come to; false if the run stops. */
static bool
take_turn(struct cli_source *s, struct cli_item *item, const char *member)
{
	const struct cli *c = s->cli;
	struct commit_entry *turn = commit_queue_next(s->turns);

	item->turn = turn;
	if (turn == NULL && item->note != NULL && s->work->drop != NULL)
		s->work->drop(&(struct commit_entry){ .note = item->note });
	if (turn == NULL)
		return false;
	turn->note = item->note;
	turn->ordinal = s->ordinal;
	turn->partial = s->passed;
	turn->skipped = c->report.skipped;
	if (c->inputs.current != NULL)
		turn->input = *c->inputs.current;
	turn->file = copy(c, c->inputs.file);
	turn->member = copy(c, member);
	turn->input.path = turn->file;
	return true;
}

/* The list of inputs itself cannot be read, or memory is out. */
static bool
fail(struct cli_source *s, struct cli_item *item)
{
	s->ended = true;
	item->status = PROF_FAIL;
	item->err = s->cli->err;
	item->fatal = true;
	if (!take_turn(s, item, s->cli->inputs.member))
		return false;
	item->turn->fatal = true;
	return true;
}

/* Whether bytes are decoded as they come. */
static bool
is_pulled(const struct cli_source *s, const struct input_member *m)
{
	return prof_is_stream(m->start) && (s->work->process != NULL ?
	    s->work->streams : !s->cli->report.damage.keep_going);
}

/* Nobody else can read from an archive what this thread is to read. */
static void
read_of_archive(struct cli_item *item)
{
	item->holds = item->stream;
	if (item->stream)
		return;
	item->status = input_image(item->in, &item->image, &item->err);
	item->has_image = item->status == PROF_OK;
	item->in = NULL;
}

/* Whether the member that the input came to is one for us. */
static bool
is_ours(struct cli *c, const struct input_member *m)
{
	if (!cli_wants(c, m))
		return false;
	if (!cli_is_foreign(m))
		return true;
	if (!manifest_sniff(m->start))
		c->report.skipped++;
	return false;
}

/* What is to be done with what the input came to. */
static enum cli_action
look(struct cli_source *s, struct cli_item *item, const struct input_member *m)
{
	enum cli_action next = CLI_READ_MEMBER;

	if (s->work->classify != NULL)
		next = s->work->classify(s->work->arg, s->cli, item, m,
		    s->ordinal);
	else if (item->status == PROF_OK && !is_ours(s->cli, m))
		next = CLI_SKIP_MEMBER;
	s->passed = s->passed || next == CLI_SKIP_MEMBER;
	return next;
}

/* There will be nothing more of the file. */
static void
leave(struct cli_source *s, struct cli_item *item)
{
	item->turn->bytes = input_bytes(item->in);
	input_close(item->in);
	s->archive = item->in = NULL;
	item->owned = false;
}

/* PROF_OK: the item has it; PROF_END: look for another; PROF_FAIL: stop. */
static enum prof_status
take_member(struct cli_source *s, struct cli_item *item, struct buf *memory)
{
	struct input *in = item->in;
	enum cli_action next;
	struct input_member m;

	input_use(in, memory);
	item->status = input_next(in, &m, &item->err);
	s->archive = input_is_archive(in) ? in : NULL;
	s->ordinal++;
	item->owned = s->archive == NULL;
	item->nothing = item->status == PROF_END;
	next = look(s, item, &m);
	if (next == CLI_SKIP_MEMBER)
		return PROF_END;
	if (!take_turn(s, item, m.name)) {
		if (item->owned)
			input_close(in);
		return PROF_FAIL;
	}
	item->turn->end_only = item->nothing;
	item->turn->last = item->owned || item->nothing || next == CLI_SKIP_FILE;
	item->turn->stat = *input_stat(in);
	item->stream = item->status == PROF_OK && is_pulled(s, &m);
	if (item->nothing || next == CLI_SKIP_FILE)
		leave(s, item);
	else if (!item->owned && (item->status != PROF_OK || next == CLI_REPORT_MEMBER))
		item->in = NULL;
	else if (!item->owned)
		read_of_archive(item);
	item->nothing = item->nothing || next != CLI_READ_MEMBER;
	return PROF_OK;
}

/* What the program gives in place of inputs. */
static bool
take_given(struct cli_source *s, struct cli_item *item, struct buf *memory)
{
	*item = (struct cli_item){ .in = NULL };
	item->status = s->work->next(s->work->arg, s->cli, item, memory);
	if (item->status == PROF_END)
		return false;
	if (item->status == PROF_FAIL)
		return fail(s, item);
	item->owned = item->in != NULL;
	if (take_turn(s, item, s->cli->inputs.member))
		return true;
	input_close(item->in);
	free(item->held);
	return false;
}

static bool
take(struct cli_source *s, struct cli_item *item, struct buf *memory)
{
	struct cli *c = s->cli;
	enum prof_status status = PROF_END;

	while (status == PROF_END && !s->ended) {
		*item = (struct cli_item){ .in = s->archive };
		if (item->in == NULL) {
			s->ordinal = 0;
			s->passed = false;
			status = cli_next_input(c);
			if (status == PROF_END) {
				s->ended = true;
				break;
			}
			if (status == PROF_OK)
				item->in = input_open(c->inputs.file,
				    c->options.max_size, memory, &c->err);
			if (item->in == NULL)
				return fail(s, item);
			if (!c->report.damage.keep_going)
				input_in_place(item->in);
		}
		status = take_member(s, item, memory);
	}
	return status == PROF_OK;
}

bool
cli_source_next(struct cli_source *s, struct cli_item *item,
    struct buf *memory)
{
	bool taken;

	pthread_mutex_lock(&s->lock);
	taken = !s->ended && (s->work->next != NULL ?
	    take_given(s, item, memory) : take(s, item, memory));
	if (!taken)
		s->ended = true;
	if (!taken || !item->holds)
		pthread_mutex_unlock(&s->lock);
	return taken;
}

void
cli_source_release(struct cli_source *s, struct cli_item *item)
{
	if (item->owned)
		input_close(item->in);
	free(item->held);
	if (item->holds)
		pthread_mutex_unlock(&s->lock);
}
