# prof-show --heap: contexts, sites, callers, and what LLVM makes of them.

load ../support/helper

setup() {
	need jq
	cd "$BATS_TEST_TMPDIR"
	# Some of all: inlined frames, addresses, a recursion that was inlined,
	# run time frames, classes, and names that a terminal should not see.
	cp "$(data heap/sample.ndjson)" sample
}

# shows NAME ARGUMENT...: what is printed is in the golden file.
shows() {
	quiet prof-show "${@:2}" >got
	golden "show-heap/$1" <got
}

# heap RECORD...: a stream of one heap profile.
heap() {
	printf '{"record":"profile","stream":1,"kind":"memprof"}\n'
	printf '%s\n' "$@" '{"record":"end","last":true}'
}

# stack ID FRAME...: frames are "GUID LINE" or "GUID LINE inline".
stack() {
	local id=$1 frame guid line inline list=

	shift
	for frame; do
		read -r guid line inline <<<"$frame"
		list+=,$(printf '{"guid":"0x%016x","line_offset":%d%s}' \
		    "$guid" "$line" "${inline:+,\"inline\":true}")
	done
	printf '{"record":"stack","id":"0x%016x","frames":[%s]}' "$id" \
	    "${list#,}"
}

# info COUNT BYTES LIFETIME DENSITY
info() {
	printf '"info":{"alloc_count":%s,"total_size":%s,' "$1" "$2"
	printf '"total_lifetime":%s,"total_lifetime_access_density":%s}' \
	    "$3" "$4"
}

# alloc STACK INFO...
alloc() {
	printf '{"record":"allocation","stack":"0x%016x",%s}' "$1" \
	    "$(info "${@:2}")"
}

# func GUID STACK...: each stack with one allocation of 10 bytes.
func() {
	local id list=

	for id in "${@:2}"; do
		list+=,$(printf '{"stack":"0x%016x",%s}' "$id" \
		    "$(info 1 10 0 0)")
	done
	printf '{"record":"memprof_function","guid":"0x%016x",' "$1"
	printf '"alloc_sites":[%s],"call_sites":[]}' "${list#,}"
}

# Contexts, allocations and bytes of standard input.
sums() {
	prof-show --heap --json "$@" |
	    jq -r 'select(.heap == "summary") |
	    "\(.contexts) \(.count) \(.bytes)"'
}

@test 'a summary has a line for the heap' {
	shows line sample
	shows line-json --json sample
	profile '"level":"ir"' "$(fn main 1 1,2)" \
	    "$(stack 1 '1 1')" "$(alloc 1 1 8 0 0)" |
	    sed 's/"kind":"instr"/"kind":"mixed"/' >mixed
	shows line-mixed mixed
	# Nothing of it where there is none.
	profile '"level":"ir"' "$(fn main 1 1,2)" >instr
	prof-show instr >got
	! grep -q heap got || return 1
	prof-show --json instr | jq -e '.kind == "instr" and .heap == null'
}

@test 'contexts, sites and figures' {
	shows sites --heap sample
	shows hot --heap --hot sample
}

@test 'call stacks, callers, histograms, names in clear' {
	shows stacks --heap --stacks sample
	shows callers --heap --callers sample
	shows histograms --heap --histograms sample
	shows all --heap -C --callers --stacks --histograms --top 2 sample
}

@test 'JSON says the same' {
	shows json --heap --json --stacks --callers --histograms -C sample
	jq -c . got | same got -
	quiet prof-show --heap --json sample |
	    jq -s -e 'map(select(.heap == "site")) as $s | .[0] |
	    .sites == ($s | length) and .bytes == ($s | map(.bytes) | add) and
	    .count == ($s | map(.count) | add)'
	# All sites, unless told otherwise.
	quiet prof-show --heap --json --top 2 sample |
	    jq -r .heap | paste -sd' ' >got
	echo 'summary site site others' | same - got
}

