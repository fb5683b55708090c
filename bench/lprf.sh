#!/bin/sh
# lprf.sh - LPRF 2 beside the other forms of a profile
#
#	make bench-lprf			a program of 20,000 functions
#	BENCH_FULL=1 make bench-lprf	90,000; 10 GB in bench/data
#
# BENCH_FUNCTIONS, _RUNS and _ROUNDS change sizes one by one.  BENCH_PROFILES
# names more real profiles beside those of tests/data and of the corpus, if it is
# there.  Prints tables: sizes, look-ups, writing, merges, with what is asked for.  What was measured
# gave the same result, or there is no row, and the exit status is 1.
set -eu
bench=${top_builddir:?}/bench
source=${top_srcdir:?}
functions=20000 runs=20 rounds=3
[ -z "${BENCH_FULL:-}" ] || functions=90000 runs=100 rounds=5
functions=${BENCH_FUNCTIONS:-$functions} runs=${BENCH_RUNS:-$runs}
rounds=${BENCH_ROUNDS:-$rounds}
profiles=${BENCH_PROFILES:-}
corpus=${PROFTOOLS_CORPUS:-$source/../shared/corpus}
for file in "$source/tests/data/screens/leveldb-20000.lprf" \
    "$source/tests/data/screens/xz-decode.lprf" \
    "$corpus/indexed/fe_200.v13.profdata" "$corpus/indexed/mh.v13.profdata" \
    "$corpus/raw/v22-vtable.profraw" "$corpus/raw/v22-mcdc.profraw"; do
	[ ! -e "$file" ] || profiles="$profiles $file"
done
data=$bench/data/lprf
out=$data/out
status=0
mkdir -p "$data/$functions" "$out"

say() {
	echo "bench: $*" >&2
}

none() {
	say "$*: no row"
	status=1
}

# stream KIND RUN: of the same program without value sites, of other builds, or
# of a smaller one whose runs have targets of their own.
stream() {
	case $1 in
	w1) "$bench/gen" "$functions" "$2" ;;
	counters) "$bench/gen" "$functions" "$2" |
	    sed 's/,"values":{.*}}$/}/' ;;
	builds) "$bench/gen" "$functions" "$2" "$2" ;;
	targets) "$bench/gen" $((functions / 10)) "$2" 0 "$2" ;;
	esac
}

# distinct KIND: how many different runs there are.
distinct() {
	case $1 in
	targets) echo "$runs" ;;
	*) echo 10 ;;
	esac
}

# make_runs KIND: files of distinct runs, each in three forms.
make_runs() {
	dir=$data/$functions/$1
	mkdir -p "$dir"
	i=1
	while [ $i -le "$(distinct "$1")" ]; do
		if [ ! -e "$dir/$i.profdata" ]; then
			stream "$1" $i >"$out/stream"
			prof-merge -q --to lprf:2 -o "$dir/$i.packed.lprf" \
			    "$out/stream"
			prof-merge -q --to lprf:2,plain \
			    -o "$dir/$i.plain.lprf" "$out/stream"
			prof-merge -q --to indexed:13 -o "$dir/$i.profdata" \
			    "$out/stream"
		fi
		i=$((i + 1))
	done
	rm -f "$out/stream"
}

# list KIND SUFFIX: the names of so many files, the distinct ones in turn.
list() {
	i=0
	while [ $i -lt "$runs" ]; do
		echo "$data/$functions/$1/$((i % $(distinct "$1") + 1)).$2"
		i=$((i + 1))
	done >"$out/list.$1.$2"
	echo "$out/list.$1.$2"
}

size() {
	wc -c <"$1" | tr -d ' '
}

# same_profile A B: as merged streams, without their first lines, which name a
# source and a number of inputs.
same_profile() {
	for file in "$1" "$2"; do
		prof-merge -q "$file" | sed 1d | cksum
	done >"$out/sums"
	[ "$(sort -u "$out/sums" | wc -l)" -eq 1 ]
}

