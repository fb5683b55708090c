# prof-merge: what is added to what, and that no order matters.

load ../support/helper

setup() {
	need jq
	good=$(data good)
	real=$(data real)
	cd "$BATS_TEST_TMPDIR"
}

# generate SEED RUN [VARIABLE=VALUE]: a run of a made-up program.
generate() {
	awk -f "$top_srcdir/tests/support/generate.awk" -v seed="$1" -v run="$2" \
	    ${3+-v "$3"}
}

ir() {
	profile '"level":"ir"' "$@"
}

fe() {
	profile '"level":"frontend"' "$@"
}

# hashed FIRST,LAST KEYS RECORD...: front-end hashes of these versions.
hashed() {
	profile '"level":"frontend","frontend_versions":['"$1]${2:+,$2}" \
	    "${@:3}"
}

# What two profiles come to.
ir2() {
	profile '"level":"ir","inputs":2' "$@"
}

# both WANT MERGE...: merging the files x and y in both orders gives the file,
# with the warnings.
both() {
	warns "${@:2}" -- prof-merge x y >got
	same "$1" got
	warns "${@:2}" -- prof-merge y x >got
	same "$1" got
}

@test 'counters are added, functions of one input are kept' {
	ir "$(fn a 1 1,2,3)" "$(fn b 1 5)" "$(fn c 1 0)" >x
	ir "$(fn d 1 9007199254740991)" "$(fn c 1 0)" "$(fn a 1 10,0,30)" >y
	ir2 "$(fn a 1 11,2,33)" "$(fn b 1 5)" "$(fn c 1 0)" \
	    "$(fn d 1 9007199254740991)" >want
	both want
	quiet prof-merge x >got
	same x got
}

@test 'sums above 2^53 are exact' {
	ir "$(fn a 1 9007199254740991,9007199254740991)" >x
	ir "$(fn a 1 '2,"9223372036854775809"')" >y
	ir2 "$(fn a 1 \
	    '"9007199254740993","9232379236109516800"')" >want
	both want
}

@test 'the key is name and hash' {
	ir "$(fn a 1 1)" "$(fn a 2 2)" >x
	ir "$(fn a 2 20)" "$(fn a 18446744073709551613 3)" "$(fn b 1 4)" >y
	ir2 "$(fn a 1 1)" "$(fn a 2 22)" "$(fn a 18446744073709551613 3)" \
	    "$(fn b 1 4)" >want
	both want
}

@test 'functions stand in the order of their names, as bytes, then hashes' {
	local order='"name":"A" "name":"B" "name":"a" "name":"a;b" "name":"aa"'

	order+=' "name":"é" "name_hex":"61ff" "name_hex":"ff"'
	for name in '"name_hex":"ff"' '"name":"B"' '"name":"aa"' \
	    '"guid":"0x0000000000000005"' '"name":"a"' '"name":"é"' \
	    '"name":"a;b"' '"name":"A"' '"name_hex":"61ff"'; do
		for hash in f000000000000000 000000000000000a; do
			printf '{"record":"function",%s,"hash":"0x%s",%s}\n' \
			    "$name" "$hash" '"counts":[1]'
		done
	done >functions
	mapfile -t functions <functions
	ir "${functions[@]}" | quiet prof-merge |
	    sed -n 's/.*function",\([^,]*\),"hash":"0x\(.\).*/\1 \2/p' >got
	for name in '"guid":"0x0000000000000005"' '"name":"A"' '"name":"B"' \
	    '"name":"a"' '"name":"a;b"' '"name":"aa"' '"name_hex":"61ff"' \
	    '"name":"é"' '"name_hex":"ff"'; do
		printf '%s 0\n%s f\n' "$name" "$name"
	done | same - got
}

@test 'records are in canonical order' {
	profile '' '{"record":"trace","weight":1,"functions":["a"]}' \
	    "$(fn a 1 1)" '{"record":"vtable","name":"_ZTV1B"}' \
	    '{"record":"binary","build_id":"02"}' \
	    '{"record":"vtable","name":"_ZTV1A"}' \
	    '{"record":"binary","build_id":"0100"}' >x
	profile '' '{"record":"binary","build_id":"0100"}' \
	    '{"record":"binary","build_id":"02"}' \
	    '{"record":"vtable","name":"_ZTV1A"}' \
	    '{"record":"vtable","name":"_ZTV1B"}' "$(fn a 1 1)" \
	    '{"record":"trace","weight":1,"functions":["a"]}' >want
	quiet prof-merge x >got
	same want got
}

@test 'binary ids and vtables are kept once' {
	ir '{"record":"binary","build_id":"02"}' \
	    '{"record":"binary","build_id":"0100"}' \
	    '{"record":"vtable","name":"_ZTV1A"}' >x
	ir '{"record":"binary","build_id":"0100"}' \
	    '{"record":"binary","build_id":"01"}' \
	    '{"record":"binary","build_id":"01"}' \
	    '{"record":"vtable","name":"_ZTV1B"}' \
	    '{"record":"vtable","name":"_ZTV1A","start":"0x'$(
	    )'0000000000000001","size":4}' >y
	ir2 '{"record":"binary","build_id":"01"}' \
	    '{"record":"binary","build_id":"0100"}' \
	    '{"record":"binary","build_id":"02"}' \
	    '{"record":"vtable","name":"_ZTV1A"}' \
	    '{"record":"vtable","name":"_ZTV1B"}' >want
	both want
}

@test 'shared counters are warned of once, by name, for all inputs' {
	local one='over has counters of twice .functions that share some: 1.'
	local jobs

	for name in b a c; do
		cp "$good/overlap.profraw" "$name"
	done
	warns "^prof-merge: a: 0x110: warning: $one\$" -- prof-merge -o out a
	for jobs in 1 4; do
		warns "^prof-merge: a: .*$one; profiles with such functions: 3\$" \
		    -- prof-merge -j "$jobs" --keep-going -o out b a c
	done
	quiet prof-merge -q -o out a b
	quiet llvm-profdata merge -o out a b
}

@test 'counters stop at 2^64-3, with one warning a function' {
	local n

	ir "$(fn a 1 '"18446744073709551600",1')" "$(fn b 1 1)" >x
	ir "$(fn a 1 '13,1')" "$(fn b 1 '"18446744073709551612"')" >y
	ir2 "$(fn a 1 '"18446744073709551613",2')" \
	    "$(fn b 1 '"18446744073709551613"')" >want
	both want
	ir "$(fn a 1 '14,1')" >y
	ir2 "$(fn a 1 '"18446744073709551613",2')" "$(fn b 1 1)" >want
	both want '^prof-merge: warning: a, hash 0x0{15}1: .*limit$'
	ir '{"record":"function","guid":"0x0000000000000009","hash":"0x0000000000000001","counts":["18446744073709551613"]}' >y
	warns '^prof-merge: warning: guid 0x0{15}9, hash 0x0{15}1: .*limit$' \
	    -- prof-merge y y >got
	ir "$(fn a 1 '14,1')" >y
	# Not less by what comes behind.
	warns 'a, .*limit$' -- prof-merge x y x y >got
	grep -qF '[18446744073709551613,4]' <(tr -d '"' <got)
	# Eight are told by name.
	for n in {1..12}; do
		fn "f$n" 1 '"18446744073709551613"'
	done >functions
	mapfile -t functions <functions
	ir "${functions[@]}" >x
	warns f1, f10 f11 f12 f2 f3 f4 f5 'more functions: 4: .*limit$' -- \
	    prof-merge x x >got
	[ "$(grep -c 18446744073709551613 got)" -eq 12 ]
	quiet prof-merge -q x x | same got -
}

