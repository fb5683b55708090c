/*
 * ops/diff/record.h - the counters and values that one side has of a function
 *
 * A record is one piece of memory: its head, the counters, and the sites if
 * there are any.  Counters that fit take 32 bits each; almost all do, and
 * memory is what a comparison of large profiles takes its time with.
 */
#ifndef OPS_DIFF_RECORD_H
#define OPS_DIFF_RECORD_H

#include "base/arena.h"
#include "prof.h"

struct diff_value {
	uint64_t target, count;
};

struct diff_site {
	struct diff_value *values;	/* sorted by target, each once */
	size_t size, room;
};

struct diff_sites {
	struct diff_site *sites[PROF_VALUE_KINDS];
	size_t sizes[PROF_VALUE_KINDS];
};

struct diff_record {
	uint32_t counts_size;
	bool pseudo;			/* prof_is_pseudo; all counters are 0 */
	bool wide;			/* counters of 64 bits */
	bool borrows;			/* a pointer to counters of 64 bits
					   stands in the place of counters */
	uint8_t flags;			/* enum diff_flag, or-ed */
};

enum diff_flag {
	DIFF_SITES = 1,			/* value sites follow the counters */
	DIFF_RARE = 2,			/* so do, behind these, the numbers of
					   bitmap bytes and uniform counters */
	DIFF_USED = 4			/* not empty (function_is_empty) */
};

enum { DIFF_RECORD_HEAD = 8 };
_Static_assert(sizeof(struct diff_record) <= DIFF_RECORD_HEAD,
    "counters are aligned");

static inline void *
diff_counters(const struct diff_record *r)
{
	return (char *)r + DIFF_RECORD_HEAD;
}

/* The counters of a record that borrows them; NULL for others. */
static inline const uint64_t *
diff_borrowed_counters(const struct diff_record *r)
{
	const uint64_t *const *borrowed = diff_counters(r);

	return r->borrows ? *borrowed : NULL;
}

static inline uint64_t
diff_count(const struct diff_record *r, size_t i)
{
	const uint32_t *narrow = diff_counters(r);
	const uint64_t *wide = diff_counters(r);

	return r->borrows ? diff_borrowed_counters(r)[i] :
	    r->wide ? wide[i] : narrow[i];
}

/* The sites, or NULL. */
struct diff_sites *diff_record_sites(const struct diff_record *);

/* A copy in the arena; NULL if out of memory. */
struct diff_record *diff_record_new(struct arena *,
    const struct prof_function *);

/*
 * The same, but counters are borrowed from the function if a record can have
 * them as they are.
 */
struct diff_record *diff_record_borrow(struct arena *,
    const struct prof_function *);

/*
 * Whether the function can be added: it is of the record's class, that is, it
 * has as many counters, bitmap bytes, uniform counters and sites, and both or
 * none have pseudo counts.
 */
bool diff_record_accepts(const struct diff_record *,
    const struct prof_function *);

/*
 * Above 0 if a merge keeps the record, below 0 if it keeps the function, which
 * is of another class (model/function_class.h).
 */
int diff_record_compare_class(const struct diff_record *,
    const struct prof_function *);

/*
 * Adds the counters, which saturate, and the values by target.  The record may
 * be replaced by a larger one.  False if out of memory.
 */
bool diff_record_add(struct arena *, struct diff_record **,
    const struct prof_function *);

/* Sums of the counters, and of the values of a kind; they saturate. */
uint64_t diff_count_sum(const struct diff_record *);
uint64_t diff_value_sum(const struct diff_record *, int kind);

/* The same sums of a function as its record would have them. */
uint64_t diff_function_count_sum(const struct prof_function *);
uint64_t diff_function_value_sum(const struct prof_function *, int kind);

/* A copy without values, which borrows nothing; NULL if out of memory. */
struct diff_record *diff_record_copy_counts(struct arena *,
    const struct diff_record *);

/* Whether both have equal numbers of counters, and of sites of each kind. */
bool diff_records_fit(const struct diff_record *, const struct diff_record *);

#endif
