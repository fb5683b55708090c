/* Foreign text inside XML. */
#include "cmd/print/print.h"

#include <string.h>

#include "tests/support/test.h"

static const struct {
	const char *text, *xml;
} rows[] = {
	{ "main", "main" }, { "", "" },
	{ "a<b> && \"c\"", "a&lt;b&gt; &amp;&amp; &quot;c&quot;" },
	{ "]]>", "]]&gt;" },
	{ "gr\xc3\xb6n", "gr\xc3\xb6n" },
	/* Control characters of ASCII and UTF-8, and what is no UTF-8. */
	{ "a\x1b[31m\x7f", "a?[31m?" },
	{ "a\tb\rc", "a?b?c" },
	{ "\xc2\x9b\xff", "???" },
	{ "\xed\xa0\x80", "???" },		/* a surrogate */
	{ "a\nb", "a\nb" },
	/* Direction of text (U+202E, U+2066, U+061C), line separators. */
	{ "\xe2\x80\xaey\xe2\x81\xa6", "???y???" },
	{ "\xd8\x9c\xe2\x80\x8f", "?????" },
	{ "\xe2\x80\xa8\xe2\x80\xa9", "??????" },
	/* Their neighbours, which are dashes, joiners and a space. */
	{ "\xe2\x80\x8d\xe2\x80\xa7", "\xe2\x80\x8d\xe2\x80\xa7" },
	{ "\xe2\x80\xaf\xe2\x81\xaa", "\xe2\x80\xaf\xe2\x81\xaa" },
	/* UTF-8, but not XML. */
	{ "\xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbd",
	    "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
};

int
main(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf xml = { 0 };

		/* What is there already is left alone. */
		buf_print(&xml, "<%s", rows[i].text);
		markup_xml(&xml, 1);
		check(!xml.failed && xml.size == strlen(rows[i].xml) + 1 &&
		    *xml.data == '<' && memcmp(xml.data + 1, rows[i].xml,
		    xml.size - 1) == 0, "row %zu", i);
		buf_free(&xml);
	}
	return done_testing();
}
