/* cmd/print/demangle.h - names of functions as their authors wrote them */
#ifndef CMD_PRINT_DEMANGLE_H
#define CMD_PRINT_DEMANGLE_H

#include "base/bytes.h"
#include "prof.h"

struct cli;

/*
 * Appends a name as it shall be read: demangled if wanted and possible, in a
 * local name only the part behind the file.
 */
void show_name(struct buf *, struct prof_span name, bool demangle);

/* The same for a symbol; without a name: "(guid 0x0123456789abcdef)". */
void show_symbol(struct buf *, const struct prof_symbol *, bool demangle);

/*
 * As show_name, demangled.  All names that are shown may have 256 MiB and 16
 * times their size; what comes behind them is shown as it is.
 */
void show_demangled(struct buf *, struct prof_span name);

/* At the end of a run: warns if names were not demangled for this reason. */
void show_warn_of_names(const struct cli *);

/*
 * The same for patterns of names, without that limit.  The name of a function
 * template begins with the type that it returns, as in "void f<int>(int)", or
 * is written without it.
 */
void match_demangled(struct buf *, struct prof_span name);
void match_demangled_without_type(struct buf *, struct prof_span name);

#endif
