/* llvm-profdata show */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "base/error.h"
#include "cmd/common/messages.h"
#include "cmd/profdata/show.h"

#define CONTEXT_SENSITIVE_HASH ((uint64_t)1 << 60)

static bool
is_function_shown(const struct profdata_options *o,
    const struct prof_function *f)
{
	return o->all_functions || profdata_selects(o, f->symbol.name);
}

static void
show_counted_function(struct profdata_show_state *s,
    const struct prof_function *f, bool wanted)
{
	const struct profdata_options *o = &s->p->options;
	bool all = !profdata_since(s->p, 16);
	uint64_t max = 0, sum = 0;

	for (size_t i = 0; i < f->counts_size; i++) {
		/* Until LLVM 15 the largest number was not counted. */
		if (all && f->counts[i] == UINT64_MAX)
			continue;
		sum += f->counts[i];
		if (f->counts[i] > max)
			max = f->counts[i];
	}
	if (max < o->value_cutoff) {
		s->below++;
		if (!o->list_below)
			return;
		profdata_print(s->out, "  ");
		profdata_put(s->out, f->symbol.name);
		profdata_print(s->out, ": (Max = %" PRIu64 " Sum = %" PRIu64
		    ")\n", max, sum);
		return;
	}
	if (o->list_below)
		return;
	profdata_hot_add(s, f, max);
	if (wanted)
		profdata_show_function(s, f);
}

static void
show_pseudo_function(struct profdata_show_state *s,
    const struct prof_function *f, bool wanted)
{
	if (!wanted)
		return;
	profdata_show_head(s, f);
	profdata_print(s->out, "    <Pseudo%s>\n",
	    f->counts[0] == PROF_COUNT_HOT ? "Hot" : "Warm");
}

static void
show_covered_function(struct profdata_show_state *s,
    const struct prof_function *f)
{
	bool any = false;

	for (size_t i = 0; i < f->counts_size && !any; i++)
		any = f->counts[i] != 0;
	if (!any)
		return;
	profdata_put(s->out, f->symbol.name);
	profdata_print(s->out, "\n");
}

static void
show_function_record(struct profdata_show_state *s,
    const struct prof_function *f)
{
	const struct profdata_options *o = &s->p->options;
	bool wanted = is_function_shown(o, f);

	if (s->header.level == PROF_LEVEL_IR && o->context_sensitive !=
	    ((f->hash & CONTEXT_SENSITIVE_HASH) != 0))
		return;
	if (wanted && o->text) {
		profdata_show_text(s, f);
		return;
	}
	summary_add(&s->summary, f->counts, f->counts_size,
	    profdata_since(s->p, 16) ? SUMMARY_SKIP_RECORD :
	    SUMMARY_SKIP_COUNTER);
	if (o->covered)
		show_covered_function(s, f);
	else if (prof_is_pseudo(f) && profdata_since(s->p, 16))
		show_pseudo_function(s, f, wanted);
	else
		show_counted_function(s, f, wanted);
}

static void
show_trace_record(struct profdata_show_state *s, const struct prof_trace *t)
{
	uint64_t number = s->trace_count++;

	if (!s->p->options.traces)
		return;
	buf_print(&s->traces, "  Temporal Profile Trace %" PRIu64 " (weight=%"
	    PRIu64 " count=%zu):\n", number, t->weight, t->size);
	for (size_t i = 0; i < t->size; i++) {
		struct prof_span name = t->functions[i].name;

		buf_put(&s->traces, "    ", 4);
		buf_put(&s->traces, name.data, name.size);
		buf_put(&s->traces, "\n", 1);
	}
}

static void
show_build_id(struct profdata_show_state *s, struct prof_span id)
{
	digits_append_hex(&s->ids, id);
	buf_put(&s->ids, "\n", 1);
}

/* Heap profiles are refused before anything is printed. */
static enum prof_status
show_profile_record(struct profdata_show_state *s, const struct prof_header *h,
    struct prof_error *err)
{
	const struct profdata_options *o = &s->p->options;

