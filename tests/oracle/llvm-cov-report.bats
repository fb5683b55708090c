# llvm-cov: what scripts see of it is what they see of LLVM's.
#
# A line of the table may end with SOURCE.  Each release compiles small programs and runs them; its llvm-cov is run with
# each line of the table, and ours: standard output, messages and exit status
# must be equal.

load ../support/helper
load ../support/oracle

setup() {
	cd "$BATS_TEST_TMPDIR"
	ours=$top_builddir/cmd/llvm-cov
	cp "$(data cover/llvm-cov)"/*.[ch]* .
	unset PROFTOOLS_COMPAT
}

# agrees RELEASE ARGUMENTS...
agrees() {
	local theirs=0 status=0

	"llvm-cov-$1" "${@:2}" >theirs.stdout 2>theirs.stderr || theirs=$?
	# Ours have no colors.
	sed -i $'s/\033\\[[0-9;]*m//g' theirs.stderr
	PROFTOOLS_COMPAT=$1 "$ours" "${@:2}" >stdout 2>stderr || status=$?
	if [ "$status" -ne "$theirs" ] || ! cmp theirs.stdout stdout ||
	    ! diff theirs.stderr stderr; then
		echo "status $status, not $theirs: llvm-cov-$*"
		return 1
	fi
}

# make RELEASE NAME FLAGS SOURCE...: the program NAME and its profile.
make() {
	"clang-$1" -w -fprofile-instr-generate -fcoverage-mapping $3 "${@:4}" \
	    -o "$2"
	gather "$2.profraw" "./$2"
	"llvm-profdata-$1" merge -o "$2.profdata" "$2.profraw"
}

# What is run of each program, PROGRAM, of which SOURCE is a source.
table='
report
report -use-color=1 -show-instantiation-summary=1 -show-region-summary=0
report -show-branch-summary=0 -ignore-filename-regex .*h|other
report -show-functions -use-color=1 SOURCE
show -show-line-counts-or-regions -show-expansions -show-branches=count
show -use-color=1 -show-regions -show-branches=percent
show -show-instantiations=0 SOURCE
show -name=main -name-regex=hal. -show-expansions
export -format=lcov
export -format=lcov -summary-only SOURCE
export -skip-expansions -skip-functions'

# all RELEASE PROGRAM SOURCE MORE...: all lines of the table, or every third.
all() {
	local failed=0 line

	while read -r line; do
		[ -n "$line" ] || continue
		set -f
		agrees "$1" ${line%SOURCE} -instr-profile "$2.profdata" \
		    "$2" "${@:4}" $([[ $line != *SOURCE ]] || echo "$3") ||
		    failed=1
		set +f
	done < <(some 1 <<<"$table")
	return "$failed"
}

@test 'templates, lambdas and macros, of each release' {
	local release

	need_llvm 13 14 15 16 19 22
	for release in $(some 2 13 14 15 16 19 22); do
		need "llvm-cov-$release"
		make "$release" shapes '' shapes.cc other.cc
		all "$release" shapes shapes.cc
	done
}

@test 'two objects, 32 bits, -O2 and a profile of another build' {
	need_llvm 22
	need llvm-cov-22
	make 22 shapes -O2 shapes.cc other.cc
	make 22 conditions '' conditions.c
	touch ./*.profdata
	all 22 shapes shapes.cc -object conditions
	all 22 conditions conditions.c -object shapes
	sed 's/i < 1200/i < 1200 \&\& sum >= 0/' shapes.cc >stale.cc
	"clang-22" -w -fprofile-instr-generate -fcoverage-mapping stale.cc \
	    other.cc -o stale
	agrees 22 report -instr-profile shapes.profdata stale
	# A program of 32 bits is not run: its counts are those of 64 bits.
	if "clang-22" -m32 -w -fprofile-instr-generate -fcoverage-mapping -c \
	    conditions.c -o small.o; then
		touch conditions.profdata
		agrees 22 report -instr-profile conditions.profdata small.o
		agrees 22 show -instr-profile conditions.profdata small.o
	fi
}

@test 'conditions of decisions' {
	local release

	need_llvm 19 22
	need llvm-cov-19 llvm-cov-22
	for release in 19 22; do
		make "$release" conditions -fcoverage-mcdc conditions.c
		agrees "$release" show -show-mcdc \
		    -show-expansions -show-branches=count -use-color=1 \
		    -instr-profile conditions.profdata conditions
		agrees "$release" export \
		    -instr-profile conditions.profdata conditions
		agrees "$release" report -show-mcdc-summary \
		    -instr-profile conditions.profdata conditions
		agrees "$release" report -show-mcdc-summary -show-functions \
		    -instr-profile conditions.profdata conditions conditions.c
	done
}

@test 'counters of single bytes' {
	local release

	need_llvm 19 22
	echo 'int main(void) { int i = 0; while (i < 9) i++; return i == 0; }' \
	    >bytes.c
	for release in 19 22; do
		need "llvm-cov-$release"
		make "$release" bytes '-mllvm -enable-single-byte-coverage' \
		    bytes.c
		"llvm-profdata-$release" merge -o bytes.profdata bytes.profraw \
		    bytes.profraw
		agrees "$release" show -instr-profile bytes.profdata bytes
		agrees "$release" export -format=lcov \
		    -instr-profile bytes.profdata bytes
	done
}

@test 'branches of one line in instances that use macros' {
	local release

	need_llvm 13 22
	cat >h.h <<-'END'
	#define TWICE(x) ((x) * 2)
	static int loop(int n) {
	  int i = 0;
	  do {
	    i += TWICE(n);
	  } while (i < 9 && i > 1);
	  return i;
	}
	END
	echo '#include "h.h"
	    int one(int n) { return loop(n); }' >one.c
	echo '#include "h.h"
	    int one(int); int main(void) { return loop(1) + one(2) == 0; }' \
	    >two.c
	for release in 13 22; do
		need "llvm-cov-$release"
		make "$release" loops '' one.c two.c
		agrees "$release" show -show-expansions -show-branches=count \
		    -instr-profile loops.profdata loops
	done
}

@test 'paths with a backslash, and with a dot in front' {
	local release

	need_llvm 13 22
	echo 'int main(void) { return 0; }' >'a\b.c'
	echo 'int c(void) { return 0; }' >c.c
	for release in 13 22; do
		need "llvm-cov-$release"
		make "$release" slash '-fcoverage-compilation-dir=.' 'a\b.c' \
		    c.c
		agrees "$release" report -instr-profile slash.profdata slash
		agrees "$release" show -instr-profile slash.profdata slash
	done
}

@test 'coroutines, lines above 65,535, two functions of one name' {
	local release name

	need_llvm 16 22
	cp "$(data oracle)/coroutines.cc" .
	{
		printf '#define IN(x) ((x) > 3 && (x) < 70000)\n'
		printf 'int early(int a) { return a ? 1 : 2; }\n%066000d' 0 |
		    tr 0 '\n'
		printf 'int late(int a) {\n  return IN(a) ? 1 : 2;\n}\n'
		printf 'int main(void) { return late(1) > 90 || early(0) > 5; }\n'
	} >late.c
	echo 'inline int same(int a) { return a > 2 ? a : 1; } int one(int a) { return same(a); }' \
	    >one.cc
	echo 'inline int same(int a) { while (a > 5) a--; return a; } int one(int);
	    int main() { return one(3) + same(9) == 0; }' >two.cc
	for release in 16 22; do
		need "llvm-cov-$release"
		make "$release" coroutines '-std=c++20 -lstdc++' coroutines.cc
		make "$release" late '' late.c
		make "$release" one '' one.cc two.cc
		for name in coroutines late one; do
			agrees "$release" report -instr-profile $name.profdata \
			    $name || return 1
			agrees "$release" export -format=lcov \
			    -instr-profile $name.profdata $name || return 1
			agrees "$release" export -instr-profile $name.profdata \
			    $name || return 1
		done
	done
}

@test 'rustc' {
	need rustc llvm-profdata-22 llvm-cov-22
	cp "$(data oracle)/shapes.rs" rust.rs
	rustc --edition 2021 -C instrument-coverage rust.rs -o rust 2>/dev/null
	gather rust.profraw ./rust
	llvm-profdata-22 merge -o rust.profdata rust.profraw
	all 22 rust rust.rs
}

@test 'failures' {
	local release

	need_llvm 19 22
	for release in 19 22; do
		need "llvm-cov-$release"
		# Messages begin with the name of the program.
		ln -sf "$top_builddir/cmd/llvm-cov" "llvm-cov-$release"
		ours=./llvm-cov-$release
		make "$release" shapes '' shapes.cc other.cc
		: >empty.o
		while IFS= read -r line; do
			agrees "$release" $line || return 1
		done <<-'END'
		report -instr-profile none shapes
		export -instr-profile shapes.profdata none
		report -instr-profile shapes.profdata /bin/true
		export -instr-profile shapes.profdata /bin/true -object /bin/false
		report -instr-profile shapes.profdata shapes -object /bin/true
		report -instr-profile shapes.profraw shapes
		report -instr-profile shapes.profdata shapes.cc
		report -instr-profile shapes.profdata shapes none.cc
		report -instr-profile shapes.profdata shapes -arch=arm64
		show -instr-profile shapes.profdata shapes -Xdemangler=true
		report shapes
		show -instr-profile shapes.profdata shapes -tab-size=x
		show -instr-profile shapes.profdata shapes -name
		END
		rm other.cc shapes.h
		agrees "$release" show -instr-profile shapes.profdata shapes
		cp "$(data cover/llvm-cov)"/*.[ch]* .
	done
}
