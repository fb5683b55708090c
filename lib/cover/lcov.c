/* cover/lcov.c - tracefiles of lcov, byte for byte as llvm-cov writes them */
#include "config.h"

#include <ctype.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/introsort.h"
#include "base/numbers.h"
#include "cover/writer.h"

/*
 * The path of a branch: where it begins, or of a branch in macros the uses,
 * outermost first.  A path is a node of a tree, equal ones are one node.
 */
struct branch_path {
	uint32_t parent;		/* node, or INDEX_NONE */
	struct cover_place at;
	uint32_t line, column;		/* of the outermost place */
	uint32_t first, next;		/* that goes on from it; sibling */
	uint32_t rank;			/* in the order of paths */
	uint32_t row;			/* of those that are joined */
};

/* A row of counts. */
struct branch_row {
	uint32_t path;
	uint32_t line, column;		/* up to LLVM 20, sorted by these */
	bool folded;			/* both sides: it is not written */
	bool expanded;			/* in what the file expands */
	uint64_t taken, other;
};

struct lcov {
	struct cover_writer writer;
	struct cover_lcov_options options;
	bool by_column;			/* parts of tests are added up */
	struct branch_path *paths;
	size_t paths_size, paths_room;
	struct hash_index path_index;
	struct branch_row *rows;	/* in the order of functions */
	size_t rows_size, rows_room;
	struct number_sort_item *order;	/* of the rows */
	size_t order_room;

	struct cover_walk walk;
	uint32_t *file_path;		/* of each file of a function */
	size_t file_path_room;
};

/* Since LLVM 21, rows are sorted by their uses, and instances are one row. */
enum { RELEASE_PATHS = 21 };

static bool
path_same(const void *arg, uint32_t item)
{
	const void *const *both = arg;
	const struct branch_path *wanted = both[1], *p;

	p = &((const struct lcov *)both[0])->paths[item];
	return p->parent == wanted->parent && p->at.line == wanted->at.line &&
	    p->at.column == wanted->at.column;
}

/* The path that goes on from another; INDEX_NONE if out of memory. */
static uint32_t
lcov_path(struct lcov *l, uint32_t parent, struct cover_place at)
{
	struct branch_path p = { .parent = parent, .at = at,
	    .first = INDEX_NONE, .row = INDEX_NONE };
	const void *both[] = { l, &p };
	struct hash_index_slot *slot;
	uint64_t hash;

	if (!hash_index_reserve(&l->path_index, l->paths_size + 1))
		return INDEX_NONE;
	hash = hash_mix(hash_mix(l->path_index.seed, parent),
	    cover_place_number(at));
	slot = hash_index_slot(&l->path_index, hash, path_same, both);
	if (slot->item != 0)
		return slot->item - 1;
	p.line = parent == INDEX_NONE ? at.line : l->paths[parent].line;
	p.column = parent == INDEX_NONE ? at.column : l->paths[parent].column;
	if (!ARRAY_ADD(l->paths, l->paths_size, l->paths_room, p))
		return INDEX_NONE;
	hash_index_fill(&l->path_index, slot, hash);
	return (uint32_t)l->paths_size - 1;
}

/* Whether rows of one path become one. */
static bool
lcov_joins(const struct lcov *l)
{
	return l->options.join &&
	    l->writer.cover->options.release >= RELEASE_PATHS;
}

/* Adds a branch to the rows; false if out of memory. */
static bool
lcov_add_row(struct lcov *l, uint32_t path, const struct cover_region *b,
    bool expanded)
{
	bool folded = b->folded && b->other_folded;
	struct branch_row *r;

	if (path == INDEX_NONE)
		return false;
	if (lcov_joins(l) && l->paths[path].row != INDEX_NONE) {
		r = &l->rows[l->paths[path].row];
		r->taken += b->count;
		r->other += b->other;
		r->folded &= folded;
		return true;
	}
	l->paths[path].row = (uint32_t)l->rows_size;
	return l->rows_size < UINT32_MAX && ARRAY_ADD(l->rows, l->rows_size,
	    l->rows_room, (struct branch_row){ path, l->paths[path].line,
	    b->start.column, folded, expanded, b->count, b->other });
}

