/*
 * Reads bytes as a program or debug file: sections, symbols and debug
 * information, for correlated counters and for heap profiles, which are made to
 * fit the file.
 */
#include "config.h"

#include <stdlib.h>

#include "base/arena.h"
#include "fuzz/file.h"
#include "fuzz/fuzz.h"
#include "sym/correlate.h"
#include "sym/sym.h"
#include "sym/symbolize.h"

enum { ADDRESSES_MAX = 256, SYMBOLS_MAX = 64, COUNTERS_MAX = 1 << 16 };

/* Addresses to look up: of symbols, and around segments. */
struct places {
	uint64_t address[ADDRESSES_MAX];
	size_t size;
};

static void
add_place(struct places *p, uint64_t address)
{
	if (p->size < ADDRESSES_MAX)
		p->address[p->size++] = address;
}

static void
find_places(struct binary *b, struct places *p)
{
	struct prof_error err = { 0 };
	struct symbols s = { 0 };

	p->size = 0;
	add_place(p, 0);
	add_place(p, UINT64_MAX);
	for (size_t i = 0; i < b->load_count && i < 8; i++) {
		add_place(p, b->loads[i].address);
		add_place(p, b->loads[i].address +
		    b->loads[i].memory_size / 2);
		add_place(p, b->loads[i].address + b->loads[i].memory_size);
	}
	demand(binary_symbols(b, &s, &err) == PROF_OK ||
	    err.reason[0] != '\0', "a failure has a reason");
	for (size_t i = 0; i < s.size && i < SYMBOLS_MAX; i++) {
		add_place(p, s.items[i].address);
		add_place(p, s.items[i].address + s.items[i].size / 2);
	}
	symbols_free(&s);
}

static void
read_sections(struct binary *b)
{
	static const char *const names[] = {
		"__llvm_prf_cnts", "__llvm_prf_bits", "__llvm_covdata",
		"__llvm_covnames", ".debug_info"
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct prof_error err = { 0 };
		struct binary_section s;
		uint8_t sum = 0;

		if (binary_section(b, names[i], &s, &err) != PROF_OK)
			continue;
		for (size_t k = 0; k < s.data.size; k++)
			sum ^= s.data.data[k];
		demand(sum == sum + 0, "a section can be read");
	}
}

/* Looks addresses up, without and with the rules of heap profiles. */
static void
find_frames(struct binary *b, const struct places *p)
{
	struct prof_error err = { 0 };
	Dwarf *dwarf = binary_dwarf(b, &err);
	struct frames *f = dwarf == NULL ? NULL : frames_new(dwarf,
	    b->file.work, &err);
	struct arena arena = { 0 };
	struct frame_list list;

	demand(dwarf != NULL || err.reason[0] != '\0',
	    "a failure has a reason");
	for (size_t i = 0; f != NULL && i < p->size; i++)
		demand(frames_find(f, p->address[i], &arena, &list, &err) ==
		    PROF_OK, "only memory may be missing");
	frames_free(f);
	arena_free(&arena);
}

static enum prof_status
drop_record(void *arg, const struct prof_record *r, struct prof_error *err)
{
	(void)err;
	*(size_t *)arg += r->kind == PROF_REC_FUNCTION;
	return PROF_OK;
}

/* As many counters and bytes of bitmaps as the binary has; false: too many. */
static bool
make_counters(struct binary *b, bool bytes, struct prof_raw_counters *out)
{
	struct binary_section counters = { 0 }, bits = { 0 };
	uint64_t *counts;
	uint8_t *bitmap;

	binary_section(b, "__llvm_prf_cnts", &counters, NULL);
	binary_section(b, "__llvm_prf_bits", &bits, NULL);
	if (counters.size > COUNTERS_MAX || bits.size > COUNTERS_MAX)
		return false;
	out->counts_size = (size_t)(bytes ? counters.size : counters.size / 8);
	out->bitmap.size = (size_t)bits.size;
	/* As large as they are, so that a read behind them is seen. */
	counts = calloc(out->counts_size, sizeof(*counts));
	bitmap = calloc(out->bitmap.size, 1);
	demand(counts != NULL && bitmap != NULL, "memory is enough");
	for (size_t i = 0; i < out->counts_size; i++)
		counts[i] = i % 3;
	out->counts = counts;
	out->bitmap.data = bitmap;
	return true;
}

