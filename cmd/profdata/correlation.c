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
#include "io/map.h"

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

struct binary *
profdata_open_binary(struct profdata *p, const char *path)
{
	struct prof_error err = { 0 };
	struct binary *b;

	profdata_require_file(path);
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

void
profdata_limited_warn(void *arg, const struct prof_error *e)
{
	struct profdata_limited_warnings *t = arg;

	if (t->max == 0 || t->count < t->max)
		profdata_warning(NULL, "%s", e->reason);
	t->count++;
}

void
profdata_limited_end(const struct profdata_limited_warnings *t)
{
	if (t->max != 0 && t->count > t->max)
		profdata_warning(NULL, "Suppressed %" PRIu64 " additional "
		    "warnings", t->count - t->max);
}

static bool
binary_lacks(struct binary *b, const char *section)
{
	struct binary_section s;

	return binary_section(b, section, &s, NULL) == PROF_END;
}

void
profdata_require_section(struct binary *b, const char *name)
{
	if (binary_lacks(b, name))
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
