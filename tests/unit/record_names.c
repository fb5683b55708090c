/* The names that records of each kind have by reference. */
#include "model/record.h"

#include "tests/support/test.h"

static struct prof_span
name_of(size_t size)
{
	static const uint8_t bytes[2 * RECORD_FRAME_NAME];

	return (struct prof_span){ bytes, size };
}

static void
test_functions(void)
{
	const struct prof_value values[] = {
		{ .name = name_of(3) }, { .name = name_of(4) },
	};
	const struct prof_site sites[] = { { NULL, 0 }, { values, 2 } };
	struct prof_record r = { PROF_REC_FUNCTION, { .function = {
	    .symbol.name = name_of(9) } } };
	struct prof_sites *kinds = r.u.function.values;

	check(record_names_size(&r) == 0 && !record_may_have_names(&r),
	    "a function without values");
	kinds[PROF_MEM_OP_SIZE] = (struct prof_sites){ sites, 2 };
	check(record_names_size(&r) == 0 && !record_may_have_names(&r),
	    "sizes have no names");
	kinds[PROF_VTABLE_TARGET] = (struct prof_sites){ sites, 2 };
	check(record_names_size(&r) == 7 && record_may_have_names(&r),
	    "vtables of values");
	kinds[PROF_INDIRECT_CALL_TARGET] = (struct prof_sites){ sites + 1, 1 };
	check(record_names_size(&r) == 14 &&
	    record_names_of_targets(&r.u.function) == 14,
	    "and targets of calls");
}

static uint64_t
names_of_frames(const struct prof_frame *frames, size_t n)
{
	return record_names_size(&(struct prof_record){ PROF_REC_STACK, {
	    .stack = { .frames = frames, .frames_size = n } } });
}

/* Only what names, or files, have beyond RECORD_FRAME_NAME on average. */
static void
test_frames(void)
{
	const struct prof_frame frames[] = {
		{ .function.name = name_of(RECORD_FRAME_NAME + 2),
		    .file = name_of(RECORD_FRAME_NAME + 5) },
		{ .function.name = name_of(RECORD_FRAME_NAME - 1),
		    .file = name_of(RECORD_FRAME_NAME) },
		{ .function.name = name_of(7), .file = name_of(9) },
	};

	check(names_of_frames(frames, 1) == 7, "long names of a frame");
	check(names_of_frames(frames, 2) == 6, "and of two");
	check(names_of_frames(frames, 3) == 0, "short names make up for it");
	check(names_of_frames(frames, 0) == 0, "no frames");
}

static void
test_others(void)
{
	const struct prof_symbol symbols[] = {
		{ .name = name_of(3) }, { .guid = 5 }, { .name = name_of(6) },
	};
	const struct prof_location places[] = {
		{ .file = name_of(2) }, { .file = name_of(8) },
	};
	const struct {
		const char *what;
		uint64_t size;
		struct prof_record r;
	} rows[] = {
		{ "a trace", 9, { PROF_REC_TRACE, { .trace = { 1, symbols,
		    3 } } } },
		{ "a vtable", 3, { PROF_REC_VTABLE, { .vtable = { .symbol =
		    symbols[0] } } } },
		{ "a data access", 10, { PROF_REC_DATA_ACCESS, {
		    .data_access = { .locations = places, .size = 2 } } } },
		{ "a block", 12, { PROF_REC_BLOCK, { .block = {
		    .repeated_names = 12 } } } },
		{ "an end", 0, { .kind = PROF_REC_END } },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		check(record_names_size(&rows[i].r) == rows[i].size,
		    "names of %s", rows[i].what);
}

int
main(void)
{
	test_functions();
	test_frames();
	test_others();
	return done_testing();
}
