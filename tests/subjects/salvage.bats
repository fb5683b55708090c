# profraw-cat --salvage: what is left of damaged profiles, what is told of it.
# tests/unit/salvage.c cuts samples at all lengths.

load ../support/helper

setup() {
	need jq
	good=$(data good)
	real=$(data real)
	cd "$BATS_TEST_TMPDIR"
	cp "$real/22-fe_values.profraw" whole.profraw
}

is_marked() {
	jq -se 'any(.[]; .record == "profile" and .salvaged)'
}

# salvaged STATUS COMMAND: the output is in got, the messages in stderr.
salvaged() {
	local status=0

	"${@:2}" >got 2>stderr || status=$?
	[ "$status" -eq "$1" ] || tell "$status" "${@:2}"
	[ "$status" -eq "$1" ]
}

@test 'a whole profile is read as ever' {
	local file

	for file in "$good"/*.profraw "$(data memprof)"/*.profdata; do
		echo "$file"
		profraw-cat -q "$file" >want
		profraw-cat -q --salvage "$file" | cmp - want
	done
}

@test 'a file cut in its value data has lost values' {
	head -c 1544 whole.profraw >cut
	refused 'TotalSize 56 exceeds' profraw-cat cut
	salvaged 1 profraw-cat --salvage cut
	lines_match ' cut: 0x5d8: warning: damaged: value data: TotalSize 56' \
	    ' cut: 0x5a0: warning: value data: functions .* lost, .*: 1 of 2 ' \
	    <stderr
	is_marked <got
	profraw-cat whole.profraw | jq -c 'select(.name) | [.name, .counts]' \
	    >want
	jq -c 'select(.name) | [.name, .counts]' got | same want -
	[ "$(jq -c 'select(.values) | [.values[][] | length]' got)" = \
	    $'[2]\n[0]' ]
}

@test 'a file cut in its names has functions known by their guid' {
	head -c 1400 whole.profraw >cut
	salvaged 1 profraw-cat --salvage cut
	grep -q 'names: bytes found: 144 of 177, complete names: 9' stderr
	[ "$(jq -r 'select(.guid) | .hash' got | wc -l)" -eq 5 ]
	# The names are found again in another profile of the program.
	prof-merge -q got whole.profraw >both
	[ "$(jq -c 'select(.record == "function") | .name' both | wc -l)" \
	    -ge 14 ]
}

@test 'a file cut in its counters has lost functions' {
	head -c 1200 whole.profraw >cut
	salvaged 1 profraw-cat --salvage cut
	grep -qE 'counters: records lost: [0-9]+ of 14' stderr
	jq -c 'select(.record == "function") | [.hash, .counts]' got >part
	profraw-cat whole.profraw |
	    jq -c 'select(.record == "function") | [.hash, .counts]' >want
	[ -s part ]
	[ -z "$(grep -vxFf want part)" ]
}

@test 'a file without a whole function is not salvaged' {
	local size

	for size in 1 8 100 130 300 1000; do
		head -c "$size" whole.profraw >cut
		refused '' profraw-cat --salvage cut
	done
	: >empty
	refused 'empty file' profraw-cat --salvage empty
	echo 'not a profile' >text
	refused '' profraw-cat --salvage text
}

@test 'of several images those that are whole are not marked' {
	local size

	size=$(wc -c <"$good/exe-so.profraw")
	head -c $((size - 60)) "$good/exe-so.profraw" >cut
	salvaged 1 profraw-cat --salvage cut
	jq -c 'select(.record == "profile") |
	    [.salvaged, .source.offset]' got >heads
	printf '%s\n' '[null,null]' '[true,408]' | same - heads
}

@test 'an image behind a damaged one is found' {
	cp "$good/exe-so.profraw" bad
	# NumCounters of the first record.
	printf '\377\377\377\177' |
	    dd of=bad bs=1 seek=$((128 + 48)) conv=notrunc 2>/dev/null
	refused '' profraw-cat bad
	salvaged 1 profraw-cat --salvage bad
	jq -c 'select(.record == "profile") |
	    [.salvaged, .source.offset]' got >heads
	printf '%s\n' '[true,null]' '[null,408]' | same - heads
}

@test 'dumps of a heap profile before the cut are given' {
	local raw

	raw=$(data memprof-raw/good)/runs.memprofraw
	head -c 5200 "$raw" >cut
	refused '' profraw-cat cut
	salvaged 1 profraw-cat --salvage cut
	grep -q '"record":"allocation"' got
	is_marked <got
}

@test 'an indexed profile gives the functions before the cut' {
	local size

	prof-index -q "$real/22-ir.profraw" -o index
	profraw-cat index | jq -c 'select(.name) | [.name, .counts]' >want
	size=$(wc -c <index)
	head -c $((size - 8)) index >cut
	refused '' profraw-cat cut
	salvaged 1 profraw-cat --salvage cut
	jq -c 'select(.name) | [.name, .counts]' got | sort >all
	same <(sort want) all
	head -c $((size / 2)) index >cut
	salvaged 1 profraw-cat --salvage cut
	grep -qE 'hash table: complete names: [0-9]+' stderr
	jq -c 'select(.name) | [.name, .counts]' got >part
	[ -s part ]
	[ -z "$(grep -vxFf want part)" ]
}

@test 'indexed profiles of all versions are salvaged' {
	local version

	profile '"level":"ir"' "$(fn a 1 5)" "$(fn b 2 6,7)" "$(fn c 4 9)" \
	    >stream
	for version in {1..13}; do
		prof-index -q --to indexed:$version -o index stream
		head -c -8 index >cut
		salvaged 1 profraw-cat --salvage cut
		jq -c .counts got | sort | paste -sd' ' |
		    same - <(echo '[5] [6,7] [9] null null')
	done
}

@test 'an indexed profile is temporal only if its traces are whole' {
	profile '"level":"ir","temporal":true,"trace_stream_size":1' \
	    "$(fn main 1 5,6)" \
	    '{"record":"trace","weight":1,"functions":["main"]}' >stream
	prof-index -q -o index stream
	profraw-cat index | jq -se '.[0].temporal'
	head -c -20 index >cut
	refused 'cut: truncated: 0x280: NumTraces 1 exceeds the 4 bytes left$' \
	    profraw-cat cut
	head -c -8 index >cut
	salvaged 1 profraw-cat --salvage cut
	grep -q 'cut: 0x280: warning: traces: incomplete, lost$' stderr
	[ "$(wc -l <stderr)" -eq 2 ]
	jq -se '(.[0] | .salvaged and .temporal == null) and
	    .[1].counts == [5,6] and .[2].last' got
}

@test 'an indexed profile with a section that is damaged inside' {
	local lost='^profraw-cat: bad: 0x.*: warning: '

	profile '"level":"ir","temporal":true,"trace_stream_size":1' \
	    '{"record":"binary","build_id":"aabbcc"}' "$(fn main 1 5,6)" \
	    '{"record":"trace","weight":1,"functions":["main"]}' |
	    prof-index -q --to indexed:13 -o index -
	# The length of the build id; no section is kept then.
	{ head -c 632 index; printf '\377'; tail -c +634 index; } >bad
	salvaged 1 profraw-cat --salvage bad
	lines_match "${lost}damaged: binary id: length 255 exceeds " \
	    "${lost}binary ids: incomplete, lost$" \
	    "${lost}vtable names: incomplete, lost$" \
	    "${lost}traces: incomplete, lost$" <stderr
	jq -se 'map(.record) == ["profile", "function", "end"] and
	    .[1].counts == [5,6]' got
}

@test 'of an indexed profile with bytes behind it, all is kept' {
	local version

	profile '"level":"ir"' '{"record":"binary","build_id":"aabbcc"}' \
	    '{"record":"vtable","name":"v"}' "$(fn main 1 5,6)" >stream
	for version in 10 13; do
		prof-index -q --to indexed:$version -o index stream
		{ cat index; echo 1234567; } >long
		warns ' 8 bytes follow the last section: ignored$' -- \
		    profraw-cat --salvage -o got long
		profraw-cat -q index | sed 1d | same - <(sed 1d got)
	done
}

@test 'of an indexed profile with a heap profile, the functions are left' {
	local file

	file=$(data memprof)/v4.mixed.profdata
	profraw-cat "$file" | grep -q '"record":"memprof_function"'
	head -c -1 "$file" >cut
	salvaged 1 profraw-cat --salvage cut
	grep -q 'warning: heap profile: incomplete, lost$' stderr
	is_marked <got
	jq -r .record got | same - <(printf '%s\n' profile function function end)
	head -c -1 "$(data memprof)/v4.yaml.profdata" >cut
	refused 'exceeds? the [0-9]+ bytes left$' profraw-cat --salvage cut
}

@test 'damaged profiles in LPRF and YAML are not salvaged' {
	prof-merge -q --to lprf:2,plain -o file whole.profraw
	head -c -4 file >cut
	refused 'the file ends without its trailer$' profraw-cat --salvage cut
	{ cat "$(data memprof)/sample.yaml"; echo 'x: ['; } >cut
	refused 'cut: [a-z]+: line [0-9]+: YAML: ' profraw-cat --salvage cut
}

@test 'a stream is given up to the cut, also from a pipe' {
	profraw-cat whole.profraw >stream
	head -n 6 stream >want
	head -c $(($(head -n 6 stream | wc -c) + 20)) stream >cut
	refused 'stream ended' profraw-cat cut
	salvaged 1 profraw-cat --salvage cut
	is_marked <got
	jq -c 'select(.name)' got | same <(jq -c 'select(.name)' want) -
	cat cut | profraw-cat -q --salvage - | cat >piped || true
	same got <(sed 's/"-"/"cut"/' piped)
}

# functions N: a stream without its end, whose last line is cut off.
functions() {
	awk -v n="$1" 'BEGIN {
		print "{\"record\":\"profile\",\"stream\":1,\"kind\":\"instr\",\"level\":\"ir\"}"
		for (i = 0; i < n; i++)
			printf "{\"record\":\"function\",\"name\":\"f%d\",\"hash\":\"0x%016x\",\"counts\":[%d,2]}\n", i, i, i
		printf "{\"record\":\"func"
	}'
}

@test 'a cut stream of many functions gives all of them in any order of inputs' {
	local jobs order program

	functions 600 >cut
	sed '$d' cut >whole
	echo '{"record":"end","last":true}' >>whole
	salvaged 1 prof-merge --salvage cut
	jq -c 'select(.name)' got | same <(jq -c 'select(.name)' whole | sort) -
	quiet prof-merge got whole >want
	for jobs in 1 2; do
		for order in 'cut whole' 'whole cut'; do
			salvaged 1 prof-merge --salvage -j $jobs $order
			cmp want got
			salvaged 1 prof-merge --salvage --keep-going -j $jobs \
			    $order
			cmp want got
		done
	done
	for program in profraw-cat prof-index; do
		salvaged 1 $program --salvage cut whole
		grep -q 'salvaged records of an incomplete profile: 600,' stderr
	done
}

@test 'a text whose last line is cut has lost its function' {
	prof-merge --to text "$real/16-ir.profraw" >whole
	head -c $(($(wc -c <whole) - 2)) whole >cut
	salvaged 1 profraw-cat --salvage cut
	grep -q 'the last line is cut off' stderr
	profraw-cat whole | jq -c 'select(.name)' | sed '$d' >want
	jq -c 'select(.name)' got | same want -
}

@test 'the mark stays when profiles are merged and indexed' {
	head -c 1544 whole.profraw >cut
	salvaged 1 profraw-cat --salvage cut -o part
	prof-merge -q part whole.profraw | is_marked
	quiet profraw-cat --salvage part >again
	is_marked <again
}

@test 'merges salvage as profraw-cat does' {
	local jobs

	head -c 1544 whole.profraw >cut
	salvaged 1 profraw-cat --salvage cut
	cp stderr told
	quiet prof-merge got whole.profraw >want
	for jobs in 1 2; do
		salvaged 1 prof-merge --salvage -j $jobs cut whole.profraw
		cmp want got
		diff <(sed 's/^[^:]*//' told) <(sed 's/^[^:]*//' stderr)
		is_marked <got
		salvaged 1 prof-merge --salvage --keep-going -j $jobs \
		    cut whole.profraw
		cmp want got
	done
	quiet prof-merge --salvage whole.profraw >got
	quiet prof-merge whole.profraw | cmp - got
	prof-index -q want >indexed
	salvaged 1 prof-index --salvage cut whole.profraw
	cmp indexed got
	salvaged 1 prof-merge --salvage -S 1M cut whole.profraw
	cmp want got
	usage_error 'lost records could not be recovered' prof-index --upgrade --salvage got
	[ -e cut ]
}

