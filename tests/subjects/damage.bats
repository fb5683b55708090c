# Inputs that are bad: what stops at them, what goes on and what is told.

load ../support/helper

setup() {
	need jq
	cd "$BATS_TEST_TMPDIR"
	cp "$(data real)/22-ir.profraw" a.profraw
	cp "$(data real)/16-ir.profraw" b.profraw
	head -c 200 a.profraw >cut.profraw
	: >empty.profraw
}

# going STATUS ARGUMENTS: prof-merge --keep-going has that status, and writes
# out and report.
going() {
	run "-$1" --separate-stderr prof-merge --keep-going --report report \
	    --to indexed -o out "${@:2}"
	printf '%s\n' "$stderr"
}

# reported JQ-FILTER: it is true of the report's lines, an array.
reported() {
	cat report
	jq -es "$1" report >/dev/null
}

@test 'the first bad input ends a run, and is in the report' {
	run -2 --separate-stderr prof-merge --report report --to indexed \
	    -o out a.profraw cut.profraw b.profraw
	[[ $stderr == 'prof-merge: cut.profraw: truncated: 0x'*' bytes left'* ]]
	[ ! -e out ]
	reported 'length == 2 and .[0].file == "cut.profraw" and
	    .[0].code == "truncated" and .[0].offset > 0 and
	    (.[1] | .used == 1 and .bad == 1)'
}

@test 'what is left out leaves no trace in the sum' {
	going 1 a.profraw cut.profraw empty.profraw missing b.profraw
	prof-merge --to indexed -o want a.profraw b.profraw
	cmp out want
	reported 'length == 4 and
	    (.[:3] | map(.code) == ["truncated", "format", "system"]) and
	    (.[3] | .inputs == 5 and .used == 2 and .bad == 3)'
	[[ $stderr == *'bad inputs left out: 3 of 5'* ]]
}

@test 'what is damaged at its end counts nowhere' {
	profraw-cat a.profraw | sed '$d' >cut.ndjson
	prof-index -o whole.profdata b.profraw
	going 1 b.profraw cut.ndjson
	cmp out whole.profdata
	reported '.[0].reason == "stream ended inside a profile" and
	    .[0].line > 1'
}

@test 'profiles of another level are left out as damaged ones are' {
	cp "$(data real)/22-fe_values.profraw" fe.profraw
	going 1 --level ir a.profraw fe.profraw b.profraw
	prof-merge --to indexed -o want a.profraw b.profraw
	cmp out want
	reported '.[0].file == "fe.profraw" and .[0].code == "mismatch"'
}

# heap RECORD...: a stream of a heap profile.
heap() {
	profile '' "$@" | sed '1s/"instr"/"memprof"/'
}

# Profiles that can be in no sum, which bear the names of the reasons, and two
# that can: heap and ir.
unsummable() {
	local one='"0x0000000000000001"' stack allocation
	local raw='{"record":"raw_counters","counts":[1]}'

	stack='{"record":"stack","id":'$one',"frames":[{"function":"f"}]}'
	allocation='{"record":"allocation","stack":'$one',"info":{"alloc_count":1}}'
	heap "$allocation" "$stack" >'no stack'
	heap "$stack" "${stack/\"f\"/\"g\"}" >'two stacks'
	heap "${stack/\"frames*/\"pcs\":[[3,$one]]\}}" >'segment 3'
	profile '"level":"ir"' "$(fn f 1 1)" "$raw" >'a correlated profile'
	heap "$stack" "$allocation" >heap
	profile '"level":"ir"' "$(fn f 1 2)" >ir
}

