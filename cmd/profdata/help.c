/* --help of llvm-profdata, in the layout and with the sentences of LLVM 22. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/profdata/options.h"

#define MANUAL "See detailed documentation in " \
    "https://llvm.org/docs/CommandGuide/llvm-profdata.html#profdata-"

static const struct {
	enum profdata_command command;
	const char *name, *what, *operands;
} commands[] = {
	{ PROFDATA_MERGE, "merge", "Takes several profiles and merge them "
	    "together. " MANUAL "merge", "<filename...>" },
	{ PROFDATA_ORDER, "order", "Reads temporal profiling traces from a "
	    "profile and outputs a function order that reduces the number of "
	    "page faults for those traces. " MANUAL "order",
	    "<profdata-file>" },
	{ PROFDATA_OVERLAP, "overlap", "Computes and displays the overlap "
	    "between two profiles. " MANUAL "overlap",
	    "<base profile file> <test profile file>" },
	{ PROFDATA_SHOW, "show", "Takes a profile data file and displays the "
	    "profiles. " MANUAL "show", "<profdata-file>" },
};

enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static bool
is_option_printed(const struct profdata_option *o)
{
	return o->type != OPTION_REFUSED && o->type != OPTION_REFUSED_VALUE &&
	    o->type != OPTION_IGNORED;
}

/* The option that a row without help is another name for. */
static const struct profdata_option *
option_of_alias(const struct profdata_option *alias)
{
	const struct profdata_option *o = profdata_option_table;

	while (o->at != alias->at || o->type != alias->type)
		o++;
	return o;
}

/* "--name=<value>"; returns its length. */
static int
option_label(const struct profdata_option *o, char *label, size_t size)
{
	const char *dash = o->name[1] == '\0' ? "-" : "--";

	if (o->value_name == NULL)
		return snprintf(label, size, "%s%s", dash, o->name);
	return snprintf(label, size, "%s%s=<%s>", dash, o->name,
	    o->value_name);
}

static void
print_option_help(const struct profdata_option *o, int width)
{
	char label[80];

	option_label(o, label, sizeof(label));
	if (o->help == NULL)
		printf("  %-*s - Alias for --%s\n", width, label,
		    option_of_alias(o)->name);
	else
		printf("  %-*s - %s\n", width, label, o->help);
	for (const struct profdata_word *w = o->words;
	    w != NULL && w->word != NULL; w++)
		printf("    =%-*s -   %s\n", width - 3, *w->word == '\0' ?
		    "<empty>" : w->word, w->help);
}

void
profdata_help(const struct profdata *p)
{
	char label[80];
	int width = 0;
	size_t i = 0;

	while (commands[i].command != p->command)
		i++;
	for (const struct profdata_option *o = profdata_option_table;
	    o->name != NULL; o++) {
		int n = option_label(o, label, sizeof(label));

		if ((o->commands & p->command) && is_option_printed(o) &&
		    n > width)
			width = n;
	}
	printf("OVERVIEW: LLVM profile data\n\nSUBCOMMAND '%s': %s\n\n"
	    "USAGE: %s %s [options] %s\n\nOPTIONS:\n\nGeneral options:\n\n",
	    commands[i].name, commands[i].what, p->name, commands[i].name,
	    commands[i].operands);
	for (const struct profdata_option *o = profdata_option_table;
	    o->name != NULL; o++) {
		if ((o->commands & p->command) && is_option_printed(o))
			print_option_help(o, width);
	}
	printf("\nGeneric Options:\n\n  %-*s - Alias for --help\n"
	    "  %-*s - Display available options\n"
	    "  %-*s - Display the version of this program\n", width, "-h",
	    width, "--help", width, "--version");
	exit(profdata_printed());
}

void
profdata_help_all(const struct profdata *p)
{
	printf("OVERVIEW: LLVM profile data\n\n"
	    "USAGE: %s [subcommand] [options]\n\nSUBCOMMANDS:\n\n", p->name);
	for (size_t i = 0; i < COMMANDS; i++)
		printf("  %-7s - %s\n", commands[i].name, commands[i].what);
	printf("\n  Type \"%s <subcommand> --help\" to get more help on a "
	    "specific subcommand\n\nOPTIONS:\n\nGeneric Options:\n\n"
	    "  --compat=<release> - Be as the program of LLVM <release>, 13 to "
	    "22 (default: 22)\n"
	    "  --help             - Display available options\n"
	    "  --version          - Display the version of this program\n",
	    p->name);
	exit(profdata_printed());
}
