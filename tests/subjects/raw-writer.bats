# Raw profiles that we write: that our own reader has back what went in, and
# what each version cannot hold.  LLVM's readers are asked in tests/oracle/text.bats.

load ../support/helper

setup() {
	good=$(data good)
	real=$(data real)
	cd "$BATS_TEST_TMPDIR"
	newest=$(profraw-cat --to raw:999 x 2>&1 |
	    sed -n 's/.*: versions 4 to \([0-9]*\) can$/\1/p')
}

# versions FIRST: those from FIRST on that can be written.
versions() {
	seq "$1" "$newest"
}

ir() {
	profile '"level":"ir"' "$@"
}

# Without what a raw profile says by its version, or by addresses.
content() {
	jq -c 'del(.source, .frontend_versions) |
	    if .record == "vtable" then {record, name} else . end' "$@"
}

machines='le,64 be,64 le,32 be,32'

# comes_back VERSION [MACHINE...]: the stream does, from all machines.
comes_back() {
	local machine

	content stream >want
	for machine in ${2-$machines}; do
		echo "$1 $machine"
		quiet profraw-cat --to "raw:$1,$machine" -o file stream
		profraw-cat -q file | content | same want -
	done
}

@test 'magic, version and attributes are in the first 16 bytes' {
	ir "$(fn f 1 7)" >stream
	profraw-cat --to raw:8,be,32 -o file stream
	[ "$(head -c 16 file | od -An -v -tx1 | tr -d ' \n')" = \
	    ff6c70726f665281'0100000000000008' ]
	profraw-cat --to raw:8,le,64 -o file stream
	[ "$(head -c 16 file | od -An -v -tx1 | tr -d ' \n')" = \
	    8172666f72706cff'0800000000000001' ]
	profile '"level":"frontend","byte_coverage":true,"temporal":true' \
	    "$(fn f 1 1)" | profraw-cat --to raw:9,be -o file
	[ "$(head -c 16 file | od -An -v -tx1 | tr -d ' \n')" = \
	    ff6c70726f667281'9000000000000009' ]
	profraw-cat file | jq -c '.source // empty' >source
	echo '{"file":"file","format":"raw","version":9,"endian":"big",'$(
	    )'"pointer_bits":64}' | same source -
	# What LLVM 22 reads, little-endian and of 64 bits, unless told.
	profraw-cat --to raw -o file stream
	profraw-cat --to raw:10,64,le -o other stream
	cmp file other
	prof-merge --to raw -o other stream
	cmp file other
}

@test 'all versions hold names, hashes, counters and values' {
	local version f g

	f='"values":{"indirect_call_target":[[],[{"target":"g","count":9},'
	f+='{"target_guid":"0x0000000000000000","count":4},'
	f+='{"target":"f","count":4}]]}'
	g='"values":{"indirect_call_target":[[{"target":"dir/a.c;g","count":1}'
	g+=']],"mem_op_size":[[{"size":"18446744073709551615","count":'
	g+='"18446744073709551615"},{"size":0,"count":0}],[],[]]}'
	ir "$(fn g 1 5,0,7 "$g")" "$(fn f 0 '"18446744073709551615",1' "$f")" \
	    "$(fn 'fünf $#:' -1 4294967296)" "$(fn dir/a.c\;g 7 0)" \
	    "$(fn g 2 9007199254740993 | sed 's/\[\(.*\)\]/["\1"]/')" \
	    '{"record":"function","name_hex":"66ff00",'$(
	    )'"hash":"0x0000000000000001","counts":[1,2]}' >stream
	for version in $(some 2 $(versions 4)); do
		comes_back "$version"
	done
}

