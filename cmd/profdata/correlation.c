/*
 * llvm-profdata show --debug-info: the functions whose counters the debug
 * information of a binary describes.  A correlated profile in which nothing ran
 * has the same functions.
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/array.h"
#include "cmd/profdata/show.h"
#include "cmd/profdata/resolver.h"

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

/* Warnings of correlate_warn_each: printed up to a maximum, all counted. */
struct limited_warnings {
	uint64_t count, max;		/* most: 0 is all */
};

static void
print_limited_warning(void *arg, const struct prof_error *e)
{
	struct limited_warnings *t = arg;

	if (t->max == 0 || t->count < t->max)
		profdata_warning(NULL, "%s", e->reason);
	t->count++;
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

uint64_t
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
	struct limited_warnings t = { .max = p->options.correlation_warnings };
	struct prof_error err = { 0 }, coverage = { 0 };

	if (counts == NULL || bits == NULL)
		profdata_out_of_memory();
	correlate_warn_each(c, print_limited_warning, &t);
	if (put_zero_counters(z, &counters, z->flags, &err) != PROF_OK) {
		/* Only a profile says whether counters are bytes: try both. */
		correlate_warn_each(c, NULL, NULL);
		counters.counts_size = (size_t)size;
		if (put_zero_counters(z, &counters, z->flags |
		    PROF_BYTE_COVERAGE, &coverage) != PROF_OK)
			profdata_fail(binary_path(b), "unable to correlate "
			    "profile: %s", err.reason);
	}
	correlate_warn_each(c, NULL, NULL);
	if (t.max != 0 && t.count > t.max)
		profdata_warning(NULL, "Suppressed %" PRIu64 " additional "
		    "warnings", t.count - t.max);
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
	static const char *const formats[] = { "", "JSON", "YAML" };
	const char *path = p->options.debug_info;
	struct prof_error err = { 0 };
	struct found_functions f = { 0 };
	struct correlate *c;
	struct binary *b;
	uint64_t counters;

	if (p->options.show_format != PROFDATA_TEXT)
		profdata_fail(NULL, "%s output is not supported for debug info "
		    "correlation", formats[p->options.show_format]);
	profdata_require_file(path);
	b = binary_open(path, NULL, &err);
	if (b == NULL)
		profdata_fail(NULL, "%s", err.reason);
	c = correlate_new(&b, 1, NULL, profdata_warn, p);
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
