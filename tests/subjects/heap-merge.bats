# prof-merge and prof-index of heap profiles: what is folded with what.

load ../support/helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	memprof=$PROFTOOLS_CORPUS/memprof
}

# heap RECORD...: a stream of one heap profile.
heap() {
	printf '{"record":"profile","stream":1,"kind":"memprof"}\n'
	[ $# -eq 0 ] || printf '%s\n' "$@"
	printf '{"record":"end","last":true}\n'
}

# segment ID BASE [BUILD-ID]: 64 KiB that are at BASE, a number.
segment() {
	printf '{"record":"segment","id":%d,"start":"0x%016x",' "$1" "$2"
	printf '"end":"0x%016x",' $(($2 + 0x10000))
	[ $# -eq 2 ] &&
	    printf '"offset":"0x%016x","file_addresses":true}\n' 4096 ||
	    printf '"offset":"0x%016x","build_id":"%s"}\n' "$2" "$3"
}

# stack ID PC...: absolute addresses, numbers.
stack() {
	local pcs

	pcs=$(printf ',"0x%016x"' "${@:2}")
	printf '{"record":"stack","id":"0x%016x","pcs":[%s]}\n' "$1" "${pcs#,}"
}

# framed ID FRAMES [PCS]
framed() {
	printf '{"record":"stack","id":"0x%016x"%s,"frames":[%s]}\n' "$1" \
	    "${3:+,\"pcs\":[$3]}" "$2"
}

# allocation STACK COUNT SIZE
allocation() {
	printf '{"record":"allocation","stack":"0x%016x","info":{' "$1"
	printf '"alloc_count":%d,"total_size":%d,"min_size":%d,"max_size":%d}}\n' \
	    "$2" $(($2 * $3)) "$3" "$3"
}

# The stacks of a stream with their blocks, without ids: a line each.
contexts() {
	jq -nc '[inputs] | (map(select(.record == "allocation")) |
	    map({(.stack): .info}) | add) as $info | .[] |
	    select(.record == "stack") | [.pcs, .frames, $info[.id]]' "$@" |
	    sort
}

# Any order, and any tree of partial sums: the sum is in the file sum.
any_order() {
	prof-merge "$@" >sum
	prof-merge "${@:2}" >rest
	prof-merge rest "$1" | same sum -
	prof-merge sum | same sum -
}

@test 'two runs with other addresses meet by build id' {
	heap "$(segment 0 0x10000 aa)" "$(segment 1 0x70000 bb)" \
	    "$(stack 1 0x10100 0x70200)" "$(stack 2 0x10104 0x9990000)" \
	    "$(allocation 1 2 10)" "$(allocation 2 1 8)" >x
	heap "$(segment 5 0xb0000 bb)" "$(segment 6 0xd0000 aa)" \
	    "$(stack 1 0xd0104 0x9990000)" "$(stack 9 0xd0100 0xb0200)" \
	    "$(stack 4 0xd0100)" "$(allocation 1 10 8)" \
	    "$(allocation 9 20 7)" "$(allocation 4 1 1)" >y
	any_order x y
	[ "$(grep '"segment"' sum)" = '{"record":"segment","id":0,"build_id":"aa"}
{"record":"segment","id":1,"build_id":"bb"}' ]
	cat >want <<'END'
[[[0,"0x0000000000000100"],[1,"0x0000000000000200"]],null,{"alloc_count":22,"total_size":160,"min_size":7,"max_size":10}]
[[[0,"0x0000000000000100"]],null,{"alloc_count":1,"total_size":1,"min_size":1,"max_size":1}]
[[[0,"0x0000000000000104"],"0x0000000009990000"],null,{"alloc_count":11,"total_size":88,"min_size":8,"max_size":8}]
END
	contexts sum | same want -
	grep -q '"kind":"memprof","inputs":2,"folded":true}' sum
}

@test 'the id of a stack is a hash of its content' {
	local id other

	heap "$(segment 0 0x10000 aa)" "$(stack 1 0x10100)" >x
	heap "$(segment 3 0x50000 aa)" "$(stack 7 0x50100)" \
	    "$(stack 8 0x50101)" >y
	id=$(prof-merge x | jq -r 'select(.record == "stack").id')
	other=$(prof-merge y | jq -r 'select(.record == "stack").id')
	[ "$(grep -c "$id" <<<"$other")" -eq 1 ]
	# In order of ids.
	sort -c <<<"$other"
	# A sum of it does not change it.
	prof-merge x y | grep -q "$id"
}

@test 'stacks whose frames differ in one member have two ids' {
	local frame change

	frame='{"function":"f","guid":"0x1230000000000000","file":"a.c",'
	frame+='"line":10,"start_line":4,"line_offset":6,"column":2,'
	frame+='"discriminator":9,"inline":true}'
	heap "$(framed 1 "$frame")" "$(allocation 1 1 8)" >x
	for change in 's/"f"/"g"/' 's/x123/x124/' s/a.c/b.c/ s/:10,/:11,/ \
	    s/:4,/:5,/ s/:6,/:7,/ s/:2,/:3,/ s/:9,/:8,/ \
	    '/frames/s/true/false/'; do
		echo "$change"
		sed "$change" x >y
		run ! cmp -s x y
		prof-merge x y >sum
		[ "$(jq -r 'select(.record == "stack").id' sum | sort -u |
		    wc -l)" -eq 2 ]
		prof-check -q sum
		prof-merge y x | same sum -
	done
	prof-merge x x | jq -r 'select(.record == "stack").id' >ids
	[ "$(wc -l <ids)" -eq 1 ]
}

@test 'segments without build id meet by their range' {
	heap "$(segment 0 0x10000)" "$(stack 1 0x10100)" \
	    "$(allocation 1 1 8)" >x
	heap "$(segment 0 0x10000)" "$(stack 1 0x10100)" \
	    "$(allocation 1 2 8)" >y
	heap "$(segment 0 0x20000)" "$(stack 1 0x20100)" \
	    "$(allocation 1 4 8)" >z
	any_order x y z
	[ "$(grep -c '"segment".*"file_addresses":true' sum)" -eq 2 ]
	# Addresses are those of the file.
	[ "$(grep -c '"pcs":\[\[[01],"0x0000000000001100"\]\]' sum)" -eq 2 ]
	[ "$(jq 'select(.record == "allocation").info.alloc_count' sum |
	    sort | paste -sd' ')" = '3 4' ]
	prof-merge y z x | same sum -
	prof-merge x z >xz
	prof-merge xz y | same sum -
}

@test 'an address that two segments cover is in the first' {
	local range="$(segment 0 0x20000 aa)"

	# The inner one is at 0x28000, the outer one at 0x20000 to 0x2ffff.
	range=${range//0x0000000000030000/0x0000000000029000}
	range=${range//0x0000000000020000/0x0000000000028000}
	heap "$range" "$(segment 1 0x20000 bb)" \
	    "$(stack 1 0x27fff)" "$(stack 2 0x28000)" "$(stack 3 0x28fff)" \
	    "$(stack 4 0x29000)" "$(stack 5 0x2ffff)" \
	    "$(stack 6 0x30000)" >x
	heap "$range" "$(segment 1 0x20000 bb)" \
	    "$(stack 6 0x30000)" "$(stack 5 0x2ffff 0x28fff 0x27fff)" \
	    "$(stack 1 0x27fff)" "$(stack 3 0x28fff)" \
	    "$(stack 4 0x29000)" "$(stack 2 0x28000)" >y
	any_order x y
	cat >want <<'END'
["0x0000000000030000"]
[[0,"0x0000000000000000"]]
[[0,"0x0000000000000fff"]]
[[1,"0x0000000000007fff"]]
[[1,"0x0000000000009000"]]
[[1,"0x000000000000ffff"],[0,"0x0000000000000fff"],[1,"0x0000000000007fff"]]
[[1,"0x000000000000ffff"]]
END
	jq -c 'select(.record == "stack") | .pcs' sum | LC_ALL=C sort |
	    same want -
	# The outer one comes first.
	heap "$(segment 1 0x20000 bb)" "$range" "$(stack 2 0x28000)" \
	    "$(stack 4 0x29000)" >x
	heap "$(segment 1 0x20000 bb)" "$range" "$(stack 4 0x29000)" \
	    "$(stack 2 0x28000)" >y
	any_order x y
	jq -c 'select(.record == "stack") | .pcs' sum | LC_ALL=C sort |
	    same - <(printf '[[1,"0x000000000000%s"]]\n' 8000 9000)
}

@test 'frames meet by all that is known of them' {
	local f='"function":"_Z1f","line":12,"start_line":10'

	heap "$(framed 1 "{$f},{}")" "$(framed 2 "{$f,\"column\":3}")" \
	    "$(allocation 1 1 8)" "$(allocation 2 1 8)" >x
	# What follows from the rest may be there or not.
	heap "$(framed 7 "{$f,\"line_offset\":2,$(
	    )\"guid\":\"$(guid _Z1f)\"},{}")" "$(allocation 7 2 8)" \
	    "$(framed 8 '{"guid":"'"$(guid _Z1f)"'","line_offset":2}')" \
	    "$(allocation 8 5 8)" >y
	any_order x y
	contexts sum | jq -c '[.[2].alloc_count, (.[1] | length)]' | sort >got
	printf '%s\n' '[1,1]' '[3,2]' '[5,1]' | same - got
}

@test 'addresses beside frames stay if all agree in them' {
	local f='{"function":"f"}' pc='[0,"0x0000000000000100"]'

	heap "$(segment 0 0 aa)" "$(framed 1 "$f" "$pc")" >x
	heap "$(segment 4 0x5000 aa)" "$(framed 2 "$f" '"0x0000000000005100"')" >y
	heap "$(segment 0 0 aa)" "$(framed 1 "$f" '[0,"0x0000000000000104"]')" >z
	any_order x y
	grep -qF "\"pcs\":[$pc]," sum
	any_order x y z
	[ "$(grep -c '"stack"' sum)" -eq 1 ]
	[ "$(grep -c '"pcs"' sum)" -eq 0 ]
	# Once they are gone they do not come back.
	[ "$(prof-merge sum x | grep -c '"pcs"')" -eq 0 ]
	heap "$(framed 1 "$f")" >none
	[ "$(prof-merge none x | grep -c '"pcs"')" -eq 0 ]
}

@test 'stacks with an empty frame are told by their addresses' {
	local f='{"function":"f"}' pc='[0,"0x0000000000000100"]'
	local q='[0,"0x0000000000000200"]' r='[0,"0x0000000000000300"]'

	# Two builds whose second address has no function that is known.
	heap "$(segment 0 0 aa)" "$(framed 1 "$f,{}" "$pc,$q")" \
	    "$(allocation 1 1 8)" >x
	heap "$(segment 0 0 bb)" "$(framed 1 "$f,{}" "$pc,$q")" \
	    "$(allocation 1 1 8)" >y
	heap "$(segment 0 0 aa)" "$(framed 1 "$f,{}" "$pc,$r")" \
	    "$(allocation 1 1 8)" >z
	any_order x y z x
	contexts sum | jq -c '[.[2].alloc_count, (.[1] | length)]' | sort >got
	printf '%s\n' '[1,2]' '[1,2]' '[2,2]' | same - got
	[ "$(grep -c '"pcs"' sum)" -eq 3 ]
	prof-merge x y >xy
	prof-merge z xy x | same sum -
	# Without addresses there is nothing that tells them apart.
	heap "$(framed 1 "$f,{}")" "$(allocation 1 1 8)" >none
	prof-merge none x none | grep -c '"record":"stack"' >got
	echo 2 | same - got
}

@test 'fields that one of them does not know are not known' {
	heap "$(stack 1 7)" '{"record":"allocation","stack":"0x'$(
	    )'0000000000000001","info":{"alloc_count":1,"alloc_cpu_id":3,'$(
	    )'"dealloc_cpu_id":1,"access_histogram":[1,2]}}' >x
	heap "$(stack 1 7)" '{"record":"allocation","stack":"0x'$(
	    )'0000000000000001","info":{"alloc_count":2,"max_size":9,'$(
	    )'"alloc_cpu_id":3,"dealloc_cpu_id":2,'$(
	    )'"access_histogram":[10,20,30]}}' >y
	heap "$(stack 1 7)" '{"record":"allocation","stack":"0x'$(
	    )'0000000000000001","info":{"alloc_count":2,'$(
	    )'"alloc_cpu_id":3,"access_histogram_size":5}}' >size
	any_order x y
	grep -qF '"info":{"alloc_count":3,"alloc_cpu_id":3,'$(
	    )'"access_histogram_size":3,"access_histogram":[11,22,30]}}' sum
	any_order x y size
	grep -qF '"info":{"alloc_count":5,"alloc_cpu_id":3,'$(
	    )'"access_histogram_size":5}}' sum
}

@test 'counts stop at the limit of their fields, with one warning' {
	heap "$(stack 1 7)" "$(allocation 1 4294967295 1)" "$(stack 2 8)" \
	    "$(allocation 2 1 1)" >x
	warns '^prof-merge: warning: heap data: blocks .* limits: 1$' -- \
	    prof-merge x x >sum
	grep -qF '"alloc_count":4294967295,"total_size":8589934590' sum
	quiet prof-merge x >sum
}

@test 'counts that a weight makes too large are reported, in any order' {
	local big=9223372036854775808 inputs record

	heap "$(stack 1 8)" "$(allocation 1 1 1)" >other
	for record in "$(allocation 1 3000000000 1)" \
	    '{"record":"data_access","symbol":"s","count":'$big'}' \
	    '{"record":"allocation","stack":"0x0000000000000001","info":{'$(
	    )'"alloc_count":1,"total_size":'$big'}}' \
	    '{"record":"allocation","stack":"0x0000000000000001","info":{'$(
	    )'"access_histogram_size":1,"access_histogram":['$big']}}' \
	    "$(function_record 5 '{"stack":"0x0000000000000001","info":{'$(
	    )'"alloc_count":1,"total_lifetime":'$big'}}')"; do
		heap "$(stack 1 7)" "$record" >x
		for inputs in '-w 2,x' '-w 2,x other' 'other -w 2,x' 'x x'; do
			echo "$inputs: $record"
			warns 'heap data: blocks .* limits: 1$' -- \
			    prof-merge $inputs >sum
			run -2 prof-merge --fail-on overflow -o none $inputs
			[ ! -e none ]
			# A sum at its limit is no news to the next one.
			quiet prof-merge sum >again
		done
		quiet prof-merge -w 2/2,x other >sum
	done
	# Nothing is too large in a histogram that is unknown in the sum.
	heap "$(stack 1 7)" '{"record":"allocation","stack":'$(
	    )'"0x0000000000000001","info":{"access_histogram_size":1,'$(
	    )'"access_histogram":['$big']}}' >x
	heap "$(stack 1 7)" '{"record":"allocation","stack":'$(
	    )'"0x0000000000000001","info":{"access_histogram_size":1}}' >size
	quiet prof-merge -w 2,x size >sum
	quiet prof-merge size -w 2,x >sum
}

@test 'weights multiply what is added' {
	heap "$(stack 1 7)" "$(allocation 1 2 10)" \
	    '{"record":"data_access","symbol":"s","count":3}' >x
	quiet prof-merge -w 10,x x >sum
	grep -qF '"alloc_count":22,"total_size":220,"min_size":10,"max_size":10}' sum
	grep -qF '"symbol":"s","count":33}' sum
	# The first heap profile too, if there is only one.
	quiet prof-merge -w 1/4,x >sum
	grep -qF '"alloc_count":1,"total_size":5,"min_size":10' sum
}

# site STACK COUNT: an alloc site of a function.
site() {
	printf '{"stack":"0x%016x","info":{"alloc_count":%d}}' "$1" "$2"
}

# function GUID ALLOC-SITES CALL-SITES [MORE]
function_record() {
	printf '{"record":"memprof_function","guid":"0x%016x"%s,' "$1" "${4-}"
	printf '"alloc_sites":[%s],"call_sites":[%s]}\n' "$2" "$3"
}

# call STACK GUID...
call() {
	local guids

	guids=$(printf ',"0x%016x"' "${@:2}")
	printf '{"stack":"0x%016x","callee_guids":[%s]}' "$1" "${guids#,}"
}

@test 'functions are folded by guid, their sites by stack' {
	local h=0x70bec51190c31025	# of the name h

	heap "$(framed 1 "{\"guid\":\"$h\"}")" \
	    "$(framed 2 '{"guid":"0x0000000000000006"}')" \
	    "$(function_record $h "$(site 1 2),$(site 2 1)" \
	    "$(call 1 9 7),$(call 1 9 8)")" >x
	heap "$(framed 8 "{\"guid\":\"$h\"}")" \
	    "$(function_record $h "$(site 8 10)" "$(call 8 3)" ',"name":"h"')" \
	    "$(function_record 4 '' '')" >y
	any_order x y
	[ "$(grep -c memprof_function sum)" -eq 2 ]
	jq -ne '[inputs][4] | .name == "h" and
	    ([.alloc_sites[].info.alloc_count] | sort) == [1, 12] and
	    [.call_sites[].callee_guids[] | .[-1:]] ==
	    ["3","7","8","9"]' sum
	[ "$(grep memprof_function sum | head -n 1 | cut -c1-62)" = \
	    '{"record":"memprof_function","guid":"0x0000000000000004","allo' ]
}

# LLVM enters a context once for each inlined frame of the function.
@test 'a context is counted once in a function that is inlined twice' {
	local f='"guid":"0x0000000000000005"'

	heap "$(framed 1 "{$f,\"inline\":true},{$f,\"line_offset\":1}")" \
	    "$(function_record 5 \
	    "$(site 1 2),$(site 1 2),$(site 1 30),$(site 1 30)" '')" >x
	any_order x x
	grep -qF '"alloc_count":64}' sum
	[ "$(grep -o alloc_count sum | wc -l)" -eq 1 ]
	# Another record of the function has contexts of its own.
	heap "$(framed 1 "{$f,\"inline\":true},{$f,\"line_offset\":1}")" \
	    "$(function_record 5 "$(site 1 2)" '')" \
	    "$(function_record 5 "$(site 1 30)" '')" >x
	any_order x x
	grep -qF '"alloc_count":64}' sum
	# There may be many frames between the two.
	heap "$(framed 1 "{$f,\"inline\":true},$(printf \
	    '{"function":"g","inline":true},%.0s' {1..30}){$f}")" \
	    "$(function_record 5 \
	    "$(site 1 2),$(site 1 2),$(site 1 30),$(site 1 30)" '')" \
	    "$(function_record 6 "$(site 1 4),$(site 1 8)" '')" >x
	any_order x x
	grep -qF '"alloc_count":64}' sum
	grep -qF '"alloc_count":24}' sum
	[ "$(grep -o alloc_count sum | wc -l)" -eq 2 ]
	# A function that calls itself has no repeats.
	heap "$(framed 1 "{$f},{$f,\"line_offset\":1}")" \
	    "$(function_record 5 "$(site 1 2),$(site 1 30)" '')" >x
	any_order x x
	grep -qF '"alloc_count":64}' sum
}

@test 'many sites of a stack with many inline frames take little time' {
	heap "$(awk -v id='"0x0000000000000001"' 'BEGIN {
		printf "{\"record\":\"stack\",\"id\":%s,\"frames\":[", id
		for (i = 0; i < 150000; i++)
			printf "{\"function\":\"g\",\"inline\":true},"
		print "{\"function\":\"h\"}]}"
		printf "{\"record\":\"memprof_function\",\"guid\":%s,", id
		printf "\"alloc_sites\":["
		for (i = 0; i < 150000; i++)
			printf "%s{\"stack\":%s,\"info\":{}}", \
			    i == 0 ? "" : ",", id
		print "]}"
	}')" >x
	brief prof-merge x >sum
}

