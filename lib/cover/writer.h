/* cover/writer.h - what the writers of coverage share */
#ifndef COVER_WRITER_H
#define COVER_WRITER_H

#include "base/bytes.h"
#include "cover/cover.h"

struct cover_writer {
	struct cover *cover;
	prof_sink *sink;
	void *arg;
	struct buf out;			/* not passed on yet */
	struct cover_view view;
};

enum { WRITER_PIECE = 1 << 16 };

/*
 * Passes the text on once it has so many bytes, so that an output is never in
 * memory as a whole.
 */
enum prof_status cover_writer_flush(struct cover_writer *, size_t at_least,
    struct prof_error *);

/*
 * Appends a comma, unless an array of JSON has just begun.  What was passed on
 * ends with an item.
 */
static inline void
cover_begin_item(struct buf *b)
{
	if (!b->failed && (b->size == 0 || b->data[b->size - 1] != '['))
		buf_u8(b, ',');
}

/* A path as LLVM prints it: without dots, and with slashes for backslashes. */
void cover_path_show(struct buf *, struct prof_span path);

/* Text as LLVM's json::OStream quotes it; what is no UTF-8 becomes U+FFFD. */
void cover_quote(struct buf *, struct prof_span);

/* Compares the places of two struct cover_region, for qsort. */
int cover_compare_regions(const void *, const void *);

/* Makes the segments of a file, of all functions that have it. */
enum prof_status cover_view_file(struct cover *, uint32_t path,
    struct cover_view *, struct prof_error *);

/* Frees what the writer has; what is not passed on is lost. */
void cover_writer_free(struct cover_writer *);

/* Whether the lines are those of a source, which may be written one by one. */
enum prof_status cover_lines_check(const struct cover_lines *,
    struct prof_error *);

/* Since LLVM 21, branches and decisions of macros are those of their file. */
enum { RELEASE_MACRO_BRANCHES = 21 };

static inline bool
cover_file_has(const struct cover *c, uint32_t path,
    const struct cover_function *f, const struct cover_region *r)
{
	return f->files[r->file] == path && (r->file == 0 ||
	    c->options.release >= RELEASE_MACRO_BRANCHES);
}

/* Whether the main file of a function is this one. */
static inline bool
cover_is_main_of(const struct cover_function *f, uint32_t path)
{
	return f->main_file != INDEX_NONE && f->files[f->main_file] == path;
}

/*
 * Branches in a use of a macro and in the uses inside it, those of inner ones
 * first.  Each file of a function is expanded once.
 */
struct cover_walk {
	const struct cover_function *function;
	uint32_t *first;		/* branches by file; files + 1 */
	size_t first_room;
	uint32_t *by_file;		/* branches, sorted by it */
	size_t by_file_room;
	uint32_t *first_use, *by_use;	/* the same of expansions */
	size_t first_use_room, by_use_room;
	uint8_t *entered;		/* of each file */
	size_t entered_room;
	uint32_t *stack;		/* of expansions */
	size_t stack_size, stack_room;
};

/* Begins with a function; false if out of memory. */
bool cover_walk_function(struct cover_walk *, const struct cover_function *);

/* The expansions in a file, as numbers of regions: from *list, so many. */
size_t cover_walk_uses(const struct cover_walk *, uint32_t file,
    const uint32_t **list);

/*
 * Goes down from a use.  Calls enter with each use on the way down, unless it
 * is NULL, and leave with each on the way up; false if one of them is false, or
 * out of memory.
 */
typedef bool cover_walk_step(void *arg, struct cover_walk *,
    const struct cover_region *use);
bool cover_walk_use(struct cover_walk *, uint32_t use, cover_walk_step *enter,
    cover_walk_step *leave, void *arg);

/* The branches of a file, as numbers. */
size_t cover_walk_branches(const struct cover_walk *, uint32_t file,
    const uint32_t **list);
void cover_walk_free(struct cover_walk *);

#endif
