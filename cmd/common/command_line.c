#include "config.h"

#include "cmd/common/command_line.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/cleanup.h"
#include "cmd/common/cli.h"

/* FIRST and above are values of options without a letter. */
enum { FIRST = 256, ROWS_MAX = 64, HELP_COLUMN = 24 };

/* For getopt_long, and the row of each value that it returns. */
struct rows {
	size_t size;
	const struct cli_option *of[FIRST + ROWS_MAX];
	struct option longs[ROWS_MAX + 1];
	char letters[3 * ROWS_MAX];
};

static void
rows_add(struct rows *r, const struct cli_option *o)
{
	int value = o->letter != 0 ? o->letter : FIRST + (int)r->size;
	int argument = o->argument == NULL ? no_argument :
	    o->argument[0] == '[' ? optional_argument : required_argument;
	size_t end = strlen(r->letters);

	r->of[value] = o;
	r->longs[r->size++] = (struct option){ o->name, argument, NULL, value };
	if (o->letter != 0)
		snprintf(r->letters + end, sizeof(r->letters) - end, "%c%s",
		    o->letter, argument == no_argument ? "" :
		    argument == required_argument ? ":" : "::");
}

static bool
is_end(const struct cli_option *o)
{
	return o->name == NULL && o->help == NULL;
}

static void
rows_add_tables(struct rows *r, const struct cli_program *p)
{
	const struct cli_option *o;

	for (size_t i = 0; p->tables[i] != NULL; i++) {
		for (o = p->tables[i]; !is_end(o); o++) {
			if (o->name != NULL && r->size < ROWS_MAX)
				rows_add(r, o);
		}
	}
}

static void
option_apply(const struct cli_given *g)
{
	const struct cli_option *o = g->option;
	void *member = (char *)(o->shared ? g->cli : g->run) + o->member;

	switch (o->kind) {
	case CLI_FLAG:
		*(bool *)member = true;
		break;
	case CLI_TEXT:
		*(const char **)member = g->argument;
		break;
	case CLI_SIZE:
		*(uint64_t *)member = cli_parse_size(g->cli, g->argument);
		break;
	case CLI_FUNCTION:
		o->set(g);
		break;
	}
}

void
cli_parse(struct cli *c, void *run, int argc, char **argv)
{
	struct cli_given g = { .cli = c, .run = run };
	struct rows r = { .size = 0 };
	int value;

	rows_add_tables(&r, c->program);
	while ((value = getopt_long(argc, argv, r.letters, r.longs, NULL)) !=
	    -1) {
		g.option = r.of[value];
		g.argument = optarg;
		if (g.option == NULL) {
			fprintf(stderr, "Try '%s --help'.\n", c->name);
			exit(CLI_TROUBLE);
		}
		option_apply(&g);
	}
}

static void
finish_and_exit(const struct cli *c)
{
	if (ferror(stdout) || fclose(stdout) == EOF) {
		fprintf(stderr, "%s: standard output: %s\n", c->name,
		    strerror(errno));
		exit(CLI_TROUBLE);
	}
	cli_reach_end();
	exit(CLI_DONE);
}

static void
print_option(const struct cli_option *o)
{
	const char *argument = o->argument != NULL ? o->argument : "";
	int width = o->letter == 0 ? printf("%6s", "") :
	    printf("  -%c, ", o->letter);

	width += printf("--%s%s%s", o->name, *argument == '[' ||
	    *argument == '\0' ? "" : " ", argument);
	printf("%*s", width < HELP_COLUMN ? HELP_COLUMN - width : 2, "");
	for (const char *s = o->help; *s != '\0'; s++) {
		putchar(*s);
		if (*s == '\n')
			printf("%*s", HELP_COLUMN, "");
	}
	putchar('\n');
}

void
cli_print_help(const struct cli_given *g)
{
	const struct cli_program *p = g->cli->program;
	const struct cli_option *o;

	puts(p->usage);
	for (size_t i = 0; p->tables[i] != NULL; i++) {
		for (o = p->tables[i]; !is_end(o); o++) {
			if (o->name == NULL)
				puts(o->help);
			else if (o->help != NULL)
				print_option(o);
		}
	}
	finish_and_exit(g->cli);
}

void
cli_print_version(const struct cli_given *g)
{
	puts(PACKAGE_STRING);
	finish_and_exit(g->cli);
}

const char *
cli_parse_number(const char *s, uint64_t min, uint64_t max, uint64_t *out)
{
	char *end;
	unsigned long long n;

	if (*s < '0' || *s > '9')
		return NULL;
	errno = 0;
	n = strtoull(s, &end, 10);
	if (errno != 0 || n < min || n > max)
		return NULL;
	*out = n;
	return end;
}

bool
cli_is_number(const char *s, uint64_t min, uint64_t max, uint64_t *out)
{
	const char *end = cli_parse_number(s, min, max, out);

	return end != NULL && *end == '\0';
}

uint64_t
cli_parse_size(const struct cli *c, const char *s)
{
	static const char units[] = "KMGT";
	const char *unit, *end;
	uint64_t n = 0;
	int shift = 0;

	end = cli_parse_number(s, 1, UINT64_MAX, &n);
	if (end != NULL && *end != '\0' &&
	    (unit = strchr(units, *end)) != NULL) {
		shift = 10 * (int)(unit - units + 1);
		end++;
	}
	if (end == NULL || *end != '\0' || n > UINT64_MAX >> shift)
		cli_usage_error(c, "'%s' is not a size above 0, as 64M is", s);
	return n << shift;
}

unsigned
cli_parse_word(const struct cli_given *g, const char *const *words)
{
	char list[256] = "";
	size_t size = 0;

	for (unsigned i = 0; words[i] != NULL; i++) {
		if (strcmp(g->argument, words[i]) == 0)
			return i;
		size += (size_t)snprintf(list + size, sizeof(list) - size,
		    "%s%s", i == 0 ? "" : words[i + 1] == NULL ? " or " : ", ",
		    words[i]);
	}
	cli_usage_error(g->cli, "--%s takes %s", g->option->name, list);
}
