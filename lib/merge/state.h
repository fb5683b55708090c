/*
 * merge/state.h - the state of a merge, and what its files do with it
 *
 * One struct merge holds the sum of all functions and traces; the heap data and
 * the spilled functions hang off it.  One struct merge_worker is what a thread
 * that adds has for itself: a merge without threads uses main_worker only.
 *
 * Below the structures stand the functions of each file, in the order in which
 * a counter meets them.  Those that return bool return false if out of memory,
 * unless they say otherwise.
 */
#ifndef MERGE_STATE_H
#define MERGE_STATE_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "base/introsort.h"
#include "base/lock.h"
#include "base/numbers.h"
#include "merge/merge.h"
#include "model/symtab.h"
#include "prof.h"

struct merge_blocks;			/* block.c */
struct merge_heap;			/* merge/heap.h */
struct merge_sampled;			/* traces.c */
struct merge_spill;			/* spill.c */

/* A value that all profiles must share, and the first profile that had it. */
struct merge_constraint {
	int value;
	const char *label;		/* NULL: there is no constraint yet */
};

/*
 * The constraints of several profiles with functions: their level, whether they
 * have byte coverage, and their range of hash rules.  A profile without
 * functions mixes with any other.
 */
struct merge_constraints {
	struct merge_constraint level, coverage;
	/* The hash rules that all of them may follow; 0: none has a range. */
	unsigned frontend_first, frontend_last;
	const char *hash_rule;		/* the first profile with a range */
};

/*
 * What of a profile with functions decides whether it mixes with others.
 *
 * One thread that reads the inputs in order refuses the first one that does not
 * mix with those before it.  With several threads, inputs come in any order,
 * but the same input must be refused.  So the head notes each kind of profile
 * with the number of its input, unless the inputs before it had the same
 * constraints already.  In the order of these numbers, the first kind that does
 * not mix with the kinds before it gives the input to be refused.
 */
struct merge_kind {
	enum prof_level level;
	bool coverage;
	unsigned frontend_first, frontend_last;
	const char *label;		/* of the profile, for messages */
	uint64_t number;		/* of its input */
	struct merge_constraints all;	/* of the kinds up to this one */
};

/*
 * The heads of several profiles, summed.  The range of hash rules is in the
 * constraints of the kinds.
 */
struct merge_head {
	struct prof_header sum;
	bool any, any_functions, extra_dropped;
	/* Of profiles without functions; used if no profile has functions. */
	enum prof_level idle_level;
	unsigned idle_flags;
	struct merge_kind *kinds;	/* by number */
	size_t size, room;
	bool conflict;			/* of the last kind, for the reason */
	struct prof_error reason;
};

/* The profile that a worker reads. */
struct merge_profile {
	struct prof_header head;
	const char *label;		/* which is here: */
	struct arena label_arena;
	bool functions;			/* the profile has functions */
	uint64_t traces;		/* that were read */
};

/*
 * What several threads share that add to one merge.  There is one sum, and not
 * one a thread.  With one thread there are no locks: m->shared is NULL, and
 * the functions of locks.c do nothing.  Otherwise:
 *
 * - the table of entries has a lock for readers and writers, as have the names;
 * - the contents of entries are guarded by stripes: 1024 neighbouring entries
 *   have one mutex, since a profile goes from one entry to the next, and 64
 *   mutexes serve all entries in turn.  A worker keeps a stripe locked until it
 *   needs another one;
 * - heap data, the layouts of blocks, and all rare records have one mutex each.
 *
 * Deadlocks cannot occur: stripes are locked in ascending order, all at once,
 * and a worker unlocks its stripes before it waits for any other lock, but for
 * that of the names, whose holder waits for nothing.  A worker that adds a new
 * block has the layouts and the table locked, and waits for stripes.
 */
enum { MERGE_STRIPES = 64 };

enum merge_mutex {
	MERGE_HEAP,
	MERGE_BLOCKS,			/* m->blocks */
	MERGE_REST,			/* all else, the head too */
	MERGE_MUTEXES
};

