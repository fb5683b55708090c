/* cmd/cover/limits.c - --fail-under: what shall be covered at least */
#include "config.h"

#include <stdlib.h>

#include "cmd/cover/run.h"

/* The words of --fail-under, and what messages say. */
static const char *const limit_words[COVER_METRICS][2] = {
	[COVER_LINES] = { "line", "lines" },
	[COVER_FUNCTIONS] = { "function", "functions" },
	[COVER_REGIONS] = { "region", "regions" },
	[COVER_BRANCHES] = { "branch", "branches" },
	[COVER_MCDC] = { "mcdc", "conditions of MC/DC" },
};

enum { MILLION = 1000000 };

/*
 * WORD=PERCENTAGE, or a percentage of lines; returns what is behind, or NULL if
 * it is none.  Four digits behind the point count.
 */
static const char *
limit_set(struct cover_limit *limits, const char *text)
{
	size_t word = strcspn(text, "=,");
	unsigned m = 0;
	double percentage;
	char *end;

	if (text[word] == '=') {
		while (m < COVER_METRICS && (strlen(limit_words[m][0]) !=
		    word || memcmp(limit_words[m][0], text, word) != 0))
			m++;
		text += word + 1;
	}
	percentage = strtod(text, &end);
	if (m == COVER_METRICS || end == text ||
	    end != text + strspn(text, "0123456789.") ||
	    !(percentage <= 100))
		return NULL;
	limits[m] = (struct cover_limit){ text, (int)(end - text),
	    (unsigned)(percentage * 10000 + 0.5) };
	return end;
}

void
cover_set_limits(const struct cli_given *g, struct cover_limit *limits)
{
	const char *text = g->argument;

	while ((text = limit_set(limits, text)) != NULL && *text == ',')
		text++;
	if (text == NULL || *text != '\0')
		cli_usage_error(g->cli, "--%s needs percentages of line, "
		    "function, region, branch or mcdc, such as line=80,"
		    "branch=72.5, not '%s'", g->option->name, g->argument);
}

bool
cover_limits_hold(const struct cli *c, const struct cover_limit *limits,
    const struct cover_summary *total)
{
	bool hold = true;

	for (unsigned m = 0; m < COVER_METRICS; m++) {
		struct cover_part p = cover_metric(total, m);
		unsigned share = cover_share(p, 10000);

		if (limits[m].text == NULL)
			continue;
		if (p.size == 0 && !c->options.quiet)
			message_print("%s: %s: there are none to cover\n",
			    c->name, limit_words[m][1]);
		if (cover_share(p, MILLION) >= limits[m].millionths)
			continue;
		message_print("%s: %s: %u.%02u%% covered, %.*s%% are "
		    "wanted\n", c->name, limit_words[m][1], share / 100,
		    share % 100, limits[m].size, limits[m].text);
		hold = false;
	}
	return hold;
}
