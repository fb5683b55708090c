# Raw heap profiles: reading all versions of them, and writing those that LLVM
# reads.  LLVM's reader is asked where it is there.

load ../support/helper

setup() {
	good=$(data memprof-raw/good)
	bad=$(data memprof-raw/bad)
	real=$(data memprof-raw/real)
	cd "$BATS_TEST_TMPDIR"
}

@test 'good raw heap profiles decode to their streams' {
	local file n=0

	cd "$good"
	for file in *.memprofraw; do
		decodes "$file"
		n=$((n + 1))
	done
	[ "$n" -ge 20 ]
}

# The code of an error is not printed: tests/unit/raw_errors.c looks at it.
@test 'bad raw heap profiles are refused, at the place and for the reason' {
	local folder code offset regex

	for folder in $(some 4 "$bad"/*/); do
		read -r code offset regex <"$folder/error"
		echo "${folder#"$bad/"} $code $offset $regex"
		refused ": $offset: .*$regex" profraw-cat -o file \
		    "$folder/input"
		[ ! -s out ]
		[ ! -e file ]
	done
}

@test 'a file that is cut off anywhere is refused' {
	local size n

	size=$(wc -c <"$good/v5-le.memprofraw")
	for n in $(seq $((size - 1)) | some 23); do
		head -c "$n" "$good/v5-le.memprofraw" >cut
		refused . profraw-cat -o file cut
	done
}

@test 'what says less than a file holds is told' {
	# Two segments or blocks of three.
	while read -r at regex; do
		cp "$good/v3-le.memprofraw" file
		printf '\2' | dd of=file bs=1 seek="$at" conv=notrunc status=none
		profraw-cat file >stream 2>stderr
		grep -qE "$regex" stderr
	done <<-'END'
	48 file: 0xb8: warning: 64 bytes after the last of 2 segments
	248 file: 0x218: warning: 144 bytes after the last of 2 memory info
	END
	[ "$(grep -c '"allocation"' stream)" -eq 2 ]
}

# Without what depends on where a stream was read from.
content() {
	jq -c 'del(.source)' "$@"
}

@test 'good profiles of versions that are written come back' {
	local version order

	for version in 3 4 5; do
		unsourced "$good/v$version-le.ndjson" >want
		for order in le be; do
			echo "$version $order"
			quiet profraw-cat --to "memprof-raw:$version,$order" \
			    -o file "$good/v$version-le.ndjson"
			quiet profraw-cat file | content | same want -
			[ "$(profraw-cat file | head -n 1 | jq -r \
			    '.source | "\(.version) \(.endian)"')" = \
			    "$version ${order/le/little}" ] ||
			    [ "$order" = be ]
		done
	done
	# Versions without a dead pointer come back to the byte.
	for order in le be; do
		profraw-cat --to "memprof-raw:3,64,$order" -o file \
		    "$good/v3-le.memprofraw"
		cmp file "$good/v3-$order.memprofraw"
	done
	# The newest version, little-endian, unless told.
	profraw-cat --to memprof-raw -o file "$good/v5-be.memprofraw"
	profraw-cat --to memprof-raw:5,le -o other "$good/v5-le.ndjson"
	cmp file other
}

@test 'the fields of the header' {
	local words size

	profraw-cat --to memprof-raw:4,be -o file "$good/v4-le.memprofraw"
	words=$(head -c 48 file | od -An -v -tx1 | tr -d ' \n')
	size=$(wc -c <file)
	[ "$words" = ff6d70726f667281"$(printf %016x 4 "$size" 48 248 752)" ]
	profraw-cat --to memprof-raw -o file "$good/empty.memprofraw"
	[ "$(wc -c <file)" -eq 72 ]
	cmp file "$good/empty.memprofraw"
}

@test 'profiles become dumps, and dumps of one run one profile' {
	local n

	quiet profraw-cat -q --to memprof-raw:5 -o file \
	    "$good/v5-le.memprofraw" "$good/v3-be.memprofraw" \
	    "$good/three.memprofraw"
	n=$(grep -c 'Magic' < <(LC_ALL=C grep -aobF $'\x81rforpm\xff' file |
	    sed 's/.*/Magic/'))
	[ "$n" -eq 3 ]
	warns '3 dumps of one run are added up' 'do not fit' -- \
	    profraw-cat -o stream file
	[ "$(grep -c '"profile"' stream)" -eq 1 ]
	profraw-cat -q --to memprof-raw -o file "$good/runs.memprofraw" \
	    2>stderr || grep -q 'only the binary' stderr
}

# A stream of one heap profile: records between its ends.
heap() {
	profile '' "$@" | sed '1s/instr/memprof/'
}

segment='{"record":"segment","id":4,"start":"0x0000000000401000",'
segment+='"end":"0x0000000000402000","offset":"0x0000000000000000"}'
moved='{"record":"segment","id":7,"build_id":"0102"}'
info='"info":{"alloc_count":1,"total_access_count":2,"min_access_count":2,'
info+='"total_size":8,"min_size":8}}'

# stack ID PCS KEYS, with an ID of one digit.
stack() {
	printf '{"record":"stack","id":"0x%016x","pcs":[%s]%s}\n' "$@"
}

allocation() {
	printf '{"record":"allocation","stack":"0x%016x",%s\n' "$1" "$info"
}

pc() {
	printf '"0x%016x"' "$1"
}

@test 'addresses of modules become those of a run' {
	local pie=${segment//\"0x0000000000000000\"/\"0x0000000000400000\"}

	heap "$pie" "$(stack 1 "[4,$(pc 0x1010)],$(pc 0x500000)")" \
	    "$(allocation 1)" >stream
	profraw-cat -q --to memprof-raw -o file stream
	[ "$(profraw-cat -q file | jq -c '.pcs // empty')" = \
	    "[$(pc 0x401010),$(pc 0x500000)]" ]
	heap "$(stack 1 "[5,$(pc 1)]")" >stream
	refused 'an address of segment 5, which is missing' profraw-cat \
	    --to memprof-raw stream
}

# places RECORD...: start, end and offset of segments, then addresses.
places() {
	heap "$@" >stream
	profraw-cat -q --to memprof-raw:5 -o file stream
	profraw-cat -q --to memprof-raw:5,be -o other stream
	profraw-cat -q file | content >a
	profraw-cat -q other | content | same a -
	profraw-cat -q file | jq -r 'if .record == "segment" then
	    "\(.start) \(.end) \(.offset)" else .pcs // empty |
	    join(" ") end' | sed 's/0x0*\([^ ]\)/\1/g'
}

@test 'modules without a range get one that is free' {
	local second='{"record":"segment","id":8,"build_id":"03"}'

	# From the bottom up, in steps of 1 MiB.
	[ "$(places "$moved" "$second" \
	    "$(stack 1 "[7,$(pc 0x1fffff)],[8,$(pc 5)]")" \
	    "$(allocation 1)")" = \
	    $'0 200000 0\n200000 201000 200000\n1fffff 200005' ]
	# Above ranges and addresses that are in the way, or between them.
	[ "$(places "$segment" "$moved" "$second" \
	    "$(stack 1 "[7,$(pc 0xfffff)],[8,$(pc 0x201000)]")" \
	    "$(stack 2 "$(pc 0x100001),[4,$(pc 0x401001)]")" \
	    "$(allocation 1)")" = $'401000 402000 0\n0 100000 0\n'$(
	    )$'500000 702000 500000\nfffff 701000\n100001 401001' ]
	# Above an address behind one that is passed over.
	[ "$(places "$moved" "$(stack 1 "[7,$(pc 0x1fff)]")" \
	    "$(stack 2 "$(pc 0x1000),$(pc 0x2000),$(pc 0x100010)")" \
	    "$(allocation 1)")" = \
	    $'200000 202000 200000\n201fff\n1000 2000 100010' ]
	heap "$moved" "$(stack 1 "[7,$(pc -1)]")" >stream
	refused 'no room for segment 7, whose addresses go up to 0xf*$' \
	    profraw-cat --to memprof-raw stream
	heap "$moved" "$(stack 1 "[7,$(pc 1)],$(pc 1),$(pc -1)")" >stream
	refused 'no room for segment 7' profraw-cat --to memprof-raw stream ||
	    places "$moved" "$(stack 1 "[7,$(pc 1)],$(pc 1),$(pc -1)")"
}

@test 'a stack that occurs again is written once' {
	local second='{"record":"segment","id":8,"build_id":"03"}' \
	    one="$(stack 1 "[7,$(pc 5)],$(pc 9),[8,$(pc 5)]")" \
	    two="$(stack 2 "[7,$(pc 6)]")"

	places "$moved" "$second" "$one" "$two" "$(allocation 1)" >want
	places "$moved" "$second" "$one" "$one" "$two" "$one" \
	    "$(allocation 1)" | same want -
	# The same offset into another module is another address.
	for other in "$(stack 1 "[8,$(pc 5)],$(pc 9),[8,$(pc 5)]")" \
	    "$(stack 1 "$(pc 5),$(pc 9),[8,$(pc 5)]")" \
	    "$(stack 1 "[7,$(pc 5)],[7,$(pc 9)],[8,$(pc 5)]")" \
	    "$(stack 1 "[7,$(pc 5)]")"; do
		heap "$moved" "$second" "$one" "$two" "$other" >stream
		refused 'stack 0x1 occurs twice, and differs' profraw-cat \
		    --to memprof-raw stream
	done
}

@test 'what raw heap profiles cannot hold is refused' {
	local old=${segment/\"end/\"file_addresses\":true,\"end}

	is_refused() {
		heap "${@:2}" >stream
		refused "$1" profraw-cat --to memprof-raw -o file stream
		[ ! -e file ]
	}
	is_refused 'segment 4 has offsets of its file .*only the binary' "$old"
	refused 'segment 0 has offsets of its file' profraw-cat \
	    --to memprof-raw:3 "$good/v2-le.memprofraw"
	is_refused 'stack 0x1 has frames only' \
	    '{"record":"stack","id":"0x0000000000000001","frames":[{}]}'
	is_refused 'a build id above 32 bytes' \
	    "${moved/0102/$(printf '%066d' 1)}"
	is_refused 'segment 7 occurs twice' "$moved" "$moved"
	is_refused 'stack 0x1 occurs twice, and differs' "$(stack 1 '')" \
	    "$(stack 1 '"0x0000000000000001"')"
	is_refused 'allocation is of stack 0x2, which is missing' \
	    "$(stack 1 '')" "$(allocation 2)"
	is_refused 'functions with frames for addresses' \
	    '{"record":"memprof_function","guid":"0x0000000000000001"}'
	is_refused 'instrumentation profiles' "$(fn f 1 7)"
	profile '' "$(fn f 1 7)" >stream
	refused 'instrumentation profiles' profraw-cat --to memprof-raw stream
	usage_error 'memprof-raw version 2 cannot be written: versions 3 to 5 can' \
	    profraw-cat --to memprof-raw:2 stream
	usage_error 'memprof-raw version 6 cannot be written: versions 3 to 5 can' \
	    profraw-cat --to memprof-raw:6 stream
	usage_error 'memprof-raw version 32 cannot be written: versions 3 to 5 can' \
	    profraw-cat --to memprof-raw:5,32 stream
}

# loses VERSION REGEX RECORD...
loses() {
	heap "${@:3}" >stream
	warns "$2" 'have no values for fields' -- \
	    profraw-cat --to "memprof-raw:$1" -o file stream
	quiet profraw-cat -q --to "memprof-raw:$1" -o other stream
	cmp file other
	profraw-cat -q file | content >got
}

@test 'what raw heap profiles have no place for is told' {
	local histogram=',"access_histogram":[1,4097,8191]}}'

	loses 5 'cannot hold frames: dropped 2$' \
	    "$(stack 1 "$(pc 1)" \
	    ',"frames":[{"function":"f","inline":true},{}]')" "$(allocation 1)"
	loses 3 'version 3 cannot hold access histograms: dropped 1$' \
	    "$(stack 1 '')" "$(allocation 1 | sed "s/}}$/$histogram/")"
	loses 5 'histograms of 12 bits and an exponent: 1 were rounded' \
	    "$(stack 1 '')" "$(allocation 1 | sed "s/}}$/$histogram/")"
	grep -qF '"access_histogram":[1,4098,8192]' got
	loses 5 'cannot hold sizes of missing histograms' \
	    "$(stack 1 '')" \
	    "$(allocation 1 | sed 's/}}$/,"access_histogram_size":3}}/')"
	grep -qF '"access_histogram_size":0}' got
	loses 5 'cannot hold records of other types: dropped 2$' \
	    '{"record":"binary","build_id":"01"}' \
	    '{"record":"cold_symbol","symbol":"s"}' "$(stack 1 '')" \
	    "$(allocation 1)"
	heap "$(stack 1 '')" "$(allocation 1)" |
	    sed '1s/"memprof"/&,"salvaged":true/' >stream
	warns 'have no values for fields' 'cannot say that they were salvaged$' \
	    -- profraw-cat --to memprof-raw:5 -o file stream
	loses 5 '1 segments overlap others' "$segment" \
	    "${segment/\"id\":4/\"id\":5}" "$(stack 1 "[5,$(pc 0x401001)]")" \
	    "$(allocation 1)"
	# Unknown maxima become minima, which is what they are in version 1.
	grep -qF '"max_access_count":2,' got
	grep -qF '"max_size":8,' got
	grep -qF '"max_lifetime":0,' got
}

