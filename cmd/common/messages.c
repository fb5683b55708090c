#include "config.h"

#include "cmd/common/messages.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/cli.h"

void
cli_usage_error(const struct cli *c, const char *format, ...)
{
	va_list ap;

	fprintf(stderr, "%s: ", c->name);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fprintf(stderr, "\nTry '%s --help'.\n", c->name);
	exit(CLI_TROUBLE);
}

void
cli_out_of_memory(const struct cli *c)
{
	fprintf(stderr, "%s: out of memory\n", c->name);
	exit(CLI_TROUBLE);
}

/* A file name that cannot spoil a terminal. */
static void
message_put_name(FILE *to, const char *name)
{
	for (; *name != '\0'; name++)
		fputc((unsigned char)*name < 0x20 || *name == 0x7f ? '?' :
		    *name, to);
}

static void
message_put(const struct cli *c, const char *kind,
    const struct prof_error *e)
{
	FILE *to = c->report.messages == NULL ? stderr : c->report.messages;

	if (c->report.messages == NULL)
		cli_progress_clear(c);
	fprintf(to, "%s: ", c->name);
	if (c->output.failed) {
		message_put_name(to, c->output.path == NULL ||
		    strcmp(c->output.path, "-") == 0 ? "standard output" :
		    c->output.path);
		fputs(": ", to);
	} else if (c->inputs.file != NULL) {
		message_put_name(to, strcmp(c->inputs.file, "-") == 0 ?
		    "standard input" : c->inputs.file);
		if (c->inputs.member != NULL) {
			fputc('[', to);
			message_put_name(to, c->inputs.member);
			fputc(']', to);
		}
		fputs(": ", to);
	}
	if (e->where == PROF_AT_BYTE)
		fprintf(to, "0x%llx: ", (unsigned long long)(c->inputs.base +
		    e->offset));
	else if (e->where == PROF_AT_LINE)
		fprintf(to, "line %llu: ", (unsigned long long)e->offset);
	fprintf(to, "%s%s\n", kind, e->reason);
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
	struct prof_error e = { 0 };

	if (!c->options.verbose)
		return;
	snprintf(e.reason, sizeof(e.reason), "%s version %llu",
	    s->format == NULL ? "stream" : s->format,
	    (unsigned long long)s->version);
	cli_progress_clear(c);
	fprintf(c->report.messages == NULL ? stderr : c->report.messages,
	    "%s: %s%s%s%s: %s\n", c->name, c->inputs.file,
	    c->inputs.member == NULL ? "" : "[", c->inputs.member == NULL ? "" :
	    c->inputs.member, c->inputs.member == NULL ? "" : "]", e.reason);
}