@test 'accesses are added, and what was accessed is not cold' {
	heap '{"record":"data_access","symbol":"s","count":1,"locations":[{"file":"b","line":1},{"file":"a","line":2}]}' \
	    '{"record":"data_access","hash":"0x0000000000000007","count":5}' \
	    '{"record":"cold_symbol","symbol":"c"}' \
	    '{"record":"cold_symbol","symbol":"t"}' >x
	heap '{"record":"data_access","symbol":"t","count":"18446744073709551615"}' \
	    '{"record":"data_access","symbol":"s","count":2,"locations":[{"file":"a","line":2},{"file":"a","line":1}]}' \
	    '{"record":"cold_symbol","symbol":"s"}' \
	    '{"record":"cold_symbol","hash":"0x0000000000000001"}' >y
	any_order x y
	cat >want <<'END'
{"record":"data_access","hash":"0x0000000000000007","count":5}
{"record":"data_access","symbol":"s","count":3,"locations":[{"file":"a","line":1},{"file":"a","line":2},{"file":"b","line":1}]}
{"record":"data_access","symbol":"t","count":"18446744073709551615"}
{"record":"cold_symbol","hash":"0x0000000000000001"}
{"record":"cold_symbol","symbol":"c"}
END
	grep -E 'data_access|cold_symbol' sum | same want -
	warns 'heap data: blocks .*: 1$' -- prof-merge y y >sum
}