# A heap of 3 sites with 64 stacks of 12 callers each: of two callers at each of
# the first six places, one of which is on the way to most of the bytes.
big_heap() {
	awk 'BEGIN {
		print "{\"record\":\"profile\",\"stream\":1," \
		    "\"kind\":\"memprof\"}"
		for (i = 0; i < 192; i++) {
			site = int(i / 64)
			frames = "{\"function\":\"site" site "\"}"
			bytes = 1 + site
			path = i % 64
			for (d = 0; d < 12; d++) {
				side = d < 6 ? int(path / 2 ^ d) % 2 : 0
				if (d < 6 && side == 0)
					bytes *= 3
				frames = frames ",{\"function\":\"f" d \
				    (side ? "b" : "a") "\"}"
			}
			printf "{\"record\":\"stack\",\"id\":\"0x%016x\"," \
			    "\"frames\":[%s]}\n", i + 1, frames
			printf "{\"record\":\"allocation\",\"stack\":" \
			    "\"0x%016x\",\"info\":{\"alloc_count\":1," \
			    "\"total_size\":%d}}\n", i + 1, bytes
		}
		print "{\"record\":\"end\",\"last\":true}"
	}'
}

# values SELECT ARGUMENT...: bytes of sites and callers, the largest first.
values() {
	prof-show --heap --json --callers "${@:2}" big |
	    jq -r "select(.heap == \"site\" or .heap == \"caller\") |
	    select($1) | .bytes" | sort -nr
}

@test 'of sites and callers, those with the largest values' {
	local n

	big_heap >big
	values true >all
	[ "$(wc -l <all)" -gt 1000 ]
	for n in 1 5; do
		values ".depth == null or .depth <= $n" >want
		values true --callers="$n" | same want -
	done
}

@test 'a tree for people has the larger callers only' {
	big_heap >big
	prof-show --heap --callers big >got
	[ "$(grep -c ' [<+] ' got)" -lt 300 ]
	tail -n 1 got | grep -q '^1[0-9]* more callers: see --callers=N'
	prof-show --heap --callers=1000 big >got
	[ "$(wc -l <got)" -gt 1000 ]
}

@test 'a profile of addresses only: a warning says what adds functions' {
	local hint='call stacks have addresses only: --binary PROGRAM'

	cp "$(data symbolize/app-22.memprofraw)" app.memprofraw
	prof-show --heap app.memprofraw 2>stderr >got
	grep -q "^prof-show: app.memprofraw: warning: $hint" stderr
	prof-export --to folded app.memprofraw 2>stderr >got
	grep -q "^prof-export: warning: $hint" stderr
	prof-show -q --heap app.memprofraw 2>stderr >got
	[ ! -s stderr ]
	prof-symbolize -q --binary "$(data symbolize/app-22.debug)" \
	    app.memprofraw >app.ndjson
	prof-show --heap app.ndjson 2>stderr >got
	[ ! -s stderr ]
	prof-export --to folded app.ndjson 2>stderr >got
	[ ! -s stderr ]
}

@test 'hashes of functions get names from a profile' {
	local hash

	hash=$(guid _ZN2ns4growEv)
	profile '"level":"ir"' "$(fn _ZN2ns4growEv 1 1)" \
	    "$(fn 'a.c;local' 1 1)" | prof-index -q -o names.profdata
	heap "$(stack 1 "$hash 1" "$(guid local) 2")" "$(alloc 1 1 8 0 0)" >x
	prof-show --heap --callers x >got 2>stderr
	grep -q '^prof-show: x: warning: functions are known only by their hash' \
	    stderr
	grep -q "$hash  +1" got
	quiet prof-show --heap --callers --binary names.profdata x >got
	grep -q '_ZN2ns4growEv  +1' got
	grep -q '< local  +2' got
	quiet prof-show -C --heap --binary names.profdata x |
	    grep -q 'ns::grow()  +1'
	quiet prof-show --heap --json --binary names.profdata x |
	    jq -e --arg hash "$hash" 'select(.heap == "site").frame |
	    .function == "_ZN2ns4growEv" and .guid == $hash'
	# Names of other functions are no help.
	profile '"level":"ir"' "$(fn other 1 1)" >p
	prof-show --heap --binary p x 2>stderr >got
	grep -q "$hash" got
	grep -q 'known only by their hash' stderr
	quiet prof-show --binary names.profdata x | grep -q '_ZN2ns4growEv  +1'
	prof-show --binary p --functions p | same - <(prof-show --functions p)
	prof-show --binary p p | same - <(prof-show p)
}

