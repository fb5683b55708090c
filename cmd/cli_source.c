#include "config.h"

#include "cli_source.h"

#include <stdlib.h>
#include <string.h>

#include "cli_read.h"
#include "format/manifest.h"
#include "io/input.h"

void
cli_source_begin(struct cli_source *s, struct cli *c, struct cli_turns *t)
{
	*s = (struct cli_source){ .cli = c, .turns = t };
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
	struct cli_turn *turn = cli_turns_next(s->turns);

	item->turn = turn;
	if (turn == NULL)
		return false;
	if (c->input != NULL)
		turn->input = *c->input;
	turn->file = copy(c, c->file);
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
	if (!take_turn(s, item, NULL))
		return false;
	item->turn->fatal = true;
	return true;
}

/* Nobody else can read from an archive what this thread is to read. */
static void
read_of_archive(struct cli_item *item, const struct input_member *m,
    bool whole, const struct cli_wait *wait)
{
	item->stream = prof_is_stream(m->start) && !whole;
	item->holds = item->stream;
	if (item->stream)
		return;
	wait->begins(wait->arg);
	item->status = input_image(item->in, &item->image, &item->err);
	wait->ends(wait->arg);
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
	if (!manifest_claims(m->start))
		c->skipped++;
	return false;
}

/* PROF_OK: the item has it; PROF_END: look for another; PROF_FAIL: stop. */
static enum prof_status
take_member(struct cli_source *s, struct cli_item *item, struct buf *memory,
    const struct cli_wait *wait)
{
	struct input *in = item->in;
	struct cli *c = s->cli;
	struct input_member m;

	input_use(in, memory);
	wait->begins(wait->arg);
	item->status = input_next(in, &m, &item->err);
	wait->ends(wait->arg);
	s->archive = input_is_archive(in) ? in : NULL;
	item->owned = s->archive == NULL;
	if (item->status == PROF_OK && !is_ours(c, &m))
		return PROF_END;
	item->nothing = item->status == PROF_END;
	if (!take_turn(s, item, m.name)) {
		if (item->owned)
			input_close(in);
		return PROF_FAIL;
	}
	item->turn->nothing = item->nothing;
	item->turn->last = item->owned || item->nothing;
	item->turn->stat = *input_stat(in);
	if (item->nothing) {
		item->turn->bytes = input_bytes(in);
		s->archive = item->in = NULL;
		input_close(in);
	} else if (item->status != PROF_OK && !item->owned)
		item->in = NULL;
	else if (item->owned)
		item->stream = prof_is_stream(m.start) &&
		    !c->damage.keep_going;
	else
		read_of_archive(item, &m, c->damage.keep_going, wait);
	return PROF_OK;
}

static bool
take(struct cli_source *s, struct cli_item *item, struct buf *memory,
    const struct cli_wait *wait)
{
	struct cli *c = s->cli;
	enum prof_status status = PROF_END;

	while (status == PROF_END && !s->ended) {
		*item = (struct cli_item){ .in = s->archive };
		if (item->in == NULL) {
			status = cli_next_input(c);
			if (status == PROF_END) {
				s->ended = true;
				break;
			}
			if (status == PROF_OK)
				item->in = input_open(c->file, c->max_size,
				    memory, &c->err);
			if (item->in == NULL)
				return fail(s, item);
		}
		status = take_member(s, item, memory, wait);
	}
	return status == PROF_OK;
}

bool
cli_source_next(struct cli_source *s, struct cli_item *item,
    struct buf *memory, const struct cli_wait *wait)
{
	bool taken;

	wait->begins(wait->arg);
	pthread_mutex_lock(&s->lock);
	wait->ends(wait->arg);
	taken = !s->ended && take(s, item, memory, wait);
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
	if (item->holds)
		pthread_mutex_unlock(&s->lock);
}
