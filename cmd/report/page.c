/* The page: its template with the profiles in it. */
#include "config.h"

#include "base/digests.h"
#include "base/text.h"
#include "cmd/print/markup.h"
#include "cmd/report/page_text.h"
#include "cmd/report/report.h"

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

static bool
page_put_style_hash(struct buf *b, const struct report_page *p)
{
	(void)p;
	page_put_hash(b, page_style);
	return true;
}

static bool
page_put_script_hash(struct buf *b, const struct report_page *p)
{
	(void)p;
	page_put_hash(b, page_script);
	return true;
}

static bool
page_put_style(struct buf *b, const struct report_page *p)
{
	(void)p;
	buf_put(b, page_style.data, page_style.size);
	return true;
}

static bool
page_put_script(struct buf *b, const struct report_page *p)
{
	(void)p;
	buf_put(b, page_script.data, page_script.size);
	return true;
}

static bool
page_put_title(struct buf *b, const struct report_page *p)
{
	size_t start = b->size;

	buf_text(b, p->title);
	markup_xml(b, start);
	return true;
}

static bool
page_put_plain(struct buf *b, const struct report_page *p)
{
	buf_put(b, p->plain.data, p->plain.size);
	return true;
}

/* Bytes that become text at once: groups of three have no padding. */
enum { DATA_PIECE = 3 << 14 };

static bool
page_put_data(struct buf *b, const struct report_page *p)
{
	for (struct prof_span left = p->data; left.size != 0;) {
		size_t size = left.size < DATA_PIECE ? left.size : DATA_PIECE;

		base64_put(b, (struct prof_span){ left.data, size });
		if (!p->flush(p->arg, b))
			return false;
		left.data += size;
		left.size -= size;
	}
	return true;
}

static const struct page_part {
	const char *word;
	bool (*put)(struct buf *, const struct report_page *);
} page_parts[] = {
	{ "@STYLE_HASH@", page_put_style_hash },
	{ "@SCRIPT_HASH@", page_put_script_hash },
	{ "@TITLE@", page_put_title },
	{ "@STYLE@", page_put_style },
	{ "@PLAIN@", page_put_plain },
	{ "@DATA@", page_put_data },
	{ "@SCRIPT@", page_put_script },
};

/* The part that the text begins with, or NULL. */
static const struct page_part *
page_find_part(struct prof_span text)
{
	for (size_t i = 0; i < sizeof(page_parts) / sizeof(*page_parts); i++) {
		const struct page_part *part = &page_parts[i];
		size_t size = strlen(part->word);

		if (size <= text.size &&
		    memcmp(text.data, part->word, size) == 0)
			return part;
	}
	return NULL;
}

bool
report_page_put(struct buf *b, const struct report_page *p)
{
	struct prof_span left = page_template;

	while (left.size != 0) {
		const struct page_part *part = page_find_part(left);
		size_t size = part == NULL ? 1 : strlen(part->word);

		if (part == NULL)
			buf_u8(b, *left.data);
		else if (!part->put(b, p))
			return false;
		left.data += size;
		left.size -= size;
	}
	return true;
}
