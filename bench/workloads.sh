#!/bin/sh
# workloads.sh - the profiles that bench.sh measures with, the same each time
#
#	workloads.sh DIR LLVM FUNCTIONS RUNS INDEXED SMALL DUMPS BUILDS
#
# Makes in DIR what is not there yet:
#
#	w1/ir/*.profraw		RUNS of one program of that many FUNCTIONS
#	w1/names.txt		their names
#	w2/LLVM/*.profraw	SMALL runs of a program of 1500 functions
#	w3/pd/*.profdata	INDEXED of the first, one by one
#	w3/LLVM.profdata	ten of the first, in one file
#	w4/LLVM/prog, *.memprofraw	a program's DUMPS of its heap
#	w5/w1.tar.zst		INDEXED of the first in an archive
#	w6/raw/*.profraw	a run each of so many BUILDS of that program
#	w6/sparse/*.profdata	as many of the first, one by one, without the
#				functions that did not run
#	w7/LLVM/prog, prog.profdata	a program of FUNCTIONS with coverage,
#				and a run of it
#
# LLVM is the release whose clang makes programs and whose llvm-profdata makes
# indexed files.  Without that clang, the second is made as the first, and there
# is no fourth and no seventh; without zstd there is no fifth.
set -eu
if [ $# -ne 8 ]; then
	sed -n '4s/^#	/usage: /p' "$0" >&2
	exit 2
fi
dir=$1 llvm=$2 functions=$3 runs=$4 indexed=$5 small=$6 dumps=$7
builds=$8
bench=${top_builddir:?}/bench
source=${top_srcdir:?}/bench

have() {
	command -v "$1" >/dev/null
}

say() {
	echo "bench: $*" >&2
}

number() {
	printf '%04d' "$1"
}

# raw FUNCTIONS RUN FILE
raw() {
	"$bench/gen" "$1" "$2" | write-raw raw -o "$3"
}

w1() {
	say "$runs runs of a program of $functions functions"
	mkdir -p w1/ir
	i=1
	while [ $i -le "$runs" ]; do
		file=w1/ir/$(number $i).profraw
		[ -e "$file" ] || raw "$functions" $i "$file"
		i=$((i + 1))
	done
	[ -e w1/names.txt ] || "$bench/gen" "$functions" 1 |
	    sed -n 's/^{"record":"function","name":"\([^"]*\)".*/\1/p' \
	    >w1/names.txt
}

# run_small RUN FILE
run_small() {
	if [ -x w2/prog ]; then
		LLVM_PROFILE_FILE=$2.new w2/prog "$1"
		mv "$2.new" "$2"
	else
		raw 1500 "$1" "$2"
	fi
}

w2() {
	say "$small runs of a small program"
	mkdir -p "w2/$llvm"
	if have "clang-$llvm" && [ ! -x w2/prog ]; then
		"$bench/gen_program" 1500 >w2/prog.c
		"clang-$llvm" -fprofile-generate w2/prog.c -o w2/prog
	fi
	i=1
	while [ $i -le "$small" ]; do
		file=w2/$llvm/$(number $i).profraw
		[ -e "$file" ] || run_small $i "$file"
		i=$((i + 1))
	done
}

index() {
	"llvm-profdata-$llvm" merge --num-threads=1 -o "$@"
}

w3() {
	say "$indexed indexed files"
	mkdir -p w3/pd
	for file in $(find w1/ir -name '*.profraw' | sort |
	    head -n "$indexed"); do
		out=w3/pd/$(basename "$file" .profraw).profdata
		[ -e "$out" ] || index "$out" "$file"
	done
	find w1/ir -name '*.profraw' | sort | head -n 10 >w3/ten
	[ -e "w3/$llvm.profdata" ] ||
	    index "w3/$llvm.profdata" --input-files=w3/ten
}

w4() {
	say "$dumps dumps of a heap"
	mkdir -p "w4/$llvm"
	[ -x "w4/$llvm/prog" ] || {
		"$bench/gen_heap" 13 >w4/prog.c
		"clang-$llvm" -O1 -gmlt -fdebug-info-for-profiling \
		    -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer \
		    -fno-optimize-sibling-calls -fmemory-profile -no-pie \
		    -Wl,--build-id -Wl,-z,noseparate-code \
		    w4/prog.c -o "w4/$llvm/prog"
	}
	i=1
	while [ $i -le "$dumps" ]; do
		file=w4/$llvm/$(number $i).memprofraw
		[ -e "$file" ] || {
			MEMPROF_OPTIONS=log_path=w4/run "w4/$llvm/prog" $i
			mv w4/run.* "$file"
		}
		i=$((i + 1))
	done
}

w5() {
	say "an archive of $indexed runs"
	mkdir -p w5
	find w1/ir -name '*.profraw' | sort | head -n "$indexed" |
	    sed 's/.*\///' >w5/members.new
	cmp -s w5/members.new w5/members && return
	(cd w1/ir && tar -cf - -T ../../w5/members.new) |
	    zstd -q -f -3 -o w5/w1.tar.zst
	mv w5/members.new w5/members
}

w6() {
	say "runs of $builds builds of the program"
	mkdir -p w6/raw w6/sparse
	i=1
	while [ $i -le "$builds" ]; do
		file=w6/raw/$(number $i).profraw
		[ -e "$file" ] || "$bench/gen" "$functions" $i $i |
		    write-raw raw -o "$file"
		i=$((i + 1))
	done
	for file in $(find w1/ir -name '*.profraw' | sort |
	    head -n "$builds"); do
		out=w6/sparse/$(basename "$file" .profraw).profdata
		[ -e "$out" ] || prof-merge --sparse --to indexed -o "$out" \
		    "$file"
	done
}

w7() {
	say "a program of $functions functions with coverage"
	mkdir -p "w7/$llvm"
	[ ! -e "w7/$llvm/prog.profdata" ] || return 0
	"$bench/gen_program" "$functions" >w7/prog.c
	"clang-$llvm" -O0 -w -fprofile-instr-generate -fcoverage-mapping \
	    w7/prog.c -o "w7/$llvm/prog"
	LLVM_PROFILE_FILE=w7/run.profraw "w7/$llvm/prog" 1
	index "w7/$llvm/prog.profdata" w7/run.profraw
}

# What other generators have made is of no use.
mkdir -p "$dir"
cd "$dir"
cat "$source"/gen*.c "$source/workloads.sh" >generators.new
cmp -s generators.new generators || {
	rm -rf w1 w2 w3 w4 w5 w6 w7
	mv generators.new generators
}
w1
w2
w3
if have "clang-$llvm"; then
	w4
	w7
fi
if have zstd; then
	w5
fi
w6
