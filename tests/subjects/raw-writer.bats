# Raw profiles of each version, byte order and word size: our reader has back
# what write-raw of the tests was given.  LLVM's readers are asked in
# tests/oracle/text.bats.

load ../support/helper

setup() {
	good=$(data good)
	real=$(data real)
	cd "$BATS_TEST_TMPDIR"
	newest=11
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
		write-raw "raw:$1,$machine" -o file stream
		profraw-cat -q file | content | same want -
	done
}

@test 'magic, version and attributes are in the first 16 bytes' {
	ir "$(fn f 1 7)" >stream
	write-raw raw:8,be,32 -o file stream
	[ "$(head -c 16 file | od -An -v -tx1 | tr -d ' \n')" = \
	    ff6c70726f665281'0100000000000008' ]
	write-raw raw:8,le,64 -o file stream
	[ "$(head -c 16 file | od -An -v -tx1 | tr -d ' \n')" = \
	    8172666f72706cff'0800000000000001' ]
	profile '"level":"frontend","byte_coverage":true,"temporal":true' \
	    "$(fn f 1 1)" | write-raw raw:9,be -o file
	[ "$(head -c 16 file | od -An -v -tx1 | tr -d ' \n')" = \
	    ff6c70726f667281'9000000000000009' ]
	profraw-cat file | jq -c '.source // empty' >source
	echo '{"file":"file","format":"raw","version":9,"endian":"big",'$(
	    )'"pointer_bits":64}' | same source -
	# What LLVM 22 reads, little-endian and of 64 bits, unless told.
	write-raw raw -o file stream
	write-raw raw:10,64,le -o other stream
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
	ir "$(fn g 1 5,0,7 "$g")" "$(fn f 0 '"18446744073709551613",1' "$f")" \
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
		write-raw "raw:11,$machine" -o once stream
		profraw-cat once | write-raw "raw:11,$machine" -o twice
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
	write-raw raw:11 -o file stream
	quiet profraw-cat file | content | sed 's/,"last":true//' >got
	same <(content stream | sed 's/,"last":true//') got
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
			write-raw "raw:$version,$machine" -o file stream
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
		if write-raw "raw:${BASH_REMATCH[1]},be,32" -o file \
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
				write-raw raw stream 2>&1 |
				    grep -q 'a target without a record'
			else
				comes_back 10 "$machine"
			fi
		done
	done
}

@test '65535 sites of a function' {
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
	write-raw raw -o file stream
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
			write-raw "raw:$version,$machine" -o file stream
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
	write-raw raw -o file stream
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
