/*
 * Passes bytes to programs as a file beside the profile: lists of inputs and
 * of functions.
 */
#include "fuzz/fuzz.h"
#include "fuzz/sample.h"

static const struct program_row rows[] = {
	{ llvm_profdata_main, "merge --input-files=in -o out" },
	{ llvm_profdata_main, "merge -f in --dump-input-file-list" },
	{ llvm_profdata_main, "merge --remapping-file=in -o out other" },
	{ prof_merge_main, "-j 1 --files-from in -o out" },
	{ prof_merge_main, "-j 1 -0 --files-from in -o out" },
	{ prof_merge_main, "-j 1 --keep-going --files-from in -o out other" },
	{ prof_filter_main, "--functions-from in -o out other" },
	{ prof_filter_main, "--drop --functions-from in -o out other" },
	{ prof_show_main, "--functions-from in other" },
	{ prof_bundle_main, "create --files-from in -o out" },
	{ prof_check_main, "--files-from in" },
};

/* Names in lists stay inside of the folder, whose inputs stay as they are. */
static bool
keep_inside(struct prof_span list, struct buf *out)
{
	buf_put(out, list.data, list.size);
	if (out->failed)
		return false;
	for (size_t i = 0; i < out->size; i++) {
		if (out->data[i] == '/' || (out->data[i] == '.' &&
		    i + 1 < out->size && out->data[i + 1] == '.'))
			out->data[i] = '_';
	}
	return true;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf list = { 0 };

	sample_put();
	if (keep_inside((struct prof_span){ data, size }, &list))
		program_run_rows(rows, sizeof(rows) / sizeof(rows[0]),
		    span_of(&list));
	buf_free(&list);
	return 0;
}
