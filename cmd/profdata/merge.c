/* llvm-profdata merge */
#include "config.h"

#include "cmd/profdata/profdata.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"
#include "cmd/common/messages.h"
#include "merge/merge.h"
#include "model/symtab.h"
#include "model/value_sites.h"
#include "ops/filter.h"
#include "prof.h"

enum profdata_conflict {
	CONFLICT_NONE, CONFLICT_COUNTERS, CONFLICT_BITMAP, CONFLICT_SITES,
	CONFLICT_OVERFLOW, CONFLICTS
};

/* All zero is empty. */
struct profdata_conflicts {
	struct intern keys;		/* guid and hash of functions */
	struct profdata_function_sizes *items;	/* as keys */
	size_t room;
	struct arena scratch;		/* of one record */
	bool pseudo_overflow;		/* pseudo counts are large numbers */
};

struct profdata_merge_run {
	struct profdata *p;
	struct profdata_resolver *resolver;
	struct merge *sum;
	struct filter *filter;		/* or NULL */
	struct profdata_remap *remap;	/* or NULL */
	struct symtab names, dropped;	/* guids only */
	struct profdata_conflicts conflicts;
	struct list_pool checked_blocks;	/* without conflicts */
	bool hint_printed[CONFLICTS];	/* that builds differ */
	struct trace_reservoir traces;
	bool temporal;			/* a profile has traces */
	bool any;			/* a profile was read */
	bool text_drops_heap;		/* heap records were left out */
	bool has_data;			/* a profile has data accesses */
	struct merge_factor weight;	/* of the input */
	uint64_t excess;		/* first counter above the maximum */
	struct prof_header header;	/* of the profile being read */
	uint64_t profile_traces;
	bool any_member;		/* of the archive was read */
	uint64_t read, bad;		/* inputs */
};

/* A pass over an input before any record is added to the sum. */
struct profdata_precheck {
	struct profdata_merge_run *run;
	struct prof_header header;
	bool functions;
};

struct profdata_function_sizes {
	size_t counts, bitmap, sites[PROF_VALUE_KINDS];
	bool pseudo, hot, overflow;
};

static struct profdata_function_sizes
function_sizes_of(const struct prof_function *f)
{
	struct profdata_function_sizes s = { f->counts_size, f->bitmap.size,
	    .pseudo = prof_is_pseudo(f) };

	s.hot = s.pseudo && f->counts[0] == PROF_COUNT_HOT;
	value_sites_sizes(f->values, s.sites);
	return s;
}

/* Empty parts of the first record's sizes, which add nothing to it. */
static bool
replace_all_parts(struct profdata_conflicts *all,
    const struct profdata_function_sizes *s, struct prof_function *f)
{
	uint8_t *zeros = arena_alloc(&all->scratch, s->bitmap);
	bool done = zeros != NULL;

	if (done) {
		memset(zeros, 0, s->bitmap);
		f->bitmap = (struct prof_span){ zeros, s->bitmap };
	}
	for (int k = 0; done && k < PROF_VALUE_KINDS; k++)
		done = value_sites_empty(&all->scratch, s->sites[k],
		    &f->values[k]);
	return done;
}

/* Later pseudo records change only the count of the first: warm to hot. */
static enum prof_status
compare_pseudo_record(struct profdata_conflicts *all,
    struct profdata_function_sizes *s, struct prof_function *f)
{
	if (s->hot || f->counts[0] != PROF_COUNT_HOT)
		return PROF_END;
	s->hot = true;
	return replace_all_parts(all, s, f) ? PROF_OK : PROF_FAIL;
}

static enum prof_status
compare_function_sizes(struct profdata_conflicts *all, struct
    profdata_function_sizes *s, struct prof_function *f,
    enum profdata_conflict *what)
{
	bool done = true;

