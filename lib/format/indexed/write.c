/* The writer of indexed profiles. */
#include "format/indexed/indexed.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/digests.h"
#include "base/error.h"
#include "format/memprof/write.h"
#include "model/heap.h"
#include "model/memprof/build.h"
#include "model/name_section.h"
#include "model/record.h"
#include "model/releases.h"
#include "model/value_sites.h"

/* Spans that are written sorted and once each; all zero is empty. */
struct span_set {
	struct prof_span *spans;
	size_t size, room;
};

/* Adds a copy, which is in the arena. */
static enum prof_status
span_set_add(struct span_set *set, struct arena *a, struct prof_span span,
    struct prof_error *err)
{
	return arena_keep(a, &span) &&
	    ARRAY_ADD(set->spans, set->size, set->room, span) ? PROF_OK :
	    err_memory(err);
}

/*
 * LLVM keeps a reservoir of 100 traces of at most 10000 functions, drawn with
 * a random generator (InstrProfWriter.cpp, addTemporalProfileTraces).  The
 * sample here depends on the traces alone, not on the order of adding.
 */

enum { MAX_TRACES = 100, MAX_TRACE_LENGTH = 10000, DIGEST = 16 };

/* All zero is empty. */
struct indexed_traces {
	struct indexed_trace {
		size_t at, size;	/* in bytes */
		uint8_t key[DIGEST];	/* the smallest keys are sampled */
	} *traces;
	size_t size, room;
	struct buf bytes;		/* traces, encoded as in the file */
	uint64_t cut;			/* functions beyond the maximum */
	bool all;			/* no sampling, no maximal length */
};

/* Adds a trace; one without functions is ignored.  False if out of memory. */
static bool
indexed_traces_add(struct indexed_traces *t, const struct prof_trace *trace)
{
	size_t n = trace->size, at = t->bytes.size;

	if (n == 0)
		return true;
	if (n > MAX_TRACE_LENGTH && !t->all) {
		t->cut += n - MAX_TRACE_LENGTH;
		n = MAX_TRACE_LENGTH;
	}
	if (!ARRAY_ROOM(t->traces, t->size, t->room))
		return false;
	buf_u64le(&t->bytes, trace->weight);
	buf_u64le(&t->bytes, n);
	for (size_t i = 0; i < n; i++)
		buf_u64le(&t->bytes, prof_symbol_guid(&trace->functions[i]));
	t->traces[t->size++] = (struct indexed_trace){ .at = at,
	    .size = t->bytes.size - at };
	return !t->bytes.failed;
}

static int
trace_compare_keys(const void *a, const void *b)
{
	const struct indexed_trace *x = a, *y = b;
	int order = memcmp(x->key, y->key, DIGEST);

	return order != 0 ? order : (x->at > y->at) - (x->at < y->at);
}

