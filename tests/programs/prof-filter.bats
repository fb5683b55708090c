# prof-filter: which functions are left, and what they are called.

load ../support/helper

setup() {
	real=$(data real)
	cd "$BATS_TEST_TMPDIR"
	cp "$(data sample.ndjson)" sample
}

ir() {
	profile '"level":"ir"' "$@"
}

# Some functions; the guid is the one of "gone".
functions() {
	ir "$(fn main 1 1,2)" "$(fn a.c\;f 2 0)" "$(fn b/a.c:f 3 7,9)" \
	    "$(fn _ZN1a1bEv 3 '"18446744073709551614"')" \
	    '{"record":"function","guid":"0x7ee4f5e78bf5c150","hash":"0x0000000000000004","counts":[5]}'
}

# keeps NAMES ARGUMENT...: the names that are left, of the functions.
keeps() {
	functions >all
	quiet prof-filter --allow-empty "${@:2}" all >got
	[ "$(jq -r 'select(.hash) | .name // .guid' got | paste -sd' ')" \
	    = "$1" ] || {
		printf 'kept:\n'
		cat got
		return 1
	}
}

@test 'a regular expression reads the first bytes of a long name' {
	fn "$(printf 'foo%.0s' {1..300000})" 1 1 >long
	ir "$(cat long)" >x
	brief prof-filter -q --allow-empty --regex 'foo.*bar' x >got
	[ "$(grep -c '"function"' got)" = 0 ]
	brief prof-filter -q --regex 'bar|^(foo)+' x >got
	[ "$(grep -c '"function"' got)" = 1 ]
}

@test 'without a rule all stays, to the byte' {
	local file

	prof-filter sample | same <(profraw-cat sample) -
	for file in "$real"/22-*.profraw "$real"/19-temporal.profraw; do
		quiet prof-filter "$file" | cmp - <(profraw-cat "$file")
	done
}

@test 'rules keep and drop functions' {
	local guid=0x7ee4f5e78bf5c150

	keeps main --function main
	keeps "main a.c;f" --function 'a.c;f' --function main
	keeps "a.c;f b/a.c:f _ZN1a1bEv $guid" --drop --function main
	keeps "a.c;f b/a.c:f" --glob '*[;:]f'
	keeps "main _ZN1a1bEv $guid" --drop --glob '*f'
	keeps "main a.c;f b/a.c:f" --regex '^main$|a\.c'
	keeps "main _ZN1a1bEv $guid" --drop --regex '\.c[;:]'
	keeps "main b/a.c:f" --regex '^b/' --regex '^main$'
	keeps "main b/a.c:f" --glob 'b/*' --glob 'ma*'
	keeps "b/a.c:f _ZN1a1bEv" --hash 0x0000000000000003
	keeps "main a.c;f" --drop --hash 3 --drop --hash 0x4
	keeps "" --drop --hash 0x1 --hash 2 --hash 3 --hash 0x10 --hash 4
	keeps "b/a.c:f" --glob '*f' --drop --function 'a.c;f'
	keeps "main b/a.c:f" --hash 3 --function main --drop --regex ^_Z
	keeps "" --function nobody
}

@test 'rules see each form of a name' {
	local guid=0x7ee4f5e78bf5c150

	keeps "_ZN1a1bEv" --function 'a::b()'
	keeps "_ZN1a1bEv" --glob 'a::*'
	keeps "main a.c;f b/a.c:f $guid" --drop --regex '^a::b\(\)$'
	keeps "a.c;f b/a.c:f" --function f
	keeps "main _ZN1a1bEv $guid" --drop --function f
	keeps "b/a.c:f" --function b/a.c:f
	keeps "_ZN1a1bEv" --function a::b
	keeps "main a.c;f b/a.c:f $guid" --drop --function b
	quiet prof-filter -C --function b --function main all | jq -r .name |
	    grep -x '[_m].*' | same - <(printf '%s\n' main _ZN1a1bEv)
	ir "$(fn _ZN1a1bEv 1 1)" "$(fn _ZN1a1bEi 1 1)" >two
	ends 2 'b is the name of several functions: a::b\(\), a::b\(int\)' -- \
	    prof-filter --drop --function b -o none two
	[ ! -e none ]
	functions >all
	ends 1 'no function is left, of 5' 'only the hash .*: 1 ' -- \
	    prof-filter --function 'a::bb()' all
	quiet prof-filter --allow-empty --function mian all
	quiet prof-filter --function mian --function main all
}

