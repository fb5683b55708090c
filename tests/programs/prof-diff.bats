# prof-diff: what changed, in words and in JSON, and how much may.
# tests/oracle/overlap.bats holds its numbers against llvm-profdata's.

load ../support/helper

setup() {
	need jq
	cd "$BATS_TEST_TMPDIR"
	profile '"level":"ir"' "$(fn both 1 10,20)" "$(fn gone 2 30)" \
	    "$(fn other 3 40)" "$(fn same 4 50,50)" >a
	profile '"level":"ir"' "$(fn both 1 10,40)" "$(fn fresh 2 50)" \
	    "$(fn other 5 60)" "$(fn same 4 20,20)" >b
}

# diff_is JQ-FILTER ARGUMENTS: it is true of the lines, an array.
diff_is() {
	prof-diff --json "${@:2}" >out
	cat out
	jq -es "$1" out >/dev/null
}

@test 'functions lost, new, stale and changed' {
	# Shares: a has 200 counts, b has 200.
	diff_is '.[0] | .functions == {a: 4, b: 4} and .common == 2 and
	    .lost == 1 and .new == 1 and .stale == {a: 1, b: 1} and
	    .sum == {a: 200, b: 200} and
	    ((.overlap - (10 + 20 + 20 + 20) / 200) | fabs) < 1e-12 and
	    .lost_share == 0.15 and .new_share == 0.25 and
	    .stale_share == {a: 0.2, b: 0.3}' a b
	diff_is '[.[1:][] | [.name, .state, .count.a, .count.b]] ==
	    [["same", "changed", 100, 40], ["fresh", "new", 0, 50],
	    ["gone", "lost", 30, 0], ["both", "changed", 30, 50],
	    ["other", "stale", 40, 60]] and
	    .[5].hash_a == "0x0000000000000003" and
	    .[5].hash_b == "0x0000000000000005" and
	    (.[2] | has("hash_a") | not)' a b
	run -0 prof-diff --top 2 a b
	printf '%s\n' "$output"
	lines_match '^A: a$' '^B: b$' '^functions:$' \
	    '^  functions +4 +4$' '^  total count +200 +200  \(100\.0%\)$' \
	    '^  overlap +35\.000%$' '^  lost +1  \(15\.000% of the counts of A' \
	    '^  new +1  \(25\.000% of the counts of B\)$' \
	    '^  stale in A +1  \(20\.000% ' '^  stale in B +1  \(30\.000% ' \
	    '^ +in A +in B +change$' \
	    '^ +50\.000% +20\.000% +-30\.000%  changed +same$' \
	    '^ +0\.000% +25\.000% +\+25\.000%  new +fresh$' <<<"$output"
}

@test 'a profile and itself' {
	diff_is 'length == 1 and (.[0] | .overlap > 0.999999 and .lost == 0 and
	    .new == 0 and .misfit == 0)' a a
	quiet prof-diff --min-overlap 99.9 --min-count-share 100% \
	    --max-lost 0 --max-new 0 --max-stale 0 a a >out
	profile '"level":"ir"' >none
	quiet prof-diff --min-overlap 100 --min-count-share 100 none none >out
}

@test 'one hash of several is lost' {
	profile '"level":"ir"' "$(fn f 1 1)" "$(fn f 2 3)" >x
	profile '"level":"ir"' "$(fn f 1 1)" >y
	diff_is '(.[0] | .stale == {a: 1, b: 0} and .lost == 0) and
	    .[1].state == "changed" and (.[2] | .state == "stale" and
	    .count == {a: 3, b: 0})' x y
}

@test 'records of one hash that do not fit' {
	profile '"level":"ir"' "$(fn f 1 1)" "$(fn g 1 1)" >x
	profile '"level":"ir"' "$(fn f 1 1,2)" "$(fn g 1 1)" >y
	diff_is '(.[0] | .misfit == 1 and .misfit_share.b == 0.75) and
	    .[1].state == "misfit"' x y
	# Of one side, the one with more counters stays.
	cat x y >z
	run -0 --separate-stderr prof-diff --json z y
	[ "$(jq -r 'select(.diff == "functions") | .misfit' <<<"$output")" = 0 ]
	[[ $stderr == *'z: warning: 1 records do not fit others'* ]]
}