	if (f->counts_size != s->counts || prof_is_pseudo(f) != s->pseudo) {
		*what = CONFLICT_COUNTERS;
		return PROF_END;
	}
	if (s->pseudo) {
		if (all->pseudo_overflow && !s->overflow)
			*what = CONFLICT_OVERFLOW;
		s->overflow = true;
		return compare_pseudo_record(all, s, f);
	}
	if (f->bitmap.size != s->bitmap) {
		*what = CONFLICT_BITMAP;
		return replace_all_parts(all, s, f) ? PROF_OK : PROF_FAIL;
	}
	for (int k = 0; done && k < PROF_VALUE_KINDS; k++) {
		if (f->values[k].size == s->sites[k])
			continue;
		*what = CONFLICT_SITES;
		done = value_sites_empty(&all->scratch, s->sites[k],
		    &f->values[k]);
	}
	return done ? PROF_OK : PROF_FAIL;
}

static enum prof_status
profdata_conflicts_check(struct profdata_conflicts *all,
    struct prof_function *f, enum profdata_conflict *what)
{
	uint64_t key[2] = { prof_symbol_guid(&f->symbol), f->hash };
	size_t before = all->keys.size;
	uint32_t n = intern_add(&all->keys, key, sizeof(key));

	*what = CONFLICT_NONE;
	if (n == INDEX_NONE)
		return PROF_FAIL;
	arena_reset(&all->scratch);
	if (n < before)
		return compare_function_sizes(all, &all->items[n], f, what);
	if (!ARRAY_ROOM(all->items, before, all->room))
		return PROF_FAIL;
	all->items[n] = function_sizes_of(f);
	return PROF_OK;
}

static void
profdata_conflicts_free(struct profdata_conflicts *all)
{
	intern_free(&all->keys);
	arena_free(&all->scratch);
	free(all->items);
}

/* llvm-profdata merge: each record, as LLVM adds it to the sum. */

static enum prof_status
add_profile_header(struct profdata_merge_run *r, const struct prof_record *in,
    struct prof_error *err)
{
	struct prof_record out = *in;
	struct prof_header *h = &out.u.profile;

	r->any = true;
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
		llvm_warn(r->p->cli.inputs.file, "LLVM %u does not know "
		    "that loop entries are counted: the flag is left out",
		    r->p->tool.release);
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
	[CONFLICT_OVERFLOW] = { "counter overflow", false },
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
	message_print("%s: %.*s: %s\n", r->p->cli.inputs.file,
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
	if (r->excess != 0 || !profdata_is_format(h, "raw"))
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
	enum prof_status status = filter_function(r->filter, f, NULL, err);
	uint64_t guid = prof_symbol_guid(&f->symbol);

	if (status == PROF_FAIL ||
	    !symtab_add(&r->names, (struct prof_span){ NULL, 0 }, guid)
	    || (status == PROF_END && !symtab_add(&r->dropped,
	    (struct prof_span){ NULL, 0 }, guid)))
		return err_memory(err);
	return status;
}

static enum prof_status
merge_function_record(struct profdata_merge_run *r,
    const struct prof_record *in, struct prof_error *err)
{
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
	return merge_add(r->sum, &copy, &r->weight, err);
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
	return merge_add(r->sum, in, &r->weight, err);
}

static enum prof_status
merge_trace_record(struct profdata_merge_run *r, const struct prof_trace *t,
    struct prof_error *err)
{
	bool raw = profdata_is_format(&r->header, "raw");

