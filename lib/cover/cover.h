/*
 * cover/cover.h - from counters and mapping sections to covered lines
 *
 * A binary built with -fcoverage-mapping has, for each function, regions of
 * source and expressions over its counters (CoverageMapping.h, LLVM 22;
 * coverage(5)).  Here they meet the counts of a profile, as llvm-cov has it:
 *
 *	cover_counts_new, merge_write to its writer
 *	cover_init, cover_add for each binary, cover_finish
 *	cover_view_file or cover_view_function, cover_segments, cover_lines
 *
 * Bytes of binaries are needed while they are added, counts as long as the
 * cover.
 */
#ifndef COVER_COVER_H
#define COVER_COVER_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "base/numbers.h"
#include "prof.h"

/* Counts of a profile */

struct cover_counts;

/* NULL if out of memory. */
struct cover_counts *cover_counts_new(void);

/* Whether a counter only says that it was reached. */
bool cover_counts_are_bytes(const struct cover_counts *);
void cover_counts_free(struct cover_counts *);	/* NULL is fine */

/* A writer whose records are kept in the counts; NULL if out of memory. */
struct prof_writer *cover_counts_writer(struct cover_counts *,
    struct prof_error *);

/*
 * Adds a function that ran in a test, to counts of tests only; the test and the
 * sum that the profile is of are numbers.  False if out of memory.
 */
bool cover_counts_add_test(struct cover_counts *, const struct prof_function *,
    uint32_t test, uint32_t sum);

/* What a profile has of a name and a hash. */
enum cover_found {
	COVER_NO_NAME,			/* all counters are 0 */
	COVER_OTHER_HASH,		/* only records of other hashes */
	COVER_FOUND
};

struct cover_counters {
	const uint64_t *counts;
	size_t size;
	struct prof_span bitmap;
};

/* The sums that belong to a binary: by the build ids of the profiles. */
struct cover_choice {
	const struct cover_counts *const *sums;
	size_t size;
	bool contexts;			/* tell them by their hashes */
	uint64_t *counts;		/* room for a sum of several */
	size_t room;
	struct buf bits;		/* the same */
};

/* COVER_NO_NAME with failed: out of memory. */
enum cover_found cover_counts_find(struct cover_choice *, uint64_t guid,
    uint64_t hash, struct cover_counters *, bool *failed);
void cover_choice_free(struct cover_choice *);

/* Sections of a binary (cover/object.c) */

struct cover_sections {
	struct prof_span map;		/* __llvm_covmap; data NULL: none */
	struct prof_span names;
	struct prof_span *functions;	/* __llvm_covfun, one or more */
	size_t functions_size, functions_room;
	uint64_t names_address;		/* of a linked file */
	unsigned pointer_size;		/* bytes */
	bool big;
	bool relocatable;		/* addresses are not final */
	const char *arch;		/* as LLVM's triples name it */
	/* Of the notes of ELF, or LC_UUID of Mach-O; or empty. */
	struct prof_span build_id;
	struct arena arena;		/* of sections that were compressed */
	/* Called for bytes that are not needed soon; or NULL. */
	void (*release)(void *arg, struct prof_span);
	void *release_arg;
};

/*
 * Whether a file with these first bytes is one that cover_sections_find reads:
 * ELF, Mach-O, also universal, or COFF.
 */
bool cover_is_object(struct prof_span first_bytes);

/*
 * Finds the sections; without coverage, all are empty.  Spans are of the image
 * or of the arena.  The arch, if it is not NULL, is that of a file or one of
 * those of a universal file; PROF_FAIL if there is no such one.
 */
enum prof_status cover_sections_find(struct cover_sections *,
    struct prof_span image, const char *arch, struct prof_error *);

/* Copies the spans to the arena, so that the image may go. */
bool cover_sections_keep(struct cover_sections *);
void cover_sections_free(struct cover_sections *);

/* Functions (cover/mapping.c) */