@test 'a binary that has nothing to tell of a profile is warned of' {
	local app program

	app=$(data symbolize/app-22.debug)
	profile '"level":"ir"' "$(fn main 1 1,2)" >p
	for program in prof-show prof-symbolize 'prof-report -o page.html'; do
		$program --binary "$app" p 2>stderr >out
		grep -q 'warning: nothing in the profile needs' stderr
	done
	prof-show --binary "$app" "$(data good/correlated-debug.profraw)" \
	    2>stderr >out || true
	run -1 grep 'nothing in the profile needs' stderr
}

@test 'hashes of functions get names from a binary' {
	local app

	app=$(data symbolize/app-22.debug)
	heap "$(stack 1 "$(guid fill) 1" "$(guid nobody) 2")" \
	    "$(alloc 1 1 8 0 0)" >x
	quiet prof-show --heap --callers --binary "$app" x >got
	grep -q 'fill  +1' got
	grep -q "< $(guid nobody)  +2" got
	# A library adds names, and a profile does.
	profile '"level":"ir"' "$(fn nobody 1 1)" >p
	quiet prof-show --heap --callers --binary "$app" \
	    --binary p x | grep '< nobody  +2'
	head -c 2000 "$app" >cut
	refused 'cut: section headers .* are outside the file' \
	    prof-show --heap --binary cut x
}

@test 'addresses get functions from binaries, as those of prof-symbolize' {
	local version profile binaries

	for version in 14 22; do
		profile=$(data symbolize/app-$version.memprofraw)
		binaries=(--binary "$(data symbolize/app-$version.debug)"
		    --binary "$(data symbolize/libpart-$version.debug)")
		prof-symbolize "${binaries[@]}" "$profile" >stream 2>told
		prof-show "${binaries[@]}" --heap --stacks "$profile" \
		    2>stderr | sed 1d >got
		prof-show --heap --stacks stream | sed 1d | same - got
		sed s/prof-symbolize:/prof-show:/ told | same - stderr
		prof-show -q "${binaries[@]}" "$profile" | sed 1d |
		    same - <(prof-show --heap stream | sed 1d)
		prof-export -q "${binaries[@]}" --to folded "$profile" |
		    same - <(prof-export --to folded stream)
	done
	refused 'app-14.debug has build id .* modules of the profile have' \
	    prof-show --heap --binary "$(data symbolize/app-14.debug)" \
	    "$profile"
	refused 'not an ELF file' prof-export --to folded --binary stream stream
	# Counters without functions get these.
	quiet prof-show --functions \
	    --binary "$top_srcdir/tests/data/correlate/program" \
	    --binary "$top_srcdir/tests/data/correlate/library" \
	    "$top_srcdir/tests/data/good/correlated-binary.profraw" |
	    grep -c '  0x' | same - <(echo 4)
}

@test 'sites are sorted by what is asked for' {
	local by

	for by in bytes count lifetime accesses; do
		quiet prof-show --heap --json --sort "$by" sample |
		    jq -r "select(.heap == \"site\") | .$by // 0" >got
		[ "$(wc -l <got)" -eq 5 ]
		sort -nr got | same - got
	done
	prof-show --heap --sort count sample >got
	grep -q ' 55\.6%  *10 .*keep' got
}

