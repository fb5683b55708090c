#!/bin/sh
# bench.sh - our programs against the llvm-profdata that is installed
#
#	make bench			small, two minutes
#	BENCH_FULL=1 make bench		as large as clang's own profiles
#	BENCH_DATA=dir make bench	profiles made elsewhere, laid out as by
#					workloads.sh
#
# BENCH_FUNCTIONS, _RUNS, _MOST (for memory), _SMALL, _DUMPS, _BUILDS and _ROUNDS
# change sizes one by one.  Prints a table: ratios first, theirs over ours, then times
# in seconds and memory of the largest process in MB, and in what the results
# agree.  Where they do not there is no row, and the exit status is 1; what there
# are no profiles or tools for is told and passed over.
# bench/RESULTS.md keeps such tables with machine and date.
set -eu
bench=${top_builddir:?}/bench
source=${top_srcdir:?}/bench
if [ -n "${BENCH_FULL:-}" ]; then
	functions=90000 runs=100 most=500 small=50 dumps=100 builds=20
	rounds=5
else
	functions=20000 runs=50 most=100 small=50 dumps=20 builds=20
	rounds=3
fi
functions=${BENCH_FUNCTIONS:-$functions} runs=${BENCH_RUNS:-$runs}
most=${BENCH_MOST:-$most} small=${BENCH_SMALL:-$small}
dumps=${BENCH_DUMPS:-$dumps} builds=${BENCH_BUILDS:-$builds}
rounds=${BENCH_ROUNDS:-$rounds}

llvm=
for n in 22 19; do
	command -v llvm-profdata-$n >/dev/null || continue
	llvm=llvm-profdata-$n
	break
done
[ -n "$llvm" ] || { echo 'bench: no llvm-profdata-22 or -19' >&2; exit 77; }
case $n in 22) version=13 ;; *) version=12 ;; esac

foreign=${BENCH_DATA:-}
data=${BENCH_DATA:-$bench/data/$functions}
[ -n "$foreign" ] || "$source/workloads.sh" "$data" "$n" "$functions" \
    "$((most > runs ? most : runs))" "$runs" "$small" "$dumps" "$builds"
out=$bench/data/out
rm -rf "$out"
mkdir -p "$out"
ours=$out/ours theirs=$out/theirs
# Uses the names above.
# shellcheck source=bench/agree.sh
. "$source/agree.sh"
status=0

missing() {
	echo "bench: $*: no row" >&2
}

none() {
	missing "$@"
	status=1
}

# row TARGETS LABEL OURS THEIRS CHECK...: the targets are options of measure.
row() {
	targets=$1 label=$2 a=$3 b=$4
	shift 4
	echo "bench: $label" >&2
	rm -f "$ours" "$theirs"
	# shellcheck disable=SC2086
	line=$("$bench/measure" $targets "$rounds" "$label" "$a" "$b") || {
		none "$label: failed"
		return 0
	}
	if "$@"; then
		echo "$line $agreed |"
	else
		none "$label: results differ"
	fi
}

# shown TARGETS LABEL OURS THEIRS CHECK: commands whose output is the result; it
# is compared before, and dropped in what is measured.
shown() {
	if ! sh -c "$3" >"$ours.text" || ! sh -c "$4" >"$theirs.text"; then
		none "$2: failed"
		return 0
	fi
	row "$1" "$2" "exec $3 >/dev/null" "exec $4 >/dev/null" \
	    "$5" "$ours.text" "$theirs.text"
}

# files DIR SUFFIX N LIST: the names of the first N; false if there are less.
files() {
	find "$1" -name "*.$2" | sort | head -n "$3" >"$4"
	[ "$(wc -l <"$4")" -eq "$3" ] && [ -s "$4" ]
}

# merge_row TARGETS WHAT LIST
merge_row() {
	row "$1" "$2" "exec prof-merge -j 1 --files-from '$3' \
	    --to indexed:$version -o '$ours'" "$(llvm_merge "$3")" \
	    same_profile "$ours" "$theirs"
}

llvm_merge() {
	echo "exec $llvm merge --num-threads=1 --input-files='$1' -o '$theirs'"
}

