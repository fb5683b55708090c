# Names of options: wrong ones, and the names that LLVM has.

load ../support/helper

setup() {
	cd "$BATS_TEST_TMPDIR"
}

@test 'an option that does not exist is refused' {
	local given

	for given in --nosuch --x --spase --zzzzzzzz= --=json --"$(printf \
	    's%.0s' {1..300})"; do
		usage_error 'option' prof-merge "$given" x
	done
	usage_error "invalid option -- 'u'\$" prof-index -upgrad x
	usage_error "invalid option -- 'X'\$" prof-merge -X x
	usage_error "invalid option -- 'X'\$" prof-merge -qX x
	# The end of options, and a file of that name behind it.
	refused '--spase: ' prof-merge -- --spase
}

@test 'a beginning that several options have is ambiguous' {
	usage_error \
	    "ambiguous option '--f'; possibilities: --function, --functions-from, --files-from" \
	    prof-filter --f x
	usage_error "ambiguous option '--max'; possibilities: --max-[a-z]*, --max-" \
	    prof-merge --max x
	usage_error "ambiguous option '--max=x'; possibilities: --max-" \
	    prof-plan create --max=x x
}

@test 'one dash before a long option is as good as two' {
	profile '"level":"ir"' "$(fn a 1 1,2,3)" "$(fn b 2 0,0)" >x
	own=(prof-merge --to=text --sparse x)
	same_as prof-merge -to=text x -sparse
	same_as prof-merge x -q -to text -jobs 2 -sparse
	quiet prof-merge -o -sparse x
	same ./-sparse x
	refused '-sparse-: ' prof-merge x -- -sparse-
	quiet prof-merge -sparse -to=text -- ./-sparse | same want -
	usage_error "option '--sparse' doesn't allow an argument" \
	    prof-merge -sparse=x
	usage_error "option '--to' requires an argument" prof-merge x -to
}

@test 'letters in one argument, and arguments of letters, stay letters' {
	profile '"level":"ir"' "$(fn a 1 1,2,3)" >x
	quiet prof-merge -q0osum.ndjson x
	quiet prof-merge -w2,x -o sum.ndjson
	usage_error "option '--weight' requires an argument" prof-merge -qw
	usage_error "option '--sparse' doesn't allow an argument" \
	    prof-merge --sparse=x
}

# same_as PROGRAM ARGUMENTS...: the same output as that of the command in $own.
same_as() {
	quiet "${own[@]}" >want
	[ -s want ]
	quiet "$@" | same want -
}

@test 'names that llvm-profdata has' {
	profile '"level":"ir"' "$(fn a 1 1,2,3)" "$(fn b 2 0,0)" >x
	profile '"level":"ir"' "$(fn a 1 7,2,3)" >y
	printf '3,x\ny\n' >list
	own=(prof-merge -w 3,x y)
	same_as prof-merge --weighted-input=3,x y
	same_as prof-merge --weighted-input 3,x --num-threads 2 y
	same_as prof-merge -f list
	same_as prof-merge --input-files=list
	own=(prof-merge --to text x y)
	same_as prof-merge --text x y
	own=(profraw-cat --to text x)
	same_as profraw-cat --text x
	own=(prof-show --functions x)
	same_as prof-show --all-functions x
	own=(prof-show --top 1 x)
	same_as prof-show --topn 1 x
	same_as prof-show --topn=1 x
	same_as prof-show -n 1 x
	own=(prof-show --values x)
	same_as prof-show --ic-targets x
	same_as prof-show -memop-sizes x
	own=(prof-show --cutoffs x)
	same_as prof-show --detailed-summary x
	usage_error 'use profraw-cat --text' prof-show --text x
	usage_error 'use profraw-cat --to .* or --json' prof-diff --to json x x
	usage_error 'use profraw-cat --salvage' prof-show --salvage x
	usage_error 'use prof-show --topn' prof-filter --topn=3 x
	usage_error 'use prof-index --for' prof-order --for 16 x
	usage_error 'use prof-symbolize --binary' prof-diff --binary app x
	usage_error 'use prof-symbolize --binary' \
	    prof-merge --profiled-binary=app x
	usage_error 'use prof-filter --function' prof-merge --function main x
	usage_error 'use prof-filter --drop --function' \
	    prof-merge --no-function=main x
	usage_error 'use prof-export --to folded' prof-export --flamegraph x
	usage_error 'use --keep-going' prof-merge --failure-mode=all x
	usage_error 'use prof-merge --jobs' prof-merge --threads 4 x
	quiet prof-merge -q -othreads x y
	[ -s threads ]
	usage_error 'use prof-index --for' prof-merge --for 16 x
	usage_error '--num-threads needs a number from 1' \
	    prof-merge --num-threads 0 x
	usage_error '--topn needs a number from 1' prof-show --topn 0 x
	usage_error "invalid option -- 'f'" profraw-cat -f list
}

@test 'a list without lines is refused before it fills memory' {
	local reason='a line has more than 1048576 bytes'

	profile '"level":"ir"' "$(fn a 1 1)" >x
	tr '\0' x </dev/zero | head -c 1048577 >long
	{
		head -c 1048576 long
		printf '\n'
	} >longest
	refused "long: $reason" prof-filter --functions-from long x
	refused "long: $reason" prof-show --functions-from long x
	refused "long: cannot read: $reason" prof-merge --files-from long
	refused '/dev/zero: cannot read' prof-merge --files-from /dev/zero
	quiet prof-filter --drop --functions-from longest x >out
}

@test 'no report is written in place of a profile' {
	local name

	profile '"level":"ir"' "$(fn f 1 1)" >a
	cp a x.profraw
	for name in prof-show prof-report prof-order; do
		usage_error 'x.profraw has the suffix of format raw, which is' \
		    $name -o x.profraw a
	done
	usage_error 'x.profraw has the suffix' prof-cover -o x.profraw a
	usage_error 'x.profraw has the suffix' prof-diff -o x.profraw a a
	same a x.profraw
}
