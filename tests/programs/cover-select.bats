# prof-cover: files, lines, changes and tests that are looked at.
#
# The objects are of m.c and o.c below /src; the sources are here, and found
# where --path-map says.

load ../support/helper

setup() {
	cp "$(data cover/select)"/* "$BATS_TEST_TMPDIR"
	cd "$BATS_TEST_TMPDIR"
}

# cover [OPTION...]: the tracefile of the runs with 0 and 3.
cover() {
	prof-cover --to lcov "$@" m.o o.o 0.proftext 3.proftext
}

# The lines of a file in a tracefile: "LINE,COUNT", or another kind.
lines_of() {
	awk -F : -v file="$1" -v kind="${2-DA}" '
	$1 == "SF" { here = $2 == file }
	here && $1 == kind { print $2 }'
}

# change LINE...: a diff of m.c that adds these lines.
change() {
	printf -- '--- a/%s\n+++ b/%s\n' "${file-m.c}" "${file-m.c}"
	printf '@@ -0,0 +%s @@\n+\n' "$@"
}

@test 'globs hide files, and functions with them' {
	same <(cover --exclude '*/m.c') <(cover --include '/src/o*')
	[ "$(cover --include '*.c' --exclude '/*o.c' | grep SF)" = SF:/src/m.c ]
	# What is hidden is not counted either.
	cover --include '*o.c' --to llvm-json | jq -e '.data[0] |
	    (.functions | map(.name)) == ["o.c:never", "other"] and
	    .totals.functions.count == 2'
	cover --include none | same - /dev/null
}

@test 'folders have other names' {
	[ "$(cover --path-map /src= | grep -c 'SF:[mo].c')" -eq 2 ]
	[ "$(cover --path-map /src/=a/b/ | grep -c 'SF:a/b/[mo].c')" -eq 2 ]
	# Components are whole; the longest one counts.
	[ "$(cover --path-map /s=x --path-map /src/m.c=y/m.c |
	    grep -c 'SF:\(y/m.c\|/src/o.c\)')" -eq 2 ]
	usage_error '--path-map needs FROM=TO' prof-cover --path-map /src m.o
	# Two names of one file are one.
	same <(cover --path-map near=/src near.o) <(cover)
	[ "$(cover near.o | grep -c SF)" -eq 3 ]
}

@test 'comments exclude lines and branches' {
	cover --path-map /src= >plain
	cover --path-map /src= --markers >marked
	same <(lines_of m.c <marked) <(lines_of m.c <plain |
	    grep -v '^1[3-7],')
	same <(lines_of m.c BRDA <marked) <(lines_of m.c BRDA <plain |
	    grep -v '^15,')
	# Only the branches of a line.
	same <(lines_of o.c <marked) <(lines_of o.c <plain)
	same <(lines_of o.c BRDA <marked) <(lines_of o.c BRDA <plain |
	    grep -v '^8,')
	# Words of others, beside those of lcov.
	same <(cover --path-map /src= --markers=MINE) marked
	sed -i 's/LCOV_EXCL_ST/MINE_ST/' m.c
	same <(cover --path-map /src= --markers=MINE) marked
	run ! same <(cover --path-map /src= --markers=OTHER) marked
}

@test 'comments without a counterpart, and missing sources, are told' {
	sed -i 's/LCOV_EXCL_STOP//' m.c
	sed -i '1s/$/ LCOV_EXCL_STOP/' o.c
	warns 'm.c: line 14: warning: a marker _START without a stop: the rest' \
	    'o.c: line 1: warning: a marker _STOP without a start$' -- \
	    cover --path-map /src= --markers >marked
	[ "$(lines_of m.c <marked | tail -n 1)" = 12,2 ]
	rm o.c
	warns 'm.c: line 14' 'sources that cannot be read,.*: 1$' -- \
	    cover --path-map /src= --markers >/dev/null
}

@test 'a source is read under its first name, too' {
	mkdir near
	mv m.c near
	quiet prof-cover --to lcov --path-map near=/none --markers \
	    near.o 0.proftext |
	    lines_of /none/m.c >marked
	[ "$(grep -c '^1[3-7],' marked)" -eq 0 ]
	[ "$(wc -l <marked)" -gt 5 ]
	# No device, and no pipe.
	ln -sf /dev/zero near/m.c
	warns 'sources that cannot be read, .*: 1$' -- \
	    brief prof-cover --markers near.o \
	    0.proftext
	rm near/m.c
	mkfifo near/m.c
	warns 'sources that cannot be read, .*: 1$' -- \
	    brief prof-cover --markers near.o \
	    0.proftext
}

