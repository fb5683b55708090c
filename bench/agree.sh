# shellcheck shell=sh disable=SC2034
# agree.sh - whether two results are the same; bench.sh reads this
#
# Each function takes two results, ours first, and says in `agreed` in what they
# agree.  Its status is 1 if they do not.
: "${llvm:?}" "${out:?}"
agreed=

same_bytes() {
	agreed='all bytes'
	cmp -s "$1" "$2"
}

# Indexed files as text, with the counts of equal targets of a site added up and
# targets in the order of names.
plain_text() {
	"$llvm" merge --text "$1" | awk '
	function flush(    i, j, t) {
		for (i = 2; i <= n; i++)
			for (j = i; j > 1 && name[j] < name[j - 1]; j--) {
				t = name[j]
				name[j] = name[j - 1]
				name[j - 1] = t
			}
		for (i = 1; i <= n; i++) {
			printf "%s:%.0f\n", name[i], sum[name[i]]
			delete sum[name[i]]
		}
		n = 0
	}
	# A site is the number of its values, and then these.
	match($0, /:[0-9]+$/) {
		held = ""
		key = substr($0, 1, RSTART - 1)
		if (!(key in sum))
			name[++n] = key
		sum[key] += substr($0, RSTART + 1)
		next
	}
	{
		if (held != "")
			print held
		held = ""
		flush()
		if ($0 ~ /^[0-9]+$/)
			held = $0
		else
			print
	}
	END {
		if (held != "")
			print held
		flush()
	}'
}

# same_text WHAT A B OURS LLVMS: what command A makes of our text is what B makes
# of LLVM's, and not empty.
same_text() {
	agreed=$1
	"$2" "$4" >"$out/text.a"
	"$3" "$5" >"$out/text.b"
	[ -s "$out/text.a" ] && cmp -s "$out/text.a" "$out/text.b"
}

# Sites of profiles from elsewhere may call targets that no function of the
# profile is.  Of those LLVM adds the k-th to come, and we the k-th largest, so
# that only their sum is the same.
same_profile() {
	same_bytes "$1" "$2" && return
	[ -n "$foreign" ] || return
	same_text 'counters, and sums of targets' plain_text plain_text "$@"
}

# The records of a name stand in an order that depends on LLVM's table of them.
same_builds() {
	same_bytes "$1" "$2" ||
	    same_text 'all of text' plain_text plain_text "$@"
}

# Functions as lines of name, hash and counters.
our_functions() {
	awk '/^ +\[/ {
		sub(/^ +/, "")
		print name, hash, $0
		next
	}
	/^ +[0-9]+ +[0-9]+ +0x/ {
		hash = $3
		name = $4
	}' "$1"
}

llvm_functions() {
	awk '/^  [^ ].*:$/ { name = substr($1, 1, length($1) - 1) }
	/^    Hash: / { hash = $2 }
	/^    Block counts: / {
		sub(/^    Block counts: /, "")
		print name, hash, $0
	}' "$1"
}

same_functions() {
	same_text 'names, hashes and counters' our_functions llvm_functions "$@"
}

# Totals, and for each share its count and how many counters reach it.
our_summary() {
	awk '/^  functions / { print "functions", $2 }
	/^  counters / { print "counters", $2 }
	/^  total count / { print "total", $3 }
	/^  largest first count / { print "first", $4 }
	/^  largest other count / { print "other", $4 }
	/^ +[0-9.]+% +[0-9]+ +[0-9]+$/ { print $1 + 0, $2, $3 }' "$1" | LC_ALL=C sort
}

llvm_summary() {
	awk '/^Total functions: / { print "functions", $3 }
	/^Total number of blocks: / { print "counters", $5 }
	/^Total count: / { print "total", $3 }
	/^Maximum function count: / { print "first", $4 }
	/^Maximum internal block count: / { print "other", $5 }
	/ blocks .*with count >= / {
		for (i = 1; $i != ">="; i++)
			;
		print $(i + 4) + 0, $(i + 1), $1
	}' "$1" | LC_ALL=C sort
}

same_summary() {
	same_text 'totals and shares' our_summary llvm_summary "$@" &&
	    grep -q '^99 ' "$out/text.a"
}

# The numbers of functions, the sums of counters, and their overlap.
our_overlap() {
	awk '/^  functions / { functions = $2 " " $3 }
	/^  total count / { sums = $3 " " $4 }
	/^  overlap / { print functions, sums, $2 }' "$1"
}

llvm_overlap() {
	awk '/# of functions overlap: / { functions = $NF " " $NF }
	/Edge profile overlap: / { overlap = $NF }
	/Edge profile base count sum: / { base = $NF }
	/Edge profile test count sum: / {
		print functions, base, $NF, overlap
	}' "$1"
}

same_overlap() {
	same_text 'functions, sums and overlap of counters' our_overlap \
	    llvm_overlap "$@"
}

# Totals of what `llvm-profdata show --memory` says of heap profiles.
heap_totals() {
	awk '/^ +(AllocCount|TotalSize|TotalLifetime): / { sum[$1] += $2 }
	END { for (key in sum) printf "%s %.0f\n", key, sum[key] }' |
	    LC_ALL=C sort
}

# The same totals of a stream.
stream_totals() {
	awk '{
		while (match($0, /"(alloc_count|total_size|total_lifetime)":[0-9]+/)) {
			split(substr($0, RSTART, RLENGTH), part, ":")
			sum[part[1]] += part[2]
			$0 = substr($0, RSTART + RLENGTH)
		}
	}
	END {
		printf "AllocCount: %.0f\n", sum["\"alloc_count\""]
		printf "TotalLifetime: %.0f\n", sum["\"total_lifetime\""]
		printf "TotalSize: %.0f\n", sum["\"total_size\""]
	}' "$1"
}

shown_totals() {
	heap_totals <"$1"
}

same_totals() {
	same_text 'totals' stream_totals shown_totals "$@"
}

# same_heap OURS PROGRAM LIST ONE: ours is the sum of all dumps of the list, and
# ONE its first, both symbolized.  LLVM keeps only one of many, so what it shows
# of each is added up.
same_heap() {
	first=$(sed -n 1p "$3")
	"$llvm" merge --num-threads=1 --profiled-binary="$2" -o "$out/heap.b" \
	    "$first"
	same_bytes "$4" "$out/heap.b" || return
	while read -r dump; do
		"$llvm" show --memory --profiled-binary="$2" "$dump"
	done <"$3" | heap_totals >"$out/text.b"
	"$llvm" show --memory "$1" | heap_totals >"$out/text.a"
	agreed='one dump: all bytes; sum: totals'
	[ "$(wc -l <"$out/text.a")" -eq 3 ] &&
	    cmp -s "$out/text.a" "$out/text.b"
}
