# What reads our indexed profiles in the end: clang builds the same objects with
# them as with those of llvm-profdata, and without a warning; llvm-cov prints
# the same.

load ../support/helper
load ../support/oracle

setup() {
	cd "$BATS_TEST_TMPDIR"
	take_sources
}

warnings='-Wall -Wprofile-instr-unprofiled -Wprofile-instr-out-of-date
    -Wbackend-plugin -mllvm -pgo-warn-missing-function'

# merge_both RELEASE FILE...: theirs.profdata and ours.profdata.
merge_both() {
	"llvm-profdata-$1" merge -o theirs.profdata "${@:2}"
	prof-merge -q --to "indexed:clang-$1" -o ours.profdata "${@:2}"
}

# compiles_alike RELEASE OPTION SOURCE...: OPTION is the one that takes the
# profile.  Sources give no warning of their own.
compiles_alike() {
	local source whose

	for source in "${@:3}"; do
		for whose in theirs ours; do
			"clang-$1" -O2 -fno-rtti $warnings -c "$source" \
			    "$2=$whose.profdata" -o "$whose.o" 2>"$whose.log"
		done
		echo "clang-$1 $2 $source"
		cmp theirs.o ours.o
		same /dev/null ours.log
		"clang-$1" -O2 -fno-rtti -w -c "$source" -o plain.o
		run ! cmp -s plain.o ours.o
	done
}

# prints_alike RELEASE COMMAND...: of llvm-cov.
prints_alike() {
	local whose

	for whose in theirs ours; do
		"llvm-cov-$1" "${@:2}" ./program \
		    -instr-profile="$whose.profdata" >"$whose" 2>&1
	done
	same theirs ours
	[ -s ours ]
	run ! grep -i mismatch ours
}

two_runs() {
	gather 1.profraw ./program 9
	gather 2.profraw ./program 30
}

front_end_profiles_serve() {
	local release sources

	for release in $(some 2 "$@"); do
		for sources in objects.cc 'jumps.c helpers.c'; do
			build "$release" program -fprofile-instr-generate \
			    -fcoverage-mapping -g $sources
			two_runs
			merge_both "$release" 1.profraw 2.profraw
			prints_alike "$release" report
			prints_alike "$release" show
			compiles_alike "$release" -fprofile-instr-use $sources
		done
	done
}

ir_profiles_serve() {
	local release sources

	for release in $(some 2 "$@"); do
		for sources in objects.cc 'jumps.c helpers.c'; do
			build "$release" program -O2 -fprofile-generate \
			    $sources
			two_runs
			merge_both "$release" 1.profraw 2.profraw
			compiles_alike "$release" -fprofile-use $sources
			# The second round, on top of the first.
			build "$release" program -O2 -fcs-profile-generate \
			    -fprofile-use=ours.profdata $sources
			mv ours.profdata first.profdata
			two_runs
			merge_both "$release" first.profdata 1.profraw 2.profraw
			compiles_alike "$release" -fprofile-use $sources
		done
	done
}

need_cov() {
	local release

	need_llvm "$@"
	for release; do
		need "llvm-cov-$release"
	done
}

@test 'front-end profiles serve clang and llvm-cov 13 and 14' {
	need_cov 13 14
	front_end_profiles_serve 13 14
}

@test 'front-end profiles serve clang and llvm-cov 15 and 16' {
	need_cov 15 16
	front_end_profiles_serve 15 16
}

@test 'front-end profiles serve clang and llvm-cov 19 and 22' {
	need_cov 19 22
	front_end_profiles_serve 19 22
}

@test 'IR profiles serve clang 13 and 14' {
	need_llvm 13 14
	ir_profiles_serve 13 14
}

@test 'IR profiles serve clang 15 and 16' {
	need_llvm 15 16
	ir_profiles_serve 15 16
}

@test 'IR profiles serve clang 19 and 22' {
	need_llvm 19 22
	ir_profiles_serve 19 22
}

@test 'MC/DC of ours is shown by llvm-cov 19 and 22' {
	local release

	need_cov 19 22
	for release in 19 22; do
		build "$release" program -fprofile-instr-generate \
		    -fcoverage-mapping -fcoverage-mcdc objects.cc
		two_runs
		merge_both "$release" 1.profraw 2.profraw
		prints_alike "$release" show -show-mcdc -show-branches=count
		grep -q 'MC/DC Coverage for Decision' ours
	done
}

# The newest version asks for the hashes of clang 22; llvm-cov looks for those
# in the program.
@test 'llvm-cov 22 reads a program of clang 19, with --to indexed:relabel' {
	need_cov 19 22
	build 19 program -fprofile-instr-generate -fcoverage-mapping \
	    jumps.c helpers.c
	two_runs
	llvm-profdata-22 merge 1.profraw 2.profraw -o theirs.profdata
	prof-merge -q --to indexed:relabel 1.profraw 2.profraw \
	    -o ours.profdata
	cmp theirs.profdata ours.profdata
	prints_alike 22 report
}
