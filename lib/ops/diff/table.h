/*
 * ops/diff/table.h - the functions of one side of a comparison
 *
 * Profiles of a side are added up: counters saturate, values of a site are
 * added by target.  If records of one name and hash differ in their numbers of
 * counters or sites, the one with more counters stays.
 */
#ifndef OPS_DIFF_TABLE_H
#define OPS_DIFF_TABLE_H

#include "base/arena.h"
#include "base/id_map.h"
#include "base/intern.h"
#include "prof.h"

struct diff_site {
	struct prof_value *values;	/* sorted by target, each once */
	size_t size;
};

struct diff_function {
	struct prof_symbol symbol;	/* with its guid */
	uint64_t hash;
	bool context_sensitive;
	bool pseudo;			/* prof_is_pseudo */
	uint64_t *counts;
	size_t counts_size;
	struct diff_site *sites[PROF_VALUE_KINDS];
	size_t sites_size[PROF_VALUE_KINDS];
	uint64_t count_sum, value_sums[PROF_VALUE_KINDS];	/* saturating */
	uint32_t name;			/* index into names */
	bool matched;			/* set by overlap_compare */
};

/* The records of one guid; all members are set by overlap_compare. */
struct diff_name {
	bool present;			/* some record is compared */
	const struct diff_function *first;	/* that matched none */
	uint64_t count;			/* of all that matched none */
};

/* All zero is empty. */
struct diff_table {
	struct diff_function *functions;	/* in the order of arrival */
	size_t size, room;
	struct intern keys;		/* diff_make_key; as functions */
	struct id_map by_guid;		/* one above the index of a name */
	struct diff_name *names;
	size_t names_size, names_room;
	struct arena arena;
	bool ir;			/* level of the profile being read */
	uint64_t misfits;		/* records that differ in numbers */
};

/*
 * Adds a record of any kind; others than functions and headers are ignored.
 * PROF_FAIL only if out of memory.
 */
enum prof_status diff_table_add(struct diff_table *, const struct prof_record *,
    struct prof_error *);

/*
 * The function, or name, of this table that matches a function of another
 * table; NULL if there is none.
 */
struct diff_function *diff_table_find(const struct diff_table *,
    const struct diff_function *);
struct diff_name *diff_table_name(const struct diff_table *,
    const struct diff_function *);

/* Whether both have equal numbers of counters, and of sites of each kind. */
bool diff_fits(const struct diff_function *, const struct diff_function *);

void diff_table_free(struct diff_table *);

#endif