@test 'the lines of a change' {
	change 9 16 18 >d.diff
	cover --diff d.diff >out
	same <(lines_of /src/m.c <out) <(printf '9,0\n16,0\n18,2\n')
	[ "$(grep -c SF out)" -eq 1 ]
	same <(cover --diff - <d.diff) out
	same <(cover --diff d.diff --to llvm-json | jq '.data[0].totals.lines |
	    .count, .covered') <(printf '3\n1\n')
	# Lines are those that the whole file has, in parts.
	cover >whole
	for line in {1..30}; do
		change "$line" >d.diff
		cover --diff d.diff | lines_of /src/m.c
	done | same - <(lines_of /src/m.c <whole)
}

@test 'the table ends with the changed lines that did not run' {
	change 9 16 18 >d.diff
	cover --diff d.diff --to text >out
	same <(tail -n 2 out) <(printf '/src/m.c:%s\n' 9 16)
	change 18 >d.diff
	cover --diff d.diff --to text >out
	! grep -q '^/src/m.c:' out
}

@test 'too few changed lines ran' {
	change 9 16 18 >d.diff
	quiet cover --diff d.diff --fail-under-diff 33
	ends 1 '^prof-cover: 1 of 3 changed lines ran, which is less than 34%$' \
	    -- cover --diff d.diff --fail-under-diff 34
	change 14 >d.diff
	warns 'no changed line has code' -- \
	    cover --diff d.diff --fail-under-diff 100
	warns 'no changed line has code' -- \
	    cover --diff /dev/null --fail-under-diff 100
	file=lost.c change 3 >d.diff
	warns 'no binary has a file of the diff, such as .*lost\.c$' -- \
	    cover --diff d.diff
	usage_error '--fail-under-diff needs --diff' prof-cover \
	    --fail-under-diff 3 m.o
}

@test 'changes that cannot be told apart' {
	change 9 >d.diff
	refused 'm.c is [a-z/.]* or [a-z/.]*: --path-map or --exclude' \
	    prof-cover --diff d.diff m.o near.o 0.proftext
	quiet prof-cover --diff d.diff --exclude 'near/*' m.o near.o 0.proftext
	{ file=src/m.c change 3; file=m.c change 4; } >d.diff
	refused 'src/m.c and m.c are one file, which' prof-cover --diff d.diff m.o \
	    0.proftext
	# Several diffs count like one with all of them.
	file=src/m.c change 3 >one.diff
	change 4 >d.diff
	refused 'src/m.c and m.c are one file, which' prof-cover --diff one.diff \
	    --diff d.diff m.o 0.proftext
	file=lost.c change 3 >d.diff
	quiet prof-cover --diff one.diff --diff d.diff m.o 0.proftext |
	    same - <(prof-cover --diff one.diff m.o 0.proftext)
	head -n 3 d.diff >cut.diff
	refused 'cut.diff: truncated: line 3: the hunk is cut off' prof-cover \
	    --diff cut.diff m.o 0.proftext
}

# add_up: the sum of the counts of all tests in a tracefile.  Branches have
# other numbers there.
add_up() {
	awk -F '[:,]' '
	$1 == "SF" { file = $2 }
	$1 == "DA" { sum[file ":" $2] += $3 }
	$1 == "BRDA" { sum[file ":" $2 "," $4 % 2] += $5 }
	$1 == "FNDA" { sum[file ":" $3] += $2 }
	END { for (key in sum) print key, sum[key] }' | sort
}

@test 'tests are kept apart' {
	prof-cover --to lcov m.o o.o --test zero=0.proftext --test big-9=9.proftext \
	    3.proftext >out
	same <(grep TN out) <(printf 'TN:%s\n' big_9{,} zero{,})
	prof-cover --to lcov m.o o.o [039].proftext >all
	same <(add_up <out) <(add_up <all)
	# The order of names counts, not that of options; one has several runs.
	same <(prof-cover --to lcov --test zero=0.proftext 3.proftext --test \
	    big-9=9.proftext o.o m.o) out
	prof-cover --to lcov m.o o.o --test a=0.proftext --test b=3.proftext \
	    --test a=9.proftext >out
	same <(add_up <out) <(add_up <all)
	same <(grep TN out) <(printf 'TN:%s\n' a{,} b{,})
	# What is not looked at is so in each test.
	prof-cover --to lcov m.o o.o --path-map /src= --markers [039].proftext >all
	prof-cover --to lcov m.o o.o --path-map /src= --markers --test a=0.proftext \
	    --test b=3.proftext 9.proftext >out
	same <(add_up <out) <(add_up <all)
}

@test 'counts of a test do not overflow' {
	# Twice 2^63 + 5: a sum that is too large counts as one below 0.
	sed '/^main/,/^$/s/^1$/9223372036854775813/' 3.proftext >large.proftext
	prof-cover --to lcov m.o o.o large.proftext{,} 2>said >all
	grep -q 'main: counts below 0, .*: [1-9][0-9]*$' said
	prof-cover -q --to lcov m.o o.o --test a=large.proftext \
	    --test a=large.proftext >out
	same <(add_up <out) <(add_up <all)
}

@test 'a stream tells what tests ran, and its sum is that without tests' {
	prof-cover --to ndjson m.o o.o --test zero=0.proftext \
	    --test nine=9.proftext 3.proftext >out
	jq -r 'select(.record == "coverage_test") | .test' out | sort -u |
	    diff - <(printf 'nine\nzero\n')
	prof-cover --to ndjson m.o o.o [039].proftext >all
	same <(grep -v coverage_test out) all
	same <(prof-cover --to ndjson out 2>&1) all
}

@test 'tests beside a stream of coverage' {
	cover --to ndjson >all.ndjson
	refused '--test cannot be used with streams of coverage' prof-cover \
	    all.ndjson --test a=9.proftext m.o
}

@test 'tests that ran a line' {
	covering() {
		prof-cover m.o o.o --test zero=0.proftext \
		    --test nine=9.proftext 3.proftext --covering "$1"
	}
	same <(covering m.c:9) <(echo nine)
	same <(covering /src/m.c:18) <(echo zero)
	same <(covering src/o.c:6) <(printf 'nine\nzero\n')
	same <(covering m.c:16) /dev/null
	refused 'no binary has this file' prof-cover m.o --test a=0.proftext \
	    --covering x.c:1
	refused 'needs PATH:LINE' prof-cover m.o --test a=0.proftext \
	    --covering m.c
	usage_error '--covering needs --test' prof-cover --covering m.c:1 m.o
	usage_error '--test needs NAME=PROFILE' prof-cover --test =0.proftext
}
