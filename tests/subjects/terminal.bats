# Names of functions, files and archive members, and values of options may hold
# any byte: none of them reaches a terminal as a control character.

load ../support/helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	cp "$(data esc-names.ndjson)" names
}

# No control character but newlines, in ASCII and in UTF-8; CR as script has it.
plain() {
	cat -v "$@"
	run ! grep -aP '[\x00-\x09\x0b\x0c\x0e-\x1f\x7f]|\xc2[\x80-\x9f]' "$@"
}

# says TEXT COMMAND...: a message with the text, and no control character
says() {
	local text=$1

	shift
	"$@" >out 2>said || :
	plain said
	grep -qF -- "$text" said
}

@test 'messages name functions, and keys of JSON, without control characters' {
	says 'f?]0;pwn??[31m?EVIL, hash 0x' prof-merge -o o names
	says 'f?]0;pwn??[31m?EVIL, hash 0x' prof-merge -j 2 -o o names names
	says '?[31m' prof-show --function $'x\e[31m' names
}

@test 'names do not change the direction of text' {
	profile '"level":"ir"' "$(fn $'a\u202ecba\u2066' 1 1,2)" >reversed
	prof-show --functions reversed | grep -q '  a???cba???$'
	prof-diff --to markdown reversed names | grep -qF '`a???cba???`'
	says 'x???: ' prof-merge -o o $'x\xe2\x80\xae'
	prof-show --functions --json reversed | grep -qF $'a\xe2\x80\xaecba'
}

@test 'messages name files and members without control characters' {
	local member=$'x\e[31mz.profraw'

	cp "$(data good/v10-64le.profraw)" "$member"
	cp "$(data good/v10-32le.profraw)" b.profraw
	tar -cf tar "$member" b.profraw
	says 'tar[x?[31mz.profraw]: raw version 10' prof-merge -v -o o tar
	says 'profile (tar[x?[31mz.profraw])' prof-merge -o o tar
	says '[x?[31mz.profraw]: raw version 10' prof-bundle create -v -o b tar
	says 'none?[31m: ' prof-merge -o o $'none\e[31m'
	says 'none?[31m/o: ' prof-merge -o $'none\e[31m/o' names
	says 'none?[31m: ' prof-diff names $'none\e[31m'
	says 'none?[31m' prof-bundle extract b $'none\e[31m'
	says '?[31m' prof-index --upgrade $'none\e[31m'
}

@test 'messages name values of options without control characters' {
	says "format 'x?[31m' cannot" prof-merge --to $'x\e[31m' names
	says "'x?[31m'" prof-merge -S $'x\e[31m' names
	says "'--x?[31m'" prof-merge $'--x\e[31m' names
	says 'x?[31m' prof-merge --report $'none/x\e[31m' -o o names
	says 'x??' prof-merge --to $'x\xc2\x9b' names
	says 'größe?' prof-merge --to $'größe\xff' names
}

@test 'llvm-profdata: messages have no control characters' {
	says 'f?]0;pwn??[31m?EVIL: ' llvm-profdata merge -o o names
	says 'none?[31m: ' llvm-profdata merge -o o $'none\e[31m'
	says 'none?[31m: ' llvm-profdata show $'none\e[31m'
	says "x?[31m" llvm-profdata merge $'--x\e[31m' names
	says "x?[31m" llvm-profdata $'x\e[31m'
}

@test 'llvm-profdata show: names are complete in a pipe, and masked on a terminal' {
	need script
	llvm-profdata show --all-functions names | grep -qF $'f\e]0;pwn'
	script -qec 'llvm-profdata show --all-functions names' /dev/null >got
	plain got
	grep -qF 'f?]0;pwn??[31m' got
}

@test 'prof-show prints names for people without control characters' {
	prof-show --functions --values names >got
	plain got
	grep -qF 'f?]0;pwn??[31m?EVIL' got
}

# on_terminal COMMAND: what the command writes on a terminal of its own, with CR
# before each newline taken away.
on_terminal() {
	script -qec "$1" /dev/null </dev/null | tr -d '\r'
}

@test 'on a terminal, names are cut to its width and digits are grouped' {
	need script
	profile '"level":"ir"' "$(fn "$(printf 'a%.0s' {1..60})_end" 1 1234567)" \
	    "$(fn short 1 5)" >x
	prof-show --functions x >whole
	grep -q ' 1234567 .* a\{60\}_end$' whole
	COLUMNS=300 on_terminal 'prof-show --functions x' >got
	sed 's/1234567/1,234,567/; s/  \( *1,2\)/\1/' whole | same - \
	    <(sed 's/\x1b\[[0-9]*m//g' got)
	COLUMNS=80 on_terminal 'prof-show --functions x' >got
	grep -qx '.*  0x0*1  a\{13\}[.]\{3\}a\{9\}_end' got
	[ "$(sed 's/\x1b\[[0-9]*m//g' got | wc -L)" -eq 80 ]
	LC_ALL=C.UTF-8 COLUMNS=70 \
	    on_terminal 'prof-show --functions x' >got
	grep -qx '.*  0x0*1  a\{9\}…a\{5\}_end' got
	# What is no size is none.
	for size in 0 x 99999999 ''; do
		COLUMNS=$size \
		    on_terminal 'prof-show --functions x' |
		    same - <(COLUMNS=80 on_terminal \
			'prof-show --functions x')
	done
	# A pipe gets them whole.
	COLUMNS=40 prof-show --functions x | same - whole
}

@test 'wide characters of names take two columns' {
	need script
	profile '"level":"ir"' "$(fn 中中中中中中中中中中中中中中中中中中 1 1)" >x
	LC_ALL=C.UTF-8 COLUMNS=80 \
	    on_terminal 'prof-show --functions x' >got
	grep -qx '.*  0x0*1  中中中中中中中…中中中中中中中' got
}