@test 'profiles of a side are added up' {
	local file=$BATS_TEST_TMPDIR/sum

	mkdir d
	cp a d/1
	cp b d/2
	tar -cf d.tar d/1 d/2
	prof-merge -o sum a b
	for side in "-r d" d.tar; do
		diff_is '.[0].overlap > 0.999999 and .[0].lost == 0 and
		    .[0].new == 0 and .[0].sum == {a: 400, b: 400}' $side "$file"
	done
	cat a b | diff_is '.[0].sum == {a: 400, b: 200}' - a
}

@test 'values of each kind' {
	local sites='"values":{"mem_op_size":[[{"size":8,"count":3},{"size":16,"count":1}]]}'

	profile '"level":"ir"' "$(fn f 1 1 "$sites")" >x
	profile '"level":"ir"' "$(fn f 1 1 "${sites/16/32}")" >y
	diff_is '.[0].values | .mem_op_size.sum == {a: 4, b: 4} and
	    .mem_op_size.overlap == 0.75 and .vtable_target.overlap == 0' x y
	run -0 prof-diff x y
	[[ $output == *'memory operations '*'their overlap '*'75.000%'* ]]
}

@test 'pseudo counts are no counts' {
	profile '"level":"ir"' "$(fn f 1 '"18446744073709551615",7')" \
	    "$(fn g 1 5)" >x
	diff_is '.[0] | .sum.a == 5 and .overlap == 1 and .common == 2' x x
}

@test 'names and guids go together' {
	need md5sum
	local guid=$(printf f | md5sum | cut -c 1-16 |
	    sed 's/\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)/0x\8\7\6\5\4\3\2\1/')

	profile '"level":"ir"' "$(fn f 1 5)" >x
	profile '"level":"ir"' "$(nameless_fn "$guid" 1 5)" >y
	diff_is '.[0].common == 1 and .[0].overlap == 1' x y
}

@test 'local functions of older and newer releases' {
	local sites='"values":{"indirect_call_target":[[{"target":"a.c:f","count":3}]]}'

	profile '"level":"ir"' "$(fn a.c:f 1 5 "$sites")" >x
	profile '"level":"ir"' "$(fn 'a.c;f' 1 5 "${sites/a.c:f/a.c;f}")" >y
	diff_is '.[0] | .lost == 1 and .new == 1 and .overlap == 0' x y
	for release in clang-16 clang-22; do
		diff_is '.[0] | .common == 1 and .overlap == 1 and
		    .values.indirect_call_target.overlap == 1' \
		    --for "$release" x y
	done
	usage_error "release 'gcc-12' is not known" prof-diff --for gcc-12 x y
}

@test 'limits' {
	local status options whose

	while read -r status whose options; do
		echo "$options"
		run "-$status" --separate-stderr prof-diff $options a b
		if [ "$status" -eq 1 ]; then
			printf '%s\n' "$stderr"
			[ "${#stderr_lines[@]}" -eq 1 ]
			[[ $stderr == "prof-diff: functions: $whose "*"${options% *} is "* ]]
		fi
	done <<-'END'
	0 - --min-overlap 34.9
	1 35% --min-overlap 35.1%
	0 - --min-count-share 100%
	1 100% --min-count-share 101
	0 - --max-lost 1
	1 1 --max-lost 0
	0 - --max-lost 25%
	1 25% --max-lost 24%
	0 - --max-new 1
	1 25% --max-new 1%
	0 - --max-stale 1
	1 1 --max-stale 0
	END
	run -1 --separate-stderr prof-diff --max-lost 0 --max-new 0 a b
	[ "${#stderr_lines[@]}" -eq 2 ]
	# What was lost is printed nevertheless.
	[[ $output == *'lost     gone'* ]]
	# Half of the profiles did not make it.
	cat a b >all
	run -1 --separate-stderr prof-diff --min-count-share 60 all b
	[[ $stderr == 'prof-diff: functions: 50% of the counts of A: '* ]]
}

