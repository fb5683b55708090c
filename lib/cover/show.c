/* cover/show.c - sources with their counts, as llvm-cov show prints them */
#include "config.h"

#include <stdio.h>

#include "base/error.h"
#include "base/numbers.h"
#include "cover/writer.h"

/* A source, with the offset of each line and that of its end. */
struct source {
	struct prof_span text;
	size_t *starts, size, room;
};

/* What comes below a line, in this order. */
enum show_kind { SHOW_USE, SHOW_INSTANCE, SHOW_BRANCH, SHOW_DECISION,
    SHOW_KINDS };

struct show_item {
	uint32_t line, column;		/* column: of a use, else 0 */
	enum show_kind kind;
	uint32_t group, order;		/* a group has branches of one line */
	uint32_t function;
	const void *what;		/* region or decision */
};

/* A view that is being printed: of a file, of a function, or of a use. */
struct show_frame {
	struct show_frame *outer, *inner;	/* inner: or NULL */
	const struct source *source;
	unsigned depth;			/* of what is around it */
	bool whole;			/* all lines of the source */
	bool ended;			/* behind the last line with counts */
	struct cover_view view;
	struct cover_lines lines;
	const struct cover_segment *wrapped;	/* before the line */
	size_t first;			/* segment of the line */
	uint32_t line;			/* from 1; 0: before the first */
	struct show_item *items;
	size_t items_size, items_room, next;
	uint32_t last[SHOW_KINDS];	/* one more than the last item of each
					   kind that was added */
	const struct show_item *above;	/* printed below the same line */
};

struct show {
	struct cover_writer writer;
	const struct cover_show_options *options;
	struct source *sources;		/* of each path */
	struct buf title;
	struct show_frame *first, *frame;	/* that is printed, or NULL */
};

/* The source of a path; PROF_END if the caller cannot read it. */
static enum prof_status
show_source(struct show *s, uint32_t path, struct prof_error *err)
{
	struct source *f = &s->sources[path];
	size_t size;

	if (f->starts != NULL)
		return PROF_OK;
	if (!s->options->read(s->options->arg, path, &f->text))
		return PROF_END;
	/* LLVM shows what comes before a NUL. */
	size = f->text.size == 0 ? 0 : strnlen((const char *)f->text.data,
	    f->text.size);
	for (size_t at = 0; at < size; at++) {
		if ((at == 0 || f->text.data[at - 1] == '\n') &&
		    !ARRAY_ADD(f->starts, f->size, f->room, at))
			return err_memory(err);
	}
	if (!ARRAY_ROOM(f->starts, f->size, f->room))
		return err_memory(err);
	f->starts[f->size] = size;
	return PROF_OK;
}

/* What is below the lines of a view */

static int
item_compare(const void *a, const void *b)
{
	const struct show_item *x = a, *y = b;
	uint64_t left = (uint64_t)x->line << 32 | x->kind,
	    right = (uint64_t)y->line << 32 | y->kind;

	if (left == right) {
		left = (uint64_t)x->column << 32 | x->order;
		right = (uint64_t)y->column << 32 | y->order;
	}
	return (left > right) - (left < right);
}

static bool
frame_add(struct show_frame *f, enum show_kind kind, struct cover_place at,
    uint32_t function, const void *what)
{
	uint32_t order = (uint32_t)f->items_size, group = order;
	const struct show_item *last = f->last[kind] == 0 ? NULL :
	    &f->items[f->last[kind] - 1];

	if (kind >= SHOW_BRANCH && last != NULL && last->line == at.line)
		group = last->group;
	f->last[kind] = order + 1;
	return ARRAY_ADD(f->items, f->items_size, f->items_room,
	    (struct show_item){ at.line, kind == SHOW_USE ? at.column : 0,
	    kind, group, order, function, what });
}

/*
 * Adds what a function has below lines: of its file of that number, or, if
 * there is a path, of all files with it.  A file that several regions expand to
 * is shown at one of them.
 */
