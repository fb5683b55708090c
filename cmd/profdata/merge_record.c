/* llvm-profdata merge: each record, as LLVM adds it to the sum. */
#include "config.h"

#include "cmd/profdata/merge_run.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cmd/common/messages.h"

static enum prof_status
add_profile_header(struct profdata_merge_run *r, const struct prof_record *in,
    struct prof_error *err)
{
	struct prof_record out = *in;
	struct prof_header *h = &out.u.profile;

	r->any = true;
	intern_free(&r->held_ids);
	profdata_copy_header(&r->header, h);
	r->profile_traces = 0;
	r->temporal |= (h->flags & PROF_TEMPORAL) != 0;
	/*
	 * LLVM checks neither how hashes were made nor the release of the
	 * front end.  Traces are added at the end.
	 */
	h->frontend_first = h->frontend_last = 0;
	h->has_trace_stream_size = false;
	h->trace_stream_size = 0;
	if (r->p->options.format != 0)
		h->kind = PROF_INSTR;
	if ((h->flags & PROF_LOOP_ENTRIES) != 0 && !profdata_since(r->p, 20)) {
		profdata_warning(r->p->file, "LLVM %u does not know that loop "
		    "entries are counted: the flag is left out",
		    r->p->release);
		h->flags &= ~(unsigned)PROF_LOOP_ENTRIES;
	}
	return merge_add(r->sum, &out, NULL, err);
}

static const struct {
	const char *message;
	bool hint;			/* at another build */
} conflict_words[CONFLICTS] = {
	[CONFLICT_COUNTERS] = { "function basic block count change detected "
	    "(counter mismatch)", true },
	[CONFLICT_BITMAP] = { "function bitmap size change detected "
	    "(bitmap size mismatch)", false },
	[CONFLICT_SITES] = { "function value site count change detected "
	    "(counter mismatch)", true },
};

/*
 * Warns of a conflict in LLVM's words; the hint comes once for each kind of
 * conflict (llvm-profdata.cpp, WriterContext::WriterErrorCodes).
 */
static enum prof_status
check_function_conflict(struct profdata_merge_run *r, struct prof_function *f)
{
	enum profdata_conflict what;
	enum prof_status status = profdata_conflicts_check(&r->conflicts, f,
	    &what);

	if (what == CONFLICT_NONE)
		return status;
	message_print("%s: %.*s: %s\n", r->p->file,
	    (int)f->symbol.name.size, f->symbol.name.data == NULL ? "" :
	    (const char *)f->symbol.name.data, conflict_words[what].message);
	if (conflict_words[what].hint && !r->hint_printed[what])
		message_print("Make sure that all profile data to be merged "
		    "is generated from the same binary.\n");
	r->hint_printed[what] = true;
	return status;
}

/*
 * LLVM takes such counters of raw profiles for damage of the input, and reads
 * on (RawInstrProfReader::readRawCounts, LLVM 15 to 22).
 */
static void
note_excessive_count(struct profdata_merge_run *r, const struct prof_header *h,
    const struct prof_function *f)
{
	if (r->excess != 0 || h->source.format == NULL ||
	    strcmp(h->source.format, "raw") != 0)
		return;
	for (size_t i = 0; i < f->counts_size && r->excess == 0; i++) {
		if (f->counts[i] > PROFDATA_COUNT_MAX)
			r->excess = f->counts[i];
	}
}

/* PROF_END if the filter leaves the function out. */
static enum prof_status
apply_name_filter(struct profdata_merge_run *r, const struct prof_function *f,
    struct prof_error *err)
{
	enum prof_status status = filter_function(r->filter, f, err);
	uint64_t guid = prof_symbol_guid(&f->symbol);

	if (status == PROF_FAIL ||
	    !symtab_add(&r->names, (struct prof_span){ NULL, 0 }, guid)
	    || (status == PROF_END && !symtab_add(&r->dropped,
	    (struct prof_span){ NULL, 0 }, guid)))
		return err_memory(err);
	return status;
}

