/*
 * LLVM's syntax of options (llvm/lib/Support/CommandLine.cpp): one dash or two,
 * values behind '=' or in the next argument, in any order with the operands.
 */
#include "config.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cmd/common/messages.h"
#include "cmd/profdata/options.h"
#include "cmd/profdata/profdata.h"
#include "model/releases.h"

/* The message begins with the program and, up to LLVM 16, the command. */
static void __attribute__((format(printf, 2, 3), noreturn))
refuse_option(const struct profdata *p, const char *format, ...)
{
	va_list ap;

	message_print("%s", p->name);
	if (!profdata_since(p, 17) && p->command_name != NULL)
		message_print(" %s", p->command_name);
	message_print(": ");
	va_start(ap, format);
	message_vprint_lines(format, ap);
	va_end(ap);
	message_print("\n");
	exit(1);
}

static const char *
option_dashes(const char *name)
{
	return name[1] == '\0' ? "-" : "--";
}

static void
list_add_item(struct profdata_list *l, const char *item)
{
	if (!ARRAY_ADD(l->items, l->size, l->room, item))
		profdata_out_of_memory();
}

/* StringRef::getAsInteger(0): C's prefixes, 0b and 0o. */
static bool
parse_llvm_integer(const char *s, uint64_t max, uint64_t *out)
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

static uint64_t
option_number(const struct profdata *p, const char *name, const char *value,
    const char *type)
{
	uint64_t n;

	if (!parse_llvm_integer(value, strcmp(type, "uint") == 0 ? UINT32_MAX :
	    UINT64_MAX, &n))
		refuse_option(p,
		    "for the %s%s option: '%s' value invalid for %s "
		    "argument!", option_dashes(name), name, value, type);
	return n;
}

static void
option_add_numbers(const struct profdata *p, struct profdata_numbers *l,
    const char *name, const char *value)
{
	char *copy = strdup(value), *rest = copy, *word;

	if (copy == NULL)
		profdata_out_of_memory();
	while ((word = strsep(&rest, ",")) != NULL) {
		if (!ARRAY_ADD(l->items, l->size, l->room,
		    option_number(p, name, word, "uint")))
			profdata_out_of_memory();
	}
	free(copy);
}

static bool
option_boolean(const struct profdata *p, const char *name, const char *value)
{
	static const char *const words[] = {
		"", "true", "TRUE", "True", "1",
		"false", "FALSE", "False", "0"
	};

	if (value == NULL)
		return true;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(value, words[i]) == 0)
			return i < 5;
	}
	refuse_option(p,
	    "for the %s%s option: '%s' is invalid value for boolean "
	    "argument! Try 0 or 1", option_dashes(name), name, value);
}

static unsigned
option_choice(const struct profdata *p, const struct profdata_option *o,
    const char *name, const char *value)
{
	for (unsigned i = 0; o->words[i].word != NULL; i++) {
		if (strcmp(value, o->words[i].word) == 0)
			return i + o->value;
	}
	refuse_option(p, "for the %s%s option: Cannot find option named '%s'!",
	    option_dashes(name), name, value);
}

static void
option_set_value(struct profdata *p, const struct profdata_option *o,
    const char *name, const char *value)
{
	char *at = (char *)&p->options + o->at;

	switch (o->type) {
	case OPTION_FLAG:
		*(bool *)(void *)at = option_boolean(p, name, value);
		break;
	case OPTION_SET:
		*(unsigned *)(void *)at = o->value;
		break;
	case OPTION_STRING:
		*(const char **)(void *)at = value;
		break;
	case OPTION_LIST:
		list_add_item((struct profdata_list *)(void *)at, value);
		break;
	case OPTION_UINT:
		*(uint64_t *)(void *)at = option_number(p, name, value,
		    "uint");
		break;
	case OPTION_ULONG:
		*(uint64_t *)(void *)at = option_number(p, name, value,
		    "ulong");
		break;
	case OPTION_NUMBERS:
		option_add_numbers(p, (struct profdata_numbers *)(void *)at,
		    name, value);
		break;
	case OPTION_CHOICE:
		*(unsigned *)(void *)at = option_choice(p, o, name, value);
		break;
	case OPTION_IGNORED:
	case OPTION_IGNORED_VALUE:
		break;
	case OPTION_REFUSED:
	case OPTION_REFUSED_VALUE:
		profdata_fail(NULL, "%s%s: %s", option_dashes(name), name,
		    o->help);
	}
	if (o->at == offsetof(struct profdata_options, value_cutoff))
		p->options.has_value_cutoff = true;
}

static bool
option_wants_value(const struct profdata_option *o)
{
	return o->type >= OPTION_FIRST_WITH_VALUE;
}

static const struct profdata_option *
option_find(const struct profdata *p, const char *name, size_t size)
{
	for (const struct profdata_option *o = profdata_option_table;
	    o->name != NULL; o++) {
		if (o->commands & p->command && strlen(o->name) == size &&
		    memcmp(o->name, name, size) == 0)
			return o;
	}
	return NULL;
}

