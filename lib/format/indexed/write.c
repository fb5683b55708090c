#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "model/name_section.h"
#include "format/codec.h"
#include "format/indexed/memprof_write.h"
#include "format/indexed/losses.h"
#include "format/indexed/record.h"
#include "format/indexed/hash_table.h"
#include "format/indexed/span_set.h"
#include "format/indexed/traces.h"
#include "model/releases.h"
#include "model/value_sites.h"
#include "model/variants.h"

struct indexed_writer {
	struct prof_writer base;
	const struct indexed_row *row;
	bool no_vtable_names;
	bool has_profile;
	struct prof_header header;
	struct indexed_heap_writer heap_out;
	struct indexed_encoder encoder;
	struct indexed_entries entries;
	struct indexed_table table;
	enum summary_rule summary_rule;
	struct summary summary, cs_summary;
	struct indexed_traces traces;
	struct span_set ids, vtables;
	struct arena arena;		/* spans of the sets */
	struct indexed_losses losses;
};

static enum prof_status
indexed_put_profile(struct indexed_writer *w, const struct prof_header *h,
    struct prof_error *err)
{
	if (w->has_profile)
		return err_set(err, PROF_E_MISMATCH, "an indexed file holds "
		    "one profile: use prof-merge");
	w->heap_out.folded = h->folded;
	if (h->kind != PROF_INSTR &&
	    indexed_heap_start(&w->heap_out, err) != PROF_OK)
		return PROF_FAIL;
	w->has_profile = true;
	w->header = *h;
	w->header.source = (struct prof_source){ 0 };	/* borrowed */
	w->header.extra = (struct prof_span){ 0 };
	return PROF_OK;
}

static enum prof_status
indexed_put_binary(struct indexed_writer *w, struct prof_span id,
    struct prof_error *err)
{
	/* Readers refuse a length of 0. */
	if (id.size == 0)
		w->losses.count[LOST_EMPTY_IDS]++;
	else if (!indexed_row_has(w->row, INDEXED_BINARY_IDS))
		w->losses.count[LOST_IDS]++;
	else
		return span_set_add(&w->ids, &w->arena, id, err);
	return PROF_OK;
}

static enum prof_status
indexed_put_vtable(struct indexed_writer *w, const struct prof_vtable *v,
    struct prof_error *err)
{
	if (w->no_vtable_names)
		return PROF_OK;
	if (v->symbol.name.size == 0)
		w->losses.count[LOST_NAMELESS_VTABLES]++;
	else if (!indexed_row_has(w->row, INDEXED_VTABLE_NAMES))
		w->losses.count[LOST_VTABLES]++;
	else
		return span_set_add(&w->vtables, &w->arena, v->symbol.name,
		    err);
	return PROF_OK;
}

static enum prof_status
indexed_put_trace(struct indexed_writer *w, const struct prof_trace *t,
    struct prof_error *err)
{
	if (!indexed_row_has(w->row, INDEXED_TRACES))
		w->losses.count[LOST_TRACES]++;
	else if (!indexed_traces_add(&w->traces, t))
		return err_memory(err);
	return PROF_OK;
}

/* Refuses functions that every reader would refuse. */
static enum prof_status
indexed_check_function(const struct prof_function *f, struct prof_error *err)
{
	const char *why = f->symbol.name.size == 0 ? "an empty name" :
	    f->counts_size == 0 ? "no counters" :
	    f->hash >= INDEXED_HASH_RESERVED ? "a hash that marks an empty "
	    "place" : NULL;
	char name[ERR_NAME_SIZE];

	if (why == NULL)
		return PROF_OK;
	return err_set(err, PROF_E_UNSUPPORTED, "function %s, hash 0x%016llx, "
	    "has %s: an indexed profile cannot hold it",
	    err_name(name, f->symbol.name), (unsigned long long)f->hash, why);
}

/* Whether a function has neither bitmap nor value sites, as most. */
static bool
function_is_plain(const struct prof_function *f)
{
	return f->bitmap.size == 0 && value_sites_count(f->values) == 0;
}

/* LLVM uses the bit in front-end profiles too. */
static struct summary *
indexed_summary_of(struct indexed_writer *w, uint64_t hash)
{
	return hash & INDEXED_HASH_CONTEXT_SENSITIVE ? &w->cs_summary :
	    &w->summary;
}

