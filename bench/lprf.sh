#!/bin/sh
# lprf.sh - LPRF 2 beside the other forms of a profile
#
#	make bench-lprf			a program of 20,000 functions
#	BENCH_FULL=1 make bench-lprf	90,000
#
# BENCH_FUNCTIONS and BENCH_ROUNDS change sizes one by one.  BENCH_PROFILES names
# more real profiles beside those of tests/data and of the corpus, if it is there.
# Prints tables: sizes, look-ups, writing, with what is asked for.  What was
# measured gave the same result, or there is no row, and the exit status is 1.
set -eu
bench=${top_builddir:?}/bench
source=${top_srcdir:?}
functions=20000 rounds=3
[ -z "${BENCH_FULL:-}" ] || functions=90000 rounds=5
functions=${BENCH_FUNCTIONS:-$functions} rounds=${BENCH_ROUNDS:-$rounds}
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

# make_run KIND: a run of the program, w1, or without value sites, counters.
make_run() {
	dir=$data/$functions/$1
	[ ! -e "$dir/1.plain.lprf" ] || return 0
	mkdir -p "$dir"
	"$bench/gen" "$functions" 1 >"$out/stream"
	[ "$1" = w1 ] || sed -i 's/,"values":{.*}}$/}/' "$out/stream"
	prof-merge -q --to lprf:2 -o "$dir/1.packed.lprf" "$out/stream"
	prof-merge -q --to lprf:2,plain -o "$dir/1.plain.lprf" "$out/stream"
	rm -f "$out/stream"
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
	for form in indexed stream plain packed; do
		file=$out/p.$form
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
	for form in indexed plain packed; do
		figures=$("$bench/lookup" "$out/p.$form" 1000 <"$out/names")
		echo "$figures" | awk -v name="$1" -v form=$form '{
			printf "| %s, %s | %s | %s | %s | %s | %s | %s | %s |\n",
			    name, form, $1, $2, $3, $4, $5, $6, $7 }'
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
	    "exec prof-index -q --to indexed:13 -o '$out/b' '$stream'" \
	    "$out/a" "$out/b"
	row '-c 0.66' "$1: write packed; indexed" \
	    "exec prof-merge -q --to lprf:2 -o '$out/a' '$stream'" \
	    "exec prof-index -q --to indexed:13 -o '$out/b' '$stream'" \
	    "$out/a" "$out/b"
}

echo "$(date +%Y-%m-%d), $(uname -m), $(getconf _NPROCESSORS_ONLN) cores;" \
    "ours: ${BENCH_BUILD:-}; W1: $functions functions; $rounds rounds"
for kind in w1 counters; do
	make_run $kind
done

echo
echo 'KB: as it is/zstd -3/zstd -19, and ratios of packed to others (asked for).'
echo
echo '| profile | indexed 13 | stream | LPRF 2 plain | packed | of indexed | of indexed, zstd -19 | of stream, zstd -19 |'
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
		*) write_rows "$name" >>"$out/real" ;;
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
cat "$out/real"
rm -rf "$out"
exit $status
