/*
 * diff_table.h - the functions of one side of a comparison
 *
 * Profiles of a side are added up: counters saturate, values of a site come
 * together by target.  Of records of one name and hash that do not fit, the one
 * with more counters stays.
 */
#ifndef OPS_DIFF_TABLE_H
#define OPS_DIFF_TABLE_H

#include "base/arena.h"
#include "base/id_map.h"
#include "base/intern.h"
#include "prof.h"

struct diff_site {
	struct prof_value *values;	/* by target, each once; no names */
	size_t size;
};

struct diff_function {
	struct prof_symbol symbol;	/* with its guid */
	uint64_t hash;
	bool context_sensitive;
	bool pseudo;			/* its counters are no numbers */
	uint64_t *counts;
	size_t counts_size;
	struct diff_site *sites[PROF_VALUE_KINDS];
	size_t sites_size[PROF_VALUE_KINDS];
	uint64_t count_sum, value_sums[PROF_VALUE_KINDS];	/* saturating */
	uint32_t name;			/* index into names */
	bool matched;			/* for the comparison to use */
};

/* A guid, and what the comparison notes about its functions. */
struct diff_name {
	bool present;
	const struct diff_function *first;	/* without partner */
	uint64_t count;			/* of all those */
};

/* All zero is empty. */
struct diff_table {
	struct diff_function *functions;	/* in the order of arrival */
	size_t size, room;
	struct intern keys;		/* guid, hash, class; as functions */
	struct id_map by_guid;		/* one above the index of a name */
	struct diff_name *names;
	size_t names_size, names_room;
	struct arena arena;
	bool ir;			/* level of the profile being read */
	uint64_t misfits;		/* records that were left out */
};

/* Takes a record of any kind; others than functions are passed over. */
enum prof_status diff_table_add(struct diff_table *, const struct prof_record *,
    struct prof_error *);

/* What the table has of a function of another: NULL if it has it not. */
struct diff_function *diff_table_find(const struct diff_table *,
    const struct diff_function *);
struct diff_name *diff_table_name(const struct diff_table *,
    const struct diff_function *);

/* Whether both have as many counters, and sites of each kind. */
bool diff_fits(const struct diff_function *, const struct diff_function *);

void diff_table_free(struct diff_table *);

#endif