static bool
frame_add_function(struct show *s, struct show_frame *f, uint32_t number,
    uint32_t file, uint32_t path)
{
	struct cover *c = s->writer.cover;
	const struct cover_show_options *o = s->options;
	const struct cover_function *g;
	const struct cover_decision *d;
	const struct cover_region *r;
	bool fits = true;

	if (!o->expansions && !o->branches && !o->percents && !o->decisions)
		return true;
	/* What is below lines is printed later. */
	g = cover_function_store(c, number);
	if (g == NULL)
		return false;
	if (path != INDEX_NONE)
		file = cover_is_main_of(g, path) ? g->main_file : INDEX_NONE;
	r = g->regions;
	for (; r != g->regions + g->regions_size && o->expansions; r++) {
		if (r->kind == COVER_EXPANSION && r->file == file &&
		    g->regions + g->uses[r->expanded] == r)
			fits &= frame_add(f, SHOW_USE, r->start, number, r);
	}
	r = g->branches;
	for (; r != g->branches + g->branches_size && (o->branches ||
	    o->percents); r++) {
		if (path == INDEX_NONE ? r->file == file :
		    cover_file_has(c, path, g, r))
			fits &= frame_add(f, SHOW_BRANCH, r->start, number, r);
	}
	for (size_t i = 0; i < g->decisions_size && o->decisions; i++) {
		d = &g->decisions[i];
		if (path != INDEX_NONE ? g->files[d->region.file] == path :
		    d->region.file == file && file == g->main_file)
			fits &= frame_add(f, SHOW_DECISION, d->region.end,
			    number, d);
	}
	return fits;
}

/* Adds functions that begin at one place, below the last line of each. */
static bool
frame_add_instances(struct cover *c, struct show_frame *f, uint32_t path)
{
	size_t size = c->first[path + 1] - c->first[path], used = 0;
	struct number_sort_item *list = calloc(size + 1, sizeof(*list)), *a;
	const uint32_t *users = c->users + c->first[path];
	const struct cover_function *g;
	struct cover_place last;
	bool fits = list != NULL, same, before = false;

	for (size_t i = 0; i < size && fits; i++) {
		if (cover_is_main_of(&c->entries[users[i]].function, path) &&
		    c->entries[users[i]].start.line > 0)
			list[used++] = (struct number_sort_item){
			    cover_place_number(c->entries[users[i]].start),
			    users[i] };
	}
	fits = fits && number_sort(list, used);
	for (a = list; fits && used > 0; a++, used--, before = same) {
		same = used > 1 && a[0].key == a[1].key;
		if (!same && !before)
			continue;
		g = cover_function_at(c, a->item);
		last = g->regions[0].end;
		for (size_t k = 1; k < g->regions_size; k++) {
			if (g->regions[k].file == g->regions[0].file &&
			    g->regions[k].end.line > last.line)
				last = g->regions[k].end;
		}
		fits = frame_add(f, SHOW_INSTANCE, last, a->item, NULL);
	}
	free(list);
	return fits;
}

/*
 * Fills the view of a new frame: that of a path if the number of a function is
 * INDEX_NONE, else that of a file of the function.
 */
static bool
show_fill(struct show *s, struct show_frame *f, uint32_t number,
    uint32_t file, uint32_t path, struct prof_error *err)
{
	struct cover *c = s->writer.cover;
	const struct cover_function *g;
	bool fits = true;

	if (number != INDEX_NONE) {
		if (!frame_add_function(s, f, number, file, INDEX_NONE))
			return false;
		g = cover_function_at(c, number);
		cover_view_begin(&f->view);
		for (size_t i = 0; i < g->regions_size && fits; i++)
			fits = g->regions[i].file != file ||
			    cover_view_add(&f->view, &g->regions[i]);
		return fits && cover_view_end(&f->view, err) == PROF_OK;
	}
	if (cover_view_file(c, path, &f->view, err) != PROF_OK)
		return false;
	for (size_t i = c->first[path]; i < c->first[path + 1] && fits; i++)
		fits = frame_add_function(s, f, c->users[i], 0, path);
	return fits && (!s->options->instances || frame_add_instances(c, f,
	    path));
}