@test 'a weight multiplies counters, values and traces' {
	ir "$(fn a 1 1,20 '"bitmap":"01",'$(
	    )'"values":{"mem_op_size":[[{"size":7,"count":3}],[]]}')" \
	    '{"record":"trace","weight":2,"functions":["a"]}' >x
	ir "$(fn a 1 100,0 '"bitmap":"02",'$(
	    )'"values":{"mem_op_size":[[{"size":8,"count":1}],[]]}')" >y
	ir2 "$(fn a 1 103,60 '"bitmap":"03",'$(
	    )'"values":{"mem_op_size":[[{"size":7,"count":9},'$(
	    )'{"size":8,"count":1}],[]]}')" \
	    '{"record":"trace","weight":6,"functions":["a"]}' >want
	quiet prof-merge -w 3,x y >got
	same want got
	quiet prof-merge y --weight=3,x | same want -
	printf '%s\n' y 3,x | quiet prof-merge --files-from - | same want -
	printf '%s\n' '# runs' y '' 3,x '#' |
	    quiet prof-merge --input-files - | same want -
	cp x '#x'
	printf '%s\n' y 3,./#x | quiet prof-merge --files-from - | same want -
	printf '%s\0' y '#x' '#x' '#x' | quiet prof-merge -0 --files-from - |
	    grep -q '"counts":\[103,60\]'
	refused '\.: cannot read: Is a directory' prof-merge --files-from .
	# What is added to what was there is multiplied too.
	quiet prof-merge -w 10,y x >got
	grep -qF '[[{"size":8,"count":10},{"size":7,"count":3}],[]]' got
	quiet prof-merge x -w 10,y | same got -
	for weight in 0,x -1,x x 1x,x , ,x 3, 0.0,x 1.,x .,x .0,x ./5,x 1.5.5,x 1.5/2,x \
	    0.0000000001,x 4294967296.5,x 99999999999999999999,x; do
		echo "$weight"
		usage_error '' prof-merge -w "$weight"
	done
}

@test 'a decimal weight is the fraction that it is written as' {
	ir "$(fn a 1 '"1152921504606846977",5,1,0')" >x
	for same in '0.7 7/10' '.7 7/10' '1.25 5/4' '2.0 2' '1.000000000000 1' \
	    '0.500 1/2' '0.000000001 1/1000000000' \
	    '4294967295.0 4294967295'; do
		prof-merge -w "${same% *},x" >got
		prof-merge -w "${same#* },x" | same got -
	done
	# With 0.7 as a binary number, it would end with 832.
	prof-merge -w 0.7,x | grep -qF '["807045053224792884",4,1,0]'
}

@test 'weights saturate, and leave pseudo counts alone' {
	ir "$(fn a 1 '"9223372036854775807",1')" \
	    "$(fn hot 1 '"18446744073709551615",3')" \
	    "$(fn warm 1 '"18446744073709551614",3')" >x
	ir "$(fn a 1 '"18446744073709551613",5')" \
	    "$(fn hot 1 '"18446744073709551615",3')" \
	    "$(fn warm 1 '"18446744073709551614",3')" >want
	prof-merge -q -w 5,x >got
	same want got
}

@test 'functions that are all zero go with --sparse' {
	ir "$(fn a 1 0,0)" "$(fn b 1 0)" "$(fn b 2 1)" "$(fn c 1 0,0,1)" \
	    "$(fn d 1 0 '"bitmap":"00"')" "$(fn e 1 0 '"bitmap":"0010"')" \
	    "$(fn f 1 0 '"values":{"mem_op_size":[[{"size":1,"count":1}]]}')" \
	    '{"record":"binary","build_id":"01"}' >x
	ir '{"record":"binary","build_id":"01"}' "$(fn b 2 1)" \
	    "$(fn c 1 0,0,1)" "$(fn e 1 0 '"bitmap":"0010"')" \
	    "$(fn f 1 0 '"values":{"mem_op_size":[[{"size":1,"count":1}]]}')" \
	    '{"record":"name","name":"a"}' '{"record":"name","name":"d"}' >want
	quiet prof-merge --sparse x >got
	same want got
}

# The digests are those of what llvm-profdata-13 and 16 -sparse write: the order
# of the functions depends on those that are left out.  The records of larger
# inputs go to files.
@test '--sparse: the bytes of LLVM 13 and 16' {
	local size release sum options

	while read -r size release sum; do
		options="--sparse --to indexed:clang-$release -o got"
		half_ran "$size" >half
		quiet prof-merge $options half
		sha256sum got
		[ "$(sha256sum <got | cut -c1-64)" = "$sum" ]
		mv got whole
		quiet prof-merge -S 64K $options half
		cmp whole got
	done <<-END
		30 13 c6e22e961a663884ab799768a23c83d67df2caf15dfc500d849f52bdb75f285a
		30 16 4e26e71b769a9a8d658b56fa444fdc39b2f355fe9c8b0491cc818a1373616a67
		3000 13 c0e7d6a28053f9925806d005d75c752e31f229becb4dc1b257f9bbcab8e41849
		3000 16 fb7805ab35b86b69ab9f7fef5a675a28506a1429eebf54b241aef7419a99e855
	END
}

@test 'bitmaps are or-ed' {
	ir "$(fn a 1 1 '"bitmap":"0180ff00"')" >x
	ir "$(fn a 1 1 '"bitmap":"03010000"')" >y
	ir2 "$(fn a 1 2 '"bitmap":"0381ff00"')" >want
	both want
}

@test 'uniform counts are added, and the larger wave size is kept' {
	profile '"level":"ir","wave_size":32' \
	    "$(fn a 1 1 '"uniform_counts":[1,2]')" >x
	profile '"level":"ir","wave_size":64' \
	    "$(fn a 1 1 '"uniform_counts":[10,20]')" >y
	profile '"level":"ir","wave_size":64,"inputs":2' \
	    "$(fn a 1 2 '"uniform_counts":[11,22]')" >want
	both want
}

# site KIND SITE: a function with one site.
site() {
	fn a 1 1 "\"values\":{\"$1\":[$2]}"
}

