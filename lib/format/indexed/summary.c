#include "format/indexed/summary.h"

#include <inttypes.h>

#include "base/error.h"
#include "format/indexed/check.h"
#include "model/releases.h"
#include "model/variants.h"

/* InstrProf.h, NamedInstrProfRecord::CS_FLAG_IN_FUNC_HASH. */
#define HASH_CONTEXT_SENSITIVE ((uint64_t)1 << 60)

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

static void
summary_check_value(struct prof_context *context, size_t at, const char *whose,
    const char *field, uint64_t stored, uint64_t found)
{
	if (stored != found)
		warn_at(context, at, "%ssummary: %s is %" PRIu64 ", but the "
		    "records come to %" PRIu64, whose, field, stored, found);
}

static void
summary_check_fields(struct cursor *c, uint64_t fields, const struct summary *s,
    const char *whose, struct prof_context *context)
{
	static const char *const names[] = {
		"TotalNumFunctions", "TotalNumBlocks", "MaxFunctionCount",
		"MaxBlockCount", "MaxInternalBlockCount", "TotalBlockCount",
	};
	const uint64_t found[] = { s->functions, s->blocks,
	    s->max_function_count, s->max_block_count,
	    s->max_internal_block_count, s->total_block_count };

	for (uint64_t i = 0; i < fields; i++) {
		size_t at = c->pos;
		uint64_t stored = cur_u64(c);

		if (i < sizeof(found) / sizeof(found[0]))
			summary_check_value(context, at, whose, names[i],
			    stored, found[i]);
	}
}

/* Cutoffs that do not ascend follow no known rule and are not compared. */
static enum prof_status
summary_check_cutoffs(struct cursor *c, uint64_t n, const struct summary *s,
    const char *whose, struct arena *a, struct prof_context *context,
    struct prof_error *err)
{
	struct cursor entries = *c;
	struct summary_entry *found;
	uint32_t *cutoffs;
	uint64_t before = 0;

	cur_bytes(c, n * 24);
	arena_reset(a);
	cutoffs = arena_array(a, (size_t)n, sizeof(*cutoffs));
	found = arena_array(a, (size_t)n, sizeof(*found));
	if (cutoffs == NULL || found == NULL)
		return err_memory(err);
	for (size_t i = 0; i < n; i++) {
		uint64_t cutoff = load_u64(entries.data + entries.pos + 24 * i,
		    false);

		if (cutoff <= before || cutoff > SUMMARY_SCALE)
			return PROF_OK;
		cutoffs[i] = (uint32_t)cutoff;
		before = cutoff;
	}
	if (!summary_entries(s, cutoffs, (size_t)n, found))
		return err_memory(err);
	for (size_t i = 0; i < n; i++) {
		size_t at = entries.pos + 24 * i + 8;

		summary_check_value(context, at, whose, "MinCount of a cutoff",
		    load_u64(entries.data + at, false), found[i].min_count);
		summary_check_value(context, at + 8, whose,
		    "NumCounts of a cutoff", load_u64(entries.data + at + 8,
		    false), found[i].counts);
	}
	return PROF_OK;
}

static enum prof_status
summary_check_one(struct cursor *c, const struct summary *s, const char *whose,
    struct arena *a, struct prof_context *context, struct prof_error *err)
{
	uint64_t fields = cur_u64(c), cutoffs = cur_u64(c);

	summary_check_fields(c, fields, s, whose, context);
	return summary_check_cutoffs(c, cutoffs, s, whose, a, context, err);
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
		status = summary_check_one(&c, &sums[PLAIN], "", a, context,
		    err);
	if (status == PROF_OK && im->version_word & VARIANT_CONTEXT_SENSITIVE)
		status = summary_check_one(&c, &sums[SENSITIVE],
		    "context-sensitive ", a, context, err);
	summary_free(&sums[PLAIN]);
	summary_free(&sums[SENSITIVE]);
	return status;
}