struct merge_shared {
	struct lock table;		/* entries, but not their contents */
	struct lock names;
	pthread_mutex_t stripes[MERGE_STRIPES];	/* contents of entries */
	pthread_mutex_t mutexes[MERGE_MUTEXES];
	struct merge_worker *workers;
};

/*
 * A value site of one function, summed: a list of pairs of value and count.
 * One value may stand in a site several times: then the k-th largest of its
 * counts in a record is added to the k-th largest in the sum.
 *
 * Pairs are in the order of the record, once sorted by value, then by count
 * descending.  Then the last of many pairs may be a sorted list of their own,
 * so that new values do not move all others; no value is in both lists.  With
 * values_as_arrived, pairs that were sorted are those that LLVM keeps, in the
 * order that they have there, as far as the next sum depends on it.
 */
struct merge_site {
	struct value_pair *pairs;
	size_t size, room;
	size_t late;			/* pairs of the second list */
};

struct merge_values {
	struct merge_site *sites[PROF_VALUE_KINDS];
	size_t size[PROF_VALUE_KINDS];
	bool unnamed;		/* a target came without its name */
	enum value_sort sort;	/* see merge_values_as_arrived */
};

/* Members that few functions have. */
struct merge_rare {
	uint64_t *uniform;
	uint8_t *bitmap;
	size_t uniform_size, bitmap_size;
	struct prof_span extra;		/* unknown keys */
};

/* The sum of all records of one function, that is of one name and hash. */
struct merge_entry {
	uint64_t guid, hash;
	struct prof_span name;		/* data is NULL while unknown */
	uint64_t *counts;
	size_t counts_size;
	struct merge_values *values;	/* NULL if there are no sites */
	struct merge_rare *rare;	/* or NULL */
	uint32_t records;		/* that were added or dropped */
	bool merged;			/* its value sites are sorted */
	bool pseudo;			/* its counts are pseudo counts */
	bool conflict;			/* a record of another class came */
	bool other_shape;		/* and not only pseudo counts */
	bool saturated;			/* a counter is at its limit */
	bool used;			/* known not to be empty (function.c) */
	bool not_subtracted;		/* the subtrahend is of another class */
};

/*
 * Entries lie in chunks, each twice as large as the one before, so that an
 * entry keeps its address; all chunks together hold 2^32 entries.
 */
enum { MERGE_FIRST_BITS = 8, MERGE_FIRST_CHUNK = 1 << MERGE_FIRST_BITS,
	MERGE_CHUNKS = 33 - MERGE_FIRST_BITS };

struct merge_trace {
	uint64_t weight;
	const uint64_t *guids;
	size_t size;
};

/*
 * A sample of temporal traces that no order changes.  Of all traces, those of
 * the smallest digests are kept, at most so many.  Traces of the same functions
 * are one trace, and their weights are added.  A trace that is kept of all
 * profiles is kept of any of them, so that a sample of samples is the sample of
 * all profiles, with the same weights.
 *
 * The digest is MD5 of the guids: names that are known in some profiles only do
 * not change it.  All zero, but for the limits, is empty.
 */
struct merge_sample {
	struct merge_trace_limits limits;
	struct merge_sampled *list;	/* sorted */
	size_t size, room;
	struct buf bytes;		/* from which a digest is made */
};

/* Counters of a block that were copied to the arena as one array. */
struct merge_copied {
	const uint64_t *from;		/* the block's counters */
	size_t size;			/* 0: no counters are copied ahead */
	uint64_t *to;
};

/*
 * Names that a merge knows and no record of its output has.  A record that was
 * dropped, or left out, may be the only one with the name of a value target, a
 * trace or a function that another profile knows by its guid.  So that a
 * partial merge loses no name, such names are put as records of their own.
 * They are what is known less what was put.  All zero is empty.
 */
struct merge_names {
	struct number_set shown;	/* guids of names in records put */
	struct symtab lost;		/* names of records that were not put */
	struct arena arena;		/* of both */
};

enum { MERGE_OTHER_SHAPE, MERGE_PSEUDO, MERGE_SATURATED, MERGE_NOT_SUBTRACTED,
	MERGE_WARNINGS, MERGE_NAMED_FUNCTIONS = 8 };