# calls TARGET:COUNT...: a site of indirect calls; ? is an unknown target.
calls() {
	local pair text=

	for pair; do
		[ -z "$text" ] || text+=,
		case $pair in
		\?:*) text+='{"target_guid":"0x0000000000000000"' ;;
		*) text+='{"target":"'${pair%:*}'"' ;;
		esac
		text+=,\"count\":${pair##*:}}
	done
	site indirect_call_target "[$text]"
}

# called X Y WANT: sums of sites, each a list for calls.
called() {
	ir "$(calls $1)" >x
	ir "$(calls $2)" >y
	# The guids decide on ties, and want counts the function twice.
	ir2 "$(calls $3 | sed 's/"counts":\[1\]/"counts":[2]/')" >want
	both want
}

# By guid: ? < foo < g < f < bar.
@test 'values are added by target, in the order of counts, then of guids' {
	called 'foo:1 bar:5' 'foo:2 bar:3' 'bar:8 foo:3'
	called 'foo:1 bar:5' 'f:9' 'f:9 bar:5 foo:1'
	called 'bar:1 foo:1' 'bar:1 foo:1' 'foo:2 bar:2'
	called 'bar:4 foo:4' 'f:4 g:4' 'foo:4 g:4 f:4 bar:4'
	called 'bar:1 foo:0' '' 'bar:1 foo:0'
	called 'foo:0 bar:0' 'foo:0' 'foo:0 bar:0'
	called 'foo:"18446744073709551615"' 'foo:7' \
	    'foo:"18446744073709551615"'
}

@test 'the k-th largest of a target is added to the k-th largest' {
	called '?:5 ?:1' '?:2 ?:10' '?:15 ?:3'
	called '?:1 ?:5' '?:7' '?:12 ?:1'
	called '?:1 foo:3 ?:5' '?:7 ?:2 ?:9 foo:1' '?:14 ?:8 foo:4 ?:2'
}

@test 'a function of one input keeps the order of ties' {
	ir "$(calls bar:1 foo:4 f:1 g:4)" >x
	ir "$(calls foo:4 g:4 bar:1 f:1)" >want
	quiet prof-merge x >got
	same want got
	# Not so if another has the function, even without values.
	ir "$(calls)" >y
	quiet prof-merge x y | grep '"foo".*"g".*"f".*"bar"'
}

@test 'values of a site are added in any order, few or many' {
	local n

	for n in 20 50 100 300 600; do
		jq -nc "[range(1; $n + 1) |
		    {size: (. * 611 % 1009), count: .}]" >sizes
		ir "$(site mem_op_size "$(cat sizes)")" >x
		ir "$(site mem_op_size "$(jq -c reverse sizes)")" >y
		ir2 "$(site mem_op_size "$(jq -c 'map(.count *= 2) |
		    reverse' sizes)" | sed 's/\[1\]/[2]/')" >want
		both want
	done
}

@test 'values that come late are added, however many' {
	local file

	sizes() {
		jq -nc "[range($1; $2) | {size: ., count: 1}]"
	}
	for file in 601,1201 1,301 301,601 1,1201; do
		ir "$(site mem_op_size "$(sizes "${file%,*}" "${file#*,}")")" \
		    >"$file"
	done
	profile '"level":"ir","inputs":4' "$(site mem_op_size "$(sizes 1 1201 |
	    sed 's/"count":1/"count":2/g')" | sed 's/\[1\]/[4]/')" >want
	quiet prof-merge 601,1201 1,301 301,601 1,1201 >got
	same want got
}

@test 'more than 255 values of a site are kept' {
	many() {
		seq "$1" "$2" | jq -sc 'map({size: ., count: 1})'
	}
	ir "$(site mem_op_size "$(many 1 200)")" >x
	ir "$(site mem_op_size "$(many 101 400)")" >y
	quiet prof-merge x y | jq -c '
	    select(.values) | .values.mem_op_size[0] |
	    length, (map(.count) | add), .[99:101]' >got
	printf '%s\n' 400 500 '[{"size":200,"count":2},{"size":1,"count":1}]' |
	    same - got
}

unknown_foo() {
	echo '{"target_guid":"0x5cf8c24cdb18bdac","count":1}'
}

@test 'names of targets that one input knows are known' {
	ir "$(site indirect_call_target "[$(unknown_foo)]")" >x
	ir "$(calls foo:2)" >y
	ir2 "$(calls foo:3 | sed 's/"counts":\[1\]/"counts":[2]/')" >want
	both want
	# Also if the record that knew it was dropped.
	ir "$(calls foo:2 | sed 's/"counts":\[1\]/"counts":[2,2]/')" >z
	ir "$(fn a 1 2,2,2 "\"values\":{\"indirect_call_target\":[[$(
	    )$(unknown_foo)]]}")" >w
	prof-merge -q z w >got
	grep -q '"target":"foo"' got
	prof-merge -q w z | same got -
	# A function of that name will do, and the other way round.
	ir "$(fn foo 2 1)" >y
	ir2 "$(calls foo:1)" "$(fn foo 2 1)" >want
	both want
	ir "$(nameless_fn 0x5cf8c24cdb18bdac 2 1)" >x
	ir2 "$(fn foo 2 2)" >want
	both want
}

@test 'pseudo counts: hot wins over warm, numbers win over both' {
	local hot='"18446744073709551615"' warm='"18446744073709551614"'

	ir "$(fn a 1 "$hot,1")" >x
	ir "$(fn a 1 "$warm,4")" >y
	ir2 "$(fn a 1 "$hot,4")" >want
	both want
	ir "$(fn a 1 "$warm,1")" >x
	ir2 "$(fn a 1 "$warm,4")" >want
	both want
	ir "$(fn a 1 7,2)" >x
	ir2 "$(fn a 1 7,2)" >want
	both want 'a, hash 0x0{15}1: .* pseudo counts .* were dropped'
	# But zeros do not.
	ir "$(fn a 1 "$hot,1")" >x
	ir "$(fn a 1 0,0)" >y
	ir2 "$(fn a 1 "$hot,1")" >want
	both want 'a, hash 0x0{15}1: .* or of counters were dropped'
	# Of their values too, the larger counts.
	ir "$(calls foo:3 bar:1 | sed "s/\[1\]/[$hot]/")" >x
	ir "$(calls bar:2 foo:1 f:1 | sed "s/\[1\]/[$warm]/")" >y
	ir2 "$(calls foo:3 bar:2 f:1 | sed "s/\[1\]/[$hot]/")" >want
	both want
	# In a counter that is not the first it is a number.
	ir "$(fn a 1 "1,$hot")" >x
	ir "$(fn a 1 '1,1')" >y
	ir2 "$(fn a 1 '2,"18446744073709551613"')" >want
	both want limit
	# A number is limited beside a record that is dropped, too.
	ir "$(fn a 1 9)" >y
	ir2 "$(fn a 1 '1,"18446744073709551613"')" >want
	both want 'another shape' limit
}

# misfit WANT OTHER: records of one key, the first wins.
misfit() {
	ir "$1" >x
	ir "$2" >y
	ir2 "$1" >want
	both want '^prof-merge: warning: a, hash 0x0{15}1: .*another shape'
	# How often the other one comes says nothing.
	prof-merge -q y y x y >got
	grep -F '"name":"a"' got | same - <(echo "$1")
}

