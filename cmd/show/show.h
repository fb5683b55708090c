/* cmd/show/show.h - the two outputs of prof-show: for people, and JSON */
#ifndef CMD_SHOW_SHOW_H
#define CMD_SHOW_SHOW_H

#include "base/bytes.h"
#include "cmd/print/demangle.h"
#include "cmd/common/terminal.h"
#include "ops/figures.h"
#include "ops/heap/figures.h"
#include "prof.h"

struct show_style {
	bool counts, values, demangle, cutoffs;
	bool shares;			/* functions with their share */
	struct terminal terminal;
};

struct show_face {
	/* Heading of a list of functions, at a profile's first function. */
	void (*heading)(struct buf *, const struct show_style *,
	    const struct prof_header *);
	/* The share of the total, in percent, is printed if style says so. */
	void (*function)(struct buf *, const struct show_style *,
	    const struct prof_header *, const struct prof_function *,
	    double share);
	/*
	 * entries are NULL unless cutoffs are wanted, and ids, hexadecimal
	 * digits of each build id with a newline behind them, unless these
	 * are; heap is NULL if the profile has no heap data.
	 */
	void (*summary)(struct buf *, const struct show_style *,
	    const struct prof_header *, const struct figures *,
	    const struct heap_figures *heap,
	    const struct summary_entry *entries, const struct buf *ids);
};

extern const struct show_face show_people, show_json;

#endif
