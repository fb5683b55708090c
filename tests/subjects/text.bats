# Text profiles, both ways.  What LLVM says of them is in tests/oracle/text.bats, and
# what each of their lines means in tests/unit/text.c.

load ../support/helper

setup() {
	cd "$BATS_TEST_TMPDIR"
}

ir() {
	profile '"level":"ir"' "$@"
}

fe() {
	profile '"level":"frontend"' "$@"
}

# What the stream becomes, and comes back from; with the warnings.
to_text() {
	warns "$@" -- profraw-cat --to text stream >got
	same text got
	quiet profraw-cat text | unsourced | same stream -
}

@test 'counters' {
	fe "$(fn f 0 7)" "$(fn g 24 \
	    '9007199254740991,"18446744073709551613"')" \
	    "$(fn h -1 0,1)" >stream
	cat >text <<-'END'
	f
	# Func Hash:
	0
	# Num Counters:
	1
	# Counter Values:
	7

	g
	# Func Hash:
	24
	# Num Counters:
	2
	# Counter Values:
	9007199254740991
	18446744073709551613

	h
	# Func Hash:
	18446744073709551615
	# Num Counters:
	2
	# Counter Values:
	0
	1

	END
	to_text
}

@test 'bitmaps and values' {
	ir "$(fn f 1 7 '"bitmap":"002aff"')" "$(fn g 1 7 '"bitmap":"01",'$(
	    )'"values":{"indirect_call_target":[[],[{"target":"f","count":9},'$(
	    )'{"target_guid":"0x0000000000000000","count":4}]],'$(
	    )'"mem_op_size":[[{"size":"18446744073709551615","count":0}]]}')" \
	    >stream
	cat >text <<-'END'
	# IR level Instrumentation Flag
	:ir
	f
	# Func Hash:
	1
	# Num Counters:
	1
	# Counter Values:
	7
	# Num Bitmap Bytes:
	$3
	# Bitmap Byte Values:
	0x0
	0x2a
	0xff


	g
	# Func Hash:
	1
	# Num Counters:
	1
	# Counter Values:
	7
	# Num Bitmap Bytes:
	$1
	# Bitmap Byte Values:
	0x1

	# Num Value Kinds:
	2
	# ValueKind = IPVK_IndirectCallTarget:
	0
	# NumValueSites:
	2
	0
	2
	f:9
	** External Symbol **:4
	# ValueKind = IPVK_MemOPSize:
	1
	# NumValueSites:
	1
	1
	18446744073709551615:0

	END
	to_text
}

@test 'traces' {
	profile '"level":"frontend","temporal":true,"trace_stream_size":9' \
	    "$(fn f 1 7)" '{"record":"trace","weight":3,"functions":["f"]}' \
	    '{"record":"trace","weight":1,"functions":["x y","f","f"]}' >stream
	cat >text <<-'END'
	:temporal_prof_traces
	# Num Temporal Profile Traces:
	2
	# Temporal Profile Trace Stream Size:
	9
	# Weight:
	3
	f,
	# Weight:
	1
	x y,f,f,

	f
	# Func Hash:
	1
	# Num Counters:
	1
	# Counter Values:
	7

	END
	to_text
}

# head_is KEYS LINE...: what stands before the functions.
head_is() {
	profile "$1" "$(fn f 1 7)" >stream
	{
		printf '%s\n' "${@:2}"
		printf '%s\n' f '# Func Hash:' 1 '# Num Counters:' 1 \
		    '# Counter Values:' 7 ''
	} >text
	to_text
}

@test 'attributes' {
	local ir='# IR level Instrumentation Flag'

	head_is '"level":"ir"' "$ir" :ir
	head_is '"level":"ir","context_sensitive":true' \
	    '# CSIR level Instrumentation Flag' :csir
	head_is '"level":"ir","entry_first":true' "$ir" :ir \
	    '# Always instrument the function entry block' :entry_first
	head_is '"level":"ir","loop_entries":true' "$ir" :ir \
	    '# Always instrument the loop entry blocks' \
	    :instrument_loop_entries
	head_is '"level":"frontend","byte_coverage":true' \
	    '# Instrument block coverage' :single_byte_coverage
	head_is '"level":"ir","context_sensitive":true,"entry_first":true,'$(
	    )'"loop_entries":true,"byte_coverage":true' \
	    '# CSIR level Instrumentation Flag' :csir \
	    '# Always instrument the function entry block' :entry_first \
	    '# Always instrument the loop entry blocks' \
	    :instrument_loop_entries \
	    '# Instrument block coverage' :single_byte_coverage
}

