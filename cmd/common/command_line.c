#include "config.h"

#include "cmd/common/command_line.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "cmd/common/cli.h"
#include "cmd/common/messages.h"
#include "cmd/common/process.h"
#include "io/suffix.h"

/* Options that are asked of each program, and which programs have them. */
static const struct { const char *name, *who; } options_of_others[] = {
	{ "to", "use profraw-cat --to for other formats, or --json if this "
	    "program has it" },
	{ "for", "use prof-index --for for profiles of another compiler" },
	{ "text", "use profraw-cat --text for a profile as text" },
	{ "salvage", "use profraw-cat --salvage for the intact part of "
	    "damaged profiles" },
	{ "topn", "use prof-show --topn for the hottest functions" },
	{ "binary", "use prof-symbolize --binary for the functions of "
	    "addresses" },
	{ "profiled-binary", "use prof-symbolize --binary for the functions "
	    "of addresses" },
	{ "debug-info", "use prof-symbolize --binary for correlated "
	    "profiles" },
	{ "function", "use prof-filter --function to keep functions by name" },
	{ "no-function", "use prof-filter --drop --function to drop functions "
	    "by name" },
	{ "flamegraph", "use prof-export --to folded for a flame graph" },
	{ "failure-mode", "use --keep-going to leave out bad inputs" },
	{ "threads", "use prof-merge --jobs for the number of threads" },
};

/* Of a program with messages of its own: prints that one. */
static void
given_refuse(const struct cli_given *g, enum cli_refusal why)
{
	if (g->cli->program->refuse != NULL)
		g->cli->program->refuse(g, why);
}

enum { ROWS = 160, HELP_COLUMN = 24 };	/* no program has as many rows */

/* The options of a program. */
struct rows {
	size_t size;
	const struct cli_option *of[ROWS];
};

static bool
is_end(const struct cli_option *o)
{
	return o->name == NULL && o->help == NULL;
}

/* Whether the verb (NULL: none yet) has the option. */
static bool
verb_accepts(const struct cli_program *p, const struct cli_verb *verb,
    const struct cli_option *o)
{
	const char *const *refused = verb == NULL ? NULL : verb->refuses;

	while (refused != NULL && *refused != NULL &&
	    strcmp(*refused, o->name) != 0)
		refused++;
	return (refused == NULL || *refused == NULL) && (o->verbs == 0 ||
	    (verb != NULL && (o->verbs & CLI_VERB(verb - p->verbs)) != 0));
}

/*
 * The option of that name.  If there is none, the only one whose name begins so
 * is meant, if `begins` is set.
 */
static const struct cli_option *
rows_find(const struct rows *r, const char *name, bool begins)
{
	const struct cli_option *found = NULL;
	size_t size = strcspn(name, "="), matches = 0;

	for (size_t i = 0; i < r->size; i++) {
		if (strncmp(r->of[i]->name, name, size) != 0)
			continue;
		if (r->of[i]->name[size] == '\0')
			return r->of[i];
		found = r->of[i];
		matches++;
	}
	return begins && matches == 1 ? found : NULL;
}

static const struct cli_option *
rows_find_letter(const struct rows *r, char letter)
{
	for (size_t i = 0; i < r->size; i++) {
		if (r->of[i]->letter == letter)
			return r->of[i];
	}
	return NULL;
}