@test 'attributes, ids, bitmaps, vtables and time stamps of later versions' {
	local version ids f

	profile '"level":"frontend"' "$(fn f 1 7)" >stream
	comes_back 4
	profile '"level":"ir","context_sensitive":true' "$(fn f 1 7)" >stream
	comes_back 4
	profile '"level":"ir","entry_first":true' "$(fn f 1 7)" >stream
	comes_back 5
	ids='{"record":"binary","build_id":"01"}'
	ids+=$'\n{"record":"binary","build_id":"0102030405060708"}'
	ids+=$'\n{"record":"binary","build_id":"aabbccddeeff"}'
	ir "$ids" "$(fn f 1 7)" >stream
	for version in $(some 2 $(versions 6)); do
		comes_back "$version"
	done
	profile '"level":"ir","byte_coverage":true,'$(
	    )'"function_entry_only":true' "$(fn f 1 1,0,1)" \
	    "$(fn g 1 0)" >stream
	comes_back 8
	profile '"level":"ir","temporal":true' "$(fn g 1 1)" "$(fn f 1 7,8)" \
	    "$(fn h 1 0)" \
	    '{"record":"trace","weight":1,"functions":["f","g"]}' >stream
	comes_back 8
	profile '"level":"ir","byte_coverage":true,"temporal":true' \
	    "$(fn g 1 1)" "$(fn f 1 1,0)" "$(fn h 1 0,0,0,0,0,0,0,0,0)" \
	    '{"record":"trace","weight":1,"functions":["f","g"]}' >stream
	comes_back 9
	profile '"level":"frontend"' "$(fn f 1 7 '"bitmap":"01"')" \
	    "$(fn g 1 7)" "$(fn h 1 7,8 '"bitmap":"010203040506070809"')" \
	    >stream
	comes_back 9
	comes_back 11
	f='"values":{"vtable_target":[[{"target":"_ZTV1B","count":2},'
	f+='{"target":"_ZTV1A","count":1}],[]]}'
	profile '"level":"ir","loop_entries":true' "$ids" \
	    '{"record":"vtable","name":"_ZTV1A"}' \
	    '{"record":"vtable","name":"_ZTV1B"}' \
	    "$(fn f 1 7 '"bitmap":"01",'"$f")" >stream
	comes_back 10
	comes_back 11
}

# As a program for GPUs has them: all members of a record, and their sections.
@test 'uniform counters and a wave size of version 11' {
	local machine f v

	v='"values":{"indirect_call_target":[[{"target":"f","count":9}]],'
	v+='"mem_op_size":[[{"size":8,"count":2}],[]],'
	v+='"vtable_target":[[{"target":"_ZTV1A","count":1}]]}'
	f="$(fn f 1 1,2,3 '"bitmap":"010203","uniform_counts":[0,7,'$(
	    )'"18446744073709551615"]')"
	profile '"level":"ir","wave_size":64' \
	    '{"record":"binary","build_id":"0102030405"}' \
	    '{"record":"vtable","name":"_ZTV1A"}' "$f" \
	    "$(fn g 2 4 '"uniform_counts":[5],'"$v")" >stream
	comes_back 11
	# And the file itself, to the byte.
	for machine in $machines; do
		profraw-cat --to "raw:11,$machine" -o once stream
		profraw-cat once | profraw-cat --to "raw:11,$machine" -o twice
		cmp once twice
	done
	# Time stamps have one too, and with byte coverage each of their bytes.
	profile '"level":"ir","temporal":true' \
	    "$(fn f 1 7 '"uniform_counts":[1,2]')" >stream
	comes_back 11
	profile '"level":"ir","byte_coverage":true,"temporal":true' \
	    "$(fn f 1 1 '"uniform_counts":[1,2,3,4,5,6,7,8,9]')" >stream
	comes_back 11
	# A wave size without counters, and profiles with and without them.
	{
		profile '"level":"ir","wave_size":32' "$(fn f 1 1,2,3)"
		ir "$f"
		ir "$(fn f 1 1,2,3)"
	} >stream
	quiet profraw-cat --to raw:11 -o file stream
	quiet profraw-cat file | content | sed 's/,"last":true//' >got
	same <(content stream | sed 's/,"last":true//') got
}

@test 'uniform counters that no raw profile can hold' {
	local only='"uniform_counts":[1]'

	is_refused 11 'a different number of uniform counters and counters: f' \
	    '"level":"ir"' "$(fn f 1 7,8 "$only")"
	is_refused 11 'with uniform counters and others without: g' \
	    '"level":"ir"' "$(fn f 1 7 "$only")" "$(fn g 1 7)"
	is_refused 11 'with uniform counters and others without: g' \
	    '"level":"ir"' "$(fn f 1 7)" "$(fn g 1 7 "$only")"
	is_refused 11 'a wave size above 65535' \
	    '"level":"ir","wave_size":65536' "$(fn f 1 7)"
	profile '"level":"ir","wave_size":64' >stream
	warns 'raw version 11 cannot hold a wave size: dropped 64' -- \
	    profraw-cat --to raw:11 -o file stream
}