/* CounterMappingRegion::RegionKind, in this order since LLVM 18. */
enum cover_kind {
	COVER_CODE,
	COVER_EXPANSION,		/* a use of a macro */
	COVER_SKIPPED,			/* comments, and what #if left out */
	COVER_GAP,			/* blanks between statements */
	COVER_BRANCH,
	COVER_DECISION,
	COVER_CONDITION,		/* a branch of a decision */
	COVER_KINDS
};

struct cover_place {
	uint32_t line, column;		/* from 1 */
};

/* A place as a number, in the order of places. */
static inline uint64_t
cover_place_number(struct cover_place p)
{
	return (uint64_t)p.line << 32 | p.column;
}

struct cover_region {
	struct cover_place start, end;	/* end is exclusive */
	uint64_t count, other;		/* other: of a branch, not taken */
	uint32_t file, expanded;	/* of the files of the function; a
					   region that is no use expands 0 */
	uint8_t kind;
	bool folded, other_folded;	/* a branch that cannot be taken */
};

enum { COVER_NOT_EVALUATED = 2 };	/* beside false and true */

/* Ways of a decision that were executed, which are compared in pairs. */
enum { COVER_WAYS_MAX = 1 << 15 };

struct cover_condition {
	struct cover_place start;
	bool folded, other_folded;	/* it cannot be true, or not false */
	bool covered;			/* it changed the result by itself */
	uint32_t pair[2];		/* ways, from 1, that show it */
};

/* A decision, with the ways through its conditions that were executed. */
struct cover_decision {
	struct cover_region region;
	struct cover_condition *conditions;
	size_t conditions_size;
	const uint8_t *outcomes;	/* of each way, conditions_size each */
	size_t ways, false_ways;	/* those with a false result first */
};

/* What the profile has of a function; the better ones are first. */
enum cover_state {
	COVER_COUNTED,
	COVER_NOT_COUNTED,		/* nothing: its program did not run */
	COVER_UNUSED			/* seen by the compiler, not emitted */
};

/* The largest count; what is above comes of a difference below 0. */
#define COVER_COUNT_MAX	((uint64_t)INT64_MAX)

struct cover_function {
	struct prof_span name;		/* without the file before it */
	uint64_t guid;			/* of the name with it */
	uint64_t hash;
	enum cover_state state;
	const uint32_t *files;		/* numbers of paths */
	uint32_t files_size;
	uint32_t main_file;		/* of files, or INDEX_NONE */
	const uint32_t *uses;		/* file to the region that expands it,
					   or INDEX_NONE */
	struct cover_region *regions;	/* but for branches */
	size_t regions_size;
	struct cover_region *branches;
	size_t branches_size;
	struct cover_decision *decisions;
	size_t decisions_size;
	uint64_t count;			/* how often it was called */
};

/* Segments */

struct cover_segment {
	struct cover_place at;
	uint64_t count;
	bool has_count, entry, gap;
};

/* A region, with the counts of others of the same area. */
struct cover_area {
	uint64_t start, end;		/* line and column in one number */
	uint64_t count;
	enum cover_kind kind;
};

/* Regions of one file or function, and what comes of them; all zero: none. */
struct cover_view {
	struct cover_area *areas, *spare;
	size_t areas_size, areas_room, spare_room;
	/* Areas that were added together: where the first is, how many. */
	struct number_sort_item *lists;
	size_t lists_size, lists_room, list_at;
	struct hash_index lists_index;
	struct number_sort_item *runs;	/* areas that are sorted */
	size_t runs_room;
	struct cover_segment *segments;
	size_t segments_size, segments_room;
	const struct cover_area **active;
	size_t active_size, active_room;
	bool once;			/* a sum of counts is 0 or 1 */
};

/* Sums */

struct cover_part {
	uint64_t size, covered;
};

/* The same of one function. */
struct cover_small_part {
	uint32_t size, covered;
};

/* The percentage of llvm-cov: 0 of nothing. */
static inline double
cover_percent(struct cover_part p)
{
	return p.size == 0 ? 0 : (double)p.covered / (double)p.size * 100;
}

struct cover_summary {
	struct cover_part functions, instances, lines, regions, branches,
	    conditions;
};

/* The functions of a file on the way to its sums; all zero: none. */
struct cover_tally {
	const struct cover_entry **list;
	size_t size, room;
	struct cover_view view;		/* of one function */
	struct buf below;
};

