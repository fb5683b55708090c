#include "config.h"

#include "cmd/common/refused_option.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/edit_distance.h"
#include "cmd/common/cli.h"

enum { NAME_MAX_SIZE = 40 };		/* longer names resemble no option */

/* Options that are asked of each program, and which programs have them. */
static const struct { const char *name, *who; } options_of_others[] = {
	{ "to", "use profraw-cat --to for other formats" },
	{ "for", "use prof-index --for for profiles of another compiler" },
	{ "text", "use profraw-cat --text for a profile as text" },
	{ "salvage", "use profraw-cat --salvage for the intact part of "
	    "damaged profiles" },
	{ "topn", "use prof-show --topn for the hottest functions" },
	{ "binary", "use prof-symbolize --binary for the functions of "
	    "addresses" },
	{ "profiled-binary", "use prof-symbolize --binary for the functions "
	    "of addresses" },
	{ "function", "use prof-filter --function to keep functions by name" },
	{ "no-function", "use prof-filter --no-function to drop functions by "
	    "name" },
	{ "flamegraph", "use prof-export --svg for a flame graph" },
	{ "failure-mode", "use --keep-going to leave out bad inputs" },
	{ "threads", "use prof-merge --jobs for the number of threads" },
};

/* The option whose name has two thirds of the letters of that name, or NULL. */
static const char *
nearest_option(const struct option *longs, const char *name)
{
	size_t size = strcspn(name, "="), least, distance;
	const char *nearest = NULL;

	if (size < 2 || size > NAME_MAX_SIZE)
		return NULL;
	least = size < 6 ? 2 : size / 3 + 1;
	for (; longs->name != NULL; longs++) {
		distance = edit_distance((struct prof_span){
		    (const uint8_t *)name, size }, span_of_text(longs->name),
		    least - 1);
		if (distance < least) {
			least = distance;
			nearest = longs->name;
		}
	}
	return nearest;
}

/*
 * getopt_long takes the begin of a name if no other begins so: if any does,
 * there are several, which the message lists as far as they fit.
 */
static void
refuse_ambiguous(const struct cli *c, const struct option *longs,
    const char *argument)
{
	const char *name = argument + strspn(argument, "-");
	size_t size = strcspn(name, "="), used = 0;
	char list[256];

	for (; size != 0 && longs->name != NULL; longs++) {
		size_t next = strlen(longs->name) + 4;	/* ", --" */

		if (strncmp(longs->name, name, size) != 0 ||
		    used + next >= sizeof(list))
			continue;
		snprintf(list + used, sizeof(list) - used, "%s--%s",
		    used == 0 ? "" : ", ", longs->name);
		used += strlen(list + used);
	}
	if (used != 0)
		cli_usage_error(c, "ambiguous option '%s'; possibilities: %s",
		    argument, list);
}

/*
 * The argument that has the refused letter: getopt has gone past it if the
 * letter was its last one.
 */
static const char *
argument_of_letter(char *const *argv, int letter)
{
	const char *next = argv[optind], *past = argv[optind - 1];

	if (next != NULL && next[0] == '-' && next[1] != '-' &&
	    strchr(next, letter) != NULL)
		return next;
	return past;
}

static void __attribute__((noreturn))
refuse_name(const struct cli *c, const struct option *longs,
    const char *argument, const char *said)
{
	const char *name = argument + strspn(argument, "-");
	const char *nearest = nearest_option(longs, name);

	if (nearest == NULL)
		cli_usage_error(c, "%s", said);
	cli_usage_error(c, "%s: did you mean '--%s'?", said, nearest);
}

void
cli_refuse_option(const struct cli *c, int refusal, const char *known,
    const struct option *longs, char *const *argv)
{
	const char *argument = argv[optind - 1];
	char said[256];

	if (known != NULL)
		cli_usage_error(c, refusal == ':' ?
		    "option '--%s' requires an argument" :
		    "option '--%s' doesn't allow an argument", known);
	if (optopt != 0) {
		snprintf(said, sizeof(said), "invalid option -- '%c'", optopt);
		refuse_name(c, longs, argument_of_letter(argv, optopt), said);
	}
	refuse_ambiguous(c, longs, argument);
	snprintf(said, sizeof(said), "unrecognized option '%s'", argument);
	refuse_name(c, longs, argument, said);
}

void
cli_refuse_option_of_others(const struct cli *c, const char *argument)
{
	size_t n = sizeof(options_of_others) / sizeof(*options_of_others);
	size_t size = strcspn(argument + 2, "=");

	for (size_t i = 0; i < n; i++) {
		const char *name = options_of_others[i].name;

		if (strlen(name) == size &&
		    memcmp(name, argument + 2, size) == 0)
			cli_usage_error(c, "--%s: %s", name,
			    options_of_others[i].who);
	}
}
