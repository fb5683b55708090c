/*
 * cmd/common/report_line.h - members of the lines of reports
 *
 * A report may replace another one, but no other file: it is known by the
 * first member of its first line, which one of these functions appends.
 */
#ifndef CMD_COMMON_REPORT_LINE_H
#define CMD_COMMON_REPORT_LINE_H

#include <stdbool.h>
#include <stdint.h>

struct buf;
struct prof_error;

/* Appends the names of an input; nothing of those that are NULL. */
void report_line_names(struct buf *, const char *file, const char *member);

/* Appends the place in the input of an error, if the error has one. */
void report_line_place(struct buf *, const struct prof_error *);

/* Appends place, code and reason; the code is first without names and place. */
void report_line_error(struct buf *, const struct prof_error *);

/* Appends the number of all inputs, which begins a line of totals. */
void report_line_inputs(struct buf *, uint64_t);

/* The number of bytes by which reports are known. */
enum { REPORT_START_SIZE = 12 };

/* Whether a file that starts so, up to NUL, is a report. */
bool report_line_starts(const char start[REPORT_START_SIZE + 1]);

#endif