/* The path of a use goes on from that of the use around it. */
static bool
lcov_enter_use(void *arg, struct cover_walk *w, const struct cover_region *use)
{
	struct lcov *l = arg;
	uint32_t parent = use->file == w->function->main_file ? INDEX_NONE :
	    l->file_path[use->file];
	uint32_t path = lcov_path(l, parent, use->start);

	l->file_path[use->expanded] = path;
	return path != INDEX_NONE;
}

static bool
lcov_leave_use(void *arg, struct cover_walk *w, const struct cover_region *use)
{
	struct lcov *l = arg;
	const struct cover_region *b;
	const uint32_t *list;
	size_t size = cover_walk_branches(w, use->expanded, &list);

	for (size_t i = 0; i < size; i++) {
		b = &w->function->branches[list[i]];
		if (!lcov_add_row(l, l->file_path[use->expanded], b, true))
			return false;
	}
	return true;
}

/* Adds the branches in macros that the main file of a function uses. */
static bool
lcov_add_expansions(struct lcov *l, const struct cover_function *f)
{
	const uint32_t *uses;
	size_t size;

	if (f->branches_size == 0)
		return true;
	if (!cover_walk_function(&l->walk, f) || !ARRAY_RESERVE(l->file_path,
	    0, f->files_size, l->file_path_room))
		return false;
	size = cover_walk_uses(&l->walk, f->main_file, &uses);
	for (size_t i = 0; i < size; i++) {
		if (!cover_walk_use(&l->walk, uses[i], lcov_enter_use,
		    lcov_leave_use, l))
			return false;
	}
	return true;
}

/* Adds the branches that a function has in the file itself. */
static bool
lcov_add_branches(struct lcov *l, const struct cover_function *f,
    uint32_t path)
{
	const struct cover_region *b = f->branches, *end = b + f->branches_size;

	for (; b != end; b++) {
		if (cover_file_has(l->writer.cover, path, f, b) &&
		    !lcov_add_row(l, lcov_path(l, INDEX_NONE, b->start), b,
		    false))
			return false;
	}
	return true;
}

/* Gathers regions, branches and sums of all functions of a file. */
static enum prof_status
lcov_gather(struct lcov *l, uint32_t path, struct prof_error *err)
{
	struct cover *c = l->writer.cover;
	const struct cover_function *f;

	l->paths_size = l->rows_size = 0;
	hash_index_clear(&l->path_index);
	cover_view_begin(&l->writer.view);
	l->writer.view.once = c->once;
	for (size_t i = c->first[path]; i < c->first[path + 1]; i++) {
		f = cover_function_at(c, c->users[i]);
		if (!cover_view_add_function(&l->writer.view, f, path) ||
		    !lcov_add_branches(l, f, path))
			return err_memory(err);
		if (cover_is_main_of(f, path) && !lcov_add_expansions(l, f))
			return err_memory(err);
	}
	return PROF_OK;
}

/* Bytes of the longest line of numbers. */
enum { NUMBERS_MAX = 5 + 4 * (DIGITS_MAX + 1) };

static void
lcov_put_line(struct buf *b, uint64_t line, uint64_t count)
{
	uint8_t *p = buf_reserve(b, NUMBERS_MAX);

	if (p == NULL)
		return;
	memcpy(p, "DA:", 3);
	p = digits_put(p + 3, line);
	*p++ = ',';
	p = digits_put(p, count);
	*p++ = '\n';
	b->size = (size_t)(p - b->data);
}

static enum prof_status
lcov_put_lines(struct lcov *l, struct prof_error *err)
{
	struct cover_lines lines;

	if (cover_view_end(&l->writer.view, err) != PROF_OK)
		return PROF_FAIL;
	cover_lines_start(&lines, &l->writer.view,
	    l->writer.cover->options.release);
	while (cover_lines_next(&lines)) {
		if (!lines.mapped)
			continue;
		if (cover_lines_check(&lines, err) != PROF_OK)
			return PROF_FAIL;
		for (uint32_t i = 0; i < lines.size; i++) {
			lcov_put_line(&l->writer.out, lines.line + i,
			    lines.count);
			if (cover_writer_flush(&l->writer, WRITER_PIECE,
			    err) != PROF_OK)
				return PROF_FAIL;
		}
	}
	return PROF_OK;
}

