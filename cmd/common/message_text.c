#include "config.h"

#include "cmd/common/message_text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/swar.h"
#include "base/utf8.h"

/* Whether all bytes are ASCII and print. */
static bool
message_is_plain(const uint8_t *text, size_t size)
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
static const struct message_range {
	uint32_t first, last;
} message_controls[] = {
	{ 0x80, 0x9f }, { 0x61c, 0x61c }, { 0x200e, 0x200f },
	{ 0x2028, 0x202e }, { 0x2066, 0x2069 },
};

static bool
message_is_control(uint32_t code)
{
	for (size_t i = 0; i < sizeof(message_controls) /
	    sizeof(*message_controls); i++) {
		if (code >= message_controls[i].first &&
		    code <= message_controls[i].last)
			return true;
	}
	return false;
}

/* Size of the character at the start of the text; 0 if it must not print. */
static size_t
message_character(const uint8_t *text, size_t size)
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
	return message_is_control(code) ? 0 : n;
}

void
message_mask(uint8_t *text, size_t size)
{
	size_t n;

	if (message_is_plain(text, size))
		return;
	for (size_t i = 0; i < size; i += n) {
		n = message_character(text + i, size - i);
		if (n == 0) {
			text[i] = '?';
			n = 1;
		}
	}
}

void
message_mask_lines(uint8_t *text, size_t size)
{
	for (size_t i = 0, n; i < size; i += n + 1) {
		const uint8_t *end = memchr(text + i, '\n', size - i);

		n = end == NULL ? size - i : (size_t)(end - (text + i));
		message_mask(text + i, n);
	}
}

static void
message_vprint_masked(FILE *to, void mask(uint8_t *, size_t),
    const char *format, va_list ap)
{
	char few[1024] = "", *text = few;
	size_t size = sizeof(few), start = *format == '\n', length;
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(few, size, format, ap);
	if (n >= (int)size && (text = malloc((size_t)n + 1)) != NULL)
		vsnprintf(text, size = (size_t)n + 1, format, again);
	va_end(again);
	if (text == NULL)
		text = few;
	length = strlen(text);
	mask((uint8_t *)text + start, length - start);
	if (n > 0 && format[strlen(format) - 1] == '\n')
		text[length - 1] = '\n';
	fwrite(text, 1, length, to == NULL ? stderr : to);
	if (text != few)
		free(text);
}

void
message_vprint_to(FILE *to, const char *format, va_list ap)
{
	message_vprint_masked(to, message_mask, format, ap);
}

void
message_vprint_lines(const char *format, va_list ap)
{
	message_vprint_masked(NULL, message_mask_lines, format, ap);
}

void
message_print_to(FILE *to, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	message_vprint_to(to, format, ap);
	va_end(ap);
}

void
message_vprint(const char *format, va_list ap)
{
	message_vprint_to(NULL, format, ap);
}

void
message_print(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	message_vprint_to(NULL, format, ap);
	va_end(ap);
}

void
message_repeat(const char *text, size_t size)
{
	fwrite(text, 1, size, stderr);
}