@test 'patterns see a function template without the type that it returns' {
	local name

	profile '"level":"ir"' "$(fn main 1 1)" "$(fn _ZN1a1bEv 1 1)" \
	    "$(fn _ZN1a1tIiEEvT_ 1 1)" "$(fn 'a.c;_ZN1a1tIiEEvT_' 1 1)" >t
	for name in 'a::*' 'a::[bt]*' '*a::*'; do
		echo "$name"
		prof-filter --glob "$name" t | jq -r '.name // empty' >"$name"
	done
	same 'a::*' <(printf '%s\n' _ZN1a1bEv _ZN1a1tIiEEvT_ \
	    'a.c;_ZN1a1tIiEEvT_')
	same 'a::[bt]*' 'a::*'
	same '*a::*' 'a::*'
	prof-filter --drop --regex '^a::' t | jq -r '.name // empty' |
	    same - <(echo main)
	prof-filter --glob 'void a::*' t | jq -r '.name // empty' |
	    same - <(printf '%s\n' _ZN1a1tIiEEvT_ 'a.c;_ZN1a1tIiEEvT_')
	quiet prof-show --glob 'a::t*' t | grep -c _ZN1a1tI | same - <(echo 2)
}

@test 'patterns see a local function without its file' {
	keeps "a.c;f b/a.c:f" --glob f
	keeps "a.c;f b/a.c:f" --regex '^f$'
	keeps "main _ZN1a1bEv 0x7ee4f5e78bf5c150" --drop --glob '[f]'
	ir "$(fn 'm.f19d-cgu.0;_ZN1m3geo4callEv' 1 1)" \
	    "$(fn 'm.f19d-cgu.0;m::geo::put' 1 1)" "$(fn m::no 1 1)" >t
	prof-filter --glob 'm::geo::*' t | jq -r '.name // empty' |
	    same - <(grep -o 'm[.][^"]*' t)
	prof-filter --glob '_ZN1m*' t | jq -r '.name // empty' |
	    same - <(echo 'm.f19d-cgu.0;_ZN1m3geo4callEv')
}

@test 'a name stands for a function that is known by its guid' {
	keeps 0x7ee4f5e78bf5c150 --function gone
	keeps "main a.c;f b/a.c:f _ZN1a1bEv" --drop --function gone
}

@test 'names come from lists' {
	printf 'main\n\nnobody\ngone' >list
	keeps "main 0x7ee4f5e78bf5c150" --functions-from list
	keeps "a.c;f b/a.c:f _ZN1a1bEv" --drop --functions-from list
	printf 'main\0a.c;f\0' >list
	keeps "main a.c;f" -0 --functions-from list
	keeps main --functions-from - <<<main
	keeps "" --functions-from /dev/null
	keeps "main a.c;f b/a.c:f _ZN1a1bEv 0x7ee4f5e78bf5c150" \
	    --drop --functions-from /dev/null
	jq -r .name all >list
	keeps "main a.c;f b/a.c:f _ZN1a1bEv" --functions-from list
}

@test 'the largest counter has to be large enough' {
	keeps "b/a.c:f _ZN1a1bEv 0x7ee4f5e78bf5c150" --min-count 5
	keeps "b/a.c:f _ZN1a1bEv" --min-count 9
	keeps _ZN1a1bEv --min-count 18446744073709551615
	keeps "b/a.c:f" --min-count 9 --glob '*f'
}

@test 'what is kept and dropped can be told' {
	functions >all
	warns 'all: stream' '^prof-filter: functions kept: 2, dropped: 3$' -- \
	    prof-filter -v --glob '*f' all
}

@test 'only functions are dropped' {
	quiet prof-filter --allow-empty --function nobody sample >got
	same <(profraw-cat sample | jq -c 'select(.record != "function")') got
	quiet prof-filter --allow-empty --drop --glob '*' \
	    "$real/22-vtable.profraw" >got
	grep -q '"vtable"' got
	grep -q '"binary"' got
	profile '"binary_correlated":true' \
	    '{"record":"raw_counters","counts":[1,2]}' >x
	prof-filter --function nobody x | grep -q '"raw_counters"'
}

