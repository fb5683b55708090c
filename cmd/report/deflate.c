/* The data of a page, deflated as it is made. */
#include "config.h"

#include "cmd/report/report.h"

/* Text that is deflated at once. */
enum { DATA_PIECE = 1 << 18 };

/* The last byte stays: members look there whether they are the first. */
bool
report_data_flush(struct report_data *d, bool last)
{
	struct prof_span text = buf_span(&d->text);
	struct prof_error err;

	if (d->text.failed || (!last && text.size < DATA_PIECE))
		return !d->text.failed;
	if (d->gzip == NULL && (d->gzip = gzip_stream_new(GZIP_FAST)) == NULL)
		return false;
	if (!last)
		text.size--;
	if (gzip_stream_put(d->gzip, &d->packed, text, last, &err) != PROF_OK)
		return false;
	d->text.data[0] = d->text.data[d->text.size - 1];
	d->text.size = last ? 0 : 1;
	return true;
}

void
report_data_free(struct report_data *d)
{
	gzip_stream_free(d->gzip);
	buf_free(&d->text);
	buf_free(&d->packed);
}
