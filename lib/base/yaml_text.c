#include "base/yaml_text.h"

#include <stdio.h>

enum { KEY_WIDTH = 16, WRAP_COLUMN = 80 };

enum quotes { PLAIN, SINGLE, DOUBLE };

void
yaml_put(struct yaml_text *t, const char *text)
{
	buf_put(&t->out, text, strlen(text));
}

void
yaml_put_number(struct yaml_text *t, uint64_t n)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)n);
	yaml_put(t, text);
}

void
yaml_put_hex(struct yaml_text *t, uint64_t n)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)n);
	yaml_put(t, text);
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

static bool
yaml_is_word(struct prof_span s, const char *const *words)
{
	for (; *words != NULL; words++) {
		if (s.size == strlen(*words) &&
		    memcmp(s.data, *words, s.size) == 0)
			return true;
	}
	return false;
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
		".INF", "-.inf", "-.Inf", "-.INF", "+.inf", "+.Inf", "+.INF",
		NULL
	};

	return yaml_is_word(s, words) || yaml_is_float(s) ||
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
		snprintf(text, sizeof(text), "\\x%02X", s.data[i + 1]);
		yaml_put(t, text);
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