# forms FILE: writes it in all forms to $out, and says whether they are the same.
forms() {
	prof-merge -q -o "$out/p.stream" "$1"
	prof-merge -q --to indexed:13 -o "$out/p.indexed" "$out/p.stream"
	prof-merge -q --to lprf:1 -o "$out/p.lprf1" "$out/p.stream" \
	    2>/dev/null || rm -f "$out/p.lprf1"
	prof-merge -q --to lprf:2,plain -o "$out/p.plain" "$out/p.stream"
	prof-merge -q --to lprf:2 -o "$out/p.packed" "$out/p.stream"
	same_profile "$out/p.stream" "$out/p.plain" &&
	    same_profile "$out/p.plain" "$out/p.packed"
}

# ratio A B ASKED: a hundredth, and what was asked for.
ratio() {
	awk -v a="$1" -v b="$2" -v most="${3:-}" 'BEGIN {
		printf "%.2f%s", a / b, most == "" ? "" : " (" most \
		    (a / b > most ? ", missed)" : ")") }'
}

sizes_row() {
	name=$1
	printf '| %s' "$name"
	for form in indexed lprf1 stream plain packed; do
		file=$out/p.$form
		if [ ! -e "$file" ]; then
			printf ' | -'
			continue
		fi
		printf ' | %d' $(($(size "$file") / 1024))
		[ $form != packed ] || continue
		zstd -q -f -3 -o "$out/z3" "$file"
		zstd -q -f -19 -o "$out/z19.$form" "$file"
		printf '/%d/%d' $(($(size "$out/z3") / 1024)) \
		    $(($(size "$out/z19.$form") / 1024))
	done
	packed=$(size "$out/p.packed")
	of_all=.12
	[ "$name" = W1 ] || of_all=
	printf ' | %s | %s | %s |\n' \
	    "$(ratio "$packed" "$(size "$out/p.indexed")" $of_all)" \
	    "$(ratio "$packed" "$(size "$out/z19.indexed")" .8)" \
	    "$(ratio "$packed" "$(size "$out/z19.stream")" 1.45)"
}

# look_up_rows NAME: a row for each form that can look names up, or scan them.
look_up_rows() {
	profraw-cat -q "$out/p.plain" | sed -n \
	    's/^{"record":"function","name":"\([^"\\]*\)".*/\1/p' |
	    LC_ALL=C sort -u >"$out/names"
	[ "$(wc -l <"$out/names")" -ge 50 ] || return 0
	sum=
	for form in indexed lprf1 plain packed; do
		[ -e "$out/p.$form" ] || continue
		n=1000
		[ $form != lprf1 ] || n=20
		figures=$("$bench/lookup" "$out/p.$form" $n <"$out/names")
		echo "$figures" | awk -v name="$1" -v form=$form '{
			printf "| %s, %s | %s | %s | %s | %s | %s | %s | %s |\n",
			    name, form, $1, $2, $3, $4, $5, $6, $7 }'
		# Version 1 is asked less often: it reads the whole file.
		[ $form != lprf1 ] || continue
		[ -n "$sum" ] || sum=${figures##* }
		[ "$sum" = "${figures##* }" ] ||
		    none "$1: functions of $form differ"
	done
}

# row TARGETS LABEL OURS THEIRS A B: two commands that write A and B.
row() {
	say "$2"
	# shellcheck disable=SC2086
	if ! line=$("$bench/measure" $1 "$rounds" "$2" "$3" "$4"); then
		none "$2: failed"
	elif same_profile "$5" "$6"; then
		echo "$line"
	else
		none "$2: results differ"
	fi
}

# write_rows NAME: from the stream of a profile.
write_rows() {
	stream="$out/p.stream"
	row '-c 1' "$1: write plain; indexed" \
	    "exec prof-merge -q --to lprf:2,plain -o '$out/a' '$stream'" \
	    "exec prof-index -q --format-version 13 -o '$out/b' '$stream'" \
	    "$out/a" "$out/b"
	row '-c 0.66' "$1: write packed; indexed" \
	    "exec prof-merge -q --to lprf:2 -o '$out/a' '$stream'" \
	    "exec prof-index -q --format-version 13 -o '$out/b' '$stream'" \
	    "$out/a" "$out/b"
}

