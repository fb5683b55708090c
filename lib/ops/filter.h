/*
 * ops/filter.h - which functions of a profile stay
 *
 * A function stays if it matches a rule to keep, or there are no rules to keep;
 * if it matches no rule to drop; and if its largest counter reaches the
 * minimum.
 */
#ifndef OPS_FILTER_H
#define OPS_FILTER_H

#include "ops/name_forms.h"

struct filter;

enum filter_side { FILTER_KEEP, FILTER_DROP };

struct filter *filter_new(void);	/* NULL if out of memory */

/*
 * From now on that side has rules.  Without this call, a side has rules once
 * one was added; an empty list of names to keep keeps nothing.
 */
void filter_begin(struct filter *, enum filter_side);

/*
 * From now on names are matched in each form that users see (ops/name_forms.h),
 * not only as the profile has them, and patterns too: demangled, with the type
 * that a function template returns in front, as it is shown, and without; and
 * each of these without the file of a local function.
 *
 * Of the forms of a name, the first in which it calls a function of the profile
 * counts.  So a function that it calls in another form waits for the end of the
 * profile: filter_begin_profile and filter_end have to be called.
 */
void filter_all_forms(struct filter *, name_demangler *);

/*
 * Rules about names.
 *
 * filter_name: the whole name, which is copied.  A function known only by its
 * guid matches if the guid is that of the name.  `listed` is the caller's.
 * filter_glob: a pattern of fnmatch(3), borrowed until filter_free.
 * filter_regex: a POSIX extended regular expression, found anywhere in the
 * name; PROF_E_FORMAT with the reason if it is malformed.
 *
 * Patterns match neither functions known only by guid nor names with a NUL.
 */
enum prof_status filter_name(struct filter *, enum filter_side,
    struct prof_span name, bool listed, struct prof_error *);
enum prof_status filter_glob(struct filter *, enum filter_side,
    const char *pattern, struct prof_error *);
enum prof_status filter_regex(struct filter *, enum filter_side,
    const char *regex, struct prof_error *);

/* The hash of the control flow. */
enum prof_status filter_hash(struct filter *, enum filter_side, uint64_t hash,
    struct prof_error *);

/*
 * Functions whose largest counter is less are dropped.  Pseudo counts
 * (PROF_COUNT_HOT and WARM) are numbers here, larger than any other.
 */
void filter_min_count(struct filter *, uint64_t count);

/* Forgets what the profile before this one had. */
void filter_begin_profile(struct filter *);

/*
 * PROF_OK to keep a function, PROF_END to drop it, PROF_FAIL if out of memory.
 * A function of a heap profile has neither a hash nor counters: only rules
 * about names match.  waits (NULL: none can) is set if the function, copied,
 * waits for the end of the profile: then the result is PROF_END.
 */
enum prof_status filter_function(struct filter *,
    const struct prof_function *, bool *waits, struct prof_error *);
enum prof_status filter_heap_function(struct filter *,
    const struct prof_memprof_function *, bool *waits, struct prof_error *);

/*
 * At the end of a profile: PROF_E_MISMATCH if one of the last two forms of a
 * name calls several functions.  Then filter_next yields the functions that
 * waited, from *place on, which is 0 at first; NULL at the end.
 */
enum prof_status filter_end(struct filter *, struct prof_error *);
const struct prof_record *filter_next(const struct filter *, size_t *place,
    bool *kept);

/* A name that was given. */
struct filter_name {
	struct prof_span text;
	bool listed;
	bool found;			/* it calls a function */
	enum name_form form;		/* the first found in this profile */
	bool checked;			/* how many functions it calls there */
};

const struct filter_name *filter_names(const struct filter *,
    enum filter_side, size_t *count);

void filter_free(struct filter *);	/* NULL is fine */

#endif
