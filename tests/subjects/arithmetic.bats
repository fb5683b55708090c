# The arithmetic of prof-merge: weights, differences and limits,
# and that no order matters to any of them.

load ../support/helper

setup() {
	cd "$BATS_TEST_TMPDIR"
}

ir() {
	profile '"level":"ir"' "$@"
}

# The counts of the functions of a stream, a line each.
counts() {
	jq -r 'select(.counts) | "\(.name) \(.counts | map(tostring) |
	    join(" "))"' "$@"
}

# A site of sizes: SIZE=COUNT...
site() {
	printf '"values":{"mem_op_size":[['
	printf '%s\n' "$@" |
	    sed 's/\(.*\)=\(.*\)/{"size":\1,"count":\2}/' | paste -sd, |
	    tr -d '\n'
	printf ']]}'
}

# The values of a stream, as SIZE=COUNT, all in a line.
values() {
	jq -r '.values // empty | .[] | .[] | map("\(.size // .target)=" +
	    (.count | tostring)) | join(" ")' "$@"
}

# weighs WEIGHT COUNT...: what --weight makes of 1 2 3 5 10 0.
weighs() {
	quiet prof-merge -w "$1,x" | counts | grep -x "f ${*:2}"
}

@test 'weights are fractions, rounded half up and never to zero' {
	ir "$(fn f 1 1,2,3,5,10,0)" >x
	weighs 1 1 2 3 5 10 0
	weighs 7 7 14 21 35 70 0
	weighs 1/2 1 1 2 3 5 0
	weighs 1/3 1 1 1 2 3 0
	weighs 2/3 1 1 2 3 7 0
	weighs 1/4 1 1 1 1 3 0
	weighs 3/2 2 3 5 8 15 0
	weighs 1/7 1 1 1 1 1 0
	weighs 1/4294967295 1 1 1 1 1 0
	weighs 4294967295/4294967294 1 2 3 5 10 0
	weighs 5/5 1 2 3 5 10 0
	weighs 010 10 20 30 50 100 0
}

@test 'fractions of numbers of 64 bits are exact' {
	ir "$(fn f 1 '"18446744073709551613","9223372036854775809",'$(
	    )'9007199254740993,4294967297')" >x
	quiet prof-merge -w 1/2,x | counts |
	    grep -qx 'f 9223372036854775807 4611686018427387905 '$(
	    )'4503599627370497 2147483649'
	quiet prof-merge -w 2/3,x | counts |
	    grep -qx 'f 12297829382473034409 6148914691236517206 '$(
	    )'6004799503160662 2863311531'
	quiet prof-merge -w 4294967294/4294967295,x | counts |
	    grep -qx 'f 18446744069414584316 9223372034707292160 '$(
	    )'9007199252643841 4294967296'
}

@test 'a weight counts once, at each input' {
	ir "$(fn f 1 1)" >x
	ir "$(fn f 1 2)" >y
	# Not a third of the sum, which would be 2 twice.
	quiet prof-merge -w 1/3,x -w 1/3,x -w 1/3,x -w 1/3,x -w 1/3,x |
	    counts | grep -x 'f 5'
	quiet prof-merge -w 1/3,x -w 1/3,x y | counts | grep -x 'f 4'
	quiet prof-merge x x x x x | quiet prof-merge -w 1/3,- |
	    counts | grep -x 'f 2'
	# Records of one function in one input are several.
	ir "$(fn f 1 1)" "$(fn f 1 1)" "$(fn f 1 1)" >z
	quiet prof-merge -w 1/3,z | counts | grep -x 'f 3'
}

