/* Passes bytes to the commands of llvm-profdata, from its main on. */
#include "fuzz/fuzz.h"
#include "fuzz/sample.h"

#define ROW(arguments) { llvm_profdata_main, arguments }

static const struct program_row rows[] = {
	ROW("merge -o out in"),
	ROW("merge --sparse --compat=13 -o out in"),
	ROW("merge --text -o out in in"),
	ROW("merge --failure-mode=all --keep-vtable-symbols -o out in other"),
	ROW("merge --failure-mode=warn --weighted-input=3,in -o out other"),
	ROW("merge --compat=16 --function=a --no-function=b -o out in"),
	ROW("merge --temporal-profile-trace-reservoir-size=2 "
	    "--temporal-profile-max-trace-length=3 -o out in in"),
	ROW("merge --memprof-version=4 --memprof-full-schema -o out in"),
	ROW("merge --write-prev-version -o out in in"),
	ROW("merge --remapping-file=in -o out other"),
	ROW("show --all-functions --counts --ic-targets --memop-sizes "
	    "--show-vtables in"),
	ROW("show --compat=13 --all-functions --counts in"),
	ROW("show --text --all-functions in"),
	ROW("show --topn=3 --detailed-summary --binary-ids "
	    "--temporal-profile-traces --profile-version in"),
	ROW("show --covered in"),
	ROW("show --list-below-cutoff --value-cutoff=3 in"),
	ROW("show --function=a --counts --showcs in"),
	ROW("show --memory in"),
	ROW("show --memory --compat=16 --profiled-binary=in other"),
	ROW("merge --debug-info=in -o out other"),
	ROW("overlap in other"),
	ROW("overlap --cs other in"),
	ROW("overlap --value-cutoff=1 --function=a in in"),
	ROW("order in"),
	ROW("order --compat=19 --num-test-traces=1 -o out in"),
	ROW("merge --debug-info=other -o out in"),
	ROW("merge --binary-file=other -o out in"),
	ROW("show --memory --profiled-binary=other in"),
};

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	sample_put();
	program_run_rows(rows, sizeof(rows) / sizeof(rows[0]),
	    (struct prof_span){ data, size });
	return 0;
}
