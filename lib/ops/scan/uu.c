#include "ops/scan/alphabet.h"

#include <string.h>

/* Bytes that a line holds at most. */
enum { UU_LINE = 45 };

/* Digits that n bytes take, without those that fill up the last four. */
static size_t
uu_digits(size_t n)
{
	return (4 * n + 2) / 3;
}

/* Whether the line ends with the bytes whose number stands at `at`. */
static bool
uu_fits(const struct scan_alphabet *a, struct prof_span line, size_t at,
    size_t bytes)
{
	if (bytes == 0 || bytes > UU_LINE ||
	    line.size - at - 1 != (bytes + 2) / 3 * 4)
		return false;
	for (size_t i = at + 1; i < line.size; i++) {
		if (a->value[line.data[i]] < 0)
			return false;
	}
	return true;
}

static bool
uu_next(const struct scan_alphabet *a, struct prof_span line,
    struct scan_digits *d)
{
	size_t most = 1 + uu_digits(UU_LINE);
	size_t at = d->start;

	if (line.size > most && at < line.size - most)
		at = line.size - most;
	for (; at < line.size; at++) {
		int bytes = a->value[line.data[at]];

		if (bytes < 0 || !uu_fits(a, line, at, (size_t)bytes))
			continue;
		d->front = at;
		d->start = at + 1;
		d->count = uu_digits((size_t)bytes);
		d->end = line.size;
		d->closed = true;
		return true;
	}
	return false;
}

void
scan_alphabet_uu(struct scan_alphabet *a)
{
	*a = (struct scan_alphabet){ .bits = 6, .next = uu_next };
	memset(a->value, -1, sizeof(a->value));
	/* Both the blank and the last character, a backquote, are 0. */
	for (int c = ' '; c <= '`'; c++)
		a->value[c] = (int8_t)((c - ' ') & 63);
}