# 0x401000 to 0x401fff are in the segments of the sum, also behind the second
# one, whose range is in the first one's.
@test 'absolute addresses of a sum that are in a segment of another run' {
	local told='5 addresses outside .* are in segments of other runs: '
	local none='have no values for fields' nested

	nested=$(sed 's/"id":4/"id":5/; s/402000/401800/' <<<"$segment")
	heap "$segment" "$nested" "$(stack 1 "$(pc 0x400fff),$(pc 0x401000),$(
	    )$(pc 0x401001),$(pc 0x4017ff),$(pc 0x401800),$(pc 0x401fff),$(
	    )$(pc 0x402000),[4,$(pc 0x401002)],$(pc 0x401800)")" \
	    "$(stack 2 "$(pc 0x401000)")" "$(allocation 1)" \
	    "$(allocation 2)" >run
	sed '1s/}$/,"inputs":2}/' run >sum
	warns 'segments overlap' "$told" "$none" -- \
	    profraw-cat --to memprof-raw:5 -o file sum
	# In a profile of one run, they belong to these segments.
	warns 'segments overlap' "$none" -- \
	    profraw-cat --to memprof-raw:5 -o other run
	cmp file other
	# Segments without a range get one that has none of the addresses.
	heap "$moved" "$(stack 1 "$(pc 0x401000),[7,$(pc 0x401000)]")" \
	    "$(allocation 1)" | sed '1s/}$/,"inputs":2}/' >sum
	warns "$none" -- profraw-cat --to memprof-raw:5 -o file sum
	profraw-cat file | grep -qF '"pcs":["0x0000000000401000",'
	# With both kinds of segments too.
	heap "$moved" "$segment" \
	    "$(stack 1 "$(pc 0x401000),[7,$(pc 0x401000)]")" \
	    "$(allocation 1)" | sed '1s/}$/,"inputs":2}/' >sum
	warns '1 addresses outside' "$none" -- \
	    profraw-cat --to memprof-raw:5 -o file sum
}

