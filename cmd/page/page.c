/* cmd/page/page.c - a page: its template, with the data in it */
#include "config.h"

#include "base/digests.h"
#include "base/text.h"
#include "cmd/page/page.h"
#include "cmd/print/print.h"

/* The source expression of an element, which its text has to match. */
static void
page_put_hash(struct buf *b, struct prof_span text)
{
	uint8_t digest[SHA256_SIZE];

	sha256_of(text, digest);
	buf_text(b, "'sha256-");
	base64_put(b, (struct prof_span){ digest, sizeof(digest) });
	buf_text(b, "'");
}

/* Bytes that become text at once: groups of three have no padding. */
enum { BASE64_PIECE = 3 << 14 };

static bool
page_put_data(struct buf *b, const struct page *p)
{
	for (struct prof_span left = p->data; left.size != 0;) {
		size_t size = left.size < BASE64_PIECE ? left.size :
		    BASE64_PIECE;

		base64_put(b, (struct prof_span){ left.data, size });
		if (!p->flush(p->arg, b))
			return false;
		left.data += size;
		left.size -= size;
	}
	return true;
}

enum page_part { PAGE_STYLE_HASH, PAGE_SCRIPT_HASH, PAGE_TITLE, PAGE_STYLE,
	PAGE_PLAIN, PAGE_DATA, PAGE_SCRIPT, PAGE_PARTS };

static bool
page_put_part(struct buf *b, const struct page *p, enum page_part part)
{
	size_t start = b->size;

	switch (part) {
	case PAGE_STYLE_HASH:
		page_put_hash(b, p->style);
		break;
	case PAGE_SCRIPT_HASH:
		page_put_hash(b, p->script);
		break;
	case PAGE_TITLE:
		buf_text(b, p->title);
		markup_xml(b, start);
		break;
	case PAGE_STYLE:
		buf_put(b, p->style.data, p->style.size);
		break;
	case PAGE_PLAIN:
		buf_put(b, p->plain.data, p->plain.size);
		break;
	case PAGE_DATA:
		return page_put_data(b, p);
	default:
		buf_put(b, p->script.data, p->script.size);
	}
	return true;
}

bool
page_put(struct buf *b, const struct page *p)
{
	static const char *const words[PAGE_PARTS] = {
		[PAGE_STYLE_HASH] = "@STYLE_HASH@",
		[PAGE_SCRIPT_HASH] = "@SCRIPT_HASH@",
		[PAGE_TITLE] = "@TITLE@", [PAGE_STYLE] = "@STYLE@",
		[PAGE_PLAIN] = "@PLAIN@", [PAGE_DATA] = "@DATA@",
		[PAGE_SCRIPT] = "@SCRIPT@",
	};
	struct prof_span left = page_template;

	while (left.size != 0) {
		size_t size = 1;
		int i;

		for (i = 0; i < PAGE_PARTS; i++) {
			size = strlen(words[i]);
			if (size <= left.size &&
			    memcmp(left.data, words[i], size) == 0)
				break;
		}
		if (i == PAGE_PARTS) {
			size = 1;
			buf_u8(b, *left.data);
		} else if (!page_put_part(b, p, (enum page_part)i)) {
			return false;
		}
		left.data += size;
		left.size -= size;
	}
	return true;
}

/* Cells of the tables in plain HTML. */

void
page_cell_number(struct buf *b, uint64_t n)
{
	buf_text(b, "<td>");
	show_number(b, n, 0);
	buf_text(b, "</td>");
}

size_t
page_cell_name(struct buf *b)
{
	buf_text(b, "<td class=\"name\">");
	return b->size;
}

void
page_cell_end(struct buf *b, size_t start)
{
	show_printable(b, start);
	markup_xml(b, start);
	buf_text(b, "</td></tr>\n");
}

/* The data of a page, deflated as it is made. */

/* Text that is deflated at once. */
enum { DATA_PIECE = 1 << 18 };

/* The last byte stays: members look there whether they are the first. */
bool
page_data_flush(struct page_data *d, bool last)
{
	struct prof_span text = buf_span(&d->text);
	struct prof_error err;

	if (d->text.failed || (!last && text.size < DATA_PIECE))
		return !d->text.failed;
	if (d->gzip == NULL && (d->gzip = gzip_stream_new(d->effort)) == NULL)
		return false;
	if (!last)
		text.size--;
	if (gzip_stream_put(d->gzip, &d->packed, text, last, &err) != PROF_OK)
		return false;
	if (last) {
		gzip_stream_free(d->gzip);
		d->gzip = NULL;
		d->text.size = 0;
		return true;
	}
	d->text.data[0] = d->text.data[d->text.size - 1];
	d->text.size = 1;
	return true;
}

void
page_data_free(struct page_data *d)
{
	gzip_stream_free(d->gzip);
	buf_free(&d->text);
	buf_free(&d->packed);
}