@test 'a hash may be the guid of a function' {
	local version hash

	# A record without a name: the reader looks for records of other sizes.
	hash=$(guid f)
	ir "$(fn f "$hash" 1)" "$(nameless_fn 7 "$hash" 2)" "$(fn g 1 3)" \
	    >stream
	for version in $(some 2 $(versions 4)); do
		comes_back "$version"
	done
}

@test 'profiles of nothing' {
	local version machine

	ir >stream
	for version in $(some 2 $(versions 4)); do
		for machine in $machines; do
			echo "$version $machine"
			quiet profraw-cat --to "raw:$version,$machine" \
			    -o file stream
			quiet profraw-cat file | content >got
			grep -q '"end"' got
			[ "$(wc -l <got)" -eq 2 ]
		done
	done
}

# Records as they are, in their order, in the same version.
@test 'the good raw profiles of the reader come back' {
	local file head n=0 why='a target without a record of its own|'$(
	    )'functions of a correlated profile|a function that has no rec'$(
	    )'ord|a profile that is not temporal'

	for file in $(some 4 "$good"/*.profraw); do
		profraw-cat -q "$file" >stream
		read -r head <stream
		[[ $head =~ \"raw\",\"version\":([4-9]|1[01]), ]] || continue
		echo "${file##*/}"
		if profraw-cat --to "raw:${BASH_REMATCH[1]},be,32" -o file \
		    stream 2>stderr; then
			same <(content stream) <(profraw-cat -q file | content)
			n=$((n + 1))
		else
			grep -E "$why" stderr
		fi
	done
	[ "$n" -ge "$(of_all 40 10)" ]
}

@test 'real profiles come back, for all machines' {
	local file machine

	for file in $(some 3 "$real"/*.profraw); do
		prof-merge "$file" -o stream
		sed -i 's/,"inputs":2//' stream
		for machine in le,64 be,32; do
			echo "${file##*/}"
			if grep -q '"target_guid":"0x0*[1-9a-f]' stream; then
				refused 'a target without a record' \
				    profraw-cat --to raw stream
			else
				comes_back 10 "$machine"
			fi
		done
	done
}

# is_refused VERSION REGEX KEYS RECORD...: by that version and by the oldest,
# and no file is there.
is_refused() {
	profile "${@:3}" >stream
	refused "raw version $1 cannot hold .*$2" profraw-cat --to "raw:$1" \
	    -o file stream
	refused 'cannot hold' profraw-cat --to raw:4 -o file stream
	[ ! -e file ]
}

@test 'what a version cannot hold is refused' {
	local f

	f=$(fn f 1 7)
	is_refused 4 'the flag entry_first' '"level":"ir","entry_first":true' \
	    "$f"
	is_refused 5 'binary ids' '"level":"ir"' \
	    '{"record":"binary","build_id":"01"}' "$f"
	is_refused 7 'byte coverage' '"level":"ir","byte_coverage":true' "$f"
	is_refused 7 'the flag function_entry_only' \
	    '"level":"ir","function_entry_only":true' "$f"
	is_refused 7 'time stamps' '"level":"ir","temporal":true' "$f"
	is_refused 8 'MC/DC bitmaps' '"level":"ir"' \
	    "$(fn f 1 7 '"bitmap":"01"')"
	is_refused 9 'the flag loop_entries' \
	    '"level":"ir","loop_entries":true' "$f"
	is_refused 9 vtables '"level":"ir"' '{"record":"vtable","name":"v"}' \
	    "$f"
	is_refused 9 'vtable values' '"level":"ir"' \
	    "$(fn f 1 7 '"values":{"vtable_target":[[]]}')"
}

