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
	prof-diff reversed names | grep -q ' a???cba???  (gone)$'
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

@test 'without inputs, a program prints its usage and waits for no terminal' {
	local program

	need script
	for program in prof-merge prof-index prof-show prof-check prof-filter \
	    prof-order prof-report profraw-cat; do
		run -2 script -qec "$program" /dev/null
		[[ $output == "usage: $program"*$'\n'"$program: no input"* ]]
		run script -qec "$program --help" /dev/null
		[[ $output != *'no input'* ]]
	done
	script -qec 'prof-merge names 2>/dev/null' /dev/null | grep -q record
}

@test 'a page is not printed on a terminal' {
	need script
	run -2 script -qec 'prof-report names' /dev/null
	[[ $output == *'terminal: name a file with -o'* ]]
	[[ $output != *'<html'* ]]
	prof-report names | grep -q '<html'
	run -2 script -qec 'prof-cover --to html names none' /dev/null
	[[ $output == *'terminal: name a file with -o'* ]]
}
