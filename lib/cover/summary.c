/* cover/summary.c - how much of a file is covered, as llvm-cov counts it */
#include "config.h"

#include "base/bytes.h"
#include "base/error.h"
#include "cover/cover.h"

/* A function whose main file is the one that is summed. */
struct instance {
	struct cover_place start;	/* of its first region there */
	uint32_t function;
};

static int
instance_compare(const void *a, const void *b)
{
	const struct instance *x = a, *y = b;

	if (x->start.line != y->start.line)
		return x->start.line < y->start.line ? -1 : 1;
	if (x->start.column != y->start.column)
		return x->start.column < y->start.column ? -1 : 1;
	return x->function < y->function ? -1 : x->function > y->function;
}

static void
part_raise(struct cover_part *p, struct cover_part other)
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

/* The sums of one function. */
static enum prof_status
cover_summarize_function(const struct cover *c,
    const struct cover_function *f, struct cover_view *v, struct buf *below,
    struct cover_summary *out, struct prof_error *err)
{
	struct cover_lines l;

	*out = (struct cover_summary){ 0 };
	cover_view_begin(v);
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
			out->conditions.size += !d->conditions[k].folded &&
			    !d->conditions[k].other_folded;
			out->conditions.covered += d->conditions[k].covered;
		}
	}
	if (f->branches_size == 0)
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

/* Lists the functions whose main file it is, sorted by place. */
static enum prof_status
cover_list_instances(const struct cover *c, uint32_t path,
    struct instance **list, size_t *size, struct prof_error *err)
{
	size_t room = 0;
	const struct cover_function *f;
	size_t k;

	for (size_t i = c->first[path]; i < c->first[path + 1]; i++) {
		f = &c->functions[c->users[i]];
		if (f->main_file == INDEX_NONE ||
		    f->files[f->main_file] != path)
			continue;
		for (k = 0; k < f->regions_size &&
		    f->regions[k].file != f->main_file; k++)
			;
		/* A function without a region there has no place in it. */
		if (k < f->regions_size && !ARRAY_ADD(*list, *size, room,
		    (struct instance){ f->regions[k].start, c->users[i] }))
			return err_memory(err);
	}
	if (*size > 1)
		qsort(*list, *size, sizeof(**list), instance_compare);
	return PROF_OK;
}

/*
 * Functions at one place are instances of one: templates, and static functions
 * of a header.  Of each of their numbers the largest counts.
 */
enum prof_status
cover_summarize(struct cover *c, uint32_t path, struct cover_view *v,
    struct cover_summary *out, struct prof_error *err)
{
	struct cover_summary one, group = { 0 };
	const struct cover_function *f;
	struct instance *list = NULL;
	struct buf below = { 0 };
	enum prof_status status;
	uint64_t count = 0;
	size_t size = 0;

	*out = (struct cover_summary){ 0 };
	status = cover_list_instances(c, path, &list, &size, err);
	for (size_t i = 0; i < size && status == PROF_OK; i++) {
		f = &c->functions[list[i].function];
		status = cover_summarize_function(c, f, v, &below, &one, err);
		part_add(&out->instances, (struct cover_part){ 1,
		    f->count > 0 });
		part_raise(&group.lines, one.lines);
		part_raise(&group.regions, one.regions);
		part_raise(&group.branches, one.branches);
		part_raise(&group.conditions, one.conditions);
		count += f->count;
		if (i + 1 < size && list[i].start.line ==
		    list[i + 1].start.line && list[i].start.column ==
		    list[i + 1].start.column)
			continue;
		part_add(&out->functions, (struct cover_part){ 1, count > 0 });
		part_add(&out->lines, group.lines);
		part_add(&out->regions, group.regions);
		part_add(&out->branches, group.branches);
		part_add(&out->conditions, group.conditions);
		group = (struct cover_summary){ 0 };
		count = 0;
	}
	buf_free(&below);
	free(list);
	return status;
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
