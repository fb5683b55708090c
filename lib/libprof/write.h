/*
 * libprof/write.h - items made, and written as a profile of any format
 *
 *	struct prof_output *out = prof_output_open(p, "indexed", path);
 *
 *	while (prof_input_next(in, &item) > 0)
 *		prof_output_put(out, item);
 *	prof_output_finish(out);
 *	prof_output_free(out);
 *
 * Functions that return int return 0, or -1 on failure.
 */
#ifndef LIBPROF_WRITE_H
#define LIBPROF_WRITE_H

#include <libprof/read.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Items of the caller: a new one without fields, or a copy of all that an item
 * has.  PROF_ITEM_OTHER and parts are neither made nor copied.
 */
struct prof_item *prof_item_new(struct prof *, enum prof_item_kind);
struct prof_item *prof_item_copy(struct prof *, const struct prof_item *);
void prof_item_free(struct prof_item *);

/* Removes all fields of the item, and keeps its memory for new ones. */
void prof_item_clear(struct prof_item *);

/* Sets fields, from copies of the data.  PROF_E_USE: no such field. */
int prof_item_set_number(struct prof_item *, int field, uint64_t);
int prof_item_set_bytes(struct prof_item *, enum prof_field, const void *,
    size_t size);
int prof_item_set_numbers(struct prof_item *, enum prof_field,
    const uint64_t *, size_t count);

/*
 * Adds an empty element to a list, and returns it, so that its fields can be
 * set.  It is valid until another element of the item is returned or added, and
 * must not be freed.  NULL on failure.
 */
struct prof_item *prof_item_add(struct prof_item *, enum prof_field);

/*
 * Outputs.  The formats are "stream", "indexed", "text", "lprf" and
 * "yaml".  NULL if there is no such format.
 */
struct prof_output;

/* 0, or an errno value. */
typedef int prof_sink(void *arg, const void *data, size_t size);
struct prof_output *prof_output_new(struct prof *, const char *format,
    prof_sink *, void *arg);		/* prof_output_free */

/*
 * A file that appears complete at prof_output_finish, or not at all; "-" is
 * standard output.
 */
struct prof_output *prof_output_open(struct prof *, const char *format,
    const char *path);			/* prof_output_free */

enum prof_output_option {
	PROF_OUT_VERSION = 1,		/* of the format; 0: the default */
	PROF_OUT_MEMPROF_VERSION = 4,	/* indexed: of the heap profile + 1 */
	PROF_OUT_FULL_SCHEMA = 5,	/* indexed: all fields of the heap */
	PROF_OUT_NO_VTABLE_NAMES = 7,	/* indexed, text */
	PROF_OUT_PLAIN = 8		/* lprf 2: blocks are not compressed */
};

/* Called before the first item is put. */
int prof_output_set(struct prof_output *, enum prof_output_option, uint64_t);

/*
 * Items are put in the order of prof-stream(5), from PROF_ITEM_PROFILE to
 * PROF_ITEM_END.  Several profiles are summed first (libprof/merge.h).
 * PROF_E_UNSUPPORTED: the format cannot hold the item.  PROF_E_USE: an item of
 * the caller that no reader would return, for example one without a required
 * name, with the guid of another name, or with a PROF_EXTRA that is not JSON.
 * After any other error, prof_output_finish fails with the same one.
 */
int prof_output_put(struct prof_output *, const struct prof_item *);

/* The output is not valid before this has returned 0. */
int prof_output_finish(struct prof_output *);
void prof_output_free(struct prof_output *);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
