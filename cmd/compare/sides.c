#include "config.h"

#include "cmd/compare/sides.h"

#include "base/error.h"
#include "cmd/common/messages.h"
#include "model/record.h"

/* Hashes of front-end and IR profiles have nothing to do with each other. */
static enum prof_status
diff_check_level(struct diff_sides *d, struct prof_error *err)
{
	const char *file = d->cli->inputs.file;

	if (d->level == PROF_LEVEL_UNKNOWN)
		return PROF_OK;
	if (d->first_level == PROF_LEVEL_UNKNOWN) {
		d->first_level = d->level;
		d->first_file = d->diff->file[d->side - d->sides];
	}
	return d->level == d->first_level ? PROF_OK : err_set(err,
	    PROF_E_MISMATCH, "%s (%s) cannot be compared with %s (%s)",
	    words_level_profile[d->level], file,
	    words_level_profile[d->first_level], d->first_file);
}

static enum prof_status
diff_add_record(void *arg, const struct prof_record *record,
    struct prof_error *err)
{
	struct diff_sides *d = arg;
	struct diff_side *s = d->side;

	if (record->kind == PROF_REC_PROFILE) {
		d->level = record->u.profile.level;
		s->any = true;
		s->has_heap = s->has_heap ||
		    record->u.profile.kind != PROF_INSTR;
	}
	if (record->kind == PROF_REC_FUNCTION &&
	    diff_check_level(d, err) != PROF_OK)
		return PROF_FAIL;
	if (diff_table_add(&d->functions, (int)(s - d->sides), record, err) !=
	    PROF_OK || heap_view_add(s->heap, record, err) != PROF_OK)
		return PROF_FAIL;
	return d->also == NULL ? PROF_OK : d->also(d->also_arg, record, err);
}

/* The records of a file of a side. */
static enum prof_status
diff_read_file(struct diff_sides *d, int side)
{
	struct cli *c = d->cli;
	const char *path = d->diff->file[side];
	const struct cli_input in = { .path = path, .weight = { 1, 1 } };
	uint64_t misfits;

	d->side = &d->sides[side];
	cli_add_input(c, &in);
	if (cli_read(c, diff_add_record, d) != PROF_OK)
		return PROF_FAIL;
	c->inputs.file = path;
	if (!d->side->any)
		return err_set(&c->err, PROF_E_FORMAT,
		    "no profile in the input");
	misfits = d->functions.sides[side].misfits;
	if (misfits != 0 && !c->options.quiet)
		message_print("%s: %s: warning: records of %llu functions do "
		    "not match others of the same name and hash: left out\n",
		    c->name, path, (unsigned long long)misfits);
	c->inputs.file = NULL;
	return PROF_OK;
}

static enum prof_status
diff_read_side(struct diff_sides *d, int side)
{
	struct heap_view *heap = heap_view_new(false);

	d->sides[side].heap = heap;
	if (heap == NULL)
		return err_memory(&d->cli->err);
	if (diff_read_file(d, side) != PROF_OK)
		return PROF_FAIL;
	if (d->names != NULL)
		heap_view_name(heap, d->names);
	d->diff->heaps[side] = heap_view_get(heap);
	return PROF_OK;
}

enum prof_status
diff_sides_read(struct diff_sides *d)
{
	/* Inputs are added one by one. */
	cli_progress_begin(d->cli);
	d->cli->report.progress->total = OVERLAP_SIDES;
	for (int s = 0; s < OVERLAP_SIDES; s++) {
		if (diff_read_side(d, s) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

/* Compares what at least one side has, or else empty sets of functions. */
enum prof_status
diff_sides_compare(struct diff_sides *sides)
{
	struct diff *d = sides->diff;
	struct prof_error *err = &sides->cli->err;

	for (int class = 0; class < DIFF_CLASSES; class++) {
		struct overlap *o = &d->overlap[class];

		d->changes[class].most = d->top;
		if (!overlap_compare(&sides->functions,
		    class == DIFF_SENSITIVE, o, diff_changes_add,
		    &d->changes[class]))
			return err_memory(err);
		diff_changes_sort(&d->changes[class]);
		d->has[class] = o->records[OVERLAP_A] +
		    o->records[OVERLAP_B] != 0;
	}
	d->has[DIFF_HEAP] = sides->sides[OVERLAP_A].has_heap ||
	    sides->sides[OVERLAP_B].has_heap;
	if (!d->has[DIFF_SENSITIVE] && !d->has[DIFF_HEAP])
		d->has[DIFF_PLAIN] = true;
	return diff_heap_compare(&d->heap, &d->heaps[OVERLAP_A],
	    &d->heaps[OVERLAP_B], err);
}

void
diff_sides_free(struct diff_sides *sides)
{
	struct diff *d = sides->diff;

	diff_table_free(&sides->functions);
	for (int s = 0; s < OVERLAP_SIDES; s++)
		heap_view_free(sides->sides[s].heap);
	if (d == NULL)
		return;
	for (int c = 0; c < DIFF_CLASSES; c++)
		diff_changes_free(&d->changes[c]);
	diff_heap_free(&d->heap);
}
