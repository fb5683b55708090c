/* Passes bytes as a bundle or archive to programs that change such files. */
#include "fuzz/fuzz.h"
#include "fuzz/sample.h"

static const struct program_row rows[] = {
	{ prof_bundle_main, "list --json in" },
	{ prof_bundle_main, "verify in" },
	{ prof_bundle_main, "extract -C new in" },
	{ prof_bundle_main, "merge -o out in" },
	{ prof_bundle_main, "create -o out in other" },
	{ prof_bundle_main, "create --pack zstd -o out in" },
	{ prof_bundle_main, "add in other" },
	{ prof_check_main, "in" },
	{ prof_index_main, "--upgrade in" },
	{ prof_index_main, "--upgrade --backup .old --for clang-15 in" },
};

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	sample_put();
	program_run_rows(rows, sizeof(rows) / sizeof(rows[0]),
	    (struct prof_span){ data, size });
	return 0;
}
