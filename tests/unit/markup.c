/* Foreign text inside XML and Markdown. */
#include "cmd/print/print.h"

#include <string.h>

#include "tests/support/test.h"

enum { CODE_COLUMNS = 20 };

static const struct {
	const char *text, *xml, *code;
} rows[] = {
	{ "main", "main", "`main`" },
	{ "", "", "` `" },
	{ "a<b> && \"c\"", "a&lt;b&gt; &amp;&amp; &quot;c&quot;",
	    "`a<b> && \"c\"`" },
	{ "]]>", "]]&gt;", "`]]>`" },
	{ "gr\xc3\xb6n", "gr\xc3\xb6n", "`gr\xc3\xb6n`" },
	/* Control characters of ASCII and UTF-8, and what is no UTF-8. */
	{ "a\x1b[31m\x7f", "a?[31m?", "`a?[31m?`" },
	{ "a\tb\rc", "a?b?c", "`a?b?c`" },
	{ "\xc2\x9b\xff", "???", "`???`" },
	{ "\xed\xa0\x80", "???", "`???`" },		/* a surrogate */
	{ "a\nb", "a\nb", "`a?b`" },
	/* Direction of text (U+202E, U+2066, U+061C), line separators. */
	{ "\xe2\x80\xaey\xe2\x81\xa6", "???y???", "`???y???`" },
	{ "\xd8\x9c\xe2\x80\x8f", "?????", "`?????`" },
	{ "\xe2\x80\xa8\xe2\x80\xa9", "??????", "`??????`" },
	/* Their neighbours, which are dashes, joiners and a space. */
	{ "\xe2\x80\x8d\xe2\x80\xa7", "\xe2\x80\x8d\xe2\x80\xa7",
	    "`\xe2\x80\x8d\xe2\x80\xa7`" },
	{ "\xe2\x80\xaf\xe2\x81\xaa", "\xe2\x80\xaf\xe2\x81\xaa",
	    "`\xe2\x80\xaf\xe2\x81\xaa`" },
	/* UTF-8, but not XML. */
	{ "\xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbd",
	    "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd",
	    "`\xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbd`" },
	/* The ends of spans and cells. */
	{ "a`b``", "a`b``", "`a'b''`" },
	{ "a|b||", "a|b||", "`a\\|b\\|\\|`" },
	{ "a\\b\\", "a\\b\\", "`a\\b\\`" },
	{ "a\\|b", "a\\|b", "`a?\\|b`" },
	{ "a\\\\|b", "a\\\\|b", "`a\\?\\|b`" },
	{ "0123456789abcdefghij", "0123456789abcdefghij",
	    "`0123456789abcdefghij`" },
	{ "0123456789abcdefghijk", "0123456789abcdefghijk",
	    "`012345678...defghijk`" },
};

/* Whether the buffer is "<" and the text, which the function left alone. */
static bool
is_text(const struct buf *b, const char *text)
{
	return !b->failed && b->size == strlen(text) + 1 &&
	    *b->data == '<' && memcmp(b->data + 1, text, b->size - 1) == 0;
}

int
main(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf xml = { 0 }, code = { 0 };

		buf_print(&xml, "<%s", rows[i].text);
		markup_xml(&xml, 1);
		check(is_text(&xml, rows[i].xml), "XML of row %zu", i);
		buf_print(&code, "<%s", rows[i].text);
		markup_code(&code, 1, CODE_COLUMNS);
		check(is_text(&code, rows[i].code), "code span of row %zu", i);
		buf_free(&xml);
		buf_free(&code);
	}
	return done_testing();
}
