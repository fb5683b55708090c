#include "config.h"

#include "cmd/common/consume_state.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/cli.h"
#include "cmd/common/message_text.h"

void
consume_exit(const struct cli *c, const char *format, ...)
{
	va_list ap;

	message_print("%s: %s: ", c->name, c->output.path);
	va_start(ap, format);
	message_vprint(format, ap);
	va_end(ap);
	message_print("\n");
	exit(CLI_TROUBLE);
}

struct removal
consume_removal(const struct cli *c, struct consume *s)
{
	return (struct removal){ .program = c->name, .folder = s->folder,
	    .journal = &s->journal };
}

void
consume_exit_unreadable(const struct cli *c, const char *journal, int error)
{
	consume_exit(c, "cannot read %s: %s", journal, strerror(error));
}

static void
consume_undo_earlier(const struct cli *c, struct removal *r)
{
	if (!removal_undo(r))
		consume_exit(c, "cannot undo what a stopped run has left: %s "
		    "and the links to it", r->journal->path);
}

void
consume_recover(struct cli *c, struct consume *s)
{
	struct removal r = consume_removal(c, s);
	const char *path = s->journal.path;
	bool done;

	switch (removal_look(&r)) {
	case REMOVAL_PENDING:
		consume_undo_earlier(c, &r);
		break;
	case REMOVAL_IN_PLACE:
		s->resumed = true;
		if (journal_inputs(&s->journal, &s->had) != PROF_OK)
			consume_exit_unreadable(c, path, s->journal.error);
		removal_finish(&r, &done);
		if (!done)
			consume_exit(c, "it holds inputs that cannot be "
			    "removed: %s lists them", path);
		break;
	case REMOVAL_GONE:
		if (removal_any_left(&r))
			consume_exit(c, "a run with --consume was stopped, and "
			    "its output is gone from here: remove the inputs "
			    "that %s lists, or remove %s to count them again",
			    path, path);
		consume_undo_earlier(c, &r);
		break;
	case REMOVAL_UNKNOWN:
		consume_exit_unreadable(c, path, r.error);
	case REMOVAL_DAMAGED:
		consume_exit(c, "%s is not a record of --consume: remove it if "
		    "all inputs are to be counted", path);
	}
}
