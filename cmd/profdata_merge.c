/* llvm-profdata merge */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/symtab.h"
#include "io/output.h"
#include "ops/filter.h"
#include "ops/merge.h"
#include "profdata_inputs.h"
#include "profdata_shapes.h"
#include "profdata_stage.h"
#include "profdata_traces.h"

struct run {
	struct profdata *p;
	struct profdata_inputs inputs;
	struct profdata_stage *stage;
	struct merge *sum;
	struct filter *filter;		/* or NULL */
	struct symtab names, dropped;	/* guids only */
	struct profdata_shapes shapes;
	bool hinted;
	struct trace_reservoir traces;
	bool temporal, any;
	bool text_drops_heap, has_data;
	uint64_t weight;		/* of the input */
	struct prof_header header;	/* of the profile being read */
	uint64_t profile_traces;
	uint64_t bad;
};

static enum prof_status
add_head(struct run *r, const struct prof_record *in, struct prof_error *err)
{
	struct prof_record out = *in;
	struct prof_header *h = &out.u.profile;

	r->any = true;
	r->header = *h;
	r->profile_traces = 0;
	r->temporal |= (h->flags & PROF_TEMPORAL) != 0;
	/*
	 * LLVM looks neither at how hashes were made nor at what it was built
	 * for; traces come at the end.
	 */
	h->frontend_first = h->frontend_last = 0;
	h->has_trace_stream_size = false;
	h->trace_stream_size = 0;
	if (r->p->options.format != 0)
		h->kind = PROF_INSTR;
	return merge_add(r->sum, &out, NULL, err);
}

/* What does not fit is told in LLVM's words, and why it may be once. */
static enum prof_status
fit(struct run *r, struct prof_function *f)
{
	const char *what;
	bool hint = false;
	enum prof_status status = profdata_shape(&r->shapes, f, &what, &hint);

	if (what == NULL)
		return status;
	fprintf(stderr, "%s: %.*s: %s\n", r->p->file,
	    (int)f->symbol.name.size, f->symbol.name.data == NULL ? "" :
	    (const char *)f->symbol.name.data, what);
	if (hint && !r->hinted)
		fputs("Make sure that all profile data to be merged is "
		    "generated from the same binary.\n", stderr);
	r->hinted |= hint;
	return status;
}

static enum prof_status
add_function(struct run *r, const struct prof_record *in,
    struct prof_error *err)
{
	struct merge_factor weight = { r->weight, 1 };
	struct prof_record fitting = *in;
	enum prof_status fits;
	uint64_t guid;

	if (r->filter != NULL) {
		enum prof_status status = filter_function(r->filter,
		    &in->u.function, err);

		guid = prof_symbol_guid(&in->u.function.symbol);
		if (status == PROF_FAIL ||
		    !symtab_add(&r->names, (struct prof_span){ NULL, 0 }, guid)
		    || (status == PROF_END && !symtab_add(&r->dropped,
		    (struct prof_span){ NULL, 0 }, guid)))
			return err_memory(err);
		if (status == PROF_END)
			return PROF_OK;
	}
	fits = fit(r, &fitting.u.function);
	if (fits != PROF_OK)
		return fits == PROF_END ? PROF_OK : err_memory(err);
	return merge_add(r->sum, &fitting, &weight, err);
}

static enum prof_status
add_trace(struct run *r, const struct prof_trace *t, struct prof_error *err)
{
	bool raw = r->header.source.format != NULL &&
	    strcmp(r->header.source.format, "raw") == 0;

	r->profile_traces++;
	return traces_add(&r->traces, t, raw ? r->weight : t->weight) ?
	    PROF_OK : err_memory(err);
}

static enum prof_status
end_profile(struct run *r, const struct prof_record *in,
    struct prof_error *err)
{
	if (!traces_end(&r->traces, r->header.has_trace_stream_size ?
	    r->header.trace_stream_size : r->profile_traces))
		return err_memory(err);
	return merge_add(r->sum, in, NULL, err);
}

static bool
is_heap(const struct prof_record *r)
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