/*
 * Warnings about functions, counted while entries are written.  In the end the
 * first few functions of each warning are named.  All zero is empty.
 */
struct merge_notes {
	struct merge_losses losses;
	size_t count[MERGE_WARNINGS];
	char text[MERGE_WARNINGS][MERGE_NAMED_FUNCTIONS][PROF_REASON_SIZE];
};

struct merge_worker {
	struct merge *merge;
	struct merge_worker *next_worker;	/* of the same merge */
	/* The merge's for main_worker, else the worker's own below. */
	struct arena *arena, *scratch;
	size_t next;			/* number of the entry to expect */
	struct merge_profile profile;
	uint64_t number;		/* of the input, in their order */
	uint64_t locked;		/* stripes of entries, one bit each */
	bool table_locked;		/* by merge_table_lock_all */
	struct merge_copied copied;
	const struct prof_block *block;	/* being added, or NULL */
	bool names_stay;		/* names of the block outlive it */
	bool heap_locked;		/* this worker may add heap data */
	struct arena own_arena, own_scratch;
};

struct merge {
	prof_warn *warn;
	void *warn_arg;
	struct merge_head head;
	struct arena arena;		/* of entries */
	struct arena head_arena;	/* of the head, and all rare records */
	struct arena scratch;
	struct symtab names;		/* of functions, vtables and targets */
	bool names_unlisted;		/* see merge_table_list_names */
	bool names_came;		/* as records of their own */
	bool nameless_came;		/* functions known by guid */
	struct merge_names *record_names;	/* while written; or NULL */
	bool subtracted;		/* another merge was taken away */
	bool settles;			/* see merge_leaves_out */
	struct merge_entry *chunks[MERGE_CHUNKS];	/* merge_entry_at */
	size_t size;			/* entries, in the order they came */
	struct hash_index index;	/* of entries by guid and hash */
	size_t replaced;		/* entries whose counters moved */
	struct merge_blocks *blocks;	/* or NULL */
	enum value_sort value_sort;	/* see merge_values_as_arrived */
	struct symtab build_ids;	/* by digest; the ids are the names */
	struct symtab vtables;		/* names that came with a vtable only */
	struct merge_trace *traces;
	size_t traces_size, traces_room;
	struct merge_sample sample;	/* of traces, if they are sampled */
	uint64_t profiles_with_traces;
	uint64_t unknown_records;	/* were left out */
	struct merge_losses losses;	/* of what was written */
	struct merge_heap *heap;	/* NULL: no heap data yet */
	struct merge_spill *spill;	/* NULL: all is in memory */
	const struct symtab *spilled_names;	/* more names, or NULL */
	struct merge_worker main_worker;
	struct merge_shared *shared;	/* NULL: there is one thread */
};

static inline struct merge_entry *
merge_entry_at(const struct merge *m, size_t i)
{
	uint64_t place = (uint64_t)i + MERGE_FIRST_CHUNK;
	int top = 63 - __builtin_clzll(place);

	return &m->chunks[top - MERGE_FIRST_BITS][place - (1ULL << top)];
}

/* The rare members of an entry, all of them empty if it has none. */
static inline const struct merge_rare *
merge_entry_rare(const struct merge_entry *e)
{
	static const struct merge_rare none;

	return e->rare == NULL ? &none : e->rare;
}

/* header.c: heads, what mixes with what, and weights. */

/*
 * Unknown keys (prof_header.extra) stay if all have the same; else they go, and
 * true is returned.
 */
bool merge_extra(struct prof_span *keys, struct prof_span other);

/* Begins a profile.  The arena must last as long as the head. */
enum prof_status merge_head_begin(struct merge_head *, struct arena *,
    struct merge_profile *, const struct prof_header *, struct prof_error *);

/*
 * The profile, of the input of that number, has a function.  PROF_E_MISMATCH,
 * naming both profiles, if this input or one before it is to be refused.
 */
enum prof_status merge_head_function(struct merge_head *, struct arena *,
    const struct merge_profile *, uint64_t number, struct prof_error *);

/* The number of the first input that is to be refused, or UINT64_MAX. */
uint64_t merge_head_refused(const struct merge_head *);