static bool
note_duplicate_sizes(struct profdata_merge_run *r,
    const struct prof_sites *values)
{
	return duplicate_sizes_check(&r->duplicate_sizes,
	    &values[PROF_MEM_OP_SIZE]);
}

static enum prof_status
merge_function_record(struct profdata_merge_run *r,
    const struct prof_record *in, struct prof_error *err)
{
	struct merge_factor weight = { r->weight, 1 };
	struct prof_record copy = *in;
	enum prof_status fits;

	note_excessive_count(r, &r->header, &in->u.function);
	if (r->remap != NULL)
		profdata_remap(r->remap, &copy.u.function.symbol);
	/* LLVM filters the sum, and so warns of all conflicts. */
	fits = check_function_conflict(r, &copy.u.function);
	if (fits != PROF_OK)
		return fits == PROF_END ? PROF_OK : err_memory(err);
	if (r->filter != NULL) {
		enum prof_status status = apply_name_filter(r, &copy.u.function,
		    err);

		if (status != PROF_OK)
			return status == PROF_END ? PROF_OK : status;
	}
	if (!note_duplicate_sizes(r, copy.u.function.values))
		return err_memory(err);
	return merge_add(r->sum, &copy, &weight, err);
}

static enum prof_status
merge_each_function(struct profdata_merge_run *r, const struct prof_function *f,
    size_t size, struct prof_error *err)
{
	struct prof_record one = { .kind = PROF_REC_FUNCTION };

	for (size_t i = 0; i < size; i++) {
		one.u.function = f[i];
		if (merge_function_record(r, &one, err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

/* PROF_END if a function conflicts with an earlier record; prints nothing. */
static enum prof_status
check_block_conflicts(struct profdata_merge_run *r,
    const struct prof_function *f, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		struct prof_function copy = f[i];
		enum profdata_conflict what;
		enum prof_status status =
		    profdata_conflicts_check(&r->conflicts, &copy, &what);

		if (status != PROF_OK || what != CONFLICT_NONE)
			return status == PROF_FAIL ? status : PROF_END;
	}
	return PROF_OK;
}

/*
 * Functions are checked in the first block of a layout, not in its copies.
 * Without layout, no block is the copy of another.
 */
static enum prof_status
merge_block_record(struct profdata_merge_run *r, const struct prof_record *in,
    struct prof_error *err)
{
	const struct prof_block *b = &in->u.block;
	struct merge_factor weight = { r->weight, 1 };
	uint64_t layout = b->layout;
	uint32_t key[] = { (uint32_t)layout, (uint32_t)(layout >> 32),
	    (uint32_t)b->index, (uint32_t)(b->hash_mask >> 32),
	    (uint32_t)b->hash_mask };
	const struct prof_function *f;
	enum prof_status fits = PROF_OK;

	if (b->any_bits > PROFDATA_COUNT_MAX || layout == 0 ||
	    list_pool_find(&r->checked_blocks, key, 5) == INDEX_NONE) {
		f = prof_block_functions(b, err);
		if (f == NULL)
			return PROF_FAIL;
		fits = b->any_bits > PROFDATA_COUNT_MAX ? PROF_END :
		    check_block_conflicts(r, f, b->size);
		if (fits == PROF_END)
			return merge_each_function(r, f, b->size, err);
		if (fits == PROF_FAIL || (layout != 0 &&
		    list_pool_add(&r->checked_blocks, key, 5) == INDEX_NONE))
			return err_memory(err);
	}
	for (size_t i = 0; i < b->values_size; i++) {
		if (!note_duplicate_sizes(r, b->values[i].values))
			return err_memory(err);
	}
	return merge_add(r->sum, in, &weight, err);
}

static enum prof_status
merge_trace_record(struct profdata_merge_run *r, const struct prof_trace *t,
    struct prof_error *err)
{
	bool raw = r->header.source.format != NULL &&
	    strcmp(r->header.source.format, "raw") == 0;

	r->profile_traces++;
	return traces_add(&r->traces, t, raw ? r->weight : t->weight) ?
	    PROF_OK : err_memory(err);
}

static enum prof_status
merge_end_record(struct profdata_merge_run *r, const struct prof_record *in,
    struct prof_error *err)
{
	if (!traces_end(&r->traces, r->header.has_trace_stream_size ?
	    r->header.trace_stream_size : r->profile_traces))
		return err_memory(err);
	return merge_add(r->sum, in, NULL, err);
}

/*
 * Until LLVM 17, the ids of a raw file are those of its last image: they are
 * held back until another image or the end of the input comes.
 */
static enum prof_status
merge_binary_record(struct profdata_merge_run *r, const struct prof_record *in,
    struct prof_error *err)
{
	struct prof_span id = in->u.build_id;

	if (profdata_release(r->p)->image_ids)
		return merge_add(r->sum, in, NULL, err);
	return intern_add(&r->held_ids, id.data, id.size) == INDEX_NONE ?
	    err_memory(err) : PROF_OK;
}

static bool
is_heap_record(const struct prof_record *r)
{
	switch (r->kind) {
	case PROF_REC_SEGMENT:
	case PROF_REC_STACK:
	case PROF_REC_ALLOCATION:
	case PROF_REC_MEMPROF_FUNCTION:
	case PROF_REC_DATA_ACCESS:
	case PROF_REC_COLD_SYMBOL:
		return true;
	default:
		return false;
	}
}

enum prof_status
profdata_merge_record(void *arg, const struct prof_record *in,
    struct prof_error *err)
{
	struct profdata_merge_run *r = arg;

	switch (in->kind) {
	case PROF_REC_PROFILE:
		return add_profile_header(r, in, err);
	case PROF_REC_FUNCTION:
		return merge_function_record(r, in, err);
	case PROF_REC_BLOCK:
		return merge_block_record(r, in, err);
	case PROF_REC_TRACE:
		return merge_trace_record(r, &in->u.trace, err);
	case PROF_REC_BINARY:
		return merge_binary_record(r, in, err);
	case PROF_REC_END:
		return merge_end_record(r, in, err);
	default:
		break;
	}
	if (is_heap_record(in) && r->p->options.format != 0) {
		r->text_drops_heap = true;
		return PROF_OK;
	}
	r->has_data |= in->kind == PROF_REC_DATA_ACCESS ||
	    in->kind == PROF_REC_COLD_SYMBOL;
	return merge_add(r->sum, in, &(struct merge_factor){ r->weight, 1 },
	    err);
}

static bool
precheck_block(struct profdata_precheck *l, const struct prof_block *b,
    struct prof_error *err)
{
	const struct prof_function *f;

	l->functions = true;
	if (b->any_bits <= PROFDATA_COUNT_MAX)
		return true;
	f = prof_block_functions(b, err);
	for (size_t i = 0; f != NULL && i < b->size; i++)
		note_excessive_count(l->run, &l->header, &f[i]);
	return f != NULL;
}

enum prof_status
profdata_precheck_record(void *arg, const struct prof_record *in, struct
    prof_error *err)
{
	struct profdata_precheck *l = arg;

	if (in->kind == PROF_REC_PROFILE) {
		profdata_copy_header(&l->header, &in->u.profile);
		l->header.frontend_first = l->header.frontend_last = 0;
		l->header.source = (struct prof_source){ .file =
		    span_of_text(l->run->p->file),
		    .format = l->header.source.format };
		l->functions = false;
	}
	/* Counters that need a binary are refused before the input is added. */
	if (in->kind == PROF_REC_RAW_COUNTERS &&
	    !profdata_resolver_has_binary(l->run->resolver))
		return profdata_resolver_put(l->run->resolver, in, err);
	if (in->kind == PROF_REC_FUNCTION) {
		l->functions = true;
		note_excessive_count(l->run, &l->header, &in->u.function);
	}
	if (in->kind == PROF_REC_BLOCK && !precheck_block(l, &in->u.block, err))
		return PROF_FAIL;
	return in->kind != PROF_REC_END ? PROF_OK :
	    merge_mixes(l->run->sum, &l->header, l->functions, err);
}