@test 'what can be in no sum is left out' {
	local bad=('no stack' 'two stacks' 'segment 3' 'a correlated profile')
	local way why

	unsummable
	prof-merge --to indexed -o want heap ir
	for why in "${bad[@]}"; do
		going 1 "$why" heap ir
		cmp out want
		reported 'length == 2 and .[0].file == "'"$why"'" and
		    (.[0].reason | contains("'"$why"'")) and
		    (.[1] | .used == 2 and .bad == 1)'
		refused " $why: .*$why" prof-merge "$why" heap ir
	done
	for way in -j1 -j3 -S1K; do
		going 1 "$way" heap "${bad[@]}" ir "${bad[@]}"
		cmp out want
		reported 'length == 9 and
		    (.[8] | .used == 2 and .bad == 8)'
	done
	run -1 prof-index --keep-going -o out "${bad[@]}" heap ir
	cmp out want
	run -1 prof-merge --keep-going --group-by binary-id -o groups \
	    "${bad[@]}" ir
	prof-merge -o want ir
	cmp groups/none.ndjson want
}

# kind NAME LEVEL COUNT [KEYS]: a stream of one function.
kind() {
	printf '{"record":"profile","stream":1,"kind":"instr","level":"%s"%s}\n' \
	    "$2" "$4" >"$1"
	printf '%s\n' '{"record":"function","name":"f","hash":"0x0000000000000001","counts":['"$3"']}' \
	    '{"record":"end","last":true}' >>"$1"
}

# orders NAMES: their permutations, one a line.
orders() {
	local a b c d

	for a; do for b; do for c; do for d; do
		[ $(printf '%s\n' $a $b $c $d | sort -u | wc -l) != 4 ] ||
			echo $a $b $c $d
	done; done; done; done
}

@test 'IR and front end need --level, in any order of the inputs' {
	local list options

	kind fe frontend 1
	for i in a b c; do
		kind $i ir 2
	done
	# Without functions it mixes with all.
	grep -v function a | sed '1a {"record":"binary","build_id":"07"}' >none
	prof-merge --to indexed -o ir a b c none
	prof-merge --to indexed -o frontend fe none
	orders fe a b c >orders
	[ $(wc -l <orders) = 24 ]
	while read -r list; do
		for options in '' '-j 2' '-S 1K'; do
			going 2 $options $list none
			[ ! -e out ]
			grep -qE "^prof-merge: (fe: a front-end .*IR profile|\
[abc]: an IR .*front-end profile) \(([abc]|fe)\)$" <<<"$stderr"
			going 1 --level ir $options $list none
			cmp out ir
			reported 'length == 2 and .[0].file == "fe" and
			    .[0].code == "mismatch" and
			    (.[1] | .used == 4 and .bad == 1)'
			going 1 --level frontend $options none $list
			cmp out frontend
			reported 'length == 4 and (.[3] | .used == 2 and
			    .bad == 3)'
			rm out
		done
	done < <(some 9 <orders)
	[[ $stderr == *'an IR profile cannot be merged with a front-end profile (--level)'* ]]
	run -1 prof-index --keep-going --level ir -o out a fe none b c
	cmp out ir
	# Without --keep-going the first one ends the run.
	for options in '' '-j 2' '-S 1K'; do
		refused 'fe: a front-end profile .*IR profile [(]--level[)]$' \
		    prof-merge --level ir $options -o out2 fe a b
	done
	usage_error '--level accepts ir or frontend' prof-merge --level x a
}

@test 'other kinds that do not mix end a run, in any order of the inputs' {
	local a b

	kind ir ir 2
	kind bytes ir 1 ',"byte_coverage":true'
	kind old frontend 3 ',"frontend_versions":[1,4]'
	kind mid frontend 4 ',"frontend_versions":[4,7]'
	kind new frontend 5 ',"frontend_versions":[7,12]'
	prof-merge --keep-going -o out old mid
	while read -r a b; do
		for list in "$a $b" "$b $a"; do
			refused "(${a##* }|${b##* }): .*cannot be merged with " \
			    prof-merge --keep-going -o out2 $list
		done
	done <<-END
	ir bytes
	old new
	END
	refused 'cannot be merged with ' prof-merge --keep-going -o x old mid new
	refused 'cannot be merged with ' prof-merge --keep-going -o x new mid old
}

