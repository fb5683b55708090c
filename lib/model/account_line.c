#include "model/account_line.h"

#include <string.h>

/* Skips a token and the white space of JSON before it. */
static bool
account_line_skip(struct prof_span *line, const char *token)
{
	size_t n = strlen(token), blanks = 0;

	while (blanks < line->size && line->data[blanks] != '\0' &&
	    strchr(" \t\r", line->data[blanks]) != NULL)
		blanks++;
	if (line->size - blanks < n ||
	    memcmp(line->data + blanks, token, n) != 0)
		return false;
	line->data += blanks + n;
	line->size -= blanks + n;
	return true;
}

/* Whether the first member of the object is its record, of that kind. */
static bool
account_line_begins(struct prof_span line, const char *kind)
{
	return account_line_skip(&line, "{") &&
	    account_line_skip(&line, "\"record\"") &&
	    account_line_skip(&line, ":") && account_line_skip(&line, kind);
}

bool
is_account_start(struct prof_span line)
{
	return account_line_begins(line, "\"part\"");
}

bool
is_account_line(struct prof_span line)
{
	return is_account_start(line) || account_line_begins(line, "\"bad\"");
}
