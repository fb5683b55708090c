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
		if (r.hash & INDEXED_HASH_CONTEXT_SENSITIVE &&
		    im->row->variants & VARIANT_CONTEXT_SENSITIVE)
			which = SENSITIVE;
		summary_add(&sums[which], counts, r.num_counts, rule);
	}
	return PROF_OK;
}

/* A stored summary that is compared with the one that the records give. */
struct summary_check {
	struct cursor c;
	const struct summary *found;
	const char *whose;		/* for warnings */
	struct prof_context *context;
	struct arena *arena;
};

/* Compares the number at the cursor. */
static void
summary_check_number(struct summary_check *k, const char *field, uint64_t found)
{
	size_t at = k->c.pos;
	uint64_t stored = cur_u64(&k->c);

	if (stored != found)
		warn_at(k->context, at, "%ssummary: %s is %" PRIu64 ", but the "
		    "records come to %" PRIu64, k->whose, field, stored, found);
}

static void
summary_check_fields(struct summary_check *k, uint64_t fields)
{
	const struct summary *s = k->found;
	static const char *const names[] = {
		"TotalNumFunctions", "TotalNumBlocks", "MaxFunctionCount",
		"MaxBlockCount", "MaxInternalBlockCount", "TotalBlockCount",
	};
	const uint64_t found[] = { s->functions, s->blocks,
	    s->max_function_count, s->max_block_count,
	    s->max_internal_block_count, s->total_block_count };

	for (uint64_t i = 0; i < fields; i++) {
		if (i < sizeof(found) / sizeof(found[0]))
			summary_check_number(k, names[i], found[i]);
		else
			cur_u64(&k->c);
	}
}

/*
 * Compares n cutoffs and moves the cursor behind them.  Cutoffs that do not
 * ascend follow no known rule and are not compared.
 */
static enum prof_status
summary_check_cutoffs(struct summary_check *k, uint64_t n,
    struct prof_error *err)
{
	size_t end = k->c.pos + (size_t)n * INDEXED_CUTOFF_SIZE;
	struct cursor entries = k->c;
	struct summary_entry *found;
	uint32_t *cutoffs, before = 0;
	bool ascend = true;

	arena_reset(k->arena);
	cutoffs = arena_array(k->arena, (size_t)n, sizeof(*cutoffs));
	found = arena_array(k->arena, (size_t)n, sizeof(*found));
	if (cutoffs == NULL || found == NULL)
		return err_memory(err);
	for (size_t i = 0; i < n && ascend; i++) {
		uint64_t cutoff = cur_u64(&entries);

		ascend = cutoff > before && cutoff <= SUMMARY_SCALE;
		cutoffs[i] = before = (uint32_t)cutoff;
		cur_bytes(&entries, INDEXED_CUTOFF_SIZE - 8);
	}
	if (ascend) {
		if (!summary_entries(k->found, cutoffs, (size_t)n, found))
			return err_memory(err);
		for (size_t i = 0; i < n; i++) {
			cur_u64(&k->c);
			summary_check_number(k, "MinCount of a cutoff",
			    found[i].min_count);
			summary_check_number(k, "NumCounts of a cutoff",
			    found[i].counts);
		}
	}
	k->c.pos = end;
	return PROF_OK;
}

/* The image was opened, so that the summary is known to end in it. */
static enum prof_status
summary_check_one(struct summary_check *k, const struct summary *found,
    const char *whose, struct prof_error *err)
{
	uint64_t fields = cur_u64(&k->c), cutoffs = cur_u64(&k->c);

	k->found = found;
	k->whose = whose;
	summary_check_fields(k, fields);
	return summary_check_cutoffs(k, cutoffs, err);
}

enum prof_status
indexed_summary_check(const struct indexed_image *im, struct arena *a,
    struct prof_context *context, struct prof_error *err)
{
	struct summary sums[SUMMARIES] = { { .functions = 0 } };
	struct disk_hash_walk walk = { .table = &im->table };
	struct summary_check k = { .c = im->summaries, .context = context,
	    .arena = a };
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
		status = summary_check_one(&k, &sums[PLAIN], "", err);
	if (status == PROF_OK && im->version_word & VARIANT_CONTEXT_SENSITIVE)
		status = summary_check_one(&k, &sums[SENSITIVE],
		    "context-sensitive ", err);
	summary_free(&sums[PLAIN]);
	summary_free(&sums[SENSITIVE]);
	return status;
}