@test 'a partial merge of another level is one bad input' {
	kind a ir 1
	kind b ir 2
	for i in 1 2 3; do
		kind fe$i frontend $i
	done
	prof-merge -o part fe1 fe2 fe3
	for list in 'a b part' 'part b a' 'b part a'; do
		going 0 --level frontend --keep-going=2 $list
		prof-index part | cmp - out
		reported 'length == 3 and (map(.file) | index("a") != null) and
		    (.[2] | .used == 1 and .bad == 2)'
		refused 'bad inputs: 2 of [23]: --keep-going allows 1' \
		    prof-merge --level frontend --keep-going=1 -o out2 $list
		going 0 --level ir --keep-going=1 $list
		prof-index a b | cmp - out
	done
}

@test 'subtracted inputs have the level of the others' {
	kind a ir 5
	kind b ir 2
	kind c ir 1
	kind fe frontend 1
	prof-merge --to indexed -o want a --subtract b --subtract c
	going 1 --level ir --subtract fe --subtract b fe --subtract c a
	cmp out want
	# The first one is named; those that are subtracted are read first.
	kind fe2 frontend 1
	for j in 1 2; do
		refused 'fe: a front-end profile cannot .* IR profile [(]a[)]$' \
		    prof-merge -j $j -o out2 a fe --subtract b
		refused 'fe: a front-end profile cannot .* IR profile [(]b[)]$' \
		    prof-merge -j $j -o out2 a --subtract b --subtract fe
		refused 'fe2: a front-end profile cannot .* IR profile [(]b[)]$' \
		    prof-merge -j $j -o out2 a fe --subtract b --subtract fe2
	done
}

@test 'nothing but bad inputs is trouble' {
	going 2 cut.profraw empty.profraw
	[ ! -e out ]
	reported 'map(.code) | index("truncated") != null'
}

@test '--keep-going=N bounds how many may be bad' {
	run -0 prof-merge --keep-going=1 -o out a.profraw cut.profraw
	run -2 prof-merge --keep-going=1 -o out2 cut.profraw empty.profraw a.profraw
	[[ $output == *'bad inputs: 2 of 2: --keep-going allows 1' ]]
	[ ! -e out2 ]
	run -0 prof-merge --keep-going=50% -o out cut.profraw a.profraw
	run -2 prof-merge --keep-going=49% -o out2 cut.profraw a.profraw
	[[ $output == *'bad inputs: 1 of 2: --keep-going allows 49%' ]]
	[ ! -e out2 ]
	run -2 prof-merge --keep-going=0 -o out2 cut.profraw a.profraw
	[ ! -e out2 ]
	for bad in x -1 101% '' 5%%; do
		run -2 prof-merge --keep-going="$bad" a.profraw
		[[ $output == *"--keep-going needs a number"* ]]
	done
}

@test 'bad members of an archive are named, and others are used' {
	echo no profile >notes.txt
	tar cf all.tar a.profraw cut.profraw notes.txt b.profraw
	run -2 prof-merge -o out all.tar
	[[ $output == *'all.tar[cut.profraw]: truncated: 0x'* ]]
	going 1 all.tar
	prof-merge --to indexed -o want a.profraw b.profraw
	cmp out want
	reported '.[0].file == "all.tar" and .[0].member == "cut.profraw" and
	    (.[1] | .used == 2 and .skipped == 1)'
	[[ $stderr == *'skipped 1 file that is not a profile'* ]]
}

@test 'a run that fails reports the files that it passed over' {
	local i jobs

	mkdir folder
	cp cut.profraw folder/3.profraw
	for i in 1 2 4; do
		echo no profile >"folder/$i.txt"
	done
	for jobs in 1 3; do
		run -2 prof-merge -j $jobs --report report -o out folder
		reported '.[1] | .used == 0 and .bad == 1 and .skipped == 2'
	done
}

@test 'an archive that is cut gives what came before' {
	tar cf all.tar a.profraw b.profraw
	head -c $(($(stat -c %s a.profraw) + 1600)) all.tar >cut.tar
	run -2 prof-merge -o out cut.tar
	going 1 cut.tar
	prof-merge --to indexed -o want a.profraw
	cmp out want
	reported '.[0].member == "b.profraw" and .[0].code == "truncated"'
}

