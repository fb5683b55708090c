/*
 * merge/core/names.h - names that a merge knows and no record of its output has
 *
 * A record that was dropped, or left out, may be the only one with the name of
 * a value target, a trace or a function that another profile knows by its guid.
 * So that a partial merge loses no name, such names are put as records of their
 * own.  They are what is known less what was put.
 */
#ifndef MERGE_CORE_NAMES_H
#define MERGE_CORE_NAMES_H

#include "merge/core/core.h"

/* All zero is empty. */
struct merge_names {
	struct number_set shown;	/* guids of names in records put */
	struct symtab lost;		/* names of records that were not put */
	struct arena arena;		/* of both */
};

/* Puts a record of the sum; m->record_names, if any, notes its names. */
enum prof_status merge_put(const struct merge *, struct prof_writer *,
    const struct prof_record *, struct prof_error *);

/* Copies the name of a record that is not put.  False if out of memory. */
bool merge_names_lose(struct merge_names *, const struct prof_symbol *);

/*
 * The names of `known` that were not noted, sorted: an array of *n for free().
 * NULL if out of memory.
 */
struct prof_span *merge_names_unshown(struct merge_names *,
    const struct symtab *known, size_t *n);

void merge_names_free(struct merge_names *);

#endif
