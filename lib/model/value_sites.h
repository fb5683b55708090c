/*
 * model/value_sites.h - the value sites of a function, all kinds of them, and
 * the form that they have in raw and indexed profiles
 *
 * A function has an array of sites for each kind of value.  These helpers are
 * for code that treats all kinds alike.  Everything is borrowed.
 */
#ifndef MODEL_VALUE_SITES_H
#define MODEL_VALUE_SITES_H

#include "base/arena.h"
#include "base/bytes.h"
#include "prof.h"

/*
 * Where a walk is: all zero before the first step.  Kinds come in the order of
 * enum prof_value_kind, sites and values in the order of the profile.
 *
 *	struct value_walk walk = { 0 };
 *	while ((site = value_next_site(&walk, f->values)) != NULL)
 *		... walk.kind is the kind of site ...
 */
struct value_walk {
	enum prof_value_kind kind;	/* of what was returned last */
	size_t next_site, next_value;
	const struct prof_site *site;	/* whose values are walked, or NULL */
};

/* The next site, also one without values; NULL behind the last one. */
const struct prof_site *value_next_site(struct value_walk *,
    const struct prof_sites[PROF_VALUE_KINDS]);

/*
 * The next value of a kind whose values are functions or vtables, that is, have
 * names; NULL behind the last one.  A walk returns either sites or targets.
 */
const struct prof_value *value_next_target(struct value_walk *,
    const struct prof_sites[PROF_VALUE_KINDS]);

/* Sites of all kinds. */
static inline size_t
value_sites_count(const struct prof_sites sites[PROF_VALUE_KINDS])
{
	size_t n = 0;

	for (int k = 0; k < PROF_VALUE_KINDS; k++)
		n += sites[k].size;
	return n;
}

/* Kinds that have sites. */
int value_kinds_count(const struct prof_sites[PROF_VALUE_KINDS]);

/* Whether some site has a value. */
bool value_sites_have_values(const struct prof_sites[PROF_VALUE_KINDS]);

/* So many sites without values, in the arena.  False if out of memory. */
bool value_sites_empty(struct arena *, size_t n, struct prof_sites *out);

/* Sets the number of sites of each kind. */
static inline void
value_sites_sizes(const struct prof_sites sites[PROF_VALUE_KINDS],
    size_t sizes[PROF_VALUE_KINDS])
{
	for (int k = 0; k < PROF_VALUE_KINDS; k++)
		sizes[k] = sites[k].size;
}

/* Whether each kind has that number of sites. */
static inline bool
value_sites_fit(const struct prof_sites sites[PROF_VALUE_KINDS],
    const size_t sizes[PROF_VALUE_KINDS])
{
	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		if (sites[k].size != sizes[k])
			return false;
	}
	return true;
}

/*
 * Value profile data of raw and indexed profiles.
 *
 * A block holds the value sites of one function, in raw profiles from version 2
 * and indexed ones from version 3 on (InstrProfData.inc,
 * INSTR_PROF_VALUE_PROF_DATA, LLVM 3.8 to 22).
 */

/*
 * Replaces a stored value by its meaning: value->value is as stored on entry
 * and becomes, for example, the guid of the function at that address; the name
 * may be set as well.
 */
struct values_resolver {
	void (*resolve)(void *arg, enum prof_value_kind,
	    struct prof_value *value);
	void *arg;
};

/*
 * Reads the block at the cursor and moves the cursor behind the block.  Sites
 * come from the arena; a kind that is not in the block has none.  Without a
 * resolver (NULL) values are as stored.  All lengths are checked against the
 * block, and the block against the cursor; the records must fill the block to
 * the byte.  Offsets of errors are positions of the cursor.
 */
enum prof_status values_read(struct cursor *, struct arena *,
    const struct values_resolver *, struct prof_sites out[PROF_VALUE_KINDS],
    struct prof_error *);

/* Values of one site that a block can hold: their number is one byte. */
enum { VALUES_SITE_MAX = 255 };

/*
 * Appends a block in a byte order, with the sites of the kinds below `kinds`;
 * *cut grows by the values that exceed VALUES_SITE_MAX of a site and are lost.
 */
void values_write(struct buf *, const struct prof_sites[PROF_VALUE_KINDS],
    unsigned kinds, bool big, uint64_t *cut);

#endif