@test 'a context may end where others have more callers' {
	heap "$(stack 1 '5 1' '6 2' '7 3')" "$(stack 2 '5 1' '6 2')" \
	    "$(stack 3 '5 1' '6 2' '8 4')" "$(alloc 1 1 10 0 0)" \
	    "$(alloc 2 1 20 0 0)" "$(alloc 3 1 30 0 0)" \
	    "$(stack 4 '5 1' '9 2')" "$(alloc 4 1 40 0 0)" |
	    prof-show -q --heap --json --callers |
	    jq -r 'select(.heap == "caller") |
	    "\(.depth) \(.frame.guid[-1:]) \(.bytes)"' | paste -sd, |
	    same - <(echo '1 6 60,2 8 30,2 7 10,1 9 40')
}

@test 'what is as large as another comes in the order of the profile' {
	local id records=() sites=(5 8 3)

	# The contexts of site 8 differ, the others are as large as each other.
	for id in 1 2 3 4 5 6 7 8; do
		records+=("$(stack $id "${sites[id % 3]} 1" "$((30 - id)) 2")" \
		    "$(alloc $id 1 $((id % 3 == 1 ? id : 6)) 0 0)")
	done
	heap "${records[@]}" | prof-show -q --heap --stacks |
	    grep -o '0x[0-9a-f]*' | sed 's/0x0*//' | paste -sd' ' >got
	echo '3 3 1c 3 19 3 16 8 8 17 8 1a 8 1d 5 5 1b 5 18' | same - got
}

@test 'no byte that a terminal takes for a command' {
	prof-show --heap --stacks --callers sample >got
	run ! grep -aP '[\x00-\x09\x0b-\x1f\x7f]' got
	grep -q 'keepi;?\[31m' got
}

@test 'copies of a context in functions that it is inlined into count once' {
	local s1 s2

	s1=$(stack 1 '10 1 inline' '11 2 inline' '12 3')
	s2=$(stack 2 '10 1 inline' '11 2')
	heap "$s1" "$s2" "$(func 10 1 2)" "$(func 11 1 2)" "$(func 12 1)" |
	    sums >got
	echo '2 2 20' | same - got
	# Two blocks of a context, as of unrolled code.
	heap "$s1" "$(func 10 1 1)" "$(func 11 1 1)" "$(func 12 1 1)" |
	    sums >got
	echo '1 2 20' | same - got
	# A function that is inlined into itself has each block twice.
	heap "$(stack 1 '10 1 inline' '10 2 inline' '11 3')" \
	    "$(func 10 1 1 1 1)" "$(func 11 1 1)" | sums >got
	echo '1 2 20' | same - got
	# Another record of it has blocks of its own.
	heap "$(stack 1 '10 1 inline' '10 2 inline' '11 3')" \
	    "$(func 10 1)" "$(func 10 1 1)" | sums >got
	echo '1 2 20' | same - got
	# The function of the leaf was dropped on the way.
	heap "$s1" "$(func 12 1)" | sums >got
	echo '1 1 10' | same - got
	# Behind the first frame that is not inline there are no copies.
	heap "$(stack 1 '10 1' '10 2')" "$(func 10 1 1)" | sums >got
	echo '1 2 20' | same - got
}

@test 'stacks of the same frames are one context' {
	heap "$(stack 1 '1 1' '2 2')" "$(stack 2 '1 1' '2 2')" \
	    "$(stack 3 '1 1' '2 3')" "$(alloc 1 1 8 0 0)" \
	    "$(alloc 2 2 8 0 0)" "$(alloc 3 4 8 0 0)" "$(func 1 1)" |
	    sums >got
	echo '2 8 34' | same - got
}

# As in the sum that prof-merge makes.
@test 'a context of one block without values has none, in any order' {
	local s empty full order

	s=$(stack 1 '1 1')
	full=$(alloc 1 1 8 0 0)
	empty=$(sed 's/"info":.*/"info":{}}/' <<<"$full")
	for order in "$empty $full" "$full $empty" "$empty $full $full"; do
		# shellcheck disable=SC2086
		heap "$s" $order | sums >got
		echo '1 null null' | same - got
	done
	heap "$s" "$full" "$full" | sums >got
	echo '1 2 16' | same - got
}

