#include "config.h"

#include "cmd/common/message_text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"

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
	message_vprint_masked(to, printable_mask, format, ap);
}

void
message_vprint_lines(const char *format, va_list ap)
{
	message_vprint_masked(NULL, printable_mask_lines, format, ap);
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
