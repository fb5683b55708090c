/* cover/report.h - sums of all files: tables for people, Cobertura for CI */
#ifndef COVER_REPORT_H
#define COVER_REPORT_H

#include "cover/cover.h"

struct cover_report {
	struct cover *cover;
	struct cover_summary *sums;	/* by number of path; NULL: not made */
	struct cover_summary total;
	const struct cover_report *base;	/* to compare with, or NULL */
};

/* Sums up all files, once. */
enum prof_status cover_report_make(struct cover_report *, struct prof_error *);

/* In the order of tables. */
enum cover_metric {
	COVER_LINES, COVER_FUNCTIONS, COVER_REGIONS, COVER_BRANCHES,
	COVER_MCDC, COVER_METRICS
};

struct cover_part cover_metric(const struct cover_summary *,
    enum cover_metric);

/*
 * The share that is covered, in parts of `whole`, rounded down; all of it if
 * there is nothing to cover.  Whole is at most 1,000,000.
 */
unsigned cover_share(struct cover_part, unsigned whole);

struct cover_table_options {
	unsigned order;			/* name, least covered, most missed */
	bool markdown;			/* of GitHub; else text */
	bool colours;
	unsigned width;			/* of a terminal; 0: no limit */
};

/* Writes a table of the files, with the lines that were missed. */
enum prof_status cover_write_table(const struct cover_report *,
    const struct cover_table_options *, prof_sink *, void *arg,
    struct prof_error *);

struct cover_cobertura_options {
	/* Appends the name of a function as people read it. */
	void (*put_name)(struct buf *, struct prof_span);
	const char *source;		/* folder of relative paths */
	uint64_t time;			/* seconds */
};

/* Writes XML of Cobertura (coverage-04.dtd). */
enum prof_status cover_write_cobertura(const struct cover_report *,
    const struct cover_cobertura_options *, prof_sink *, void *arg,
    struct prof_error *);

#endif