@test 'targets of functions that are gone stay, and so do traces' {
	ir "$(fn a 1 1 '"values":{"indirect_call_target":[[{"target":"b","count":1}]]}')" \
	    "$(fn b 1 1)" \
	    '{"record":"trace","weight":1,"functions":["b","a"]}' >x
	prof-filter --drop --function b x >got
	same <(unsourced got) <(grep -v '"name":"b"' x)
	# The page says how to be rid of them.
	jq -c 'select(.record != "trace") | del(.values)' got |
	    quiet prof-merge >x
	run ! grep -e '"b"' x
}

@test 'several profiles, any format in and out' {
	functions >all
	prof-filter --function main all all | same - <(profraw-cat all all |
	    jq -c 'select(.name == null and .hash == null or
	    .name == "main")')
	quiet prof-filter --glob '*main' --to indexed:clang-22 -o x.profdata \
	    "$real/22-ir.profraw"
	[ "$(prof-show --json --functions x.profdata | jq -r .name)" = main ]
	prof-filter --function main --to text x.profdata | grep -qx main
}

@test 'the same as jq does it' {
	local seed

	need jq
	for seed in 1 2 3; do
		awk -f "$top_srcdir/tests/support/generate.awk" -v seed="$seed" \
		    -v run=1 >x
		prof-filter --allow-empty --regex '[13579]$' x >got
		profraw-cat x | jq -c 'select(.record != "function" or
		    (.name // "" | test("[13579]$")))' | same - got
	done
}

# A record of each kind that has names in it; the targets' file, and that of the
# others.
named() {
	ir "{\"record\":\"vtable\",\"name\":\"$2;_ZTV1A\"}" \
	    "$(fn "$2;f" 1 1,2 "\"values\":{\"indirect_call_target\":[[{\"target\":\"$1:g\",\"count\":3},{\"target\":\"main\",\"count\":2},{\"target_guid\":\"0x0000000000000000\",\"count\":1}]],\"mem_op_size\":[[{\"size\":8,\"count\":1}]],\"vtable_target\":[[{\"target\":\"$2;_ZTV1A\",\"count\":3}]]}")" \
	    "$(fn main 2 1)" \
	    "{\"record\":\"trace\",\"weight\":1,\"functions\":[\"main\",\"$2;f\",{\"guid\":\"0x0000000000000007\"}]}"
}

# becomes TARGET-FILE FILE ARGUMENT...: the files /w/x/a.c and /w/b/a.c change
# everywhere.
becomes() {
	named /w/x/a.c /w/b/a.c >x
	quiet prof-filter "${@:3}" x | unsourced >got
	same <(named "$1" "$2") got
}

@test 'files of local names are remapped everywhere' {
	becomes /v/x/a.c /v/b/a.c --remap-prefix /w=/v
	becomes x/a.c b/a.c --remap-prefix /w/=
	becomes /w/x/a.c /v/a.c --remap-prefix /w/b=/v
	becomes /v/x/a.c /u/a.c --remap-prefix /w/b=/u --remap-prefix /w=/v
	becomes /v/x/a.c /u/a.c --remap-prefix /w=/v --remap-prefix /w/b=/u
	becomes /w/x/a.c /w/b/a.c --remap-prefix main=x --remap-prefix f=g
	becomes '<unknown>' c.c --remap-prefix /w/x/a.c= \
	    --remap-prefix /w/b/a.c=c.c
}

@test 'folders of local names are stripped everywhere' {
	becomes a.c a.c --strip-path
	becomes w/x/a.c w/b/a.c --strip-path=1
	becomes x/a.c b/a.c --strip-path=2
	becomes a.c a.c --strip-path=99
	becomes x/a.c b/a.c --strip-path=1 --remap-prefix /w=
	becomes /w/x/a.c /w/b/a.c --strip-path=0
}

@test 'guids follow the names' {
	ir '{"record":"vtable","name":"a/b.c;v","guid":"0x33f6bb3b1dc0a8b3","start":"0x0000000000000010","size":8}' |
	    sed "s/0x33f6bb3b1dc0a8b3/$(guid 'a/b.c;v')/" >x
	prof-filter --strip-path x | grep -F "$(guid 'b.c;v')"
	named /w/x/a.c /w/b/a.c >x
	prof-filter --strip-path --to indexed -o 1.profdata x
	named a.c a.c | prof-filter --to indexed -o 2.profdata
	cmp 1.profdata 2.profdata
}

@test 'names that become one are left to prof-merge' {
	ir "$(fn x/a.c\;f 1 1)" "$(fn y/a.c\;f 1 2)" >x
	prof-filter --strip-path x >got
	[ "$(grep -c '"a.c;f"' got)" -eq 2 ]
	prof-filter --strip-path x | prof-merge | grep '"counts":\[3\]'
	refused 'use prof-merge' prof-filter --strip-path --to indexed \
	    -o y.profdata x
	[ ! -e y.profdata ]
	ir "$(fn f 1 1 '"values":{"indirect_call_target":[[{"target":"x/a.c;g","count":1},{"target":"y/a.c;g","count":2}]]}')" >x
	prof-filter --strip-path x |
	    grep -F '[[{"target":"a.c;g","count":3}]]'
	# A target known only by that guid is another one.
	ir "$(fn f 1 1 '"values":{"indirect_call_target":[['$(
	    )'{"target":"x/a.c;g","count":9},'$(
	    )'{"target_guid":"'"$(guid 'a.c;g')"'","count":3},'$(
	    )'{"target":"y/a.c;g","count":2}]]}')" >x
	prof-filter --strip-path x | grep -F '[[{"target":"a.c;g","count":11},'$(
	    )'{"target_guid":"'"$(guid 'a.c;g')"'","count":3}]]'
}