@test 'inputs that cannot be salvaged are bad inputs' {
	head -c 1544 whole.profraw >cut
	head -c 100 whole.profraw >short
	salvaged 1 profraw-cat --salvage --keep-going short cut whole.profraw
	[ "$(jq -c 'select(.record == "profile") |
	    [.source.file, .salvaged]' got)" = \
	    $'["cut",true]\n["whole.profraw",null]' ]
	usage_error 'cannot be used with --salvage' \
	    profraw-cat --scan --salvage cut
}

@test 'damaged members of archives are salvaged, and named' {
	need tar
	head -c 1544 whole.profraw >cut.profraw
	tar -cf tar whole.profraw cut.profraw
	salvaged 1 profraw-cat --salvage tar
	grep -q ' tar\[cut.profraw\]: 0x5d8: warning: damaged: ' stderr
	[ "$(jq -c 'select(.record == "profile") | .salvaged' got)" = \
	    $'null\ntrue' ]
}

@test 'gaps between whole profiles are searched, however many there are' {
	local i

	for i in {1..30}; do
		cat whole.profraw
		printf junkjunk
	done >gaps
	salvaged 1 profraw-cat --salvage gaps
	[ "$(jq -c 'select(.record == "profile")' got | wc -l)" -eq 30 ]
	[ "$(grep -c ' 8 bytes after a profile are lost$' stderr)" -eq 30 ]
}

@test 'the rest after many hopeless profiles is not searched, and told' {
	local i

	{
		cat whole.profraw
		for i in {1..20}; do
			head -c 8 whole.profraw
			head -c 120 /dev/zero | tr '\0' '\377'
		done
		cat whole.profraw
	} >hopeless
	salvaged 1 profraw-cat --salvage hopeless
	is_marked <got
	[ "$(jq -c 'select(.record == "profile")' got | wc -l)" -eq 1 ]
	tail -n 1 stderr | grep -q "warning: the rest, $((4 * 128 +
	    $(wc -c <whole.profraw))) bytes, is not searched; .*: 16$"
}