	r->profile_traces++;
	return traces_add(&r->traces, t, raw ? r->weight.times : t->weight) ?
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

static enum prof_status
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
	case PROF_REC_END:
		return merge_end_record(r, in, err);
	case PROF_REC_DATA_ACCESS:
	case PROF_REC_COLD_SYMBOL:
	case PROF_REC_SEGMENT:
	case PROF_REC_STACK:
	case PROF_REC_ALLOCATION:
	case PROF_REC_MEMPROF_FUNCTION:
		if (r->p->options.format == 0)
			break;
		r->text_drops_heap = true;
		return PROF_OK;
	default:
		break;
	}
	r->has_data |= in->kind == PROF_REC_DATA_ACCESS ||
	    in->kind == PROF_REC_COLD_SYMBOL;
	return merge_add(r->sum, in, &r->weight, err);
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

static enum prof_status
profdata_precheck_record(void *arg, const struct prof_record *in, struct
    prof_error *err)
{
	struct profdata_precheck *l = arg;

	if (in->kind == PROF_REC_PROFILE) {
		profdata_copy_header(&l->header, &in->u.profile);
		l->header.frontend_first = l->header.frontend_last = 0;
		l->header.source = (struct prof_source){ .file =
		    span_of_text(l->run->p->cli.inputs.file),
		    .format = l->header.source.format };
		l->functions = false;
	}
	/* Counters that need a binary are refused before the input is added. */
	if (in->kind == PROF_REC_RAW_COUNTERS &&
	    !profdata_resolver_correlates(l->run->resolver, err))
		return PROF_FAIL;
	if (in->kind == PROF_REC_FUNCTION) {
		l->functions = true;
		note_excessive_count(l->run, &l->header, &in->u.function);
	}
	if (in->kind == PROF_REC_BLOCK && !precheck_block(l, &in->u.block, err))
		return PROF_FAIL;
	return in->kind != PROF_REC_END || !l->functions ? PROF_OK :
	    merge_mixes(l->run->sum, &l->header, err);
}

/* llvm-profdata merge */

/* Mixed levels of instrumentation are the one mismatch with a name in LLVM. */
static void
warn_bad_input(const struct cli_item *e, const struct prof_error *err)
{
	const char *member = e->member == NULL ? "" : e->member;
	const char *colon = e->member == NULL ? "" : ": ";
	char message[PROFDATA_MESSAGE_SIZE];

	if (err->code == PROF_E_MISMATCH &&
	    strstr(err->reason, "front-end profile") != NULL)
		llvm_warn(e->file, "%s%sMerge IR generated profile "
		    "with Clang generated profile. (unsupported "
		    "instrumentation profile format version: %s)", member,
		    colon, err->reason);
	else
		llvm_warn(e->file, "%s%s%s", member, colon,
		    profdata_message(message, err));
}

static enum prof_status
merge_read_image(struct cli *c, struct prof_span image, cli_record *fn,
    void *arg)
{
	struct prof_reader *reader = prof_open(c->context, image, &c->err);
	enum prof_status status = reader == NULL ? PROF_FAIL :
	    cli_read_records(c, reader, fn, arg);

	prof_close(reader);
	return status;
}

/*
 * Under --failure-mode=any, the run ends at the first bad input; in other modes
 * an input is added if all of it is good.  The result is the name of a format.
 */
static void *
merge_process_input(void *arg, struct cli_item *item, struct prof_error *err)
{
	struct profdata_merge_run *r = arg;
	struct cli *c = &r->p->cli;
	struct profdata_precheck check = { .run = r };
	enum prof_status status = PROF_OK;

	cli_keep_name(&r->p->last_file, c->inputs.file);
	r->weight = item->input.weight;
	r->excess = 0;
	if (item->image.size == 0) {
		/* Only a file may be empty, not a member of an archive. */
		if (item->member != NULL)
			err_set(err, PROF_E_UNSUPPORTED,
			    "empty raw profile file");
		return NULL;
	}
	if (r->p->options.failure_mode != PROFDATA_FAIL_ANY) {
		c->report.muted = true;
		status = merge_read_image(c, item->image,
		    profdata_precheck_record, &check);
		c->report.muted = false;
	}
	if (status == PROF_OK)
		merge_read_image(c, item->image, profdata_resolver_put,
		    r->resolver);
	return (void *)(uintptr_t)prof_sniff(item->image);
}

static enum prof_status
merge_commit_input(void *arg, struct cli *c, struct cli_item *e)
{
	struct profdata_merge_run *r = arg;
	const char *format = e->result;
	char message[PROFDATA_MESSAGE_SIZE];
	struct prof_error why = c->err;

	r->any_member |= !e->unread;
	if (e->end_only && why.code == PROF_E_NONE && !r->any_member)
		err_set(&why, PROF_E_FORMAT, "no member is a profile");
	if (e->last)
		r->any_member = false;
	if (e->end_only && why.code == PROF_E_NONE)
		return PROF_OK;
	r->read++;
	/*
	 * The input is not to blame if memory is out.  LLVM ends at raw heap
	 * profiles that are bad in all failure modes (loadInput).
	 */
	if (why.code == PROF_E_MEMORY)
		profdata_out_of_memory();
	if (why.code == PROF_E_SYSTEM || (why.code != PROF_E_NONE &&
	    format != NULL && strcmp(format, "memprof-raw") == 0))
		llvm_fail(e->file, "%s", profdata_message(message, &why));
	if (why.code != PROF_E_NONE)
		warn_bad_input(e, &why);
	else if (r->excess != 0)
		llvm_warn(e->file, "excessively large counter value "
		    "suggests corrupted profile data: %" PRIu64, r->excess);
	else
		return PROF_OK;
	r->bad++;
	if (r->p->options.failure_mode == PROFDATA_FAIL_ANY)
		llvm_fail(NULL, "no profile can be merged");
	return PROF_OK;
}

/* Adds a last profile: of the sampled traces, or empty if there was none. */
static void
merge_sampled_traces(struct profdata_merge_run *r)
{
	struct prof_record in = { .kind = PROF_REC_PROFILE };
	struct prof_error err = { 0 };
	enum prof_status status;

	if (r->any && !r->temporal)
		return;
	if (r->temporal) {
		in.u.profile.flags = PROF_TEMPORAL;
		in.u.profile.has_trace_stream_size = true;
		in.u.profile.trace_stream_size = r->traces.sample.seen;
	}
	status = merge_add(r->sum, &in, NULL, &err);
	for (size_t i = 0; i < r->traces.sample.size && status == PROF_OK;
	    i++) {
		in = (struct prof_record){ .kind = PROF_REC_TRACE,
		    .u.trace = r->traces.sample.traces[i] };
		status = merge_add(r->sum, &in, NULL, &err);
	}
	in = (struct prof_record){ .kind = PROF_REC_END };
	if (status != PROF_OK ||
	    merge_add(r->sum, &in, NULL, &err) != PROF_OK)
		llvm_fail(NULL, "%s", err.reason);
}

/* The MemProf version of the target is that to write, plus one. */
static struct prof_target
merge_target_of(const struct profdata *p)
{
	const struct profdata_options *o = &p->options;
	const struct llvm_release *r = profdata_release(p);
	bool previous = o->previous_version && r->indexed_previous != 0;
	struct prof_target t = { .format = o->format != 0 ? "text" :
	    "indexed", .no_vtable_names = !o->keep_vtables,
	    .as_arrived = true, .borrows = true };

	if (o->format != 0) {
		t.no_byte_coverage = !r->text_coverage;
		return t;
	}
	t.version = previous ? r->indexed_previous : r->indexed;
	t.memprof_version = o->memprof_version != 0 ? o->memprof_version :
	    previous ? 1 : r->memprof_written + 1u;
	t.memprof_full_schema = o->memprof_full;
	return t;
}

static void
write_merged_profile(struct profdata_merge_run *r)
{
	const struct profdata_options *o = &r->p->options;
	struct cli *c = &r->p->cli;
	struct merge_output how = { .sparse = o->sparse,
	    .sparse_names = true, .heap_as_read = true,
	    .traces_as_read = true, .as_arrived = o->format == 0,
	    .targets_by_guid = o->format == 0 };

	prof_context_clear_cache(c->context);
	if (cli_open_file(c) != PROF_OK ||
	    cli_put_sum(c, r->sum, &how) != PROF_OK ||
	    cli_finish(c) != PROF_OK)
		llvm_fail(c->err.code == PROF_E_SYSTEM ? c->output.path :
		    NULL, "%s", c->err.reason);
}

static void
add_name_pattern(struct profdata_merge_run *r, enum filter_side side,
    const char *pattern)
{
	struct prof_error err = { 0 };

	if (!profdata_is_given(pattern))
		return;
	if (r->filter == NULL && (r->filter = filter_new()) == NULL)
		profdata_out_of_memory();
	/* A name of the Microsoft ABI is no regular expression. */
	if (*pattern == '?' && strspn(pattern, "?@$_0123456789"
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") ==
	    strlen(pattern)) {
		if (filter_name(r->filter, side, span_of_text(pattern), false,
		    &err) != PROF_OK)
			profdata_out_of_memory();
	} else if (filter_regex(r->filter, side, pattern, &err) != PROF_OK)
		llvm_fail(NULL, "%s", err.reason);
}

static void
merge_run_begin(struct profdata_merge_run *r)
{
	const struct profdata_options *o = &r->p->options;

	r->sum = merge_new(profdata_warn, r->p);
	if (r->sum == NULL)
		profdata_out_of_memory();
	r->conflicts.pseudo_overflow = !profdata_knows_pseudo(r->p);
	merge_values_as_arrived(r->sum, profdata_release(r->p)->value_sort);
	traces_start(&r->traces, o->reservoir, o->trace_length);
	add_name_pattern(r, FILTER_KEEP, o->function);
	add_name_pattern(r, FILTER_DROP, o->no_function);
	if (profdata_is_given(o->remapping_file))
		r->remap = profdata_remap_open(o->remapping_file);
	/* Filtered or renamed functions are read one by one, not in blocks. */
	if (r->filter == NULL && r->remap == NULL)
		prof_context_blocks(r->p->cli.context);
	r->resolver = profdata_resolver_new(r->p, profdata_merge_record, r);
}

static void
profdata_merge_run_free(struct profdata_merge_run *r)
{
	merge_free(r->sum);
	filter_free(r->filter);
	profdata_remap_free(r->remap);
	symtab_free(&r->names);
	symtab_free(&r->dropped);
	traces_free(&r->traces);
	profdata_conflicts_free(&r->conflicts);
	list_pool_free(&r->checked_blocks);
	profdata_resolver_free(r->resolver);
}

static void
merge_run_inputs(struct profdata_merge_run *r)
{
	const struct profdata_options *o = &r->p->options;
	const struct cli_pipeline work = { .arg = r, .serial = true,
	    .process = merge_process_input, .commit = merge_commit_input };
	struct cli *c = &r->p->cli;
	struct prof_error err = { 0 };

	merge_run_begin(r);
	c->report.damage.keep_going = true;
	if (cli_pipeline_run(c, &work) != PROF_OK)
		llvm_fail(c->inputs.file, "%s", c->err.reason);
	if (r->bad == r->read && o->failure_mode == PROFDATA_FAIL_ALL)
		llvm_fail(NULL, "no profile can be merged");
	if (profdata_resolver_finish(r->resolver, &err) != PROF_OK)
		llvm_fail(NULL, "%s", err.reason);
	merge_sampled_traces(r);
	r->p->cli.output.target = merge_target_of(r->p);
	if (r->filter != NULL)
		message_print("%zu of %zu functions in the original profile "
		    "are filtered.\n", r->dropped.size, r->names.size);
	if (r->text_drops_heap)
		llvm_warn(NULL, "text cannot hold heap profiles: they "
		    "are left out");
	else if (r->has_data && r->p->cli.output.target.memprof_version < 5)
		llvm_warn(NULL, "data access profiles are left out: "
		    "--memprof-version=4 keeps them");
	write_merged_profile(r);
}

int
profdata_merge(struct profdata *p)
{
	struct profdata_merge_run r = { .p = p };

	profdata_inputs_find(p);
	while (p->options.dump_inputs && cli_next_input(&p->cli) == PROF_OK)
		printf("%" PRIu64 ",%s\n",
		    p->cli.inputs.current->weight.times, p->cli.inputs.file);
	if (p->cli.err.code != PROF_E_NONE)
		llvm_fail(p->cli.inputs.file, "%s", p->cli.err.reason);
	if (p->options.dump_inputs)
		return profdata_printed();
	merge_run_inputs(&r);
	profdata_merge_run_free(&r);
	return 0;
}