@test 'of records that do not fit, the one with more is kept' {
	local bits='"bitmap"' sizes='"mem_op_size"'
	local calls='"indirect_call_target"'

	misfit "$(fn a 1 1,1)" "$(fn a 1 9)"
	misfit "$(fn a 1 1,1)" "$(fn a 1 9 "$bits:\"ffff\"")"
	misfit "$(fn a 1 1 "$bits:\"0001\"")" "$(fn a 1 9 "$bits:\"ff\"")"
	misfit "$(fn a 1 1 "$bits:\"01\"")" \
	    "$(fn a 1 9 "\"values\":{$sizes:[[],[]]}")"
	misfit "$(fn a 1 1 '"uniform_counts":[1]')" \
	    "$(fn a 1 9 "\"values\":{$sizes:[[],[]]}")"
	misfit "$(fn a 1 1 "\"values\":{$sizes:[[],[]]}")" \
	    "$(fn a 1 9 "\"values\":{$sizes:[[{\"size\":1,\"count\":1}]]}")"
	misfit "$(fn a 1 1 "\"values\":{$sizes:[[],[],[]]}")" \
	    "$(fn a 1 9 "\"values\":{$calls:[[]],$sizes:[[]]}")"
	misfit "$(fn a 1 1 "\"values\":{$calls:[[]],$sizes:[[]]}")" \
	    "$(fn a 1 9 "\"values\":{$sizes:[[],[]]}")"
}

# refuse_both X Y REGEX...: neither order is possible, and both are named.
refuse_both() {
	local order regex

	for order in 'x y' 'y x'; do
		refused 'cannot be merged with' prof-merge $order
		for regex; do
			grep -q -- "$regex" stderr
		done
		grep -q "^prof-merge: ${order#* }: .* (${order% *})\$" stderr
	done
	prof-merge x x >/dev/null
	prof-merge y y >/dev/null
}

@test 'IR and front-end profiles do not mix' {
	ir "$(fn a 1 1)" >x
	fe "$(fn b 1 1)" >y
	refuse_both 'an IR profile' 'a front-end profile'
	hashed 7,12 '' "$(fn b 1 1)" >y
	refuse_both 'an IR profile' 'a front-end profile'
	# A level that nobody knows is no obstacle.
	profile '' "$(fn b 1 1)" >y
	ir2 "$(fn a 1 1)" "$(fn b 1 1)" >want
	both want
}

@test 'counts and byte coverage do not mix' {
	ir "$(fn a 1 1)" >x
	profile '"level":"ir","byte_coverage":true' "$(fn a 1 1)" >y
	refuse_both 'a profile of counts' 'a profile of byte coverage'
	quiet prof-merge y y | grep -F '"counts":[2]'
}

@test 'front-end hashes must be able to follow one rule' {
	local row order

	for row in '7,12 12,13 12,12' '1,13 6,6 6,6' '13,13 7,13 13,13'; do
		set -- $row
		hashed "$1" '' "$(fn a 1 1)" >x
		hashed "$2" '' "$(fn a 1 1)" >y
		hashed "$3" '"inputs":2' "$(fn a 1 2)" >want
		both want
	done
	hashed 13,13 '' "$(fn a 1 1)" >x
	hashed 7,12 '' "$(fn a 1 1)" >y
	refuse_both 'front-end hashes' 'clang 12 to 21' 'clang 22'
	for order in 'x y' 'y x'; do
		refused 'without --for clang-22 or --to indexed:clang-22, ' \
		    prof-merge $order
		prof-merge -q --to indexed:clang-22 -o z $order
	done
	# Who does not know them does not count.
	fe "$(fn a 1 1)" >y
	hashed 13,13 '"inputs":2' "$(fn a 1 2)" >want
	both want
}

@test 'a profile without functions mixes with anything' {
	ir "$(fn a 1 1)" '{"record":"binary","build_id":"01"}' >x
	hashed 13,13 '"byte_coverage":true' \
	    '{"record":"binary","build_id":"02"}' >y
	ir2 '{"record":"binary","build_id":"01"}' \
	    '{"record":"binary","build_id":"02"}' "$(fn a 1 1)" >want
	both want
	fe "$(fn a 1 1)" >x
	profile '"level":"ir"' >y
	profile '"level":"frontend","inputs":2' "$(fn a 1 1)" >want
	both want
	# Alone, it keeps what it says.
	profile '"level":"ir","entry_first":true' >x
	quiet prof-merge x | same x -
}

@test 'attributes are those of any' {
	profile '"level":"ir","context_sensitive":true' "$(fn a 1 1)" >x
	profile '"level":"ir","entry_first":true,"salvaged":true' \
	    "$(fn a 1 1)" >y
	profile '"level":"ir","context_sensitive":true,"entry_first":true,'$(
	    )'"salvaged":true,"inputs":2' "$(fn a 1 2)" >want
	both want
}

@test 'correlated profiles are refused before they have functions' {
	refused ': a correlated profile: .* run prof-symbolize' \
	    prof-merge "$good/correlated-debug.profraw" -o x
	refused ': a correlated profile: .* run prof-symbolize' \
	    prof-index "$good/correlated-binary.profraw" -o x
	# Without counters it is as any other.
	profile '"level":"ir","binary_correlated":true' \
	    '{"record":"binary","build_id":"aa"}' \
	    '{"record":"binary","build_id":"bb"}' "$(fn a 1 1)" >x
	quiet prof-merge x | cmp - x
}

@test 'inputs are counted' {
	ir "$(fn a 1 1)" >x
	profile '"level":"ir","inputs":7' "$(fn a 1 1)" >y
	quiet prof-merge x y x | grep -F '"inputs":9'
	cat x x | quiet prof-merge | grep -F '"inputs":2'
	# Each image of a raw file is one.
	quiet prof-merge "$good/exe-so.profraw" | grep -F '"inputs":2'
	! quiet prof-merge x | grep inputs || return 1
}

@test 'traces are sorted, but for those of one input' {
	trace() {
		printf '{"record":"trace","weight":%s,"functions":[%s]}\n' \
		    "$@"
	}
	ir "$(trace 2 '"b"')" "$(trace 1 '"b"')" "$(trace 1 '"a","b"')" >x
	prof-merge x | grep '"trace"' >got
	grep '"trace"' x | cmp - got
	ir "$(fn a 1 1)" >y
	ir2 "$(fn a 1 1)" "$(trace 1 '"a","b"')" "$(trace 1 '"b"')" \
	    "$(trace 2 '"b"')" >want
	both want
	ir "$(trace 1 '"a"')" "$(trace 1 '{"guid":"0xf000000000000009"}')" \
	    "$(trace 1 '"b"')" >y
	ir2 "$(trace 1 '{"guid":"0xf000000000000009"}')" "$(trace 1 '"a"')" \
	    "$(trace 1 '"a","b"')" "$(trace 1 '"b"')" "$(trace 1 '"b"')" \
	    "$(trace 2 '"b"')" >want
	both want
}

