#include "ops/scan/lines.h"

#include <stdlib.h>

#include "base/array.h"

void
scan_lines_free(struct scan_lines *s)
{
	buf_free(&s->bytes);
	free(s->lines);
	free(s->blocks);
	*s = (struct scan_lines){ 0 };
}

struct prof_span
scan_block(const struct scan_lines *s, size_t block)
{
	size_t at = s->blocks[block];
	size_t end = block + 1 < s->block_count ? s->blocks[block + 1] :
	    s->bytes.size;

	return (struct prof_span){ s->bytes.data + at, end - at };
}

size_t
scan_line_of(const struct scan_lines *s, size_t at)
{
	size_t low = 0, high = s->count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (s->lines[middle].at <= at)
			low = middle;
		else
			high = middle;
	}
	return s->lines[low].from;
}

bool
scan_begin_line(struct scan_lines *s, size_t from)
{
	return ARRAY_ADD(s->lines, s->count, s->room, (struct scan_line){
	    s->bytes.size, from });
}

bool
scan_begin_block(struct scan_lines *s)
{
	return ARRAY_ADD(s->blocks, s->block_count, s->block_room,
	    s->bytes.size);
}

struct prof_span
scan_next_line(struct prof_span log, size_t *at)
{
	struct prof_span line = { log.data + *at, log.size - *at };
	const uint8_t *end = memchr(line.data, '\n', line.size);

	if (end != NULL)
		line.size = (size_t)(end - line.data);
	*at += line.size + (end != NULL);
	if (line.size > 0 && line.data[line.size - 1] == '\r')
		line.size--;
	return line;
}

void
scan_digit_values(const char *digits, int8_t values[256])
{
	memset(values, -1, 256);
	for (int i = 0; digits[i] != '\0'; i++)
		values[(uint8_t)digits[i]] = (int8_t)i;
}