static enum prof_status
indexed_put_function(struct indexed_writer *w, const struct prof_function *f,
    struct prof_error *err)
{
	struct buf *b = &w->entries.store.bytes;
	size_t start = b->size;
	bool second_pass;

	if (f->symbol.name.data == NULL) {
		w->base.written.nameless++;
		return PROF_OK;
	}
	if (indexed_check_function(f, err) != PROF_OK)
		return PROF_FAIL;
	if (!w->entries.borrows)
		indexed_head_write(w->row, f->hash, f->counts, f->counts_size,
		    b);
	if ((!w->entries.borrows || !function_is_plain(f)) &&
	    indexed_tail_write(&w->encoder, f, b, err) != PROF_OK)
		return PROF_FAIL;
	indexed_losses_count(&w->losses, w->row, f);
	second_pass = summary_add(indexed_summary_of(w, f->hash), f->counts,
	    f->counts_size, w->summary_rule);
	return indexed_entries_add(&w->entries, f, start, second_pass, err);
}

static enum prof_status
indexed_put(struct prof_writer *base, const struct prof_record *record,
    struct prof_error *err)
{
	struct indexed_writer *w = (struct indexed_writer *)base;

	arena_reset(&w->encoder.scratch);
	if (indexed_heap_accepts(record->kind))
		return indexed_heap_put(&w->heap_out, record, err);
	switch (record->kind) {
	case PROF_REC_PROFILE:
		return indexed_put_profile(w, &record->u.profile, err);
	case PROF_REC_BINARY:
		return indexed_put_binary(w, record->u.build_id, err);
	case PROF_REC_VTABLE:
		return indexed_put_vtable(w, &record->u.vtable, err);
	case PROF_REC_FUNCTION:
		return indexed_put_function(w, &record->u.function, err);
	case PROF_REC_RAW_COUNTERS:
		return err_set(err, PROF_E_UNSUPPORTED, "counters of a "
		    "correlated profile have no functions yet: run "
		    "prof-symbolize");
	case PROF_REC_TRACE:
		return indexed_put_trace(w, &record->u.trace, err);
	case PROF_REC_NAME:
	case PROF_REC_END:
		return PROF_OK;
	default:
		w->losses.count[LOST_OTHERS]++;
		return PROF_OK;
	}
}

static enum prof_status
indexed_omit(struct prof_writer *base, const struct prof_symbol *symbol,
    struct prof_error *err)
{
	return indexed_entries_omit(&((struct indexed_writer *)base)->entries,
	    symbol, err);
}

static bool
indexed_write_summary(const struct summary *s, struct buf *out)
{
	const uint64_t fields[] = { s->functions, s->blocks,
	    s->max_function_count, s->max_block_count,
	    s->max_internal_block_count, s->total_block_count };
	struct summary_entry entries[SUMMARY_CUTOFFS];
	size_t n = sizeof(fields) / sizeof(fields[0]);

	if (!summary_entries(s, summary_cutoffs, SUMMARY_CUTOFFS, entries))
		return false;
	buf_u64le(out, n);
	buf_u64le(out, SUMMARY_CUTOFFS);
	buf_words(out, fields, n, false);
	for (size_t i = 0; i < SUMMARY_CUTOFFS; i++) {
		buf_u64le(out, entries[i].cutoff);
		buf_u64le(out, entries[i].min_count);
		buf_u64le(out, entries[i].counts);
	}
	return true;
}

static uint64_t
indexed_variant_bits(const struct indexed_writer *w)
{
	uint64_t bits = variants_from_flags(w->header.flags);

	if (w->header.level == PROF_LEVEL_IR)
		bits |= VARIANT_IR;
	if (w->traces.size != 0)
		bits |= VARIANT_TEMPORAL;
	bits &= w->row->variants;
	if (w->heap_out.build != NULL)
		bits |= VARIANT_MEMPROF;
	return bits;
}

static void
indexed_write_ids(const struct span_set *ids, struct buf *out)
{
	size_t start = out->size;

	buf_u64le(out, 0);
	for (size_t i = 0; i < ids->size; i++) {
		buf_u64le(out, ids->spans[i].size);
		buf_put(out, ids->spans[i].data, ids->spans[i].size);
		buf_zeros(out, (size_t)pad8(ids->spans[i].size));
	}
	buf_set_u64le(out, start, out->size - start - 8);
}

static enum prof_status
indexed_write_vtable_names(const struct span_set *names, struct buf *out,
    struct prof_error *err)
{
	size_t start = out->size, size;

