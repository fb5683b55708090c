/* llvm-profdata merge */
#include "config.h"

#include "cmd/profdata/merge_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/common/messages.h"
#include "io/output.h"

/* Mixed levels of instrumentation are the one mismatch with a name in LLVM. */
static void
warn_bad_input(const char *path, const struct prof_error *err)
{
	char message[PROFDATA_MESSAGE_SIZE];

	if (err->code == PROF_E_MISMATCH &&
	    strstr(err->reason, "front-end profile") != NULL)
		profdata_warning(path, "Merge IR generated profile with Clang "
		    "generated profile. (unsupported instrumentation profile "
		    "format version: %s)", err->reason);
	else
		profdata_warning(path, "%s", profdata_message(message, err));
}

/*
 * Under --failure-mode=any, the run fails at the first bad input; later inputs
 * are only checked, for their warnings.  In other modes, an input is added if
 * all of it is good.
 */
static void
merge_begin_input(struct profdata_reading *to, const struct cli_input *in)
{
	struct profdata_precheck *check = to->precheck_arg;
	struct profdata_merge_run *r = check->run;
	bool any = r->p->options.failure_mode == PROFDATA_FAIL_ANY;

	r->weight = in->weight.times;
	r->excess = 0;
	*check = (struct profdata_precheck){ .run = r };
	to->precheck = any && r->bad == 0 ? NULL : profdata_precheck_record;
	to->fn = any && r->bad != 0 ? NULL : profdata_resolver_put;
}

/* Adds the ids that were held back as a profile of nothing else. */
static enum prof_status
merge_held_ids(struct profdata_merge_run *r, struct prof_error *err)
{
	struct prof_record in = { .kind = PROF_REC_PROFILE };
	enum prof_status status;

	if (r->held_ids.size == 0)
		return PROF_OK;
	in.u.profile.level = r->header.level;
	in.u.profile.flags = r->header.flags & PROF_BYTE_COVERAGE;
	status = merge_add(r->sum, &in, NULL, err);
	for (size_t i = 0; i < r->held_ids.size && status == PROF_OK; i++) {
		in = (struct prof_record){ .kind = PROF_REC_BINARY,
		    .u.build_id = r->held_ids.items[i] };
		status = merge_add(r->sum, &in, NULL, err);
	}
	in = (struct prof_record){ .kind = PROF_REC_END };
	intern_free(&r->held_ids);
	return status != PROF_OK ? status : merge_add(r->sum, &in, NULL, err);
}

static void
merge_end_input(struct profdata_reading *to, const char *name)
{
	const struct profdata_precheck *check = to->precheck_arg;
	struct profdata_merge_run *r = check->run;
	char message[PROFDATA_MESSAGE_SIZE];
	struct prof_error err = { 0 };

	r->read++;
	if (merge_held_ids(r, &err) != PROF_OK)
		profdata_fail(NULL, "%s", err.reason);
	/* LLVM ends at such an input in all failure modes (loadInput). */
	if (to->err.code != PROF_E_NONE && to->raw_heap)
		profdata_fail(name, "%s", profdata_message(message, &to->err));
	if (to->err.code != PROF_E_NONE && !to->empty) {
		r->bad++;
		warn_bad_input(name, &to->err);
	} else if (r->excess != 0) {
		r->bad++;
		profdata_warning(name, "excessively large counter value "
		    "suggests corrupted profile data: %" PRIu64, r->excess);
	}
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
		profdata_fail(NULL, "%s", err.reason);
}

static bool
merge_writes_previous(const struct profdata *p)
{
	return p->options.previous_version &&
	    profdata_release(p)->indexed_previous != 0;
}

static unsigned
merge_version(const struct profdata *p)
{
	const struct llvm_release *r = profdata_release(p);

	return merge_writes_previous(p) ? r->indexed_previous : r->indexed;
}

/* The MemProf version to write, plus one: that of the release by default. */
static unsigned
merge_memprof_version(const struct profdata *p)
{
	if (p->options.memprof_version != 0)
		return p->options.memprof_version;
	return merge_writes_previous(p) ? 1 :
	    profdata_release(p)->memprof_written + 1u;
}

static struct prof_target
merge_target_of(const struct profdata *p)
{
	const struct profdata_options *o = &p->options;
	struct prof_target t = { .format = o->format != 0 ? "text" :
	    "indexed", .no_vtable_names = !o->keep_vtables,
	    .as_arrived = true, .borrows = true };

	if (o->format == 0) {
		t.version = merge_version(p);
		t.memprof_version = merge_memprof_version(p);
		t.memprof_full_schema = o->memprof_full;
	} else
		t.no_byte_coverage = !profdata_release(p)->text_coverage;
	return t;
}

