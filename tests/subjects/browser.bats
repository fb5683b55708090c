# Pages of prof-report in a browser (tests/support/browser.py).

load ../support/helper

setup() {
	need chromium chromedriver
	/usr/bin/python3 -c 'import selenium' 2>/dev/null ||
	    skip 'needs python3-selenium'
	cd "$BATS_TEST_TMPDIR"
}

browser() {
	/usr/bin/python3 "$top_srcdir/tests/support/browser.py" "$@"
}

# page SAMPLE: its page.
page() {
	prof-report -q -o page.html "$(data "$1")"
}

@test 'pages of all kinds open at all widths without messages or requests' {
	for file in real/22-vtable.profraw real/19-mcdc.profraw \
	    real/19-temporal.profraw heap/app.ndjson \
	    memprof/v4.mixed.profdata good/counts-huge.profraw; do
		echo "$file"
		page "$file"
		browser opens page.html
	done
	profile '"level":"ir"' | prof-report -o page.html
	browser opens page.html
}

@test 'a page that asks for something, or is too wide, is found' {
	half_ran 3 | prof-report -o page.html
	sed 's,<main id="app",<img src="http://localhost/x">&,' page.html \
	    >asks.html
	run ! browser opens asks.html
	[[ $output == *localhost* ]]
	sed 's,<main id="app",<pre>'"$(
	    head -c 3000 /dev/zero | tr '\0' x)"'</pre>&,' page.html >wide.html
	run ! browser opens wide.html
	[[ $output == *'too wide'* ]]
}

@test 'numbers of functions are those of prof-show --json' {
	for file in real/22-fe_values.profraw real/22-vtable.profraw \
	    real/19-mcdc.profraw; do
		echo "$file"
		page "$file"
		prof-show -q --json --functions --counts --values -C \
		    --sort share "$(data "$file")" >want
		browser numbers page.html want
	done
}

@test 'numbers of heap profiles are those of prof-show --heap --json' {
	page heap/app.ndjson
	prof-show -q --heap --json --hot "$(data heap/app.ndjson)" >want
	browser heap page.html want
}

# compares BASE PROFILE [OPTION...]: the page of both, against prof-diff.
compares() {
	local options=("${@:3}")

	prof-report -q "${options[@]}" -o page.html "$2" "$1" || [ $? -eq 1 ]
	prof-diff -q --json -C --top 100000 "${options[@]}" "$1" "$2" >want ||
	    [ $? -eq 1 ]
	browser compare page.html want
	browser opens page.html
}

@test 'comparisons have the numbers of prof-diff --json' {
	half_ran 300 >a
	{
		sed 's/^f0010/g&/; s/^3$/9/' a | awk '/^f0020/ { n = 2 }
		    n > 0 && /^1$/ { $0 = 7; n-- } { print }'
	} >b
	compares a b --min-overlap 50 --max-lost 0
	compares "$(data real/16-ir.profraw)" "$(data real/22-ir.profraw)"
	jq -c 'if .record == "allocation" and .info.total_size == 896 then empty
	    elif .record == "allocation" and .info.total_size == 768 then
	    .info.total_size = 768000 | .info.alloc_count = 7 else . end' \
	    "$(data heap/app.ndjson)" >heap
	compares "$(data heap/app.ndjson)" heap --max-lost 0
}

@test 'names of functions never become scripts or elements' {
	plant='</script><img src=x onerror=planted=1><b>\u202e'
	plant+='<script>planted=2</script>\"'
	{
		profile '"level":"ir"' "$(fn "$plant" 1 1,200)" \
		    "$(fn "javascript:planted=3" 2 7)" \
		    "$(fn "f;$plant" 2 5)" \
		    "$(fn "$(head -c 65536 /dev/zero | tr '\0' x)" 3 4)"
	} >'<b>stream'
	prof-report --title "$(printf '%b' "$plant")" -o page.html '<b>stream'
	browser hostile page.html
	browser opens page.html
}

@test 'search, filters, sorting, keys and links' {
	half_ran 3000 | prof-report -o page.html
	browser use page.html
}

# Machines of CI are slow and busy: the bound here only finds what hangs.
@test 'a page of 90,000 functions opens, and makes the rows that are seen' {
	half_ran 90000 | prof-report -o page.html
	browser large page.html 30
}
