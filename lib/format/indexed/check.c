/* Checks of all records before the first is returned, and of one decoded. */
#include "format/indexed/indexed.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "model/record.h"
#include "model/releases.h"
#include "model/symtab.h"

#define HASH_FLAGS ((uint64_t)15 << 60)

struct cursor
indexed_item_data(const struct indexed_image *im,
    const struct disk_hash_item *item)
{
	return (struct cursor){ .data = im->file.data, .pos = item->data,
	    .size = item->data + item->data_size };
}

static int
compare_record_hashes(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* No two records may have one hash. */
static enum prof_status
indexed_check_item_hashes(const struct indexed_image *im,
    const struct disk_hash_item *item, struct arena *a,
    struct prof_error *err)
{
	struct cursor c = indexed_item_data(im, item);
	struct indexed_record record;
	char name[ERR_NAME_SIZE];
	uint64_t *hashes;
	size_t n = 0;

	arena_reset(a);
	/* The shortest record has two words: hash and one counter. */
	hashes = arena_array(a, item->data_size / 16, sizeof(*hashes));
	if (hashes == NULL)
		return err_memory(err);
	while (cur_left(&c) > 0) {
		if (indexed_record_read(im->row, &c, &record, err) != PROF_OK)
			return PROF_FAIL;
		hashes[n++] = record.hash;
	}
	qsort(hashes, n, sizeof(*hashes), compare_record_hashes);
	for (size_t i = 1; i < n; i++) {
		if (hashes[i] == hashes[i - 1])
			return err_at(err, PROF_E_CORRUPT, item->data, "%s has "
			    "two records with hash 0x%016llx",
			    err_name(name, item->key),
			    (unsigned long long)hashes[i]);
	}
	return PROF_OK;
}

enum prof_status
indexed_check_item(const struct indexed_image *im,
    const struct disk_hash_item *item, struct arena *a,
    struct indexed_facts *facts, struct prof_error *err)
{
	struct cursor c = indexed_item_data(im, item);
	struct indexed_record record;
	size_t n = 0;

	if (item->data_size == 0 || item->data_size % 8 != 0)
		return err_at(err, PROF_E_CORRUPT, item->data, "DataLength "
		    "%zu is not a positive multiple of 8", item->data_size);
	if (facts != NULL && !facts->any_rust)
		facts->any_rust = rust_mangled(item->key);
	for (; cur_left(&c) > 0; n++) {
		if (indexed_record_read(im->row, &c, &record, err) != PROF_OK)
			return PROF_FAIL;
		if (facts == NULL)
			continue;
		facts->any_bitmap |= record.num_bitmap_bytes != 0;
		facts->any_hash_flags |= (record.hash & HASH_FLAGS) != 0;
	}
	return n == 1 ? PROF_OK : indexed_check_item_hashes(im, item, a, err);
}

/* What indexed_check_item needs beside the item. */
struct check_visit {
	const struct indexed_image *im;
	struct arena *arena;
	struct indexed_facts *facts;
};

static enum prof_status
check_visit(void *arg, const struct disk_hash_item *item,
    struct prof_error *err)
{
	const struct check_visit *v = arg;

	return indexed_check_item(v->im, item, v->arena, v->facts, err);
}

enum prof_status
indexed_check(const struct indexed_image *im, struct arena *a,
    struct indexed_facts *facts, struct prof_error *err)
{
	struct arena of_table = { 0 };
	struct check_visit v = { im, a, facts };
	enum prof_status status = disk_hash_check_each(&im->table, check_visit,
	    &v, &of_table, err);

	arena_free(&of_table);
	return status;
}

void
indexed_set_frontend(const struct indexed_row *row,
    const struct indexed_facts *facts, struct prof_header *h)
{
	enum hash_rule rule = llvm_hash_rule(row->version);
	struct version_range hashes, bitmaps;

	/*
	 * llvm-profdata writes hashes that it read from older files with its
	 * own version: flag bits show that they are of the rule before.
	 */
	if (rule == HASH_RULE_MASKED && facts->any_hash_flags)
		rule = HASH_RULE_MASKED - 1;
	hashes = llvm_hash_versions(rule);
	if (facts->any_bitmap) {
		bitmaps = llvm_bitmap_versions(llvm_bitmap_rule(row->version));
		if (hashes.first < bitmaps.first)
			hashes.first = bitmaps.first;
		if (hashes.last > bitmaps.last)
			hashes.last = bitmaps.last;
	}
	h->frontend_first = hashes.first;
	h->frontend_last = hashes.last;
}

enum prof_status
indexed_read_values(const struct indexed_image *im,
    const struct indexed_record *record,
    const struct indexed_function_from *from,
    struct prof_sites out[PROF_VALUE_KINDS], struct prof_error *err)
{
	const struct indexed_row *row = im->row;
	struct cursor c = { .data = im->file.data, .pos = record->values,
	    .size = from->end };

	if (row->value_kinds == 0)
		return PROF_OK;
	if (values_read(&c, from->arena, from->targets, out, err) != PROF_OK)
		return PROF_FAIL;
	for (unsigned k = row->value_kinds; k < PROF_VALUE_KINDS; k++) {
		if (out[k].size != 0)
			return err_at(err, PROF_E_CORRUPT, record->values,
			    "value data: Kind %u is not one of the %u of "
			    "version %u", k, row->value_kinds, row->version);
	}
	return PROF_OK;
}

enum prof_status
indexed_function_read(const struct indexed_image *im,
    const struct indexed_record *record,
    const struct indexed_function_from *from, struct prof_function *f,
    struct prof_error *err)
{
	*f = (struct prof_function){ .hash = record->hash,
	    .symbol = { from->item->key, from->item->hash },
	    .counts = indexed_record_counts(record, from->arena),
	    .counts_size = record->num_counts };
	if (f->counts == NULL)
		return err_memory(err);
	if (indexed_record_bitmap(record, im->file.data, from->arena,
	    &f->bitmap, err) != PROF_OK)
		return PROF_FAIL;
	return indexed_read_values(im, record, from, f->values, err);
}

/*
 * u64 NumSummaryFields, u64 NumCutoffEntries, the fields, and for each cutoff
 * u64 Cutoff, MinCount, NumCounts (InstrProf.h, struct Summary).  A second one,
 * of context-sensitive records, follows if the profile has some.  Compilers
 * decide by summaries which functions are hot.
 */

enum { PLAIN, SENSITIVE, SUMMARIES };

static enum prof_status
summary_check_add_item(const struct indexed_image *im,
    const struct disk_hash_item *item, struct arena *a,
    struct summary sums[SUMMARIES], struct prof_error *err)
{
	enum summary_rule rule =
	    llvm_release_reading(im->row->version)->summary_rule;
	struct cursor c = indexed_item_data(im, item);
	struct indexed_record r;

	while (cur_left(&c) > 0) {
		const uint64_t *counts;
		int which = PLAIN;

		arena_reset(a);
		if (indexed_record_read(im->row, &c, &r, err) != PROF_OK)
			return PROF_FAIL;
		counts = indexed_record_counts(&r, a);
		if (counts == NULL && r.num_counts != 0)
			return err_memory(err);
		/* Versions of LLVM up to 8 have one summary. */
		if (r.hash & HASH_CONTEXT_SENSITIVE &&
		    im->row->variants & VARIANT_CONTEXT_SENSITIVE)
			which = SENSITIVE;
		summary_add(&sums[which], counts, r.num_counts, rule);
	}
	return PROF_OK;
}

bool
indexed_summary_words(const struct summary *s,
    uint64_t out[INDEXED_SUMMARY_WORDS])
{
	const uint64_t fields[INDEXED_SUMMARY_FIELDS] = { s->functions,
	    s->blocks, s->max_function_count, s->max_block_count,
	    s->max_internal_block_count, s->total_block_count };
	struct summary_entry entries[SUMMARY_CUTOFFS];

	if (!summary_entries(s, summary_cutoffs, SUMMARY_CUTOFFS, entries))
		return false;
	*out++ = INDEXED_SUMMARY_FIELDS;
	*out++ = SUMMARY_CUTOFFS;
	for (size_t i = 0; i < INDEXED_SUMMARY_FIELDS; i++)
		*out++ = fields[i];
	for (size_t i = 0; i < SUMMARY_CUTOFFS; i++) {
		*out++ = entries[i].cutoff;
		*out++ = entries[i].min_count;
		*out++ = entries[i].counts;
	}
	return true;
}

/*
 * Compares the summary at the cursor with that of the records, and moves behind
 * it.  The image was opened, so that the summary is known to end in it.  What
 * follows a number of fields or cutoffs, or a cutoff, that is not LLVM's is not
 * compared.
 */
static enum prof_status
summary_check_one(struct cursor *c, const struct summary *found,
    const char *whose, struct prof_context *context, struct prof_error *err)
{
	static const char *const names[] = {
		"TotalNumFunctions", "TotalNumBlocks", "MaxFunctionCount",
		"MaxBlockCount", "MaxInternalBlockCount", "TotalBlockCount",
		NULL, "MinCount of a cutoff", "NumCounts of a cutoff"
	};
	uint64_t words[INDEXED_SUMMARY_WORDS];
	uint64_t fields = cur_u64(c), cutoffs = cur_u64(c);
	size_t end = c->pos + (size_t)fields * 8 +
	    (size_t)cutoffs * INDEXED_CUTOFF_SIZE;
	bool same = fields == INDEXED_SUMMARY_FIELDS &&
	    cutoffs == SUMMARY_CUTOFFS;

	if (!indexed_summary_words(found, words))
		return err_memory(err);
	for (size_t i = 0; i + 2 < INDEXED_SUMMARY_WORDS && same; i++) {
		size_t at = c->pos;
		uint64_t stored = cur_u64(c);
		const char *name = names[i < INDEXED_SUMMARY_FIELDS ? i :
		    INDEXED_SUMMARY_FIELDS + i % 3];

		if (stored == words[i + 2])
			continue;
		same = name != NULL;
		if (same)
			warn_at(context, at, "%ssummary: %s is %" PRIu64 ", "
			    "but the records come to %" PRIu64, whose, name,
			    stored, words[i + 2]);
	}
	c->pos = end;
	return PROF_OK;
}

enum prof_status
indexed_summary_check(const struct indexed_image *im, struct arena *a,
    struct prof_context *context, struct prof_error *err)
{
	struct summary sums[SUMMARIES] = { { .functions = 0 } };
	struct disk_hash_walk walk = { .table = &im->table };
	struct cursor c = im->summaries;
	struct disk_hash_item item;
	enum prof_status status;

	if (!im->row->summary)
		return PROF_OK;
	while ((status = disk_hash_next(&walk, &item, err)) == PROF_OK) {
		status = summary_check_add_item(im, &item, a, sums, err);
		if (status != PROF_OK)
			break;
	}
	if (status == PROF_END)
		status = summary_check_one(&c, &sums[PLAIN], "", context, err);
	if (status == PROF_OK && im->version_word & VARIANT_CONTEXT_SENSITIVE)
		status = summary_check_one(&c, &sums[SENSITIVE],
		    "context-sensitive ", context, err);
	summary_free(&sums[PLAIN]);
	summary_free(&sums[SENSITIVE]);
	return status;
}