# A file that begins with ordinary text is known as one, any other needs a flag.
@test 'a front-end text begins with a flag if it would not be known' {
	local name

	for name in f 'LPRF at 8' abcdefghü '-[Object init]' '{closure}' \
	    '!f'; do
		echo "$name"
		fe "$(fn "$name" 1 7)" >stream
		profraw-cat --to text stream >text
		[ "$(head -n 1 text)" = "$name" ]
		quiet profraw-cat text | unsourced | same stream -
	done
	for name in 'fünf' abcdefgü '{\"f' '{}' 'a\u0001b' '--- f' \
	    '---f'; do
		echo "$name"
		fe "$(fn "$name" 1 7)" >stream
		profraw-cat --to text stream >text
		[ "$(sed -n 2p text)" = :fe ]
		quiet profraw-cat text | unsourced | same stream -
	done
}

# is_refused REGEX KEYS RECORD...: as a text, and no file is there.
is_refused() {
	profile "${@:2}" >stream
	refused "$1" profraw-cat --to text -o text stream
	[ ! -e text ]
}

@test 'functions of traces that have no name are dropped' {
	profile '"level":"ir","temporal":true' \
	    '{"record":"trace","weight":1,"functions":["f",{"guid":"0x0000000000000007"}]}' \
	    '{"record":"trace","weight":2,"functions":[{"guid":"0x0000000000000007"}]}' \
	    "$(fn f 1 7)" >stream
	warns 'cannot hold traces without functions: dropped 1$' \
	    'cannot hold functions of traces that have no name: dropped 2$' \
	    -- profraw-cat --to text stream >text
	[ "$(grep -c '^# Weight:' text)" -eq 1 ]
	grep -qx 'f,' text
}

@test 'names that lines cannot hold are refused' {
	local a g why head='"level":"ir"'
	g=$(fn g 1 7)
	why='text cannot hold the name'

	is_refused "$why #f: it would be a comment" "$head" "$(fn '#f' 1 7)"
	is_refused "$why a\?b: it holds the end of a line" "$head" \
	    "$(fn 'a\nb' 1 7)"
	is_refused "$why a\?: it holds the end of a line" "$head" \
	    "$(fn 'a\r' 1 7)"
	a='{"record":"function","name_hex":"610062","hash":"0x0000000000000001"'
	is_refused "$why a\?b: it holds NUL" "$head" "$a"',"counts":[7]}'
	is_refused "$why :f: it would be a flag" "$head" "$(fn :f 1 7)" "$g"
	# In front of a number of kinds, or instead of one.
	is_refused "$why 12: it would be a number" "$head" "$g" "$(fn 12 1 7)"
	is_refused "$why [$]f: it would be the head of a bitmap" "$head" "$g" \
	    "$(fn '$f' 1 7)"
	is_refused "$why 12: it would be a number" "$head" \
	    "$(fn f 1 7 '"bitmap":"01"')" "$(fn 12 1 7)"
	is_refused "'a,b' in a trace" "$head"',"temporal":true' \
	    '{"record":"trace","weight":1,"functions":["a,b"]}'
	is_refused "' a' in a trace" "$head"',"temporal":true' \
	    '{"record":"trace","weight":1,"functions":["f"," a"]}'
	is_refused "'#a' in a trace" "$head"',"temporal":true' \
	    '{"record":"trace","weight":1,"functions":["#a"]}'
	is_refused "$why #v: it would be a comment" "$head" \
	    '{"record":"vtable","name":"#v"}' "$g"
	# Not if vtables shall not be named.
	quiet profraw-cat --to text:no-vtables stream >text
	grep -qx g text
}

@test 'names that only look odd are kept' {
	local values='"values":{"mem_op_size":[[]]}'

	ir "$(fn 12 1 7)" "$(fn :f 1 7)" "$(fn ' a b ' 1 7)" "$(fn a#b 1 7)" \
	    "$(fn a,b:c 1 7 "$values")" "$(fn 34 1 7 "$values")" \
	    "$(fn '$f' 1 7 '"bitmap":"01"')" "$(fn '$g' 1 7)" \
	    "$(fn '** External Symbol **' 1 7)" "$(fn 'a\u0001\u007f' 1 7)" \
	    >stream
	quiet profraw-cat --to text -o text stream
	quiet profraw-cat text | unsourced | same stream -
}