@test 'heap profiles, context by context' {
	local heap=$(data heap/app.ndjson)

	# Other ids, and other addresses: the same frames.
	sed 's/"stack":"0x000000000000000/&1/; s/"id":"0x000000000000000/&1/
	    s/"0x00000000000011\(..\)"/"0x00000000000021\1"/' "$heap" >moved
	sed -i 's/"0x0000000000000001\([0-9]\)"/"0x00000000000000a\1"/' moved
	run ! cmp -s moved "$heap"
	diff_is '.[0] | .diff == "heap" and .contexts == {a: 4, b: 4} and
	    .common == 4 and .overlap > 0.999999' "$heap" moved
	# One context more often, one gone.
	jq -c 'if .record == "allocation" and .info.total_size == 896 then empty
	    elif .record == "allocation" and .info.total_size == 768 then
	    .info.total_size = 768000 else . end' "$heap" >b
	diff_is '.[0].lost == 1 and .[0].new == 0 and .[0].overlap < 0.6 and
	    any(.[]; .state == "lost" and .bytes == {a: 896, b: 0} and
	    .frames[0] == "grow_table") and
	    any(.[]; .state == "changed" and .bytes == {a: 768, b: 768000})' \
	    "$heap" b
	run -1 --separate-stderr prof-diff --min-overlap 90 --max-lost 0 \
	    "$heap" b
	printf '%s\n' "$output" "$stderr"
	[[ $output == *'new_word < read_stop_words < main'* ]]
	lines_match '^prof-diff: heap contexts: .* overlap: ' \
	    '^prof-diff: heap contexts: 1 lost: ' <<<"$stderr"
}

@test 'raw heap profiles of two runs at other addresses' {
	local file

	for file in "$(data memprof-raw)"/real/*.memprofraw; do
		echo "$file"
		diff_is '.[0].diff == "heap" and .[0].lost == 0 and
		    .[0].overlap > 0.999999' "$file" "$file"
	done
}

@test 'front-end profiles are not compared with IR profiles' {
	local fe ir

	fe=$(data real)/13-fe.profraw
	ir=$(data real)/13-ir.profraw
	refused "an IR profile \(.*13-ir.profraw\) cannot be compared with a front-end profile \(.*13-fe.profraw\)" \
	    prof-diff "$fe" "$ir"
	refused 'a front-end profile .* cannot be compared with an IR profile' \
	    prof-diff "$ir" "$fe"
	# One without functions goes with any.
	profile '"level":"ir"' >none
	quiet prof-diff "$fe" none >/dev/null
}

@test 'what is wrong' {
	usage_error 'takes two profiles, A and B' prof-diff a
	usage_error 'takes two profiles, A and B' prof-diff a b a
	usage_error 'takes two profiles' prof-diff --files-from a a b
	usage_error '--min-overlap takes a percentage' prof-diff \
	    --min-overlap x a b
	usage_error '--min-overlap takes at most 100%' prof-diff \
	    --min-overlap 110 a b
	usage_error '--max-lost takes at most 100%' prof-diff \
	    --max-lost 101% a b
	usage_error '--max-lost takes a number' prof-diff --max-lost -1 a b
	usage_error '--top takes a number' prof-diff --top many a b
	refused 'missing: .*No such file' prof-diff a missing
	: >empty
	refused 'empty: empty file' prof-diff a empty
	head -n 3 a >cut
	refused 'cut: line [0-9]+: stream ended' prof-diff cut b
	tar -cf none.tar --files-from /dev/null
	refused 'none\.tar: ' prof-diff a none.tar
}