@test 'names can be made hashes' {
	named /w/x/a.c /w/b/a.c >x
	quiet prof-filter --names hash x >got
	run ! grep -E '_ZTV|main|a\.c|"(name|target|file)"' got
	[ "$(guid main)" = 0xdb956436e78dd5fa ]
	[ "$(grep -c 0xdb956436e78dd5fa got)" -eq 3 ]
	[ "$(grep -c "$(guid '/w/b/a.c;f')" got)" -eq 2 ]
	[ "$(grep -c "$(guid '/w/b/a.c;_ZTV1A')" got)" -eq 2 ]
	[ "$(grep -c "$(guid '/w/x/a.c:g')" got)" -eq 1 ]
	quiet prof-filter --names hash got | same got -
	prof-filter --names hash --strip-path x |
	    same <(named a.c a.c | prof-filter --names hash) -
	prof-filter --names hash --function main x | grep 0xdb956436e78dd5fa
}

@test 'hashes are refused where a compiler needs names' {
	local to

	functions >all
	for to in indexed text; do
		refused "all: --names hash: .* by name in $to profiles: .*lprf\$" \
		    prof-filter --names hash --to "$to" -o got all
		[ ! -e got ]
	done
	quiet prof-filter --names hash --to lprf -o got all
	quiet prof-filter --names hash all | unsourced | sort |
	    same <(unsourced < <(profraw-cat got) | sort) -
	# Heap profiles have hashes already.
	prof-index -q -o heap.profdata "$(data heap/app.ndjson)"
	prof-filter -q --names hash --to indexed -o got heap.profdata
	cmp got heap.profdata
}

@test 'what may hold names is left out with them' {
	profile '"level":"ir","who":"me"' "$(fn a 1 1 '"why":"me"')" \
	    '{"record":"other","name":"me"}' >x
	prof-filter x | grep -c me | grep -qx 3
	warns '^prof-filter: warning: records of unknown types .*: 1$' -- \
	    prof-filter --names hash x >got
	run ! grep me got
	quiet prof-filter -q --names hash x
}

