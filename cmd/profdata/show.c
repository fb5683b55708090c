/* llvm-profdata show */
#include "config.h"

#include "cmd/profdata/profdata.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/numbers.h"
#include "cmd/common/messages.h"
#include "model/record.h"
#include "model/summary.h"
#include "model/value_sites.h"

/* The sites of one value kind, counted by how many values they have. */
struct profdata_sites {
	uint64_t sites, with_values, values;
	uint64_t *histogram;		/* [n]: sites of n + 1 values */
	size_t size;
};

struct profdata_hot {
	struct prof_span name;
	uint64_t max, place;		/* place in the file */
};

struct profdata_show_state {
	struct profdata *p;
	struct profdata_out *out;
	struct prof_header header;	/* of the first profile */
	bool any;			/* a profile was read */
	struct summary summary;
	uint64_t shown;			/* functions */
	uint64_t below;			/* functions below --value-cutoff */
	struct profdata_sites sites[PROF_VALUE_KINDS];
	struct arena arena;		/* names */
	struct profdata_hot *hot;	/* in the order of the file */
	size_t hot_size, hot_room;
	struct buf ids, traces;		/* text to be printed at the end */
	uint64_t trace_count, traces_seen;
	bool has_traces_seen;
};

/* llvm-profdata show: the lines of one function. */

static void
profdata_show_head(struct profdata_show_state *s, const struct prof_function *f)
{
	if (s->shown++ == 0)
		profdata_print(s->out, "Counters:\n");
	profdata_print(s->out, "  ");
	profdata_put(s->out, f->symbol.name);
	profdata_print(s->out, ":\n    Hash: 0x%016" PRIx64 "\n"
	    "    Counters: %zu", f->hash, f->counts_size);
}

static void
print_block_counts(struct profdata_show_state *s, const struct prof_function *f)
{
	/* The front end's first counter is printed as the function count. */
	size_t first = s->header.level != PROF_LEVEL_IR;

	profdata_print(s->out, "    Block counts: [");
	for (size_t i = first; i < f->counts_size; i++)
		profdata_print(s->out, "%s%" PRIu64, i == first ? "" : ", ",
		    f->counts[i]);
	profdata_print(s->out, "]\n");
}

static void
count_value_site(struct profdata_sites *all, size_t values)
{
	if (values > all->size) {
		uint64_t *more = realloc(all->histogram,
		    values * sizeof(*more));

		if (more == NULL)
			profdata_out_of_memory();
		all->histogram = more;
		while (all->size < values)
			all->histogram[all->size++] = 0;
	}
	all->histogram[values - 1]++;
	all->with_values++;
	all->values += values;
}

static void
print_value(struct profdata_show_state *s, enum prof_value_kind kind,
    size_t site, const struct prof_value *v, uint64_t sum)
{
	profdata_print(s->out, "\t[ %2zu, ", site);
	if (kind == PROF_MEM_OP_SIZE)
		profdata_print(s->out, "%4" PRIu64, v->value);
	else
		profdata_put(s->out, v->name);
	profdata_print(s->out, ", %10" PRId64 " ] (%.2f%%)\n",
	    (int64_t)v->count, (double)v->count * 100.0 / (double)sum);
}

/* Sums are modulo 2^64, as LLVM has them. */
static void
print_value_sites(struct profdata_show_state *s, enum prof_value_kind kind,
    const struct prof_sites *sites)
{
	struct profdata_sites *all = &s->sites[kind];

	all->sites += sites->size;
	for (size_t i = 0; i < sites->size; i++) {
		const struct prof_site *site = &sites->sites[i];
		uint64_t sum = 0;

		if (site->size == 0)
			continue;
		count_value_site(all, site->size);
		for (size_t k = 0; k < site->size; k++)
			sum += site->values[k].count;
		for (size_t k = 0; k < site->size; k++)
			print_value(s, kind, i, &site->values[k],
			    sum == 0 ? 1 : sum);
	}
}

/* Value kinds in the order in which LLVM shows them, and its words. */
static const struct {
	enum prof_value_kind kind;
	const char *count, *results, *title;
	bool hides_none;		/* no lines of functions without */
} site_words[] = {
	{ PROF_INDIRECT_CALL_TARGET, "Indirect Call Site Count",
	    "Indirect Target Results", "indirect call sites", false },
	{ PROF_VTABLE_TARGET, "Number of instrumented vtables",
	    "VTable Results", "vtable", false },
	{ PROF_MEM_OP_SIZE, "Number of Memory Intrinsics Calls",
	    "Memory Intrinsic Size Results", "memory intrinsic calls sizes",
	    true },
};