@test 'weights are what they say, or refused' {
	local weight

	ir "$(fn f 1 1)" >x
	for weight in 0 1/0 0/1 0/0 -1 +1 0.0 1. . .0 ..5 1.5.5 1e3 0x2 x '' ' 1' '1 ' / 1/ /2 \
	    1/2/3 1/-2 18446744073709551616 4294967296/2 1/4294967296; do
		echo "'$weight'"
		usage_error 'is not WEIGHT,FILE with a weight N, N/M or 0.7' \
		    prof-merge -w "$weight,x"
	done
	usage_error 'is not WEIGHT,FILE' prof-merge -w 1/2
	usage_error 'is not WEIGHT,FILE' prof-merge -w 1/2,
	# In a list, what is no weight is a name.
	ir "$(fn f 1 100)" >1x,y
	printf '%s\n' 1/2,x 3,x 1x,y | quiet prof-merge --files-from - |
	    counts | grep -x 'f 104'
}

@test 'values and traces are weighted as counters are' {
	profile '"level":"ir","temporal":true' \
	    "$(fn f 1 4 "$(site 1=1 2=3 3=0)")" \
	    '{"record":"trace","weight":5,"functions":["f"]}' >x
	quiet prof-merge -w 1/2,x >got
	values got | grep -qx '2=2 1=1 3=0'
	grep -qF '"weight":3' got
	quiet prof-merge -w 1/9,x >got
	values got | grep -qx '1=1 2=1 3=0'
	grep -qF '"weight":1' got
}

@test 'counters stop at their limit, with a warning' {
	ir "$(fn f 1 '"9223372036854775808",1' \
	    "$(site 7='"9223372036854775808"')")" >x
	warns 'f, hash 0x0{15}1: counters are at their limit$' -- \
	    prof-merge -w 2,x >got
	counts got | grep -qx 'f 18446744073709551613 2'
	# Counts of values have a limit of their own.
	values got | grep -qx '7=18446744073709551615'
	warns 'at their limit$' -- prof-merge -w 18446744073709551615,x >got
	counts got | grep -qx 'f 18446744073709551613 18446744073709551613'
	warns 'at their limit$' -- prof-merge x x >got
	warns 'at their limit$' -- prof-merge -w 4294967295/2,x >got
	quiet prof-merge -w 3/2,x | counts |
	    grep -qx 'f 13835058055282163712 2'
	# A record that is dropped anyhow says nothing, in any order.
	ir "$(fn f 1 0,0,1)" >y
	warns 'of another shape' -- prof-merge -w 2,x y >got
	warns 'of another shape' -- prof-merge y -w 2,x | same got -
}

@test 'counters above their limit are reduced to it by any other record' {
	local large=1,0,0,'"18446744073709551615"',0,0,0,0 options

	ir "$(fn f 1 "$large")" >x
	ir "$(fn f 1 0,0,0,0,0,0,0,0)" >zeros
	# Not in canonical form, so that functions are read one by one.
	sed 's/^{"record":"function"/{ "record":"function"/' x >slow
	ir "$(fn f 1 "${large/5\"/3\"}")" >want
	for options in x\ zeros zeros\ x slow\ zeros '-j 2 x zeros' \
	    '-S 1K x zeros' 'x zeros zeros' 'zeros slow zeros'; do
		echo "$options"
		warns 'f, hash 0x0{15}1: counters are at their limit$' -- \
		    prof-merge $options >got
		counts got | same <(counts want) -
		run ! prof-merge --fail-on overflow $options
	done
	# Nothing is added to the only record of a function.
	ir "$(fn g 1 1)" >y
	quiet prof-merge x | same x -
	quiet prof-merge x y | counts | same <(counts x y) -
	quiet prof-merge y x | counts | same <(counts x y) -
}

@test 'pseudo counts have no weight' {
	ir "$(fn hot 1 '"18446744073709551615",4' "$(site 7=5)")" >x
	for weight in 3 1/2 1/9; do
		quiet prof-merge -w "$weight,x" | same x -
	done
}

