#include "config.h"

#include "cmd/common/cli.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/consume.h"
#include "cmd/common/names.h"
#include "cmd/common/threads.h"
#include "cmd/common/watch.h"
#include "io/map.h"
#include "io/output.h"

static void
on_signal(int number)
{
	output_cleanup_on_signal();
	signal(number, SIG_DFL);
	raise(number);
}

void
cli_start(struct cli *c, const char *name, const char *usage,
    const char *format)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

	*c = (struct cli){ .name = name, .usage = usage,
	    .output.target.format = format };
	c->context = prof_context_new(cli_warn, c);
	c->report.progress = calloc(1, sizeof(*c->report.progress));
	if (c->context == NULL || c->report.progress == NULL)
		cli_out_of_memory(c);
	prof_context_on_consumed(c->context, map_release, NULL);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		if (signal(signals[i], on_signal) == SIG_IGN)
			signal(signals[i], SIG_IGN);
	}
}

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

static void
print_and_exit(const struct cli *c, const char *text)
{
	if (fputs(text, stdout) == EOF || fclose(stdout) == EOF) {
		fprintf(stderr, "%s: standard output: %s\n", c->name,
		    strerror(errno));
		exit(CLI_TROUBLE);
	}
	exit(CLI_DONE);
}

static unsigned
parse_format_version(const struct cli *c, const char *s)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(s, &end, 10);
	if (*s < '0' || *s > '9' || *end != '\0' || n == 0 || n > 9999)
		cli_usage_error(c, "'%s' is no version of a format", s);
	return (unsigned)n;
}

/* One above it, as 0 is a version. */
static unsigned
parse_memprof_version(const struct cli *c, const char *s)
{
	if (*s < '0' || *s > '4' || s[1] != '\0')
		cli_usage_error(c, "'%s' is no version of heap profiles: 0 to "
		    "4 are", s);
	return (unsigned)(*s - '0') + 1;
}

uint64_t
cli_parse_size(const struct cli *c, const char *s)
{
	static const char units[] = "KMGT";
	const char *unit;
	char *end;
	uint64_t n;
	int shift = 0;

	errno = 0;
	n = strtoull(s, &end, 10);
	if (*end != '\0' && (unit = strchr(units, *end)) != NULL) {
		shift = 10 * (int)(unit - units + 1);
		end++;
	}
	if (*s < '0' || *s > '9' || *end != '\0' || errno != 0 || n == 0 ||
	    n > UINT64_MAX >> shift)
		cli_usage_error(c, "'%s' is not a size above 0, as 64M is", s);
	return n << shift;
}

/* What stands behind raw:VERSION, in any order: be, le, 32, 64. */
static void
set_raw_machine(struct cli *c, const char *word)
{
	if (strcmp(word, "be") == 0 || strcmp(word, "le") == 0)
		c->output.target.big_endian = word[0] == 'b';
	else if (strcmp(word, "32") == 0 || strcmp(word, "64") == 0)
		c->output.target.pointer_bits = word[0] == '3' ? 32 : 64;
	else
		cli_usage_error(c, "'%s' is not le, be, 32 or 64", word);
}

/* FORMAT, FORMAT:VERSION, raw:VERSION,be,32 or memprof-raw:VERSION,be. */
static void
set_format(struct cli *c, char *s)
{
	unsigned oldest, newest;
	char *options = s, *word;

	c->output.target.format = strsep(&options, ":");
	if (!prof_writable(c->output.target.format, &oldest, &newest))
		cli_usage_error(c, "format '%s' cannot be written",
		    c->output.target.format);
	word = strsep(&options, ",");
	if (word != NULL)
		c->output.target.version = parse_format_version(c, word);
	if (options != NULL && strcmp(c->output.target.format, "raw") != 0 &&
	    strcmp(c->output.target.format, "memprof-raw") != 0)
		cli_usage_error(c, "only raw and memprof-raw have a byte order "
		    "and a word size");
	while ((word = strsep(&options, ",")) != NULL)
		set_raw_machine(c, word);
	if (strcmp(c->output.target.format, "raw") != 0 &&
	    c->output.target.pointer_bits == 32)
		cli_usage_error(c, "memprof-raw is of programs of 64 bits");
}

/* What is written.  False if the option says nothing of it. */
static bool
target_option(struct cli *c, int option)
{
	switch (option) {
	case CLI_TO:
		set_format(c, optarg);
		break;
	case CLI_FOR:
		c->output.release = optarg;
		if (!retarget_release(optarg, &c->output.retarget))
			cli_usage_error(c, "release '%s' is not known: %s are",
			    optarg, retarget_releases);
		break;
	case CLI_FORMAT_VERSION:
		c->output.target.version = parse_format_version(c, optarg);
		break;
	case CLI_RELABEL:
		c->output.retarget.relabel = true;
		break;
	case CLI_NO_VTABLE_NAMES:
		c->output.target.no_vtable_names = true;
		break;
	case CLI_MEMPROF_VERSION:
		c->output.target.memprof_version = parse_memprof_version(c,
		    optarg);
		break;
	case CLI_MEMPROF_FULL:
		c->output.target.memprof_full_schema = true;
		break;
	case CLI_WITH_SOURCES:
		c->output.target.with_sources = true;
		c->output.target.with_entries = optarg != NULL;
		if (optarg != NULL && strcmp(optarg, "rfc") != 0)
			cli_usage_error(c, "unknown form '%s' of "
			    "--with-sources", optarg);
		break;
	default:
		return false;
	}
	return true;
}

