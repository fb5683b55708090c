/*
 * libprof/private.h - what the files of the public interface share
 *
 * Each call that can fail begins with problem_begin and gives the error of its
 * struct prof to the functions of the library below.  When one of them failed,
 * problem_fail completes the error and returns -1.
 */
#ifndef LIBPROF_PRIVATE_H
#define LIBPROF_PRIVATE_H

#include "base/arena.h"
#include "base/bytes.h"
#include "libprof/merge.h"
#include "prof.h"

struct prof_problem {
	struct prof_error error;
	const char *file, *member;	/* in the arena, or NULL */
	const char *text;		/* the same */
	struct arena arena;
};

struct prof {
	struct prof_context *context;
	struct prof_context *blocks;	/* the same cache; for sums */
	struct prof_problem problem, warning;
	prof_listener *listener;	/* or NULL */
	void *arg;
	const char *file, *member;	/* being read, or written; or NULL */
	uint64_t max_bytes;
	bool salvage, map_files;
	struct buf memory;		/* of images, while no input has it */
};

void problem_begin(struct prof *);
int problem_fail(struct prof *);

/* Fails with PROF_E_USE. */
int problem_use(struct prof *, const char *reason);

/* Fails with PROF_E_MEMORY. */
int problem_memory(struct prof *);

/* 0, or problem_fail if the status is PROF_FAIL. */
int problem_result(struct prof *, enum prof_status);

/*
 * To be called before a path or member name is freed: a visitor may free an
 * input or output during another call with the same struct prof.
 */
void problem_forget(struct prof *, const char *name);

/* A prof_warn with a struct prof as its argument. */
void problem_warn(void *p, const struct prof_error *);

struct item_own;

/*
 * An item is a view of a structure of the library: `at` points to the member of
 * struct prof_record.u, or to an element of a list of it.
 */
struct prof_item {
	enum prof_item_kind kind;
	void *at;
	struct item_own *own;		/* NULL: of an input, read only */
};

/* An item, then its part, then the part of that. */
enum { ITEM_DEPTH = 3 };

/* The first view is what the caller gets as the item. */
struct item_record {
	struct prof_item views[ITEM_DEPTH];
	struct prof_record record;
};

/* An item of the caller. */
struct item_own {
	struct item_record shown;
	struct prof *p;
	struct arena arena;
};

/* The record, which is no block, as an item. */
struct prof_item *item_show(struct item_record *, struct item_own *);

/* Gives the record, which is no block, to a visitor. */
enum prof_status problem_visit(struct prof *, struct item_record *,
    prof_visitor *, void *arg);

/* The record of an item; NULL if it is a part. */
const struct prof_record *item_record(const struct prof_item *);

/* The order of items in a profile; all false before the first. */
struct item_order {
	bool inside, ended;
};

/*
 * To be called for each item that comes.  Fails with PROF_E_USE if the item may
 * not follow, or is one of the caller that no reader returns: it would make an
 * output which cannot be read.
 */
enum prof_status item_check(struct item_order *, const struct prof_item *,
    struct prof_error *);

/*
 * The next record of an input, which may be a block if `blocks` was set before
 * the first one; its record is in *shown.
 */
enum prof_status input_step(struct prof_input *, bool blocks,
    struct prof_error *);
const struct prof_record *input_record(const struct prof_input *);
struct prof *input_owner(const struct prof_input *);
bool input_is_begun(const struct prof_input *);

struct prof *sum_owner(const struct prof_sum *);

/* The writer of an output, made now; NULL on failure. */
struct prof_writer *output_writer(struct prof_output *, struct prof_error *);
const char *output_format(const struct prof_output *);
struct prof *output_owner(const struct prof_output *);

/* problem_begin, with the path of the output as the place of errors. */
void output_begin(const struct prof_output *);

/* Data of the writer, which is made after that, go to a temporary file. */
void output_use_scratch(struct prof_output *);

/* Whether the last error is about that file. */
bool output_scratch_failed(const struct prof_output *);

/*
 * Records come in canonical order and, if they stay as they are until
 * output_end_profile, need not be copied by the writer, which is made after
 * that.
 */
void output_take_sum(struct prof_output *, bool stays);

/*
 * Why no whole profile may be put now; NULL if the caller puts one, and then
 * calls output_end_profile.  Without that the output cannot be finished.
 */
const char *output_take_profile(struct prof_output *);
enum prof_status output_end_profile(struct prof_output *, struct prof_error *);

#endif