@test 'a result of no functions is told, and status 1, unless allowed' {
	local left='no function is left, of 5: --allow-empty accepts that'
	local to hash='^prof-filter: functions of which only the hash .*: 1 '

	functions >all
	ends 1 "^prof-filter: $left\$" "$hash" -- \
	    prof-filter --glob 'typo*' -o got all
	[ ! -e got ]
	echo as it was >got
	ends 1 -- prof-filter -q --glob 'typo*' -o got all
	grep -qx 'as it was' got
	ends 1 "$left" "$hash" -- prof-filter --glob 'typo*' all >got
	jq -se 'length == 2' got >/dev/null
	quiet prof-filter --allow-empty --glob 'typo*' all | cmp got -
	ends 1 ': all: ' "$left" ': functions kept: 0, dropped: 5$' -- \
	    prof-filter -v --hash 77 -o got all
	# An input without functions has none to lose.
	ir | quiet prof-filter --glob 'typo*' -o got
	for to in indexed text; do
		# The one of the guid alone.
		ends 1 'dropped 1 of 5$' -- \
		    prof-filter --to "$to" -o got all
		warns 'dropped 1 of 5$' -- \
		    prof-filter --allow-empty --to "$to" -o got all
		quiet prof-filter --drop --hash 4 --to "$to" -o got all
	done
	ends 1 'YAML cannot hold other' "$left" -- \
	    prof-filter --to yaml -o got all
	# Heap data that are left are no functions of the rules.
	prof-index -q "$(data heap/app.ndjson)" -o heap.profdata
	jq -c 'select(.record == "memprof_function")' <(
	    profraw-cat heap.profdata) >heap
	ends 1 "no function is left, of $(wc -l <heap)" \
	    "hash of a name is known: $(wc -l <heap) .* by the mangled name" \
	    'warning: call stacks are kept.*: [0-9]+$' -- \
	    prof-filter --glob 'typo*' -o got heap.profdata
}

@test 'wrong options' {
	usage_error "'\(': " prof-filter --regex '('
	usage_error "'x' is not OLD=NEW" prof-filter --remap-prefix x
	usage_error "'a=;' has a ';'" prof-filter --remap-prefix 'a=;'
	for hash in 0x '' 0x1g 1b -1 18446744073709551616; do
		usage_error "--hash needs a number of .* not '$hash'" \
		    prof-filter --drop --hash "$hash"
	done
	usage_error "needs a number, not '0x1'" prof-filter --min-count 0x1
	usage_error "needs a number, not '-1'" prof-filter --min-count -1
	usage_error 'needs a number, not' prof-filter --min-count 18446744073709551616
	usage_error "needs a number, not 'x'" prof-filter --strip-path=x
	usage_error '--names accepts hash' prof-filter --names full
	refused 'list: No such file' prof-filter --functions-from list
}

@test 'a stream that was cut off is not taken for a whole one' {
	functions | sed '$d' >x
	refused 'ended' prof-filter --function main -o y x
	[ ! -e y ]
	refused 'ended' prof-filter --function main x
}

# heap: a stream of a heap profile.
heap() {
	printf '{"record":"profile","stream":1,"kind":"memprof"}\n'
	cat <<'END'
{"record":"stack","id":"0x0000000000000001","frames":[{"function":"f","file":"a.c","line":3,"inline":true},{"guid":"0x0000000000000009"},{}]}
{"record":"allocation","stack":"0x0000000000000001","info":{"alloc_count":1}}
{"record":"memprof_function","guid":"0x9dd1c0a83aafc5b1","name":"f","alloc_sites":[],"call_sites":[]}
{"record":"memprof_function","guid":"0x0000000000000009","alloc_sites":[],"call_sites":[]}
{"record":"data_access","symbol":"s","count":1}
{"record":"cold_symbol","symbol":"c"}
{"record":"end","last":true}
END
}

@test 'functions of heap profiles go by their names, the rest stays' {
	local guid kept

	guid=$(guid f)
	heap | sed "s/0x9dd1c0a83aafc5b1/$guid/" >x
	quiet prof-filter x | unsourced | same x -
	kept='^prof-filter: warning: call stacks are kept, to which .*: 1$'
	quiet prof-filter -q --function f x | unsourced >got
	grep -v 'function","guid":"0x0*9' x | same - got
	warns "$kept" -- prof-filter --drop --regex '^f' x >y
	unsourced y >got
	grep -v '"name":"f"' x | same - got
	ends 1 'no function is left, of 2' 'only the hash .*: 1 ' \
	    "$kept" -- prof-filter --glob 'g*' --min-count 3 x | unsourced >got
	grep -v memprof_function x | same - got
	quiet prof-filter --min-count 3 x | unsourced | same x -
}

@test 'names in heap profiles become guids' {
	local guid

	guid=$(guid f)
	heap | sed "s/0x9dd1c0a83aafc5b1/$guid/" >x
	warns 'warning: records .* or of data, .*: 2$' -- \
	    prof-filter --names hash x >got
	sed -e 's/"function":"f","file":"a.c"/"guid":"'"$guid"'"/' \
	    -e 's/,"name":"f"//' -e '/"symbol"/d' x >want
	unsourced got | same want -
}