/* Begins a view; PROF_END if there is nothing to show. */
static enum prof_status
show_begin(struct show *s, uint32_t number, uint32_t file,
    uint32_t path, unsigned depth, struct prof_error *err)
{
	enum prof_status status = show_source(s, path, err);
	struct show_frame **place = s->frame == NULL ? &s->first :
	    &s->frame->inner, *f, old;

	if (status != PROF_OK)
		return status;
	if (*place == NULL)
		*place = calloc(1, sizeof(**place));
	f = *place;
	if (f == NULL)
		return err_memory(err);
	old = *f;
	*f = (struct show_frame){ .outer = s->frame, .inner = old.inner,
	    .source = &s->sources[path], .depth = depth,
	    .whole = number == INDEX_NONE, .view = old.view,
	    .items = old.items, .items_room = old.items_room };
	*err = (struct prof_error){ 0 };
	if (!show_fill(s, f, number, file, path, err))
		return err->code == 0 ? err_memory(err) : PROF_FAIL;
	if (f->view.segments_size == 0)
		return PROF_END;
	if (f->items_size > 1)
		qsort(f->items, f->items_size, sizeof(*f->items),
		    item_compare);
	cover_lines_start(&f->lines, &f->view,
	    s->writer.cover->options.release);
	s->frame = f;
	return PROF_OK;
}

/* Text */

#define SHOW_RED	"\33[0;41m"
#define SHOW_CYAN	"\33[0;46m"

/* Text in a color; NULL: as it is. */
static void
show_put(struct show *s, const char *color, const void *text,
    size_t size)
{
	bool colored = s->options->colors && color != NULL;

	buf_text(&s->writer.out, colored ? color : "");
	buf_put(&s->writer.out, text, size);
	buf_text(&s->writer.out, colored ? "\33[0m" : "");
}

/* A piece of a line, or one that begins as deep as its view is. */
__attribute__((format(printf, 3, 4)))
static void
show_print(struct show *s, unsigned depth, const char *format, ...)
{
	va_list ap;

	while (depth-- > 0)
		buf_text(&s->writer.out, "  |");
	va_start(ap, format);
	buf_vprint(&s->writer.out, format, ap);
	va_end(ap);
}

enum { NUMBER_WIDTH = 5, COUNT_WIDTH = 7 };

static int
show_margin(const struct show *s)
{
	return NUMBER_WIDTH + 1 + (s->options->counts ? COUNT_WIDTH + 1 : 0);
}

static void
show_divide(struct show *s, unsigned depth)
{
	show_print(s, depth, "  %.*s\n", show_margin(s) + 4,
	    "------------------");
}

/* A count with three digits and a unit. */
static const char *
show_count(char text[COUNT_WIDTH], uint64_t n)
{
	char digits[24];
	int size = snprintf(digits, sizeof(digits), "%llu", ull(n));
	int whole = (size - 1) % 3 + 1;

	if (size <= 3)
		return strcpy(text, digits);
	snprintf(text, COUNT_WIDTH, "%.*s%s%.*s%c", whole, digits, whole == 3 ?
	    "" : ".", 3 - whole, digits + whole, " kMGTPEZY"[(size - 1) / 3]);
	return text;
}

/* The text of the line, with what did not run, and a use, in color. */
static void
show_put_source(struct show *s, const struct show_frame *f, size_t use)
{
	size_t start = f->source->starts[f->line - 1], column = 1, end,
	    size = f->source->starts[f->line] - start;
	const uint8_t *text = f->source->text.data + start;
	const struct cover_segment *g = f->wrapped;
	bool red = g != NULL && !g->gap && g->has_count && g->count == 0;
	const char *color = red ? SHOW_RED : NULL;

	if (size > 0 && text[size - 1] == '\n' && --size > 0 &&
	    text[size - 1] == '\r')
		size--;
	for (size_t i = f->first; i < f->lines.next && !f->ended; i++) {
		g = &f->view.segments[i];
		end = g->at.column <= size ? g->at.column : size + 1;
		if (end < column)
			end = column;
		show_put(s, color, text + column - 1, end - column);
		column = end;
		red = (!g->gap || red) && g->has_count && g->count == 0;
		color = red ? SHOW_RED : column == use ? SHOW_CYAN : NULL;
	}
	show_put(s, color, text + column - 1, size + 1 - column);
	buf_u8(&s->writer.out, '\n');
}

/* Counts at the columns where regions begin, unless all are the line's. */
static void
show_put_markers(struct show *s, const struct show_frame *f)
{
	const struct cover_segment *g = f->view.segments + f->first,
	    *last = f->view.segments + f->lines.next - 1;
	char text[COUNT_WIDTH];
	uint32_t column = 1;
	bool begun = false;

	for (; g < last; g++)
		begun |= g->entry && g->has_count && g->count != f->lines.count;
	if (!begun)
		return;
	show_print(s, f->depth, "%*s", show_margin(s), "");
	for (g = f->view.segments + f->first; g < last; g++) {
		if (!g->entry || g->count == f->lines.count)
			continue;
		show_print(s, 0, "%*s^%s", g->at.column > column ?
		    (int)(g->at.column - column) : 0, "",
		    show_count(text, g->count));
		column = g->at.column + 1 + (uint32_t)strlen(text);
	}
	buf_u8(&s->writer.out, '\n');
}

