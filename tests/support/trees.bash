#!/bin/bash
# trees.bash FIRST LAST: holds one random tree of partial merges for each seed
# against the flat merge, as streams and as indexed files, to the byte.  Works in
# the current folder, which has the leaves and commands of a tree that differs.

support=$(dirname "$0")

guids() {
	local name

	for name in f{1..9} t{1..6}; do
		printf '%s=%s ' "$name" "$(printf %s "$name" | md5sum | sed -E \
		    's/^(..)(..)(..)(..)(..)(..)(..)(..).*/0x\8\7\6\5\4\3\2\1/')"
	done
}

# The status 1 of a merge says that inputs were left out.
check() {
	local line

	while IFS= read -r line; do
		$line 2>>log || [ $? = 1 -a "${line%% *}" != cmp ] || {
			echo "$line"
			cat log
			return 1
		}
	done <commands
}

table=$(guids)
for ((seed = $1; seed <= $2; seed++)); do
	rm -f leaf.* part.* flat* tree* less log
	awk -v seed="$seed" -v guids="$table" -f "$support/trees.awk" >commands
	check || { echo "seed $seed differs: $PWD"; exit 1; }
done
echo "$(($2 - $1 + 1)) trees"