@test 'real raw heap profiles are read' {
	local file

	while read -r file version segments stacks; do
		quiet profraw-cat "$real/$file.memprofraw" >stream
		[ "$(head -n 1 stream | jq .source.version)" -eq "$version" ]
		[ "$(grep -c '"segment"' stream)" -eq "$segments" ]
		[ "$(grep -c '"stack","id"' stream)" -eq "$stacks" ]
		[ "$(grep -c '"allocation"' stream)" -eq "$stacks" ]
	done <<-'END'
	14 1 6 5
	16 2 7 5
	19 4 7 3
	22 5 7 2
	22-histogram 5 7 2
	END
}

# What llvm-profdata 22 shows; where the histogram was is of no interest.
show() {
	llvm-profdata-22 show --memory "$1" --profiled-binary="$2" 2>&1 |
	    grep -v '^#' | grep -v 'AccessHistogram: '
}

@test 'LLVM reads what is written: real profiles' {
	local name version

	need llvm-profdata-22
	for name in 19 22 22-histogram; do
		for version in 3 4 5; do
			[ "$name $version" != '22-histogram 3' ] || continue
			echo "$name $version"
			profraw-cat --to "memprof-raw:$version" -o file \
			    "$real/$name.memprofraw"
			show file "$real/$name.debug" |
			    sed 's/^    Version: .*/    Version/' >got
			sed 's/^    Version: .*/    Version/' \
			    "$real/$name.show" | same - got
		done
	done
}