void merge_head_end(struct merge_head *, const struct merge_profile *);

/*
 * Subtracts the number of inputs, which does not fall below `least`.
 * PROF_E_MISMATCH if `less` is of a kind that cannot be subtracted.
 */
enum prof_status merge_head_subtract(struct merge_head *,
    const struct merge_head *less, uint64_t least, struct prof_error *);

/* The head of the sum, once all profiles have ended. */
struct prof_header merge_head_sum(const struct merge_head *);

/* merge_weigh_fits for a weight whose parts are not 1. */
bool merge_weigh_fraction(const struct merge_factor *, uint64_t count,
    uint64_t *product);

/*
 * count * times / parts, rounded half up.  A count that is not 0 does not
 * become 0.  False if the product is too large and becomes UINT64_MAX.
 *
 * A weight is applied here and nowhere else: counters, counts of values,
 * weights of traces, allocation statistics and counts of data accesses.
 */
static inline bool
merge_weigh_fits(const struct merge_factor *w, uint64_t count,
    uint64_t *product)
{
	if (w->parts != 1)
		return merge_weigh_fraction(w, count, product);
	if (mul_u64(count, w->times, product))
		return true;
	*product = UINT64_MAX;
	return false;
}

/* The product alone, for sums whose limit is below UINT64_MAX. */
static inline uint64_t
merge_weigh(const struct merge_factor *w, uint64_t count)
{
	uint64_t product;

	merge_weigh_fits(w, count, &product);
	return product;
}

static const struct merge_factor merge_unscaled = { 1, 1 };

/* Whether the weight changes nothing. */
static inline bool
merge_is_unscaled(const struct merge_factor *w)
{
	return w->times == 1 && w->parts == 1;
}

/* locks.c */

/* Gives the merge its locks, unless it has them. */
bool merge_share(struct merge *);

/* Frees the locks and the workers. */
void merge_unshare(struct merge *);

/* The lock of the table, or NULL. */
static inline struct lock *
merge_table_lock(const struct merge *m)
{
	return m->shared == NULL ? NULL : &m->shared->table;
}

/* merge_lock_entries for a merge that is shared. */
void merge_lock_stripes(struct merge_worker *, size_t entry, size_t count);

/*
 * Locks the contents of count entries; the worker's locks on other entries may
 * be released.
 */
static inline void
merge_lock_entries(struct merge_worker *worker, size_t entry, size_t count)
{
	if (worker->merge->shared != NULL)
		merge_lock_stripes(worker, entry, count);
}

/* Either releases the worker's locks on entries first. */
void merge_lock(struct merge_worker *, enum merge_mutex);
void merge_unlock(struct merge_worker *, enum merge_mutex);

/*
 * To be called at each function before it is added: merge_head_function at the
 * first one of a profile.
 */
enum prof_status merge_note_function(struct merge_worker *,
    struct prof_error *);

/*
 * table.c: the entries of a merge, found by name and hash, and names by guid.
 *
 * Entries are numbered in the order in which their functions first came.  The
 * profiles of one program have the same functions in the same order, so that
 * the entry behind the one found last is tried before the hash table is.
 */

/*
 * The entry of a function, new and without counters if the function was not
 * there.  The entry is locked for the worker; worker->next becomes the number
 * behind it.
 */
enum prof_status merge_table_entry(struct merge_worker *,
    const struct prof_function *, struct merge_entry **, struct prof_error *);

/* The entry of a name and hash, or NULL. */
struct merge_entry *merge_table_find(const struct merge *, uint64_t guid,
    uint64_t hash);

/* The number of that entry, or INDEX_NONE. */
uint32_t merge_table_number(const struct merge *, uint64_t guid,
    uint64_t hash);

/*
 * The worker has the table for itself: many new functions are added without
 * locking it for each.  Only merge_table_entry and merge_table_prefetch may be
 * called in between.
 */
void merge_table_lock_all(struct merge_worker *);
void merge_table_unlock_all(struct merge_worker *);

/* Makes room for so many more functions. */
bool merge_table_reserve(struct merge_worker *, size_t more);