@test 'sampled traces keep how many there were' {
	local t='{"record":"trace","weight":1,"functions":["a"]}'

	profile '"level":"ir","trace_stream_size":500' "$t" >x
	ir "$t" "$t" >y
	profile '"level":"ir","trace_stream_size":502,"inputs":2' \
	    "$t" "$t" "$t" >want
	both want
	ir2 "$t" "$t" "$t" "$t" >want
	quiet prof-merge y y | same want -
}

# trace WEIGHT NAME...: a trace of functions.
trace() {
	local names

	names=$(printf ',"%s"' "${@:2}")
	printf '{"record":"trace","weight":%s,"functions":[%s]}\n' "$1" \
	    "${names:1}"
}

@test 'a sample of traces' {
	local order

	# Digests of the number of functions and the guids, all in 8 bytes.
	order=$(for n in $(seq 9); do
		{
			printf '\1\0\0\0\0\0\0\0'
			printf "$(printf %s "f$n" | md5sum | head -c 16 |
			    sed 's/../\\x&/g')"
		} | md5sum | sed "s/ .*/ f$n/"
	done | sort | head -n 3 | cut -d ' ' -f 2 | sort)
	seq 9 | while read -r n; do trace 1 f$n; done >traces
	ir "$(<traces)" "$(<traces)" >x
	profile '"level":"ir","trace_stream_size":18' \
	    "$(for f in $order; do trace 2 "$f"; done)" \
	    "$(seq 9 | grep -vxFf <(echo "$order" | tr -d f) |
	    sed 's/.*/{"record":"name","name":"f&"}/')" >want
	quiet prof-merge --max-traces 3 x | same want -
	quiet prof-merge --temporal-profile-trace-reservoir-size 3 x |
	    same want -
	# Names do not decide, nor that some are known: all are, of x.
	ir "$(sed -E 's/"(f.)"/{"guid":"\1"}/' traces | while read -r line; do
		f=$(grep -o 'f[0-9]' <<<"$line")
		echo "${line/\"$f\"/\"$(guid "$f")\"}"
	done)" >y
	prof-merge -q --max-traces 3 y >part
	[ "$(grep -c '"trace"' part)" -eq 3 ]
	prof-merge -q --max-traces 3 part x | grep '"trace"' >got
	for f in $order; do trace 3 "$f"; done | cmp - got
	prof-merge --max-traces 3 part x | grep -qF '"trace_stream_size":27,'
	# Of none, how many there were.
	prof-merge --max-traces 0 x >none
	grep -qF '"trace_stream_size":18}' none
	! grep -F '"trace"' none || return 1
	# Without traces nothing is said of them.
	ir "$(fn a 1 1)" >z
	prof-merge --max-traces 3 z | cmp - z
	usage_error '--max-traces needs N or N,LENGTH' prof-merge --max-traces x
	usage_error '--max-traces needs N or N,LENGTH' prof-merge --max-traces -1
}

@test 'weights of a sampled trace are added, up to their limit' {
	ir "$(trace 5 a)" "$(trace 0 b)" "$(trace 18446744073709551610 c | sed \
	    's/\(184[0-9]*\)/"\1"/')" "$(trace 7 c)" >x
	profile '"level":"ir","trace_stream_size":8,"inputs":2' "$(trace 20 a)" \
	    "$(trace 0 b)" "$(trace 18446744073709551615 c | sed \
	    's/\(184[0-9]*\)/"\1"/')" >want
	prof-merge --max-traces 9 -w 3,x x | cmp - want
}

@test 'traces are cut' {
	ir "$(trace 1 a b c)" "$(trace 1 a b d)" "$(trace 1 a)" >x
	ir "$(trace 1 a b)" "$(trace 1 a b)" "$(trace 1 a)" \
	    '{"record":"name","name":"c"}' '{"record":"name","name":"d"}' >want
	prof-merge --temporal-profile-max-trace-length 2 x | cmp - want
	profile '"level":"ir","trace_stream_size":3' "$(trace 1 a)" \
	    "$(trace 2 a b)" '{"record":"name","name":"c"}' \
	    '{"record":"name","name":"d"}' >want
	prof-merge --max-traces 5,2 x | cmp - want
	usage_error "--max-traces needs N or N,LENGTH, not '5,0'" \
	    prof-merge --max-traces 5,0
}

@test 'each group has a sample of its own' {
	for n in 1 2; do
		ir "{\"record\":\"binary\",\"build_id\":\"0$n\"}" \
		    "$(trace 1 a)" "$(trace 1 a)" "$(trace 1 b)" >$n
	done
	prof-merge --max-traces 1 --group-by binary-id -o groups 1 2
	for n in 01 02; do
		[ "$(grep -c '"trace"' groups/$n.ndjson)" -eq 1 ]
		grep -qF '"trace_stream_size":3' groups/$n.ndjson
	done
}

@test 'unknown keys stay if all have the same' {
	local dropped='unknown keys that are not the same in all profiles'

	profile '"level":"ir","x-a":[1,{"b":2}]' \
	    "$(fn a 1 1 '"x-f":"v"')" "$(fn b 1 1 '"x-f":1')" >x
	profile '"level":"ir","inputs":2,"x-a":[1,{"b":2}]' \
	    "$(fn a 1 2 '"x-f":"v"')" "$(fn b 1 2 '"x-f":1')" >want
	quiet prof-merge x x >got
	same want got
	profile '"level":"ir","x-a":[1,{"b":3}]' \
	    "$(fn a 1 1)" "$(fn b 1 1 '"x-f":2')" "$(fn c 1 1 '"x":1')" >y
	ir2 "$(fn a 1 2)" "$(fn b 1 2)" "$(fn c 1 1 '"x":1')" >want
	both want "$dropped"
	# What was dropped does not come again.
	warns "$dropped" -- prof-merge x y y >got
	warns "$dropped" -- prof-merge y y x | same got -
}

@test 'records of unknown types are left out' {
	ir "$(fn a 1 1)" '{"record":"x","y":1}' '{"record":"z"}' >x
	ir "$(fn a 1 1)" >want
	warns 'records of unknown types were left out: 2$' -- prof-merge x >got
	same want got
}

# Random, but always the same: the lines of the standard input.
shuffle() {
	awk -v seed="$1" '
	BEGIN { x = seed * 7919 + 1 }
	{ x = x * 16807 % 2147483647; print x, $0 }' | sort -n | cut -d' ' -f2-
}

