# prof-cover: the page's data are those of the tracefile, sources are in it as they
# are, foreign text stays text.

load ../support/helper

setup() {
	need jq
	cp -r "$(data cover/page)/." "$BATS_TEST_TMPDIR"
	cd "$BATS_TEST_TMPDIR"
}

# data_of PAGE: its index, and a line for each file.
data_of() {
	/usr/bin/python3 "$top_srcdir/tests/support/cover-page.py" "$1"
}

# page [OPTION...]: the data of a page of the program, in the file "data".
page() {
	prof-cover "$@" -o page.html app.proftext app.o
	data_of page.html >data
}

# file PATH FILTER: what jq says of a file.
file() {
	jq -c --arg path "$1" "select(.path == \$path) | $2" data
}

@test 'demangled names are short' {
	local name=_Z1fRSt6vectorINSt7__cxx1112basic_stringIcSt11char_traitsIcE

	printf '%s\n' '{"record":"coverage","stream":1}' '{"record":
	    "coverage_function","name":"'"${name}SaIcEEESaIS5_EE"'","hash":
	    "0x0000000000000001","files":["a.cc"],"state":"counted","count":1,
	    "regions":[[1,1,2,1,1]]}' '{"record":"end","last":true}' |
	    jq -c . | prof-cover -o page.html -
	data_of page.html | grep -qF '"f(std::vector<std::string>&)"'
}

@test 'lines and sums are those of the tracefile' {
	page
	prof-cover --to lcov app.proftext app.o >info
	sed -nE '/^(SF|DA|FNF|FNH|BRF|BRH|LF|LH):/p' info >want
	jq -r 'select(.path) | "SF:" + .path, "FNF:\(.sum[0])",
	    "FNH:\(.sum[1])", (.lines[] | . as $l | range(.[1]) |
	    "DA:\($l[0] + .),\($l[2])"), "BRF:\(.sum[8])",
	    "BRH:\(.sum[9])", "LF:\(.sum[4])", "LH:\(.sum[5])"' data |
	    diff want -
	[ "$(jq -c 'select(.path) | .sum[2:4], .sum[6:8], .sum[10:]' data |
	    xargs)" = '[4,3] [28,22] [3,1] [2,2] [4,3] [0,0] [1,1] [4,3] [0,0]' ]
}

@test 'what did not run, branches and functions' {
	page
	[ "$(file src/app.cpp .missed)" = '[[5,1],[7,2],[11,25],[11,30],[13,17],[13,25],[21,4],[21,12],[31,16],[34,3]]' ]
	[ "$(file src/app.cpp '[.branches[] | [.[0], .[1], .[4], .[5]]]')" = \
	    '[[11,6,1,1],[11,16,1,0],[11,25,0,0],[13,9,0,1],[19,18,3,1],[20,7,0,3],[31,6,0,1]]' ]
	# The side that while (0) cannot take is folded; instances are one.
	[ "$(file src/shape.h '[.branches[] | .[0:2] + .[4:]]')" = \
	    '[[3,7,0,1,0],[5,11,0,1,1],[9,6,1,1,0]]' ]
	[ "$(file src/shape.h .functions)" = '[[[8,1],"double twice<double>(double)"],[[8,1],"int twice<int>(int)"]]' ]
}

@test 'sources are in the page as they are, and not in one without' {
	page
	for source in src/app.cpp src/shape.h src/text.h; do
		[ "$(file $source .text)" = \
		    "\"$(od -A n -v -t x1 $source | tr -d ' \n')\"" ]
	done
	page --source-less
	[ "$(jq -c .source_less data | head -n 1)" = true ]
	[ "$(jq -r '.text // empty' data | sort -u)" = '' ]
	[ "$(jq -c 'select(.path) | .source' data | sort -u)" = null ]
	# Nor are what has no bytes: missing, a folder, a pipe, an empty file.
	rm src/*
	mkfifo src/app.cpp
	mkdir src/shape.h
	page
	[ "$(jq -r '.text // empty' data | sort -u)" = '' ]
	[ "$(jq -c 'select(.path) | .source' data | sort -u)" = null ]
	rmdir src/shape.h
	: >src/shape.h
	page
	[ "$(file src/shape.h '[.source, .text]')" = '[true,""]' ]
}

@test 'the page is the same for any order of the inputs, and on standard output' {
	prof-cover -o page.html app.proftext app.o evil.o
	prof-cover --to html evil.o app.o app.proftext | cmp page.html
	run -0 prof-cover -o other.html -b app.o -b evil.o app.proftext
	cmp page.html other.html
}

@test 'without JavaScript: the lines that ran' {
	prof-cover --to html app.proftext app.o | grep -qx \
	    '<p>26 of 34 lines ran.</p>'
}

@test 'names are text, whatever they contain' {
	prof-cover -o page.html app.proftext evil.o
	data_of page.html >data
	[ "$(grep -o '<script' page.html | wc -l)" -eq 2 ]
	[ "$(grep -o '</script' page.html | wc -l)" -eq 2 ]
	run ! grep -qE '<(img|b)\b' page.html
	run ! grep -q $'\xe2\x80\xae\|\xff' page.html
	[ "$(jq -r 'select(.path) | .path' data)" = 'evil/<script><img src=x onerror=planted=1>.h
evil/'$'\xef\xbf\xbd''&amp;<b>.c' ]
	[ "$(jq -r 'select(.path) | .functions[0][1]' data | tail -n 1)" = \
	    $'</script><img src=x onerror=planted=3>\xe2\x80\xae' ]
}
