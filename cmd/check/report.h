/* cmd/check/report.h - prof-check's result for an input, printed */
#ifndef CMD_CHECK_REPORT_H
#define CMD_CHECK_REPORT_H

#include "base/bytes.h"
#include "ops/check.h"

enum check_state { CHECK_OK, CHECK_SUSPECT, CHECK_BAD };

enum { CHECK_REASONS = 8 };		/* printed; further ones are counted */

/* The result for an input: a file, or a member of one. */
struct check_result {
	const char *file, *member;	/* NULL: the file is no archive */
	const char *format;		/* of its bytes, or NULL */
	const struct check *found;
	const char *sha256;		/* in hex, or NULL */
	struct prof_error error;	/* why it is bad, or all zero */
	enum stream_rule broken_rule;	/* if the error is one of these */
	struct prof_error reasons[CHECK_REASONS];
	uint64_t reason_count;		/* may be more than CHECK_REASONS */
};

enum check_state check_state(const struct check_result *);

/* Appends lines for people; none for a sound input if `quiet`. */
void check_print(struct buf *, const struct check_result *, bool quiet);

/* Appends a line of JSON. */
void check_report(struct buf *, const struct check_result *);

/* Appends the last line: inputs by state, and members that are no profiles. */
void check_report_sums(struct buf *, const uint64_t states[3],
    uint64_t skipped);

#endif
