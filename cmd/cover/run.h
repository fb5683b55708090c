/* cmd/cover/run.h - the inputs of prof-cover by kind, selections, its page */
#ifndef CMD_COVER_RUN_H
#define CMD_COVER_RUN_H

#include "cmd/common/pipeline.h"
#include "cover/report.h"

/* Profiles: one sum for each set of build ids (profiles.c) */

struct cover_sum {
	struct prof_span ids;		/* each behind a byte: its size */
	struct merge *merge;
	struct cover_counts *counts;	/* once all were read */
	bool claimed;			/* a binary has one of the ids */
};

/* All zero is empty. */
struct cover_profiles {
	struct arena arena;
	struct cover_sum *sums;
	size_t size, room;
	/* The profile that is being read: its head comes first. */
	struct cover_sum *current;	/* NULL: ids may come */
	struct prof_header head;
	struct arena head_arena;
	struct buf ids;
	const struct cover_counts **counts;	/* of the sums */
	bool *chosen, any_claimed;
	struct cover_counts *tests;	/* what each test ran, or NULL */
	uint32_t test;			/* of the current profile; 0: none */
};

/* A cli_record: adds a record to the sum of its profile. */
enum prof_status cover_profiles_add(void *profiles, const struct prof_record *,
    struct prof_error *);

/* Once all profiles were added. */
enum prof_status cover_profiles_finish(struct cover_profiles *,
    struct prof_error *);

/* Notes that there is a binary with this build id; it may be empty. */
void cover_profiles_claim(struct cover_profiles *, struct prof_span build_id);

/*
 * The sums of the profiles of a binary: those with its build id and those
 * without any.  A binary without build id has all, and so has each if no binary
 * claims a sum; valid until the next call.
 */
struct cover_sums cover_profiles_choose(struct cover_profiles *,
    struct prof_span build_id);
void cover_profiles_free(struct cover_profiles *);

/* Binaries (binaries.c) */

struct cover_binary {
	char *file, *member;		/* member may be NULL */
	struct cover_sections sections;	/* of the mapping, or copies */
	struct prof_span image;
	struct map *map;		/* of a plain file; or NULL */
};

/* All zero is empty, with no place to look for others. */
struct cover_binaries {
	const char *arch;		/* of universal files, or NULL */
	struct cli_list dirs;		/* with DIR/.build-id */
	bool debuginfod;
	bool distinct;			/* none is added again */
	struct cover_binary *items;
	size_t size, room;
};

/* Whether a file with these first bytes is for cover_binaries_add. */
bool cover_binaries_want(struct prof_span first_bytes);

/*
 * Reads a member that is wanted, and keeps its sections.  The cli names the
 * input.
 */
enum prof_status cover_binaries_add(struct cover_binaries *, struct cli *,
    struct input *, const struct input_member *, struct prof_error *);

/*
 * Looks for the binaries with the build ids of the profiles, unless they are
 * there.  A program that was stripped has the names, its debug file the
 * mapping: they are joined.  PROF_OK if some are not found.
 */
enum prof_status cover_binaries_find(struct cover_binaries *, struct cli *,
    const struct cover_profiles *);

/* What a binary and its debug file lack, for a message; NULL: nothing. */
const char *cover_binaries_lack(const struct cover_binaries *, size_t i);

/*
 * Adds a binary to a cover as cover_add does, and lets go of its pages.  Fails
 * if its file became shorter meanwhile.
 */
enum prof_status cover_binary_add(const struct cover_binary *, struct cover *,
    const struct cover_sums *, bool *any, struct prof_error *);

void cover_binaries_free(struct cover_binaries *);

/* Files, lines and tests that the options select (select.c) */

/* The first members are set from options. */
struct cover_selection {
	struct cli_list include, exclude, maps, tests, diffs;
	bool markers, has_least;
	const char *word;		/* in place of LCOV_EXCL, or NULL */
	const char *covering;		/* or NULL */
	double least;			/* percent of the changed lines */

	struct cover_path_map *path_maps;
	struct cover_diff changes;
	struct cover_excluded *of;	/* of each path */
	size_t of_size;
	struct cover_excluded *of_base;	/* likewise, of an earlier coverage */
	const struct cover_change **changed;	/* likewise, NULL if none */
	struct cover_part lines;	/* changed ones with code */
	struct buf missed;		/* PATH:LINE: it did not run */
};

/* Checks the options; the cover gets names of paths and tests. */
void cover_select_begin(struct cover_selection *, const struct cli *,
    struct cover *);

enum prof_status cover_select_read_diff(struct cover_selection *,
    struct cli *);

/*
 * Takes out of a finished cover what is not looked at.  Lines that are not
 * changed may stay, for a page that marks the others.
 */
enum prof_status cover_select(struct cover_selection *, struct cli *,
    struct cover *, bool keep_unchanged);

/* Takes files out of an earlier coverage, whose lines are others. */
enum prof_status cover_select_base(struct cover_selection *, struct cli *,
    struct cover *base);

/* Counts the changed lines; the exit status is CLI_NO if too few ran. */
enum prof_status cover_measure_changes(struct cover_selection *, struct cli *,
    struct cover *);

/* Appends the names of the tests that ran the line of --covering. */
enum prof_status cover_put_covering(const struct cover_selection *,
    struct cli *, struct cover *, struct buf *);
void cover_selection_free(struct cover_selection *);

/* Coverage as one HTML page (page.c) */

struct cover_page_options {
	const char *title;
	bool source_less;		/* counts only */
	/* Of a patch, for each path; NULL: there is no patch. */
	const struct cover_change *const *changed;
};

/* Writes the page.  Sources that cannot be read are left out. */
enum prof_status cover_page_write(const struct cover_report *,
    const struct cover_page_options *, prof_sink *, void *arg,
    struct prof_error *);

/*
 * The bytes of a source, by its name as mapped or else where it was compiled.
 * False if it cannot be read, or is no file.
 */
bool cover_read_source(const struct cover *, uint32_t path, struct buf *);

/* The files of cmd/cover/page, embedded at build time. */
extern const struct prof_span cover_style, cover_script;

#endif