/* Lists the options whose names begin so, as far as they fit. */
static void
refuse_ambiguous(const struct cli *c, const struct rows *r,
    const char *argument)
{
	const char *name = argument + strspn(argument, "-");
	size_t size = strcspn(name, "="), used = 0;
	char list[256];

	for (size_t i = 0; size != 0 && i < r->size; i++) {
		size_t next = strlen(r->of[i]->name) + 4;	/* ", --" */

		if (strncmp(r->of[i]->name, name, size) != 0 ||
		    used + next >= sizeof(list))
			continue;
		snprintf(list + used, sizeof(list) - used, "%s--%s",
		    used == 0 ? "" : ", ", r->of[i]->name);
		used += strlen(list + used);
	}
	if (used != 0)
		cli_usage_error(c, "ambiguous option '%s'; possibilities: %s",
		    argument, list);
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
cli_parse_hash(const struct cli_given *g)
{
	const char *s = g->argument;
	const bool hex = strncmp(s, "0x", 2) == 0;
	unsigned long long n;
	char *end;

	s += hex ? 2 : 0;
	errno = 0;
	n = strtoull(s, &end, hex ? 16 : 10);
	if (!isxdigit((unsigned char)*s) || *end != '\0' || errno != 0)
		cli_usage_error(g->cli, "--%s needs a number of 64 bits, "
		    "decimal or 0x..., not '%s'", g->option->name, g->argument);
	return n;
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
	given_refuse(g, CLI_NO_WORD);
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

/* Exits with the verbs that accept the option, if its verb does not. */
static void
option_check_verb(const struct cli_given *g)
{
	const struct cli_program *p = g->cli->program;
	const char *names[8 * sizeof(unsigned) + 1] = { NULL };
	char list[CLI_WORDS_SIZE];
	size_t n = 0;

	if (verb_accepts(p, g->verb, g->option))
		return;
	for (size_t i = 0; p->verbs[i].name != NULL; i++) {
		if (verb_accepts(p, &p->verbs[i], g->option))
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
	case CLI_BITS:
		*(unsigned *)member |= option_parse_bits(g);
		break;
	case CLI_FUNCTION:
		o->set(g);
		break;
	default:
		cli_store(member, o->width, option_parse_unsigned(g));
	}
}

static void __attribute__((noreturn))
refuse_unknown(const struct cli_given *g, const struct rows *r)
{
	given_refuse(g, CLI_UNKNOWN_OPTION);
	refuse_ambiguous(g->cli, r, g->word);
	cli_usage_error(g->cli, "unrecognized option '%s'", g->word);
}

/*
 * Applies the option, whose argument is the rest of the word, or the next word
 * if it needs one.  Returns the number of words.
 */
static int
given_apply(struct cli_given *g, char *rest, char *next)
{
	const char *argument = g->option->argument;
	bool wants = rest == NULL && argument != NULL && *argument != '[';

	if (wants && next == NULL) {
		given_refuse(g, CLI_NO_ARGUMENT);
		cli_usage_error(g->cli, "option '--%s' requires an argument",
		    g->option->name);
	}
	g->argument = wants ? next : rest;
	option_apply(g);
	return wants ? 2 : 1;
}

/* Letters in one word, of which the last may have an argument. */
static int
parse_letters(const struct rows *r, struct cli_given *g, char *next)
{
	for (char *s = g->word + 1; *s != '\0'; s++) {
		g->option = rows_find_letter(r, *s);
		if (g->option == NULL)
			cli_usage_error(g->cli, "invalid option -- '%c'", *s);
		if (g->option->argument != NULL)
			return given_apply(g, s[1] == '\0' ? NULL : s + 1,
			    next);
		given_apply(g, NULL, NULL);
	}
	return 1;
}

/*
 * One dash before all of a long name is as good as two, as in llvm-profdata.
 * The name of an option that only other programs have would be taken for the
 * beginning of another name.
 */
static int
parse_word(const struct rows *r, struct cli_given *g, char *next)
{
	bool llvm = g->cli->program->refuse != NULL, two = g->word[1] == '-';
	char *name = g->word + 1 + two, *value = strchr(name, '=');

	g->option = rows_find(r, name, false);
	if (g->option == NULL && llvm && strcspn(name, "=") == 1)
		g->option = rows_find_letter(r, *name);
	else if (g->option == NULL && !llvm && !two)
		return parse_letters(r, g, next);
	else if (g->option == NULL && !llvm) {
		refuse_option_of_others(g->cli, g->word);
		g->option = rows_find(r, name, true);
	}
	if (g->option == NULL)
		refuse_unknown(g, r);
	if (value != NULL && g->option->argument == NULL && !llvm)
		cli_usage_error(g->cli, "option '--%s' doesn't allow an "
		    "argument", g->option->name);
	return given_apply(g, value == NULL ? NULL : value + 1, next);
}

/* Leaves the operands, in their order, and NULL behind them. */
static void
command_line_parse(struct cli *c, void *run, const struct cli_verb *verb,
    int *argc, char ***argv)
{
	struct cli_given g = { .cli = c, .run = run, .verb = verb };
	const struct cli_program *p = c->program;
	bool only_first = p->refuse == NULL &&
	    getenv("POSIXLY_CORRECT") != NULL;
	bool options = true;
	struct rows r = { .size = 0 };
	char **words = ++*argv;
	int size = *argc - 1, i = 0;

	for (size_t t = 0; p->tables[t] != NULL; t++) {
		for (const struct cli_option *o = p->tables[t]; !is_end(o);
		    o++) {
			if (o->name != NULL && r.size < ROWS &&
			    (p->refuse == NULL || verb_accepts(p, verb, o)))
				r.of[r.size++] = o;
		}
	}
	*argc = 0;
	while (i < size) {
		g.word = words[i];
		if (!options || g.word[0] != '-' || g.word[1] == '\0') {
			options = options && !only_first;
			words[(*argc)++] = words[i++];
		} else if (strcmp(g.word, "--") == 0) {
			options = false;
			i++;
		} else
			i += parse_word(&r, &g, words[i + 1]);
	}
	words[*argc] = NULL;
	cli_choose_format(c);
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
	printf("\nExamples:\n%s", p->examples);
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
refuse_verb(const struct cli_given *g)
{
	const struct cli *c = g->cli;
	const char *names[8 * sizeof(unsigned) + 1];
	char list[CLI_WORDS_SIZE];
	size_t n = 0;

	given_refuse(g, CLI_NO_VERB);
	while ((names[n] = c->program->verbs[n].name) != NULL)
		n++;
	cli_join_words(list, names, "or");
	if (g->word == NULL || *g->word == '-')
		cli_usage_error(c, "the first argument must be %s", list);
	cli_usage_error(c, "unknown command '%s': use %s", g->word, list);
}

unsigned
cli_parse(struct cli *c, void *run, int *argc, char ***argv)
{
	const struct cli_verb *verb = c->program->verbs;
	struct cli_given g = { .cli = c, .run = run, .word = (*argv)[1] };
	bool any = verb != NULL && g.word != NULL && *g.word != '-';

	if (any) {
		while (verb->name != NULL && strcmp(verb->name, g.word) != 0)
			verb++;
		if (verb->name == NULL)
			refuse_verb(&g);
		(*argc)--;
		(*argv)++;
		g.verb = verb;
	}
	command_line_parse(c, run, g.verb, argc, argv);
	if (verb == NULL)
		return 0;
	if (!any)
		refuse_verb(&g);
	if (*argc < verb->least || *argc > verb->most) {
		given_refuse(&g, *argc < verb->least ? CLI_TOO_FEW :
		    CLI_TOO_MANY);
		cli_usage_error(c, "%s needs %s", verb->name, verb->needs);
	}
	return (unsigned)(verb - c->program->verbs);
}
