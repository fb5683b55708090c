/* The report of prof-index --upgrade: one object a line. */
#include "config.h"

#include "base/jtext.h"
#include "upgrade.h"

static struct prof_span
span(const char *s)
{
	return (struct prof_span){ (const uint8_t *)s, strlen(s) };
}

/* A name may be any bytes. */
static void
put_name(struct buf *b, const char *key, const char *hex_key, const char *name)
{
	bool fits = jtext_fits(span(name));

	jtext_plain(b, fits ? key : hex_key);
	if (fits)
		jtext_string(b, span(name));
	else
		jtext_hex(b, span(name));
}

static void
put_reasons(struct buf *b, const char *key, const struct buf *errors,
    enum prof_code code)
{
	const char *comma = "";

	jtext_plain(b, key);
	jtext_plain(b, "[");
	for (size_t at = 0; at < errors->size; ) {
		struct prof_error e;

		memcpy(&e, errors->data + at, sizeof(e));
		at += sizeof(e);
		if (e.code != code)
			continue;
		jtext_plain(b, comma);
		jtext_string(b, span(e.reason));
		comma = ",";
	}
	jtext_plain(b, "]");
}

static void
put_error(struct buf *b, const struct prof_error *e)
{
	if (e->code == PROF_E_NONE)
		return;
	if (e->where == PROF_AT_BYTE) {
		jtext_plain(b, ",\"offset\":");
		jtext_number(b, e->offset);
	}
	jtext_plain(b, ",\"reason\":");
	jtext_string(b, span(e->reason));
}

void
upgrade_put_json(struct buf *b, const struct upgrade_file *f, bool dry_run)
{
	static const char *const results[UPGRADE_RESULTS] = {
		[UPGRADE_DONE] = "upgraded", [UPGRADE_CURRENT] = "current",
		[UPGRADE_REFUSED] = "refused", [UPGRADE_FAILED] = "failed",
	};

	jtext_plain(b, "{");
	put_name(b, "\"file\":", "\"file_hex\":", f->path);
	if (f->member != NULL)
		put_name(b, ",\"member\":", ",\"member_hex\":", f->member);
	if (f->from != 0) {
		jtext_plain(b, ",\"from\":");
		jtext_number(b, f->from);
	}
	jtext_plain(b, ",\"to\":");
	jtext_number(b, f->to);
	jtext_plain(b, ",\"result\":");
	jtext_string(b, span(results[f->result]));
	if (dry_run)
		jtext_plain(b, ",\"dry_run\":true");
	put_reasons(b, ",\"dropped\":", &f->warnings, PROF_E_UNSUPPORTED);
	put_reasons(b, ",\"changed\":", &f->changes, PROF_E_NONE);
	put_error(b, &f->err);
	jtext_plain(b, "}\n");
}
