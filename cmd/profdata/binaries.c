/* What binaries tell: functions of counters, frames of addresses. */
#include "config.h"

#include "cmd/profdata/profdata.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/numbers.h"
#include "base/text.h"
#include "io/map.h"
#include "sym/correlate.h"
#include "sym/symbolize.h"

/*
 * Emits the functions of a correlated profile of
 * the binary in which nothing ran, and warns of functions whose debug
 * information is incomplete.  Returns the size of the counters in bytes; ends
 * the program if the binary has none.
 */
struct profdata_zero_profile {
	struct correlate *correlate;	/* of the binary */
	struct binary *binary;
	unsigned flags;			/* of the profile */
	correlate_emit *emit;
	void *arg;
};

/*
 * Warnings of correlate_warn_each: profdata_limited_warn, whose argument this
 * is, prints the first ones; profdata_limited_end prints the number of others.
 */
struct profdata_limited_warnings {
	uint64_t count, max;		/* max: 0 is all */
};

/*
 * llvm-profdata show --debug-info: the functions whose counters the debug
 * information of a binary describes.  A correlated profile in which nothing ran
 * has the same functions.
 */

/*
 * A section without contents only claims its size, for which memory is taken
 * here: it may be of so many bytes, and of so many for each byte of the file,
 * whose code or debug information has to describe all counters.
 */
#define CLAIM_FREE	((uint64_t)16 << 20)
#define CLAIM_RATIO	64

struct found_functions {
	struct prof_span *names;
	size_t size, room;
	struct arena arena;
};

static enum prof_status
add_found_function(void *arg, const struct prof_record *r,
    struct prof_error *err)
{
	struct found_functions *f = arg;
	struct prof_span name = r->u.function.symbol.name;

	(void)err;
	if (r->kind != PROF_REC_FUNCTION)
		return PROF_OK;
	if (!arena_keep(&f->arena, &name) ||
	    !ARRAY_ADD(f->names, f->size, f->room, name))
		profdata_out_of_memory();
	return PROF_OK;
}

static struct binary *
profdata_open_binary(struct profdata *p, const char *path)
{
	struct prof_error err = { 0 };
	struct binary *b;

	profdata_require(NULL, path);
	map_handle_errors();
	b = binary_open(path, &p->beside, &err);
	if (b == NULL && err.code == PROF_E_FORMAT)
		profdata_fail(path, "The file was not recognized as a valid "
		    "object file (%s)", err.reason);
	if (b == NULL)
		profdata_fail(NULL, "%s", err.reason);
	return b;
}

static uint64_t
counter_section_size(struct binary *b, const char *name)
{
	struct binary_section s = { 0 };
	struct prof_error err = { 0 };

	if (binary_section(b, name, &s, &err) == PROF_FAIL)
		profdata_fail(binary_path(b), "%s", err.reason);
	if (s.size > CLAIM_FREE && (s.size - CLAIM_FREE) / CLAIM_RATIO >
	    binary_file_size(b))
		profdata_fail(binary_path(b), "section %s of %" PRIu64
		    " bytes is too large for a file of %" PRIu64, name, s.size,
		    binary_file_size(b));
	return s.size;
}

static void
profdata_limited_warn(void *arg, const struct prof_error *e)
{
	struct profdata_limited_warnings *t = arg;

	if (t->max == 0 || t->count < t->max)
		profdata_warning(NULL, "%s", e->reason);
	t->count++;
}

static void
profdata_limited_end(const struct profdata_limited_warnings *t)
{
	if (t->max != 0 && t->count > t->max)
		profdata_warning(NULL, "Suppressed %" PRIu64 " additional "
		    "warnings", t->count - t->max);
}

static void
profdata_require_section(struct binary *b, const char *name)
{
	struct binary_section s;

	if (binary_section(b, name, &s, NULL) == PROF_END)
		profdata_fail(binary_path(b), "unable to correlate profile: "
		    "could not find section (%s)", name);
}

/* LLVM's reason first (InstrProfCorrelator.cpp), then ours. */
static void __attribute__((noreturn))
fail_uncorrelated(struct binary *b, unsigned flags,
    const struct prof_error *why)
{
	profdata_require_section(b, "__llvm_prf_cnts");
	if (flags & PROF_BINARY_CORRELATED) {
		profdata_require_section(b, "__llvm_covdata");
		profdata_require_section(b, "__llvm_covnames");
	}
	profdata_fail(binary_path(b), "unable to correlate profile: could not "
	    "find any profile data metadata in correlated file (%s)",
	    why->reason);
}