static int
trace_compare_offsets(const void *a, const void *b)
{
	const struct indexed_trace *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

/*
 * The number of equal traces before a trace goes into its key.  So a trace that
 * occurs often is as likely to be sampled as by a random draw.
 */
static void
traces_number_equals(struct indexed_traces *t)
{
	uint8_t seed[DIGEST + 8] = { 0 };
	uint64_t before = 0;

	qsort(t->traces, t->size, sizeof(*t->traces), trace_compare_keys);
	for (size_t i = 0; i < t->size; i++) {
		uint8_t *key = t->traces[i].key;

		before = i > 0 && memcmp(seed, key, DIGEST) == 0 ?
		    before + 1 : 0;
		memcpy(seed, key, DIGEST);
		for (size_t k = 0; k < 8; k++)
			seed[DIGEST + k] = (uint8_t)(before >> 8 * k);
		md5(seed, sizeof(seed), key);
	}
}

/* Keeps the traces with the smallest keys, in the order of adding. */
static void
traces_sample(struct indexed_traces *t)
{
	if (t->size <= MAX_TRACES || t->all)
		return;
	for (size_t i = 0; i < t->size; i++)
		md5(t->bytes.data + t->traces[i].at, t->traces[i].size,
		    t->traces[i].key);
	traces_number_equals(t);
	qsort(t->traces, t->size, sizeof(*t->traces), trace_compare_keys);
	t->size = MAX_TRACES;
	qsort(t->traces, t->size, sizeof(*t->traces), trace_compare_offsets);
}

/*
 * Parts of a profile that a version cannot hold.  They are counted as records
 * are put; each kind has one warning when the file is finished.
 */
enum indexed_loss {
	/* Counted in functions. */
	LOST_VALUES, LOST_VTABLE_TARGETS, LOST_BITMAPS, LOST_UNIFORM,
	/* Counted in items of the kind. */
	LOST_SITE_TAILS, LOST_IDS, LOST_EMPTY_IDS, LOST_VTABLES,
	LOST_NAMELESS_VTABLES, LOST_TRACES, LOST_SAMPLED, LOST_TRACE_TAILS,
	LOST_OTHERS,
	/* Not lost, but refused by a reader; counted in functions. */
	REFUSED_VTABLES,
	INDEXED_LOSSES
};

static const struct {
	const char *what, *how;
} loss_texts[INDEXED_LOSSES] = {
	[LOST_VALUES] = { "value profile data", "from functions: " },
	[LOST_VTABLE_TARGETS] = { "vtable targets", "from functions: " },
	[LOST_BITMAPS] = { "MC/DC bitmaps", "from functions: " },
	[LOST_UNIFORM] = { "uniform counts", "from functions: " },
	[LOST_SITE_TAILS] = { "more than 255 values a site", "" },
	[LOST_IDS] = { "binary ids", "" },
	[LOST_EMPTY_IDS] = { "empty binary ids", "" },
	[LOST_VTABLES] = { "names of vtables", "" },
	[LOST_NAMELESS_VTABLES] = { "vtables without a name", "" },
	[LOST_TRACES] = { "temporal traces", "" },
	[LOST_SAMPLED] = { "more than 100 temporal traces", "" },
	[LOST_TRACE_TAILS] = { "more than 10000 functions a trace", "" },
	[LOST_OTHERS] = { "records of other kinds", "" },
};

/*
 * Flags that no warning names if they are dropped.  Those of correlation mean
 * nothing once the functions are known, and LLVM drops them too; the temporal
 * flag follows from the traces.
 */
enum {
	SILENT_FLAGS = PROF_DEBUG_INFO_CORRELATED | PROF_BINARY_CORRELATED |
	    PROF_TEMPORAL
};

/* Counts the parts of a function that the version cannot hold. */
static void
indexed_losses_count(uint64_t lost[INDEXED_LOSSES],
    const struct indexed_row *row, const struct prof_function *f)
{
	bool vtables = f->values[PROF_VTABLE_TARGET].size != 0;
	bool values = vtables || f->values[PROF_MEM_OP_SIZE].size != 0 ||
	    f->values[PROF_INDIRECT_CALL_TARGET].size != 0;

	if (row->value_kinds == 0)
		lost[LOST_VALUES] += values;
	else if (row->value_kinds <= PROF_VTABLE_TARGET)
		lost[LOST_VTABLE_TARGETS] += vtables;
	else if (vtables && llvm_release_reading(row->version)->value_kinds <
	    row->value_kinds)
		lost[REFUSED_VTABLES]++;
	lost[LOST_BITMAPS] += !row->bitmap && f->bitmap.size != 0;
	lost[LOST_UNIFORM] += f->uniform_size != 0;
}

struct indexed_writer {
	struct prof_writer base;
	const struct indexed_row *row;
	bool no_vtable_names;
	bool has_profile;
	struct prof_header header;
	struct prof_target target;	/* its memprof members are used */
	struct memprof_build *build;	/* NULL: there is no heap profile */
	struct indexed_encoder encoder;
	struct indexed_entries entries;
	struct indexed_table table;
	enum summary_rule summary_rule;
	struct summary summary, cs_summary;
	struct indexed_traces traces;
	struct span_set ids, vtables;
	struct arena arena;		/* spans of the sets */
	uint64_t lost[INDEXED_LOSSES];
};

/*
 * Begins a heap profile, if that was not done yet.  PROF_E_UNSUPPORTED if the
 * version cannot hold one.
 */
static enum prof_status
indexed_heap_start(struct indexed_writer *w, struct prof_error *err)
{
	if (!indexed_row_has(w->row, INDEXED_MEMPROF))
		return err_set(err, PROF_E_UNSUPPORTED, "indexed version %u "
		    "cannot hold a heap profile (MemProf): %u and later can",
		    w->row->version, indexed_first_with(INDEXED_MEMPROF));
	if (w->build != NULL)
		return PROF_OK;
	w->build = memprof_build_new();
	if (w->build == NULL)
		return err_memory(err);
	if (w->header.folded)
		memprof_build_fold(w->build);
	return PROF_OK;
}

/*
 * Appends the section of the heap profile to out, whose first byte is at offset
 * `base` of the file.  An empty heap profile beside functions is left out: then
 * build becomes NULL.
 */
static enum prof_status
indexed_heap_write(struct indexed_writer *w, uint64_t base, struct buf *out,
    struct prof_error *err)
{
	const struct llvm_release *reader =
	    llvm_release_reading(w->row->version);
	const struct memprof_file file = { w->row->version,
	    reader->memprof_first, reader->memprof_last,
	    reader->memprof_field };
	struct memprof_choice choice;
	struct memprof_built built;

	if (memprof_build_finish(w->build, &built, err) != PROF_OK)
		return PROF_FAIL;
	memprof_losses_warn(w->base.context, &built.losses);
	if (w->table.items != 0 && built.records_size == 0 &&
	    built.accesses_size == 0 && built.cold_size == 0) {
		memprof_build_free(w->build);
		w->build = NULL;
		return PROF_OK;
	}
	if (memprof_choose(&choice, &file, &w->target, &built, err) !=
	    PROF_OK)
		return PROF_FAIL;
	w->base.written.memprof_version = choice.row->version + 1u;
	return memprof_section_write(&choice, w->base.context, base, out, err);
}

static enum prof_status
indexed_put_profile(struct indexed_writer *w, const struct prof_header *h,
    struct prof_error *err)
{
	if (w->has_profile)
		return err_set(err, PROF_E_MISMATCH, "an indexed file holds "
		    "one profile: use prof-merge");
	w->header = *h;
	w->header.source = (struct prof_source){ 0 };	/* borrowed */
	w->header.extra = (struct prof_span){ 0 };
	if (h->kind != PROF_INSTR && indexed_heap_start(w, err) != PROF_OK)
		return PROF_FAIL;
	w->has_profile = true;
	return PROF_OK;
}

static enum prof_status
indexed_put_binary(struct indexed_writer *w, struct prof_span id,
    struct prof_error *err)
{
	/* Readers refuse a length of 0. */
	if (id.size == 0)
		w->lost[LOST_EMPTY_IDS]++;
	else if (!indexed_row_has(w->row, INDEXED_BINARY_IDS))
		w->lost[LOST_IDS]++;
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
		w->lost[LOST_NAMELESS_VTABLES]++;
	else if (!indexed_row_has(w->row, INDEXED_VTABLE_NAMES))
		w->lost[LOST_VTABLES]++;
	else
		return span_set_add(&w->vtables, &w->arena, v->symbol.name,
		    err);
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

/* LLVM uses the bit in front-end profiles too. */
static struct summary *
indexed_summary_of(struct indexed_writer *w, uint64_t hash)
{
	return hash & HASH_CONTEXT_SENSITIVE ? &w->cs_summary :
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
	if ((!w->entries.borrows || f->bitmap.size != 0 ||
	    value_sites_count(f->values) != 0) &&
	    indexed_tail_write(&w->encoder, f, b, err) != PROF_OK)
		return PROF_FAIL;
	indexed_losses_count(w->lost, w->row, f);
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
	if (heap_has_kind(record->kind))
		return indexed_heap_start(w, err) != PROF_OK ? PROF_FAIL :
		    memprof_build_put(w->build, record, err);
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
		if (!indexed_row_has(w->row, INDEXED_TRACES))
			w->lost[LOST_TRACES]++;
		else if (!indexed_traces_add(&w->traces, &record->u.trace))
			return err_memory(err);
		return PROF_OK;
	case PROF_REC_NAME:
	case PROF_REC_END:
		return PROF_OK;
	default:
		w->lost[LOST_OTHERS]++;
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

static uint64_t
indexed_variant_bits(const struct indexed_writer *w)
{
	uint64_t bits = variants_from_flags(w->header.flags);

	if (w->header.level == PROF_LEVEL_IR)
		bits |= VARIANT_IR;
	if (w->traces.size != 0)
		bits |= VARIANT_TEMPORAL;
	bits &= w->row->variants;
	if (w->build != NULL)
		bits |= VARIANT_MEMPROF;
	return bits;
}

/* Binary ids, or the names of vtables, behind their size in bytes. */
static enum prof_status
indexed_write_spans(struct span_set *set, bool ids, struct buf *out,
    struct prof_error *err)
{
	enum prof_status status = PROF_OK;
	size_t start = out->size, size;

	set->size = prof_span_unique(set->spans, set->size);
	buf_u64le(out, 0);
	for (size_t i = 0; i < set->size && ids; i++) {
		buf_u64le(out, set->spans[i].size);
		buf_put(out, set->spans[i].data, set->spans[i].size);
		buf_zeros(out, (size_t)pad8(set->spans[i].size));
	}
	if (!ids)
		status = names_write(out, set->spans, set->size, err);
	size = out->size - start - 8;
	buf_set_u64le(out, start, size);
	buf_zeros(out, (size_t)pad8(size));
	return status;
}

static void
indexed_write_traces(struct indexed_writer *w, struct buf *out)
{
	const struct prof_header *h = &w->header;
	struct indexed_traces *t = &w->traces;
	uint64_t seen = t->size;

	if (seen > MAX_TRACES)
		w->lost[LOST_SAMPLED] = seen - MAX_TRACES;
	w->lost[LOST_TRACE_TAILS] = t->cut;
	traces_sample(t);
	buf_u64le(out, t->size);
	buf_u64le(out, h->has_trace_stream_size ? h->trace_stream_size : seen);
	for (size_t i = 0; i < t->size; i++)
		buf_put(out, t->bytes.data + t->traces[i].at,
		    t->traces[i].size);
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
		uint64_t bit = indexed_sections[*s].variant;

		if (bit != 0 && (indexed_variant_bits(w) & bit) == 0)
			continue;
		offsets[*s] = base + out->size;
		switch (*s) {
		case INDEXED_MEMPROF:
			status = indexed_heap_write(w, base, out, err);
			/* A heap profile without contents is left out. */
			if (w->build == NULL)
				offsets[*s] = 0;
			break;
		case INDEXED_BINARY_IDS:
			status = indexed_write_spans(&w->ids, true, out, err);
			break;
		case INDEXED_VTABLE_NAMES:
			status = indexed_write_spans(&w->vtables, false, out,
			    err);
			break;
		default:
			indexed_write_traces(w, out);
		}
	}
	return status;
}

/* The second pass of the summaries over borrowed counters. */
static void
indexed_second_pass(struct indexed_writer *w)
{
	const struct indexed_entry *e = w->entries.list;
	size_t n = w->entries.borrows ? w->entries.size : 0;

	summary_choose_buckets(&w->summary, summary_cutoffs, SUMMARY_CUTOFFS);
	summary_choose_buckets(&w->cs_summary, summary_cutoffs,
	    SUMMARY_CUTOFFS);
	for (size_t i = 0; i < n; i++) {
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
	uint64_t words[INDEXED_SUMMARY_WORDS];

	if (!w->row->summary)
		return PROF_OK;
	indexed_second_pass(w);
	if (!indexed_summary_words(&w->summary, words))
		return err_memory(err);
	buf_words(out, words, INDEXED_SUMMARY_WORDS, false);
	if ((indexed_variant_bits(w) & VARIANT_CONTEXT_SENSITIVE) == 0)
		return PROF_OK;
	if (!indexed_summary_words(&w->cs_summary, words))
		return err_memory(err);
	buf_words(out, words, INDEXED_SUMMARY_WORDS, false);
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

/* Warns of the losses, and of members of the header that are lost. */
static void
indexed_warn_of_losses(const struct indexed_writer *w)
{
	struct prof_context *context = w->base.context;
	const struct prof_header *h = &w->header;
	unsigned version = w->row->version;

	for (int i = 0; i < PROF_FLAGS; i++) {
		unsigned flag = h->flags & ~(unsigned)SILENT_FLAGS & 1u << i;

		if (flag != 0 &&
		    (variants_from_flags(flag) & w->row->variants) == 0)
			warn_lost(context, "indexed version %u cannot hold the "
			    "attribute %s: dropped", version, words_flag[i]);
	}
	if (h->wave_size != 0)
		warn_lost(context, "indexed version %u cannot hold a wave "
		    "size: dropped %llu", version, ull(h->wave_size));
	for (int i = 0; i < REFUSED_VTABLES; i++) {
		if (w->lost[i] != 0)
			warn_lost(context, "indexed version %u cannot hold %s: "
			    "dropped %s%llu", version, loss_texts[i].what,
			    loss_texts[i].how, ull(w->lost[i]));
	}
	if (w->lost[REFUSED_VTABLES] != 0)
		warn_set(context, "LLVM %s will refuse this indexed version "
		    "%u for its vtable targets, in functions: %llu",
		    llvm_release_reading(version)->name, version,
		    ull(w->lost[REFUSED_VTABLES]));
}

static enum prof_status
indexed_finish(struct prof_writer *base, struct prof_error *err)
{
	struct indexed_writer *w = (struct indexed_writer *)base;
	struct buf out = { 0 }, sections = { 0 };
	enum prof_status status;
	char format[32];

	if (!w->has_profile)
		return err_set(err, PROF_E_UNSUPPORTED, "there is no profile "
		    "to write: an indexed file holds one");
	status = indexed_lay_out(w, &out, &sections, err);
	if (status == PROF_OK) {
		w->lost[LOST_SITE_TAILS] = w->encoder.cut;
		snprintf(format, sizeof(format), "indexed version %u",
		    w->row->version);
		writer_warn_nameless(base, format);
		indexed_warn_of_losses(w);
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
	free(w->traces.traces);
	buf_free(&w->traces.bytes);
	memprof_build_free(w->build);
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
	w->target = *t;
	w->summary.totals_only = w->cs_summary.totals_only = !w->row->summary;
	return &w->base;
}