/* Numbers the paths in their order: a path before those that go on from it. */
static bool
lcov_rank_paths(struct lcov *l)
{
	uint32_t root = INDEX_NONE, *first, at, rank = 0;
	struct branch_path *paths = l->paths;

	if (!ARRAY_RESERVE(l->order, 0, l->paths_size, l->order_room))
		return false;
	for (uint32_t i = 0; i < l->paths_size; i++)
		l->order[i] = (struct number_sort_item){
		    cover_place_number(paths[i].at), i };
	if (!number_sort(l->order, l->paths_size))
		return false;
	/* From the last place on, each becomes the first of its parent's. */
	for (size_t i = l->paths_size; i-- > 0;) {
		at = l->order[i].item;
		first = paths[at].parent == INDEX_NONE ? &root :
		    &paths[paths[at].parent].first;
		paths[at].next = *first;
		*first = at;
	}
	for (at = root; at != INDEX_NONE; at = paths[at].next) {
		paths[at].rank = rank++;
		/* Down to the first one, or up to where another one follows. */
		while (paths[at].first != INDEX_NONE) {
			at = paths[at].first;
			paths[at].rank = rank++;
		}
		while (paths[at].next == INDEX_NONE &&
		    paths[at].parent != INDEX_NONE)
			at = paths[at].parent;
	}
	return true;
}

static void
lcov_put_row(struct buf *b, const struct branch_row *r, uint64_t block,
    uint64_t pair)
{
	/* LLVM has the counts in 32 bits here. */
	uint32_t counts[] = { (uint32_t)r->taken, (uint32_t)r->other };
	uint8_t *p = buf_reserve(b, 2 * NUMBERS_MAX);

	if (p == NULL)
		return;
	for (unsigned i = 0; i < 2; i++) {
		memcpy(p, "BRDA:", 5);
		p = digits_put(p + 5, r->line);
		*p++ = ',';
		p = digits_put(p, block);
		*p++ = ',';
		p = digits_put(p, 2 * pair + i);
		*p++ = ',';
		if ((counts[0] | counts[1]) == 0)
			*p++ = '-';
		else
			p = digits_put(p, counts[i]);
		*p++ = '\n';
	}
	b->size = (size_t)(p - b->data);
}

/*
 * Sorts rows by path; up to LLVM 20 by place with std::sort, and the order of
 * those with one place is what it makes of it.
 */
static bool
lcov_sort_rows(struct lcov *l)
{
	bool paths = l->writer.cover->options.release >= RELEASE_PATHS;
	struct value_pair *pairs;
	size_t size = 0;

	if ((paths && !lcov_rank_paths(l)) ||
	    !ARRAY_RESERVE(l->order, 0, l->rows_size, l->order_room))
		return false;
	/* Those in the file itself come first. */
	for (unsigned expanded = 0; expanded < 2; expanded++) {
		for (uint32_t i = 0; i < l->rows_size; i++) {
			struct branch_row *r = &l->rows[i];

			if (r->expanded != expanded)
				continue;
			l->order[size].key = (uint64_t)r->line << 32 | (paths ?
			    l->paths[r->path].rank : r->column);
			l->order[size++].item = i;
		}
	}
	if (paths)
		return number_sort(l->order, size);
	pairs = malloc(size * sizeof(*pairs));
	for (size_t i = 0; i < size && pairs != NULL; i++)
		pairs[i] = (struct value_pair){ l->order[i].key,
		    l->order[i].item };
	if (pairs != NULL)
		introsort(pairs, size);
	for (size_t i = 0; i < size && pairs != NULL; i++)
		l->order[i].item = (uint32_t)pairs[i].count;
	free(pairs);
	return pairs != NULL;
}

/*
 * Blocks are the numbers of branches on a line.  The part of a test lacks what
 * it did not run: there they are columns, which are the same in all parts.
 */
