/* Recognising a text profile by its first bytes. */
#include "base/digits.h"
#include "format/codec.h"
#include "format/text/lines.h"
#include "format/text/text.h"

bool
text_is_all_blank(struct prof_span s)
{
	size_t i = 0;

	while (i < s.size && text_is_blank(s.data[i]))
		i++;
	return i == s.size;
}

bool
text_printable(struct prof_span first_bytes)
{
	size_t n = first_bytes.size < 8 ? first_bytes.size : 8;

	for (size_t i = 0; i < n; i++) {
		uint8_t c = first_bytes.data[i];

		if (!text_is_blank(c) && (c < 0x20 || c > 0x7e))
			return false;
	}
	return n != 0;
}

/*
 * LLVM takes every file that begins with 8 printable bytes for a text profile.
 * Among the members of an archive that would be every README, so this asks for
 * more: a flag first, or a name and a hash.
 */
bool
text_sniff(struct prof_span first_bytes)
{
	struct text_lines l = { .image = first_bytes };
	uint64_t hash;

	if (!text_printable(first_bytes) || text_is_all_blank(first_bytes))
		return false;
	text_lines_next(&l);
	if (l.at_end)
		return false;
	if (l.line.data[0] == ':')
		return true;
	text_lines_next(&l);
	return !l.at_end && digits_auto(l.line, UINT64_MAX, &hash);
}
