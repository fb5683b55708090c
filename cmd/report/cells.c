/* Cells of the tables in plain HTML. */
#include "config.h"

#include "cmd/print/markup.h"
#include "cmd/print/people_text.h"
#include "cmd/print/terminal.h"
#include "cmd/report/report.h"

/* A longer name is cut in the middle. */
enum { CELL_NAME_COLUMNS = 200 };

void
report_cell_number(struct buf *b, uint64_t n)
{
	buf_text(b, "<td>");
	columns_number(b, n, 0, true);
	buf_text(b, "</td>");
}

size_t
report_cell_name(struct buf *b)
{
	buf_text(b, "<td class=\"name\">");
	return b->size;
}

void
report_cell_end(struct buf *b, size_t start)
{
	show_printable(b, start);
	columns_cut(b, start, CELL_NAME_COLUMNS, "...");
	markup_xml(b, start);
	buf_text(b, "</td></tr>\n");
}
