/* cover/exclude.c - lines and files that are not looked at */
#include "config.h"

#include "base/error.h"
#include "base/numbers.h"
#include "cover/mapping.h"

bool
cover_lines_add(struct cover_line_set *s, uint32_t first, uint32_t last)
{
	struct cover_range *r = s->size == 0 ? NULL : &s->items[s->size - 1];

	if (r != NULL && (first == 0 || r->last >= first - 1)) {
		r->last = last > r->last ? last : r->last;
		return true;
	}
	return ARRAY_ADD(s->items, s->size, s->room,
	    (struct cover_range){ .first = first, .last = last });
}

bool
cover_lines_have(const struct cover_line_set *s, uint32_t line)
{
	size_t i = numbers_below(s->items, s->size, sizeof(*s->items), line);

	return i < s->size && s->items[i].first <= line;
}

/*
 * What is cut off ends behind all columns of the line before the excluded ones,
 * and goes on behind those of the last of them: there, places are in the order
 * that they had, so that regions stay inside the same others.
 */
enum { COLUMN_BEYOND = 1 << 30, LINE_MAX_BEYOND = (1 << 18) - 1,
    COLUMN_BITS = 12, COLUMN_MAX_BEYOND = (1 << COLUMN_BITS) - 1 };

static struct cover_place
place_beyond(uint32_t line, struct cover_place p)
{
	uint32_t high = p.line < LINE_MAX_BEYOND ? p.line : LINE_MAX_BEYOND;
	uint32_t low = p.column < COLUMN_MAX_BEYOND ? p.column :
	    COLUMN_MAX_BEYOND;

	return (struct cover_place){ line, COLUMN_BEYOND +
	    (high << COLUMN_BITS | low) };
}

struct exclusion {
	struct cover *cover;
	const struct cover_excluded *of;	/* of each path */
	bool *seen;			/* paths that regions are left of */
	struct cover_region *list;
	size_t size, room;
};

/*
 * Adds what is left of a region.  Behind excluded lines it counts, but does not
 * begin: it is a gap there.
 */
static bool
exclude_cut(struct exclusion *x, const struct cover_line_set *s,
    struct cover_region r)
{
	size_t i = numbers_below(s->items, s->size, sizeof(*s->items),
	    r.start.line);
	struct cover_region head, whole = r;
	const struct cover_range *e;

	for (; i < s->size && s->items[i].first <= r.end.line; i++) {
		e = &s->items[i];
		head = r;
		head.end = place_beyond((uint32_t)e->first - 1, r.end);
		if (r.start.line < e->first && !ARRAY_ADD(x->list, x->size,
		    x->room, head))
			return false;
		if (r.end.line <= e->last)
			return true;
		r.start = place_beyond((uint32_t)e->last, whole.start);
		if (r.kind != COVER_SKIPPED)
			r.kind = COVER_GAP;
	}
	return ARRAY_ADD(x->list, x->size, x->room, r);
}

/* Whether branches that begin there are looked at. */
static bool
exclude_passes(const struct exclusion *x, const struct cover_function *f,
    const struct cover_region *r)
{
	const struct cover_excluded *e = &x->of[f->files[r->file]];

	return !cover_lines_have(&e->lines, r->start.line) &&
	    !cover_lines_have(&e->branches, r->start.line);
}

/* Cuts regions, and takes out branches and decisions. */
static bool
exclude_parts(struct exclusion *x, struct cover_function *f)
{
	size_t branches = f->branches_size, decisions = f->decisions_size;
	uint32_t main_file = f->main_file;
	const struct cover_region *r = f->regions;

	x->size = 0;
	for (; r != f->regions + f->regions_size; r++) {
		if (!exclude_cut(x, &x->of[f->files[r->file]].lines, *r))
			return false;
	}
	f->branches_size = f->decisions_size = 0;
	for (size_t i = 0; i < branches; i++) {
		if (exclude_passes(x, f, &f->branches[i]))
			f->branches[f->branches_size++] = f->branches[i];
	}
	for (size_t i = 0; i < decisions; i++) {
		if (exclude_passes(x, f, &f->decisions[i].region))
			f->decisions[f->decisions_size++] = f->decisions[i];
	}
	f->regions_size = x->size;
	f->regions = (void *)(uintptr_t)arena_copy(&x->cover->arena,
	    (struct prof_span){ (const void *)x->list,
	    x->size * sizeof(*x->list) }).data;
	if (f->regions == NULL || !cover_function_link(&x->cover->arena, f))
		return false;
	f->main_file = main_file;
	return true;
}

/* A function goes that has no region in a file that is looked at. */
static bool
exclude_of_entry(struct exclusion *x, size_t number)
{
	struct cover_entry *e = &x->cover->entries[number];
	const struct cover_function *f = &e->function;
	const struct cover_excluded *of;
	bool cut = false;

	e->dropped = true;
	for (uint32_t i = 0; i < f->files_size; i++) {
		of = &x->of[f->files[i]];
		cut = cut || (of->lines.size | of->branches.size) > 0;
		e->dropped = e->dropped && of->hidden;
	}
	for (uint32_t i = 0; i < f->files_size && !e->dropped && !cut; i++)
		x->seen[f->files[i]] = !x->of[f->files[i]].hidden;
	if (e->dropped || !cut)
		return true;
	if (cover_function_store(x->cover, number) == NULL ||
	    !exclude_parts(x, &e->function))
		return false;
	e->dropped = true;
	e->start = (struct cover_place){ 0 };
	for (size_t i = f->regions_size; i-- > 0;) {
		uint32_t path = f->files[f->regions[i].file];

		if (f->regions[i].file == f->main_file)
			e->start = f->regions[i].start;
		x->seen[path] |= !x->of[path].hidden;
		e->dropped = e->dropped && x->of[path].hidden;
	}
	e->line = e->start.line;
	return true;
}

enum prof_status
cover_exclude(struct cover *c, const struct cover_excluded *of_paths,
    struct prof_error *err)
{
	struct exclusion x = { .cover = c, .of = of_paths,
	    .seen = calloc((size_t)c->paths.size + 1, sizeof(*x.seen)) };
	size_t size = c->sorted_size;
	bool done = x.seen != NULL;

	for (size_t i = 0; i < c->entries_size && done; i++)
		done = exclude_of_entry(&x, i);
	c->sorted_size = 0;
	for (size_t i = 0; i < size && done; i++) {
		if (x.seen[c->sorted[i]])
			c->sorted[c->sorted_size++] = c->sorted[i];
	}
	c->excluded = of_paths;
	done = done && cover_list(c);
	free(x.seen);
	free(x.list);
	return done ? PROF_OK : err_memory(err);
}