enum { SITE_WORDS = sizeof(site_words) / sizeof(site_words[0]) };

static bool
are_sites_shown(const struct profdata_show_state *s, size_t words)
{
	const struct profdata_options *o = &s->p->options;
	const bool shown[] = { o->ic_targets, o->vtables, o->memop_sizes };

	return shown[words];
}

static bool
are_function_sites_shown(const struct profdata_show_state *s,
    const struct prof_function *f, size_t words)
{
	return are_sites_shown(s, words) && (!site_words[words].hides_none ||
	    f->values[site_words[words].kind].size != 0);
}

static void
profdata_show_function(struct profdata_show_state *s,
    const struct prof_function *f)
{
	profdata_show_head(s, f);
	profdata_print(s->out, "\n");
	if (s->header.level != PROF_LEVEL_IR && f->counts_size != 0)
		profdata_print(s->out, "    Function count: %" PRIu64 "\n",
		    f->counts[0]);
	for (size_t i = 0; i < SITE_WORDS; i++) {
		if (are_function_sites_shown(s, f, i))
			profdata_print(s->out, "    %s: %zu\n",
			    site_words[i].count,
			    f->values[site_words[i].kind].size);
	}
	if (s->p->options.counts)
		print_block_counts(s, f);
	for (size_t i = 0; i < SITE_WORDS; i++) {
		if (!are_function_sites_shown(s, f, i))
			continue;
		profdata_print(s->out, "    %s:\n", site_words[i].results);
		print_value_sites(s, site_words[i].kind,
		    &f->values[site_words[i].kind]);
	}
}

static void
print_text_sites(struct profdata_show_state *s, int kind, const struct
    prof_sites *sites)
{
	profdata_print(s->out, "# ValueKind = %s:\n%d\n# NumValueSites:\n"
	    "%zu\n", words_value_kind_llvm[kind], kind, sites->size);
	for (size_t i = 0; i < sites->size; i++) {
		const struct prof_site *site = &sites->sites[i];

		profdata_print(s->out, "%zu\n", site->size);
		for (size_t k = 0; k < site->size; k++) {
			const struct prof_value *v = &site->values[k];

			if (kind == PROF_MEM_OP_SIZE)
				profdata_print(s->out, "%" PRIu64, v->value);
			else if (v->name.size == 0)
				profdata_print(s->out,
				    "** External Symbol **");
			else
				profdata_put(s->out, v->name);
			profdata_print(s->out, ":%" PRIu64 "\n", v->count);
		}
	}
}

/* InstrProfWriter::writeRecordInText. */
static void
profdata_show_text(struct profdata_show_state *s, const struct prof_function *f)
{
	int kinds = value_kinds_count(f->values);

	profdata_put(s->out, f->symbol.name);
	profdata_print(s->out, "\n# Func Hash:\n%" PRIu64 "\n"
	    "# Num Counters:\n%zu\n# Counter Values:\n", f->hash,
	    f->counts_size);
	for (size_t i = 0; i < f->counts_size; i++)
		profdata_print(s->out, "%" PRIu64 "\n", f->counts[i]);
	if (f->bitmap.size != 0) {
		profdata_print(s->out, "# Num Bitmap Bytes:\n$%zu\n"
		    "# Bitmap Byte Values:\n", f->bitmap.size);
		for (size_t i = 0; i < f->bitmap.size; i++)
			profdata_print(s->out, "0x%x\n", f->bitmap.data[i]);
		profdata_print(s->out, "\n");
	}
	if (kinds != 0)
		profdata_print(s->out, "# Num Value Kinds:\n%d\n", kinds);
	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		if (f->values[k].size != 0)
			print_text_sites(s, k, &f->values[k]);
	}
	profdata_print(s->out, "\n");
}

/* llvm-profdata show: the lines behind the functions. */