# One binary's raw profiles, W1.
raw_rows() {
	set -- 10
	[ "$runs" -le 10 ] || set -- 10 "$runs"
	for n_files in 1 "$@"; do
		list=$out/raw.$n_files
		if ! files "$data/w1/ir" profraw "$n_files" "$list"; then
			missing "W1: there are no $n_files raw files"
			continue
		fi
		case $n_files in
		1) targets='-c 3' ;;
		10) targets='-c 8' ;;
		*) targets='-c 12 -m 3' ;;
		esac
		merge_row "$targets" "W1: merge $n_files raw" "$list"
	done
	for n_files; do
		list=$out/raw.$n_files
		[ "$(wc -l <"$list")" -eq "$n_files" ] || continue
		row '-w 1.8 -m 0.77' "W1: $n_files raw, ours -j 2; ours -j 1" \
		    "exec prof-merge -j 2 --files-from '$list' \
		    --to indexed:$version -o '$ours'" \
		    "exec prof-merge -j 1 --files-from '$list' \
		    --to indexed:$version -o '$theirs'" \
		    same_bytes "$ours" "$theirs"
	done
}

# LLVM reads them once, to check the sum.
# shellcheck disable=SC2317
same_most() {
	sh -c "$(llvm_merge "$out/raw.$most")" &&
	    same_profile "$1" "$theirs"
}

most_row() {
	list=$out/raw.$most
	if ! files "$data/w1/ir" profraw "$most" "$list"; then
		missing "W1: there are no $most raw files"
		return 0
	fi
	row '-m 0.91' "W1: $most raw, ours; 10 raw, ours" \
	    "exec prof-merge -j 1 --files-from '$list' \
	    --to indexed:$version -o '$ours'" \
	    "exec prof-merge -j 1 --files-from '$out/raw.10' \
	    --to indexed:$version -o '$out/ten'" \
	    same_most "$ours"
}

small_row() {
	dir=
	for d in "$data/w2/22" "$data/w2/19"; do
		[ ! -d "$d" ] || dir=$d
	done
	if [ -z "$dir" ] || ! files "$dir" profraw "$small" "$out/small"; then
		missing 'W2: there are no small files'
		return 0
	fi
	merge_row '-c 5' "W2: merge $small raw, small" "$out/small"
}

pipe_row() {
	row '-c 3' 'W1: 10 raw, pipe of three programs' \
	    "profraw-cat --files-from '$out/raw.10' | prof-merge |
	    prof-index --to indexed:$version -o '$ours'" \
	    "$(llvm_merge "$out/raw.10")" same_profile "$ours" "$theirs"
}

indexed_rows() {
	if files "$data/w3/pd" profdata "$runs" "$out/indexed"; then
		merge_row '-c 6' "W3: merge $runs indexed" "$out/indexed"
	else
		missing "W3: there are no $runs indexed files"
	fi
	one=$data/w3/$n.profdata
	name=$(sed -n "$(($(wc -l <"$data/w1/names.txt") / 2))p" \
	    "$data/w1/names.txt")
	shown '-c 40' 'W3: show one function' \
	    "prof-show --counts --function '$name' '$one'" \
	    "$llvm show --counts --function='$name' '$one'" same_functions
	shown '-c 3' 'W3: show all functions and counts' \
	    "prof-show --functions --counts '$one'" \
	    "$llvm show --all-functions --counts '$one'" same_functions
	shown '-c 3' 'W3: detailed summary' "prof-show --cutoffs '$one'" \
	    "$llvm show --detailed-summary '$one'" same_summary
}

# Profiles of nearly the same program: its other builds, and sparse ones.
builds_rows() {
	for kind in raw sparse; do
		list=$out/builds
		label="W6: merge $builds raw, each of another build"
		suffix=profraw
		if [ $kind = sparse ]; then
			label="W6: merge $builds sparse indexed"
			suffix=profdata
		fi
		if files "$data/w6/$kind" $suffix "$builds" "$list"; then
			row '-c 3 -m 1' "$label" \
			    "exec prof-merge -j 1 --files-from '$list' \
			    --to indexed:$version -o '$ours'" \
			    "$(llvm_merge "$list")" \
			    same_builds "$ours" "$theirs"
		else
			missing "W6: there are no $builds $kind files"
		fi
	done
}

# overlap_row LABEL A B: two indexed files.
overlap_row() {
	shown '-c 3 -m 3' "$1" "prof-diff '$2' '$3'" \
	    "$llvm overlap '$2' '$3'" same_overlap
}

