/* cover/summary.c - how much of a file is covered, as llvm-cov counts it */
#include "config.h"

#include "base/bytes.h"
#include "base/error.h"
#include "cover/writer.h"

static int
instance_compare(const void *a, const void *b)
{
	const struct cover_entry *const *x = a, *const *y = b;

	return compare_u64(cover_place_number((*x)->start),
	    cover_place_number((*y)->start));
}

static void
part_raise(struct cover_part *p, struct cover_small_part other)
{
	if (other.size > p->size)
		p->size = other.size;
	if (other.covered > p->covered)
		p->covered = other.covered;
}

static void
part_add(struct cover_part *p, struct cover_part other)
{
	p->size += other.size;
	p->covered += other.covered;
}

/* Since LLVM 21, a side of a branch that is a constant does not count. */
enum { RELEASE_SIDES_COUNT = 21 };

static void
part_add_branch(struct cover_part *p, const struct cover_region *b,
    unsigned release)
{
	bool constant = b->folded && b->other_folded;

	if (release >= RELEASE_SIDES_COUNT ? !b->folded : !constant) {
		p->size++;
		p->covered += b->count > 0;
	}
	if (release >= RELEASE_SIDES_COUNT ? !b->other_folded : !constant) {
		p->size++;
		p->covered += b->other > 0;
	}
}

enum { FILE_NEW, FILE_BEGUN, FILE_OUTSIDE, FILE_BELOW_MAIN };

/*
 * Whether a file is the main one or expanded from there, by way of others.  The
 * answer is kept in `below` for all files on the way.
 */
static bool
function_has_below_main(const struct cover_function *f, uint32_t file,
    uint8_t *below)
{
	uint32_t at = file, use;
	uint8_t answer;

	while (below[at] == FILE_NEW) {
		below[at] = FILE_BEGUN;
		use = f->uses[at];
		if (use == INDEX_NONE) {
			below[at] = FILE_OUTSIDE;
			break;
		}
		at = f->regions[use].file;
	}
	/* What led back to itself begins nowhere. */
	answer = below[at] == FILE_BEGUN ? FILE_OUTSIDE : below[at];
	for (at = file; below[at] == FILE_BEGUN;
	    at = f->regions[f->uses[at]].file)
		below[at] = answer;
	return answer == FILE_BELOW_MAIN;
}

enum prof_status
cover_tally_function(struct cover *c, const struct cover_function *f,
    struct cover_summary *out, struct prof_error *err)
{
	struct cover_view *v = &c->tally.view;
	struct buf *below = &c->tally.below;
	struct cover_lines l;

	*out = (struct cover_summary){ 0 };
	cover_view_begin(v);
	v->once = c->once;
	for (size_t i = 0; i < f->regions_size; i++) {
		if (f->regions[i].kind == COVER_CODE) {
			out->regions.size++;
			out->regions.covered += f->regions[i].count != 0;
		}
		if (f->regions[i].file == f->main_file &&
		    !cover_view_add(v, &f->regions[i]))
			return err_memory(err);
	}
	if (cover_view_end(v, err) != PROF_OK)
		return PROF_FAIL;
	for (cover_lines_start(&l, v, c->options.release);
	    cover_lines_next(&l);) {
		out->lines.size += l.mapped ? l.size : 0;
		out->lines.covered += l.mapped && l.count > 0 ? l.size : 0;
	}
	for (size_t i = 0; i < f->decisions_size; i++) {
		const struct cover_decision *d = &f->decisions[i];

		for (size_t k = 0; k < d->conditions_size &&
		    d->region.file == f->main_file; k++) {
			/* Up to LLVM 20, more may be covered than counts. */
			bool constant = d->conditions[k].folded ||
			    d->conditions[k].other_folded;

			out->conditions.size += !constant;
			out->conditions.covered += d->conditions[k].covered &&
			    !(constant && c->options.release >=
			    RELEASE_SIDES_COUNT);
		}
	}
	if (f->branches_size == 0 || f->main_file == INDEX_NONE)
		return PROF_OK;
	below->size = 0;
	buf_zeros(below, f->files_size);
	if (below->failed)
		return err_memory(err);
	below->data[f->main_file] = FILE_BELOW_MAIN;
	for (size_t i = 0; i < f->branches_size; i++) {
		if (function_has_below_main(f, f->branches[i].file,
		    below->data))
			part_add_branch(&out->branches, &f->branches[i],
			    c->options.release);
	}
	return PROF_OK;
}

/* A function has fewer lines than there are numbers of 32 bits. */
static struct cover_small_part
part_small(struct cover_part p)
{
	return (struct cover_small_part){ (uint32_t)p.size,
	    (uint32_t)p.covered };
}

enum prof_status
cover_tally_entry(struct cover *c, const struct cover_function *f,
    struct cover_entry *e, struct prof_error *err)
{
	struct cover_summary sums;

	if (cover_tally_function(c, f, &sums, err) != PROF_OK)
		return PROF_FAIL;
	e->lines = part_small(sums.lines);
	e->regions = part_small(sums.regions);
	e->branches = part_small(sums.branches);
	e->conditions = part_small(sums.conditions);
	return PROF_OK;
}

/*
 * Functions at one place are instances of one: templates, and static functions
 * of a header.  Of each of their numbers the largest counts, unless they are
 * to be apart.
 */
static void
tally_add_up(const struct cover_tally *t, bool apart, struct cover_summary *out)
{
	const struct cover_entry **i = t->list, **end = i + t->size, **next;
	struct cover_summary group;
	const struct cover_entry *e;
	uint64_t count;

	if (t->size > 1)
		qsort(i, t->size, sizeof(*i), instance_compare);
	for (; i != end; i = next) {
		group = (struct cover_summary){ 0 };
		count = 0;
		for (next = i; next == i || (next != end && !apart &&
		    instance_compare(i, next) == 0); next++) {
			e = *next;
			part_add(&out->instances, (struct cover_part){ 1,
			    e->function.count > 0 });
			part_raise(&group.lines, e->lines);
			part_raise(&group.regions, e->regions);
			part_raise(&group.branches, e->branches);
			part_raise(&group.conditions, e->conditions);
			count += e->function.count;
		}
		group.functions = (struct cover_part){ 1, count > 0 };
		cover_summary_add(out, &group);
	}
}

void
cover_tally_free(struct cover_tally *t)
{
	free(t->list);
	cover_view_free(&t->view);
	buf_free(&t->below);
}

enum prof_status
cover_summarize(struct cover *c, uint32_t path, struct cover_summary *out,
    struct prof_error *err)
{
	struct cover_tally *t = &c->tally;
	struct cover_entry *e;

	t->size = 0;
	for (size_t i = c->first[path]; i < c->first[path + 1]; i++) {
		e = &c->entries[c->users[i]];
		/* Without a region there, a function has no place in it. */
		if (!cover_is_main_of(&e->function, path) || e->start.line == 0)
			continue;
		if (e->stored && cover_tally_entry(c, &e->function, e, err) !=
		    PROF_OK)
			return PROF_FAIL;
		if (!ARRAY_ADD(t->list, t->size, t->room, e))
			return err_memory(err);
	}
	*out = (struct cover_summary){ 0 };
	if (t->size > 0)
		tally_add_up(t, c->options.apart, out);
	return PROF_OK;
}

void
cover_summary_add(struct cover_summary *s, const struct cover_summary *other)
{
	part_add(&s->functions, other->functions);
	part_add(&s->instances, other->instances);
	part_add(&s->lines, other->lines);
	part_add(&s->regions, other->regions);
	part_add(&s->branches, other->branches);
	part_add(&s->conditions, other->conditions);
}