@test 'what text cannot hold is refused' {
	local f

	f=$(fn f 1 7)
	is_refused 'a function without counters' '"level":"ir"' "$(fn f 1 '')"
	is_refused 'a trace in a profile that is not temporal' '"level":"ir"' \
	    "$f" '{"record":"trace","weight":1,"functions":["f"]}'
	is_refused 'context-sensitive records of the front end' \
	    '"level":"frontend","context_sensitive":true' "$f"
	is_refused 'counters of a correlated profile have no functions yet' \
	    '"level":"ir","debug_info_correlated":true' \
	    '{"record":"raw_counters","counts":[1]}'
	profile '' "$f" | sed 's/instr/mixed/' >stream
	refused 'text cannot hold heap profiles' profraw-cat --to text stream
	ir "$f" >stream
	refused 'one profile: use prof-merge' profraw-cat --to text stream \
	    stream
	# A cut stream leaves nothing.
	head -n 2 stream >cut
	refused 'ended inside a profile' profraw-cat --to text -o text cut
	[ ! -e text ]
}

# loses REGEX KEYS RECORD...: it is told, and the rest is written.
loses() {
	profile "${@:2}" >stream
	warns "$1" -- profraw-cat --to text stream >text
	quiet profraw-cat text >got
	quiet profraw-cat -q --to text stream | same text -
}

@test 'what text has no place for is told' {
	local f lost='^profraw-cat: warning: text cannot'

	f=$(fn f 1 7)
	loses "$lost hold binary ids: dropped 2" '"level":"ir"' \
	    '{"record":"binary","build_id":"01"}' \
	    '{"record":"binary","build_id":"02"}' "$f"
	loses "$lost hold vtables that are not targets: dropped 1" \
	    '"level":"ir"' '{"record":"vtable","name":"v"}' \
	    '{"record":"vtable","name":"w"}' \
	    "$(fn f 1 7 '"values":{"vtable_target":[[{"target":"w",'$(
	    )'"count":1}]]}')"
	loses "$lost hold uniform counters: dropped 1" '"level":"ir"' \
	    "$(fn f 1 7 '"uniform_counts":[1]')"
	profile '"level":"ir"' "$(nameless_fn 7 1 7)" "$f" >stream
	ends 1 "$lost hold functions without a name: dropped 1 of 2$" -- \
	    profraw-cat --to text -o text stream
	[ "$(grep -c '^# Func Hash' text)" -eq 1 ]
	loses "$lost hold traces without functions: dropped 1" \
	    '"level":"ir","temporal":true' "$f" \
	    '{"record":"trace","weight":1,"functions":[]}' "$(fn g 1 7)"
	grep -qx g text
	loses "$lost hold records of unknown types: dropped 1" '"level":"ir"' \
	    '{"record":"other"}' "$f"
	loses "$lost hold a wave size: dropped 32" \
	    '"level":"ir","wave_size":32' "$f"
	loses "$lost say that only function entries" \
	    '"level":"ir","function_entry_only":true' "$f"
	loses "$lost say that a profile was salvaged" \
	    '"level":"ir","salvaged":true' "$f"
	loses "$lost hold targets that have no record of their own: dropped 2" \
	    '"level":"ir"' "$(fn f 1 7 '"values":{"indirect_call_target":'$(
	    )'[[{"target":"a","count":3},{"target":"f","count":2}],'$(
	    )'[{"target_guid":"0x0000000000000001","count":1}]]}')"
	printf '%s\n' '** External Symbol **:3' f:2 \
	    '** External Symbol **:1' | same - <(grep ':[0-9]' text)
}

# The first ones are the largest, as prof-merge puts them.
@test 'of a site, 255 values are kept' {
	local values

	values=$(seq 300 -1 1 | sed 's/.*/{"size":&,"count":&}/' | paste -sd,)
	ir "$(fn f 1 7 '"values":{"mem_op_size":[['"$values"']]}')" >stream
	warns 'more than 255 values at a site: dropped 45' -- \
	    prof-merge --to text stream >text
	seq 300 -1 46 | sed 's/.*/&:&/' | same - <(grep '.:[0-9]' text)
	quiet profraw-cat text >got
}

@test 'a bitmap of more than 255 bytes is whole' {
	local bytes

	bytes=$(seq -f %04g 150 | tr -d '\n')
	ir "$(fn f 1 7 '"bitmap":"'"$bytes"'"')" >stream
	quiet profraw-cat --to text -o text stream
	grep -qx '$300' text
	quiet profraw-cat text | unsourced | same stream -
}