static enum prof_status
put_zero_counters(const struct profdata_zero_profile *z,
    const struct prof_raw_counters *counters, unsigned flags,
    struct prof_error *err)
{
	struct prof_record records[] = {
		{ .kind = PROF_REC_PROFILE, .u.profile = { .flags = flags,
		    .source.version = 10 } },
		{ .kind = PROF_REC_RAW_COUNTERS, .u.raw_counters = *counters },
		{ .kind = PROF_REC_END },
	};
	enum prof_status status = PROF_OK;

	for (size_t i = 0; i < 3 && status == PROF_OK; i++)
		status = correlate_put(z->correlate, &records[i], z->emit,
		    z->arg, err);
	return status;
}

static uint64_t
profdata_correlate_zero_counters(struct profdata *p,
    const struct profdata_zero_profile *z)
{
	struct correlate *c = z->correlate;
	struct binary *b = z->binary;
	uint64_t size = counter_section_size(b, "__llvm_prf_cnts");
	size_t bitmap = (size_t)counter_section_size(b, "__llvm_prf_bits");
	uint64_t *counts = calloc((size_t)size + 1, sizeof(*counts));
	uint8_t *bits = calloc(bitmap + 1, 1);
	struct prof_raw_counters counters = { counts, (size_t)size / 8,
	    { bits, bitmap } };
	struct profdata_limited_warnings t = {
		.max = p->options.correlation_warnings
	};
	struct prof_error err = { 0 }, coverage = { 0 };

	if (counts == NULL || bits == NULL)
		profdata_out_of_memory();
	correlate_warn_each(c, profdata_limited_warn, &t);
	if (put_zero_counters(z, &counters, z->flags, &err) != PROF_OK) {
		if (err.code == PROF_E_MEMORY)
			profdata_out_of_memory();
		/* Only a profile says whether counters are bytes: try both. */
		correlate_warn_each(c, NULL, NULL);
		counters.counts_size = (size_t)size;
		if (put_zero_counters(z, &counters, z->flags |
		    PROF_BYTE_COVERAGE, &coverage) != PROF_OK &&
		    coverage.code == PROF_E_MEMORY)
			profdata_out_of_memory();
		if (coverage.code != PROF_E_NONE)
			fail_uncorrelated(b, z->flags, &err);
	}
	correlate_warn_each(c, NULL, NULL);
	profdata_limited_end(&t);
	free(bits);
	free(counts);
	return size;
}

static void
print_found_functions(struct profdata *p, struct found_functions *f,
    uint64_t counters)
{
	struct profdata_out *out = profdata_out_open(p);

	prof_span_sort(f->names, f->size);
	for (size_t i = 0; p->options.prof_sym_list && i < f->size; i++) {
		profdata_put(out, f->names[i]);
		profdata_print(out, "\n");
	}
	if (p->options.detailed)
		profdata_print(out, "Counters section size: 0x%" PRIx64
		    " bytes\n", counters);
	profdata_print(out, "Found %zu functions\n", f->size);
	profdata_out_close(out);
}

int
profdata_show_correlation(struct profdata *p)
{
	struct found_functions f = { 0 };
	struct binary *b = profdata_open_binary(p, p->options.debug_info);
	struct correlate *c = correlate_new(&b, 1, &p->beside, profdata_warn,
	    p);
	uint64_t counters;

	if (c == NULL)
		profdata_out_of_memory();
	counters = profdata_correlate_zero_counters(p,
	    &(struct profdata_zero_profile){ c, b, PROF_DEBUG_INFO_CORRELATED,
	    add_found_function, &f });
	print_found_functions(p, &f, counters);
	correlate_free(c);
	binary_close(b);
	arena_free(&f.arena);
	free(f.names);
	return 0;
}

/*
 * llvm-profdata show --debug-info --show-format=yaml: what debug information
 * says of each function's counters (InstrProfCorrelator.cpp, dumpYaml, LLVM 16
 * to 22).
 */

static void
put_probe_key(struct yaml_text *t, const char *key)
{
	yaml_line(t, 4);
	yaml_key(t, key);
}

/* Hex64 of LLVM's YAML: capital letters. */
static void
put_probe_hex(struct yaml_text *t, const char *key, uint64_t n)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIX64, n);
	put_probe_key(t, key);
	yaml_put(t, text);
}