/* Moves to the next line; false behind the last one. */
static bool
frame_next_line(struct show_frame *f)
{
	uint32_t begin = f->view.segments[0].at.line;

	f->line++;
	if (f->line == 1 && !f->whole && begin > 1)
		f->line = begin;
	while (!f->ended && f->line >= f->lines.line + f->lines.size) {
		f->wrapped = f->lines.wrapped;
		f->first = f->lines.next;
		f->ended = !cover_lines_next(&f->lines);
	}
	if (f->ended)
		f->wrapped = NULL;
	while (f->next < f->items_size && f->items[f->next].line < f->line)
		f->next++;
	return f->line <= f->source->size && (f->whole || !f->ended);
}

/* In LLVM 22, but not in 19, a line whose counters are bytes has 0 or 1. */
enum { RELEASE_BYTES = 21 };

static void
show_put_line(struct show *s, struct show_frame *f)
{
	const struct cover *c = s->writer.cover;
	bool bytes = c->bytes && c->options.release >= RELEASE_BYTES;
	bool begun = !f->ended && f->line >= f->lines.line;
	const struct show_item *item = f->next < f->items_size ?
	    &f->items[f->next] : NULL;
	char text[COUNT_WIDTH];
	size_t starts = 0;

	for (size_t i = f->first; i < f->lines.next && begun; i++) {
		const struct cover_segment *g = &f->view.segments[i];

		starts += g->has_count && g->entry && !g->gap;
	}
	snprintf(text, NUMBER_WIDTH + 1, "%u", f->line);
	show_print(s, f->depth, "%*s|", NUMBER_WIDTH, text);
	if (s->options->counts) {
		show_count(text, bytes ? f->lines.count > 0 : f->lines.count);
		if (!begun || !f->lines.mapped)
			*text = '\0';
		show_print(s, 0, "%*s", COUNT_WIDTH - (int)strlen(text), "");
		show_put(s, starts > 1 && *text != '\0' ? "\33[0;35m" : NULL,
		    text, strlen(text));
		buf_u8(&s->writer.out, '|');
	}
	show_put_source(s, f, item != NULL && item->line == f->line &&
	    item->kind == SHOW_USE ? item->column : 0);
	if (s->options->markers && begun && f->lines.next > f->first)
		show_put_markers(s, f);
}

/* Since LLVM 20, one side of a branch may be folded, and none has a color. */
enum { RELEASE_SIDES = 20 };

static void
show_put_branch(struct show *s, const struct cover_region *r,
    unsigned depth)
{
	const uint64_t counts[] = { r->count, r->other };
	const bool folded[] = { r->folded, r->other_folded };
	const char *const names[] = { "True", "False" };
	bool sides = s->writer.cover->options.release >= RELEASE_SIDES;
	double total = (double)(r->count + r->other);
	char text[COUNT_WIDTH];

	show_print(s, depth, "  Branch (%u:%u): [", r->start.line,
	    r->start.column);
	for (unsigned i = 0; i < 2 && !(folded[0] && folded[1]); i++) {
		buf_text(&s->writer.out, i > 0 ? ", " : "");
		if (folded[i] && sides) {
			buf_text(&s->writer.out, "Folded");
			continue;
		}
		show_put(s, counts[i] == 0 && !sides ? SHOW_RED : NULL,
		    names[i], strlen(names[i]));
		if (s->options->branches)
			show_print(s, 0, ": %s", show_count(text, counts[i]));
		else
			show_print(s, 0, ": %.2f%%", total == 0 ? 0 :
			    (double)counts[i] / total * 100);
	}
	buf_text(&s->writer.out, folded[0] && folded[1] ?
	    "Folded - Ignored]\n" : "]\n");
}

static bool
condition_is_folded(const struct cover_condition *c)
{
	return c->folded || c->other_folded;
}