@test 'targets are named if they have records' {
	ir '{"record":"vtable","name":"v"}' "$(fn f 1 7 '"values":{'$(
	    )'"indirect_call_target":[[{"target":"g","count":3}]],'$(
	    )'"vtable_target":[[{"target":"v","count":2},'$(
	    )'{"target":"f","count":1}]]}')" "$(fn g 1 0)" >stream
	quiet profraw-cat --to text -o text stream
	printf '%s\n' g:3 v:2 f:1 | same - <(grep '^[a-z]:' text)
	# The names of vtables, and of functions that are gone.
	warns 'record of their own: dropped 1' -- profraw-cat \
	    --to text:no-vtables stream >text
	printf '%s\n' g:3 '** External Symbol **:2' f:1 |
	    same - <(grep '.:[0-9]' text)
	warns 'record of their own: dropped 1' -- prof-merge --sparse \
	    --to text stream >text
	printf '%s\n' '** External Symbol **:3' v:2 f:1 |
	    same - <(grep '.:[0-9]' text)
	quiet prof-merge --to text text | same text -
}

@test 'records of one function are added, and all are sorted' {
	cat >text <<-'END'
	:ir
	b
	2
	1
	5
	b
	1
	1
	7
	1
	0
	1
	2
	b:1
	a:2
	a
	0x10
	2
	1
	2
	b
	1
	1
	3
	1
	0
	1
	1
	b:9
	END
	ir "$(fn a 16 1,2)" "$(fn b 1 10 '"values":{"indirect_call_target":'$(
	    )'[[{"target":"b","count":10},{"target":"a","count":2}]]}')" \
	    "$(fn b 2 5)" >want
	quiet prof-merge text | same want -
	quiet prof-merge --to text text | quiet prof-merge | same want -
}

@test 'text is what came out, after a way through other formats' {
	local format seed

	for seed in 1 2 4 9; do
		awk -f "$top_srcdir/tests/support/generate.awk" -v seed=$seed -v run=1 |
		    prof-merge -q --allow-empty --to text -o text
		[ -s text ]
		prof-merge -q text -o clean
		for format in stream indexed text; do
			echo "$seed $format"
			quiet prof-merge --to "$format" text -o other
			quiet prof-merge --to text other | same text -
			quiet prof-merge text | unsourced | same clean -
		done
	done
}

# places FILE LINE REASON: three programs tell what is wrong.
places() {
	local message="$1: (damaged|truncated): line $2: $3"

	refused "$message\$" profraw-cat "$1"
	refused "$message\$" prof-merge "$1"
	refused "$message\$" prof-index "$1"
	refused "$message\$" prof-show "$1"
}

@test 'what is wrong is told with its line' {
	printf '%s\n' :ir '# a' f 24 1 many >bad
	places bad 6 "'many' is not a counter"
	printf '%s\n' f 24 3 10 >bad
	places bad 3 'a number of counters 3 exceeds the 2 bytes left'
	printf '%s\r\n' f 24 0 >bad
	places bad 3 'the number of counters is 0'
	printf '%s\n' f 24 1 5 '' 1 >bad
	places bad 6 'the file ends where a value kind from 0 to 2 should be'
	printf '%s\n' :irr f 24 1 5 >bad
	places bad 1 "':irr' is not a flag of text profiles"
	gzip -c bad >bad.gz
	places bad.gz 1 "':irr' is not a flag of text profiles"
	printf 'f\n24\n1\n\t5\n' | refused \
	    "standard input: damaged: line 4: '.5' is not a counter" prof-merge
	# The functions before it are in the stream, which is given up.
	printf '%s\n' f 24 1 5 g x >bad
	refused "line 6: 'x' is not a function's hash" profraw-cat bad
	grep -q '"name":"f"' out
}

# Among the members of an archive, other texts are not meant.
@test 'archives hold texts and other texts' {
	mkdir folder
	printf 'f\n1\n1\n5\n' >folder/f
	printf '# a profile\n\n:ir\n' >folder/empty
	printf 'Not a profile.\n\nBut why?\n' >folder/README
	printf '#!/bin/sh\n: "${X:=1}"\n: > out\n' >folder/run
	printf 'f\n1\n1\n7\n' >folder/f.profdata
	tar cf folder.tar folder
	warns 'skipped 2 files that are not profiles' -- prof-merge folder.tar >got
	grep -q '"counts":\[12\]' got
	# One that should be one is none by mistake.
	cp folder/README folder/README.profdata
	tar cf folder.tar folder
	refused 'README.profdata\]: damaged: line 3' prof-merge folder.tar
	refused "README: damaged: line 3: 'But why\?' is not a function's hash: perhaps no profile" \
	    prof-merge folder/README
}