static enum prof_status
lcov_put_branches(struct lcov *l, struct prof_error *err)
{
	uint64_t pair = 0, line = 0, column = 0, last = 0;
	struct branch_row *r;

	if (l->rows_size > 0 && !lcov_sort_rows(l))
		return err_memory(err);
	for (size_t i = 0; i < l->rows_size; i++) {
		r = &l->rows[l->order[i].item];
		if (l->by_column)
			column = l->paths[r->path].column;
		if (r->line != line || column != last)
			pair = 0;
		line = r->line;
		last = column;
		if (!r->folded)
			lcov_put_row(&l->writer.out, r, l->by_column ? column :
			    pair, pair);
		pair += !r->folded;
		if (cover_writer_flush(&l->writer, WRITER_PIECE, err) !=
		    PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

/*
 * Ends a line with a name.  A newline in the name would end the line too early,
 * which llvm-cov accepts: as_llvm.
 */
static void
lcov_put_name(struct lcov *l, struct prof_span s)
{
	for (size_t i = 0; i < s.size; i++)
		buf_u8(&l->writer.out, s.data[i] < ' ' &&
		    !l->writer.cover->options.as_llvm ? '?' : s.data[i]);
	buf_u8(&l->writer.out, '\n');
}

/* The functions whose first file it is: where they are, and their calls. */
static enum prof_status
lcov_put_functions(struct lcov *l, uint32_t path, bool calls,
    struct prof_error *err)
{
	const struct cover *c = l->writer.cover;
	struct buf *b = &l->writer.out;
	const struct cover_entry *e;

	for (size_t i = c->first[path]; i < c->first[path + 1]; i++) {
		e = &c->entries[c->users[i]];
		if (e->function.files[0] != path ||
		    e->function.regions_size == 0 || e->line == 0)
			continue;
		buf_text(b, calls ? "FNDA:" : "FN:");
		digits_append(b, calls ? e->function.count : e->line);
		buf_u8(b, ',');
		lcov_put_name(l, e->function.name);
		if (cover_writer_flush(&l->writer, WRITER_PIECE, err) !=
		    PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

static enum prof_status
lcov_put_file(struct lcov *l, uint32_t path, struct prof_error *err)
{
	struct prof_span name = l->writer.cover->paths.items[path];
	struct prof_span test = l->writer.cover->test;
	struct buf *b = &l->writer.out;
	struct cover_summary sum;

	if (lcov_gather(l, path, err) != PROF_OK ||
	    cover_summarize(l->writer.cover, path, &sum, err) != PROF_OK)
		return PROF_FAIL;
	/* A name of a test has letters, digits and '_' only. */
	if (test.size > 0)
		buf_text(b, "TN:");
	for (size_t i = 0; i < test.size; i++)
		buf_u8(b, test.data[i] < 0x80 && isalnum(test.data[i]) ?
		    test.data[i] : '_');
	buf_text(b, test.size > 0 ? "\nSF:" : "SF:");
	lcov_put_name(l, name);
	if (!l->options.summary_only &&
	    (lcov_put_functions(l, path, false, err) != PROF_OK ||
	    lcov_put_functions(l, path, true, err) != PROF_OK))
		return PROF_FAIL;
	buf_print(b, "FNF:%llu\nFNH:%llu\n", ull(sum.functions.size),
	    ull(sum.functions.covered));
	if (!l->options.summary_only && (lcov_put_lines(l, err) != PROF_OK ||
	    (!l->options.skip_branches && lcov_put_branches(l, err) !=
	    PROF_OK)))
		return PROF_FAIL;
	if (!l->options.skip_branches)
		buf_print(b, "BRF:%llu\nBRH:%llu\n", ull(sum.branches.size),
		    ull(sum.branches.covered));
	buf_print(b, "LF:%llu\nLH:%llu\nend_of_record\n",
	    ull(sum.lines.size), ull(sum.lines.covered));
	return cover_writer_flush(&l->writer, WRITER_PIECE, err);
}

/* A cover_visit: writes all files. */
static enum prof_status
lcov_put_all(void *arg, struct cover *c, struct prof_error *err)
{
	enum prof_status status = PROF_OK;
	struct lcov *l = arg;

	l->writer.cover = c;
	for (size_t i = 0; i < c->sorted_size && status == PROF_OK; i++)
		status = lcov_put_file(l, c->sorted[i], err);
	return status;
}

/* The sum of all parts is the coverage: readers add them. */
enum prof_status
cover_write_lcov(struct cover *c, const struct cover_lcov_options *options,
    prof_sink *sink, void *arg, struct prof_error *err)
{
	struct lcov l = { .writer = { .sink = sink, .arg = arg },
	    .options = *options, .by_column = c->tests.size > 0 };
	enum prof_status status = c->tests.size == 0 ? lcov_put_all(&l, c,
	    err) : cover_each_test(c, INDEX_NONE, true, lcov_put_all, &l, err);

	if (status == PROF_OK)
		status = cover_writer_flush(&l.writer, 0, err);
	cover_writer_free(&l.writer);
	free(l.paths);
	hash_index_free(&l.path_index);
	free(l.rows);
	free(l.order);
	cover_walk_free(&l.walk);
	free(l.file_path);
	return status;
}