# Of one program, and of one with so many functions that tables outgrow caches.
overlap_rows() {
	if files "$data/w3/pd" profdata 2 "$out/two"; then
		overlap_row 'W3: compare two profiles' \
		    "$(sed -n 1p "$out/two")" "$(sed -n 2p "$out/two")"
	else
		missing 'W3: there are no two indexed files'
	fi
	for i in 1 2; do
		"$bench/gen" "$((functions * 3))" $i |
		    prof-index --to indexed:$version -o "$out/large.$i"
	done
	overlap_row "compare $((functions * 3)) functions" \
	    "$out/large.1" "$out/large.2"
	rm -f "$out/large.1" "$out/large.2"
}

# Programs that have no function in common.
disjoint_row() {
	mkdir -p "$out/programs"
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		"$bench/gen_axis" functions $((functions / 4)) 8 60 $i |
		    write-raw raw -o "$out/programs/$i.profraw"
	done
	files "$out/programs" profraw 20 "$out/list"
	merge_row '-c 3 -m 1' \
	    "merge 20 programs of $((functions / 4)) functions" "$out/list"
	rm -r "$out/programs"
}

# Call sites with many targets.
targets_row() {
	mkdir -p "$out/targets"
	for i in 1 2; do
		"$bench/gen_axis" targets $((functions / 4)) 100 $i |
		    profraw-cat --to text -o "$out/targets/$i.proftext"
	done
	files "$out/targets" proftext 2 "$out/list"
	merge_row '-c 2' "merge 2 texts of $((functions * 25)) targets" \
	    "$out/list"
	rm -r "$out/targets"
}

order_row() {
	"$bench/gen_axis" traces $((functions / 2)) 100 $((functions / 5)) |
	    profraw-cat --to text -o "$out/traces"
	shown '-c 2 -w 2' "order $((functions / 2)) traces of 100 functions" \
	    "prof-order -j 2 --to llvm '$out/traces'" \
	    "$llvm order -o - '$out/traces'" same_bytes
	rm -f "$out/traces"
}

# An indexed file of a heap, as text.
heap_indexed_row() {
	"$bench/gen_axis" contexts $((functions / 2)) 16 1 |
	    prof-index --to indexed:$version -o "$out/contexts"
	shown '-c 3 -m 3' "show $((functions / 2)) indexed heap contexts" \
	    "profraw-cat '$out/contexts'" \
	    "$llvm show --memory '$out/contexts'" same_totals
	rm -f "$out/contexts"
}

heap_row() {
	program=$data/w4/$n/prog list=$out/dumps
	if [ ! -x "$program" ] || [ "$n" -lt 22 ] ||
	    ! files "$data/w4/$n" memprofraw "$dumps" "$list"; then
		missing "W4: there are no $dumps dumps, or no LLVM 22"
		return 0
	fi
	prof-symbolize -q --binary "$program" --to indexed:$version \
	    -o "$out/heap" "$(sed -n 1p "$list")"
	row '-c 10 -M 100' "W4: $dumps heap dumps, all; LLVM keeps one" \
	    "prof-merge --files-from '$list' | prof-symbolize -q \
	    --binary '$program' --to indexed:$version -o '$ours'" \
	    "exec $llvm merge --num-threads=1 --profiled-binary='$program' \
	    --input-files='$list' -o '$theirs'" \
	    same_heap "$ours" "$program" "$list" "$out/heap"
}

archive_row() {
	archive=$data/w5/w1.tar.zst
	if [ ! -e "$archive" ]; then
		missing 'W5: there is no archive'
		return 0
	fi
	members=$(wc -l <"$data/w5/members")
	row '-c 8' "W5: merge tar.zst of $members; LLVM: unpack first" \
	    "exec prof-merge -j 1 --to indexed:$version -o '$ours' '$archive'" \
	    "rm -rf '$out/w5' && mkdir '$out/w5' && zstd -dc '$archive' |
	    tar -xf - -C '$out/w5' && $llvm merge --num-threads=1 \
	    -o '$theirs' '$out/w5/'*.profraw && rm -rf '$out/w5'" \
	    same_profile "$ours" "$theirs"
	row '-w 1.4' "W5: tar.zst of $members, ours -j 2; ours -j 1" \
	    "exec prof-merge -j 2 --to indexed:$version -o '$ours' '$archive'" \
	    "exec prof-merge -j 1 --to indexed:$version -o '$theirs' \
	    '$archive'" same_bytes "$ours" "$theirs"
}