@test 'in archives, texts are known by their suffix or a long name' {
	local name input

	name=_ZN$(printf 'x%.0s' {1..600})E
	mkdir folder
	printf '%s\n' "$name" 1 1 5 >folder/long
	printf '%s\n' "${name:0:500}" '# Func Hash:' 1 1 5 >folder/cut
	printf '%s\n\nBut why?\n' "${name//x/ x}" >folder/README
	{ printf '# comment %s\n' {1..60}; printf '%s\n' f 1 1 5; } \
	    >folder/comments.proftext
	tar cf folder.tar folder
	for input in folder folder.tar; do
		warns 'skipped 1 file that is not a profile$' -- \
		    prof-merge "$input" >got
		[ "$(grep -c '"counts":\[5\]' got)" -eq 3 ]
	done
	cp folder/README folder/README.proftext
	refused 'README.proftext: damaged: line 3' prof-merge folder
}

@test 'in archives, texts are known behind a comment of 4000 bytes' {
	local input

	mkdir folder
	{ printf '# comment %s\n' {1..290}; printf '%s\n' f 1 1 5; } \
	    >folder/comments
	{ printf '# comment %s\n' {1..290}; printf 'set -e\nexit 1\n'; } \
	    >folder/script
	tar cf folder.tar folder
	gzip -k folder.tar
	for input in folder folder.tar folder.tar.gz; do
		warns 'skipped 1 file that is not a profile$' -- \
		    prof-merge "$input" >got
		grep -q '"counts":\[5\]' got
	done
	warns 'skipped 1 file that is not a profile$' -- \
	    prof-merge - <folder.tar >got
	grep -q '"counts":\[5\]' got
}

@test 'a text without a flag is of the front end' {
	printf '%s\n' f 1 1 5 >fe
	printf '%s\n' :ir f 1 1 5 >ir
	refused 'an IR profile cannot be merged with a front-end' \
	    prof-merge fe ir
	printf ':ir\n' >empty
	profraw-cat empty | jq -r '.level // empty' | grep -qx ir
	printf '#\n' >nothing
	[ "$(profraw-cat nothing | jq -r '.level')" = $'null\nnull' ]
	quiet prof-merge fe empty nothing >got
	grep -q '"level":"frontend"' got
}

# A truncated or overwritten profile may have nothing else; LLVM accepts that.
@test 'blank lines alone are no profile' {
	local why='only blank lines: no profile$' blank

	printf '%s\n' :ir f 1 1 5 >f
	for blank in '\n' '\n\n\n' '\r\n\r\n' ' \n\t\n'; do
		printf "$blank" >blank
		refused "blank: $why" prof-merge -o sum f blank
		refused "$why" prof-index -o sum <blank
		cat blank | refused "$why" prof-show
		refused "blank: $why" prof-diff f blank
		refused "blank: $why" prof-filter blank
		refused "blank: $why" profraw-cat blank
		refused "blank: $why" profraw-cat --salvage blank
		run -1 prof-check blank
		[[ $output == "blank: bad: ${why%?}"* ]]
		gzip -kf blank
		refused "blank.gz: $why" prof-merge -o sum f blank.gz
		run -1 prof-merge --keep-going -o sum f blank
		rm sum
	done
	printf '\n\n' >blank
	quiet "$top_builddir/cmd/llvm-profdata" merge --text -o sum blank
	[ ! -s sum ]
	# A comment or a flag is a profile without functions.
	printf '\n#\n' >comment
	quiet prof-merge -o sum f comment
}

@test 'only its name is looked up' {
	printf '%s\n' :ir a 1 1 5 b 1 1 6 a 2 1 7 >text
	quiet prof-show --json --function a text >got
	[ "$(jq -r '.hash // empty' got)" = \
	    $'0x0000000000000001\n0x0000000000000002' ]
}

# The digits of 1234 that are left are a number too.
@test 'a text that was cut inside of a number' {
	printf ':ir\nf\n1\n1\n1234\n' >text
	head -c -3 text >cut
	refused 'cut: truncated: line 5: no newline ends the last line' prof-merge -o sum cut
	[ ! -e sum ]
	run -1 prof-merge --keep-going -o sum text cut
	quiet prof-show --counts --functions sum | grep 1234
	printf '# cut' >>text
	quiet prof-merge -o sum text
	# LLVM takes the number as it is.
	quiet llvm-profdata merge -o sum cut
	quiet prof-show --counts --functions sum | grep 12
}