# in_each_format COMMAND...: runs it with prof-merge's options for each format
# that can hold heap profiles with frames.
in_each_format() {
	local v

	"$@" --to stream
	"$@" --to yaml
	"$@" --to indexed
	for v in 8 9 10 11 12 13; do
		"$@" --to indexed:$v
	done
	for v in 0 1 2 3; do
		"$@" --to indexed:12,memprof-$v
	done
	for v in 2 3 4; do
		"$@" --to indexed:13,memprof-$v,full
	done
}

# tree OPTION...: partial merges of x, y and z in a format, and the sum again.
tree() {
	echo "$@"
	prof-merge -q "$@" x y z >flat
	prof-merge -q "$@" flat | cmp - flat
	for one in x y z; do
		prof-merge -q "$@" $one >$one.part
		prof-merge -q "$@" $one.part | cmp - $one.part
	done
	prof-merge -q "$@" z.part y.part >zy
	prof-merge -q "$@" x.part zy | cmp - flat
	prof-merge -q "$@" zy x | cmp - flat
	prof-merge --to stream x y z | prof-merge -q "$@" | cmp - flat
	prof-merge --to stream x y z | profraw-cat -q "$@" |
	    sed '1s/,"source":{[^}]*}//' | cmp - flat
}

@test 'partial merges may be in any format that holds frames' {
	local f='"function":"f","line_offset":1' g='"function":"g","line":2'
	local h='"guid":"0x0000000000000009","line_offset":3'

	# Contexts that differ in names, files and addresses only; f, which is
	# not the first in the order of guids, is inlined into g.
	heap "$(segment 0 0x10000 aa)" \
	    "$(framed 1 "{$f,\"file\":\"a.c\",\"inline\":true},{$g}")" \
	    "$(framed 2 "{$f,\"inline\":true},{$g},{$h}")" \
	    "$(framed 3 "{$h},{$f}")" "$(allocation 1 2 8)" \
	    "$(allocation 2 1 8)" "$(allocation 3 3 16)" >x
	heap "$(segment 0 0x10000)" \
	    "$(framed 1 "{$f,\"file\":\"b.c\",\"inline\":true},{$g}")" \
	    "$(framed 2 "{$h},{$f},{}" \
	    '"0x0000000000010008","0x0000000000010010","0x0000000000000020"')" \
	    "$(framed 3 "{$h},{$g}")" "$(allocation 1 4 24)" \
	    "$(allocation 2 1 8)" "$(function_record 9 "$(site 3 5)" \
	    '{"stack":"0x0000000000000001"}')" >y
	heap "$(framed 1 "{$h},{$f,\"discriminator\":2}")" \
	    "$(framed 2 "{$h},{$f}")" "$(framed 3 "{$g,\"column\":1},{$h}")" \
	    "$(allocation 3 1 8)" "$(allocation 2 2 8)" \
	    "$(allocation 1 1 8)" >z
	# Maxima that are all minima are unknown in version 8.
	sed -i 's/"max_size":[0-9]*/"max_size":99/' x y z
	in_each_format tree
	# Of the contexts of x, y and z that begin with h, all but one meet.
	prof-merge -q --to indexed x y z | profraw-cat |
	    jq -c 'select(.guid == "0x0000000000000009") |
	    [.alloc_sites[].info.alloc_count] | sort' | same - <(echo '[5,7]')
}

