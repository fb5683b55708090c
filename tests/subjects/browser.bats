# Pages of prof-report in a browser (tests/support/browser).

load ../support/helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	jobs=()
}

need_chromium() {
	need chromium chromedriver
	/usr/bin/python3 -c 'import selenium' 2>/dev/null ||
	    skip 'needs python3-selenium'
}

# check NAME PAGE [FILE...]: one more check, for `browse`.
check() {
	jobs+=(-- "$@")
}

# browse [--firefox]: all checks in one browser, and forgets them.
browse() {
	/usr/bin/python3 "$top_srcdir/tests/support/browser/run.py" "$@" \
	    "${jobs[@]}" || return
	jobs=()
}

# page NAME FILE [OPTION...]: the page of a file, NAME.html.
page() {
	prof-report -q "${@:3}" -o "$1.html" "$2"
}

# functions NAME FILE: NAME.json has the functions, as the page has them.
functions() {
	prof-show -q --json --functions --counts --values -C --sort share \
	    "$2" >"$1.json"
}

# contexts NAME FILE: the same of a heap profile.
contexts() {
	prof-show -q --heap --json --stacks -C "$2" >"$1.json"
}

@test 'pages of all kinds open at all widths without messages or requests' {
	need_chromium
	local name

	page values "$(data real/22-vtable.profraw)"
	page mcdc "$(data real/19-mcdc.profraw)"
	page traces "$(data real/19-temporal.profraw)"
	page heap "$(data heap/app.ndjson)"
	page mixed "$(data memprof/v4.mixed.profdata)"
	pseudo_counts >huge.ndjson
	page huge huge.ndjson
	page idle "$(data memprof-raw/good/empty.memprofraw)"
	profile '"level":"ir"' | prof-report -o empty.html
	for name in values mcdc traces heap mixed huge idle empty; do
		check opens $name.html
	done
	check paper values.html
	check paper heap.html
	wrong_pages localhost
	browse
}

# wrong_pages REASON: checks of a page that asks for something, which a browser
# says with the reason, and of one that is too wide.
wrong_pages() {
	half_ran 3 | prof-report -o right.html
	sed 's,<main id="app",<img src="http://localhost/x">&,' right.html \
	    >asks.html
	sed 's,<main id="app",<pre>'"$(
	    head -c 3000 /dev/zero | tr '\0' x)"'</pre>&,' right.html >wide.html
	check fails asks.html "$1"
	check fails wide.html 'too wide'
}

@test 'numbers and pictures of functions are those of prof-show --json' {
	need_chromium
	local file name

	for file in 22-fe_values 22-vtable 19-mcdc; do
		name=$(data "real/$file.profraw")
		page $file "$name"
		functions $file "$name"
		prof-show -q --json --cutoffs "$name" >$file.summary
		check numbers $file.html $file.json
		check curves $file.html $file.json $file.summary
		check tallies $file.html $file.json
	done
	check functions_saved 22-vtable.html 22-vtable.json
	profraw-cat "$(data real/19-mcdc.profraw)" >stream
	check bitmaps 19-mcdc.html stream
	profile '"level":"ir"' "$(fn 'src/a.c;one' 1 400)" \
	    "$(fn 'src/a.c;two' 2 100,100)" "$(fn 'lib/b.c;three' 3 300)" \
	    "$(fn _ZN1n1m4fourEv 4 50)" "$(fn _ZN1n4fiveEi 5 50,7)" \
	    "$(fn never 6 0)" >names
	page names names
	functions names names
	check cells names.html names.json
	browse
}

@test 'traces and their order are those of the stream and of prof-order' {
	need_chromium
	page page "$(data real/19-temporal.profraw)"
	profraw-cat "$(data real/19-temporal.profraw)" >stream
	prof-order "$(data real/19-temporal.profraw)" >order
	check traces page.html stream order
	check order_saved page.html order
	browse
}

