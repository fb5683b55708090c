# What we make of the profiles of a program is, to the byte, what llvm-profdata
# makes of them, of the release that compiled the program.

load ../support/helper
load ../support/oracle

setup() {
	cd "$BATS_TEST_TMPDIR"
	take_sources
}

# Ways to instrument: since which release, flags; +NAME is -mllvm -NAME.
variants='
13 fe -fcoverage-mapping
13 fe +enable-value-profiling
13 fe +enable-name-compression=false
13 -O1 ir
13 -O2 ir
13 -O1 ir +pgo-instrument-entry
13 -O2 -fcs-profile-generate
14 -O1 ir +pgo-function-entry-coverage
19 -O1 ir +pgo-block-coverage
19 -O1 ir +enable-vtable-value-profiling
19 -O1 ir +pgo-temporal-instrumentation
19 -O1 ir +pgo-temporal-instrumentation +pgo-block-coverage
19 fe -fcoverage-mapping -fcoverage-mcdc
19 fe -fcoverage-mapping +enable-single-byte-coverage
22 -O1 ir +pgo-instrument-loop-entries
'


# The flags of a line of the table.
flags_of() {
	sed -E 's/^[0-9]+ //; s/\bfe\b/-fprofile-instr-generate/
	    s/\bir\b/-fprofile-generate/; s/ \+/ -mllvm -/g' <<<"$1"
}

# orders HOW RELEASE: whether one of three profiles is what it should be, and
# all together in whatever order they come; HOW is for all three.
orders() {
	identical "$2" 1.profraw || return 1
	"$1" "$2" 1.profraw 2.profraw 3.profraw || return 1
	cp ours.profdata first.profdata
	"$1" "$2" 3.profraw 1.profraw 2.profraw &&
	    cmp first.profdata ours.profdata
}

# Three runs of a program that do not call the same functions in the same order.
program_agrees() {
	local release=$1 how=identical n

	# Which order traces have is a choice.
	[[ $2 != *temporal* ]] || how=alike
	build "$release" program $(flags_of "$2") "${@:3}" || return 1
	for n in 1 2 3; do
		gather "$n.profraw" ./program $((n * n * 6 - n)) || return 1
	done
	orders "$how" "$release"
}

agrees_with() {
	local variant

	need_llvm "$1"
	while IFS= read -r variant; do
		printf '# %s\n' "$variant"
		program_agrees "$1" "$variant" objects.cc
		program_agrees "$1" "$variant" jumps.c helpers.c
	done < <(awk -v release="$1" 'NF && $1 <= release' <<<"$variants" | some 4)
}

@test 'profiles of small programs are those of LLVM 13' {
	agrees_with 13
}

@test 'profiles of small programs are those of LLVM 14' {
	agrees_with 14
}

@test 'profiles of small programs are those of LLVM 15' {
	agrees_with 15
}

@test 'profiles of small programs are those of LLVM 16' {
	agrees_with 16
}

@test 'profiles of small programs are those of LLVM 19' {
	agrees_with 19
}

@test 'profiles of small programs are those of LLVM 22' {
	agrees_with 22
}