/*
 * A function as it is kept: with its regions, or as the encoded mapping and the
 * counters.
 */
struct cover_entry {
	struct cover_function function;
	struct prof_span mapping;
	struct cover_counters counters;
	/* Sums; of one that is stored: by cover_summarize. */
	struct cover_small_part lines, regions, branches, conditions;
	uint64_t shape;			/* a hash of its regions */
	struct cover_place start;	/* of the first in its main file */
	uint32_t line;			/* of the first one */
	uint32_t selection;		/* sums that were counted: a number;
					   INDEX_NONE: counts of a stream */
	uint32_t runs;			/* one more than the last of them */
	bool stored;			/* the function has its regions */
	bool dropped;			/* until functions are listed */
};

/* An entry in a test, with the record that has the hash of its counters. */
struct cover_test_run {
	struct prof_span mapping;
	const struct cover_counters *counters;
	uint32_t test, entry;
	uint32_t next;			/* of the entry, later of the test */
};

/* Paths below a folder are known under another name. */
struct cover_path_map {
	struct prof_span from, to;	/* without a slash at the end */
};

struct cover_options {
	unsigned release;		/* of LLVM, whose rules count */
	/*
	 * As llvm-cov: functions in the order of records, the first one of a
	 * name and files stays, and counts below 0 are huge ones.
	 */
	bool as_llvm;
	bool apart;			/* each instance counts in sums */
	struct prof_span folder;	/* not the compiler's; or empty */
	const struct cover_path_map *path_maps;
	size_t path_maps_size;
};

/* A function that is left out: the profile has it with other hashes only. */
struct cover_stale {
	uint64_t guid, hash;
	struct prof_span name;
	uint32_t file;			/* its first one: number of a path */
};

/* A function with counts below 0, which became 0. */
struct cover_wrong {
	struct prof_span name;
	uint64_t count;			/* the first one */
	uint32_t line;
	size_t size;			/* how many */
};

struct cover {
	struct cover_options options;
	struct arena arena;
	struct intern paths;
	struct cover_entry *entries;	/* in the order of records */
	size_t entries_size, entries_room;
	struct decoder *decoders;	/* of cover_function_at, and one more */
	struct cover_tally tally;
	struct hash_index seen;		/* of these, by what makes them one */
	struct id_map records;		/* hashes of records to functions */
	uint64_t record_seed;		/* of these hashes */
	bool bytes;			/* counters only say that they were
					   reached */
	bool once;			/* see struct cover_view */
	uint64_t mismatches;		/* records with another hash */
	struct intern selections;	/* sets of sums */
	struct cover_stale *stale;	/* cover_finish drops the others */
	size_t stale_size, stale_room;
	struct cover_wrong *wrong;
	size_t wrong_size, wrong_room;
	/* By cover_finish: paths in order, and functions that have a file. */
	uint32_t *sorted;
	size_t sorted_size;
	size_t *first;			/* of the functions of a path; one more
					   than paths */
	uint32_t *users;		/* numbers of functions */

	struct id_map originals;	/* paths to those that they stand for */
	const struct cover_excluded *excluded;	/* by cover_exclude, or NULL */
	/* Names of tests; number 0 is what none of them ran.  Or empty. */
	struct intern tests;
	struct prof_span test;		/* of cover_each_test */
	struct cover_test_run *runs;
	size_t runs_size, runs_room;
	uint32_t *test_runs;		/* one more than the first of each */
};

/*
 * Appends the parts of a path without empty ones, "." and what ".." takes back,
 * as LLVM's remove_dots does.  What is there before is the beginning; if that
 * is nothing, the path stays absolute.
 */
void cover_path_put(struct buf *, struct prof_span path);

/* False if out of memory; cover_free is right then too. */
bool cover_init(struct cover *, const struct cover_options *);

/* All sums of profiles, of which some belong to a binary. */
struct cover_sums {
	const struct cover_counts *const *items;
	size_t size;
	const bool *chosen;		/* of each; NULL: all of them */
	const struct cover_counts *tests;	/* or NULL */
};