@test 'histograms are added up, the longer one wins' {
	local h='"access_histogram"' a s

	s=$(stack 1 '1 1')
	a=$(alloc 1 1 8 0 0)
	a=${a%\}\}}
	heap "$s" "$a,$h:[1,2]}}" "$a,$h:[5,6,7]}}" "$a,$h:[0]}}" >x
	prof-show --heap --json --histograms x |
	    jq -c 'select(.heap == "context").info |
	    [.access_histogram_size, .access_histogram]' >got
	echo '[3,[6,8,7]]' | same - got
	# Indexed profiles know the size only, and it may be any.
	heap "$s" "$a,$h:[1,2]}}" \
	    "$a,\"access_histogram_size\":4294967295}}" |
	    prof-show --heap --json --histograms |
	    jq -c 'select(.heap == "context").info |
	    [.access_histogram_size, .access_histogram]' >got
	echo '[2,[1,2]]' | same - got
}

@test 'each profile is shown by itself' {
	heap "$(stack 1 '1 1')" "$(alloc 1 1 8 0 0)" >x
	cat x x | sums - x >got
	printf '1 1 8\n%.0s' 1 2 3 | same - got
}

@test 'addresses are those of the module' {
	local range

	range='"start":"0x0000000000001000","end":"0x0000000000002000"'
	heap "{\"record\":\"segment\",\"id\":7,$range,$(
	    )\"offset\":\"0x0000000000000400\",\"build_id\":\"ab\"}" \
	    '{"record":"stack","id":"0x0000000000000001","pcs":[
	    "0x0000000000000fff","0x0000000000001000","0x0000000000001fff",
	    "0x0000000000002000",[7,"0x0000000000000002"]]}' \
	    "$(alloc 1 1 8 0 0)" | tr -d '\n' | sed 's/}{"rec/}\n{"rec/g' >x
	prof-show --heap --stacks x | sed -n '/warm$/,$p' | sed 1d |
	    tr -d ' ' | paste -sd' ' >got
	echo '[0xfff] [ab+0xc00] [ab+0x1bff] [0x2000] [ab+0x2]' | same - got
	sed 's/,"build_id":"ab"/,"file_addresses":true/' x |
	    prof-show --heap --stacks | grep -F '[segment 7+0x400]'
	# Absolute addresses of a sum are in no segment: that is of another run.
	sed '1s/}$/,"inputs":2}/' x >sum
	prof-show --heap --stacks sum | sed -n '/warm$/,$p' | sed 1d |
	    tr -d ' ' | paste -sd' ' >got
	echo '[0xfff] [0x1000] [0x1fff] [0x2000] [ab+0x2]' | same - got
}

