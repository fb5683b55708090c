/* Merges that go through files: every failure of a file, and what stays. */
#include "merge/merge.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "tests/support/memory_files.h"
#include "tests/support/test.h"

/* Functions in two orders, every fifth without its name, and traces. */
static enum prof_status
add_profile(struct merge *m, unsigned functions, unsigned step,
    struct prof_error *err)
{
	struct prof_record r = { .kind = PROF_REC_PROFILE };
	enum prof_status status = merge_add(m, &r, NULL, err);

	for (unsigned i = 0; i < functions && status == PROF_OK; i++) {
		const uint64_t counts[] = { i, step };
		char name[16];
		int size = snprintf(name, sizeof(name), "f%u",
		    i * step % functions);
		struct prof_symbol s = { { (const uint8_t *)name,
		    (size_t)size }, 0 };
		const struct prof_value target = { prof_guid(s.name), 1,
		    i % 2 != 0 ? s.name : (struct prof_span){ NULL, 0 } };
		const struct prof_site site = { &target, 1 };

		r = (struct prof_record){ .kind = PROF_REC_TRACE };
		r.u.trace = (struct prof_trace){ 1, &s, 1 };
		if (i % 8 == 0)
			status = merge_add(m, &r, NULL, err);
		if (i % 5 == step % 5)
			s = (struct prof_symbol){ { NULL, 0 },
			    target.value };
		r = (struct prof_record){ .kind = PROF_REC_FUNCTION };
		r.u.function = (struct prof_function){ .symbol = s,
		    .hash = 1, .counts = counts, .counts_size = 2,
		    .values[PROF_INDIRECT_CALL_TARGET] = { &site, 1 } };
		if (status == PROF_OK)
			status = merge_add(m, &r, NULL, err);
	}
	r = (struct prof_record){ .kind = PROF_REC_END };
	return status == PROF_OK ? merge_add(m, &r, NULL, err) : status;
}

/* The sum of two profiles, through files from so many bytes on; 0: never. */
static enum prof_status
sum_of(unsigned functions, struct memory_files *f, size_t bytes,
    const struct merge_output *o, struct buf *out, struct prof_error *err)
{
	static const struct prof_target target = { .format = "stream" };
	const struct merge_files files = memory_files_calls(f);
	struct merge *m = merge_new(NULL, NULL);
	struct prof_writer *w = prof_writer_new(NULL, &target, buf_sink, out,
	    err);
	enum prof_status status = PROF_OK;

	if (bytes != 0)
		status = merge_spill_to(m, bytes, &files, err);
	if (status == PROF_OK)
		status = add_profile(m, functions, 7, err);
	if (status == PROF_OK)
		status = add_profile(m, functions, 3, err);
	if (status == PROF_OK)
		status = merge_write(m, o, w, err);
	if (status == PROF_OK)
		status = prof_finish(w, err);
	prof_writer_free(w);
	merge_free(m);
	return status;
}

static enum prof_status
sum(struct memory_files *f, size_t bytes, const struct merge_output *o,
    struct buf *out, struct prof_error *err)
{
	return sum_of(40, f, bytes, o, out, err);
}

/* Runs are folded, and have more functions than a batch. */
static void
test_folds(size_t bytes, unsigned functions)
{
	const struct merge_output o = { .sparse = false };
	struct buf plain = { 0 }, out = { 0 };
	struct memory_files f = { 0 };
	struct prof_error err = { 0 };
	bool added = sum_of(functions, &f, 0, &o, &plain, &err) == PROF_OK &&
	    sum_of(functions, &f, bytes, &o, &out, &err) == PROF_OK;

	check(added && f.open == 0 && f.made > 16 && out.size == plain.size &&
	    memcmp(out.data, plain.data, out.size) == 0,
	    "%u functions, through %u files: %s", functions, f.made,
	    err.reason);
	buf_free(&plain);
	buf_free(&out);
}

static void
test_failures_of_files(size_t bytes)
{
	const struct merge_output o = { .sparse = false };
	struct buf plain = { 0 };
	struct prof_error err = { 0 };
	unsigned n = 0, wrong = 0;
	struct memory_files f;

	check(sum(&f, 0, &o, &plain, &err) == PROF_OK, "without files");
	for (bool done = false; !done; n++) {
		struct buf out = { 0 };
		enum prof_status status;

		f = (struct memory_files){ .failing = n };
		err = (struct prof_error){ 0 };
		status = sum(&f, bytes, &o, &out, &err);
		done = n != 0 && f.uses < n;
		if (n == 0 || done)
			wrong += status != PROF_OK || f.open != 0 ||
			    out.size != plain.size ||
			    memcmp(out.data, plain.data, out.size) != 0;
		else
			wrong += status != PROF_FAIL || f.open != 0 ||
			    err.code != PROF_E_SYSTEM;
		buf_free(&out);
	}
	check(n > 10 && wrong == 0, "%zu bytes: each of %u uses of files may "
	    "fail", bytes, n);
	buf_free(&plain);
}

static void
test_small(void)
{
	struct prof_error err = { 0 };
	struct memory_files f = { 0 };
	struct buf out = { 0 };

	check(sum(&f, 1 << 20, &(const struct merge_output){ .sparse = true },
	    &out, &err) == PROF_OK && f.made == 0, "what fits needs no file");
	buf_free(&out);
}

int
main(void)
{
	test_failures_of_files(1);
	test_failures_of_files(2000);
	test_failures_of_files(8000);
	test_small();
	test_folds(1, 700);
	test_folds(20000, 2000);
	return done_testing();
}