void
cli_option(struct cli *c, int option)
{
	if (target_option(c, option))
		return;
	switch (option) {
	case '0':
		c->options.nul_separated = true;
		break;
	case 'r':
		c->options.recursive = true;
		break;
	case 'j':
		cli_set_jobs(c, optarg);
		break;
	case 'q':
		c->options.quiet = true;
		break;
	case 'v':
		c->options.verbose = true;
		break;
	case 'o':
		c->output.path = optarg;
		break;
	case 'h':
		print_and_exit(c, c->usage);
		break;
	case 'V':
		print_and_exit(c, PACKAGE_STRING "\n");
		break;
	case CLI_FILES_FROM:
		c->options.listed = true;
		cli_names_list(c, optarg);
		break;
	case CLI_KEEP_GOING:
		c->report.damage.keep_going = true;
		break;
	case CLI_MAX_BAD:
		c->report.damage.keep_going = true;
		cli_damage_limit(c, optarg);
		break;
	case CLI_REPORT:
		c->report.damage.report = optarg;
		break;
	case CLI_MEMBER:
		c->options.member_glob = optarg;
		break;
	case CLI_PROGRESS:
		cli_progress_set(c, optarg);
		break;
	case CLI_MAX_SIZE:
		c->options.max_size = cli_parse_size(c, optarg);
		break;
	default:
		fprintf(stderr, "Try '%s --help'.\n", c->name);
		exit(CLI_TROUBLE);
	}
}

void
cli_operands(struct cli *c, int argc, char **argv)
{
	struct cli_input in = { .weight = { 1, 1 } };
	bool any = c->options.listed || c->options.recursive ||
	    c->options.watched != NULL;

	for (size_t i = 0; i < c->inputs.size; i++)
		any = any || !c->inputs.items[i].subtracted;
	for (int i = 0; i < argc; i++) {
		in.path = argv[i];
		cli_add_input(c, &in);
	}
	in.path = "-";
	if (!any && argc == 0)
		cli_add_input(c, &in);
}

/* A file name that cannot spoil a terminal. */
static void
print_name(FILE *to, const char *name)
{
	for (; *name != '\0'; name++)
		fputc((unsigned char)*name < 0x20 || *name == 0x7f ? '?' :
		    *name, to);
}

static void
print_message(const struct cli *c, const char *kind,
    const struct prof_error *e)
{
	FILE *to = c->report.messages == NULL ? stderr : c->report.messages;

	if (c->report.messages == NULL)
		cli_progress_clear(c);
	fprintf(to, "%s: ", c->name);
	if (c->output.failed) {
		print_name(to, c->output.path == NULL || strcmp(c->output.path,
		    "-") == 0 ? "standard output" : c->output.path);
		fputs(": ", to);
	} else if (c->inputs.file != NULL) {
		print_name(to, strcmp(c->inputs.file, "-") == 0 ?
		    "standard input" : c->inputs.file);
		if (c->inputs.member != NULL) {
			fputc('[', to);
			print_name(to, c->inputs.member);
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
		print_message(c, "warning: ", warning);
}

void
cli_print_error(const struct cli *c, const struct prof_error *e)
{
	print_message(c, "", e);
}

/* Why a run that did not fail is not as good as it should be. */
static void
tell_left_out(const struct cli *c)
{
	const struct cli_damage *d = &c->report.damage;

	if (d->bad != 0 && !d->told)
		fprintf(stderr, "%s: %llu of %llu inputs are bad and left "
		    "out\n", c->name, (unsigned long long)d->bad,
		    (unsigned long long)(d->bad + d->used));
	if (c->report.skipped != 0 && !c->options.quiet)
		fprintf(stderr, "%s: %llu archive members are no profiles: "
		    "skipped\n", c->name,
		    (unsigned long long)c->report.skipped);
}

int
cli_end(struct cli *c, enum prof_status status)
{
	bool reported = cli_damage_end(c, &c->err);

	cli_progress_end(c, status != PROF_FAIL);
	if (status == PROF_FAIL) {
		print_message(c, "", &c->err);
		if (!c->output.failed)
			prof_abort(c->output.writer, c->err.reason);
	} else
		tell_left_out(c);
	prof_writer_free(c->output.writer);
	output_discard(c->output.file);
	prof_context_free(c->context);
	retarget_free(c->output.retargeter);
	cli_names_free(c->inputs.names);
	cli_consume_free(c->inputs.consume);
	cli_watch_free(c->inputs.watch);
	free(c->inputs.failed_member);
	free(c->inputs.failed_file);
	free(c->report.progress);
	free(c->output.group_path);
	free(c->inputs.items);
	if (status == PROF_FAIL || !reported)
		return CLI_TROUBLE;
	return c->report.damage.bad == 0 && !c->report.unclean ? CLI_DONE :
	    CLI_NO;
}