@test 'data accesses that become one name are one in any tree' {
	heap '{"record":"data_access","symbol":"d.llvm.1","count":2,'$(
	    )'"locations":[{"file":"b","line":1}]}' \
	    '{"record":"data_access","symbol":"d-x","count":1}' >x
	heap '{"record":"data_access","symbol":"d","count":4,'$(
	    )'"locations":[{"file":"a","line":1}]}' \
	    '{"record":"cold_symbol","symbol":"e.llvm.1"}' \
	    '{"record":"cold_symbol","symbol":"e-x"}' >y
	heap '{"record":"cold_symbol","symbol":"d.7"}' \
	    '{"record":"data_access","hash":"0x0000000000000007","count":5}' >z
	tree --to yaml
	grep -qx '      AccessCount: *6' flat
	tree --to indexed
}

@test 'of two names with one guid, YAML has the first in the order of bytes' {
	heap "$(framed 1 '{"function":"f.llvm.1","line_offset":1}')" \
	    "$(allocation 1 1 8)" >x
	sed s/llvm.1/llvm.2/ x >y
	sed s/.llvm.1// x >z
	tree --to yaml
	grep -q 'Function: f,' flat
	prof-merge -q --to yaml y x | grep -q 'Function: f.llvm.1,'
}

@test 'YAML names functions by the stacks that it has, in any tree' {
	local unnamed='"guid":"0xcc914f75dd4ca18f","line_offset":1'

	# Stack 2 of x has no allocation; y has one of the same function.
	heap "$(framed 1 '{"function":"g","line_offset":1}')" \
	    "$(framed 2 '{"function":"f","line_offset":1}')" \
	    "$(allocation 1 1 8)" >x
	heap "$(framed 1 "{$unnamed}")" "$(allocation 1 1 8)" >y
	heap "$(framed 1 '{"function":"g","line_offset":2}')" \
	    "$(allocation 1 2 8)" >z
	tree --to yaml
	grep -q 'Function: g,' flat
	! grep 'Function: f,' flat || return 1
	heap "$(framed 1 '{"function":"f","line_offset":1}')" \
	    "$(allocation 1 1 8)" >z
	tree --to yaml
	grep -q 'Function: f,' flat
}

