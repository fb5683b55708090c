#include "config.h"

#include "cmd/common/report_line.h"

#include <string.h>

#include "base/error.h"
#include "base/json_member.h"
#include "prof.h"

/* Keys of the first members. */
#define KEY_FILE	"file"
#define KEY_FILE_HEX	"file_hex"
#define KEY_CODE	"code"
#define KEY_INPUTS	"inputs"

void
report_line_names(struct buf *b, const char *file, const char *member)
{
	json_member_name(b, KEY_FILE, KEY_FILE_HEX, file);
	json_member_name(b, "member", "member_hex", member);
}

void
report_line_place(struct buf *b, const struct prof_error *e)
{
	if (e->where == PROF_AT_BYTE)
		json_member_number(b, "offset", e->offset);
	else if (e->where == PROF_AT_LINE)
		json_member_number(b, "line", e->offset);
}

void
report_line_error(struct buf *b, const struct prof_error *e)
{
	report_line_place(b, e);
	json_member_text(b, KEY_CODE, err_code_name(e->code));
	json_member_text(b, "reason", e->reason);
}

void
report_line_inputs(struct buf *b, uint64_t n)
{
	json_member_number(b, KEY_INPUTS, n);
}

bool
report_line_starts(const char start[REPORT_START_SIZE + 1])
{
	static const char *const starts[] = {
		"{\"" KEY_FILE "\":", "{\"" KEY_FILE_HEX "\":",
		"{\"" KEY_CODE "\":", "{\"" KEY_INPUTS "\":",
		/* Of an account (plan/account.h); a plan has a number here. */
		"{\"plan\":\""
	};

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		if (strncmp(start, starts[i], strlen(starts[i])) == 0)
			return true;
	}
	return false;
}
