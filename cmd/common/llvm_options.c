#include "config.h"

#include "cmd/common/llvm_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/process.h"
#include "model/releases.h"

static void
llvm_print(const char *kind, const char *where, const char *format,
    va_list ap)
{
	message_print("%s: ", kind);
	if (where != NULL)
		message_print("%s: ", where);
	message_vprint_lines(format, ap);
	message_print("\n");
}

void
llvm_fail(const char *where, const char *format, ...)
{
	va_list ap;

	fflush(stdout);
	va_start(ap, format);
	llvm_print("error", where, format, ap);
	va_end(ap);
	exit(1);
}

void
llvm_warn(const char *where, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	llvm_print("warning", where, format, ap);
	va_end(ap);
}

/* The program and, up to a release, the command. */
static void
llvm_print_program(const struct cli_given *g)
{
	const struct llvm_tool *t = g->run;
	bool command = t->commandless == 0 || t->release < t->commandless;

	message_print("%s%s%s: ", g->cli->name, command ? " " : "",
	    command ? g->verb->name : "");
}

/* Refuses a value, which stands between two parts of the message. */
static void __attribute__((noreturn))
llvm_refuse_value(const struct cli_given *g, const char *before,
    const char *value, const char *behind)
{
	const char *name = g->word + strspn(g->word, "-");
	int size = (int)strcspn(name, "=");

	llvm_print_program(g);
	message_print("for the %s%.*s option: %s%s%s\n", size == 1 ? "-" :
	    "--", size, name, before, value, behind);
	exit(1);
}

void
llvm_refuse(const struct cli_given *g, enum cli_refusal why)
{
	const struct llvm_tool *t = g->run;
	bool command = t->commandless == 0 || t->release < t->commandless;

	if (why == CLI_NO_ARGUMENT)
		llvm_refuse_value(g, "requires a value!", "", "");
	if (why == CLI_NO_WORD)
		llvm_refuse_value(g, "Cannot find option named '",
		    g->argument, "'!");
	llvm_print_program(g);
	if (why == CLI_TOO_FEW)
		message_print("Not enough positional command line arguments "
		    "specified!\n");
	else if (why == CLI_TOO_MANY)
		message_print("Too many positional arguments specified!\n");
	if (why == CLI_UNKNOWN_OPTION)
		message_print("Unknown command line argument '%s'.  Try: '",
		    g->word);
	else
		message_print("%s %d positional arguments: See: ",
		    why == CLI_TOO_FEW ? "Must specify at least" :
		    "Can specify at most", why == CLI_TOO_FEW ?
		    g->verb->least : g->verb->most);
	message_print("%s%s%s --help%s\n", g->cli->name, command ? " " : "",
	    command ? g->verb->name : "", why == CLI_UNKNOWN_OPTION ? "'" : "");
	exit(1);
}

/* StringRef::getAsInteger(0): C's prefixes, 0b and 0o. */
static bool
llvm_parse_integer(const char *s, uint64_t max, uint64_t *out)
{
	int base = 10;
	char *end;

	if (s[0] == '0' && s[1] != '\0') {
		static const char letters[] = "xXbBoO";
		static const int bases[] = { 16, 16, 2, 2, 8, 8 };
		const char *at = strchr(letters, s[1]);

		base = at == NULL ? 8 : bases[at - letters];
		s += at == NULL ? 1 : 2;
	}
	errno = 0;
	*out = strtoull(s, &end, base);
	/* strtoull would accept signs and leading blanks. */
	return end != s && *end == '\0' && errno == 0 && *out <= max &&
	    *s != '-' && *s != '+' && *s > ' ' &&
	    !(base == 16 && (s[1] == 'x' || s[1] == 'X'));
}

uint64_t
llvm_number(const struct cli_given *g, const char *value)
{
	uint64_t n;

	if (!llvm_parse_integer(value, g->option->max, &n))
		llvm_refuse_value(g, "'", value, g->option->max == UINT32_MAX ?
		    "' value invalid for uint argument!" :
		    "' value invalid for ulong argument!");
	return n;
}

void *
llvm_member(const struct cli_given *g)
{
	return (char *)g->run + g->option->member;
}

void
llvm_set_number(const struct cli_given *g)
{
	*(uint64_t *)llvm_member(g) = llvm_number(g, g->argument);
}

void
llvm_set_flag(const struct cli_given *g)
{
	static const char *const words[] = {
		"", "true", "TRUE", "True", "1",
		"false", "FALSE", "False", "0", NULL
	};
	size_t i = 0;

	while (g->argument != NULL && words[i] != NULL &&
	    strcmp(g->argument, words[i]) != 0)
		i++;
	if (words[i] == NULL)
		llvm_refuse_value(g, "'", g->argument, "' is invalid value "
		    "for boolean argument! Try 0 or 1");
	*(bool *)llvm_member(g) = i < 5;
}

void
llvm_ignore(const struct cli_given *g)
{
	(void)g;
}

/* The release in a name such as llvm-profdata-16; 0 if there is none. */
static unsigned
llvm_release_of_name(const struct llvm_tool *t, const char *name)
{
	size_t size = strlen(t->name);
	uint64_t n;

	if (strncmp(name, t->name, size) != 0 || name[size] != '-' ||
	    !llvm_parse_integer(name + size + 1, UINT32_MAX, &n) ||
	    n < LLVM_OLDEST || n > llvm_release_newest()->major)
		return 0;
	return (unsigned)n;
}

/*
 * Sets the release: of --compat, or else of the program's name, or else of
 * PROFTOOLS_COMPAT, or else the newest.
 */
static void
llvm_choose_release(struct llvm_tool *t, const char *program,
    const char *compat)
{
	const unsigned newest = llvm_release_newest()->major;
	const unsigned named = llvm_release_of_name(t, program);
	uint64_t n;

	if (compat == NULL && named == 0)
		compat = getenv("PROFTOOLS_COMPAT");
	t->release = named != 0 ? named : newest;
	if (compat == NULL || *compat == '\0')
		return;
	if (!llvm_parse_integer(compat, newest, &n) || n < LLVM_OLDEST)
		llvm_fail(NULL, "--compat and PROFTOOLS_COMPAT need a release "
		    "of LLVM, %d to %u, not '%s'", LLVM_OLDEST, newest,
		    compat);
	t->release = (unsigned)n;
}

void
llvm_set_compat(const struct cli_given *g)
{
	llvm_choose_release(g->run, g->cli->name, g->argument);
}

/* Scripts look for "LLVM version N". */
void
llvm_print_version(const struct cli_given *g)
{
	const struct llvm_tool *t = g->run;

	printf("LLVM version %u\n  as far as " PACKAGE_STRING " has it\n",
	    t->release);
	exit(stdio_close(stdout) != 0);
}

void
llvm_start(struct llvm_tool *t, struct cli *c, int *argc, char ***argv)
{
	const char *slash = strrchr(**argv, '/'), *compat = NULL;

	cli_cleanup_at_end();
	t->progress.silent = true;
	c->report.progress = &t->progress;
	c->name = slash == NULL ? **argv : slash + 1;
	if (*argc > 1 && strncmp((*argv)[1], "--compat=", 9) == 0) {
		compat = (*argv)[1] + 9;
		--*argc;
		++*argv;
	}
	llvm_choose_release(t, c->name, compat);
}