/* The ways through a decision that were executed. */
static void
show_put_ways(struct show *s, const struct cover_decision *d,
    unsigned depth)
{
	size_t n = d->conditions_size;

	show_print(s, depth, "\n");
	show_print(s, depth, "  Executed MC/DC Test Vectors:\n");
	show_print(s, depth, "\n");
	show_print(s, depth, "     %s", d->ways == 0 ? "None.\n" : "");
	for (size_t i = 0; i < n && d->ways > 0; i++)
		show_print(s, 0, "C%zu%s", i + 1, i + 1 < n ? ", " :
		    "    Result\n");
	for (size_t i = 0; i < d->ways; i++) {
		show_print(s, depth, "  %zu { ", i + 1);
		for (size_t k = 0; k < n; k++)
			show_print(s, 0, "%c%s", condition_is_folded(
			    &d->conditions[k]) ? 'C' : "FT-"[d->outcomes[
			    i * n + k]], k + 1 < n ? ",  " : "");
		show_print(s, 0, "  = %c      }\n",
		    "FT"[i >= d->false_ways]);
	}
	show_print(s, depth, "\n");
}

static void
show_put_decision(struct show *s, const struct cover_decision *d,
    unsigned depth)
{
	const struct cover_condition *c = d->conditions,
	    *end = c + d->conditions_size;
	const struct cover_region *r = &d->region;
	size_t total = 0, covered = 0;
	char text[16];

	show_print(s, depth, "---> MC/DC Decision Region (%u:%u) to (%u:%u)\n",
	    r->start.line, r->start.column, r->end.line, r->end.column);
	show_print(s, depth, "\n");
	show_print(s, depth, "  Number of Conditions: %zu\n",
	    d->conditions_size);
	for (; c != end; c++)
		show_print(s, depth, "     Condition C%zu --> (%u:%u)\n",
		    (size_t)(c - d->conditions) + 1, c->start.line,
		    c->start.column);
	show_put_ways(s, d, depth);
	for (c = d->conditions; c != end; c++) {
		show_print(s, depth, "  C%zu-Pair: ",
		    (size_t)(c - d->conditions) + 1);
		if (condition_is_folded(c))
			show_print(s, 0, "constant folded\n");
		else if (c->covered)
			show_print(s, 0, "covered: (%u,%u)\n", c->pair[0],
			    c->pair[1]);
		else
			show_print(s, 0, "not covered\n");
		total += !condition_is_folded(c);
		covered += !condition_is_folded(c) && c->covered;
	}
	snprintf(text, sizeof(text), "%.2f%%", total == 0 ? 0 :
	    (double)covered / (double)total * 100);
	show_print(s, depth, "  MC/DC Coverage for Decision: ");
	show_put(s, covered < total || total == 0 ? SHOW_RED : NULL, text,
	    strlen(text));
	show_print(s, 0, "\n");
	show_print(s, depth, "\n");
}

/* A line of its own in a color. */
static void
show_put_name(struct show *s, const char *color, const char *before,
    struct prof_span name, const char *behind)
{
	show_print(s, 0, "%s%s%.*s%s%s", s->options->colors ? color : "",
	    before, (int)name.size, (const char *)name.data, behind,
	    s->options->colors ? "\33[0m" : "");
}

/* Prints the next item below its line, or begins its view. */
static enum prof_status
show_item(struct show *s, struct show_frame *f, struct prof_error *err)
{
	const struct show_item *item = &f->items[f->next++], *above = f->above;
	const struct cover_function *g =
	    &s->writer.cover->entries[item->function].function;
	const struct cover_region *r = item->what;
	unsigned depth = f->depth + 1;
	enum prof_status status = PROF_OK;

	if (item->kind == SHOW_USE)
		status = show_begin(s, item->function, r->expanded,
		    g->files[r->expanded], depth + 1, err);
	else if (item->kind == SHOW_INSTANCE && g->count > 0)
		status = show_begin(s, item->function, g->main_file,
		    g->files[g->main_file], depth, err);
	if (status != PROF_OK)
		return status == PROF_END ? PROF_OK : status;
	f->above = item;
	if (above == NULL || above->group != item->group)
		show_divide(s, f->depth);
	if (item->kind == SHOW_BRANCH)
		show_put_branch(s, r, depth);
	else if (item->kind == SHOW_DECISION)
		show_put_decision(s, item->what, depth);
	else if (item->kind == SHOW_INSTANCE) {
		show_print(s, depth, " ");
		if (g->count > 0)
			show_put_name(s, "\33[0;36m", "",
			    s->options->names[item->function], ":\n");
		else
			show_put_name(s, "\33[0;31m",
			    "Unexecuted instantiation: ",
			    s->options->names[item->function], "\n");
	} else if (above != NULL) {
		show_print(s, f->depth, "%*s", show_margin(s) +
		    (f->depth > 0), "");
		show_put_source(s, f, item->column);
		show_divide(s, f->depth);
	}
	return PROF_OK;
}