# real_rows NAME: one of BENCH_PROFILES, which is merged with itself.
real_rows() {
	write_rows "$1"
	for form in packed plain indexed; do
		i=0
		while [ $i -lt "$runs" ]; do
			echo "$out/p.$form"
			i=$((i + 1))
		done >"$out/list.p.$form"
	done
	for form in packed plain; do
		to=lprf:2
		[ $form != plain ] || to=lprf:2,plain
		row '-c 2 -M 32' "$1: merge $runs $form; indexed" \
		    "exec prof-merge -q -j 1 --to $to -o '$out/a' \
		    --files-from '$out/list.p.$form'" \
		    "exec prof-merge -q -j 1 --to indexed:13 -o '$out/b' \
		    --files-from '$out/list.p.indexed'" "$out/a" "$out/b"
	done
}

# merge_row TARGETS LABEL KIND FORM
merge_row() {
	to=lprf:2
	[ "$4" != plain ] || to=lprf:2,plain
	row "$1 -M 32" "$2" \
	    "exec prof-merge -q -j 1 --to $to -o '$out/a' \
	    --files-from '$(list "$3" "$4.lprf")'" \
	    "exec prof-merge -q -j 1 --to indexed:13 -o '$out/b' \
	    --files-from '$(list "$3" profdata)'" "$out/a" "$out/b"
}

# table_row LABEL KIND: by blocks, and by the table of functions.
table_row() {
	row '-c 1' "$1" \
	    "exec prof-merge -q -j 1 --to lprf:2 -o '$out/a' \
	    --files-from '$(list "$2" packed.lprf)'" \
	    "TMPDIR=$out/none exec prof-merge -q -j 1 --to lprf:2 -o '$out/b' \
	    --files-from '$(list "$2" packed.lprf)'" "$out/a" "$out/b"
}

echo "$(date +%Y-%m-%d), $(uname -m), $(getconf _NPROCESSORS_ONLN) cores;" \
    "ours: ${BENCH_BUILD:-}; W1: $functions functions; $rounds rounds"
for kind in w1 counters builds targets; do
	say "$(distinct $kind) runs of $kind"
	make_runs $kind
done

echo
echo 'KB: as it is/zstd -3/zstd -19, and ratios of packed to others (asked for).'
echo
echo '| profile | indexed 13 | LPRF 1 | stream | LPRF 2 plain | packed | of indexed | of indexed, zstd -19 | of stream, zstd -19 |'
echo '| --- | --- | --- | --- | --- | --- | --- | --- | --- |'
: >"$out/look_ups"
: >"$out/real"
for profile in "$data/$functions/w1/1.packed.lprf" \
    "$data/$functions/counters/1.packed.lprf" $profiles; do
	case $profile in
	*/w1/*) name=W1 ;;
	*/counters/*) name='W1 without sites' ;;
	*) name=$(basename "$profile") name=${name%%.*} ;;
	esac
	if forms "$profile"; then
		sizes_row "$name"
		look_up_rows "$name" >>"$out/look_ups"
		case $name in
		W1*) ;;
		*) real_rows "$name" >>"$out/real" ;;
		esac
	else
		none "$name: forms differ"
	fi
done

echo
echo 'Look-ups: microseconds and pages; of 50, for each and all.  Asked for: packed'
echo '30 us, 2.5 us of 50; plain 2 us; 7 pages; cold 1.5 times indexed; names and'
echo 'counters of all functions 15 ms.'
echo
echo '| profile | one, us | pages | of 50, us | pages | cold, us | names and counters, ms | with targets |'
echo '| --- | --- | --- | --- | --- | --- | --- | --- |'
cat "$out/look_ups"

echo
echo '| work | CPU | wall | memory | CPU, s | other | wall, s | other | MB | other | asked for |'
echo '| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |'
prof-merge -q -o "$out/p.stream" "$data/$functions/w1/1.plain.lprf"
write_rows W1
merge_row '-c 2' "W1: merge $runs packed; indexed" w1 packed
merge_row '-c 2' "W1: merge $runs plain; indexed" w1 plain
merge_row '-c 2' "W1 without sites: merge $runs packed; indexed" counters packed
merge_row '-c 2' "W1 without sites: merge $runs plain; indexed" counters plain
merge_row '-c 1' "builds: merge $runs packed; indexed" builds packed
table_row "W1: merge $runs packed by blocks; by a table" w1
merge_row '-c 2' "own targets: merge $runs packed; indexed" targets packed
merge_row '-c 2' "own targets: merge $runs plain; indexed" targets plain
table_row "own targets: merge $runs packed by blocks; by a table" targets
cat "$out/real"
rm -rf "$out"
exit $status
