#include "format/indexed/run.h"

#include "base/error.h"
#include "model/value_data.h"
#include "model/value_sites.h"

/* Limits of a block, so that it stays in the processor's cache. */
enum { RUN_FUNCTIONS = 256, RUN_COUNTS = 1 << 13 };

static bool
run_start(struct indexed_run *run, struct arena *a)
{
	*run = (struct indexed_run){
	    .functions = arena_array(a, RUN_FUNCTIONS,
	    sizeof(*run->functions)),
	    .values = arena_array(a, RUN_FUNCTIONS, sizeof(*run->values)),
	    .counts = arena_array(a, RUN_COUNTS, sizeof(*run->counts)) };
	return run->functions != NULL && run->values != NULL &&
	    run->counts != NULL;
}

/* Prefetches what a look-up of the targets' names reads, in two steps. */
PREFETCH_INLINE void
run_prefetch_names(const struct disk_hash *t,
    const struct prof_block_values *v, int step)
{
	struct value_walk walk = { 0 };
	const struct prof_value *target;

	while ((target = value_next_target(&walk, v->values)) != NULL) {
		if (step == 0)
			disk_hash_prefetch_offset(t, target->value);
		else
			disk_hash_prefetch_bucket(t, target->value);
	}
}

/* Adds the values of the next function, if it has sites. */
static bool
run_add_values(struct indexed_run *run, const struct indexed_walk *w,
    const struct indexed_record *record, struct arena *a)
{
	const struct indexed_row *row = w->image->row;
	struct prof_block_values *v = &run->values[run->values_size];
	struct cursor c = { .data = w->image->file.data,
	    .pos = record->values, .size = w->records.pos };

	if (row->value_kinds == 0)
		return true;
	if (values_read(&c, a, NULL, v->values, NULL) != PROF_OK ||
	    indexed_check_kinds(row, record, v->values, NULL) != PROF_OK)
		return false;
	if (value_sites_count(v->values) == 0)
		return true;
	v->function = run->size;
	v->any = value_sites_have_values(v->values);
	run->values_size++;
	run_prefetch_names(&w->image->table, v, 0);
	return true;
}

/* False if the record is to be read by itself. */
static bool
run_add_record(struct indexed_run *run, const struct indexed_walk *w,
    const struct indexed_record *record, struct arena *a)
{
	if (record->num_bitmap_bytes != 0 ||
	    record->num_counts > RUN_COUNTS - run->counts_size ||
	    !run_add_values(run, w, record, a))
		return false;
	if (run->size != 0 && w->item.key.data ==
	    run->functions[run->size - 1].symbol.name.data)
		run->repeated_names += w->item.key.size;
	run->functions[run->size++] = (struct prof_function){
	    .symbol = { w->item.key, w->item.hash }, .hash = record->hash,
	    .counts_size = record->num_counts };
	run->any_bits |= indexed_copy_words(run->counts + run->counts_size,
	    record->counts, record->num_counts);
	run->counts_size += record->num_counts;
	return true;
}

bool
indexed_run_next(struct indexed_run *run, struct indexed_walk *w,
    struct arena *a, struct prof_block *out)
{
	struct indexed_walk before;

	if (!run_start(run, a))
		return false;
	while (run->size < RUN_FUNCTIONS) {
		struct indexed_record record;

		before = *w;
		if (indexed_walk_next(w, a, &record, NULL) != PROF_OK ||
		    !run_add_record(run, w, &record, a)) {
			*w = before;
			break;
		}
	}
	for (size_t i = 0; i < run->values_size; i++)
		run_prefetch_names(&w->image->table, &run->values[i], 1);
	*out = (struct prof_block){ .size = run->size, .counts = run->counts,
	    .counts_size = run->counts_size, .any_bits = run->any_bits,
	    .values = run->values, .values_size = run->values_size,
	    .hash_mask = UINT64_MAX, .repeated_names = run->repeated_names };
	return run->size != 0;
}
