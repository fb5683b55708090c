/* The report of prof-index --upgrade: one object a line. */
#include "config.h"

#include "base/json_member.h"
#include "cmd/common/report_line.h"
#include "cmd/upgrade/upgrade.h"

static void
upgrade_json_reasons(struct buf *b, const char *key, const struct buf *errors,
    enum prof_code code)
{
	const char *comma = "";

	json_member_key(b, key);
	json_text_plain(b, "[");
	for (size_t at = 0; at < errors->size; ) {
		struct prof_error e;

		memcpy(&e, errors->data + at, sizeof(e));
		at += sizeof(e);
		if (e.code != code)
			continue;
		json_text_plain(b, comma);
		json_text_string(b, span_of_text(e.reason));
		comma = ",";
	}
	json_text_plain(b, "]");
}

static void
upgrade_json_error(struct buf *b, const struct prof_error *e)
{
	if (e->code == PROF_E_NONE)
		return;
	if (e->where == PROF_AT_BYTE)
		json_member_number(b, "offset", e->offset);
	json_member_text(b, "reason", e->reason);
}

void
upgrade_put_json(struct buf *b, const struct upgrade_file *f, bool dry_run)
{
	static const char *const results[UPGRADE_RESULTS] = {
		[UPGRADE_DONE] = "upgraded", [UPGRADE_CURRENT] = "current",
		[UPGRADE_REFUSED] = "refused", [UPGRADE_FAILED] = "failed",
	};

	json_text_plain(b, "{");
	report_line_names(b, f->path, f->member);
	if (f->from != 0)
		json_member_number(b, "from", f->from);
	json_member_number(b, "to", f->to);
	json_member_text(b, "result", results[f->result]);
	if (dry_run)
		json_member_flag(b, "dry_run");
	upgrade_json_reasons(b, "dropped", &f->warnings, PROF_E_UNSUPPORTED);
	upgrade_json_reasons(b, "changed", &f->changes, PROF_E_NONE);
	upgrade_json_error(b, &f->err);
	json_text_plain(b, "}\n");
}