/* A profile with as many counters as the binary, of any of these kinds. */
static void
correlate_profile(struct binary *b, unsigned flags, uint64_t version)
{
	struct prof_error err = { 0 };
	struct correlate *c = correlate_new(&b, 1, b->search, NULL, NULL);
	struct prof_record head = { .kind = PROF_REC_PROFILE, .u.profile = {
	    .flags = flags, .level = PROF_LEVEL_IR,
	    .source = { .version = version, .format = "raw" } } };
	struct prof_record r = { .kind = PROF_REC_RAW_COUNTERS };
	struct prof_raw_counters *raw = &r.u.raw_counters;
	size_t functions = 0;

	demand(c != NULL && correlate_put(c, &head, drop_record, &functions,
	    &err) == PROF_OK, "a header is held back");
	if (make_counters(b, (flags & PROF_BYTE_COVERAGE) != 0, raw)) {
		if (correlate_put(c, &r, drop_record, &functions, &err) ==
		    PROF_FAIL)
			demand(err.reason[0] != '\0' && err.code !=
			    PROF_E_MEMORY, "a failure has a reason");
		free((void *)(uintptr_t)raw->counts);
		free((void *)(uintptr_t)raw->bitmap.data);
	}
	correlate_free(c);
}

/* A heap profile whose addresses are those of the binary. */
static void
symbolize_stack(struct binary *b, const struct places *p, bool drop)
{
	const struct symbolize_options o = { .binaries = &b, .binary_count = 1,
	    .search = b->search, .drop = drop };
	struct prof_error err = { 0 };
	struct symbolize *s = symbolize_new(&o, &err);
	static uint64_t segments[ADDRESSES_MAX];	/* all of id 0 */
	struct prof_record in[] = {
		{ .kind = PROF_REC_PROFILE, .u.profile.kind = PROF_MEMPROF },
		{ .kind = PROF_REC_SEGMENT, .u.segment = { .has_range = true,
		    .end = UINT64_MAX, .build_id = binary_build_id(b) } },
		{ .kind = PROF_REC_STACK, .u.stack = { .id = 1,
		    .pcs = p->address, .pcs_size = p->size,
		    .segments = segments } },
		{ .kind = PROF_REC_END },
	};
	struct prof_record out;
	enum prof_status status = PROF_OK;

	demand(s != NULL, "memory is enough");
	for (size_t i = 0; i < sizeof(in) / sizeof(in[0]) &&
	    status != PROF_FAIL; i++)
		status = symbolize_record(s, &in[i], &out, &err);
	if (status != PROF_FAIL)
		status = symbolize_finish(s, &err);
	demand(status != PROF_FAIL || (err.reason[0] != '\0' &&
	    err.code != PROF_E_MEMORY), "a failure has a reason");
	symbolize_free(s);
}

static bool
add_size(void *arg, struct prof_span name)
{
	*(size_t *)arg += name.size;
	return true;
}

static void
visit_names(struct binary *b, size_t file_size)
{
	struct prof_error err = { 0 };
	size_t size = 0;

	demand(binary_visit_names(b, add_size, &size, &err) == PROF_OK ||
	    err.reason[0] != '\0', "a failure has a reason");
	demand(size <= WORK_FREE + WORK_RATIO * file_size,
	    "names are in proportion to the file");
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct work work = { .input = 0 };
	const struct binary_search search = { .work = &work };
	struct prof_error err = { 0 };
	struct binary *b = binary_open(file_of((struct prof_span){ data,
	    size }), &search, &err);
	struct places p;

	if (b == NULL) {
		demand(err.reason[0] != '\0', "a failure has a reason");
		return 0;
	}
	read_sections(b);
	find_places(b, &p);
	find_frames(b, &p);
	symbolize_stack(b, &p, false);
	symbolize_stack(b, &p, true);
	visit_names(b, size);
	correlate_profile(b, PROF_DEBUG_INFO_CORRELATED, 9);
	correlate_profile(b, PROF_DEBUG_INFO_CORRELATED | PROF_TEMPORAL, 10);
	correlate_profile(b, PROF_BINARY_CORRELATED, 10);
	correlate_profile(b, PROF_BINARY_CORRELATED | PROF_BYTE_COVERAGE, 11);
	binary_close(b);
	return 0;
}