@test 'all raw heap profiles of the corpus are read and come back' {
	local file version

	need_corpus
	for file in $(some 4 "$(corpus memprof)"/*.raw); do
		echo "${file##*/}"
		profraw-cat -q "$file" >stream
		version=$(head -n 1 stream | jq .source.version)
		[ "$version" -ge 3 ] || continue
		case $file in
		*mix35*) version=5 ;;
		esac
		quiet profraw-cat --to "memprof-raw:$version" -o file stream
		profraw-cat -q file | content >got
		content stream | same - got
	done
}

# LLVM frees a histogram twice if several dumps have one, and crashes.
@test 'LLVM agrees about the corpus' {
	local file name binary version

	need llvm-profdata-22
	need_corpus
	for file in $(some 4 "$(corpus memprof)"/*-v{19,22}*.raw); do
		name=${file%.raw}
		binary=${name%-9rounds}.dbg
		case $name in
		*/histmulti-*) continue ;;
		*-v19*) version=4 ;;
		*) version=5 ;;
		esac
		echo "${name##*/}"
		profraw-cat -q --to "memprof-raw:$version" -o ours "$file"
		show "$file" "$binary" | sed '/^    Version:/d' >want
		[ "$(wc -l <want)" -gt 20 ]
		show ours "$binary" | sed '/^    Version:/d' | same want -
	done
}

# Sums of histograms; LLVM shows those of stacks that it has frames of.
@test 'LLVM agrees about histograms' {
	need llvm-profdata-22
	need_corpus
	for name in hist-v19 hist-v22; do
		profraw-cat -q "$(corpus "memprof/$name.raw")" | jq -c '.info |
		    select(.access_histogram_size > 0) | .access_histogram |
		    add' | sort >ours
		llvm-profdata-22 show --memory \
		    "$(corpus "memprof/$name.raw")" \
		    --profiled-binary="$(corpus "memprof/$name.dbg")" |
		    awk '/AccessHistogramValues: / {
			sum = 0
			for (i = 2; i <= NF; i++)
				sum += $i
			print sum
		}' | sort >theirs
		[ -s theirs ]
		[ -z "$(comm -13 ours theirs)" ]
	done
}