static void
write_merged_profile(struct profdata_merge_run *r)
{
	struct profdata *p = r->p;
	const char *path = p->options.output == NULL ? "-" :
	    p->options.output;
	struct merge_output how = { .sparse = p->options.sparse,
	    .sparse_names = true, .heap_as_read = true,
	    .traces_as_read = true, .as_arrived = p->options.format == 0,
	    .targets_by_guid = p->options.format == 0 };
	struct prof_target target = merge_target_of(p);
	struct prof_error err = { 0 };
	struct output *out;
	struct prof_writer *w;
	bool done;

	prof_context_clear_cache(p->context);
	out = output_open(path, p->options.format == 0, &err);
	w = out == NULL ? NULL :
	    prof_writer_new(p->context, &target, output_write, out, &err);

	done = w != NULL && merge_write(r->sum, &how, w, &err) == PROF_OK &&
	    prof_finish(w, &err) == PROF_OK;
	prof_writer_free(w);
	if (!done)
		profdata_fail(err.code == PROF_E_SYSTEM ? path : NULL, "%s",
		    err.reason);
	if (output_commit(out, &err) != PROF_OK)
		profdata_fail(path, "%s", err.reason);
}

static void
add_name_pattern(struct profdata_merge_run *r, enum filter_side side,
    const char *pattern)
{
	struct prof_error err = { 0 };

	if (pattern == NULL || *pattern == '\0')
		return;
	if (r->filter == NULL && (r->filter = filter_new()) == NULL)
		profdata_out_of_memory();
	/* A name of the Microsoft ABI is no regular expression. */
	if (*pattern == '?' && strspn(pattern, "?@$_0123456789"
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") ==
	    strlen(pattern)) {
		if (filter_name(r->filter, side, (struct prof_span){
		    (const uint8_t *)pattern, strlen(pattern) }, &err) !=
		    PROF_OK)
			profdata_out_of_memory();
	} else if (filter_regex(r->filter, side, pattern, &err) != PROF_OK)
		profdata_fail(NULL, "%s", err.reason);
}

static void
merge_run_begin(struct profdata_merge_run *r)
{
	const struct profdata_options *o = &r->p->options;

	r->sum = merge_new(profdata_warn, r->p);
	if (r->sum == NULL)
		profdata_out_of_memory();
	merge_values_as_arrived(r->sum, profdata_release(r->p)->value_sort);
	traces_start(&r->traces, o->reservoir, o->trace_length,
	    profdata_since(r->p, 20));
	add_name_pattern(r, FILTER_KEEP, o->function);
	add_name_pattern(r, FILTER_DROP, o->no_function);
	if (o->remapping_file != NULL && *o->remapping_file != '\0')
		r->remap = profdata_remap_open(o->remapping_file);
	/* Filtered or renamed functions are read one by one, not in blocks. */
	if (r->filter == NULL && r->remap == NULL)
		prof_context_blocks(r->p->context);
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
	intern_free(&r->held_ids);
	profdata_conflicts_free(&r->conflicts);
	list_pool_free(&r->checked_blocks);
	arena_free(&r->duplicate_sizes.scratch);
	profdata_resolver_free(r->resolver);
	profdata_inputs_free(&r->inputs);
}

static void
merge_run_inputs(struct profdata_merge_run *r)
{
	const struct profdata_options *o = &r->p->options;
	struct profdata_precheck check = { .run = r };
	struct profdata_reading to = { .p = r->p, .precheck_arg = &check,
	    .begin = merge_begin_input, .end = merge_end_input };
	struct prof_error err = { 0 };

	merge_run_begin(r);
	to.arg = r->resolver;
	profdata_read_inputs(&to, r->inputs.items, r->inputs.size);
	if ((r->bad != 0 && o->failure_mode == PROFDATA_FAIL_ANY) ||
	    (r->bad == r->read && o->failure_mode == PROFDATA_FAIL_ALL))
		profdata_fail(NULL, "no profile can be merged");
	if (profdata_resolver_finish(r->resolver, &err) != PROF_OK)
		profdata_fail(NULL, "%s", err.reason);
	merge_sampled_traces(r);
	if (r->filter != NULL)
		message_print("%zu of %zu functions in the original profile "
		    "are filtered.\n", r->dropped.size, r->names.size);
	if (r->text_drops_heap)
		profdata_warning(NULL, "text cannot hold heap profiles: they "
		    "are left out");
	else if (r->has_data && merge_memprof_version(r->p) < 5)
		profdata_warning(NULL, "data access profiles are left out: "
		    "--memprof-version=4 keeps them");
	if (r->duplicate_sizes.any)
		profdata_warning(NULL, "invalid profile created: a site has "
		    "the same size of a memory operation twice");
	write_merged_profile(r);
}

int
profdata_merge(struct profdata *p)
{
	struct profdata_merge_run r = { .p = p };

	profdata_inputs_find(p, &r.inputs);
	if (p->options.dump_inputs) {
		for (size_t i = 0; i < r.inputs.size; i++)
			printf("%" PRIu64 ",%s\n",
			    r.inputs.items[i].weight.times,
			    r.inputs.items[i].path);
		profdata_inputs_free(&r.inputs);
		return profdata_printed();
	}
	merge_run_inputs(&r);
	profdata_merge_run_free(&r);
	return 0;
}