# More than a run can have.
@test 'a sum has any number of segments with addresses' {
	heap "$(seq 0 65536 | awk '{
	    printf "{\"record\":\"segment\",\"id\":%d,", $1
	    printf "\"start\":\"0x%016x\",", $1 * 4096
	    printf "\"end\":\"0x%016x\",", ($1 + 1) * 4096
	    print "\"offset\":\"0x0000000000000000\"}" }')" \
	    '{"record":"stack","id":"0x0000000000000001","pcs":[[65536,'$(
	    )'"0x0000000000000002"]]}' "$(alloc 1 1 8 0 0)" >x
	sed '1s/}$/,"inputs":2}/' x >sum
	prof-show --heap sum | grep -qF '[segment 65536+0x2]'
	refused 'more than 65536 segments with addresses' prof-show --heap x
}

# range ID START END BUILD-ID: a segment, whose load bias is 0.
range() {
	printf '{"record":"segment","id":%d,"start":"0x%016x",' "$1" "$2"
	printf '"end":"0x%016x","offset":"0x%016x",' "$3" 0
	printf '"build_id":"%s"}\n' "$4"
}

@test 'an address that two segments cover is in the first' {
	local at='"0x0000000000001fff","0x0000000000002fff"'
	local stack='{"record":"stack","id":"0x0000000000000001","pcs":['$at']}'

	modules() {
		heap "$@" "$(alloc 1 1 8 0 0)" | prof-show --heap --stacks |
		    sed -n '/warm$/,$p' | sed 1d | tr -d ' ' | paste -sd' '
	}
	modules "$(range 1 8192 12288 aa)" "$(range 2 0 12288 bb)" "$stack" |
	    same - <(echo '[bb+0x1fff] [aa+0x2fff]')
	modules "$(range 2 0 12288 bb)" "$(range 1 8192 12288 aa)" "$stack" |
	    same - <(echo '[bb+0x1fff] [bb+0x2fff]')
	# Those behind a stack come last, however many they are.
	modules "$(range 1 8192 12288 aa)" "${stack/1\"/2\"}" \
	    "$(for i in {2..10}; do range $i 4096 12288 bb; done)" "$stack" |
	    same - <(echo '[bb+0x1fff] [aa+0x2fff]')
	modules "$(range 1 8192 12288 aa)" "${stack/1\"/2\"}" \
	    "$(for i in {2..300}; do range $i 4096 12288 bb; done)" "$stack" |
	    same - <(echo '[bb+0x1fff] [aa+0x2fff]')
}

# LLVM's thresholds: below 0.05 accesses a byte and second (stored a
# hundredfold), and 200 s or more, on average and in single precision.
@test 'classes' {
	local n expected

	while read -r expected n; do
		heap "$(stack 1 '1 1')" "$(alloc 1 $n)" |
		    prof-show --heap --hot --json --stacks |
		    jq -r 'select(.heap == "context").class' >got
		echo "$n"
		echo "$expected" | same - got
	done <<-'END'
	cold 1 1 200000 0
	warm 1 1 199999 0
	cold 1 1 200000 4
	warm 1 1 200000 5
	cold 3 1 600000 14
	warm 3 1 600000 15
	warm 3 1 599999 0
	cold 1 1 18446744073709551615 0
	warm 1 1 0 100000
	hot 1 1 0 100001
	hot 2 1 0 200001
	warm 0 1 200000 0
	cold 16777217 1 3355443200000 0
	warm 16777217 1 3355443000000 0
	END
}

# Blocks on both sides of each threshold, with averages that are no integers.
edges() {
	awk 'BEGIN {
		print "---\nHeapProfileRecords:"
		for (n = 1; n < 40; n += 3)
			for (life = -2; life <= 2; life++)
				for (density = -2; density <= 2; density++)
					for (hot = 0; hot <= 1; hot++)
						put(n, n * 200000 + life, \
						    n * (hot ? 100000 : 5) + \
						    density)
	}
	function put(n, life, density) {
		id++
		printf "  - GUID: 0x%x\n    AllocSites:\n" \
		    "      - Callstack:\n          - { Function: 0x%x, " \
		    "LineOffset: 1, Column: 1, IsInlineFrame: false }\n" \
		    "        MemInfoBlock:\n          AllocCount: %d\n" \
		    "          TotalSize: %d\n          TotalLifetime: %d\n" \
		    "          TotalLifetimeAccessDensity: %d\n", \
		    id, id, n, id, life, density
	}'
	echo ...
}

@test 'classes are those of llvm-profdata' {
	need llvm-profdata-22
	edges >yaml
	llvm-profdata-22 merge -memprof-use-hot-hints --memprof-version=4 \
	    yaml -o indexed
	llvm-profdata-22 show --memory indexed |
	    sed -nE 's/^# .*(contexts|size): ([0-9]+)$/\2/p' >want
	for file in indexed yaml; do
		prof-show --heap --hot --json "$file" |
		    jq -r 'select(.heap == "summary") | .contexts, (.classes |
		    .cold.contexts, .hot.contexts, .cold.max_bytes,
		    .warm.max_bytes, .hot.max_bytes)' | same want -
	done
	[ "$(paste -sd' ' want | cut -d' ' -f1)" -eq 650 ]
}