@test 'heap profiles and counters go together' {
	profile '"level":"frontend"' "$(fn a 1 1)" >x
	heap "$(stack 1 7)" "$(allocation 1 2 10)" >y
	any_order x y
	head -n 1 sum | grep -qF '"kind":"mixed","level":"frontend","inputs":2,"folded":true}'
	grep -q '"name":"a"' sum
	grep -q '"alloc_count":2' sum
	prof-merge x x | head -n 1 | grep -q '"kind":"instr"'
}

@test 'what cannot be done is refused' {
	profile '' "$(fn a 1 1)" >x
	heap "$(stack 1 7)" "$(allocation 1 2 10)" >y
	refused 'heap data cannot be subtracted' prof-merge --subtract y x
	quiet prof-merge --subtract x y >sum
	grep -q '"alloc_count":2' sum
}

@test 'a profile that contradicts itself is refused' {
	heap "$(allocation 1 1 1)" >x
	refused 'there is no stack 0x0000000000000001' prof-merge x
	heap '{"record":"stack","id":"0x0000000000000001","pcs":[[3,"0x0000000000000001"]]}' >x
	refused 'stack 0x0000000000000001 is in segment 3, which is missing' \
	    prof-merge x
	heap "$(stack 1 7)" "$(stack 1 8)" >x
	refused 'two stacks have the id 0x0000000000000001' prof-merge x
	heap "$(segment 1 0 aa)" "$(segment 1 0 bb)" >x
	refused 'two segments have the id 1' prof-merge x
	heap "$(stack 1 7)" "$(segment 1 0 bb)" >x
	refused 'segment 1 follows a stack that may be in it' prof-merge x
	# The same once more is the same.
	heap "$(segment 1 0 aa)" "$(segment 1 0 aa)" "$(stack 1 7)" \
	    "$(stack 1 7)" >x
	quiet prof-merge x >sum
	grep -c '"stack"\|"segment"' sum | grep -qx 2
}