@test 'any order and any tree of inputs gives the same bytes' {
	local seed run runs order

	for seed in $(some 3 {1..8}); do
		echo "seed $seed"
		for run in {1..7}; do
			generate "$seed" "$run" >"$run"
		done
		runs=({1..7})
		prof-merge -q "${runs[@]}" >want
		[ "$(wc -l <want)" -gt 10 ]
		for order in $(some 2 {1..4}); do
			mapfile -t runs < <(seq 7 | shuffle "$order")
			echo "${runs[*]}"
			prof-merge -q "${runs[@]}" | same want -
			# One by one, from the last to the first.
			prof-merge -q "${runs[0]}" >sum
			for run in "${runs[@]:1}"; do
				prof-merge -q "$run" sum >next
				mv next sum
			done
			same want sum
			# Two parts, in one stream.
			prof-merge -q "${runs[@]:0:$order}" >part
			prof-merge -q "${runs[@]:$order}" | cat - part |
			    prof-merge -q | same want -
		done
	done
}

@test 'weights distribute over partial merges' {
	local seed

	for seed in {1..6}; do
		for run in {1..4}; do
			generate "$seed" "$run" >"$run"
		done
		prof-merge -q -w 3,1 -w 3,2 3 4 >want
		prof-merge -q 1 2 | prof-merge -q -w 3,- 3 4 | same want -
	done
}

# Sums of plain profiles, by a few lines that know nothing of ours.
plain_sum() {
	jq -s -c '
	def by_target: if has("size") then [.size] else [.target,
	    .target_guid] end;
	# Lists of values: the k-th largest of a target to the k-th largest.
	def add_sites: map(group_by(by_target) | map(sort_by(-.count) |
	    to_entries[] | .value + {k: .key})) | add // [] |
	    group_by([by_target, .k]) | map(.[0] + {count: map(.count) | add})
	    | map(del(.k)) | sort_by([-.count, by_target]);
	map(select(.record == "function")) |
	group_by([.name, .name_hex, .hash]) |
	map(.[0] + {counts: map(.counts) | transpose | map(add),
	    values: ([.[].values // {} | to_entries[]] | group_by(.key) |
		map({key: .[0].key, value: (map(.value) | transpose |
		    map(add_sites))}) | from_entries)}) | .[]
	' "$@"
}

# In any order of ties: jq does not know the guids.
ties() {
	jq -cS 'del(.bitmap) | .values = (.values // {} | map_values(map(
	    sort_by([-.count, if has("size") then [.size] else
	    [.target, .target_guid] end]))))'
}

@test 'sums of plain profiles are what jq makes of them' {
	local seed run

	for seed in $(some 3 {1..8}); do
		echo "seed $seed"
		for run in {1..5}; do
			generate "$seed" "$run" plain=1
		done >runs
		quiet prof-merge runs | grep '"record":"function"' | ties |
		    sort >got
		plain_sum runs | ties | sort >want
		[ "$(wc -l <want)" -eq 12 ]
		same want got
	done
}

@test 'jq -c . in the middle changes no byte' {
	local file

	for file in "$good"/*.profraw "$real"/*.profraw; do
		profraw-cat -q "$file"
		# Correlated ones cannot be.
		! prof-merge -q "$file" >merged 2>stderr || cat merged
	done >want
	[ "$(grep -c '"last":true' want)" -gt 200 ]
	jq -c . want | same want -
}

@test 'jq may reorder keys and drop records' {
	local file=$real/22-vtable.profraw

	prof-merge "$file" >want
	jq -cS . want | prof-merge | same want -
	jq -c 'select(.record != "function" or .name == "main")' want |
	    prof-merge >got
	[ "$(grep -c '"record":"function"' got)" -eq 1 ]
	grep '"name":"main"' want | same - <(grep '"name":"main"' got)
}

@test 'profiles of all formats are added up' {
	prof-merge "$real/22-ir.profraw" >stream
	prof-index "$real/22-ir.profraw" -o indexed
	gzip -c "$real/22-ir.profraw" >gz
	quiet prof-merge -w 4,"$real/22-ir.profraw" |
	    sed 's/"stream":1,"kind":"instr","level":"ir"/&,"inputs":4/' >want
	prof-merge stream indexed "$real/22-ir.profraw" gz | same want -
}

# A stream in the file in/$1.
stream_file() {
	mkdir -p in
	profile '"level":"ir"' "$(fn "$1" 1 "${2-1}")" >"in/$1"
}

@test 'the output is no input of its own, nor are temporary files' {
	local name

	stream_file a
	stream_file b
	cp in/a in/.sum.0123abcd
	(cd in && prof-merge . -o sum)
	[ "$(jq -rs 'map(.name // empty) | join(" ")' in/sum)" = 'a b' ]
	jq -es 'all(.counts // [1] | . == [1])' in/sum
	for name in .sum.0123abcd .s.0123abcd; do
		cp in/a in/$name
		refused "in/\\$name: has the name of a temporary file" \
		    prof-merge in/$name
	done
	for name in s.0123abcd ..0123abcd .s.0123abc .s.0123abcx; do
		cp in/a in/$name
		quiet prof-merge -o sum in/$name
	done
}

@test 'a run that ends early leaves no temporary file' {
	stream_file a
	run -2 prof-merge --report none/report -o sum in/a
	run -2 prof-merge --buffer-size 0 -o sum in/a
	profile '"level":"ir"' "$(fn long 1 "$(seq -s, 100000)")" >in/long
	run -2 bash -c 'ulimit -f 8; exec prof-merge -o sum in/long'
	[ "$output" = 'prof-merge: sum: write: File too large' ]
	[ "$(ls -A)" = $'in\nout\nstderr' ] || [ "$(ls -A)" = in ]
}

@test 'a killed run leaves the old output and nothing else' {
	local call place

	need_strace
	stream_file a
	mkdir here
	for call in openat write fchmod fsync linkat; do
		for ((place = 1; ; place++)); do
			echo old >here/sum
			killed $call $place prof-merge -o here/sum in/a ||
			    break
			echo "$call $place"
			[ "$(ls -A here)" = sum ]
			grep -qx old here/sum || prof-check here/sum
		done
	done
}

@test 'the output is synced, renamed, and its folder synced' {
	need_strace
	stream_file a
	strace -o calls -e trace=fsync,linkat,rename prof-merge -o sum in/a
	sed 's/(.*//' calls | grep -E '^(fsync|linkat|rename)' |
	    diff - <(printf 'fsync\nlinkat\nfsync\n')
	strace -o calls -e trace=fsync,linkat,rename prof-merge -o sum in/a
	sed 's/(.*//' calls | grep -E '^(fsync|linkat|rename)' |
	    diff - <(printf 'fsync\nlinkat\nrename\nfsync\n')
	strace -o calls -e trace=fsync \
	    -e inject=fsync:error=EIO:when=2 prof-merge -o sum in/a \
	    2>stderr && false
	grep -q 'sum: the new file is in place, but its folder cannot be' stderr
	rm sum
	strace -o calls -e trace=fsync \
	    -e inject=fsync:error=EIO:when=1 prof-merge -o sum in/a \
	    2>stderr && false
	grep -q 'sum: cannot sync: ' stderr
	[ ! -e sum ]
}