@test 'names on a terminal have no control characters' {
	need script
	COLUMNS=300 NO_COLOR=1 \
	    on_terminal 'prof-show --functions names' >got
	plain got
	grep -qF 'f?]0;pwn??[31m?EVIL' got
}

# Two profiles: shares of 50, 30, 20 and 0% and then 20, 40, 0 and 40%.
two_profiles() {
	local long=$(printf 'a%.0s' {1..60})_end

	profile '"level":"ir"' "$(fn "$long" 1 500000)" "$(fn up 2 300000)" \
	    "$(fn $'gone\\u001b[31m' 3 200000)" >a
	profile '"level":"ir"' "$(fn "$long" 1 200000)" "$(fn up 2 400000)" \
	    "$(fn fresh 4 400000)" >b
}

@test 'prof-diff: bars, words, grouped digits, and names of the width' {
	need script
	export TERM=xterm NO_COLOR=1
	two_profiles
	COLUMNS=95 on_terminal 'prof-diff a b' >got
	plain got
	grep -qx '  total count  *1,000,000  *1,000,000  (100.0%)' got
	tail -n 4 got | same <(cat <<-'END'
	     0.000%   40.000%   +40.000%  +++++++++++++ new      fresh
	    50.000%   20.000%   -30.000%  ----------    colder   aaaaaaaaaaaaaaaaaa...aaaaaaaaaaaaa_end
	    20.000%    0.000%   -20.000%  -------       lost     gone?[31m
	    30.000%   40.000%   +10.000%  +++           hotter   up
	END
	) -
	[ "$(wc -L <got)" -eq 95 ]
	# Bars are as long as the width allows, or not there.
	COLUMNS=63 on_terminal 'prof-diff a b' >got
	grep -q '  +++++ new      fresh$' got
	grep -q '  +     hotter   up$' got
	COLUMNS=62 on_terminal 'prof-diff a b' >got
	run ! grep -- '---\|[+][+]' got
	grep -q ' hotter   up$' got
	COLUMNS=500 on_terminal 'prof-diff a b' >got
	grep -q '  +\{20\} new      fresh$' got
	grep -q ' a\{60\}_end$' got
	# The heap has more or less.
	sed 's/"total_size":768,/"total_size":1,/' \
	    "$(data heap/app.ndjson)" >heap
	on_terminal "prof-diff $(data heap/app.ndjson) heap" >got
	grep -q '% *-* *less  ' got
	grep -q '% *+* *more  ' got
}

@test 'prof-diff: a pipe and a file get the text without all that' {
	need script
	two_profiles
	export TERM=xterm
	COLUMNS=40 LINES=5 prof-diff a b >want
	grep -q '+10.000%  changed  up$' want
	grep -q ' 1000000 .* 1000000  (100.0%)$' want
	grep -q ' a\{60\}_end$' want
	on_terminal 'prof-diff -o file a b; prof-diff a b >pipe'
	same want file
	same want pipe
	for format in markdown json; do
		LINES=5 on_terminal "prof-diff --color=always --to=$format a b" |
		    same - <(prof-diff --to=$format a b)
	done
	prof-diff --color=always a b >got
	coloured got
	sed 's/\x1b\[[0-9]*m//g' got | same - want
}

@test 'prof-diff: as many changes as the terminal has lines for' {
	need script
	local i lines functions=()

	for i in {10..59}; do
		functions+=("$(fn "f$i" 1 "0,$i")")
	done
	profile '"level":"ir"' "${functions[@]}" >a
	profile '"level":"ir"' "${functions[@]//\[0/[1000}" >b
	export TERM=xterm NO_COLOR=1
	# Seven lines are no rows, and two are for the prompt.
	for lines in 1:10 12:10 13:11 24:22 50:48 100:57; do
		LINES=${lines%:*} on_terminal 'prof-diff a b' >got
		echo "$lines $(wc -l <got)"
		[ "$(wc -l <got)" -eq "${lines#*:}" ]
	done
	LINES=10 on_terminal 'prof-diff --top 20 a b' >got
	[ "$(grep -c ' f[0-9]*$' got)" -eq 20 ]
	[ "$(prof-diff a b | grep -c ' f[0-9]*$')" -eq 10 ]
	# Tables share the lines; those that one does not need are the next's.
	for i in a b; do
		cat "$i" "$(data heap/app.ndjson)" >"both_$i"
	done
	sed -i 's/"total_size":768,/"total_size":1,/' both_b
	LINES=30 on_terminal 'prof-diff both_a both_b' >got
	[ "$(wc -l <got)" -eq 28 ]
	[ "$(grep -c '^ .* \(more\|less\) ' got)" -eq 4 ]
}

coloured() {
	grep -q $'\e\[[0-9]*m' "$@"
}

@test 'colour: on a terminal, and as --color, NO_COLOR and TERM say' {
	need script
	export TERM=xterm COLUMNS=80
	local show='prof-show --functions names'

	on_terminal "$show" >got
	coloured got
	on_terminal "$show --color=auto" | same - got
	NO_COLOR=1 on_terminal "$show" >plain
	run ! coloured plain
	sed 's/\x1b\[[0-9]*m//g' got | same - plain
	TERM=dumb on_terminal "$show" | same - plain
	on_terminal "$show --color=never" | same - plain
	NO_COLOR='' on_terminal "$show" | same - got
	NO_COLOR=1 on_terminal "$show --color=always" | same - got
	run ! coloured <(prof-show --functions names)
	run ! coloured <(prof-show --functions --json --color=always names)
	coloured <(prof-show --functions --color always names)
	usage_error '--color accepts auto, always or never' \
	    prof-show --color=green names
}
