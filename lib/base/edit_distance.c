#include "base/edit_distance.h"

static size_t
smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Rows of the table: cell i stands for the first i bytes of the first text. */
struct edit_rows {
	struct prof_span a, b;
	size_t cells[3][EDIT_TEXT_MAX + 2];
	size_t *before, *last, *row;
};

/* The cell of i bytes of a and j of b, both at least 1. */
static size_t
edit_cell(const struct edit_rows *r, size_t i, size_t j)
{
	const uint8_t *a = r->a.data, *b = r->b.data;
	size_t n = smaller(r->last[i] + 1, r->row[i - 1] + 1);

	n = smaller(n, r->last[i - 1] + (a[i - 1] != b[j - 1]));
	if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
		n = smaller(n, r->before[i - 2] + 1);
	return n;
}

/*
 * Computes row j.  Cells farther than bound from the diagonal exceed it; the
 * two beside the band are set to bound + 1, as the next rows read them.
 * Returns the least cell.
 */
static size_t
edit_row(struct edit_rows *r, size_t j, size_t bound)
{
	size_t first = j > bound ? j - bound : 0;
	size_t last = smaller(r->a.size, j + bound), least = bound + 1;
	size_t *unused = r->before;

	r->before = r->last;
	r->last = r->row;
	r->row = unused;
	if (first > 0)
		r->row[first - 1] = bound + 1;
	for (size_t i = first; i <= last; i++) {
		r->row[i] = j == 0 ? i : i == 0 ? j : edit_cell(r, i, j);
		least = smaller(least, r->row[i]);
	}
	r->row[last + 1] = bound + 1;
	return least;
}

size_t
edit_distance(struct prof_span a, struct prof_span b, size_t bound)
{
	size_t difference = a.size > b.size ? a.size - b.size :
	    b.size - a.size, above = 0;
	struct edit_rows r;	/* rows are written before they are read */

	if (difference > bound || a.size > EDIT_TEXT_MAX ||
	    b.size > EDIT_TEXT_MAX)
		return bound + 1;
	r.a = a;
	r.b = b;
	r.before = r.cells[0];
	r.last = r.cells[1];
	r.row = r.cells[2];
	/* A swap skips a row, so that two rows above the bound end it. */
	for (size_t j = 0; j <= b.size && above < 2; j++)
		above = edit_row(&r, j, bound) > bound ? above + 1 : 0;
	return above != 0 ? bound + 1 : smaller(r.row[a.size], bound + 1);
}