@test 'a report replaces neither an input, the output nor another file' {
	local path

	stream_file a
	cp in/a want
	ln in/a link
	for path in in/a ./in/a link in/../in/a; do
		usage_error '--report .* would replace an input' \
		    prof-merge --report "$path" -o sum in/a
		usage_error '--report .* would replace a file that is not' \
		    prof-merge --report "$path" -o sum in
		usage_error '--report .* would replace an input' \
		    prof-check --report "$path" in/a
	done
	cmp want in/a
	for path in sum ./sum in/../sum; do
		usage_error '--report .* would replace the output' \
		    prof-merge --report "$path" -o sum in/a
	done
	[ ! -e sum ]
	for i in 1 2; do
		prof-merge --report in/report -o sum in
		jq -es '.[0].used == 1' in/report
	done
	rm in/report
	prof-plan create --shards 1 -o plan in/a
	cp plan was
	usage_error '--report plan would replace a file that is not a report' \
	    prof-plan part plan --shard 1 --report plan -o part
	cmp was plan
	[ ! -e part ]
	prof-plan part plan --shard 1 -o part
	for i in 1 2; do
		prof-plan merge plan --report report -o sum part
	done
}

# reports START COMMAND...: the file report is replaced by one that begins so.
reports() {
	"${@:2}" >out 2>stderr || true
	cat stderr
	head -n 1 report | grep -F "{$1"
}

@test 'a report replaces a report, whatever its first line is' {
	local i

	stream_file a
	echo noise >$'bad\377'
	profile '"level":"ir"' "$(fn f 7 1)" >m1
	profile '"level":"ir"' "$(fn f 7 1,2)" >m2
	prof-index --version 5 -o old.profdata m1
	prof-plan create --shards 1 -o plan in/a
	prof-plan part plan --shard 1 -o part
	for i in 1 2; do
		reports '"inputs":1,' prof-merge --report report -o sum in/a
		reports '"file":"in/a","state"' prof-check --report report in/a
		reports '"code":"mismatch"' prof-merge --fail-on mismatch \
		    --report report -o sum m1 m2
		reports '"file_hex":"626164ff"' prof-merge --report report \
		    -o sum $'bad\377'
		reports '"plan":"' prof-plan merge plan --report report \
		    -o sum part
		reports '"file":"old.profdata"' prof-index --upgrade --dry-run \
		    --report report old.profdata
	done
}

@test 'a report is not mixed with the output' {
	local report

	stream_file a
	for report in - /dev/stdout out; do
		for program in prof-merge prof-index prof-show prof-order \
		    'prof-bundle create' 'prof-bundle list'; do
			status=0
			$program --report "$report" in/a >out 2>stderr ||
			    status=$?
			[ "$status" -eq 2 ]
			grep 'would be mixed with the output' stderr
			[ ! -s out ]
		done
	done
	prof-merge --report - -o sum in/a >out
	jq -es '.[0].used == 1' out
}

@test 'the reason is printed where a report cannot be written' {
	stream_file a
	refused '/dev/full: cannot write: No space left on device' \
	    prof-merge --report /dev/full -o sum in/a
	status=0
	prof-merge --report - -o sum in/a >/dev/full 2>stderr || status=$?
	[ "$status" -eq 2 ]
	grep 'standard output: cannot write: No space left on device' stderr
	[ ! -e sum ]
}

@test 'names that are separated by NUL bytes need --null before the list' {
	stream_file a
	cp in/a in/b
	printf 'in/a\0in/b\0' >list
	refused 'list: a name has a NUL byte: --null must stand before' \
	    prof-merge -o sum --files-from list
	refused 'a name has a NUL byte' prof-plan create --shards 1 \
	    --files-from list -0 -o plan
	[ ! -e sum ]
	[ ! -e plan ]
	prof-merge -o sum -0 --files-from list
	prof-merge in/a in/b | cmp - sum
}

@test 'blanks and carriage returns around the names of a list are none of them' {
	stream_file a
	cp in/a in/b
	printf '# list\r\n\r\nin/a\r\n  in/b \n' >list
	prof-merge -o sum --files-from list
	prof-merge in/a in/b | cmp - sum
	# A byte order mark is no part of the first line.
	printf '\357\273\277in/a\r\nin/b\r\n' >list
	prof-merge --files-from list | cmp - sum
	printf '\357\273\277# list\nin/a\nin/b\n' >list
	prof-merge --files-from list | cmp - sum
	printf '2, in/a\n' | prof-merge -o sum --files-from -
	prof-merge -w 2,in/a | cmp - sum
	for line in '0.7 in/a' 70%,in/a 0,in/a '0.0, in/a'; do
		refused "/dev/fd/.*: '$line' is not WEIGHT,FILE with a weight N, " \
		    prof-merge -o none --files-from <(echo "$line")
	done
	# A name may have any bytes if it ends with NUL.
	cp in/a 'in/c '
	printf 'in/c \0' >list
	prof-merge -o sum -0 --files-from list
	prof-merge in/a | cmp - sum
}

@test 'options that would have no effect are refused' {
	stream_file a
	usage_error 'stream accepts only a version' \
	    prof-merge --to stream:no-vtables in/a
	usage_error '--keep-going=N, --allow-empty and --max-count cannot' \
	    prof-index --upgrade --keep-going=1 in/a
	usage_error '--member is for create, add and extract' \
	    prof-bundle list --member '*' in/a
}

@test 'the output of an earlier run is not read with the folder where it stands' {
	local name

	mkdir pgo
	ir "$(fn a 1 1)" >pgo/1.ndjson
	prof-index -o want pgo
	for name in 1 2 3; do
		prof-index -o pgo/sum.profdata pgo 2>stderr
		cmp want pgo/sum.profdata
	done
	[ "$(cat stderr)" = \
	    'prof-index: pgo/sum.profdata: is the output, and is not read' ]
	# A link to it is it; named, it is an input like any other.
	ln pgo/sum.profdata pgo/link.profdata
	prof-index -q -o pgo/sum.profdata pgo/sum.profdata pgo/1.ndjson
	prof-merge --weighted 2,pgo/1.ndjson --to indexed -o twice
	prof-diff twice pgo/sum.profdata
}

@test 'empty files and those of macOS beside others are passed over in folders and archives' {
	mkdir -p tree/t1
	ir "$(fn a 1 1)" >tree/t1/1.ndjson
	: >tree/.gitkeep
	: >tree/t1/stderr.txt
	printf '\0\5\26\7' >tree/t1/._1.profraw
	warns '^prof-merge: skipped 3 files that are not profiles$' -- \
	    prof-merge tree >got
	prof-merge tree/t1/1.ndjson | cmp - got
	tar -cf tree.tar tree
	warns '^prof-merge: skipped 3 files that are not profiles$' -- \
	    prof-merge tree.tar >got
	prof-merge tree/t1/1.ndjson | cmp - got
	: >tree/t1/2.profraw
	refused 'tree/t1/2.profraw: empty file' prof-merge tree
	prof-merge --member 't1/*.ndjson' tree >got
	prof-merge tree/t1/1.ndjson | cmp - got
}