# cover_row TARGETS WHAT ARGUMENT...: our llvm-cov and LLVM's.
cover_row() {
	targets=$1 what=$2
	shift 2
	shown "$targets" "W7: coverage, $what" \
	    "'$top_builddir/cmd/llvm-cov' $* '$data/w7/$n/prog'" \
	    "llvm-cov-$n $* '$data/w7/$n/prog'" same_bytes
}

cover_rows() {
	program=$data/w7/$n/prog
	if [ ! -x "$program" ] || ! command -v "llvm-cov-$n" >/dev/null; then
		missing 'W7: there is no program with coverage, or no llvm-cov'
		return 0
	fi
	profile="-instr-profile='$program.profdata'"
	PROFTOOLS_COMPAT=$n
	export PROFTOOLS_COMPAT
	cover_row '-c 10 -m 6' lcov export -format=lcov "$profile"
	cover_row '-c 8 -m 5' report report "$profile"
	cover_row '-c 20 -m 40' JSON export -format=text "$profile"
	shown '-c 0.9 -m 0.9' 'W7: one binary, ours; four times, ours' \
	    "prof-cover --to lcov '$program.profdata' '$program'" \
	    "prof-cover --to lcov '$program.profdata' '$program' '$program' \
	    '$program' '$program'" same_bytes
	unset PROFTOOLS_COMPAT
}

# The public interface: the shared library against the archive, and a merge by
# it against prof-merge.
library_rows() {
	consumer=$bench/consumer
	if [ ! -x "$consumer" ]; then
		missing 'the build installs no library'
		return 0
	fi
	shown '-c 0.95' 'W3: read all functions, shared library; archive' \
	    "'$consumer' read '$data/w3/$n.profdata'" \
	    "'${consumer}_archive' read '$data/w3/$n.profdata'" same_bytes
	files "$data/w1/ir" profraw 10 "$out/raw.10" || return 0
	row '-c 0.95' 'W1: merge 10 raw, shared library; prof-merge' \
	    "xargs '$consumer' merge '$ours' <'$out/raw.10'" \
	    "exec prof-merge -j 1 --files-from '$out/raw.10' --to indexed \
	    -o '$theirs'" same_bytes "$ours" "$theirs"
}

machine() {
	model=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2>/dev/null |
	    head -n 1)
	echo "$(date +%Y-%m-%d), $(uname -m) (${model:-unknown})," \
	    "$(getconf _NPROCESSORS_ONLN) cores;" \
	    "$llvm $("$llvm" merge --version | sed -n 's/.*LLVM version //p');" \
	    "ours: $BENCH_BUILD; $rounds rounds"
}

machine
echo "W1: $(wc -l <"$data/w1/names.txt") functions, files of" \
    "$(wc -c <"$(find "$data/w1/ir" -name '*.profraw' | head -n 1)") bytes"
[ -n "$foreign${BENCH_FULL:-}" ] ||
    echo 'What is asked for is asked of larger profiles: BENCH_FULL=1.'
echo
echo '| work | CPU | wall | memory | CPU, s | LLVM | wall, s | LLVM | MB | LLVM | asked for | same |'
echo '| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |'
raw_rows
most_row
small_row
pipe_row
indexed_rows
builds_rows
overlap_rows
disjoint_row
targets_row
order_row
heap_row
heap_indexed_row
archive_row
cover_rows
library_rows
rm -rf "$out"

stages=$bench/data/stages
mkdir -p "$stages"
i=1
while [ $i -le 4 ]; do
	"$bench/gen" 20000 $i >"$stages/$i.ndjson"
	"$bench/gen_dump" 20000 $i >"$stages/heap.$i.ndjson"
	i=$((i + 1))
done
"$bench/gen_heap" 13 >"$stages/program.c"
${BENCH_CC:?} -w -g -O1 -Wl,--build-id "$stages/program.c" -o "$stages/program"
echo
"$bench/stages" -r "$rounds" -b "$stages/program" "$stages"/[1-4].ndjson \
    "$stages"/heap.[1-4].ndjson || status=1
exit $status