@test 'differences go down to 0' {
	ir "$(fn a 1 9,5,0)" "$(fn b 1 3)" "$(fn b 2 4)" >x
	ir "$(fn a 1 4,6,1)" "$(fn b 2 4)" "$(fn c 1 9)" >y
	ir "$(fn a 1 5,0,0)" "$(fn b 1 3)" "$(fn b 2 0)" >want
	quiet prof-merge x --subtract y >got
	same want got
	quiet prof-merge --subtract y x | same want -
	quiet prof-merge --subtract=y <x | same want -
	quiet prof-merge --subtract - x <y | same want -
	# What comes to nothing can be left out.
	quiet prof-merge --sparse --subtract y x | counts |
	    same <(printf '%s\n' 'a 5 0 0' 'b 3') -
	quiet prof-merge --subtract x x | counts |
	    same <(printf '%s\n' 'a 0 0 0' 'b 0' 'b 0') -
	# Several are added first, and all of that is taken away.
	quiet prof-merge x x x --subtract x --subtract y | counts |
	    same <(printf '%s\n' 'a 14 4 0' 'b 6' 'b 4') -
	quiet prof-merge --subtract y --subtract x x x x | counts |
	    same <(printf '%s\n' 'a 14 4 0' 'b 6' 'b 4') -
	ir "$(fn a 1 '"18446744073709551613",0,0')" >z
	quiet prof-merge z --subtract y | counts |
	    grep -qx 'a 18446744073709551609 0 0'
	quiet prof-merge y --subtract z | counts | grep -x 'a 0 6 1'
}

@test 'inputs that are subtracted are no longer counted' {
	inputs() {
		quiet prof-merge "$@" | jq -c 'select(.record == "profile")
		    .inputs'
	}

	ir "$(fn a 1 9)" >x
	prof-merge x x x >three
	[ "$(inputs three x --subtract x)" = 3 ]
	[ "$(inputs three x x --subtract three)" = 2 ]
	# There is no profile of less than one.
	[ "$(inputs three --subtract three)" = null ]
	[ "$(inputs x --subtract three)" = null ]
	quiet prof-merge -S 1K three x --subtract x | cmp - <(
	    prof-merge three x --subtract x)
}

@test 'differences of values leave out what comes to 0' {
	local targets

	ir "$(fn f 1 9 "$(site 1=5 2=5 3=1 4=9 4=2)")" >x
	ir "$(fn f 1 1 "$(site 2=2 3=1 4=3 4=2 5=7)")" >y
	quiet prof-merge x --subtract y | values | same <(echo '4=6 1=5 2=3') -
	quiet prof-merge y --subtract x | values | same <(echo '5=7') -
	quiet prof-merge x --subtract x >got
	values got | grep -qx ''
	grep -qF '"mem_op_size":[[]]' got
	targets='"values":{"indirect_call_target":[[{"target":"g","count":9},'$(
	    )'{"target_guid":"0x0000000000000000","count":4}]]}'
	ir "$(fn f 1 9 "$targets")" >x
	ir "$(fn f 1 9 "${targets/9/1}")" >y
	quiet prof-merge x --subtract y | values | same <(echo 'g=8') -
}

@test 'differences leave alone what cannot be compared' {
	ir "$(fn f 1 9,9)" "$(fn g 1 9)" \
	    "$(fn hot 1 '"18446744073709551615",3')" \
	    "$(fn k 1 9 '"bitmap":"07"')" >x
	ir "$(fn f 1 1)" "$(fn g 1 1 "$(site 1=1)")" \
	    "$(fn hot 1 '"18446744073709551615",3')" \
	    "$(fn k 1 2 '"bitmap":"03"')" >y
	warns 'f, hash 0x0{15}1: nothing was subtracted' \
	    'g, hash 0x0{15}1: nothing was subtracted' -- \
	    prof-merge x --subtract y >got
	ir "$(fn f 1 9,9)" "$(fn g 1 9)" \
	    "$(fn hot 1 '"18446744073709551615",3')" \
	    "$(fn k 1 7 '"bitmap":"07"')" >want
	same want got
}

