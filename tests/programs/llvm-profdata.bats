# llvm-profdata where it does not do as LLVM's, or LLVM's is not asked:
# tests/oracle/llvm-profdata.bats compares the two.

load ../support/helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	ours=$top_builddir/cmd/llvm-profdata
	unset PROFTOOLS_COMPAT
}

@test 'a name with a release is as --compat' {
	local release

	fn main 1 5 | profile '"level":"ir"' "$(cat)" >ir
	for release in 13 16 22; do
		ln -s "$ours" "llvm-profdata-$release"
		PROFTOOLS_COMPAT=19 "./llvm-profdata-$release" merge ir -o got
		"$ours" merge --compat "$release" ir -o want
		cmp want got
		"./llvm-profdata-$release" merge --compat 14 ir -o got
		"$ours" merge --compat 14 ir -o want
		cmp want got
	done
	for release in 12 23 x ''; do
		ln -s "$ours" "llvm-profdata-$release"
		"./llvm-profdata-$release" --version | grep 'LLVM version 22'
	done
}

@test 'sample profiles are refused' {
	local line

	: >x
	while IFS= read -r line; do
		run -1 "$ours" $line x
		[[ $output == 'error: -'*' does not know'* ]]
	done <<-'END'
	merge --sample
	merge -gcc
	merge --use-md5
	merge --supplement-instr-with-sample=y
	merge --split-layout
	show -sample
	overlap --sample
	END
}

@test 'without a command, or with one of no release' {
	local release usage='USAGE: llvm-profdata <merge|show|overlap> [args...]'

	for release in 13 16; do
		run -1 "$ours" --compat=$release
		[ "$output" = $'llvm-profdata: No command specified!\n'"$usage" ]
		run -1 "$ours" --compat=$release what
		[ "$output" = $'llvm-profdata: Unknown command!\n'"$usage" ]
	done
	for release in 17 22; do
		run -1 "$ours" --compat=$release
		[ "$output" = 'llvm-profdata: No subcommand specified! '$(
		)'Run llvm-profdata --help for usage.' ]
		run -1 "$ours" --compat=$release what
		[ "$output" = "llvm-profdata: Unknown subcommand 'what'.  "$(
		)"Try: 'llvm-profdata --help'" ]
	done
}

@test 'show does not replace its input' {
	printf ':ir\nf\n1\n1\n5\n\n' >x
	cp x before
	run -1 "$ours" show -o x x
	[[ $output == *'llvm-profdata show: Input file name cannot be the same as '$(
	)'the output file name!' ]]
	cmp x before
}

@test 'all raw versions are read, whatever release it is' {
	need_corpus
	local release

	for release in 13 17 22; do
		"$ours" merge --compat=$release -o out \
		    "$PROFTOOLS_CORPUS"/raw/v{13-fe,22-fe_vp}.profraw 2>stderr
		"$ours" show --compat $release out >shown
		grep -q '^Total functions: ' shown
	done
	for release in 12 23 x; do
		run -1 "$ours" show --compat=$release out
		PROFTOOLS_COMPAT=$release run -1 "$ours" show out
	done
}

@test 'the differences that the page names' {
	fn main 1 5 | profile '"level":"frontend"' "$(cat)" >fe
	fn foo 1 5 | profile '"level":"ir"' "$(cat)" >ir
	run -1 "$ours" merge fe ir -o out
	[[ $output == *'Merge IR generated profile with Clang generated'* ]]
	[ ! -e out ]
	# A pipe is as good as a file.
	"$ours" merge ir | "$ours" show - | grep '^Total functions: 1$'
	"$ours" merge -failure-mode=warn - <ir | cmp - <("$ours" merge ir)
	run -1 "$ours" show ir -o ir
}

# The line of the header is not in canonical form, so that its text is freed
# before the function is read.
@test 'a stream of a raw profile is merged as the raw profile is' {
	cat >stream <<-'END'
	{"record":"profile","stream":1,"kind":"instr","level":"ir","source":{"format":"raw"}}
	{ "record":"function","name":"f","hash":"0x0000000000000001","counts":[18446744073709551612]}
	{"record":"end","last":true}
	END
	run -1 "$ours" merge stream -o out
	[[ $output == *'excessively large counter value'* ]]
	[ ! -e out ]
	"$ours" merge "$(data real/22-ir.profraw)" -o want
	pipe 'profraw-cat "$1" | jq -cS . | "$2" merge -o out -' \
	    "$(data real/22-ir.profraw)" "$ours"
	cmp want out
}

