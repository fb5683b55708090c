#include "config.h"

#include "base/error.h"
#include "cmd/cover/run.h"

/* As tables have them; the words of --fail-under, and what messages say. */
static const char *const limit_words[COVER_METRICS][2] = {
	{ "line", "lines" }, { "function", "functions" },
	{ "region", "regions" }, { "branch", "branches" },
	{ "mcdc", "conditions of MC/DC" },
};

/* Limits are kept in millionths: 100 with four digits behind the point. */
enum { LIMIT_DIGITS = 4, LIMIT_WHOLE = 1000000 };

/* The end of the number that a text begins with; NULL if there is none. */
static const char *
limit_parse(const char *text, unsigned *limit)
{
	int digits = LIMIT_DIGITS;
	uint64_t n = 0;

	text = cli_parse_number(text, 0, 100, &n);
	if (text != NULL && *text == '.') {
		for (text++; *text >= '0' && *text <= '9' && digits > 0;
		    digits--)
			n = n * 10 + (uint64_t)(*text++ - '0');
	}
	while (digits-- > 0)
		n *= 10;
	*limit = (unsigned)n;
	return n > LIMIT_WHOLE ? NULL : text;
}

/* WORD=NUMBER, or a number alone, which is one of lines. */
static const char *
limit_set(struct cover_limit limits[COVER_METRICS], const char *text)
{
	size_t word = strcspn(text, "=,");
	int m = 0;

	if (text[word] == '=') {
		while (m < COVER_METRICS && (strlen(limit_words[m][0]) !=
		    word || memcmp(limit_words[m][0], text, word) != 0))
			m++;
		text += word + 1;
	}
	if (m == COVER_METRICS)
		return NULL;
	limits[m].text = text;
	text = limit_parse(text, &limits[m].millionths);
	if (text != NULL)
		limits[m].size = (int)(text - limits[m].text);
	return text;
}

void
cover_set_limits(const struct cli_given *g, struct cover_limit *limits)
{
	const char *text = g->argument;

	do {
		text = limit_set(limits, text);
	} while (text != NULL && *text++ == ',');
	if (text == NULL || text[-1] != '\0')
		cli_usage_error(g->cli, "--fail-under needs percentages such "
		    "as line=80,branch=72.5 of line, function, region, branch "
		    "and mcdc, not '%s'", g->argument);
}

bool
cover_limits_hold(const struct cli *c, const struct cover_limit *limits,
    const struct cover_summary *total)
{
	unsigned share;
	bool hold = true;
	struct cover_part p;

	for (int m = 0; m < COVER_METRICS; m++) {
		p = cover_metric(total, m);
		if (limits[m].text == NULL)
			continue;
		share = cover_share(p, 10000);
		if (p.size == 0 && !c->options.quiet)
			message_print("%s: %s: there are none to cover\n",
			    c->name, limit_words[m][1]);
		/* What is rounded down is below a whole number if it was. */
		if (cover_share(p, LIMIT_WHOLE) >= limits[m].millionths)
			continue;
		message_print("%s: %s: %u.%02u%% covered, %.*s%% are "
		    "wanted\n", c->name, limit_words[m][1], share / 100,
		    share % 100, limits[m].size, limits[m].text);
		hold = false;
	}
	return hold;
}