	buf_u64le(out, 0);
	if (names_write(out, names->spans, names->size, err) != PROF_OK)
		return PROF_FAIL;
	size = out->size - start - 8;
	buf_set_u64le(out, start, size);
	buf_zeros(out, (size_t)pad8(size));
	return PROF_OK;
}

static void
indexed_write_traces(struct indexed_writer *w, struct buf *out)
{
	const struct prof_header *h = &w->header;
	uint64_t seen = w->traces.size;

	if (seen > INDEXED_MAX_TRACES)
		w->losses.count[LOST_SAMPLED] = seen - INDEXED_MAX_TRACES;
	w->losses.count[LOST_TRACE_TAILS] = w->traces.cut;
	indexed_traces_write(&w->traces,
	    h->has_trace_stream_size ? h->trace_stream_size : seen, out);
}

/* Whether the file gets a section. */
static bool
indexed_writes_section(const struct indexed_writer *w, enum indexed_section s)
{
	uint64_t bit = indexed_sections[s].variant;

	return bit == 0 || (indexed_variant_bits(w) & bit) != 0;
}

/*
 * Appends the sections behind the table, whose end is `base`; the offsets of
 * those that are absent stay 0.
 */
static enum prof_status
indexed_write_sections(struct indexed_writer *w, uint64_t base,
    struct buf *out, uint64_t offsets[INDEXED_SECTIONS],
    struct prof_error *err)
{
	enum prof_status status = PROF_OK;

	for (const uint8_t *s = w->row->file;
	    *s != INDEXED_NO_SECTION && status == PROF_OK; s++) {
		if (!indexed_writes_section(w, *s))
			continue;
		offsets[*s] = base + out->size;
		switch (*s) {
		case INDEXED_MEMPROF:
			status = indexed_heap_write(&w->heap_out,
			    w->table.items != 0, base, out, err);
			/* A heap profile without contents is left out. */
			if (w->heap_out.build == NULL)
				offsets[*s] = 0;
			break;
		case INDEXED_BINARY_IDS:
			span_set_sort(&w->ids);
			indexed_write_ids(&w->ids, out);
			break;
		case INDEXED_VTABLE_NAMES:
			span_set_sort(&w->vtables);
			status = indexed_write_vtable_names(&w->vtables, out,
			    err);
			break;
		default:
			indexed_write_traces(w, out);
		}
	}
	return status == PROF_OK ? indexed_heap_write_sources(&w->heap_out,
	    base, out, err) : status;
}

/*
 * The second pass of the summaries over borrowed counters.  They lie at random
 * places of the memory and are prefetched.
 */
static void
indexed_second_pass(struct indexed_writer *w)
{
	enum { AHEAD = 8, LINES = 4 };
	const struct indexed_entry *e = w->entries.list;
	size_t n = w->entries.borrows ? w->entries.size : 0;

	summary_choose_buckets(&w->summary, summary_cutoffs, SUMMARY_CUTOFFS);
	summary_choose_buckets(&w->cs_summary, summary_cutoffs,
	    SUMMARY_CUTOFFS);
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; i + AHEAD < n && k < LINES &&
		    e[i + AHEAD].counts != NULL; k++)
			__builtin_prefetch((const char *)e[i + AHEAD].counts +
			    64 * k);
		if (e[i].second_pass)
			summary_add_again(indexed_summary_of(w, e[i].hash),
			    e[i].counts, e[i].counts_size,
			    w->summary_rule);
	}
}

static enum prof_status
indexed_write_summaries(struct indexed_writer *w, struct buf *out,
    struct prof_error *err)
{
	if (!w->row->summary)
		return PROF_OK;
	indexed_second_pass(w);
	if (!indexed_write_summary(&w->summary, out))
		return err_memory(err);
	if ((indexed_variant_bits(w) & VARIANT_CONTEXT_SENSITIVE) &&
	    !indexed_write_summary(&w->cs_summary, out))
		return err_memory(err);
	return PROF_OK;
}

static void
indexed_write_header(const struct indexed_writer *w,
    const uint64_t offsets[INDEXED_SECTIONS], struct buf *out)
{
	uint64_t max = w->summary.max_function_count;

	if (max < w->cs_summary.max_function_count)
		max = w->cs_summary.max_function_count;
	buf_u64le(out, INDEXED_MAGIC);
	buf_u64le(out, w->row->version | indexed_variant_bits(w));
	buf_u64le(out, w->row->summary ? 0 : max);
	buf_u64le(out, 0);		/* HashType: MD5 */
	buf_u64le(out, w->table.head);
	for (const uint8_t *s = w->row->header; *s != INDEXED_NO_SECTION; s++)
		buf_u64le(out, offsets[*s]);
}

