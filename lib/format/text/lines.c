#include "format/text/lines.h"

#include "base/error.h"

enum prof_status
text_lines_err(const struct text_lines *l, struct prof_error *err,
    const char *what)
{
	char shown[ERR_NAME_SIZE];

	if (l->at_end)
		return err_line(err, PROF_E_TRUNCATED, l->number,
		    "the file ends where %s should be", what);
	return err_line(err, PROF_E_CORRUPT, l->number,
	    "'%s' is not %s", err_name(shown, l->line), what);
}

enum prof_status
text_lines_count(struct text_lines *l, const struct text_number *n,
    uint64_t *out, struct prof_error *err)
{
	uint64_t line = l->number;
	size_t left;

	if (text_lines_number(l, n, out, err) != PROF_OK)
		return PROF_FAIL;
	left = l->image.size - l->pos + (l->at_end ? 0 : l->line.size);
	/* The last one needs no newline, and that of this line is gone. */
	if (*out > (left == 0 ? 0 : left / 2 + 1))
		return err_line(err, PROF_E_TRUNCATED, line,
		    "%s %llu exceeds the %zu bytes left", n->what,
		    (unsigned long long)*out, left);
	return PROF_OK;
}
