#include "base/printable.h"

#include <stdbool.h>
#include <string.h>

#include "base/swar.h"
#include "base/utf8.h"

/* Whether all bytes are ASCII and print. */
static bool
printable_is_plain(const uint8_t *text, size_t size)
{
	uint64_t odd = 0;

	for (size_t i = 0; size < 8 && i < size; i++)
		odd |= (uint64_t)(text[i] < 0x20 || text[i] > 0x7e) << 7;
	/* Words of 8 bytes; the last word may overlap the one before. */
	for (size_t i = 0; size >= 8 && i < size; i += 8) {
		uint64_t eight = swar_load(text +
		    (i < size - 8 ? i : size - 8));

		odd |= eight | (eight + SWAR_BYTES(1)) |
		    (eight - SWAR_BYTES(0x20));
	}
	return (odd & SWAR_BYTES(0x80)) == 0;
}

/*
 * Characters of more than one byte that change how a terminal or a viewer shows
 * the text around them: those of Unicode's categories Cc, Zl and Zp, and those
 * with the property Bidi_Control, which reorder what stands behind them.
 */
static const struct printable_range {
	uint32_t first, last;
} printable_controls[] = {
	{ 0x80, 0x9f }, { 0x61c, 0x61c }, { 0x200e, 0x200f },
	{ 0x2028, 0x202e }, { 0x2066, 0x2069 },
};

static bool
printable_is_control(uint32_t code)
{
	for (size_t i = 0; i < sizeof(printable_controls) /
	    sizeof(*printable_controls); i++) {
		if (code >= printable_controls[i].first &&
		    code <= printable_controls[i].last)
			return true;
	}
	return false;
}

/* Size of the character at the start of the text; 0 if it must not print. */
static size_t
printable_character(const uint8_t *text, size_t size)
{
	size_t n = *text < 0xe0 ? 2 : *text < 0xf0 ? 3 : 4;
	uint32_t code;

	if (*text < 0x80)
		return *text >= 0x20 && *text != 0x7f;
	if (n > size || !utf8_valid((struct prof_span){ text, n }))
		return 0;
	code = *text & (0x7fu >> n);
	for (size_t i = 1; i < n; i++)
		code = code << 6 | (text[i] & 0x3f);
	return printable_is_control(code) ? 0 : n;
}

void
printable_mask(uint8_t *text, size_t size)
{
	size_t n;

	if (printable_is_plain(text, size))
		return;
	for (size_t i = 0; i < size; i += n) {
		n = printable_character(text + i, size - i);
		if (n == 0) {
			text[i] = '?';
			n = 1;
		}
	}
}

void
printable_mask_lines(uint8_t *text, size_t size)
{
	for (size_t i = 0, n; i < size; i += n + 1) {
		const uint8_t *end = memchr(text + i, '\n', size - i);

		n = end == NULL ? size - i : (size_t)(end - (text + i));
		printable_mask(text + i, n);
	}
}