/* Prints the view that was begun, with all below it. */
static enum prof_status
show_run(struct show *s, struct prof_error *err)
{
	struct show_frame *f;

	while ((f = s->frame) != NULL) {
		if (cover_writer_flush(&s->writer, WRITER_PIECE, err) !=
		    PROF_OK)
			return PROF_FAIL;
		if (f->line > 0 && f->next < f->items_size &&
		    f->items[f->next].line == f->line) {
			if (show_item(s, f, err) != PROF_OK)
				return PROF_FAIL;
			continue;
		}
		if (f->above != NULL)
			show_divide(s, f->depth);
		f->above = NULL;
		if (frame_next_line(f))
			show_put_line(s, f);
		else
			s->frame = f->outer;
	}
	return PROF_OK;
}

/*
 * Shows a file of a function, or all of a path if the number of a function is
 * INDEX_NONE.
 */
static enum prof_status
show_view(struct show *s, uint32_t number, uint32_t file, uint32_t path,
    struct prof_error *err)
{
	const struct cover *c = s->writer.cover;
	struct prof_span name = number == INDEX_NONE ? c->paths.items[path] :
	    s->options->names[number];
	enum prof_status status = path == INDEX_NONE ? PROF_END :
	    show_begin(s, number, file, path, 0, err);

	if (status == PROF_END)
		s->options->skip(s->options->arg, name);
	if (status != PROF_OK)
		return status == PROF_END ? PROF_OK : PROF_FAIL;
	if (number == INDEX_NONE) {
		cover_path_show(&s->title, name);
		name = buf_span(&s->title);
	}
	if (number != INDEX_NONE || c->sorted_size != 1)
		show_put_name(s, "\33[0;36m", "", name, ":\n");
	status = s->title.failed ? err_memory(err) : show_run(s, err);
	if (number == INDEX_NONE)
		buf_u8(&s->writer.out, '\n');
	return status;
}

/* Shows the functions that are wanted, of those whose first file it is. */
static enum prof_status
show_functions(struct show *s, uint32_t path, struct prof_error *err)
{
	const struct cover *c = s->writer.cover;
	const struct cover_show_options *o = s->options;
	const struct cover_function *g;
	bool any = false;

	for (size_t i = c->first[path]; i < c->first[path + 1]; i++) {
		g = &c->entries[c->users[i]].function;
		if (g->files[0] != path || !o->wants(o->arg, c->users[i]))
			continue;
		any = true;
		if (show_view(s, c->users[i], g->main_file,
		    g->main_file == INDEX_NONE ? INDEX_NONE :
		    g->files[g->main_file], err) != PROF_OK)
			return PROF_FAIL;
	}
	buf_text(&s->writer.out, any ? "\n" : "");
	return PROF_OK;
}

enum prof_status
cover_write_show(struct cover *c, const struct cover_show_options *options,
    prof_sink *sink, void *arg, struct prof_error *err)
{
	struct show s = { .writer = { .cover = c, .sink = sink, .arg = arg },
	    .options = options };
	enum prof_status status = PROF_OK;
	struct show_frame *f, *inner;

	s.sources = calloc(c->paths.size + 1, sizeof(*s.sources));
	if (s.sources == NULL)
		return err_memory(err);
	for (size_t i = 0; i < c->sorted_size && status == PROF_OK; i++) {
		status = options->wants == NULL ? show_view(&s, INDEX_NONE, 0,
		    c->sorted[i], err) : show_functions(&s, c->sorted[i], err);
		if (status == PROF_OK)
			status = cover_writer_flush(&s.writer, 1, err);
	}
	for (f = s.first; f != NULL; f = inner) {
		inner = f->inner;
		cover_view_free(&f->view);
		free(f->items);
		free(f);
	}
	for (size_t i = 0; i < c->paths.size; i++)
		free(s.sources[i].starts);
	free(s.sources);
	buf_free(&s.title);
	cover_writer_free(&s.writer);
	return status;
}