@test 'of several heap profiles, the one that contradicts itself is named' {
	local ways=('-j1' '-j3' '-S1K' '--to=indexed -o sum') bad way

	heap "$(stack 1 8)" "$(allocation 1 1 1)" >good
	heap "$(allocation 1 1 1)" "$(stack 1 7)" >stack
	heap '{"record":"memprof_function","name":"f","alloc_sites":[{"stack":"0x0000000000000001","info":{}}]}' \
	    "$(stack 1 7)" >site
	heap '{"record":"memprof_function","name":"f","call_sites":[{"stack":"0x0000000000000001"}]}' \
	    "$(stack 1 7)" >call
	heap '{"record":"stack","id":"0x0000000000000001","pcs":[[3,"0x0000000000000001"]]}' \
	    "$(segment 3 0 aa)" >segment
	heap "$(stack 1 7)" "$(stack 1 8)" >stacks
	heap "$(framed 1 '{"function":"f"}')" "$(framed 1 '{"function":"g"}')" \
	    >frames
	heap "$(segment 1 0 aa)" "$(segment 1 0 bb)" >segments
	heap "$(stack 1 7)" "$(segment 1 0 bb)" >range
	for bad in stack site call segment stacks frames segments range; do
		for way in "${ways[@]}"; do
			echo "$bad $way"
			refused " $bad: " prof-merge $way "$bad" good
			refused " $bad: " prof-merge $way good "$bad"
			refused " $bad: " prof-merge $way "$bad"
		done
	done
	refused ' stack: damaged: there is no stack' prof-index -o sum stack good
}