static enum prof_status
add(void *arg, const struct prof_record *in, struct prof_error *err)
{
	struct run *r = arg;

	switch (in->kind) {
	case PROF_REC_PROFILE:
		return add_head(r, in, err);
	case PROF_REC_FUNCTION:
		return add_function(r, in, err);
	case PROF_REC_TRACE:
		return add_trace(r, &in->u.trace, err);
	case PROF_REC_END:
		return end_profile(r, in, err);
	default:
		break;
	}
	if (is_heap(in) && r->p->options.format != 0) {
		r->text_drops_heap = true;
		return PROF_OK;
	}
	r->has_data |= in->kind == PROF_REC_DATA_ACCESS ||
	    in->kind == PROF_REC_COLD_SYMBOL;
	return merge_add(r->sum, in, &(struct merge_factor){ r->weight, 1 },
	    err);
}

/* Looks through an input without taking anything of it. */
struct look {
	struct run *run;
	struct prof_header header;
	bool functions;
};

static enum prof_status
look(void *arg, const struct prof_record *in, struct prof_error *err)
{
	struct look *l = arg;

	if (in->kind == PROF_REC_PROFILE) {
		l->header = in->u.profile;
		l->header.frontend_first = l->header.frontend_last = 0;
		l->header.extra = (struct prof_span){ NULL, 0 };
		l->header.source = (struct prof_source){ .file = {
		    (const uint8_t *)l->run->p->file,
		    strlen(l->run->p->file) } };
		l->functions = false;
	}
	/* What needs a binary is refused before anything is taken of it. */
	if (in->kind == PROF_REC_RAW_COUNTERS &&
	    !profdata_stage_has_binary(l->run->stage))
		return profdata_stage_put(l->run->stage, in, err);
	l->functions = l->functions || in->kind == PROF_REC_FUNCTION;
	return in->kind != PROF_REC_END ? PROF_OK :
	    merge_mixes(l->run->sum, &l->header, l->functions, err);
}

/* LLVM's name for the one mismatch that it knows. */
static void
tell_bad(const char *path, const struct prof_error *err)
{
	char message[PROFDATA_MESSAGE_SIZE];

	if (err->code == PROF_E_MISMATCH &&
	    strstr(err->reason, "front-end profile") != NULL)
		profdata_warning(path, "Merge IR generated profile with Clang "
		    "generated profile. (%s)", err->reason);
	else
		profdata_warning(path, "%s", profdata_message(message, err));
}

/*
 * Under --failure-mode=any, the first bad input decides: others are looked
 * through only to be told.  Else, an input is taken if all of it is good.
 */
static void
take_input(struct run *r, const struct profdata_input *in)
{
	struct profdata *p = r->p;
	bool any = p->options.failure_mode == PROFDATA_FAIL_ANY;
	struct look l = { .run = r };
	struct prof_error err = { 0 };
	enum prof_status status;
	bool empty = false;

	r->weight = in->weight;
	profdata_look_first(p, any && r->bad == 0 ? NULL : look, &l);
	status = profdata_read(p, in->path, any && r->bad != 0 ? NULL :
	    profdata_stage_put, r->stage, &empty, &err);
	if (status != PROF_FAIL || empty)
		return;
	r->bad++;
	tell_bad(in->path, &err);
}

/* What is read last: the traces that are left, or nothing. */
static void
add_rest(struct run *r)
{
	struct prof_record in = { .kind = PROF_REC_PROFILE };
	struct prof_error err = { 0 };
	enum prof_status status;

	if (r->any && !r->temporal)
		return;
	if (r->temporal) {
		in.u.profile.flags = PROF_TEMPORAL;
		in.u.profile.has_trace_stream_size = true;
		in.u.profile.trace_stream_size = r->traces.kept.seen;
	}
	status = merge_add(r->sum, &in, NULL, &err);
	for (size_t i = 0; i < r->traces.kept.size && status == PROF_OK; i++) {
		in = (struct prof_record){ .kind = PROF_REC_TRACE,
		    .u.trace = r->traces.kept.traces[i] };
		status = merge_add(r->sum, &in, NULL, &err);
	}
	in = (struct prof_record){ .kind = PROF_REC_END };
	if (status != PROF_OK ||
	    merge_add(r->sum, &in, NULL, &err) != PROF_OK)
		profdata_fail(NULL, "%s", err.reason);
}

/* The indexed version that a release writes; IndexedInstrProf::Version. */
static unsigned
version_of(const struct profdata *p)
{
	static const unsigned char versions[] = {
		[13] = 7, [14] = 7, [15] = 8, [16] = 9, [17] = 10, [18] = 11,
		[19] = 12, [20] = 12, [21] = 12, [22] = 13,
	};

	if (p->options.previous_version && profdata_since(p, 19))
		return 11;
	return versions[p->release];
}