@test 'differences of profiles that do not mix are refused' {
	local taken='cannot be subtracted from'

	ir "$(fn f 1 9)" >ir
	profile '"level":"frontend"' "$(fn f 1 9)" >fe
	profile '"level":"ir","byte_coverage":true' "$(fn f 1 1)" >bytes
	profile '"level":"frontend","frontend_versions":[5,7]' \
	    "$(fn f 1 9)" >old
	profile '"level":"frontend","frontend_versions":[13,13]' \
	    "$(fn f 1 9)" >new
	refused "a front-end profile .fe. $taken an IR profile .ir.$" \
	    prof-merge ir --subtract fe -o file
	refused "byte coverage .bytes. $taken a profile of counts .ir.$" \
	    prof-merge ir --subtract bytes -o file
	refused "clang 22 .new. $taken those of clang 6 to 14 .old.$" \
	    prof-merge old --subtract new -o file
	[ ! -e file ]
	# One without functions goes with any.
	profile '"level":"frontend"' >none
	quiet prof-merge ir --subtract none | same ir -
	ir >none
	ends 1 '^prof-merge: no function is left, of 1' -- \
	    prof-merge none --subtract fe | same none -
	quiet prof-merge fe --subtract old >got
	# There is nothing to take from.
	refused 'empty file' prof-merge --subtract ir </dev/null
}

# A record of f for each line of the standard input,
# whose words are the values of a site.
records() {
	awk '
	BEGIN {
		print "{\"record\":\"profile\",\"stream\":1," \
		    "\"kind\":\"instr\",\"level\":\"ir\"}"
	}
	{
		printf "{\"record\":\"function\",\"name\":\"f\"," \
		    "\"hash\":\"0x0000000000000001\",\"counts\":[1]," \
		    "\"values\":{\"mem_op_size\":[["
		for (i = 1; i <= NF; i++) {
			split($i, pair, "=")
			printf "%s{\"size\":%s,\"count\":%s}",
			    (i > 1 ? "," : ""), pair[1], pair[2]
		}
		print "]]}}"
	}
	END { print "{\"record\":\"end\",\"last\":true}" }'
}

@test 'the time that new values of a site take grows with their number' {
	# Of 150001 values, 49999 come twice.
	awk 'BEGIN {
		for (i = 0; i < 200000; i++)
			print i * 7919 % 150001 "=1"
	}' >list
	records <list >x
	brief prof-merge x | values | tr ' ' '\n' >got
	sort list | uniq -c | awk '{ print $2 " " $1 }' |
	    sed 's/=1 / /' | sort -k2,2nr -k1,1n | tr ' ' = >want
	same want got
}

@test 'new values of a large site may come twice in a record' {
	# 1009 values, whose records are far apart.
	awk 'BEGIN {
		for (i = 0; i < 3 * 1009; i++) {
			v = i * 100 % 1009
			print i % 3 == 0 ? v "=1 " v "=2" : v "=5"
		}
	}' | records >x
	{
		seq 0 1008 | sed 's/$/=12/'
		seq 0 1008 | sed 's/$/=1/'
	} >want
	prof-merge x | values | tr ' ' '\n' | same want -
	prof-merge -j 2 x x --subtract x | values | tr ' ' '\n' | same want -
	prof-merge x --subtract x | values | same <(echo) -
}

