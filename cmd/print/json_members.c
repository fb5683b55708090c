/* Members of the JSON objects that prof-show prints. */
#include "config.h"

#include "base/json_text.h"
#include "cmd/print/json_members.h"
#include "model/record.h"

void
show_source_keys(struct buf *b, const struct prof_source *s)
{
	json_member_bytes(b, "file", "file_hex", s->file);
	json_member_bytes(b, "member", "member_hex", s->member);
	if (s->offset != 0)
		json_member_number(b, "offset", s->offset);
}

void
show_kind_keys(struct buf *b, const struct prof_header *h)
{
	const struct prof_source *s = &h->source;

	if (s->format != NULL)
		json_member_text(b, "format", s->format);
	if (s->version != 0)
		json_member_number(b, "version", s->version);
	if (s->endian != 0)
		json_member_text(b, "endian",
		    s->endian == 'b' ? "big" : "little");
	if (s->pointer_bits != 0)
		json_member_number(b, "pointer_bits", s->pointer_bits);
	json_member_text(b, "kind", words_kind[h->kind]);
	if (h->level != PROF_LEVEL_UNKNOWN)
		json_member_text(b, "level", words_level[h->level]);
	for (int i = 0; i < PROF_FLAGS; i++) {
		if (h->flags >> i & 1) {
			json_member_flag(b, words_flag[i]);
		}
	}
}
