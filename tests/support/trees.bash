#!/bin/bash
# trees.bash FIRST LAST: holds one random tree of partial merges for each seed
# against the flat merge, to the byte.  Works in the current folder, which has
# the leaves and commands of a tree that differs.  If there is a clang, raw
# profiles of programs that it builds are among the leaves.

support=$(dirname "$0")

guids() {
	local name

	for name in f{1..9} t{1..6}; do
		printf '%s=%s ' "$name" "$(printf %s "$name" | md5sum | sed -E \
		    's/^(..)(..)(..)(..)(..)(..)(..)(..).*/0x\8\7\6\5\4\3\2\1/')"
	done
}

# Programs write to standard output, since they would wait for the disk with -o.
# The status 1 of a merge says that inputs were left out.
check() {
	local line

	while IFS= read -r line; do
		eval "$line" 2>>log || [ $? = 1 -a "${line%% *}" != cmp ] || {
			echo "$line"
			cat log
			return 1
		}
	done <commands
}

# make_runs: six raw profiles each of two builds of a program that is loaded at
# another address in each run, and calls through pointers.
make_runs() {
	local clang flags=(-w -O1 -fPIE -pie -fprofile-generate) build run

	clang=$(compgen -c clang- | grep -x 'clang-[0-9]*' | sort -u -t - -k 2n |
	    tail -n 1)
	[ -n "$clang" -a -z "$PROFTOOLS_NO_ORACLES" ] || return 0
	for build in 1 2; do
		"$clang" "${flags[@]}" -DBUILD=$build -o program.$build \
		    "$support/trees.c" 2>>log || return 0
		for run in 1 2 3 4 5 6; do
			LLVM_PROFILE_FILE=run.$build.$run ./program.$build $run
			printf 'run.%s.%s ' $build $run
		done
	done
}

table=$(guids)
runs=$(make_runs)
for ((seed = $1; seed <= $2; seed++)); do
	rm -f leaf.* part.* flat* tree* less log
	awk -v seed="$seed" -v guids="$table" -v runs="$runs" \
	    -f "$support/trees-heap.awk" -f "$support/trees.awk" >commands
	check || { echo "seed $seed differs: $PWD"; exit 1; }
done
echo "$(($2 - $1 + 1)) trees"
