#include "model/frame_json.h"

#include "base/json_member.h"

#define NUMBER(flag, member) \
	{ PROF_FRAME_ ## flag, offsetof(struct prof_frame, member) }

const struct frame_number frame_numbers[FRAME_NUMBERS] = {
	NUMBER(LINE, line),
	NUMBER(START_LINE, start_line),
	NUMBER(LINE_OFFSET, line_offset),
	NUMBER(COLUMN, column),
	NUMBER(DISCRIMINATOR, discriminator),
};

const char *const frame_number_keys[FRAME_NUMBERS] = {
	"line", "start_line", "line_offset", "column", "discriminator",
};

void
frame_put_numbers(struct buf *b, const struct prof_frame *f)
{
	for (size_t i = 0; i < FRAME_NUMBERS; i++) {
		uint32_t n;

		if ((f->flags & frame_numbers[i].flag) == 0)
			continue;
		memcpy(&n, (const char *)f + frame_numbers[i].offset,
		    sizeof(n));
		json_member_number(b, frame_number_keys[i], n);
	}
}

void
frame_put_location(struct buf *b, const struct prof_frame *f)
{
	if (f->file.size != 0)
		json_member_bytes(b, "file", "file_hex", f->file);
	frame_put_numbers(b, f);
}
