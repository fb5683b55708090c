#!/bin/sh
# instructions.sh - what each stage takes, in instructions
#
#	make bench-instructions		compares with bench/INSTRUCTIONS.md, and
#					says no if a stage takes more
#	make bench-instructions-update	rewrites it
#
# Instructions are those that callgrind counts: the same each time, on a busy
# machine too, but not with another compiler, other flags or another libc.
set -eu
bench=${top_builddir:?}/bench
table=${top_srcdir:?}/bench/INSTRUCTIONS.md
functions=5000
contexts=5000
runs=4
percent=3
build="${BENCH_BUILD:?}, $(uname -m)"

command -v valgrind >/dev/null || {
	echo 'bench-instructions: there is no valgrind' >&2
	exit 77
}
data=$bench/data/instructions
rm -rf "$data"
mkdir -p "$data"
i=1
while [ $i -le $runs ]; do
	"$bench/gen" $functions $i >"$data/$i.ndjson"
	"$bench/gen_dump" $contexts $i >"$data/heap.$i.ndjson"
	i=$((i + 1))
done
"$bench/gen_heap" 8 >"$data/program.c"
${BENCH_CC:?} -w -g -O1 -Wl,--build-id "$data/program.c" -o "$data/program"

# count STAGE: instructions, and functions or contexts.
count() {
	n=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null \
	    --toggle-collect='run_stage*' "$bench/stages" -s "$1" \
	    -b "$data/program" "$data"/[1-$runs].ndjson \
	    "$data"/heap.[1-$runs].ndjson 2>"$data/log") || {
		cat "$data/log" >&2
		return 1
	}
	collected=$(sed -n 's/^==.*Collected *: *//p' "$data/log")
	if [ "${collected:-0}" -eq 0 ]; then
		echo "bench-instructions: nothing was counted of $1" >&2
		return 1
	fi
	echo "$collected $n"
}

"$bench/stages" -l | while read -r stage; do
	counts=$(count "$stage") || exit
	echo "$stage $counts"
done >"$data/counts"
stages=$("$bench/stages" -l | wc -l)
[ "$(wc -l <"$data/counts")" -eq "$stages" ] || exit 2

rows() {
	awk '{ printf "| %s | %.0f | %.0f |\n", $1, $2, $2 / $3 }' \
	    "$data/counts"
}

write_table() {
	cat <<-END
	# Instructions

	What each stage of \`bench/stages\` takes, as \`make bench-instructions\` counts
	it with callgrind: $runs runs of \`bench/gen $functions\`, or of \`bench/gen_dump $contexts\`
	for heap profiles, and of those one for the stages that work on one. A change
	holds against it that makes no stage grow by more than $percent percent; one that is
	meant to, or makes stages faster, comes with what
	\`make bench-instructions-update\` writes here.

	Built with: $build

	| stage | instructions | a function or context |
	| --- | ---: | ---: |
	END
	rows
}

# Stages that the table does not have are new, and held against nothing.
compare() {
	awk -v percent=$percent '
	FNR == NR {
		if (split($0, cell, / *\| */) >= 4 && cell[3] ~ /^[0-9]+$/)
			before[cell[2]] = cell[3]
		next
	}
	FNR == 1 {
		printf "%-24s %14s %14s %9s\n", "stage", "before", "now",
		    "percent"
	}
	!($1 in before) {
		printf "%-24s %14s %14.0f %9s\n", $1, "-", $2, "new"
		next
	}
	{
		change = ($2 / before[$1] - 1) * 100
		much = change > percent
		bad = bad || much
		printf "%-24s %14.0f %14.0f %+9.2f%s\n", $1, before[$1], $2,
		    change, much ? "  too much" : ""
		delete before[$1]
	}
	END {
		for (stage in before) {
			printf "%-24s %14.0f %14s\n", stage, before[stage],
			    "gone"
			bad = 1
		}
		exit bad
	}' "$table" "$data/counts"
}

status=0
case ${1-} in
update)
	write_table >"$data/table"
	mv "$data/table" "$table"
	;;
'')
	[ -e "$table" ] || { echo "no $table" >&2; exit 2; }
	compare || status=1
	made=$(sed -n 's/^Built with: //p' "$table")
	if [ "$made" != "$build" ]; then
		echo "bench-instructions: not to be compared, the table was" \
		    "made with $made, this is $build" >&2
		status=1
	fi
	;;
*)
	echo "usage: instructions.sh [update]" >&2
	exit 2
	;;
esac
exit $status