@test 'a counter that reaches its limit is told of in the words of LLVM' {
	fn f 1 18446744073709551000 | profile '"level":"ir"' "$(cat)" >a
	cp a b
	warns '^b: f: counter overflow$' -- "$ours" merge a b -o sum
}

@test 'values of one profile only overlap with none' {
	cd "$BATS_TEST_TMPDIR"
	profile '"level":"ir"' "$(fn f 1 5 '"values":{
	    "indirect_call_target":[[{"target":"g","count":3}]]}' |
	    tr -d '\n\t ')" >x
	profile '"level":"ir"' "$(fn f 1 7 \
	    '"values":{"indirect_call_target":[[]]}')" >y
	prof-index -q -o x.profdata x
	prof-index -q -o y.profdata y
	llvm-profdata overlap --function=f x.profdata y.profdata |
	    sed -n '/^Function/,/^Prof/s/^ *IndirectCall profile //p' |
	    same - <(printf '%s\n' 'overlap: 0.000%' 'base count sum: 3' \
	    'test count sum: 0')
}

@test 'an empty member of an archive is an error, an empty file is none' {
	: >0.proftext
	printf ':ir\nfoo\n10\n1\n5\n\n' >1.proftext
	tar -cf empty-first.tar 0.proftext 1.proftext
	tar -cf empty-last.tar 1.proftext 0.proftext
	"$ours" merge 1.proftext --text >want
	"$ours" merge 0.proftext 1.proftext --text | cmp want
	for archive in empty-first.tar empty-last.tar; do
		run -1 "$ours" merge "$archive" 1.proftext -o out
		[[ $output == "warning: $archive: 0.proftext: empty raw profile file"* ]]
		[ ! -e out ]
	done
}

@test 'each member of an archive is an input of its own' {
	local mode

	: >0.proftext
	printf ':ir\nfoo\n10\n1\n5\n\n' >1.proftext
	printf ':ir\nfoo\n10\n1\n7\n\n' >2.proftext
	printf ':ir\nfoo\n10\n1\n7\n\nbar\n1\n' >bad.proftext
	"$ours" merge 1.proftext 2.proftext --text >want
	tar -cf some.tar 1.proftext bad.proftext 0.proftext 2.proftext
	for mode in warn all; do
		run -0 --separate-stderr "$ours" merge --failure-mode=$mode \
		    some.tar --text -o out
		lines_match '^warning: some.tar: bad.proftext: truncated ' \
		    '^warning: some.tar: 0.proftext: empty ' <<<"$stderr"
		cmp want out
	done
	tar -cf none.tar bad.proftext 0.proftext
	run -1 "$ours" merge --failure-mode=all none.tar bad.proftext -o no
	run -0 "$ours" merge --failure-mode=all none.tar 1.proftext -o one
	[ ! -e no ]
}

@test 'a damaged profile in an archive, or an archive without any, is an error' {
	local format='unrecognized instrumentation profile encoding format'
	local archive command name

	printf ':ir\nfoo\n10\n1\n5\n\n' >1.proftext
	printf '\377%.0s' {1..300} | tee x.profraw x.profdata x.memprofraw >README
	for name in profraw profdata memprofraw; do
		tar -cf $name.tar x.$name 1.proftext
	done
	tar -cf none.tar README
	for archive in {profraw,profdata,memprofraw,none}.tar; do
		for command in merge show order; do
			run -1 "$ours" $command "$archive"
			[[ $output == *": $archive: "*"$format"* ]]
		done
	done
	tar -cf good.tar README 1.proftext
	quiet "$ours" merge good.tar -o got
	"$ours" merge 1.proftext | cmp - got
}

@test 'what a bad input does depends on no input before it' {
	local heap=$(data memprof-raw/real/16.memprofraw) order
	local how="--failure-mode=warn --profiled-binary=$(
	    data memprof-raw/real/16.debug)"

	printf ':ir\nfoo\n10\n1\n5\n\n' | gzip | head -c 25 >cut.proftext.gz
	"$ours" merge $how "$heap" -o want
	for order in "$heap cut.proftext.gz" "cut.proftext.gz $heap"; do
		"$ours" merge $how $order -o got 2>stderr
		grep '^warning: cut.proftext.gz: ' stderr
		cmp want got
	done
}