# A run of 2^64-1 calls is none: it is no pseudo count of LLVM either.
@test 'inputs with absurd counters are refused, or left out' {
	local most=18446744073709551615 why

	ir "$(fn a 1 5,1000)" "$(fn b 1 '"72057594037927936",2')" >good.ndjson
	ir "$(fn a 1 5,1000)" "$(fn b 1 7,'"72057594037927937"')" >x.ndjson
	ir "$(fn a 1 "\"$most\",1")" "$(fn b 1 '"18446744073709551614",2')" \
	    >y.ndjson
	for name in good x y; do
		write-raw raw -o $name.profraw $name.ndjson
	done
	why='x.profraw: b, hash 0x0{15}1: counter 1 is '$(
	    )'72057594037927937, above 72057594037927936 \(--max-count\)'
	quiet prof-merge good.profraw >good
	for program in prof-merge prof-index prof-order prof-report \
	    'prof-diff good.profraw'; do
		refused "$why" $program x.profraw
		refused "above 72057594037927936 \(--max-count\)" $program \
		    --max-count 72057594037927936 x.ndjson
	done
	for jobs in 1 2; do
		refused "$why" prof-merge -j $jobs good.profraw x.profraw
		refused 'a, hash .*: counter 0 is 18446744073709551615' \
		    prof-merge -j $jobs y.profraw x.profraw
		ends 1 "$why" 'y.profraw: a,' 'bad inputs left out: 2 of 3' -- \
		    prof-merge -j $jobs --keep-going x.profraw y.profraw \
		    good.profraw >got
		same good got
	done
	# Some functions are read one by one, all in others.
	refused "$why" prof-merge --group-by binary-id -o out x.profraw
	# What other programs made is not compared without the option.
	quiet prof-merge x.ndjson >got
	refused 'b, hash .*: counter 1 is 72057594037927937, above 1000 ' \
	    prof-merge --max-count 1000 x.ndjson
	# The first counter may be a pseudo count there.
	prof-merge y.ndjson >got
	quiet prof-merge --max-count 2 y.ndjson | same got -
	warns 'functions with counters above 2\^56.*: 2$' \
	    'a, hash .*: counters are at their limit$' \
	    'b, hash .*: counters are at their limit$' -- \
	    prof-merge --max-count $most y.profraw good.profraw >got
	counts got | same <(printf '%s\n' 'a 18446744073709551613 1001' \
	    'b 18446744073709551613 4') -
}

@test 'what pseudo counts and counts make of each other has its own reason' {
	local a b

	ir "$(fn f 1 '"18446744073709551615",2')" >hot
	ir "$(fn f 1 3,2)" >ran
	ir "$(fn f 1 3,2,1)" >longer
	for options in '' '-j 2' '-S 1M'; do
		for order in 'hot ran hot' 'ran hot'; do
			warns '^prof-merge: warning: f, hash 0x0{15}1: records '$(
			    )'of pseudo counts .* were dropped: the two' -- \
			    prof-merge $options $order >got
			counts got | grep -Eqx 'f 3 2'
		done
		for order in 'hot ran longer' 'longer hot ran' 'ran longer hot'; do
			warns 'f, .*: records of another shape' -- \
			    prof-merge $options $order >got
		done
	done
	warns 'f, .*: nothing was subtracted: .* or pseudo counts' -- \
	    prof-merge ran --subtract hot >got
}

@test 'limits of counters are numbers' {
	ir "$(fn a 1 1)" "$(fn d 1 7,1001)" >x
	quiet prof-merge --max-count 1001 x | same x -
	for n in 0 -1 x '' 1/2 18446744073709551616; do
		usage_error 'max-count needs a number above 0' \
		    prof-merge --max-count "$n" x
	done
	quiet prof-merge --max-count 18446744073709551615 x | same x -
}

# generate RUN: runs of one program that have edges of all kinds.
generate() {
	awk -f "$top_srcdir/tests/support/generate.awk" -v seed=5 -v functions=40 \
	    -v run="$1"
}

@test 'no order of inputs changes a byte of any of it' {
	local run options

	for run in 1 2 3 4; do
		generate $run >$run
	done
	while read -r options; do
		echo "$options"
		prof-merge $options 1 2 3 >want 2>want.warnings
		[ -s want ]
		for order in '1 3 2' '2 1 3' '2 3 1' '3 1 2' '3 2 1'; do
			prof-merge $order $options >got 2>got.warnings
			same want got
			same <(sort want.warnings) <(sort got.warnings)
		done
	done <<-'END'
	-w 7/2,4
	-w 1/2,4 --sparse
	--subtract 4
	--subtract 4 --subtract 1
	--subtract 4 -w 1/7,4 --sparse
	END
}

# Once for each leaf: not again for what was summed.
@test 'partial sums of weighted inputs come to the same' {
	local run

	for run in 1 2 3; do
		generate $run >$run
		prof-merge -q -w 2/3,$run -o part.$run
	done
	prof-merge -q -w 2/3,1 -w 2/3,2 -w 2/3,3 >want
	prof-merge -q part.3 part.1 part.2 | same want -
	prof-merge -q part.2 part.3 | prof-merge -q part.1 - | same want -
}
