# Pages of prof-cover in a browser (tests/support/browser).

load ../support/helper

setup() {
	cp -r "$(data cover/page)/." "$BATS_TEST_TMPDIR"
	cd "$BATS_TEST_TMPDIR"
	jobs=()
}

need_chromium() {
	need chromium chromedriver
	/usr/bin/python3 -c 'import selenium' 2>/dev/null ||
	    skip 'needs python3-selenium'
}

# check NAME PAGE [WORD...]: one more check, for `browse`.
check() {
	jobs+=(-- "$@")
}

# browse [--firefox]: all checks in one browser.
browse() {
	/usr/bin/python3 "$top_srcdir/tests/support/browser/run.py" "$@" \
	    "${jobs[@]}"
}

# pages: the program, with and without its sources, and with a patch.
pages() {
	prof-cover -o page.html app.proftext app.o
	prof-cover --source-less -o less.html app.proftext app.o
	/usr/bin/python3 "$top_srcdir/tests/support/cover-page.py" page.html \
	    src/app.cpp 11 11 src/app.cpp 31 33 >patch.html
	mv src away
	prof-cover -o lost.html app.proftext app.o
	mv away src
	hostile_sources
	prof-cover -o hostile.html app.proftext evil.o
}

# hostile_sources: those of evil.o, as its recipe has them, with more on top.
hostile_sources() {
	local text=$'/* </script><img src=x onerror=planted=4> planted \xe2\x80\xae */'

	mkdir -p 'evil/<'
	printf '%s\ninline int planted() { <b>planted(1)</b> }\n' "$text" \
	    >'evil/<script><img src=x onerror=planted=1>.h'
	printf '%s\n\nint evil(int n) { return planted(n); }\n' "$text" \
	    >$'evil/\xff&amp;<b>.c'
}

@test 'pages open at all widths, and on paper' {
	need_chromium
	pages
	check opens page.html
	check opens page.html '#file=src/app.cpp&branches=all'
	check opens patch.html '#file=src/app.cpp&only=patch'
	check paper page.html
	check paper page.html '#file=src/app.cpp'
	browse
}

@test 'totals, files, sources, branches, keys and links' {
	need_chromium
	pages
	check cover_totals page.html
	check cover_source page.html
	check cover_keys page.html
	check cover_patch patch.html
	check cover_counts less.html 'The page has no sources.'
	check cover_counts lost.html \
	    'Sources that were not found: 3'
	browse
}

@test 'names and sources never become scripts or elements' {
	need_chromium
	pages
	check cover_hostile hostile.html
	browse
}

# A source that has many more lines than the compiler saw.  Machines of CI are
# slow and busy: the bound here only finds what hangs.
@test 'a source of 500,000 lines opens, and makes the rows that are seen' {
	need_chromium
	head -c 1000000 /dev/zero | tr '\0' '\n' | sed 's/^/\/\/ a line/' |
	    head -n 499964 >>src/app.cpp
	prof-cover -o page.html app.proftext app.o
	check cover_large page.html 30 500000
	browse
}

@test 'Firefox: pages open at all widths, with the same in them' {
	need firefox-esr
	pages
	check opens page.html
	check cover_totals page.html
	check cover_source page.html
	check cover_keys page.html
	check cover_patch patch.html
	check cover_counts less.html 'The page has no sources.'
	check cover_hostile hostile.html
	browse --firefox
}
