#include "config.h"

#include "cmd/common/command_line.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/text.h"
#include "cmd/common/cli.h"
#include "cmd/common/messages.h"
#include "cmd/common/process.h"
#include "io/suffix.h"

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
	{ "no-function", "use prof-filter --drop --function to drop functions "
	    "by name" },
	{ "flamegraph", "use prof-export --to svg for a flame graph" },
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

/*
 * Prints why getopt_long has refused the option before or at argv[optind], with
 * the most similar long option, and exits.
 *
 * refusal is what getopt_long returned: ':' if an argument is missing, or '?'.
 * known is the long name of the option with the value of optopt, or NULL if
 * there is none; longs are all options.
 */
static void __attribute__((noreturn))
rows_refuse(const struct cli *c, int refusal, const char *known,
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

/*
 * Exits with a message if the option, with two dashes, is one that users expect
 * in every program and that only some have.
 */
static void
refuse_option_of_others(const struct cli *c, const char *argument)
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

/*
 * FIRST and above are values of options without a letter.  No program has as
 * many rows as ROWS.
 */
enum { FIRST = 256, ROWS = 160, HELP_COLUMN = 24 };

/* For getopt_long, and the row of each value that it returns. */
struct rows {
	size_t size;
	const struct cli_option *of[FIRST + ROWS];
	struct option longs[ROWS + 1];
	char letters[3 * ROWS + 2];	/* a letter has two colons at most */
	size_t letters_size;
};

static void
rows_add(struct rows *r, const struct cli_option *o)
{
	int value = o->letter != 0 ? o->letter : FIRST + (int)r->size;
	int argument = o->argument == NULL ? no_argument :
	    o->argument[0] == '[' ? optional_argument : required_argument;

	r->of[value] = o;
	r->longs[r->size++] = (struct option){ o->name, argument, NULL, value };
	if (o->letter == 0)
		return;
	r->letters[r->letters_size++] = (char)o->letter;
	for (int i = 0; i < argument; i++)
		r->letters[r->letters_size++] = ':';
}

static bool
is_end(const struct cli_option *o)
{
	return o->name == NULL && o->help == NULL;
}

static void
rows_add_tables(struct rows *r, const struct cli *c)
{
	const struct cli_option *const *tables = c->program->tables, *o;

	/* It makes getopt_long return ':' if an argument is missing. */
	r->letters[r->letters_size++] = ':';
	for (size_t i = 0; tables[i] != NULL; i++) {
		for (o = tables[i]; !is_end(o); o++) {
			if (o->name != NULL && r->size < ROWS)
				rows_add(r, o);
		}
	}
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

static uint64_t
option_parse_number(const struct cli_given *g)
{
	const struct cli_option *o = g->option;
	uint64_t n = o->max;

	if (g->argument == NULL || cli_is_number(g->argument, o->min, o->max,
	    &n))
		return n;
	if (o->max < UINT32_MAX)
		cli_usage_error(g->cli, "--%s needs a number from %llu to "
		    "%llu, not '%s'", o->name, (unsigned long long)o->min,
		    (unsigned long long)o->max, g->argument);
	cli_usage_error(g->cli, "--%s needs a number%s, not '%s'", o->name,
	    o->min == 0 ? "" : " above 0", g->argument);
}

/* A number of bytes, with K, M, G or T behind it. */
static uint64_t
option_parse_size(const struct cli_given *g)
{
	static const char units[] = "KMGT";
	const char *unit, *end;
	uint64_t n = 0;
	int shift = 0;

	end = cli_parse_number(g->argument, 1, UINT64_MAX, &n);
	if (end != NULL && *end != '\0' &&
	    (unit = strchr(units, *end)) != NULL) {
		shift = 10 * (int)(unit - units + 1);
		end++;
	}
	if (end == NULL || *end != '\0' || n > UINT64_MAX >> shift)
		cli_usage_error(g->cli, "--%s needs a size above 0, such as "
		    "64M, not '%s'", g->option->name, g->argument);
	return n << shift;
}

/* % may stand behind it, or not. */
static double
option_parse_percentage(const struct cli_given *g)
{
	const char *rest = g->argument + strspn(g->argument, "0123456789.");
	char *end;
	double percent = strtod(g->argument, &end);

	if (rest == g->argument || end != rest ||
	    strcmp(rest, *rest == '%' ? "%" : "") != 0 || !(percent <= 100))
		cli_usage_error(g->cli, "--%s needs a percentage from 0 to "
		    "100, not '%s'", g->option->name, g->argument);
	return percent;
}

void
cli_join_words(char list[CLI_WORDS_SIZE], const char *const *words,
    const char *before_last)
{
	size_t size = 0;

	*list = '\0';
	for (size_t i = 0; words[i] != NULL && size < CLI_WORDS_SIZE; i++)
		size += (size_t)snprintf(list + size, CLI_WORDS_SIZE - size,
		    "%s%s%s%s", i == 0 ? "" : words[i + 1] == NULL ? " " : ",",
		    i == 0 || words[i + 1] != NULL ? "" : before_last,
		    i == 0 ? "" : " ", words[i]);
}

static unsigned
option_parse_word(const struct cli_given *g, const char *word)
{
	const char *const *words = g->option->words;
	char list[CLI_WORDS_SIZE];

	for (unsigned i = 0; words[i] != NULL; i++) {
		if (strcmp(word, words[i]) == 0)
			return i;
	}
	cli_join_words(list, words, "or");
	cli_usage_error(g->cli, "--%s accepts %s, not '%s'", g->option->name,
	    list, word);
}

/* Words have commas between them. */
static unsigned
option_parse_bits(const struct cli_given *g)
{
	char *words = g->argument;
	const char *word;
	unsigned bits = 0;

	while ((word = strsep(&words, ",")) != NULL)
		bits |= 1U << option_parse_word(g, word);
	return bits;
}

/* Optional words that are left out mean 0. */
static uint64_t
option_parse_unsigned(const struct cli_given *g)
{
	const struct cli_option *o = g->option;

	switch (o->kind) {
	case CLI_NUMBER:
		return option_parse_number(g);
	case CLI_BITS:
		return option_parse_bits(g);
	case CLI_WORD:
		return g->argument == NULL ? 0 :
		    option_parse_word(g, g->argument) + (unsigned)o->value;
	default:
		return (unsigned)o->value;
	}
}

void
cli_store(void *member, size_t width, uint64_t n)
{
	const uint8_t byte = (uint8_t)n;
	const uint32_t word = (uint32_t)n;

	memcpy(member, width == sizeof(byte) ? (const void *)&byte :
	    width == sizeof(word) ? (const void *)&word : &n, width);
}

static bool
verb_accepts(const struct cli_program *p, size_t verb,
    const struct cli_option *o)
{
	const char *const *refused = p->verbs[verb].refuses;

	while (refused != NULL && *refused != NULL &&
	    strcmp(*refused, o->name) != 0)
		refused++;
	return (refused == NULL || *refused == NULL) &&
	    (o->verbs == 0 || (o->verbs & CLI_VERB(verb)) != 0);
}

/* Exits with the verbs that accept the option, if its verb does not. */
static void
option_check_verb(const struct cli_given *g)
{
	const struct cli_program *p = g->cli->program;
	const char *names[8 * sizeof(unsigned) + 1] = { NULL };
	char list[CLI_WORDS_SIZE];
	size_t n = 0;

	if (verb_accepts(p, (size_t)(g->verb - p->verbs), g->option))
		return;
	for (size_t i = 0; p->verbs[i].name != NULL; i++) {
		if (verb_accepts(p, i, g->option))
			names[n++] = p->verbs[i].name;
	}
	if (n == 0)
		cli_usage_error(g->cli, "%s does not accept --%s",
		    g->verb->name, g->option->name);
	cli_join_words(list, names, "and");
	cli_usage_error(g->cli, "--%s is for %s", g->option->name, list);
}

static void
option_apply(const struct cli_given *g)
{
	const struct cli_option *o = g->option;
	char *base = o->shared ? (char *)g->cli : g->run;
	void *member = base + o->member;
	struct cli_list *list;

	if (g->verb != NULL)
		option_check_verb(g);
	if (o->marks)
		*(bool *)(void *)(base + o->mark) = true;
	switch (o->kind) {
	case CLI_FLAG:
		*(bool *)member = true;
		break;
	case CLI_TEXT:
		*(const char **)member = o->argument == NULL ? o->name :
		    g->argument;
		break;
	case CLI_SIZE:
		*(uint64_t *)member = option_parse_size(g);
		break;
	case CLI_PERCENTAGE:
		*(double *)member = option_parse_percentage(g);
		break;
	case CLI_REPEATED:
		list = member;
		if (!ARRAY_ADD(list->items, list->size, list->room,
		    g->argument))
			cli_out_of_memory(g->cli);
		break;
	case CLI_FUNCTION:
		o->set(g);
		break;
	default:
		cli_store(member, o->width, option_parse_unsigned(g));
	}
}

static bool
is_long_name(const struct rows *r, const char *text)
{
	size_t size = strcspn(text, "=");

	for (size_t i = 0; i < r->size; i++) {
		if (strncmp(r->longs[i].name, text, size) == 0 &&
		    r->longs[i].name[size] == '\0')
			return true;
	}
	return false;
}

/* Lengthens an argument by a dash, in memory that lives as long as argv. */
static void
add_dash(const struct cli *c, char **argument)
{
	size_t size = strlen(*argument) + 1;
	char *text = malloc(size + 1);

	if (text == NULL)
		cli_out_of_memory(c);
	text[0] = '-';
	memcpy(text + 1, *argument, size);
	*argument = text;
}

/*
 * Looks at the next option before getopt_long does.  With one dash and all of a
 * long name it gets the other dash, since llvm-profdata takes one or two.  The
 * name of an option that only other programs have would be taken for the begin
 * of another name.  Arguments of options are not reached here: getopt_long
 * passes them.
 */
static void
rows_prepare_next(const struct rows *r, const struct cli *c, char **argv)
{
	argv += optind;
	while (*argv != NULL && ((*argv)[0] != '-' || (*argv)[1] == '\0'))
		argv++;
	if (*argv == NULL)
		return;
	if (is_long_name(r, *argv + 1))
		add_dash(c, argv);
	else if ((*argv)[1] == '-' && !is_long_name(r, *argv + 2))
		refuse_option_of_others(c, *argv);
}

static void
command_line_parse(struct cli *c, void *run, const struct cli_verb *verb,
    int argc, char **argv)
{
	struct cli_given g = { .cli = c, .run = run, .verb = verb };
	struct rows r = { .size = 0 };
	const struct cli_option *known;
	int value;

	rows_add_tables(&r, c);
	/* Messages of getopt_long would print control characters. */
	opterr = 0;
	for (;;) {
		rows_prepare_next(&r, c, argv);
		value = getopt_long(argc, argv, r.letters, r.longs, NULL);
		if (value == -1)
			break;
		if (value == '?' || value == ':') {
			known = optopt > 0 ? r.of[optopt] : NULL;
			rows_refuse(c, value, known == NULL ? NULL :
			    known->name, r.longs, argv);
		}
		g.option = r.of[value];
		g.argument = optarg;
		option_apply(&g);
	}
	cli_choose_format(c);
}

void
cli_parse(struct cli *c, void *run, int argc, char **argv)
{
	command_line_parse(c, run, NULL, argc, argv);
}

static void
finish_and_exit(const struct cli *c)
{
	int error = stdio_close(stdout);

	if (error != 0) {
		message_print("%s: standard output: %s\n", c->name,
		    strerror(error));
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
	puts(PACKAGE_STRING BUILT_WITHOUT);
	finish_and_exit(g->cli);
}

/* Exits with a message that names all verbs. */
static void __attribute__((noreturn))
refuse_verb(const struct cli *c, const char *word)
{
	const char *names[8 * sizeof(unsigned) + 1];
	char list[CLI_WORDS_SIZE];
	size_t n = 0;

	while ((names[n] = c->program->verbs[n].name) != NULL)
		n++;
	cli_join_words(list, names, "or");
	if (word == NULL)
		cli_usage_error(c, "the first argument must be %s", list);
	cli_usage_error(c, "unknown command '%s': use %s", word, list);
}

unsigned
cli_parse_verb(struct cli *c, void *run, int *argc, char ***argv)
{
	const struct cli_verb *verb = c->program->verbs;
	const char *word = *argc > 1 && (*argv)[1][0] != '-' ? (*argv)[1] :
	    NULL;

	if (word != NULL) {
		while (verb->name != NULL && strcmp(verb->name, word) != 0)
			verb++;
		if (verb->name == NULL)
			refuse_verb(c, word);
		(*argv)[1] = (*argv)[0];
		(*argc)--;
		(*argv)++;
	}
	command_line_parse(c, run, word == NULL ? NULL : verb, *argc, *argv);
	if (word == NULL)
		refuse_verb(c, NULL);
	*argc -= optind;
	*argv += optind;
	if (*argc < verb->least || *argc > verb->most)
		cli_usage_error(c, "%s needs %s", verb->name, verb->needs);
	return (unsigned)(verb - c->program->verbs);
}
