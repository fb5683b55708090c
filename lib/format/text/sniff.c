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

/* Of a member of an archive, at least so many bytes are given (io/input.h). */
enum { FIRST_BYTES = 512 };

static bool
text_is_letter(uint8_t c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/*
 * Whether a line is a name that takes most of the first bytes, so that the hash
 * may be behind them.  Long names are mangled ones, perhaps with a file before
 * them; a README has blanks in so long a line.
 */
static bool
text_is_long_name(struct prof_span line)
{
	static const char others[] = "_.$:;/-";

	for (size_t i = 0; i < line.size; i++) {
		uint8_t c = line.data[i];

		if (!(c >= '0' && c <= '9') && !text_is_letter(c) &&
		    memchr(others, c, sizeof(others) - 1) == NULL)
			return false;
	}
	return line.size > FIRST_BYTES / 2;
}

/*
 * LLVM takes every file that begins with 8 printable bytes for a text profile.
 * Among the members of an archive that would be every README, so this asks for
 * more: a flag first (a colon without a letter behind it is a command of shell
 * scripts), or a name and a hash, or a name so long that the hash is not among
 * the first bytes.
 */
bool
text_sniff(struct prof_span first_bytes)
{
	struct text_lines l = { .image = first_bytes };
	struct prof_span name;
	uint64_t hash;

	if (!text_printable(first_bytes) || text_is_all_blank(first_bytes))
		return false;
	text_lines_next(&l);
	if (l.at_end)
		return false;
	if (l.line.data[0] == ':')
		return l.line.size > 1 && text_is_letter(l.line.data[1]);
	name = l.line;
	text_lines_next(&l);
	if (l.at_end)
		return first_bytes.size >= FIRST_BYTES &&
		    text_is_long_name(name);
	return digits_auto(l.line, UINT64_MAX, &hash);
}
