#include "config.h"

#include "cmd/common/messages.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/cli.h"
#include "cmd/common/message_text.h"

void
cli_usage_error(const struct cli *c, const char *format, ...)
{
	va_list ap;

	message_print("%s: ", c->name);
	va_start(ap, format);
	message_vprint(format, ap);
	va_end(ap);
	message_print("\nTry '%s --help'.\n", c->name);
	exit(CLI_TROUBLE);
}

void
cli_out_of_memory(const struct cli *c)
{
	message_print("%s: out of memory\n", c->name);
	exit(CLI_TROUBLE);
}

static FILE *
message_target(const struct cli *c)
{
	if (c->report.messages == NULL)
		cli_progress_clear(c);
	return c->report.messages;
}

void
cli_print_input(const struct cli *c, FILE *to)
{
	const char *file = c->inputs.file, *member = c->inputs.member;

	message_print_to(to, "%s", strcmp(file, "-") == 0 ? "standard input" :
	    file);
	if (member != NULL)
		message_print_to(to, "[%s]", member);
}

const char *
cli_keep_name(char **copy, const char *name)
{
	char *p = name == NULL ? NULL : strdup(name);

	free(*copy);
	*copy = p;
	return p;
}

static void
message_put(const struct cli *c, const char *kind,
    const struct prof_error *e)
{
	FILE *to = message_target(c);

	message_print_to(to, "%s: ", c->name);
	if (c->output.failed) {
		message_print_to(to, "%s: ",
		    c->output.path == NULL || strcmp(c->output.path, "-") == 0 ?
		    "standard output" : c->output.path);
	} else if (c->inputs.file != NULL) {
		cli_print_input(c, to);
		message_print_to(to, ": ");
	}
	if (e->where == PROF_AT_BYTE)
		message_print_to(to, "0x%llx: ", (unsigned long long)
		    (c->inputs.base + e->offset));
	else if (e->where == PROF_AT_LINE)
		message_print_to(to, "line %llu: ",
		    (unsigned long long)e->offset);
	message_print_to(to, "%s%s\n", kind, e->reason);
}

void
cli_warn(void *arg, const struct prof_error *warning)
{
	const struct cli *c = arg;

	if (!c->options.quiet && !c->report.muted)
		message_put(c, "warning: ", warning);
}

void
cli_print_error(const struct cli *c, const struct prof_error *e)
{
	message_put(c, "", e);
}

void
cli_print_source(const struct cli *c, const struct prof_source *s)
{
	FILE *to;

	if (!c->options.verbose)
		return;
	to = message_target(c);
	message_print_to(to, "%s: ", c->name);
	cli_print_input(c, to);
	message_print_to(to, ": %s", s->format == NULL ? "stream" : s->format);
	if (s->version != 0)
		message_print_to(to, " version %llu",
		    (unsigned long long)s->version);
	message_print_to(to, "\n");
}