/*
 * Adds the functions of a binary.  *any is whether it has coverage.  Errors
 * name the section in their reason; offsets are of the section.  A function
 * that several binaries have counts each sum once.
 */
enum prof_status cover_add(struct cover *, const struct cover_sections *,
    const struct cover_sums *, bool *any, struct prof_error *);

/*
 * Adds a function with its counts.  Of one that is there with the same regions,
 * the counts are added.  All that it points to must be of the cover's arena,
 * its files numbers of paths; cover_function_link was called.  False if out of
 * memory.
 */
bool cover_put_function(struct cover *, const struct cover_function *);

/*
 * The function of an entry, with its regions: valid until the next call of any
 * function with this cover.
 */
const struct cover_function *cover_function_at(struct cover *, size_t number);

/*
 * The same for good, to be changed: its regions are in the arena from now on.
 * NULL: out of memory.
 */
struct cover_function *cover_function_store(struct cover *, size_t number);

/*
 * The number of a path, under the name that it is mapped to; INDEX_NONE: out of
 * memory.
 */
uint32_t cover_add_path(struct cover *, struct prof_span path);

/* The name of a source where it was compiled. */
struct prof_span cover_original_path(const struct cover *, uint32_t path);

/* Finds uses and main_file; files_size is above 0.  False: out of memory. */
bool cover_function_link(struct arena *, struct cover_function *);

/* Adds one, and copies its name.  False if out of memory. */
bool cover_put_stale(struct cover *, const struct cover_stale *);

/* Once all binaries were added. */
enum prof_status cover_finish(struct cover *, struct prof_error *);
void cover_free(struct cover *);

/* Selection (cover/exclude.c) */

/* Lines; by the last ones, numbers_below finds a range. */
struct cover_range {
	uint64_t last, first;
};

/* Lines in order; ranges do not touch.  All zero is empty. */
struct cover_line_set {
	struct cover_range *items;
	size_t size, room;
};

/* Adds lines from the first of the last range on.  False: out of memory. */
bool cover_lines_add(struct cover_line_set *, uint32_t first, uint32_t last);

bool cover_lines_have(const struct cover_line_set *, uint32_t line);

/* What is not looked at of a file. */
struct cover_excluded {
	struct cover_line_set lines, branches;
	bool hidden;			/* all of it */
};

/*
 * Takes lines of files, and whole files, out of a cover that is finished:
 * functions without a line that is looked at go.  There is one item for each
 * path, which the cover borrows.
 */
enum prof_status cover_exclude(struct cover *, const struct cover_excluded *,
    struct prof_error *);

/* Tests (cover/tests.c) */

/* Called with a cover of the functions that ran in a test, with its counts. */
typedef enum prof_status cover_visit(void *arg, struct cover *,
    struct prof_error *);

/*
 * Visits all tests in the order of their numbers, once what is excluded is
 * known; with_rest: before them all functions, with the counts that no test
 * has.  Only functions of a path, unless that is INDEX_NONE.
 */
enum prof_status cover_each_test(struct cover *, uint32_t path, bool with_rest,
    cover_visit *, void *arg, struct prof_error *);

/* Changes (cover/diff.c) */

struct cover_change {
	struct prof_span path;		/* of the new side, without a prefix */
	struct cover_line_set lines;	/* that were added */
};

/* All zero is empty. */
struct cover_diff {
	struct cover_change *items;
	size_t size, room;
	struct arena paths;
};

/*
 * Reads a unified diff; each head of a file is an item.  Errors have the line.
 */
enum prof_status cover_diff_read(struct cover_diff *, struct prof_span text,
    struct prof_error *);
void cover_diff_free(struct cover_diff *);

/*
 * Finds the file whose path ends in this one or is the end of it, whole
 * components only; INDEX_NONE: none.  Fails if there are several.
 */
enum prof_status cover_path_find(const struct cover *,
    struct prof_span path, uint32_t *number, struct prof_error *);

/* Segments and lines (cover/segments.c) */

/* Removes the regions of an earlier view; memory is kept. */
void cover_view_begin(struct cover_view *);

