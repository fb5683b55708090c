#include "config.h"

#include "cmd/common/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/cleanup.h"
#include "cmd/common/cli.h"
#include "model/releases.h"

enum { JOBS_MAX = 256 };

static void
print_and_exit(const struct cli *c, const char *text)
{
	if (fputs(text, stdout) == EOF || fclose(stdout) == EOF) {
		fprintf(stderr, "%s: standard output: %s\n", c->name,
		    strerror(errno));
		exit(CLI_TROUBLE);
	}
	cli_reach_end();
	exit(CLI_DONE);
}

static void
option_set_jobs(struct cli *c, const char *s)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(s, &end, 10);
	if (*s < '0' || *s > '9' || *end != '\0' || n == 0 || n > JOBS_MAX)
		cli_usage_error(c, "--jobs takes a number from 1 to %d, not "
		    "'%s'", JOBS_MAX, s);
	c->options.jobs = (unsigned)n;
}

/* N or P% of --max-bad. */
static void
option_set_max_bad(struct cli *c, const char *argument)
{
	struct cli_damage *d = &c->report.damage;
	char *end;

	errno = 0;
	d->max_bad = strtoull(argument, &end, 10);
	d->percent = *end == '%';
	if (d->percent)
		end++;
	if (*argument < '0' || *argument > '9' || *end != '\0' || errno != 0 ||
	    (d->percent && d->max_bad > 100))
		cli_usage_error(c, "--max-bad takes a number of inputs, or a "
		    "percentage: not '%s'", argument);
	d->limited = true;
}

/* Adds the losses that the words name, which have commas between them. */
static void
option_set_fail_on(struct cli *c, char *words)
{
	struct cli_damage *d = &c->report.damage;
	const char *word;

	while ((word = strsep(&words, ",")) != NULL) {
		if (strcmp(word, "overflow") == 0)
			d->fail_on |= CLI_OVERFLOW;
		else if (strcmp(word, "mismatch") == 0)
			d->fail_on |= CLI_MISMATCH;
		else
			cli_usage_error(c, "--fail-on takes overflow, "
			    "mismatch, or overflow,mismatch: not '%s'", word);
	}
}

static void
option_set_progress(struct cli *c, const char *what)
{
	struct cli_progress *p = c->report.progress;

	if (strcmp(what, "json") == 0)
		p->form = CLI_PROGRESS_JSON;
	else if (strcmp(what, "none") == 0)
		p->form = CLI_PROGRESS_NONE;
	else
		cli_usage_error(c, "--progress takes json or none");
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
option_set_raw_machine(struct cli *c, const char *word)
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
option_set_format(struct cli *c, char *s)
{
	struct prof_versions versions;
	char *options = s, *word;

	c->output.target.format = strsep(&options, ":");
	if (!prof_writable(c->output.target.format, &versions))
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
		option_set_raw_machine(c, word);
	if (strcmp(c->output.target.format, "raw") != 0 &&
	    c->output.target.pointer_bits == 32)
		cli_usage_error(c, "memprof-raw is of programs of 64 bits");
}

static void
options_set_release(struct cli *c, const char *release)
{
	char known[LLVM_RELEASE_NAMES_SIZE];

	c->output.release = release;
	if (retarget_release(release, &c->output.retarget))
		return;
	llvm_release_names(known);
	cli_usage_error(c, "release '%s' is not known: %s are", release,
	    known);
}

/* What is written.  False if the option says nothing of it. */
static bool
option_set_target(struct cli *c, int option)
{
	switch (option) {
	case CLI_TO:
		option_set_format(c, optarg);
		break;
	case CLI_FOR:
		options_set_release(c, optarg);
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
	if (option_set_target(c, option))
		return;
	switch (option) {
	case '0':
		c->options.nul_separated = true;
		break;
	case 'r':
		c->options.recursive = true;
		break;
	case 'j':
		option_set_jobs(c, optarg);
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
		cli_add_list(c, optarg);
		break;
	case CLI_KEEP_GOING:
		c->report.damage.keep_going = true;
		break;
	case CLI_MAX_BAD:
		c->report.damage.keep_going = true;
		option_set_max_bad(c, optarg);
		break;
	case CLI_ALLOW_EMPTY:
		c->output.allow_empty = true;
		break;
	case CLI_FAIL_ON:
		option_set_fail_on(c, optarg);
		break;
	case CLI_REPORT:
		c->report.damage.report = optarg;
		break;
	case CLI_MEMBER:
		c->options.member_glob = optarg;
		break;
	case CLI_PROGRESS:
		option_set_progress(c, optarg);
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
