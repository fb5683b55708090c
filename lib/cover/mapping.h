/* cover/mapping.h - regions as they are decoded, inside lib/cover */
#ifndef COVER_MAPPING_H
#define COVER_MAPPING_H

#include "cover/cover.h"

/* No condition comes next: the decision is made. */
#define CONDITION_NONE	UINT32_MAX

/* A region with its counters, before they are evaluated. */
struct decoded {
	struct cover_region region;
	uint32_t counter, other;
	union {
		/* Of a decision: one more than its last bit; conditions. */
		struct {
			uint32_t bitmap, conditions;
		};
		/* Of a condition: its number, and the next if it is false and
		 * true. */
		struct {
			uint32_t id, next[2];
		};
	};
};

/*
 * Finds the conditions of each decision, and the combinations of them that the
 * bitmap says were executed, as a release of LLVM orders them.  The decisions
 * are in the arena; a decision that lacks conditions is left out.
 * PROF_E_CORRUPT if one makes no sense.
 */
enum prof_status cover_find_decisions(const struct decoded *, size_t size,
    struct prof_span bitmap, unsigned release, struct arena *,
    struct cover_function *out, struct prof_error *);

/* Adds the ways that another run of the same decision has taken. */
bool cover_decision_add(struct arena *, struct cover_decision *,
    const struct cover_decision *other);

/* The first region of a file: its counter, or the file that it expands into. */
struct file_start {
	uint32_t counter;
	uint32_t next;			/* or INDEX_NONE */
};

/* The mapping of one function at a time (cover/decode.c); all zero: none. */
struct decoder {
	struct cover_counters counters;
	uint32_t *files;		/* numbers of paths */
	size_t files_size, files_room;
	struct expression *expressions;
	size_t expressions_size, expressions_room;
	struct cover_region *regions, *branches;
	size_t regions_size, regions_room, branches_size, branches_room;
	/* Decisions and conditions, and expansions between them. */
	struct decoded *parts;
	size_t parts_size, parts_room;
	bool has_decisions;
	bool uncountable;		/* a counter is missing, or a loop */
	uint32_t *stack;
	size_t stack_size, stack_room;
	struct file_start *first_of;	/* of each file */
	size_t first_room;
	/* The entry whose function it is (cover/functions.c). */
	struct cover_function function;
	size_t number;
	bool is_open;
};

/*
 * Reads all of a mapping, whose files are numbers in a table of paths (NULL: no
 * path matters), with the counts of the counters; without counters, all counts
 * are 0.  False if it is damaged, or out of memory; never for a mapping that
 * was read before.
 */
bool decoder_read(struct decoder *, struct prof_span mapping,
    const struct cover_counters *, const uint32_t *paths, size_t paths_size);

/* Whether its only region has no counter. */
bool decoder_is_unused(const struct decoder *);

/* Counts below 0, of threads that raced, become 0; tells how many there are. */
void decoder_correct(struct decoder *, struct cover_wrong *);

/* Sets count, regions and branches of the function, all of the decoder. */
void decoder_give(const struct decoder *, struct cover_function *);
void decoder_free(struct decoder *);

/*
 * Adds an entry whose function, with its regions, is f; or its counts to the
 * one with the same regions.  *number is where it is then.  If the counts are
 * of sums some of which that one has, nothing is added, and *counted is its
 * selection.  False if out of memory.
 */
bool cover_put_entry(struct cover *, struct cover_entry *,
    const struct cover_function *f, uint64_t *number, uint32_t *counted);

/*
 * The next counters of a name and hash among those of tests: *at is 0 at first.
 * NULL: no more.
 */
const struct cover_counters *cover_counts_next_test(const struct cover_counts *,
    uint64_t guid, uint64_t hash, uint32_t *at, uint32_t *test, uint32_t *sum);

/*
 * Lists functions anew, without dropped ones, and leaves out the sorted paths
 * that none of them has.  False if out of memory.
 */
bool cover_list(struct cover *);

#endif