static void
profdata_hot_add(struct profdata_show_state *s, const struct prof_function *f,
    uint64_t max)
{
	const struct profdata_options *o = &s->p->options;
	struct prof_span name;

	if (o->topn == 0 && !o->hot_functions)
		return;
	name = arena_copy(&s->arena, f->symbol.name);
	if (name.data == NULL || !ARRAY_ADD(s->hot, s->hot_size, s->hot_room,
	    (struct profdata_hot){ name, max, s->hot_size }))
		profdata_out_of_memory();
}

/* By count, the largest first; equal counts keep their order. */
static int
compare_hot(const void *a, const void *b)
{
	const struct profdata_hot *x = a, *y = b;

	return x->max != y->max ? compare_u64(y->max, x->max) :
	    compare_u64(x->place, y->place);
}

static void
profdata_show_top(struct profdata_show_state *s)
{
	uint64_t most = s->p->options.topn;
	size_t n = s->hot_size;

	if (n != 0)
		qsort(s->hot, n, sizeof(*s->hot), compare_hot);
	if (most == 0)
		return;
	profdata_print(s->out, "Top %" PRIu64 " functions with the largest "
	    "internal block counts: \n", most);
	for (size_t i = 0; i < n && i < most; i++) {
		profdata_print(s->out, "  ");
		profdata_put(s->out, s->hot[i].name);
		profdata_print(s->out, ", max count = %" PRIu64 "\n",
		    s->hot[i].max);
	}
}