@test '--member chooses members by their paths' {
	mkdir one two
	cp a.profraw one
	cp b.profraw cut.profraw two
	tar cf all.tar one two
	prof-merge --member 'one/*' --to indexed -o out all.tar
	prof-merge --to indexed -o want a.profraw
	cmp out want
	prof-merge --member '*/[ab].profraw' --to indexed -o out all.tar
	prof-merge --to indexed -o want a.profraw b.profraw
	cmp out want
	run -2 prof-merge --member 'three/*' all.tar
}

@test '--max-size bounds an input' {
	prof-merge --max-size 1M -o out a.profraw
	run -2 prof-merge --max-size 1K a.profraw
	[[ $output == *'holds more bytes than the limit of 1024'* ]]
	gzip -k a.profraw
	run -2 prof-merge --max-size 1K a.profraw.gz
	[[ $output == *'inflates to more bytes than the limit of 1024'* ]]
	for bad in 0 x 1X '' 99999999999T; do
		run -2 prof-merge --max-size "$bad" a.profraw
		[[ $output == *'needs a size above 0'* ]]
	done
}

# zeros SIZE: so many bytes, behind the first ones of an indexed profile.
zeros() {
	printf '\377lprofi\201'
	head -c "$1" /dev/zero
}

@test 'a bomb is not inflated to its end' {
	need zstd
	zeros 300M | zstd -q >bomb
	run -2 profraw-cat bomb
	[[ $output == *'inflate to more than'*'give --max-size'* ]]
	run -2 profraw-cat --max-size 1G bomb
	[[ $output != *'inflate'* ]]
}

# The end of the compressed data is missing, which nobody may notice.
@test 'packed bytes that begin as no profile are not inflated to their end' {
	gzip <"$BASH" | head -c 100K >noise.gz
	run -2 prof-merge -o out noise.gz
	[[ $output == *'noise.gz: not a profile but an ELF file: '* ]]
	head -c 1M /dev/zero | gzip | head -c 500 >zeros.profraw
	tar cf all zeros.profraw
	run -2 prof-merge -o out all
	[[ $output == *': not a profile: unknown magic'* ]]
}

# A buffer that grows does not exist twice, and has no more than twice the room
# that it needs.
@test 'memory for packed input is at most twice the bound' {
	need zstd bzip2
	bash -c 'ulimit -v 100000; exec prof-merge --version' >/dev/null ||
	    skip 'needs a build without sanitizers'
	zeros 100M | tee >(bzip2 >bomb.bz2) >(gzip >bomb.gz) | zstd -q >bomb.zst
	for file in bomb.zst bomb.bz2 bomb.gz; do
		run -2 bash -c "ulimit -v 200000
		    exec prof-merge --max-size 64M -o out $file"
		[[ $output == *'more bytes than the limit of 67108864' ]]
	done
}

@test 'a report that cannot be written is trouble' {
	local command

	prof-bundle create -q -o a.tar a.profraw
	for command in 'prof-merge -o out' profraw-cat prof-show prof-check \
	    'prof-filter --glob x' 'prof-index -o out' prof-diff \
	    'prof-export --to folded' 'prof-symbolize --debug-dir d' \
	    'prof-report -o out' 'prof-bundle create -o out' \
	    'prof-bundle list'; do
		# shellcheck disable=SC2086
		run -2 $command --report nowhere/report a.tar a.tar
		echo "$command: $output"
		[[ $output == *'nowhere/report: '*'No such file'* ]]
		[ ! -e out ]
	done
	run -2 prof-merge --report /dev/full -o out a.profraw
	[[ $output == *'/dev/full: '* ]]
}

@test 'every program that reads goes on too' {
	run -1 --separate-stderr profraw-cat --keep-going cut.profraw a.profraw
	jq -e 'select(.record == "end") | .last' <<<"$output"
	run -1 --separate-stderr prof-show --keep-going cut.profraw a.profraw
	run -1 --separate-stderr prof-filter --keep-going --glob '*' \
	    a.profraw cut.profraw
}