/*
 * Lays out the file: out gets header and summaries, which stand before the hash
 * table, and sections the bytes behind it.
 */
static enum prof_status
indexed_lay_out(struct indexed_writer *w, struct buf *out, struct buf *sections,
    struct prof_error *err)
{
	uint64_t offsets[INDEXED_SECTIONS] = { 0 };
	struct buf summaries = { 0 };
	enum prof_status status;

	status = indexed_write_summaries(w, &summaries, err);
	if (status == PROF_OK)
		status = indexed_table_arrange(&w->table,
		    indexed_header_size(w->row) + summaries.size, err);
	if (status == PROF_OK)
		status = indexed_write_sections(w, w->table.end, sections,
		    offsets, err);
	if (status == PROF_OK) {
		indexed_write_header(w, offsets, out);
		buf_put(out, summaries.data, summaries.size);
	}
	if (summaries.failed || sections->failed || out->failed)
		status = err_memory(err);
	buf_free(&summaries);
	return status;
}

static void
indexed_warn_nameless(const struct indexed_writer *w)
{
	char format[32];

	snprintf(format, sizeof(format), "indexed version %u",
	    w->row->version);
	writer_warn_nameless(&w->base, format);
}

static enum prof_status
indexed_finish(struct prof_writer *base, struct prof_error *err)
{
	struct indexed_writer *w = (struct indexed_writer *)base;
	struct buf out = { 0 }, sections = { 0 };
	enum prof_status status;

	if (!w->has_profile)
		return err_set(err, PROF_E_UNSUPPORTED, "there is no profile "
		    "to write: an indexed file holds one");
	status = indexed_lay_out(w, &out, &sections, err);
	if (status == PROF_OK) {
		w->losses.count[LOST_SITE_TAILS] = w->encoder.cut;
		indexed_warn_nameless(w);
		indexed_losses_warn(&w->losses, w->row, &w->header,
		    w->base.context);
		status = indexed_table_write(&w->table, base, &out, err);
	}
	if (status == PROF_OK && out.failed)
		status = err_memory(err);
	if (status == PROF_OK)
		status = sink_write(base, out.data, out.size, err);
	if (status == PROF_OK && sections.size != 0)
		status = sink_write(base, sections.data, sections.size, err);
	buf_free(&sections);
	buf_free(&out);
	return status;
}

static void
indexed_free(struct prof_writer *base)
{
	struct indexed_writer *w = (struct indexed_writer *)base;

	indexed_entries_free(&w->entries);
	indexed_traces_free(&w->traces);
	indexed_heap_free(&w->heap_out);
	summary_free(&w->summary);
	summary_free(&w->cs_summary);
	free(w->ids.spans);
	free(w->vtables.spans);
	arena_free(&w->arena);
	arena_free(&w->encoder.scratch);
}

static const struct writer_ops indexed_ops = {
	.size = sizeof(struct indexed_writer),
	.put = indexed_put,
	.omit = indexed_omit,
	.finish = indexed_finish,
	.free = indexed_free,
};

struct prof_writer *
indexed_writer_new(struct prof_context *context, const struct prof_target *t,
    prof_sink *sink, void *arg, struct prof_error *err)
{
	static const struct prof_function plain;
	struct indexed_writer *w = codec_writer_new(&indexed_ops, context, sink,
	    arg, err);

	if (w == NULL)
		return NULL;
	w->row = indexed_row(t->version);
	w->encoder.row = w->entries.row = w->row;
	w->table.entries = &w->entries;
	w->summary_rule = llvm_release_reading(t->version)->summary_rule;
	w->entries.store.scratch = t->scratch;
	w->entries.borrows = t->borrows && t->scratch == NULL;
	w->summary.two_passes = w->cs_summary.two_passes = w->entries.borrows;
	indexed_tail_write(&w->encoder, &plain, &w->entries.plain, err);
	w->no_vtable_names = t->no_vtable_names;
	w->entries.as_arrived = w->traces.all = t->as_arrived;
	w->heap_out = (struct indexed_heap_writer){ .context = context,
	    .row = w->row, .target = *t };
	w->summary.totals_only = w->cs_summary.totals_only = !w->row->summary;
	return &w->base;
}