/* Prefetches the slots of a function that will be looked up soon. */
void merge_table_prefetch(const struct merge_worker *,
    const struct prof_symbol *, uint64_t hash);

/*
 * Adds a name to a symbol table of the merge under the table's lock, unless the
 * guid is there.  The name is copied to the arena, unless that is NULL: then
 * the caller's bytes stay valid as long as the merge.  *listed, unless NULL,
 * becomes the name that the table has.
 */
bool merge_add_name(struct symtab *, struct arena *, struct prof_span name,
    uint64_t guid, struct prof_span *listed);

/*
 * Entries whose names are borrowed from a block are not in m->names at first,
 * since most merges look up no name by guid.  This adds them; it is to be
 * called before m->names is searched.
 */
bool merge_table_list_names(struct merge *);

/* Names entries without name whose names the table has. */
void merge_table_name_entries(struct merge *, const struct symtab *);

/* Frees entries and slots; the arena and the names stay. */
void merge_table_free(struct merge *);

/*
 * function.c: records of one function become one entry.
 *
 * A record whose class (model/record.h) is that of its entry is added.
 * One of a higher class replaces what the entry has, one of a lower class is
 * dropped, and either marks the entry as a conflict: so the sum does not depend
 * on the order of the inputs.
 */

/* Adds a function record to its entry. */
enum prof_status merge_add_function(struct merge_worker *,
    const struct prof_function *, const struct merge_factor *,
    struct prof_error *);

/*
 * Sorts the value sites of an entry by value, unless they are sorted: adding
 * and subtracting need that order.
 */
void merge_sort_values(struct merge_entry *);

/*
 * Gives an entry with one record the form of a sum: its values are sorted, and
 * no counter is above the limit.  So the form does not depend on whether a
 * record that is dropped or empty was added before.
 */
void merge_settle_entry(struct merge_entry *);

/*
 * Subtracts the entry of the same function in `less`.  An entry of another
 * class is marked not_subtracted instead; pseudo counts stay.
 */
void merge_subtract_entry(struct merge_entry *, struct merge *less);

/* Whether the entry is of the record's class. */
bool merge_entry_fits(const struct merge_entry *,
    const struct prof_function *);

/* What llvm-profdata's --sparse looks at: counters and bitmaps, no values. */
bool merge_counts_are_zero(const struct merge_entry *);

/* As function_is_empty. */
bool merge_entry_is_empty(const struct merge_entry *);

/* block.c: blocks of functions, added as arrays of counters. */
enum prof_status merge_add_block(struct merge_worker *,
    const struct prof_block *, const struct merge_factor *,
    struct prof_error *);

/* To be called when the entries are freed. */
void merge_blocks_free(struct merge_blocks *);	/* NULL is fine */

/* sites.c: value sites. */

/* Counts of one value are added, or the larger one stays (pseudo counts). */
enum merge_how { MERGE_ADD, MERGE_LARGER };

/*
 * A copy of the sites, weighted; *out is NULL if there are none.  The names of
 * targets are added to those of the merge.
 */
bool merge_values_new(struct merge_values **out,
    const struct prof_sites[PROF_VALUE_KINDS], const struct merge_factor *,
    struct merge_worker *);

/* Sorts the pairs of all sites, as adding and subtracting need it. */
void merge_values_sort(struct merge_values *);	/* NULL is fine */

/* Adds as many sites to a sum that is sorted. */
bool merge_values_add(struct merge_values *into,
    const struct prof_sites[PROF_VALUE_KINDS], const struct merge_factor *,
    enum merge_how, struct merge_worker *);

/* Adds nothing but the names of targets, of a record that is dropped. */
bool merge_values_names(const struct prof_sites[PROF_VALUE_KINDS],
    struct merge_worker *);

/*
 * Subtracts the counts of as many sites, the k-th largest of a value from the
 * k-th largest, and removes values whose count becomes 0.  Both are sorted.
 */
void merge_values_subtract(struct merge_values *from,
    struct merge_values *less);

/*
 * The sites as records have them, ordered by count descending; equal counts by
 * value if the sites were merged, else in the order of the record.
 */