	if (h->source.format != NULL &&
	    (strcmp(h->source.format, "memprof-raw") == 0 ||
	    strcmp(h->source.format, "yaml") == 0))
		return err_set(err, PROF_E_FORMAT, "this is a heap profile");
	if (h->has_trace_stream_size) {
		s->traces_seen = h->trace_stream_size;
		s->has_traces_seen = true;
	}
	if (!profdata_release(s->p)->image_ids)
		s->ids.size = 0;
	if (s->any)
		return PROF_OK;
	s->any = true;
	profdata_copy_header(&s->header, h);
	if (o->text) {
		if (h->level == PROF_LEVEL_IR)
			profdata_print(s->out, ":ir\n");
	} else if (o->list_below)
		profdata_print(s->out, "The list of functions with the "
		    "maximum counter less than %" PRIu64 ":\n",
		    o->value_cutoff);
	return PROF_OK;
}

static enum prof_status
show_record(void *arg, const struct prof_record *r, struct prof_error *err)
{
	struct profdata_show_state *s = arg;

	switch (r->kind) {
	case PROF_REC_PROFILE:
		return show_profile_record(s, &r->u.profile, err);
	case PROF_REC_FUNCTION:
		show_function_record(s, &r->u.function);
		break;
	case PROF_REC_TRACE:
		show_trace_record(s, &r->u.trace);
		break;
	case PROF_REC_BINARY:
		show_build_id(s, r->u.build_id);
		break;
	case PROF_REC_RAW_COUNTERS:
		if (profdata_refuses_correlated(s->p, err))
			return PROF_FAIL;
		break;
	default:
		break;
	}
	return s->summary.failed || s->ids.failed || s->traces.failed ?
	    err_memory(err) : PROF_OK;
}

static void
print_instrumentation_level(struct profdata_show_state *s)
{
	bool ir = s->header.level == PROF_LEVEL_IR;

	profdata_print(s->out, "Instrumentation level: %s", ir ? "IR" :
	    "Front-end");
	if (ir)
		profdata_print(s->out, "  entry_first = %d",
		    (s->header.flags & PROF_ENTRY_FIRST) != 0);
	if (ir && profdata_since(s->p, 20))
		profdata_print(s->out, "  instrument_loop_entries = %d",
		    (s->header.flags & PROF_LOOP_ENTRIES) != 0);
	profdata_print(s->out, "\n");
}

/* For a raw profile LLVM prints the whole version word, with its flags. */
static uint64_t
profile_version_word(const struct prof_header *h)
{
	static const struct {
		unsigned flag, bit;
	} bits[] = {
		{ PROF_LOOP_ENTRIES, 55 }, { PROF_CONTEXT_SENSITIVE, 57 },
		{ PROF_ENTRY_FIRST, 58 }, { PROF_DEBUG_INFO_CORRELATED, 59 },
		{ PROF_BYTE_COVERAGE, 60 }, { PROF_FUNCTION_ENTRY_ONLY, 61 },
		{ PROF_TEMPORAL, 63 },
	};
	uint64_t word = h->source.version;

	if (h->source.format == NULL || strcmp(h->source.format, "text") == 0)
		return 0;
	if (strcmp(h->source.format, "raw") != 0)
		return word;
	if (h->level == PROF_LEVEL_IR)
		word |= (uint64_t)1 << 56;
	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
		if (h->flags & bits[i].flag)
			word |= (uint64_t)1 << bits[i].bit;
	}
	return word;
}

static void
print_buffer(struct profdata_show_state *s, const struct buf *b)
{
	profdata_put(s->out, buf_span(b));
}

static bool
is_profile_format(const struct prof_header *h, const char *format)
{
	return h->source.format != NULL &&
	    strcmp(h->source.format, format) == 0;
}

/* LLVM's readers print the title, each in its own way. */
static bool
has_ids_title(const struct profdata_show_state *s)
{
	if (is_profile_format(&s->header, "text"))
		return false;
	return s->ids.size != 0 || (profdata_since(s->p, 17) &&
	    !is_profile_format(&s->header, "raw"));
}