@test 'numbers of heap profiles are those of prof-show --heap --json' {
	need_chromium
	local file name

	for file in memprof-raw/good/v{1,2,3,4,5}-le.memprofraw \
	    memprof/v{0.llvm15,1.llvm19,2.llvm22,3.llvm22,4.llvm22}.profdata \
	    heap/app.ndjson; do
		name=${file//\//-}
		page "$name" "$(data "$file")"
		contexts "$name" "$(data "$file")"
		check sites "$name.html" "$name.json"
	done
	for name in memprof-v2.llvm22.profdata heap-app.ndjson; do
		check graph $name.html $name.json
		check histograms $name.html $name.json
		check inclusive $name.html $name.json
	done
	check sites_saved heap-app.ndjson.html heap-app.ndjson.json
	browse
}

# compares NAME BASE PROFILE [OPTION...]: the page of both, against prof-diff.
compares() {
	prof-report -q "${@:4}" -o "$1.html" "$2" "$3" || [ $? -eq 1 ]
	prof-diff -q --json -C --top 100000 "${@:4}" "$2" "$3" >"$1.json" ||
	    [ $? -eq 1 ]
	check compare "$1.html" "$1.json"
	check opens "$1.html"
}

@test 'comparisons have the numbers of prof-diff --json' {
	need_chromium
	half_ran 300 >a
	{
		sed 's/^f0010/g&/; s/^3$/9000000/' a | awk '/^f0020/ { n = 2 }
		    n > 0 && /^1$/ { $0 = 7; n-- } { print }'
	} >b
	compares text a b --min-overlap 50 --max-no-longer-run 0
	compares back b a
	compares real "$(data real/16-ir.profraw)" "$(data real/22-ir.profraw)"
	jq -c 'if .record == "allocation" and .info.total_size == 896 then empty
	    elif .record == "allocation" and .info.total_size == 768 then
	    .info.total_size = 768000 | .info.alloc_count = 7 else . end' \
	    "$(data heap/app.ndjson)" >heap
	compares heap "$(data heap/app.ndjson)" heap --max-no-longer-run 0
	browse
}

# A name that would run a script, be an element or change the order of text.
plant='</script><img src=x onerror=planted=1><b>\u202e'
plant+='<script>planted=2</script>\"'

# hostile_heap SIZE: a heap profile in which all text is hostile.
hostile_heap() {
	printf '{"record":"profile","stream":1,"kind":"memprof"}\n'
	printf '{"record":"stack","id":"0x%016x","frames":[' 1
	printf '{"function":"%s","file":"%s","line":1},' "$plant" "$plant"
	printf '{"function":"javascript:planted=3","line":2},'
	printf '{"function":"%s","line":3}]}\n' \
	    "$(head -c 65536 /dev/zero | tr '\0' y)"
	printf '{"record":"allocation","stack":"0x%016x","info":' 1
	printf '{"alloc_count":1,"total_size":%s,"total_lifetime":5}}\n' "$1"
	printf '{"record":"end","last":true}\n'
}

# hostile_functions COUNT: the same of an instrumentation profile.
hostile_functions() {
	profile '"level":"ir","temporal":true' "$(fn "$plant" 1 1,200)" \
	    "$(fn "javascript:planted=3" 2 "$1")" "$(fn "f;$plant" 2 5)" \
	    "$(fn "$plant;f" 2 6)" \
	    "$(fn "$(head -c 65536 /dev/zero | tr '\0' x)" 3 4)" |
	    jq -c 'if .hash == "0x0000000000000003" then
		.values = {indirect_call_target: [[{target: $plant, count: 9}],
		[{target: .name, count: 2}]]} elif .record == "end" then
		{record: "trace", weight: 1, functions: [$plant,
		"javascript:planted=3"]}, . else . end' \
		--arg plant "$(printf '%b' "${plant//\\\"/\"}")"
}

@test 'names never become scripts or elements, wherever they stand' {
	need_chromium
	local name=$'<b>\xe2\x80\xae<img src=x onerror=planted=4>'

	hostile_functions 7 >'<b>stream'
	hostile_functions 70 >"$name"
	hostile_heap 64 >'<i onclick=planted=5>heap'
	hostile_heap 640 >'<b>heap'
	prof-report -o stream.html '<b>stream'
	prof-report -o heap.html '<i onclick=planted=5>heap'
	prof-report -o both.html '<b>stream' "$name"
	prof-report -o heaps.html '<b>heap' '<i onclick=planted=5>heap'
	for name in stream heap both heaps; do
		check hostile $name.html
	done
	browse
}

@test 'search, filters, sorting, keys, links, and a page without JavaScript' {
	need_chromium
	half_ran 3000 >a
	page page a
	page map "$(data real/22-vtable.profraw)"
	page heap "$(data heap/app.ndjson)"
	profile '"level":"ir"' "$(fn "$(printf '%0200d' 0)1" 1 9)" \
	    "$(fn "$(printf '%0200d' 0)2" 1 8)" | prof-report -o ends.html
	check use page.html
	check ends ends.html
	check keeps page.html q=f001 sort=name class=hot
	check keeps page.html names=stored sort=-counters file=none
	check keeps map.html by=file 'map=["(no file in the name)/"]'
	check keeps map.html curve=counters tally=functions by=namespace
	check keeps heap.html weight=count callers=yes shape=flame
	check keeps heap.html 'zoom=["main"]' site=new sites=-count
	check keeps heap.html frame=grow theme=dark only=yes rows=functions
	check plain page.html 50
	check plain heap.html 2
	browse
}

# Machines of CI are slow and busy: the bound here only finds what hangs.
@test 'a page of 90,000 functions opens, and makes the rows that are seen' {
	need_chromium
	half_ran 90000 | prof-report -o page.html
	check large page.html 30
	browse
}

@test 'Firefox: pages open at all widths, with the numbers of prof-show' {
	need firefox-esr
	local name

	name=$(data real/22-vtable.profraw)
	page values "$name"
	functions values "$name"
	prof-show -q --json --cutoffs "$name" >values.summary
	page heap "$(data heap/app.ndjson)"
	contexts heap "$(data heap/app.ndjson)"
	hostile_functions 7 >'<b>stream'
	page hostile '<b>stream'
	half_ran 3000 >a
	page page a
	check opens values.html
	check numbers values.html values.json
	check curves values.html values.json values.summary
	check tallies values.html values.json
	check opens heap.html
	check sites heap.html heap.json
	check graph heap.html heap.json
	check hostile hostile.html
	check use page.html
	wrong_pages blocked
	browse --firefox
}
