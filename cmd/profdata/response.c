/*
 * Arguments that stand in a file: @FILE, as a shell would split it
 * (llvm/lib/Support/CommandLine.cpp, TokenizeGNUCommandLine).
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "cmd/profdata/options.h"

/* Depth of nested files; LLVM refuses only files that include themselves. */
enum { MOST_FILES = 64 };

struct arguments {
	char **items;
	size_t size, room;
};

static void
arguments_add(struct arguments *all, char *argument)
{
	if (argument == NULL ||
	    !ARRAY_ADD(all->items, all->size, all->room, argument))
		profdata_out_of_memory();
}

static bool
is_blank_byte(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Splits in place: a word without its quotes is never longer. */
static void
arguments_split(struct arguments *words, char *s, char *end)
{
	while (s < end) {
		char *word = s, *to = s;
		char quote = '\0';

		if (is_blank_byte(*s)) {
			s++;
			continue;
		}
		for (; s < end && (quote != '\0' || !is_blank_byte(*s)); s++) {
			if (*s == '\\' && s + 1 < end)
				*to++ = *++s;
			else if (quote == '\0' && (*s == '"' || *s == '\''))
				quote = *s;
			else if (quote != '\0' && *s == quote)
				quote = '\0';
			else
				*to++ = *s;
		}
		if (to != word)
			arguments_add(words, strndup(word, (size_t)(to -
			    word)));
		s++;
	}
}

static void expand_argument(struct arguments *, char *argument, unsigned depth);

static void
expand_response_file(struct arguments *all, const char *path, unsigned depth)
{
	struct arguments words = { 0 };
	char *text = NULL;
	size_t room = 0;
	ssize_t size;
	FILE *f;

	if (depth == MOST_FILES)
		profdata_fail(path, "recursive expansion of arguments");
	f = fopen(path, "r");
	if (f == NULL)
		profdata_fail(path, "%s", strerror(errno));
	/* No argument has a zero byte in it. */
	size = getdelim(&text, &room, '\0', f);
	if (size < 0 && !feof(f))
		profdata_fail(path, "%s", strerror(errno));
	fclose(f);
	if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		arguments_split(&words, text + 3, text + size);
	else if (size > 0)
		arguments_split(&words, text, text + size);
	for (size_t i = 0; i < words.size; i++) {
		size_t before = all->size;

		expand_argument(all, words.items[i], depth + 1);
		if (all->size == before || all->items[before] !=
		    words.items[i])
			free(words.items[i]);
	}
	free(words.items);
	free(text);
}

static void
expand_argument(struct arguments *all, char *argument, unsigned depth)
{
	struct stat st;

	/* If there is no such file, the argument stays as it is. */
	if (argument[0] != '@' || stat(argument + 1, &st) == -1 ||
	    S_ISDIR(st.st_mode))
		arguments_add(all, argument);
	else
		expand_response_file(all, argument + 1, depth);
}

void
profdata_expand_response_files(int *argc, char ***argv)
{
	static struct arguments all;	/* used until the program ends */
	bool any = false;

	all = (struct arguments){ 0 };
	for (int i = 1; i < *argc; i++)
		any = any || (*argv)[i][0] == '@';
	if (!any)
		return;
	arguments_add(&all, (*argv)[0]);
	for (int i = 1; i < *argc; i++)
		expand_argument(&all, (*argv)[i], 0);
	*argc = (int)all.size;
	*argv = all.items;
}
