/* What bytes of text are, how they are shown, escaped and compared. */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/numbers.h"
#include "base/text.h"

/*
 * Length of the sequence that begins with this byte, 0 if none does; *low and
 * *high bound its second byte (RFC 3629, section 4).
 */
static size_t
utf8_sequence(uint8_t first, uint8_t *low, uint8_t *high)
{
	*low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
	*high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
	if (first < 0x80)
		return 1;
	if (first < 0xc2 || first > 0xf4)
		return 0;
	return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/* Bytes from i on that are ASCII, counted in steps of eight. */
static size_t
utf8_ascii_run(struct prof_span s, size_t i)
{
	const uint64_t high_bits = 0x8080808080808080;
	uint64_t eight;
	size_t from = i;

	for (; s.size - i >= sizeof(eight); i += sizeof(eight)) {
		memcpy(&eight, s.data + i, sizeof(eight));
		if ((eight & high_bits) != 0)
			break;
	}
	return i - from;
}

bool
utf8_valid(struct prof_span s)
{
	uint8_t low, high;

	for (size_t i = utf8_ascii_run(s, 0), n; i < s.size; i += n) {
		n = utf8_sequence(s.data[i], &low, &high);
		if (n == 0 || n > s.size - i || (n > 1 &&
		    (s.data[i + 1] < low || s.data[i + 1] > high)))
			return false;
		for (size_t k = 2; k < n; k++) {
			if ((s.data[i + k] & 0xc0) != 0x80)
				return false;
		}
		if (n > 1)
			n += utf8_ascii_run(s, i + n);
	}
	return true;
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
	for (size_t i = 0; i < sizeof(printable_controls) /
	    sizeof(*printable_controls); i++) {
		if (code >= printable_controls[i].first &&
		    code <= printable_controls[i].last)
			return 0;
	}
	return n;
}

void
printable_mask(uint8_t *text, size_t size)
{
	for (size_t i = 0, n; i < size; i += n) {
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

static const char *
xml_entity(uint8_t c)
{
	switch (c) {
	case '&': return "&amp;";
	case '<': return "&lt;";
	case '>': return "&gt;";
	case '"': return "&quot;";
	default: return NULL;
	}
}

void
xml_put(struct buf *b, struct prof_span s)
{
	for (size_t i = 0; i < s.size; i++) {
		const char *entity = xml_entity(s.data[i]);

		if (entity != NULL)
			buf_text(b, entity);
		else if (s.size - i >= 3 && s.data[i] == 0xef &&
		    s.data[i + 1] == 0xbf && s.data[i + 2] >= 0xbe) {
			/* U+FFFE and U+FFFF are no characters of XML. */
			buf_text(b, "\xef\xbf\xbd");
			i += 2;
		} else
			buf_u8(b, s.data[i]);
	}
}

enum { KEY_WIDTH = 16, WRAP_COLUMN = 80 };

enum quotes { PLAIN, SINGLE, DOUBLE };

void
yaml_put(struct yaml_text *t, const char *text)
{
	buf_text(&t->out, text);
}

void
yaml_put_number(struct yaml_text *t, uint64_t n)
{
	digits_append(&t->out, n);
}

void
yaml_put_hex(struct yaml_text *t, uint64_t n)
{
	buf_print(&t->out, "0x%llx", (unsigned long long)n);
}

static void
yaml_put_spaces(struct yaml_text *t, size_t count)
{
	uint8_t *p = buf_reserve(&t->out, count);

	if (p == NULL)
		return;
	memset(p, ' ', count);
	t->out.size += count;
}

void
yaml_line(struct yaml_text *t, size_t indent)
{
	yaml_put(t, "\n");
	t->line = t->out.size;
	yaml_put_spaces(t, indent);
}

void
yaml_item(struct yaml_text *t, size_t indent)
{
	yaml_line(t, indent - 2);
	yaml_put(t, "- ");
}

void
yaml_key(struct yaml_text *t, const char *key)
{
	size_t size = strlen(key);

	yaml_put(t, key);
	yaml_put(t, ":");
	yaml_put_spaces(t, size < KEY_WIDTH ? KEY_WIDTH - size : 1);
}

void
yaml_flow_begin(struct yaml_text *t, char open)
{
	t->flow = t->out.size - t->line;
	t->first = true;
	buf_u8(&t->out, (uint8_t)open);
	yaml_put(t, " ");
}

void
yaml_flow_member(struct yaml_text *t)
{
	if (!t->first)
		yaml_put(t, ", ");
	t->first = false;
	if (t->out.size - t->line > WRAP_COLUMN)
		yaml_line(t, t->flow + 2);
}

void
yaml_flow_end(struct yaml_text *t, char close)
{
	yaml_put(t, " ");
	buf_u8(&t->out, (uint8_t)close);
}

static bool
yaml_is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

static size_t
yaml_skip_digits(struct prof_span s, size_t at)
{
	while (at < s.size && yaml_is_digit(s.data[at]))
		at++;
	return at;
}

/* yaml::isNumeric: a sign, digits with a dot, an exponent. */
static bool
yaml_is_float(struct prof_span s)
{
	size_t at = s.data[0] == '-' || s.data[0] == '+', digits = at;

	if (at == s.size)
		return false;
	at = yaml_skip_digits(s, at);
	digits = at - digits;
	if (at == s.size)
		return true;
	if (s.data[at] == '.') {
		size_t dot = at + 1;

		at = yaml_skip_digits(s, dot);
		digits += at - dot;
		if (digits == 0)
			return false;
		if (at == s.size)
			return true;
	}
	if (digits == 0 || (s.data[at] | 0x20) != 'e')
		return false;
	at++;
	if (at < s.size && (s.data[at] == '+' || s.data[at] == '-'))
		at++;
	return at < s.size && yaml_skip_digits(s, at) == s.size;
}

static bool
yaml_is_based_number(struct prof_span s, char letter, const char *digits)
{
	if (s.size < 3 || s.data[0] != '0' || s.data[1] != (uint8_t)letter)
		return false;
	for (size_t i = 2; i < s.size; i++) {
		if (s.data[i] == '\0' || strchr(digits, s.data[i]) == NULL)
			return false;
	}
	return true;
}

/* Whether a plain scalar would be read as null, a boolean or a number. */
static bool
yaml_is_typed(struct prof_span s)
{
	static const char *const words[] = {
		"null", "Null", "NULL", "~", "true", "True", "TRUE", "false",
		"False", "FALSE", ".nan", ".NaN", ".NAN", ".inf", ".Inf",
		".INF", "-.inf", "-.Inf", "-.INF", "+.inf", "+.Inf", "+.INF"
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (prof_span_equal(s, span_of_text(words[i])))
			return true;
	}
	return yaml_is_float(s) ||
	    yaml_is_based_number(s, 'o', "01234567") ||
	    yaml_is_based_number(s, 'x', "0123456789abcdefABCDEF");
}

static bool
yaml_is_space(uint8_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* As yaml::needsQuotes. */
static enum quotes
yaml_quotes_of(struct prof_span s, bool in_flow)
{
	enum quotes q = PLAIN;

	if (s.size == 0 || yaml_is_space(s.data[0]) ||
	    yaml_is_space(s.data[s.size - 1]) || yaml_is_typed(s) ||
	    strchr("-?:\\,[]{}#&*!|>'\"%@`", s.data[0]) != NULL)
		q = SINGLE;
	for (size_t i = 0; i < s.size; i++) {
		uint8_t c = s.data[i];

		if (yaml_is_digit(c) ||
		    ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'))
			continue;
		if ((c < 0x20 && c != '\t') || c >= 0x7f)
			return DOUBLE;
		if (strchr("_-^. \t", c) == NULL && (c != ',' || in_flow))
			q = SINGLE;
	}
	return q;
}

/* Characters that a parser would refuse or take for a line break. */
static const struct {
	const char *bytes, *escape;
} specials[] = {
	{ "\"", "\\\"" }, { "\\", "\\\\" }, { "\x7f", "\\x7F" },
	{ "\xc2\x85", "\\N" }, { "\xc2\xa0", "\\_" },
	{ "\xe2\x80\xa8", "\\L" }, { "\xe2\x80\xa9", "\\P" },
	{ "\xef\xbb\xbf", "\\uFEFF" }, { "\xef\xbf\xbe", "\\uFFFE" },
	{ "\xef\xbf\xbf", "\\uFFFF" },
};

/* As yaml::escape: one character of valid UTF-8.  Returns its bytes in s. */
static size_t
yaml_put_escaped(struct yaml_text *t, struct prof_span s, size_t i)
{
	static const char letters[] = "0------abtnvfr-------------e----";
	char text[8] = { '\\', 0 };
	uint8_t c = s.data[i];

	for (size_t k = 0; k < sizeof(specials) / sizeof(*specials); k++) {
		size_t size = strlen(specials[k].bytes);

		if (size <= s.size - i &&
		    memcmp(s.data + i, specials[k].bytes, size) == 0) {
			yaml_put(t, specials[k].escape);
			return size;
		}
	}
	/* U+0080 to U+009F have 0xc2 before them. */
	if (c == 0xc2 && s.data[i + 1] < 0xa0) {
		buf_print(&t->out, "\\x%02X", s.data[i + 1]);
		return 2;
	}
	if (c >= 0x20)
		text[0] = (char)c;
	else if (letters[c] != '-')
		text[1] = letters[c];
	else
		snprintf(text, sizeof(text), "\\x%02X", c);
	yaml_put(t, text);
	return 1;
}

void
yaml_put_string(struct yaml_text *t, struct prof_span s, bool in_flow)
{
	enum quotes q = yaml_quotes_of(s, in_flow);

	if (q == PLAIN) {
		buf_put(&t->out, s.data, s.size);
	} else if (q == SINGLE) {
		yaml_put(t, "'");
		for (size_t i = 0; i < s.size; i++) {
			buf_u8(&t->out, s.data[i]);
			if (s.data[i] == '\'')
				yaml_put(t, "'");
		}
		yaml_put(t, "'");
	} else {
		yaml_put(t, "\"");
		for (size_t i = 0; i < s.size; )
			i += yaml_put_escaped(t, s, i);
		yaml_put(t, "\"");
	}
}

#define SAMPLES		"samples of a profiler: llvm-profdata merge --sample " \
			"reads them"
#define DOWNLOAD	"HTML or XML, as of a download that failed"
#define GCC_COVERAGE	"coverage data of GCC: gcov reads it"

/*
 * Magic bytes, those of binaries as in LLVM's identify_magic
 * (BinaryFormat/Magic.cpp).  Those of Mach-O are in mach-o/loader.h and fat.h,
 * those of GCC in gcov-io.h, in both byte orders.
 */
static const struct magic {
	const char *bytes;
	size_t size;
	const char *kind;
} magics[] = {
#define MAGIC(bytes, kind) { bytes, sizeof(bytes) - 1, kind }
	MAGIC("\177ELF", "an ELF file: a program, a library or an object"),
	MAGIC("\xfe\xed\xfa\xce", "a Mach-O file"),
	MAGIC("\xce\xfa\xed\xfe", "a Mach-O file"),
	MAGIC("\xfe\xed\xfa\xcf", "a Mach-O file"),
	MAGIC("\xcf\xfa\xed\xfe", "a Mach-O file"),
	MAGIC("\xbe\xba\xfe\xca", "a universal Mach-O file"),
	MAGIC("\xca\xfe\xba\xbf", "a universal Mach-O file"),
	MAGIC("\xbf\xba\xfe\xca", "a universal Mach-O file"),
	MAGIC("MZ", "a COFF program (PE)"),
	MAGIC("\0\0\xff\xff", "a COFF object"),
	MAGIC("Microsoft C/C++ MSF", "a PDB file"),
	MAGIC("\x01\xdf", "an XCOFF file"),
	MAGIC("\x01\xf7", "an XCOFF file"),
	MAGIC("\0asm", "a WebAssembly module"),
	MAGIC("\xff\xfe", "text in UTF-16: a profile is in UTF-8"),
	MAGIC("\xfe\xff", "text in UTF-16: a profile is in UTF-8"),
	MAGIC("\xef\xbb\xbf", "text with a byte order mark: take it off"),
	MAGIC("BC\xc0\xde", "LLVM bitcode"),
	MAGIC("\xde\xc0\x17\x0b", "LLVM bitcode"),
	MAGIC("!<arch>\n", "an archive of objects"),
	MAGIC("!<thin>\n", "an archive of objects"),
	MAGIC("#!", "a script"),
	MAGIC("PERFILE2", "samples of perf (perf.data): perf reads them"),
	MAGIC("adcg", GCC_COVERAGE),
	MAGIC("gcda", GCC_COVERAGE),
	MAGIC("oncg", GCC_COVERAGE),
	MAGIC("gcno", GCC_COVERAGE),
	MAGIC("TN:", "coverage data of lcov"),
	MAGIC("SF:", "coverage data of lcov"),
	MAGIC("version https://git-lfs", "a pointer of Git LFS: "
	    "'git lfs pull' fetches the file"),
	MAGIC("<!", DOWNLOAD),
	MAGIC("<?xml", DOWNLOAD),
	MAGIC("<html", DOWNLOAD),
#undef MAGIC
};

/*
 * A COFF object has no magic.  Its header (IMAGE_FILE_HEADER) begins with a
 * machine type and the number of sections; the size of the optional header, at
 * 16, is 0.
 */
static bool
file_kind_is_coff_object(struct prof_span s)
{
	static const uint16_t machines[] = {
		0x014c, 0x8664, 0x01c0, 0x01c2, 0x01c4, 0xaa64, 0xa641,
		0xa64e, 0x0200, 0x5032, 0x5064
	};

	if (s.size < 20 || load_u16(s.data + 16, false) != 0 ||
	    load_u16(s.data + 2, false) == 0)
		return false;
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		if (load_u16(s.data, false) == machines[i])
			return true;
	}
	return false;
}

/* The position behind the decimal digits at pos. */
static size_t
file_kind_skip_digits(struct prof_span s, size_t pos)
{
	while (pos < s.size && s.data[pos] >= '0' && s.data[pos] <= '9')
		pos++;
	return pos;
}

/* Sample profiles in text begin with a line FUNCTION:TOTAL:HEAD. */
static bool
file_kind_is_sample_text(struct prof_span s)
{
	const uint8_t *end = s.size == 0 ? NULL : memchr(s.data, '\n', s.size);
	struct prof_span line = { s.data, end == NULL ? 0 :
	    (size_t)(end - s.data) };
	size_t total = 0, head;

	while (total < line.size && line.data[total] != ':')
		total++;
	head = file_kind_skip_digits(line, total + 1);
	return total != 0 && head > total + 1 && head + 1 < line.size &&
	    line.data[head] == ':' &&
	    file_kind_skip_digits(line, head + 1) == line.size;
}

const char *
file_kind(struct prof_span s)
{
	/*
	 * Binary sample profiles begin with a LEB128 number: "SPROF42" and a
	 * byte for the encoding, which changes the first two bytes
	 * (ProfileData/SampleProf.h).
	 */
	static const uint8_t samples[] = { 0xd0, 0xb1, 0xf4, 0xc9, 0x94, 0xa8 };

	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++) {
		if (s.size >= magics[i].size &&
		    memcmp(s.data, magics[i].bytes, magics[i].size) == 0)
			return magics[i].kind;
	}
	/*
	 * Universal Mach-O files and Java class files have the same magic.  The
	 * number of architectures follows in the former, the minor and major
	 * version in the latter: majors begin at 45.
	 */
	if (s.size >= 8 && load_u32(s.data, true) == 0xcafebabe &&
	    load_u32(s.data + 4, true) < 0x2d)
		return "a universal Mach-O file";
	if (file_kind_is_coff_object(s))
		return "a COFF object";
	if ((s.size >= 8 && memcmp(s.data + 2, samples, sizeof(samples)) ==
	    0) || file_kind_is_sample_text(s))
		return SAMPLES;
	return NULL;
}
