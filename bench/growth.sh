#!/bin/sh
# growth.sh - how time and memory grow with each way in which inputs are large
#
#	make bench-growth
#
# GROWTH_ROUNDS is how often each command runs.  Prints a row for each axis: the
# smallest size, CPU seconds and MB of the largest process at it and at 10, 100
# and 1000 times as much, and the exponents from one size to the next: 1 is
# linear.  The smallest sizes take as long as to start a program, so that their
# exponents are low.  Inputs are made in bench/data/growth, and removed.
set -eu
bench=${top_builddir:?}/bench
rounds=${GROWTH_ROUNDS:-3}
data=$bench/data/growth
status=0
rm -rf "$data"
mkdir -p "$data"
trap 'rm -rf "$data"' EXIT

# growth AXIS SIZE MAKE COMMAND: MAKE and COMMAND are functions of a size, which
# make the input in $data/in and work on it.
growth() {
	axis=$1 size=$2 make=$3 command=$4
	echo "bench: growth with $axis" >&2
	seconds='' megabytes='' n=$size
	for _ in 1 2 3 4; do
		rm -rf "$data/in"
		mkdir "$data/in"
		"$make" "$n"
		do=$("$command" "$n")
		row=$("$bench/measure" "$rounds" x "$do" true) || {
			echo "bench: $axis: failed: no row" >&2
			status=1
			return 0
		}
		figures=$(echo "$row" | awk -F ' [|] ' '{ print $5, $9 }')
		seconds="$seconds ${figures% *}"
		megabytes="$megabytes ${figures#* }"
		n=$((n * 10))
	done
	echo "$seconds $megabytes" | awk -v axis="$axis" -v size="$size" '
	function exponents(from,    i, text) {
		for (i = from + 1; i < from + 4; i++)
			text = text sprintf("%s%.2f", i == from + 1 ? "" : ", ",
			    log(($i + 0.0005) / ($(i - 1) + 0.0005)) / log(10))
		return text
	}
	{
		printf "| %s | %s | %s, %s, %s, %s | %s | %s, %s, %s, %s | %s |\n",
		    axis, size, $1, $2, $3, $4, exponents(1), $5, $6, $7, $8,
		    exponents(5)
	}'
}

gen() {
	"$bench/gen_axis" "$@"
}

merge_in() {
	echo "exec prof-merge -j 1 --to indexed -o '$data/out' '$data/in'/*"
}

# Lists of files: the ten of a kind are named over and over.
merge_list() {
	i=0
	while [ $i -lt "$1" ]; do
		echo "$data/in/$((i % 10))"
		i=$((i + 1))
	done >"$data/list"
	echo "exec prof-merge -j 1 --to indexed -o '$data/out' \
	    --files-from '$data/list'"
}

make_runs() {
	for i in 0 1 2 3 4 5 6 7 8 9; do
		"$bench/gen" 500 $i | write-raw raw -o "$data/in/$i"
	done
}

make_builds() {
	i=0
	while [ $i -lt "$1" ]; do
		"$bench/gen" 500 $i $((i + 1)) |
		    write-raw raw -o "$data/in/$(printf %05d $i)"
		i=$((i + 1))
	done
}

make_programs() {
	i=0
	while [ $i -lt "$1" ]; do
		gen functions 300 8 60 $((i + 1)) |
		    write-raw raw -o "$data/in/$(printf %05d $i)"
		i=$((i + 1))
	done
}

make_functions() {
	gen functions "$1" 8 60 1 | prof-index -o "$data/in/a"
}

make_counters() {
	gen functions 1 "$1" 60 1 | prof-index -o "$data/in/a"
}

make_names() {
	gen functions 200 8 "$1" 1 | prof-index -o "$data/in/a"
}

make_two() {
	gen functions "$1" 8 60 1 | prof-index -o "$data/in/a"
	gen functions "$1" 7 60 1 | prof-index -o "$data/in/b"
}

make_targets() {
	gen targets $(($1 / 100)) 100 1 >"$data/in/a"
}

make_traces() {
	gen traces "$1" 50 5000 >"$data/in/a"
}

make_contexts() {
	gen contexts "$1" 16 1 >"$data/in/a"
}

make_indexed_contexts() {
	gen contexts "$1" 16 1 | prof-index -o "$data/in/a"
}

# One file, named as often as there are to be members.
make_members() {
	gen functions 3 2 30 1 | write-raw raw -o "$data/member"
	awk -v n="$1" 'BEGIN { while (n-- > 0) print "member" }' >"$data/list"
	tar --hard-dereference -cf "$data/in/a.tar" -C "$data" -T "$data/list"
}

diff_in() {
	echo "prof-diff '$data/in/a' '$data/in/b' >'$data/out' || test \$? = 1"
}

order_in() {
	echo "exec prof-order -j 1 '$data/in/a' >'$data/out'"
}

cat_in() {
	echo "exec profraw-cat '$data/in/a' >'$data/out'"
}

echo '| axis | smallest | CPU, s | exponents | MB | exponents |'
echo '| --- | --- | --- | --- | --- | --- |'
growth 'files of one program' 10 make_runs merge_list
growth 'files of nearly the same programs' 1 make_builds merge_in
growth 'files of other programs' 1 make_programs merge_in
growth 'functions' 1000 make_functions merge_in
growth 'functions, prof-diff' 1000 make_two diff_in
growth 'counters of a function' 1000 make_counters merge_in
growth 'length of names' 20 make_names merge_in
growth 'targets' 1000 make_targets merge_in
growth 'traces, prof-order' 10 make_traces order_in
growth 'contexts of a heap profile, to indexed' 100 make_contexts merge_in
growth 'contexts, from indexed' 100 make_indexed_contexts cat_in
growth 'members of an archive' 10 make_members merge_in
exit $status