static void
print_ids_and_traces(struct profdata_show_state *s)
{
	const struct profdata_options *o = &s->p->options;

	if (o->binary_ids && has_ids_title(s)) {
		profdata_print(s->out, "Binary IDs: \n");
		print_buffer(s, &s->ids);
	}
	if (o->version)
		profdata_print(s->out, "Profile version: %" PRIu64 "\n",
		    profile_version_word(&s->header));
	if (o->traces) {
		profdata_print(s->out, "Temporal Profile Traces (samples=%"
		    PRIu64 " seen=%" PRIu64 "):\n", s->trace_count,
		    s->has_traces_seen ? s->traces_seen : s->trace_count);
		print_buffer(s, &s->traces);
	}
}

static void
print_totals(struct profdata_show_state *s)
{
	const struct profdata_options *o = &s->p->options;

	if (o->text || o->covered)
		return;
	print_instrumentation_level(s);
	if (o->all_functions || (o->function != NULL && *o->function != '\0'))
		profdata_print(s->out, "Functions shown: %" PRIu64 "\n",
		    s->shown);
	profdata_show_summary(s);
	profdata_show_top(s);
	profdata_show_hot(s);
	profdata_show_statistics(s);
	profdata_show_detailed(s);
	print_ids_and_traces(s);
}

static void
show_state_free(struct profdata_show_state *s)
{
	for (size_t i = 0; i < PROF_VALUE_KINDS; i++)
		free(s->sites[i].histogram);
	summary_free(&s->summary);
	arena_free(&s->arena);
	free(s->hot);
	buf_free(&s->ids);
	buf_free(&s->traces);
	free(s);
}

static int
show_instr_profile(struct profdata *p)
{
	struct profdata_show_state *s = calloc(1, sizeof(*s));
	const char *path = p->options.operands.items[0];
	struct prof_error err = { 0 };

	if (s == NULL)
		profdata_out_of_memory();
	s->p = p;
	s->out = profdata_out_open(p);
	if (profdata_read(p, path, show_record, s, &err) != PROF_OK) {
		profdata_out_discard(s->out);
		profdata_fail_reading(path, &err);
	}
	print_totals(s);
	profdata_out_close(s->out);
	show_state_free(s);
	return 0;
}

static bool
has_debug_info(const struct profdata_options *o)
{
	return o->debug_info != NULL && *o->debug_info != '\0';
}

static void
check_show_operands(const struct profdata *p)
{
	const struct profdata_options *o = &p->options;

	if (has_debug_info(o))
		return;
	if (o->operands.size == 0)
		profdata_fail(NULL, "the positional argument "
		    "'<profdata-file>' is required unless '--debug-info' is "
		    "provided");
	if (o->output != NULL && strcmp(o->output, "-") != 0 &&
	    strcmp(o->output, o->operands.items[0]) == 0) {
		message_print("%s show: Input file name cannot be the same "
		    "as the output file name!\n", p->name);
		exit(1);
	}
	profdata_require_file(o->operands.items[0]);
}

static int
show_debug_info(struct profdata *p)
{
	if (p->options.show_format == PROFDATA_JSON)
		profdata_fail(NULL, "JSON output is not supported for debug "
		    "info correlation");
	return p->options.show_format == PROFDATA_YAML ?
	    profdata_show_probes(p) : profdata_show_correlation(p);
}

int
profdata_show(struct profdata *p)
{
	static const char *const formats[] = { "text", "JSON", "YAML" };
	unsigned format = p->options.show_format;

	check_show_operands(p);
	if (has_debug_info(&p->options))
		return show_debug_info(p);
	if (p->options.kind == PROFDATA_MEMORY)
		return profdata_show_memory(p);
	if (format != PROFDATA_TEXT)
		profdata_fail(NULL, "%s output is not supported for instr "
		    "profiles", formats[format]);
	return show_instr_profile(p);
}