# Of unrolled code LLVM looks at one block of a context only, and its largest
# one is smaller than ours (dupsites).
@test 'the summary is that of llvm-profdata' {
	local file any=

	need_corpus
	need llvm-profdata-22
	for file in "$(corpus memprof/ref)"/*.m[234]*.profdata; do
		case $file in *by19*|*dupsites*) continue ;; esac
		echo "$file"
		llvm-profdata-22 show --memory "$file" |
		    sed -nE 's/^# .*(contexts|size): ([0-9]+)$/\2/p' >want
		[ "$(wc -l <want)" -eq 6 ]
		prof-show --heap --json "$file" |
		    jq -r 'select(.heap == "summary") | .contexts,
		    .classes.cold.contexts, .classes.hot.contexts,
		    .classes.cold.max_bytes, .classes.warm.max_bytes,
		    .classes.hot.max_bytes' | same want -
		any=yes
	done
	[ -n "$any" ] || skip 'no samples'
}

@test 'what is not there is told' {
	heap "$(alloc 1 1 1 1 1)" >x
	refused 'stack 0x0000000000000001 is missing' prof-show --heap x
	heap "$(func 1 1)" >x
	refused 'stack 0x0000000000000001 is missing' prof-show x
	heap '{"record":"stack","id":"0x0000000000000001",'$(
	    )'"pcs":[[3,"0x0000000000000001"]]}' >x
	refused 'segment 3 is missing' prof-show --heap x
	heap '{"record":"segment","id":3}' '{"record":"segment","id":3}' >x
	refused 'segment 3 occurs twice' prof-show --heap x
	heap "$(stack 1 '1 1')" "$(stack 1 '1 2')" >x
	refused 'stack 0x0000000000000001 occurs twice' prof-show --heap x
	# The same stack once more does no harm.
	heap "$(stack 1 '1 1')" "$(stack 1 '1 1')" "$(alloc 1 1 8 0 0)" |
	    sums >got
	echo '1 1 8' | same - got
}

@test 'sums do not wrap' {
	heap "$(stack 1 '1 1')" "$(alloc 1 4294967295 8 0 0)" \
	    "$(alloc 1 2 18446744073709551615 0 0)" >x
	warns 'warning: sums larger than their fields: 1$' -- \
	    prof-show --heap --json x >got
	head -n 1 got | jq -e '.count == 4294967295 and
	    .bytes == "18446744073709551615"'
}

@test 'data access profiles' {
	local rows

	heap "$(stack 1 '1 1')" "$(alloc 1 1 8 0 0)" \
	    '{"record":"data_access","symbol":"a","count":3}' \
	    '{"record":"data_access","hash":"0x0000000000000001","count":3}' \
	    '{"record":"cold_symbol","symbol":"b"}' \
	    '{"record":"cold_symbol","symbol":"c"}' \
	    '{"record":"cold_symbol","symbol":"d"}' \
	    '{"record":"cold_symbol","hash":"0x0000000000000002"}' >x
	for rows in '' --heap; do
		prof-show $rows x | awk '/data|literals/ { print $NF }' |
		    paste -sd' ' >got
		echo '2 3 1' | same - got
		prof-show $rows --json x | head -n 1 | jq -c \
		    '[.data_accesses, .cold_symbols, .cold_literals]' >got
		echo '[2,3,1]' | same - got
	done
}

@test 'without heap contexts the answer is no' {
	profile '"level":"ir"' "$(fn main 1 1)" >x
	ends 1 '^prof-show: no heap contexts$' -- prof-show --heap x
	ends 1 -- prof-show -q --heap x
	prof-show --heap x sample >got
}

@test 'options that do not go together are told' {
	usage_error '--heap cannot be used with' prof-show --heap --counts sample
	usage_error '--heap cannot be used with' \
	    prof-show --heap --cutoffs sample
	usage_error 'need --heap' prof-show --callers=3 sample
	usage_error 'need --heap' prof-show --stacks sample
	usage_error 'with --heap, bytes' prof-show --sort bytes sample
	usage_error '--sort accepts' prof-show --heap --sort size sample
}
