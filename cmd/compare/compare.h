/* cmd/compare/compare.h - a comparison: sides, limits, result, output */
#ifndef CMD_COMPARE_COMPARE_H
#define CMD_COMPARE_COMPARE_H

#include "base/bytes.h"
#include "cmd/common/pipeline.h"
#include "cmd/print/print.h"
#include "ops/diff/heap.h"
#include "ops/heap/view.h"

/*
 * What is compared: classes of functions, with plain and context-sensitive
 * instrumentation, and the contexts of heap profiles.
 */
enum { DIFF_PLAIN, DIFF_SENSITIVE, DIFF_CLASSES, DIFF_HEAP = DIFF_CLASSES,
	DIFF_SUBJECTS };

struct diff_subject {
	const char *title;		/* for people; in messages: `whose` */
	const char *whose;
	const char *records;		/* for people, and the JSON key */
	const char *sum, *sum_key;	/* the sum over all records */
	const char *unit;		/* of the sum: "counts" */
};

extern const struct diff_subject diff_subjects[DIFF_SUBJECTS];

/* Limits: of states before OVERLAP_CHANGED, by enum overlap_state; others. */
enum { DIFF_MIN_OVERLAP = OVERLAP_CHANGED, DIFF_MIN_COUNT_SHARE, DIFF_LIMITS };

/* Whether a limit holds for a subject. */
struct diff_verdict {
	const char *option;		/* "--min-overlap" */
	const char *what;		/* is limited: "overlap" */
	const char *unit;		/* of both values: "%" or "" */
	int subject;
	double value, limit;
	bool failed;
};

struct diff_verdicts {
	struct diff_verdict items[DIFF_LIMITS * DIFF_SUBJECTS];
	size_t size;
};

struct diff {
	const char *file[OVERLAP_SIDES];
	bool has[DIFF_SUBJECTS];
	struct overlap overlap[DIFF_CLASSES];
	struct diff_changes changes[DIFF_CLASSES];
	struct heap heaps[OVERLAP_SIDES];
	struct diff_heap heap;
	struct diff_verdicts verdicts;
	size_t top;			/* changes to print at most */
	enum overlap_sort sort;
	bool demangle;
	bool binary;			/* NEW is one: hashes only */
};

static inline const struct overlap *
diff_overlap(const struct diff *d, int subject)
{
	return subject == DIFF_HEAP ? &d->heap.overlap : &d->overlap[subject];
}

/* How many rows of a subject are printed, and each of them. */
size_t diff_rows(const struct diff *, int subject);
const struct overlap_change *diff_row(const struct diff *, int subject,
    size_t i);

/* Whether both sides have the function under different names. */
static inline bool
diff_change_renames(const struct overlap_change *c)
{
	return c->state == OVERLAP_MOVED || c->state == OVERLAP_RENAMED;
}

enum { DIFF_TOTAL_SIZE = 40 };

/* The decimal digits of a sum, which may be above 64 bits. */
void diff_total_text(char[DIFF_TOTAL_SIZE], const struct overlap_total *);

enum { DIFF_VERDICT_SIZE = 128 };

/* "35% overlap: --min-overlap is 40%" */
void diff_verdict_text(char[DIFF_VERDICT_SIZE], const struct diff_verdict *);


/* Appends the result: text for people, and one JSON object a line. */
void diff_people(struct buf *, const struct diff *);
void diff_json(struct buf *, const struct diff *);

/* {"old":x,"new":y} as a member. */
void diff_json_numbers(struct buf *, const char *key,
    const uint64_t x[OVERLAP_SIDES]);

/* Lines of diff_json: that of a subject, and that of a function's change. */
void diff_json_subject(struct buf *, const struct diff *, int subject);
void diff_json_change(struct buf *, const struct overlap_change *,
    bool demangle);

/* Both sides of a comparison, from their records. */
struct diff_side {
	struct heap_view *heap;
	bool any, has_heap;
};

/* All zero but what the caller sets: cli, names, also and its argument. */
struct diff_sides {
	struct cli *cli;
	cli_record *also;		/* gets each record too; or NULL */
	void *also_arg;
	const struct heap_names *names;	/* for frames without; or NULL */
	struct diff *diff;		/* the files of it are being read */
	struct diff_side sides[OVERLAP_SIDES], *side;
	struct diff_table functions;
	/* Of the profile being read, and of the first one with functions. */
	enum prof_level level, first_level;
	const char *first_file;
};

/*
 * Reads the files of a comparison, OLD and then NEW, and compares them.  The
 * diff is all zero but for files, top, sort, demangle, binary and, of changes,
 * equal; it has pointers into the sides.
 */
enum prof_status diff_sides_read(struct diff_sides *);
enum prof_status diff_sides_compare(struct diff_sides *);

/* Frees the sides and, in the diff, the result of their comparison. */
void diff_sides_free(struct diff_sides *);

/* Limits of change, for the exit status. */
/* All zero: there is no limit. */
struct diff_limits {
	struct { bool set, percent; double value; } of[DIFF_LIMITS];
};

/* Rows of the options that set limits, by a function of the program. */
#define DIFF_MAX_ROW(id, word, limit, meaning) \
	{ 0, limit, "N", "the same if over N, or N%, " meaning, \
	    CLI_CALLS(DIFF_SETS_LIMIT), .value = OVERLAP_##id },
#define DIFF_LIMIT_ROWS \
	{ 0, "min-overlap", "P", "exit with 1 if the overlap is below P%", \
	    CLI_CALLS(DIFF_SETS_LIMIT), .value = DIFF_MIN_OVERLAP }, \
	{ 0, "min-count-share", "P", \
	    "the same if NEW has less than P% of OLD's counts", \
	    CLI_CALLS(DIFF_SETS_LIMIT), .value = DIFF_MIN_COUNT_SHARE }, \
	OVERLAP_LIMITED_STATES(DIFF_MAX_ROW)

/* Parses P or P% for a minimum, N or P% for a maximum; exits on other text. */
void diff_limits_set(struct diff_limits *, int limit, const char *text,
    const struct cli *);

/* Exits if there is a limit that needs counts of NEW, which is a binary. */
void diff_limits_need_counts(const struct diff_limits *, const struct cli *);

/* Sets the verdicts: on each limit, for each subject that is there. */
void diff_limits_check(const struct diff_limits *, struct diff *);

/* False, with a line on standard error for each verdict that is a failure. */
bool diff_limits_hold(const struct diff *, const struct cli *);

#endif
