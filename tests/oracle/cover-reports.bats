# The sums of prof-cover are those of `llvm-cov report`, and those that genhtml
# counts in its tracefiles.

load ../support/helper
load ../support/oracle

setup() {
	cd "$BATS_TEST_TMPDIR"
	take_sources
}

# cover RELEASE SOURCES AND FLAGS...: a program that ran, with its profile.
cover() {
	build "$1" program -fprofile-instr-generate -fcoverage-mapping \
	    "${@:2}" &&
	    gather program.profraw ./program 3 &&
	    "llvm-profdata-$1" merge -o program.profdata program.profraw
}

# What both tables say of a file, or of all: covered and all of lines, functions,
# regions, branches, conditions; nothing of what there is none of.
sums() {
	LC_ALL=C llvm-cov-22 report program -instr-profile=program.profdata \
	    -show-mcdc-summary | awk '
	function pair(all) {
		return all > 0 ? $i - $(i + 1) "/" all " " : ""
	}
	NF > 10 && $1 != "Filename" {
		i = NF - 14
		regions = pair($i)
		i += 3
		functions = pair($i)
		i += 3
		lines = pair($i)
		i += 3
		branches = pair($i)
		i += 3
		print lines functions regions branches pair($i)
	}'
}

ours() {
	prof-cover --to markdown program program.profraw |
	    sed -nE '/%/{s/ [0-9.]+%//g;s/ - / /g;s/[^|]*\|$//;s/^[^|]*\|[^|]*//
		s/[|]//g;s/^ +//;s/ +/ /gp;}'
}

agrees() {
	cover "$@"
	sums >want
	ours >got
	[ -s want ]
	same want got
}

@test 'the sums of llvm-cov report' {
	need_llvm 22
	need llvm-cov-22
	agrees 22 objects.cc
	agrees 22 objects.cc -fcoverage-mcdc
	agrees 22 -O2 objects.cc
	agrees 22 jumps.c helpers.c
	agrees 22 jumps.c helpers.c -fcoverage-mcdc
	agrees 22 targets.c
}

@test 'the sums of llvm-cov report, of programs of older compilers' {
	local release

	need llvm-cov-22
	for release in 13 16 19; do
		need_llvm "$release"
		agrees "$release" objects.cc
		agrees "$release" jumps.c helpers.c
	done
}

# Lines that two functions share count twice in the sums of LLVM, and genhtml
# counts each instance of a function: objects.cc has both.
@test 'genhtml counts what the table says' {
	need_llvm 22
	need genhtml
	cover 22 jumps.c helpers.c
	quiet prof-cover -o cover.info program program.profraw
	genhtml --branch-coverage -o html cover.info >said
	ours | tail -n 1 | awk '{ print $1; print $2; print $4 }' >want
	sed -nE 's/^ *(lines|functions|branches)\.*: .*\(([0-9]+) of ([0-9]+) .*/\2\/\3/p' \
	    said >got
	same want got
}

@test 'parts of tests name a branch alike where functions share a line' {
	need_llvm 22
	echo 'int f(int x) { return x ? 1 : 2; } int g(int x) { return x ? 1 : 2; }
	    int main(int c, char **v) { return c > 1 ? f(c) - 1 : g(c) - 1; }' \
	    >two.c
	build 22 two -fprofile-instr-generate -fcoverage-mapping two.c
	gather f.profraw ./two 1
	gather g.profraw ./two
	prof-cover --to lcov --test f=f.profraw --test g=g.profraw two |
	    awk -F '[:,]' '$1 == "BRDA" && $2 == 1 { hit[$3 "," $4] += $5 > 0 }
	    END { for (b in hit) { all++; ran += hit[b] } print ran "/" all }' |
	    same <(echo 2/4) -
}