bool
profdata_selects(const struct profdata_options *o, struct prof_span name)
{
	size_t size = o->function == NULL ? 0 : strlen(o->function);

	for (size_t i = 0; size != 0 && i + size <= name.size; i++) {
		if (memcmp(name.data + i, o->function, size) == 0)
			return true;
	}
	return false;
}

static void __attribute__((noreturn))
refuse_argument(const struct profdata *p, const char *argument)
{
	bool command = !profdata_since(p, 17);

	refuse_option(p,
	    "Unknown command line argument '%s'.  Try: '%s%s%s --help'",
	    argument, p->name, command ? " " : "", command ? p->command_name :
	    "");
}

/* Scripts look for "LLVM version N". */
void
profdata_print_version(const struct profdata *p)
{
	printf("LLVM version %u\n  as far as " PACKAGE_STRING " has it\n",
	    p->release);
	exit(profdata_printed());
}

/* Parses argv[i] and its value; returns the index of the last one used. */
static int
option_parse(struct profdata *p, int argc, char **argv, int i)
{
	const char *name = argv[i] + 1 + (argv[i][1] == '-');
	const char *value = strchr(name, '=');
	size_t size = value == NULL ? strlen(name) : (size_t)(value - name);
	const struct profdata_option *o;
	char *copy;

	if (strcmp(name, "h") == 0 || (size >= 4 && strncmp(name, "help", 4)
	    == 0))
		profdata_help(p);
	if (strcmp(name, "version") == 0) {
		profdata_choose_release(p);
		profdata_print_version(p);
	}
	o = option_find(p, name, size);
	if (o == NULL)
		refuse_argument(p, argv[i]);
	copy = strndup(name, size);
	if (copy == NULL)
		profdata_out_of_memory();
	if (value != NULL)
		value++;
	else if (option_wants_value(o)) {
		if (++i >= argc)
			refuse_option(p,
			    "for the %s%s option: requires a value!",
			    option_dashes(copy), copy);
		value = argv[i];
	}
	option_set_value(p, o, copy, value);
	free(copy);
	return i;
}

static void
check_operand_count(const struct profdata *p)
{
	size_t most = p->command == PROFDATA_MERGE ? SIZE_MAX :
	    p->command == PROFDATA_OVERLAP ? 2 : 1;
	size_t size = p->options.operands.size;
	bool command = !profdata_since(p, 17);
	const char *problem = size > most ? "Too many" : "Not enough";

	if (size <= most && (p->command != PROFDATA_OVERLAP || size == 2))
		return;
	refuse_option(p,
	    "%s positional %sarguments specified!\n%s %zu positional "
	    "arguments: See: %s%s%s --help", problem, size > most ? "" :
	    "command line ", size > most ? "Can specify at most" :
	    "Must specify at least", most, p->name, command ? " " : "", command
	    ? p->command_name : "");
}

void
profdata_parse(struct profdata *p, int argc, char **argv)
{
	bool only_operands = false;

	p->options.reservoir = 100;
	p->options.trace_length = 10000;
	p->options.correlation_warnings = 5;
	for (int i = 0; i < argc; i++) {
		if (only_operands || argv[i][0] != '-' || argv[i][1] == '\0')
			list_add_item(&p->options.operands, argv[i]);
		else if (strcmp(argv[i], "--") == 0)
			only_operands = true;
		else
			i = option_parse(p, argc, argv, i);
	}
	profdata_choose_release(p);
	check_operand_count(p);
}

/* The release in a name such as llvm-profdata-16; 0 if there is none. */
static unsigned
release_of_name(const char *name)
{
	static const char prefix[] = "llvm-profdata-";
	uint64_t n;

	if (strncmp(name, prefix, sizeof(prefix) - 1) != 0 ||
	    !parse_llvm_integer(name + sizeof(prefix) - 1, UINT32_MAX, &n) ||
	    n < PROFDATA_OLDEST || n > llvm_release_newest()->major)
		return 0;
	return (unsigned)n;
}

void
profdata_choose_release(struct profdata *p)
{
	const unsigned newest = llvm_release_newest()->major;
	const unsigned named = release_of_name(p->name);
	const char *s = p->options.compat;
	uint64_t n;

	if (s == NULL && named == 0)
		s = getenv("PROFTOOLS_COMPAT");
	p->release = named != 0 ? named : newest;
	if (s == NULL || *s == '\0')
		return;
	if (!parse_llvm_integer(s, newest, &n) || n < PROFDATA_OLDEST)
		profdata_fail(NULL, "--compat and PROFTOOLS_COMPAT need a "
		    "release of LLVM, %d to %u, not '%s'", PROFDATA_OLDEST,
		    newest, s);
	p->release = (unsigned)n;
}

void
profdata_free(struct profdata *p)
{
	free(p->options.operands.items);
	free(p->options.weighted.items);
	free(p->options.cutoffs.items);
	free(p->options.debug_dirs.items);
	prof_context_free(p->context);
}