static int
compare_cutoffs(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The cutoffs of the options, or LLVM's own, sorted; the caller frees them. */
static uint32_t *
sorted_cutoffs(const struct profdata_show_state *s, size_t *size)
{
	static const uint32_t old[] = {
		800000, 900000, 950000, 990000, 999000, 999900, 999990
	};
	const struct profdata_numbers *own = &s->p->options.cutoffs;
	bool few = !profdata_since(s->p, 15);
	uint32_t *cutoffs;

	*size = own->size != 0 ? own->size : few ? sizeof(old) /
	    sizeof(old[0]) : SUMMARY_CUTOFFS;
	cutoffs = calloc(*size, sizeof(*cutoffs));
	if (cutoffs == NULL)
		profdata_out_of_memory();
	for (size_t i = 0; i < *size; i++)
		cutoffs[i] = own->size != 0 ? (uint32_t)own->items[i] :
		    few ? old[i] : summary_cutoffs[i];
	qsort(cutoffs, *size, sizeof(*cutoffs), compare_cutoffs);
	return cutoffs;
}

static struct summary_entry *
detailed_entries(const struct profdata_show_state *s, size_t *size)
{
	uint32_t *cutoffs = sorted_cutoffs(s, size);
	struct summary_entry *entries = calloc(*size, sizeof(*entries));

	if (entries == NULL ||
	    !summary_entries(&s->summary, cutoffs, *size, entries))
		profdata_out_of_memory();
	free(cutoffs);
	return entries;
}

/* ProfileSummaryBuilder::getHotCountThreshold. */
static void
profdata_show_hot(struct profdata_show_state *s)
{
	enum { HOT = 990000 };
	struct summary_entry *entries;
	uint64_t threshold;
	size_t n, i = 0;

	if (!s->p->options.hot_functions || !profdata_since(s->p, 22))
		return;
	entries = detailed_entries(s, &n);
	while (i < n && entries[i].cutoff < HOT)
		i++;
	if (i == n)
		llvm_fail(NULL, "--hot-func-list needs a cutoff of %d or "
		    "more", HOT);
	threshold = entries[i].min_count;
	free(entries);
	profdata_print(s->out, "# Hot count threshold: %" PRIu64 "\n",
	    threshold);
	for (i = 0; i < s->hot_size && s->hot[i].max >= threshold; i++) {
		profdata_put(s->out, s->hot[i].name);
		profdata_print(s->out, "\n");
	}
}

static void
profdata_show_statistics(struct profdata_show_state *s)
{
	for (size_t w = 0; w < SITE_WORDS && s->shown != 0; w++) {
		const struct profdata_sites *all =
		    &s->sites[site_words[w].kind];

		if (!are_sites_shown(s, w))
			continue;
		profdata_print(s->out, "Statistics for %s profile:\n"
		    "  Total number of sites: %" PRIu64 "\n"
		    "  Total number of sites with values: %" PRIu64 "\n"
		    "  Total number of profiled values: %" PRIu64 "\n"
		    "  Value sites histogram:\n\tNumTargets, SiteCount\n",
		    site_words[w].title, all->sites, all->with_values,
		    all->values);
		for (size_t i = 0; i < all->size; i++) {
			if (all->histogram[i] != 0)
				profdata_print(s->out, "\t%zu, %" PRIu64 "\n",
				    i + 1, all->histogram[i]);
		}
	}
}

static void
profdata_show_totals(struct profdata_show_state *s)
{
	profdata_print(s->out, "Total number of blocks: %" PRIu64 "\n"
	    "Total count: %" PRIu64 "\n", s->summary.blocks,
	    s->summary.total_block_count);
}

static void
print_below_cutoff(struct profdata_show_state *s)
{
	uint64_t cutoff = s->p->options.value_cutoff;

	if (cutoff == 0)
		return;
	profdata_print(s->out, "Number of functions with maximum count (< %"
	    PRIu64 "): %" PRIu64 "\nNumber of functions with maximum count "
	    "(>= %" PRIu64 "): %" PRIu64 "\n", cutoff, s->below, cutoff,
	    s->summary.functions - s->below);
}

static void
profdata_show_summary(struct profdata_show_state *s)
{
	bool totals = profdata_since(s->p, 22);

	profdata_print(s->out, "Total functions: %" PRIu64 "\n",
	    s->summary.functions);
	if (!totals)
		print_below_cutoff(s);
	profdata_print(s->out, "Maximum function count: %" PRIu64 "\n"
	    "Maximum internal block count: %" PRIu64 "\n",
	    s->summary.max_function_count,
	    s->summary.max_internal_block_count);
	if (!totals)
		return;
	profdata_show_totals(s);
	print_below_cutoff(s);
}

static void
profdata_show_detailed(struct profdata_show_state *s)
{
	bool shares = profdata_since(s->p, 22);
	struct summary_entry *entries;
	size_t n;

	if (!s->p->options.detailed)
		return;
	if (!shares)
		profdata_show_totals(s);
	entries = detailed_entries(s, &n);
	profdata_print(s->out, "Detailed summary:\n");
	for (size_t i = 0; i < n; i++) {
		const struct summary_entry *e = &entries[i];
		double share = s->summary.blocks == 0 ? 0 :
		    (double)e->counts * 100.0 / (double)s->summary.blocks;

		profdata_print(s->out, "%" PRIu64 " blocks ", e->counts);
		if (shares)
			profdata_print(s->out, "(%.2f%%) ", share);
		profdata_print(s->out, "with count >= %" PRIu64
		    " account for %0.6g%s of the total counts.\n",
		    e->min_count, (double)((float)e->cutoff /
		    (float)SUMMARY_SCALE * 100), shares ? "%" : " percentage");
	}
	free(entries);
}

/* llvm-profdata show */

bool
profdata_selects(const struct profdata_options *o, struct prof_span name)
{
	return profdata_is_given(o->function) && name.size != 0 &&
	    memmem(name.data, name.size, o->function, strlen(o->function)) !=
	    NULL;
}

static void
show_counted_function(struct profdata_show_state *s,
    const struct prof_function *f, bool wanted)
{
	const struct profdata_options *o = &s->p->options;
	bool pseudo = profdata_knows_pseudo(s->p);
	uint64_t max = 0, sum = 0;

	for (size_t i = 0; i < f->counts_size; i++) {
		/* Until LLVM 15 the largest number was not counted. */
		if (!pseudo && f->counts[i] == UINT64_MAX)
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
show_covered_function(struct profdata_show_state *s,
    const struct prof_function *f)
{
	size_t i = 0;

	while (i < f->counts_size && f->counts[i] == 0)
		i++;
	if (i == f->counts_size)
		return;
	profdata_put(s->out, f->symbol.name);
	profdata_print(s->out, "\n");
}

static void
show_function_record(struct profdata_show_state *s,
    const struct prof_function *f)
{
	const struct profdata_options *o = &s->p->options;
	bool wanted = o->all_functions ||
	    profdata_selects(o, f->symbol.name);

	if (s->header.level == PROF_LEVEL_IR && o->context_sensitive !=
	    ((f->hash & HASH_CONTEXT_SENSITIVE) != 0))
		return;
	if (wanted && o->text) {
		profdata_show_text(s, f);
		return;
	}
	summary_add(&s->summary, f->counts, f->counts_size,
	    profdata_release(s->p)->summary_rule);
	if (o->covered)
		show_covered_function(s, f);
	else if (!prof_is_pseudo(f) || !profdata_knows_pseudo(s->p))
		show_counted_function(s, f, wanted);
	else if (wanted) {
		profdata_show_head(s, f);
		profdata_print(s->out, "    <Pseudo%s>\n",
		    f->counts[0] == PROF_COUNT_HOT ? "Hot" : "Warm");
	}
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

/* Heap profiles are refused before anything is printed. */
static enum prof_status
show_profile_record(struct profdata_show_state *s, const struct prof_header *h,
    struct prof_error *err)
{
	const struct profdata_options *o = &s->p->options;

	if (profdata_is_format(h, "memprof-raw") ||
	    profdata_is_format(h, "yaml"))
		return err_set(err, PROF_E_FORMAT, "this is a heap profile");
	if (h->has_trace_stream_size) {
		s->traces_seen = h->trace_stream_size;
		s->has_traces_seen = true;
	}
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
		digits_append_hex(&s->ids, r->u.build_id);
		buf_text(&s->ids, "\n");
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

	if (h->source.format == NULL || profdata_is_format(h, "text"))
		return 0;
	if (!profdata_is_format(h, "raw"))
		return word;
	if (h->level == PROF_LEVEL_IR)
		word |= (uint64_t)1 << 56;
	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
		if (h->flags & bits[i].flag)
			word |= (uint64_t)1 << bits[i].bit;
	}
	return word;
}

/* LLVM's readers print the title, each in its own way. */
static bool
has_ids_title(const struct profdata_show_state *s)
{
	if (profdata_is_format(&s->header, "text"))
		return false;
	return s->ids.size != 0 || (profdata_since(s->p, 17) &&
	    !profdata_is_format(&s->header, "raw"));
}

static void
print_ids_and_traces(struct profdata_show_state *s)
{
	const struct profdata_options *o = &s->p->options;

	if (o->binary_ids && has_ids_title(s)) {
		profdata_print(s->out, "Binary IDs: \n");
		profdata_put(s->out, buf_span(&s->ids));
	}
	if (o->version)
		profdata_print(s->out, "Profile version: %" PRIu64 "\n",
		    profile_version_word(&s->header));
	if (o->traces) {
		profdata_print(s->out, "Temporal Profile Traces (samples=%"
		    PRIu64 " seen=%" PRIu64 "):\n", s->trace_count,
		    s->has_traces_seen ? s->traces_seen : s->trace_count);
		profdata_put(s->out, buf_span(&s->traces));
	}
}

static void
print_totals(struct profdata_show_state *s)
{
	const struct profdata_options *o = &s->p->options;

	if (o->text || o->covered)
		return;
	print_instrumentation_level(s);
	if (o->all_functions || profdata_is_given(o->function))
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
	const char *path = p->options.operands[0];
	struct prof_error err = { 0 };

	if (s == NULL)
		profdata_out_of_memory();
	s->p = p;
	s->out = profdata_out_open(p);
	if (profdata_read(p, path, show_record, s, &err) != PROF_OK)
		profdata_fail_reading(p, path, &err);
	print_totals(s);
	profdata_out_close(s->out);
	show_state_free(s);
	return 0;
}

static void
check_show_operands(const struct profdata *p)
{
	const struct profdata_options *o = &p->options;

	if (o->operand_count == 0)
		llvm_fail(NULL, "the positional argument "
		    "'<profdata-file>' is required");
	if (strcmp(p->cli.output.path, "-") != 0 &&
	    strcmp(p->cli.output.path, o->operands[0]) == 0) {
		message_print("%s show: Input file name cannot be the same "
		    "as the output file name!\n", p->cli.name);
		exit(1);
	}
	profdata_require(NULL, o->operands[0]);
}

int
profdata_show(struct profdata *p)
{
	static const char *const formats[] = { "text", "JSON", "YAML" };
	unsigned format = p->options.show_format;

	check_show_operands(p);
	if (p->options.kind == PROFDATA_MEMORY)
		return profdata_show_memory(p);
	if (format != PROFDATA_TEXT)
		llvm_fail(NULL, "%s output is not supported for instr "
		    "profiles", formats[format]);
	return show_instr_profile(p);
}