@test 'what no version can hold is refused' {
	local f call

	f=$(fn f 1 7)
	call='"values":{"indirect_call_target":[[{"target":"g","count":1}]]}'
	is_refused 10 'uniform counters' '"level":"ir"' \
	    "$(fn f 1 7 '"uniform_counts":[1]')"
	is_refused 10 'a function without counters: f$' '"level":"ir"' \
	    "$(fn f 1 '')"
	is_refused 10 'an empty name or one with the byte 0x01: a.b' \
	    '"level":"ir"' "$(fn 'a\u0001b' 1 7)"
	ir '{"record":"vtable","name":"v\u0001w"}' "$f" >stream
	refused 'name v.w .*0x01' profraw-cat --to raw -o file stream
	is_refused 10 'a target without a record of its own: g$' \
	    '"level":"ir"' "$(fn f 1 7 "$call")"
	is_refused 10 'a target without a record of its own: .unknown.$' \
	    '"level":"ir"' "$(fn f 1 7 "${call/target\":\"g/$(
	    )target_guid\":\"0x0000000000000007}")"
	is_refused 10 'more than one trace, or a weighted one' \
	    '"level":"ir","temporal":true' "$f" \
	    '{"record":"trace","weight":2,"functions":["f"]}'
	is_refused 10 'more than one trace, or a weighted one' \
	    '"level":"ir","temporal":true' "$f" \
	    '{"record":"trace","weight":1,"functions":["f"]}' \
	    '{"record":"trace","weight":1,"functions":["f"]}'
	is_refused 10 'a trace in a profile that is not temporal' \
	    '"level":"ir"' "$f" \
	    '{"record":"trace","weight":1,"functions":["f"]}'
	is_refused 10 'trace with a function that has no record or occurs twice: g' \
	    '"level":"ir","temporal":true' "$f" \
	    '{"record":"trace","weight":1,"functions":["f","g"]}'
	is_refused 10 'trace with a function that has no record or occurs twice: f' \
	    '"level":"ir","temporal":true' "$f" \
	    '{"record":"trace","weight":1,"functions":["f","f"]}'
	is_refused 10 'functions of a correlated profile' \
	    '"level":"ir","debug_info_correlated":true' "$f"
	is_refused 10 'functions of a correlated profile' \
	    '"level":"ir","binary_correlated":true' "$f"
	is_refused 10 'counters without functions' '"level":"ir"' \
	    '{"record":"raw_counters","counts":[1]}'
	is_refused 10 'records of unknown types' '"level":"ir"' "$f" \
	    '{"record":"other"}'
	is_refused 10 'an empty binary id' '"level":"ir"' \
	    '{"record":"binary","build_id":""}' "$f"
	profile '' "$f" | sed 's/instr/memprof/' >stream
	refused 'cannot hold heap profiles' profraw-cat --to raw stream
}

@test 'more than 65535 sites are refused' {
	# sites NUMBER: as many, all empty.
	sites() {
		ir "$(fn f 1 7 '"values":{"mem_op_size":[@]}')" |
		    awk -v n="$1" -F@ 'NF == 2 {
			printf "%s[]", $1
			while (--n > 0)
				printf ",[]"
			print $2
			next
		} 1'
	}
	sites 65535 >stream
	comes_back 10 le,64
	sites 65536 >stream
	refused 'more than 65535 value sites of a kind: f' \
	    profraw-cat --to raw -o file stream
}

# loses REGEX KEYS RECORD...: it is told, and the rest is written.
loses() {
	profile "${@:2}" >stream
	warns "$1" -- profraw-cat --to raw -o file stream
	quiet profraw-cat -q --to raw -o quiet stream
	cmp file quiet
	profraw-cat -q file | content >got
}

@test 'what raw profiles have no place for is told' {
	local f values lost='^profraw-cat: warning: raw version 10 cannot'

	f=$(fn f 1 7)
	loses "$lost hold a trace stream size: dropped 9" \
	    '"level":"ir","temporal":true,"trace_stream_size":9' "$f" \
	    '{"record":"trace","weight":1,"functions":["f"]}'
	loses "$lost hold traces without functions: dropped 1" \
	    '"level":"ir","temporal":true' "$f" \
	    '{"record":"trace","weight":1,"functions":[]}'
	loses "$lost hold a wave size: dropped 32" \
	    '"level":"ir","wave_size":32' "$f"
	loses "$lost say that a profile was salvaged" \
	    '"level":"ir","salvaged":true' "$f"
	grep -qF '"counts":[7]' got
	loses 'byte coverage is 0 or 1: 2 larger counts became 1' \
	    '"level":"ir","byte_coverage":true' "$(fn f 1 0,1,2,300)"
	grep -qF '"counts":[0,1,1,1]' got
	values=$(seq 300 -1 1 | sed 's/.*/{"size":&,"count":&}/' | paste -sd,)
	loses 'raw profiles hold 255 values a site: 45 were dropped' \
	    '"level":"ir"' "$(fn f 1 7 '"values":{"mem_op_size":[['$(
	    )"$values"']]}')"
	[ "$(jq '.values // empty | .mem_op_size[0] | map(.size) | min' got)" \
	    -eq 46 ]
}