# Streams x and y: in their sum, counts of big, most and a heap context would
# overflow, and the records of odd do not fit each other.
profiles_with_losses() {
	local big='"18446744073709551000"' site

	site='{"record":"stack","id":"0x0000000000000001","frames":['
	site+='{"function":"big","line":1,"column":1}]}'$'\n'
	site+='{"record":"allocation","stack":"0x0000000000000001","info":'
	site+='{"alloc_count":4294967295}}'
	profile '"level":"ir"' "$(fn big 1 "$big")" "$(fn most 1 "1,$big")" \
	    "$(fn odd 1 5)" "$(fn sum 1 7)" "$site" >x
	profile '"level":"ir"' "$(fn big 1 "$big")" "$(fn most 1 "2,$big")" \
	    "$(fn odd 1 5,6)" "$(fn sum 1 8)" "$site" >y
}

# lost OVERFLOWS MISMATCHES: what the report says of all.
lost() {
	reported "last | [.overflows, .mismatches] == [$1, $2]"
}

@test 'the report counts what a sum lost' {
	local how

	profiles_with_losses
	profile '"level":"ir"' "$(fn big 1 5,6)" >longer
	for how in -j1 -j4 -S1K --keep-going; do
		echo "$how"
		prof-merge -q "$how" --report report -o sum x y
		lost 3 1
		prof-merge -q "$how" --report report -o sum y x
		lost 3 1
		# A record of more counters replaces the sum that overflowed.
		prof-merge -q "$how" --report report -o sum x y longer
		lost 2 2
	done
	prof-index -q --report report -o sum x y
	lost 3 1
	prof-merge -q --report report --group-by binary-id -o groups x y
	lost 3 1
	prof-merge -q --report report -o sum x
	lost 0 0
	prof-merge -q --report report -o sum b.profraw --subtract b.profraw
	lost 0 0
	# Nothing was added up.
	run -2 prof-merge --report report -o sum x cut.profraw
	lost null null
	prof-filter --report report -o sum x
	lost null null
}

@test '--fail-on writes no sum that lost counts' {
	local how why

	profiles_with_losses
	echo before >sum
	why='--fail-on overflow: records of the sum .* limits: 3$'
	for how in -j1 -j4 -S1K --keep-going --to=indexed; do
		refused "$why" prof-merge -q --fail-on overflow "$how" \
		    --report report -o sum x y
		lost 3 1
		reported '.[0] | .file == null and .code == "limit"'
	done
	refused "$why" prof-merge -q --fail-on overflow x y
	refused "$why" prof-index -q --fail-on mismatch,overflow -o sum y x
	# No gate takes the place of another.
	refused "$why" prof-merge -q --fail-on overflow --fail-on mismatch x y
	refused "$why" prof-merge -q --fail-on overflow --group-by binary-id \
	    -o groups x y
	[ -z "$(ls groups)" ]
	why='--fail-on mismatch: '
	why+='functions whose records have different shapes: 1'
	for how in -j1 -j4 -S1K --keep-going; do
		refused "$why" prof-merge -q --fail-on mismatch "$how" \
		    --report report -o sum y x
		lost 3 1
		reported '.[0].code == "mismatch"'
	done
	[ "$(ls sum* x y)" = $'sum\nx\ny' ]
	[ "$(cat sum)" = before ]
}

@test '--fail-on lets other sums be' {
	profiles_with_losses
	profile '"level":"ir"' "$(fn odd 1 5,6)" >odd
	quiet prof-merge --fail-on overflow,mismatch -o sum x
	prof-merge -q --fail-on mismatch -o sum x x
	prof-merge -q --fail-on overflow -o sum x odd
	refused mismatch prof-merge -q --fail-on mismatch -o sum2 x \
	    --subtract odd
	[ ! -e sum2 ]
	usage_error "--fail-on accepts .*, not 'x'" prof-merge --fail-on x
	usage_error "not ''" prof-merge --fail-on overflow, x
}