bool merge_values_get(const struct merge_values *, bool merged,
    const struct symtab *names, struct arena *,
    struct prof_sites out[PROF_VALUE_KINDS]);

/* entries.c: entries in order, as records, and what is lost of them. */

/*
 * All entries in canonical order: by name, then guid, then hash.  An array of
 * m->size, for free(); NULL if out of memory.
 */
struct merge_entry **merge_entries_sorted(const struct merge *);

/*
 * All entries in the order in which their names first came, and the hashes of a
 * name in the order in which they came: LLVM's indexed files depend on it where
 * LLVM walks its hash maps.  As above.
 */
struct merge_entry **merge_entries_as_arrived(const struct merge *);

/* The entry as a record, which is valid until the next call. */
enum prof_status merge_entry_record(struct merge *,
    const struct merge_entry *, struct prof_record *, struct prof_error *);

/* A guid with its name, if the merge or its spilled part knows one. */
struct prof_symbol merge_symbol(const struct merge *, uint64_t guid);

/* Puts m->size entries, but those that the options leave out. */
enum prof_status merge_put_entries(struct merge *,
    struct merge_entry **entries, const struct merge_output *,
    struct prof_writer *, struct prof_error *);

/* Puts a record of the sum; m->record_names, if any, notes its names. */
enum prof_status merge_put(const struct merge *, struct prof_writer *,
    const struct prof_record *, struct prof_error *);

/* Copies the name of a record that is not put. */
bool merge_names_lose(struct merge_names *, const struct prof_symbol *);

/*
 * The names of `known` that were not noted, sorted: an array of *n for free().
 * NULL if out of memory.
 */
struct prof_span *merge_names_unshown(struct merge_names *,
    const struct symtab *known, size_t *n);

void merge_names_free(struct merge_names *);

/* Counts what is to be warned of an entry.  Entries come in canonical order. */
void merge_note(struct merge_notes *, const struct merge_entry *);

/*
 * Prints the warnings that were counted, and those about the whole merge, which
 * gets the losses.
 */
void merge_report(struct merge *, const struct merge_notes *);

void merge_warn(const struct merge *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* traces.c: temporal traces. */

/* Adds a trace, whose guids are copied. */
bool merge_sample_add(struct merge_sample *, const struct merge_trace *);

/*
 * Appends the traces that are kept to the array.  Their guids stay valid until
 * merge_sample_free.
 */
bool merge_sample_end(const struct merge_sample *, struct merge_trace **,
    size_t *size, size_t *room);

void merge_sample_free(struct merge_sample *);

/* Whether traces are put in canonical order; see merge_output. */
bool merge_sorts_traces(const struct merge *, bool as_read);

/*
 * For qsort.  Compares two struct prof_symbol by name, then by guid; two struct
 * prof_trace by functions, then by weight.
 */
int merge_compare_symbols(const void *, const void *);
int merge_compare_traces(const void *, const void *);

/*
 * worker.c: a merge for functions only, in a profile that has begun, such as a
 * spill has some of its own.  NULL on failure.
 */
struct merge *merge_sum_of_functions(struct prof_error *);

/* Bytes that functions take. */
size_t merge_sum_memory(const struct merge *);

/* Forgets all functions and names; the sum can be added to again. */
void merge_sum_clear(struct merge *);

/* Frees a merge, but not its heap data and its spill.  NULL is fine. */
void merge_sum_free(struct merge *);

/* spill.c: sums larger than the memory. */

/* Whether anything went to a file. */
bool merge_has_spilled(const struct merge *);

/* To be called after each record: spills if there is more than the limit. */
enum prof_status merge_spill_check(struct merge *, struct prof_error *);

/* Remembers what is to be subtracted while functions are written. */
void merge_spill_subtract(struct merge *, struct merge *less);

/* To be called before anything is written: the rest goes to files, too. */
enum prof_status merge_spill_end(struct merge *, struct prof_error *);

enum prof_status merge_spill_put_functions(struct merge *,
    const struct merge_output *, struct merge_notes *, struct prof_writer *,
    struct prof_error *);
void merge_spill_free(struct merge_spill *);

#endif