@test 'ids are those of one profile of several in a stream' {
	heap "$(segment 0 0x10000 aa)" "$(stack 1 0x10100)" \
	    "$(allocation 1 1 8)" >x
	heap "$(segment 0 0x50000 bb)" "$(stack 1 0x50100)" \
	    "$(allocation 1 1 8)" >y
	prof-merge x y >sum
	cat x y | prof-merge | same sum -
	[ "$(grep -c '"stack","id"' sum)" -eq 2 ]
}

# Its bytes depend on the order of contexts: prof-index leaves it as it is.
@test 'an indexed file of LLVM is written again to the byte' {
	need_corpus
	need llvm-profdata-22
	local sample

	for sample in ctx-v22-nopie names-v22 solib-v22; do
		echo "$sample"
		llvm-profdata-22 merge "$memprof/$sample.raw" -o x \
		    --profiled-binary="$memprof/$sample.dbg"
		quiet prof-index -o y x
		cmp x y
		# Twice, it is a sum.
		prof-index -o y x x
		run -1 cmp -s x y
	done
}

@test 'a run twice is a run with twice the counts' {
	need_corpus
	prof-merge "$memprof/ctx-v22-pie.raw" >one
	any_order "$memprof/ctx-v22-pie.raw" "$memprof/ctx-v22-pie.raw"
	jq -c 'select(.record == "stack")' one >want
	jq -c 'select(.record == "stack")' sum | same want -
	jq -c 'select(.record == "allocation") | .info |
	    [.alloc_count * 2, .total_size * 2, .min_size, .max_size]' one >want
	jq -c 'select(.record == "allocation") | .info |
	    [.alloc_count, .total_size, .min_size, .max_size]' sum | same want -
}

