#include "config.h"

#include "cmd/common/messages.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "cmd/common/cli.h"
#include "io/input.h"

static void
message_vprint_masked(FILE *to, void mask(uint8_t *, size_t),
    const char *format, va_list ap)
{
	char few[1024] = "", *text = few;
	size_t size = sizeof(few), start = *format == '\n', length;
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(few, size, format, ap);
	if (n >= (int)size && (text = malloc((size_t)n + 1)) != NULL)
		vsnprintf(text, size = (size_t)n + 1, format, again);
	va_end(again);
	if (text == NULL)
		text = few;
	length = strlen(text);
	mask((uint8_t *)text + start, length - start);
	if (n > 0 && format[strlen(format) - 1] == '\n')
		text[length - 1] = '\n';
	fwrite(text, 1, length, to == NULL ? stderr : to);
	if (text != few)
		free(text);
}

void
message_vprint_lines(const char *format, va_list ap)
{
	message_vprint_masked(NULL, printable_mask_lines, format, ap);
}

void
message_print_to(FILE *to, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	message_vprint_masked(to, printable_mask, format, ap);
	va_end(ap);
}

void
message_print(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	message_vprint_masked(NULL, printable_mask, format, ap);
	va_end(ap);
}

void
message_repeat(const char *text, size_t size)
{
	fwrite(text, 1, size, stderr);
}

/* The clock is read once in so many records, well below a millisecond. */
enum { RECORDS_PER_CLOCK = 256 };

/* 0 if unknown: lists and folders are read during the run. */
static uint64_t
progress_count_inputs(const struct cli *c)
{
	for (size_t i = 0; i < c->inputs.size; i++) {
		if (c->inputs.items[i].kind != CLI_FILE)
			return 0;
	}
	return c->inputs.size;
}

/* False if output goes to a terminal too, where it would mix with the line. */
static bool
progress_has_terminal(const struct cli *c)
{
	bool to_file = c->output.path != NULL && strcmp(c->output.path, "-") !=
	    0;

	return isatty(STDERR_FILENO) &&
	    (to_file || !isatty(STDOUT_FILENO));
}

void
cli_progress_begin(struct cli *c)
{
	struct cli_progress *p = c->report.progress;

	if (p->begun)
		return;
	p->silent = p->silent || c->options.quiet || !progress_has_terminal(c);
	p->begun = true;
	p->total = progress_count_inputs(c);
	clock_gettime(CLOCK_MONOTONIC, &p->start);
	p->last = p->start;
}

static double
progress_seconds(const struct timespec *from, const struct timespec *to)
{
	return (double)(to->tv_sec - from->tv_sec) +
	    (double)(to->tv_nsec - from->tv_nsec) / 1e9;
}

static uint64_t
progress_bytes(const struct cli_progress *p)
{
	return p->bytes + (p->input == NULL ? 0 : input_bytes(p->input));
}

static void
progress_put_line(const struct cli *c, double seconds)
{
	struct cli_progress *p = c->report.progress;

	fprintf(stderr, "\r%s: %" PRIu64, c->name, p->inputs);
	if (p->total != 0)
		fprintf(stderr, " of %" PRIu64, p->total);
	fprintf(stderr, " inputs, %" PRIu64 " MB, %" PRIu64 " functions, "
	    "%.0f s\033[K", progress_bytes(p) / 1000000, p->functions, seconds);
	p->shown = true;
}

static void
progress_update(struct cli *c)
{
	struct cli_progress *p = c->report.progress;
	struct timespec now;

	if (!p->begun || p->silent)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (progress_seconds(&p->last, &now) < 1)
		return;
	p->last = now;
	progress_put_line(c, progress_seconds(&p->start, &now));
}

void
cli_progress_done(struct cli *c)
{
	struct cli_progress *p = c->report.progress;

	p->bytes = progress_bytes(p);
	p->input = NULL;
	p->inputs++;
	progress_update(c);
}

void
cli_progress_record(struct cli *c, const struct prof_record *r)
{
	struct cli_progress *p = c->report.progress;

	p->functions += r->kind == PROF_REC_FUNCTION ? 1 :
	    r->kind == PROF_REC_BLOCK ? r->u.block.size : 0;
	if (++p->records % RECORDS_PER_CLOCK == 0)
		progress_update(c);
}

void
cli_progress_clear(const struct cli *c)
{
	if (!c->report.progress->shown)
		return;
	fputs("\r\033[K", stderr);
	c->report.progress->shown = false;
}

void
cli_usage_error(const struct cli *c, const char *format, ...)
{
	va_list ap;

	message_print("%s: ", c->name);
	va_start(ap, format);
	message_vprint_masked(NULL, printable_mask, format, ap);
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
message_put(const struct cli *c, const char *word, const char *kind,
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
	message_print_to(to, "%s", word);
	if (e->where == PROF_AT_BYTE)
		message_print_to(to, "0x%llx: ", (unsigned long long)
		    (c->inputs.base + e->offset));
	else if (e->where == PROF_AT_LINE)
		message_print_to(to, "line %llu: ",
		    (unsigned long long)e->offset);
	message_print_to(to, "%s%s\n", kind, e->reason);
}

void
cli_note_sharing(struct cli_report *r, char *line, uint64_t inputs)
{
	bool keep = r->sharing == NULL || strcmp(line, r->sharing) < 0;

	free(keep ? r->sharing : line);
	if (keep)
		r->sharing = line;
	r->sharing_inputs += inputs;
}

void
cli_warn(void *arg, const struct prof_error *warning)
{
	struct cli *c = arg;
	FILE *to = c->report.messages;
	char *line = NULL;
	size_t size;

	if (c->options.quiet || c->report.muted)
		return;
	if (warning->code == PROF_E_CORRUPT)
		c->report.messages = open_memstream(&line, &size);
	message_put(c, "", "warning: ", warning);
	if (warning->code == PROF_E_CORRUPT && c->report.messages != NULL &&
	    fclose(c->report.messages) == 0)
		cli_note_sharing(&c->report, line, 1);
	c->report.messages = to;
}

void
cli_print_error(const struct cli *c, const struct prof_error *e)
{
	message_put(c, err_damage_word(e->code), "", e);
}

void
cli_print_source(const struct cli *c, const struct prof_source *s)
{
	FILE *to = message_target(c);

	message_print_to(to, "%s: ", c->name);
	cli_print_input(c, to);
	message_print_to(to, ": %s", s->format == NULL ? "stream" : s->format);
	if (s->version != 0)
		message_print_to(to, " version %llu",
		    (unsigned long long)s->version);
	message_print_to(to, "\n");
}

int
stdio_flush(FILE *stream)
{
	bool lost = ferror(stream) != 0;

	errno = 0;
	if (fflush(stream) == 0 && !lost)
		return 0;
	return errno == 0 ? EIO : errno;
}

int
stdio_close(FILE *stream)
{
	int error = stdio_flush(stream);

	return fclose(stream) != 0 && error == 0 ? errno : error;
}