@test 'a function known only by its hash stays one' {
	ir '{"record":"function","guid":"0x00000000000000aa",'$(
	    )'"hash":"0x0000000000000001","counts":[3]}' "$(fn f 1 7 \
	    '"values":{"indirect_call_target":[[{"target_guid":'$(
	    )'"0x00000000000000aa","count":5}]]}')" >stream
	comes_back 10
	comes_back 4
	head -n 2 stream >only
	tail -n 1 stream >>only
	mv only stream
	comes_back 10
}

@test 'a vtable that is a target has a record' {
	ir "$(fn f 1 7 '"values":{"vtable_target":[[{"target":"v","count":5},'$(
	    )'{"target_guid":"0x0000000000000000","count":1}]]}')" >stream
	quiet profraw-cat --to raw -o file stream
	quiet profraw-cat file >got
	same <(content stream) <(content got | grep -v vtable\",)
	[ "$(grep -c '"record":"vtable"' got)" -eq 1 ]
}

@test 'each profile is an image of a file' {
	local version machine

	{
		ir '{"record":"binary","build_id":"0102"}' "$(fn f 1 7)"
		profile '"level":"frontend"' "$(fn g 1 1,2,3)" "$(fn f 1 5 \
		    '"values":{"indirect_call_target":[[{"target":"g",'$(
		    )'"count":1}]]}')"
		ir
		ir '{"record":"binary","build_id":"03"}' "$(fn f 1 9)"
	} >stream
	for version in $(some 3 $(versions 6)); do
		for machine in $machines; do
			echo "$version $machine"
			quiet profraw-cat --to "raw:$version,$machine" \
			    -o file stream
			quiet profraw-cat file | content >got
			# One without functions has no level to tell.
			content stream | sed 's/,"last":true//' >want
			sed -i 's/,"last":true//' got
			[ "$(grep -c '"profile"' got)" -eq 4 ]
			same <(grep -v '"profile"' want) \
			    <(grep -v '"profile"' got)
		done
	done
	# All time stamps of a file are one trace.
	profile '"level":"ir","temporal":true' "$(fn f 1 7)" \
	    '{"record":"trace","weight":1,"functions":["f"]}' >stream
	quiet profraw-cat --to raw -o file stream
	refused 'more than one trace' profraw-cat --to raw -o other stream \
	    stream
	[ ! -e other ]
}

@test 'a program of many functions' {
	awk 'BEGIN {
		print "{\"record\":\"profile\",\"stream\":1," \
		    "\"kind\":\"instr\",\"level\":\"ir\"}"
		for (i = 0; i < 4000; i++)
			printf "{\"record\":\"function\",\"name\":\"f%d\"," \
			    "\"hash\":\"0x%016x\",\"counts\":[%d,%d,%d]," \
			    "\"values\":{\"indirect_call_target\":[[" \
			    "{\"target\":\"f%d\",\"count\":%d}]]}}\n",
			    i, i, i, i + 1, 7 * i, 3999 - i, i + 1
		print "{\"record\":\"end\",\"last\":true}"
	}' >stream
	comes_back 10 le,64
	comes_back 4 be,32
}

@test 'the machine is told with the version' {
	local to

	ir "$(fn f 1 7)" >stream
	for to in raw:10,be,32 raw:10,32,be raw:10,le,be,64,32; do
		quiet profraw-cat --to "$to" -o file stream
		profraw-cat file | grep -qF '"endian":"big","pointer_bits":32'
	done
	usage_error "raw version 3 cannot be written: versions 4 to $newest can" \
	    profraw-cat --to raw:3 stream
	usage_error "raw version $((newest + 1)) cannot be written: versions 4 to $newest can" \
	    profraw-cat --to "raw:$((newest + 1))" stream
	profraw-cat --to raw:be stream | profraw-cat | grep -qF '"endian":"big"'
	usage_error "'' is not a version" profraw-cat --to raw: stream
	usage_error 'raw version 128 cannot be written' \
	    profraw-cat --to raw:8,128 stream
	usage_error "'be' is not a version of indexed, nor memprof-0, " \
	    profraw-cat --to indexed:8,be stream
}
