/* cmd/print/profile_json.h - profiles as prof-show --json prints them */
#ifndef CMD_PRINT_PROFILE_JSON_H
#define CMD_PRINT_PROFILE_JSON_H

#include "base/bytes.h"
#include "ops/figures.h"
#include "ops/heap/view.h"
#include "prof.h"

struct profile_figures {
	const struct prof_header *header;
	const struct figures *figures;
	const struct heap_figures *heap;	/* NULL: no heap data */
	const struct summary_entry *entries;	/* of LLVM's cutoffs, or NULL */
	/* Hex digits of each build id with a newline behind them, or NULL. */
	const struct buf *ids;
};

/* Appends an object. */
void profile_json_summary(struct buf *, const struct profile_figures *);

enum {
	PROFILE_COUNTS = 1 << 0,
	PROFILE_VALUES = 1 << 1,
	PROFILE_DEMANGLED = 1 << 2,
	PROFILE_CHANGED = 1 << 4,	/* demangled if that is not the name */
	PROFILE_BITMAP = 1 << 3		/* as in streams, if there is one */
};

/* Appends the members of a function: its name, hash, and the parts wanted. */
void profile_json_function(struct buf *, const struct prof_function *,
    unsigned parts);

#endif
