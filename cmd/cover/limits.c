/* cmd/cover/limits.c - --fail-under: what shall be covered at least */
#include "config.h"

#include <stdlib.h>

#include "cmd/cover/run.h"

/* The words of --fail-under. */
static const char *const limit_words[COVER_METRICS] = {
	[COVER_LINES] = "line", [COVER_FUNCTIONS] = "function",
	[COVER_REGIONS] = "region", [COVER_BRANCHES] = "branch",
	[COVER_MCDC] = "mcdc",
};

/*
 * Takes WORD=PERCENTAGE; returns the text behind it, or NULL if the text does
 * not begin with such a limit.
 */
static const char *
limit_set(struct cover_limits *limits, const char *text)
{
	size_t size = strcspn(text, "=");
	const char *number = text + size + 1;
	unsigned m = 0;
	char *end;

	while (m < COVER_METRICS && (strlen(limit_words[m]) != size ||
	    memcmp(limit_words[m], text, size) != 0))
		m++;
	if (m == COVER_METRICS || text[size] == '\0')
		return NULL;
	limits->least[m] = strtod(number, &end);
	if (end == number || end != number + strspn(number, "0123456789.") ||
	    !(limits->least[m] <= 100))
		return NULL;
	return *end == '%' ? end + 1 : end;
}

void
cover_set_limits(const struct cli_given *g)
{
	struct cover_limits *limits = (void *)((char *)g->run +
	    g->option->member);
	const char *text = g->argument;

	while ((text = limit_set(limits, text)) != NULL && *text == ',')
		text++;
	if (text == NULL || *text != '\0')
		cli_usage_error(g->cli, "--%s needs percentages of line, "
		    "function, region, branch or mcdc, such as line=80,"
		    "branch=72.5, not '%s'", g->option->name, g->argument);
}

bool
cover_limits_hold(const struct cli *c, const struct cover_limits *limits,
    const struct cover_summary *total, bool may_be_empty)
{
	bool hold = may_be_empty || total->lines.size > 0;

	/* No line is left if no file matches, or if all functions are stale. */
	if (!hold)
		message_print("%s: there is no line to be covered\n", c->name);
	for (unsigned m = 0; m < COVER_METRICS; m++) {
		struct cover_part p = cover_metric(total, m);
		unsigned share = cover_share(p, 10000);

		if ((double)p.covered * 100 >= limits->least[m] *
		    (double)p.size)
			continue;
		message_print("%s: %s: %u.%02u%% covered, %g%% are wanted\n",
		    c->name, limit_words[m], share / 100, share % 100,
		    limits->least[m]);
		hold = false;
	}
	return hold;
}
