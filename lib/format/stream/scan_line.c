/* Which scanner takes a canonical line apart. */
#include "format/stream/scan.h"

static bool
scan_record(struct scan *s, struct prof_record *out)
{
	if (SKIP(s, "function\",")) {
		out->kind = PROF_REC_FUNCTION;
		return scan_function(s, &out->u.function);
	}
	if (SKIP(s, "stack\",")) {
		out->kind = PROF_REC_STACK;
		return scan_stack(s, &out->u.stack);
	}
	if (SKIP(s, "allocation\",")) {
		out->kind = PROF_REC_ALLOCATION;
		return scan_allocation(s, &out->u.allocation);
	}
	return false;
}

bool
scan_line(struct stream_record *r, struct prof_span line,
    const uint8_t *limit, struct prof_record *out)
{
	struct scan s = { line.data, line.data + line.size, limit, r };

	return SKIP(&s, "{\"record\":\"") && scan_record(&s, out) &&
	    SKIP(&s, "}") && s.p == s.end;
}

bool
stream_scan(struct stream_record *r, struct prof_span line,
    struct prof_record *out)
{
	return scan_line(r, line, line.data + line.size, out);
}