@test 'folders are read, and files in them that are no profiles passed over' {
	mkdir -p runs/deep
	ir "$(fn a 1 1)" >runs/1.ndjson
	ir "$(fn a 1 2)" >runs/deep/2
	echo 'How these were made.' >runs/README.txt
	printf '\211PNG\r\n' >runs/deep/picture.png
	prof-merge runs/1.ndjson runs/deep/2 >want
	warns '^prof-merge: skipped 2 files that are not profiles$' -- \
	    prof-merge runs >got
	same want got
	warns '^prof-merge: skipped 2 files that are not profiles$' -- \
	    prof-merge -j 2 runs >got
	same want got
	# They are not why a run fails.
	mkdir few
	cp runs/README.txt few
	head -n 1 runs/deep/2 >few/cut
	ends 2 'few/cut: truncated: line 1: stream ended inside a profile' \
	    'hint: --keep-going .*, --salvage may' -- \
	    prof-merge -o none few
	mv few/cut few/cut.profraw
	: >few/cut.profraw
	tar -cf few.tar few/cut.profraw
	for file in few few.tar; do
		ends 2 "$file.*: empty file: its program wrote no profile" \
		    'hint: --keep-going leaves bad inputs out$' -- \
		    prof-merge -o none "$file"
	done
	rm runs/README.txt
	warns '^prof-merge: skipped 1 file that is not a profile$' -- \
	    prof-merge --files-from <(echo runs) >got
	same want got
	# A file that is named, and one that is called a profile, must be one.
	refused 'runs/deep/picture.png: not a profile' \
	    prof-merge runs/deep/picture.png
	mv runs/deep/picture.png runs/deep/picture.profraw
	refused 'runs/deep/picture.profraw: not a profile' prof-merge runs
	: >runs/deep/picture.profraw
	refused 'runs/deep/picture.profraw: empty file' prof-merge runs
}

@test 'a folder that is mounted below itself is read once' {
	need unshare
	mkdir -p runs/again
	ir "$(fn a 1 1)" >runs/1.ndjson
	unshare -rm mount --bind runs runs/again 2>mount ||
	    skip 'may not mount a folder'
	quiet unshare -rm sh -c \
	    'mount --bind runs runs/again && prof-merge runs' >got
	prof-merge runs/1.ndjson | same - got
}

# Links below a folder are not followed, a folder that a link names is.
@test 'files of folders come in the order of their names, links do not' {
	mkdir -p in/b in/c
	for name in a b/1 b/2 b.c c/x d; do
		ir "$(fn a 1 1)" >"in/$name"
	done
	mkdir in/c/empty
	ln -s .. in/c/loop
	ln -s a in/link
	ln -s missing in/broken
	mkfifo in/fifo
	ln -s in named
	for folder in in named/ in// ./named; do
		prof-merge -v "$folder" 2>&1 >out | sed -n \
		    's/^prof-merge: \(.*\): stream.*/\1/p' |
		    same - <(printf "${folder%/}/%s\n" a b/1 b/2 b.c c/x d)
	done
}

@test 'a folder of which only the beginning can be read is refused' {
	need_strace
	mkdir wide
	for k in {100..229}; do
		ir "$(fn a 1 1)" >"wide/$(printf 'x%.0s' {1..240}).$k"
	done
	prof-merge -o sum wide
	for n in 1 2; do
		run -2 strace -qq -o calls -e trace=getdents64 \
		    -e inject=getdents64:error=EIO:when=$n+ \
		    prof-merge -o out wide
		[[ $output == *'prof-merge: wide: cannot read: '* ]]
		[ ! -e out ]
	done
}

@test 'many records that do not fit a large one take linear time' {
	local last

	for last in 0 5; do
		{
			printf 'f\n1\n1000000\n'
			yes 0 | head -n 999999
			echo $last
			yes $'f\n1\n1\n'$last | head -n 400000
		} >x
		brief prof-merge -q x | jq -c 'select(.name == "f") |
		    [(.counts | length), .counts[-1]]' >sizes
		[ "$(cat sizes)" = "[1000000,$last]" ]
	done
}

# bundles: b of two runs, c of the second and a third.
bundles() {
	local i

	for i in 1 2 3; do
		profile '"level":"ir"' "$(fn main 1 $((10 ** i)))" >run$i
	done
	prof-bundle create -o b run1 run2
	prof-bundle create -o c run2 run3
}

main_ran() {
	jq 'select(.name == "main").counts[0]'
}

@test 'a profile that is in several bundles counts once' {
	local jobs

	bundles
	[ "$(quiet prof-merge b | main_ran)" = 110 ]
	for jobs in 1 3; do
		warns 'prof-merge: profiles .* several bundles, counted once: 1$' \
		    -- prof-merge -j $jobs -o got b c
		[ "$(main_ran <got)" = 1110 ]
		prof-merge -q -j $jobs --keep-going -o got c b b
		[ "$(main_ran <got)" = 1110 ]
		prof-merge -q -j $jobs -S 1M -o got b c b
		[ "$(main_ran <got)" = 1110 ]
	done
	prof-merge -q --member run2 b c b | main_ran | same - <(echo 100)
	prof-index -q -o got b c
	prof-index -o want run1 run2 run3
	cmp want got
	# What is subtracted was not added.  Files of their own are.
	prof-merge -q --subtract b b c | main_ran | same - <(echo 1000)
	[ "$(prof-merge -q b run1 | main_ran)" = 120 ]
	# The first one has its weight.
	[ "$(prof-merge -q -w 2,b c | main_ran)" = 1220 ]
}

@test 'a bundle whose manifest is damaged is bad as a whole' {
	bundles
	mkdir x
	tar -xf b -C x
	sed -i '2s/$/x/' x/MANIFEST
	tar -cf b -C x MANIFEST run1 run2
	refused 'b\[MANIFEST\]: damaged: line 2: not JSON' prof-merge -o got b c
	[ ! -e got ]
	run -1 prof-merge --keep-going -o got b c
	[ "$(main_ran <got)" = 1100 ]
	# It is prof-check that compares members with their manifest.
	sed -i '2s/x$//; s/"sha256":"..../"sha256":"0000/' x/MANIFEST
	tar -cf b -C x MANIFEST run1 run2
	[ "$(quiet prof-merge b | main_ran)" = 110 ]
}

# Entries of sums are in chunks, the first of which has 256.  The second function
# of b is not the entry behind its first, which is the last of the chunk.
@test 'a profile whose first function is the last of a chunk' {
	local functions=()

	for n in {1..255}; do
		functions+=("$(fn "f$n" "$n" 1,2)")
	done
	profile '"level":"ir"' "${functions[@]}" >a
	profile '"level":"ir"' "$(fn f263 7 3,4)" "${functions[@]}" >b
	prof-merge a b | unsourced | canon >got
	prof-merge b a | unsourced | canon | same got -
	[ "$(grep -c '"function"' got)" -eq 256 ]
}
