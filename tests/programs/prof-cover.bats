# prof-cover: coverage as people and CI systems read it.

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

@test 'instances apart' {
	quiet prof-cover --instances together "${what[@]}" |
	    golden prof-cover/text
	quiet prof-cover --instances apart "${what[@]}" |
	    grep -qE '^lib/box\.h +16/20  80\.00%  4/4 100\.00%  15/20 '
}

@test 'limits that hold, and that do not' {
	quiet prof-cover --fail-under 57.1428 -o out "${what[@]}"
	quiet prof-cover --fail-under line=0,mcdc=0 -o out "${what[@]}"
	quiet prof-cover --fail-under region=60,branch=40.9 \
	    --fail-under function=71.42 -o out "${what[@]}"
	rm out
	ends 1 '^prof-cover: lines: 57\.14% covered, 57\.1429% are wanted$' \
	    -- prof-cover --fail-under 57.1429 -o out "${what[@]}"
	golden prof-cover/text <out
	ends 1 '^prof-cover: lines: 57\.14% covered, 80% are wanted$' \
	    '^prof-cover: branches: 40\.90% covered, 72\.5% are wanted$' \
	    '^prof-cover: conditions of MC/DC: 0\.00% covered, 1% are wanted$' \
	    -- prof-cover --fail-under line=80,branch=72.5 \
	    --fail-under mcdc=1 --to lcov -o out "${what[@]}"
	grep -q end_of_record out
}

@test 'a limit of what there is nothing of' {
	warns '^prof-cover: conditions of MC/DC: there are none to cover$' \
	    -- prof-cover --fail-under mcdc=100 -o out odd.o run.proftext
	quiet prof-cover -q --fail-under mcdc=100 -o out odd.o run.proftext
}

@test 'limits that are none' {
	local limit

	for limit in '' line line= 101 -1 line=101 lines=80 80,, line=80,x=1 \
	    0x10 80% nan ' 1' line=1=2; do
		echo "$limit"
		usage_error "needs percentages of line, .*not '" \
		    prof-cover --fail-under "$limit" "${what[@]}"
	done
}

@test 'names of files cannot steer a terminal' {
	local format

	for format in text markdown cobertura; do
		quiet prof-cover --to "$format" "${what[@]}" >got
		run ! grep -q $'\e' got
		grep -q 'name.*[?]\.cc' got
	done
}
