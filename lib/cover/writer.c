/* cover/writer.c - what the writers of coverage share */
#include "config.h"

#include "base/error.h"
#include "base/text.h"
#include "cover/writer.h"

enum prof_status
cover_writer_flush(struct cover_writer *w, size_t at_least,
    struct prof_error *err)
{
	int error;

	if (w->out.failed)
		return err_memory(err);
	if (w->out.size < at_least)
		return PROF_OK;
	error = w->sink(w->arg, w->out.data, w->out.size);
	w->out.size = 0;
	return error == 0 ? PROF_OK : err_system(err, error, "write");
}

void
cover_path_show(struct buf *b, struct prof_span path)
{
	b->size = 0;
	cover_path_put(b, path);
	for (size_t i = 0; i < b->size; i++) {
		if (b->data[i] == '\\')
			b->data[i] = '/';
	}
}

void
cover_quote(struct buf *b, struct prof_span text)
{
	static const char replacement[] = "\xEF\xBF\xBD";
	const uint8_t *p = text.data, *end = p + text.size;
	size_t size;

	buf_u8(b, '"');
	while (p != end) {
		if (*p >= 0x80) {
			size = *p >= 0xf0 ? 4 : *p >= 0xe0 ? 3 : 2;
			if (size <= (size_t)(end - p) && utf8_valid(
			    (struct prof_span){ p, size }))
				buf_put(b, p, size);
			else {
				buf_text(b, replacement);
				size = 1;
			}
			p += size;
			continue;
		}
		switch (*p) {
		case '"':
		case '\\':
			buf_u8(b, '\\');
			buf_u8(b, *p);
			break;
		case '\t':
			buf_text(b, "\\t");
			break;
		case '\n':
			buf_text(b, "\\n");
			break;
		case '\r':
			buf_text(b, "\\r");
			break;
		default:
			if (*p < 0x20)
				buf_print(b, "\\u%04x", *p);
			else
				buf_u8(b, *p);
		}
		p++;
	}
	buf_u8(b, '"');
}

/* The most lines of a file; a source of so many has gigabytes. */
enum { LINES_MAX = 1 << 26 };

enum prof_status
cover_lines_check(const struct cover_lines *l, struct prof_error *err)
{
	return l->size <= LINES_MAX && l->line <= LINES_MAX ? PROF_OK :
	    err_set(err, PROF_E_LIMIT, "line %llu of a file exceeds the limit "
	    "of %d", ull(l->line) + l->size, LINES_MAX);
}

void
cover_writer_free(struct cover_writer *w)
{
	buf_free(&w->out);
	cover_view_free(&w->view);
}

int
cover_compare_regions(const void *a, const void *b)
{
	const struct cover_region *x = a, *y = b;
	int order = compare_u64(cover_place_number(x->start),
	    cover_place_number(y->start));

	return order != 0 ? order : compare_u64(cover_place_number(x->end),
	    cover_place_number(y->end));
}

enum prof_status
cover_view_file(struct cover *c, uint32_t path, struct cover_view *v,
    struct prof_error *err)
{
	cover_view_begin(v);
	v->once = c->once;
	for (size_t i = c->first[path]; i < c->first[path + 1]; i++) {
		if (!cover_view_add_function(v, cover_function_at(c,
		    c->users[i]), path))
			return err_memory(err);
	}
	return cover_view_end(v, err);
}

/*
 * Sorts regions by file, stably, or only the expansions among them: `first` of
 * a file is where its numbers begin in the list, and that of the next file is
 * where they end.
 */
static void
sort_by_file(uint32_t *first, uint32_t *list, uint32_t files,
    const struct cover_region *regions, size_t size, bool uses)
{
	memset(first, 0, ((size_t)files + 2) * sizeof(*first));
	for (size_t i = 0; i < size; i++) {
		if (!uses || regions[i].kind == COVER_EXPANSION)
			first[regions[i].file + 2]++;
	}
	for (uint32_t i = 0; i < files; i++)
		first[i + 2] += first[i + 1];
	for (size_t i = 0; i < size; i++) {
		if (!uses || regions[i].kind == COVER_EXPANSION)
			list[first[regions[i].file + 1]++] = (uint32_t)i;
	}
}

bool
cover_walk_function(struct cover_walk *w, const struct cover_function *f)
{
	w->function = f;
	if (!ARRAY_RESERVE(w->first, 0, f->files_size + 2, w->first_room) ||
	    !ARRAY_RESERVE(w->by_file, 0, f->branches_size + 1,
	    w->by_file_room) ||
	    !ARRAY_RESERVE(w->first_use, 0, f->files_size + 2,
	    w->first_use_room) ||
	    !ARRAY_RESERVE(w->by_use, 0, f->regions_size + 1,
	    w->by_use_room) ||
	    !ARRAY_RESERVE(w->entered, 0, f->files_size, w->entered_room))
		return false;
	sort_by_file(w->first, w->by_file, f->files_size, f->branches,
	    f->branches_size, false);
	sort_by_file(w->first_use, w->by_use, f->files_size, f->regions,
	    f->regions_size, true);
	memset(w->entered, 0, f->files_size);
	return true;
}

size_t
cover_walk_uses(const struct cover_walk *w, uint32_t file,
    const uint32_t **list)
{
	*list = w->by_use + w->first_use[file];
	return w->first_use[file + 1] - w->first_use[file];
}

size_t
cover_walk_branches(const struct cover_walk *w, uint32_t file,
    const uint32_t **list)
{
	*list = w->by_file + w->first[file];
	return w->first[file + 1] - w->first[file];
}

bool
cover_walk_use(struct cover_walk *w, uint32_t use, cover_walk_step *enter,
    cover_walk_step *leave, void *arg)
{
	const struct cover_region *r, *regions = w->function->regions;
	const uint32_t *uses;
	size_t size;
	uint32_t file;

	w->stack_size = 0;
	if (!ARRAY_ADD(w->stack, w->stack_size, w->stack_room, use))
		return false;
	while (w->stack_size > 0) {
		r = &regions[w->stack[w->stack_size - 1]];
		file = r->expanded;
		if (w->entered[file] != 0) {
			w->stack_size--;
			if (w->entered[file] == 1 && !leave(arg, w, r))
				return false;
			w->entered[file] = 2;
			continue;
		}
		w->entered[file] = 1;
		if (enter != NULL && !enter(arg, w, r))
			return false;
		size = cover_walk_uses(w, file, &uses);
		if (!ARRAY_RESERVE(w->stack, w->stack_size, size,
		    w->stack_room))
			return false;
		while (size-- > 0) {
			if (w->entered[regions[uses[size]].expanded] == 0)
				w->stack[w->stack_size++] = uses[size];
		}
	}
	return true;
}

void
cover_walk_free(struct cover_walk *w)
{
	free(w->first);
	free(w->by_file);
	free(w->first_use);
	free(w->by_use);
	free(w->entered);
	free(w->stack);
}
