/*
 * What prof-diff --format=junit prints: a test suite in the XML of JUnit, with
 * a test case for each limit of each subject, and the text for people.
 */
#include "config.h"

#include "cmd/print/markup.h"
#include "cmd/diff/formats.h"

static void
junit_files(struct buf *b, const struct diff *d)
{
	buf_text(b, "  <properties>\n");
	for (int s = 0; s < OVERLAP_SIDES; s++) {
		size_t start;

		buf_print(b, "    <property name=\"%c\" value=\"", "AB"[s]);
		start = b->size;
		buf_text(b, d->file[s]);
		markup_xml(b, start);
		buf_text(b, "\"/>\n");
	}
	buf_text(b, "  </properties>\n");
}

static void
junit_verdict(struct buf *b, const struct diff_verdict *v)
{
	char text[DIFF_VERDICT_SIZE];

	buf_print(b, "  <testcase classname=\"%s\" name=\"%s %.6g%s\"",
	    diff_subjects[v->subject].whose, v->option, v->limit, v->unit);
	if (!v->failed) {
		buf_text(b, "/>\n");
		return;
	}
	diff_verdict_text(text, v);
	buf_print(b, ">\n    <failure type=\"limit\" message=\"%s\">"
	    "%s</failure>\n  </testcase>\n", text, text);
}

/* The text for people as in a pipe. */
static void
junit_text(struct buf *b, const struct diff *d)
{
	size_t start;

	buf_text(b, "  <system-out>");
	start = b->size;
	diff_people(b, d);
	markup_xml(b, start);
	buf_text(b, "</system-out>\n");
}

void
diff_junit(struct buf *b, const struct diff *d)
{
	size_t cases = d->verdicts.size;

	buf_print(b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	    "<testsuite name=\"prof-diff\" tests=\"%zu\" failures=\"%zu\" "
	    "errors=\"0\" skipped=\"0\">\n", cases == 0 ? 1 : cases,
	    diff_failures(d));
	junit_files(b, d);
	if (cases == 0)
		buf_text(b, "  <testcase classname=\"prof-diff\" "
		    "name=\"comparison\"/>\n");
	for (size_t i = 0; i < cases; i++)
		junit_verdict(b, &d->verdicts.items[i]);
	junit_text(b, d);
	buf_text(b, "</testsuite>\n");
}
