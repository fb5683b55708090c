#include "ops/scan/alphabet.h"

#include <string.h>

void
scan_digit_values(struct scan_alphabet *a, const char *digits)
{
	memset(a->value, -1, sizeof(a->value));
	for (int i = 0; digits[i] != '\0'; i++)
		a->value[(uint8_t)digits[i]] = (int8_t)i;
}

static bool
base64_next(const struct scan_alphabet *a, struct prof_span line,
    struct scan_digits *d)
{
	size_t at = d->end;

	while (at < line.size && a->value[line.data[at]] < 0)
		at++;
	d->front = d->start = at;
	while (at < line.size && a->value[line.data[at]] >= 0)
		at++;
	d->end = at;
	d->count = at - d->start;
	d->closed = at < line.size && line.data[at] == '=';
	return d->count != 0;
}

void
scan_alphabet_base64(struct scan_alphabet *a)
{
	*a = (struct scan_alphabet){ .bits = 6, .next = base64_next };
	scan_digit_values(a, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	    "abcdefghijklmnopqrstuvwxyz0123456789+/");
}
