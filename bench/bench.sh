#!/bin/sh
# bench.sh - our programs against the llvm-profdata that is installed
#
#	BENCH_FUNCTIONS=90000 BENCH_RUNS=100 BENCH_ROUNDS=3 make bench
#	BENCH_DUMPS=500 make bench
#
# Builds seeded profiles in bench/data of the build tree, checks that both sides
# come to the same result, and prints the ratios as a table: CPU is user and
# system seconds, RSS the peak in MB.  The ratio is llvm-profdata's CPU time over
# ours.  bench/RESULTS.md keeps such tables with machine and date.
set -eu
functions=${BENCH_FUNCTIONS:-20000}
runs=${BENCH_RUNS:-20}
rounds=${BENCH_ROUNDS:-5}
dumps=${BENCH_DUMPS:-100}
bench=$top_builddir/bench
data=$bench/data/$functions
mkdir -p "$data"

llvm=
for n in 22 19; do
	command -v llvm-profdata-$n >/dev/null || continue
	llvm=llvm-profdata-$n
	break
done
[ -n "$llvm" ] || { echo 'bench: no llvm-profdata-22 or -19' >&2; exit 77; }
case $llvm in *22) version=13 ;; *) version=12 ;; esac

i=1
while [ $i -le "$runs" ]; do
	[ -e "$data/$i.profraw" ] ||
	    "$bench/gen" "$functions" $i |
	    prof-merge --to raw:10 -o "$data/$i.profraw"
	i=$((i + 1))
done

# list N: the names of the first N profiles.
list() {
	i=1
	while [ $i -le "$1" ]; do
		echo "$data/$i.profraw"
		i=$((i + 1))
	done
}

# same A B: refuses to go on if two indexed files differ.
same() {
	cmp -s "$1" "$2" || { echo "bench: $1 and $2 differ" >&2; exit 1; }
}

measure() {
	"$bench/measure" "$rounds" "$@"
}

echo "$functions functions, $runs runs, $rounds rounds, $llvm, $(uname -m)," \
    "$(nproc) cores, $(date +%Y-%m-%d)"
echo
echo '| work | CPU | LLVM CPU | wall | LLVM wall | RSS | LLVM RSS | ratio |'
echo '| --- | --- | --- | --- | --- | --- | --- | --- |'
ours=$data/ours.profdata theirs=$data/theirs.profdata
for n in 1 10 100; do
	[ $n -le "$runs" ] || continue
	list $n >"$data/list"
	measure "merge $n raw, one thread" \
	    "prof-merge -j 1 --files-from '$data/list' --to indexed:$version -o '$ours'" \
	    "$llvm merge --num-threads=1 --input-files='$data/list' -o '$theirs'"
	same "$ours" "$theirs"
	measure "merge $n raw, two threads" \
	    "prof-merge -j 2 --files-from '$data/list' --to indexed:$version -o '$ours'" \
	    "$llvm merge --num-threads=2 --input-files='$data/list' -o '$theirs'"
	same "$ours" "$theirs"
done
list 10 >"$data/list"
measure 'merge 10 raw, pipe of three programs' \
    "profraw-cat --files-from '$data/list' | prof-merge | prof-index --format-version $version -o '$ours'" \
    "$llvm merge --num-threads=1 --input-files='$data/list' -o '$theirs'"
same "$ours" "$theirs"
measure 'merge 2 indexed' \
    "prof-merge '$ours' '$ours' --to indexed:$version -o '$data/a'" \
    "$llvm merge --num-threads=1 '$ours' '$ours' -o '$data/b'"
same "$data/a" "$data/b"
measure 'merge 10 raw, -S 16M (LLVM: ours without)' \
    "prof-merge -S 16M --files-from '$data/list' -o '$data/a'" \
    "prof-merge --files-from '$data/list' -o '$data/b'"
same "$data/a" "$data/b"
measure 'show the totals' "prof-show '$ours' >/dev/null" \
    "$llvm show '$ours' >/dev/null"
name=$(prof-show --json --functions "$ours" | sed -n '777s/.*"name":"\([^"]*\)".*/\1/p')
measure 'show one function' "prof-show --counts --function '$name' '$ours' >/dev/null" \
    "$llvm show --counts --function='$name' '$ours' >/dev/null"

# Heap profiles: runs of a program that clang built, which is there for LLVM to
# symbolize with.  The runtimes of 19 and 22 write what both sides read.
n=${llvm##*-}
command -v "clang-$n" >/dev/null || exit 0
heap=$bench/data/heap-$n
mkdir -p "$heap"
[ -x "$heap/prog" ] || {
	"$bench/gen_heap" 13 >"$heap/prog.c"
	"clang-$n" -O1 -gmlt -fdebug-info-for-profiling \
	    -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer \
	    -fno-optimize-sibling-calls -fmemory-profile -no-pie \
	    -Wl,--build-id -Wl,-z,noseparate-code \
	    "$heap/prog.c" -o "$heap/prog"
}
i=1
while [ $i -le "$dumps" ]; do
	[ -e "$heap/$i.memprofraw" ] || {
		MEMPROF_OPTIONS=log_path=$heap/run "$heap/prog" $i
		mv "$heap"/run.* "$heap/$i.memprofraw"
	}
	echo "$heap/$i.memprofraw"
	i=$((i + 1))
done >"$heap/list"
measure "fold $dumps heap dumps (LLVM: merge)" \
    "prof-merge --files-from '$heap/list' -o '$heap/sum'" \
    "$llvm merge --num-threads=1 --profiled-binary='$heap/prog' --input-files='$heap/list' -o '$heap/theirs'"
