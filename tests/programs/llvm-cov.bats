# llvm-cov: what LLVM's program has printed of two programs, kept in
# tests/data/cover/llvm-cov, and what scripts rely on.  Where LLVM's programs
# are installed, tests/oracle/llvm-cov-report.bats compares with them.

load ../support/helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	ours=$top_builddir/cmd/llvm-cov
	data=$(data cover/llvm-cov)
	cp "$data"/*.* .
	# Objects that are newer than the profile are warned of.
	touch ./*.profdata
	shapes='-instr-profile shapes.profdata shapes.o -object other.o'
	unset PROFTOOLS_COMPAT
}

# same FILE RELEASE ARGUMENTS...: standard output is that of LLVM's.
same() {
	PROFTOOLS_COMPAT=$2 "$ours" "${@:3}" -path-equivalence="/src,$PWD" >got
	cmp "$data/golden/$2-$1" got
}

@test 'tables, sources, tracefiles and JSON are those of three releases' {
	local release

	for release in 13 19 22; do
		same report "$release" report $shapes
		same functions "$release" report $shapes -show-functions \
		    -use-color=1 shapes.h shapes.cc
		same show "$release" show $shapes -show-expansions \
		    -show-branches=count -show-line-counts-or-regions
		same lcov "$release" export $shapes -format=lcov
		same json "$release" export $shapes -format=text
	done
}

@test 'decisions are those of LLVM 22' {
	local both='-instr-profile conditions.profdata conditions.o'

	same mcdc 22 show $both -show-mcdc -show-branches=percent -use-color=1
	same mcdc-report 22 report $both -show-mcdc-summary
	same mcdc-json 22 export $both
}

@test 'what cargo-llvm-cov runs' {
	local here="-path-equivalence=/src,$PWD"

	[[ $("$ours" show --help) == *-show-mcdc* ]]
	"$ours" report -use-color=0 -instr-profile=shapes.profdata \
	    -object shapes.o -object other.o -ignore-filename-regex \
	    '(^|/)(other|none)\.cc$|/[.]cargo/' >got
	[ "$(grep -c '^other\|^shapes\|^TOTAL' got)" -eq 3 ]
	"$ours" show -format=text -use-color=0 -instr-profile=shapes.profdata \
	    -object shapes.o -ignore-filename-regex '\.h$' "$here" \
	    -show-instantiations=false -show-line-counts-or-regions \
	    -show-expansions -show-branches=count -show-mcdc \
	    -Xdemangler=sed -Xdemangler=s/_Z/_/ >got
	grep -q '^   23|  1.20k|' got
	run ! grep -q instantiation got
	"$ours" export -format=text -summary-only -skip-functions \
	    -instr-profile=shapes.profdata -object shapes.o >got
	jq -e '.data[0] | has("functions") | not' got
}

@test 'what grcov, Bazel and Swift run' {
	"$ours" export shapes.o --instr-profile shapes.profdata \
	    --format lcov >got
	[ "$(grep -c '^SF:' got)" -eq 2 ]
	"$ours" export -instr-profile=shapes.profdata -format=lcov \
	    -path-equivalence=.,/x -ignore-filename-regex='[.]h$' -object shapes.o \
	    -object other.o >got
	[ "$(grep '^SF:' got)" = "$(printf 'SF:/src/%s\n' other.cc shapes.cc)" ]
	printf -- '-instr-profile shapes.profdata\n"shapes.o" --num-threads 4' \
	    >response
	[ "$("$ours" export @response -summary-only |
	    jq -r '.data[0].files | length')" -eq 2 ]
}

@test 'functions are chosen by name' {
	local here="-path-equivalence=/src,$PWD"

	"$ours" show $shapes $here -name=main >got
	[ "$(head -n 1 got)" = main: ]
	[ "$(grep -c '^[^ ]*:$' got)" -eq 2 ]
	"$ours" show $shapes $here -name-regex='_ZL4halfI[di]' >got
	[ "$(grep -c '_ZL4half.*:$' got)" -eq 2 ]
}

# Each of its files is expanded by another one: i386.o, with numbers changed.
@test 'a function without a main file has no branches to sum up' {
	run -0 --separate-stderr "$ours" report -instr-profile shapes.profdata \
	    "$top_srcdir/fuzz/corpus/cover/no-main-file.o" s.c -show-functions
	[[ $output == *$'\nTOTAL '* ]]
}

@test 'names of a demangler that fails stay as they are' {
	local use="$shapes -show-functions -path-equivalence=/src,$PWD shapes.cc"

	"$ours" report $use -Xdemangler=sed -Xdemangler='s/^main/MAIN/' >got
	grep -q ^MAIN got
	run -0 --separate-stderr "$ours" report $use -Xdemangler=true
	[ "$stderr" = 'error: demangler did not provide expected number of symbols' ]
	[[ $output == *$'\nmain '* ]]
	run -1 --separate-stderr "$ours" report $use -Xdemangler=/none
	[ "$stderr" = 'error: No such file or directory: could not find the demangler!' ]
	[ -z "$output" ]
	run -1 --separate-stderr "$ours" foo
	[[ $stderr == $'Unrecognized command: foo.\n\nUsage: llvm-cov '*$'\n\n'* ]]
}

# fails MESSAGE ARGUMENTS...
fails() {
	run -1 --separate-stderr "$ours" "${@:2}"
	[ -z "$output" ]
	[ "$stderr" = "$1" ] || {
		printf '%s\n' "$stderr"
		return 1
	}
}

@test 'failures have the words of LLVM and status 1' {
	local profile='-instr-profile shapes.profdata'

	fails $'error: none: could not read profile data!No such file or directory' \
	    report -instr-profile none shapes.o
	fails "error: failed to load coverage: 'none': No such file or directory
error: could not load coverage information" export $profile none
	fails "error: failed to load coverage: 'shapes.h': The file was not recognized as a valid object file" \
	    report $profile shapes.h
	fails "error: failed to load coverage: 'shapes.o': invalid instrumentation profile data (bad magic)" \
	    report -instr-profile shapes.o shapes.o
	fails 'No filenames specified!' report $profile
	fails 'error: source files must be specified when -show-functions=true is specified' \
	    report -show-functions $profile shapes.o
	fails "error: lcov format should be used with 'llvm-cov export'." \
	    show -format=lcov $profile shapes.o
	fails "error: -path-equivalence: invalid argument 'x', must be in format 'from,to'" \
	    show -path-equivalence=x $profile shapes.o
	fails "llvm-cov show: Unknown command line argument '-x'.  Try: 'llvm-cov show --help'" \
	    show -x
	fails "llvm-cov show: for the --tab-size option: 'x' value invalid for uint argument!" \
	    show -tab-size=x
	fails 'error: exactly one of -instr-profile and -empty-profile must be specified' \
	    report shapes.o
	fails "error: gcov: this program does not know it: use LLVM's llvm-cov" \
	    gcov x.c
	fails "llvm-cov show: Unknown command line argument '-line-coverage-lt=1'.  Try: 'llvm-cov show --help'" \
	    show -line-coverage-lt=1 $profile shapes.o
}

@test 'a profile of another build: a warning, and status 0' {
	run -0 --separate-stderr "$ours" export -format=lcov \
	    -instr-profile shapes.profdata conditions.o
	[ "$stderr" = 'warning: 1 functions have mismatched data' ]
	[[ $output == *FNDA:0,*pick* ]]
	touch -d tomorrow shapes.o
	run -0 --separate-stderr "$ours" report $shapes
	[ "$stderr" = 'warning: shapes.o: profile data may be out of date - object is newer' ]
	[ "$("$ours" report -empty-profile shapes.o | awk '/TOTAL/ { print $4 }')" = 0.00% ]
}

@test 'a missing source: a message for it, and the others are shown' {
	rm shapes.h
	run -0 --separate-stderr "$ours" show $shapes \
	    -path-equivalence="/src,$PWD"
	[ "$stderr" = "error: $PWD/shapes.h: No such file or directory
warning: The file '/src/shapes.h' isn't covered." ]
	[[ $output == /src/other.cc:*/src/shapes.cc:* ]]
}

@test 'a page, or a text, is the one file of a folder' {
	"$ours" show -format=html -output-dir=a/b -instr-profile \
	    shapes.profdata shapes.o
	[ "$(ls a/b)" = index.html ]
	grep -qi '<!doctype html>' a/b/index.html
	"$ours" show --output-dir a $shapes -path-equivalence="/src,$PWD" \
	    -show-expansions -show-branches=count -show-line-counts-or-regions
	cmp "$data/golden/22-show" a/index.txt
}
