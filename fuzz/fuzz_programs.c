/* Passes bytes to our programs as the profiles and binaries that they read. */
#include "fuzz/fuzz.h"
#include "fuzz/sample.h"

static const struct program_row rows[] = {
	{ profraw_cat_main, "--salvage -o out in" },
	{ profraw_cat_main, "--scan -o out in" },
	{ prof_check_main, "in" },
	{ prof_check_main, "-q --report rep in other" },
	{ prof_diff_main, "in other" },
	{ prof_diff_main, "--json in in" },
	{ prof_export_main, "--to pprof -C -o out in" },
	{ prof_export_main, "--to folded in" },
	{ prof_report_main, "--top 9 -o out in" },
	{ prof_filter_main, "--function main -o out in" },
	{ prof_filter_main, "--names hash -o out in" },
	{ prof_filter_main, "--remap-prefix a=b --strip-path -o out in" },
	{ prof_index_main, "-o out in" },
	{ prof_index_main, "--for clang-13 --to indexed:relabel -o out in" },
	{ prof_merge_main, "-j 1 -o out in other" },
	{ prof_merge_main, "-j 1 -S 16M -o out in in" },
	{ prof_merge_main, "-j 1 --keep-going --report rep -o out in other" },
	{ prof_merge_main, "-j 1 --group-by binary-id -o out in other" },
	{ prof_merge_main, "-j 1 --sparse -o out in in" },
	{ prof_merge_main, "-j 1 --subtract other -o out in" },
	{ prof_merge_main, "-j 1 --to yaml -o out in" },
	{ prof_order_main, "-o out in" },
	{ prof_show_main, "--functions --counts --values --json in" },
	{ prof_show_main, "-C --functions in" },
	{ prof_show_main, "--top 3 --cutoffs in" },
	{ prof_show_main, "--heap --callers --stacks in" },
	{ prof_show_main, "--heap --json --histograms in" },
	{ prof_symbolize_main, "--demangle -o out in" },
	{ prof_diff_main, "--for clang-13 in other" },
	{ prof_export_main, "--to folded --by count --lines in" },
	{ prof_merge_main, "-j 1 -S 1K -o out in other in" },
	{ prof_merge_main, "-j 1 --max-count 5 -o out in" },
	{ prof_merge_main, "-j 1 --to text -o out in" },
	{ prof_merge_main, "-j 1 --to lprf -o out in" },
	{ prof_symbolize_main, "--binary other -o out in" },
	{ prof_symbolize_main, "--binary other --map 0=other --cache . "
	    "--drop-unsymbolized --to indexed --allow-empty -o out in" },
};

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	sample_put();
	program_run_rows(rows, sizeof(rows) / sizeof(rows[0]),
	    (struct prof_span){ data, size });
	return 0;
}