static enum prof_status
put_probe(void *arg, const struct correlate_probe *p, struct prof_error *err)
{
	struct yaml_text *t = arg;

	yaml_item(t, 4);
	yaml_key(t, "Function Name");
	yaml_put_string(t, p->name, false);
	if (p->linkage_name.size != 0) {
		put_probe_key(t, "Linkage Name");
		yaml_put_string(t, p->linkage_name, false);
	}
	put_probe_hex(t, "CFG Hash", p->hash);
	put_probe_hex(t, "Counter Offset", p->counters);
	put_probe_key(t, "Num Counters");
	yaml_put_number(t, p->num_counters);
	if (p->file.size != 0) {
		put_probe_key(t, "File");
		yaml_put_string(t, p->file, false);
	}
	if (p->line > 0) {
		put_probe_key(t, "Line");
		yaml_put_number(t, (uint64_t)p->line);
	}
	return t->out.failed ? err_memory(err) : PROF_OK;
}

int
profdata_show_probes(struct profdata *p)
{
	struct binary *b = profdata_open_binary(p, p->options.debug_info);
	struct profdata_limited_warnings limited = {
	    .max = p->options.correlation_warnings };
	struct yaml_text t = { .first = false };
	struct correlate_visitor v = { .visit = put_probe, .arg = &t,
	    .warn = profdata_limited_warn, .warn_arg = &limited };
	struct prof_error err = { 0 };
	struct profdata_out *out;
	size_t empty;

	profdata_require_section(b, "__llvm_prf_cnts");
	yaml_put(&t, "---\nProbes:");
	empty = t.out.size;
	if (correlate_visit_probes(b, &v, &err) != PROF_OK &&
	    err.code != PROF_E_UNSUPPORTED)
		profdata_fail(binary_path(b), "unable to correlate profile: "
		    "%s", err.reason);
	profdata_limited_end(&limited);
	if (t.out.size == empty)
		profdata_fail(binary_path(b), "unable to correlate profile: "
		    "could not find any profile data metadata in debug info");
	yaml_put(&t, "\n...\n");
	out = profdata_out_open(p);
	profdata_put(out, buf_span(&t.out));
	profdata_out_close(out);
	buf_free(&t.out);
	binary_close(b);
	return 0;
}

enum { MOST_BINARIES = 3 };

struct profdata_resolver {
	const struct profdata *p;
	profdata_record *next;
	void *arg;
	struct binary *binaries[MOST_BINARIES];
	size_t count;
	struct binary_search search;
	struct correlate *correlate;
	struct symbolize *symbolize;
	struct buf ids;			/* of segments, for a message */
	bool matched;			/* a segment is of a binary */
};

/* Sets where binaries are found by build id; false if nowhere. */
static bool
resolver_set_search(struct profdata_resolver *s, struct profdata *p)
{
	const struct profdata_options *o = &p->options;
	bool any = o->debuginfod || o->debug_dirs.size != 0;

	if (any && o->correlate == PROFDATA_CORRELATE_NOT)
		profdata_fail(NULL, "Expected --correlate when %s is provided",
		    o->debuginfod ? "--debuginfod" : "--debug-file-directory");
	if (!any && o->correlate != PROFDATA_CORRELATE_NOT)
		profdata_fail(NULL, "Expected --debuginfod or "
		    "--debug-file-directory when --correlate is provided");
	s->search = (struct binary_search){ o->debug_dirs.items,
	    o->debug_dirs.size, o->debuginfod,
	    &p->work };
	return any;
}

static enum prof_status
discard_record(void *arg, const struct prof_record *r, struct prof_error *err)
{
	(void)arg;
	(void)r;
	(void)err;
	return PROF_OK;
}

/* LLVM correlates the binary before it reads any input, and so warns first. */
static void
resolver_check_binary(struct profdata_resolver *s, struct profdata *p)
{
	bool debug = profdata_is_given(p->options.debug_info);

	if (debug && profdata_is_given(p->options.binary_file))
		profdata_fail(NULL, "Expected only one of -debug-info, "
		    "-binary-file, -debuginfod or -debug-file-directory");
	if (debug || profdata_is_given(p->options.binary_file))
		profdata_correlate_zero_counters(p,
		    &(struct profdata_zero_profile){ s->correlate,
		    s->binaries[0], debug ? PROF_DEBUG_INFO_CORRELATED :
		    PROF_BINARY_CORRELATED, discard_record, NULL });
}

