#include "model/account_line.h"

#include <string.h>

static bool
account_line_begins(struct prof_span line, const char *start)
{
	size_t n = strlen(start);

	return line.size > n && memcmp(line.data, start, n) == 0;
}

bool
is_account_start(struct prof_span line)
{
	return account_line_begins(line, "{\"record\":\"part\",");
}

bool
is_account_line(struct prof_span line)
{
	return is_account_start(line) ||
	    account_line_begins(line, "{\"record\":\"bad\",");
}
