# prof-cover: coverage as people, CI systems and programs read it.

load ../support/helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	cp "$(data cover/report)"/*.o "$(data cover/report)"/*.proftext .
	what=(main.o odd.o run.proftext)
}

# Reports: tables, Cobertura, limits.  Three files with branches, decisions,
# instances and an unused function; one has a name that has to be quoted.

@test 'a table of files is what is written unless told otherwise' {
	quiet prof-cover "${what[@]}" | golden prof-cover/text
	quiet prof-cover -o out.txt run.proftext odd.o main.o
	golden prof-cover/text <out.txt
	quiet prof-cover --to text -o out.info "${what[@]}"
	same out.txt out.info
}

@test 'the table for pull requests' {
	quiet prof-cover --to markdown "${what[@]}" | golden prof-cover/markdown
	quiet prof-cover -o out.md "${what[@]}"
	golden prof-cover/markdown <out.md
}

@test 'Cobertura is deterministic and valid' {
	quiet prof-cover --to cobertura "${what[@]}" | golden prof-cover/cobertura
	quiet prof-cover -o out.xml odd.o run.proftext main.o
	golden prof-cover/cobertura <out.xml
	need xmllint
	# Not by the DTD that it names, which is elsewhere.
	sed 2d out.xml >plain.xml
	quiet xmllint --noout --dtdvalid "$(data cover/cobertura.dtd)" plain.xml
	[ "$(xmllint --xpath 'string(//class[contains(@name, "odd")]/@name)' \
	    plain.xml)" = 'odd |`name_<&>?.cc' ]
}

@test 'the time in Cobertura is that of SOURCE_DATE_EPOCH' {
	SOURCE_DATE_EPOCH=1700000000 quiet prof-cover -o out.xml "${what[@]}"
	grep -q ' timestamp="1700000000" ' out.xml
	SOURCE_DATE_EPOCH=now quiet prof-cover -o out.xml "${what[@]}"
	grep -q ' timestamp="0" ' out.xml
}

# The files of a table, in its order.
files_of() {
	quiet prof-cover "$@" "${what[@]}" |
	    grep -oE '^(lib/box\.h|lib/odd|main\.cc)' | tr '\n' ' '
}

@test 'files are sorted by name, by what is covered, by what is missed' {
	[ "$(files_of)" = 'lib/box.h lib/odd main.cc ' ]
	[ "$(files_of --sort name)" = 'lib/box.h lib/odd main.cc ' ]
	[ "$(files_of --sort covered)" = 'main.cc lib/odd lib/box.h ' ]
	[ "$(files_of --sort missed)" = 'main.cc lib/odd lib/box.h ' ]
	# As many lines as another file, but a larger part of its own.
	[ "$(files_of --sort missed --instances apart)" = \
	    'main.cc lib/box.h lib/odd ' ]
}

# What a terminal of so many columns shows.
on_terminal() {
	script -qec "stty cols $1; prof-cover ${what[*]}" /dev/null | tr -d '\r'
}

@test 'colours and widths are those of a terminal' {
	need script
	export TERM=xterm
	unset NO_COLOR
	on_terminal 200 >got
	grep -qF $'  \e[33m 8/10  80.00%\e[0m' got ||
	    grep -qF $'\e[33m8/10  80.00%\e[0m' got
	grep -qF $'\e[31m' got
	grep -qF $'\e[32m2/2 100.00%\e[0m' got
	NO_COLOR=1 on_terminal 200 >got
	quiet prof-cover "${what[@]}" >want
	same want got
	TERM=dumb on_terminal 200 >got
	same want got
	# Lines that do not fit are cut between ranges.
	width=$(($(grep main.cc want | wc -c) - 2))
	NO_COLOR=1 on_terminal "$width" >got
	grep -qE ' 13-17, 19-20, \.\.\.$' got
	[ "$(wc -L <got)" -le "$width" ]
	NO_COLOR=1 on_terminal 40 >got
	! grep -q '13-' got
}

@test 'a function of several binaries counts each profile once' {
	cd "$(data cover)/inline"
	prof-cover --to lcov sum.proftext one.o two.o >"$BATS_TEST_TMPDIR/both"
	grep -qx FNDA:2,_Z4halfi "$BATS_TEST_TMPDIR/both"
	quiet prof-cover --to lcov two.o sum.proftext one.o two.o |
	    same "$BATS_TEST_TMPDIR/both" -
	# A stream of coverage adds to it.
	quiet prof-cover --to ndjson sum.proftext one.o two.o |
	    quiet prof-cover --to lcov - sum.proftext one.o two.o |
	    grep -qx FNDA:4,_Z4halfi
}

@test 'instances apart' {
	quiet prof-cover --instances together "${what[@]}" |
	    golden prof-cover/text
	quiet prof-cover --instances apart "${what[@]}" |
	    grep -qE '^lib/box\.h +16/20  80\.00%  4/4 100\.00%  15/20 '
}

@test 'a table says how many functions are stale' {
	awk '/^main$/ { at = NR } at && NR == at + 2 { $0 = 1 } 1' \
	    run.proftext >other.proftext
	warns 'warning: .*stale: main: the profile has it of another build$' \
	    -- prof-cover main.o odd.o other.proftext >got
	grep -qx 'Stale functions, left out: 1' got
}

@test 'limits that hold, and that do not' {
	quiet prof-cover --fail-under line=57.1428 -o out "${what[@]}"
	quiet prof-cover --fail-under line=0%,mcdc=0 -o out "${what[@]}"
	quiet prof-cover --fail-under mcdc=100 -o out odd.o run.proftext
	quiet prof-cover --fail-under region=60,branch=40.9 \
	    --fail-under function=71.42 -o out "${what[@]}"
	rm out
	ends 1 '^prof-cover: line: 57\.14% covered, 57\.1429% are wanted$' \
	    -- prof-cover --fail-under line=57.1429 -o out "${what[@]}"
	golden prof-cover/text <out
	ends 1 "control characters of a path .* '[?]': /src/lib/odd .*[?]\.cc$" \
	    '^prof-cover: line: 57\.14% covered, 80% are wanted$' \
	    '^prof-cover: branch: 40\.90% covered, 72\.5% are wanted$' \
	    '^prof-cover: mcdc: 0\.00% covered, 1% are wanted$' \
	    -- prof-cover --fail-under line=80,branch=72.5 \
	    --fail-under mcdc=1 --to lcov -o out "${what[@]}"
	grep -q end_of_record out
}

@test 'limits hold only if there is a line' {
	ends 1 '^prof-cover: there is no line to be covered$' -- prof-cover \
	    --include 'srcc/*' --fail-under function=1 -o out "${what[@]}"
	# The page of a change without code needs no line.
	quiet prof-cover -q --diff /dev/null --fail-under line=80 -o out \
	    "${what[@]}"
}

@test 'profiles that have no coverage are refused' {
	refused 'disjoint.memprofraw: a heap profile, which has no ' \
	    prof-cover main.o "$(data memprof-raw/good/disjoint.memprofraw)"
	profile '"level":"ir"' "$(fn main 1 1)" >ir
	refused 'ir: an IR profile .* needs -fprofile-instr-generate' \
	    prof-cover main.o ir
	refused 'a correlated profile: .* run prof-symbolize first' \
	    prof-cover main.o "$(data good/correlated-v11.profraw)"
}

@test 'limits that are none' {
	local limit

	for limit in '' line line= 80 line=101 lines=80 line=80,, line=80,x=1 \
	    line=0x10 line=80%% line=nan 'line= 1' line=1=2; do
		echo "$limit"
		usage_error "needs percentages of line, .*not '" \
		    prof-cover --fail-under "$limit" "${what[@]}"
	done
}

@test 'a table compares with an earlier coverage' {
	quiet prof-cover -o base.ndjson main.o odd.o base.proftext
	quiet prof-cover --base base.ndjson "${what[@]}" |
	    golden prof-cover/base-text
	quiet prof-cover --base base.ndjson --to markdown "${what[@]}" |
	    golden prof-cover/base-markdown
	# Nothing changed.
	quiet prof-cover -o same.ndjson "${what[@]}"
	quiet prof-cover --base same.ndjson "${what[@]}" >got
	[ "$(grep -c ' +0\.00' got)" -eq 4 ]
	run ! grep -q 'No longer' got
	grep -qx 'Newly covered lines: 0' got
	# A file that the other one has not, and one that this one has not.
	quiet prof-cover -o less.ndjson odd.o run.proftext
	quiet prof-cover --base less.ndjson main.o run.proftext >got
	grep -qE '^main\.cc .* new  13-17' got
	grep -qE '^lib/box\.h .* \+0\.00  9, 16$' got
	grep -qE '^Total .* -2\.28$' got
	grep -qx 'lib/box\.h: 16' got
	grep -qx 'Newly covered lines: 1' got
}

@test 'a table selects and maps files of an earlier coverage, too' {
	quiet prof-cover -o base.ndjson "${what[@]}"
	quiet prof-cover --include '*.h' --path-map lib= --base base.ndjson \
	    "${what[@]}" >out
	grep -q '^Total .* +0\.00' out
	run ! grep -q ' new' out
	usage_error '--base has no lines that --diff adds' prof-cover \
	    --diff /dev/null --base base.ndjson "${what[@]}"
}

@test 'what a table cannot compare with' {
	refused 'run.proftext: not a stream of coverage, which --base needs$' \
	    prof-cover --base run.proftext "${what[@]}"
	refused 'absent: cannot open' prof-cover --base absent "${what[@]}"
	quiet prof-cover -o base.ndjson "${what[@]}"
	head -n 4 base.ndjson >cut.ndjson
	refused 'cut\.ndjson: truncated: line 4: ' \
	    prof-cover --base cut.ndjson "${what[@]}"
	usage_error '--base is for text and markdown only' \
	    prof-cover --to lcov --base base.ndjson "${what[@]}"
}

@test 'names of files cannot steer a terminal' {
	local format

	for format in text markdown cobertura; do
		quiet prof-cover --to "$format" "${what[@]}" >got
		run ! grep -q $'\e' got
		grep -q 'name.*[?]\.cc' got
	done
}

# Streams of coverage: what one run left, what another did, and a stale one.

# coverage LINES...: a stream of these records.
coverage() {
	echo '{"record":"coverage","stream":1}'
	[ $# -eq 0 ] || printf '{"record":"coverage_function",%s}\n' "$@"
	echo '{"record":"end","last":true}'
}

streams() {
	local hash='"hash":"0x0000000000000018"' f
	local decision='"place":[2,6,2,12],"conditions":[[2,6],[2,11]]'

	need jq
	f="\"name\":\"main\",$hash,\"files\":[\"src/a.c\",\"src/m.h\"]"
	coverage "\"name\":\"idle\",$hash,\"files\":[\"gen/b.c\"],\"state\":\"not_counted\",\"count\":0,\"regions\":[[9,1,9,5,0]]" \
	    "$f,\"state\":\"counted\",\"count\":1,\"regions\":[[1,12,6,2,1],[3,3,3,9,1,0,1,1],[1,14,1,20,1,1,0,0]],\"branches\":[[2,6,2,7,1,0,0,6],[2,11,2,12,null,1,0,6]],\"decisions\":[{$decision,\"ways\":[\"TF:0\"]}]" >a.ndjson
	coverage "$f,\"state\":\"counted\",\"count\":\"9007199254740992\",\"regions\":[[1,12,6,2,\"9007199254740992\"],[3,3,3,9,4,0,1,1],[1,14,1,20,4,1,0,0]],\"branches\":[[2,6,2,7,2,2,0,6],[2,11,2,12,null,2,0,6]],\"decisions\":[{$decision,\"ways\":[\"F-:0\",\"TF:0\"]}]" \
	    "\"name\":\"_Z3oldv\",\"hash\":\"0x0000000000000001\",\"files\":[\"src/a.c\"],\"state\":\"stale\"" >b.ndjson
	coverage "\"name\":\"idle\",$hash,\"files\":[\"gen/b.c\"],\"state\":\"counted\",\"count\":7,\"regions\":[[9,1,9,5,7]]" >c.ndjson
}

# same_sum COMMAND...: its output is the sum of all three.
same_sum() {
	prof-cover -q --to ndjson a.ndjson b.ndjson c.ndjson >want
	"$@" >out
	cmp out want
}

@test 'a stream of coverage is what it was after it was read' {
	local file

	streams
	for file in a b c; do
		prof-cover -q --to ndjson "$file.ndjson" | cmp - "$file.ndjson"
		jq -c . "$file.ndjson" | cmp - "$file.ndjson"
		# In other forms: keys sorted, blanks, CRLF, unknown keys.
		jq -S -c . "$file.ndjson" | sed 's/:/ : /; s/$/\r/' |
		    prof-cover -q --to ndjson - | cmp - "$file.ndjson"
		jq -c '. + {new: [1, {x: "}"}]}' "$file.ndjson" >new
		prof-cover --to ndjson new 2>log | cmp - "$file.ndjson"
		[ "$(grep -c 'unknown key new is ignored' log)" -eq 1 ]
	done
	prof-cover -qo out.ndjson a.ndjson
	cmp out.ndjson a.ndjson
}

@test 'shards are merged by cat, in any order and in parts' {
	local order

	streams
	for order in 'a b c' 'c b a' 'b c a' 'a c b'; do
		set -- $order
		same_sum prof-cover -q --to ndjson "$1.ndjson" "$2.ndjson" \
		    "$3.ndjson"
		cat "$1.ndjson" "$2.ndjson" "$3.ndjson" |
		    same_sum prof-cover -q --to ndjson -
		prof-cover -q --to ndjson "$1.ndjson" "$2.ndjson" |
		    same_sum prof-cover -q --to ndjson "$3.ndjson" -
		prof-cover -q --to ndjson "$2.ndjson" "$3.ndjson" |
		    same_sum prof-cover -q --to ndjson - "$1.ndjson"
	done
	jq -es 'map(select(.name)) | map([.name, .state, .count]) ==
	    [["idle", "counted", 7],
	    ["main", "counted", "9007199254740993"],
	    ["_Z3oldv", "stale", null]]' want
	jq -es 'map(.decisions[]?.ways) == [["F-:0", "TF:0"]]' want
	tar -cf all.tar a.ndjson c.ndjson b.ndjson
	same_sum prof-cover -q --to ndjson all.tar
	gzip -k c.ndjson
	same_sum prof-cover -q --to ndjson c.ndjson.gz b.ndjson a.ndjson
}

@test 'streams become the other formats' {
	streams
	prof-cover -q --to lcov a.ndjson c.ndjson >out
	cat out
	grep -qx 'FNDA:7,idle' out
	grep -qx 'DA:6,1' out
	# A path or name ends no line of a tracefile.
	sed 's,"src/a,"s\\nSF:\\ta,; s/"idle/"i\\ndle/' a.ndjson >odd.ndjson
	warns "control char.* are written as '[?]': s[?]SF:[?]a.c$" -- \
	    prof-cover --to lcov odd.ndjson >odd
	sed 's,src/a,s?SF:?a,; s/idle/i?dle/' <(prof-cover --to lcov a.ndjson) |
	    same - odd
	prof-cover -q --to llvm-json a.ndjson | jq -e '.data[0].totals |
	    .functions.count == 2 and .functions.covered == 1'
}

@test 'jq selects functions' {
	streams
	cat a.ndjson b.ndjson c.ndjson | prof-cover -q --to ndjson - >all
	jq -r 'select(.state == "stale") | .name' all | diff - <(echo _Z3oldv)
	jq -c 'select((.files // []) | any(startswith("gen/")) | not)' all |
	    prof-cover -q --to lcov - >out
	grep -qx 'SF:src/a.c' out
	run ! grep -q gen out
	# Stale functions are named, and counts that are no more stay away.
	prof-cover --to lcov all 2>&1 >out | tee log
	grep -q 'warning: stale: old():' log
}

@test 'a stream that is cut off, or without its head, is refused' {
	local n

	streams
	for ((n = 1; n < $(wc -c <a.ndjson) - 1; n += 9)); do
		run ! prof-cover --to lcov <(head -c "$n" a.ndjson)
	done
	run -2 prof-cover --to lcov <(sed '$d' a.ndjson)
	[[ $output = *'line 3: stream ended inside a coverage'* ]]
	jq -c 'select(.name)' a.ndjson >part
	run -2 prof-cover --to lcov part
	[[ $output = *'does not begin with a coverage record'* ]]
	cat a.ndjson part >two
	run -2 prof-cover --to lcov two
	[[ $output = *'line 5: a record between an end and the next'* ]]
	# Nothing of a bad input is counted.
	sed '$d' c.ndjson >bad
	prof-cover --keep-going --to ndjson bad a.ndjson >out || [ $? -eq 1 ]
	cmp out a.ndjson
}

@test 'a profile beside streams of coverage needs its binary' {
	quiet prof-cover -o whole.ndjson main.o run.proftext
	refused 'no binary with coverage among the inputs' prof-cover \
	    whole.ndjson run.proftext
	# Streams count as inputs.
	head -n 2 whole.ndjson >cut.ndjson
	prof-cover --keep-going=50% --report bad cut.ndjson whole.ndjson \
	    whole.ndjson >out
	tail -n 1 bad | jq -e '.inputs == 3 and .used == 2 and .bad == 1'
	usage_error '--covering only names tests' prof-cover --covering a.c:1 \
	    --fail-under line=1 --test a=run.proftext main.o
}