@test 'messages of several lines are those of LLVM' {
	printf '\x81rforpl\xff\x63%.0s' 1 >raw
	head -c 200 /dev/zero >>raw
	run -1 "$ours" show raw
	[[ $output == 'error: raw: raw profile version mismatch ('*'Version 99 '* ]]
	run -1 "$ours" show raw raw
	[ "$output" = "llvm-profdata: Too many positional arguments $(
	    )specified!"$'\n'"Can specify at most 1 positional arguments: $(
	    )See: llvm-profdata --help" ]
	run -1 "$ours" --compat=16 overlap raw
	[ "${lines[1]}" = "Must specify at least 2 positional arguments: $(
	    )See: llvm-profdata overlap --help" ]
}

# InstrProfRecord::merge sets the count, and does not look at the rest.
@test 'a hot record after a warm one changes nothing else of it' {
	local warm=18446744073709551614 hot=18446744073709551615 name

	printf '%s\n' :ir g 77 1 $warm 1 1 1 2 8:3 16:4 >warm
	printf '%s\n' :ir g 77 1 $hot 1 1 1 2 8:3 16:4 >want.proftext
	printf '%s\n' :ir g 77 1 $hot 1 1 1 1 8:9 >values
	printf '%s\n' :ir g 77 1 $hot 2 0 1 0 1 1 1 8:9 >sites
	printf '%s\n' :ir g 77 1 $hot '$1' 3 >bitmap
	"$ours" merge --text want.proftext -o want
	for name in values sites bitmap; do
		quiet "$ours" merge --text warm $name -o got
		same want got
	done
}

@test 'functions of a correlated profile are not found without its binary' {
	local file=$(data good/correlated-debug.profraw)
	local release required='debug info for correlation is required'

	for release in 14 18; do
		run -1 "$ours" show --compat=$release "$file"
		[ "$output" = "error: $file: $required" ]
		run -1 "$ours" overlap --compat=$release "$file" "$file"
		[[ $output == 'error: '*": $required" ]]
	done
	for release in 19 22; do
		"$ours" show --compat=$release "$file" |
		    grep '^Total functions: 0$'
		quiet "$ours" overlap --compat=$release "$file" "$file"
	done
	run -1 "$ours" merge "$file" -o out
	[ ! -e out ]
}

@test 'show --debug-info names what to use instead' {
	local option

	for option in --debug-info=x '-debug-info x' \
	    '--debug-info=x --show-format=yaml'; do
		run -1 "$ours" show $option
		[[ $output == *'use prof-symbolize --binary FILE PROFILE' ]]
	done
}

@test 'pseudo counts that meet overflow in releases that do not know them' {
	local release

	printf '%s\n1\n1\n%s\n' f 18446744073709551614 \
	    g 18446744073709551615 >text
	for release in 13 14 15; do
		run -0 "$ours" --compat=$release merge text text text -o out
		[ "$output" = $'text: f: counter overflow\n'$(
		    )'text: g: counter overflow' ]
	done
	run -0 "$ours" --compat=16 merge text text text -o out
	[ -z "$output" ]
}

# A function of debug information without a name has that of LLVM's symbolizer,
# also for the guid, which is its MD5.
@test 'show --memory: functions without a name' {
	local at

	cp "$(data memprof-raw/real/19.debug)" nameless
	chmod u+w nameless
	# In the one abbreviation of functions that have code, name, string.
	at=$(LC_ALL=C grep -obUaP '\x2e\x01\x11\x1b\x12\x06\x7a\x19\K\x03\x25' \
	    nameless | cut -d: -f1)
	printf '\45' | dd of=nameless bs=1 seek="$at" conv=notrunc status=none
	"$ours" show --memory --profiled-binary=nameless \
	    "$(data memprof-raw/real/19.memprofraw)" >got 2>stderr
	grep 'SymbolName' got | sort | uniq -c |
	    same - <(printf '%7d         SymbolName: %s\n' \
	    6 '<invalid>' 6 fill)
	[ "$(grep -A1 'Function: 2832796732145468970$' got |
	    grep -c '<invalid>')" -eq 6 ]
}