struct profdata_resolver *
profdata_resolver_new(struct profdata *p, profdata_record *next, void *arg)
{
	struct profdata_resolver *s = calloc(1, sizeof(*s));
	const char *const paths[MOST_BINARIES] = { p->options.debug_info,
	    p->options.binary_file, p->options.profiled_binary };
	struct symbolize_options o = { .drop = true, .search = &p->beside,
	    .warn = profdata_warn, .warn_arg = p };
	struct prof_error err = { 0 };
	bool search;

	if (s == NULL)
		profdata_out_of_memory();
	s->p = p;
	s->next = next;
	s->arg = arg;
	search = resolver_set_search(s, p);
	for (size_t i = 0; i < MOST_BINARIES; i++) {
		if (profdata_is_given(paths[i]))
			s->binaries[s->count++] = profdata_open_binary(p,
			    paths[i]);
	}
	if (search || s->count != 0) {
		s->correlate = correlate_new(s->binaries, s->count, &s->search,
		    profdata_warn, p);
		if (s->correlate == NULL)
			profdata_out_of_memory();
		resolver_check_binary(s, p);
	}
	if (s->count == 0)
		return s;
	o.binaries = s->binaries;
	o.binary_count = s->count;
	s->symbolize = symbolize_new(&o, &err);
	if (s->symbolize == NULL)
		profdata_out_of_memory();
	return s;
}

static void
resolver_note_build_id(struct profdata_resolver *s, struct prof_span id)
{
	if (id.size == 0)
		return;
	for (size_t i = 0; i < s->count; i++)
		s->matched |= prof_span_equal(id,
		    binary_build_id(s->binaries[i]));
	buf_put(&s->ids, " BuildId: ", 10);
	digits_append_hex(&s->ids, id);
	buf_put(&s->ids, "\n", 1);
}

/*
 * A stack of addresses ends the run, whatever --failure-mode, if no binary is
 * given or none is of the profile (RawMemProfReader::create; loadInput).
 */
static void
resolver_require_binary(const struct profdata_resolver *s)
{
	const char *where = s->p->command == PROFDATA_MERGE ? s->p->file : NULL;
	int size = (int)s->ids.size;
	const char *ids = size == 0 ? "" : (const char *)s->ids.data;

	if (s->symbolize == NULL)
		profdata_fail(where, "\nPath to profiled binary is empty, "
		    "expected binary with one of the following build ids:\n\n"
		    "%.*s", size, ids);
	if (size != 0 && !s->matched)
		profdata_fail(where, "No matching executable segments found in "
		    "binary %s\nThe segments of the profile have other build "
		    "ids than the binary:\n\n%.*s", binary_path(s->binaries[
		    s->count - 1]), size, ids);
}

static enum prof_status
resolver_symbolize(void *arg, const struct prof_record *in,
    struct prof_error *err)
{
	struct profdata_resolver *s = arg;
	struct prof_record out;
	enum prof_status status;

	if (in->kind == PROF_REC_SEGMENT)
		resolver_note_build_id(s, in->u.segment.build_id);
	if (in->kind == PROF_REC_STACK && in->u.stack.frames_size == 0 &&
	    in->u.stack.pcs_size != 0)
		resolver_require_binary(s);
	if (s->symbolize == NULL)
		return s->next(s->arg, in, err);
	status = symbolize_record(s->symbolize, in, &out, err);
	if (status != PROF_OK)
		return status == PROF_END ? PROF_OK : PROF_FAIL;
	return s->next(s->arg, &out, err);
}

bool
profdata_resolver_correlates(const struct profdata_resolver *s,
    struct prof_error *err)
{
	if (s->correlate == NULL)
		err_set(err, PROF_E_UNSUPPORTED, "unable to correlate "
		    "profile: debug info/binary for correlation is required, "
		    "name it with --debug-info or --binary-file");
	return s->correlate != NULL;
}

enum prof_status
profdata_resolver_put(void *arg, const struct prof_record *r,
    struct prof_error *err)
{
	struct profdata_resolver *s = arg;

	if (r->kind == PROF_REC_PROFILE) {
		s->ids.size = 0;
		s->matched = false;
	}
	if (s->correlate != NULL)
		return correlate_put(s->correlate, r, resolver_symbolize, s,
		    err);
	return r->kind == PROF_REC_RAW_COUNTERS &&
	    !profdata_resolver_correlates(s, err) ? PROF_FAIL :
	    resolver_symbolize(s, r, err);
}

enum prof_status
profdata_resolver_finish(struct profdata_resolver *s, struct prof_error *err)
{
	return s->symbolize == NULL ? PROF_OK :
	    symbolize_finish(s->symbolize, err);
}

void
profdata_resolver_free(struct profdata_resolver *s)
{
	if (s == NULL)
		return;
	symbolize_free(s->symbolize);
	correlate_free(s->correlate);
	for (size_t i = 0; i < s->count; i++)
		binary_close(s->binaries[i]);
	buf_free(&s->ids);
	free(s);
}