/* One above what a release writes unless it is told otherwise. */
static unsigned
memprof_version_of(const struct profdata *p)
{
	if (p->options.memprof_version != 0)
		return p->options.memprof_version;
	return profdata_since(p, 20) && version_of(p) > 11 ? 4 : 1;
}

static struct prof_target
target_of(const struct profdata *p)
{
	const struct profdata_options *o = &p->options;
	struct prof_target t = { .format = o->format != 0 ? "text" :
	    "indexed", .no_vtable_names = !o->keep_vtables,
	    .as_arrived = true };

	if (o->format == 0) {
		t.version = version_of(p);
		t.memprof_version = memprof_version_of(p);
		t.memprof_full_schema = o->memprof_full;
	}
	return t;
}

static void
write_sum(struct run *r)
{
	struct profdata *p = r->p;
	const char *path = p->options.output == NULL ? "-" :
	    p->options.output;
	struct merge_output how = { .sparse = p->options.sparse,
	    .heap_as_read = true, .as_arrived = p->options.format == 0 };
	struct prof_target target = target_of(p);
	struct prof_error err = { 0 };
	struct output *out = output_open(path, p->options.format == 0, &err);
	struct prof_writer *w = out == NULL ? NULL :
	    prof_writer_new(p->context, &target, output_write, out, &err);

	if (w == NULL || merge_write(r->sum, &how, w, &err) != PROF_OK ||
	    prof_finish(w, &err) != PROF_OK)
		profdata_fail(err.code == PROF_E_SYSTEM ? path : NULL, "%s",
		    err.reason);
	prof_writer_free(w);
	if (output_commit(out, &err) != PROF_OK)
		profdata_fail(path, "%s", err.reason);
}

static void
add_pattern(struct run *r, enum filter_side side, const char *pattern)
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
begin(struct run *r)
{
	const struct profdata_options *o = &r->p->options;

	r->sum = merge_new(profdata_warn, r->p);
	if (r->sum == NULL)
		profdata_out_of_memory();
	traces_start(&r->traces, o->reservoir, o->trace_length,
	    profdata_since(r->p, 20));
	add_pattern(r, FILTER_KEEP, o->function);
	add_pattern(r, FILTER_DROP, o->no_function);
	r->stage = profdata_stage_new(r->p, add, r);
}

static void
run_free(struct run *r)
{
	merge_free(r->sum);
	filter_free(r->filter);
	symtab_free(&r->names);
	symtab_free(&r->dropped);
	traces_free(&r->traces);
	profdata_shapes_free(&r->shapes);
	profdata_stage_free(r->stage);
	profdata_inputs_free(&r->inputs);
}

static void
run(struct run *r)
{
	const struct profdata_options *o = &r->p->options;
	struct prof_error err = { 0 };

	begin(r);
	for (size_t i = 0; i < r->inputs.size; i++)
		take_input(r, &r->inputs.items[i]);
	if ((r->bad != 0 && o->failure_mode == PROFDATA_FAIL_ANY) ||
	    (r->bad == r->inputs.size && o->failure_mode ==
	    PROFDATA_FAIL_ALL))
		profdata_fail(NULL, "no profile can be merged");
	if (profdata_stage_finish(r->stage, &err) != PROF_OK)
		profdata_fail(NULL, "%s", err.reason);
	add_rest(r);
	if (r->filter != NULL)
		fprintf(stderr, "%zu of %zu functions in the original profile "
		    "are filtered.\n", r->dropped.size, r->names.size);
	if (r->text_drops_heap)
		profdata_warning(NULL, "text cannot hold heap profiles: they "
		    "are left out");
	else if (r->has_data && memprof_version_of(r->p) < 5)
		profdata_warning(NULL, "data access profiles are left out: "
		    "--memprof-version=4 keeps them");
	write_sum(r);
}

int
profdata_merge(struct profdata *p)
{
	struct run r = { .p = p };

	profdata_inputs_find(p, &r.inputs);
	if (p->options.dump_inputs) {
		for (size_t i = 0; i < r.inputs.size; i++)
			printf("%" PRIu64 ",%s\n", r.inputs.items[i].weight,
			    r.inputs.items[i].path);
		profdata_inputs_free(&r.inputs);
		return fclose(stdout) == EOF;
	}
	run(&r);
	run_free(&r);
	return 0;
}