@test 'two runs of a program are folded' {
	need_corpus
	any_order "$memprof/ctx-v22-nopie-9rounds.raw" "$memprof/ctx-v22-nopie.raw"
	# All of the shorter one's contexts are in the longer one.
	prof-merge "$memprof/ctx-v22-nopie-9rounds.raw" >long
	[ "$(grep -c '"stack","id"' sum)" -eq "$(grep -c '"stack","id"' long)" ]
}

@test 'profiles of all versions are merged, in any order' {
	need_corpus
	any_order "$memprof"/ctx-v{14,15,16,19,22}-{pie,nopie}.raw
	# What the runtimes of 14 and 15 counted wrong is not there.
	any_order "$memprof"/ctx-v{14,15}-pie.raw
	[ "$(grep -c max_size sum)" -eq 0 ]
}

# What is known of addresses does not depend on when it was looked up.
@test 'runs may be symbolized before they are merged or after' {
	need_corpus
	local run

	for run in ctx-v22-nopie ctx-v22-nopie-9rounds; do
		prof-symbolize -q --binary "$memprof/ctx-v22-nopie.dbg" \
		    -o "$run" "$memprof/$run.raw"
	done
	prof-merge ctx-v22-nopie ctx-v22-nopie-9rounds >before
	prof-merge "$memprof"/ctx-v22-nopie{,-9rounds}.raw |
	    prof-symbolize -q --binary "$memprof/ctx-v22-nopie.dbg" |
	    prof-merge >after
	grep -q '"function":"main"' before
	same before after
}

# dump BASE FIRST ORDER: 70 stacks in a program and a library, and their blocks.
dump() {
	local i

	heap "$(segment 0 "$1" aa)" "$(segment 1 $(($1 * 3)) bb)" "$(
	    for i in $(seq "$2" $(($2 + 69))); do
		stack $((i * 7 + $1)) $(($1 + i)) $(($1 * 3 + 9)) \
		    $(($1 + 1)) $i
	    done)" "$(for i in $(seq "$2" $(($2 + 69)) | $3); do
		allocation $((i * 7 + $1)) $((i % 5 + 1)) $i; done)"
}

@test 'stacks that come with their blocks are folded as those that do not' {
	local version order

	for version in 3 4 5; do for order in cat tac; do
		dump 0x100000 1 $order >a
		dump 0x300000 33 $order >b
		for f in a b; do
			write-raw memprof-raw:$version -o $f.raw $f
		done
		prof-merge -q a.raw b.raw a.raw >raw
		profraw-cat -q a.raw b.raw a.raw | prof-merge -q | same raw -
		prof-merge -q a.raw >raw
		profraw-cat -q a.raw | prof-merge -q | same raw -
		printf "%s\n" 3,a.raw b.raw | prof-merge -q --files-from - >raw
		profraw-cat -q a.raw a.raw a.raw b.raw | prof-merge -q >plain
		[ "$(contexts raw)" = "$(contexts plain)" ]
		cat a.raw a.raw >two.raw
		prof-merge -q b.raw two.raw >raw
		profraw-cat -q b.raw two.raw | prof-merge -q | same raw -
	done; done
}