/* Adds a region, or all that a function has in a file; false: no memory. */
static inline bool
cover_view_add(struct cover_view *v, const struct cover_region *r)
{
	return ARRAY_ADD(v->areas, v->areas_size, v->areas_room,
	    (struct cover_area){ cover_place_number(r->start),
	    cover_place_number(r->end), r->count, r->kind });
}

bool cover_view_add_function(struct cover_view *, const struct cover_function *,
    uint32_t path);

/* Makes the segments; the regions are sorted and joined. */
enum prof_status cover_view_end(struct cover_view *, struct prof_error *);
void cover_view_free(struct cover_view *);

/* Consecutive lines with one count. */
struct cover_lines {
	const struct cover_view *view;
	unsigned release;
	size_t next;			/* segment */
	const struct cover_segment *wrapped;	/* the last one before */
	uint32_t line, size;		/* the first, and how many */
	bool mapped;
	uint64_t count;
};

void cover_lines_start(struct cover_lines *, const struct cover_view *,
    unsigned release);
bool cover_lines_next(struct cover_lines *);	/* false: no more */

/* Sums (cover/summary.c) */

/* The sums of a file, by its number of paths. */
enum prof_status cover_summarize(struct cover *, uint32_t path,
    struct cover_summary *, struct prof_error *);

/* The sums of one function, whose segments are in c->tally.view then. */
enum prof_status cover_tally_function(struct cover *,
    const struct cover_function *, struct cover_summary *,
    struct prof_error *);

/* Sets the sums of an entry to those of its function, which is decoded. */
enum prof_status cover_tally_entry(struct cover *,
    const struct cover_function *, struct cover_entry *, struct prof_error *);
void cover_tally_free(struct cover_tally *);

void cover_summary_add(struct cover_summary *, const struct cover_summary *);

/* Writers */

struct cover_json_options {
	bool summary_only, skip_expansions, skip_functions;
};

/* Writes what `llvm-cov export -format=text` does. */
enum prof_status cover_write_json(struct cover *,
    const struct cover_json_options *, prof_sink *, void *arg,
    struct prof_error *);

/*
 * The same as a stream of prof-stream(5), a line a function, from which
 * cover_read_stream adds the same functions to any cover.
 */
enum prof_status cover_write_stream(struct cover *, prof_sink *, void *arg,
    struct prof_error *);

/* Whether these first bytes begin such a stream. */
bool cover_is_stream(struct prof_span first_bytes);

/* Adds the functions; warnings go to the context, which may be NULL. */
enum prof_status cover_read_stream(struct cover *, struct prof_context *,
    prof_pull *, void *arg, struct prof_error *);

/* Writes what `llvm-cov report` does. */
struct cover_report_options {
	bool regions, instances, branches, conditions;	/* columns */
	bool colors;
	const struct prof_span *names;	/* of functions: a table for each
					   file; NULL: one of all files */
};

enum prof_status cover_write_report(struct cover *,
    const struct cover_report_options *, prof_sink *, void *arg,
    struct prof_error *);

/* Writes the tracefile of lcov that `llvm-cov export -format=lcov` does. */
struct cover_lcov_options {
	bool summary_only, skip_branches;
	bool join;			/* instances, since LLVM 21 */
};

enum prof_status cover_write_lcov(struct cover *,
    const struct cover_lcov_options *, prof_sink *, void *arg,
    struct prof_error *);

/* Writes what `llvm-cov show` does: sources with what ran. */
struct cover_show_options {
	bool counts, markers, expansions, branches, percents, instances,
	    decisions, colors;
	const struct prof_span *names;	/* of functions */
	/* False: there is no source; text must outlive the show. */
	bool (*read)(void *arg, uint32_t path, struct prof_span *text);
	/* Whether a function is shown; NULL: files are shown. */
	bool (*wants)(void *arg, uint32_t function);
	/*
	 * Called with the name of a file or function that is left out, since
	 * it has no source or no region.
	 */
	void (*skip)(void *arg, struct prof_span name);
	void *arg;
};

enum prof_status cover_write_show(struct cover *,
    const struct cover_show_options *, prof_sink *, void *arg,
    struct prof_error *);

#endif
